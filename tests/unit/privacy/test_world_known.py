"""What the world knows stays, and who stands beside it goes: titles, drugs, schools asked about, people of one's class."""

import pytest

from gama import Anonymizer
from gama.privacy.box import PrivacyBox
from gama.privacy.decide import titles
from gama.privacy.fuse import Fused, with_parts
from gama.privacy.identify import PRIVATE, relatives, with_forenames, without_instructions, without_titles
from gama.privacy.names import Names
from gama.privacy.weighing import weigh_names
from gama.state.entities import Entity, EntityType, Span
from gama.state.options import Options


@pytest.fixture(scope="module")
def anonymizer() -> Anonymizer:
    return Anonymizer()


def span_of(text: str, name: str, kind: EntityType, subtype: str, private: float) -> Span:
    at = text.index(name)
    return Span(at, at + len(name), kind, subtype, 0.99, "pner", private, source="embedded")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Ragnhild här från båtklubben, plats 7.", "Ragnhild"),
        ("Bram uit mijn klas zegt dat het waar is.", "Bram"),
        ("So Oliver from my class says it is not.", "Oliver"),
        ("Und Jonas aus meiner Gruppe weiß es.", "Jonas"),
    ],
)
def test_who_is_here_or_of_the_writers_circle_is_somebody(text, name):
    assert [text[one.start : one.end] for one in relatives(text, [])] == [name]


@pytest.mark.parametrize(
    "text", ["Water from our street is brown.", "Spring here at last.", "Bram uit Utrecht zegt ja."]
)
def test_what_comes_from_elsewhere_is_nobody(text):
    assert relatives(text, []) == []


def test_a_surer_tagger_is_needed_for_what_it_is_too_sure_of():
    text = "Which is older, Eton College or Harrow School, and who makes Warfarin?"
    spans = [
        span_of(text, "Eton College", "ORG", "school", 0.995),
        span_of(text, "Harrow School", "ORG", "school", 0.999),
        span_of(text, "Warfarin", "DEM", "medical_condition", 0.9995),
    ]
    weighed = [(one.private or 0.0) >= PRIVATE for one in weigh_names(text, spans, {"bias": -5.0})]
    assert weighed == [False, True, False]


@pytest.mark.parametrize("drug", ["atropina", "omeprazol", "Morphin"])
def test_a_drug_is_known_by_its_name_in_other_languages(drug):
    text = f"Who found {drug}?"
    assert [features for _, features in Names(text, [span_of(text, drug, "DEM", "medical_condition", 0.9)]).features()]


def test_a_complaint_is_no_drug():
    text = "Who found gastrina?"
    assert not list(Names(text, [span_of(text, "gastrina", "DEM", "age", 0.9)]).features())


@pytest.mark.parametrize(
    ("text", "name", "left"),
    [
        ("Si proietta Suspiria di Dario Argento.", "Suspiria di Dario Argento", "Dario Argento"),
        ("Wanneer maakte Claude Monet De eksters?", "Claude Monet De eksters", "Claude Monet"),
        ("We met Claude Monet De Vries.", "Claude Monet De Vries", "Claude Monet De Vries"),
        ("Ela é Victor Hugo de Souza.", "Victor Hugo de Souza", "Victor Hugo de Souza"),
    ],
)
def test_a_work_is_no_part_of_its_makers_name(text, name, left):
    (span,) = with_forenames(text, [span_of(text, name, "PER", "full_name", 0.7)])
    assert text[span.start : span.end] == left


@pytest.mark.parametrize("text", ["Who directed My Cousin Vinny?", "Who wrote My Brilliant Friend?"])
def test_who_is_called_so_in_a_title_is_nobody(text, anonymizer):
    assert anonymizer.anonymize(text).text == text


def test_only_a_title_takes_a_relative_away():
    text = "My Cousin Vinnie is late."
    span = span_of(text, "Vinnie", "PER", "first_name", 0.9)
    assert without_titles(text, [span]) == [span]


@pytest.mark.parametrize(
    ("text", "private"),
    [
        ("Is it taught in Swedish there?", False),
        ("Please set this in Hindi for the trip.", False),
        ("My mother thinks in Swedish.", True),
    ],
)
def test_the_language_of_a_course_is_nobodys(text, private):
    name = "Hindi" if "Hindi" in text else "Swedish"
    (span,) = without_instructions(text, [span_of(text, name, "DEM", "language", 0.9)])
    assert bool(span.private) == private


def test_a_famous_namesake_by_the_name_of_another_language_leaves_whole(anonymizer):
    text = "Beste mevrouw Ruud Hansma, uw pas ligt klaar. In welk jaar won Ruud Gullit de Gouden Bal?"
    assert "Ruud Gullit" in anonymizer.anonymize(text).text


def test_an_address_ends_with_its_sentence(anonymizer):
    view = anonymizer.anonymize("Qui a peint Guernica ? Écris-moi au 8, impasse des Tilleuls. Ta Josette")
    assert "Tilleuls" not in view.text and "Josette" not in view.text and "Guernica" in view.text


def test_a_drug_in_a_sentence_that_asks_nothing_stays_the_writers():
    text = "The doctor wrote Warfarin on it. Can you explain the form?"
    span = span_of(text, "Warfarin", "DEM", "medical_condition", 0.9926)
    assert weigh_names(text, [span], {"bias": -5.0}) == [span]


BESIDE = [
    ("I have finished Killing Eve. My sister Eve, 31, hates it. Who wrote the novels?", "Killing Eve", "sister Eve"),
    (
        "My mate Jordan (jordan.pike@quickpost.example) swears he is right: was Michael Jordan cut from his school team?",
        "Michael Jordan",
        "mate Jordan",
    ),
    (
        "I live in Ibadan, 4 Oke Street, 0803 555 0117. Does the University of Ibadan still teach forestry?",
        "University of Ibadan",
        "in Ibadan",
    ),
]


@pytest.mark.parametrize(("text", "public", "private"), BESIDE)
def test_a_longer_public_name_keeps_its_words_and_the_bare_one_stays_hidden(text, public, private, anonymizer):
    view = anonymizer.anonymize(text)
    assert public in view.text and private not in view.text
    assert anonymizer.restore(view.text, view.box).text == text


def test_a_title_with_a_word_that_a_person_has_hidden_does_not_leave():
    assert "Eve" not in Anonymizer(Options(deny=("Eve",))).anonymize(BESIDE[0][0]).text


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("We saw Killing Eve. Who wrote it?", {"Killing Eve"}),
        ("We saw Killing Eve.", set()),
        ("Thanks Eve! Who wrote it?", set()),
        ("We saw Eve. Who wrote it?", set()),
    ],
)
def test_titles_are_kept_where_something_is_asked_and_nobody_is_named(text, kept):
    eve = Entity.at("Eve", 0, 3, "first_name", views=("pner", "pia"))
    assert titles(text, [eve.model_copy(update={"start": 900, "end": 903})], PrivacyBox()) == kept
    at = text.index("Eve")
    assert titles(text, [eve.model_copy(update={"start": at, "end": at + 3})], PrivacyBox()) == set()


@pytest.mark.parametrize(
    ("text", "name", "kind", "subtype", "private"),
    [
        ("Quem escreveu Quarto de Despejo?", "Quarto de Despejo", "DATETIME", "date", False),
        ("Di: ¿quién compuso La jardinera?", "jardinera", "DEM", "occupation", False),
        ("Em que ano saiu Miss Perfumado?", "Perfumado", "PER", "last_name", False),
        ("Who wrote Anna a reference?", "Anna", "PER", "first_name", True),
        ("Who painted Anna's door?", "Anna", "PER", "first_name", True),
        ("I wrote Anna. Who has?", "Anna", "PER", "first_name", True),
        ("I saw and read Bleak House again.", "Bleak House", "LOC", "facility", False),
        ("I saw and read Blunt House again.", "Blunt House", "LOC", "facility", True),
        ("Får han det enligt kvittningslagen?", "kvittningslagen", "DEM", "medical_condition", False),
        ("Segundo o Código de Defesa do Consumidor?", "Código de Defesa do Consumidor", "ORG", "school", False),
        ("Does the Equality Act 2010 apply?", "Equality Act 2010", "ORG", "company", False),
        ("Does Ada Lay 2010 apply?", "Ada Lay 2010", "ORG", "company", True),
    ],
)
def test_works_asked_after_and_laws_are_nobodys(text, name, kind, subtype, private):
    (span,) = without_titles(text, [span_of(text, name, kind, subtype, 0.9)])
    assert (span.private == 0.9) == private


def test_how_grave_an_incident_is_names_nobody(anonymizer):
    assert anonymizer.anonymize("Please close the Sev 3 ticket.").text == "Please close the Sev 3 ticket."
    assert "Sev " not in anonymizer.anonymize("Sev has not paid the rent.").text


@pytest.mark.parametrize(
    ("text", "private"),
    [
        ("Whale Rider: who wrote the book, Wim Ihim or Pat Grice?", False),
        ("Who found it, was it Wim Ihim?", False),
        ("And who was the chemist Wim Ihim?", False),
        ("Who built my shed, Wim Ihim or Pat?", True),
        ("Who found the keys, Wim Ihim or Pat?", True),
        ("And who was the tenant Wim Ihim?", True),
        ("Who came, Wim Ihim or Pat?", True),
    ],
)
def test_an_answer_that_is_guessed_is_public(text, private):
    (weighed,) = weigh_names(text, [span_of(text, "Wim Ihim", "PER", "full_name", 0.7)], {"bias": 3.0})
    assert ((weighed.private or 0.0) >= PRIVATE) == private


@pytest.mark.parametrize(
    ("text", "name", "private"),
    [
        ("Which clubs did Kenny Dalglish leave?", "Kenny Dalglish", False),
        ("Which clubs did my client Kenny Dalglish leave?", "Kenny Dalglish", True),
        ("Which clubs did Kenny Ekdalgl leave?", "Kenny Ekdalgl", True),
        ("Kenny Dalglish left.", "Kenny Dalglish", True),
    ],
)
def test_the_world_is_asked_about_whom_it_knows(text, name, private):
    (weighed,) = weigh_names(text, [span_of(text, name, "PER", "full_name", 0.7)], {"bias": 0.6})
    assert ((weighed.private or 0.0) >= PRIVATE) == private


def test_a_part_of_a_private_name_that_nobody_has_seen_is_hidden():
    text = 'For Nonna Assunta: engrave "Assunta" 80. An assunto. We like Nonna.'
    whole = span_of(text, "Nonna Assunta", "PER", "full_name", 0.9)
    found = with_parts(Fused([whole], frozenset(), []), text).private
    assert [text[one.start : one.end] for one in found] == ["Nonna Assunta", "Assunta", "Nonna"]
    plain = text.replace("An assunto", "She was assunta")
    assert len(with_parts(Fused([whole], frozenset(), []), plain).private) == 2


@pytest.mark.parametrize(
    ("text", "whole", "found"),
    [
        ("Ho visto Ersilia Bonacorsi. Ersilia giura.", "Ersilia Bonacorsi", ["Ersilia"]),
        ("| Ersilia Bonacorsi | sì |\n\nErsilia giura, Bonacorsi no.", "Ersilia Bonacorsi", ["Ersilia", "Bonacorsi"]),
        ("- Żaneta Wójcik\n- Żaneta pyta", "Żaneta Wójcik", ["Żaneta"]),
        ("We met Faith Hope. Faith moves mountains.", "Faith Hope", []),
        ("Ich traf Wendelgard Thoma! Wendelgard Meier kam.", "Wendelgard Thoma", []),
    ],
)
def test_a_part_of_a_private_name_at_the_beginning_of_a_sentence(text, whole, found):
    fused = with_parts(Fused([span_of(text, whole, "PER", "full_name", 0.9)], frozenset(), []), text)
    assert [text[one.start : one.end] for one in fused.private] == [whole, *found]


def test_a_forename_of_somebody_in_the_text_is_no_place():
    text = "Wendelgard Thoma rief an. Wendelgard schwört. George Lima wohnt in Lima, Paris Meier in Paris."
    whole = [
        span_of(text, name, "PER", "full_name", 0.9) for name in ("Wendelgard Thoma", "George Lima", "Paris Meier")
    ]
    places = [
        Span(at, at + len(word), "LOC", "city", 0.9, "pner", 0.9)
        for word in ("Wendelgard", "Lima", "Paris")
        for at in [text.rindex(word)]
    ]
    found = {
        (text[one.start : one.end], one.subtype)
        for one in with_parts(Fused([*whole, *places], frozenset(), []), text).private
    }
    assert found >= {("Wendelgard", "first_name"), ("Lima", "city"), ("Paris", "city")}


def test_who_pays_for_what_the_world_knows_is_public(anonymizer):
    text = "Did Elon Musk pay the rent for Twitter's headquarters?"
    assert anonymizer.anonymize(text).text == text
    assert "Musk" not in anonymizer.anonymize("Did Elon Musk pay the rent for Anna's flat?").text
    assert "Musk" not in anonymizer.anonymize("Did Elon Musk pay us the rent for Twitter's headquarters?").text
