"""The language one asks for, the role one gives, and the verbs of a command leave as they are; facts do not."""

import pytest

from gama import Anonymizer


@pytest.fixture(scope="module")
def anonymizer() -> Anonymizer:
    return Anonymizer()


@pytest.mark.parametrize(
    "text",
    [
        "Greet me in French",
        "Translate my CV into German",
        "You are a clerk.",
        "Translate this to Spanish: the house is red.",
        "Please answer in Italian.",
        "Can you write a poem in English?",
        "Act as a lawyer and review this.",
        "You are an experienced French chef. Suggest a menu.",
        "Antworte bitte auf Deutsch.",
        "Übersetze den Text ins Englische.",
        "Réponds en français.",
        "Responde en español, por favor.",
        "Write to the tenant in Polish",
    ],
)
def test_an_instruction_stays(anonymizer, text):
    assert anonymizer.anonymize(text).text == text


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("My mother speaks French and I am a clerk.", "clerk"),
        ("Dear Ana,\n\nyou are a nurse, and you know that I live in Oslo.", "nurse"),
        ("I work as a plumber in Leeds.", "plumber"),
    ],
)
def test_a_fact_is_hidden_all_the_same(anonymizer, text, fact):
    assert fact not in anonymizer.anonymize(text).text
