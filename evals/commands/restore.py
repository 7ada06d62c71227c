"""`gama eval restore`: what is restored of placeholders that models have changed."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from gama.evals.commands.shared import JsonFile
from gama.state.errors import check

if TYPE_CHECKING:
    from gama.evals.mangling.measure import Strategy

Kinds = Annotated[
    list[str] | None,
    typer.Option("--kind", help="A kind of change, or a group of them; may be repeated.", show_default="all"),
]
Sizes = Annotated[str | None, typer.Option(help="Values in a box, separated by commas.", show_default="12,120,1200")]
Answers = Annotated[
    int | None,
    typer.Option(min=1, help="Answers for each kind and size of box.", show_default="12; 6 with --competitor"),
]
Competitors = Annotated[
    list[str] | None,
    typer.Option(
        "--competitor",
        "--rival",
        metavar="NAME=PYTHON",
        help="Another tool, and the Python it is installed in; may be repeated. See docs/restoring.md.",
    ),
]
Tables = Annotated[bool, typer.Option("--tables", help="Print the tables of docs/restoring.md and nothing else.")]


def restore(
    kind: Kinds = None,
    sizes: Sizes = None,
    answers: Answers = None,
    competitor: Competitors = None,
    strategy: Annotated[
        str, typer.Option(help="How the placeholders are written: tag, enriched or surrogate.")
    ] = "tag",
    json_file: JsonFile = None,
    tables: Tables = False,
    seed: Annotated[int, typer.Option(help="Seed of values, placeholders and chunks.")] = 0,
) -> None:
    """Measure restoring: placeholders changed as models change them, in answers and in streams."""
    from gama.evals.mangling import report
    from gama.evals.mangling.catalog import choose
    from gama.evals.mangling.measure import COUNT, SIZES, STRATEGIES, Ours, evaluate, measure_streams
    from gama.guard.terminal import counting

    if tables:
        print(report.published(), end="")
        return
    check("--strategy", strategy, STRATEGIES)
    written = cast("Strategy", strategy)
    kinds = choose(kind)
    chosen = _sizes(sizes) or (report.SIDE_SIZES if competitor else SIZES)
    count = answers or (report.SIDE_COUNT if competitor else COUNT)
    tools = [_competitor(one) for one in competitor or ()]
    with counting(len(kinds) * len(chosen) * (1 + len(tools))) as step:
        outcomes = [evaluate(Ours(written), kinds, sizes=chosen, count=count, seed=seed, step=step)]
        for name, python in tools:
            from gama.evals.competitors.run import Competitor

            with Competitor(name, python) as tool:
                outcome = evaluate(tool, kinds, sizes=chosen, count=count, seed=seed, step=step)
                outcome.version, outcome.errors = tool.version, tool.errors
                outcomes.append(outcome)
    if tools:
        print(report.side_by_side(outcomes), report.side_by_kind(outcomes), sep="\n\n")
    else:
        held = measure_streams(kinds, sizes=chosen, count=min(count, 4), seed=seed, strategy=written)
        print(report.summary(outcomes[0], chosen, count), report.table(outcomes[0]), sep="\n\n")
        if held.chunks:
            print(f"\n{report.holds({'answers': held})}")
            print(f"\nprocessor time for a chunk: {held.seconds / held.chunks * 1e6:.0f} µs")
    if json_file is not None:
        about = {"command": "restore", "settings": {"sizes": list(chosen), "answers": count, "seed": seed}}
        content = json.dumps(report.as_json(outcomes, about), ensure_ascii=False)
        json_file.write_text(content + "\n", encoding="utf-8")


def _sizes(text: str | None) -> tuple[int, ...] | None:
    from gama.state.errors import OptionError

    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) >= 12 for part in parts):
        raise OptionError(f"option --sizes: {text!r} is no list of numbers from 12 on, such as 12,120")
    return tuple(int(part) for part in parts)


def _competitor(text: str) -> tuple[str, Path]:
    from gama.state.errors import OptionError

    name, sign, python = text.rpartition("=")
    if not sign or not name:
        raise OptionError(f"option --competitor: {text!r} is not NAME=PYTHON")
    return name, Path(python)
