"""Thresholds chosen on annotated texts, and the split of the package's own records."""

from gama.evals.datasets.corpus import parse
from gama.state.entities import SUBTYPES, Span
from gama.training.choose import choose
from gama.training.source import HELD, RECORDS, data_hashes, own_records


def test_a_type_of_poor_low_scores_gets_a_high_threshold():
    text = parse("Ana met ⟦Bo|PER.first_name|A⟧ and Di, then ⟦Ed|PER.first_name|B⟧ in May.")
    spans = [
        Span(0, 3, "PER", "first_name", 0.55, "pner", 0.9),
        Span(8, 10, "PER", "first_name", 0.9, "pner", 0.9),
        Span(15, 17, "PER", "first_name", 0.65, "pner", 0.9),
        Span(24, 26, "PER", "first_name", 0.9, "pner", 0.9),
        Span(30, 33, "DATETIME", "date", 0.35, "pner", 0.9),
    ]
    chosen = choose([text], [spans], 0.5)
    assert set(chosen) == set(SUBTYPES)
    assert 0.65 < chosen["PER"] < 0.9 and chosen["DATETIME"] > 0.35
    assert chosen["ORG"] == 0.5, "where nothing is won it stays"


def test_a_type_whose_low_scores_are_right_gets_a_low_one():
    text = parse("⟦Bo|PER.first_name|A⟧ is ⟦34|DEM.age|A⟧.")
    spans = [Span(0, 2, "PER", "first_name", 0.31, "pner", 0.9), Span(6, 8, "DEM", "age", 0.45, "pner", 0.9)]
    chosen = choose([text], [spans], 0.5)
    assert chosen["PER"] == 0.3 and chosen["DEM"] <= 0.4


def test_held_out_records_are_not_trained_on():
    held, others = own_records(True), own_records(False)
    assert len(others) / len(held) > HELD - 3
    assert not {example.text for example in held} & {example.text for example in others}


def test_hashes_name_every_file_of_records(tmp_path):
    (tmp_path / "corpus" / "train").mkdir(parents=True)
    (tmp_path / "train" / "wikigold").mkdir(parents=True)
    (tmp_path / "corpus" / "train" / "one.jsonl").write_text("{}")
    hashes = data_hashes(tmp_path)
    assert {f"records/{path.name}" for path in RECORDS.glob("*.jsonl")} < set(hashes)
    assert {"corpus/one.jsonl", "wikigold"} < set(hashes) and all(len(value) == 64 for value in hashes.values())
