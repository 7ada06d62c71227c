"""`Server`: what the routes share, opened when the server starts and closed when it stops."""

import asyncio
import contextlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx

from gama.graph.client import TIDY_S, Gama
from gama.privacy.anonymizer import Anonymizer
from gama.serve.gateway.gateway import Gateway
from gama.serve.gateway.graph_mode import GraphMode
from gama.serve.http.keys import KeyRing
from gama.serve.http.limits import Limits, SharedLimits
from gama.serve.http.metrics import Metrics
from gama.serve.http.settings import ServerSettings
from gama.state.errors import GamaError
from gama.state.options import Options
from gama.vault.database import is_postgres
from gama.vault.seal import Vault, default_home


class Server:
    """The parts of a running server."""

    def __init__(
        self, settings: ServerSettings, options: Options, transport: httpx.AsyncBaseTransport | None = None
    ) -> None:
        """Take the settings; files and connections are opened by `start`.

        Args:
            settings: the operator's.
            options: of the runs, where a request says nothing else.
            transport: takes the place of the network on the way to the gateway's upstreams.
        """
        self.settings = settings
        self.options = options
        self.metrics = Metrics()
        self.home = settings.home or default_home()
        self.keys = KeyRing.load(
            settings.keys, requests_per_minute=settings.requests_per_minute, concurrent=settings.concurrent,
            limits=limits_of(settings, self.home),
        )  # fmt: skip
        self.anonymizer = Anonymizer(options)
        self.executor = ThreadPoolExecutor(settings.threads, thread_name_prefix="gama-read")
        self.gama = Gama(options, home=self.home, keep=settings.keep, store=settings.store)
        self.graph = GraphMode(settings, options, lambda: self.gama)
        self.ready = False
        self._transport = transport
        self._gateway: Gateway | None = None
        self._tidying: asyncio.Task[None] | None = None

    @property
    def vault(self) -> Vault:
        """What seals boxes and threads."""
        return self.gama.graph.vault

    @property
    def gateway(self) -> Gateway:
        """The running gateway."""
        assert self._gateway is not None, "the server has not been started"
        return self._gateway

    async def start(self) -> None:
        """Open files and connections, and load the models."""
        vault = await asyncio.to_thread(lambda: self.vault)
        self._gateway = Gateway(self.settings, self.anonymizer, vault, self.metrics, self.executor, self._transport)
        self._tidying = asyncio.create_task(self._tidy(self._gateway))
        await self.on_thread(self.anonymizer.anonymize, "My name is Ada Obi.")
        self.ready = True

    async def stop(self) -> None:
        """Close what was opened."""
        self.ready = False
        if self._tidying is not None:
            self._tidying.cancel()
            await asyncio.gather(self._tidying, return_exceptions=True)
        if self._gateway is not None:
            await self._gateway.aclose()
        await asyncio.to_thread(self.gama.close)
        await asyncio.to_thread(self.keys.close)
        self.executor.shutdown(wait=False, cancel_futures=True)

    async def _tidy(self, gateway: Gateway) -> None:
        """Forget what is too old, now and every hour."""
        while True:
            # A store that is away for a while is no reason to stop: the requests that need it say so.
            with contextlib.suppress(GamaError):
                await asyncio.to_thread(gateway.boxes.expire)
            await asyncio.sleep(TIDY_S)

    async def on_thread(self, function: Any, *args: Any) -> Any:
        """Call what works the CPU or the disk on a thread."""
        return await asyncio.get_running_loop().run_in_executor(self.executor, function, *args)


def limits_of(settings: ServerSettings, home: Path) -> Limits | None:
    """Return where the requests of a key are counted; None for in memory."""
    if is_postgres(settings.address) and settings.keep:
        # Other machines may serve the same keys.
        return SharedLimits.in_postgres(settings.address)
    if settings.workers > 1:
        return SharedLimits.in_file(home / "limits.sqlite")
    return None
