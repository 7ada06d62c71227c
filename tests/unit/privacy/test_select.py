"""Selection: what a query needs stays in clear, and only that."""

import json
from dataclasses import replace

import pytest

from gama import Options
from gama.privacy.finders import Finders
from gama.privacy.select import marked, named_codes, needed_values, select, selection_notes
from gama.state.entities import TYPE_OF, Entity
from gama.state.errors import OptionError
from gama.state.private_text import PrivateText
from tests.support.choosing import FixedSelector

TEXT = (
    "Ana Brook, 34, earns $4,210 a month and owes $18,300. Her password is hunter2xyz. "
    "She moved to Tarnhaven in May; Tarnhaven is far."
)
QUERY = "Could she pay the debt off within a year?"


def mention(surface: str, subtype: str, text: str = TEXT, nth: int = 0, **more) -> Entity:
    start = -1
    for _ in range(nth + 1):
        start = text.index(surface, start + 1)
    kind = TYPE_OF[subtype]
    return Entity(text=surface, start=start, end=start + len(surface), type=kind, subtype=subtype, **more)


ENTITIES = [
    mention("Ana Brook", "full_name"),
    mention("34", "age"),
    mention("$4,210", "income"),
    mention("$18,300", "loan"),
    mention("hunter2xyz", "password"),
    mention("Tarnhaven", "city"),
    mention("Tarnhaven", "city", nth=1),
]


def finders_with(selector, options=None):
    return Finders(selector=lambda: selector)


def needed(entities) -> list[str]:
    return [entity.text for entity in entities if entity.needed]


def choose(selector, entities=ENTITIES, options=None, query=QUERY):
    options = options or Options()
    return select(TEXT, query, entities, options, finders_with(selector, options), [])


def choose_in(text, selector, entities):
    return select(text, QUERY, entities, Options(), finders_with(selector), [])


def test_what_the_query_needs_is_shown_and_the_rest_hidden():
    out = choose(FixedSelector("$4,210", "$18,300"))
    assert needed(out) == ["$4,210", "$18,300"]
    assert [entity.text for entity in out if entity.hidden] == [
        "Ana Brook", "34", "hunter2xyz", "Tarnhaven", "Tarnhaven",
    ]  # fmt: skip
    assert all(entity.private for entity in out), "what is needed is private all the same"


def test_names_and_secrets_are_never_shown_unless_one_says_so():
    assert needed(choose(FixedSelector("Ana Brook", "hunter2xyz", "34"))) == ["34"]
    free = Options(select_never=())
    assert needed(choose(FixedSelector("Ana Brook", "hunter2xyz"), options=free)) == ["Ana Brook", "hunter2xyz"]
    strict = Options(select_never=("DEM", "city"))
    assert needed(choose(FixedSelector("34", "Tarnhaven", "$4,210"), options=strict)) == ["$4,210"]
    with pytest.raises(OptionError, match="select_never"):
        Options(select_never=("salary",))


def test_a_value_is_needed_everywhere_or_nowhere():
    class First(FixedSelector):
        def scores(self, text, query, stretches):
            return [0.9 if start == ENTITIES[5].start else 0.1 for start, _ in stretches]

    assert needed(choose(First())) == ["Tarnhaven", "Tarnhaven"]
    both = [*ENTITIES[:6], mention("Tarnhaven", "last_name", nth=1)]
    assert needed(choose(First(), both)) == [], "one of them is a name, which is never shown"


def test_a_value_with_a_hidden_name_in_it_is_not_shown():
    text = "Ana Brook of Brook & Sons, and Ana of Anatolia Ltd, met Li of Lidl."
    entities = [
        mention("Ana Brook", "full_name", text), mention("Brook & Sons", "company", text),
        mention("Anatolia Ltd", "company", text), mention("Li", "first_name", text), mention("Lidl", "company", text),
    ]  # fmt: skip
    out = choose_in(text, FixedSelector("Brook & Sons", "Anatolia Ltd", "Lidl"), entities)
    assert needed(out) == ["Anatolia Ltd", "Lidl"]


def test_what_a_person_has_decided_stays():
    entities = [one.model_copy(update={"views": ("user",)}) if one.text == "$4,210" else one for one in ENTITIES]
    assert needed(choose(FixedSelector("$4,210", "34"), entities)) == ["34"]
    shown = mention("$4,210", "income", views=("user",), private=False)
    out = choose(FixedSelector("34"), [*ENTITIES[:2], shown])
    assert needed(out) == ["34"] and not out[2].hidden


def test_without_a_query_or_when_it_is_off_nothing_is_needed_and_no_model_asked():
    marked_already = [one.model_copy(update={"needed": True}) for one in ENTITIES]
    for options, query in ((Options(), "  "), (Options(select="off"), QUERY)):
        selector = FixedSelector("34")
        assert needed(choose(selector, marked_already, options, query)) == [] and selector.asked == []
    selector = FixedSelector("34")
    assert choose(selector, []) == [] and selector.asked == []


def test_a_task_has_its_query_behind_the_text():
    text = TEXT + "\n\n" + "Can she pay $900 a month?"
    at = text.index("Can she")
    entities = [*ENTITIES, mention("$900", "amount", text)]
    selector = FixedSelector("$900", "$4,210")
    options = Options()
    out = select(text, at, entities, options, finders_with(selector), [])
    assert needed(out) == ["$4,210", "$900"] and [one.start for one in out] == [one.start for one in entities]
    assert selector.asked == [(text[:at], text[at:]), (text[at:], text[at:])]


def test_values_of_several_parts_are_one():
    first, second = "He pays 40 EUR.", "Of these 40 EUR, Brook keeps 3."
    parts = [(first, [mention("40 EUR", "amount", first)]), (second, [mention("40 EUR", "amount", second)])]

    class First(FixedSelector):
        def scores(self, text, query, stretches):
            return [0.9 if text == first else 0.1 for _ in stretches]

    values = needed_values(parts, QUERY, Options(), finders_with(First()), [])
    assert [needed(marked(entities, values)) for _, entities in parts] == [["40 EUR"], ["40 EUR"]]


def test_the_notes_name_kinds_and_no_values():
    notes = selection_notes(choose(FixedSelector("$4,210", "34", "Tarnhaven")))
    assert notes == ["Left in clear because the query needs it: 1 age, 1 city, 1 income."]
    assert selection_notes(ENTITIES) == []


class Local:
    """A private LLM that answers from a script."""

    def __init__(self, *replies: str) -> None:
        self.replies = list(replies)
        self.asked: list[str] = []

    def __call__(self, messages):
        self.asked.append("\n".join(str(getattr(m["content"], "reveal", lambda m=m: m["content"])()) for m in messages))
        return PrivateText(self.replies.pop(0))


@pytest.mark.parametrize(("strategy", "shown"), [("auto", True), ("choice", True), ("self_cot", False)])
def test_with_a_private_llm_it_is_asked(strategy, shown):
    local = Local(json.dumps(["$4,210", "Ana Brook"]))
    options = Options(select=strategy)
    finders = Finders(llm=lambda _: local)
    out = select(TEXT, QUERY, ENTITIES, options, finders, [])
    assert needed(out) == ["$4,210"] and len(local.asked) == 1
    assert ("1. 34" in local.asked[0]) is shown
    assert "1. Ana" not in local.asked[0], "what is never shown is not offered"


def test_an_unreadable_answer_hides_everything_and_says_so():
    notes: list[str] = []
    finders = Finders(llm=lambda _: Local("I think all of them.", "Really, all."))
    out = select(TEXT, QUERY, ENTITIES, Options(), finders, notes)
    assert needed(out) == [] and len(notes) == 1


def test_a_strategy_without_a_private_llm_is_an_error():
    with pytest.raises(OptionError, match="private_model"):
        choose(FixedSelector(), options=Options(select="naive"))


def test_the_embedded_model_is_used_where_it_is_named_though_there_is_an_llm():
    selector = FixedSelector("34")
    finders = replace(finders_with(selector), llm=lambda _: Local())
    assert needed(select(TEXT, QUERY, ENTITIES, Options(select="embedded"), finders, [])) == ["34"]


@pytest.mark.parametrize(
    ("query", "kinds"),
    [
        ("Is the IBAN valid?", {"iban"}),
        ("Which number should they call?", {"phone"}),
        ("Ist die Kontonummer richtig?", {"iban", "bank_account"}),
        ("Wie lautet das Kennzeichen?", {"vehicle_plate"}),
        ("What does she earn?", set()),
        ("Is this fair?", set()),
        ("What IP address is affected?", {"ip_address"}),
    ],
)
def test_which_codes_a_query_names(query, kinds):
    assert named_codes(query) == kinds


def test_where_the_query_names_a_code_no_other_is_shown():
    text = "IBAN GB29 NWBK 6016 1331 9268 19, telephone 07700 900461, order 4711-22."
    codes = [mention("GB29 NWBK 6016 1331 9268 19", "iban", text), mention("07700 900461", "phone", text),
             mention("4711-22", "order_number", text)]  # fmt: skip

    class All(FixedSelector):
        def scores(self, text, query, stretches):
            return [0.6, 0.6, 0.3]

    finders, options = finders_with(All()), Options()
    assert needed(select(text, "Is the IBAN valid?", codes, options, finders, [])) == [codes[0].text]
    assert needed(select(text, "Is this a scam?", codes, options, finders, [])) == [codes[0].text, codes[1].text]
    assert needed(select(text, "Where is my parcel?", codes, options, finders, [])) == ["4711-22"], "half will do"
    assert needed(select(text, "Is my passport valid?", codes, options, finders, [])) == [codes[0].text, codes[1].text]


def test_a_query_in_several_stretches_is_a_part_of_its_own():
    text = "Is $4,210 enough? Ana Brook, 34, earns $4,210 a month. Can she pay $18,300?"
    entities = [
        mention("$4,210", "income", text),
        mention("34", "age", text),
        mention("$4,210", "income", text, nth=1),
        mention("$18,300", "loan", text),
    ]
    spans = [(0, 17), (text.index("Can she"), len(text))]
    selector = FixedSelector("$18,300")
    out = select(text, spans, entities, Options(), finders_with(selector), [])
    asked = "Is $4,210 enough?\nCan she pay $18,300?"
    assert selector.asked == [(" Ana Brook, 34, earns $4,210 a month. ", asked), (asked, asked)]
    assert needed(out) == ["$18,300"] and [one.start for one in out] == [one.start for one in entities]


def test_a_mention_across_the_edge_of_the_query_is_not_needed():
    text = "She owes $18,300 now. Can she pay?"
    at = text.index("300")
    out = select(
        text,
        [(at, len(text))],
        [mention("$18,300", "loan", text)],
        Options(),
        finders_with(FixedSelector("$18,300")),
        [],
    )
    assert needed(out) == []
