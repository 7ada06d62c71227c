"""Running the server: uvicorn, its limits and its end."""

import gc
import sys

import uvicorn

from gama.serve.http.app import create_app
from gama.serve.http.settings import ServerSettings
from gama.serve.terminal import say
from gama.state.errors import GamaError
from gama.state.options import Options

_LOG = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"stderr": {"class": "logging.StreamHandler", "stream": "ext://sys.stderr"}},
    "loggers": {"uvicorn": {"handlers": ["stderr"], "level": "WARNING", "propagate": False}},
}


class _Announced(uvicorn.Server):
    """Says where it listens once it does."""

    async def startup(self, sockets: "list[object] | None" = None) -> None:  # type: ignore[override]
        """Start, then say so."""
        await super().startup(sockets)  # type: ignore[arg-type]
        # What is loaded by now stays: a collector that leaves it out spares a busy server a fifth of its work.
        gc.collect()
        gc.freeze()
        for server in getattr(self, "servers", ()):
            for socket in server.sockets:
                host, port = socket.getsockname()[:2]
                scheme = "https" if self.config.is_ssl else "http"
                name = f"[{host}]" if ":" in host else host
                say(f"gama serves on {scheme}://{name}:{port} (gateway: {scheme}://{name}:{port}/v1)")


def run(settings: ServerSettings, options: Options) -> None:
    """Serve until interrupted or terminated; running requests are finished, within the grace.

    Raises:
        GamaError: the server could not start.
    """
    config = uvicorn.Config(
        "gama.serve.http.app:create_app",
        host=settings.host,
        port=settings.port,
        log_config=_LOG,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ssl_certfile=settings.tls_cert,
        ssl_keyfile=settings.tls_key,
        timeout_graceful_shutdown=int(settings.grace_s),
        timeout_keep_alive=30,
        lifespan="on",
        ws="none",
    )
    if settings.workers > 1:
        from gama.serve.http.workers import run_workers

        run_workers(settings, options, config)
        return
    config.app = create_app(settings, options)
    server = _Announced(config)
    try:
        server.run()
    except KeyboardInterrupt:
        pass
    except SystemExit:
        raise GamaError(f"The server could not start on {settings.host}:{settings.port}. See above.") from None
    if not server.started:
        raise GamaError("The server could not start. See above.")
    sys.stderr.flush()
