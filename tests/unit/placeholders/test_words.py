"""The tables of words: ten languages, numbers, slips of one letter, and what is read as itself."""

import pytest

from gama.state.entities import PLACEHOLDER_KINDS
from gama.tools.placeholders.words import (
    english_words,
    languages,
    level,
    may_read,
    meaning,
    number_of,
    numbers_in,
    read,
    translations_of,
)


def test_ten_languages_have_a_word_for_every_type_and_twenty_numbers():
    assert len(languages()) == 10
    for language in languages():
        assert set(translations_of(language)) == PLACEHOLDER_KINDS - {"literal"}
        assert all(translations_of(language).values())
        assert list(numbers_in(language)) == list(range(1, 21))


def test_every_translation_can_be_read_back():
    for language in languages():
        for kind, word in translations_of(language).items():
            found = read(f"{word}-7")
            assert found and kind in found.kinds and found.number == 7, (language, kind)


@pytest.mark.parametrize(
    ("inside", "kind", "number", "letter"),
    [
        ("name-1", "name", 1, ""), ("First Name 12", "first_name", 12, ""), ("FirstName–3b", "first_name", 3, "b"),
        ("prénom-2", "first_name", 2, ""), ("Prenom 2", "first_name", 2, ""), ("nombre-uno", "name", 1, ""),
        ("name-twenty-one", "name", 21, ""), ("Name Nr. 4", "name", 4, ""), ("name #5", "name", 5, ""),
        ("name no. 6", "name", 6, ""), ("名前-三", "name", 3, ""), ("姓名十二", "name", 12, ""), ("n a m e - 8", "name", 8, ""),
        ("nmae-9", "name", 9, ""), ("locatin-10", "location", 10, ""), ("ｎａｍｅ－１１", "name", 11, ""),
        ("n\u0430me-1", "name", 1, ""), ("na-\nme-1", "name", 1, ""), ("name\u200b-1", "name", 1, ""),
        ("**name**-1", "name", 1, ""), ("name&#45;1", "name", 1, ""), ("pr%C3%A9nom-1", "first_name", 1, ""),
        ("pr\\u00e9nom-1", "first_name", 1, ""), ("name-<b>1</b>", "name", 1, ""), ("addresses-1", "address", 1, ""),
        ("organisation-1", "organization", 1, ""), ("e-mail-1", "email", 1, ""), ("case number 3", "case_number", 3, ""),
    ],
)  # fmt: skip
def test_what_can_be_read(inside, kind, number, letter):
    found = read(inside)
    assert found and (found.kinds[0], found.number, found.letter) == (kind, number, letter)


@pytest.mark.parametrize(
    "inside",
    ["name", "name-", "1", "one", "game-1", "data one", "name-1-2", "name 1.5", "date due", "first name", "eight-", "", " ",
     "xqme-1", "name-1234567890", "the name-1", "name-1 and more", "b", "vocation-1", "id-1"],
)  # fmt: skip
def test_what_cannot_be_read(inside):
    assert read(inside) is None


def test_beginnings_may_be_read_and_others_not():
    for text in ["name-12", "nombre-uno", "Vorname 3", "nmae-3", "名前-三", "first&nbsp;name-1's", "name%20-%201"]:
        for at in range(len(text)):
            assert may_read(text[:at]), text[:at]
    for text in ["see the", "strong", "name-1 and", "http", "i = 3", "name-1-"]:
        assert not may_read(text, frozenset()), text
    assert may_read("location-1 country=P") and not may_read("location-1 and country")


def test_a_number_word_counts_in_its_own_language():
    assert (number_of("due", "nome"), number_of("due", "date"), number_of("two", "date")) == (2, None, 2)


def test_ordinary_words_are_no_slips():
    assert all(found is None or found.how != "slip" for found in map(meaning, english_words()))
    assert meaning("eight") is None or meaning("eight").how != "slip"


def test_words_are_levelled():
    assert level("PRÉNOM\u00ad ＡＢ") == "prenom ab"
