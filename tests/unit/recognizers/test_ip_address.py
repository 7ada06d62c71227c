"""Table for the recognizer `ip_address`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

from gama.tools.recognizers.base import Recognizer

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("from 203.0.113.88 - -", "203.0.113.88"),
    ("addr=2001:db8::8a2e:370:7334;", "2001:db8::8a2e:370:7334"),
    ("[fe80::1]:80 up", "fe80::1"),
    ("subnet 10.12.0.0/16", "10.12.0.0/16"),
    ("服务器192.168.1.77上", "192.168.1.77"),
]

LEFT_ALONE = [
    "version 1.2.3.4",
    "v10.0.0.1",
    "300.1.1.1",
    "1.2.3",
    "1.2.3.4.5",
    "12:34:56",
    "12:34",
    "std::vector",
]


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_found(find: Finder, text: str, value: str) -> None:
    assert value in [found for found, _ in find("ip_address", text)]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("ip_address", text) == []


def test_public_and_own_addresses_differ(built: dict[str, Recognizer]) -> None:
    [other] = built["ip_address"].find("198.51.100.7")
    assert other.private == 1.0 and other.validated
    for nobody in ("127.0.0.1", "0.0.0.0", "255.255.255.0", "224.0.0.1"):
        [loop] = built["ip_address"].find(nobody)
        assert loop.private == 0.0 and not loop.validated
