"""NER-PRE, a baseline of GAMA's tables: all that a tagger and patterns find is replaced, whatever the context."""

import re
from collections.abc import Mapping, Sequence

from gama.evals.methods.base import Hidden, mask
from gama.evals.methods.detectors import without_overlap
from gama.evals.methods.pipeline import facts_of
from gama.evals.metrics.spans import Stretch
from gama.privacy.pipeline import Pipeline
from gama.privacy.question import without_halves
from gama.state.entities import placeholder_kind
from gama.state.options import Options

TYPES = frozenset({"PER", "LOC", "ORG", "CODE"})
"""What the tagger of the publication knows, and what its patterns find."""


class NerPre:
    """Replaces names, places, organizations and codes by numbered placeholders.

    As published, the first word of a name alone becomes a placeholder, wherever it stands in the text, and its other
    words are deleted, wherever they stand: that damages the text. By default the whole name is replaced.
    """

    subjects = False

    def __init__(self, options: Options, *, as_published: bool = False) -> None:
        """Load the finders that the options name; the tagger of the publication was never released.

        Args:
            options: `pner` names the tagger, such as `huggingface:dslim/bert-large-NER`.
            as_published: whether continuation words are deleted.

        Raises:
            ModelUnreachable: the weights are missing or damaged.
        """
        self.name = "ner-pre-published" if as_published else "ner-pre"
        self.about = "tagger and patterns, no context" + (
            "; words after a name's first are deleted, as published" if as_published else ""
        )
        self._as_published = as_published
        self._engine = Pipeline(options)

    def facts(self) -> Mapping[str, str]:
        """Return the hash of the tagger, and the options."""
        return facts_of(self._engine.options)

    def hide(self, text: str) -> Hidden:
        """Hide what is found, whether it is private or not."""
        return self.cover(text)[0]

    def cover(self, text: str) -> tuple[Hidden, dict[str, str]]:
        """Hide what is found, and return the placeholders by what they stand for."""
        spans = [span for span in self._engine.found(without_halves(text)) if span.type in TYPES]
        longest = sorted(spans, key=lambda span: (span.start - span.end, span.start, -span.score))
        stretches = without_overlap([Stretch(span.start, span.end, span.type, span.subtype) for span in longest])
        names: dict[str, str] = {}
        if not self._as_published:
            return Hidden(stretches, mask(text, stretches, names)), names
        return Hidden(stretches, _without_continuations(text, stretches, names)), names


def _without_continuations(text: str, stretches: Sequence[Stretch], names: dict[str, str]) -> str:
    """Return the text with first words replaced and the others deleted, codes replaced whole; `names` grows."""
    deleted: set[str] = set()
    for item in stretches:
        surface = text[item.start : item.end]
        first, *others = [surface] if item.type == "CODE" else re.findall(r"\w+", surface) or [surface]
        names.setdefault(first, f"<{placeholder_kind(item.subtype)}-{len(names) + 1}>")
        deleted |= set(others)

    def word(match: re.Match[str]) -> str:
        return names.get(match[0], "" if match[0] in deleted else match[0])

    out, at = [], 0
    for item in [item for item in stretches if item.type == "CODE"]:
        out += [re.sub(r"\w+", word, text[at : item.start]), names[text[item.start : item.end]]]
        at = item.end
    return "".join([*out, re.sub(r"\w+", word, text[at:])])
