"""The privacy dial: what each level lets leave of what a query needs."""

import json
from pathlib import Path

import pytest

from gama import Anonymizer, Options
from gama.privacy.decide import balancing
from gama.privacy.finders import Finders
from gama.privacy.level import ROUGHLY, UNDERSTOOD, level_of, topics_of, treatment
from gama.privacy.pipeline import Pipeline
from gama.privacy.select import selection_notes
from gama.state.entities import SUBTYPES, TYPE_OF, Entity
from gama.state.private_text import PrivateText

DATA = Path(__file__).parents[2] / "data/levels.jsonl"
CASES = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]
UNDERSTOOD_FACTS = DATA.with_name("understood.json")
ANSWERS = Path(__file__).parents[3] / "evals/data/answers/answers.jsonl"
STRICT, BALANCED, OPEN = (Anonymizer(Options(privacy=level)) for level in ("strict", "balanced", "open"))

TEXT = "Emma Williams, 34, has asthma. She lives at 12 Mill Lane, Warsaw; her telephone is +44 7700 900461."
QUERY = "Which medicine may she take with her asthma, and does her age matter?"


def mention(surface: str, subtype: str, **more) -> Entity:
    return Entity(text=surface, start=0, end=len(surface), type=TYPE_OF[subtype], subtype=subtype, **more)


def shown(view) -> set[str]:
    return {one.text for one in view.entities if one.private and one.needed}


def roughly(view) -> dict[str, str]:
    return {one.text: one.generalised for one in view.entities if one.generalised}


# What becomes of a needed value in `balanced`.
TREATMENTS = [
    ("Emma Williams", "full_name", "hide"),
    ("+44 7700 900461", "phone", "hide"),
    ("emma@post.example", "email", "hide"),
    ("12 Mill Lane", "street_address", "hide"),
    ("OX1 2AB", "postcode", "hide"),
    ("51.75, -1.25", "coordinates", "hide"),
    ("12 May 2026", "date", "generalise"),
    ("03/04/2026", "date", "hide"),
    ("Friday", "date", "hide"),
    ("half past ten", "time", "hide"),
    ("three weeks", "duration", "hide"),
    ("£120.00", "amount", "hide"),
    ("82.4 kg", "weight", "show"),
    ("asthma", "medical_condition", "show"),
    ("type 2 diabetes", "medical_condition", "show"),
    ("Tylenol", "medical_condition", "show"),
    ("138/82", "medical_condition", "show"),
    ("16 %", "medical_condition", "show"),
    ("HbA1c 52", "medical_condition", "show"),
    ("31 weeks pregnant", "medical_condition", "show"),
    ("T2DM", "medical_condition", "show"),
    ("CABG", "medical_condition", "show"),
    ("943 476 5919", "medical_condition", "hide"),
    ("07700 900318", "medical_condition", "hide"),
    ("4471", "medical_condition", "hide"),
    ("12/03/2024", "medical_condition", "hide"),
    ("CABG", "occupation", "hide"),
    ("Gottlieb", "medical_condition", "hide"),
    ("Fabry disease", "medical_condition", "generalise"),
    ("nurse", "occupation", "show"),
    ("Kornelia Wrzos", "occupation", "hide"),
    ("Pumpernickel", "medical_condition", "hide"),
    ("Krankenschwester", "occupation", "show"),
    ("Folkert", "nationality", "hide"),
    ("Polish", "nationality", "show"),
    ("Poland", "country", "show"),
    ("Ziemowit", "country", "hide"),
    ("Nebraska", "region", "show"),
    ("34", "age", "generalise"),
    ("thirty-something", "age", "hide"),
    ("4 March 1988", "date_of_birth", "generalise"),
    ("Warsaw", "city", "generalise"),
    ("Marrowgate", "city", "hide"),
    ("£48,500", "income", "generalise"),
    ("Barclays Bank", "company", "generalise"),
    ("Casa Ondina", "facility", "hide"),
]


@pytest.mark.parametrize(("surface", "subtype", "expected"), TREATMENTS)
def test_what_becomes_of_a_value(surface, subtype, expected):
    entity = mention(surface, subtype)
    assert treatment(entity, Options(privacy="balanced"), True) == expected
    assert treatment(entity, Options(privacy="strict"), True) == "hide"
    assert treatment(entity, Options(privacy="open", select_never=()), True) == "show"
    for level in ("auto", "strict", "balanced", "open"):
        assert treatment(entity, Options(privacy=level), False) == "hide", "not needed"


def test_a_rare_illness_is_not_shown_where_another_style_is_named_for_it():
    options = Options(privacy="balanced", strategies={"medical_condition": "tag"})
    assert treatment(mention("Fabry disease", "medical_condition"), options, True) == "hide"
    assert treatment(mention("asthma", "medical_condition"), options, True) == "show"


@pytest.mark.parametrize("style", ["v1", "v2"])
def test_what_is_told_roughly_is_restored_however_it_comes_back(style):
    anonymizer = Anonymizer(Options(privacy="balanced", style=style))
    view = anonymizer.anonymize(TEXT, QUERY)
    tag = view.box.placeholder("34")
    assert tag == {"v1": "<<age-1 band=30-39>>", "v2": "<age-1 band=30-39>"}[style]
    for reply in (tag, "<age-1>", "<AGE-1, band: 30-39>", "`<age-1 band=30-39>`", "&lt;age-1 band=30-39&gt;"):
        assert "34" in anonymizer.restore(f"She is {reply}.", view.box).text
    pieces = [*"At ", *tag, *" one may."]
    assert "".join(anonymizer.restore_stream(pieces, view.box)) == "At 34 one may."


def test_no_name_code_contact_or_address_is_of_a_kind_that_leaves():
    left = UNDERSTOOD | ROUGHLY
    assert not left & {*SUBTYPES["PER"], *SUBTYPES["CODE"], "street_address", "postcode", "coordinates"}
    assert left <= TYPE_OF.keys() and not UNDERSTOOD & ROUGHLY


def test_auto_is_settled_by_the_face_or_by_the_query():
    assert level_of(Options(), asked=True) == "open" and level_of(Options(), asked=False) == "strict"
    assert balancing(Options()).privacy == "balanced"
    assert balancing(Options(privacy="open")).privacy == "open"
    assert Anonymizer().anonymize(TEXT, QUERY).text == OPEN.anonymize(TEXT, QUERY).text


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_what_leaves_for_a_question(case):
    text, query = case["text"], case["query"]
    strict = STRICT.anonymize(text, query)
    assert not shown(strict) and not roughly(strict) and strict.text == STRICT.anonymize(text).text
    view = BALANCED.anonymize(text, query)
    assert [one for one in case["shown"] if one not in view.text] == []
    assert {word: told for word, told in case["roughly"].items() if roughly(view).get(word) != told} == {}
    for word, told in roughly(view).items():
        assert view.box.placeholder(word).endswith(f" {told}>") and word not in told
    assert [word for word in case["hidden"] if word in view.text] == []
    assert BALANCED.restore(view.text, view.box).text == text
    assert view.warnings == selection_notes(view.entities)


def test_most_of_what_a_question_does_not_need_stays_hidden():
    told, all_told = 0, 0
    for case in CASES:
        wanted = [*case["shown"], *case["roughly"]]
        for one in BALANCED.anonymize(case["text"], case["query"]).entities:
            if one.private and one.subtype in UNDERSTOOD | ROUGHLY:
                if not any(one.text in word or word in one.text for word in wanted):
                    all_told += 1
                    told += one.needed or bool(one.generalised)
    assert all_told > 30 and told / all_told < 1 / 3


def test_it_is_said_by_kind():
    view = BALANCED.anonymize(TEXT, QUERY)
    assert view.warnings == [
        "Left in clear because the query needs it: 1 medical condition.",
        "Told roughly because the query needs it: 1 age.",
    ]


@pytest.mark.parametrize(
    ("options", "clear", "rough"),
    [
        ({}, {"asthma"}, {"34": "band=30-39"}),
        ({"select": "off"}, set(), {}),
        ({"select_never": ("medical_condition",)}, set(), {"34": "band=30-39"}),
        ({"select_never": ("DEM",)}, set(), {}),
        ({"deny": ("asthma",)}, set(), {"34": "band=30-39"}),
        ({"strategies": {"age": "tag"}}, {"asthma"}, {}),
        ({"strategies": {"age": "enriched"}}, {"asthma"}, {}),
        ({"keep": ("phone",)}, {"asthma"}, {"34": "band=30-39"}),
    ],
    ids=str,
)
def test_what_is_set_goes_before_what_the_level_derives(options, clear, rough):
    view = Anonymizer(Options(privacy="balanced", **options)).anonymize(TEXT, QUERY)
    assert shown(view) == clear and roughly(view) == rough
    assert ("+44 7700 900461" in view.text) is ("keep" in options)


def test_a_person_decides_before_all():
    at = TEXT.index("asthma")
    hide = {"start": at, "end": at + 6, "private": True}
    view = BALANCED.anonymize(TEXT, QUERY, decisions=[hide])
    assert "asthma" not in view.text and not shown(view)
    street = {"start": TEXT.index("12 Mill"), "end": TEXT.index(", Warsaw"), "private": False}
    for anonymizer in (STRICT, BALANCED):
        assert "12 Mill Lane" in anonymizer.anonymize(TEXT, QUERY, decisions=[street]).text


def test_a_private_llm_tells_what_is_needed_and_the_level_what_becomes_of_it():
    def complete(messages, **more):
        return PrivateText(json.dumps(["Emma Williams", "34", "asthma", "12 Mill Lane", "+44 7700 900461"]))

    found = STRICT.anonymize(TEXT).entities
    options = Options(privacy="balanced", private_model="ollama:none")
    finders = Finders(llm=lambda options: complete)
    chosen = Pipeline(options, finders).select(TEXT, "What should she take?", found, [])
    assert {one.text for one in chosen if one.needed} == {"asthma"}
    assert {one.text for one in chosen if one.generalised} == {"34"}


def test_formulas_reckon_with_what_is_told_roughly():
    view = BALANCED.anonymize(TEXT, QUERY)
    tag = view.box.placeholder("34")
    assert tag == "<age-1 band=30-39>"
    for written in (tag, "<age-1>"):
        reply = f"In six years she is {{{{ {written} + 6 }}}}, now {written}."
        done = BALANCED.pipeline.reckon(reply, view.box, TEXT, view.text)
        assert BALANCED.restore(done.text, done.box).text == "In six years she is 40, now 34."


def test_a_placeholder_tells_from_the_text_on_in_which_it_is_needed():
    first = STRICT.anonymize(TEXT)
    assert first.box.placeholder("34") == "<age-1>"
    later = BALANCED.anonymize(TEXT, QUERY, box=first.box)
    assert "<age-1 band=30-39>" in later.text and roughly(later) == {"34": "band=30-39"}
    assert BALANCED.restore("<age-1>, <age-1 band=30-39>", later.box).text == "34, 34"
    # It has been told: hidden again it would only look as if it had not.
    last = STRICT.anonymize(TEXT, box=later.box)
    assert roughly(last) == {"34": "band=30-39"} and STRICT.restore(last.text, last.box).text == TEXT
    reopened = type(last.box).model_validate_json(last.box.model_dump_json())
    assert reopened.restore(last.text).text == TEXT


def test_what_is_private_itself_is_not_told():
    text = "Code word 30-39. Emma Williams, 34, has asthma."
    view = Anonymizer(Options(privacy="balanced", deny=("30-39",))).anonymize(text, QUERY)
    assert "30-39" not in view.text and roughly(view) == {"34": "band=thirties"}
    edge = BALANCED.anonymize("Emma Williams, 30, has asthma.", QUERY)
    assert "<age-1 band=thirties>" in edge.text and BALANCED.restore(edge.text, edge.box).text.startswith("Emma Will")


def test_a_shown_value_has_no_hidden_one_in_it():
    text = "Anna Lindqvist is a Lindqvist nurse and lives in Hull."
    entities = [
        Entity.at(text, 0, 14, "full_name"),
        Entity.at(text, 20, 35, "occupation"),
    ]
    assert text[20:35] == "Lindqvist nurse"
    chosen = BALANCED.pipeline.select(text, "Is the job as a Lindqvist nurse a good career?", entities, [])
    assert not any(one.needed for one in chosen)


def test_what_is_hidden_in_one_place_is_shown_in_none():
    text = "Vermont Marlow lives in Vermont, says Vermont."
    entities = [
        Entity.at(text, 0, 14, "full_name"),
        Entity.at(text, 24, 31, "region"),
        Entity.at(text, 38, 45, "first_name"),
    ]
    query = "Which law holds in Vermont?"
    assert not any(one.needed for one in BALANCED.pipeline.select(text, query, entities, []))
    assert [one.needed for one in BALANCED.pipeline.select(text, query, entities[1:2], [])] == [True]


def test_topics():
    assert topics_of("Darf sie die Tabletten nehmen?") == {"medicine"}
    assert "law" in topics_of("Quel est le préavis selon la loi ?")
    assert topics_of("Who won the race, and by how many minutes?") == frozenset()
    assert topics_of("Is the mat wet, and is this gift nice for her?") == frozenset()


LETTER = "My mother takes warfarin, and the chemist gave her tablets for the pain. Her INR was 3.4 and she is 30."


@pytest.mark.parametrize(
    ("query", "topics"),
    [
        ("Is that safe?", {"medicine"}),
        ("Was sollen wir tun?", {"medicine"}),
        ("¿Qué hago?", {"medicine"}),
        ("How many days are there between the two visits?", set()),
        ("Could you make it sound more polite?", set()),
        ("Should I reword it?", set()),
        ("Can they just do that?", {"law"}),
    ],
)
def test_a_question_for_a_judgement_is_about_what_the_text_is_about(query, topics):
    assert topics_of(query, LETTER) == topics
    assert topics_of(query) == topics - {"medicine"}, "a text that says nothing"


def test_what_was_measured_leaves_for_a_judgement_on_it_alone():
    for query, needed in (("Is that safe?", True), ("Which word comes first?", False)):
        view = BALANCED.anonymize_task(LETTER, query)
        assert ("3.4" in view.text) is needed and ("band=thirties" in view.text) is needed


def test_the_month_is_told_where_the_weather_is_asked():
    text = "Femi lives in Calgary. We fly on 14 January 2027."
    view = BALANCED.anonymize(text, "What clothes should we pack?")
    assert "<date-1 month=1>" in view.text and "month" not in BALANCED.anonymize(text, "How long is it?").text


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_answers_get_what_must_be_understood_and_no_secret():
    """What `strict` hides of names, codes, addresses and contacts, `balanced` hides too, in the text and the question."""
    records = [json.loads(line) for line in ANSWERS.read_text("utf-8").splitlines()]
    assert len(records) == 180
    labels = json.loads(UNDERSTOOD_FACTS.read_text("utf-8"))
    more, needed, others = [], list[bool](), list[bool]()
    for record in records:
        strict = STRICT.anonymize_task(record["text"], record["question"])
        view = BALANCED.anonymize_task(record["text"], record["question"])
        more += [record["id"] for word in record["secret"] if word in view.text and word not in strict.text]
        assert BALANCED.restore(view.text, view.box).text.endswith(record["question"])
        for one in view.entities:
            if one.private and one.subtype in UNDERSTOOD | {"city"} and one.end <= len(record["text"]):
                side = needed if one.text in labels.get(record["id"], ()) else others
                side.append(one.needed or bool(one.generalised))
    assert more == []
    assert sum(needed) / len(needed) >= 0.9 and sum(others) / len(others) < 0.2, (needed, others)


@pytest.mark.parametrize(
    ("value", "wanted"), [("sintrom", ""), ("Karzinom", "family="), ("Glaukom", "family="), ("sarcoidosis", "family=")]
)
def test_a_drug_is_told_as_no_illness(value, wanted):
    from gama.tools.styles.generalised import told

    assert wanted in told(value, "medical_condition") and bool(wanted) == bool(told(value, "medical_condition"))
