"""Remap over a stream: restores chunk by chunk and holds back only what may still become a placeholder."""

from collections.abc import Iterable, Iterator
from typing import Literal

from gama.state.box import PrivacyBox
from gama.tools.placeholders.grammar import LONGEST, token_pattern
from gama.tools.placeholders.remapping import remap_text


class StreamRestorer:
    """Restores a text that arrives in chunks.

    The joined output equals what `remap_text` makes of the joined input.
    """

    def __init__(self, box: PrivacyBox, mode: Literal["tolerant", "strict"] = "tolerant") -> None:
        """Start a stream for a box."""
        self._box = box
        self._mode = mode
        self._held = ""
        self._before = ""
        self.unresolved: list[str] = []
        """What read as a placeholder and was none of the box's."""

    def feed(self, chunk: str) -> str:
        """Take a chunk in and return what can be given out now, restored."""
        self._held += chunk
        return self._release(self._safe_length())

    def close(self) -> str:
        """Return the rest, restored."""
        return self._release(len(self._held))

    def _release(self, length: int) -> str:
        if not length:
            return ""
        ready, self._held = self._held[:length], self._held[length:]
        # The character before decides whether a word begins here; it is left out again below.
        restored = remap_text(self._before + ready, self._box, self._mode)
        self.unresolved += restored.unresolved
        text = restored.text[len(self._before) :]
        self._before = ready[-1] if ready[-1].isalnum() else ""
        return text

    def _safe_length(self) -> int:
        """Return how much of the held text can no longer be part of a placeholder."""
        buffer = self._before + self._held
        at = len(self._before)
        while match := token_pattern().search(buffer, at, partial=True):
            if match.partial or match.end() == len(buffer):
                if len(buffer) - match.start() > LONGEST:
                    at = match.start() + 1
                    continue
                return max(0, int(match.start()) - len(self._before))
            at = max(match.end(), at + 1)
        return len(self._held)


def restore_stream(
    chunks: Iterable[str], box: PrivacyBox, mode: Literal["tolerant", "strict"] = "tolerant"
) -> Iterator[str]:
    """Yield the restored text of a stream of chunks."""
    restorer = StreamRestorer(box, mode)
    for chunk in chunks:
        if text := restorer.feed(chunk):
            yield text
    if text := restorer.close():
        yield text
