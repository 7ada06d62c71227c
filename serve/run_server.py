"""Running the server: uvicorn, its limits and its end, in one process or several that answer on one address."""

import gc
import multiprocessing
import multiprocessing.connection
import os
import shutil
import signal
import sys
import tempfile
import threading
from functools import partial
from socket import socket

import uvicorn
from fastapi import FastAPI
from uvicorn.supervisors.multiprocess import Multiprocess

from gama.graph.client import Gama
from gama.guard.terminal import say
from gama.serve.app import create_app
from gama.serve.http.keys import KeyRing
from gama.serve.http.metrics import FOLDER
from gama.serve.http.patience import PatientConfig
from gama.serve.http.server import limits_of
from gama.serve.http.settings import ServerSettings
from gama.state.errors import GamaError, OptionError
from gama.state.options import Options
from gama.vault.seal import default_home

HEALTH_S = 30
"""Seconds without an answer after which a worker is taken for dead: loading the models can take some."""

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
            for listening in server.sockets:
                where = _address(self.config, listening)
                say(f"gama serves on {where} (gateway: {where}/v1)")


def _address(config: uvicorn.Config, listening: socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"{'https' if config.is_ssl else 'http'}://{f'[{host}]' if ':' in host else host}:{port}"


def run(settings: ServerSettings, options: Options) -> None:
    """Serve until interrupted or terminated; running requests are finished, within the grace.

    Raises:
        GamaError: the server could not start.
    """
    config = PatientConfig(
        "gama.serve.app:create_app",
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
        header_s=settings.header_s,
        lifespan="on",
        ws="none",
    )
    if settings.workers > 1:
        run_workers(settings, options, config)
        return
    config.app = create_app(settings, options)
    server = _Announced(config)
    # uvicorn raises the signals once more that it has ended for: with nobody to take it, SIGTERM would kill.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        server.run()
    except KeyboardInterrupt:
        pass
    except SystemExit:
        raise GamaError(f"The server could not start on {settings.host}:{settings.port}. See above.") from None
    if not server.started:
        raise GamaError("The server could not start. See above.")
    sys.stderr.flush()


class Workers(Multiprocess):
    """Says where it listens once all workers do."""

    def __init__(self, config: uvicorn.Config, sockets: list[socket], where: str) -> None:
        """Take the settings of uvicorn, the sockets that all workers share, and what to call them."""
        super().__init__(config, sockets=sockets)
        self._where = where
        self.served = False

    def terminate_all(self) -> None:
        """End the workers, and let go of their sockets: once none of them listens, nobody can connect."""
        for listening in self.sockets:
            listening.close()
        super().terminate_all()

    def keep_subprocess_alive(self) -> None:
        """Replace a worker that died."""
        super().keep_subprocess_alive()
        if not self.served and all(process.is_ready() for process in self.processes):
            self.served = True
            say(f"gama serves on {self._where} (gateway: {self._where}/v1), {len(self.processes)} workers")


def run_workers(settings: ServerSettings, options: Options, config: uvicorn.Config) -> None:
    """Serve with several processes until interrupted or terminated; each finishes what it runs, within the grace.

    Args:
        settings: the operator's.
        options: of the runs.
        config: of uvicorn; its application is made anew in each worker.

    Raises:
        GamaError: the server could not start.
        OptionError: the public or private model is an object, which no other process can have.
    """
    if not isinstance(options.public_model, str | None) or not isinstance(options.private_model, str | None):
        raise OptionError("Several workers need models that are named, such as openai:gpt-4o, not objects.")
    _try_out(settings, options)
    config.app, config.factory, config.workers = partial(worker_app, settings, options), True, settings.workers
    config.timeout_worker_healthcheck = HEALTH_S
    try:
        shared = config.bind_socket()
    except SystemExit:
        raise GamaError(f"The server could not start on {settings.host}:{settings.port}. See above.") from None
    # Prometheus' client writes what each worker counts into files there; it looks at the variable on import.
    folder = tempfile.mkdtemp(prefix="gama-metrics-")
    os.environ[FOLDER] = folder
    try:
        workers = Workers(config, [shared], _address(config, shared))
        workers.run()
    finally:
        shared.close()
        os.environ.pop(FOLDER, None)
        shutil.rmtree(folder, ignore_errors=True)
    if not workers.served and any(process.exitcode not in (0, -signal.SIGTERM) for process in workers.processes):
        raise GamaError("The server could not start. See above.")


def worker_app(settings: ServerSettings, options: Options) -> FastAPI:
    """Make the application of a worker, which ends when the process that started it does."""
    threading.Thread(target=_end_with_parent, name="gama-parent", daemon=True).start()
    return create_app(settings, options)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)


def _try_out(settings: ServerSettings, options: Options) -> None:
    """Open what the workers will share, once, so that what is wrong is told once and no worker dies of it.

    Raises:
        GamaError: the store, the master key or the file of API keys cannot be used.
    """
    KeyRing.load(settings.keys)
    home = settings.home or default_home()
    gama = Gama(options, home=home, store=settings.store)
    try:
        gama.threads()
        gama.ready()
    finally:
        gama.close()
    if (limits := limits_of(settings, home)) is not None:
        limits.close()
