"""The gate before all routes: host, key, limits, size; and what is counted and logged of every request.

It is the outermost layer: an exception that comes this far is told by its class, and its traceback,
which may show private text, goes nowhere.
"""

import json
import os
import sys
import time
import uuid
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from typing import Any

import anyio
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gama.serve.http.errors import Told, body_of, form_of, told
from gama.serve.http.keys import KeyRing
from gama.serve.http.limits import TooMuch
from gama.serve.http.metrics import Metrics
from gama.serve.http.patience import SLOWEST
from gama.serve.http.relay import ClientGone
from gama.serve.http.settings import ServerSettings

OPEN = frozenset({"/healthz", "/readyz", "/metrics", "/openapi.json", "/about", "/", "/favicon.ico"})
"""Addresses that need no key: they show nothing of anybody's."""

NO_PAGE = {
    "content-security-policy": "sandbox; default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    "cache-control": "no-store",
}
"""Headers of every answer that is none of the page's files: a browser shows it as nothing and keeps it nowhere."""

_FOREIGN = frozenset({"cross-site", "same-site"})
"""Where a browser says that a request comes from a page of another origin."""

Log = Callable[[dict[str, Any]], None]


class _Refused(Exception):
    def __init__(self, problem: Told) -> None:
        self.problem = problem


class Gate:
    """Lets requests in, counts them, and writes one line for each."""

    def __init__(
        self,
        app: ASGIApp,
        settings: ServerSettings,
        keys: KeyRing,
        metrics: Metrics,
        log: Log | None = None,
        page: Callable[[str], bool] = lambda path: False,
        leaving: Callable[[], bool] = lambda: False,
    ) -> None:
        """Take what it guards.

        Args:
            app: the routes.
            settings: the operator's.
            keys: the API keys.
            metrics: where requests are counted.
            log: writes a line of the access log; to standard error by default.
            page: tells whether an address is one of the web page's files, which need no key.
            leaving: tells whether the server is about to end, so that each answer is the last on its connection.
        """
        self._app = app
        self._settings = settings
        self._keys = keys
        self._metrics = metrics
        self._log = log or write_line
        self._page = page
        self._leaving = leaving
        self._running = 0
        self._most_bytes = int(settings.max_body_mb * 2**20)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        scope.setdefault("state", {})["request_id"] = request_id = uuid.uuid4().hex
        seen = _Seen(
            receive, send, self._most_bytes, self._settings.body_s, request_id,
            page=self._page(scope["path"]), leaving=self._leaving,
        )  # fmt: skip
        self._running += 1
        self._metrics.running.inc()
        try:
            await self._enter(scope, seen)
        except ClientGone:
            seen.status = seen.status or 499
        except _Refused as refused:
            await seen.tell(scope, refused.problem)
        except Exception as error:
            await seen.tell(scope, told(error))
        finally:
            self._running -= 1
            self._metrics.running.dec()
            self._record(scope, seen, time.perf_counter() - began)

    async def _enter(self, scope: Scope, seen: "_Seen") -> None:
        path: str = scope["path"]
        headers = Headers(scope=scope)
        self._check_host(headers)
        async with AsyncExitStack() as turn:
            if path not in OPEN and not self._page(path) and scope["method"] != "OPTIONS":
                self._check_origin(headers)
                caller = self._keys.caller(headers)
                if caller is None:
                    raise _Refused(
                        Told(401, "key_missing", "An API key of this server is needed: `Authorization: Bearer KEY`, or "
                             "`X-Gama-Key: KEY` beside the upstream's own key.", {"www-authenticate": "Bearer"})
                    )  # fmt: skip
                scope["state"]["caller"] = caller
                self._check_room()
                try:
                    await turn.enter_async_context(self._keys.turn(caller.name))
                except TooMuch as much:
                    wait = {"retry-after": str(max(1, round(much.wait_s)))}
                    raise _Refused(Told(429, "too_many_requests", str(much), wait)) from None
            self._check_body(scope, headers)
            await self._app(scope, seen.receive, seen.send)

    def _check_host(self, headers: Headers) -> None:
        allowed = self._settings.allowed_hosts
        host = headers.get("host", "")
        name = host if host.endswith("]") else host.rsplit(":", 1)[0]
        if allowed and name.lower() not in allowed:
            raise _Refused(Told(400, "unknown_host", "This server is not called by that name. See --allow-host."))

    def _check_origin(self, headers: Headers) -> None:
        """Refuse what a browser sends for a foreign page, and what it would show as a page: no route is one."""
        foreign = headers.get("sec-fetch-site", "") in _FOREIGN and headers.get("origin") not in self._settings.cors
        if foreign or headers.get("sec-fetch-mode", "") == "navigate":
            raise _Refused(
                Told(403, "foreign_page", "A web page of another origin may not call this server, nor is this address "
                     "a page. Let its origin in with --cors.")
            )  # fmt: skip

    def _check_room(self) -> None:
        if self._running > self._settings.most_requests:
            raise _Refused(
                Told(503, "overloaded", "The server has as many requests as it takes.", {"retry-after": "2"})
            )

    def _check_body(self, scope: Scope, headers: Headers) -> None:
        length = headers.get("content-length", "")
        if length.isdigit() and int(length) > self._most_bytes:
            raise _Refused(_too_long(self._most_bytes))
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        has_body = length not in ("", "0") or "transfer-encoding" in headers
        if scope["method"] in ("POST", "PUT", "PATCH") and has_body and kind != "application/json":
            # A web page elsewhere can send other types without asking; this one its browser asks about first.
            raise _Refused(Told(415, "not_json", "Send the body as application/json."))

    def _record(self, scope: Scope, seen: "_Seen", seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "") or ("page" if self._page(scope["path"]) else "other")
        status = seen.status or 499
        method = scope["method"] if scope["method"] in ("GET", "POST", "DELETE", "OPTIONS", "HEAD") else "other"
        self._metrics.requests.labels(route, method, str(status)).inc()
        self._metrics.seconds.labels(route).observe(seconds)
        if not self._settings.access_log or scope["path"] in ("/healthz", "/readyz", "/metrics"):
            return
        state = scope["state"]
        caller = state.get("caller")
        self._log(
            {
                "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
                "request": state["request_id"],
                "worker": os.getpid(),
                "key": caller.name if caller else None,
                "method": method,
                "route": route,
                "status": status,
                "seconds": round(seconds, 4),
                "bytes_in": seen.bytes_in,
                "bytes_out": seen.bytes_out,
                **state.get("log", {}),
            }
        )


class _Seen:
    """A connection with what goes over it counted."""

    def __init__(
        self, receive: Receive, send: Send, most_bytes: int, body_s: float, request_id: str, *, page: bool,
        leaving: Callable[[], bool],
    ) -> None:  # fmt: skip
        self._receive = receive
        self._send = send
        self._most_bytes = most_bytes
        self._body_s = body_s
        self._waited = 0.0
        self._whole = False
        self._late = False
        self._request_id = request_id
        self._page = page
        self._leaving = leaving
        self.status = 0
        self.bytes_in = 0
        self.bytes_out = 0
        self._told = False

    async def receive(self) -> Message:
        message: Message | None = None
        began, left = time.monotonic(), self._body_s + self.bytes_in / SLOWEST - self._waited
        with anyio.move_on_after(None if self._whole else max(0.0, left)):
            message = await self._receive()
        self._waited += time.monotonic() - began
        if message is None:
            self._late = True
            raise _Refused(_too_slow())
        if message["type"] == "http.request":
            self.bytes_in += len(message.get("body", b""))
            self._whole = not message.get("more_body", False)
            self._check()
        return message

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            # Whoever read the body may have taken the refusal for an error of reading.
            self._check()
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            headers["x-request-id"] = headers.get("x-request-id") or self._request_id
            headers.setdefault("x-content-type-options", "nosniff")
            if not self._page:
                headers.update(NO_PAGE)
            if self._leaving():
                headers["connection"] = "close"
        else:
            self.bytes_out += len(message.get("body", b""))
        await self._send(message)

    def _check(self) -> None:
        if self._late and not self._told:
            raise _Refused(_too_slow())
        if self.bytes_in > self._most_bytes and not self._told:
            raise _Refused(_too_long(self._most_bytes))

    async def tell(self, scope: Scope, problem: Told) -> None:
        """Answer with an error. Where an answer has begun, none is left to give: the server closes the connection."""
        if self.status:
            return
        self._told = True
        content = body_of(problem, form_of(scope["path"]))
        answer: Callable[..., Awaitable[None]] = JSONResponse(content, problem.status, headers=problem.headers)
        await answer(scope, self._receive, self.send)


def _too_long(most_bytes: int) -> Told:
    return Told(413, "body_too_long", f"The body is longer than {most_bytes:,} bytes, which is this server's limit.")


def _too_slow() -> Told:
    message = "The body did not come in time. Send it faster, or have the operator wait longer (--body-timeout)."
    return Told(408, "body_too_slow", message, {"connection": "close"})


def write_line(entry: dict[str, Any]) -> None:
    """Write an entry of the access log as one line of JSON."""
    print(json.dumps(entry, ensure_ascii=False), file=sys.stderr, flush=True)


def note(request: Request, **entries: Any) -> None:
    """Add to the request's line in the access log; never anything of its content."""
    request.scope["state"].setdefault("log", {}).update(entries)
