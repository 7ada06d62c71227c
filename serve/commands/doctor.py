"""`gama doctor`: what is installed, what answers, where data lies, what tracing is on."""

import json
from typing import Annotated

import typer

from gama.serve import choices
from gama.state.options import Options


@choices.with_options("doctor")
def doctor(
    options: Options,
    probe: Annotated[bool, typer.Option("--probe", help="Ask the configured models for one word.")] = False,
    as_json: choices.Json = False,
    home: choices.Home = None,
) -> None:
    """Tell what is installed, which models answer, where data lies, and what tracing is on."""
    from gama.serve.health import checks
    from gama.vault.seal import default_home

    found = list(checks(options, home or default_home(), probe=probe))
    if as_json:
        print(json.dumps([check._asdict() for check in found], ensure_ascii=False))
    else:
        from rich.console import Console
        from rich.text import Text

        console = Console(highlight=False)
        marks = {"ok": ("ok  ", "green"), "note": ("note", "yellow"), "bad": ("BAD ", "bold red")}
        topic = ""
        for check in found:
            if check.topic != topic:
                topic = check.topic
                console.print(Text(f"\n{topic}", "bold"))
            mark, colour = marks[check.state]
            console.print(Text(f"  {mark} ", colour) + Text(check.text))
    if any(check.state == "bad" for check in found):
        raise typer.Exit(1)
