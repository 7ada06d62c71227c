"""What a worker does with a unit: read its records, replace what is private in them, or restore them.

With boxes of their own (`record`) records are anonymized at once. Where a dataset shares one box, that takes two
passes: all records are read, and what is found is noted; the run numbers all values once, in the order of the records;
then each record is replaced by the part of the box that concerns it. So no worker waits for another, and the outcome is
the same however many there are.
"""

import contextlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import TypeAdapter

from gama.guard.search import is_weak
from gama.privacy.box import PrivacyBox
from gama.privacy.documents import Unread, anonymize_opened, digest
from gama.privacy.pipeline import Pipeline
from gama.privacy.rereading import Found, NotingPipeline, RereadingPipeline
from gama.serve.bulk.records import Format, Opened, says_nothing
from gama.serve.bulk.sources import Unit
from gama.serve.bulk.work import Work
from gama.state.errors import InputError, LeakError, LimitReached, Retold, StoreError
from gama.state.options import Options

Scope = Literal["record", "dataset"]
_FOUND: TypeAdapter[Found] = TypeAdapter(Found)


@dataclass(frozen=True)
class Job:
    """What all units of a pass have in common; it goes to the workers."""

    options: Options
    scope: Scope
    format: Format
    folder: Path
    """The working folder."""
    home: Path | None
    unread: Unread
    query: str
    root: Path | None = None
    """Of files: the folder that they lie in, or the one file."""
    dest: Path | None = None
    """Of files: where they go."""
    hidden: str = ""
    """Of files: the folder for those whose names show a private value."""


class Steps:
    """Does units of one job; models load with the first."""

    def __init__(self, job: Job, work: Work | None = None) -> None:
        """Take the job, and where pieces are kept if that is not its working folder."""
        self.job = job
        self.work = work or Work(job.folder, job.home)
        self.pipeline = Pipeline(job.options)
        self._noting = NotingPipeline(job.options, self.pipeline.finders)
        self._shared: PrivacyBox | None = None
        self._rejects: list[tuple[int, str]] = []
        self._notes: dict[str, None] = {}

    def read(self, unit: Unit) -> None:
        """Note what is found in the records of a unit, each by itself."""
        told: list[dict[str, Any] | None] = []
        for number, record in enumerate(unit.records, unit.first):
            told.append(None)
            with self._rejecting(number):
                told[-1] = self._read(record)
        self.work.put_sealed(unit.number, "found", {"records": told, "rejects": self._rejects})

    def replace(self, unit: Unit) -> None:
        """Replace what is private in the records of a unit."""
        shared = self.job.scope == "dataset"
        found = self.work.get_sealed(unit.number, "found") if shared else None
        made: list[_Made | None] = []
        grown: list[Any] = []
        for n, record in enumerate(unit.records):
            made.append(None)
            known = found["records"][n] if found else None
            if found and known is None:
                continue
            with self._rejecting(unit.first + n):
                opened = self._opened(record)
                box = self._part(opened, known) if known else self.pipeline.new_box()
                size = len(box)
                made[-1] = _Made(self._anonymized(opened, box, known), opened.document.kind, box)
                if known:
                    fresh = [(one.surface, one.subtype, one.subject) for one in box.entries[size:]]
                    known["entries"] += fresh
                    grown += fresh
        if grown:
            # Spellings that nobody has numbered yet: once the run has, this unit is done again. The record knows them
            # then as its own: ordinary words are looked for in no other.
            self.work.put_sealed(unit.number, "found", found)
            self.work.put_sealed(unit.number, "more", grown)
            return
        if self.job.format.kind == "files":
            for n, one in enumerate(made):
                if one is not None:
                    made[n] = self._put_file(Path(str(unit.records[n])), one, unit.first + n)
        else:
            written = [None if one is None else one.data.decode("latin-1") for one in made]
            self.work.put(unit.number, "part", json.dumps(written).encode())
        boxes = [None if one is None else {"name": one.name, "box": self._kept(one.box)} for one in made]
        self.work.put_sealed(unit.number, "box", boxes)
        rejects = [*(found["rejects"] if found else ()), *self._rejects]
        mark = {"first": unit.first, "records": len(made), "rejects": rejects, "notes": list(self._notes)}
        self.work.put(unit.number, "done", json.dumps(mark).encode())

    def do(self, step: Literal["read", "replace"], unit: Unit) -> None:
        """Do one step with a unit."""
        self._rejects, self._notes = [], {}
        (self.read if step == "read" else self.replace)(unit)

    @contextlib.contextmanager
    def _rejecting(self, number: int) -> Iterator[None]:
        """Note a record that cannot be used, with the reason, which quotes nothing of it."""
        try:
            yield
        except (InputError, LimitReached, LeakError) as error:
            self._rejects.append((number, str(error)))
        except (OSError, MemoryError) as error:
            # A file of the source that cannot be read; a full disk stops the run when the unit is written.
            self._rejects.append((number, f"It cannot be read ({type(error).__name__})."))
        except (ValueError, TypeError, LookupError, RecursionError, AttributeError, AssertionError) as error:
            self._rejects.append((number, f"An unexpected {type(error).__name__}; its text might be private."))

    def _opened(self, record: bytes | str) -> Opened:
        return self.job.format.open(record, self.job.options)

    def _read(self, record: bytes | str) -> dict[str, Any]:
        opened = self._opened(record)
        pipeline, box = self._noting, self._noting.new_box()
        pipeline.first.clear()
        pipeline.late.clear()
        if not says_nothing(opened.document):
            self._run(pipeline, opened, box)
        return {
            "entries": [(one.surface, one.subtype, one.subject) for one in box.entries],
            "reserved": sorted(box.reserved),
            "first": _FOUND.dump_python(pipeline.first, mode="json"),
            "late": _FOUND.dump_python(pipeline.late, mode="json"),
        }

    def _run(self, pipeline: Pipeline, opened: Opened, box: PrivacyBox) -> bytes:
        view = anonymize_opened(
            pipeline, opened.document, opened.reopen, box, self.job.query, unread=self.job.unread,
            by_row=True,
        )  # fmt: skip
        self._notes.update(dict.fromkeys(view.warnings))
        return view.data

    def _anonymized(self, opened: Opened, box: PrivacyBox, known: dict[str, Any] | None) -> bytes:
        pipeline = self.pipeline
        if known is not None:
            first, late = _FOUND.validate_python(known["first"]), _FOUND.validate_python(known["late"])
            pipeline = RereadingPipeline(pipeline.options, pipeline.finders, first=first, late=late)
        return opened.data if says_nothing(opened.document) else self._run(pipeline, opened, box)

    def _part(self, opened: Opened, known: dict[str, Any]) -> PrivacyBox:
        """Return the part of the dataset's box that concerns a record: its own values, and others that stand in it."""
        shared = self._dataset_box()
        blocks = [*opened.document.all_blocks(), *opened.document.all_others()]
        met = [shared.private_entry(hit.value) for hit in shared.guard().find("\n".join(one.text for one in blocks))]
        own = (shared.entry(surface) for surface, _, _ in known["entries"])
        wanted = {one.surface: one for one in own if one is not None}
        # What is a private number or a short word in one record is another thing in others.
        wanted.update((one.surface, one) for one in met if not is_weak(one.surface))
        return PrivacyBox(style=shared.style, order=shared.order, seed=shared.seed, entries=list(wanted.values()))

    def _dataset_box(self) -> PrivacyBox:
        if self._shared is None:
            self._shared = PrivacyBox.model_validate(self.work.get_sealed(0, "values"))
        return self._shared

    def _kept(self, box: PrivacyBox) -> Any:
        """Return what is kept of the box of a record: all of it, or what the dataset's does not know yet."""
        if self.job.scope == "record":
            lasting = box.model_copy(update={"entries": [one for one in box.entries if one.reversible]})
            return lasting.model_dump(mode="json")
        return {
            "undo": box.undo,
            "hosts": sorted(box.hosts),
            "braces": sorted(box.braces),
            "marks": [
                (one.placeholder, one.wrapped, one.verbatim) for one in box.entries if one.wrapped or one.verbatim
            ],
        }

    def _put_file(self, path: Path, made: "_Made", number: int) -> "_Made":
        """Write a file to its place in the outcome; one whose name shows a private value gets another name.

        Raises:
            StoreError: it cannot be written.
        """
        root, dest = self.job.root, self.job.dest
        assert root is not None and dest is not None
        name, target = "", dest
        if not root.is_file():
            old = path.relative_to(root).as_posix()
            name = plain = self._out_name(old, made.kind, number)
            if shows_value(old, made.box):
                name = f"{self.job.hidden}/{number:06d}{''.join(Path(plain).suffixes[-1:])}"
                made.box.undo[digest(name)] = [(0, len(name), plain)]
            target = dest / name
        with Retold(lambda error: StoreError(f"A file cannot be written ({type(error).__name__}).")):
            self.work.put_file(target, made.data)
        return made._replace(name=name)

    def _out_name(self, name: str, kind: str, number: int) -> str:
        """Return what a file becomes: the text of a PDF is no PDF, and takes no other file's name."""
        if kind != "txt" or not name.casefold().endswith(".pdf"):
            return name
        assert self.job.root is not None
        return f"{name}.{number}.txt" if (self.job.root / f"{name}.txt").exists() else f"{name}.txt"


class _Made(NamedTuple):
    """What became of a record, and its box."""

    data: bytes
    kind: str
    box: PrivacyBox
    name: str = ""
    """Of files: where it stands in the outcome."""


def shows_value(name: str, box: PrivacyBox) -> bool:
    """Return whether the name of a file shows a value of a box, with any signs between its words."""
    spoken = name.translate(str.maketrans("_-./+", "     "))
    guard = box.guard()
    return any(not is_weak(box.private_entry(hit.value).surface) for said in (name, spoken) for hit in guard.find(said))
