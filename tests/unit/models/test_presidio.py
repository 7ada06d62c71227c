"""Presidio's patterns: what its results become, and what is said without it."""

import sys
from typing import NamedTuple

import pytest

from gama.models.presidio import PresidioPatterns, settle
from gama.state.errors import OptionError


class Hit(NamedTuple):
    """A result of Presidio, as far as it counts."""

    start: int
    end: int
    entity_type: str
    score: float


def test_of_overlapping_hits_the_surer_then_the_longer_stays():
    hits = [
        Hit(0, 9, "US_PASSPORT", 0.1), Hit(0, 9, "US_DRIVER_LICENSE", 0.65),
        Hit(20, 28, "URL", 0.5), Hit(16, 28, "EMAIL_ADDRESS", 1.0),
        Hit(40, 44, "UUID", 0.5), Hit(40, 50, "URL", 0.5), Hit(60, 60, "URL", 0.9),
    ]  # fmt: skip
    spans = settle(hits)
    assert [(span.start, span.end, span.subtype) for span in spans] == [
        (0, 9, "drivers_license"),
        (16, 28, "email"),
        (40, 50, "url"),
    ]
    assert all(span.type == "CODE" and span.private is None and span.source == "presidio" for span in spans)


def test_an_unknown_entity_is_a_number_of_some_kind():
    assert settle([Hit(0, 4, "PLANET_ID", 0.5)])[0].subtype == "other_id"
    assert settle([Hit(0, 4, "UK_NINO", 0.5)])[0].subtype == "ssn"


def test_without_the_package_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "presidio_analyzer", None)
    with pytest.raises(OptionError, match=r"not installed: pip install 'gama-privacy\[presidio\]'"):
        PresidioPatterns()


@pytest.mark.filterwarnings("ignore")
def test_the_real_engine_finds_codes_and_no_names():
    pytest.importorskip("presidio_analyzer")
    text = "Ada Byron, ada@site.org, card 4111 1111 1111 1111, IBAN DE89 3704 0044 0532 0130 00."
    spans = PresidioPatterns().spans(text)
    found = {(text[span.start : span.end], span.subtype) for span in spans}
    assert {("ada@site.org", "email"), ("4111 1111 1111 1111", "credit_card")} <= found
    assert not any("Ada" in surface for surface, _ in found)
    assert PresidioPatterns(threshold=1.01).spans(text) == []
