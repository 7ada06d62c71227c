"""`gama eval world`: public names that a question needs stay, names of private people beside them do not."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gama.evals.commands.shared import JsonFile, check_targets
from gama.state.options import Options

if TYPE_CHECKING:
    from gama.evals.metrics.spans import Share


def world(
    options: Options,
    data: Annotated[
        Path | None,
        typer.Option(help="Texts as .jsonl, or a folder of them.", show_default="the shipped texts"),
    ] = None,
    misses: Annotated[
        bool, typer.Option("--misses", help="Also print what went wrong; of the shipped texts, none that is held out.")
    ] = False,
    json_file: JsonFile = None,
) -> None:
    """Measure how much of what is public stays, and of what is private leaves, where a text has both."""
    check_targets(json_file=json_file)
    import json

    from gama.evals.datasets.world import read_letters
    from gama.evals.methods.pipeline import Pipeline
    from gama.evals.world import POINTING, as_json, count, parts, run
    from gama.evals.world import misses as told_misses
    from gama.guard.terminal import clean, counting

    letters = read_letters(data)
    method = Pipeline("pipeline", "", options)
    with counting(len(letters)) as step:
        outcomes = run(letters, method, step)
    for line in told_misses(outcomes, held_out=data is not None) if misses else ():
        print(clean(line))
    figures = {name: count(part) for name, part in parts(outcomes).items() if part}
    for name, counted in figures.items():
        print(
            f"{name}: {_told(counted.kept)} of the public names needed stay, {_told(counted.left)} of {POINTING} leave"
        )
    for head, shares in (
        ("Public names needed that stay, by kind of text", figures["all"].kept_by_kind),
        ("The same, by type", figures["all"].kept_by_type),
        ("Private mentions of which anything leaves", figures["all"].left_by_type),
    ):
        print(f"\n{head}")
        for name, share in shares.items():
            print(f"  {name:<12} {_told(share)}")
    if json_file is not None:
        told = {name: as_json(counted) for name, counted in figures.items()}
        report = {"command": "world", "model": dict(method.facts()), "figures": told}
        json_file.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def _told(share: "Share") -> str:
    return f"{share.value:.1%} ({share.part} of {share.whole})"
