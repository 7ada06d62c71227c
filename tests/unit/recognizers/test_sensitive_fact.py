"""Table for the recognizer `sensitive_fact`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("I tried to kill myself in March.", "tried to kill myself", "medical_condition"),
    ("After my second suicide attempt I moved home.", "suicide attempt", "medical_condition"),
    ("my daughter cuts herself", "cuts herself", "medical_condition"),
    ("I'm pregnant and want to fly.", "pregnant", "medical_condition"),
    ("I am a recovering addict.", "recovering addict", "medical_condition"),
    ("I was in prison until May.", "in prison", "circumstance"),
    ("I did four years in prison for fraud.", "in prison for fraud", "circumstance"),
    ("My husband hits me when he drinks.", "hits me", "circumstance"),
    ("He is on parole. How do I help him, as my brother?", "on parole", "circumstance"),
    ("We live on universal credit.", "universal credit", "social_security_payment"),
    ("Ich war im Gefängnis und suche Arbeit.", "im Gefängnis", "circumstance"),
    ("Mein Mann schlägt mich.", "schlägt mich", "circumstance"),
    ("J'ai fait une tentative de suicide.", "tentative de suicide", "medical_condition"),
    ("Mi marido me pega.", "me pega", "circumstance"),
    ("Sono incinta e cerco lavoro.", "incinta", "medical_condition"),
]

LEFT_ALONE = [
    "How many people die by suicide each year in Japan?",
    "Is abortion legal in Poland?",
    "What is universal credit and who can get it?",
    "Was Oscar Wilde in prison?",
    "I am writing an essay about life in prison.",
    "I read a story in which a man is in prison.",
    "He was arrested in Rome. Which painter was that?",
    "Wie viele Menschen sitzen in Deutschland im Gefängnis?",
]


@pytest.mark.parametrize(("text", "value", "subtype"), FOUND)
def test_found(find: Finder, text: str, value: str, subtype: str) -> None:
    assert (value, subtype) in find("sensitive_fact", text)


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("sensitive_fact", text) == []
