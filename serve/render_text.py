"""What a program, a file or a pipe gets of a reply: plain text without colours, lines whole unless told otherwise."""

import os
import textwrap
from typing import TYPE_CHECKING, Any

from gama.guard.terminal import clean
from gama.serve import reply_labels
from gama.serve.explain import QUALITY, STAGE_HEADS, question_lines, route_line, stage_rows

if TYPE_CHECKING:
    from rich.console import Console


def show_reply(
    reply: dict[str, Any], question: str | None, show: str, console: "Console | None" = None, *, explain: bool = False
) -> None:
    """Print a reply: with rich on a terminal, as plain text on a pipe.

    Args:
        reply: see `gama.state.private.Reply`.
        question: the raw letter, to be shown with its private spans; None when it is not at hand.
        show: `all`, `private` or `public`.
        console: where to; standard output by default.
        explain: whether to say how the answer came about.
    """
    from rich.console import Console

    console = console or Console(highlight=False)
    if not console.is_terminal or console.is_dumb_terminal:
        # A pipe has no width: lines stay whole, unless somebody asks for one.
        width = console.width if os.environ.get("COLUMNS", "").isdigit() else None
        console.file.write(write_reply(reply, question, show, width, explain=explain))
        return
    from gama.serve.render_rich import parts

    for part in parts(reply, question, private=show != "public", public=show != "private", explain=explain):
        console.print(part)


def write_reply(
    reply: dict[str, Any], question: str | None, show: str, width: int | None = None, *, explain: bool = False
) -> str:
    """Return a reply as plain text.

    Args:
        reply: see `gama.state.private.Reply`.
        question: the raw letter, or None when it is not at hand.
        show: `all`, `private` or `public`.
        width: longest line in characters; None leaves lines as they are.
        explain: whether to say how the answer came about.
    """
    private, public = show != "public", show != "private"
    lines: list[str] = []
    if private and question is not None:
        lines += ["== Your letter, as this machine sees it", *_letter(question, reply["entities"]), ""]
    if public:
        lines += [f"== {reply_labels.left_title(reply)}", reply["anonymized"].rstrip("\n"), ""]
        lines += ["== Domains and their experts"]
        lines += [f"{r['domain']:<16} {r['term']:<16} {r['score']:.2f}" for r in reply["domains"]]
        for item in reply["experts"]:
            lines += ["", *_expert(item)]
        lines += [] if reply["experts"] else [reply_labels.NO_EXPERTS]
        lines += ["", "== Rounds of disproof", reply_labels.disproof_line(reply)]
        lines += [f"round {number}: {told}" for number, told in reply_labels.round_lines(reply)]
        lines += [""]
    if explain:
        lines += [*_explained(reply), ""]
    if private:
        lines += ["== The answer, restored at home", reply["answer"].rstrip("\n"), ""]
        if values := reply_labels.put_back(reply):
            told = ", ".join(f"{value} ({placeholder})" for value, placeholder in values.items())
            lines += [f"put back here: {told}", ""]
    lines += ["== The run"]
    lines += [f"{label + ':':<17} {text}" for label, text in reply_labels.facts(reply)]
    lines += [f"note: {note}" for note in reply_labels.notes(reply)]
    if reply_labels.by_standin(reply):
        lines += ["", reply_labels.STANDIN_TOLD, f"    {reply_labels.STANDIN_CURE}"]
    text = clean("\n".join(lines))
    if width is not None:
        text = "\n".join(_fold(line, width) for line in text.split("\n"))
    return text + "\n"


def _fold(line: str, width: int) -> str:
    return textwrap.fill(line, width, replace_whitespace=False, break_on_hyphens=False)


def _letter(text: str, entities: list[dict[str, Any]]) -> list[str]:
    marked = "".join(
        f"[{piece.text} {piece.type}:{piece.views or '-'}]" if piece.type else piece.text
        for piece in reply_labels.pieces(text, entities)
    )
    counts = reply_labels.type_counts(entities)
    told = ", ".join(f"{kind} = {reply_labels.TYPE_NAMES[kind]} ×{count}" for kind, count in counts.items())
    key = (
        [f"private spans in brackets: {told}", reply_labels.found_by(entities)]
        if counts
        else ["nothing private was found"]
    )
    return [marked.rstrip("\n"), "", *key]


def _expert(item: dict[str, Any]) -> list[str]:
    head = f"-- {reply_labels.expert_name(item)}"
    if item["error"] or item["answer"] is None:
        return [head, f"did not answer: {item['error']}" if item["error"] else "did not answer"]
    return [f"{head}, {item['seconds']:.2f} s", item["answer"]]


def _explained(reply: dict[str, Any]) -> list[str]:
    lines = ["== How it was solved", f"route {route_line(reply)}"]
    for item in reply.get("questions", []):
        lines += ["", f"-- question {item['number']}: {item['question']}", *question_lines(item)]
    if quality := QUALITY.get(reply.get("quality", "")):
        lines += ["", quality]
    rows = [STAGE_HEADS, *stage_rows(reply)]
    wide = [max(len(row[n]) for row in rows) for n in range(len(STAGE_HEADS))]
    lines += ["", "== Calls, tokens and seconds per stage"]
    for row in rows:
        first = [row[n].ljust(wide[n]) for n in (0, 1)]
        lines.append("  ".join([*first, *(row[n].rjust(wide[n]) for n in range(2, len(row)))]).rstrip())
    return lines
