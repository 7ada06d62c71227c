"""A run over a dataset: begun, gone on with, finished; every record becomes one of the outcome or is rejected."""

import contextlib
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from gama.guard.terminal import counting
from gama.privacy.box import PrivacyBox
from gama.privacy.documents import Unread
from gama.privacy.replace import LOOKS
from gama.serve.bulk.boxes import Undo, write_own, write_shared
from gama.serve.bulk.crew import Crew, Step, run_units
from gama.serve.bulk.numbering import Numbering
from gama.serve.bulk.sources import Dest, Files, Piece, Source, Unit
from gama.serve.bulk.steps import Job, Scope
from gama.serve.bulk.work import Work, replacing
from gama.state.errors import InputError, LeakError, OptionError
from gama.state.options import Options


class Outcome(NamedTuple):
    """What a run has come to."""

    records: int
    rejects: int
    """How many records were rejected; which and why stands in the file of the rejects."""
    notes: list[str]
    renamed: int = 0
    """How many files got another name, for theirs shows a private value."""


@dataclass(frozen=True)
class Run:
    """What is to be done with a dataset."""

    source: Source
    dest: Dest
    box: Path
    options: Options
    scope: Scope = "record"
    workers: int = 1
    clear_box: bool = False
    home: Path | None = None
    unread: Unread = "refuse"
    query: str = ""
    crew: Crew | None = None
    """Who does the work; processes of this machine by default."""

    @property
    def rejects(self) -> Path:
        """The file of the rejected records."""
        return self.box.with_name(f"{self.box.name.removesuffix('.box')}.rejects.jsonl")

    @property
    def folder(self) -> Path:
        """The working folder."""
        return self.box.with_name(f"{self.box.name.removesuffix('.box')}.gama")

    def fingerprint(self) -> str:
        """Return what this run is about, as far as it decides the outcome."""
        told = (
            self.source.fingerprint(), self.source.format.as_json(), self.options.model_dump_json(), self.scope,
            self.dest, str(self.box), self.clear_box, self.unread, self.query,
        )  # fmt: skip
        return json.dumps(told)


def run(run: Run, is_there: Callable[[], bool]) -> Outcome:
    """Anonymize a dataset, or go on where an earlier run of the same was killed.

    Args:
        run: what is to be done.
        is_there: says whether there is something where the outcome goes.

    Raises:
        InputError: there is something that is no earlier run of the same.
        StoreError: the same runs elsewhere at this moment.
        GamaError: it cannot be done at all; what is wrong with single records rejects them.
    """
    _check(run)
    work, fingerprint = Work(run.folder, run.home), run.fingerprint()
    if work.manifest is None:
        if is_there():
            raise InputError(f"There is {_shown(run.dest)} already, by no run that could go on. Name another --out.")
        if run.rejects.exists() or (run.box.exists() and run.scope == "record"):
            raise InputError(f"There is {str(run.box)!r} or {run.rejects.name!r} already. Name another --box FILE.")
        kept = PrivacyBox.load(run.box, home=run.home) if run.box.exists() else PrivacyBox.of(run.options)
        run.folder.mkdir(mode=0o700, exist_ok=True)
        if run.scope == "dataset":
            work.put_sealed(0, "values", kept.model_dump(mode="json"))
        work.begin({"scope": run.scope, "source": run.source.format.kind}, fingerprint)
    elif not work.fits(fingerprint):
        raise InputError(
            f"{_shown(run.dest)} belongs to another run: its source, columns or options are not the same, or the "
            f"source has changed. Name another --out, or delete {str(run.folder)!r} to begin anew."
        )
    with work.alone():
        manifest = work.manifest or {}
        if manifest["state"] != "done":
            _work(run, work)
            _finish(run, work)
            manifest = work.manifest or {}
    return Outcome(manifest["records"], manifest["rejects"], manifest["notes"], manifest["renamed"])


def _check(run: Run) -> None:
    if run.scope == "dataset":
        if any(style != "tag" for _, style in run.options.strategies) or run.options.privacy in ("balanced", "open"):
            raise OptionError(
                "option --scope: over a whole dataset values are hidden by plain tags, whatever a text asks: without "
                "--strategy and --query, and with --privacy auto or strict. Or use --scope record."
            )
        if run.query:
            raise OptionError("option --query: it is for records with boxes of their own, --scope record")
    if run.options.refine != "off":
        raise OptionError("option --refine: datasets are not refined, only single texts")
    if not run.box.parent.is_dir():
        raise InputError(f"There is no folder {str(run.box.parent)!r}. Make it first.")


def _shown(dest: Dest) -> str:
    return f"a table {dest.table!r}" if dest.table else repr(dest.place)


def _work(run: Run, work: Work) -> None:
    """Do what is not yet done of all units."""
    source = run.source
    job = Job(run.options, run.scope, source.format, run.folder, run.home, run.unread, run.query)
    if isinstance(source, Files):
        job = replace(job, root=source.root, dest=Path(run.dest.place), hidden=source.hidden)
        if not source.single:
            Path(run.dest.place).mkdir(exist_ok=True)
    passes = 2 if run.scope == "dataset" else 1
    with _counting(source.total * passes) as step:
        if run.scope == "dataset":
            _pass(run, work, "read", "found", job, step)
            if not (work.manifest or {}).get("numbered"):
                _number(run, work)
                work.note(numbered=True)
        for _ in range(LOOKS):
            _pass(run, work, "replace", "done", job, step)
            if not _number_more(run, work):
                return
    raise LeakError(
        f"After {LOOKS} looks there are still private values that the box of the dataset has not. Nothing was written. "
        "Use --scope record."
    )


@contextlib.contextmanager
def _counting(total: float) -> Iterator[Callable[[str, int, float], None]]:
    """Show how much is done, how fast, and the time left."""
    begun, done = time.monotonic(), 0
    with counting(max(total, 1.0)) as step:

        def tell(what: str, records: int, weight: float) -> None:
            nonlocal done
            done += records
            rate = f", {done / max(time.monotonic() - begun, 0.001):,.1f}/s" if records else ""
            step(f"{what}: {done:,} records{rate}", weight)

        yield tell


def _pass(run: Run, work: Work, step: Step, piece: str, job: Job, tell: Callable[[str, int, float], None]) -> None:
    """Have the workers do one step with all units that lack its piece."""
    doing = "reading" if step == "read" else "writing"

    def left() -> Iterator[Unit]:
        for unit in run.source.units():
            if work.has(unit.number, piece):
                tell(doing, 0, unit.weight)
            else:
                yield unit

    crew = run.crew or run_units
    crew(step, job, left(), run.workers, lambda unit: tell(doing, len(unit.records), unit.weight))


def _number(run: Run, work: Work) -> None:
    """Give all values of the dataset their placeholders."""
    box = PrivacyBox.model_validate(work.get_sealed(0, "values"))
    numbering = Numbering(box)
    # What any text shows already is never given out, so this comes before the first number.
    for found in _each(run, work, "found"):
        for record in found["records"]:
            if record is not None:
                box.reserved.update((kind, number) for kind, number in record["reserved"])
                numbering.take([(surface, subtype, subject) for surface, subtype, subject in record["entries"]])
    numbering.enter()
    work.put_sealed(0, "values", box.model_dump(mode="json"))


def _number_more(run: Run, work: Work) -> bool:
    """Enter spellings that were met while records were replaced; return whether there were any."""
    more = [found for found in _each(run, work, "more") if found]
    if not more:
        return False
    box = PrivacyBox.model_validate(work.get_sealed(0, "values"))
    numbering = Numbering(box)
    for values in more:
        numbering.add([(surface, subtype, subject) for surface, subtype, subject in values])
    work.put_sealed(0, "values", box.model_dump(mode="json"))
    for number in work.numbers():
        work.path(number, "more").unlink(missing_ok=True)
    return True


def _each(run: Run, work: Work, piece: str) -> Iterator[Any]:
    """Yield a sealed piece of all units that have it, in their order."""
    for number in work.numbers():
        if (told := work.get_sealed(number, piece)) is not None:
            yield told


def _finish(run: Run, work: Work) -> None:
    """Write the box, the outcome and the rejected records; done again from the start where it is killed."""
    work.note(state="writing")
    records, rejects, renamed = 0, 0, 0
    notes: dict[str, None] = {}
    for mark in map(work.mark, work.numbers()):
        records += mark["records"]
        rejects += len(mark["rejects"])
        notes.update(dict.fromkeys(mark["notes"]))
    if run.scope == "dataset":
        box, undo = _shared_box(run, work)
        write_shared(run.box, box, run.source.format, undo, encrypt=not run.clear_box, home=run.home)
    else:
        write_own(run.box, _each(run, work, "box"), run.source.format, work, encrypt=not run.clear_box)
    if isinstance(run.source, Files):
        named = (one["name"] for boxes in _each(run, work, "box") for one in boxes if one is not None)
        renamed = sum(name.startswith(f"{run.source.hidden}/") for name in named)
    run.source.write(run.dest, _pieces(run, work), run.folder)
    if rejects:
        with replacing(run.rejects, run.folder) as file:
            for mark in map(work.mark, work.numbers()):
                for number, reason in mark["rejects"]:
                    file.write(json.dumps({"record": number, "reason": reason}).encode() + b"\n")
    work.note(state="done", records=records, rejects=rejects, notes=list(notes), renamed=renamed)
    work.clear()


def _pieces(run: Run, work: Work) -> Iterator[tuple[Unit, Piece]]:
    if isinstance(run.source, Files):
        return
    for unit in run.source.units():
        written = json.loads(work.path(unit.number, "part").read_bytes())
        yield unit, Piece([None if one is None else one.encode("latin-1") for one in written])


def _shared_box(run: Run, work: Work) -> tuple[PrivacyBox, dict[str, Undo]]:
    """Return the box of the dataset with what its records have left in it, and what is single records' own."""
    box = PrivacyBox.model_validate(work.get_sealed(0, "values"))
    undo: dict[str, Undo] = {}
    done = (one for boxes in _each(run, work, "box") for one in boxes if one is not None)
    for number, one in enumerate(done):
        kept = one["box"]
        if kept["undo"]:
            undo[one["name"] or str(number)] = kept["undo"]
        box.hosts.update(kept["hosts"])
        box.braces.update(kept["braces"])
        for placeholder, wrapped, verbatim in kept["marks"]:
            box.mark(placeholder, wrapped=wrapped, verbatim=verbatim)
    return box, undo
