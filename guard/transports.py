"""HTTP transports that let nothing pass before the task's egress has checked it.

They sit below the provider's client library, where the request is serialised: what they see is
what would be sent, retries and redirects included. They also bound what comes back, in time and
size, because a library's own timeout starts anew with every byte that trickles in.
"""

import ssl
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, partial
from urllib.request import getproxies, proxy_bypass

import httpx

from gama.guard.addresses import is_local_address
from gama.guard.connections import Lease
from gama.guard.egress import check_egress
from gama.state.errors import ModelReplyError

LONGEST_REPLY_BYTES = 64 * 2**20
"""More than any answer needs, streamed and with its thinking; it only keeps a broken server from filling the memory."""

_SECRET_HEADERS = frozenset(
    {"authorization", "api-key", "x-api-key", "x-goog-api-key", "cookie", "proxy-authorization"}
)
"""Headers with the user's own key: meant for the server, and not looked at."""

_LIBRARY_HEADERS = frozenset(
    {"host", "user-agent", "accept", "accept-encoding", "connection", "content-type", "content-length"}
)
"""Headers that the libraries write whatever the task is, and that of the server the user chose.

They are not looked at either: a letter about a firm called OpenAI must not be stopped by
`user-agent: OpenAI/Python`, nor an amount by the length of the body.
"""

_CALL_TIMEOUT: ContextVar[float | None] = ContextVar("gama_call_timeout", default=None)


@contextmanager
def call_timeout(seconds: float | None) -> Iterator[None]:
    """Bound the requests made inside to so many seconds each; None leaves the transport's own bound."""
    token = _CALL_TIMEOUT.set(seconds)
    try:
        yield
    finally:
        _CALL_TIMEOUT.reset(token)


class GuardedTransport(httpx.BaseTransport):
    """Checks the whole request, hands it on, and bounds the reply. Safe to share between threads.

    Args:
        inner: the transport that sends; by default a plain one, through the proxy that the environment names.
        timeout_s: seconds until the reply must be here whole; None sets no bound.
    """

    def __init__(self, inner: httpx.BaseTransport | None = None, timeout_s: float | None = None) -> None:
        """Set it up; connections are opened when used."""
        self._inner = inner
        self._timeout_s = timeout_s
        self._pools: dict[str | None, httpx.HTTPTransport] = {}
        self._lock = threading.Lock()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request that passes.

        Raises:
            LeakError: it does not; nothing was sent.
        """
        body = request.read()
        for part in _parts(request, body):
            check_egress(part)
        deadline = _bound(request, self._timeout_s)
        response = (self._inner or self._pool(_proxy(request.url))).handle_request(request)
        assert isinstance(response.stream, httpx.SyncByteStream)
        response.stream = _Bounded(response.stream, deadline)
        return response

    def close(self) -> None:
        """Close the connections."""
        with self._lock:
            pools, self._pools = list(self._pools.values()), {}
        for transport in (self._inner, *pools):
            if transport is not None:
                transport.close()

    def _pool(self, proxy: str | None) -> httpx.HTTPTransport:
        with self._lock:
            if proxy not in self._pools:
                self._pools[proxy] = httpx.HTTPTransport(verify=_certificates(), proxy=proxy, limits=_LIMITS)
            return self._pools[proxy]


class AsyncGuardedTransport(httpx.AsyncBaseTransport):
    """Checks the whole request, hands it on, and bounds the reply; async.

    Requests of runs share connections, see `gama.guard.connections`; any other has one of its own, since a kept one
    belongs to the event loop that opened it and would break the next `asyncio.run`.

    Args:
        inner: the transport that sends; by default a plain one, through the proxy that the environment names.
        timeout_s: seconds until the reply must be here whole; None sets no bound.
    """

    def __init__(self, inner: httpx.AsyncBaseTransport | None = None, timeout_s: float | None = None) -> None:
        """Set it up."""
        self._inner = inner
        self._timeout_s = timeout_s

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request that passes.

        Raises:
            LeakError: it does not; nothing was sent.
        """
        body = await request.aread()
        for part in _parts(request, body):
            check_egress(part)
        deadline = _bound(request, self._timeout_s)
        if self._inner is not None:
            response = await self._inner.handle_async_request(request)
            lease = None
        else:
            proxy = _proxy(request.url)
            make = partial(httpx.AsyncHTTPTransport, verify=_certificates(), proxy=proxy)
            lease = Lease((proxy, f"{request.url.scheme}://{request.url.netloc.decode()}"), make)
            try:
                response = await lease.transport.handle_async_request(request)
            except BaseException:
                await lease.close()
                raise
        assert isinstance(response.stream, httpx.AsyncByteStream)
        response.stream = _AsyncBounded(response.stream, deadline, lease)
        return response

    async def aclose(self) -> None:
        """Close the inner transport."""
        if self._inner is not None:
            await self._inner.aclose()


class _Bounded(httpx.SyncByteStream):
    """A reply's bytes, until the deadline."""

    def __init__(self, stream: httpx.SyncByteStream, deadline: float | None) -> None:
        self._stream = stream
        self._deadline = deadline

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for piece in self._stream:
            size = _within(size + len(piece), self._deadline)
            yield piece

    def close(self) -> None:
        self._stream.close()


class _AsyncBounded(httpx.AsyncByteStream):
    """A reply's bytes, until the deadline; gives back the connection that brought them."""

    def __init__(self, stream: httpx.AsyncByteStream, deadline: float | None, lease: Lease | None) -> None:
        self._stream = stream
        self._deadline = deadline
        self._lease = lease

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for piece in self._stream:
            size = _within(size + len(piece), self._deadline)
            yield piece

    async def aclose(self) -> None:
        lease, self._lease = self._lease, None
        try:
            await self._stream.aclose()
        except BaseException:
            if lease is not None:
                await lease.close()
            raise
        if lease is not None:
            await lease.give_back()


def _bound(request: httpx.Request, timeout_s: float | None) -> float | None:
    """Shorten the waits of a request to the bound of the transport or the call, and return its deadline."""
    bounds = [bound for bound in (timeout_s, _CALL_TIMEOUT.get()) if bound is not None]
    if not bounds:
        return None
    waits = dict.fromkeys(("connect", "read", "write", "pool")) | request.extensions.get("timeout", {})
    shorter = {key: min(bounds if wait is None else [*bounds, wait]) for key, wait in waits.items()}
    request.extensions = {**request.extensions, "timeout": shorter}
    return time.monotonic() + min(bounds)


def _within(size: int, deadline: float | None) -> int:
    """Return the size, when neither it nor the time is out of bounds.

    Raises:
        httpx.ReadTimeout: the deadline has passed; the provider's library may try again.
        ModelReplyError: the reply is too long to be one.
    """
    if deadline is not None and time.monotonic() > deadline:
        raise httpx.ReadTimeout("the reply was not complete in time")
    if size > LONGEST_REPLY_BYTES:
        raise ModelReplyError(f"The public model's reply was longer than {LONGEST_REPLY_BYTES >> 20} MiB.")
    return size


_LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=100)
"""How many requests there are at a time is for `max_concurrent` to say, and no matter of the transport's."""


@cache
def _certificates() -> ssl.SSLContext:
    # Reading the certificates takes tens of milliseconds: once a process, not once a request.
    return httpx.create_ssl_context()


def _proxy(url: httpx.URL) -> str | None:
    """Return the proxy that the environment names for an address; this machine and private networks need none."""
    if is_local_address(str(url)) or proxy_bypass(url.host):
        return None
    named = getproxies()
    found = named.get(url.scheme) or named.get("all")
    return found if not found or "://" in found else f"http://{found}"


def _parts(request: httpx.Request, body: bytes) -> Iterator[str | bytes]:
    """Yield what is checked: method and address, headers, body."""
    # The host is the user's own choice and no part of the task.
    yield f"{request.method} {request.url.raw_path.decode('ascii', 'replace')}"
    yield "\n".join(f"{key}: {value}" for key, value in request.headers.multi_items() if not _passes(key.lower()))
    if body:
        yield body


def _passes(header: str) -> bool:
    return header in _SECRET_HEADERS or header in _LIBRARY_HEADERS or header.startswith("x-stainless-")
