"""Map (GAMA Eq. 5): x' = Map(x | V).

One pass, longest surface first, without overlap, on word boundaries. What a placeholder shows is
never scanned again, so Map(Map(x)) = Map(x). Surrogates are put in so that they can be told from the
text's own words; where one cannot, the tag stands.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gama.guard.folding import text_bytes
from gama.guard.search import Automaton, Guard, is_tiny, offsets
from gama.state.box import BRACKETS, Bijection, BoxEntry
from gama.state.entities import TYPE_OF, Entity, Spread
from gama.tools.placeholders.boundaries import boundary
from gama.tools.placeholders.grammar import find_tokens
from gama.tools.placeholders.remapping import remap_text, restored_with_hosts
from gama.tools.placeholders.surrogates import find_surrogates, telling
from gama.tools.placeholders.words import fold_case

_BLANK = "\ufffc"
"""Stands for an entity while a text is searched: it belongs to no word."""


class Piece(NamedTuple):
    """A stretch of the original text and the placeholder put in its place."""

    start: int
    end: int
    placeholder: str


class Mapped(NamedTuple):
    """An anonymized text and what was replaced in it."""

    text: str
    pieces: tuple[Piece, ...]

    @property
    def placed(self) -> list[tuple[int, int]]:
        """Where the placeholders stand in the text."""
        out, shift = [], 0
        for piece in self.pieces:
            start = piece.start + shift
            shift += len(piece.placeholder) - (piece.end - piece.start)
            out.append((start, start + len(piece.placeholder)))
        return out

    def origin(self, start: int, end: int) -> int | None:
        """Return where in the original a stretch of the text begins; None where it meets a placeholder."""
        shift = 0
        for piece, (first, last) in zip(self.pieces, self.placed, strict=True):
            if first >= end:
                break
            if last > start:
                return None
            shift = piece.end - last
        return start + shift


def map_text(text: str, box: Bijection, spans: Iterable[tuple[int, int]] = (), *, ignore_case: bool = False) -> Mapped:
    """Replace every surface of the box in a text by its placeholder.

    Args:
        text: the original text.
        box: the box; placeholders of it that already stand in the text are left alone.
        spans: stretches that are replaced even where no word boundary sets them off (names inside
            scripts written without spaces); their text must be a surface of the box.
        ignore_case: also replace surfaces that stand in other case. They are given entries of
            their own, so that restoring is exact.
    """
    taken = _Taken(len(text))
    for start, end in _own_placeholders(text, box):
        taken.claim(start, end)
    spans = list(spans)
    for start, end in _kept(text, box, spans):
        taken.claim(start, end)
    pieces: list[Piece] = []
    edges: set[int] = set()

    def replace(candidates: Iterable[tuple[int, int]]) -> int:
        before = len(pieces)
        for start, end in sorted(candidates, key=lambda span: (span[0] - span[1], span[0])):
            if taken.claim(start, end):
                surface = text[start:end]
                pieces.append(Piece(start, end, box.placeholder(surface) or _other_case(box, surface)))
                edges.update((start, end))
        return len(pieces) - before

    found = set(_occurrences(text, box, ignore_case))
    given = {(start, end) for start, end in spans if box.placeholder(text[start:end])}
    bounded = {span for span in found if boundary(text, span[0]) and boundary(text, span[1])}
    replace(given | bounded)
    # A placeholder put inside a word sets off what stands beside it.
    loose = found - bounded
    while loose and replace({span for span in loose if all(at in edges or boundary(text, at) for at in span)}):
        pass
    pieces.sort()
    mapped = join_pieces(text, pieces)
    entries = (box.entry(text[piece.start : piece.end]) for piece in pieces)
    if not any(entry and entry.surrogate for entry in entries):
        # Where there are surrogates, `place` decides first which of them stay.
        mark_pieces(text, mapped, pieces, box)
    return Mapped(mapped, tuple(pieces))


def protect_literals(text: str, box: Bijection, entities: Sequence[Entity] = ()) -> list[tuple[int, int]]:
    """Register what already looks like a placeholder in a raw text, so that it survives the round trip.

    Its kinds and numbers are never given out; it is replaced by a placeholder of kind `literal`.
    Call it before the entities of the text are registered.

    Returns:
        The protected stretches.
    """
    found = [token for token in find_tokens(text, halves=True) if token.bracketed or token.joined]
    spread = Spread(entities)
    covered = [token for token in found if not spread.met(token.start, token.end)]
    taken = Spread(covered)
    # Where an entity makes room, a word beside it begins: `name-1` of `Emmaname-1`.
    signs = list(text)
    for entity in entities:
        signs[entity.start : entity.end] = _BLANK * (entity.end - entity.start)
    for token in find_tokens("".join(signs)) if entities else ():
        if not taken.met(token.start, token.end):
            found.append(token)
            covered.append(token)
            taken.add(token)
    box.reserve([slot for token in found for slot in token.slots])
    for token in covered:
        box.add(text[token.start : token.end], "literal")
    return [(token.start, token.end) for token in covered]


def _own_placeholders(text: str, box: Bijection) -> Iterable[tuple[int, int]]:
    """Yield where exact placeholders of the box already stand, unless the raw text had them as literals."""
    width = len(BRACKETS[box.style][0])
    for token in find_tokens(text):
        start, end = token.core_start - width, token.core_end + width
        if start >= 0 and box.surface(text[start:end]) is not None and box.placeholder(text[start:end]) is None:
            yield start, end


def _kept(text: str, box: Bijection, spans: Sequence[tuple[int, int]]) -> Iterable[tuple[int, int]]:
    """Yield where texts that a person lets leave stand by themselves, outside of what is hidden."""
    for word in sorted(box.kept, key=len, reverse=True):
        for match in re.finditer(re.escape(word), text):
            start, end = match.span()
            hidden = any(one[0] < end and start < one[1] for one in spans)
            if not hidden and boundary(text, start) and boundary(text, end):
                yield start, end


def _occurrences(text: str, box: Bijection, ignore_case: bool) -> Iterable[tuple[int, int]]:
    """Yield where surfaces of the box stand, inside words too."""
    encoded = text_bytes(fold_case(text) if ignore_case else text)
    if matches := _surfaces(box, ignore_case).find(encoded):
        place = offsets(encoded)
        for match in matches:
            if match.end - match.start < 3 and is_tiny(encoded[match.start : match.end].decode("utf-8", "replace")):
                continue
            yield int(place[match.start]), int(place[match.end])


def _surfaces(box: Bijection, ignore_case: bool) -> Automaton:
    """Return what finds all surfaces of a box in a text at once."""
    key = ("surfaces", ignore_case)
    found: Automaton | None
    found, new = box.recall(key)
    if found is None or new:
        fresh = [fold_case(entry.surface) if ignore_case else entry.surface for entry in new]
        found = box.remember(key, (found or Automaton()).with_more(fresh))
    return found


def _other_case(box: Bijection, surface: str) -> str:
    """Give a surface in other case an entry of its own beside the known one."""
    known: dict[str, BoxEntry] | None
    known, new = box.recall("other case")
    known = box.remember("other case", known if known is not None else {})
    for entry in new:
        known.setdefault(fold_case(entry.surface), entry)
    entry = known[fold_case(surface)]
    return box.add(surface, entry.subtype, entry.subject)


class _Taken:
    """Which characters are already claimed."""

    def __init__(self, length: int) -> None:
        self._marks = bytearray(length)

    def claim(self, start: int, end: int) -> bool:
        """Claim a stretch unless some of it is taken."""
        if start >= end or any(self._marks[start:end]):
            return False
        self._marks[start:end] = b"\x01" * (end - start)
        return True


def join_pieces(text: str, pieces: Sequence[Piece]) -> str:
    """Return a text with placeholders in the places of its pieces, which are in order."""
    out, at = [], 0
    for piece in pieces:
        out += [text[at : piece.start], piece.placeholder]
        at = piece.end
    return "".join([*out, text[at:]])


def irreversible_kept(text: str, pieces: Sequence[Piece], box: Bijection) -> str:
    """Return what restoring is to give: the text, with a class in the place of what has no way back."""
    return join_pieces(text, [piece for piece in pieces if box.surface(piece.placeholder) is None])


def mark_pieces(text: str, mapped: str, pieces: Sequence[Piece], box: Bijection, *, whatever: bool = True) -> None:
    """Remember what Remap must leave: brackets of the text's own, and values that would be escaped or mended.

    Args:
        text: the original text.
        mapped: what became of it.
        pieces: what was replaced.
        box: the box.
        whatever: whether everything is marked where marking single values does not bring the text back.
    """
    wanted = irreversible_kept(text, pieces, box)
    shift, placed = 0, {}
    for piece in pieces:
        start = piece.start + shift
        shift += len(piece.placeholder) - (piece.end - piece.start)
        placed[start] = piece.placeholder
    pieces = [piece for piece in pieces if box.surface(piece.placeholder) is not None]
    width = len(BRACKETS[box.style][0])
    for token in find_tokens(mapped):
        placeholder = placed.get(token.core_start - width)
        if placeholder and box.surface(placeholder) is not None and token.end - token.start != len(placeholder):
            # The token with its surroundings reads longer than the placeholder: the rest is the text's own.
            box.mark(placeholder, wrapped=True)
    restored, places = restored_with_hosts(mapped, box)
    if restored == wanted:
        return
    if len(places) == len(pieces):
        for piece, (start, end) in zip(pieces, places, strict=True):
            if restored[start:end] != text[piece.start : piece.end]:
                box.mark(piece.placeholder, verbatim=True)
        restored, _ = restored_with_hosts(mapped, box)
    if restored != wanted and whatever:
        for piece in pieces:
            box.mark(piece.placeholder, wrapped=True, verbatim=True)


def protect_surrogates(text: str, box: Bijection, entities: Sequence[Entity] = ()) -> list[tuple[int, int]]:
    """Register what a raw text says and what is a surrogate of the box by chance, so that it survives the round trip.

    Returns:
        The protected stretches.
    """
    spread = Spread(entities)
    found = [(found.start, found.end) for found in find_surrogates(text, box) if not spread.met(found.start, found.end)]
    for start, end in found:
        box.add(text[start:end], "literal")
    return found


def place(text: str, mapped: Mapped, box: Bijection) -> Mapped:
    """Put the tag in the place of every surrogate that could not be found again or is a real value by now.

    Args:
        text: the original text.
        mapped: what Map made of it.
        box: the box.

    Returns:
        An anonymized text whose restoring gives the original, as far as its placeholders can be restored.
    """
    entries = [box.entry(text[piece.start : piece.end]) for piece in mapped.pieces]
    if not any(entry and entry.surrogate for entry in entries):
        return mapped
    unfit = _real_by_now(box)
    pieces = [
        _tagged(piece, entry) if entry and entry.placeholder in unfit else piece
        for piece, entry in zip(mapped.pieces, entries, strict=True)
    ]
    glued = _glued(text, pieces)
    pieces = [
        _tagged(piece, entry) if n in glued else piece
        for n, (piece, entry) in enumerate(zip(pieces, entries, strict=True))
    ]
    out = join_pieces(text, pieces)
    mark_pieces(text, out, pieces, box, whatever=False)
    if not _comes_back(text, out, pieces, box):
        pieces = [_tagged(piece, entry) for piece, entry in zip(pieces, entries, strict=True)]
        out = join_pieces(text, pieces)
        mark_pieces(text, out, pieces, box)
    return Mapped(out, tuple(pieces))


def _tagged(piece: Piece, entry: BoxEntry | None) -> Piece:
    return piece._replace(placeholder=entry.tag) if entry and entry.surrogate and entry.tag else piece


def _real_by_now(box: Bijection) -> set[str]:
    """Return the surrogates that contain what has turned out to be a real value since they were made."""
    guard = Guard(box.values())
    dates = Guard(telling(box)) if box.shift is not None else guard
    return {
        entry.placeholder
        for entry in box.entries
        if entry.surrogate and (dates if TYPE_OF.get(entry.subtype) == "DATETIME" else guard).find(entry.placeholder)
    }


def _glued(text: str, pieces: Sequence[Piece]) -> set[int]:
    """Return the pieces whose ends no word boundary sets off in the anonymized text."""
    out = join_pieces(text, pieces)
    shift, glued = 0, set()
    for n, piece in enumerate(pieces):
        start = piece.start + shift
        end = start + len(piece.placeholder)
        shift += len(piece.placeholder) - (piece.end - piece.start)
        if not (boundary(out, start) and boundary(out, end)):
            glued.add(n)
    return glued


def _comes_back(text: str, out: str, pieces: Sequence[Piece], box: Bijection) -> bool:
    """Return whether restoring gives the text again, what is irreversible aside."""
    wanted = irreversible_kept(text, pieces, box)
    return all(remap_text(out, box, mode).text == wanted for mode in ("tolerant", "strict"))
