"""Clinical shorthand, figures of tables, records and bills are nobody's; readings, illnesses, names and codes stay hidden."""

import pytest

from gama.privacy.clinical import is_clinical
from gama.privacy.layout import cells_in, is_record, tables_in
from gama.privacy.question import by_columns, without_shorthand
from gama.privacy.tables import settle_fields, without_heads
from gama.state.entities import TYPE_OF, Entity, Span

NOTE = "Pt r/v on WR. HR 88, SpO2 97% RA, CRP 12. "


def left(text: str, surface: str, subtype: str, source: str = "embedded", *, validated: bool = False) -> str:
    """Return what is still private of a span after the shorthand is taken off."""
    start = text.index(surface)
    span = Span(start, start + len(surface), TYPE_OF[subtype], subtype, 0.9, "pner", 0.9, validated, source)
    return "".join(text[one.start : one.end] for one in without_shorthand(text, [span]) if one.private)


@pytest.mark.parametrize(
    ("text", "clinical"),
    [
        (NOTE, True),
        ("64M c/o SOBOE x 2/52, PMHx HTN, DHx nil", True),
        ("Hr. X: RR 135/80, HF 68, EKG: SR, CRP <5, VAG bds.", True),
        ("My GP sent me to A&E with chest pain.", False),
        ("The PR is merged; CI was green.", False),
        ("Please come on 3/12 or 4/12.", False),
    ],
)
def test_notes_are_known_by_their_signs(text, clinical):
    assert is_clinical(text) is clinical


@pytest.mark.parametrize(
    ("said", "surface", "subtype", "private"),
    [
        ("BP 148/92", "BP 148/92", "medical_condition", "148/92"),
        ("Hb 109", "Hb 109", "medical_condition", "109"),
        ("amoxicillin 500mg tds", "amoxicillin 500mg tds", "medical_condition", "amoxicillin"),
        ("Trelegy OD", "Trelegy OD", "medical_condition", "Trelegy"),
        ("dose 0.9mg/kg", "0.9mg/kg", "medical_condition", ""),
        ("acuity −4.25", "−4.25", "medical_condition", "−4.25"),
        ("no FTD", "no FTD", "medical_condition", ""),
        ("denies chest pain", "chest pain", "medical_condition", ""),
        ("Murphy's neg", "Murphy's neg", "medical_condition", ""),
        ("chest pain +++", "chest pain", "medical_condition", "chest pain"),
        ("epilepsy, normal EEG", "epilepsy", "medical_condition", "epilepsy"),
        ("epilepsy normal EEG", "epilepsy", "medical_condition", "epilepsy"),
        (
            "no improvement in his epilepsy",
            "no improvement in his epilepsy",
            "medical_condition",
            "no improvement in his epilepsy",
        ),
        ("kein Fieber", "Fieber", "medical_condition", ""),
        ("epilepsy since birth", "epilepsy", "medical_condition", "epilepsy"),
        ("INR target 2-3", "2-3", "medical_condition", ""),
        ("NRS pain 2-3", "2-3", "medical_condition", "2-3"),
        ("review 6/52", "6/52", "date", ""),
        ("seen on 3/12", "3/12", "date", "3/12"),
        ("adm 03/04/2024", "03/04/2024", "date", "03/04/2024"),
        ("DOB 3/12", "3/12", "date_of_birth", "3/12"),
        ("PO 625mg TDS", "625mg", "order_number", ""),
        ("hospital no P-77120", "P-77120", "patient_id", "P-77120"),
        ("NHS 943 476 5919. BP 148/92", "943 476 5919. BP 148/92", "patient_id", "943 476 5919"),
        ("ref AB 12. QX 778", "AB 12. QX 778", "patient_id", "AB 12. QX 778"),
        ("Mrs Ollerton", "Ollerton", "last_name", "Ollerton"),
    ],
)
def test_signs_doses_and_denials_stay_and_readings_go(said, surface, subtype, private):
    assert left(NOTE + said, surface, subtype) == private


def test_what_a_rule_validated_stays_hidden():
    assert left(f"{NOTE}no 7/7", "7/7", "date", "date", validated=True) == "7/7"


@pytest.mark.parametrize(
    ("text", "surface", "private"),
    [
        ("it died with exit code 137 again", "137", ""),
        ("listening on port=8443", "8443", ""),
        ("CI job #55120 failed", "55120", ""),
        ("my member number 55120", "55120", "55120"),
        ("the door code 4711", "4711", "4711"),
        ("status 40127785", "40127785", "40127785"),
    ],
)
def test_numbers_of_machines_are_nobodys(text, surface, private):
    assert left(text, surface, "other_id") == private


def hidden(text: str, *mentions: tuple[str, str], way=by_columns) -> list[str]:
    """Return which mentions stay hidden."""
    found = [Entity.at(text, text.index(one), text.index(one) + len(one), subtype) for one, subtype in mentions]
    return [one.text for one in way(text, found) if one.private]


RECORD = '{"name": "Ida Holm", "qty": 2, "status": "HIV positive", "pin": 4711, "exit_code": 51, "age": 44}'


@pytest.mark.parametrize(
    ("surface", "subtype", "private"),
    [
        ("2", "amount", False),
        ("51", "other_id", False),
        ("HIV positive", "medical_condition", True),
        ("Ida Holm", "full_name", True),
        ("4711", "password", True),
        ("44", "age", True),
    ],
)
def test_fields_of_a_record_say_what_is_public(surface, subtype, private):
    assert is_record(RECORD)
    assert hidden(RECORD, (surface, subtype)) == [surface] * private


BILL = "Bill to: Ida Holm\n1 x Chair  189.00\n2 x Monitor arm  64.50\nDelivery 12.00\nIncome noted 2,310.00\n"


@pytest.mark.parametrize(
    ("surface", "subtype", "private"),
    [("64.50", "amount", False), ("12.00", "expenses", False), ("2,310.00", "income", True), ("Ida Holm", "full_name", True)],
)  # fmt: skip
def test_sums_in_the_lines_of_a_bill_stay(surface, subtype, private):
    assert hidden(BILL, (surface, subtype), way=settle_fields) == [surface] * private


def test_a_sum_in_a_sentence_is_no_bill():
    text = "I owe Ida 64.50 since May. Can you remind me?"
    assert not is_record(text)
    assert hidden(text, ("64.50", "amount")) == ["64.50"]


ALIGNED = """Client      Matter         Maths  Age
Abernathy   Lease review     71   44
Czerny      Will drafting    65   51
Dunmore     Boundary         48   39
"""


def test_columns_aligned_by_gaps_make_a_table():
    assert [ALIGNED[cell.start : cell.end] for cell in cells_in(ALIGNED)][:4] == [
        "Abernathy", "Lease review", "71", "44",
    ]  # fmt: skip
    assert [cell.head for cell in cells_in(ALIGNED)][:4] == ["Client", "Matter", "Maths", "Age"]
    assert tables_in("A line.  Another one.\nAnd so  on.\nYes.\nNo.") == []


def test_marks_are_no_ages_but_where_the_head_says_so():
    ages = [(one, "age") for one in ("71", "65", "48", "44", "51", "39")]
    assert hidden(ALIGNED, *ages) == ["44", "51", "39"]


def test_names_of_a_column_aligned_by_gaps_go_together():
    assert hidden(ALIGNED, ("Czerny", "last_name")) == ["Abernathy", "44", "Czerny", "51", "Dunmore", "39"]


def test_short_grades_of_letters_stay_and_codes_go():
    text = "who;grade;x\nAnna Ek;E12;1\nBo Vik;E11;2\nIda Holm;K-4471-9;3\n"
    assert hidden(text, ("E12", "employee_id"), ("E11", "employee_id"), ("K-4471-9", "employee_id")) == ["K-4471-9"]


def test_words_of_a_tables_head_are_nobodys_and_names_in_it_are():
    text = "Pos|Artikel|Menge|Weber\n1|Bretter|14|2\n2|Nägel|3|4\n3|Leim|1|1\n"
    mentions = [("Artikel", "last_name"), ("Menge", "last_name"), ("Weber", "last_name")]
    assert hidden(text, *mentions, way=lambda text, found: without_heads(text, found, cells_in(text))) == ["Weber"]
