"""GLiNER as a finder of view 1: zero-shot span recognition by label names (Zaratiana et al. 2024).

Needs the package `gliner`. The checkpoint is loaded from its hub, or from a folder.
"""

import re
from collections.abc import Iterator
from threading import Lock
from typing import Any

from gama.models.huggingface_ner import subtype_of
from gama.models.shipped import silence_onnxruntime
from gama.state.entities import TYPE_OF, Span, apart
from gama.state.errors import ModelUnreachable, OptionError

CHECKPOINT = "urchade/gliner_multi_pii-v1"
"""Default checkpoint: multilingual, trained on personal data, Apache-2.0."""

LABELS = tuple(
    "person|username|organization|school|hospital|phone number|email|address|postcode|city|country|passport number|"
    "social security number|driver license number|credit card number|bank account number|iban|ip address|mac address|"
    "tax identification number|vehicle registration number|password|date of birth|date|occupation|nationality|religion|"
    "medical condition|age|salary".split("|")
)
"""What the model is asked for; what each stands for is in `data/ner_labels.txt`."""

CHUNK_CHARS = 1_200
"""Characters read at once: under the 384 words that GLiNER checkpoints take."""
OVERLAP_CHARS = 200
"""Characters that two neighbouring chunks share."""

# A place to cut: after white space.
_SPACE = re.compile(r"\s+")


class GlinerTagger:
    """Finds spans with a GLiNER checkpoint. It judges no context: `private` is None. Calls take turns."""

    def __init__(self, name: str = CHECKPOINT, threshold: float = 0.5, model: Any = None) -> None:
        """Load a checkpoint.

        Args:
            name: Name on the hub, or a folder.
            threshold: Least score of a span, in (0, 1).
            model: A loaded `gliner.GLiNER`, in place of `name`.

        Raises:
            OptionError: The package is missing.
            ModelUnreachable: The checkpoint cannot be loaded.
        """
        self._threshold, self._lock = threshold, Lock()
        if model is None:
            try:
                silence_onnxruntime()
                from gliner import GLiNER
            except ImportError:
                raise OptionError("the finder gliner needs one more package: pip install gliner") from None
            try:
                model = GLiNER.from_pretrained(name)
            except Exception as error:
                raise ModelUnreachable(
                    f"the GLiNER checkpoint {name!r} cannot be loaded ({type(error).__name__}): check its name, "
                    "or give a folder that holds it"
                ) from error
        self._model = model

    def spans(self, text: str) -> list[Span]:
        """Return the spans of a text, sorted, not overlapping, with offsets in characters."""
        found: dict[tuple[int, int], Span] = {}
        for start, end in chunks(text):
            with self._lock:
                answers = self._model.predict_entities(text[start:end], list(LABELS), threshold=self._threshold)
            for item in answers:
                subtype = subtype_of(item["label"]) or "other_id"
                place = (start + int(item["start"]), start + int(item["end"]))
                span = Span(*place, TYPE_OF[subtype], subtype, round(float(item["score"]), 4), "pner", source="gliner")
                if place[0] < place[1] and (place not in found or found[place].score < span.score):
                    found[place] = span
        return apart(sorted(found.values(), key=lambda one: (-one.score, one.start)))


def chunks(text: str) -> Iterator[tuple[int, int]]:
    """Cut a text into overlapping stretches that begin and end at white space where there is any."""
    start = 0
    while start < len(text):
        end = min(start + CHUNK_CHARS, len(text))
        if end < len(text):
            gaps = [match.end() for match in _SPACE.finditer(text, start + CHUNK_CHARS // 2, end)]
            end = gaps[-1] if gaps else end
        yield start, end
        if end == len(text):
            return
        back = end - OVERLAP_CHARS
        gap = _SPACE.search(text, back, end)
        start = gap.end() if gap and gap.end() < end else back
