"""Table for the recognizer `phone`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

from gama.tools.builtin import recognizer

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("call +44 20 7946 0958 now", "+44 20 7946 0958"),
    ("(555) 000-0000", "(555) 000-0000"),
    ("1-800-555-0142", "1-800-555-0142"),
    ("ring me: 07700 900 412", "07700 900 412"),
    ("07700 900 412 is mine", "07700 900 412"),
    ("Tel.: 01 42 68 53 00", "01 42 68 53 00"),
    ("电话13800138000", "13800138000"),
    ("+1 415 555 2671 ext. 12", "+1 415 555 2671 ext. 12"),
    ("office, ext. 4417", "4417"),
    ("call 020 7946 0958. 24 hours", "020 7946 0958"),
    ("tél 06. 12. 34. 56. 78", "06. 12. 34. 56. 78"),
    ("+33\u202f6\xa012\xa034\xa056\xa078", "+33\u202f6\xa012\xa034\xa056\xa078"),
    ("phone ０３-１２３４-５６７８", "０３-１２３４-５６７８"),
    ("ice, call mum (07700900177 no answer)", "07700900177"),
    ("call me on oh one four one five five five oh two three four", "oh one four one five five five oh two three four"),
]

LEFT_ALONE = [
    "ISBN 978-3-16-148410-0",
    "order 1234567890",
    "version 10.0.19045.3803",
    "192.168.100.200",
    "2024-11-05 08:52",
    "05.11.2024",
    "1.500.000",
    "1999-2004",
    "12/11/2024",
    "case 20240117",
    "SKU 4006381333931",
]


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_found(find: Finder, text: str, value: str) -> None:
    assert value in [found for found, _ in find("phone", text)]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("phone", text) == []


def test_default_region() -> None:
    text = "das war 0351 4416789 glaube ich"
    [span] = recognizer("phone", default_region="DE").find(text)
    assert text[span.start : span.end] == "0351 4416789"
    assert span.validated


def test_a_sum_beside_a_number_of_a_region_is_none(find: Finder) -> None:
    text = "Tel. +49 341 2228190\n\n| 01/10/25 | rent due | 1280.00 | 2560.00 |"
    assert [found for found, _ in find("phone", text)] == ["+49 341 2228190"]
