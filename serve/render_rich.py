"""What a person sees of a reply on a terminal.

Text of the letter and of the models is data: markup and control sequences in it are shown, never obeyed.
"""

import re
from typing import Any

from rich.box import ROUNDED, SIMPLE_HEAD
from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from gama.guard.terminal import clean
from gama.serve import reply_labels
from gama.serve.explain import QUALITY, STAGE_HEADS, question_lines, route_line, stage_rows

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


def parts(
    reply: dict[str, Any], question: str | None, *, private: bool, public: bool, explain: bool
) -> list[RenderableType]:
    """Return what a terminal shows of a reply; see `show_reply`."""
    shown: list[RenderableType] = []
    if private and question is not None:
        shown += [_title("Your letter, as this machine sees it"), letter(question, reply["entities"])]
        shown += [key(reply["entities"])]
    if public:
        shown += [_title(reply_labels.left_title(reply)), placeholders(reply["anonymized"])]
        shown += [_title("Domains and their experts"), domains(reply["domains"]), experts(reply["experts"])]
        shown += [_title("Rounds of disproof"), disproof(reply)]
    if explain:
        shown += [_title("How it was solved"), solved(reply)]
        shown += [_title("Calls, tokens and seconds per stage"), stage_table(reply)]
    if private:
        shown += [_title("The answer, restored at home")]
        shown += [Panel(answer(reply), box=ROUNDED, border_style="green")]
    shown += [_title("The run"), run(reply)]
    shown += [Text(f"note: {clean(note)}", "yellow") for note in reply_labels.notes(reply)]
    if reply_labels.by_standin(reply):
        told = Text(f"{reply_labels.STANDIN_TOLD}\n\n    ").append(reply_labels.STANDIN_CURE, "bold")
        shown.append(Panel(told, title="stand-in", title_align="left", box=ROUNDED, border_style="yellow"))
    return shown


def _title(text: str) -> Rule:
    return Rule(Text(text, "bold"), style="dim", align="left")


def letter(text: str, entities: list[dict[str, Any]]) -> Text:
    """Return the letter with its private spans coloured by type and marked by the views that found them."""
    out = Text()
    for piece in reply_labels.pieces(text, entities):
        out.append(clean(piece.text), COLOURS.get(piece.type, "reverse") if piece.type else "")
        if piece.views:
            out.append(f"[{piece.views}]", "dim")
    return out


def key(entities: list[dict[str, Any]]) -> Group:
    """Return what the colours and letters mean, for those that occur."""
    counts = reply_labels.type_counts(entities)
    if not counts:
        return Group("", Text("nothing private was found", "dim"))
    types = [
        Text.assemble((reply_labels.TYPE_NAMES[kind], COLOURS[kind]), f" ×{count}") for kind, count in counts.items()
    ]
    return Group("", Columns(types, padding=(0, 2)), Text(reply_labels.found_by(entities), "dim"))


def placeholders(text: str) -> Text:
    """Return an anonymized text with its placeholders marked."""
    out = Text(clean(text))
    out.highlight_regex(reply_labels.PLACEHOLDER, "bold cyan")
    return out


def domains(rules: list[dict[str, Any]]) -> Table:
    """Return the fired rules with their memberships."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("domain")
    table.add_column("term")
    table.add_column("membership", no_wrap=True)
    for rule in rules:
        full = round(20 * min(1.0, max(0.0, rule["score"])))
        bar = Text("█" * full, "green") + Text("░" * (20 - full), "dim")
        table.add_row(Text(clean(rule["domain"])), Text(rule["term"]), bar + Text(f" {rule['score']:.2f}"))
    return table


def experts(items: list[dict[str, Any]]) -> Group:
    """Return each expert's answer, or why there is none."""
    panels: list[RenderableType] = []
    for item in items:
        title = Text(clean(reply_labels.expert_name(item)))
        if item["error"] or item["answer"] is None:
            body, side = Text(clean(item["error"] or "did not answer"), "red"), None
        else:
            body, side = placeholders(item["answer"]), Text(f"{item['seconds']:.2f} s", "dim")
        panels.append(Panel(body, title=title, subtitle=side, title_align="left", subtitle_align="right", box=ROUNDED))
    return Group(*panels or [Text(reply_labels.NO_EXPERTS, "dim")])


def disproof(reply: dict[str, Any]) -> Text:
    """Return how disproof went."""
    out = Text(reply_labels.disproof_line(reply))
    for number, told in reply_labels.round_lines(reply):
        out.append(f"\nround {number}: ", "bold").append_text(placeholders(told))
    return out


def solved(reply: dict[str, Any]) -> Text:
    """Return the route, and what became of each sub-question."""
    out = Text(clean(f"route {route_line(reply)}"))
    for item in reply.get("questions", []):
        out.append(f"\n\nquestion {item['number']}: ", "bold").append_text(placeholders(item["question"]))
        for line in question_lines(item):
            out.append("\n").append_text(placeholders(line))
    if quality := QUALITY.get(reply.get("quality", "")):
        out.append(f"\n\n{quality}")
    return out


def stage_table(reply: dict[str, Any]) -> Table:
    """Return what each stage cost."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for number, head in enumerate(STAGE_HEADS):
        table.add_column(head, justify="left" if number < 2 else "right")
    for row in stage_rows(reply):
        table.add_row(*(Text(clean(cell)) for cell in row))
    return table


def answer(reply: dict[str, Any]) -> Text:
    """Return the restored answer with the restored values marked."""
    out = Text(clean(reply["answer"]))
    values = [clean(value) for value in reply_labels.put_back(reply)]
    if values:
        words = "|".join(re.escape(value) for value in sorted(values, key=len, reverse=True))
        out.highlight_regex(rf"(?<!\w)(?:{words})(?!\w)", "bold underline")
        plural = "" if len(values) == 1 else "s"
        out.append(f"\n\n({len(values)} private value{plural} put back here, underlined)", "dim")
    return out


def run(reply: dict[str, Any]) -> Table:
    """Return models, seconds per stage, calls, tokens and the thread."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    for label, text in reply_labels.facts(reply):
        table.add_row(label, Text(clean(text)))
    return table
