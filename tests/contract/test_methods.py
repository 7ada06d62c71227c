"""What every method of the evaluations must do."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gama.evals.methods.base import Method
from gama.evals.methods.catalog import choose
from gama.state.entities import TYPE_OF
from gama.state.options import Options

METHODS = choose(Options()).methods

TEXTS = [
    "Dear Ms. Olavsson, call +44 20 7946 0958 or mail ana@mail.example. Albert Einstein says hello. Mira Brandvold",
    "card 4111 1111 1111 1111 <name-1> <<name-1>> IBAN GB29 NWBK 6016 1331 9268 19\r\n",
    "nothing to hide here",
    "名前は山田太郎です。",
    "\u200b",
    "a\ud800b",
]


@pytest.fixture(params=METHODS, ids=lambda one: one.name)
def method(request: pytest.FixtureRequest) -> Method:
    found: Method = request.param
    return found


def check(method: Method, text: str) -> None:
    hidden = method.hide(text)
    at = 0
    for one in hidden.stretches:
        assert at <= one.start < one.end <= len(text)
        assert TYPE_OF[one.subtype] == one.type
        at = one.end
    if not any(one.private for one in hidden.stretches) and "<" not in text:
        assert hidden.masked == text
    for one in hidden.stretches:
        if one.private and len(text[one.start : one.end]) > 3:
            # Inside a longer word the same letters are another surface.
            surface = re.escape(text[one.start : one.end])
            assert not re.search(rf"(?<!\w){surface}(?!\w)", hidden.masked)
    if not method.subjects:
        assert all(one.subject is None for one in hidden.stretches)


def test_says_what_it_is(method: Method) -> None:
    assert method.name and method.about and "\n" not in method.about
    assert all(isinstance(key, str) and isinstance(value, str) for key, value in method.facts().items())


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_stretches_are_sorted_apart_and_gone_from_the_masked_text(method: Method, text: str) -> None:
    check(method, text)


def test_the_same_text_gives_the_same_outcome(method: Method) -> None:
    assert method.hide(TEXTS[0]) == method.hide(TEXTS[0])


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.sampled_from(
            ["Ada Byron", " ", "\n", "in Oslo", "555-0100", "Dear ", ", ", "born 3 May 1990", "é", "@a.org"]
        ),
        min_size=1,
        max_size=12,
    ).map("".join)
)
def test_any_text_is_taken(method: Method, text: str) -> None:
    if text.strip():
        check(method, text)
