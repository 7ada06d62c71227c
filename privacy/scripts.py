"""What the larger tagger says goes before rules, lists and weights that were made where no tagger read a script."""

from collections.abc import Sequence

import regex

from gama.state.entities import Span, meets
from gama.tools.languages.prefixes import without_prefixes

PUBLIC = 0.05
"""Below this probability of being private a name in another script is public, whatever else speaks for it."""
_LATIN = regex.compile(r"\p{Latin}")


def with_tagger(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return spans in which names of rules and lists are public where the tagger is sure of it.

    And names begin behind the letters that Hebrew and Arabic join to them.
    """
    known = [span for span in spans if _is_public(text, span)]
    out = []
    for span in without_prefixes(text, spans):
        if span.type == "PER" and span.source != "embedded":
            held = next((one for one in known if meets(span, one)), None)
            span = span if held is None else span._replace(private=0.0)
        out.append(span)
    return out


def with_public(text: str, seen: Sequence[Span], weighed: Sequence[Span]) -> list[Span]:
    """Return weighed spans in which those names are public again that the tagger was sure of.

    The index of the world knows names in Latin letters, and the cues that weigh are of languages in these.

    Args:
        text: the text.
        seen: what was found, with the tagger's own probabilities.
        weighed: the same, weighed.
    """
    public = {(span.start, span.end) for span in seen if _is_public(text, span)}
    return [
        span._replace(private=0.0) if span.source == "embedded" and (span.start, span.end) in public else span
        for span in weighed
    ]


def _is_public(text: str, span: Span) -> bool:
    return (
        span.source == "embedded"
        and span.private is not None
        and span.private < PUBLIC
        and span.type in ("PER", "ORG", "LOC")
        and _LATIN.search(text, span.start, span.end) is None
    )
