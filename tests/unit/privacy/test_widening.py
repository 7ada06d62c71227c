"""Sentences made wider or shorter: what is left is still true, and nothing takes the place of something else."""

import re

import pytest

from gama.privacy.refining.widening import edits, wider


def made(sentence):
    return [edit.text for edit in edits(sentence)]


def test_words_are_widened_and_clauses_tails_or_the_sentence_dropped():
    assert made("My husband forgot to buy milk because he never listens.") == [
        "My partner forgot to buy milk because he never listens.",
        "My husband forgot to buy milk.",
        "",
    ]
    assert made("He is away, I keep the dog.") == ["I keep the dog.", ""]
    assert made("We walked home along the river in the rain.") == ["We walked home along the river.", ""]


def test_placeholders_are_not_lost_and_not_widened():
    assert made("We met <name-1> at the tram.") == ["We met <name-1> at the transport."]
    assert made("Greet <sister-1> and <aunt-2>.") == []


@pytest.mark.parametrize(
    ("sentence", "wide"),
    [
        ("An aunt and a bagel came.", "A relative and some bread came."),
        ("A matura is hard.", "An exam is hard."),
        ("On Diwali we stay home.", "On a holiday we stay home."),
        ("The Diwali lights are up.", "The holiday lights are up."),
        ("Grandma came by tram.", "A grandparent came by transport."),
        ("My grandma came.", "My grandparent came."),
        ("The elektrichka was late.", "The public transport was late."),
        ("I saw a woman.", "I saw a person."),
        ("The woman left.", "The person left."),
        ("My ex-husband called.", "My former partner called."),
        ("I turned forty patients.", "I turned forty people."),
    ],
)
def test_the_wider_word_stands_as_a_noun_stands_there(sentence, wide):
    assert made(sentence)[0] == wide


@pytest.mark.parametrize(
    "sentence",
    [
        "I was very patient and sat down.",
        "He sat for a while in the kitchen.",
        "Squeeze the tube until two pounds are out.",
        "Man, that was a stable office.",
        "Our clients read the thesis at the subway.",
    ],
)
def test_words_of_two_senses_and_siblings_are_left_alone(sentence):
    assert all(set(words(text)) <= set(words(sentence)) for text in made(sentence))


@pytest.mark.parametrize(
    "sentence",
    [
        "I have no husband.",
        "I never eat a bagel.",
        "There isn't any cricket on Sundays.",
        "I dont like cricket.",
        "If a nephew comes, we celebrate.",
    ],
)
def test_what_is_denied_or_supposed_is_not_denied_of_more(sentence):
    assert made(sentence) == [""]


def test_what_is_definite_may_be_named_wider_under_a_negation():
    assert "I did not see my partner today." in made("I did not see my husband today.")


@pytest.mark.parametrize(
    "sentence",
    [
        "I sleep badly when the moon is full.",
        "You may take the car if you fill it up.",
        "I will stay here on board unless it rains.",
        "If it rains, we stay at home.",
        "I do not go to work in the rain.",
        "I could never sleep without the noise.",
        "We are too tired for a party.",
        "He rarely drinks beer at home.",
        "Only the tall ones sit in the back.",
    ],
)
def test_no_part_goes_where_less_would_say_more(sentence):
    assert made(sentence) == [""]


def test_hostile_sentences_end_soon():
    assert made("!" * 100_000 + "a" + "." * 100_000) == [""]
    assert made("in the house " * 10_000) == [""]
    long = made("my husband and no wife " * 10_000)
    assert len(long) == 2 and long[0].startswith("my partner and no wife my partner")


def test_two_that_would_become_one_stay_two():
    assert made("My brother and my sister came.") == [""]
    assert made("A woman and the man next door came.") == [""]
    assert made("My brother and my other brother came.")[0] == "My sibling and my other sibling came."


def test_the_table_leads_upwards_once():
    """No wider word is itself made wider, none stands on both sides, none is only its own word with less."""
    table = wider()
    for telling, wide in table.items():
        noun = re.sub(r"^(?:an?|the|some|my) ", "", wide)
        assert noun not in table and wide not in table, wide
        assert telling == telling.lower() == telling.strip() and telling != noun


def test_siblings_are_no_wider_words():
    """What once stood in the table though it is something else than the telling word."""
    wrong = {
        "patients": "customers", "patient": "customer", "principal": "colleague", "boss": "colleague",
        "load shedding": "bad weather", "foehn": "bad weather", "kitchen": "workplace", "diploma": "certificate",
        "doctorate": "certificate", "pension": "payment", "sat": "exam", "teenager": "child", "subway": "transport",
        "pounds": "money", "brother": "relative", "university": "school", "lecture": "lesson", "croissants": "bread",
    }  # fmt: skip
    assert not wrong.items() & wider().items()


def words(text):
    return re.findall(r"\w+", text.lower())
