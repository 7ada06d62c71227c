"""`gama bench`: what the system itself takes, in time."""

import json
from typing import Annotated

import typer

bench = typer.Typer(
    name="bench", help="Measure what the system adds to the models' time; no key is needed.", no_args_is_help=True
)


@bench.callback()
def main() -> None:
    """Measure what the system adds to the models' time; no key is needed."""


@bench.command()
def graph(
    latency: Annotated[float, typer.Option(help="Seconds that the loopback model takes for a call.", min=0.001)] = 0.5,
    rounds: Annotated[int, typer.Option(help="Rounds of disproof.", min=0, max=20)] = 1,
    experts: Annotated[int, typer.Option(help="Measure 1 to so many experts.", min=1, max=20)] = 10,
    tasks: Annotated[int, typer.Option(help="Tasks at once, besides; 0: none.", min=0)] = 50,
    repeat: Annotated[int, typer.Option(help="Runs of one task; the median counts.", min=1)] = 3,
    which: Annotated[str, typer.Option(help="public, whole or both.")] = "both",
    profile: Annotated[bool, typer.Option("--profile", help="Show where the time of the tasks at once goes.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write one JSON object a line.")] = False,
) -> None:
    """Compare wall time with the critical path: one expert's call, one fusion, two calls a round of disproof.

    The model is a local HTTP server of fixed latency. The ratio tells how much longer than its calls a task takes;
    the overhead is ours, for one task.
    """
    from typing import cast

    from gama.evals.bench.graph import GOAL, Row, Which, measure
    from gama.evals.bench.graph import profile as profiled
    from gama.state.errors import OptionError

    if which not in ("public", "whole", "both"):
        raise OptionError(f"option --which: {which!r} is none of public, whole, both")
    graphs = cast("tuple[Which, ...]", ("public", "whole") if which == "both" else (which,))
    if profile:
        for name in graphs:
            print(profiled(name, latency_s=latency, rounds=rounds, tasks=max(1, tasks)))
        return
    rows: list[Row] = []
    if not as_json:
        print(f"model: {latency:g} s a call; critical path: {2 + 2 * rounds} calls; goal: at most {GOAL:g} times that")
        print(f"{'graph':<8}{'experts':>8}{'tasks':>7}{'path s':>9}{'wall s':>9}{'ratio':>8}{'ours ms/task':>14}")
    for row in measure(
        latency_s=latency, rounds=rounds, experts=range(1, experts + 1), tasks=tasks, repeat=repeat, which=graphs
    ):
        rows.append(row)
        if as_json:
            print(json.dumps(row.as_dict()), flush=True)
        else:
            print(
                f"{row.which:<8}{row.k:>8}{row.tasks:>7}{row.path_s:>9.2f}{row.wall_s:>9.2f}{row.ratio:>8.3f}"
                f"{row.overhead_ms:>14.1f}",
                flush=True,
            )
    if not as_json:
        kept = sum(row.ratio <= GOAL for row in rows)
        print(f"{kept} of {len(rows)} within {GOAL:g} times the critical path")
