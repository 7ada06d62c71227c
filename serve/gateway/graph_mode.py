"""Mode `gama`: the whole multi-agent graph answers, in the form of the protocol that asked.

The graph takes one task: the conversation is written down as one text, which the private space
reads, as always. What the graph cannot do (tools, several answers, answers of a schema) is refused.
"""

import asyncio
import hashlib
import time
import uuid
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from gama.graph.client import Gama
from gama.graph.given import written
from gama.serve.gateway import answers
from gama.serve.gateway.errors import MediaRefused, Unanswerable
from gama.serve.gateway.events import write_event
from gama.serve.gateway.formulas import wants_formulas
from gama.serve.gateway.gateway import level_of
from gama.serve.gateway.restoring import said
from gama.serve.http.errors import body_of, form_of, told
from gama.serve.http.keys import caller_of
from gama.serve.http.relay import Relay, until_gone
from gama.serve.http.settings import ServerSettings
from gama.state.options import Options
from gama.tools.placeholders.boundaries import ADDRESSES, BEHIND, HIDDEN, OWN, Links, hosts_in

MOST_GRAPHS = 32
"""Choices of model and key whose graph is kept ready."""

HEARTBEAT_S = 10.0
"""Seconds between the signs of life of a stream whose answer is still being found."""

_REFUSED = ("tools", "functions", "audio", "prediction", "previous_response_id", "conversation", "background")


class GraphMode:
    """Answers requests of the gateway by the whole graph."""

    def __init__(self, settings: ServerSettings, options: Options, own: Callable[[], Gama]) -> None:
        """Take the settings.

        Args:
            settings: the operator's.
            options: of the runs.
            own: gives the server's own `Gama`.
        """
        self._settings = settings
        self._options = options
        self._own = own
        self._made: OrderedDict[tuple[str, ...], Gama] = OrderedDict()

    async def answer(self, request: Request, body: dict[str, Any], form: answers.Form) -> Response:
        """Answer a request in the form of its protocol."""
        _check(body)
        wanted = wants_formulas(request, body, True)
        question = _written(body.get(form.said), body.get(form.told) if form.told else None)
        model, context = str(body.get("model", "")), level_of(request, self._options)
        if not wanted:
            context = context.model_copy(update={"formulas": False})
        gama = await asyncio.to_thread(self._gama, request, form.provider, model)

        async def run() -> answers.Answer:
            reply: Any = await gama.ainvoke({"question": question}, context=context)
            if (extra := self._options.restoring.hosts) is not None:
                # The task has what the assistant said before, and what that names counts for nothing.
                hosts = {host for text in said(body) for host in hosts_in(text)}
                reply["answer"] = _within(reply["answer"], reply["restored"], Links(extra | hosts))
            return answers.Answer(uuid.uuid4().hex, int(time.time()), model, reply)

        if not body.get("stream"):
            return JSONResponse(form.whole(await until_gone(request, run())))
        options = body.get("stream_options")
        usage = bool(isinstance(options, dict) and options.get("include_usage"))
        source = _events(run, lambda answer: form.events(answer, usage), request.url.path)
        return Relay(source, stall_s=self._settings.stall_s)

    def _gama(self, request: Request, provider: str, model: str) -> Gama:
        """Return what answers for a model: the server's own, or one with the user's own key."""
        from gama.models.public import chat_model

        if model in ("", "gama"):
            return self._own()
        key = self._key(request, provider)
        choice = (provider, model, hashlib.sha256(key.encode()).hexdigest())
        if choice in self._made:
            self._made.move_to_end(choice)
            return self._made[choice]
        address = self._settings.upstream
        if provider == "anthropic":
            address = self._settings.anthropic.removesuffix("/v1")
        made = chat_model(f"{provider}:{model}", address, key or "none", self._options.timeout_s)
        gama = Gama(self._options.model_copy(update={"public_model": made, "public_base_url": None}), keep=False)
        self._made[choice] = gama
        if len(self._made) > MOST_GRAPHS:
            self._made.popitem(last=False)
        return gama

    def _key(self, request: Request, provider: str) -> str:
        own = self._settings.anthropic_key if provider == "anthropic" else self._settings.upstream_key
        if caller_of(request).own_key:
            bearer = request.headers.get("authorization", "")
            own = request.headers.get("x-api-key") or bearer.removeprefix("Bearer ").strip() or own
        return own or ""


async def _events(
    run: Callable[[], Any], events: Callable[[answers.Answer], list[bytes]], path: str
) -> AsyncGenerator[bytes, None]:
    """Yield signs of life until the answer is there, then its events."""
    task = asyncio.create_task(run())
    problem: Exception | None = None
    out: list[bytes] = []
    try:
        while not (await asyncio.wait({task}, timeout=HEARTBEAT_S))[0]:
            yield b": working\n\n"
        try:
            out = events(task.result())
        except Exception as error:
            problem = error
    finally:
        if not task.done():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
    if problem is not None:
        form = form_of(path)
        name = "error" if form == "anthropic" or path.endswith("/responses") else ""
        out = [write_event(body_of(told(problem), form), name)]
    for piece in out:
        yield piece


def _within(answer: str, restored: list[dict[str, Any]], links: Links) -> str:
    """Return an answer with placeholders in the place of the values that stand in foreign addresses."""
    out, at = [], 0
    for one in restored:
        links.advance(answer[at : one["start"]])
        out.append(answer[at : one["start"]])
        at = one["end"]
        kind = one["placeholder"].strip("<>").rpartition("-")[0]
        foreign = links.foreign(answer[at : at + BEHIND], addressable=kind in ADDRESSES)
        links.advance(HIDDEN if foreign else OWN)
        out.append(one["placeholder"] if foreign else answer[one["start"] : at])
    return "".join([*out, answer[at:]])


def _check(body: dict[str, Any]) -> None:
    """Refuse what the graph cannot do."""
    given = [name for name in _REFUSED if body.get(name)]
    kind = (body.get("response_format") or {}).get("type") if isinstance(body.get("response_format"), dict) else None
    if kind not in (None, "text"):
        given.append("response_format")
    if body.get("n") not in (None, 1):
        given.append("n")
    if given:
        raise Unanswerable(
            f"The whole graph answers in words, once; it cannot do what {', '.join(given)} ask for. Ask in mode proxy "
            "(another model name, or the header x-gama-mode: proxy)."
        )


def _written(messages: Any, system: Any = None) -> str:
    """Write the conversation of a request down as one task."""
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    told = [("system", _text(system))] if system else []
    turns = [(str(item.get("role", "user")), _text(item.get("content"))) for item in messages or () if _said(item)]
    return written([*told, *turns])


def _said(item: Any) -> bool:
    if not isinstance(item, dict):
        return False
    if item.get("type", "message") != "message" or item.get("role") == "tool" or item.get("tool_calls"):
        raise Unanswerable(
            "The conversation has tool calls in it, which the whole graph cannot take up. Use mode proxy."
        )
    return True


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    texts = []
    for part in content if isinstance(content, list) else ():
        kind = str(part.get("type")) if isinstance(part, dict) else "unknown"
        if kind not in ("text", "input_text", "output_text"):
            raise MediaRefused(kind)
        texts.append(str(part.get("text", "")))
    return "\n\n".join(texts)
