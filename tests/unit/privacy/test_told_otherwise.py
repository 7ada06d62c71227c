"""Names that stand where only somebody's stands, tables of JSON and of things, and what a prompt says of its days."""

from datetime import UTC, datetime

import pytest

from gama.privacy.anonymizer import Anonymizer
from gama.privacy.asked import turns_on
from gama.privacy.inflected import in_any_form
from gama.privacy.layout import cells_in
from gama.privacy.request import find_request
from gama.privacy.roles import without_mistakes
from gama.state.entities import Entity, Span
from gama.state.options import Options


@pytest.fixture(scope="module")
def anonymizer():
    return Anonymizer()


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("Name: Lüttringhaus, Annegret (geb. Keller)      Pers.-Nr. 004418", ["Keller"]),
        ("Factor V Leiden en hermana (Remedios). Madre (diabetes).", ["Remedios"]),
        ("The sale is at Brecon, clerk Mair 01874 660 193.", ["Mair"]),
        ("I am the housing officer, initials PJM. Exported today.", ["PJM"]),
        ("Psychiatrist Dr. Love to consider lamotrigine titration.", ["Love"]),
        ("Signed Gethin Lloyd Tancock. The rota says GLT on Friday.", ["GLT"]),
        ("Rang Ngaire Pōtaka on 06 555 0162. POTAKA said verbal only.", ["POTAKA"]),
    ],
)
def test_a_name_told_by_its_place_or_written_otherwise_is_hidden(anonymizer, text, hidden):
    out = anonymizer.anonymize(text).text
    assert not [name for name in hidden if name in out], out


@pytest.mark.parametrize(
    "text", ["Reach me on Mobile 07700 900123 or Fax 020 7946 0000.", "Call the Zone 020 7946 0000 desk."]
)
def test_no_word_before_a_number_is_a_name_that_nobody_bears(anonymizer, text):
    out = anonymizer.anonymize(text).text
    assert "Mobile" in out or "Zone" in out


def test_initials_stand_for_names_of_three_words_and_are_no_abbreviation():
    text = "Maria Rosa Inchausti had an MRI; MR will ring."
    assert [one.text for one in in_any_form(text, [Entity.at(text, 0, 20, "full_name")])] == ["Maria Rosa Inchausti"]


@pytest.mark.parametrize(
    ("text", "name", "initials"),
    [
        ("Häberle, Uli: if needed. UH\n", "Häberle, Uli", "UH"),
        ("Test it, please. KA\nKjell-Arne Moe", "Kjell-Arne Moe", "KA"),
        ("Yuyun Sumiyati: terima kasih, ttd YS\n", "Yuyun Sumiyati", "YS"),
    ],
)
def test_who_signs_by_the_initials_of_a_name_in_its_other_orders(text, name, initials):
    start = text.index(name)
    found = in_any_form(text, [Entity.at(text, start, start + len(name), "full_name")])
    assert sorted(one.text for one in found) == sorted([name, initials])


def test_a_list_of_a_family_names_somebody_with_every_word(anonymizer):
    out = anonymizer.anonymize("Grandchildren: Testimony, Praise, Tobi, Simi. Write to Tobi.").text
    assert not [name for name in ("Testimony", "Praise", "Tobi", "Simi") if name in out], out


def test_a_day_long_since_in_a_row_of_somebody_is_a_birth(anonymizer):
    row = "--  +44 7700 900123 | Ida | Roth | 1988-11-23 | ida@roth.dev"
    assert "1988-11-23" not in anonymizer.anonymize(f"Fix this query:\n{row}\n").text
    assert "2024-01-02" in anonymizer.anonymize("Why are rows missing since 2024-01-02?").text


def test_who_begins_a_list_of_names_is_one_of_them(anonymizer):
    assert "Sage" not in anonymizer.anonymize("Bonfire: Sage, Tobias and Imke singed a hedge.").text


def test_a_name_and_its_title_are_no_work_by_a_chance_of_the_index(anonymizer):
    for name in ("Kwame G Osei-Rees", "G Papadimitriou-Rees"):
        assert "Rees" not in anonymizer.anonymize(f"Please write to Mr {name}.").text


def test_capitals_that_a_person_has_let_through_stay(anonymizer):
    text = "Rang Ngaire Pōtaka on 06 555 0162. POTAKA said verbal only."
    allowed = Anonymizer(Options(allow=("POTAKA",))).anonymize(text).text
    assert "POTAKA said" in allowed and "Pōtaka" not in allowed
    assert "POTAKA" not in anonymizer.anonymize(text).text


PEOPLE = """Why does jq return 4? Then sum the hours per site.

[
 {"id": "e_8831", "name": "Grant Total", "site": "Reading", "hours": "36.5", "badge": "04:A2:7F:1C"},
 {"id": "e_8840", "name": "Temperance Array", "site": "Reading", "hours": 41, "badge": "04:B9:00:3E"},
 {"id": "e_8841", "name": "Reading, Tom", "site": "Slough", "hours": 38, "badge": "04:11:D8:6A"},
 {"id": "e_8852", "name": "None Adebisi", "site": "Slough", "hours": 12, "badge": "04:5C:E3:90"}
]"""


def test_fields_of_json_are_columns(anonymizer):
    heads = {cell.head for cell in cells_in(PEOPLE)}
    assert heads == {"id", "name", "site", "hours", "badge"}
    out = anonymizer.anonymize(PEOPLE).text
    assert not [one for one in ("Grant", "Temperance", "Tom", "Adebisi", "04:A2", "04:11") if one in out], out
    assert '"hours": 41' in out and '"site": "Slough"' in out


def test_words_of_programs_in_a_column_are_nobodys(anonymizer):
    lines = [f'{{"ts":"2026-03-09T11:02:1{n}Z","reason":"{what}","restarts":{n}}}'
             for n, what in enumerate(("OOMKilled", "BackOff", "FailedMount", "OOMKilled"))]  # fmt: skip
    out = anonymizer.anonymize("\n".join([*lines, "", "Which reason is the most frequent?"])).text
    assert out.count("OOMKilled") == 2 and "BackOff" in out and "FailedMount" in out


def test_whom_a_roster_lists_is_hidden_whatever_the_name(anonymizer):
    out = anonymizer.anonymize(
        "Total each person's hours. E=7-15 L=14-22\n\n"
        "          Mon  Tue  Wed  Thu  Fri  Sat  Sun\n"
        "Tuesday   E    E    -    L    L    -    -\n"
        "Sunniva   L    L    E    -    -    E    E\n"
        "Big Nat   E    E    -    -    E    E    L\n"
        "Fri(da)   L    E    L    L    E    -    E\n"
    ).text
    assert not [name for name in ("Tuesday", "Sunniva", "Nat", "Fri(da)") if name in out], out
    assert "Mon  Tue  Wed" in out


def test_things_with_names_are_nobodys(anonymizer):
    rows = "King Edward\t60\t21\nGertrude Jekyll\t12\t11\nBlack-eyed Susan\t30\t28\nVictoria\t6\t6"
    out = anonymizer.anonymize(f"What is left of each variety?\n\nVariety\tIn\tSold\n{rows}").text
    assert rows in out


def test_a_word_beside_people_is_no_thing(anonymizer):
    rows = "name,email\nKing Edward,k.e@post.example\nAna Ruiz,ana@post.example\nBo Lind,bo@post.example"
    out = anonymizer.anonymize(f"Sort these.\n\n{rows}").text
    assert "Edward" not in out and "Ruiz" not in out and "Lind" not in out


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Plan three days in Luxor in November, early starts, no camel rides.", ["three days", "November"]),
        ("draft a text to my landlord that the boiler man comes on thursday", ["thursday"]),
        ("Is a notice of two weeks valid if he gave it before Christmas?", ["two weeks", "Christmas"]),
    ],
)
def test_days_of_the_week_and_lengths_of_time_in_a_prompt_stay(anonymizer, text, kept):
    out = anonymizer.anonymize(text).text
    assert not [word for word in kept if word not in out], out


def test_sums_of_a_prompt_stay_where_nobody_reckons_and_those_of_a_letter_go(anonymizer):
    asked = "can the agent keep $1,140 of my $1,960 bond for cleaning? i earn $61,300 a year at Mitre 10"
    out = anonymizer.anonymize(asked).text
    assert "$1,140" in out and "$1,960" in out and "61,300" in out
    told = anonymizer.reckoning()
    assert "61,300" not in told.anonymize(asked).text and "61,300" not in anonymizer.anonymize_task(asked).text
    assert "61,300" in Anonymizer(Options(formulas=False)).anonymize_task(asked).text
    letter = f"Dear Ms Holm,\n\n{asked}\n\nKind regards,\nAna Ruiz"
    assert "$1,140" not in anonymizer.anonymize(letter).text
    assert "$1,140" not in Anonymizer(Options(privacy="strict")).anonymize(asked).text


def test_a_conversation_whose_model_was_told_of_formulas_hides_sums_from_then_on(anonymizer):
    first = anonymizer.anonymize("I am Ana Ruiz. I paid £1,350.00 in March.")
    assert anonymizer.instructions(first)
    asked = "can the agent keep $1,140 of my bond for cleaning? i earn $61,300 a year at Mitre 10"
    assert "61,300" not in anonymizer.anonymize(asked, box=first.box).text
    assert "61,300" in anonymizer.anonymize(asked).text


@pytest.mark.parametrize(
    ("text", "private"),
    [
        ("Which of these is new?\n\n02.10. LASTSCHRIFT Kto 8800417723      94,00 -\n04.10. Karte 4871           63,18 -",
         ["8800417723", "4871"]),
        ("How much do I owe him? Snap: sofi.59k, he wants 600", ["sofi.59k"]),
    ],
)  # fmt: skip
def test_what_a_tagger_takes_for_a_sum_and_is_a_number_of_somebody_is_hidden(anonymizer, text, private):
    out = anonymizer.anonymize(text).text
    assert not [one for one in private if one in out], out


def test_numbers_that_a_rule_knows_are_no_column_of_dates(anonymizer):
    text = (
        "> Acct for later: Ana Ruiz, sort 40-47-84, a/c 31926819.\n> Paid 3 May 2024, 12 May 2024, 4 June 2024.\n"
        "> Due 1 July 2024, 8 July 2024, 9 August 2024.\nWhich dates are late?"
    )
    out = anonymizer.anonymize(text).text
    assert "31926819" not in out and "40-47-84" not in out and "8 July 2024" in out


def test_bodies_that_everybody_has_to_do_with_are_nobodys(anonymizer):
    text = "I will go to the Small Claims Court and complain to the Insurance Ombudsman that Bo Lind owes me $90. Draft it."
    out = anonymizer.anonymize(text).text
    assert "Small Claims Court" in out and "Insurance Ombudsman" in out and "Lind" not in out


def test_who_made_a_work_is_told_by_its_title_and_signs_nothing(anonymizer):
    read = "we read My Brilliant Friend (Elena Ferrante) with Bo Lind. What next?"
    assert "Elena Ferrante" in anonymizer.anonymize(read).text
    signed = "Our tenant Elena Ferrante owes two months. Contract signed by Elena Ferrante. Draft a letter."
    assert "Ferrante" not in anonymizer.anonymize(signed).text


def test_riders_of_a_race_are_a_column_of_the_world_and_customers_are_none(anonymizer):
    race = "rank\trider\tteam\n1\tTadej Pogačar\tUAE\n2\tJonas Vingegaard\tVisma\n3\tEgan Bernal\tIneos\n4\tChris Froome\tSky"
    assert "Jonas Vingegaard" in anonymizer.anonymize(f"Who is second?\n\n{race}").text
    sold = "order\tcustomer\tsum\n1\tTom Oakes\t4\n2\tJonas Vingegaard\t7\n3\tAna Ruiz\t9\n4\tBo Lind\t9"
    assert "Vingegaard" not in anonymizer.anonymize(f"Who bought most?\n\n{sold}").text


def test_a_version_is_no_address_and_a_bypass_announces_no_password(anonymizer):
    out = anonymizer.anonymize("Build 10.0.19045.4412 fails.\nPlace: EM Bypass\nDriver at the time: Bo Lind. Why?").text
    assert "10.0.19045.4412" in out and "Driver" in out and "Lind" not in out


def test_books_have_authors_and_clubs_have_points(anonymizer):
    books = "borrower,title,author,days\nA. Christie,Emma,Jane Austen,12\nJane Ferris,Jane Eyre,Charlotte Brontë,5\n"
    clubs = "Team,P,W,D,L,Pts\nVictoria Rovers,8,3,1,4,10\nWallace Athletic,8,2,2,4,8\nHeather Bank,8,0,2,6,2\n"
    out = anonymizer.anonymize(f"Which is the latest?\n\n{books}Ivo Smit,Rebecca,Daphne du Maurier,1").text
    assert "Jane Austen" in out and "Daphne du Maurier" in out and "Ferris" not in out and "Ivo" not in out
    assert clubs.strip() in anonymizer.anonymize(f"Check the points.\n\n{clubs}").text


def test_what_is_sold_bears_names_and_whom_it_is_for_does_not_stay(anonymizer):
    rows = "item,qty,price\nHenry vacuum bags,6,9.40\nAllen key set,4,13.20\nStanley 25ft tape,14,11.85\nPen for Anna Ruiz,1,8.00"
    out = anonymizer.anonymize(f"What is the stock worth?\n\n{rows}").text
    assert "Henry vacuum" in out and "Allen key" in out and "Stanley 25ft" in out and "Ruiz" not in out


def test_a_name_that_is_a_word_of_the_calendar_stays_hidden():
    text = "Is uncle Sunday Ekpo right, and mrs onions (june)? He comes on Sunday."
    found = [Entity.at(text, text.index(word), text.index(word) + len(word), "date") for word in ("Sunday", "june")]
    last = text.rindex("Sunday")
    found.append(Entity.at(text, last, last + 6, "date"))
    assert [one.start for one in turns_on(text, text, found, frozenset(), prompt=True)] == [last]
    assert not turns_on(text, "Is he right?", found, frozenset())


def test_a_dose_makes_a_short_text_one_of_medicine(anonymizer):
    out = anonymizer.anonymize("TJ (4yo, 16.4 kg) threw up his ibuprofen 100 mg after 10 min. redo it or wait?").text
    assert "ibuprofen 100 mg" in out and "16.4 kg" in out


@pytest.mark.parametrize(
    "text",
    [
        "handover from nights, turn into ISBAR pls, no dot points\n\nbed 12 Rolf Quennell 81m, day 2 post #NOF, NKDA, "
        "endone 5mg 2140, sats 93 on 2L np, BP 98/54, GCS 14",
        "my gp dr okafor put my sertraline from 50 to 100 after only 9 days, jaw clenching + no sleep. normal??",
    ],
)
def test_a_note_is_asked_about_in_few_words_too(anonymizer, text):
    out = anonymizer.anonymize(text).text
    assert not [name for name in ("Quennell", "okafor") if name in out], out
    kept = ("endone 5mg", "sats 93") if "endone" in text else ("sertraline from 50 to 100", "jaw clenching")
    assert not [word for word in kept if word not in out], out


def test_an_abbreviation_before_several_words_is_no_initial(anonymizer):
    out = anonymizer.anonymize(
        "Mr Nandkishore Patil 54M\nHbA1c 9.8 %, BP 150/90, O/E NAD, Rx metformin\nS. Creatinine 1.9\nS. Potassium 5.7\n"
        "S. Uric acid 8.4\nH. pylori positive. Is the potassium dangerous?"
    ).text
    assert "S. Creatinine" in out and "S. Potassium" in out and "H. pylori" in out and "Patil" not in out


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('The tenant joked he is "not Clement Attlee". Should I reply?', "Clement Attlee"),
        ("Is the threshold under s15 Oranga Tamariki Act 1989 met?", "Oranga Tamariki Act 1989"),
    ],
)
def test_the_famous_who_are_not_told_of_and_acts_stay(anonymizer, text, kept):
    assert kept in anonymizer.anonymize(text).text


def test_who_is_told_of_in_a_long_paste_is_hidden_unless_the_world_knows_them(anonymizer):
    told = (
        "Please improve my CV summary.\n\nSt. Bernadette Medical Center (2018-2023), staff nurse. Handled 8-10 patients a "
        "shift. Preceptor of newly hired nurses like Jhun-Mark Dimaculangan and Princess Cabuhat. Received a commendation "
        "letter during the dengue surge. RenalCare Marikina (2023-present), dialysis nurse, cannulation. Skills: IV "
        "insertion, phlebotomy, wound care, charting, handover, triage, infection control, patient education, teamwork. "
        "Inspired by Florence Nightingale. Certified in basic and advanced life support, renewed each year since then."
    )
    out = anonymizer.anonymize(told).text
    assert "Dimaculangan" not in out and "Cabuhat" not in out and "Florence Nightingale" in out


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("tidy this up into a letter, keep it under a page:\n\nre will early, 31/10/67", "tidy this up"),
        ("Zi 3 RR 178/94.\n\nkannst du das bitte in Pflegeberichte umschreiben", "kannst du das"),
        ("i teach 3rd grade and need a reply to this parent\n\n\"He cried again.\"", "need a reply"),
    ],
)  # fmt: skip
def test_requests_in_other_words(text, asked):
    assert asked in find_request(text).text


@pytest.mark.parametrize(
    ("text", "private"),
    [
        ("Is anyone overage, the cut-off is 2012?\n\nZuzanna Wrona 11/11/2011\nBo Lind 3/4/2013", ["11/11/2011", "3/4/2013"]),
        ("Re: Mrs Winifred Oyelaran, 14.05.52, eGFR 34. May she take ibuprofen?", ["14.05.52"]),
    ],
)  # fmt: skip
def test_a_day_behind_a_name_and_years_ago_is_that_of_a_birth(anonymizer, text, private):
    out = anonymizer.anonymize(text).text
    assert not [one for one in private if one in out], out
    assert "<date_of_birth-" in out


def test_a_day_behind_a_name_that_is_near_is_no_birth():
    at = datetime.now(UTC).year - 1
    text = f"I paid Zuzanna Wrona 11/11/{at}. How long ago is that?"
    assert f"11/11/{at}" in Anonymizer().anonymize(text).text


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("What is 20 10 8 in the row of Palmeiras?", "20 10 8"),
        ("Which lacquer is RAL 7016, and what does DIN EN 1090 ask?", "RAL 7016"),
        ("Our Cassandra migration fails on the Jenkins agent. Why?", "Cassandra migration"),
        ("¿Quién formuló la segunda ley de Newton?", "Newton"),
    ],
)
def test_what_is_called_so_or_counted_is_nobodys(anonymizer, text, kept):
    assert kept in anonymizer.anonymize(text).text


def test_a_part_of_a_handle_is_a_name_elsewhere_too(anonymizer):
    out = anonymizer.anonymize(
        "thank you @coach_dele and @tobi.runs_ld! pic 3: dele with the coach. A better caption?"
    ).text
    assert "dele" not in out and "the coach" in out


def test_secrets_stay_hidden_in_any_column_and_ports_do_not(anonymizer):
    rows = "id\tname\tmethod\n1\tAna Ruiz\tcard *4471\n2\tBo Lind\tcash\n3\tTom Oakes\tcash"
    assert "4471" not in anonymizer.anonymize(f"Who paid in cash?\n\n{rows}").text
    fields = "Why does it fail?\n\nMAIL_PORT=587\nDESCRIPTION:Meeting ID: 847 1029 3365\\nPasscode: 558201\nEND:VEVENT"
    out = anonymizer.anonymize(fields).text
    assert "587" in out and "558201" not in out


def test_a_question_above_or_below_a_letter_makes_it_no_letter(anonymizer):
    pasted = "Dear Ms Holm,\n\nplease pay 1.386,50 EUR until 31 March.\n\nKind regards,\nAna Ruiz"
    asked = "How much must I pay, and until when?"
    for text in (f"{asked}\n\n{pasted}", f"{pasted}\n\n{asked}"):
        out = anonymizer.anonymize(text).text
        assert "1.386,50" in out and "31 March" in out and "Holm" not in out
    assert "1.386,50" not in anonymizer.anonymize(pasted).text


def test_another_level_hides_what_stayed_under_auto(anonymizer):
    asked = "My rent is £1,450 until 30 June; can I afford £1,700? I earn £54,000."
    view = anonymizer.anonymize(asked)
    assert view.text == asked and any("because the text asks about it" in note for note in view.warnings)
    assert "£" not in Anonymizer(Options(privacy="strict")).anonymize(asked).text


def test_days_in_three_letters_are_no_names_where_another_stands_near(anonymizer):
    text = "find a slot next week (Mon 2 - Fri 6 Dec). Wei Ling is free Mon aft, Tue whole day, Thu after 3. Which one?"
    out = anonymizer.anonymize(text).text
    assert "Mon 2 - Fri 6 Dec" in out and "Thu after 3" in out and "Wei Ling" not in out


def test_a_box_on_a_rural_route_is_an_address(anonymizer):
    out = anonymizer.anonymize(
        "Scale it for 26: Dressing - from Opal Thibodeaux, Rt. 2 Box 118\n1 skillet cornbread"
    ).text
    assert "Box 118" not in out and "skillet" in out


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Bonjour je comprends rien, est ce que je dois payer svp\n\nCAF du Gard\nVous avez perçu 1 147,60 € pour la "
         "période du 01/10/2023 au 29/02/2024.", ["1 147,60 €", "01/10/2023"]),
        ("oi, escreve uma msg pro síndico educada\n\nveio multa errada: R$ 487,90 + multa de R$ 97,58", ["487,90", "97,58"]),
        ("Dobrý den, přeložte mi to prosím:\n\nevidujeme u Vás dluh ve výši 4 672 Kč a penále 118 Kč.", ["4 672", "118"]),
    ],
)  # fmt: skip
def test_what_asks_above_a_pasted_text_asks_about_it(anonymizer, text, kept):
    out = anonymizer.anonymize(text).text
    assert not [one for one in kept if one not in out], out


def test_a_letter_that_begins_with_whom_it_greets_asks_somebody_else(anonymizer):
    out = anonymizer.anonymize("Hi Anna, can you please send it\n\nI owe you £1,140 since 3 May. Bo Lind").text
    assert "£1,140" not in out and "3 May" not in out


def test_what_was_long_ago_and_what_stands_for_nobody_by_agreement_is_nobodys(anonymizer):
    out = anonymizer.anonymize("Could my tenant Bo Lind have met Charles Darwin, born 12 February 1809?").text
    assert "12 February 1809" in out and "Lind" not in out
    out = anonymizer.anonymize(
        "Seed the test data: Max Mustermann, Musterstraße 1, card 4242 4242 4242 4242; owner Bo Lind."
    ).text
    assert "Max Mustermann" in out and "4242" not in out and "Lind" not in out, "a card is a card"


@pytest.mark.parametrize(
    ("text", "surface", "kept"),
    [
        ("Which lacquer is RAL 7016?", "7016", False),
        ("Which lacquer is RAL 7016?", "RAL 7016", False),
        ("What does DIN EN 1090-2 ask?", "1090-2", False),
        ("We are ISO 9001 approved, contract QX77120418.", "QX77120418", True),
        ("Bo Lind, PN 850101-1234", "850101-1234", True),
        ("Her badge is EN 85010112", "85010112", True),
    ],
)
def test_a_number_of_a_standard_is_short_and_stands_behind_its_name(text, surface, kept):
    at = text.index(surface)
    span = Span(at, at + len(surface), "CODE", "other_id", 0.9, "pner", 0.9, source="embedded")
    assert without_mistakes(text, [span]) == [span] * kept
