"""The application of a server: the HTTP API and the gateway put together, gates, and what becomes of errors."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from gama import __version__
from gama.graph.client import TIDY_S
from gama.serve.gateway.gateway import Gateway
from gama.serve.gateway.graph_mode import GraphMode
from gama.serve.gateway.routes import router as gateway_router
from gama.serve.http.drain import draining
from gama.serve.http.errors import Told, body_of, form_of, told
from gama.serve.http.gate import Gate, Log
from gama.serve.http.health import health_router
from gama.serve.http.openapi import describe_errors
from gama.serve.http.papers import papers_router
from gama.serve.http.runnable import runnable_router
from gama.serve.http.server import Server
from gama.serve.http.settings import ServerSettings
from gama.serve.http.site import Site
from gama.serve.http.texts import texts_router
from gama.serve.http.threads import threads_router
from gama.state.errors import GamaError
from gama.state.options import Options

ABOUT = """\
Answers tasks full of private data with a public model that never sees them.

`/gama` is shaped like LangServe; `/v1` is a gateway that speaks OpenAI's and Anthropic's protocols.
"""
_TAGS = [
    {"name": "gama", "description": "The whole system as a Runnable; `langserve.RemoteRunnable` is a client of it."},
    {"name": "texts", "description": "The private half by itself: find, replace, restore."},
    {"name": "threads", "description": "Conversations: go on, look over, resume, forget."},
    {"name": "gateway", "description": "Set `base_url` of an OpenAI or Anthropic client to this server."},
    {"name": "health", "description": "Whether it runs, is ready, and how it does."},
]


def create_app(
    settings: ServerSettings | None = None,
    options: Options | None = None,
    *,
    log: Log | None = None,
    transport: httpx.AsyncBaseTransport | None = None,
    page: Path | None = None,
) -> FastAPI:
    """Make the application of a server.

    Args:
        settings: the operator's; by default a server for this machine alone.
        options: of the runs; by default those of the environment.
        log: takes the lines of the access log; by default they go to standard error.
        transport: takes the place of the network on the way to the gateway's upstreams.
        page: folder of the web page; by default `serve/page`, if it is there.

    Raises:
        OptionError: the key file cannot be used.
    """
    settings = settings or ServerSettings()
    server = Server(settings, options or Options.from_env())

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await server.start()
        gateway = Gateway(settings, server.anonymizer, server.vault, server.metrics, server.executor, transport)
        app.state.gateway = gateway
        tidying = asyncio.create_task(_tidy(gateway))
        try:
            with draining(server.leave, settings.drain_s):
                yield
        finally:
            server.leave()
            tidying.cancel()
            await asyncio.gather(tidying, return_exceptions=True)
            await gateway.aclose()
            await server.stop()

    # The pages that FastAPI offers for looking at an API load their scripts from other hosts.
    app = FastAPI(
        title="GAMA", version=__version__, description=ABOUT, openapi_tags=_TAGS, docs_url=None, redoc_url=None,
        lifespan=lifespan,
    )  # fmt: skip
    app.state.server = server
    app.state.graph = GraphMode(settings, server.options, lambda: server.gama)
    app.include_router(health_router(server))
    app.include_router(runnable_router(server))
    app.include_router(texts_router(server))
    app.include_router(threads_router(server))
    app.include_router(papers_router(server))
    app.include_router(gateway_router)
    describe_errors(app)
    site = Site(page or Path(__file__).parent / "page")
    _add_page(app, site)
    app.add_exception_handler(GamaError, _tell)
    app.add_exception_handler(HTTPException, _tell_http)
    app.add_exception_handler(RequestValidationError, _tell_invalid)
    app.add_middleware(
        Gate, settings=settings, keys=server.keys, metrics=server.metrics, log=log, page=site.__contains__,
        leaving=lambda: not server.ready,
    )  # fmt: skip
    if settings.cors:
        app.add_middleware(
            CORSMiddleware, allow_origins=list(settings.cors), allow_methods=["GET", "POST", "DELETE"],
            allow_headers=[
                "authorization", "content-type", "x-api-key", "x-gama-key", "x-gama-mode", "x-gama-privacy",
                "x-gama-formulas",
            ],
        )  # fmt: skip
    return app


async def _tidy(gateway: Gateway) -> None:
    """Forget what is too old, now and every hour."""
    while True:
        # A store that is away for a while is no reason to stop: the requests that need it say so.
        with contextlib.suppress(GamaError):
            await asyncio.to_thread(gateway.expire)
        await asyncio.sleep(TIDY_S)


def _add_page(app: FastAPI, site: Site) -> None:
    if "/" in site:
        app.router.routes.extend(site.routes())
        return

    @app.get("/", include_in_schema=False)
    async def index() -> dict[str, Any]:
        return {
            "name": "gama",
            "version": __version__,
            "openapi": "/openapi.json",
            "runnable": "/gama",
            "gateway": "/v1",
        }


async def _tell(request: Request, error: Exception) -> Response:
    return _answer(request, told(error))


async def _tell_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _answer(request, Told(error.status_code, "http_error", str(error.detail), dict(error.headers or {})))


async def _tell_invalid(request: Request, error: Exception) -> Response:
    """Name the fields that are wrong; what stood in them may be private."""
    assert isinstance(error, RequestValidationError)
    problems = [f"{'.'.join(map(_plain, item['loc']))}: {item['type'].replace('_', ' ')}" for item in error.errors()]
    return _answer(request, Told(422, "invalid_body", "; ".join(problems[:10])))


def _plain(part: Any) -> str:
    # A field that the schema does not know has a name of the caller's.
    return str(part) if isinstance(part, int) or str(part).isidentifier() else "?"


def _answer(request: Request, problem: Told) -> Response:
    return JSONResponse(body_of(problem, form_of(request.url.path)), problem.status, headers=problem.headers)
