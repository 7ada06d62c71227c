"""Remap (GAMA Eq. 6): y' = Remap(y | V), strict and tolerant.

Deterministic. What reads as a placeholder but is none of this box is reported and left as it is,
never guessed. Nothing that was put in is scanned again.
"""

from typing import Literal, NamedTuple

from gama.state.box import BRACKETS, BoxEntry, PrivacyBox
from gama.tools.placeholders.grammar import Token, find_tokens, levels, resolve


class Restored(NamedTuple):
    """A restored text, what in it stayed unresolved, and which placeholders it did not use."""

    text: str
    unresolved: tuple[str, ...]
    """Stretches that read as placeholders and are none of the box's, as they stand in the text."""
    unused: tuple[str, ...]
    """Placeholders of the box that the text did not mention."""
    places: tuple[tuple[int, int], ...] = ()
    """Where restored values stand in `text`."""


def remap_text(text: str, box: PrivacyBox, mode: Literal["tolerant", "strict"] = "tolerant") -> Restored:
    """Put the surfaces back.

    Args:
        text: a text with placeholders, such as a model's answer.
        box: the box of this conversation.
        mode: `tolerant` also restores placeholders that a model has changed (see `grammar`);
            `strict` restores exact ones only.
    """
    out: list[str] = []
    places: list[tuple[int, int]] = []
    unresolved: list[str] = []
    used: set[str] = set()
    at = length = 0
    for token in find_tokens(text):
        entry, start, end = _meant(text, token, box, mode)
        if entry is None:
            if token.bracketed:
                unresolved.append(text[token.start : token.end])
            continue
        used.add(entry.placeholder)
        length += start - at
        out += [text[at:start], entry.surface]
        places.append((length, length + len(entry.surface)))
        length += len(entry.surface)
        at = end
    out.append(text[at:])
    unused = tuple(entry.placeholder for entry in box.entries if entry.placeholder not in used)
    return Restored("".join(out), tuple(unresolved), unused, tuple(places))


def _meant(text: str, token: Token, box: PrivacyBox, mode: str) -> tuple[BoxEntry | None, int, int]:
    """Return the entry a token means and the stretch it takes the place of."""
    width = len(BRACKETS[box.style][0])
    start, end = token.core_start - width, token.core_end + width
    exact = box.at(token.slot) if start >= 0 else None
    if exact and text[start:end] == exact.placeholder:
        if mode == "strict" or exact.wrapped:
            return exact, start, end
    elif mode == "strict":
        return None, 0, 0
    slot = resolve(text, token, box)
    entry = box.at(slot) if slot else None
    if entry is None or slot is None:
        return None, 0, 0
    plural = len(token.slot.letter) - len(slot.letter)
    left, right = _own_brackets(token, width if entry.wrapped else None)
    start = token.core_start - left if left else token.core_start
    end = token.core_end + right if right else token.core_end - plural
    return entry, start, end


def _own_brackets(token: Token, most: int | None) -> tuple[int, int]:
    """Return how many characters before and after the core belong to the placeholder.

    Doubled brackets belong to it as far as they are of one family and stand on both sides; a
    bracket that only one side has more is the text's own, as in `[<name-1>, <name-2>]`.
    """
    opening, closing = levels(token.left)[::-1], levels(token.right)
    depth = 0
    while (
        depth < min(len(opening), len(closing))
        and opening[depth][1] == opening[0][1]
        and closing[depth][1] == closing[0][1]
        and (most is None or depth < most)
    ):
        depth += 1
    # One side may have lost its bracket: the innermost of the other side still belongs to the token.
    left = "".join(one for one, _ in opening[: max(depth, min(1, len(opening)))])
    right = "".join(one for one, _ in closing[: max(depth, min(1, len(closing)))])
    gap_left = token.core_start - token.start - len(token.left)
    gap_right = token.end - token.core_end - len(token.right)
    return (len(left) + gap_left if left else 0), (len(right) + gap_right if right else 0)
