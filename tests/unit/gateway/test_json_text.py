"""JSON texts: laid out for reading, rebuilt with all else unchanged."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gama.serve.gateway.json_text import is_json, lay_out, pieces, rebuild

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@pytest.mark.parametrize("text", ["", "a", "[INST] x", "{a: 1}", '"word"', "3", "{", "[" * 100_000])
def test_what_is_no_json_object_or_list(text):
    assert not is_json(text)


@settings(max_examples=40)
@given(st.dictionaries(st.text(), VALUES) | st.lists(VALUES), st.booleans())
def test_rebuilt_with_the_same_values_it_is_the_same_text(value, ascii):
    text = json.dumps(value, ensure_ascii=ascii, indent=1)
    assert rebuild(text, iter([piece.value for piece in pieces(text)])) == text


@pytest.mark.slow
@settings(max_examples=40)
@given(st.dictionaries(st.text(), VALUES))
def test_rebuilt_with_other_values_it_is_json(value):
    text = json.dumps(value)
    json.loads(rebuild(text, iter([f'{piece.value}"\\\n' for piece in pieces(text)])))


def test_what_is_unchanged_keeps_its_form():
    text = '{ "a":"\\u00e9", "n": 1.10, "b" : ["x"] }'
    made = rebuild(text, iter(["a", "é", "n", "1.10", "b", '"y"']))
    assert made == '{ "a":"\\u00e9", "n": 1.10, "b" : ["\\"y\\""] }'


def test_json_inside_json_is_read_too():
    text = json.dumps({"body": json.dumps({"to": "Ada"})})
    found = list(pieces(text))
    assert [piece.value for piece in found] == ["body", "to", "Ada"]
    assert json.loads(json.loads(rebuild(text, iter(["body", "to", "<name-1>"])))["body"]) == {"to": "<name-1>"}


def test_a_number_that_is_hidden_becomes_a_string():
    assert rebuild('{"n": 447700900461}', iter(["n", "<phone-1>"])) == '{"n": "<phone-1>"}'


def test_the_layout():
    found = list(pieces('{"name": "Ada Obi", "tags": ["x", 5]}'))
    layout = lay_out(found)
    assert layout.text == "name: Ada Obi\ntags: x\n5\n"
    assert [layout.text[start:end] for start, end in layout.places] == [piece.value for piece in found]
