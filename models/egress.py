"""HTTP transports that let nothing pass before the task's egress has checked it.

They sit below the provider's client library, where the request is serialised: what they see is
what would be sent, retries included.
"""

from collections.abc import Iterator

import httpx

from gama.state.egress import check_egress

_SECRET_HEADERS = frozenset(
    {"authorization", "api-key", "x-api-key", "x-goog-api-key", "cookie", "proxy-authorization"}
)
"""Headers with the user's own key: meant for the server, and not looked at."""


class GuardedTransport(httpx.BaseTransport):
    """Checks the whole request, then hands it on."""

    def __init__(self, inner: httpx.BaseTransport | None = None) -> None:
        """Wrap a transport; by default the plain one."""
        self._inner = inner or httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request that passes.

        Raises:
            LeakError: it does not; nothing was sent.
        """
        body = request.read()
        for part in _parts(request, body):
            check_egress(part)
        return self._inner.handle_request(request)

    def close(self) -> None:
        """Close the inner transport."""
        self._inner.close()


class AsyncGuardedTransport(httpx.AsyncBaseTransport):
    """Checks the whole request, then hands it on; async."""

    def __init__(self, inner: httpx.AsyncBaseTransport | None = None) -> None:
        """Wrap a transport; by default the plain one."""
        self._inner = inner or httpx.AsyncHTTPTransport()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request that passes.

        Raises:
            LeakError: it does not; nothing was sent.
        """
        body = await request.aread()
        for part in _parts(request, body):
            check_egress(part)
        return await self._inner.handle_async_request(request)

    async def aclose(self) -> None:
        """Close the inner transport."""
        await self._inner.aclose()


def _parts(request: httpx.Request, body: bytes) -> Iterator[str | bytes]:
    """Yield what is checked: method and address, headers, body."""
    # The host is the user's own choice and no part of the task.
    yield f"{request.method} {request.url.raw_path.decode('ascii', 'replace')}"
    headers = [(key, value) for key, value in request.headers.multi_items() if key.lower() not in _SECRET_HEADERS]
    yield "\n".join(f"{key}: {value}" for key, value in headers if key.lower() != "host")
    if body:
        yield body
