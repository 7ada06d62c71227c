"""A worker on any machine of a cluster: records come to it sealed, and what it makes of them goes back sealed.

It writes nothing: the run keeps manifest, marks and pieces, as it does with processes of its own. Nothing that a
cluster could log, show or spill is private: what is given and what comes back is sealed by the master key.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gama import __version__
from gama.serve.bulk.crew import Problem, Step, alone_on_a_core, problem_of
from gama.serve.bulk.sources import Unit
from gama.serve.bulk.work import Work
from gama.state.errors import SealError, StoreError
from gama.vault.seal import default_home

if TYPE_CHECKING:
    from gama.serve.bulk.steps import Job, Steps

VALUES = (0, "values")
"""The piece that all units of a shared box need."""


class Load(NamedTuple):
    """What a worker is given."""

    unit: Unit
    found: bytes | None
    """What an earlier pass has noted of it, as it was kept."""


class Result(NamedTuple):
    """What a worker gives back."""

    problem: Problem
    files: list[tuple[Path, bytes]]
    """Files of the outcome."""
    pieces: list[tuple[int, str, bytes]]
    """Pieces of the unit, in the order in which they are to be kept: its mark comes last."""


class CarriedWork(Work):
    """Pieces as they are carried: given with a unit, and taken back once it is done."""

    def __init__(self, folder: Path, home: Path | None = None) -> None:
        """Take where the run keeps them; nothing is read or written there."""
        super().__init__(folder, home)
        self.given: dict[tuple[int, str], bytes] = {}
        self.files: list[tuple[Path, bytes]] = []
        self.pieces: list[tuple[int, str, bytes]] = []

    def get(self, number: int, what: str) -> bytes | None:
        """Return a piece that was given."""
        return self.given.get((number, what))

    def put(self, number: int, what: str, data: bytes) -> None:
        """Note a piece."""
        self.pieces.append((number, what, data))

    def put_file(self, path: Path, data: bytes) -> None:
        """Note a file of the outcome."""
        self.files.append((path, data))


class CarriedWorker:
    """Does units of one job, in a process of its own; what it is told and tells is sealed."""

    def __init__(self) -> None:
        """Make it; it cannot fail, for what a cluster says of that is logged."""
        self._steps: Steps | None = None
        self._work: CarriedWork | None = None

    def begin(self, version: str, home: str | None, sealed: bytes, values: bytes | None) -> Problem:
        """Take the job, and the shared box of a dataset; return what is in the way.

        Args:
            version: of the package that the run is of.
            home: the home folder where the run was told of one; by default this machine's own.
            sealed: the job.
            values: the box, as it was kept.
        """
        _mute()
        alone_on_a_core()
        if version != __version__:
            return "FaultError", f"A worker's machine has gama-privacy {__version__}; this one has {version}."
        return problem_of(lambda: self._begin(Path(home) if home else None, sealed, values))

    def _begin(self, home: Path | None, sealed: bytes, values: bytes | None) -> None:
        from gama.models.shipped import compute_alone
        from gama.serve.bulk.steps import Steps

        opener = CarriedWork(Path(), home)
        if not opener.has_key():
            raise SealError(
                f"A worker's machine has no master key: neither GAMA_KEY nor one in {str(home or default_home())!r}. "
                "Give every machine of the cluster the key of this one, where its Ray is started."
            )
        job: Job = opener.unpack(sealed)
        if job.root is not None and not (job.root.exists() and (job.folder / "manifest.json").exists()):
            raise StoreError(
                "A worker's machine does not see the source, or the folder that the run works in. Documents are read "
                "by the workers: keep both on a disk that all machines see at the same path."
            )
        self._work = CarriedWork(job.folder, home)
        if values is not None:
            self._work.given[VALUES] = values
        compute_alone()
        self._steps = Steps(job, self._work)

    def do(self, step: Step, sealed: bytes) -> bytes:
        """Do one step with a unit; return what came of it."""
        work, steps = self._work, self._steps
        assert work is not None and steps is not None
        work.files, work.pieces = [], []
        problem = problem_of(lambda: self._do(steps, step, work.unpack(sealed)))
        return work.pack(Result(problem, work.files, work.pieces))

    def _do(self, steps: "Steps", step: Step, load: Load) -> None:
        assert self._work is not None
        key = (load.unit.number, "found")
        if load.found is not None:
            self._work.given[key] = load.found
        try:
            steps.do(step, load.unit)
        finally:
            self._work.given.pop(key, None)


def _mute() -> None:
    """Have nothing that a library prints reach the cluster's logs."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    os.close(nowhere)
