"""Table for the recognizer `api_key`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"),
    ("export T=ghp_16C7e42F292c6912E7710c838347Ae178B4a", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"),
    ("key sk-proj-abcDEF1234567890abcdEF12", "sk-proj-abcDEF1234567890abcdEF12"),
    ("sk_" + "live_T51xRq0PzW8uEJ4nB", "sk_" + "live_T51xRq0PzW8uEJ4nB"),
    ("Authorization: Bearer 9fK2mQ7pLx4Vb8Zt", "9fK2mQ7pLx4Vb8Zt"),
    ("POST /reset?token=rt_9ZkQ2mV77aLpX", "rt_9ZkQ2mV77aLpX"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"),
]

LEFT_ALONE = [
    "the key to success",
    "token economy",
    "a secret garden",
    "press any key to continue",
    "key results 2024",
]


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_found(find: Finder, text: str, value: str) -> None:
    assert value in [found for found, _ in find("api_key", text)]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("api_key", text) == []


def test_pem_block(find: Finder) -> None:
    block = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7\nabc=\n-----END RSA PRIVATE KEY-----"
    assert find("api_key", f"x\n{block}\ny") == [(block, "api_key")]
    assert find("api_key", "-----BEGIN PUBLIC KEY-----\nMIIE\n-----END PUBLIC KEY-----") == []
