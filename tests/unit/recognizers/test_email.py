"""Table for the recognizer `email`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("write to ada.obi+bills@mail.example.com today", "ada.obi+bills@mail.example.com"),
    ("mailto:tom@host.example", "tom@host.example"),
    ("邮箱是li@例子.公司。", "li@例子.公司"),
    ("é.dupont@société.fr", "é.dupont@société.fr"),
    ("ann [at] host [dot] example", "ann [at] host [dot] example"),
    ("oyunaa(at)degraaf.example", "oyunaa(at)degraaf.example"),
    ("l***7@mailbox.example", "l***7@mailbox.example"),
    ("(a@b.co)", "a@b.co"),
    ("paul point martin arobase orange point fr", "paul point martin arobase orange point fr"),
    ("reach me at sarah dot lund at gmail dot com", "sarah dot lund at gmail dot com"),
    ("jonas punkt weber at gmx punkt de", "jonas punkt weber at gmx punkt de"),
    ("mia punto ferrer arroba gmail punto com", "mia punto ferrer arroba gmail punto com"),
]

LEFT_ALONE = [
    "@handle only",
    "a@b",
    "git@github:x/y",
    "https://user:secret@host.example/x",
    "meet at noon dot",
    "we stood at that point at last",
    "an hour earlier\n@cass.bright: fine",
    "x@.com",
]


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_found(find: Finder, text: str, value: str) -> None:
    assert value in [found for found, _ in find("email", text)]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("email", text) == []
