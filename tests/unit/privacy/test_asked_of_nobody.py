"""What a short prompt asks about stays where it tells of nobody's affairs; names and one's own facts go."""

import pytest

from gama.privacy.anonymizer import Anonymizer
from gama.privacy.fuse import settle_by_rule
from gama.privacy.question import asked_of_nobody
from gama.state.entities import EntityType, Span


@pytest.fixture(scope="module")
def anonymizer() -> Anonymizer:
    return Anonymizer()


def judged(
    text: str, surface: str, kind: EntityType, subtype: str, source: str = "embedded", *others: Span
) -> float | None:
    start = text.index(surface)
    span = Span(start, start + len(surface), kind, subtype, 0.7, "pner", 0.95, False, source)
    return asked_of_nobody(text, [span, *others])[0].private


STAYS: list[tuple[str, str, EntityType, str]] = [
    ("How do I crimp an empanada so that it holds?", "empanada", "PER", "first_name"),
    ("Is Songkran louder than Loy Krathong?", "Songkran", "PER", "first_name"),
    ("Recipe for baklava with pistachios", "baklava", "PER", "last_name"),
    ("Wie bäckt man Lebkuchen ohne Backpulver?", "Lebkuchen", "PER", "last_name"),
    ("Explain fafaru and where to eat it in Tahiti.", "fafaru", "PER", "last_name"),
    ("When does Durga Puja begin?", "Durga Puja", "PER", "full_name"),
    ("Plan a long weekend in Kampala", "Kampala", "LOC", "city"),
    ("Visa requirements for Eswatini", "Eswatini", "LOC", "country"),
    ("Can I pay with a card in Zanzibar?", "Zanzibar", "LOC", "city"),
    ("How do Sikhs celebrate Vaisakhi?", "Sikhs", "DEM", "religion"),
    ("Explain why the Maori and the Samoan haka differ", "Samoan", "DEM", "ethnicity"),
    ("Which firm is older, Nintendo or Toyota?", "Toyota", "ORG", "company"),
    ("My aunt makes a Nauryz soup on Sundays", "Nauryz", "PER", "first_name"),
    ("My boss wished me a happy Nauryz", "Nauryz", "PER", "first_name"),
    ("My dog ate a Ferrero Rocher, is that bad?", "Ferrero Rocher", "PER", "full_name"),
    ("Hur firar man Naadam i Ulaanbaatar?", "Naadam", "PER", "first_name"),
    ("How salty should Kimchi be?", "Kimchi", "PER", "first_name"),
    ("I have a cold. Does Inositol help?", "Inositol", "PER", "first_name"),
    ("My aunt is vegan. Is there a version of fesenjan for her?", "fesenjan", "DEM", "religion"),
]


@pytest.mark.parametrize(("text", "surface", "kind", "subtype"), STAYS)
def test_what_nobody_is_told_of_in_stays(text, surface, kind, subtype):
    assert judged(text, surface, kind, subtype) == 0.0


GOES: list[tuple[str, str, EntityType, str]] = [
    ("Is Malakai coming to the party?", "Malakai", "PER", "first_name"),
    ("Is tuiloma still ill?", "tuiloma", "PER", "last_name"),
    ("My wife eats empanada, is that healthy?", "empanada", "PER", "first_name"),
    ("Did uncle Lebkuchen like the cake?", "Lebkuchen", "PER", "last_name"),
    ("Songkran, how was the exam?", "Songkran", "PER", "first_name"),
    ("Where in Kampala do I live?", "Kampala", "LOC", "city"),
    ("We moved to Zanzibar. Which school is good?", "Zanzibar", "LOC", "city"),
    ("Songkran came at five and left at six.", "Songkran", "PER", "first_name"),
    ("As a Sikh, can I eat gelatin?", "Sikh", "DEM", "religion"),
    ("Can she marry him as a Sikh?", "Sikh", "DEM", "religion"),
    ("Which visa suits somebody with a Samoan passport?", "Samoan", "DEM", "nationality"),
    ("What is there to see at 12 Kampala Road?", "12 Kampala Road", "LOC", "street_address"),
    ("How do you treat scurvy in a patient?", "scurvy", "DEM", "medical_condition"),
    ("My friend Yalda wants noodles", "Yalda", "PER", "first_name"),
    ("I have a cold. Does my Inositol help?", "Inositol", "PER", "first_name"),
    ("Did the tenant Inositol sign?", "Inositol", "PER", "last_name"),
    ("Can I serve this to a plumber?", "plumber", "DEM", "occupation"),
    ("I need an essay on Malakai Tuiloma", "Malakai Tuiloma", "PER", "full_name"),
    ("كيف أصل إلى Marrakech بالقطار؟", "Marrakech", "LOC", "city"),
    ("Saya tinggal di Bandung, bagaimana cara membuat klepon?", "Bandung", "LOC", "city"),
    ("Tôi ở Kampala, cách nấu phở là gì?", "Kampala", "LOC", "city"),
    ("Vivo en Kampala, ¿qué ver?", "Kampala", "LOC", "city"),
    ("Did Paprika like the walk?", "Paprika", "PER", "first_name"),
    ("Is Paprika ill?", "Paprika", "PER", "first_name"),
    ("Who is the best friend of Paprika?", "Paprika", "PER", "first_name"),
    ("Happy Malakai!", "Malakai", "PER", "first_name"),
    ("My neighbour Ferrero Rocher is ill", "Ferrero Rocher", "PER", "full_name"),
    ("Is it true that Ali Khan cheats?", "Ali Khan", "PER", "full_name"),
    ("Where can I study in Kampala while I work?", "Kampala", "LOC", "city"),
]


@pytest.mark.parametrize(("text", "surface", "kind", "subtype"), GOES)
def test_names_and_ones_own_facts_go(text, surface, kind, subtype):
    assert judged(text, surface, kind, subtype) == 0.95


def test_what_a_rule_found_goes():
    assert judged("How loud is Songkran?", "Songkran", "PER", "last_name", "person_signature") == 0.95


@pytest.mark.parametrize(
    ("name", "kind", "subtype"),
    [
        ("Malakai Tuiloma", "PER", "full_name"),
        ("34", "DEM", "age"),
        ("0722 418 903", "CODE", "phone"),
    ],
)
def test_beside_somebody_a_place_goes(name, kind, subtype):
    text = f"Plan a weekend in Kampala for {name}"
    other = Span(len(text) - len(name), len(text), kind, subtype, 0.9, "pner", 0.95, False, "embedded")
    assert judged(text, "Kampala", "LOC", "city", "embedded", other) == 0.95


def test_what_is_judged_nobodys_is_not_kept_for_being_short():
    text = "Recipe for baklava with pistachios"
    span = Span(11, 18, "PER", "last_name", 0.7, "pner", 0.0, False, "embedded")
    assert settle_by_rule(text, [span]) == []
    assert settle_by_rule(text, [span._replace(private=0.1)])


def test_somebody_listed_is_told_of_where_the_tagger_takes_them_for_public():
    text = "My teacher wants an essay on Yaa Asantewaa by Friday"
    span = Span(29, 42, "PER", "full_name", 0.9, "pner", 0.2, False, "embedded")
    assert text[span.start : span.end] == "Yaa Asantewaa"
    assert asked_of_nobody(text, [span])[0].private == 0.0
    assert asked_of_nobody(text, [span._replace(private=0.9)])[0].private == 0.9
    assert asked_of_nobody(text.replace("essay on", "visit to"), [span])[0].private == 0.2


@pytest.mark.parametrize(
    ("text", "stays", "goes"),
    [
        ("Email to tevita@faleolo.example in Samoan: the shelf is sold", "Samoan", "faleolo"),
        ("Reschedule with Dr. Tevita Faleolo to noon, short, in Swahili", "Swahili", "Faleolo"),
        ("Translate my note to Tevita Faleolo into Samoan.", "Samoan", "Faleolo"),
        ("Write a card for my boss Tevita Faleolo, formal Turkish and English", "Turkish and English", "Faleolo"),
        ("My wife Sela speaks Samoan. Write her a poem in French.", "French", "Samoan"),
        ("Write a note to my Samoan neighbour Tevita Faleolo in French.", "French", "Samoan"),
    ],
)
def test_the_language_of_an_answer_stays_and_whose_language_it_is_goes(anonymizer, text, stays, goes):
    told = anonymizer.anonymize(text).text
    assert stays in told
    assert goes not in told
