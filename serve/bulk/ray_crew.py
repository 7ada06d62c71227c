"""The workers of a run as actors of Ray, on this machine or a cluster's: each holds a model and takes unit after unit.

Plain actors, not Ray Data: that reads the source on the cluster, gives a batch out again however often its worker is
killed, and does not say which batches are done. So a run could neither go on by its marks nor end after three deaths at
the same records, and what is read would lie in the cluster's object store in clear.
"""

import contextlib
import logging
import os
import secrets
import socket
import time
from collections import deque
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from itertools import chain
from types import TracebackType
from typing import Any, Self

from gama import __version__
from gama.guard.terminal import say
from gama.serve.bulk.carried import VALUES, CarriedWorker, Load, Result
from gama.serve.bulk.crew import DEATHS, Step, count_death, error_of, set_back
from gama.serve.bulk.sources import Unit
from gama.serve.bulk.steps import Job
from gama.serve.bulk.work import Work
from gama.state.errors import FaultError, InputError, OptionError, Retold, StoreError

PATIENCE = 600.0
"""Seconds without any worker at work before the run gives up."""
KNOCK = 10.0
"""Seconds in which the head of a cluster must take a connection."""
WAIT = 10.0
"""Seconds after which it is looked whether that is so."""


class RayCrew:
    """Has actors of Ray do the units of runs; Ray starts with the first, and ends with the `with` block.

    Args:
        address: of a cluster, as Ray writes it; None starts Ray on this machine, for this run alone.
    """

    def __init__(self, address: str | None = None) -> None:
        """Look that Ray is there.

        Raises:
            InputError: it is not installed.
        """
        if find_spec("ray") is None:
            raise InputError('--engine ray needs ray: install it with pip install "gama-privacy[bulk-ray]".')
        self._address = address
        self._ray: Any = None
        self._before: dict[str, str | None] = {}

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the cluster, or end the Ray of this run."""
        if self._ray is not None:
            self._ray.shutdown()
        set_back(self._before)

    def __call__(self, step: Step, job: Job, units: Iterator[Unit], count: int, done: Callable[[Unit], None]) -> None:
        """Do all units; see `run_units`.

        Args:
            step: what is done with them.
            job: what they have in common.
            units: the units.
            count: how many actors work at once; 0 for one for each core of the cluster.
            done: is told of each unit that is done.

        Raises:
            GamaError: an actor could not go on, for a reason that is no record's.
            FaultError: a unit has killed several actors, or the cluster gives none.
        """
        if (first := next(units, None)) is None:
            return
        self._start(count)
        _Pass(self._ray, step, job, chain([first], units), count or self._cores(), done).run()

    def _cores(self) -> int:
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def _start(self, count: int) -> None:
        """Start Ray, or join the cluster.

        Raises:
            InputError: nothing answers at the address, or it is a cluster of other versions.
        """
        if self._ray is not None:
            return
        own: dict[str, Any] = {}
        # Read when Ray is imported or started.
        variables = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
        if self._address is not None:
            _knock(self._address)
        else:
            own = {"num_cpus": count or None, "include_dashboard": False, "_node_ip_address": "127.0.0.1"}
            # Its processes listen on all addresses, and whoever may speak to them can run any code.
            variables |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
        self._before = {name: os.environ.get(name) for name in variables}
        os.environ.update(variables)
        import ray

        problem = ""
        with _nameless():
            try:
                ray.init(self._address or "local", log_to_driver=False, logging_level=logging.ERROR, **own)
            except Exception as error:  # whatever Ray raises, from its own errors to ValueError; it may name the host
                problem = type(error).__name__
        if problem:
            if self._address is None:
                raise InputError(f"Ray cannot be started on this machine ({problem}). Use --engine local.")
            raise InputError(
                f"option --ray-address: no cluster can be joined there ({problem}). Does `ray status` answer there, "
                "and are the versions of Ray and Python the same?"
            )
        self._ray = ray


class _Actor:
    """An actor, the unit that it is at, and the answer that is awaited."""

    def __init__(self, made: Any, awaited: Any) -> None:
        self.made = made
        self.awaited = awaited
        """Its answer to the job first, then to each unit; None where it has nothing to do."""
        self.begun = False
        self.unit: Unit | None = None


class _Pass:
    """One step with all units."""

    def __init__(
        self, ray: Any, step: Step, job: Job, units: Iterator[Unit], count: int, done: Callable[[Unit], None]
    ) -> None:
        self._ray, self._step, self._units, self._count, self._done = ray, step, units, count, done
        self._work = Work(job.folder, job.home)
        self._shared = job.scope == "dataset" and step == "replace"
        values = ray.put(self._work.get(*VALUES)) if self._shared else None
        home = None if job.home is None else str(job.home)
        self._job = (__version__, home, ray.put(self._work.pack(job)), values)
        self._class = ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(CarriedWorker)
        self._actors: list[_Actor] = []
        self._waiting: deque[Unit] = deque()
        """Units for the actors that are there or to be made."""
        self._deaths: dict[int, int] = {}
        self._unborn = 0

    def run(self) -> None:
        """Do them all."""
        heard = time.monotonic()
        told = False
        try:
            while self._deal():
                awaited = {one.awaited: one for one in self._actors if one.awaited is not None}
                ready, _ = self._ray.wait(list(awaited), num_returns=1, timeout=WAIT)
                for answer in ready:
                    self._take(awaited[answer], answer)
                if ready or any(one.unit for one in self._actors):
                    heard = time.monotonic()
                elif time.monotonic() - heard > PATIENCE:
                    raise FaultError(
                        f"The cluster gave no worker within {PATIENCE:.0f} seconds. Has it free cores (`ray status`)? "
                        "Run the same command again to go on."
                    )
                elif not told:
                    told = True
                    say("note: waiting for a free core of the cluster")
        finally:
            for one in self._actors:
                self._end(one)

    def _deal(self) -> bool:
        """Give units to the actors that have none, make those that are lacking; return whether anything is left."""
        while len(self._waiting) < self._count and (unit := next(self._units, None)) is not None:
            self._waiting.append(unit)
        for one in self._actors:
            # None waits for an actor that may never find a core.
            if self._waiting and one.begun and one.unit is None:
                self._give(one, self._waiting.popleft())
        idle = sum(one.unit is None for one in self._actors)
        for _ in range(min(self._count - len(self._actors), len(self._waiting) - idle)):
            made = self._class.remote()
            self._actors.append(_Actor(made, made.begin.remote(*self._job)))
        return bool(self._waiting) or any(one.unit for one in self._actors)

    def _give(self, actor: _Actor, unit: Unit) -> None:
        found = self._work.get(unit.number, "found") if self._shared else None
        actor.awaited = actor.made.do.remote(self._step, self._work.pack(Load(unit, found)))
        actor.unit = unit

    def _take(self, actor: _Actor, ref: Any) -> None:
        """Take an answer, and keep what it brings."""
        answer, failed = None, ""
        try:
            answer = self._ray.get(ref)
        except self._ray.exceptions.RayTaskError as error:
            failed = type(getattr(error, "cause", None)).__name__
        except self._ray.exceptions.RayError:  # the actor is dead, its machine is, or neither answers
            pass
        if failed:
            raise FaultError(f"A worker ended by an unexpected {failed}.")
        actor.awaited = None
        if answer is None:
            self._replace(actor)
        elif actor.unit is not None:
            self._keep(self._work.unpack(answer), actor.unit)
            actor.unit = None
        elif answer:
            raise error_of(answer)
        else:
            actor.begun = True
            self._unborn = 0

    def _keep(self, made: Result, unit: Unit) -> None:
        if made.problem:
            raise error_of(made.problem)
        with Retold(lambda error: StoreError(f"A file cannot be written ({type(error).__name__}).")):
            for path, data in made.files:
                self._work.put_file(path, data)
            for number, what, data in made.pieces:
                self._work.put(number, what, data)
        self._done(unit)

    def _replace(self, actor: _Actor) -> None:
        """Let go of an actor that was killed; another one does its unit."""
        self._actors.remove(actor)
        # One that merely does not answer would go on beside the one that replaces it.
        self._end(actor)
        if actor.unit is not None:
            count_death(self._deaths, actor.unit)
            self._waiting.appendleft(actor.unit)
            return
        self._unborn += 1
        if self._unborn >= DEATHS:
            raise FaultError(
                f"{DEATHS} workers ended before they began. Is the same version of gama-privacy installed on every "
                "machine of the cluster, and enough memory free?"
            )

    def _end(self, actor: _Actor) -> None:
        with contextlib.suppress(Exception):  # it, or the whole cluster, may be gone
            self._ray.kill(actor.made)


@contextlib.contextmanager
def _nameless() -> Iterator[None]:
    """Within, Ray does not learn the command line of this run, which may name what must never leave (`--deny`)."""
    from ray._private import utils

    real = utils.get_entrypoint_name
    setattr(utils, "get_entrypoint_name", lambda: "gama")  # noqa: B010 - a type checker knows it as a function
    try:
        yield
    finally:
        setattr(utils, "get_entrypoint_name", real)  # noqa: B010


def _knock(address: str) -> None:
    """See that somebody listens at the address: Ray itself would try it for many minutes.

    Raises:
        InputError: nobody does.
    """
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not port.isdecimal():
        return  # `auto`, which Ray looks up on this machine
    with contextlib.suppress(OSError, OverflowError):
        socket.create_connection((host.strip("[]"), int(port)), timeout=KNOCK).close()
        return
    raise InputError(f"option --ray-address: nothing answers at {address!r}. Is the cluster's head running there?")


def check_address(engine: str, address: str | None) -> None:
    """Refuse an address that nobody would use.

    Raises:
        OptionError: it is given to another engine, or is empty.
    """
    if address is not None and engine != "ray":
        raise OptionError("option --ray-address: it is for --engine ray")
    if address is not None and not address.strip():
        raise OptionError("option --ray-address: give HOST:PORT of the cluster, or auto for the one on this machine")
