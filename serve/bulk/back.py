"""A dataset restored: every record by the box that hides it."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gama.guard.terminal import counting
from gama.privacy.box import PrivacyBox
from gama.privacy.documents import digest, restore_opened
from gama.serve.bulk.boxes import Kept, Own, OwnByName, read_own
from gama.serve.bulk.records import Format
from gama.serve.bulk.sources import Dest, Files, Piece, Source, Unit
from gama.serve.bulk.work import Work, write_whole
from gama.state.errors import InputError
from gama.state.options import Options
from gama.tools.documents.base import Change, splice


class Back(NamedTuple):
    """What a restored dataset has come to."""

    records: int
    unresolved: int
    """How many placeholders no box knows, so that they were left as they are."""


def restore_dataset(
    source: Source, dest: Dest, path: Path, kept: Kept, options: Options, *, home: Path | None, formulas: bool | None
) -> Back:
    """Restore a dataset; the outcome is there whole or not at all, a folder file by file.

    Args:
        source: the anonymized dataset.
        dest: where the restored one goes.
        path: the box file.
        kept: what it says.
        options: how placeholders are turned back.
        home: the home folder, whose master key opens the box.
        formulas: see `PrivacyBox.restore`.

    Raises:
        InputError: records were added or removed, so that their boxes are not known.
    """
    with tempfile.TemporaryDirectory(prefix=".gama-", dir=_beside(dest)) as scratch:
        work = Work(Path(scratch), home)
        restoring = _Restoring(source.format, kept, options, formulas)
        if isinstance(source, Files):
            named = OwnByName(path, work) if kept.shared is None else None
            restoring.files(source, Path(dest.place), named, Path(scratch))
        else:
            own = read_own(path, work) if kept.shared is None else None
            source.write(dest, restoring.pieces(source, own), Path(scratch))
    return Back(restoring.records, restoring.unresolved)


class _Restoring:
    def __init__(self, form: Format, kept: Kept, options: Options, formulas: bool | None) -> None:
        self._format, self._kept = form, kept
        self._options, self._formulas = options, formulas
        self.records = self.unresolved = 0

    def pieces(self, source: Source, own: Iterator[Own] | None) -> Iterator[tuple[Unit, Piece]]:
        """Yield the restored records of a source, unit by unit."""
        with counting(max(source.total, 1.0)) as step:
            for unit in source.units():
                made: list[bytes | None] = [self._record(one, self._box(own)) for one in unit.records]
                step(f"{self.records:,} records", unit.weight)
                yield unit, Piece(made)
        if own is not None and next(own, None) is not None:
            raise _not_aligned()

    def files(self, source: Files, dest: Path, own: OwnByName | None, within: Path) -> None:
        """Write the restored files of a folder under their own names."""
        if not source.single:
            dest.mkdir(exist_ok=True)
        with counting(max(source.total, 1.0)) as step:
            for unit in source.units():
                name = source.name(Path(str(unit.records[0])))
                key = "" if source.single else name
                box = self._shared(key) if own is None else own.get(key)
                if box is None:
                    raise InputError(f"The box has nothing about the file {name!r}: it is not of this dataset.")
                data = self._record(unit.records[0], box)
                if (back := box.undo.get(digest(name))) is not None:
                    name = splice(name, [Change(*change) for change in back])
                target = dest if source.single else dest / name
                target.parent.mkdir(parents=True, exist_ok=True)
                write_whole(target, data, within)
                step(f"{self.records:,} files", unit.weight)

    def _box(self, own: Iterator[Own] | None) -> PrivacyBox:
        if own is None:
            return self._shared(str(self.records))
        if (found := next(own, None)) is None:
            raise _not_aligned()
        return found.box

    def _shared(self, key: str) -> PrivacyBox:
        """Return the box of the dataset, with what is a record's own."""
        box = self._kept.shared
        assert box is not None
        if self._kept.format is not None:
            box.undo = self._kept.undo.get(key or "0", {})
        return box

    def _record(self, record: bytes | str, box: PrivacyBox) -> bytes:
        how = self._options.restoring
        opened = self._format.open(record, self._options)
        done = restore_opened(
            opened.document, opened.data, box, how.mode, hosts=how.hosts, formulas=self._formulas
        )  # fmt: skip
        self.records += 1
        self.unresolved += len(done.unresolved)
        return done.data


def _not_aligned() -> InputError:
    return InputError(
        "The dataset has more or fewer records than the box file has boxes. Texts may be edited, but no record added, "
        "removed or moved; where that must be, anonymize with --scope dataset."
    )


def _beside(dest: Dest) -> Path | None:
    """Return the folder that the outcome goes into; None for a database."""
    return None if "://" in dest.place else Path(dest.place).absolute().parent
