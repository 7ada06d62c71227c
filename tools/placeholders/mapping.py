"""Map (GAMA Eq. 5): x' = Map(x | V).

One pass, longest surface first, without overlap, on word boundaries. What a placeholder shows is
never scanned again, so Map(Map(x)) = Map(x).
"""

import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gama.state.automaton import Automaton, offsets
from gama.state.box import BRACKETS, PrivacyBox
from gama.state.entities import Entity
from gama.state.folding import text_bytes
from gama.tools.placeholders.grammar import find_tokens, joined


class Piece(NamedTuple):
    """A stretch of the original text and the placeholder put in its place."""

    start: int
    end: int
    placeholder: str


class Mapped(NamedTuple):
    """An anonymized text and what was replaced in it."""

    text: str
    pieces: tuple[Piece, ...]


def map_text(text: str, box: PrivacyBox, spans: Iterable[tuple[int, int]] = (), *, ignore_case: bool = False) -> Mapped:
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
    mapped = _join(text, pieces)
    _mark_wrapped(mapped, pieces, box)
    return Mapped(mapped, tuple(pieces))


def protect_literals(text: str, box: PrivacyBox, entities: Sequence[Entity] = ()) -> list[tuple[int, int]]:
    """Register what already looks like a placeholder in a raw text, so that it survives the round trip.

    Its kinds and numbers are never given out; it is replaced by a placeholder of kind `literal`.
    Call it before the entities of the text are registered.

    Returns:
        The protected stretches.
    """
    found = [token for token in find_tokens(text) if token.bracketed or joined(text, token)]
    covered = [token for token in found if not any(e.start < token.end and token.start < e.end for e in entities)]
    box.reserve(token.slot for token in found)
    for token in covered:
        box.add(text[token.start : token.end], "literal")
    return [(token.start, token.end) for token in covered]


def _own_placeholders(text: str, box: PrivacyBox) -> Iterable[tuple[int, int]]:
    """Yield where exact placeholders of the box already stand, unless the raw text had them as literals."""
    width = len(BRACKETS[box.style][0])
    for token in find_tokens(text):
        start, end = token.core_start - width, token.core_end + width
        if start >= 0 and box.surface(text[start:end]) is not None and box.placeholder(text[start:end]) is None:
            yield start, end


def _occurrences(text: str, box: PrivacyBox, ignore_case: bool) -> Iterable[tuple[int, int]]:
    """Yield where surfaces of the box stand, inside words too."""
    needles = dict.fromkeys(_fold(surface) if ignore_case else surface for surface in box.surfaces())
    encoded = text_bytes(_fold(text) if ignore_case else text)
    if matches := Automaton(list(needles)).find(encoded):
        place = offsets(encoded)
        for match in matches:
            yield int(place[match.start]), int(place[match.end])


def _fold(text: str) -> str:
    """Fold case character by character, so that offsets stay."""
    return "".join(low if len(low := char.casefold()) == 1 else char for char in text)


def _other_case(box: PrivacyBox, surface: str) -> str:
    """Give a surface in other case an entry of its own beside the known one."""
    folded = _fold(surface)
    known = next(entry for entry in box.entries if _fold(entry.surface) == folded)
    return box.add(surface, known.subtype, known.subject)


def boundary(text: str, at: int) -> bool:
    """Tell whether a word may begin or end at an offset.

    Letters and digits of scripts that put spaces between words bind to each other; the underscore,
    and the signs of Chinese, Japanese, Thai and other scripts written without spaces, do not.
    """
    if at <= 0 or at >= len(text):
        return True
    return not (_binds(text[at - 1]) and (_binds(text[at]) or unicodedata.combining(text[at]) > 0))


def _binds(char: str) -> bool:
    if char.isascii():
        return char.isalnum()
    return char.isalnum() and not _spaceless(ord(char))


def _spaceless(code: int) -> bool:
    return (
        0x0E00 <= code <= 0x0EFF  # Thai, Lao
        or 0x1000 <= code <= 0x109F  # Myanmar
        or 0x1780 <= code <= 0x17FF  # Khmer
        or 0x2E80 <= code <= 0x9FFF  # CJK, kana
        or 0xF900 <= code <= 0xFAFF
        or 0x20000 <= code <= 0x3FFFF
    )


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


def _join(text: str, pieces: Sequence[Piece]) -> str:
    out, at = [], 0
    for piece in pieces:
        out += [text[at : piece.start], piece.placeholder]
        at = piece.end
    return "".join([*out, text[at:]])


def _mark_wrapped(mapped: str, pieces: Sequence[Piece], box: PrivacyBox) -> None:
    """Remember entries that stand directly inside brackets of the text: Remap must leave those."""
    shift, placed = 0, {}
    for piece in pieces:
        start = piece.start + shift
        shift += len(piece.placeholder) - (piece.end - piece.start)
        placed[start] = piece.placeholder
    width = len(BRACKETS[box.style][0])
    for token in find_tokens(mapped):
        placeholder = placed.get(token.core_start - width)
        if placeholder and token.end - token.start != len(placeholder):
            # The token with its surroundings reads longer than the placeholder: the rest is the text's own.
            box.mark_wrapped(placeholder)
