"""Lists and expressions of the user's own."""

from pathlib import Path

import pytest

from gama.state.entities import Span
from gama.state.errors import OptionError
from gama.tools.recognizers.base import hit
from gama.tools.recognizers.custom import CustomRules, DenyList, load_rules
from gama.tools.recognizers.declared import PatternEngine

GOOD = """\
recognizers:
  - name: project_code
    subtype: other_id
    pattern: 'PRJ-(?P<v>\\d{5})'
    score: 0.8
    private: null
deny: [Project Bluebird, 李雷]
allow:
  - Example GmbH
"""


def write(folder: Path, text: str) -> Path:
    file = folder / "rules.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def test_rules_are_read(tmp_path: Path) -> None:
    rules = load_rules(write(tmp_path, GOOD))
    assert [one.name for one in rules.recognizers] == ["project_code", "deny_list"]
    text = "PRJ-12345 is project bluebird, 我是李雷啊"
    spans = PatternEngine(rules.recognizers).find(text)
    assert [text[span.start : span.end] for span in spans] == ["12345", "project bluebird", "李雷"]
    assert [span.private for span in spans] == [None, 1.0, 1.0]


def test_empty_file_means_no_rules(tmp_path: Path) -> None:
    rules = load_rules(write(tmp_path, ""))
    assert rules.recognizers == ()
    spans = [hit(0, 2, "date", "x", score=0.5)]
    assert rules.keep("ab", spans) == spans


ENTRY = "recognizers:\n  - name: a\n    subtype: other_id\n    pattern: 'x'\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("recognisers: []\n", r"rules\.yaml, line 1: unknown key 'recognisers'; known keys: allow, deny, recognizers"),
        ("- a\n", "line 1: the file must hold keys"),
        ("allow:\n  - a\n  - ''\n", "line 1: key 'allow': must be a list of texts"),
        ("deny: word\n", "line 1: key 'deny'"),
        ("recognizers: 3\n", "line 1: key 'recognizers': must be a list"),
        (ENTRY + "  - 3\n", "line 5: key 'recognizers': each entry"),
        (ENTRY.replace("'x'", "'('"), "line 4: key 'pattern': is no regular expression"),
        (ENTRY.replace("'x'", "'x*'"), "line 4: key 'pattern': matches the empty text"),
        (ENTRY.replace("'x'", "'(a+)+b'"), "line 4: key 'pattern': repeats a repetition"),
        (ENTRY.replace("other_id", "secret"), "line 3: key 'subtype': 'secret' is unknown; known subtypes: .*other_id"),
        (ENTRY.replace("name: a", "name: 'a b'"), "line 2: key 'name'"),
        (ENTRY + "    score: 2\n", "line 5: key 'score': must be a number from 0 to 1"),
        (ENTRY + "    private: yes\n", "line 5: key 'private'"),
        (ENTRY + "    ignore_case: 1\n", "line 5: key 'ignore_case'"),
        (ENTRY + "    colour: red\n", "line 5: key 'colour': unknown; known keys: "),
        ("recognizers:\n  - name: a\n    subtype: other_id\n", "line 2: key 'pattern': is needed"),
        (ENTRY + ENTRY.removeprefix("recognizers:\n"), "line 5: key 'name': 'a' is used twice"),
        ("a: [\n", r"line 2: is not valid YAML"),
        ("!!python/object/apply:os.system ['true']\n", "is not valid YAML"),
    ],
)
def test_mistakes_name_file_line_and_key(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        load_rules(write(tmp_path, text))


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="cannot be read"):
        load_rules(tmp_path / "none.yaml")
    file = tmp_path / "latin.yaml"
    file.write_bytes("deny: [José]".encode("latin-1"))
    with pytest.raises(OptionError, match="is not UTF-8"):
        load_rules(file)


def test_deny_list() -> None:
    text = "ACME and Acmeville; acme's boss"
    spans = list(DenyList(["acme"]).find(text))
    assert [(span.start, span.end) for span in spans] == [(0, 4), (20, 24)]
    assert all(span.validated and span.subtype == "other_id" for span in spans)


def test_allow_list_covers_whole_spans_only() -> None:
    text = "Example GmbH, Example"
    inside = Span(0, 7, "ORG", "company", 0.5, "pner")
    outside = Span(14, 21, "ORG", "company", 0.5, "pner")
    assert CustomRules((), ("example gmbh",)).keep(text, [inside, outside]) == [outside]
