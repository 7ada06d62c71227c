"""`gama eval formulas`: values that reckon at home, against cases with the right result or refusal."""

from pathlib import Path
from typing import Annotated

import typer

from gama.evals.commands.shared import JsonFile, check_targets


def formulas(
    data: Annotated[
        Path | None,
        typer.Option(help="Cases as .jsonl, or a folder of them.", show_default="the shipped cases"),
    ] = None,
    json_file: JsonFile = None,
) -> None:
    """Evaluate formulas over hidden values: each must give the right result, or the right refusal."""
    check_targets(json_file=json_file)
    import json

    from gama.evals.formulas import figures, load, run
    from gama.guard.terminal import clean, say

    outcomes = run(load(data))
    found = figures(outcomes)
    for outcome in outcomes:
        if not outcome.passed:
            wanted = outcome.case.result if outcome.case.refusal is None else f"refused: {outcome.case.refusal}"
            print(clean(f"{outcome.case.id}: {outcome.given!r} instead of {wanted!r}"))
    for locale, counts in found["locales"].items():
        print(f"{locale:<6} {counts['passed']} of {counts['cases']}")
    print(f"{found['passed']} of {found['cases']} pass, {found['wrong']} with a wrong result")
    if json_file is not None:
        json_file.write_text(json.dumps({"command": "formulas", "figures": found}) + "\n", encoding="utf-8")
        say(f"Written to {json_file}")
    if found["passed"] < found["cases"]:
        raise typer.Exit(1)
