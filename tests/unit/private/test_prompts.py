"""What people type to an assistant: a question about nothing private leaves as it is."""

import pytest

from gama import Anonymizer


@pytest.fixture(scope="module")
def anonymizer():
    return Anonymizer()


@pytest.mark.parametrize(
    "text",
    [
        "How do I configure nginx to listen on port 8080 and proxy to 127.0.0.1:3000?",
        "bind to 0.0.0.0, net mask 255.255.255.0",
    ],
)
def test_what_is_nobodys_stays(anonymizer, text):
    assert anonymizer.anonymize(text).text == text
