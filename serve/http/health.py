"""Health, readiness and metrics."""

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from gama.serve.http.server import Server


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

    return router
