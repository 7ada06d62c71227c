"""The gateway's decoder: bodies of requests, JSON inside strings, and events in any pieces."""

import asyncio
import json

from gama.serve.gateway.errors import MediaRefused, Unanswerable
from gama.serve.gateway.events import read_events
from gama.serve.gateway.json_text import is_json, lay_out, pieces, rebuild
from gama.serve.gateway.walk import walk
from gama.state.errors import GamaError, ModelReplyError
from tests.fuzz.cutting import Cutter

FIELDS = (
    "messages", "content", "role", "type", "text", "tools", "function", "parameters", "properties", "arguments", "input",
    "instructions", "system", "response_format", "json_schema", "schema", "$ref", "enum", "metadata", "user", "tool_calls",
    "image_url", "source", "data", "name", "id", "thinking", "signature", "output", "stop", "logit_bias", "x",
)  # fmt: skip


def thing(cut: Cutter, depth: int = 0):
    """Return a value of JSON."""
    what = cut.below(9) if depth < 6 and cut.left else cut.below(4)
    if what < 2:
        return cut.text(6)
    if what == 2:
        return cut.one_of((None, True, False, 0, -1, 1e300, 10**20, 0.5))
    if what == 3:
        return cut.one_of(("text", "function", "user", "system", "assistant", "tool", "input_text", "object", "string"))
    if what == 4:
        return json.dumps(thing(cut, depth + 2), ensure_ascii=cut.byte() % 2 == 0)
    if what == 5:
        return [thing(cut, depth + 1) for _ in range(cut.below(4))]
    return {cut.one_of(FIELDS): thing(cut, depth + 1) for _ in range(cut.below(5))}


async def events(body: bytes, steps: list[int]):
    async def chunks():
        at = 0
        for step in steps:
            yield body[at : at + step]
            at += step
        yield body[at:]

    return [event async for found in read_events(chunks()) for event in found]


def one(data: bytes) -> None:
    cut = Cutter(data)
    body = {cut.one_of(FIELDS): thing(cut) for _ in range(1 + cut.below(5))}
    whole = json.dumps(body)
    try:
        for leaf in walk(body, cut.one_of(("refuse", "pass"))).values:
            assert leaf.holder[leaf.key] is not NotImplemented
    except (MediaRefused, Unanswerable, GamaError):
        pass
    assert json.dumps(body) == whole, "walking changes nothing"
    text = cut.text(40)
    for given in (whole, text):
        if is_json(given):
            found = list(pieces(given))
            layout = lay_out(found)
            assert [layout.text[start:end] for start, end in layout.places] == [piece.value for piece in found]
            assert rebuild(given, iter([piece.value for piece in found])) == given
            again = rebuild(given, iter([f"{piece.value}!" for piece in found]))
            assert [p.value for p in pieces(again)][: len(found)] or not found
            json.loads(again)
    stream = cut.text(60).encode("utf-8", "surrogatepass")
    steps = [1 + cut.below(12) for _ in range(cut.below(40))]
    try:
        cut_up, at_once = asyncio.run(events(stream, steps)), asyncio.run(events(stream, []))
    except ModelReplyError:
        return
    assert [(e.name, e.data) for e in cut_up] == [(e.name, e.data) for e in at_once]
