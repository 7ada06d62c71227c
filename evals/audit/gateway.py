"""The gateway's part of the audit: an official client's requests through it, every byte at the upstream searched."""

import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gama.evals.audit.egress import answer_with_placeholders
from gama.evals.audit.run import Audit, Part
from gama.evals.audit.search import Searcher
from gama.evals.audit.texts import planted
from gama.privacy.anonymizer import Anonymizer
from gama.state.options import Options

if TYPE_CHECKING:
    import httpx

Running = Callable[[Path, str, Options], AbstractContextManager[str]]
"""Starts a gateway in this process: its home, its upstream, the options; gives its URL."""
TEXTS = 6
"""Requests through the gateway."""


LETTER = (
    "Zoë Quornbeck (zoe.quornbeck@mail.example) owes 40 €. Her IBAN is GB29 NWBK 6016 1331 9268 19, and "
    "Thomas Tilling, +44 20 7946 0123, wrote to Quornbeck."
)
BYSTANDER = "Ambrose Bellweather"
"""In another's request: whatever comes back to the first, this does not."""
ASIDE = " As for <name-77> and [iban-9]: unknown. <nam"
"""What no box has, and half of what one has, behind the letter."""
LONG = 1_000
"""More characters than the letter has, whatever it is hidden by."""
STYLES: tuple[dict[str, Any], ...] = ({}, {"strategies": {"all": "surrogate"}})


def gateway(running: Running, audit: Audit) -> None:
    """Send chat requests through the gateway: system texts, histories, metadata, tools; answers come back whole."""
    import httpx

    report, server = audit.report, audit.server
    server.reply = _answer
    server.taken()
    finder = Anonymizer(Options())
    # Texts in a script that nobody reads would be refused: here they are to leave.
    options = Options(unknown_scripts="warn")
    with running(audit.folder / "gateway", f"{server.url}/v1", options) as url, httpx.Client(timeout=120) as client:
        for number in range(TEXTS):
            text = planted(1_400_000 + number)
            view = finder.anonymize(text.text)
            values = view.box.values()
            answer = client.post(f"{url}/v1/chat/completions", json=_request(text.text))
            if not report.check(1, answer.status_code == 200, f"the gateway answered {answer.status_code}"):
                continue
            sent = server.taken()
            found = audit.channels.look("wire behind the gateway", sent, Searcher(values, audit.harmless))
            report.check(1, not found, f"wire behind the gateway: {len(set(found))} value(s)")
            report.check(1, bool(sent), "nothing came through the gateway: the search has nothing to look at")
            said = answer.json()["choices"][0]["message"]["content"]
            hidden = [value for value in values if value not in said]
            report.check(3, not hidden, f"the gateway's answer lacks {len(hidden)} value(s)")
    report.promise(1).figures["requests through the gateway"] = TEXTS


def streams(running: Running, audit: Audit, step: int = 1) -> None:
    """Have the upstream stream back what it was sent, cut at each place: between events, and on the wire.

    Whatever is cut, in texts and in the arguments of tools, the client gets its own letter and no other value.

    Args:
        running: starts a gateway.
        audit: the audit under way.
        step: every so many places are cut.
    """
    import httpx

    report, server, cuts = audit.report, audit.server, 0
    server.taken()
    for number, style in enumerate(STYLES):
        home = audit.folder / f"streams-{number}"
        with running(home, f"{server.url}/v1", Options(**style)) as url, httpx.Client(timeout=120) as client:
            server.reply = partial(_echoed, sizes=[LONG])
            _streamed(client, url, BYSTANDER)
            for place in ("content", "arguments"):
                once = [[at, LONG] for at in range(1, len(LETTER + ASIDE), step if place == "content" else 4 * step)]
                # Each byte by itself, each character by itself, and cut once at each place.
                for sizes in ([LONG], [1], *once):
                    server.reply = partial(_echoed, sizes=sizes, wire=1 if sizes == [LONG] else 0, place=place)
                    said = _streamed(client, url, LETTER)
                    where = f"{place} of a stream, cut:"
                    text = json.loads(said)["note"] if place == "arguments" else said
                    report.check(2, text == LETTER + ASIDE, f"{where} what came back is not the letter")
                    report.check(3, ASIDE in text, f"{where} what is no placeholder of the box has changed")
                    report.check(4, BYSTANDER not in said, f"{where} another's value")
                    cuts += 1
        found = audit.channels.look("wire behind the gateway", server.taken(), Searcher(VALUES, audit.harmless))
        report.check(1, not found, f"wire of streamed requests: {len(set(found))} value(s)")
    report.promise(2).figures["streams through the gateway, cut at each place"] = cuts


VALUES = ("Zoë Quornbeck", "zoe.quornbeck@mail.example", "GB29 NWBK 6016 1331 9268 19", "Thomas Tilling", BYSTANDER)


def _echoed(request: dict[str, Any], sizes: Sequence[int], wire: int = 0, place: str = "content") -> list[bytes]:
    """Return a stream that says what the request's last message says, and the aside.

    Args:
        request: the request.
        sizes: characters of each event's piece; the last size goes on.
        wire: bytes of each piece on the wire; 0: an event each.
        place: `content`, or `arguments` of a tool's call.
    """
    text = str(request["messages"][-1]["content"]) + ASIDE
    if place == "arguments":
        text = json.dumps({"note": text}, ensure_ascii=False)
    events: list[bytes] = []
    at = 0
    for size in chain(sizes, repeat(sizes[-1])):
        if at >= len(text):
            break
        piece, at = text[at : at + size], at + size
        call = {"index": 0, "id": "c1", "type": "function", "function": {"name": "note", "arguments": piece}}
        delta = {"content": piece} if place == "content" else {"tool_calls": [call]}
        events.append(_event({"index": 0, "delta": delta, "finish_reason": None}))
    events += [_event({"index": 0, "delta": {}, "finish_reason": "stop"}), b"data: [DONE]\n\n"]
    whole = b"".join(events)
    return [whole[at : at + wire] for at in range(0, len(whole), wire)] if wire else events


def _event(choice: dict[str, Any]) -> bytes:
    chunk = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "audit", "choices": [choice]}
    return f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n".encode()


def _streamed(client: "httpx.Client", url: str, text: str) -> str:
    """Return what a streamed answer says in its texts and arguments."""
    asked = {"model": "audit", "stream": True, "messages": [{"role": "user", "content": text}]}
    said = ""
    with client.stream("POST", f"{url}/v1/chat/completions", json=asked) as answer:
        for line in answer.iter_lines():
            if line.startswith("data: {"):
                delta = json.loads(line[6:])["choices"][0]["delta"]
                calls = delta.get("tool_calls") or [{"function": {}}]
                said += (delta.get("content") or "") + calls[0]["function"].get("arguments", "")
    return said


def _request(text: str) -> dict[str, Any]:
    tool = {"type": "function", "function": {"name": "note", "description": text, "parameters": {"type": "object"}}}
    messages = [
        {"role": "system", "content": f"You help with this.\n{text}"},
        {"role": "user", "content": "Hello."},
        {"role": "assistant", "content": f"You wrote: {text}"},
        {"role": "user", "content": text},
    ]
    return {"model": "audit", "messages": messages, "tools": [tool], "metadata": {"of": text[:400]}, "user": text[:200]}


def _answer(request: dict[str, Any]) -> str:
    """Answer with every placeholder of the whole request."""
    whole = json.dumps(request, ensure_ascii=False)
    return answer_with_placeholders({"messages": [{"content": whole}]})


def gateway_parts(running: Running) -> list[Part]:
    """Return the parts of the audit that need a gateway."""
    return [
        Part("gateway", partial(gateway, running)),
        Part("streams of the gateway, cut at each place", partial(streams, running)),
    ]
