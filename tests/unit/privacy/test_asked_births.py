"""A day on which somebody is a year older tells when they were born: it goes, whatever is asked."""

import pytest

from gama.privacy.anonymizer import Anonymizer


@pytest.fixture(scope="module")
def anonymizer() -> Anonymizer:
    return Anonymizer()


@pytest.mark.parametrize(
    ("text", "goes"),
    [
        ("Write a fairy tale for my girl Oyinkan Straube, who turns 6 on 21.11. please, 200 words?", "21.11."),
        ("Schreib ein Gedicht für Jule Straube, sie wird 6 am 21.11.2024, bitte vier Zeilen?", "21.11."),
    ],
)
def test_a_birthday_in_figures_is_hidden(anonymizer, text, goes):
    assert goes not in anonymizer.anonymize(text).text


def test_other_days_of_a_prompt_stay(anonymizer):
    text = "The lease began on 21.11.2023 and I left on 03.02.2024. How many days is that?"
    out = anonymizer.anonymize(text).text
    assert "21.11.2023" in out and "03.02.2024" in out
