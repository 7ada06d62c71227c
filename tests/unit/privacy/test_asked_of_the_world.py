"""What belongs to the world in a question stays; what is the writer's beside it does not."""

import pytest

from gama.privacy.anonymizer import Anonymizer
from gama.privacy.identify import without_titles
from gama.privacy.relations import of_the_world
from gama.state.entities import Span


@pytest.fixture(scope="module")
def anonymizer() -> Anonymizer:
    return Anonymizer()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("¿En qué calle de Coyoacán vivía Frida Kahlo con su marido Diego Rivera?", ["Frida Kahlo", "Diego Rivera"]),
        ("How many children did Johann Sebastian Bach have with his second wife Anna Magdalena?", ["Anna Magdalena"]),
        ("Where did Vincent van Gogh's sister-in-law Johanna live in 1891?", ["Johanna"]),
        ("What did the Supreme Court decide in Roe v. Wade?", ["Roe", "Wade"]),
        ("In the film Moana, which demigod steals the heart of Te Fiti?", ["Moana"]),
        ("Is Ozempic the same as Wegovy, and who makes them?", ["Ozempic", "Wegovy"]),
        ("Wann zog Goethes Mutter nach Frankfurt?", ["Goethes"]),
    ],
)
def test_what_is_asked_of_the_world_stays(anonymizer, text, names):
    told = anonymizer.anonymize(text).text
    assert all(name in told for name in names), told


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            "My tenant Johann Bach asks: does his second wife Anna Thiede pay half of the rent?",
            ["Bach", "Anna", "Thiede"],
        ),
        ("Does Ana Brook's sister Johanna Brook live near Frida Kahlo's house?", ["Ana Brook", "Johanna"]),
        ("Did Taylor Swift ever sing with my cousin Johanna Thiede, 34?", ["Johanna", "Thiede", "34"]),
        ("Is Kowalczyk the same as our tenant Kowalczyk, the one of flat 4?", ["Kowalczyk"]),
        ("What did Judge Orr decide in Thiede v. Brandwein, our case 2024-118?", ["Thiede", "Brandwein"]),
    ],
)
def test_what_is_the_writers_does_not(anonymizer, text, names):
    told = anonymizer.anonymize(text).text
    assert not any(name in told for name in names), told


def span_of(text, surface, kind, subtype, private):
    at = text.index(surface)
    return Span(at, at + len(surface), kind, subtype, 0.9, "pner", private, source="embedded")


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("Did Stephen Hawking have ALS?", True),
        ("My aunt asks: did Stephen Hawking have ALS?", False),
        ("Did Stephen Hawking have ALS, as my aunt does?", False),
        ("Tilde wonders, did Stephen Hawking have ALS?", False),
        ("Stephen Hawking had ALS.", False),
        ("Who has ALS?", False),
    ],
)
def test_facts_beside_the_famous_are_theirs_where_nobody_else_is_spoken_of(text, stays):
    found = [span_of(text, "ALS", "DEM", "medical_condition", 0.9)]
    if "Hawking" in text:
        found.append(span_of(text, "Stephen Hawking", "PER", "full_name", 0.1))
    (fact,) = [span for span in of_the_world(text, found) if span.type == "DEM"]
    assert fact.private == (0.0 if stays else 0.9)


def test_a_forename_that_is_taken_for_a_fact_stays_hidden():
    text = "Malin of 10b: was Stephen Hawking 76?"
    found = [
        span_of(text, "Malin", "DEM", "nationality", 0.9),
        span_of(text, "Stephen Hawking", "PER", "full_name", 0.1),
    ]
    assert of_the_world(text, found) == found


def test_plants_are_no_jobs():
    text = "Min kärleksört dör, und der Tagebau auch."
    plant = span_of(text, "kärleksört", "DEM", "occupation", 0.9)
    job = span_of(text, "Tagebau", "DEM", "occupation", 0.9)
    assert [span.private for span in of_the_world(text, [plant, job])] == [0.0, 0.9]


@pytest.mark.parametrize(
    ("text", "name", "subtype", "stays"),
    [
        ("Our Roomba j7 stopped.", "Roomba j7", "facility", True),
        ("Ik kocht een Senseo.", "Senseo", "company", True),
        ("Our Tesco fired me.", "Tesco", "company", False),
        ("We moved to our Paris home.", "Paris", "city", False),
        ("I work at Senseo.", "Senseo", "company", False),
    ],
)
def test_one_of_many_things_is_no_firm(text, name, subtype, stays):
    span = span_of(text, name, "ORG" if subtype == "company" else "LOC", subtype, 0.9)
    assert of_the_world(text, [span])[0].private == (0.0 if stays else 0.9)


def test_a_game_that_looks_like_an_address_is_played():
    text = "i just play Baldur's Gate 3 all night. who is Shadowheart's goddess?"
    at = text.index("Baldur")
    found = [Span(at, at + 15, "LOC", "street_address", 0.65, "regex", source="street_address")]
    assert without_titles(text, found)[0].private == 0.0
    home = text.replace("just play", "live at")
    assert without_titles(home, [found[0]._replace(start=at - 2, end=at + 13)])[0].private is None


@pytest.mark.parametrize(
    ("text", "word", "subtype"),
    [
        ("Räknas semesterersättningen på bruttolönen?", "bruttolönen", "medical_condition"),
        ("Jag har uppsägningstid.", "uppsägningstid", "medical_condition"),
        ("Ist mein Bruttolohn hoch?", "Bruttolohn", "medical_condition"),
        ("Das kommt 14-mal im Jahr.", "14-mal im Jahr", "age"),
        ("Cobro 14 veces al año.", "14 veces al año", "age"),
        ("Cobro en 14 pagas.", "14 pagas", "weight"),
        ("Mijn brutoloon is laag.", "brutoloon", "occupation"),
        ("Mon salaire brut est bas.", "salaire brut", "medical_condition"),
        ("La tredicesima non arriva.", "tredicesima", "medical_condition"),
        ("Is sick pay taxed?", "sick pay", "medical_condition"),
    ],
)
def test_words_of_work_and_pay_are_no_illnesses_and_ages(text, word, subtype):
    of_type = {"age": "DEM", "weight": "QUANTITY"}.get(subtype, "DEM")
    assert of_the_world(text, [span_of(text, word, of_type, subtype, 0.9)])[0].private == 0.0


@pytest.mark.parametrize(
    ("text", "word", "subtype"),
    [
        ("Ich bin 14 und habe Asthma.", "14", "age"),
        ("Ich habe Lohnsteuerberater gelernt.", "Lohnsteuerberater", "occupation"),
        ("Jag är sjukskriven.", "sjukskriven", "medical_condition"),
        ("I am a pensioner.", "pensioner", "occupation"),
        ("I have a wage of 3,000.", "3,000", "amount"),
        ("He has Geldern syndrome.", "Geldern syndrome", "medical_condition"),
    ],
)
def test_facts_of_somebody_are_no_words_of_pay(text, word, subtype):
    of_type = "QUANTITY" if subtype == "amount" else "DEM"
    assert of_the_world(text, [span_of(text, word, of_type, subtype, 0.9)])[0].private == 0.9


@pytest.mark.parametrize(
    ("text", "name", "stays"),
    [
        ("Pay or I go to the small claims court.", "small claims court", True),
        ("Pay or I go to the Barlow Court.", "Barlow Court", False),
        ("pay or i go to the barlow court.", "barlow court", False),
        ("Pay me at barlow court.", "barlow court", False),
        ("Tane joins us from the navy.", "navy", False),
    ],
)
def test_a_body_without_a_name_is_nobodys(text, name, stays):
    span = span_of(text, name, "ORG", "government", 0.9)
    assert of_the_world(text, [span])[0].private == (0.0 if stays else 0.9)


@pytest.mark.parametrize(("value", "stays"), [("95 m2", True), ("2,5 ha", True), ("1.82 m", False), ("95 kg", False)])
def test_an_area_is_no_height(value, stays):
    text = f"Mine has {value} in all."
    assert of_the_world(text, [span_of(text, value, "DEM", "height", 0.9)])[0].private == (0.0 if stays else 0.9)


@pytest.mark.parametrize(
    ("text", "names", "kind", "stays"),
    [
        ("He named Walton Centre in Leeds and the Royal Preston. Which of the two is larger?", 2, "ORG", True),
        ("Sie nennen das Elbtal oder das Haus Nordsee. Welches von beiden ist älter?", 2, "ORG", True),
        ("My girls stay at Elm Nursery and Oak Nursery. Which of the two is larger?", 2, "ORG", False),
        ("He named Walton Centre. I paid the Royal Preston. Is it late?", 2, "ORG", False),
        ("We have two days in Plovdiv and two in Guanajuato. Is the castle open on Mondays?", 2, "LOC", True),
        ("Andiamo con nonna Iole a Plovdiv. Chi ha fondato il castello?", 1, "LOC", True),
        ("I grew up in Plovdiv. Is the castle open on Mondays?", 1, "LOC", False),
        ("We have two days in Plovdiv. Is my invoice late?", 1, "LOC", False),
        ("I go to therapy in Plovdiv. Is there a bus?", 1, "LOC", False),
    ],
)
def test_what_one_chooses_from_and_travels_to_stays_and_where_one_lives_does_not(text, names, kind, stays):
    places = ("Walton Centre", "Royal Preston", "Elbtal", "Haus Nordsee", "Elm Nursery", "Oak Nursery")
    surfaces = [name for name in (*places, "Plovdiv", "Guanajuato") if name in text]
    subtype = "healthcare" if kind == "ORG" else "city"
    judged = of_the_world(text, [span_of(text, name, kind, subtype, 0.9) for name in surfaces])
    assert [one.private == 0.0 for one in judged] == [stays] * names


@pytest.mark.parametrize(
    ("text", "name", "kind", "subtype", "stays"),
    [
        ("Que dit la loi Veil, et la loi du 6 juillet 1989 ?", "Veil", "PER", "last_name", True),
        ("Que dit la loi du 6 juillet 1989 ?", "6 juillet 1989", "DATETIME", "date", True),
        ("Reicht dafür § 536 BGB?", "536 BGB", "CODE", "other_id", True),
        ("§ 3 sagt es. Meine Kundennummer ist 536 BGB?", "536 BGB", "CODE", "other_id", False),
        ("Mi chiede della legge Basaglia.", "Basaglia", "PER", "last_name", True),
        ("La sera mi legge Anna una favola.", "Anna", "PER", "first_name", False),
        ("Je suis né le 6 juillet 1989.", "6 juillet 1989", "DATETIME", "date", False),
        ("Sietse leest nu Oorlogswinter op school.", "Oorlogswinter", "DEM", "occupation", True),
        ("Sietse heeft nu Oorlogswinter op school.", "Oorlogswinter", "DEM", "occupation", False),
        ("I want back my copy of Rebecca, who wrote it?", "Rebecca", "PER", "first_name", True),
        ("I want a copy of Rebecca's lease.", "Rebecca", "PER", "first_name", False),
        ("I want a copy of Rowan Thiede-Marsh today.", "Rowan Thiede-Marsh", "PER", "full_name", False),
        ("I want a copy of Sorrel Court lease.", "Sorrel Court", "LOC", "street_address", False),
        ("Quero o disco da Amália Rodrigues.", "Amália Rodrigues", "PER", "full_name", True),
        ("Quero a chave da Amália Rodrigues.", "Amália Rodrigues", "PER", "full_name", False),
    ],
)
def test_laws_and_titles_are_known_by_what_stands_before_them(text, name, kind, subtype, stays):
    (judged,) = without_titles(text, [span_of(text, name, kind, subtype, 0.9)])
    assert (judged.private == 0.0) is stays
