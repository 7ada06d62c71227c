"""What a person sees of a reply in the terminal.

Text of the letter and of the models is data: markup and control sequences in it are shown, never obeyed.
"""

import re
from typing import Any

from rich.box import ROUNDED, SIMPLE
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

COLOURS = {
    "PER": "bold magenta",
    "CODE": "bold cyan",
    "LOC": "bold green",
    "ORG": "bold blue",
    "DEM": "bold yellow",
    "DATETIME": "bold red",
    "QUANTITY": "bold bright_cyan",
}
NAMES = {
    "PER": "person", "CODE": "code, contact", "LOC": "place", "ORG": "organization", "DEM": "about a person",
    "DATETIME": "date, time", "QUANTITY": "sum",
}  # fmt: skip
VIEWS = {"pner": "t", "regex": "p", "pia": "c", "fusion": "f", "user": "u"}
VIEW_NAMES = {
    "pner": "tagger",
    "regex": "pattern",
    "pia": "context",
    "fusion": "fusion or second look",
    "user": "your list",
}
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
STAGES = {
    "seal": "seal", "pner": "view 1: tagger, patterns", "pia": "view 2: context", "fuse": "fuse the views",
    "link": "link mentions", "anonymize": "anonymize", "prompt": "choose domains", "airlock": "airlock",
    "restore": "restore",
}  # fmt: skip


def plain(text: str) -> str:
    """Return a text without control characters."""
    return _CONTROL.sub("\ufffd", text)


def show_reply(reply: dict[str, Any], question: str | None, show: str, console: Console | None = None) -> None:
    """Print a reply.

    Args:
        reply: see `gama.state.private.Reply`.
        question: the raw letter, to be shown with its private spans; None when it is not at hand.
        show: `all`, `private` or `public`.
        console: where to; standard output by default.
    """
    console = console or Console(highlight=False)
    private, public = show in ("all", "private"), show in ("all", "public")
    if private and question is not None:
        console.print(Rule("1 · Your letter, as this machine sees it", style="dim"))
        console.print(letter(question, reply["entities"]))
        console.print(legend(reply["entities"]))
    if public:
        console.print(Rule("2 · What left this machine", style="dim"))
        console.print(placeholders(reply["anonymized"]))
        console.print(Rule("3 · Domains and experts", style="dim"))
        console.print(domains(reply["domains"]))
        console.print(experts(reply["experts"]))
        console.print(Rule("4 · Disproof", style="dim"))
        console.print(disproof(reply))
    if private:
        console.print(Rule("5 · The answer, restored at home", style="dim"))
        console.print(Panel(answer(reply), box=ROUNDED, border_style="green"))
    console.print(Rule("Run", style="dim"))
    console.print(run(reply))
    for note in reply["warnings"]:
        console.print(Text(f"! {plain(note)}", style="yellow"))


def letter(text: str, entities: list[dict[str, Any]]) -> Text:
    """Return the letter with its private spans coloured by type and marked by the views that found them."""
    out, at = Text(), 0
    for entity in sorted(entities, key=lambda e: e["start"]):
        if not entity["private"] or entity["start"] < at:
            continue
        out.append(plain(text[at : entity["start"]]))
        out.append(plain(text[entity["start"] : entity["end"]]), COLOURS.get(entity["type"], "bold"))
        out.append(f"[{''.join(VIEWS[view] for view in entity['views'])}]", "dim")
        at = entity["end"]
    out.append(plain(text[at:]))
    return out


def legend(entities: list[dict[str, Any]]) -> Text:
    """Return what the colours and letters mean, for those that occur."""
    private = [entity for entity in entities if entity["private"]]
    out = Text("\n")
    for kind in COLOURS:
        if count := sum(entity["type"] == kind for entity in private):
            out.append(f"{NAMES[kind]} ×{count}", COLOURS[kind])
            out.append("  ")
    views = [view for view in VIEWS if any(view in entity["views"] for entity in private)]
    out.append("\nfound by: " + ", ".join(f"{VIEWS[view]} {VIEW_NAMES[view]}" for view in views), "dim")
    public = sum(not entity["private"] for entity in entities)
    if public:
        out.append(f"; {public} mention(s) judged public and left as they are", "dim")
    return out


def placeholders(text: str) -> Text:
    """Return an anonymized text with its placeholders marked."""
    out = Text(plain(text))
    out.highlight_regex(r"<{1,2}[a-z_]+-\d+[a-z]*>{1,2}", "bold reverse")
    return out


def domains(rules: list[dict[str, Any]]) -> Table:
    """Return the fired rules with their memberships."""
    table = Table(box=SIMPLE, pad_edge=False)
    table.add_column("domain")
    table.add_column("membership")
    table.add_column("", no_wrap=True)
    for rule in rules:
        full = round(20 * rule["score"])
        bar = Text("█" * full, "green") + Text("░" * (20 - full), "dim")
        table.add_row(rule["domain"], rule["term"], bar + Text(f" {rule['score']:.2f}"))
    return table


def experts(items: list[dict[str, Any]]) -> Group:
    """Return each expert's answer, or why there is none."""
    panels: list[RenderableType] = []
    for item in items:
        title = Text(f"{item['domain']} ({item['term']})")
        if item["error"]:
            panels.append(Panel(Text(plain(item["error"]), "red"), title=title, title_align="left", box=ROUNDED))
        else:
            side = Text(f"{item['seconds']:.2f} s", "dim")
            panels.append(
                Panel(placeholders(item["answer"]), title=title, subtitle=side, title_align="left", box=ROUNDED)
            )
    return Group(*panels)


def disproof(reply: dict[str, Any]) -> Text:
    """Return how disproof went."""
    meaning = {
        "converged": "no contradiction was left",
        "unconverged": "the round limit was reached with a contradiction left",
        "no verdict": "the assistant's verdict could not be read",
        "off": "switched off",
    }
    out = Text(f"{reply['rounds']} round(s): {meaning.get(reply['verdict'], reply['verdict'])}")
    for item in reply["contradictions"]:
        out.append(f"\n  round {item['round']}: ", "dim")
        out.append_text(placeholders(item["reason"]))
    return out


def answer(reply: dict[str, Any]) -> Text:
    """Return the restored answer with the restored values marked."""
    out = Text(plain(reply["answer"]))
    surfaces = {plain(entity["text"]) for entity in reply["entities"] if entity["private"] and len(entity["text"]) > 1}
    if surfaces:
        words = "|".join(re.escape(surface) for surface in sorted(surfaces, key=len, reverse=True))
        out.highlight_regex(rf"(?<!\w)(?:{words})(?!\w)", "bold underline")
    return out


def run(reply: dict[str, Any]) -> Group:
    """Return models, seconds per stage, calls and tokens."""
    models = ", ".join(f"{space}: {plain(name)}" for space, name in reply["models"].items())
    seconds = reply["timings"]
    home = [f"{STAGES[key]} {value:.2f}" for key, value in seconds.items() if key in STAGES]
    away = [f"{key.removeprefix('public.')} {value:.2f}" for key, value in seconds.items() if key.startswith("public.")]
    usage = reply["usage"]
    lines = [
        Text(f"models   {models}"),
        Text(f"seconds  at home: {', '.join(home)}"),
        Text(f"         outside: {', '.join(away)}"),
        Text(
            f"calls    {usage.get('calls', 0)} to the public side, {usage.get('input_tokens', 0)} tokens in, "
            f"{usage.get('output_tokens', 0)} out"
        ),
        Text(f"thread   {reply['thread']}   (gama forget {reply['thread']} erases it)"),
    ]
    return Group(*lines)
