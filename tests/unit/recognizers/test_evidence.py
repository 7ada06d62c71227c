"""What counts as proof: a checksum validates, a form alone leaves it to the context."""

import pytest

from gama.tools.recognizers.base import Recognizer


@pytest.mark.parametrize(
    ("name", "text", "validated"),
    [
        ("credit_card", "4111111111111111", True),
        ("credit_card", "card 4111 1111 1111 1112", False),
        ("iban", "DE89370400440532013000", True),
        ("iban", "IBAN DE00 1234 5678 9012 3456 78", False),
        ("national_id", "BSN 111222333", True),
        ("national_id", "BSN 111222334", False),
        ("device_id", "IMEI 490154203237518", True),
        ("device_id", "IMEI 490154203237519", False),
    ],
)
def test_only_a_checksum_validates(built: dict[str, Recognizer], name: str, text: str, validated: bool) -> None:
    spans = list(built[name].find(text))
    assert spans
    assert any(span.validated for span in spans) is validated
    assert all(span.validated or span.score < 1 for span in spans)


@pytest.mark.parametrize("name", ["date", "time", "money", "percentage", "duration", "person_title"])
def test_context_decides(built: dict[str, Recognizer], name: str) -> None:
    text = "Dr. Osei said on 2024-11-05 at 14:02 for 3 days: €20, a debt ratio of 41 %."
    spans = list(built[name].find(text))
    assert spans
    assert all(span.private is None and not span.validated for span in spans)
