from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gama.evals.datasets.corpus import parse
from gama.training.augment import (
    Rates,
    augment,
    by_character,
    edit,
    entitle,
    estrange,
    invert,
    join,
    mistype,
    redraw,
    surround,
    wrap,
)
from gama.training.lexicon import LISTS, Lexicon

LEXICON = Lexicon(
    forenames=("Anouk", "Bjorn", "Chidi", "Daria"),
    surnames=("Falk", "Grimaldi", "Hassan", "Ito"),
    famous=("Isaac Newton", "Frida Kahlo"),
    cities=("Aarhus", "Bologna"),
    countries=("Chad", "Peru"),
    companies=LISTS["company"],
    schools=LISTS["school"],
    occupations=("baker", "pilot"),
)
NOTE = parse(
    "⟦Ana Ruiz|PER.full_name|A⟧ (⟦34|DEM.age|A⟧) met ⟦Ruiz|PER.last_name|A⟧'s friend ⟦ANA|PER.first_name|A⟧.\n"
    "Order ⟦LX-55082|CODE.order_number|A⟧, again ⟦LX-55082|CODE.order_number|A⟧; read ⟦Goethe|PER.last_name|-|public⟧."
)


def surfaces(example):
    return [example.text[mark.start : mark.end] for mark in example.marks]


def outside(example):
    text, last = "", 0
    for mark in example.marks:
        text += example.text[last : mark.start] + "_"
        last = mark.end
    return text + example.text[last:]


def test_an_edit_moves_every_later_mark():
    changed = edit(NOTE, {0: "Maximiliana de la Cruz", 2: "X"})
    assert surfaces(changed) == ["Maximiliana de la Cruz", "34", "X", "ANA", "LX-55082", "LX-55082", "Goethe"]
    assert outside(changed) == outside(NOTE)


def test_a_word_of_a_name_gets_the_same_new_word_everywhere_in_its_case():
    for seed in range(20):
        found = surfaces(redraw(NOTE, LEXICON, Rates(famous=0.0), Random(seed)))
        first, last = found[0].split()
        assert first in LEXICON.forenames
        assert last in LEXICON.surnames
        assert found[2] == last
        assert found[3] == first.upper()


def test_a_code_keeps_its_value_within_a_text_and_public_surnames_stay():
    for seed in range(20):
        found = surfaces(redraw(NOTE, LEXICON, Rates(), Random(seed)))
        assert found[4] == found[5] != "LX-55082"
        assert found[6] == "Goethe"


def test_the_text_between_the_marks_is_left_alone():
    assert outside(redraw(NOTE, LEXICON, Rates(), Random(1))) == outside(NOTE)


@pytest.mark.parametrize(
    "change", [str.upper, str.lower, lambda char: char * 2, lambda char: "ss" if char == "a" else char]
)
def test_marks_follow_changes_of_single_characters(change):
    changed = by_character(NOTE, change)
    assert surfaces(changed) == ["".join(map(change, surface)) for surface in surfaces(NOTE)]


def test_letters_that_grow_in_capitals_keep_the_offsets():
    example = parse("aus der ⟦Straße 9|LOC.street_address|A⟧ in ⟦Gießen|LOC.city|A⟧")
    assert surfaces(by_character(example, str.upper)) == ["STRASSE 9", "GIESSEN"]


@given(st.integers(0, 10_000))
def test_every_augmentation_keeps_marks_sorted_apart_and_not_empty(seed):
    changed = augment(NOTE, LEXICON, Rates(lower=0.3, upper=0.3, typos=0.5, wrapped=0.6, spaced=0.5), Random(seed))
    assert len(changed.marks) == len(NOTE.marks)
    last = 0
    for mark in changed.marks:
        assert last <= mark.start < mark.end <= len(changed.text)
        last = mark.end
    assert [mark.subtypes for mark in changed.marks] == [mark.subtypes for mark in NOTE.marks]


def test_slips_spare_digits_and_the_ends_of_spans():
    example = parse("⟦4400 Elm Street|LOC.street_address|A⟧ " + "word " * 400)
    changed = mistype(example, Random(3))
    assert changed.text != example.text
    surface = surfaces(changed)[0]
    assert surface[:4] == "4400"
    assert surface[-1] == "t"


def test_a_wrapped_text_is_still_marked():
    example = parse('He said "hi"\nto ⟦Bo "Red" Li|PER.full_name|A⟧')
    kinds = set()
    for seed in range(60):
        changed = wrap(example, Random(seed))
        assert surfaces(changed)[0].replace("\\", "").replace('""', '"') == 'Bo "Red" Li'
        kinds.add(changed.text[:1])
    assert len(kinds) > 3
    assert surfaces(surround(example, "abc", "d")) == surfaces(example)


FORM = parse(
    "Tenant: ⟦Ana Ruiz|PER.full_name|A⟧; guest ⟦Bo van der Berg|PER.full_name|B⟧, friend of "
    "⟦Isaac Newton|PER.full_name|-|public⟧ and ⟦Kim|PER.first_name|C⟧."
)


def test_names_turned_surname_first_stay_one_mark():
    seen = set()
    for seed in range(30):
        turned = invert(FORM, Random(seed))
        names = surfaces(turned)
        assert outside(turned) == outside(FORM)
        assert names[1:] == ["Bo van der Berg", "Isaac Newton", "Kim"], "particles, public names and single words stay"
        seen.add(names[0])
    assert seen == {"Ruiz, Ana", "RUIZ, Ana", "RUIZ Ana"}


def test_titles_stand_outside_the_marks():
    grown = 0
    for seed in range(30):
        titled = entitle(FORM, Random(seed))
        assert surfaces(titled) == surfaces(FORM)
        grown += len(titled.text) > len(FORM.text)
        plain = outside(titled)
        assert plain.startswith("Tenant: ") and plain.count("_") == 4
    assert grown > 20


def test_surfaces_of_the_corpus_are_drawn_again():
    note = parse("She has ⟦migraine|DEM.medical_condition|A⟧ and works at ⟦Initech|ORG.company|A⟧.")
    lexicon = LEXICON.with_seen(
        [parse("⟦a bad knee|DEM.medical_condition|A⟧ ⟦Elan Vital|DEM.medical_condition|-|public⟧")]
    )
    assert lexicon.seen == {"medical_condition": ("a bad knee",)}
    drawn = {surfaces(redraw(note, lexicon, Rates(drawn=1.0), Random(seed)))[0] for seed in range(40)}
    assert "a bad knee" in drawn and len(drawn) > 5


def test_public_people_may_become_private_ones_that_nobody_knows():
    old = parse(
        "Is ⟦ada lovelace|PER.full_name|-|public⟧ from ⟦Kent|LOC.city|-|public⟧? ⟦Ada Lovelace|PER.full_name|-|public⟧!"
    )
    new = estrange(old, LEXICON, Random(1))
    names = [new.text[mark.start : mark.end] for mark in new.marks]
    assert names[0].islower() and names[1] == "Kent" and names[2].istitle() and "ovelace" not in new.text
    assert [mark.private for mark in new.marks] == [True, False, True]
    part = parse("⟦Ada Lovelace|PER.full_name|-|public⟧? ⟦Lovelace|PER.last_name|-|public⟧ again")
    assert estrange(part, LEXICON, Random(1)) is part


def test_joined_texts_keep_every_text_and_every_mark():
    few = [replace(NOTE, text=f"{number} {NOTE.text}", marks=tuple(
        replace(mark, start=mark.start + len(f"{number} "), end=mark.end + len(f"{number} ")) for mark in NOTE.marks
    )) for number in range(30)]  # fmt: skip
    for seed in range(5):
        done = join(few, 0.6, Random(seed))
        assert len(done) < len(few) and max(len(one.marks) for one in done) <= 8 * len(NOTE.marks)
        assert sorted(surface for one in done for surface in surfaces(one)) == sorted(30 * surfaces(NOTE))
        assert all(sum(one.text in long.text for long in done) >= 1 for one in few)
    assert sorted(one.text for one in join(few, 0.0, Random(1))) == sorted(one.text for one in few)


def test_only_texts_of_which_as_much_is_marked_are_joined():
    names = replace(NOTE, annotated=frozenset(("full_name",)))
    done = join([NOTE, names] * 10, 1.0, Random(3))
    assert {one.annotated for one in done} == {NOTE.annotated, names.annotated}
    for one in done:
        assert len(one.marks) % len(NOTE.marks) == 0
