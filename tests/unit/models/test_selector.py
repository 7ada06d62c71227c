"""The embedded selector: windows behind a query, scores per stretch, and the files that ship."""

import hashlib
import json
import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from gama.models.embedded import WEIGHTS, Encoded, encode
from gama.models.selector import LENGTH, OVERLAP, QUERY, EmbeddedSelector, embedded_selector, pairs
from gama.state.errors import ModelUnreachable

TEXT = (
    "Intake note. Ana Brook, 34, of Tarnhaven, earns $4,210 a month before tax and still owes $18,300 on the car. She has "
    "had type 2 diabetes since 2016, takes metformin, and is allergic to penicillin."
)
FACTS = ("34", "Tarnhaven", "$4,210", "$18,300", "type 2 diabetes", "2016", "metformin", "penicillin")


def places(text: str, *surfaces: str) -> list[tuple[int, int]]:
    return [(text.index(one), text.index(one) + len(one)) for one in surfaces]


def scored(text: str, query: str, *surfaces: str) -> dict[str, float]:
    return dict(zip(surfaces, embedded_selector().scores(text, query, places(text, *surfaces)), strict=True))


def made(count: int) -> Encoded:
    return Encoded([(at, at + 1) for at in range(count)], list(range(10, 10 + count)), [1] * count, list(range(count)))


@pytest.mark.parametrize("asked", [0, 1, 30, QUERY, QUERY + 1, 500])
@pytest.mark.parametrize("count", [0, 1, 100, 250, 1000])
def test_windows_overlap_cover_every_piece_and_have_the_query_before_them(asked, count):
    query = made(asked)
    found = list(pairs(query, made(count), (1, 2)))
    assert [pair.first for pair in found][0] == 0 and found[-1].last == count
    for pair in found:
        assert len(pair.ids) == len(pair.shapes) == len(pair.sides) <= LENGTH
        at = pair.sides.index(0)
        assert pair.ids[0] == 1 and pair.ids[at - 1] == 2 and pair.ids[-1] == 2
        assert pair.ids[at:-1] == list(range(10 + pair.first, 10 + pair.last))
        assert at - 2 == min(asked, QUERY)
    for one, other in zip(found, found[1:], strict=False):
        assert one.last - other.first == OVERLAP
    if asked > QUERY:
        ids = found[0].ids[1 : QUERY + 1]
        assert ids[0] == query.pieces[0] and ids[-1] == query.pieces[-1], "beginning and end of a long query are read"


def test_what_is_asked_about_scores_higher():
    money = scored(TEXT, "Could she pay the debt off within a year from what she makes?", *FACTS)
    assert {"$4,210", "$18,300"} == set(sorted(money, key=money.get)[-2:])
    health = scored(TEXT, "Which of her medicines and conditions matter before an operation?", *FACTS)
    assert min(health["$4,210"], health["$18,300"]) < max(health["metformin"], health["type 2 diabetes"])
    assert health["metformin"] > money["metformin"] and money["$4,210"] > health["$4,210"]


def test_the_threshold_parts_them():
    selector = embedded_selector()
    money = scored(TEXT, "Could she pay the debt off within a year from what she makes?", *FACTS)
    assert money["$18,300"] >= selector.threshold > money["penicillin"]


def test_a_long_text_is_read_to_its_end():
    filler = "The weather was fair and nothing of note happened on that day. " * 120
    long = scored(filler + TEXT + filler, "How much does she still owe on the car?", "$18,300", "Tarnhaven")
    assert long["$18,300"] > long["Tarnhaven"]


def test_stretches_without_words_and_empty_queries():
    selector = embedded_selector()
    assert selector.scores("a  b", "What is it?", [(1, 3)]) == [0.0]
    assert selector.scores("", "What is it?", []) == []
    assert selector.scores(TEXT, "", places(TEXT, "34"))[0] <= 1.0


@settings(max_examples=25)
@given(st.text(max_size=300), st.text(max_size=120), st.data())
def test_any_text_gives_probabilities(text, query, data):
    stretches = [
        (start, data.draw(st.integers(start, len(text))))
        for start in data.draw(st.lists(st.integers(0, len(text)), max_size=4))
    ]
    scores = embedded_selector().scores(text, query, stretches)
    assert len(scores) == len(stretches) and all(0.0 <= score <= 1.0 for score in scores)


def test_threads_may_share_it_and_it_always_answers_the_same():
    work = [(TEXT, "What does she owe?", places(TEXT, *FACTS))] * 8
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda one: embedded_selector().scores(*one), work))
    assert all(answer == answers[0] for answer in answers)


def test_the_shipped_files_belong_together_and_are_small():
    card = json.loads((WEIGHTS / "select.json").read_text(encoding="utf-8"))
    tagger = json.loads((WEIGHTS / "identify.json").read_text(encoding="utf-8"))
    for name, digest in card["sha256"].items():
        assert hashlib.sha256((WEIGHTS / name).read_bytes()).hexdigest() == digest, name
    assert card["encoder"] == tagger["sha256"]["identify.onnx"]
    assert (WEIGHTS / "select.onnx").stat().st_size < 600_000, "the encoder's weights are not in it again"
    assert {"threshold", "config", "records", "held_out"} <= set(card)


def test_missing_or_unfit_weights_are_a_clear_error(tmp_path):
    with pytest.raises(ModelUnreachable, match="gama train select"):
        EmbeddedSelector(tmp_path)
    for file in WEIGHTS.iterdir():
        shutil.copy(file, tmp_path)
    EmbeddedSelector(tmp_path)
    card = json.loads((WEIGHTS / "identify.json").read_text(encoding="utf-8"))
    card["sha256"]["identify.onnx"] = "another"
    (tmp_path / "identify.json").write_text(json.dumps(card), encoding="utf-8")
    with pytest.raises(ModelUnreachable, match="another tagger"):
        EmbeddedSelector(tmp_path)


def test_the_tokenizer_is_the_taggers():
    selector = embedded_selector()
    theirs = Tokenizer.from_file(str(WEIGHTS / "tokenizer.json"))
    assert encode(TEXT, selector._tokenizer).pieces == encode(TEXT, theirs).pieces
