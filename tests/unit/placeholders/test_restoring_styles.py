"""Restoring of enriched tags and surrogates that a model has changed; and of what no one can restore."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gama.privacy.box import PrivacyBox
from gama.state.box import Draft, Style, Written
from gama.state.restoring import Restoring
from gama.tools.placeholders.remapping import remap_text
from gama.tools.placeholders.stream import StreamRestorer

OTHERS = {
    "Thessaly Quornbeck": "Olivia Bennett",
    "Leeds": "Aalborg",
    "Tom Quornbeck": "Hugo Bennett",
    "7 May": "2 June",
}


def write(draft: Draft) -> Written | None:
    """Write people and dates as surrogates, places with facts, numbers as a class."""
    if draft.subtype == "city":
        return Written(draft.tag.replace(">", " kind=city country=PL>", 1))
    if draft.kind == "id_number":
        return Written("<id_number>", reversible=False)
    return Written(OTHERS[draft.surface]) if draft.surface in OTHERS else None


def box_of(style: Style = "v2") -> PrivacyBox:
    box = PrivacyBox(style=style)
    box.write_with(write)
    box.add("Thessaly Quornbeck", "full_name", "A")
    box.add("Tom Quornbeck", "full_name", "B")
    box.add("Kraków", "city")
    box.add('"Łódź", Poland', "city")
    box.add("7 May", "date")
    box.add("AB-1", "other_id")
    box.add("nurse", "occupation")
    return box


@pytest.mark.parametrize(
    "text",
    [
        "<location-1 kind=city country=PL>", "<location-1>", "<Location 1, Country: 'pl'>", "[location-1 country=PL]",
        "&lt;location-1 kind=city country=PL&gt;", "\\<location\\-1 kind=city country=PL\\>", "location-1",
        "location-1 kind=city country=PL", "<location-1 kind=city country=PL", "location-1 kind=city country=PL>",
        '<location-1 kind=\\"city\\">', "%3Clocation-1%20kind%3Dcity%20country%3DPL%3E", "<Ort-1 country=PL>",
        "\\u003clocation-1 kind=city\\u003e", "<location-one country=PL>", "<**location-1** kind=city>",
        '<location-1 kind="city" country="PL" />', "<locatoin-1 kind=city>", "{{location-1 kind=city country=PL}}",
    ],
)  # fmt: skip
def test_enriched_tags(text):
    found = remap_text(f"in {text}, or", box_of())
    assert found.text == "in Kraków, or" and found.unresolved == ()


@pytest.mark.parametrize(
    ("text", "restored"),
    [
        ("<location-1, age: 34>", "Kraków, age: 34>"),
        ("<location-9 kind=city>", "<location-9 kind=city>"),
        ("location-1 kind=citadel", "Kraków kind=citadel"),
        ("<location-1 kind=city's>", "Kraków's"),
        ("<location kind=city>", "<location kind=city>"),
    ],
)
def test_facts_that_are_none_of_the_boxs_are_the_answers_own(text, restored):
    assert remap_text(text, box_of()).text == restored


@pytest.mark.parametrize(
    ("text", "restored"),
    [
        ("Dear Olivia Bennett,", "Dear Thessaly Quornbeck,"),
        ("OLIVIA  BENNETT's house", "THESSALY QUORNBECK's house"),
        ("Ms Bennett and Hugo", "Ms Quornbeck and Tom"),
        ("Oliviana, Bennetts", "Oliviana, Bennetts"),
        ("<name-1> of 2 June 2020", "Thessaly Quornbeck of 7 May 2020"),
        ('{"who": "Hugo Bennett", "where": "[Location 2]"}', '{"who": "Tom Quornbeck", "where": "\\"Łódź\\", Poland"}'),
        ("the number <id_number>, or <id_number-1>", "the number <id_number>, or <id_number-1>"),
    ],
)
def test_surrogates_and_classes(text, restored):
    assert remap_text(text, box_of()).text == restored


PARTS = st.sampled_from(
    [*" \n<>[]\"'=,;:-_1a", "Olivia", "Bennett", "Olivia Bennett", "OLIVIA ", "Hugo", "2 June", "<location-1", " kind=city",
     " country=PL", " country", '="PL"', "location-1", "<name-1>", "<location-2 kind=city country=PL>", "&lt;location-1", "&gt;",
     "%20kind%3Dcity", "<id_number>", "id_number-1", "<occupation-1>", '{"a": "', "```csv\n", "'s", "Bennett-1>", ". "]
)  # fmt: skip
SOUP = st.lists(PARTS, max_size=22).map("".join)


@pytest.mark.slow
@settings(max_examples=600)
@given(
    SOUP,
    st.sampled_from(["auto", "plain", "json", "csv"]),
    st.sampled_from(["tolerant", "strict"]),
    st.lists(st.integers(1, 9), min_size=1, max_size=9),
    st.sampled_from(["v1", "v2"]),
)
def test_a_stream_gives_what_the_whole_gives(text, place, mode, sizes, style):
    box, how = box_of(style), Restoring(mode, place=place)
    whole = remap_text(text, box, how)
    stream, out, at = StreamRestorer(box, how), [], 0
    while at < len(text):
        size = sizes[len(out) % len(sizes)]
        out.append(stream.feed(text[at : at + size]))
        at += size
    out.append(stream.close())
    assert "".join(out) == whole.text and tuple(stream.unresolved) == whole.unresolved
    assert "AB-1" not in whole.text.replace("Bennett-1", "")


@settings(max_examples=400)
@given(SOUP, st.sampled_from(["v1", "v2"]))
def test_the_edits_are_what_was_done(text, style):
    found = remap_text(text, box_of(style), Restoring(place="plain"))
    out, at = [], 0
    for start, end, put in found.edits:
        assert at <= start < end
        out += [text[at:start], put]
        at = end
    assert "".join([*out, text[at:]]) == found.text
