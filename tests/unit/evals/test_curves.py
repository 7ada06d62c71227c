"""Curves of F1 over what a text holds, as data and pictures; and how alike the scores on two data sets are."""

import csv
import json

import pytest

from gama.evals.curves import EDGES, of_records, points, write_curves
from gama.evals.datasets.corpus import load
from gama.evals.figures import Figure
from gama.evals.piibench.agreement import agreement, read_scores
from gama.evals.query import load_queries
from gama.state.errors import InputError
from tests.support.commands import runner

F1 = Figure("f1", "F1", lambda score: (score, 1))
RECORDS = [
    {"id": "a", "text": "⟦Ann|PER.first_name|A⟧, ⟦34|DEM.age|A⟧, met ⟦Bo|PER.first_name|B⟧; ⟦Ann|PER.first_name|A⟧ left.",
     "query": "May she retire?", "relevant": ["34"]},
    {"id": "b", "text": "⟦Cy|PER.first_name|A⟧ left ⟦Rome|LOC.city|-|public⟧." + " So it goes." * 60, "query": "Why?", "relevant": []},
]  # fmt: skip


@pytest.fixture
def dataset(tmp_path):
    file = tmp_path / "mine.jsonl"
    file.write_text("\n".join(map(json.dumps, RECORDS)), "utf-8")
    return load_queries(file)[0]


def test_where_texts_stand(dataset):
    axes = of_records(dataset.records, query=True)
    assert axes["persons"] == [2, 1] and axes["private values"] == [3, 1] and axes["needed values"] == [1, 0]
    assert axes["characters"] == [len(one.example.text) for one in dataset.records]
    assert set(of_records(dataset.records)) == set(EDGES) - {"needed values"}


def test_points_are_means_over_the_texts_of_a_part():
    axes = {"persons": [1, 1, 2, 5, 9], "needed values": [0, 3, 3, 4, 5]}
    found = points(axes, F1, {"m": [1.0, 0.0, 0.25, 0.5, 0.75]}, resamples=0)
    assert [(one.axis, one.part, one.texts, one.f1.value) for one in found] == [
        ("persons", "1", 2, 0.5), ("persons", "2", 1, 0.25), ("persons", "3-5", 1, 0.5), ("persons", "8+", 1, 0.75),
        ("needed values", "0", 1, 1.0), ("needed values", "3", 2, 0.125), ("needed values", "4-5", 2, 0.625),
    ]  # fmt: skip
    assert all(one.f1.interval for one in points(axes, F1, {"m": [1.0, 0, 0, 0, 0]}, resamples=20))


def test_curves_are_written_as_data_and_pictures_the_same_each_time(tmp_path):
    axes = {"persons": [1, 2, 2], "characters": [100, 700, 9000]}
    scores = {"one": [1.0, 0.5, 0.0], "other": [0.2, 0.4, 0.6]}
    for name in ("a", "b"):
        write_curves(tmp_path / name, "identify", axes, F1, scores, resamples=20)
    files = {file.name: file.read_bytes() for file in (tmp_path / "a").iterdir()}
    assert set(files) == {"identify.csv", "identify.png", "identify.svg"}
    assert files == {file.name: file.read_bytes() for file in (tmp_path / "b").iterdir()}
    assert files["identify.png"].startswith(b"\x89PNG") and b"<svg" in files["identify.svg"]
    rows = list(csv.DictReader(files["identify.csv"].decode().splitlines()))
    assert rows[2] == rows[2] | {"axis": "persons", "part": "2", "texts": "2", "method": "one", "f1": "0.25"}
    assert float(rows[2]["low"]) <= 0.25 <= float(rows[2]["high"]) and len(rows) == 10
    write_curves(tmp_path / "none", "identify", axes, F1, {})
    assert (tmp_path / "none" / "identify.csv").read_text("utf-8").count("\n") == 1


@pytest.mark.parametrize(
    ("command", "methods", "names"),
    [("identify", "patterns,regex", {"identify"}), ("query", "all-hidden,none-hidden", {"query-given", "query-found"})],
)
def test_the_commands_write_them(capsys, dataset, tmp_path, command, methods, names):
    folder = tmp_path / "curves"
    done = runner(capsys)("eval", command, "--data", tmp_path / "mine.jsonl", "--methods", methods, "--resamples", 10,
                          "--curves", folder)  # fmt: skip
    assert done.code == 0, done.err
    assert {file.stem for file in folder.iterdir()} == names
    for name in names:
        rows = list(csv.DictReader((folder / f"{name}.csv").read_text("utf-8").splitlines()))
        assert {row["axis"] for row in rows} == set(EDGES) - ({"needed values"} if command == "identify" else set())
    done = runner(capsys)("eval", command, "--curves", tmp_path / "mine.jsonl")
    assert done.code == 2 and "--curves" in done.err


def written(path, **scores):
    told = {
        method: {"strict_f1": {"value": f1, "low": 0, "high": 1}, "ms_per_text": {"value": 3}}
        for method, f1 in scores.items()
    }
    path.write_text(json.dumps({"figures": told}), "utf-8")
    return path


def test_the_papers_consistency_comes_out(capsys, tmp_path):
    single = written(tmp_path / "single.json", gpt=0.893, claude=0.858, llama=0.748, alone=0.1)
    real = written(tmp_path / "real.json", gpt=0.912, claude=0.887, llama=0.762)
    (found,) = agreement(read_scores(single), read_scores(real))
    assert found.figure == "strict_f1" and {name: round(pcs, 3) for name, pcs in found.pcs.items()} == {
        "gpt": 0.979, "claude": 0.967, "llama": 0.982,
    }  # fmt: skip
    assert found.spearman == pytest.approx(1) and round(found.mean, 3) == 0.976
    out = tmp_path / "out.json"
    done = runner(capsys)("eval", "agreement", single, real, "--json", out)
    assert done.code == 0 and "0.976" in done.out and "1.0000" in done.out, done.err
    assert json.loads(out.read_text("utf-8"))["figures"]["strict_f1"]["spearman"] == pytest.approx(1)


def test_the_published_models_rank_alike():
    """Spec 03 §3.8, T1 strict: seven models on PII-Single and on PII-Real; the paper gives rho .9880 over all."""
    single = (0.893, 0.858, 0.903, 0.881, 0.866, 0.748, 0.787)
    real = (0.912, 0.887, 0.923, 0.901, 0.884, 0.762, 0.798)
    names = "gpt claude deepseek llama qwen llama8 qwen7".split()
    one, other = ({"strict_f1": dict(zip(names, some, strict=True))} for some in (single, real))
    (found,) = agreement(one, other)
    assert found.spearman is not None and found.spearman > 0.96 and found.p_value < 0.001


def test_tasks_are_compared_apart_and_few_methods_have_no_correlation(tmp_path):
    for name in ("one", "other"):
        told = {task: {"m": {"f1": {"value": 0.5}}} for task in ("given", "found")}
        (tmp_path / name).write_text(json.dumps({"figures": told}), "utf-8")
    found = agreement(*(read_scores(tmp_path / name) for name in ("one", "other")))
    assert [(one.figure, one.mean, one.spearman) for one in found] == [("given f1", 1, None), ("found f1", 1, None)]


@pytest.mark.parametrize("content", ["", "[]", '{"figures": {}}', '{"figures": 7}'])
def test_what_is_no_file_of_figures_is_refused(tmp_path, content):
    (tmp_path / "x.json").write_text(content, "utf-8")
    with pytest.raises(InputError, match="not a file that"):
        read_scores(tmp_path / "x.json")


def test_files_without_anything_in_common_are_told(capsys, tmp_path):
    one, other = written(tmp_path / "a.json", m=1), written(tmp_path / "b.json", n=1)
    done = runner(capsys)("eval", "agreement", one, other)
    assert done.code == 2 and "no method with the same figure" in done.err


def test_the_shipped_texts_stand_on_every_axis():
    axes = of_records(load(limit=20).records, query=True)
    assert all(len(numbers) == 20 for numbers in axes.values())
