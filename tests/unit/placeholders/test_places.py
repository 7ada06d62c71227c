"""A value is written so that it stands for itself where it lands; nothing else in the answer changes."""

import ast
import csv
import io
import json
from urllib.parse import parse_qs, unquote, urlsplit
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gama.privacy.box import PrivacyBox
from gama.state.restoring import Place, Restoring
from gama.tools.placeholders.arguments import restore_values
from gama.tools.placeholders.remapping import remap_text
from gama.tools.placeholders.stream import restore_stream

AWKWARD = [
    'Ann "AJ" Lee', "O'Hara", "a, b; c", "<b>bold</b> & co", "C:\\new\\x", "two\nlines", "50 % $x `y` {z}", "田中 é 😀",
    '"', "'", "\\", "&amp;", "${x}", "]]>", "--", "''", '"""', "name-1", "<name-2>",
]  # fmt: skip
VALUES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30)


def box_of(value: str) -> PrivacyBox:
    box = PrivacyBox()
    box.add(value, "full_name", "A")
    return box


def restored(text: str, value: str, place: Place = "auto") -> str:
    how = Restoring(place=place)
    whole = remap_text(text, box_of(value), how)
    assert "".join(restore_stream(list(text), box_of(value), how)) == whole.text
    assert len(whole.places) == text.count("name-1")
    return whole.text


@pytest.mark.parametrize("value", AWKWARD)
def test_every_place_reads_back_the_value(value):
    assert json.loads(restored('{"to": "<name-1>", "n": 1}', value)) == {"to": value, "n": 1}
    assert json.loads(restored('["Dear <name-1>!", {"<name-1>": null}]', value)) == [f"Dear {value}!", {value: None}]
    inner = json.loads(restored('{"arguments": "{\\"to\\": \\"<name-1>\\"}"}', value))["arguments"]
    assert json.loads(inner) == {"to": value}
    assert json.loads(fenced(restored('Here:\n```json\n{"to": "<name-1>"}\n```\nBye', value))) == {"to": value}
    assert ast.literal_eval(fenced(restored("```python\n[\"<name-1>\", '<name-1>']\n```\n", value))) == [value, value]
    address = urlsplit(restored("https://example.org/p/<name-1>?q=<name-1>&n=1", value))
    assert unquote(address.path).startswith(f"/p/{value}") and parse_qs(address.query)["q"] == [value]


@settings(max_examples=200)
@given(VALUES)
def test_any_value_survives_json_csv_python_and_urls(value):
    assert json.loads(restored('{"to": "<name-1>"}', value)) == {"to": value}
    rows = list(csv.reader(io.StringIO(fenced(restored("```csv\na,b\nMr <name-1>,<name-1>\n```\n", value)))))
    assert rows[1:2] == [[f"Mr {value}", value]]
    assert ast.literal_eval(fenced(restored("```py\n'<name-1>'\n```\n", value))) == value
    assert parse_qs(urlsplit(restored("https://example.org/?q=<name-1>", value)).query, True) == {"q": [value]}


@settings(max_examples=200)
@given(st.text(st.characters(exclude_categories=["Cs", "Cc", "Co", "Cn"]), min_size=1, max_size=30))
def test_any_value_survives_xml(value):
    root = ElementTree.fromstring(fenced(restored("```xml\n<r a=\"<name-1>\" b='<name-1>'><name-1></r>\n```\n", value)))
    assert (root.attrib["a"], root.attrib["b"], root.text) == (value, value, value)


def fenced(text: str) -> str:
    return text.split("```")[1].partition("\n")[2]


@pytest.mark.parametrize("value", AWKWARD)
def test_prose_gets_the_value_as_it_is(value):
    text = "Dear <name-1>, [see <name-1>] and `<name-1>`; \"<name-1>\", {x: '<name-1>'} & <b><name-1></b>."
    assert restored(text, value) == text.replace("<name-1>", value)


CODE = [
    ("sql", "select '<name-1>' -- it's <name-1>", "select 'O''Hara' -- it's O'Hara"),
    ("sh", "echo '<name-1>' \"<name-1>\"", "echo 'O'\\''Hara' \"O'Hara\""),
    ("js", "f('<name-1>', `<name-1>`) // don't <name-1>", "f('O\\'Hara', `O'Hara`) // don't O'Hara"),
    ("yaml", "a: '<name-1>'", "a: 'O''Hara'"),
    ("go", "x := `<name-1>`", "x := `O'Hara`"),
    ("python", "f'{age-1} <name-1>' # don't\nr'<name-1>'", "f'{age-1} O\\'Hara' # don't\nr'O'Hara'"),
    ("python", "'''<name-1>'''", "'''O\\'Hara'''"),
    ("html", "<p title='<name-1>'><name-1></p><!-- <name-1> -->", "<p title='O&#39;Hara'>O'Hara</p><!-- O'Hara -->"),
    ("unheard-of", "'<name-1>'", "'O'Hara'"),
    ("", "'<name-1>'", "'O'Hara'"),
]


@pytest.mark.parametrize(("language", "code", "expected"), CODE)
def test_strings_in_code(language, code, expected):
    assert restored(f"See:\n```{language}\n{code}\n```\nDear <name-1>", "O'Hara") == (
        f"See:\n```{language}\n{expected}\n```\nDear O'Hara"
    )


def test_in_code_what_looks_like_a_placeholder_without_brackets_is_an_expression():
    box = box_of("Emma")
    box.add("34", "age")
    code = '```python\nx = ages[age-1] + age-1 * name_1\nprint("Dear name-1", f"{age-1}")\n```\n'
    assert remap_text(code, box).text == code.replace("Dear name-1", "Dear Emma")
    script = "```js\nlet a = `${age-1} <age-1>`\n```\n"
    assert remap_text(script, box).text == script.replace("<age-1>", "34")


def test_fields_of_tables_are_quoted_only_where_they_must():
    text = '```csv\nname,city\n<name-1>,x\n"<name-1>",y\n```\n<name-1>, z\n'
    assert restored(text, "Lee, Ann") == '```csv\nname,city\n"Lee, Ann",x\n"Lee, Ann",y\n```\nLee, Ann, z\n'
    assert restored(text, "Ann") == text.replace("<name-1>", "Ann")
    assert restored("<name-1>\tx\n", "a\tb", "tsv") == '"a\tb"\tx\n'


@pytest.mark.parametrize(
    "table",
    ["<name-1>\r\nb", "a,<name-1>\r\n", "<name-1>\r,x", "<name-1>\rb\r\n", '"<name-1>"\r\n"b"', "<name-1>\r<name-1>\r"],
)
def test_a_line_of_a_table_ends_where_it_ends_however_a_stream_is_cut(table):
    box, how = box_of('Ann "AJ", Lee'), Restoring(place="csv")
    assert "".join(restore_stream(table, box, how)) == remap_text(table, box, how).text


def test_places_given_by_the_caller():
    box = box_of('Ann "AJ" Lee')
    box.add("34", "age")
    text = '{"n": <age-1>, "who": <name-1>, "l": [<name-1>]}'
    found = json.loads(remap_text(text, box, Restoring(place="json")).text)
    assert found == {"n": 34, "who": 'Ann "AJ" Lee', "l": ['Ann "AJ" Lee']}
    assert remap_text('{"to": "<name-1>"}', box, Restoring(place="plain")).text == '{"to": "Ann "AJ" Lee"}'
    assert remap_text("<name-1>", box, Restoring(place="url")).text == "Ann%20%22AJ%22%20Lee"
    assert remap_text("<a b='<name-1>'>", box, Restoring(place="html")).text == "<a b='Ann &quot;AJ&quot; Lee'>"


def test_urls():
    box = box_of("a b/c")
    box.add("emma@mail.example", "email")
    box.add("https://acme.example/x?y=1", "url")
    assert remap_text("https://h.example/<name-1>, mailto:<email-1>?to=<email-1>", box).text == (
        "https://h.example/a%20b%2Fc, mailto:emma@mail.example?to=emma%40mail.example"
    )
    assert remap_text("<url-1> https://<url-1>", box).text == ("https://acme.example/x?y=1 https://acme.example/x?y=1")


def test_an_answer_that_only_begins_like_json_is_prose():
    box = box_of('"A"')
    assert remap_text("[<name-1>, <name-1>]", box).text == '["A", "A"]'
    assert remap_text('{"a": 1} and "<name-1>"', box).text == '{"a": 1} and ""A""'
    assert remap_text('[Note] "<name-1>"\n```json\n"<name-1>"\n```', box).text == (
        '[Note] ""A""\n```json\n"\\"A\\""\n```'
    )


def test_members_keep_their_names():
    text = '{"name_1": "name-1 and <name-1>", "<name-1>": ["name-1"], "s": "{\\"name-1\\": \\"name-1\\"}"}'
    assert remap_text(text, box_of("Emma")).text == (
        '{"name_1": "Emma and Emma", "Emma": ["Emma"], "s": "{\\"name-1\\": \\"Emma\\"}"}'
    )


@pytest.mark.slow
def test_tool_arguments():
    box = box_of('Ann "AJ" Lee')
    given = {"to": "<name-1>", "l": [{"<name-1>": ["for <name-1>", 3, None]}]}
    assert restore_values(given, box) == {"to": 'Ann "AJ" Lee', "l": [{'Ann "AJ" Lee': ['for Ann "AJ" Lee', 3, None]}]}
    assert given["to"] == "<name-1>"
    assert json.loads(restore_values('{"to": "<name-1>"}', box)) == {"to": 'Ann "AJ" Lee'}
    assert restore_values(7, box) == 7
    deep: list = []
    for _ in range(50_000):
        deep = [deep, "<name-1>"]
    assert restore_values(deep, box)[1] == 'Ann "AJ" Lee'
