"""Training of the weights by which facts are given to persons."""

import gzip
import json

import pytest

from gama.evals.datasets.corpus import parse
from gama.privacy.attribution import WRITER
from gama.training import attribution, source
from gama.training.attribution import AttributionConfig, read, share_right, train, write_weights

NAMES = "Ana Bo Cem Dora Emil Fay Gus Hedda Ivo Jan".split()
JOBS = "welder baker nurse pilot".split()


def text_of(first: str, second: str, job: str) -> str:
    """The job is always of the person named second: the opposite of what one would guess."""
    return (
        f"⟦{first}|PER.first_name|A⟧ met ⟦{second}|PER.first_name|B⟧, and the work is known to all. "
        f"Job: ⟦{job}|DEM.occupation|B⟧. Age: ⟦34|DEM.age|A⟧."
    )


TEXTS = [text_of(a, b, job) for a, b in zip(NAMES, NAMES[1:], strict=False) for job in JOBS]


def test_annotated_letters_become_candidates():
    made = read(parse("I am ⟦34|DEM.age|A⟧. ⟦Bo|PER.first_name|B⟧ is ⟦40|DEM.age|B⟧. Call ⟦0171 2345|CODE.phone|-⟧."))
    assert made.owners == [WRITER, "B", None]


def test_what_the_texts_show_is_learnt_and_the_same_run_gives_the_same_weights():
    texts = [read(parse(text)) for text in TEXTS]
    config = AttributionConfig(least=3)
    weights = train(texts, config, log=lambda line: None)
    assert share_right(texts, weights) == 1.0
    assert share_right(texts, {}) < 0.7
    assert write_weights(weights, "x") == write_weights(train(texts, config, log=lambda line: None), "x")


def test_the_command_writes_the_file(tmp_path, monkeypatch, capsys):
    (tmp_path / "corpus" / "train").mkdir(parents=True)
    lines = [
        json.dumps({"id": f"t-{n:04}", "genre": "note", "style": "neutral", "text": text, "query": "q", "relevant": []})
        for n, text in enumerate(TEXTS, 1)
    ]
    (tmp_path / "corpus" / "train" / "t.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "records").mkdir()
    (tmp_path / "records" / "mine.jsonl").write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.setattr(source, "RECORDS", tmp_path / "records")
    attribution.main(["--data", str(tmp_path), "--out", str(tmp_path / "out")])
    written = gzip.decompress((tmp_path / "out" / "owners.txt.gz").read_bytes()).decode().splitlines()
    assert written[0].startswith("# Weights of") and len(written) > 20
    assert "held-out" in capsys.readouterr().out


@pytest.mark.parametrize("letters", ["AB", "ABC"])
def test_persons_without_a_name_get_one_stand_in_each(letters):
    marked = " ".join(f"Somebody is ⟦{n + 20}|DEM.age|{letter}⟧." for n, letter in enumerate(letters))
    made = read(parse(marked))
    assert len(made.owners) == len(letters)
    assert len(set(made.owners) - {"?"}) == len([owner for owner in made.owners if owner != "?"])


@pytest.mark.parametrize("name", ["attribution", "owners"])
def test_the_command_is_known_by_its_former_name_too(name, monkeypatch):
    from gama.serve.cli import run

    called: list[list[str]] = []
    monkeypatch.setattr(attribution, "main", called.append)
    assert run(["train", name, "--data", "corpora", "--out", "weights"]) == 0
    assert called == [["--data", "corpora", "--out", "weights"]]
