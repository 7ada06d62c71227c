"""Streams of /v1/chat/completions: choices side by side, each with text, thinking, refusal and tool calls."""

from collections.abc import Hashable, Iterator
from typing import Any

from gama.serve.gateway.base import Fields, openai_error
from gama.serve.gateway.events import Event, write_event
from gama.serve.gateway.restoring import Restorer
from gama.serve.http.errors import Told

_NO_PIECES = frozenset({"role", "id", "type"})


class ChatStream:
    """Restores the chunks of one answer."""

    def __init__(self, restorer: Restorer) -> None:
        """Take what restores."""
        self._restorer = restorer
        self._chunk: dict[str, Any] = {}
        """What all chunks have in common."""

    def step(self, event: Event) -> Iterator[bytes]:
        """Yield what takes the place of a chunk."""
        data = event.json()
        if self._restorer.idle or not isinstance(data, dict) or not isinstance(data.get("choices"), list):
            if event.data.strip() == "[DONE]":
                yield from self.end()
            yield event.raw
            return
        self._chunk = {key: value for key, value in data.items() if key not in ("choices", "usage", "obfuscation")}
        fields = Fields(self._restorer)
        for choice in data["choices"]:
            if not isinstance(choice, dict):
                continue
            index = choice.get("index", 0)
            delta = choice.get("delta")
            if isinstance(delta, dict):
                self._delta(index, delta, fields)
            if isinstance(choice.get("text"), str):
                fields.feed(choice, "text", (index, "text"))
            if choice.get("finish_reason"):
                yield from self._finish(index, delta if isinstance(delta, dict) else {}, fields)
        yield fields.written(event, data)

    def end(self) -> Iterator[bytes]:
        """Yield what was held back of choices that never finished."""
        for index in sorted({key[0] for key in self._keys()}, key=str):
            yield from self._finish(index, {}, Fields(self._restorer))

    def broken(self, problem: Told) -> bytes:
        """Return the event that tells of an error."""
        return openai_error(problem)

    def _delta(self, index: Any, delta: dict[str, Any], fields: Fields) -> None:
        for name, value in delta.items():
            if isinstance(value, str) and name not in _NO_PIECES:
                fields.feed(delta, name, (index, name), as_json=name == "content" and self._restorer.structured)
            elif name == "tool_calls" and isinstance(value, list):
                for call in value:
                    if isinstance(call, dict):
                        self._call((index, "tool_calls", call.get("index", 0)), call, fields)
            elif name == "function_call" and isinstance(value, dict):
                self._arguments((index, "function_call"), value, fields)
            elif isinstance(value, dict | list):
                fields.whole(delta, name)

    def _call(self, key: tuple[Hashable, ...], call: dict[str, Any], fields: Fields) -> None:
        if isinstance(function := call.get("function"), dict):
            self._arguments((*key, "function"), function, fields)
        if isinstance(custom := call.get("custom"), dict):
            self._arguments((*key, "custom"), custom, fields)

    def _arguments(self, key: tuple[Hashable, ...], holder: dict[str, Any], fields: Fields) -> None:
        if isinstance(holder.get("name"), str):
            fields.whole(holder, "name")
        for name in ("arguments", "input"):
            if isinstance(holder.get(name), str):
                fields.feed(holder, name, (*key, name), as_json=name == "arguments")

    def _finish(self, index: Any, delta: dict[str, Any], fields: Fields) -> Iterator[bytes]:
        """Give out what was held back of a choice: in its last chunk where the field is there, else before it."""
        for key in self._keys():
            if key[0] != index or not (rest := self._restorer.close(key)):
                continue
            name = key[1]
            if len(key) == 2 and isinstance(delta.get(name), str):
                delta[name] += rest
                fields.changed = True
            else:
                choice = {"index": index, "delta": _place(key, rest), "finish_reason": None}
                yield write_event({**self._chunk, "choices": [choice]})

    def _keys(self) -> list[Any]:
        return self._restorer.open_streams()


def _place(key: tuple[Any, ...], rest: str) -> dict[str, Any]:
    """Return the delta that a held-back piece belongs into."""
    if key[1] == "tool_calls":
        _, _, at, kind, name = key
        return {"tool_calls": [{"index": at, kind: {name: rest}}]}
    if key[1] == "function_call":
        return {"function_call": {key[2]: rest}}
    return {key[1]: rest}
