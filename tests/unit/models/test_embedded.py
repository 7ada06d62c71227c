import itertools
import json
import re
import shutil
import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from gama.models.embedded import (
    BOUNDARIES,
    SUBTYPE_NAMES,
    UNSETTLED,
    WEIGHTS,
    WINDOW,
    Encoded,
    Tagger,
    decode_boundaries,
    embedded_tagger,
    encode,
    excerpts,
    may_be,
    shape,
    split_words,
    trim,
    windows,
)
from gama.state.entities import SUBTYPES, TYPE_OF
from gama.state.errors import ModelUnreachable, OptionError

LETTER = (
    "Dear Mr. Okonkwo,\r\n\r\nYour appointment with Dr. Maren Lindqvist is on 14 March 2025 at 10:30. "
    "Please call +44 7700 900123 or write to maren.lindqvist@example.org.\r\n"
    "We will send the letter to 12 Larch Lane, Norwich."
)


@pytest.fixture(scope="module")
def tokenizer():
    found = Tokenizer.from_file(str(WEIGHTS / "tokenizer.json"))
    found.no_truncation()
    found.no_padding()
    return found


def surfaces(text, **options):
    return {text[span.start : span.end]: span for span in embedded_tagger().spans(text, **options)}


# Words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Ana's cat", ["Ana", "'", "s", "cat"]),
        ("(35M)", ["(", "35", "M", ")"]),
        ("2024-08-30T07:58:11Z", ["2024", "-", "08", "-", "30", "T", "07", ":", "58", ":", "11", "Z"]),
        ("£1.5k", ["£", "1", ".", "5", "k"]),
        ("Jose\u0301 Núñez", ["Jose\u0301", "Núñez"]),
        ("李明🙂 ok", ["李", "明", "🙂", "ok"]),
        ("a_b\r\n", ["a", "_", "b"]),
        ("", []),
    ],
)
def test_words_are_the_units_that_are_tagged(text, words):
    assert [text[start:end] for start, end in split_words(text)] == words


@given(st.text(max_size=80))
def test_words_cover_every_visible_character_once(text):
    covered = [at for start, end in split_words(text) for at in range(start, end)]
    assert covered == sorted(set(covered))
    assert all(char.isspace() for at, char in enumerate(text) if at not in set(covered))


def test_the_shape_tells_case_and_layout_apart():
    text = "Bob bob BOB B bOb 12 a1 ! 李\nBob"
    found = [shape(text, start, end) for start, end in split_words(text)]
    cases = [(row - 1) // 3 for row in found]
    assert cases == [2, 1, 3, 4, 5, 6, 7, 0, 8, 2]
    assert [(row - 1) % 3 for row in found] == [2, 1, 1, 1, 1, 1, 1, 1, 1, 2]


# Windows


@pytest.mark.parametrize("count", [1, 5, WINDOW, WINDOW + 1, 3 * WINDOW + 17])
def test_windows_overlap_and_cover_every_piece(count):
    word_of = [at // 3 for at in range(count)]
    encoded = Encoded([(at, at + 1) for at in range(word_of[-1] + 1)], [7] * count, [1] * count, word_of)
    found = list(windows(encoded))
    assert found[0].first == 0
    assert found[-1].last == count
    for one, two in itertools.pairwise(found):
        assert one.first < two.first <= one.last
    for window in found:
        assert 0 < window.last - window.first <= WINDOW
        assert window.first == 0 or word_of[window.first] != word_of[window.first - 1]


def test_a_text_without_words_has_no_window(tokenizer):
    assert list(windows(encode(" \n\t", tokenizer))) == []


def lines_of(text: str, wanted: list[tuple[int, int]], tokenizer: Any) -> list[str]:
    encoded = encode(text, tokenizer)
    found = excerpts(text, encoded, wanted)
    ends = [(encoded.words[encoded.word_of[w.first]][0], encoded.words[encoded.word_of[w.last - 1]][1]) for w in found]
    return [text[start:end] for start, end in ends]


def test_excerpts_are_whole_lines_with_what_is_wanted(tokenizer):
    text = "\n".join(f"Line number {at} is about as long as all the others are, for it was made so." for at in range(9))
    at = text.index("number 4")
    lines = text.split("\n")
    found = lines_of(text, [(at, at + 6)], tokenizer)
    assert len(found) == 1 and lines[4] in found[0] and set(found[0].split("\n")) <= set(lines)
    assert lines_of(text, [], tokenizer) == []
    assert len(lines_of(text, [(0, len(text))], tokenizer)) > 1


def test_of_a_long_line_is_read_what_is_around(tokenizer):
    long = "and so it went on and on " * 200
    text = f"Short.\n{long}\nShort again."
    found = lines_of(text, [(0, 5), (len(text) - 6, len(text))], tokenizer)
    assert found == ["Short.", "Short again."]
    at = text.index("went", 2000)
    [near] = lines_of(text, [(at, at + 4)], tokenizer)
    assert 60 < len(near.split()) < 80 and near in long
    # Two doubts side by side are one excerpt, two far apart two, at the ends as well; many are the whole line.
    assert len(lines_of(text, [(at, at + 4), (at + 25, at + 29)], tokenizer)) == 1
    assert len(lines_of(text, [(at, at + 4), (at + 1000, at + 1004)], tokenizer)) == 2
    first, last = lines_of(text, [(7, 10), (len(text) - 20, len(text) - 17)], tokenizer)
    assert first.startswith("and so") and last.endswith("and on") and len(first.split()) > 30
    everywhere = [(match.start(), match.end()) for match in re.finditer("went", text)]
    assert "".join(lines_of(text, everywhere, tokenizer)).count("went") >= 200


def test_a_word_is_never_cut(tokenizer):
    text = "so " * 100 + "Rechtsschutzversicherungsgesellschaften " * 40
    for at in range(0, len(text) - 5, 83):
        for line in lines_of(text, [(at, at + 5)], tokenizer):
            assert set(line.split()) <= {"so", "Rechtsschutzversicherungsgesellschaften"}


def test_only_lines_in_doubt_are_read_again_and_equal_ones_once(monkeypatch):
    tagger = embedded_tagger()
    runs: list[int] = []
    run = type(tagger).run
    monkeypatch.setattr(type(tagger), "run", lambda self, feed: runs.append(feed["ids"].size) or run(self, feed))
    line = "Please call Maren Lindqvist about the order " + "that came in " * 20
    text = "\n".join([*["It was sunny. " * 20] * 20, *[line] * 5])
    at = text.index("Maren")
    assert [text[s.start : s.end] for s in tagger.again(text, [(at, at + 5)])] == ["Maren Lindqvist"]
    assert len(runs) == 1
    places = [(m.start(), m.end()) for m in re.finditer("Maren", text)]
    assert len(tagger.again(text, places)) == 5
    assert len(runs) == 2
    assert tagger.again(text, []) == [] and len(runs) == 2


def test_words_that_may_be_in_a_span_are_told_after_the_spans():
    told = embedded_tagger().spans(LETTER, doubts=True)
    unsettled = [span for span in told if span.source == UNSETTLED]
    assert unsettled and told[-len(unsettled) :] == unsettled
    assert all(span.source != UNSETTLED for span in embedded_tagger().spans(LETTER))
    covered = {
        at for span in embedded_tagger().spans(LETTER) if span.type == "PER" for at in range(span.start, span.end)
    }
    assert covered - {at for span in unsettled for at in range(span.start, span.end)} <= {
        at for at, char in enumerate(LETTER) if char.isspace()
    }


def test_only_the_beginning_of_an_endless_word_is_read(tokenizer):
    assert len(encode("f" * 90 + "0123456789" * 900, tokenizer).pieces) <= 12


# Decoding


@given(st.lists(st.lists(st.floats(-8, 8), min_size=5, max_size=5), max_size=12))
def test_every_span_is_whole(rows):
    scores = np.array(rows, dtype=np.float32).reshape(-1, 5)
    labels = "".join(BOUNDARIES[label] for label in decode_boundaries(scores))
    assert len(labels) == len(rows)
    assert not labels.replace("O", " ").replace("S", " ").replace("B", " B").replace("E", "E ").split() or all(
        part[0] == "B" and part[-1] == "E" and set(part[1:-1]) <= {"I"} and len(part) > 1
        for part in labels.replace("O", " ").replace("S", " ").replace("B", " B").replace("E", "E ").split()
    )


def test_the_best_sequence_wins_over_the_best_single_labels():
    scores = np.log(
        np.array([[0.3, 0.45, 0.05, 0.05, 0.15], [0.5, 0.01, 0.01, 0.47, 0.01]], dtype=np.float32)
    )  # B then O is not allowed; B E scores .45 * .47, O O .3 * .5, S O .15 * .5
    assert [BOUNDARIES[label] for label in decode_boundaries(scores)] == ["B", "E"]


@pytest.mark.parametrize(
    ("text", "kind", "left"),
    [
        ("Ana's", "PER", "Ana"),
        ("Ana’s", "PER", "Ana"),
        ("Sainsbury's", "ORG", "Sainsbury's"),
        ("Oslo,", "LOC", "Oslo"),
        ('"Bo"', "PER", '"Bo"'),
        ("Aloha,\nWalter Yim", "PER", "Walter Yim"),
        ("Ana Kahananui\n\nAloha", "PER", "Ana Kahananui"),
        ("12 High St\nLeeds", "LOC", "12 High St\nLeeds"),
        ("😱 5,400 USDT", "QUANTITY", "5,400 USDT"),
        ("Bo 🎉🎉", "PER", "Bo"),
        ('Bo"', "PER", "Bo"),
        ("(Ida", "PER", "Ida"),
        ("Ida)", "PER", "Ida"),
        ("Kim (Seoul)", "LOC", "Kim (Seoul)"),
        ("pass!", "CODE", "pass!"),
        ("J. R.", "PER", "J. R."),
        ("5'11\"", "DEM", "5'11\""),
        (",;", "LOC", ""),
    ],
)
def test_what_never_belongs_to_a_span_is_taken_off(text, kind, left):
    start, end = trim(text, 0, len(text), kind)
    assert text[start:end] == left


# The shipped model


def test_a_letter():
    found = surfaces(LETTER)
    assert found["Okonkwo"].subtype == "last_name"
    assert found["Maren Lindqvist"].subtype == "full_name"
    assert found["14 March 2025"].subtype == "date"
    assert found["10:30"].subtype == "time"
    assert found["+44 7700 900123"].subtype == "phone"
    assert found["maren.lindqvist@example.org"].subtype == "email"
    assert found["12 Larch Lane"].subtype == "street_address"
    assert found["Norwich"].subtype == "city"
    for span in found.values():
        assert span.type == TYPE_OF[span.subtype]
        assert span.view == "pner"
        assert span.source == "embedded"
        assert 0.5 <= span.score <= 1.0
        assert span.private is not None and span.private > 0.5


@pytest.mark.parametrize(
    "text",
    [
        "Please write a function that sorts a list of numbers and explain its running time.",
        "The old bridge was painted green, and nobody liked it.",
        "def add(a, b):\n    return a + b\n",
    ],
)
def test_ordinary_text_holds_nothing(text):
    assert surfaces(text) == {}


def test_public_knowledge_is_found_and_judged_public():
    text = "Who was born first, Johannes Kepler or Galileo Galilei?"
    found = surfaces(text)
    assert {"Johannes Kepler", "Galileo Galilei"} <= set(found)
    assert all(span.private < 0.5 for span in found.values())


def test_small_letters_are_read_too():
    assert "priya" in surfaces("hey its priya, can u call me on 07700 900456 pls")


@pytest.mark.parametrize(
    "prefix", ["", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 🙂👩‍👩‍👧 ", "e\u0301te\u0301\r\n\r\n", "\ufeff\u200b\u202e", "\x00\x07 ", "ﬁ ½ ㎏ "]
)
def test_offsets_point_at_the_surface_in_any_text(prefix):
    text = prefix + "My name is Maren Lindqvist and I live in Norwich."
    assert {"Maren Lindqvist", "Norwich"} <= set(surfaces(text))


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=200))
def test_any_text_gives_sorted_spans_inside_it(text):
    spans = embedded_tagger().spans(text)
    for one, two in itertools.pairwise(spans):
        assert one.end <= two.start
    assert all(0 <= span.start < span.end <= len(text) and text[span.start : span.end].strip() for span in spans)


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\u0301", "\u200d", "\u200b \x00"])
def test_an_empty_text_has_no_spans(text):
    assert embedded_tagger().spans(text) == []


def test_a_name_is_found_wherever_it_stands_in_a_long_text():
    filler = "The weather was mild and the road was empty. "
    for before in (0, 25, 60, 120):
        text = filler * before + "My neighbour Maren Lindqvist called. " + filler * 40
        assert "Maren Lindqvist" in surfaces(text)


def test_a_batch_gives_exactly_what_single_texts_give():
    texts = [LETTER, "", "hey its priya", LETTER * 20, "ok"]
    assert embedded_tagger().spans_batch(texts) == [embedded_tagger().spans(text) for text in texts]
    assert embedded_tagger().spans_batch([]) == []


def test_the_threshold_trades_recall_for_precision():
    low, high = surfaces(LETTER, threshold=0.05), surfaces(LETTER, threshold=0.95)
    assert len(low) >= len(high)
    for wrong in (0.0, 1.0, -1.0, 2.0):
        with pytest.raises(OptionError):
            embedded_tagger().spans("x", threshold=wrong)


def test_threads_may_share_it_and_it_always_answers_the_same():
    seen = []
    threads = [threading.Thread(target=lambda: seen.append(tuple(embedded_tagger().spans(LETTER)))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 4
    assert len(set(seen)) == 1
    assert embedded_tagger() is embedded_tagger()


def test_the_model_is_small_and_its_card_complete():
    card = embedded_tagger().card
    assert (WEIGHTS / "identify.onnx").stat().st_size <= 22_900_000
    assert set(card["subtypes"]) <= set(SUBTYPE_NAMES), "a subtype that came later is not predicted, and no error"
    assert set(card["thresholds"]) == {"span", "private", "types"}
    assert set(card["thresholds"]["types"]) == set(SUBTYPES)
    assert "config" in card or card["runs"]
    assert card["data"]
    assert card["dev"]["total"]["span_f1"] > 0
    assert card["weaknesses"]


def test_missing_or_unfit_weights_are_a_clear_error(tmp_path):
    with pytest.raises(ModelUnreachable, match="train it"):
        Tagger(tmp_path)
    for name in ("identify.onnx", "tokenizer.json"):
        shutil.copy(WEIGHTS / name, tmp_path)
    card = json.loads((WEIGHTS / "identify.json").read_text(encoding="utf-8"))
    (tmp_path / "identify.json").write_text(json.dumps({**card, "subtypes": ["city"]}), encoding="utf-8")
    with pytest.raises(ModelUnreachable, match="other labels"):
        Tagger(tmp_path)


def labelled(folder, subtypes):
    """Copy the shipped weights with a card that names these subtypes."""
    for name in ("identify.onnx", "tokenizer.json"):
        shutil.copy(WEIGHTS / name, folder)
    card = json.loads((WEIGHTS / "identify.json").read_text(encoding="utf-8"))
    (folder / "identify.json").write_text(json.dumps({**card, "subtypes": subtypes(card["subtypes"])}), "utf-8")
    return folder


def test_a_label_that_is_unknown_here_is_a_clear_error(tmp_path):
    folder = labelled(tmp_path, lambda names: ["shoe_size", *names[1:]])
    with pytest.raises(ModelUnreachable, match=r"unknown here \('shoe_size'\)"):
        Tagger(folder)


def test_a_model_may_know_fewer_subtypes_and_in_another_order(tmp_path, monkeypatch):
    """A subtype that came after the training needs no new weights: it is never predicted, the others as before."""
    from gama.models import embedded

    names = list(embedded_tagger().card["subtypes"])
    kept = [name for name in reversed(names) if name != "email"]
    columns = [
        *range(len(BOUNDARIES)),
        *(len(BOUNDARIES) + names.index(name) for name in kept),
        len(BOUNDARIES) + len(names),
    ]

    class Fewer:
        def __init__(self, file):
            self.whole = cpu_session(file)

        def get_outputs(self):
            return [type("Output", (), {"shape": ["batch", "pieces", len(columns)]})]

        def run(self, names, feed):
            return [self.whole.run(names, feed)[0][..., columns]]

    cpu_session = embedded.cpu_session
    monkeypatch.setattr(embedded, "cpu_session", Fewer)
    found = {(span.start, span.end): span.subtype for span in Tagger(labelled(tmp_path, lambda _: kept)).spans(LETTER)}
    whole = {(span.start, span.end): span.subtype for span in embedded_tagger().spans(LETTER)}
    assert "email" in whole.values() and "email" not in found.values()
    assert {place: kind for place, kind in found.items() if whole.get(place) != "email"} == {
        place: kind for place, kind in whole.items() if kind != "email"
    }


def test_the_shipped_files_are_the_ones_the_card_names():
    import hashlib

    card = json.loads((WEIGHTS / "identify.json").read_text(encoding="utf-8"))
    for name, digest in card["sha256"].items():
        assert hashlib.sha256((WEIGHTS / name).read_bytes()).hexdigest() == digest, name
    assert sum((WEIGHTS / name).stat().st_size for name in ("identify.onnx", "words.npz")) < 25_000_000
    assert sum(file.stat().st_size for file in WEIGHTS.iterdir()) < 25 * 2**20, "all that ships of models"


def test_the_detector_page_shows_the_figures_of_the_card():
    from pathlib import Path

    card = json.loads((WEIGHTS / "identify.json").read_text(encoding="utf-8"))
    page = (Path(__file__).parents[3] / "docs" / "detector.md").read_text(encoding="utf-8")
    assert f"| span-F1 (exact) | {card['dev']['total']['span_f1']:.3f} |" in page
    assert f"left | {card['dev']['total']['residual_leak']:.3f} |" in page


@pytest.mark.parametrize(
    ("surface", "subtype", "fits"),
    [
        ("IBAN", "first_name", False),
        ("2.5", "city", False),
        ("2.5", "facility", False),
        ("302", "facility", True),
        ("Ivan", "first_name", True),
        ("17", "street_address", True),
    ],
)
def test_a_name_has_letters_and_is_no_label(surface, subtype, fits):
    assert may_be(surface, subtype) is fits
