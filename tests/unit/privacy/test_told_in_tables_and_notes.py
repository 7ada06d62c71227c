"""Notes of clinics, tables and names as sceptics have written them: what is nobody's stays, who is somebody goes."""

import pytest

from gama import Anonymizer, Options
from gama.privacy.asked import turns_on
from gama.privacy.called import as_called
from gama.privacy.inflected import in_any_form
from gama.privacy.layout import cells_in
from gama.privacy.medicine import as_medicine
from gama.state.entities import TYPE_OF, Entity, Span


@pytest.fixture(scope="module")
def anonymizer():
    return Anonymizer()


def leaves(anonymizer: Anonymizer, text: str, query: str | None = None) -> str:
    return anonymizer.anonymize(text, query).text


NOTE = (
    "Wd 4 Bd 7 Mr Rolf Quennell, NHS 943 476 5919. PMHx T2DM, AF, CKD. Paget's disease of bone, Barthel 55, on Eliquis 5mg BD,"
    " Zomorph 30mg BD, T. Risperidone 1mg nocte. O/E SNT abdo, SpO2 94% RA, BP 148/92, eGFR 34. D/W SHO."
)
ASKED = "Turn this into a job list, most urgent first."


def test_a_note_that_anything_is_asked_of_keeps_its_findings(anonymizer):
    sent = leaves(anonymizer, f"{NOTE}\n\n{ASKED}")
    for word in ("Paget's disease", "Barthel 55", "Eliquis", "Zomorph", "Risperidone", "eGFR 34"):
        assert word in sent
    assert "Rolf" not in sent and "943 476" not in sent and "Quennell" not in sent


def test_a_name_that_is_taken_for_an_illness_goes_all_the_same():
    text = "BP 120/80, SpO2 94% RA. D/w reg (Hettie) re asthma, on Trimbow. Seen by Lennart. What now?"
    at = {word: text.index(word) for word in ("Hettie", "asthma", "Trimbow", "Lennart")}
    found = [Entity.at(text, start, start + len(word), "medical_condition") for word, start in at.items()]
    assert [one.text for one in turns_on(text, "What now?", found, ())] == ["asthma", "Trimbow"]


@pytest.mark.parametrize("level", ["balanced", "open"])
def test_so_it_does_where_the_query_is_apart(level):
    sent = leaves(Anonymizer(Options(privacy=level)), NOTE, ASKED)
    for word in ("Eliquis", "Risperidone", "eGFR 34"):
        assert word in sent
    # A rare illness is told roughly in the one.
    assert ("Paget's disease" in sent) is (level == "open")
    assert "Rolf" not in sent and "943 476" not in sent


def test_strict_hides_all_of_it():
    sent = leaves(Anonymizer(Options(privacy="strict")), f"{NOTE}\n\n{ASKED}")
    assert "Eliquis" not in sent and "Zomorph" not in sent and "Paget" not in sent


def test_what_somebody_is_shunned_for_is_hidden_in_a_note(anonymizer):
    sent = leaves(anonymizer, f"{NOTE} He is HIV positive and drinks.\n\n{ASKED}")
    assert "HIV" not in sent and "Eliquis" in sent


@pytest.mark.parametrize(
    ("text", "surface", "subtype", "clinical", "becomes"),
    [
        ("Tab Glycomet 500 BD", "Glycomet", "full_name", True, True),
        ("Deauville 4 on PET", "Deauville 4", "city", True, True),
        ("Barthel 55 today", "55", "age", True, True),
        ("aged 55 today", "55", "age", True, False),
        ("West Haven II tonight", "West Haven II", "healthcare", True, True),
        ("Raynaud's phenomenon", "Raynaud", "last_name", False, True),
        ("Wells score 3", "Wells", "last_name", True, True),
        ("Wells, A. and Raynaud came", "Wells", "last_name", True, False),
        ("Raynaud came", "Raynaud", "last_name", False, False),
        ("Mr Barthel is here", "Barthel", "last_name", True, False),
        ("Anna Babinski came", "Babinski", "last_name", True, False),
        ("on candesartan since May", "candesartan", "religion", False, True),
        ("she uses Evorel", "Evorel", "city", False, True),
    ],
)
def test_a_word_of_medicine_is_no_name(text, surface, subtype, clinical, becomes):
    at = text.index(surface)
    span = Span(at, at + len(surface), TYPE_OF[subtype], subtype, 0.9, "pner", private=0.9, source="embedded")
    (told,) = as_medicine(text, [span], clinical)
    assert (told.subtype == "medical_condition") is becomes and told.private == 0.9


def test_what_the_second_look_finds_is_hidden_where_it_stands(anonymizer):
    """A single figure stood in a number that was hidden, too; it was looked for there, and never found again."""
    text = (
        "ANC booking, Bk no 1147/FMC. Mrs Folasade Adewunmi-Bello 36yrs trader. G5P3+1 (2 alive). LMP 4/6 EDD 11/3. "
        "Geno AS. VL <20. HBsAg neg, PCV 29, RBS 6.4, Urinalysis prot 1+. BP 138/88. Plan: IPT-SP, fersolate."
    )
    sent = leaves(Anonymizer(Options(privacy="strict")), text)
    assert "Folasade" not in sent and "1147" not in sent


RINKS = """TOOWONG LAWN BOWLS, ROUND 7

RINK  LEAD          SECOND         SHOTS   OPP  RES
---------------------------------------------------
  1   Bea Nankervis  Col Duffy        21    17   W
  2   Jo Faulkner    Nina Tran        14    25   L
  3   Pat Greenaway  Marg Loy         19    19   D
                          TOT         54    61

What is our total over the three rinks, and did we win?
"""


def test_a_card_of_names_and_scores(anonymizer):
    sent = leaves(anonymizer, RINKS)
    assert "RINK  LEAD          SECOND         SHOTS   OPP  RES" in sent
    for kept in ("21    17", "14    25", "19    19", "54    61", "TOT"):
        assert kept in sent
    for name in ("Nankervis", "Faulkner", "Greenaway"):
        assert name not in sent


CLAIMS = """Claim     Insured                 Peril      Est (R)    Paid       Status
KR24-071  Mrs Thandi Pillay       Geyser     38 400     35 900     closed
KR24-074  Kobus Oosthuizen        Theft      212 000    -          open
KR24-077  Anna Wolfaardt          Hail       1 140 000  600 000    open
KR24-081  Pieter Dreyer           Fire       54 000     -          open

What is the total outstanding by peril?
"""


def test_the_cells_of_an_uneven_line_stand_below_their_heads(anonymizer):
    heads = {cell.head: [] for cell in cells_in(CLAIMS)}
    for cell in cells_in(CLAIMS):
        heads[cell.head].append(CLAIMS[cell.start : cell.end])
    assert heads["Peril"] == ["Geyser", "Theft", "Hail", "Fire"] and heads["Paid"][0] == "35 900"
    sent = leaves(anonymizer, CLAIMS)
    for kept in ("Geyser", "Theft", "Hail", "1 140 000", "Est (R)"):
        assert kept in sent
    for name in ("Pillay", "Oosthuizen", "Wolfaardt", "Dreyer"):
        assert name not in sent


def test_commas_in_quotes_part_no_cells():
    text = 'id,who,said\n1,Ann,"a, b"\n2,Bob,plain\n3,Cy,"c, d, e"\n'
    assert {cell.head for cell in cells_in(text)} == {"id", "who", "said"}


def test_whose_account_it_is_goes_below_a_table_too(anonymizer):
    text = (
        "Buchung   Wert      Zweck                        Soll      Haben\n"
        "02.01.    02.01.    DAUERAUFTRAG Miete                     845,00\n"
        "03.01.    03.01.    KARTE REWE                  118,40\n"
        "08.01.    08.01.    GUTSCHR Gehalt                        3.214,66\n"
        "Kontoinhaber: Leopold Moosgruber   IBAN DE89 3704 0044 0532 0130 00\n\n"
        "Was davon kann ich absetzen?"
    )
    sent = leaves(anonymizer, text)
    assert "Moosgruber" not in sent and "DE89" not in sent and "118,40" in sent


def span(text: str, surface: str, subtype: str, private: float = 0.7) -> Span:
    at = text.index(surface)
    return Span(at, at + len(surface), TYPE_OF[subtype], subtype, 0.8, "pner", private=private, source="embedded")


@pytest.mark.parametrize(
    ("text", "surface", "subtype", "public"),
    [
        ("use Kirchhoff's law and Thevenin's theorem", "Thevenin", "last_name", True),
        ("remember Kalman filters are averages", "Kalman", "last_name", True),
        ("Anna's law exam is tomorrow", "Anna", "last_name", False),
        ("under the Crofters (Scotland) Act 1993", "Crofters", "last_name", True),
        ("The Equal Pay Act says no", "Act", "last_name", True),
        ("Kalman called about the filters", "Kalman", "last_name", False),
        ("under EU 261/2004 I get", "261/2004", "case_number", True),
        ("under EU 261/2004 I get", "261/2004", "date", True),
        ("Verordnung (EU) Nr. 1169/2011", "1169/2011", "case_number", True),
        ("my 1099-NEC is wrong", "1099-NEC", "case_number", True),
        ("got a CP2000 today", "CP2000", "case_number", True),
        ("my file 261/2004 is lost", "261/2004", "case_number", False),
        ("member CP2000-77", "CP2000-77", "case_number", False),
    ],
)
def test_laws_forms_and_what_is_called_after_somebody_are_nobodys(text, surface, subtype, public):
    (told,) = as_called(text, [span(text, surface, subtype)])
    assert (told.private == 0.0) is public


def test_a_title_in_chinese_brackets_is_nobodys():
    text = "作文要用到《赠汪伦》。"
    (told,) = as_called(text, [span(text, "汪伦", "full_name")])
    assert told.private == 0.0


def test_the_famous_among_the_famous_stay(anonymizer):
    text = (
        "Did Fela Kuti sell more records than Miriam Makeba, Salif Keita and Angélique Kidjo put together? Which Fela "
        "record should one start with?"
    )
    assert leaves(anonymizer, text) == text


def test_but_no_namesake_of_theirs(anonymizer):
    sent = leaves(
        anonymizer,
        "Our cleaner Miriam Makeba (miriam.m@kastor.example) says Salif Keita, Youssou N'Dour and Angélique Kidjo are "
        "better than Fela Kuti. Is that so?",
    )
    assert "cleaner Miriam" not in sent


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ('hosts = {"http://admin:phalaenopsis@10.20.0.7/x"}', "phalaenopsis"),
        ("DATABASE=postgres://app:hunter2hunter@db/prod", "hunter2hunter"),
        ("Schlüssel liegt bei mir, code ist 2580 für den Keller", "2580"),
        ("the exit code is 1370, why?", ""),
    ],
)
def test_a_password_in_an_address_and_a_code_in_a_sentence(anonymizer, text, secret):
    sent = leaves(anonymizer, text)
    assert secret not in sent if secret else "1370" in sent


def test_a_name_is_hidden_in_every_case():
    text = "Bydlí u syna Radima. Radim odjel, o Radimovi víc nevím. Řada dalších věcí."
    at = text.index("Radima")
    found = in_any_form(text, [Entity.at(text, at, at + 6, "first_name")])
    assert [one.text for one in found] == ["Radima", "Radim", "Radimovi"]


def test_in_english_a_word_that_begins_alike_is_another():
    text = "Maria met Marian and Mariam at the Mariana bar."
    found = in_any_form(text, [Entity.at(text, 0, 5, "first_name")])
    assert len(found) == 1


def test_where_nobody_writes_capitals_names_are_found_too(anonymizer):
    sent = leaves(
        anonymizer, "mam pytanie prawne. kasia z adminem ustalili ze piwnica jest moja, a teraz co mam zrobić?"
    )
    assert "kasia" not in sent and "piwnica" in sent and "pytanie prawne" in sent
