"""Table for the recognizer `handle`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("follow @tokyo_drifter_jp please", "@tokyo_drifter_jp"),
    ("thanks u/ledgerlizard!", "u/ledgerlizard"),
    ("username: dash_monty", "dash_monty"),
    ("joy_lifts: hi\nbob: yo\njoy_lifts: bye", "joy_lifts"),
]

LEFT_ALONE = [
    "mail a@b.co",
    "@property\ndef x(self):",
    '@app.get("/")',
    "@everyone",
    "npm i @types/node",
    "user: hello",
]


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_found(find: Finder, text: str, value: str) -> None:
    assert value in [found for found, _ in find("handle", text)]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("handle", text) == []
