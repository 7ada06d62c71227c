"""Entity-level scores of the KPP and LPP letters, and the published metric. All letters here are made up."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gama.evals.datasets.letters import Letter, Letters, read_letters
from gama.evals.letters import REFERENCES, evaluate_letters, letters_json, references
from gama.evals.methods.base import Hidden, mask
from gama.evals.metrics.bleu import bleu
from gama.evals.metrics.entities import readable, score_entities, surface
from gama.evals.metrics.published import Tally, count, weighted
from gama.evals.metrics.similarity import Encoder
from gama.evals.metrics.spans import Counts, Share, Stretch
from gama.evals.runs import Run
from gama.state.errors import InputError

TEXT = (
    "Dear Mira Olavsson,\nI am from Teterow, and I work at Teterow Mill. What is a mill?\nBest regards\n"
    "Jon Baskir\n555 0199\n"
)
LISTED = {
    "name": ["Mira Olavsson", "Jon Baskir"], "location": ["Teterow"], "organization": ["Teterow Mill"],
    "email_id": ["555 0199", "555 0000"],
}  # fmt: skip
LETTER = Letter("1", TEXT, LISTED)


@pytest.mark.parametrize(
    ("hidden", "lost", "words", "figures"),
    [
        (405, 1995, 12626, (0.8163, 0.8408, 0.8284)),
        (500, 1190, 13119, (0.8868, 0.9126, 0.8995)),
        (468, 632, 13158, (0.9327, 0.9514, 0.9419)),
        (8, 0, 12828, (1.0, 0.9631, 0.9812)),
        (500, 996, 12756, (0.8998, 0.9249, 0.9121)),
    ],
)
def test_the_published_figures_are_reproduced(hidden, lost, words, figures):
    assert tuple(weighted(Tally(hidden, 500, lost, words))) == pytest.approx(figures, abs=5e-5)


def test_what_the_published_metric_counts():
    listed = ["Mira Olavsson", "Teterow", "Nobody"]
    tally = count("Dear Mira Olavsson, of Teterow-Mill", "Dear <name-1>, of <location-1>-Mill", listed)
    # Words: dear, name, 1, of, location, 1, mill. Lost: mira, olavsson; Teterow is a listed value itself.
    assert tally == Tally(hidden=3, listed=3, lost=2, words=7)
    assert weighted(Tally()) == (0.0, 0.0, 0.0)


def test_the_published_metric_holds_no_masking_for_better_than_exact_masking():
    read = Letters("lpp", [LETTER], "")
    report = evaluate_letters(read, references(read.letters), resamples=0)
    assert report.published["nothing"].f1 > report.published["gold"].f1


def test_the_line_of_task_is_counted_for_kpp():
    figures = {
        kind: evaluate_letters(Letters(kind, [LETTER], ""), references([LETTER]), resamples=0).published["gold"]
        for kind in ("kpp", "lpp")
    }
    words = count(TEXT, references([LETTER])[1].hidden[0].masked, [v for values in LISTED.values() for v in values])
    assert figures["lpp"] == weighted(words) and figures["kpp"] == weighted(words._replace(words=words.words + 17))


@pytest.mark.parametrize(
    ("value", "text", "there"),
    [
        ("Lee", "Lee is here", True), ("Lee", "in Leeds", False), ("LEE", "of lee.", True),
        ("Ann Lee", "Ann\n  Lee", True), ("+1 555", "(+1 555)", True), ("1 555", "1 5550", False),
        ("", "anything", False), ("Ａnn", "Ann", True), ("a.b", "axb", False),
    ],
)  # fmt: skip
def test_a_value_is_read_as_words_in_any_case_and_spacing(value, text, there):
    assert readable(value, text) is there


@given(st.text(max_size=20), st.text(max_size=20), st.text(max_size=20))
def test_what_stands_in_a_text_between_spaces_can_be_read(before, value, after):
    assert readable(value, f"{before} {value} {after}") is bool(surface(value))


def test_entities_are_compared_by_surface_and_only_if_asked_by_type():
    masked = "<x-1> met Bo"
    found = [("ADA  Byron", ""), ("Oslo", "")]
    listed = [("Ada Byron", ""), ("Bo", "")]
    assert score_entities(found, listed, masked) == (Counts(1, 2, 2), Share(1, 2))
    typed = [("Ada Byron", "ORG")], [("Ada Byron", "PER")]
    assert score_entities(*typed, masked).entities == Counts(0, 1, 1)


def test_values_that_are_not_in_the_letter_or_twice_in_the_list_are_left_out():
    assert len(LETTER.occurring) == 5
    assert Letters("kpp", [LETTER], "").absent == 1
    assert Letter("2", TEXT, LISTED | {"location": ["Teterow", "TETEROW"]}).occurring == LETTER.occurring


def test_exact_masking_hides_the_longest_first_and_every_mention():
    nothing, gold = references([LETTER])
    masked = gold.hidden[0].masked
    assert "Teterow" not in masked and "Mill" not in masked and "555 0199" not in masked
    assert "What is a mill?" in masked
    read = Letters("kpp", [LETTER], "")
    rows = {row.method: row.values for row in evaluate_letters(read, [nothing, gold], resamples=0).rows}
    assert rows["gold"]["f1"].value == 1.0 and rows["gold"]["residual_leak"].value == 0.0
    assert rows["nothing"]["recall"].value == 0.0 and rows["nothing"]["residual_leak"].value == 1.0
    assert rows["gold"]["chars_left"].value == 0.0 and rows["nothing"]["chars_left"].value == 1.0


def test_half_a_name_hidden_is_no_leak_of_the_value_but_of_its_characters():
    at = TEXT.index("Olavsson")
    half = [Stretch(at, at + len("Olavsson"), "PER", "last_name")]
    run = Run("half", "", False, {}, [Hidden(half, mask(TEXT, half))], [0.5])
    report = evaluate_letters(Letters("kpp", [LETTER], ""), [run, *references([LETTER])], resamples=20)
    values = report.rows[0].values
    assert values["recall"].value == 0.0 and values["residual_leak"].value == pytest.approx(4 / 5)
    assert 0.0 < values["chars_left"].value < 1.0
    assert report.leaks["half"]["name"] == Share(1, 2)
    assert values["ms_per_1000_chars"].value == pytest.approx(500 * 1000 / len(TEXT))
    assert [bool(row.differences) for row in report.rows] == [False, False, False]
    assert set(letters_json(report)["published_metric"]) == {"half", *REFERENCES}


def test_strict_types_need_the_right_one():
    at = TEXT.index("Jon Baskir")
    for kind, value in (("PER", 1), ("ORG", 0)):
        hidden = [Stretch(at, at + 10, kind, "full_name" if kind == "PER" else "company")]
        run = Run("m", "", False, {}, [Hidden(hidden, mask(TEXT, hidden))], [0.0])
        report = evaluate_letters(Letters("kpp", [LETTER], ""), [run], strict_type=True, resamples=0)
        assert report.rows[0].values["precision"].value == value


def record(**changes):
    return {"id": 7, "question": TEXT, "passage": TEXT, "answers": {}, "privacy_data": LISTED} | changes


def test_files_of_letters_are_read(tmp_path):
    file = tmp_path / "letters.json"
    file.write_text(json.dumps([record(), record(id=8, passage="No one.", privacy_data={})]), encoding="utf-8")
    for kind in ("kpp", "lpp"):
        read = read_letters(file, kind)
        assert [letter.id for letter in read.letters] == ["7", "8"] and not read.released
        assert read.letters[0]._replace(asked={}) == LETTER._replace(id="7")
        # What else a record has is kept: the question or the answers.
        assert set(read.letters[0].asked) == {"answers", "question" if kind == "lpp" else "passage"}
    assert read.letters[1].text == "No one." and read.letters[1].occurring == []


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (None, "No such file"),
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("{}", "not a list of records"),
        ("[]", "not a list of records"),
        ([record(), []], "record 2"),
        ([record(question="  ")], "'question'"),
        ([record(question=3)], "'question'"),
        ([record(privacy_data=["Mira"])], "'privacy_data'"),
        ([record(privacy_data={"name": "Mira"})], "'privacy_data'"),
        ([record(privacy_data={"name": [3]})], "'privacy_data'"),
        ([record(privacy_data={"nickname": []})], "unknown class 'nickname'"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_without_quoting_it(tmp_path, content, part):
    file = tmp_path / "letters.json"
    if content is not None:
        file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_letters(file, "kpp")
    assert part in str(caught.value) and "Mira" not in str(caught.value)


def test_what_is_kept_of_the_text_is_a_mean_over_letters():
    other = Letter("2", "The mill at Teterow stands still today", {"location": ["Teterow"]})
    read = Letters("kpp", [LETTER, other], "")
    encoder = Encoder("lengths", lambda text: np.array([1.0, float("<" in text)]))
    gold = references(read.letters)[1]
    values = evaluate_letters(read, [gold], resamples=0, encoder=encoder).rows[0].values
    scores = [bleu(hidden.masked, letter.text) for hidden, letter in zip(gold.hidden, read.letters, strict=True)]
    assert values["bleu"].value == pytest.approx(sum(scores) / 2) and 0 < values["bleu"].value < 1
    assert values["likeness"].value == pytest.approx(2**-0.5)
    nothing = evaluate_letters(read, references(read.letters)[:1], resamples=0).rows[0].values
    assert nothing["bleu"].value == pytest.approx(1.0) and nothing["likeness"].value == pytest.approx(1.0)
