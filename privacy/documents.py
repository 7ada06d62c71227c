"""Documents anonymized and restored: found over all their texts together, changed in place."""

import hashlib
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from gama.guard.search import Guard, is_weak
from gama.privacy.box import PrivacyBox
from gama.privacy.columns import DIRECT, by_column, cells_of_blocks, settle_columns
from gama.privacy.pipeline import Pipeline, note_braces
from gama.privacy.replace import LOOKS, Passage, irreversible_notes
from gama.privacy.select import marked, selection_notes
from gama.state.box import BoxEntry
from gama.state.entities import TYPE_OF, Entity, meets
from gama.state.errors import InputError, LeakError, LimitReached
from gama.state.restoring import Mode, Restoring
from gama.tools.documents.base import Block, Change, Document, Edit, Room, inverse, splice
from gama.tools.documents.kinds import open_document
from gama.tools.documents.markup import everything_said
from gama.tools.placeholders.remapping import name_hosts, remap_text
from gama.tools.styles.writer import write_by_options

if TYPE_CHECKING:
    from gama.privacy.reckoning import Reckoner

CHUNK = 20_000
"""Characters that are looked at together; a single longer text is not cut."""
BATCH = 200_000
"""Characters in which known values are replaced together."""
TABLES = frozenset(("csv", "tsv", "jsonl", "xlsx", "cells"))
"""Kinds that hold row after row, as many as there are."""
JOINT = "\n\x1e\n"
"""Stands between two blocks; no text of a document has it, and no placeholder or value reaches over it."""
Unread = Literal["refuse", "keep", "remove"]
"""What becomes of pictures and other pieces that cannot be looked into."""
Mentions = dict[int, list[Entity]]
"""The mentions of each block, with offsets in it, by the identity of the block."""


@dataclass(frozen=True)
class DocumentView:
    """An anonymized document, the box that reverses it, and every mention that was found."""

    data: bytes = field(repr=False)
    kind: str
    """The kind of `data`: that of the original, but for a PDF, which becomes `txt`."""
    box: PrivacyBox = field(repr=False)
    entities: list[Entity] = field(repr=False)
    """Offsets count in the text that was read together with the mention's own."""
    warnings: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """What the anonymized document says, block by block."""
        return "\n".join(block.text for block in open_document(self.data, self.kind).all_blocks())


class RestoredDocument(NamedTuple):
    """A restored document, what in it stayed unresolved, and kinds of the values that no foreign address got."""

    data: bytes
    unresolved: tuple[str, ...]
    withheld: tuple[str, ...] = ()
    unreckoned: tuple[str, ...] = ()
    """Formulas that gave nothing, and why; they are among the unresolved, too."""


class _Place(NamedTuple):
    """Where a block stands in the text of its batch."""

    block: Block
    start: int
    end: int


def anonymize_document(
    pipeline: Pipeline,
    data: bytes,
    kind: str,
    box: PrivacyBox,
    query: str = "",
    *,
    unread: Unread = "refuse",
    encoding: str | None = None,
    by_row: bool = False,
    progress: Callable[[float], None] | None = None,
) -> DocumentView:
    """Replace what is private in a document by placeholders of a box, which grows; see `Anonymizer`."""
    document = open_document(data, kind, encoding=encoding, room=Room.of(pipeline.options))
    # What was made of it may have a few tags more.
    reopen = partial(open_document, kind=document.kind, encoding=encoding, room=Room(sys.maxsize, sys.maxsize))
    return anonymize_opened(pipeline, document, reopen, box, query, unread=unread, by_row=by_row, progress=progress)


def anonymize_opened(
    pipeline: Pipeline,
    document: Document,
    reopen: Callable[[bytes], Document],
    box: PrivacyBox,
    query: str = "",
    *,
    unread: Unread = "refuse",
    by_row: bool = False,
    progress: Callable[[float], None] | None = None,
) -> DocumentView:
    """Replace what is private in an open document; `reopen` opens what was made of it, to be searched once more."""
    kind, blocks = document.kind, document.all_blocks()
    _check_size(blocks, pipeline.options.max_chars, rows=by_row and kind in TABLES)
    _check_unread(document, unread)
    entities: list[Entity] = []
    mentions: Mentions = {}
    notes = list(document.warnings)
    read = list(_chunks(blocks))
    share = 0.5 / len(read) if read else 0.0
    # What is read together, with its labels, may be longer than what has just been measured.
    most = max([pipeline.options.max_chars, *(len(text) for _, text in read)])
    reader = pipeline.under(pipeline.options.model_copy(update={"max_chars": most}))
    chunks = []
    for places, text in read:
        chunks.append((places, text, _with_known(_cut(reader.find(text, notes), places), places)))
        if progress is not None:
            progress(share)
    cells = cells_of_blocks(places for places, _, _ in chunks)
    texts = [text for _, text, _ in chunks]
    settled = settle_columns([(text, found) for _, text, found in chunks], cells)
    parts = list(zip(texts, settled, strict=True))
    if not query and kind not in (*TABLES, "json"):
        query = "\n".join(text[start:end] for text, _ in parts for start, end in pipeline.request(text, notes))
    need = by_column(pipeline.need(parts, query, notes), parts, cells, query, pipeline.options)
    for (places, _, _), (text, found) in zip(chunks, parts, strict=True):
        linked = marked(pipeline.link(text, found, box), need)
        result = pipeline.replace(text, linked, box)
        entities += result.entities
        _note_mentions(result.entities, places, mentions)
        if progress is not None:
            progress(share)
    notes += irreversible_notes(entities, box)
    edits = _edits(document, blocks, mentions, box, pipeline)
    changes = document.changes(edits, cover=True, remove=unread == "remove")
    out = document.pack(document.changed(changes))
    made = reopen(out)
    _check_leaks(made, box)
    for batch in _batches([*made.all_blocks(), *made.all_others()]):
        name_hosts(batch.text, box)
        note_braces(batch.text, box)
    if all(entry.reversible for entry in box.entries):
        box.undo.update(_undo(document, made, changes, box))
    unique = list(dict.fromkeys(notes))
    return DocumentView(out, document.kind, box, entities, [*unique, *selection_notes(entities)])


def restore_document(
    data: bytes,
    kind: str,
    box: PrivacyBox,
    mode: Mode = "tolerant",
    *,
    encoding: str | None = None,
    room: Room | None = None,
    hosts: frozenset[str] | None = frozenset(),
    formulas: bool | None = None,
) -> RestoredDocument:
    """Put the private values back into a document, which may have been edited since.

    A part that nobody has changed since gets its very bytes back. For `hosts` see `Restoring`, for `formulas`
    `PrivacyBox.restore`.
    """
    if kind == "pdf":
        raise InputError("A PDF has no text that could be changed: restore the text that was made of it.")
    document = open_document(data, kind, encoding=encoding, room=room)
    return restore_opened(document, data, box, mode, hosts=hosts, formulas=formulas)


def restore_opened(
    document: Document, data: bytes, box: PrivacyBox, mode: Mode = "tolerant", *,
    hosts: frozenset[str] | None = frozenset(), formulas: bool | None = None,
) -> RestoredDocument:  # fmt: skip
    """Put the private values back into a document that is open already, whose bytes are these."""
    edits, unresolved, withheld, unreckoned = _restoring(document, box, mode, hosts, box.reckoner(formulas))
    parts = document.changed(document.changes(edits))
    for name, text in document.parts.items():
        if (back := box.undo.get(digest(text))) is not None:
            parts[name] = splice(text, [Change(*change) for change in back])
    return RestoredDocument(
        document.pack(parts) if parts else data, tuple(unresolved), tuple(withheld), tuple(unreckoned)
    )


def digest(text: str) -> str:
    """Return the name of a part's text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _check_size(blocks: Sequence[Block], most: int, *, rows: bool) -> None:
    longest = length = 0
    for block in blocks:
        length = len(block.text) + (0 if rows and block.glue == "\n" else length)
        longest = max(longest, length)
    if longest > most:
        raise LimitReached(
            f"{'A row of the table' if rows else 'The document'} has {longest:,} characters of text; the limit is "
            f"{most:,}. Split it, or raise --max-chars (option max_chars)."
        )
    if not any(block.text.strip() for block in blocks):
        raise InputError("There is no text in the document.")


def _check_unread(document: Document, unread: Unread) -> None:
    names = dict.fromkeys(one.name for one in document.all_unread())
    if names and unread == "refuse":
        raise InputError(
            f"There is something in the document that cannot be looked into: {', '.join(names)}. Say whether it stays "
            "as it is or is taken out: --unread keep or --unread remove (unread='keep', 'remove')."
        )


class _Batch(NamedTuple):
    """Blocks joined, so that what is built for a text is built once for many; nothing reaches over a joint."""

    places: list[_Place]
    text: str

    def by_block(self, found: Iterable[Any]) -> Iterator[tuple[int, Any]]:
        """Yield stretches (start, end, …) with the number of their block, counted from its begin."""
        starts = [place_.start for place_ in self.places]
        for one in found:
            n = bisect_right(starts, one[0]) - 1
            start, end = one[0] - starts[n], one[1] - starts[n]
            yield n, Edit(start, end, *one[2:]) if len(one) > 2 else (start, end)


def _batches(blocks: Iterable[Block]) -> Iterator[_Batch]:
    return _joined(blocks, BATCH, bool, lambda block, first: "" if first else JOINT)


def _chunks(blocks: Iterable[Block]) -> Iterator[_Batch]:
    """Yield blocks that are read together, with their joined text."""
    return _joined(
        blocks,
        CHUNK,
        lambda text: any(char.isalnum() for char in text),
        lambda block, first: f"{'' if first else block.glue}{block.label}",
    )


def _joined(
    blocks: Iterable[Block], most: int, wanted: Callable[[str], bool], before: Callable[[Block, bool], str]
) -> Iterator[_Batch]:
    """Yield the wanted blocks in batches of at most so many characters, with what stands before each."""
    places: list[_Place] = []
    out: list[str] = []
    at = 0
    for block in blocks:
        text = block.text
        if not wanted(text):
            continue
        if places and at + len(text) > most:
            yield _Batch(places, "".join(out))
            places, out, at = [], [], 0
        lead = before(block, not places)
        start = at + len(lead)
        at = start + len(text)
        places.append(_Place(block, start, at))
        out += [lead, text]
    if places:
        yield _Batch(places, "".join(out))


def _cut(entities: Iterable[Entity], places: Sequence[_Place]) -> list[Entity]:
    """Cut mentions at the bounds of blocks; what is between them is nobody's text, a fixed name of a field no fact."""
    cut = []
    for entity in entities:
        for block, begin, stop in places:
            told = entity.type in DIRECT or not all(isinstance(segment, str) for segment in block.segments)
            start, end = max(entity.start, begin), min(entity.end, stop)
            text = entity.text[start - entity.start : end - entity.start] if told and start < end else ""
            if text.strip():
                start += len(text) - len(text.lstrip())
                text = text.strip()
                cut.append(entity.model_copy(update={"start": start, "end": start + len(text), "text": text}))
    return cut


def _with_known(found: Sequence[Entity], places: Sequence[_Place]) -> list[Entity]:
    """Add the mentions that the format knows of: authors, accounts, names of addresses."""
    known = []
    for block, start, _ in places:
        text = block.text
        if block.subtype is not None:
            start += len(text) - len(text.lstrip())
            text = text.strip()
            given: dict[str, Any] = {"type": TYPE_OF[block.subtype], "subtype": block.subtype, "views": ("regex",)}
            known.append(Entity(text=text, start=start, end=start + len(text), **given))
    kept = [entity for entity in found if not any(meets(entity, one) for one in known)]
    return sorted([*kept, *known], key=lambda entity: entity.start)


def _note_mentions(entities: Iterable[Entity], places: Sequence[_Place], mentions: Mentions) -> None:
    for entity in entities:
        for block, start, end in places:
            if start <= entity.start and entity.end <= end:
                mentions.setdefault(id(block), []).append(_moved(entity, -start))


def _moved(entity: Entity, by: int) -> Entity:
    return entity.model_copy(update={"start": entity.start + by, "end": entity.end + by})


def _edits(
    document: Document, blocks: Sequence[Block], mentions: Mentions, box: PrivacyBox, pipeline: Pipeline
) -> dict[int, list[Edit]]:
    """Map every block with the whole box, and look again for values in another form.

    Raises:
        LeakError: a known value would remain.
    """
    others = document.all_others()
    hiding = {block for block, found in mentions.items() if any(entity.hidden for entity in found)}
    read = [block for block in blocks if not _is_small_number(block.text) or id(block) in hiding]
    batches = list(_batches(read))
    passages = [
        Passage(batch.text, [_moved(one, at) for block, at, _ in batch.places for one in mentions.get(id(block), [])])
        for batch in batches
    ]
    write_by_options(box, "\n".join(passage.text for passage in passages), pipeline.options)
    for _ in range(LOOKS):
        pipeline.settle(passages, box)
        known = len(box)
        edits: dict[int, list[Edit]] = {}
        for batch, passage in zip(batches, passages, strict=True):
            for n, piece in batch.by_block(passage.mapped.pieces):
                edits.setdefault(id(batch.places[n].block), []).append(piece)
        for block, hits in _in_others(others, box):
            text = block.text
            edits[id(block)] = [
                Edit(start, end, box.add(text[start:end], entry.subtype, entry.subject)) for start, end, entry in hits
            ]
        if len(box) == known:
            return edits
    raise LeakError(
        "A private value would remain in the document in another form. Nothing was written. Name it with --deny."
    )


def _in_others(others: Sequence[Block], box: PrivacyBox) -> Iterator[tuple[Block, list[tuple[int, int, BoxEntry]]]]:
    """Yield the places that are no reading and hold a value long enough to be meant."""
    guard = box.guard()
    for block in others:
        text = block.text
        if not any(char.isalpha() for char in text):
            continue
        hits: list[tuple[int, int, BoxEntry]] = []
        for hit in guard.find(text):
            entry = box.private_entry(hit.value)
            if not is_weak(entry.surface) and not any(hit.start < end for _, end, _ in hits):
                hits.append((hit.start, hit.end, entry))
        if hits:
            yield block, hits


def _is_small_number(text: str) -> bool:
    """Return whether a text is a number that may count anything: hidden where it was found, not where it recurs."""
    plain = text.strip()
    return len(plain) < 5 and plain.replace(".", "").replace(",", "").isdigit()


def _check_leaks(made: Document, box: PrivacyBox) -> None:
    """Search all that the finished document says for the values of the box, whatever was read of it before.

    Raises:
        LeakError: one is in it; nothing is written.
    """
    telling = [value for value in box.values() if any(char.isalpha() for char in value)]
    guard = Guard(telling, placeholders=list(box.placeholders()), kept=box.kept)
    for document in _all(made):
        for said in document.said(everything_said):
            guard.check(said, what="The document")
        for one in document.unread:
            piece = document.parts[one.part][one.removal.start : one.removal.end]
            if any(len(value) > 5 and form in piece for value in telling for form in _in_bytes(value)):
                raise LeakError(f"A known private value stands in {one.name} of the document. Use --unread remove.")


def _all(document: Document) -> Iterator[Document]:
    yield document
    for child in document.children:
        yield from _all(child.document)


def _in_bytes(value: str) -> tuple[str, ...]:
    return tuple(value.encode(name).decode("latin-1") for name in ("utf-8", "utf-16-le"))


def _restoring(
    document: Document, box: PrivacyBox, mode: Mode, hosts: frozenset[str] | None, reckoner: "Reckoner | None" = None
) -> tuple[dict[int, list[Edit]], list[str], list[str], list[str]]:
    edits: dict[int, list[Edit]] = {}
    unresolved: list[str] = []
    withheld: list[str] = []
    unreckoned: list[str] = []
    reading = document.all_blocks()
    # The format of the document escapes what is put in.
    how = Restoring(mode, place="plain", hosts=hosts)
    if reckoner is not None:
        # A formula is whole in its block.
        for block in (one for one in reading if "{{" in one.text):
            restored = reckoner.restore(block.text, how)
            edits[id(block)] = [Edit(*edit) for edit in restored.edits]
            unresolved += restored.unresolved
            withheld += restored.withheld
            unreckoned += restored.unreckoned
        reading = [block for block in reading if id(block) not in edits]
    # A name or attribute is no reading: there a placeholder stands as it was put, or not at all.
    for blocks, way in ((reading, how), (document.all_others(), how._replace(mode="strict"))):
        for batch in _batches(blocks):
            restored = remap_text(batch.text, box, way)
            for n, edit in batch.by_block(Edit(*edit) for edit in restored.edits):
                edits.setdefault(id(batch.places[n].block), []).append(edit)
            unresolved += restored.unresolved
            withheld += restored.withheld
    return edits, unresolved, withheld, unreckoned


def _undo(
    document: Document, made: Document, changes: dict[str, list[Change]], box: PrivacyBox
) -> dict[str, list[tuple[int, int, str]]]:
    """Return, for the parts whose placeholders alone do not give the very bytes back, what does."""
    edits, *_ = _restoring(made, box, "tolerant", frozenset())
    restored = made.changed(made.changes(edits))
    found = {}
    for name, done in changes.items():
        if restored.get(name, made.parts[name]) != document.parts[name]:
            found[digest(made.parts[name])] = [
                (one.start, one.end, one.text) for one in inverse(document.parts[name], done)
            ]
    return found
