"""What sceptics found in their own texts: what leaked is gone, and what was hidden without need stays."""

import pytest

from gama.privacy.anonymizer import Anonymizer
from gama.state.options import Options

NOTE = (
    "Pt: Maureen Oyelaran, DOB 14/03/1951, NHS 943 476 5919. SOB x3/7, PMHx: IHD, AF, CKD3b. O/E JVP raised, sats 91% RA, "
    "BP 104/62. Rx: furosemide 80 mg IV BD, bisoprolol 2.5 mg OD. Lives alone at 18 Larch Close, Rochdale OL12 7PQ. "
)
ASKED = "Given the eGFR of 34 and BP, is it reasonable to add spironolactone 25 mg now?"


@pytest.mark.parametrize(
    ("text", "stays", "goes"),
    [
        # What is told in its own place alone is carried nowhere.
        (
            "Child 1: Ava Lindqvist, allergic to nuts.\nChild 2: Bodhi Lindqvist, since age 2 he has hated peas. Mix nothing up.",
            ["Child 2:"],
            ["Bodhi", "age 2 "],
        ),
        ("I leave at 2, said Priya Raman. Did we ship 2.14.0 at 9:40?", ["2.14.0", "9:40"], ["Priya"]),
        # Lists of who was there.
        (
            "Present Chris Evans (chair), Pat Nixon, Oyinkan Bello; apologies Will Smith. Write the minutes.",
            ["(chair)", "apologies"],
            ["Evans", "Nixon", "Bello", "Smith"],
        ),
        # Whom something is held for, and who is told by what they are to the writer.
        (
            "What did Saint Augustine say about his mother? It is for the funeral of Monica Abernathy, whose son reads it.",
            ["Saint Augustine"],
            ["Abernathy"],
        ),
        ("I'm making a quiz for Ximena Portocarrero's birthday. Has Anitta ever won a Grammy?", ["Anitta"], ["Ximena"]),
        ("My doctor, David Beckham, says it is late. What helps?", ["it is late"], ["Beckham"]),
        ("Our favourite singer, David Bowie, died in 2016. Which was his last album?", ["David Bowie"], []),
        (
            "Write a song for Shakira, our cleaner, no jokes about Shakira the singer.",
            ["about Shakira the singer"],
            ["for Shakira"],
        ),
        # Codes in logs, words that are agreed on, sign-offs within a line.
        (
            '[09:14] gate badge=44017 name="GARETH PUGH-MORGAN" dir=in\n[09:20] gate badge=39250 name="LENA VOSS" dir=out\nWho?',
            ["dir=in"],
            ["44017", "39250", "GARETH", "VOSS"],
        ),
        ("Safe word for phone calls is 'marigold'. Carer is Ana Lopes.", ["Safe word"], ["marigold", "Lopes"]),
        (
            "Viele Grüße, Detlef Wübbenhorst. Bitte formuliere die Mail freundlicher.",
            ["freundlicher"],
            ["Detlef", "Wübben"],
        ),
        (
            "He has been low since his father took his own life, I think. Draft a note.",
            ["Draft"],
            ["took his own life"],
        ),
        # What many have: goods, prices, pods, flights, forms, ways to pay, mailboxes.
        (
            "order_id,sku,qty,price\n1,LEGO-42115,2,99.99\n2,LEGO-10497,1,79.99\n3,KNEX-79320,4,20.00\nRevenue per brand?",
            ["LEGO-42115", "KNEX-79320", "99.99"],
            [],
        ),
        (
            "Which day was best?\n\nDate,Open,High,Low,Close,Volume\n2024-01-02,187.15,188.44,183.89,185.64,82488700\n"
            "2024-01-03,184.22,185.88,183.43,184.25,58414500\n2024-01-04,182.15,183.09,180.88,181.91,71983600",
            ["184.22,185.88,183.43,184.25,58414500", "82488700"],
            [],
        ),
        (
            "NAME READY STATUS RESTARTS AGE\nmercury-api-6c9f7d-x2x7q 1/1 Running 0 3d\nmercury-api-6c9f7d-k8m2p 0/1 Crash 12 64m",
            ["mercury-api-6c9f7d-x2x7q", "mercury-api-6c9f7d-k8m2p"],
            [],
        ),
        ("My flight BA 433 was late, says Tom Achterberg. What am I owed?", ["flight BA 433"], ["Achterberg"]),
        ("I pay by Zelle to 415-555-0134. Is it safe?", ["Zelle"], ["0134"]),
        (
            "From: Payroll <p@firm.example>\nTo: Gwen Adair\nWhat is wrong with it?",
            ["From: Payroll"],
            ["Gwen", "p@firm"],
        ),
        (
            '{"dept":"Dev","name":"Lerato Mokoena"},{"dept":"QA","name":"Cleo Van"} How many are in Dev?',
            ['"Dev"', "in Dev?"],
            ["Lerato"],
        ),
        ("My uncle Rob is a convinced Keynesian. Explain what that means.", ["a convinced Keynesian"], ["Rob"]),
        ("Redis at redis://127.0.0.1:6379/0 does not answer. Why?", ["redis://127.0.0.1:6379/0"], []),
        ("I get a 401 from the API with curl, why?", ["a 401 from"], []),
        ("What did Roe v. Wade and Dobbs v. Jackson change?", ["Roe v. Wade", "Dobbs v. Jackson"], []),
        ("Plan a trip in Lisbon and Porto for Declan Roe.", ["Lisbon and Porto"], ["Declan"]),
        ("Could you act as editor? My editor, Ruth Falk, wants 300 words.", ["act as editor?"], ["Ruth"]),
    ],
)
def test_what_stays_and_what_goes(text, stays, goes):
    view = Anonymizer().anonymize(text)
    assert [one for one in stays if one not in view.text] == [], view.text
    assert [one for one in goes if one in view.text] == [], view.text
    assert Anonymizer().restore(view.text, view.box).text == text


class TestNotes:
    """What is asked about a note of a clinic stays under `auto`; who it is about does not, and `strict` hides all."""

    def test_what_the_question_turns_on_stays(self):
        text = Anonymizer().anonymize(NOTE + ASKED).text
        for stays in ("furosemide 80 mg", "bisoprolol 2.5 mg", "BP 104/62", "eGFR of 34", "spironolactone 25 mg"):
            assert stays in text
        for goes in ("Maureen", "Oyelaran", "14/03/1951", "943 476", "18 Larch", "OL12"):
            assert goes not in text

    def test_findings_stay_where_nothing_is_asked_too_and_strict_hides_them(self):
        text = Anonymizer().anonymize(NOTE).text
        assert "furosemide" in text and "Oyelaran" not in text and "943 476" not in text
        assert "furosemide" not in Anonymizer(Options(privacy="strict")).anonymize(NOTE + ASKED).text

    def test_what_somebody_is_shunned_for_goes(self):
        text = Anonymizer().anonymize(NOTE + "On methadone, uses heroin. " + ASKED).text
        assert "methadone" not in text and "heroin" not in text and "furosemide" in text

    def test_tests_are_nobodys_and_patients_are_somebody(self):
        text = (
            Anonymizer()
            .anonymize(
                "Pt Dora Quill, 78F. SOB, JVP not raised, O/E no Babinski, Romberg neg, Waterlow 22, AMT 6/10. Mr Clark r/v. Plan?"
            )
            .text
        )
        assert "Babinski" in text and "Romberg" in text and "Waterlow" in text and "AMT 6/10" in text
        assert "Quill" not in text and "Clark" not in text


def test_what_a_query_says_itself_is_needed():
    text = "I am Ida Roth. I take inclisiran and metformin, and I have a tension headache."
    for level in ("open", "balanced"):
        view = Anonymizer(Options(privacy=level)).anonymize(text, query="Why inclisiran for a tension headache?")
        assert "inclisiran" in view.text and "tension headache" in view.text and "Ida" not in view.text


def test_a_name_of_a_field_is_no_fact():
    data = b'{"age":34,"nested":{"iban":"GB29 NWBK 6016 1331 9268 19"}}'
    made = Anonymizer().anonymize_document(data, "json")
    assert made.data == b'{"age":"<age-1>","nested":{"iban":"<iban-1>"}}'


def test_mr_and_mrs_of_one_name_are_two():
    text = "Dear Mr Loftus, please ask Mrs Ada Loftus alone, or Mr Loftus, to sign. Yours, Bea Kern"
    view = Anonymizer().anonymize(text)
    owners = {one.text: one.subject for one in view.entities if one.hidden}
    assert owners["Loftus"] != owners["Ada Loftus"]


def test_a_prompt_about_the_world_hides_nobody():
    for text in (
        "Compare the reigns of Mansa Musa and Sundiata Keita; who did more for Timbuktu?",
        "In the video game, how do I beat Malenia without a shield?",
        "Give me a recipe for Victoria sponge, then Eggs Benedict and Peach Melba.",
        "Is the cheetah faster than Grevy's zebra?",
    ):
        assert Anonymizer().anonymize(text).text == text
    assert "Mansa" not in Anonymizer().anonymize("My landlord Mansa Keita called. What do I tell him?").text


@pytest.mark.parametrize(
    ("text", "goes"),
    [
        ("I paid with Lydia for dinner, Ms Jenkins was there. What do I owe Lydia?", ["Lydia", "Jenkins"]),
        (
            "There is a Sebastian at the desk. Is Tom the singer of our choir coming? Ask Emma, salad or soup?",
            ["Sebastian", "Emma"],
        ),
        ("Her phone 555-0142-99 and lot no 1142 are Ana Lopes's. Draft a note.", ["555-0142-99", "Lopes"]),
        ('{"dept":"QA","team":"Jordan"} Jordan Ash called. Who is that?', ["Ash"]),
        (
            "See https://github.com/emma-quornbeck/notes and http://localhost:3000/users/emma-quornbeck. Why?",
            ["emma-q"],
        ),
        ("Pt HARTMANN Klaus, 78M, SOB, O/E JVP raised, BP 104/62. Plan?", ["HARTMANN", "Klaus"]),
    ],
)
def test_what_looks_like_it_and_is_somebodys(text, goes):
    told = Anonymizer().anonymize(text).text
    assert [one for one in goes if one in told] == [], told
