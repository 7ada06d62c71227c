"""`gama restore`: places, the unknown, what was mended."""

import json

import pytest

from gama.privacy.box import PrivacyBox
from gama.serve.cli import run


@pytest.fixture
def box(tmp_path):
    made = PrivacyBox()
    made.add('Ann "AJ" Lee', "full_name", "A")
    made.save(tmp_path / "a.box")
    return str(tmp_path / "a.box")


def restored(capsys, box, text, *options):
    assert run(["restore", "--box", box, *options, "--", text]) == 0
    return capsys.readouterr()


def test_values_are_escaped_for_their_place(capsys, box):
    text = '{"to": "<name-1>"}'
    assert json.loads(restored(capsys, box, text).out) == {"to": 'Ann "AJ" Lee'}
    assert restored(capsys, box, text, "--place", "plain").out.strip() == '{"to": "Ann "AJ" Lee"}'
    assert restored(capsys, box, "<name-1>", "--place", "url").out.strip() == "Ann%20%22AJ%22%20Lee"


def test_the_unknown_is_reported_and_left_taken_out_or_marked(capsys, box):
    for policy, out, note in [
        ("keep", "Ask <name-7> now", "left as it is"),
        ("drop", "Ask now", "taken out"),
        ("repair", "Ask [unknown name] now", "marked as unknown"),
    ]:
        shown = restored(capsys, box, "Ask <name-7> now", "--unknown", policy)
        assert shown.out.strip() == out and f"<name-7> is no placeholder of this box; it was {note}" in shown.err


def test_json_tells_what_was_mended(capsys, box):
    shown = json.loads(restored(capsys, box, "Dear [Name 1]", "--json").out)
    assert shown == {
        "text": 'Dear Ann "AJ" Lee',
        "unresolved": [],
        "unused": [],
        "mended": ["[Name 1]"],
        "withheld": [],
    }


def test_a_wrong_choice(capsys, box):
    assert run(["restore", "--box", box, "--place", "letter", "x"]) == 2
    assert "option --place: Input should be 'auto'" in capsys.readouterr().err
