"""What the commands of `gama eval` share: options, the check before the work, and what is written."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from gama.evals.runs import Run

Resamples = Annotated[int, typer.Option(min=0, max=100_000, help="Draws for the 95 % intervals; 0: no intervals.")]
Limit = Annotated[int | None, typer.Option(min=1, help="Measure a sample of so many texts.")]
JsonFile = Annotated[Path | None, typer.Option("--json", help="Write all figures and settings to this file.")]

Curves = Annotated[
    Path | None,
    typer.Option(help="Write the curves of F1 over persons, private values, length and needed values to this folder."),
]

BaseUrl = Annotated[str | None, typer.Option(help="Server of the named models, where it is not their makers'.")]
Trusted = Annotated[
    bool,
    typer.Option("--hosted", help="Let models on others' machines read the texts: they are made up, or may leave."),
]
PriceFile = Annotated[
    Path | None, typer.Option("--prices", help="JSON file of prices that go before the shipped ones (docs/models.md).")
]
MaxCost = Annotated[
    float | None, typer.Option(min=0, help="US dollars that the run may spend, what it has spent before included.")
]
AskAbove = Annotated[float, typer.Option(min=0, help="Ask before spending more US dollars than this.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
AtOnce = Annotated[int, typer.Option(min=1, max=256, help="Texts under way at a time.")]


def check_targets(**targets: Path | None) -> None:
    """Refuse, before the work, files that cannot be written."""
    from gama.state.errors import OptionError

    for name, path in targets.items():
        if path is not None and (path.is_dir() or not path.absolute().parent.is_dir()):
            raise OptionError(
                f"option --{name.removesuffix('_file')}: {str(path)!r} is a folder, or its folder is missing"
            )


def check_packages(what: str, *names: str) -> None:
    """Refuse, before the work, what needs packages that are not installed.

    Raises:
        OptionError: one is missing; says how to get it.
    """
    from importlib.util import find_spec

    from gama.state.errors import OptionError

    if missing := [name for name in names if find_spec(name) is None]:
        raise OptionError(f"{what} needs {missing[0]}: pip install 'gama-privacy[evals]'")


def write_json(path: Path, head: dict[str, Any], runs: "Sequence[Run]", report: dict[str, Any]) -> None:
    """Write a report with its settings and what its figures depend on."""
    from gama.evals.runs import provenance

    content = head | provenance(runs) | report
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


MANY = 200
"""Calls above which a run without a known price is asked about."""


def confirm_spending(calls: float, money: float | None, above: float, yes: bool) -> None:
    """Ask before much is spent.

    Args:
        calls: how many calls of models will be made.
        money: US dollars that they will cost; None where no price is known.
        above: US dollars up to which nobody is asked.
        yes: whether nobody is asked at all.

    Raises:
        OptionError: much would be spent, and there is nobody to ask.
        Abort: it is not wanted.
    """
    from gama.state.errors import OptionError

    if yes or (calls <= MANY if money is None else money <= above):
        return
    much = f"about {calls:,.0f} calls at an unknown price" if money is None else f"about ${money:,.2f}"
    if not sys.stdin.isatty():
        raise OptionError(f"this run takes {much}: add --yes to begin it")
    typer.confirm(f"This run takes {much}. Begin?", abort=True, err=True)


def dollars(money: float | None) -> str:
    """Return what something costs, in US dollars, as it is told; None is a price that nobody knows."""
    return "price unknown" if money is None else f"${money:,.2f}"


def check_curves(folder: Path | None) -> None:
    """Refuse, before the work, a folder for curves that cannot be written, and curves without matplotlib."""
    from importlib.util import find_spec

    from gama.state.errors import OptionError

    if folder is None:
        return
    if (folder.exists() and not folder.is_dir()) or not folder.absolute().parent.is_dir():
        raise OptionError(f"option --curves: {str(folder)!r} is no folder, or the folder above it is missing")
    if find_spec("matplotlib") is None:
        raise OptionError("option --curves: pictures need matplotlib: pip install 'gama-privacy[evals]'")
