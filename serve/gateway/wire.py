"""The way to the upstream: what goes along, and the last search of the whole request before a byte leaves.

Connections are kept and shared by all requests of the server; the search runs on a thread.
"""

import asyncio
import contextvars
from collections.abc import Awaitable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from typing import TypeVar
from urllib.parse import urlencode
from urllib.request import getproxies, proxy_bypass

import httpx

from gama import __version__
from gama.guard.addresses import is_local_address
from gama.guard.egress import EGRESS, check_egress, quoting
from gama.guard.search import Guard
from gama.serve.gateway.errors import Unanswerable, UpstreamUnreachable
from gama.serve.gateway.masking import Masked
from gama.serve.gateway.walk import Level
from gama.state.errors import ModelTimeout

T = TypeVar("T")

HEADERS: dict[str, Level] = {
    "anthropic-version": "code", "anthropic-beta": "word", "openai-beta": "word", "openai-organization": "name",
    "openai-project": "name", "idempotency-key": "name",
}  # fmt: skip
"""Headers of the client that go along, and what is looked for in them. Others stay here: they say who the client is, or
what it runs on."""

KEYS = ("authorization", "x-api-key", "api-key")
"""Headers with the user's own key."""

QUERY = frozenset({"api-version", "beta", "limit", "after", "before", "after_id", "before_id", "order", "include",
                    "include[]", "stream", "starting_after", "include_obfuscation"})  # fmt: skip
"""Parameters of an address that go along."""

_ENDS_HERE = frozenset(
    """
    connection keep-alive proxy-authenticate proxy-authorization te trailer transfer-encoding upgrade content-length
    content-encoding set-cookie server date alt-svc strict-transport-security access-control-allow-origin
    access-control-allow-credentials access-control-expose-headers
    """.split()
)
"""Headers of the upstream that are its connection's, or for a browser that talks to it."""

_CUT = "gama_opaque"


class GuardedWire(httpx.AsyncBaseTransport):
    """Searches a request on a thread, then hands it on."""

    def __init__(self, inner: httpx.AsyncBaseTransport, executor: Executor) -> None:
        """Take the transport that sends."""
        self._inner = inner
        self._executor = executor

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request that passes.

        Raises:
            LeakError: it does not; nothing was sent.
        """
        body = await request.aread()
        context = contextvars.copy_context()
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._executor, context.run, _search, request, body)
        return await self._inner.handle_async_request(request)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()


def _search(request: httpx.Request, body: bytes) -> None:
    for part in _parts(request, body):
        check_egress(part)


def _parts(request: httpx.Request, body: bytes) -> Iterator[str | bytes]:
    """Yield what is searched: method and address, the client's headers, the body but for what is opaque in it."""
    yield f"{request.method} {request.url.raw_path.decode('ascii', 'replace')}"
    yield "\n".join(f"{name}: {value}" for name, value in request.headers.items() if name in HEADERS)
    for opaque in request.extensions.get(_CUT, ()):
        body = body.replace(opaque, b"")
    if body:
        yield body


class Upstream:
    """The server that a protocol's requests go to.

    Args:
        base_url: its address, up to and with the version.
        key: the operator's own key, sent where the client brings none.
        key_header: the header that the key stands in.
        timeout_s: seconds that nothing may come.
        executor: where requests are searched.
        inner: the transport that sends; by default one that keeps connections.
    """

    def __init__(
        self,
        base_url: str,
        key: str | None,
        key_header: str,
        timeout_s: float,
        executor: Executor,
        inner: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """Set it up; connections are opened when used. Belongs to one event loop."""
        self.base_url = base_url.rstrip("/")
        self._key = key
        self._key_header = key_header
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=256, keepalive_expiry=30)
        sender = inner or httpx.AsyncHTTPTransport(limits=limits, proxy=_proxy(self.base_url))
        timeout = httpx.Timeout(timeout_s, connect=min(10.0, timeout_s))
        self._client = httpx.AsyncClient(transport=GuardedWire(sender, executor), timeout=timeout)

    def headers(self, given: Mapping[str, str], *, own_key: bool) -> dict[str, str]:
        """Return the headers of a request.

        Args:
            given: the client's.
            own_key: whether the client's key is the user's own, for the upstream; else it was this server's.
        """
        out = {name: given[name] for name in HEADERS if name in given}
        out["user-agent"] = f"gama/{__version__}"
        keys = {name: given[name] for name in KEYS if name in given} if own_key else {}
        if not keys and self._key:
            keys = {self._key_header: f"Bearer {self._key}" if self._key_header == "authorization" else self._key}
        return out | keys

    async def send(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        *,
        query: Sequence[tuple[str, str]] = (),
        content: bytes | None = None,
        masked: Masked | None = None,
    ) -> httpx.Response:
        """Send a request and return the answer with its body still to come; close it.

        Raises:
            LeakError: a private value would have left; nothing was sent.
            UpstreamUnreachable, ModelTimeout: no answer.
            Unanswerable: a parameter of the address is not known.
        """
        unknown = sorted({name for name, _ in query} - QUERY)
        if unknown:
            raise Unanswerable(f"The address has {len(unknown)} parameter(s) that this gateway does not pass on.")
        url = self.base_url + path + (f"?{urlencode(query)}" if query else "")
        opaque = [text.encode("utf-8", "replace") for text in masked.opaque] if masked else []
        sent = dict(headers) | ({"content-type": "application/json"} if content is not None else {})
        request = self._client.build_request(
            method,
            url,
            headers=sent,
            content=content,
            extensions={"timeout": self._client.timeout.as_dict(), _CUT: opaque},
        )
        EGRESS.set(masked.guard if masked else Guard(()))
        # A date in a letter may be that of the protocol's version.
        with quoting((*(masked.quoted if masked else ()), headers.get("anthropic-version", ""))):
            return await reached(self._client.send(request, stream=True))

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()


async def reached(work: Awaitable[T]) -> T:
    """Await a step of a request; what goes wrong on the way becomes an error of ours.

    Raises:
        UpstreamUnreachable, ModelTimeout: as it went.
    """
    problem: Exception
    try:
        return await work
    except httpx.TimeoutException:
        problem = ModelTimeout("The upstream gave no answer in time.")
    except (httpx.HTTPError, httpx.StreamError):
        problem = UpstreamUnreachable("The upstream cannot be reached, or it broke off. Try again.")
    raise problem


def passed_back(headers: httpx.Headers) -> dict[str, str]:
    """Return the upstream's headers that the client gets."""
    return {name: value for name, value in headers.items() if name.lower() not in _ENDS_HERE}


def _proxy(url: str) -> str | None:
    """Return the proxy that the environment names for an address; this machine and private networks need none."""
    parsed = httpx.URL(url)
    if is_local_address(url) or proxy_bypass(parsed.host):
        return None
    named = getproxies()
    found = named.get(parsed.scheme) or named.get("all")
    return found if not found or "://" in found else f"http://{found}"
