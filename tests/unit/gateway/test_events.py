"""Server-sent events: cut anywhere, whole again; and the streams' restorers on odd input."""

import json

import pytest

from gama.privacy.box import PrivacyBox
from gama.serve.gateway.events import read_events, write_event
from gama.serve.gateway.masking import kept
from gama.serve.gateway.restoring import Restorer
from gama.serve.gateway.streams import ChatStream, MessagesStream, ResponsesStream
from gama.serve.http.body import write_json
from gama.state.errors import ModelReplyError

STREAM = b'event: a\ndata: {"x":\ndata: 1}\n\n: ping\n\ndata: {"t":"\xe2\x80\xa8"}\r\n\r\nid: 4\ndata: last\n\n'


async def cut(blob, size):
    for at in range(0, len(blob), size):
        yield blob[at : at + size]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
async def test_events_cut_anywhere(size):
    found = [event async for events in read_events(cut(STREAM, size)) for event in events]
    assert [event.name for event in found] == ["a", "", "", ""] and b"".join(event.raw for event in found) == STREAM
    assert found[0].json() == {"x": 1} and found[2].json() == {"t": "\u2028"} and found[3].json() is None


async def test_a_last_event_without_its_end_and_one_without_end(monkeypatch):
    found = [event async for events in read_events(cut(b"data: x", 3)) for event in events]
    assert found[0].data == "x"
    monkeypatch.setattr("gama.serve.gateway.events.LONGEST_EVENT", 100)
    with pytest.raises(ModelReplyError):
        [event async for event in read_events(cut(b"data: " + b"x" * 500, 50))]


def test_odd_characters_are_written():
    assert json.loads(write_json({"a": "\ud800"})) == {"a": "\ud800"} and b"\\ud800" in write_json("\ud800")


@pytest.fixture
def box():
    made = PrivacyBox()
    made.add("Ada Obi", "full_name", "A")
    made.add('12 "High"\nStreet', "street_address")
    return made


@pytest.mark.parametrize("kind", [ChatStream, ResponsesStream, MessagesStream])
@pytest.mark.parametrize(
    "data",
    [b"[DONE]", b"{", b"[]", b"null", b'{"choices": 5}', b'{"choices": [null, {"delta": 3}, {"delta": {"tool_calls": [null, {"function": 1}]}}]}',
     b'{"type": 5}', b'{"type": "response.output_text.delta", "delta": 4}', b'{"type": "content_block_delta", "delta": null}',
     b'{"type": "response.completed", "response": null}', b'{"type": "x", "error": {"message": "<name-1>"}}'],
)  # fmt: skip
async def test_odd_events_pass(kind, data, box):
    stream = kind(Restorer(kept(box)))
    async for events in read_events(cut(b"data: " + data + b"\n\n", 9)):
        for event in events:
            assert b"".join(stream.step(event)) == event.raw
    assert list(stream.end()) == []


def test_surfaces_in_json_are_escaped(box):
    restorer = Restorer(kept(box), structured=True)
    text = '{"name": "<name-1>", "address": "<address-1>", "by": "[ADDRESS 1]"}'
    for found in (
        restorer.text(text, as_json=True),
        "".join([*(restorer.feed("k", sign, as_json=True) for sign in text), restorer.close("k")]),
    ):
        assert json.loads(found) == {"name": "Ada Obi", "address": '12 "High"\nStreet', "by": '12 "High"\nStreet'}


@pytest.mark.parametrize(
    "text",
    ['{"to": "<name-1>"}', '{"to": "\\u003cname-1\\u003e"}', '{"to": "&lt;Name 1&gt;"}', '{"to": <name-1>}', '{"to": "**<nmae-1>**"}'],
)  # fmt: skip
def test_a_name_with_quotes_leaves_the_arguments_of_a_tool_valid(text):
    box = PrivacyBox()
    box.add('Ann "AJ" Lee', "full_name", "A")
    restorer = Restorer(kept(box))
    whole = restorer.text(text, as_json=True)
    for size in (1, 2, 5):
        pieces = [restorer.feed(size, text[at : at + size], as_json=True) for at in range(0, len(text), size)]
        assert "".join([*pieces, restorer.close(size)]) == whole
    assert json.loads(whole)["to"].strip("*") == 'Ann "AJ" Lee'


def test_what_stays_unresolved_is_counted_once_for_an_answer(box):
    counts = []
    restorer = Restorer(kept(box), note=counts.append)
    assert restorer.text("<name-1>, <name-9>") == "Ada Obi, <name-9>"
    assert restorer.feed("k", "<name-9> and <PERS") == "<name-9> and " and restorer.close("k") == "<PERS"
    assert counts == [1, 1]


def test_bodies(box):
    body = {
        "id": "<name-1>",
        "choices": [{"message": {"content": '{"a": "<address-1>"}', "reasoning": "<address-1>"}, "logprobs": {"content": ["<name-1>"]}}],
        "input": {"id": "<name-1>", "n": 3},
        "usage": {"x": "<name-1>"},
    }  # fmt: skip
    found = Restorer(kept(box), structured=True).value(body)
    assert found["id"] == "<name-1>" and found["usage"] == body["usage"] and found["input"] == {"id": "Ada Obi", "n": 3}
    choice = found["choices"][0]
    assert json.loads(choice["message"]["content"]) == {"a": '12 "High"\nStreet'} and choice["logprobs"] == {
        "content": ["<name-1>"]
    }
    assert choice["message"]["reasoning"] == '12 "High"\nStreet'


def test_a_custom_tool_and_a_function_call_of_old(box):
    stream = ChatStream(Restorer(kept(box)))
    out = b""
    for delta in (
        {"tool_calls": [{"index": 0, "custom": {"name": "sh", "input": "echo <name"}}], "function_call": {"arguments": '{"a":"<na'}},
        {"tool_calls": [{"index": 0, "custom": {"input": "-1>"}}], "function_call": {"arguments": 'me-1>"}'}, "audio": {"transcript": "<name-1>"}},
    ):  # fmt: skip
        from gama.serve.gateway.events import Event

        data = json.dumps({"id": "c", "choices": [{"index": 0, "delta": delta}]})
        out += b"".join(stream.step(Event(b"", "", data)))
    out += b"".join(stream.end())
    text = out.decode()
    assert text.count("Ada Obi") == 3 and "<name" not in text
    assert write_event({}, "a") == b"event: a\ndata: {}\n\n"
