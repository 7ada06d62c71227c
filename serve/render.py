"""What is seen of a reply: with rich on a terminal, else as plain text without colours, its lines whole.

Text of the letter and of the models is data: markup and control sequences in it are shown, never obeyed.
"""

import os
import re
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.box import ROUNDED
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from gama.guard.terminal import clean
from gama.serve import reply_labels
from gama.serve.explain import stage_rows, taken_for_question

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

# Ink and paper are both named, so that the marks read alike on light and dark terminals.
COLOURS = {
    "PER": "black on magenta",
    "CODE": "black on cyan",
    "LOC": "black on green",
    "ORG": "bright_white on blue",
    "DEM": "black on yellow",
    "DATETIME": "bright_white on red",
    "QUANTITY": "black on bright_cyan",
}


class Section(NamedTuple):
    """A part of what is seen, under a title; its pieces stand apart. Plain ones are texts."""

    title: str
    pieces: "list[RenderableType]"


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
    for section in sections(reply, question, show, explain=explain):
        console.print(Rule(Text(section.title, "bold"), style="dim", align="left"))
        for number, piece in enumerate(section.pieces):
            console.print(*([""] if number and isinstance(piece, Text) else []), piece, sep="\n")


def write_reply(
    reply: dict[str, Any], question: str | None, show: str, width: int | None = None, *, explain: bool = False
) -> str:
    """Return a reply as plain text; for the arguments see `show_reply`.

    Args:
        reply: it.
        question: the raw letter, or None.
        show: which part of it.
        width: longest line in characters; None leaves lines as they are.
        explain: whether to say how the answer came about.
    """
    told = []
    for section in sections(reply, question, show, explain=explain, plain=True):
        told.append(f"== {section.title}\n" + "\n\n".join(str(piece) for piece in section.pieces))
    text = "\n\n".join(told)
    if width is not None:
        lines = text.split("\n")
        text = "\n".join(textwrap.fill(line, width, replace_whitespace=False, break_on_hyphens=False) for line in lines)
    return text + "\n"


def sections(
    reply: dict[str, Any], question: str | None, show: str, *, explain: bool, plain: bool = False
) -> Iterator[Section]:
    """Yield what is seen of a reply; see `show_reply`."""
    private, public = show != "public", show != "private"
    entities = reply["entities"]
    if private and question is not None:
        seen = [letter(question.rstrip("\n"), entities, plain=plain), _key(entities, plain)]
        yield Section("Your letter, as this machine sees it", [*seen])
    if public:
        along = [Text(told, "dim")] if (told := reply_labels.went_along(reply)) else []
        yield Section(reply_labels.left_title(reply), [*along, placeholders(reply["anonymized"].rstrip("\n"))])
        asked = [_expert(item, plain) for item in reply["experts"]] or [Text(reply_labels.NO_EXPERTS, "dim")]
        domains = [_domains(reply["domains"], plain)] if reply["domains"] else []
        yield Section("Domains and their experts", [*domains, *asked])
        yield Section("Rounds of disproof", [_disproof(reply)])
    if explain and private and (formulas := reply.get("formulas")):
        yield Section("Formulas, reckoned at home", [_formulas(formulas)])
    if explain:
        taken = taken_for_question(reply, question) if private and question is not None else []
        yield Section("How it was solved", [*_solved(reply, taken)])
        yield Section("Calls, tokens and seconds per stage", [_stages(reply)])
    if private:
        yield Section("The answer, restored at home", _answer(reply, plain))
    yield Section("The run", _run(reply, plain))


def letter(text: str, entities: list[dict[str, Any]], *, plain: bool = False) -> Text:
    """Return the letter with its private spans coloured by type, or in brackets, and the views that found them."""
    out = Text()
    for piece in reply_labels.pieces(text, entities):
        if not piece.type:
            out.append(clean(piece.text))
        elif plain:
            out.append(clean(f"[{piece.text} {piece.type}:{piece.views or '-'}]"))
        else:
            out.append(clean(piece.text), COLOURS.get(piece.type, "reverse"))
            out.append(f"[{piece.views}]" if piece.views else "", "dim")
    return out


def _key(entities: list[dict[str, Any]], plain: bool) -> Text:
    """Return what the colours and letters mean, for those that occur."""
    counts = reply_labels.type_counts(entities)
    if not counts:
        return Text("nothing private was found", "dim")
    names = reply_labels.TYPE_NAMES
    if plain:
        told = ", ".join(f"{kind} = {names[kind]} ×{count}" for kind, count in counts.items())
        out = Text(f"private spans in brackets: {told}")
    else:
        out = Text("  ").join(Text.assemble((names[kind], COLOURS[kind]), f" ×{n}") for kind, n in counts.items())
    return out.append(f"\n{reply_labels.found_by(entities)}", "dim")


def placeholders(text: str) -> Text:
    """Return an anonymized text with its placeholders marked."""
    out = Text(clean(text))
    out.highlight_regex(reply_labels.PLACEHOLDER, "bold cyan")
    return out


def _domains(rules: list[dict[str, Any]], plain: bool) -> Text:
    """Return the fired rules with their memberships."""
    out = []
    for rule in rules:
        line = Text(clean(f"{rule['domain']:<16} {rule['term']:<16} "))
        if not plain:
            full = round(20 * min(1.0, max(0.0, rule["score"])))
            line.append("█" * full, "green").append("░" * (20 - full) + " ", "dim")
        out.append(line.append(f"{rule['score']:.2f}"))
    return Text("\n").join(out)


def _expert(item: dict[str, Any], plain: bool) -> "RenderableType":
    """Return an expert's answer, or why there is none."""
    name, told = reply_labels.expert_name(item), ""
    if item["error"] or item["answer"] is None:
        body = Text(clean(f"did not answer: {item['error']}" if item["error"] else "did not answer"), "red")
    else:
        body, told = placeholders(item["answer"]), f"{item['seconds']:.2f} s"
    if plain:
        return Text(clean(f"-- {name}" + (f", {told}" if told else "") + "\n")).append_text(body)
    return _framed(body, title=Text(clean(name)), subtitle=Text(told, "dim") if told else None)


def _framed(text: Text, **look: Any) -> Panel:
    return Panel(text, box=ROUNDED, title_align="left", subtitle_align="right", **look)


def _disproof(reply: dict[str, Any]) -> Text:
    out = Text(reply_labels.disproof_line(reply))
    for number, told in reply_labels.round_lines(reply):
        out.append(f"\nround {number}: ", "bold").append_text(placeholders(told))
    return out


def _solved(reply: dict[str, Any], taken: list[str]) -> Iterator[Text]:
    """Yield what was taken for the question, the route, what became of each sub-question, and what left for it."""
    if taken:
        yield Text(clean("taken for the question:\n" + "\n".join(f"  {' '.join(said.split())}" for said in taken)))
    yield Text(clean(f"route {reply_labels.route_line(reply)}"))
    for item in reply.get("questions", []):
        told = "\n".join([item["question"], *reply_labels.question_lines(item)])
        yield Text(f"-- question {item['number']}: ", "bold").append_text(placeholders(told))
    if quality := reply_labels.QUALITY.get(reply.get("quality", "")):
        yield Text(quality)
    for said, kinds in reply_labels.for_question(reply["entities"]).items():
        if kinds:
            counts = ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in kinds.items())
            yield Text(f"{said} for the question: {counts}")


def _formulas(formulas: list[dict[str, Any]]) -> Text:
    """Return each formula with what it gave, or why it gave nothing."""
    lines = []
    for one in formulas:
        given = f"could not be reckoned: {one['reason']}" if one["reason"] else one["result"]
        line = placeholders(one["formula"]).append(clean(f" → {given}"), "red" if one["reason"] else "bold")
        lines.append(line.append(clean(f" ({one['note']})")) if one.get("note") else line)
    return Text("\n").join(lines)


def _stages(reply: dict[str, Any]) -> Text:
    """Return what each stage cost, in columns."""
    rows = stage_rows(reply)
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        first = [row[n].ljust(wide[n]) for n in (0, 1)]
        lines.append("  ".join([*first, *(row[n].rjust(wide[n]) for n in range(2, len(row)))]).rstrip())
    return Text(clean("\n".join(lines)))


def _answer(reply: dict[str, Any], plain: bool) -> "list[RenderableType]":
    """Return the restored answer with the restored values marked."""
    out, values = Text(clean(reply["answer"].rstrip("\n"))), reply_labels.put_back(reply)
    if plain:
        told = ", ".join(f"{value} ({placeholder})" for value, placeholder in values.items())
        return [out, *([Text(clean(f"put back here: {told}"))] if values else [])]
    if values:
        words = "|".join(re.escape(clean(value)) for value in sorted(values, key=len, reverse=True))
        out.highlight_regex(rf"(?<!\w)(?:{words})(?!\w)", "bold underline")
        plural = "" if len(values) == 1 else "s"
        out.append(f"\n\n({len(values)} private value{plural} put back here, underlined)", "dim")
    return [_framed(out, border_style="green")]


def _run(reply: dict[str, Any], plain: bool) -> "list[RenderableType]":
    """Return models, seconds per stage, calls, tokens and the thread; then notes, and whether the stand-in answered."""
    facts, notes = reply_labels.facts(reply), [f"note: {note}" for note in reply_labels.notes(reply)]
    shown: list[RenderableType]
    if plain:
        shown = [Text(clean("\n".join([*(f"{label + ':':<17} {text}" for label, text in facts), *notes])))]
    else:
        table = Table.grid(padding=(0, 2))
        table.add_column(style="dim", no_wrap=True)
        table.add_column()
        for label, text in facts:
            table.add_row(label, Text(clean(text)))
        shown = [table, *([Text(clean("\n".join(notes)), "yellow")] if notes else [])]
    if reply_labels.by_standin(reply):
        told = Text(f"{reply_labels.STANDIN_TOLD}\n    ").append(reply_labels.STANDIN_CURE, "bold")
        shown.append(told if plain else _framed(told, title="stand-in", border_style="yellow"))
    return shown
