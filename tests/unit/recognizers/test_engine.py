"""The engine: overlaps, failures, choices, speed on hostile input."""

import time
import warnings
from collections.abc import Iterable

import pytest

from gama.state.entities import Span
from gama.tools.builtin import recognizers
from gama.tools.recognizers.base import hit
from gama.tools.recognizers.declared import PatternEngine

ENGINE = PatternEngine(recognizers())

LETTER = """Dear Mr. Okafor,

my card 4111 1111 1111 1111 was charged £129.90 on 3 March 2025. Please refund it to
GB29 NWBK 6016 1331 9268 19 and call +44 20 7946 0958, or write to ana.ruiz@mail.example.

Best regards,
Ana Ruiz
14 Mercy Lane, Ludlow SY8 1QP"""


class Fixed:
    """Reports what it was given."""

    def __init__(self, name: str, spans: Iterable[Span], priority: int = 0) -> None:
        self.name, self.spans, self.priority = name, tuple(spans), priority
        self.subtypes: tuple[str, ...] = tuple({span.subtype for span in self.spans})

    def find(self, text: str) -> Iterable[Span]:
        return self.spans


class Broken:
    """Fails halfway and quotes the text."""

    name = "broken"
    subtypes: tuple[str, ...] = ("email",)

    def find(self, text: str) -> Iterable[Span]:
        yield hit(0, 1, "email", self.name, score=0.5)
        raise ValueError(text)


def test_a_letter() -> None:
    found = {(LETTER[s.start : s.end], s.subtype) for s in ENGINE.find(LETTER)}
    assert found >= {
        ("Okafor", "last_name"),
        ("4111 1111 1111 1111", "credit_card"),
        ("3 March 2025", "date"),
        ("GB29 NWBK 6016 1331 9268 19", "iban"),
        ("+44 20 7946 0958", "phone"),
        ("ana.ruiz@mail.example", "email"),
        ("Ana Ruiz", "full_name"),
        ("14 Mercy Lane", "street_address"),
        ("SY8 1QP", "postcode"),
    }
    assert any(text == "£129.90" for text, _ in found)


def test_ordinary_prose_is_left_alone() -> None:
    text = (
        "Python 3.12.1 is out. See section 4.2.1 of the manual, page 34, and ISBN"
        " 978-3-16-148410-0. The ratio was 16:9, "
        "error E-203 came up 5 times, and 20 % of the builds failed with code 137."
    )
    assert ENGINE.find(text) == []


def test_offsets_hold_in_any_script() -> None:
    text = (
        "İstanbul 👩‍👩‍👧 ｔｅｌ：０３-１２３４-５６７８、邮箱li@例子.公司。\u00a0IBAN\u202f"
        "DE89\u202f3704\u202f0044\u202f0532\u202f0130\u202f00"
    )
    found = {(text[s.start : s.end], s.subtype) for s in ENGINE.find(text)}
    assert ("０３-１２３４-５６７８", "phone") in found
    assert ("li@例子.公司", "email") in found
    assert ("DE89\u202f3704\u202f0044\u202f0532\u202f0130\u202f00", "iban") in found


@pytest.mark.parametrize(
    ("first", "second", "winner"),
    [
        # validated beats longer
        (hit(0, 4, "iban", "a", score=1.0, validated=True), hit(0, 9, "url", "b", score=0.9), "a"),
        # longer beats shorter
        (hit(0, 4, "date", "a", score=0.9), hit(2, 9, "url", "b", score=0.1), "b"),
        # equal length: priority
        (hit(0, 4, "date", "a", score=0.9), hit(0, 4, "url", "b", score=0.1), "b"),
    ],
)
def test_overlaps(first: Span, second: Span, winner: str) -> None:
    engine = PatternEngine([Fixed("a", [first]), Fixed("b", [second], priority=3)])
    assert [span.source for span in engine.find("x" * 10)] == [winner]


def test_hits_outside_the_text_are_dropped() -> None:
    engine = PatternEngine([Fixed("a", [hit(0, 99, "date", "a", score=0.5), hit(3, 3, "date", "a", score=0.5)])])
    assert engine.find("short") == []


def test_a_failing_recognizer_is_named_and_quotes_nothing() -> None:
    engine = PatternEngine([Broken(), Fixed("a", [hit(3, 5, "date", "a", score=0.5)])])
    with pytest.warns(RuntimeWarning, match="'broken' failed with ValueError") as caught:
        spans = engine.find("secret text")
    assert [span.source for span in spans] == ["a"]
    assert "secret" not in str(caught[0].message)


HOSTILE = [
    "a", "1", "1 ", "1-", "a@", "A.", "(", "\n", "password: ", "Aa 1 ", "http://a",
    "-----BEGIN PRIVATE KEY-----\nAA\n", "::", "€ 1,000 ",
    "****", "account 1 ", "eyJa.", "Dear Aa\n", "12 Aa Aa Street", "+1 ", "oh one ", "DE11 ", "İ", "中1", "May 1 ",
    "a_b: c\n", "key ",
    "a [at] b", "passport is on to in with ", "1.1.", "x" * 63 + "@", "１ ",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_text_takes_linear_time(unit: str) -> None:
    ENGINE.find("warm up: call +44 20 7946 0958, id 44051401359, a@b.example")

    def seconds(size: int) -> float:
        text = (unit * (size // len(unit) + 1))[:size]
        begin = time.process_time()
        ENGINE.find(text)
        return time.process_time() - begin

    # A second at most when the time grows with the text, on any machine; with its square, minutes. Seconds tell nothing,
    # for other programs share the processor's caches.
    small, large = seconds(50_000), seconds(200_000)
    assert large < max(20.0, 10 * small)


def test_no_warning_on_ordinary_text() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ENGINE.find(LETTER)
