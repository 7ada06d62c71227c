"""Streamable HTTP: the SDK's application behind a token."""

import hmac
from typing import Any

from mcp.server.transport_security import TransportSecuritySettings

from gama.serve.http.settings import LOOPBACK


def guarded_app(server: Any, host: str, token: str | None) -> Any:
    """Return the ASGI application of a server.

    On a local address it answers requests of local names only, so that no web page can reach it through a browser;
    on another one the token alone decides.
    """
    security = None if host in LOOPBACK else TransportSecuritySettings(enable_dns_rebinding_protection=False)
    app = server.streamable_http_app(host=host, json_response=True, transport_security=security)
    return _Token(app, token) if token else app


class _Token:
    """Lets requests with the token through."""

    def __init__(self, app: Any, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve a request, or answer 401."""
        if scope["type"] == "http":
            given = dict(scope["headers"]).get(b"authorization", b"")
            if not hmac.compare_digest(given, self._expected):
                headers = [(b"content-type", b"text/plain"), (b"www-authenticate", b"Bearer")]
                await send({"type": "http.response.start", "status": 401, "headers": headers})
                await send({"type": "http.response.body", "body": b"The token is missing or wrong."})
                return
        await self._app(scope, receive, send)
