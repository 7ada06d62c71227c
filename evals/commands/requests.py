"""`gama eval requests`: how well the question is found in a text."""

from pathlib import Path
from typing import Annotated, Any

import typer

from gama.evals.commands.shared import JsonFile, check_targets
from gama.state.options import Options


def requests(
    options: Options,
    data: Annotated[
        Path | None,
        typer.Option(
            help="Texts as .jsonl, or a folder of them; annotated texts with a query do, too.",
            show_default="the shipped texts",
        ),
    ] = None,
    misses: Annotated[bool, typer.Option("--misses", help="Also print what was found wrongly.")] = False,
    json_file: JsonFile = None,
) -> None:
    """Find what is asked in texts that hold their question: rules do it, or the private LLM where one is named."""
    check_targets(json_file=json_file)
    import json

    from gama.evals.requests import figures, load, run
    from gama.guard.terminal import clean, say
    from gama.privacy.finders import private_llm
    from gama.privacy.request import find_request

    complete = private_llm(options)
    outcomes = run(load(data), lambda text: find_request(text, complete))
    told = figures(outcomes)
    for one in outcomes if misses else ():
        if not one.right:
            wanted = " ".join(one.case.text[start:end] for start, end in one.case.spans)
            print(clean(f"{one.case.id}: {one.found.text!r} instead of {wanted!r}"))
    print(f"{'':<10} texts  right  precision  recall    F1  F1 of characters")
    for kind, groups in told["per"].items():
        for name, group in groups.items() if len(groups) > 1 else ():
            print(clean(_row(f"{kind[:4]} {name}" if kind == "part" else name, group)))
    print(_row("together", told))
    if json_file is not None:
        report = {"command": "requests", "private": complete is not None, "figures": told}
        json_file.write_text(json.dumps(report) + "\n", encoding="utf-8")
        say(f"Written to {json_file}")


def _row(name: str, told: dict[str, Any]) -> str:
    one, other = told["by_sentence"], told["by_character"]["f1"]
    rates = f"{one['precision']:>9.3f} {one['recall']:>7.3f} {one['f1']:>5.3f} {other:>17.3f}"
    return f"{name:<10} {told['texts']:>5} {told['right']:>6} {rates}"
