"""Map, Remap and the box: bijection, round trip, mangling, prefix safety, overlap (spec 01 §1.4)."""

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gama.privacy.box import PrivacyBox
from gama.state.box import Slot
from gama.state.entities import Entity
from gama.tools.placeholders.mapping import map_text, protect_literals
from gama.tools.placeholders.remapping import remap_text
from gama.tools.placeholders.stream import restore_stream

SUBTYPES = ["full_name", "first_name", "last_name", "city", "company", "email", "phone", "age", "date", "password"]


def entity(text: str, start: int, subtype: str, subject: str | None = None) -> Entity:
    from gama.state.entities import TYPE_OF

    return Entity(
        text=text, start=start, end=start + len(text), type=TYPE_OF[subtype], subtype=subtype, subject=subject
    )


def anonymize(text: str, entities: list[Entity], box: PrivacyBox, **kw: bool) -> str:
    protect_literals(text, box, entities)
    box.register(entities)
    return map_text(text, box, [(e.start, e.end) for e in entities], **kw).text


def mentions(text: str, surfaces: dict[str, str], subject: str | None = None) -> list[Entity]:
    found = [entity(s, text.index(s), sub, subject) for s, sub in surfaces.items()]
    return sorted(found, key=lambda e: e.start)


# Letters, digits, every bracket and escape the grammar knows, and words that look like placeholders.
NASTY = st.sampled_from(
    [*"ab1 \n<>[]{}()&;\\%*_`~-'\"«‹＜", "name", "name-1", "<name-1>", "first_name", "&lt;", "%3C", "\\u003c", "date-2"]
    + [
        "Emma",
        "Emma Williams",
        "emma",
        "Ås",
        "田中",
        "😀",
        "é",
        "e\u0301",
        "\u200b",
        "literal-1",
        "<<",
        ">>",
        "[name 1]",
    ]
)
TEXTS = st.one_of(st.text(max_size=60), st.lists(NASTY, max_size=14).map("".join))


@st.composite
def text_with_entities(draw: st.DrawFn) -> tuple[str, list[Entity]]:
    text = draw(TEXTS)
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8, unique=True)))
    found = []
    for start, end in zip(cuts[::2], cuts[1::2], strict=False):
        subtype = draw(st.sampled_from(SUBTYPES))
        subject = draw(st.sampled_from(["A", "B", None]))
        found.append(entity(text[start:end], start, subtype, subject))
    return text, found


@pytest.mark.slow
@settings(max_examples=600, deadline=None)
@given(text_with_entities(), st.sampled_from(["v1", "v2"]), st.sampled_from(["appearance", "alphabetical", "random"]))
def test_round_trip(case, style, order):
    text, entities = case
    box = PrivacyBox(style=style, order=order)
    hidden = anonymize(text, entities, box)
    assert remap_text(hidden, box).text == text
    assert remap_text(hidden, box, "strict").text == text
    assert len({e.surface for e in box.entries}) == len({e.placeholder for e in box.entries}) == len(box)
    for e in box.entries:
        assert box.surface(box.placeholder(e.surface)) == e.surface


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(text_with_entities(), st.lists(st.integers(1, 7), min_size=1, max_size=30))
def test_stream_equals_whole(case, sizes):
    text, entities = case
    box = PrivacyBox()
    hidden = anonymize(text, entities, box)
    chunks, at = [], 0
    for size in sizes * (len(hidden) // sum(sizes) + 1):
        chunks.append(hidden[at : at + size])
        at += size
    assert "".join(restore_stream(chunks, box)) == remap_text(hidden, box).text == text


@settings(max_examples=300, deadline=None)
@given(text_with_entities())
def test_map_is_idempotent_and_hides(case):
    text, entities = case
    box = PrivacyBox()
    hidden = anonymize(text, entities, box)
    if not any(e.kind == "literal" for e in box.entries):
        assert map_text(hidden, box).text == hidden


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(string.ascii_letters, min_size=2, max_size=8), min_size=1, max_size=6, unique=True))
def test_no_surface_left(words):
    text = " ".join(["the", *words, "and", *words])
    box = PrivacyBox()
    entities = [entity(w, 0, "last_name") for w in words]
    box.register(entities)
    hidden = map_text(text, box).text
    assert not set(hidden.split()) & set(words)


def test_related_placeholders_of_one_person():
    text = "Emma Williams wrote. Emma is glad. Mrs Williams waits. EMMA WILLIAMS. Daniel too."
    box = PrivacyBox()
    found = mentions(text, {"Emma Williams": "full_name", "Emma": "first_name", "Williams": "last_name"}, "A")
    found += [entity("EMMA WILLIAMS", text.index("EMMA"), "full_name", "A")]
    found += [entity("Daniel", text.index("Daniel"), "first_name", "B")]
    hidden = anonymize(text, found, box)
    assert hidden == ("<name-1> wrote. <first_name-1> is glad. Mrs <last_name-1> waits. <name-1b>. <first_name-2> too.")
    assert remap_text(hidden, box).text == text


def test_prefix_safety_with_many_of_one_type():
    names = [f"Person{chr(65 + i)}" for i in range(14)]
    text = ", ".join(names)
    box = PrivacyBox()
    hidden = anonymize(text, [entity(n, text.index(n), "full_name") for n in names], box)
    assert "<name-12>" in hidden
    assert remap_text(hidden, box).text == text


def test_overlapping_surfaces_longest_first():
    text = "He left New York for New York University."
    box = PrivacyBox()
    hidden = anonymize(text, mentions(text, {"New York": "city", "New York University": "school"}), box)
    assert hidden == "He left <location-1> for <organization-1>."
    assert remap_text(hidden, box).text == text


def test_words_are_not_cut():
    text = "Ann met Annabel in the Annex; Ann's dog."
    box = PrivacyBox()
    assert anonymize(text, [entity("Ann", 0, "first_name")], box) == (
        "<first_name-1> met Annabel in the Annex; <first_name-1>'s dog."
    )


def test_scripts_without_spaces():
    text = "田中さんは東京にいます"
    box = PrivacyBox()
    assert anonymize(text, [entity("田中", 0, "last_name")], box) == "<last_name-1>さんは東京にいます"


def test_ignore_case_is_exact_again():
    text = "Emma, EMMA and emma"
    box = PrivacyBox()
    hidden = anonymize(text, [entity("Emma", 0, "first_name", "A")], box, ignore_case=True)
    assert hidden == "<first_name-1>, <first_name-1b> and <first_name-1c>"
    assert remap_text(hidden, box).text == text


def test_mail_header_keeps_its_brackets():
    text = "Emma Williams <emma@mail.example>, [Emma Williams]"
    box = PrivacyBox()
    found = mentions(text, {"Emma Williams": "full_name", "emma@mail.example": "email"})
    assert anonymize(text, found, box) == "<name-1> <<email-1>>, [<name-1>]"
    assert remap_text("<name-1> <<email-1>>", box).text == "Emma Williams <emma@mail.example>"


@pytest.fixture
def box() -> PrivacyBox:
    made = PrivacyBox()
    for n in range(1, 13):
        made.add(f"Surname{n}", "full_name", f"S{n}")
    made.add("Emma", "first_name", "S1")
    made.add("Oslo", "city")
    return made


@pytest.mark.parametrize(
    ("mangled", "restored"),
    [
        ("Dear <name-1>,", "Dear Surname1,"),
        ("Dear <NAME-1>,", "Dear Surname1,"),
        ("Dear <Name-1>,", "Dear Surname1,"),
        ("Dear < name-1 >,", "Dear Surname1,"),
        ("Dear <name 1>,", "Dear Surname1,"),
        ("Dear <name_1>,", "Dear Surname1,"),
        ("Dear <name – 1>,", "Dear Surname1,"),
        ("Dear <name–1>,", "Dear Surname1,"),
        ("Dear <name1>,", "Dear Surname1,"),
        ("Dear <<name-1>>,", "Dear Surname1,"),
        ("Dear [name-1],", "Dear Surname1,"),
        ("Dear [[name-1]],", "Dear Surname1,"),
        ("Dear {name-1},", "Dear Surname1,"),
        ("Dear «name-1»,", "Dear Surname1,"),
        ("Dear name-1,", "Dear Surname1,"),
        ("Dear name_12,", "Dear Surname12,"),
        ("Dear <name-1,", "Dear Surname1,"),
        ("Dear name-1>,", "Dear Surname1,"),
        ("Dear &lt;name-1&gt;,", "Dear Surname1,"),
        ("Dear &#60;name-1&#62;,", "Dear Surname1,"),
        ("Dear %3Cname-1%3E,", "Dear Surname1,"),
        ('{"to": "\\u003cname-1\\u003e"}', '{"to": "Surname1"}'),
        ("Dear \\<name-1\\>,", "Dear Surname1,"),
        ("Dear **<name-1>**,", "Dear **Surname1**,"),
        ("Dear <**name-1**>,", "Dear Surname1,"),
        ("Dear `<name-1>`,", "Dear `Surname1`,"),
        ("<name-1>'s dog", "Surname1's dog"),
        ("<name-1>s", "Surname1s"),
        ("two name-1s", "two Surname1s"),
        ("<first_name-1> and <first name-1>", "Emma and Emma"),
        ("<first-name-1>, <FirstName-1>, <first\\_name-1>", "Emma, Emma, Emma"),
        ("[<name-1>, <name-2>]", "[Surname1, Surname2]"),
        ("{<name-1>: 1}", "{Surname1: 1}"),
        ("<name-12><name-1>", "Surname12Surname1"),
        ("|<name-3>|<location-1>|", "|Surname3|Oslo|"),
        ("mail <name-3>@corp", "mail Surname3@corp"),
    ],
)
def test_mangled_placeholders(box, mangled, restored):
    result = remap_text(mangled, box)
    assert result.text == restored


@pytest.mark.parametrize("unknown", ["<name-99>", "<phone-1>", "[date-7]", "&lt;name-44&gt;"])
def test_unknown_is_reported_never_guessed(box, unknown):
    result = remap_text(f"Ask {unknown} now", box)
    assert result.text == f"Ask {unknown} now"
    assert result.unresolved == (unknown,)


@pytest.mark.parametrize("harmless", ["name 1 of 3", "the date: 3 May", "version-1", "rename-1x", "name-1x", "in 2024"])
def test_ordinary_words_stay(box, harmless):
    result = remap_text(harmless, box)
    assert (result.text, result.unresolved) == (harmless, ())


def test_unused_and_places(box):
    result = remap_text("<name-2> and <name-2>", box)
    assert "<name-1>" in result.unused and "<name-2>" not in result.unused
    assert [result.text[a:b] for a, b in result.places] == ["Surname2", "Surname2"]


def test_strict_leaves_changed_ones(box):
    assert remap_text("<name-1> [name-1]", box, "strict").text == "Surname1 [name-1]"


def test_literal_placeholders_survive():
    text = "The template says <name-1> and [Date 2]; Emma filled it."
    box = PrivacyBox()
    hidden = anonymize(text, [entity("Emma", text.index("Emma"), "first_name", "A")], box)
    assert "<literal-1>" in hidden and "<literal-2>" in hidden
    assert box.placeholder("Emma") == "<first_name-2>"
    assert remap_text(hidden, box).text == text


def test_index_orders():
    text = "Zoe, Adam, Mia"
    found = mentions(text, {"Zoe": "first_name", "Adam": "first_name", "Mia": "first_name"})
    made = {}
    for order in ("appearance", "alphabetical", "random"):
        box = PrivacyBox(order=order, seed=3)
        box.register(found)
        made[order] = [box.placeholder(n) for n in ("Zoe", "Adam", "Mia")]
    assert made["appearance"] == ["<first_name-1>", "<first_name-2>", "<first_name-3>"]
    assert made["alphabetical"] == ["<first_name-3>", "<first_name-1>", "<first_name-2>"]
    assert sorted(made["random"]) == sorted(made["appearance"])


def test_box_continues_over_turns():
    box = PrivacyBox()
    anonymize("Emma", [entity("Emma", 0, "first_name", "A")], box)
    again = PrivacyBox.model_validate_json(box.model_dump_json())
    assert again.at(Slot("first_name", 1)).surface == "Emma"
    assert (
        anonymize("Bob and Emma", [entity("Bob", 0, "first_name", "B")], again) == "<first_name-2> and <first_name-1>"
    )


def test_box_never_shows_a_value():
    box = PrivacyBox()
    box.add("Emma Planted", "full_name", "A")
    assert "Planted" not in f"{box} {box!r} {box.entries!r} {box.entries[0]}"


def test_box_file(tmp_path, monkeypatch):
    monkeypatch.setenv("GAMA_HOME", str(tmp_path / "home"))
    box = PrivacyBox()
    box.add("Emma Planted", "full_name", "A")
    box.save(tmp_path / "a.box")
    assert b"Planted" not in (tmp_path / "a.box").read_bytes()
    assert PrivacyBox.load(tmp_path / "a.box").surface("<name-1>") == "Emma Planted"
    box.save(tmp_path / "b.box", encrypt=False)
    assert b"Planted" in (tmp_path / "b.box").read_bytes()
    assert PrivacyBox.load(tmp_path / "b.box").surface("<name-1>") == "Emma Planted"


def test_only_the_value_that_would_be_mended_is_put_in_as_it_is():
    text = '{"to": "Ann \\"AJ\\" Lee", "city": "Kraków \\"Old\\" Town", "from": "Zoë"}'
    box = PrivacyBox()
    for surface, subtype in (('Ann \\"AJ\\" Lee', "full_name"), ('"Zoë"', "first_name"), ("Kraków", "city")):
        box.add(surface, subtype)
    mapped = map_text(text, box)
    assert remap_text(mapped.text, box).text == text
    assert [entry.verbatim for entry in box.entries] == [True, True, False]
    # A value that no text has had in such a place is written for the place it gets into.
    other = box.add('Bo "B" Ek', "full_name")
    answer = f'{{"to": "{other}", "city": "<location-1>"}}'
    assert remap_text(answer, box).text == '{"to": "Bo \\"B\\" Ek", "city": "Kraków"}'
