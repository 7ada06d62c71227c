"""`gama eval agreement`: how alike the scores of the same methods on two data sets are (PII-Bench: PCS, Spearman)."""

from pathlib import Path
from typing import Annotated

import typer

from gama.evals.commands.shared import JsonFile, check_targets


def agreement(
    one: Annotated[Path, typer.Argument(help="What `gama eval identify` or `query` wrote with --json.")],
    other: Annotated[Path, typer.Argument(help="The same of another data set.")],
    json_file: JsonFile = None,
) -> None:
    """Compare the scores of the same methods on two data sets: consistency (PCS) and rank correlation."""
    check_targets(json_file=json_file)
    import json

    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from gama.evals.piibench.agreement import agreement as compare
    from gama.evals.piibench.agreement import read_scores
    from gama.evals.tables import console
    from gama.guard.terminal import clean
    from gama.state.errors import InputError

    found = compare(read_scores(one), read_scores(other))
    if not found:
        raise InputError("the two files have no method with the same figure")
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for head in ("figure", "methods", "mean PCS", "least PCS", "Spearman's rho", "p"):
        table.add_column(head, justify="left" if head == "figure" else "right")
    for row in found:
        rho = ("–", "–") if row.spearman is None else (f"{row.spearman:.4f}", f"{row.p_value:.4f}")
        table.add_row(clean(row.figure), str(len(row.pcs)), f"{row.mean:.3f}", f"{min(row.pcs.values()):.3f}", *rho)
    console().print(table)
    if json_file is not None:
        told = {
            row.figure: {"pcs": dict(row.pcs), "mean": row.mean, "spearman": row.spearman, "p": row.p_value}
            for row in found
        }
        json_file.write_text(json.dumps({"command": "agreement", "figures": told}, indent=1) + "\n", encoding="utf-8")
