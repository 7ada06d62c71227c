"""Keys and tokens: known shapes, PEM blocks, and random strings beside words for a secret."""

import math
from collections import Counter
from collections.abc import Iterator

from gama.state.entities import Span
from gama.tools.recognizers.base import hit, plain
from gama.tools.recognizers.declared import declaration

_DECLARED = declaration("api_key")
_BESIDE = _DECLARED.expression("beside")
_SECRET_WORDS = _DECLARED.words["secret_words"]
_KNOWN = _DECLARED.recognizer()


def _random(value: str) -> bool:
    """Return whether a string looks drawn at random: classes of characters mixed, and high entropy."""
    body = value.strip("=._-/")
    if len(body) < 8 or not any(char.isdigit() for char in body) or not any(char.isalpha() for char in body):
        return False
    counts = Counter(body)
    entropy = -sum(n / len(body) * math.log2(n / len(body)) for n in counts.values())
    # Bits per character: words of a language stay near 3 at these lengths, drawn strings near log2 of their length.
    return entropy >= min(3.2, 0.8 * math.log2(len(body)))


class ApiKeyRecognizer:
    """Finds keys and tokens: known shapes, PEM blocks, and random strings beside words for a secret."""

    name = "api_key"
    subtypes = ("api_key",)
    priority = 3

    def find(self, text: str) -> Iterator[Span]:
        """Yield keys of known shapes, then random strings behind a word for a secret."""
        body = plain(text)
        yield from _KNOWN.find(body)
        if not body.has_digit:
            return
        for at in _places(body.low):
            match = _BESIDE.match(body.low, at)
            if match:
                start, end = match.span("v")
                end = start + len(body[start:end].rstrip("._-/"))
                if _random(body[start:end]):
                    yield hit(start, end, "api_key", self.name, score=0.85, private=1.0)


def _places(low: str) -> Iterator[int]:
    # A plain search for the words is many times quicker than an expression that may begin anywhere.
    for word in _SECRET_WORDS:
        at = low.find(word)
        while at >= 0:
            yield at
            at = low.find(word, at + len(word))
