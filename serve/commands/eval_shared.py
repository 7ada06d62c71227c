"""What the commands of `gama eval` share: options, the check before the work, what is printed and written."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Group

    from gama.evals.runs import Run

Resamples = Annotated[int, typer.Option(min=0, max=100_000, help="Draws for the 95 % intervals; 0: no intervals.")]
Limit = Annotated[int | None, typer.Option(min=1, help="Measure a sample of so many texts.")]
JsonFile = Annotated[Path | None, typer.Option("--json", help="Write all figures and settings to this file.")]


def show(
    head: str,
    texts: Sequence[tuple[str, str]],
    runs: "Sequence[Run]",
    tables: "Sequence[Group]",
    resamples: int,
    legend: str = "",
) -> None:
    """Print what was measured on what, how the figures are to be read, the tables, and the notes of the runs."""
    from gama.serve.scores import console
    from gama.serve.terminal import clean

    out = console()
    out.print(clean(f"{head}, {size(texts)['characters']:,} characters"))
    for run in runs:
        out.print(clean(f"  {run.name}: {run.about}"), style="dim")
    if legend:
        out.print(legend, style="dim")
    if resamples:
        out.print(
            f"In brackets: 95 % bootstrap intervals over texts ({resamples} draws, the same for all methods). "
            "A star: the interval of a difference does not hold zero.",
            style="dim",
        )
    for table in tables:
        out.print()
        out.print(table)
    tell_notes(runs)


def tell_notes(runs: "Sequence[Run]") -> None:
    """Say on standard error what went otherwise than usual."""
    from gama.serve.terminal import say

    for run in runs:
        for note in run.notes:
            say(f"note: {run.name}: {note}")


def size(texts: Sequence[tuple[str, str]]) -> dict[str, int]:
    """Return how much text there is."""
    return {"texts": len(texts), "characters": sum(len(text) for _, text in texts)}


def check_targets(**targets: Path | None) -> None:
    """Refuse, before the work, files that cannot be written."""
    from gama.state.errors import OptionError

    for name, path in targets.items():
        if path is not None and (path.is_dir() or not path.absolute().parent.is_dir()):
            raise OptionError(
                f"option --{name.removesuffix('_file')}: {str(path)!r} is a folder, or its folder is missing"
            )


def write_json(path: Path, head: dict[str, Any], runs: "Sequence[Run]", report: dict[str, Any]) -> None:
    """Write a report with its settings and what its figures depend on."""
    from gama.evals.runs import provenance

    content = head | provenance(runs) | report
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
