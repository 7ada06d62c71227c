"""The gateway's part of the audit: an official client's requests through it, every byte at the upstream searched."""

import json
import threading
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from gama.evals.audit.egress import answer_with_placeholders
from gama.evals.audit.run import Audit
from gama.evals.audit.search import Searcher
from gama.evals.audit.texts import planted
from gama.privacy.anonymizer import Anonymizer
from gama.state.options import Options

TEXTS = 6
"""Requests through the gateway."""
START_S = 30.0


def gateway(audit: Audit) -> None:
    """Send chat requests through the gateway: system texts, histories, metadata, tools; answers come back whole."""
    import httpx

    report, server = audit.report, audit.server
    server.reply = _answer
    server.taken()
    finder = Anonymizer(Options())
    with _Running(audit.folder / "gateway", f"{server.url}/v1") as url, httpx.Client(timeout=120) as client:
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


class _Running:
    """A server with a gateway on a free port of loopback, for the time of a `with` statement."""

    def __init__(self, home: Path, upstream: str) -> None:
        self._home, self._upstream = home, upstream

    def __enter__(self) -> str:
        import uvicorn

        from gama.serve.app import create_app
        from gama.serve.http.settings import ServerSettings

        settings = ServerSettings(upstream=self._upstream, upstream_key="audit", home=self._home, access_log=False)
        app = create_app(settings, Options())
        config = uvicorn.Config(app, port=0, log_level="critical", lifespan="on", ws="none", log_config=None)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        late = monotonic() + START_S
        while not self._server.started:
            if monotonic() > late or not self._thread.is_alive():
                raise RuntimeError("the gateway did not start")
            sleep(0.01)
        return f"http://127.0.0.1:{self._server.servers[0].sockets[0].getsockname()[1]}"

    def __exit__(self, *args: object) -> None:
        self._server.should_exit = True
        self._thread.join(20)
