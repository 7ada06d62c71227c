"""The contract of a recognizer, and the hit it reports.

A recognizer finds one kind of value in a text. It keeps no state between calls, so that one
instance serves many threads, and it never puts a piece of the text into an exception or a log.
"""

from gama.state.entities import TYPE_OF, Span
from gama.tools.contract import Recognizer

__all__ = ["Recognizer", "hit"]


def hit(
    start: int,
    end: int,
    subtype: str,
    source: str,
    *,
    score: float,
    private: float | None = None,
    validated: bool = False,
) -> Span:
    """Return a span of the pattern view; the type follows from the subtype.

    Args:
        start: first character.
        end: one past the last character.
        subtype: one of `SUBTYPES`.
        source: the recognizer's name.
        score: confidence in [0, 1]; below 1 unless `validated`.
        private: 1.0 where such a value is personal whatever the context, 0.0 where it is nobody's (a loopback address),
            None where context decides.
        validated: a checksum or a library's grammar confirmed the value.

    Raises:
        KeyError: the subtype is unknown.
    """
    return Span(start, end, TYPE_OF[subtype], subtype, score, "regex", private, validated, source)
