"""Table for the recognizer `serostatus`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("PMHx T2DM, HIV +ve on TLD", "HIV +ve"),
    ("She is HIV positive.", "HIV positive"),
    ("RVD: reactive since 2016", "RVD: reactive"),
    ("HCV-positive, HBsAg pos", "HBsAg pos"),
    ("ist HIV-positiv", "HIV-positiv"),
    ("HIV+, on ART", "HIV+"),
]

LEFT_ALONE = [
    "HIV neg, HBsAg neg",
    "an HIV test is offered",
    "HIV posters in the corridor",
    "RPR non-reactive",
]


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_found(find: Finder, text: str, value: str) -> None:
    assert value in [found for found, _ in find("serostatus", text)]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("serostatus", text) == []
