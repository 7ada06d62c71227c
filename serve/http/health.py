"""What needs no key, as it has nothing of anybody's: health, readiness, metrics, and what the server takes."""

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from gama import __version__
from gama.nodes.steps import BAR
from gama.privacy.decide import balancing
from gama.serve.http.choices import levels
from gama.serve.http.cookie import give_token
from gama.serve.http.destination import destination
from gama.serve.http.server import Server
from gama.state.entities import SUBTYPES
from gama.tools.documents.kinds import SUFFIXES


def health_router(server: Server) -> APIRouter:
    """Return the routes; they need no key."""
    router = APIRouter(tags=["health"])

    @router.get("/healthz", summary="Whether the server runs")
    async def health() -> dict[str, str]:
        """Answer as long as the process can."""
        return {"status": "ok"}

    @router.get("/readyz", summary="Whether the server takes requests", responses={503: {"description": "Not yet."}})
    async def ready() -> Response:
        """Answer 200 once models are loaded, 503 before that and while the server stops."""
        return JSONResponse({"ready": server.ready}, 200 if server.ready else 503)

    @router.get("/metrics", summary="Prometheus metrics", response_class=Response)
    async def metrics() -> Response:
        """Give the metrics; no label has anything of a caller's in it."""
        return Response(server.metrics.page(), media_type=server.metrics.content_type)

    @router.get("/about", summary="What the server takes")
    async def about(request: Request, response: Response) -> dict[str, Any]:
        """Say whether a key is needed and threads are kept, and list limits, types, documents and the steps of a run.

        `public`, the model and host that get the text, is for those who may send one. On a server without keys the
        answer brings the cookie that owns the threads of a browser.
        """
        known = server.keys.caller(request.headers) is not None
        if not server.keys.required:
            give_token(request.headers, response, secure=request.url.scheme == "https")
        response.headers["cache-control"] = "no-store"
        return {
            "public": destination(server.options) if known else None,
            "version": __version__,
            "key_needed": server.keys.required,
            "keeps_threads": server.settings.keep,
            "max_chars": server.options.max_chars,
            "max_bytes": int(server.settings.max_body_mb * 2**20),
            "types": {kind: list(subtypes) for kind, subtypes in SUBTYPES.items()},
            "files": sorted(SUFFIXES),
            "privacy": {
                "levels": [level for level in levels(server.options) if level != "auto"],
                "level": balancing(server.options).privacy,
            },
            "steps": BAR,
        }

    return router
