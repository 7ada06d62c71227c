"""What is joined to the front of a name: letters of Hebrew and Arabic (`ולדנה`), words of Chinese (`在上海`)."""

from collections.abc import Sequence

import regex

from gama.state.entities import Span

_JOINED = regex.compile(r"(?:ו[לבמשכה]?|[לבמשכה])(?=\p{Hebrew}{2})|[وفبلك]{1,2}(?=\p{Arabic}{2})")
# Accepts where, whence and whither, before the name of a place or a body in Chinese.
_WHERE = regex.compile(r"[在于於从從到由给給](?=\p{Han}{2})")


def without_prefixes(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return spans in which a person's name begins behind the letters that are joined to it, a place behind `在`.

    Where the letters end is known by a rule's name inside the span, or by the bare name elsewhere in the text.
    """
    names = {text[span.start : span.end] for span in spans if span.type == "PER"}
    starts = {span.start for span in spans if span.type == "PER" and span.source != "embedded"}
    out = []
    for span in spans:
        if span.type == "PER" and span.source == "embedded" and (match := _JOINED.match(text, span.start)):
            for start in range(match.end(), span.start, -1):
                if start in starts or text[start : span.end] in names:
                    span = span._replace(start=start)
                    break
        elif span.type in ("ORG", "LOC") and span.source == "embedded" and _WHERE.match(text, span.start):
            span = span._replace(start=span.start + 1)
        out.append(span)
    return out
