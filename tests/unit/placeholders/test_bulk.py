"""Restoring in bulk gives what restoring one placeholder after the other gives, in all places and however it is cut."""

import re
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gama.privacy.box import PrivacyBox
from gama.state.box import Style, Written
from gama.state.restoring import Restoring
from gama.tools.placeholders.remapping import Remapper, Restored, remap_text
from gama.tools.placeholders.stream import StreamRestorer, restore_stream

WORDS = st.sampled_from(
    ["<name-1>", "<name-2>", "<name-3>", "<<name-1>>", "<<name-2>>", "<first_name-4>", "<occupation-1>", "<name-99>", "<iban-1>",
     "<name-1", "name-1", "name-2>", "<Name-1>", "[name-1]", "{name-2}", "&lt;name-1&gt;", "</name-1>", "<name-1 kind=x>",
     "<location-1 country=PL>", "<location-1>", "<name-", "<nam", "first ", "name", "-1", "_", "1", " ", " ", " ", "\n", "\n\n", ".", ". ", ", ",
     ": ", ":", "? ", "'s", "’s ", "and ", "works well ", "Dear ", "https://x.org/", "//x.org/?q=", "mailto:", "```\n", "```python\n",
     "```csv\n", "```html\n", "`", "~~~", '"', "\\", "/", ">", "<", "[", "]", "{", "}", "{{", "$", '{"a": "', '", "b": "', '"}', "&", "%3C", "\t",
     "\x00", "\x1c", "\u2028", "é", "ß", "ı", "addre", "é ", " na", "me", "first na", "\u200b", "–", "名前", "ｎ", "e\u0301", "<html>", "<?xml", "x.y?q=", "#", "=", "|", "\u00a0", "\r\n", "\r"]
)  # fmt: skip
TAGS = st.sampled_from(["<name-1>", "<name-2>", "<name-3>", "<date-1>", "<iban-1>"])
CHANGED = st.sampled_from(
    ["[Name 1]", "[name-2]", "{name-1}", "<NAME_2>", "<Name 2>", "[first name 1]", "[data 1]", "[Name 99]", "[iban-1's]", "<name-1 />",
     "[note]", "[1]", "[ name-2 ]", "<name-one>", "{{name-1}}", "<<name-2>>", "[<name-1>]", "(name-1)", "[Name\n1]", "</name-1>",
     "<name-1 kind=x>", "<location-1 country=PL>"]
)  # fmt: skip
GAPS = st.sampled_from(["", " ", ", ", " and ", ".\n", " is with ", "\n\n", ": "])
CLOSE = st.sampled_from(
    [
        " (",
        "(",
        ")",
        "x",
        "1",
        " $",
        "_",
        "*",
        " **",
        "** ",
        "'s ",
        "’s ",
        "' ",
        '"',
        "; ",
        "! ",
        ".",
        ".a",
        "@a",
        "é",
        "\t",
        "-",
    ]
)
RUNS = st.lists(st.tuples(st.one_of(TAGS, TAGS, CHANGED), st.one_of(GAPS, GAPS, CLOSE)), min_size=1, max_size=40).map(
    lambda pairs: "".join(map("".join, pairs))
)
LONG = st.integers(1, 60).map(lambda n: "one two three four " * n)
TEXTS = st.lists(st.one_of(WORDS, WORDS, RUNS, LONG), max_size=14).map("".join)
HOW = st.builds(
    Restoring,
    mode=st.sampled_from(["tolerant", "tolerant", "strict"]),
    place=st.sampled_from(["auto", "auto", "auto", "plain", "json", "xml", "csv", "url"]),
    unknown=st.sampled_from(["keep", "keep", "drop", "repair"]),
    grammar=st.booleans(),
)


def box_of(style: Style, kind: str) -> PrivacyBox:
    box = PrivacyBox(style=style)
    if kind == "enriched":
        box.write_with(
            lambda draft: Written(draft.tag.replace(">", " country=PL>", 1)) if draft.kind == "location" else None
        )
    for n, value in enumerate(('Ann "AJ" Lee', "O'Hara, <x>", "Emma's"), 1):
        box.add(value, "full_name", f"S{n}")
    box.add("nurse", "occupation")
    box.add("1 May", "date")
    box.add("GB29 & co", "iban")
    box.add("Kraków", "city")
    if kind == "verbatim":
        box.mark(box.add("Zoë", "first_name", "S4"), verbatim=True)
        box.mark("<name-1>" if style == "v2" else box.entries[0].placeholder, wrapped=True)
    return box


def one_by_one(text: str, box: PrivacyBox, how: Restoring) -> Restored:
    with patch.object(Remapper, "bulk", lambda self, text, start, end: start):
        return remap_text(text, box, how)


@pytest.mark.slow
@settings(max_examples=700)
@given(TEXTS, HOW, st.lists(st.integers(1, 30), min_size=1, max_size=12), st.sampled_from(["v1", "v2", "v2"]),
       st.sampled_from(["tags", "tags", "enriched", "verbatim"]))  # fmt: skip
def test_bulk_is_equal_to_one_by_one(text, how, sizes, style, kind):
    box = box_of(style, kind)
    slow, fast = one_by_one(text, box, how), remap_text(text, box, how)
    assert fast == slow
    stream, out, at, turn = StreamRestorer(box, how), [], 0, 0
    while at < len(text):
        out.append(stream.feed(text[at : at + sizes[turn % len(sizes)]]))
        at, turn = at + sizes[turn % len(sizes)], turn + 1
        assert len(stream.held) <= 200
    out.append(stream.close())
    assert "".join(out) == slow.text and tuple(stream.unresolved) == slow.unresolved


@pytest.mark.parametrize("before", ["", "Dear you, ", '{"to": "', "```\n"])
@pytest.mark.parametrize("gap", ["", " ", ", and ", ".\n"])
@pytest.mark.parametrize("stands", ["<name-1>", "[Name 1]", "{name_1}", "<NAME-1>"])
def test_a_dense_text_is_not_read_one_by_one(before, gap, stands):
    box, taken = box_of("v2", "tags"), []
    # A line's end in a string of JSON is none of JSON's: what follows is read one by one.
    gap = gap.replace("\n", " ") if before.startswith("{") else gap
    # A changed one is read by itself only where a space or the like sets it off.
    gap = gap if stands == "<name-1>" else gap or " "
    text = before + f"{stands}{gap}<date-1>{gap}" * 3_000
    how = Restoring(place="json" if before.startswith("{") else "auto")
    take: Any = Remapper._take

    def counted(self: Remapper, *args: object) -> int:
        taken.append(1)
        return int(take(self, *args))

    with patch.object(Remapper, "_take", counted):
        fast = remap_text(text, box, how)
    assert len(taken) < 5 and fast == one_by_one(text, box, how)


@pytest.mark.parametrize(
    "answer",
    ["Dear ${name-1},", "to name-1 now", "a date_1 b", "NAME\\-1", "n name 1 name-1", "addreß-1", "éé ADDREẞ–1", "a addreſs-1",
     "street address-1", "x street–address-1", "é street\u00a0address-1 é", "dear first name-1", "dear. ﬁrst_name-1, é", "fırst name-1",
     "a name, a date and a name-1, one (name-1) 'name-1' name-1name-1", "Zoë İname-1 é name-1", "étaddress-1 ename-1", "a\u200bname-1"],
)  # fmt: skip
def test_what_a_piece_of_a_stream_ends_with_may_begin_a_placeholder(answer):
    """Plain pieces pass at once, but not the sign before a brace, nor the beginning of a type's word."""
    box = PrivacyBox()
    box.add("Emma Williams", "full_name", "A")
    box.add("1 May", "date")
    box.add("12 Mill Lane", "street_address")
    box.add("Emma", "first_name", "A")
    pieces = re.split("(?= )", answer)
    assert "".join(restore_stream(pieces, box)) == remap_text(answer, box).text
    for cut in range(len(answer) + 1):
        restorer = StreamRestorer(box)
        pieces = [restorer.feed(answer[:cut]), *map(restorer.feed, answer[cut:]), restorer.close()]
        assert "".join(pieces) == remap_text(answer, box).text, cut
