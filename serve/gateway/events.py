"""Server-sent events, read and written: what passes unchanged keeps its bytes."""

import json
import re
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

from gama.serve.http.body import write_json
from gama.state.errors import ModelReplyError

LONGEST_EVENT = 16 * 2**20
"""More than any event needs; it keeps a broken upstream from filling the memory."""

# The ends that the standard names; other signs that break lines may stand inside JSON.
_LINE_END = re.compile(r"\r\n|\n|\r")


class Event(NamedTuple):
    """One event as it came."""

    raw: bytes
    """Its bytes, with the blank line that ends it."""
    name: str
    data: str

    def json(self) -> Any:
        """Return its data, or None where it is no JSON."""
        if not self.data.startswith("{"):
            return None
        try:
            return json.loads(self.data)
        except (ValueError, RecursionError):
            return None


def write_event(value: Any, name: str = "") -> bytes:
    """Return an event with JSON in it."""
    head = f"event: {name}\n".encode() if name else b""
    return head + b"data: " + write_json(value) + b"\n\n"


async def read_events(chunks: AsyncIterator[bytes]) -> AsyncIterator[list[Event]]:
    """Yield the events that each piece of a body completes.

    Raises:
        ModelReplyError: an event is longer than any can be.
    """
    held = b""
    async for chunk in chunks:
        held += chunk
        found = []
        while (cut := _end(held)) is not None:
            raw, held = held[:cut], held[cut:]
            found.append(_event(raw))
        if len(held) > LONGEST_EVENT:
            raise ModelReplyError("The upstream sent an event that is too long to be one.")
        if found:
            yield found
    if held.strip():
        yield [_event(held + b"\n\n")]


def _end(held: bytes) -> int | None:
    """Return where the first event ends, behind its blank line."""
    ends = [at + len(sign) for sign in (b"\n\n", b"\r\n\r\n", b"\r\r") if (at := held.find(sign)) >= 0]
    return min(ends, default=None)


def _event(raw: bytes) -> Event:
    name, data = "", []
    for line in _LINE_END.split(raw.decode("utf-8", "replace")):
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            name = value
        elif field == "data":
            data.append(value)
    return Event(raw, name, "\n".join(data))
