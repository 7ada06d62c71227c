"""Runs all recognizers over a text and settles where they overlap."""

import warnings
from collections.abc import Iterable, Sequence

from gama.state.entities import Span
from gama.tools.recognizers.base import Recognizer, plain


class PatternEngine:
    """The pattern view of a text (spec 01 §1.3.1: hits count as tagger output with view `regex`).

    Stateless between calls, so one engine serves many threads.
    """

    def __init__(self, recognizers: Iterable[Recognizer]) -> None:
        """Take the recognizers to run."""
        self.recognizers = tuple(recognizers)
        self._priority = {one.name: int(getattr(one, "priority", 0)) for one in self.recognizers}

    def find(self, text: str) -> list[Span]:
        """Return the hits of all recognizers, sorted by place and free of overlaps.

        Where two overlap, a validated one wins over one that is not, then the longer, then the one of the
        recognizer with the higher priority, then the higher score, then the earlier. A recognizer that fails is
        left out for this text, with a warning that names it and quotes nothing.
        """
        body = plain(text)
        hits: list[Span] = []
        for recognizer in self.recognizers:
            failure = ""
            try:
                hits += [_without_stop(span, body) for span in recognizer.find(body)]
            except Exception as error:  # A plugin may raise anything; its message may quote the text.
                failure = type(error).__name__
            if failure:
                warnings.warn(
                    f"recognizer {recognizer.name!r} failed with {failure}: left out for this text",
                    RuntimeWarning,
                    stacklevel=2,
                )
        return self._settle(hits, len(text))

    def _settle(self, hits: Sequence[Span], size: int) -> list[Span]:
        sound = (span for span in hits if 0 <= span.start < span.end <= size)
        order = sorted(
            sound,
            key=lambda span: (
                not span.validated,
                span.start - span.end,
                -self._priority.get(span.source, 0),
                -span.score,
                span.start,
                span.subtype,
            ),
        )
        taken = bytearray(size)
        kept: list[Span] = []
        for span in order:
            # No earlier hit is shorter unless validated, so both ends and the middle may be taken: look at all.
            if not any(taken[span.start : span.end]):
                taken[span.start : span.end] = b"\x01" * (span.end - span.start)
                kept.append(span)
        return sorted(kept, key=lambda span: span.start)


def _without_stop(span: Span, text: str) -> Span:
    """Leave the stop that ends a sentence out of a hit; codes, and abbreviations such as `p.m.`, keep theirs."""
    end = span.end
    if span.type != "CODE" and text[span.start : end].endswith(".") and not text[span.start : end].endswith(".m."):
        end -= 1
    return span if end == span.end or end <= span.start else span._replace(end=end)
