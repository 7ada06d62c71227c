"""Nouns of German letters, abbreviations of offices, sides of a bargain are nobody's, whatever a tagger sees in them."""

import pytest

from gama import Anonymizer
from gama.privacy.identify import with_bare_dates, without_nobodys, without_overlap
from gama.privacy.relations import is_german, of_the_world
from gama.state.entities import EntityType, Span

LETTER = "Hiermit kündige ich den Mietvertrag für die Wohnung und bitte um die "


def judged(text: str, surface: str, kind: EntityType, subtype: str, source: str = "embedded") -> float | None:
    start = text.index(surface)
    span = Span(start, start + len(surface), kind, subtype, 0.7, "pner", 0.95, False, source)
    (out,) = of_the_world(text, [span])
    return out.private


@pytest.mark.parametrize(
    ("noun", "kind", "subtype"),
    [
        ("Nebenkostenabrechnung", "DEM", "occupation"),
        ("Kaution", "DEM", "religion"),
        ("Größe", "PER", "last_name"),
        ("Fleiß, Zuverlässigkeit", "DEM", "language"),
        ("Treffen Donnerstag", "ORG", "other_org"),
        ("Kündigungsfristen", "LOC", "city"),
        ("Eigentümerversammlung", "DEM", "occupation"),
        ("Verdacht", "PER", "first_name"),
        ("Patientenverfügung", "DEM", "medical_condition"),
    ],
)
def test_a_noun_of_letters_stays(noun, kind, subtype):
    assert judged(f"{LETTER}{noun}.", noun, kind, subtype) == 0.0


@pytest.mark.parametrize(
    ("name", "kind", "subtype"),
    [
        ("Krankmeldung", "DEM", "medical_condition"),
        ("Herzfehler", "DEM", "medical_condition"),
        ("Scheidungsantrag", "DEM", "marital_status"),
        ("Garten Wiesenhüter", "PER", "full_name"),
        ("Winter", "PER", "last_name"),
        ("Hypertonie", "DEM", "medical_condition"),
    ],
)
def test_names_and_facts_go(name, kind, subtype):
    assert judged(f"{LETTER}{name}.", name, kind, subtype) == 0.95


def test_what_a_rule_found_goes():
    assert judged(f"{LETTER}Kaution.", "Kaution", "PER", "last_name", source="person_signature") == 0.95


def test_a_text_in_another_language_is_judged_by_its_own_words():
    assert not is_german("The Kaution of die Firma, please.")
    assert judged("Ask Kaution about the rent.", "Kaution", "PER", "last_name") == 0.95


def test_an_abbreviation_of_offices_stays_and_initials_go():
    assert judged("The SLA is met in Q3.", "SLA", "DEM", "medical_condition") == 0.0
    assert judged("The SLA is met in Q3.", "Q3", "CODE", "other_id") == 0.0
    assert judged("Ask QA about the rent.", "QA", "PER", "initials") == 0.95
    assert judged("Remind their CFO.", "CFO", "DEM", "medical_condition") == 0.0
    assert judged("I am the CFO.", "CFO", "DEM", "occupation") == 0.95


def test_initials_that_are_a_body_stay():
    assert judged("Can I ask NAV to collect it?", "NAV", "PER", "initials", source="person_small") == 0.0
    assert judged("Can I ask TWQ to collect it?", "TWQ", "PER", "initials", source="person_small") == 0.95


def test_a_side_of_a_bargain_is_no_occupation():
    assert judged("Je suis locataire au 18.", "locataire", "DEM", "occupation") == 0.0
    assert judged("Je suis facteur au 18.", "facteur", "DEM", "occupation") == 0.95


def test_what_a_program_calls_stays():
    assert judged('client = Twilio("k")', "Twilio", "PER", "first_name") == 0.0
    assert judged("Ask Marisol(34) or me.", "Marisol", "PER", "first_name") == 0.95


def test_a_date_begins_where_the_rule_has_it_begin():
    text = "Le confirmo la cita del martes 14 de abril."
    wide = Span(15, 42, "DATETIME", "date", 0.86, "pner", 1.0, False, "embedded")
    rule = Span(24, 42, "DATETIME", "date", 0.85, "regex", 1.0, False, "date")
    assert [(span.start, span.end) for span in with_bare_dates(text, [wide, rule])] == [(24, 42)] * 2
    assert (
        with_bare_dates("Early 14 de abril 2024", [wide._replace(start=0, end=17), rule._replace(start=6, end=17)])[
            0
        ].start
        == 0
    ), "a word with a capital may be part of it"


def test_a_letter_to_a_doctor_has_no_name_for_the_doctor():
    text = "Liebe Frau Doktor, mein Sohn Jannik ist krank. Frau Dr. Weber kommt."
    hidden = {one.text for one in Anonymizer().anonymize(text).entities if one.hidden}
    assert hidden == {"Jannik", "Weber"}


def test_a_length_of_time_is_no_family():
    weeks = Span(0, 8, "DEM", "family", 0.46, "pner", 0.95, False, "embedded")
    length = Span(0, 8, "DATETIME", "duration", 0.5, "regex", 0.0, False, "duration")
    assert without_nobodys([weeks, length]) == [length]
    assert without_nobodys([weeks, length._replace(end=7)]) == [weeks, length._replace(end=7)]


def test_a_height_is_taken_with_its_inches():
    tagged = Span(7, 13, "QUANTITY", "height", 0.93, "pner", 1.0, False, "embedded")
    ruled = Span(7, 16, "QUANTITY", "height", 0.7, "regex", None, False, "height")
    (kept,) = without_overlap([tagged, ruled])
    assert (kept.start, kept.end, kept.source, kept.private) == (7, 16, "embedded", 1.0)
