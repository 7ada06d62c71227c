"""Objects out of whatever a model writes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gama.models.json_replies import read_object
from gama.models.wire import wire_schema

SCHEMA = {
    "title": "finding",
    "type": "object",
    "properties": {
        "contradiction": {"type": "boolean"},
        "reason": {"type": "string", "default": "", "x-aliases": ["why"]},
    },
    "required": ["contradiction", "reason"],
    "additionalProperties": False,
}
REST = {"reason": ""}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"contradiction": true}', {}),
        ('```json\n{"contradiction": true, "reason": "x"}\n```', {"reason": "x"}),
        ("```\n{'contradiction': True,}\n```", {}),
        ('<think>{"contradiction": false}</think>{"contradiction": true}', {}),
        ('{"contradiction": false}</think>\n{"contradiction": true}', {}),
        ('Sure! Here it is: {"contradiction": true, "reason": "a {nested} \\"thing\\""} Bye.', {"reason": 'a {nested} "thing"'}),
        ("{contradiction: true, reason: 'it\\'s late'}", {"reason": "it's late"}),
        ('{"contradiction": true, // so it is\n "reason": "x"}', {"reason": "x"}),
        ('{"contradiction": true, "reason": "he said "no" twice"}', {"reason": 'he said "no" twice'}),
        ('{"contradiction": true, "reason": "cut off he', {"reason": "cut off he"}),
        ('{"Contradiction": "Yes", "WHY": null}', {}),
        ('[{"contradiction": true}]', {}),
        ('{"finding": {"contradiction": true, "reason": "inside"}}', {"reason": "inside"}),
        ('{"contradiction": false, "reason": "draft"} no: {"contradiction": true}', {}),
        ('{"contradiction": true, "reason": 7, "extra": {"a": 1}}', {"reason": "7"}),
        ('{"contradiction": true, "reason": "line\nbreak"}', {"reason": "line\nbreak"}),
        ('{"contradiction": true, "reason": "\\u001b[2Jred \\ud83d\\u202e!"}', {"reason": "[2Jred !"}),
    ],
)  # fmt: skip
def test_read(text, found):
    assert read_object(text, SCHEMA) == ({**REST, "contradiction": True, **found}, "")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "there is no JSON object in it"),
        ("There is none.", "there is no JSON object in it"),
        ('{"reason": "x"}', "the key 'contradiction' is missing"),
        ('{"contradiction": "perhaps Planted"}', "the value of 'contradiction' is not of type 'boolean'"),
        ('{"contradiction": 1}', "the value of 'contradiction' is not of type 'boolean'"),
        ('{"contradiction": true, "reason": ["Planted"]}', "the value of 'reason' is not of type 'string'"),
    ],
)
def test_the_problem_is_named_in_words_of_the_schema(text, problem):
    assert read_object(text, SCHEMA) == (None, problem)


HOSTILE = [
    "{" * 50_000,
    '{"a":' * 50_000,
    "[" * 50_000 + "{}",
    '{"a" ' * 50_000,
    "{'" * 50_000,
    '{"contradiction": ' + "9" * 50_000 + "}",
    '{"a": "' + '\\"' * 50_000,
    "{}" * 50_000,
    '{"contradiction": true' + "\x00" * 50_000,
    "<think>" * 50_000 + "{}",
    "/*" * 50_000 + "{",
]


@pytest.mark.timeout(120)
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_replies_end(text):
    found = read_object(text, SCHEMA)
    assert found.data is None or found.data["contradiction"] is True


@given(st.text(max_size=200))
def test_any_text_ends_in_an_object_or_a_problem(text):
    data, problem = read_object(text, SCHEMA)
    assert (data is None) == bool(problem)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(st.booleans(), st.text(st.characters(exclude_categories=["C"])), st.dictionaries(st.text(), JSON, max_size=3))
def test_what_json_can_say_is_read_as_it_is(contradiction, reason, more):
    names = {"contradiction", "reason", "why"}
    more = {key: value for key, value in more.items() if key.strip().casefold() not in names}
    found = read_object(json.dumps({**more, "contradiction": contradiction, "reason": reason}), SCHEMA)
    assert found.data == {**REST, "contradiction": contradiction, "reason": reason}


def test_a_mark_of_thinking_in_a_string_is_no_thinking():
    found = read_object('{"contradiction": true, "reason": "<think> stands in the letter"}', SCHEMA)
    assert found.data == {**REST, "contradiction": True, "reason": "<think> stands in the letter"}


def test_what_is_for_reading_only_is_not_sent():
    sent = wire_schema(
        {**SCHEMA, "properties": {**SCHEMA["properties"], "default": {"type": "string", "default": "x"}}}
    )
    assert sent["properties"]["reason"] == {"type": "string"} and sent["properties"]["default"] == {"type": "string"}
    assert sent["required"] == ["contradiction", "reason"] and sent["additionalProperties"] is False
    assert SCHEMA["properties"]["reason"]["default"] == ""


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (["clue 1 holds", "clue 2: 4"], ["clue 1 holds", "clue 2: 4"]),
        ("all hold", ["all hold"]),
        ([{"clue": 1, "holds": True}, 3, None], ['{"clue": 1, "holds": true}', "3", ""]),
        ([], []),
    ],
)
def test_a_list_of_texts_is_read_however_it_is_written(written, read):
    schema = {"type": "object", "properties": {"checks": {"type": "array", "items": {"type": "string"}}}}
    assert read_object(json.dumps({"checks": written}), schema) == ({"checks": read}, "")
