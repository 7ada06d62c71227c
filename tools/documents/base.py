"""The contract of a document: its texts as blocks, and how changed texts get back into its bytes.

A document is a set of parts (one for a flat file, many for a package), each a decoded text. A block is a stretch of
reading: a paragraph, a cell, a header. It is put together of segments, the places in a part where its characters
stand, so that a change touches those places only and everything else keeps its bytes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple, Self

from gama.state.errors import InputError, LimitReached
from gama.state.options import Options

MOST_NESTED = 8
"""How deep documents may lie in one another."""


@dataclass
class Room:
    """What reading a document may take, the documents in it included.

    It is counted before the work, which a small file of many empty paragraphs would make long.
    """

    pieces: int = 500_000
    """Paragraphs, cells, tags and the like."""
    unpacked: int = 256 * 2**20
    """Bytes of what is unpacked."""
    _nested: int = 0

    @classmethod
    def of(cls, options: Options) -> Self:
        """Return the room that the options give."""
        return cls(options.max_pieces, int(options.max_unpacked_mb * 2**20))

    def take(self, kind: str, pieces: int) -> None:
        """Count pieces.

        Raises:
            LimitReached: there are more than may be.
        """
        self.pieces -= pieces
        if self.pieces < 0:
            raise LimitReached(
                f"The {kind} document has more pieces (paragraphs, cells, tags, parts) than may be read. Split it, or "
                "raise --max-pieces (option max_pieces)."
            )

    def unpack(self, kind: str, size: int) -> None:
        """Count bytes that are about to be unpacked.

        Raises:
            LimitReached: there are more than may be.
        """
        self.unpacked -= size
        if self.unpacked < 0:
            raise LimitReached(
                f"The {kind} document is larger, once it is unpacked, than may be read. Split it, or raise "
                "--max-unpacked-mb (option max_unpacked_mb)."
            )

    @contextmanager
    def deeper(self, kind: str) -> Iterator[None]:
        """Count a document that lies in others while it is read.

        Raises:
            LimitReached: it lies too deep.
        """
        self._nested += 1
        if self._nested > MOST_NESTED:
            raise LimitReached(
                f"The {kind} document has documents in one another, more than {MOST_NESTED} deep. Take the inner ones "
                "out and read them by themselves."
            )
        try:
            yield
        finally:
            self._nested -= 1


class Edit(NamedTuple):
    """A change of a block's text."""

    start: int
    end: int
    text: str


class Change(NamedTuple):
    """A change of a part's text."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Segment:
    """Where some characters of a block stand in a part."""

    start: int
    end: int
    text: str
    """What stands there, with escapes undone."""
    escape: Callable[[str], str]
    """Writes a text as it must stand there."""
    offsets: Sequence[int] | None = None
    """Where each character of `text` begins in the part, and where the last one ends; None where any change writes
    the whole segment anew."""


@dataclass(frozen=True)
class Block:
    """A text that is read as one."""

    part: str
    segments: tuple[Segment | str, ...]
    """Segments, and fixed texts between them that stand for marks (a tab, a line break)."""
    label: str = ""
    """What names the value, such as the head of its column: context for finding, no part of the text."""
    subtype: str | None = None
    """What the whole text is and therefore private, whatever is found in it: an author is a `full_name`."""
    glue: str = "\n"
    """What stands between the block before and this one where they are read together."""
    column: str = ""
    """Which column of which table it is a cell of; empty of what stands in none."""

    @property
    def text(self) -> str:
        """The text of the block."""
        return "".join(one if isinstance(one, str) else one.text for one in self.segments)


@dataclass(frozen=True)
class Child:
    """A document inside a part: an attachment, an embedded sheet."""

    document: "Document"
    part: str
    start: int
    end: int
    encode: Callable[[bytes], str]


class Unread(NamedTuple):
    """A piece of a document that cannot be looked into: a picture, an unknown attachment."""

    name: str
    """What it is, in words."""
    part: str
    removal: Change
    """What takes it out."""


@dataclass
class Document:
    """An opened document. A format makes one with its own way to pack the parts."""

    kind: str
    parts: dict[str, str]
    blocks: list[Block]
    pack: Callable[[dict[str, str]], bytes]
    """Makes the bytes of changed parts; parts that are not given stay as they are."""
    children: list[Child] = field(default_factory=list)
    covered: list[tuple[str, Change]] = field(default_factory=list)
    """What is changed in any case, such as a picture of the first page, by part."""
    others: list[Block] = field(default_factory=list)
    """Attributes and names that hold no readable text: known values are replaced in them, nothing is looked for."""
    unread: list[Unread] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    marked: frozenset[str] = frozenset()
    """Parts that are XML or HTML."""

    def said(self, read: Callable[[str], str]) -> Iterator[str]:
        """Yield all that the parts say; `read` takes it out of markup. What cannot be looked into is left out."""
        dark = {one.part for one in self.unread if one.part}
        for name, text in self.parts.items():
            if name in self.marked:
                yield read(text)
            elif name not in dark:
                yield text

    def all_unread(self) -> list[Unread]:
        """Return what cannot be looked into, inner documents' too."""
        return [*self.unread, *(one for child in self.children for one in child.document.all_unread())]

    def all_blocks(self) -> list[Block]:
        """Return the blocks, those of inner documents last."""
        return [*self.blocks, *(block for child in self.children for block in child.document.all_blocks())]

    def all_others(self) -> list[Block]:
        """Return the places that hold no readable text, those of inner documents last."""
        return [*self.others, *(block for child in self.children for block in child.document.all_others())]

    def changes(
        self, edits: Mapping[int, Sequence[Edit]], *, cover: bool = False, remove: bool = False
    ) -> dict[str, list[Change]]:
        """Turn edits into changes of the parts.

        Args:
            edits: by the identity of the block (`id(block)`).
            cover: also change what is changed in any case.
            remove: also take out what cannot be looked into.
        """
        found: dict[str, list[Change]] = {}
        for block in [*self.blocks, *self.others]:
            if wanted := edits.get(id(block)):
                found.setdefault(block.part, []).extend(block_changes(block, wanted))
        for child in self.children:
            inner = child.document.changes(edits, cover=cover, remove=remove)
            if inner:
                data = child.document.pack(child.document.changed(inner))
                found.setdefault(child.part, []).append(Change(child.start, child.end, child.encode(data)))
        for part, change in self.covered if cover else ():
            found.setdefault(part, []).append(change)
        for one in self.unread if remove else ():
            found.setdefault(one.part, []).append(one.removal)
        return found

    def changed(self, changes: dict[str, list[Change]]) -> dict[str, str]:
        """Return the parts that change."""
        return {name: splice(self.parts[name], found) for name, found in changes.items()}


def block_changes(block: Block, edits: Iterable[Edit]) -> list[Change]:
    """Turn edits of a block into changes of its part: new text goes where the old one began."""
    places: list[tuple[int, Segment]] = []
    at = 0
    for one in block.segments:
        if isinstance(one, Segment):
            places.append((at, one))
        at += len(one) if isinstance(one, str) else len(one.text)
    by_segment: dict[int, list[Edit]] = {}
    for edit in sorted(edits):
        new = edit.text
        for n, (begin, segment) in enumerate(places):
            start, end = max(edit.start, begin) - begin, min(edit.end, begin + len(segment.text)) - begin
            if start < end:
                by_segment.setdefault(n, []).append(Edit(start, end, new))
                new = ""
    return [change for n, found in by_segment.items() for change in _segment_changes(places[n][1], found)]


def _segment_changes(segment: Segment, edits: Sequence[Edit]) -> list[Change]:
    if segment.offsets is None:
        whole = splice(segment.text, [Change(*edit) for edit in edits])
        return [Change(segment.start, segment.end, segment.escape(whole))]
    return [Change(segment.offsets[edit.start], segment.offsets[edit.end], segment.escape(edit.text)) for edit in edits]


def splice(text: str, changes: Iterable[Change]) -> str:
    """Return a text with its changes made; they must not overlap."""
    out, at = [], 0
    for change in sorted(changes):
        out += [text[at : change.start], change.text]
        at = change.end
    return "".join([*out, text[at:]])


def inverse(text: str, changes: Iterable[Change]) -> list[Change]:
    """Return the changes that bring the old text back out of the new one."""
    shift, back = 0, []
    for change in sorted(changes):
        start = change.start + shift
        back.append(Change(start, start + len(change.text), text[change.start : change.end]))
        shift += len(change.text) - (change.end - change.start)
    return back


def unreadable(kind: str, reason: str) -> InputError:
    """Return the error for a file that is not what its name says, or cannot be handled."""
    return InputError(f"The {kind} document cannot be read: {reason}")
