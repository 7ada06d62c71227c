"""One detector by itself: everything it holds for private is hidden, nothing is linked, fused or looked at again."""

import re
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path

from gama.evals.methods.base import Hidden, digest, installed, mask
from gama.evals.metrics.spans import Stretch, of_span
from gama.privacy.identify import PRIVATE
from gama.state.entities import TYPE_OF, Span
from gama.state.errors import OptionError

COMMON = (
    ("email", r"[\w.+-]+@[\w-]+\.[\w.-]+"),
    ("phone", r"\+?\d[\d\s().-]{7,}\d"),
    ("credit_card", r"\b(?:\d[ -]?){13,16}\b"),
    ("ssn", r"\b\d{3}-\d{2}-\d{4}\b"),
    ("iban", r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b"),
    ("ip_address", r"\b(?:\d{1,3}\.){3}\d{1,3}\b"),
    ("url", r"https?://\S+"),
)
"""The regular expressions that a log scrubber usually starts from. A baseline: none of them checks anything."""

_SURROGATE = re.compile("[\ud800-\udfff]")
# Lone surrogates, which no tokenizer takes.


class Detector:
    """A finder of spans as a method. It does not say whose a span is."""

    subjects = False

    def __init__(
        self,
        name: str,
        about: str,
        find: Callable[[str], list[Span]],
        facts: Mapping[str, str],
        least: float = PRIVATE,
    ) -> None:
        """Take the finder.

        Args:
            name: as the tables show it.
            about: one line on what it is.
            find: returns the spans of a text.
            facts: what its figures depend on.
            least: probability of being private from which a span is hidden; a span without one always is.
        """
        self.name, self.about = name, about
        self._find, self._facts, self._least = find, facts, least

    def facts(self) -> Mapping[str, str]:
        """Return what its figures depend on."""
        return self._facts

    def hide(self, text: str) -> Hidden:
        """Hide everything that the finder holds for private, where spans overlap the surer and longer of them."""
        found = sorted(self._find(_SURROGATE.sub("\ufffd", text)), key=_rank)
        stretches = without_overlap([of_span(span, self._least) for span in found])
        return Hidden(stretches, mask(text, stretches))


def tagger() -> Detector:
    """Return the shipped tagger with the threshold of its card.

    Raises:
        ModelUnreachable: its weights are missing or damaged.
    """
    from gama.models.embedded import WEIGHTS, embedded_tagger

    model = embedded_tagger()
    facts = {"model_sha256": digest(WEIGHTS / "identify.onnx")}
    least = float(model.card["thresholds"]["private"])
    return Detector("tagger", "the embedded tagger by itself", model.spans, facts, least)


def accurate() -> Detector:
    """Return the larger tagger with the threshold of its card.

    Raises:
        OptionError: it is not installed.
        ModelUnreachable: its weights are damaged.
    """
    from gama.models.accurate import accurate_tagger

    model = accurate_tagger()
    facts = {"model_sha256": str(model.card["sha256"]["identify.onnx"])}
    least = float(model.card["thresholds"]["private"])
    return Detector("accurate", "the larger tagger by itself", model.spans, facts, least)


def patterns(region: str | None = None) -> Detector:
    """Return the built-in pattern recognizers."""
    from gama.tools.builtin import recognizers
    from gama.tools.recognizers.declared import PatternEngine

    engine = PatternEngine(recognizers(region))
    facts = {"recognizers": str(len(engine.recognizers))}
    return Detector("patterns", "the built-in pattern recognizers by themselves", engine.find, facts)


def presidio() -> Detector:
    """Return Presidio's pattern recognizers.

    Raises:
        OptionError: presidio-analyzer is not installed.
    """
    from gama.models.presidio import PresidioPatterns

    facts = {"presidio_analyzer": installed("presidio-analyzer")}
    return Detector(
        "presidio", "Presidio's pattern recognizers, without its spaCy model", PresidioPatterns().spans, facts
    )


def bilstm(folder: Path) -> Detector:
    """Return a BiLSTM-CRF that `gama eval train-bilstm` trained.

    Raises:
        OptionError: torch is not installed.
        ModelUnreachable: it cannot be loaded.
    """
    if find_spec("torch") is None:
        raise OptionError("option --bilstm: it needs torch: pip install 'gama-privacy[local]'")
    from gama.evals.piibench.bilstm import BiLstmCrf

    model = BiLstmCrf.load(folder)
    facts = {"model_sha256": digest(folder / "bilstm.pt"), "trained_on_sha256": str(model.card.get("data_sha256"))}
    return Detector("bilstm", f"the BiLSTM-CRF in {folder.name!r}, PII-Bench's baseline", model.spans, facts)


def regex() -> Detector:
    """Return a handful of common regular expressions, such as a log scrubber has."""
    compiled = [(subtype, re.compile(pattern)) for subtype, pattern in COMMON]

    def find(text: str) -> list[Span]:
        return [
            Span(match.start(), match.end(), TYPE_OF[subtype], subtype, 1.0, "regex", source="regex")
            for subtype, pattern in compiled
            for match in pattern.finditer(text)
        ]

    about = f"{len(COMMON)} common regular expressions: {', '.join(subtype.replace('_', ' ') for subtype, _ in COMMON)}"
    return Detector("regex", about, find, {})


def nothing() -> Detector:
    """Return what hides nothing, against which all others can be read."""
    return Detector("nothing", "the text as it is", lambda text: [], {})


def huggingface(given: str) -> Detector:
    """Return a token classifier of the Hugging Face hub or of a folder.

    Args:
        given: `NAME`, `NAME@REVISION`, or a folder.

    Raises:
        OptionError: its packages are missing.
        ModelUnreachable: The model cannot be loaded, or is not a token classifier.
    """
    from gama.models.huggingface_ner import TokenClassifier

    name, _, revision = (given, "", "") if Path(given).exists() else given.partition("@")
    model = TokenClassifier(name, revision or None)
    facts = {"model": name, "revision": model.revision, "device": model.device}
    facts |= {package: installed(package) for package in ("torch", "transformers")}
    shown = Path(given).name if Path(given).exists() else given
    return Detector(shown, f"the token classifier {given}", model.spans, facts)


def competitor(given: str) -> Detector:
    """Return another tool's finding, run in the Python that it is installed in.

    Args:
        given: `NAME=PYTHON` or `NAME:MODEL=PYTHON`; for the names see `evals/competitors/finding.py`.

    Raises:
        OptionError: it is not written so, the tool is unknown, or it does not answer.
    """
    from gama.evals.competitors.run import OtherFinder
    from gama.models.huggingface_ner import subtype_of

    named, sign, python = given.rpartition("=")
    if not sign or not named:
        raise OptionError(f"option --competitor: {given!r} is not NAME=PYTHON")
    tool = OtherFinder(named, Path(python))
    name, _, model = named.partition(":")

    def find(text: str) -> list[Span]:
        kinds = ((start, end, subtype_of(label) or "other_id", score) for start, end, label, score in tool.spans(text))
        return [Span(start, end, TYPE_OF[kind], kind, score, "pner", source=name) for start, end, kind, score in kinds]

    model = Path(model).name
    about = f"{name} {tool.version} with its own settings" + (f", model {model}" if model else "")
    return Detector(name, about, find, {"version": tool.version} | ({"model": model} if model else {}))


def without_overlap(stretches: list[Stretch]) -> list[Stretch]:
    """Return the stretches, in order, that do not overlap one of those before them in the list."""
    kept: list[Stretch] = []
    for item in stretches:
        if not any(item.start < other.end and other.start < item.end for other in kept):
            kept.append(item)
    return sorted(kept, key=lambda item: item[:2])


def _rank(span: Span) -> tuple[float, int, int]:
    return (-span.score, span.start - span.end, span.start)
