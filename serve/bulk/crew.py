"""The workers of a run: processes with a model each, which take units one by one. One that is killed is replaced."""

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection, wait
from typing import Any, Literal, Protocol

from gama.serve.bulk.sources import Unit
from gama.serve.bulk.steps import Job, Steps
from gama.state import errors
from gama.state.errors import FaultError, GamaError

DEATHS = 3
"""How many workers may be killed at one unit before the run stops."""
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "TOKENIZERS_PARALLELISM")

Step = Literal["read", "replace"]
Problem = tuple[str, str] | tuple[()]
"""The name of an error and its text, or nothing."""


class Crew(Protocol):
    """Has workers do all units, as `run_units` does."""

    def __call__(
        self, step: Step, job: Job, units: Iterator[Unit], count: int, done: Callable[[Unit], None], /
    ) -> None:
        """Return once all are done."""


def cores() -> int:
    """Return how many cores this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def alone_on_a_core() -> None:
    """Tell libraries, which read this when they are loaded, that a worker has one core."""
    os.environ.update(dict.fromkeys(_THREADS[:3], "1") | {_THREADS[3]: "false"})


def set_back(before: Mapping[str, str | None]) -> None:
    """Give variables of the environment their values back; None for one that was not there."""
    for name, value in before.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


class _Worker:
    """A process, and the unit that it is at."""

    def __init__(self, step: Step, job: Job) -> None:
        """Start it."""
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, step, job), daemon=True)
        self.unit: Unit | None = None
        self.process.start()
        theirs.close()

    def take(self, unit: Unit) -> None:
        """Give it a unit."""
        self.unit = unit
        with suppress(OSError):  # one that is dead is found so when it is waited for
            self.pipe.send(unit)

    def end(self) -> None:
        """Let it end once it has done its unit."""
        self.pipe.close()
        self.process.join()


def run_units(step: Step, job: Job, units: Iterator[Unit], count: int, done: Callable[[Unit], None]) -> None:
    """Have workers do all units.

    Args:
        step: what is done with them.
        job: what they have in common.
        units: the units.
        count: how many workers work at once.
        done: is told of each unit that is done.

    Raises:
        GamaError: a worker could not go on, for a reason that is no record's.
        FaultError: a unit has killed several workers.
    """
    before = {name: os.environ.get(name) for name in _THREADS}
    alone_on_a_core()
    workers: list[_Worker] = []
    deaths: dict[int, int] = {}
    again: list[Unit] = []

    def next_unit() -> Unit | None:
        return again.pop() if again else next(units, None)

    try:
        while True:
            while len(workers) < count and (unit := next_unit()) is not None:
                workers.append(_Worker(step, job))
                workers[-1].take(unit)
            if not workers:
                return
            ready = wait([worker.pipe for worker in workers])
            for worker in [one for one in workers if one.pipe in ready]:
                unit = worker.unit
                assert unit is not None
                if (problem := _answer(worker.pipe)) is None:
                    workers.remove(worker)
                    worker.end()
                    count_death(deaths, unit)
                    again.append(unit)
                    continue
                if problem:
                    raise error_of(problem)
                done(unit)
                if (following := next_unit()) is not None:
                    worker.take(following)
                else:
                    workers.remove(worker)
                    worker.end()
    finally:
        for worker in workers:
            worker.process.terminate()
            worker.end()
        set_back(before)


def count_death(deaths: dict[int, int], unit: Unit) -> None:
    """Note that a worker was killed at a unit.

    Raises:
        FaultError: it was one too many.
    """
    deaths[unit.number] = deaths.get(unit.number, 0) + 1
    if deaths[unit.number] >= DEATHS:
        raise FaultError(
            f"Workers were killed {DEATHS} times at the records from {unit.first:,} on. Is there "
            "enough memory? Run the same command again to go on, with fewer --workers."
        )


def _answer(pipe: "Connection[Any, Any]") -> Problem | None:
    """Return what a worker says of its unit: nothing, or a problem; None where it is dead."""
    try:
        answer: Problem = pipe.recv()
    except (EOFError, OSError):
        return None
    return answer


def error_of(problem: tuple[str, str]) -> GamaError:
    """Return the error that a problem tells of."""
    name, message = problem
    kind = getattr(errors, name, FaultError)
    return kind(message) if isinstance(kind, type) and issubclass(kind, GamaError) else FaultError(message)


def _serve(pipe: "Connection[Any, Any]", step: Step, job: Job) -> None:
    """Do units until nobody gives any more: the run has ended, or was killed."""
    # Ctrl-C is for the run, which ends its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from gama.models.shipped import compute_alone

    compute_alone()
    steps = Steps(job)
    with suppress(EOFError, OSError), steps.work.working():
        while True:
            unit: Unit = pipe.recv()
            pipe.send(problem_of(partial(steps.do, step, unit)))


def problem_of(work: Callable[[], object]) -> Problem:
    """Do some work, and return why a worker cannot go on: nothing private, and nothing where it can."""
    try:
        work()
    except GamaError as error:
        return type(error).__name__, str(error)
    except OSError as error:
        return "StoreError", f"A file cannot be written: {error.strerror or type(error).__name__}."
    except Exception as error:  # its text may show private values
        return "FaultError", f"A worker ended by an unexpected {type(error).__name__}."
    return ()
