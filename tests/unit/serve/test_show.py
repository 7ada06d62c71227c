"""What is shown of a reply: on a terminal and on a pipe."""

import io

import pytest
from rich.console import Console
from rich.text import Text

from gama.serve import render, reply_labels
from gama.serve.render import write_reply


@pytest.fixture(autouse=True)
def own_environment(monkeypatch):
    for name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")


def terminal(width: int = 80, **options) -> Console:
    return Console(file=io.StringIO(), force_terminal=True, width=width, color_system="standard", **options)


def shown(reply, question, what="all", console=None):
    console = console or terminal()
    render.show_reply(reply, question, what, console)
    return console.file.getvalue()


def text_of(output: str) -> str:
    return Text.from_ansi(output).plain


def test_a_terminal_shows_every_part(reply, letter):
    output = text_of(shown(reply, letter))
    for part in (
        "Emma[tc]", "GB29 NWBK[pc]", "Emma[u]", "Daniel[f]", "person ×3", "t = tagger", "1 judged public",
        "Dear <name-1>,", "Finance", "Extremely High", "0.90", "<name-1>, pay [red]now[/red].", "ModelTimeout",
        "1 round: no contradiction was left", "round 1: <name-1> is not <name-2>.",
        "Emma, the text names an IBAN: GB29 NWBK.", "2 private values put back", "seal 0.01", "expert Finance 0.50",
        "4; 1200 tokens in, 88 out", "openai:gpt-4o", "gama forget thread-7", "note: The expert for Law",
    ):  # fmt: skip
        assert part in output, part
    assert "stand-in" not in output


def test_what_is_private_is_coloured_by_type(reply, letter):
    spans = {(span.start, span.end): str(span.style) for span in render.letter(letter, reply["entities"]).spans}
    styles = list(spans.values())
    assert render.COLOURS["PER"] in styles and render.COLOURS["CODE"] in styles
    assert render.COLOURS["LOC"] not in styles, "what is public is not marked"
    assert len(set(render.COLOURS.values())) == len(render.COLOURS) == len(reply_labels.TYPE_NAMES)
    # Both ink and paper are set: readable on a light and on a dark terminal.
    assert all(" on " in style for style in render.COLOURS.values())


@pytest.mark.parametrize("width", [80, 40, 200])
def test_no_line_is_wider_than_the_terminal(reply, letter, width):
    reply["anonymized"] += " word" * 100 + "x" * 300
    for line in text_of(shown(reply, letter, console=terminal(width))).splitlines():
        assert len(line) <= width


def test_no_color_keeps_the_marks(reply, letter):
    output = shown(reply, letter, console=terminal(no_color=True))
    assert "\x1b[3" not in output and "\x1b[4" not in output.replace("\x1b[4m", "")
    assert "Emma[tc]" in text_of(output)


def test_show_private_and_public(reply, letter):
    private, public = text_of(shown(reply, letter, "private")), text_of(shown(reply, letter, "public"))
    assert "restored at home" in private and "Emma" in private and "What left" not in private
    assert "What left" in public and "Emma" not in public and "GB29" not in public and "Daniel" not in public
    for what in ("private", "public"):
        titles = [line[3:] for line in write_reply(reply, letter, what).splitlines() if line.startswith("== ")]
        assert titles and all(f"{title} ───" in text_of(shown(reply, letter, what)) for title in titles)


def test_markup_and_control_sequences_of_letter_and_model_are_data(reply):
    bad = "[bold]\x1b[2J[/nope] \x1b]8;;http://x\x07click \u202eevil [link=http://x]y[/link]"
    for where in ("answer", "anonymized"):
        reply[where] = bad
    reply["experts"][0]["answer"] = reply["experts"][1]["error"] = reply["domains"][0]["domain"] = bad
    reply["contradictions"][0]["reason"] = reply["warnings"][0] = reply["models"]["public"] = bad
    reply["entities"] = []
    for console in (terminal(300), Console(file=io.StringIO(), width=300)):
        output = shown(reply, bad, console=console)
        assert "[2J[/nope]" in output and "[bold]" in output and "[link=http://x]" in output
        for sequence in ("\x1b[2J", "\x1b]8", "\x07", "\u202e"):
            assert sequence not in output


def test_a_pipe_gets_plain_text_with_whole_lines(reply, letter):
    reply["answer"] = "long " * 100 + "Emma"
    output = shown(reply, letter, console=Console(file=io.StringIO(), width=80))
    assert output == write_reply(reply, letter, "all")
    assert "\x1b" not in output and "─" not in output and "long " * 100 + "Emma" in output
    assert "Dear [Emma PER:tc]," in output and "[GB29 NWBK CODE:pc]" in output and "Louvre CODE" not in output
    assert "put back here: Emma (<name-1>)" in output
    assert "Law              Medium           0.40" in output
    assert "-- Law (Medium)\ndid not answer: ModelTimeout" in output


def test_a_width_that_is_asked_for_is_kept_on_a_pipe(reply, letter, monkeypatch):
    reply["answer"] = "long " * 100 + "x" * 200
    monkeypatch.setenv("COLUMNS", "50")
    output = shown(reply, letter, console=Console(file=io.StringIO()))
    assert max(len(line) for line in output.splitlines()) == 50
    assert output.replace("\n", "").count("x") >= 200


def test_a_dumb_terminal_gets_plain_text(reply, letter, monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    assert shown(reply, letter, console=terminal()) == write_reply(reply, letter, "all")


def test_the_stand_in_says_so_once_with_the_line_that_changes_it(reply, letter):
    from gama.models.standin import NAME, NOTE

    assert reply_labels.STANDIN == NAME and reply_labels.STANDIN_CURE in NOTE
    reply["models"]["public"] = NAME
    reply["warnings"].append(NOTE)
    for output in (text_of(shown(reply, letter)), write_reply(reply, letter, "all")):
        assert output.count(reply_labels.STANDIN_CURE) == 1
        assert "no public model is configured" in " ".join(output.replace("│", " ").split())


def test_a_reply_with_nothing_private_and_no_disproof(reply):
    reply |= {"entities": [], "verdict": "off", "rounds": 0, "contradictions": [], "answer": "Nine."}
    for output in (text_of(shown(reply, "When?")), write_reply(reply, "When?", "all")):
        assert "nothing private was found" in output and "switched off" in output and "put back" not in output


def test_a_resumed_run_has_no_letter_to_show(reply):
    for output in (text_of(shown(reply, None)), write_reply(reply, None, "all")):
        assert "Your letter" not in output and "restored at home" in output


def test_overlapping_spans_lose_no_text(letter):
    entities = [
        {"start": 5, "end": 9, "private": True, "type": "PER", "views": ["pner"], "text": "Emma"},
        {"start": 7, "end": 20, "private": True, "type": "ORG", "views": ["pia"], "text": letter[7:20]},
        {"start": 0, "end": 4, "private": False, "type": "PER", "views": [], "text": "Dear"},
    ]
    assert "".join(piece.text for piece in reply_labels.pieces(letter, entities)) == letter


def test_every_stage_and_verdict_has_its_words(examples, monkeypatch):
    from gama import Gama, Options

    made = Gama(Options(), keep=False).invoke((examples / "ticket.txt").read_text(encoding="utf-8"))
    home = {key for key in made["timings"] if not key.startswith("public.")}
    # Where an answer has no formula, none is tried; where nobody asks for it, nothing is refined.
    assert home == set(reply_labels.STAGE_NAMES) - {"refine", "try_formulas"}
    assert made["verdict"] in reply_labels.VERDICTS
    assert {view for e in made["entities"] for view in e["views"]} <= set(reply_labels.VIEW_LETTERS)
    assert {e["type"] for e in made["entities"]} <= set(reply_labels.TYPE_NAMES)
