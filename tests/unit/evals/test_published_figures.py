"""The papers' published figures: the shipped files by figures of the specifications, and damaged files."""

import re

import pytest
import yaml

from gama.evals.piibench.statistics import PUBLISHED, consistency
from gama.evals.reports.published import FOLDER, Table, choose, load, tables
from gama.state.errors import InputError, OptionError

WHOLE = """
paper: {key: p, name: A paper, version: v1}
solvers: {Std: [standard]}
tables:
  - id: p-1
    number: Table 1
    caption: Something
    head: Method
    defaults: {unit: percent, better: higher, comparable: no}
    columns:
      - {label: A, why: The data were never published.}
      - {label: B, why: The judge is not named., dataset: kpp, measure: score}
    rows:
      - [Std, 12.5, null]
      - [CoT, 3, 4]
"""


def table(name: str) -> Table:
    return choose(tables(), [name])[0]


def row(name: str, label: str) -> tuple[object, ...]:
    return next(one.values for one in table(name).rows if one.label == label)


def test_every_published_table_is_there():
    names = {one.id for one in tables()}
    assert {f"gama-v1-{number}" for number in (1, 2, 3, 4, 5, 6, 7, 8, "fig-3")} <= names
    assert {f"gama-v2-{number}" for number in range(1, 6)} <= names
    assert {
        f"pii-bench-{number}" for number in ("sizes", "types", 2, 4, 5, 6, 7, 8, 20, "small-t2", "small-t3")
    } <= names
    assert {f"pii-bench-later-{task}" for task in ("t1", "t2", "t3")} <= names
    assert {f"pii-real-{task}" for task in ("t1", "t2", "t3", "pcs")} <= names
    assert {"seal-main", "seal-ablation"} <= names
    assert len(names) == len(tables())


@pytest.mark.parametrize(
    ("name", "label", "values"),
    [
        ("gama-v1-1", "AutoAgents", (82.0, 9.9, 85.3, 10.8, 71.8, 24.4)),
        ("gama-v1-2", "GAMA", (54.8, 82.0)),
        ("gama-v1-fig-3", "NER-PRE", (69, 95, 82, 84, 83)),
        ("gama-v1-3", "journalist", (0.83, 1.12, 0.21)),
        ("gama-v1-4", "LPP", (156, 29.56, 0.01, 21.10, 68.01)),
        ("gama-v1-5", "GAMA", (138, 30.25, 20.58)),
        ("gama-v1-6", "−DLE", (53.2, 76.9)),
        ("gama-v1-7", "Self-Refine", (5.4,)),
        ("gama-v1-8", "SPP", (1.690309, 0.090969, 0.025, True)),
        ("gama-v1-8", "AutoAgents", (0.845154, 0.398025, 0.05, False)),
        ("gama-v2-1", "EPEAgents", (None, None, 24.3, 52.7, 76.1)),
        ("gama-v2-2", "marketer", (0.40, 1.00, 0.01)),
        ("gama-v2-3", "GAMA", (118, 130.25, 8, 20, 1.8)),
        ("gama-v2-4", "−AMPP", (83.5, 74.9, 20.1, 61.8, 84.0)),
        ("gama-v2-5", "AgentSafe", (1.1904, 0.0124, 0.0075, True)),
        ("pii-bench-2", "hard", (91.3, 1.1, 90.3, 1.2)),
        ("pii-bench-6", "BiLSTM-CRF", (None, 0.851, None, None, 0.828, None, None, 0.684, None, None, 0.787, None)),
        ("pii-bench-7", "Naive w/ Choice", (0.84, 0.84, 0.76, 0.76, 0.83, 0.83, 0.52, 0.52, 0.77, 0.77)),
        ("pii-bench-8", "what the query does not need", (0.83, 0.89, 0.86)),
        ("pii-real-pcs", "Claude3.5", (0.972, None, None)),
        ("seal-main", "SEAL-8B, iteration 3", (0.263, 0.862, 0.441)),
    ],
)
def test_figures_are_those_of_the_specifications(name, label, values):
    assert row(name, label) == values
    assert [type(one) for one in row(name, label)] == [float if type(one) is int else type(one) for one in values]


def test_what_the_papers_reckon_agrees_with_what_they_print():
    base = row("gama-v1-1", "Std")
    for one in table("gama-v1-1").rows:
        for at in (0, 2, 4):
            score, change, first = one.values[at], one.values[at + 1], base[at]
            assert score is not None and change is not None and isinstance(first, float)
            # Printed from figures with more digits than the table has.
            assert 100 * (score / first - 1) == pytest.approx(change, abs=0.16), (one.label, at)
    for one in table("pii-bench-8").rows:
        privacy, utility, balanced = one.values
        assert privacy is not None and utility is not None
        assert (privacy + utility) / 2 == pytest.approx(balanced, abs=0.0051)
    for one in table("seal-main").rows[1:]:
        privacy, utility, combined = one.values
        assert privacy is not None and utility is not None
        assert (0.625 - privacy) / 0.625 + utility - 1 == pytest.approx(combined, abs=0.0011)


@pytest.mark.parametrize(("made", "real", "at"), [("pii-bench-7", "pii-real-t2", 1), ("pii-bench-4", "pii-real-t3", 2)])
def test_the_printed_consistency_follows_from_the_printed_scores(made, real, at):
    models = ["GPT4o", "Llama3.1", "Qwen2.5", "Llama3.1-8B", "Qwen2.5-7B"]
    for place, model in enumerate(models):
        found = [
            consistency(one.values[2 * place], other.values[2 * place])
            for one, other in zip(table(made).rows, table(real).rows, strict=True)
        ]
        assert sum(found) / len(found) == pytest.approx(row("pii-real-pcs", model)[at], abs=0.0025), model


def test_tables_that_are_printed_twice_agree():
    assert table("gama-v1-3").rows == table("gama-v2-2").rows
    for one in table("gama-v1-6").rows:
        assert one.values == row("gama-v2-4", one.label)[3:]


def test_the_sizes_are_those_that_made_sets_are_compared_with():
    for name, label in (("single", "PII-single"), ("multi", "PII-multi"), ("hard", "PII-hard"), ("all", "All")):
        assert row("pii-bench-sizes", label) == tuple(map(float, PUBLISHED[name][:6]))
    for at, name in enumerate(("single", "multi", "hard", "distract")):
        for kind, count in PUBLISHED[name].types.items():
            assert row("pii-bench-types", kind)[2 * at] == count


def test_every_column_says_whether_it_can_be_compared_and_why():
    verdicts = {one.id: {column.comparable for column in one.columns} for one in tables()}
    for one in tables():
        for column in one.columns:
            assert len(column.why) > 20 and column.why.endswith("."), (one.id, column.label)
        assert one.paper.version and one.number
    # The texts of PII-Bench were never published, and SEAL is known at second hand.
    for name in verdicts:
        if name.startswith(("pii-", "seal")) and name not in ("pii-bench-sizes", "pii-bench-types"):
            assert verdicts[name] == {False}, name
    assert all(one.paper.second_hand == one.id.startswith("seal") for one in tables())
    comparable = {column.title: column.comparable for column in table("gama-v2-1").columns}
    assert comparable == {"TCW": False, "LGP": True, "LR on PLens": False, "PQA-K": False, "PQA-L": True}


def test_the_shipped_files_have_nothing_that_is_not_read():
    assert {path.suffix for path in FOLDER.iterdir()} == {".yaml"}
    for path in FOLDER.iterdir():
        rows = sum(len(one["rows"]) for one in yaml.safe_load(path.read_text(encoding="utf-8"))["tables"])
        assert rows == sum(len(one.rows) for one in load(path))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("[Std, 12.5, null]", "[Std, 12.5]"), "row 'Std' has 1 figures for 2 columns"),
        (("[Std, 12.5, null]", "[Std, 125, null]"), "125.0 is no percent"),
        (("[Std, 12.5, null]", "[Std, yes, null]"), "a verdict is yes or no"),
        (("[Std, 12.5, null]", "[Std, much, null]"), "rows"),
        (("[CoT,", "[Std,"), "rows are there twice: Std"),
        (("label: B", "label: A"), "same group and label"),
        (("comparable: no}", "extra: 1, comparable: no}"), "extra"),
        (("comparable: no}", "places: 1}"), "comparable"),
        (("why: The judge is not named.", "why: no"), "why"),
        (("unit: percent", "unit: parts"), "unit"),
        (("    head: Method", "    head: Method\n    base: GAMA"), "no row 'GAMA'"),
        (("    rows:\n", "    lines:\n"), "rows"),
    ],
)
def test_a_table_that_is_not_whole_is_refused_and_named(tmp_path, change, said):
    file = tmp_path / "mine.yaml"
    assert change[0] in WHOLE
    file.write_text(WHOLE.replace(*change), encoding="utf-8")
    with pytest.raises(InputError, match=re.escape(said)) as caught:
        load(file)
    assert "mine.yaml, table 'p-1'" in str(caught.value)


@pytest.mark.parametrize("content", ["", "[1, 2]", "paper: {key: p}", "a: [", "paper: 3\ntables: []", "\x00"])
def test_what_is_no_file_of_figures_is_refused(tmp_path, content):
    file = tmp_path / "mine.yaml"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match="mine.yaml: no file of published figures"):
        load(file)


def test_a_whole_file_is_read_and_two_with_one_id_are_not(tmp_path):
    (tmp_path / "a.yaml").write_text(WHOLE, encoding="utf-8")
    (one,) = tables(tmp_path)
    assert one.known_as("Std") == ("Std", "standard") and one.known_as("CoT") == ("CoT",)
    assert one.columns[1].dataset == ("kpp",) and one.rows[0].values == (12.5, None)
    (tmp_path / "b.yaml").write_text(WHOLE, encoding="utf-8")
    tables.cache_clear()
    with pytest.raises(InputError, match="twice: p-1"):
        tables(tmp_path)


def test_tables_are_chosen_by_name_or_by_paper():
    assert [one.id for one in choose(tables(), ["gama-v2", "gama-v2-1"])] == [f"gama-v2-{at}" for at in range(1, 6)]
    assert len(choose(tables(), ["all"])) == len(tables())
    with pytest.raises(OptionError, match="did you mean 'seal-main'"):
        choose(tables(), ["seal-mian"])
