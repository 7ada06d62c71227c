"""Spans as the tagger gives them, of texts that tests write."""

from gama.state.entities import EntityType, Span


def span_of(
    text: str, name: str, private: float, subtype: str = "full_name", kind: EntityType = "PER", score: float = 0.99
) -> Span:
    """Return what the tagger takes for a person, or another name, as private as that."""
    at = text.index(name)
    return Span(at, at + len(name), kind, subtype, score, "pner", private, source="embedded")


def tagged(text: str, name: str, subtype: str = "full_name") -> Span:
    """Return what the tagger takes for a person and hardly for a private one."""
    return span_of(text, name, 0.1, subtype, score=0.9)
