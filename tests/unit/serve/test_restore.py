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


FORMULA = "Together {{ <amount-1> + <amount-2> }}, by {{ <date-1> + 30 days }}; {{ <amount-1> + <date-1> }}."
TOLD = "Together £3,375.00, by 11 June 2026; [could not be reckoned: the values are not of the kinds that it needs]."


@pytest.mark.parametrize("clear", [True, False])
def test_formulas_there_and_back_with_a_kept_box(capsys, tmp_path, clear):
    kept = str(tmp_path / "b.box")
    letter = "The rent is £1,350.00, the deposit £2,025.00; the lease of Emma Williams ends on 12 May 2026."
    given = ["anonymize", "--formulas", "--box", kept, *(["--clear-box"] if clear else []), letter]
    assert run(given) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Reckoning with hidden values") and "1,350" not in shown
    assert (
        "{{ user.x }} {{ £1,350.00 * 2 }}"
        in restored(capsys, kept, "{{ user.x }} {{ <amount-1> * 2 }}", "--no-formulas").out
    )
    back = restored(capsys, kept, FORMULA)
    assert back.out.strip() == TOLD
    assert "a formula could not be reckoned: {{ <amount-1> + <date-1> }}: " in back.err and "1,350" not in back.err
    assert run(["anonymize", "--box", kept, *(["--clear-box"] if clear else []), "So it is 11 June 2026?"]) == 0
    assert "June" not in capsys.readouterr().out
    assert clear == ("11 June 2026" in (tmp_path / "b.box").read_text())


def test_formulas_of_lines_and_documents(capsys, tmp_path):
    kept = PrivacyBox(locale="en")
    for value, subtype in (("£1,350.00", "amount"), ("£2,025.00", "amount"), ("12 May 2026", "date")):
        kept.add(value, subtype)
    kept.save(tmp_path / "c.box")
    (tmp_path / "a.md").write_text(f"# Sum\n\n{FORMULA}\n\n- {{{{ <amount-1> }}}}\n")
    (tmp_path / "a.jsonl").write_text(json.dumps({"anonymized": FORMULA, "n": 1}) + "\n")
    box = str(tmp_path / "c.box")
    out = str(tmp_path / "o.md")
    assert run(["restore", "--formulas", "--box", box, "-o", out, str(tmp_path / "a.md")]) == 0
    assert (tmp_path / "o.md").read_text() == f"# Sum\n\n{TOLD}\n\n- £1,350.00\n"
    assert "a formula could not be reckoned" in capsys.readouterr().err
    assert run(["restore", "--formulas", "--jsonl", "--box", box, str(tmp_path / "a.jsonl")]) == 0
    assert json.loads(capsys.readouterr().out) == {"text": TOLD, "n": 1}


def test_who_has_no_box_is_not_told_of_formulas(capsys):
    assert run(["anonymize", "--formulas", "x"]) == 2
    assert "option --formulas" in capsys.readouterr().err
