"""Restoring what streams out of an agent: whole values at once, tokens with a hold-back for placeholders in pieces."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from langchain_core.messages import AIMessageChunk

from gama.middleware.session import Session
from gama.tools.placeholders.stream import StreamRestorer

_TEXTS = ("text", "reasoning", "thinking", "refusal", "content")
"""Keys of a block that holds a piece of a text."""
_ARGUMENTS = ("args", "arguments", "partial_json", "input")
"""Keys that hold a piece of JSON."""


class Shape(NamedTuple):
    """What the items of a stream look like."""

    modes: tuple[str, ...]
    single: bool
    """Whether one mode was asked for by its bare name, so that items do not name it."""
    subgraphs: bool
    version: str

    def take(self, item: Any) -> tuple[Any, str, Any, Callable[[Any], Any]]:
        """Return namespace, mode and data of an item, and what puts other data into its place."""
        if self.version == "v2":
            return tuple(item["ns"]), item["type"], item["data"], lambda data: {**item, "data": data}
        if self.single:
            mode = self.modes[0]
            if self.subgraphs:
                return item[0], mode, item[1], lambda data: (item[0], data)
            return (), mode, item, lambda data: data
        if self.subgraphs:
            return item[0], item[1], item[2], lambda data: (item[0], item[1], data)
        return (), item[0], item[1], lambda data: (item[0], data)


class Outlet:
    """Restores the items of a stream."""

    def __init__(self, session: Session, shape: Shape) -> None:
        """Start a stream."""
        self._session = session
        self._shape = shape
        self._open: dict[Any, Pieces] = {}

    def feed(self, item: Any) -> Iterator[Any]:
        """Yield what an item becomes; what a message still holds back comes before what ends it."""
        namespace, mode, data, put = self._shape.take(item)
        if mode != "messages":
            if mode in ("updates", "values"):
                yield from self._close(namespace)
            shown = put(self._session.show_value(data))
            if isinstance(shown, dict) and self._shape.version == "v2" and shown.get("interrupts"):
                shown["interrupts"] = self._session.show_value(shown["interrupts"])
            yield shown
            return
        payload, metadata = data
        if isinstance(payload, dict):
            yield from self._protocol(namespace, payload, metadata, put)
            return
        if not isinstance(payload, AIMessageChunk):
            yield put((self._session.show_value(payload), metadata))
            return
        key = (namespace, payload.id)
        for other in [one for one in self._open if one != key and one[0] == namespace]:
            yield from self._end(other)
        tokens = self._open.get(key) or Tokens(self._session, payload, metadata, put)
        self._open[key] = tokens
        yield put((tokens.feed(payload), metadata))
        if payload.chunk_position == "last":
            del self._open[key]

    def close(self) -> Iterator[Any]:
        """Yield what is still held back."""
        for key in list(self._open):
            yield from self._end(key)

    def _close(self, namespace: Any) -> Iterator[Any]:
        for key in [one for one in self._open if one[0] == namespace]:
            yield from self._end(key)

    def _end(self, key: Any) -> Iterator[Any]:
        tokens = self._open.pop(key)
        if isinstance(tokens, Tokens) and (rest := tokens.rest()) is not None:
            yield tokens.put((rest, tokens.metadata))

    def _protocol(
        self, namespace: Any, event: dict[str, Any], metadata: Any, put: Callable[[Any], Any]
    ) -> Iterator[Any]:
        """Restore an event of the block protocol: pieces of blocks, then the whole block."""
        run = str((metadata or {}).get("run_id", ""))
        kind = event.get("event")
        key = (namespace, run, event.get("index"))
        if kind == "content-block-delta":
            pieces = self._open.setdefault(key, Pieces(self._session))
            yield put(({**event, "delta": pieces.feed(event.get("delta"))}, metadata))
            return
        if kind == "content-block-finish" and (held := self._open.pop(key, None)) is not None:
            for delta in held.rest_of_block():
                yield put(({"event": "content-block-delta", "index": event.get("index"), "delta": delta}, metadata))
        yield put((self._session.show_value(event), metadata))


class Pieces:
    """Restores strings that come in pieces, each at its place."""

    def __init__(self, session: Session) -> None:
        """Start."""
        self._session = session
        self._restorers: dict[Any, StreamRestorer] = {}
        self._last: dict[Any, dict[str, Any]] = {}

    def piece(self, place: Any, text: str, *, in_json: bool = False) -> str:
        """Restore a piece of the string at a place."""
        if place not in self._restorers:
            how = self._session.anonymizer.options.restoring
            how = how._replace(place="json") if in_json else how
            box = self._session.box
            # What formulas give is added to the box of the state where the answer is whole, by one hook at a time.
            self._restorers[place] = (box.apart() if box.formulas else box).restorer(how)
        return self._restorers[place].feed(text)

    def end(self, place: Any) -> str:
        """Return what is held back at a place."""
        restorer = self._restorers.pop(place, None)
        return restorer.close() if restorer else ""

    def places(self) -> list[Any]:
        """Return the places that may hold something back."""
        return list(self._restorers)

    def block(self, place: Any, block: Any) -> Any:
        """Restore a block, or a piece of one."""
        if isinstance(block, str):
            return self.piece(place, block)
        if not isinstance(block, dict):
            return block
        out = dict(block)
        for name, value in block.items():
            if isinstance(value, str) and name in (*_TEXTS, *_ARGUMENTS):
                out[name] = self.piece((*place, name), value, in_json=name in _ARGUMENTS)
                self._last[(*place, name)] = block
            elif isinstance(value, dict | list):
                out[name] = self._session.show_value(value)
        return out

    def feed(self, delta: Any) -> Any:
        """Restore a delta of the block protocol."""
        if isinstance(delta, dict) and isinstance(delta.get("fields"), dict):
            return {**delta, "fields": self.block(("fields",), delta["fields"])}
        return self.block(("delta",), delta)

    def rest_of_block(self) -> Iterator[dict[str, Any]]:
        """Yield a delta for everything that is held back."""
        for place in self.places():
            if not (rest := self.end(place)):
                continue
            like = self._last.get(place, {})
            last = {**like, place[-1]: rest}
            yield {"type": "block-delta", "fields": last} if place[0] == "fields" else last


class Tokens(Pieces):
    """Restores the chunks of one message."""

    def __init__(self, session: Session, first: AIMessageChunk, metadata: Any, put: Callable[[Any], Any]) -> None:
        """Start a message."""
        super().__init__(session)
        self.metadata = metadata
        self.put = put
        self._like = first

    def feed(self, delta: Any) -> Any:
        """Restore a chunk."""
        chunk: AIMessageChunk = delta
        last = chunk.chunk_position == "last"
        content = self._content(chunk.content)
        calls = [self._call(n, dict(call)) for n, call in enumerate(chunk.tool_call_chunks)]
        extra = {
            name: self.piece(("extra", name), value) if isinstance(value, str) else self._extra(name, value)
            for name, value in chunk.additional_kwargs.items()
        }
        if last:
            content, calls = self._with_rest(content, calls)
        return _rebuilt(chunk, content, calls, extra)

    def rest(self) -> AIMessageChunk | None:
        """Return a chunk with what is held back, or None."""
        content, calls = self._with_rest("" if isinstance(self._like.content, str) else [], [])
        if not content and not calls:
            return None
        return AIMessageChunk(content=content, tool_call_chunks=calls, id=self._like.id, name=self._like.name)

    def _content(self, content: Any) -> Any:
        if isinstance(content, str):
            return self.piece(("content",), content)
        return [
            self.block(("block", block.get("index", n) if isinstance(block, dict) else n), block)
            for n, block in enumerate(content)
        ]

    def _call(self, n: int, call: dict[str, Any]) -> dict[str, Any]:
        if call.get("args"):
            place = ("call", call.get("index") if call.get("index") is not None else n)
            call["args"] = self.piece(place, call["args"], in_json=True)
        return call

    def _extra(self, name: str, value: Any) -> Any:
        if name == "tool_calls" and isinstance(value, list):
            # The same pieces as in the chunks of calls, in the provider's own form.
            return [
                {**call, "function": self.block(("extra", name, call.get("index", n)), call.get("function"))}
                if isinstance(call, dict)
                else call
                for n, call in enumerate(value)
            ]
        return self._session.show_value(value)

    def _with_rest(self, content: Any, calls: list[Any]) -> tuple[Any, list[Any]]:
        """Add what is held back to the last chunk."""
        for place in self.places():
            rest = self.end(place)
            if not rest or place[0] == "extra":
                continue
            if place[0] == "call":
                known = next((call for call in calls if call.get("index") == place[1]), None)
                if known:
                    known["args"] = (known.get("args") or "") + rest
                else:
                    calls.append({"name": None, "args": rest, "id": None, "index": place[1], "type": "tool_call_chunk"})
            elif isinstance(content, str):
                content += rest
            else:
                content = [*content, {**self._last.get(place, {"type": "text"}), place[-1]: rest}]
        return content, calls


def _rebuilt(chunk: AIMessageChunk, content: Any, calls: list[Any], extra: dict[str, Any]) -> AIMessageChunk:
    """Return a chunk with other text; what is worked out of its pieces is worked out anew."""
    fields = {
        name: getattr(chunk, name)
        for name in type(chunk).model_fields
        if name not in ("type", "tool_calls", "invalid_tool_calls")
    }
    return type(chunk)(**(fields | {"content": content, "tool_call_chunks": calls, "additional_kwargs": extra}))


class EventOutlet:
    """Restores the events of a run."""

    def __init__(self, session: Session) -> None:
        """Start."""
        self._session = session
        self._open: dict[str, Tokens] = {}

    def feed(self, event: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield what an event becomes; what a model's message still holds back comes before its end."""
        run = str(event.get("run_id"))
        chunk = event.get("data", {}).get("chunk")
        if event.get("event") == "on_chat_model_stream" and isinstance(chunk, AIMessageChunk):
            tokens = self._open.setdefault(run, Tokens(self._session, chunk, event, lambda data: data))
            yield {**event, "data": {**event["data"], "chunk": tokens.feed(chunk)}}
            return
        if event.get("event") == "on_chat_model_end" and run in self._open:
            tokens = self._open.pop(run)
            if (rest := tokens.rest()) is not None:
                yield {**tokens.metadata, "data": {**tokens.metadata["data"], "chunk": rest}}
        yield {**event, "data": self._session.show_value(event.get("data"))}
