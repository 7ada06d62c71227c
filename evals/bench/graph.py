"""What the graph adds to the models' time: wall time against the critical path, on a model of fixed latency.

The critical path of a task is one expert's call (all experts answer side by side), one fusion where there are several,
and two calls for each round of disproof. Whatever a task takes beyond it is ours.
"""

import asyncio
import cProfile
import gc
import io
import pstats
import statistics
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from time import perf_counter
from typing import Any, Literal, NamedTuple

from gama.evals.bench.server import ModelServer, Stats, model_of_latency
from gama.graph.client import Gama
from gama.graph.public_graph import build_public_graph
from gama.models.public import public_client
from gama.state.options import Options
from gama.state.task import DomainRule, PublicLimits, PublicTask
from gama.tools.domains.packs import DOMAINS

Which = Literal["public", "whole"]
"""The public graph alone, or the whole with identification, anonymization and restoring."""

GOAL = 1.15
"""Wall time over critical path that is aimed at."""

LETTER = """Dear Ms Quornbeck,

my name is Thessaly Obuasi and I rent the flat at 14 Tanner's Row in Ludlow. The lease says that the deposit of £1,200
is returned within two months after I moved out, which was on 3 March. My IBAN is GB29 NWBK 6016 1331 9268 19 and you
can reach me at +44 20 7946 0958. May the landlord keep the deposit? What should I write to him, and by when?

Kind regards,
Thessaly Obuasi
"""
"""The task of the whole graph."""


class Row(NamedTuple):
    """One measurement."""

    which: Which
    k: int
    """Experts."""
    tasks: int
    """Tasks at once."""
    path_s: float
    """Critical path: what the model's latency alone takes."""
    wall_s: float
    """Median of the wall times."""
    calls: int
    """Calls to the model for one task."""
    most_at_once: int
    """Calls that the server had at once."""

    @property
    def ratio(self) -> float:
        """Wall time over critical path."""
        return self.wall_s / self.path_s

    @property
    def overhead_ms(self) -> float:
        """What one task takes of ours."""
        return (self.wall_s - self.path_s) * 1000 / self.tasks

    def as_dict(self) -> dict[str, Any]:
        """Return everything, for JSON."""
        return self._asdict() | {"ratio": self.ratio, "overhead_ms": self.overhead_ms}


def measure(
    *,
    latency_s: float = 0.5,
    rounds: int = 1,
    experts: Sequence[int] = tuple(range(1, 11)),
    tasks: int = 50,
    repeat: int = 3,
    which: Sequence[Which] = ("public", "whole"),
) -> Iterator[Row]:
    """Measure one task for each number of experts, then many tasks at once.

    Args:
        latency_s: how long the model takes for a call.
        rounds: rounds of disproof; the model always contradicts, so all are run.
        experts: numbers of experts for one task.
        tasks: tasks at once, with the default number of experts; 0 leaves that out.
        repeat: how often one task is run; the median counts. Many at once run once.
        which: the graphs.
    """
    with model_of_latency(latency_s) as server:
        for graph in which:
            for k in experts:
                yield _measured(graph, server, latency_s, rounds, k, 1, repeat)
            if tasks:
                yield _measured(graph, server, latency_s, rounds, 3, tasks, 1)


def profile(which: Which, *, latency_s: float, rounds: int, tasks: int, lines: int = 25) -> str:
    """Return where the time of many tasks at once goes, by function."""
    watch = cProfile.Profile()
    with model_of_latency(latency_s) as server:
        run, close = _runner(which, server, rounds, 3)
        asyncio.run(run())
        watch.enable()
        asyncio.run(_together(run, tasks))
        watch.disable()
        close()
    out = io.StringIO()
    pstats.Stats(watch, stream=out).sort_stats("tottime").print_stats(lines)
    return out.getvalue()


def _measured(which: Which, server: ModelServer, latency_s: float, rounds: int, k: int, tasks: int, repeat: int) -> Row:
    run, close = _runner(which, server, rounds, k)

    async def times() -> tuple[list[float], Stats]:
        # What is made once a process (libraries, models, connections) is not part of a task.
        await run()
        # As `gama serve` does once it has started.
        gc.collect()
        gc.freeze()
        server.stats()
        found = []
        for _ in range(repeat):
            began = perf_counter()
            await _together(run, tasks)
            found.append(perf_counter() - began)
        return found, server.stats()

    try:
        walls, stats = asyncio.run(times())
    finally:
        gc.unfreeze()
        close()
    path = (1 + (k > 1) + 2 * rounds) * latency_s
    return Row(which, k, tasks, path, statistics.median(walls), round(stats.calls / tasks / repeat), stats.most_at_once)


async def _together(run: Callable[[], Coroutine[Any, Any, Any]], tasks: int) -> None:
    await asyncio.gather(*(run() for _ in range(tasks)))


def _runner(
    which: Which, server: ModelServer, rounds: int, k: int
) -> tuple[Callable[[], Coroutine[Any, Any, Any]], Callable[[], None]]:
    """Return what runs one task, and what cleans up."""
    if which == "whole":
        gama = Gama(
            Options(
                public_model="openai:bench", public_base_url=server.url, k=k, max_rounds=rounds, disprove="v1",
                topk_mode="paper", max_calls=1000,
            ),
            keep=False,
        )  # fmt: skip
        return (lambda: gama.ainvoke({"question": LETTER})), gama.close
    client = public_client("openai:bench", base_url=server.url, standalone=True)
    graph = build_public_graph(client)
    rules = tuple(
        DomainRule(domain=domain.name, term="High", score=0.5, prompt=f"You know {domain.name}.")
        for domain in DOMAINS[:k]
    )
    limits = PublicLimits(max_rounds=rounds, max_calls=1000)
    task = PublicTask(text="May <name-1> keep the deposit of <amount-1>?", rules=rules, limits=limits, disprove="v1")
    return (lambda: graph.ainvoke({"task": task})), (lambda: None)


def table(rows: Iterable[Row], latency_s: float, rounds: int) -> Iterator[str]:
    """Yield the lines that people read, each as soon as it is measured."""
    path = f"{2 + 2 * rounds} calls, one less with one expert"
    yield f"model: {latency_s:g} s a call; critical path: {path}; goal: at most {GOAL:g} times that"
    yield f"{'graph':<8}{'experts':>8}{'tasks':>7}{'path s':>9}{'wall s':>9}{'ratio':>8}{'ours ms/task':>14}"
    ratios = []
    for row in rows:
        ratios.append(row.ratio)
        yield (
            f"{row.which:<8}{row.k:>8}{row.tasks:>7}{row.path_s:>9.2f}{row.wall_s:>9.2f}{row.ratio:>8.3f}"
            f"{row.overhead_ms:>14.1f}"
        )
    yield f"{sum(ratio <= GOAL for ratio in ratios)} of {len(ratios)} within {GOAL:g} times the critical path"
