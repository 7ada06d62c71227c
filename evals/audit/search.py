"""The search: which values stand in what a channel carried, in any form, found in two ways.

The guard finds every normal form, and is also what protects; so a second, plainer search that shares no code with it
looks as well.
"""

import re
import threading
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote_plus

from gama.guard.search import Guard

_SHORTEST_PLAIN = 8
"""Letters and digits that a value must have for the plain search: fewer occur by chance."""


class Searcher:
    """Searches payloads for values.

    Args:
        values: what must not be found.
        harmless: payloads that hold nothing private, such as a request about the weather: values found there are
            words of the form.
    """

    def __init__(self, values: Iterable[str], harmless: Sequence[bytes] = ()) -> None:
        """Compile the values."""
        self.values = list(dict.fromkeys(values))
        self._guard = Guard(self.values)
        self._plain = {number: squeezed(value) for number, value in enumerate(self.values)}
        self._plain = {number: text for number, text in self._plain.items() if len(text) >= _SHORTEST_PLAIN}
        self._form: frozenset[int] = frozenset()
        self._form = frozenset(number for payload in harmless for number in self._found(payload))

    def find(self, payload: bytes) -> list[str]:
        """Return the values that a payload contains."""
        return [self.values[number] for number in sorted(self._found(payload) - self._form)]

    def _found(self, payload: bytes) -> frozenset[int]:
        if not self.values:
            return frozenset()
        text = payload.decode("utf-8", "replace")
        looks = {squeezed(text), squeezed(_unescaped(text))}
        plain = {number for number, value in self._plain.items() if any(value in look for look in looks)}
        return self._guard.search(text) | plain


def squeezed(text: str) -> str:
    """Return a text in one case, letters and digits only."""
    return re.sub(r"[\W_]+", "", text.casefold())


def _unescaped(text: str) -> str:
    return unquote_plus(re.sub(r"\\u([0-9a-fA-F]{4})", lambda match: chr(int(match[1], 16)), text))


@dataclass
class Channel:
    """What a channel carried."""

    payloads: int = 0
    size: int = 0
    found: dict[str, int] = field(default_factory=dict)
    """Values of a box that got out, with the number of payloads they stood in."""
    missed: int = 0
    """Payloads with a planted value that no detector had found: it was in no box."""


class Channels:
    """Counts what went over each channel and what was found there. Safe to share between threads."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.all: dict[str, Channel] = defaultdict(Channel)
        self._lock = threading.Lock()

    def look(self, name: str, payloads: Iterable[bytes], box: Searcher, planted: Searcher | None = None) -> list[str]:
        """Search payloads; returns the values of the box that were found.

        Args:
            name: the channel.
            payloads: what it carried.
            box: the values that must not be there.
            planted: the values that were planted; those that are in no box are misses of the detectors.
        """
        out: list[str] = []
        for payload in payloads:
            found = box.find(payload)
            missed = set(planted.find(payload)) - set(found) if planted else set()
            with self._lock:
                channel = self.all[name]
                channel.payloads += 1
                channel.size += len(payload)
                channel.missed += bool(missed)
                for value in found:
                    channel.found[value] = channel.found.get(value, 0) + 1
            out += found
        return out

    @property
    def payloads(self) -> int:
        """How many payloads there were."""
        return sum(channel.payloads for channel in self.all.values())

    @property
    def size(self) -> int:
        """Their bytes."""
        return sum(channel.size for channel in self.all.values())
