"""The contract of a protocol's streams: events in, restored events out."""

from collections.abc import Hashable, Iterator
from typing import Any, Protocol

from gama.serve.gateway.events import Event, write_event
from gama.serve.gateway.restoring import Restorer
from gama.serve.http.errors import Told, body_of


class EventStream(Protocol):
    """Restores the events of one streamed answer."""

    def step(self, event: Event) -> Iterator[bytes]:
        """Yield what takes the place of an event."""

    def end(self) -> Iterator[bytes]:
        """Yield what was held back, where the stream ends without saying so."""

    def broken(self, problem: Told) -> bytes:
        """Return the event that tells, in the protocol's form, that the upstream broke off."""


class Fields:
    """Restores strings inside events, and tells whether any has changed."""

    def __init__(self, restorer: Restorer) -> None:
        """Start unchanged."""
        self._restorer = restorer
        self.changed = False

    def feed(self, holder: dict[str, Any], name: str, key: Hashable, *, as_json: bool = False) -> None:
        """Restore a field that is a piece of a stream."""
        old = holder[name]
        new = self._restorer.feed(key, old, as_json=as_json)
        if new != old:
            holder[name] = new
            self.changed = True

    def whole(self, holder: dict[str, Any], name: str) -> None:
        """Restore a field that is whole."""
        old = holder[name]
        new = self._restorer.value(old, name)
        if new != old:
            holder[name] = new
            self.changed = True

    def written(self, event: Event, data: Any) -> bytes:
        """Return the event, as it came where nothing has changed."""
        return write_event(data, event.name) if self.changed else event.raw


def openai_error(problem: Told) -> bytes:
    """Return an error as an event of the chat completions."""
    return write_event(body_of(problem, "openai"))
