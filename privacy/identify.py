"""The two views of multi-view privacy identification (GAMA Eqs. 1 and 2, spec 01 §1.3).

View 1 (PNER) finds what is a name, a code, a place …: patterns and tagger. View 2 (PIA) finds
what is private in its context: by the private LLM where there is one, else by the tagger's own
judgement of the context.
"""

from collections.abc import Sequence

from gama.state.entities import Span
from gama.state.options import Options

PRIVATE = 0.6
"""From this probability on a span counts as private."""


def first_view(spans: Sequence[Span], options: Options) -> list[Span]:
    """Return view 1 (PNER): what the named finders found, without overlap; a validated pattern beats everything."""
    embedded = "embedded" in options.pner
    return without_overlap([span for span in spans if embedded or span.source != "embedded"])


def embedded_view(spans: Sequence[Span], options: Options) -> list[Span]:
    """Return view 2 (PIA) without an LLM: what tagger or pattern hold for private where it stands."""
    nobodys = [span for span in spans if _is_nobodys(span)]
    found = [
        span
        for span in spans
        if (span.private or 0) >= threshold(span, options) and not any(_same_place(span, one) for one in nobodys)
    ]
    return [span._replace(view="pia") for span in without_overlap(found)]


def _is_nobodys(span: Span) -> bool:
    """Return whether a pattern knows a code for nobody's: no judgement of the context changes that."""
    return span.view == "regex" and span.private == 0.0


def threshold(span: Span, options: Options) -> float:
    """Return the least probability at which a span of this kind counts as private."""
    chosen = dict(options.thresholds)
    return chosen.get(span.subtype, chosen.get(span.type, PRIVATE))


def without_overlap(spans: Sequence[Span]) -> list[Span]:
    """Resolve overlaps: validated codes first, then other codes of patterns, the tagger, weak patterns; longer, surer.

    Of two finders that agree on a stretch, the stronger judgement of its privacy is kept. A code
    that the tagger sees as part of a longer one (`NNU 4417720`) is taken at that length.
    """
    kept: list[Span] = []
    for span in sorted(spans, key=_rank):
        rivals = [k for k in kept if span.start < k.end and k.start < span.end]
        if not rivals:
            kept.append(span)
            continue
        rival = rivals[0]
        better = rival
        judged = span.private is not None and not _is_nobodys(rival)
        if judged and (rival.private or 0) < (span.private or 0) and _same_place(rival, span):
            better = better._replace(private=span.private)
        if len(rivals) == 1 and rival.type == span.type == "CODE" and _holds(span, rival):
            better = better._replace(start=span.start, end=span.end)
        kept[kept.index(rival)] = better
    return sorted(kept)


def _rank(span: Span) -> tuple[bool, bool, bool, int, float]:
    pattern = span.view == "regex"
    return (
        not span.validated,
        not (pattern and span.type == "CODE"),
        pattern,
        span.start - span.end,
        -span.score,
    )


def _holds(outer: Span, inner: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _same_place(one: Span, other: Span) -> bool:
    shared = min(one.end, other.end) - max(one.start, other.start)
    return 2 * shared >= max(one.end - one.start, other.end - other.start)
