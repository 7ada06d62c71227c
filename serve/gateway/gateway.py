"""`Gateway`: takes a request, anonymizes it, has it answered, restores the answer."""

import asyncio
import json
import re
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from time import perf_counter
from typing import Any, TypeVar

import httpx
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from gama.privacy.anonymizer import Anonymizer
from gama.privacy.box import PrivacyBox
from gama.privacy.decide import reckoning, refusing
from gama.serve.gateway.errors import Unanswerable
from gama.serve.gateway.events import Event, read_events
from gama.serve.gateway.formulas import Tell, wants_formulas
from gama.serve.gateway.kept import MadeStrings, ResponseBoxes, Watch
from gama.serve.gateway.lanes import Lanes
from gama.serve.gateway.masking import Masked, Masker, last_asked
from gama.serve.gateway.restoring import Restorer, asks_for_json, said
from gama.serve.gateway.streams import EventStream
from gama.serve.gateway.walk import Word
from gama.serve.gateway.wire import HEADERS, QUERY, Upstream, passed_back, reached
from gama.serve.http.body import write_json
from gama.serve.http.choices import chosen, joined
from gama.serve.http.errors import Told, body_of, form_of
from gama.serve.http.errors import told as problem_of
from gama.serve.http.gate import note
from gama.serve.http.keys import caller_of
from gama.serve.http.metrics import Metrics
from gama.serve.http.relay import Relay, until_gone
from gama.serve.http.settings import ServerSettings
from gama.state.errors import GamaError, LeakError, ModelReplyError
from gama.state.options import Options
from gama.tools.placeholders.remapping import name_hosts
from gama.vault.seal import Vault

T = TypeVar("T")

LONGEST_REPLY_BYTES = 64 * 2**20
_STREAM_ON_THREAD = 8_192
"""From this many bytes on, read at once, the events of a stream are."""
_ON_THREAD = 32_768
"""From this many bytes on an answer is restored on a thread."""

# Accepts what an event or an answer has in it where an opaque string, or the thinking that one signs, may be.
_MADE = re.compile("encrypted_|signature|thinking")
_MADE_IN_BYTES = re.compile(_MADE.pattern.encode())

Streams = Callable[[Restorer], EventStream]
Kept = Callable[[dict[str, Any]], Awaitable[None]]


PRIVACY, SHOWN = "x-gama-privacy", "x-gama-shown"
"""The header by which a request chooses how much is hidden, and that by which it learns what left for its question."""


def level_of(request: Request, server: Options) -> Options:
    """Return the level of privacy that a request chooses by its header, as the context of a run.

    Raises:
        OptionError: there is none of this name, or it is laxer than the operator allows.
    """
    level = request.headers.get(PRIVACY)
    return chosen(server, {} if level is None else {"privacy": level.strip().lower()})


class Gateway:
    """What the routes of all protocols share."""

    def __init__(
        self,
        settings: ServerSettings,
        anonymizer: Anonymizer,
        vault: Vault,
        metrics: Metrics,
        executor: ThreadPoolExecutor,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """Set it up. Belongs to one event loop.

        Args:
            settings: the operator's.
            anonymizer: what finds and replaces.
            vault: keeps the boxes of conversations that the upstream keeps.
            metrics: where things are counted.
            executor: threads for CPU work.
            transport: takes the place of the network.
        """
        self.settings = settings
        self.options = anonymizer.options
        self.boxes = ResponseBoxes(vault)
        self.made = MadeStrings(vault)
        engine = anonymizer.pipeline.under(refusing(anonymizer.options))
        self.masker = Masker(engine, media=settings.media, made=self.made.get, digest=self.made.digest)
        self.metrics = metrics
        self._executor = executor
        self._lanes = Lanes(settings.threads, settings.longest_wait)
        self._restorers = ThreadPoolExecutor(settings.threads, thread_name_prefix="gama-restore")
        wait = self.options.timeout_s
        self.openai = Upstream(settings.upstream, settings.upstream_key, "authorization", wait, executor, transport)
        self.anthropic = Upstream(settings.anthropic, settings.anthropic_key, "x-api-key", wait, executor, transport)

    async def aclose(self) -> None:
        """Close the connections."""
        self._lanes.close()
        self._restorers.shutdown(wait=False, cancel_futures=True)
        await self.openai.aclose()
        await self.anthropic.aclose()

    def expire(self) -> None:
        """Forget what was not used for long. Does disk work: call it on a thread."""
        self.boxes.expire()
        self.made.expire()

    async def on_thread(self, function: Callable[..., T], *args: Any) -> T:
        """Call what works the CPU on one of the gateway's threads."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, function, *args)

    async def mask(
        self, request: Request, body: dict[str, Any], box: PrivacyBox | None = None, *, tell: Tell | None = None
    ) -> Masked:
        """Anonymize the body of a request.

        Args:
            request: the client's.
            body: the body.
            box: the box of an earlier part of the conversation that the upstream keeps.
            tell: tells the model of formulas, where it may be told.
        """
        began = perf_counter()
        stop = threading.Event()
        wanted = tell if tell and wants_formulas(request, body, self.settings.gateway_formulas) else None
        chosen = joined(self.masker.pipeline.options, level_of(request, self.options))
        masker = self.masker.under(reckoning(chosen, wanted is not None))
        # Texts to embed ask nothing.
        asks = chosen.privacy in ("balanced", "open") and not request.url.path.endswith("/embeddings")

        def work_on_it() -> Masked:
            masked = masker.mask(body, caller_of(request).name, box, stop, last_asked(body) if asks else "")
            for text in said(masked.body):
                name_hosts(text, masked.box)
            return masker.tell(masked, wanted, list(said(masked.body, ("user",))))

        work = self._lanes.run(len(await request.body()), work_on_it)
        try:
            masked = await until_gone(request, work)
        except GamaError as error:
            self.metrics.stopped.labels(type(error).__name__).inc()
            raise
        finally:
            stop.set()
        self.metrics.masking.observe(perf_counter() - began)
        self.metrics.texts.labels("read").inc(masked.read)
        self.metrics.texts.labels("remembered").inc(masked.remembered)
        if masked.shown:
            note(request, shown=" ".join(masked.shown))
        note(request, placeholders=len(masked.box), masking_s=round(perf_counter() - began, 4))
        return masked

    async def forward(
        self,
        request: Request,
        path: str,
        masked: Masked,
        streams: Streams,
        *,
        upstream: Upstream | None = None,
        kept: Kept | None = None,
        structured: bool | None = None,
        query: Sequence[tuple[str, str]] | None = None,
    ) -> Response:
        """Send an anonymized request on and return the restored answer.

        Args:
            request: the client's.
            path: where it goes at the upstream.
            masked: what goes; without a body for a GET.
            streams: makes what restores a streamed answer.
            upstream: where it goes; OpenAI's by default.
            kept: is told each object of the answer that has an id, as it came.
            structured: whether the answer's text is JSON; by default what the body asks for.
            query: parameters of the address; by default the client's.
        """
        target = upstream or self.openai
        caller = caller_of(request).name
        given = list(request.query_params.multi_items()) if query is None else query
        await self._check_outside(request, path, given, masked)
        headers = target.headers(request.headers, own_key=caller_of(request).own_key)
        content = write_json(masked.body) if masked.body else None
        name = "anthropic" if target is self.anthropic else "openai"
        began = perf_counter()
        try:
            answer: httpx.Response = await until_gone(
                request, target.send(request.method, path, headers, query=given, content=content, masked=masked)
            )
        except LeakError:
            self.metrics.stopped.labels("LeakError").inc()
            raise
        self.metrics.upstream.labels(name, str(answer.status_code)).inc()
        self.metrics.first.labels(name).observe(perf_counter() - began)
        back = passed_back(answer.headers) | ({SHOWN: " ".join(masked.shown)} if masked.shown else {})
        kind = answer.headers.get("content-type", "")
        json_text = asks_for_json(masked.body) if structured is None else structured

        async def remember(opaque: str, thinking: str) -> None:
            await self.on_thread(self.made.put, caller, opaque, thinking)

        watch = Watch(remember)
        stop = threading.Event()
        restorer = Restorer(
            masked, structured=json_text, how=self.options.restoring, note=self.metrics.unresolved.inc,
            tools=dict(self.settings.tool_policies), other_tools=self.settings.other_tools, stop=stop,
            remember=partial(self.masker.results.remember, caller),
        )  # fmt: skip
        if answer.is_success and kind.startswith("text/event-stream"):
            source = self._streamed(request, answer, streams(restorer), restorer, watch, kept, stop)
            return Relay(
                source, status_code=answer.status_code, headers=back, stall_s=self.settings.stall_s,
                closing=answer.aclose,
            )  # fmt: skip
        try:
            raw = await until_gone(request, _whole(answer))
        finally:
            await answer.aclose()
        if not _is_json(kind):
            # Whatever it is, a browser must not be handed it from this server's own address.
            status = answer.status_code if answer.is_error else 502
            problem = Told(status, "upstream_answer", f"The upstream answered {answer.status_code} with no JSON.")
            return JSONResponse(body_of(problem, form_of(request.url.path)), status)
        if answer.is_success:
            try:
                raw = await until_gone(request, self._restored(raw, restorer, watch, kept))
            finally:
                stop.set()
            back |= restorer.told()
            _note_kept(request, restorer)
        return Response(raw, answer.status_code, back)

    async def _check_outside(
        self, request: Request, path: str, query: Sequence[tuple[str, str]], masked: Masked
    ) -> None:
        """Refuse a request with something private in its headers or its address."""
        words = [Word(f"header {name}", request.headers[name], level, True) for name, level in HEADERS.items()
                 if name in request.headers]  # fmt: skip
        words += [Word(f"parameter {name}", text, "name", True) for name, text in query if name in QUERY]
        if request.path_params.get("name"):
            words.append(Word("address", path.rpartition("/")[2], "code", True))
        if words:
            await self.on_thread(self.masker.check_words, words, caller_of(request).name, masked.box)

    async def _restored(self, raw: bytes, restorer: Restorer, watch: Watch, kept: Kept | None) -> bytes:
        def restore() -> tuple[Any, bytes]:
            value = json.loads(raw)
            restorer.structured = restorer.structured or asks_for_json(value)
            return value, raw if restorer.idle else write_json(restorer.value(value))

        try:
            value, out = await self._restoring(restore) if len(raw) > _ON_THREAD else restore()
        except (ValueError, RecursionError):
            out = None
        if out is None:
            raise ModelReplyError("The upstream's answer says that it is JSON and is none.")
        if isinstance(value, dict) and _MADE_IN_BYTES.search(raw):
            await watch(value)
        if kept is not None:
            await kept(value)
        return out

    async def _restoring(self, function: Callable[..., T], *args: Any) -> T:
        """Call what restores on a thread of its own kind: requests that come in never wait behind it."""
        return await asyncio.get_running_loop().run_in_executor(self._restorers, function, *args)

    async def restore(self, request: Request, body: dict[str, Any]) -> Response:
        """Return `value` with the values in it that a request has had replaced: what a policy `ask` kept back.

        The request is anonymized again, which gives the same placeholders; nothing of it leaves.
        """
        given, value = body.get("request"), body.get("value")
        if not isinstance(given, dict) or not isinstance(value, dict | list):
            raise Unanswerable("Send the request as it was, as `request`, and as `value` the calls with placeholders.")
        previous = given.get("previous_response_id")
        caller = caller_of(request).name
        turn = await self.on_thread(self.boxes.get, caller, str(previous)) if previous is not None else None
        masked = await self.mask(request, given, turn.box if turn else None, tell=lambda body, told: None)
        stop = threading.Event()
        restorer = Restorer(masked, how=self.options.restoring, stop=stop)
        try:
            restored = await until_gone(request, self._restoring(restorer.value, value))
        finally:
            stop.set()
        return JSONResponse({"value": restored}, headers=restorer.told())

    async def _streamed(
        self,
        request: Request,
        answer: httpx.Response,
        stream: EventStream,
        restorer: Restorer,
        watch: Watch,
        kept: Kept | None,
        stop: threading.Event,
    ) -> AsyncGenerator[bytes, None]:
        """Yield the restored events of an answer; an upstream that breaks off is told in the protocol's form."""
        problem: Exception | None = None
        told: dict[str, str] = {}
        size = 0
        try:
            async for events in read_events(_reached_parts(answer)):
                size += sum(len(event.raw) for event in events)
                if size > LONGEST_REPLY_BYTES:
                    raise ModelReplyError("The upstream's answer is longer than any can be.")
                large = sum(len(event.raw) for event in events) > _STREAM_ON_THREAD
                out = await self._restoring(_steps, stream, events) if large else _steps(stream, events)
                for event in events:
                    watched = _MADE.search(event.data) is not None
                    if (watched or kept is not None) and isinstance(value := event.json(), dict):
                        if watched:
                            await watch(value)
                        if kept is not None:
                            await kept(value)
                if restorer.told() != told:
                    told = restorer.told()
                    out = _comments(told) + out
                yield out
        except Exception as error:
            problem = error
        except BaseException:
            stop.set()
            raise
        finally:
            _note_kept(request, restorer)
            await answer.aclose()
        # Too much work is not gone on with.
        rest = b"" if isinstance(problem, ModelReplyError) else b"".join(stream.end())
        if problem is not None:
            rest += stream.broken(problem_of(problem))
        if rest:
            yield rest


def _steps(stream: EventStream, events: Sequence[Event]) -> bytes:
    return b"".join(piece for event in events for piece in stream.step(event))


def _comments(told: Mapping[str, str]) -> bytes:
    """Return what was not restored as comments of a stream, which clients pass over."""
    return b"".join(f": {name}: {value}\n".encode() for name, value in told.items()) + b"\n"


def _note_kept(request: Request, restorer: Restorer) -> None:
    """Write into the log what was not restored: kinds, numbers, names of tools."""
    if told := restorer.told():
        note(request, **{name.removeprefix("x-gama-"): value for name, value in told.items()})


def _is_json(kind: str) -> bool:
    """Return whether a content type is JSON: `application/json`, `application/problem+json` and their kin."""
    name = kind.partition(";")[0].strip().lower()
    return name.startswith("application/") and (name.endswith(("json", "jsonl")))


async def _whole(answer: httpx.Response) -> bytes:
    """Read an answer to its end."""
    parts: list[bytes] = []
    size = 0
    async for part in _reached_parts(answer):
        size += len(part)
        if size > LONGEST_REPLY_BYTES:
            raise ModelReplyError("The upstream's answer is longer than any can be.")
        parts.append(part)
    return b"".join(parts)


async def _reached_parts(answer: httpx.Response) -> AsyncIterator[bytes]:
    parts = answer.aiter_bytes()
    while (part := await reached(anext(parts, None))) is not None:
        yield part
