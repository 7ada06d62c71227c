"""`/about`: what a client must know of the server before it can ask anything; nothing of anybody's."""

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from gama import __version__
from gama.serve.http.cookie import give_token
from gama.serve.http.destination import destination
from gama.serve.http.server import Server
from gama.state.entities import SUBTYPES
from gama.tools.documents.kinds import SUFFIXES


def about_router(server: Server) -> APIRouter:
    """Return the route; it needs no key."""
    router = APIRouter(tags=["health"])

    @router.get("/about", summary="What the server takes")
    async def about(request: Request, response: Response) -> dict[str, Any]:
        """Say whether a key is needed and threads are kept, and list limits, types and kinds of documents.

        `public`, the model and host that get the text, is for those who may send one. On a server without keys the
        answer brings the cookie that owns the threads of a browser.
        """
        known = server.keys.caller(request.headers) is not None
        if not server.keys.required:
            give_token(request.headers, response, secure=request.url.scheme == "https")
        response.headers["cache-control"] = "no-store"
        return {
            "version": __version__,
            "key_needed": server.keys.required,
            "keeps_threads": server.settings.keep,
            "max_chars": server.options.max_chars,
            "max_bytes": int(server.settings.max_body_mb * 2**20),
            "types": {kind: list(subtypes) for kind, subtypes in SUBTYPES.items()},
            "files": sorted(SUFFIXES),
            "public": destination(server.options) if known else None,
        }

    return router
