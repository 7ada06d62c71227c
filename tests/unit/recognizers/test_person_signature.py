"""Table for the recognizer `person_signature`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("--- 04-02-2025 09:11 [Roos Tuinstra]\nContact.", "Roos Tuinstra"),
    ("2025-02-04 09:11 [Roos, support] called back", "Roos"),
    ("[12/9/25, 20:16] Pepe 1ºD: hola\n[12/9/25, 20:17] Charo 4ºA: yo no puedo", "Charo 4ºA"),
    ("12/9/25, 20:16 - Ida: hi\n12/9/25, 20:17 - Mo Roth: ok", "Mo Roth"),
    ("Ma compagne Maëlys accouche le 20 avril", "Maëlys"),
    ("Mi pareja Itziar trabaja mañana", "Itziar"),
    ("Meine Lebensgefährtin Swantje sagt ja", "Swantje"),
    ("Dear Emma Williams,\nhello", "Emma Williams"),
    ("Thanks!\n\nBest regards,\nDaniel Jones", "Daniel Jones"),
    ("Mit freundlichen Grüßen\n\nJürgen Weiß", "Jürgen Weiß"),
    ("Hi, my name is Ana Ruiz and", "Ana Ruiz"),
    ("Je m'appelle Chloé Dupont.", "Chloé Dupont"),
    ("Hola Marta:\n", "Marta"),
    ("Patient name: Tom Becker\n", "Tom Becker"),
    ("Bis bald. Bussi, Traudl (0660 12)", "Traudl"),
    ("Un beso, Visitación\n", "Visitación"),
    ("My new number is below.\n\nYour Sunanda\n", "Sunanda"),
    ("Mein Schwiegersohn Hauke meint, ich", "Hauke"),
    ("my mother-in-law Odile Brix and", "Odile Brix"),
    ("mi tía Pilar vendrá", "Pilar"),
    ("an der Kasse auf den Namen Zwettler, um", "Zwettler"),
    ("Bring the keys.\nBest,\nV\n", "V"),
    ("thanks,\n- K. x\n", "K."),
    ("kriegt sie retour.“ – Severin: „Ort ist", "Severin"),
]

LEFT_ALONE = [
    "--- 04-02-2025 10:11 [Ticket closed]",
    "2025-02-04 10:11 [System] restarted",
    "2025-01-14 08:12:30 management: connected\n2025-01-14 08:12:31 management: status",
    "Dear Sir or Madam,",
    "Hi there,",
    "Dear Customer,",
    "my name is mud",
    "give my regards to the team",
    "Your name:\n",
    "my sister lives there and my Toyota Corolla too",
    "in the name of God",
    "Note: see below",
    "Best wishes to all of you",
    "Plan B\nV\n",
    "thanks,\nI'll come",
]


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_found(find: Finder, text: str, value: str) -> None:
    assert value in [found for found, _ in find("person_signature", text)]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("person_signature", text) == []
