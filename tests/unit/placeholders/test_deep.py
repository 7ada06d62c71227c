"""Hostile texts: depth, length and odd characters end in an answer, in time that grows with the length."""

import json

import pytest

from gama.guard.search import Guard
from gama.privacy.box import PrivacyBox
from gama.state.box import Slot
from gama.tools.placeholders.grammar import find_tokens
from gama.tools.placeholders.mapping import map_text, protect_literals
from gama.tools.placeholders.remapping import remap_text
from gama.tools.placeholders.stream import restore_stream

MILLION = 1_000_000
DEEP = 100_000


@pytest.fixture
def box():
    made = PrivacyBox()
    made.add("Emma Williams", "full_name")
    return made


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece", ["<", "[", "{", "\\", "&lt;", "<name-", "name-1 ", "\u202e<", "\x00", "%3c", "\\u003c"]
)
@pytest.mark.timeout(120)
def test_deep(piece, box):
    """A pattern whose time grows with the square would take minutes."""
    deep = piece * (DEEP // len(piece))
    assert remap_text(deep + " <name-1>", box).text.endswith(" Emma Williams")
    assert sum(token.slot == Slot("name", 1) for token in find_tokens(deep)) == deep.count("name-1 ")


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_million_deep(box):
    assert remap_text("<" * MILLION + "name-1" + ">" * MILLION, box).text.count("Emma Williams") == 1


@pytest.mark.timeout(120)
def test_nested_brackets_go_there_and_back(box):
    text = "<" * DEEP + "Emma Williams" + ">" * DEEP
    protect_literals(text, box)
    hidden = map_text(text, box).text
    assert "Emma" not in hidden and remap_text(hidden, box).text == text


@pytest.mark.parametrize(
    "reply",
    ["<na\x00me-1>", "\u202e<1-eman>", ">1-eman<", "<name-0>", "<name-1000001>"],
)
def test_what_only_looks_like_a_placeholder_is_none(reply, box):
    """Null bytes, reversed text and numbers never given reach nobody's value."""
    assert "Emma" not in remap_text(f"It is {reply}.", box).text


@pytest.mark.parametrize("reply", ["<nаme-{}>", "<naｍe-{}>", "<name-{}>"])
@pytest.mark.parametrize("one, two, three", [("1", "2", "3"), ("١", "٢", "٣"), ("１", "２", "３")])
def test_look_alikes_reach_the_value_of_their_number_and_no_other(reply, one, two, three, box):
    box.add("Daniel Jones", "full_name")
    kept = remap_text(reply.format(three), box).text
    assert kept == reply.format(three)
    assert remap_text(reply.format(one), box).text in (reply.format(one), "Emma Williams")
    assert remap_text(reply.format(two), box).text in (reply.format(two), "Daniel Jones")


@pytest.mark.parametrize("reply", ["\u202e<name-1>\u202c", "\x00<name-1>\x00", "＜name-1＞", "<<<<name-1>>>>"])
def test_what_stands_around_one_does_no_harm(reply, box):
    assert remap_text(reply, box).text.count("Emma Williams") == 1


@pytest.mark.parametrize("closing", ["&gt;", "%3E", "\\u003e", "\\>", " >", "** >", ">>>", "&#62;&#62;"])
@pytest.mark.parametrize("opening", ["", "<", "&lt;", "x "])
@pytest.mark.parametrize("size", [1, 2, 3, 5, 8])
def test_a_closing_bracket_cut_by_a_chunk(opening, closing, size, box):
    reply = f"so {opening}name 1{closing} it is, {opening}name-1{closing}"
    chunks = [reply[at : at + size] for at in range(0, len(reply), size)]
    assert "".join(restore_stream(chunks, box)) == remap_text(reply, box).text


@pytest.mark.parametrize("surface", ["a\ud83d", "\udbdd\udfe0", "\ue000ab", "\ue000"])
@pytest.mark.parametrize("encrypt", [True, False])
def test_halves_of_characters_are_kept(surface, encrypt, tmp_path):
    box = PrivacyBox()
    box.add(surface, "full_name")
    box.save(tmp_path / "box", encrypt=encrypt)
    assert PrivacyBox.load(tmp_path / "box").entries == box.entries
    json.loads(box.model_dump_json())


@pytest.mark.slow
def test_more_spellings_of_one_name_than_letters(box):
    name = "abcdefghijk"
    forms = ["".join(c.upper() if number >> place & 1 else c for place, c in enumerate(name)) for number in range(800)]
    text = ", ".join(forms)
    for form in forms:
        box.add(form, "full_name")
    hidden = map_text(text, box).text
    assert len({entry.placeholder for entry in box.entries}) == 801
    assert remap_text(hidden, box).text == text


def test_a_guard_of_an_empty_value_finds_nothing():
    assert not Guard(["", "Emma Williams"]).find("nothing") and Guard(["", "Emma Williams"]).search("Emma Williams")
