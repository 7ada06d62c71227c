"""Letters that are joined to the front of a name."""

import pytest

from gama.state.entities import Span
from gama.tools.languages.prefixes import without_prefixes


def person(text, surface, source="embedded"):
    start = text.index(surface)
    return Span(start, start + len(surface), "PER", "first_name", 0.9, view="pner", source=source)


@pytest.mark.parametrize(
    ("text", "seen", "other", "bare"),
    [
        ("תגיד ולדנה", "ולדנה", ("דנה", "person_script"), "דנה"),
        ("דנה כאן. תן לדנה", "לדנה", ("דנה", "embedded"), "דנה"),
        ("قل لسارة", "لسارة", ("سارة", "person_script"), "سارة"),
        ("לאה כאן", "לאה", ("כאן", "embedded"), "לאה"),
        ("say to Ben", "Ben", ("en", "person_script"), "Ben"),
    ],
)
def test_a_name_begins_behind_them_where_it_is_known(text, seen, other, bare):
    spans = [person(text, seen), person(text, *other)]
    found = without_prefixes(text, spans)[0]
    assert text[found.start : found.end] == bare
