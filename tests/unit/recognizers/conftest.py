"""One way to run a recognizer over a text and read what it found."""

from collections.abc import Callable

import pytest

from gama.tools.builtin import recognizers
from gama.tools.recognizers.base import Recognizer, plain

Found = list[tuple[str, str]]
Finder = Callable[[str, str], Found]


@pytest.fixture(scope="session")
def built() -> dict[str, Recognizer]:
    return {one.name: one for one in recognizers()}


@pytest.fixture(scope="session")
def find(built: dict[str, Recognizer]) -> Finder:
    def run(name: str, text: str) -> Found:
        spans = built[name].find(plain(text))
        return sorted({(text[span.start : span.end], span.subtype) for span in spans})

    return run
