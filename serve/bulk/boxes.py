"""The box file of a dataset: one box for all, as any box file is, or for each unit a line with its records' boxes.

The lines of a file with boxes of their own are sealed one by one, so that a million of them need no memory; files of
several runs are put together by appending their lines but the first.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from gama.privacy.box import PrivacyBox
from gama.serve.bulk.records import Format
from gama.serve.bulk.work import Work, replacing
from gama.state.errors import InputError
from gama.vault.box_store import read_box_file, unusable_box_file, write_box_file

_VERSION = 1


Undo = dict[str, list[tuple[int, int, str]]]
"""See `Bijection.undo`."""


class Kept(NamedTuple):
    """What a box file says of a dataset."""

    format: Format | None
    """None where the box is not of a dataset."""
    shared: PrivacyBox | None
    """The box of all records; None where they have boxes of their own."""
    undo: dict[str, Undo]
    """With a shared box, what gives single records their very bytes back, by their number in the outcome or their
    name: two records may read the same once they are anonymized."""


class Own(NamedTuple):
    """The box of one record."""

    name: str
    """Of a file: where it stands in the outcome."""
    box: PrivacyBox


def write_shared(
    path: Path, box: PrivacyBox, form: Format, undo: dict[str, Undo], *, encrypt: bool, home: Path | None
) -> None:
    """Write the box of a whole dataset; any command that takes a box file can read it."""
    told = box.model_dump(mode="json") | {"bulk": {"format": form.as_json(), "undo": undo}}
    write_box_file(path, json.dumps(told), encrypt=encrypt, home=home)


def write_own(path: Path, units: Iterable[list[Any]], form: Format, work: Work, *, encrypt: bool) -> None:
    """Write the boxes of records, a line for each unit."""
    with replacing(path, work.folder) as file:
        file.write(json.dumps({"gama_boxes": _VERSION, "format": form.as_json()}).encode() + b"\n")
        for boxes in units:
            line = {"sealed": work.seal(json.dumps(boxes).encode())} if encrypt else {"boxes": boxes}
            file.write(json.dumps(line).encode() + b"\n")


def read_kept(path: Path, home: Path | None) -> Kept:
    """Return what a box file says of its dataset.

    Raises:
        InputError: it is not there, or no box file.
        SealError: it was sealed with another key.
    """
    if (head := _head(path)) is not None:
        return Kept(Format.from_json(head["format"]), None, {})
    shared = PrivacyBox.load(path, home=home)
    told = json.loads(read_box_file(path, home=home)).get("bulk")
    return Kept(Format.from_json(told["format"]), shared, told["undo"]) if told else Kept(None, shared, {})


def read_own(path: Path, work: Work) -> Iterator[Own]:
    """Yield the boxes of records, in their order; rejected records have none.

    Raises:
        InputError: the file is damaged.
        SealError: it was sealed with another key.
    """
    with path.open("rb") as file:
        next(file)
        for line in file:
            yield from _own(line, path, work)


class OwnByName:
    """The boxes of files by their names, read from the box file one by one; what is kept is where each stands.

    Args:
        path: the box file.
        work: opens what is sealed.

    Raises:
        InputError: the file is damaged.
        SealError: it was sealed with another key.
    """

    def __init__(self, path: Path, work: Work) -> None:
        """Read the file once."""
        self._path, self._work = path, work
        self._at: dict[str, tuple[int, int]] = {}
        with path.open("rb") as file:
            at = len(file.readline())
            for line in file:
                self._at.update((one.name, (at, n)) for n, one in enumerate(_own(line, path, work)))
                at += len(line)

    def get(self, name: str) -> PrivacyBox | None:
        """Return the box of a file; None where there is none of it."""
        if (found := self._at.get(name)) is None:
            return None
        with self._path.open("rb") as file:
            file.seek(found[0])
            return _own(file.readline(), self._path, self._work)[found[1]].box


def _own(line: bytes, path: Path, work: Work) -> list[Own]:
    """Return the boxes of a unit."""
    try:
        told = json.loads(line)
        boxes = told["boxes"] if "boxes" in told else json.loads(work.unseal(told["sealed"]))
        return [Own(one["name"], PrivacyBox.model_validate(one["box"])) for one in boxes if one is not None]
    except (ValueError, KeyError, TypeError):
        # Raised below: what the file holds is nothing for a traceback.
        pass
    raise unusable_box_file(path)


def _head(path: Path) -> dict[str, Any] | None:
    """Return the first line of a file with boxes of their own; None where it is another file."""
    try:
        with path.open("rb") as file:
            head = json.loads(file.readline())
    except (OSError, ValueError):
        return None
    if not isinstance(head, dict) or "gama_boxes" not in head:
        return None
    if head["gama_boxes"] != _VERSION:
        raise InputError(f"The box file {str(path)!r} was written by a later version.")
    return head
