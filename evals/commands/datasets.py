"""`gama eval fetch` and `gama eval make-letters`: data sets of the papers, and sets like them without their faults."""

import json
from pathlib import Path
from typing import Annotated

import typer

from gama.evals.commands.shared import check_targets
from gama.state.errors import check


def fetch(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[DATASET]…", help="Data sets.", show_default="all that have a home")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the files.")] = Path("data"),
) -> None:
    """Fetch the papers' data sets from their official homes, checked; each has its own licence, which is named."""
    from gama.evals.datasets.fetch import fetch as get
    from gama.evals.datasets.source import SOURCES
    from gama.guard.terminal import say

    check("DATASET", names or (), list(SOURCES))
    wanted = list(dict.fromkeys(names or [name for name, source in SOURCES.items() if source.home]))
    get(wanted, out, say)


def make_letters(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="kpp (knowledge) or lpp (true or false).")],
    out: Annotated[Path, typer.Option(help="File for the letters (.json).")],
    questions: Annotated[
        Path | None,
        typer.Option(
            help="HotpotQA's file for kpp, BoolQ's for lpp. What is made of them has their licence.",
            show_default="the records that ship",
        ),
    ] = None,
    count: Annotated[int | None, typer.Option(min=1, help="Letters.", show_default="as published: 100 and 150")] = None,
    collisions: Annotated[
        int, typer.Option(min=0, help="Letters in which a private name is also a word of what is asked.")
    ] = 0,
    seed: Annotated[int, typer.Option(help="Of the draws.")] = 0,
) -> None:
    """Make letters like KPP's or LPP's, without their faults: varied, every value in its place, nobody real."""
    from gama.evals.builders.letters import make_kpp, make_lpp
    from gama.evals.datasets import boolq, hotpotqa
    from gama.guard.terminal import say

    check("KIND", [kind], ("kpp", "lpp"))
    check_targets(out=out)
    if kind == "kpp":
        made = make_kpp(hotpotqa.load(questions), count or 100, seed, collisions)
    else:
        made = make_lpp(boolq.load(questions), count or 150, seed, collisions)
    out.write_text(json.dumps(made, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    say(f"{len(made)} letters written to {out}")
