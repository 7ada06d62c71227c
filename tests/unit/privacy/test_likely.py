"""What asks by its words alone is found where no rule tells so; what tells a story does not ask."""

import pytest

from gama.models.shipped import request_weights
from gama.privacy.likely import LIKELY, MOST, features, likely, outermost, read
from gama.privacy.request import OWN, PASTED, SPOKEN, Sentence, asking, find_request, sentences

ASK = [
    "Dental: explain to pt why extraction rather than crown, plain English, 120 words\n\nLL6 - deep caries, TTP ++",
    "Claim export row - explain denial CO-45 to the member in 3 sentences\n\nid=4;member=Ola Berge;billed=120.00",
    "tutor notes, make parent-friendly, 1 sentence per kid\n\nlena - fractions ok\njan - asleep again",
    "Nursing handover - make a table, one row per pt.\n\nRm 3 Beatrice, POD2, Hb 82\nRm 4 old Mr Fair, for home",
]
TELL = [
    "Dear Ida, the hens are well and the roof is dry again. We saw your brother on Sunday. Love, Gran",
    "06:45 Mr Dreyer up and washed. 07:30 insulin given. 11:00 walked to the window with a frame.",
    "Anna met us at the station with soup. The train was late. We slept at her aunt's in Brno.",
]


@pytest.mark.parametrize("text", ASK)
def test_what_no_rule_finds_is_found_by_its_words(text):
    assert not asking(text, learnt=False)
    found = asking(text)
    assert found and found[0].start == 0
    assert find_request(text).text == text[found[0].start : found[-1].end] and find_request(text).by == "rules"


@pytest.mark.parametrize("text", TELL)
def test_a_story_asks_nothing(text):
    assert not asking(text)


@pytest.mark.parametrize(
    "text",
    [
        "MEDICAL SUMMARY OF THE CHILD (art. 30, extract)\n\nborn in May",
        "List: eggs, milk",
        "How are you?",
        "pls send me the form",
        "?" * 100_000,
    ],
)
def test_what_rules_refuse_asks_nothing(text):
    assert not asking(text)


def test_rules_come_first():
    text = "What is the fee?\n\nexplain denial CO-45 to the member in 3 sentences - the fee is 40 euros"
    assert asking(text) == asking(text, learnt=False) != []


def test_only_the_outermost_sentences_are_read():
    own, letter, pasted = (Sentence(0, 4, layer, 0) for layer in (OWN, OWN - 1, PASTED))
    assert outermost([pasted, own, letter]) == [own]
    assert outermost([letter, pasted]) == [letter]
    assert outermost([pasted, Sentence(0, 4, SPOKEN, 0)]) == [] == outermost([])


def test_of_a_long_text_its_beginning_and_end_are_read():
    many = [Sentence(n, n + 1, OWN, n) for n in range(10 * MOST)]
    near = outermost(many)
    assert near == [*many[:MOST], *many[-MOST:]]
    assert outermost(many[: MOST + 3]) == many[: MOST + 3]


def test_features_tell_words_places_and_clauses():
    found = features("Vet bill - split it 3 ways, pls", first=True, last=False, above=True)
    assert {"bias", "w split", "b split it", "1 vet", "z pls", "c split", "c split it", "first", "above"} <= found
    assert {"begin capital", "end word", "b it 0"} <= found and not {"last", "alone"} & found
    assert "alone" in features("tally it", first=True, last=True, above=False)


def test_what_announces_a_paste_stands_above_it():
    text = "sum by category:\n\nRent 900\nFood 120"
    rows = list(read(text, sentences(text)))
    assert "above" in rows[0] and not any("above" in row for row in rows[1:])


def test_the_shipped_weights_are_of_these_features():
    weights = request_weights()
    found = features(ASK[0], first=True, last=True, above=False)
    assert len(found & weights.keys()) > len(found) / 3 and LIKELY == 0.0
    assert all(isinstance(weight, float) for weight in weights.values())


def test_text_without_words_asks_nothing():
    for text in ("", "\n\n", "12 34 | 56", "…"):
        assert likely(text, sentences(text)) == []


def test_time_grows_with_the_sentences_alone():
    """Counted by what is read: sixty-four times the text is read no longer than twice its edges."""
    line = "The train was late and we slept in Brno.\n"
    small, large = (outermost(sentences(line * count)) for count in (MOST, 64 * MOST))
    assert len(large) == 2 * len(small)
