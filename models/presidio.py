"""Presidio's pattern recognizers as a finder of spans.

Needs the package `presidio-analyzer`, and no model of spaCy: its NLP engine here only cuts words, so that context
words still raise scores. What Presidio finds by named-entity recognition (persons, places) is not there.
"""

from collections.abc import Iterable
from typing import Any

from gama.models.huggingface_ner import subtype_of
from gama.state.entities import TYPE_OF, Span, apart
from gama.state.errors import OptionError


class PresidioPatterns:
    """Presidio's predefined pattern recognizers for English. They judge no context: `private` is None."""

    def __init__(self, threshold: float = 0.0) -> None:
        """Load the recognizers.

        Args:
            threshold: Least score of a span; the default is Presidio's own.

        Raises:
            OptionError: The package is missing.
        """
        try:
            from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
            from presidio_analyzer.predefined_recognizers import SpacyRecognizer
        except ImportError:
            raise OptionError("presidio-analyzer is not installed: pip install 'gama-privacy[presidio]'") from None
        _stay_offline()
        registry = RecognizerRegistry(supported_languages=["en"])
        registry.load_predefined_recognizers(languages=["en"])
        registry.recognizers = [one for one in registry.recognizers if not isinstance(one, SpacyRecognizer)]
        self._engine = AnalyzerEngine(registry=registry, nlp_engine=_blank_engine(), supported_languages=["en"])
        self._threshold = threshold

    def spans(self, text: str) -> list[Span]:
        """Return the spans of a text, sorted, not overlapping, with offsets in characters."""
        found = self._engine.analyze(text, language="en", score_threshold=self._threshold)
        return settle(found)


def settle(hits: Iterable[Any]) -> list[Span]:
    """Return Presidio's results as spans without overlap: the surer wins, then the longer, then the earlier."""
    spans = []
    for hit in sorted(hits, key=lambda one: (-one.score, one.start - one.end, one.start, one.entity_type)):
        if hit.start < hit.end:
            subtype = subtype_of(hit.entity_type) or "other_id"  # a number of some kind
            score = round(float(hit.score), 4)
            spans.append(Span(hit.start, hit.end, TYPE_OF[subtype], subtype, score, "regex", source="presidio"))
    return apart(spans)


def _stay_offline() -> None:
    """Keep the check of e-mail domains from fetching the newest list of suffixes; it falls back on its own copy."""
    import tldextract.tldextract

    tldextract.tldextract.TLD_EXTRACTOR.suffix_list_urls = ()


def _blank_engine() -> Any:
    """Return an engine that cuts words and knows nothing else; words in lower case stand in for their lemmas."""
    import spacy
    from presidio_analyzer.nlp_engine import SpacyNlpEngine
    from spacy.language import Language

    def lowered(words: Any) -> Any:
        for word in words:
            word.lemma_ = word.lower_
        return words

    Language.component("gama_lowered", func=lowered)
    engine: Any = SpacyNlpEngine()
    engine.nlp = {"en": spacy.blank("en")}
    engine.nlp["en"].add_pipe("gama_lowered")
    return engine
