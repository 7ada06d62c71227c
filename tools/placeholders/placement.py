"""Surrogates put into a text so that they can be told from its own words: where one cannot, the tag stands."""

from collections.abc import Sequence

from gama.guard.search import Guard
from gama.state.box import BoxEntry, PrivacyBox
from gama.state.entities import Entity
from gama.tools.placeholders.boundaries import boundary
from gama.tools.placeholders.mapping import Mapped, Piece, irreversible_kept, join_pieces, mark_pieces
from gama.tools.placeholders.remapping import remap_text
from gama.tools.placeholders.surrogates import find_surrogates


def protect_surrogates(text: str, box: PrivacyBox, entities: Sequence[Entity] = ()) -> list[tuple[int, int]]:
    """Register what a raw text says and what is a surrogate of the box by chance, so that it survives the round trip.

    Returns:
        The protected stretches.
    """
    found = [
        (found.start, found.end)
        for found in find_surrogates(text, box)
        if not any(e.start < found.end and found.start < e.end for e in entities)
    ]
    for start, end in found:
        box.add(text[start:end], "literal")
    return found


def place(text: str, mapped: Mapped, box: PrivacyBox) -> Mapped:
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


def _real_by_now(box: PrivacyBox) -> set[str]:
    """Return the surrogates that contain what has turned out to be a real value since they were made."""
    guard = Guard(entry.surface for entry in box.entries if entry.kind != "literal")
    return {entry.placeholder for entry in box.entries if entry.surrogate and guard.find(entry.placeholder)}


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


def _comes_back(text: str, out: str, pieces: Sequence[Piece], box: PrivacyBox) -> bool:
    """Return whether restoring gives the text again, what is irreversible aside."""
    wanted = irreversible_kept(text, pieces, box)
    return all(remap_text(out, box, mode).text == wanted for mode in ("tolerant", "strict"))
