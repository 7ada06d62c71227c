"""The gateway: chat requests through it, in a process of its own; every byte at the upstream is searched."""

import json
from pathlib import Path
from typing import Any

import httpx

from gama.evals.audit.egress import answer_with_placeholders
from gama.evals.audit.report import Report
from gama.evals.audit.search import Channels, Searcher
from gama.evals.audit.servers import ModelServer
from gama.evals.audit.texts import planted
from gama.evals.bench.gateway import free_port, gateway_at
from gama.privacy.anonymizer import Anonymizer
from gama.state.options import Options

TEXTS = 6
"""Requests through the gateway."""


def ask_gateway(report: Report, channels: Channels, server: ModelServer, home: Path, harmless: list[bytes]) -> None:
    """Send chat requests through the gateway: system texts, histories, metadata, tools; answers come back whole.

    Args:
        report: takes the outcome.
        channels: what is searched.
        server: stands in for the upstream.
        home: folder of the gateway's keys and boxes.
        harmless: requests with nothing private in them.
    """
    server.reply = _answer
    server.taken()
    finder, port = Anonymizer(Options()), free_port()
    # Some texts are partly in scripts that the detector has not learnt: they pass, as they do on the other ways.
    options = ["--upstream-key", "audit", "--unknown-scripts", "warn"]
    with gateway_at(port, f"{server.url}/v1", str(home), options), httpx.Client(timeout=120) as client:
        for number in range(TEXTS):
            text = planted(1_400_000 + number)
            view = finder.anonymize(text.text)
            values = view.box.values()
            answer = client.post(f"http://127.0.0.1:{port}/v1/chat/completions", json=_request(text.text))
            if not report.check(1, answer.status_code == 200, f"the gateway answered {answer.status_code}"):
                continue
            sent = server.taken()
            found = channels.look("wire behind the gateway", sent, Searcher(values, harmless))
            report.check(1, not found, f"wire behind the gateway: {len(set(found))} value(s)")
            report.check(1, bool(sent), "nothing came through the gateway: the search has nothing to look at")
            said = answer.json()["choices"][0]["message"]["content"]
            hidden = [value for value in values if value not in said]
            report.check(3, not hidden, f"the gateway's answer lacks {len(hidden)} value(s)")
    report.promise(1).figures["requests through the gateway"] = TEXTS


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
