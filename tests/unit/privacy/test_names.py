"""Public or private: one name both ways, by what stands around it."""

import pytest

from gama import Anonymizer
from gama.privacy.identify import PRIVATE, relatives
from gama.privacy.names import Names
from gama.privacy.weighing import weigh_names
from gama.state.entities import Span
from gama.state.options import Options
from tests.support.spans import span_of


@pytest.fixture(scope="module")
def anonymizer() -> Anonymizer:
    return Anonymizer()


PAIRS = [
    ("Elon Musk", "Tell Elon Musk that his order is late.", "When did Elon Musk found SpaceX?"),
    ("James Taylor", "Dear James Taylor, your parcel 88213 has arrived.", "What did James Taylor sing?"),
    ("Barack Obama", "Our neighbour Barack Obama has a new dog.", "When was Barack Obama elected?"),
    ("Tom Hanks", "My tenant Tom Hanks broke the boiler again.", "Which films did Tom Hanks star in?"),
    ("Marie Curie", "Ask my colleague Marie Curie (0113 496 0182) to call.", "Why did Marie Curie win a Nobel prize?"),
    ("Victor Hugo", "Mon voisin Victor Hugo fait trop de bruit.", "Quand est mort Victor Hugo ?"),
    (
        "Daniel Jones",
        "Please send the refund for order 4471-22 to my account.\nKind regards,\nDaniel Jones\n0113 496 0182",
        "Two for the quiz about the Super Bowl: when was the quarterback Daniel Jones born, and which team was his first?",
    ),
    (
        "Eton College",
        "My son Theo (13) goes to Eton College and is bullied there; we want to take him out in June.",
        "When was Eton College founded?",
    ),
]


@pytest.mark.parametrize(("name", "private", "public"), PAIRS)
def test_the_context_decides(anonymizer, name, private, public):
    assert name not in anonymizer.anonymize(private).text
    assert name in anonymizer.anonymize(public).text


LETTER = (
    "Dear Ms Beckham, your claim 2024-118 is settled. My son Theo, 9, asks: in which year did David Beckham join "
    "Real Madrid?\nYours, Ines Carrow, 14 Sorrel Court, 0113 496 0182"
)


def test_a_famous_namesake_leaves_whole(anonymizer):
    view = anonymizer.anonymize(LETTER)
    assert "David Beckham" in view.text and "Ms Beckham" not in view.text and "Carrow" not in view.text
    assert anonymizer.restore(view.text, view.box).text == LETTER


def test_a_namesake_with_a_part_that_a_person_has_hidden_does_not_leave():
    view = Anonymizer(Options(deny=("Beckham",))).anonymize(LETTER)
    assert "Beckham" not in view.text


def test_a_namesake_whose_whole_name_is_a_value_does_not_leave(anonymizer):
    text = LETTER.replace("Ms Beckham", "David Beckham")
    assert "Beckham" not in anonymizer.anonymize(text).text


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Mein Mann Torben will nicht.", "Torben"),
        ("Mon épouse Awa est enceinte.", "Awa"),
        ("We stay with Baba Ade tonight.", "Baba Ade"),
        ("Iracema, parteira em Tefé, manda lembranças.", "Iracema"),
    ],
)
def test_who_is_called_so_is_somebody(text, name):
    assert [text[one.start : one.end] for one in relatives(text, [])] == [name]


@pytest.mark.parametrize(
    "text", ["Hallo, wie geht es?", "Knife, stainless steel.", "Who wrote Don Quixote?", "My wife said no."]
)
def test_what_is_no_name_is_not_called_one(text):
    assert relatives(text, []) == []


def test_a_finders_own_span_is_not_doubled():
    text = "Mein Mann Torben will nicht."
    span = Span(10, 16, "PER", "first_name", 0.9, "pner", 0.9, source="embedded")
    assert relatives(text, [span]) == []


def test_weights_decide_and_the_sure_tagger_stands():
    text = "Who was Marie Curie?"
    weigh = {"bias": -5.0}
    assert weigh_names(text, [span_of(text, "Marie Curie", 0.9)], weigh)[0].private < PRIVATE
    assert weigh_names(text, [span_of(text, "Marie Curie", 0.995)], weigh)[0].private == 0.995


def test_in_a_text_that_asks_nothing_a_name_only_becomes_more_private():
    text = "Yesterday Marie Curie was here."
    span = span_of(text, "Marie Curie", 0.7)
    assert weigh_names(text, [span], {"bias": -5.0})[0].private == 0.7
    assert weigh_names(text, [span], {"bias": 5.0})[0].private > 0.9


def test_codes_and_addresses_are_not_weighed():
    text = "Who lives at 14 Sorrel Court?"
    span = Span(13, 28, "LOC", "street_address", 0.9, "pner", 0.9, source="embedded")
    assert weigh_names(text, [span], {"bias": -9.0}) == [span]


def test_features_tell_the_relation_the_index_and_the_question():
    text = "My cousin Elon Musk (0113 496 0182) asks: who wrote Emma?"
    (named,) = Names(text, [span_of(text, "Elon Musk", 0.5)]).features()
    assert {"relation", "own"} & named[1].keys() == {"relation"}
    assert {"fame3 PER", "person", "bracket", "asked"} <= named[1].keys() and "unlisted" not in named[1]


@pytest.mark.parametrize(
    ("text", "name", "private"),
    [
        ("Who was Wangari Maathai? In which year did Wangari plant trees?", "Wangari plant", 0.2),
        ("Who was Wangari Maathai? Dear Wangari, I ask for my class.", "Wangari, I", 0.85),
        ("Who was Wangari Maathai? My friend Wangari asks.", "Wangari asks", 0.85),
        ("Wangari Maathai planted trees. Then Wangari slept.", "Wangari slept", 0.85),
        ("Who was Wangari Maathai? Wangari Njeri asks. When did Wangari come?", "Wangari come", 0.85),
    ],
)
def test_a_part_of_a_famous_name_that_stands_in_the_text_is_its_bearers(text, name, private):
    part = span_of(text, name, 0.85)
    part = part._replace(end=part.start + len("Wangari"), subtype="first_name")
    whole = [
        span_of(text, one, much) for one, much in (("Wangari Maathai", 0.1), ("Wangari Njeri", 0.9)) if one in text
    ]
    known = {"bias": 0.0, "tagger": 3.0}
    judged = {span.start: span.private for span in weigh_names(text, [*whole, part], known)}
    assert judged[part.start] == pytest.approx(private, abs=0.01)


def test_a_forename_that_many_bear_is_not_the_famous_ones_alone():
    text = "Who was Frida Kahlo? When did Frida arrive?"
    whole, part = span_of(text, "Frida Kahlo", 0.1), span_of(text, "Frida arrive", 0.85)
    part = part._replace(end=part.start + len("Frida"), subtype="first_name")
    judged = weigh_names(text, [whole, part], {"bias": 0.0, "tagger": 3.0})
    assert judged[-1].private == pytest.approx(0.85, abs=0.01)
