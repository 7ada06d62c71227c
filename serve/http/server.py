"""`Server`: what the routes share, opened when the server starts and closed when it stops."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx

from gama.graph.anonymizer import Anonymizer
from gama.graph.client import Gama
from gama.serve.gateway.boxes import BoxStore
from gama.serve.gateway.gateway import Gateway
from gama.serve.gateway.graph_mode import GraphMode
from gama.serve.http.keys import KeyRing
from gama.serve.http.metrics import Metrics
from gama.serve.http.settings import ServerSettings
from gama.state.options import Options
from gama.state.seal import Vault, default_home


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
        self.keys = KeyRing.load(
            settings.keys, requests_per_minute=settings.requests_per_minute, concurrent=settings.concurrent
        )
        self.home = settings.home or default_home()
        self.anonymizer = Anonymizer(options)
        self.executor = ThreadPoolExecutor(settings.workers, thread_name_prefix="gama-read")
        self.gama = Gama(options, home=self.home, keep=settings.keep)
        self.graph = GraphMode(settings, options, lambda: self.gama)
        self.ready = False
        self._transport = transport
        self._gateway: Gateway | None = None
        self._boxes: BoxStore | None = None

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
        path = self.home / "gateway.sqlite" if self.settings.keep else None
        vault = await asyncio.to_thread(lambda: self.vault)
        self._boxes = await asyncio.to_thread(BoxStore, vault, path)
        self._gateway = Gateway(
            self.settings, self.anonymizer, self._boxes, self.metrics, self.executor, self._transport
        )
        await self.on_thread(self.anonymizer.anonymize, "My name is Ada Obi.")
        self.ready = True

    async def stop(self) -> None:
        """Close what was opened."""
        self.ready = False
        if self._gateway is not None:
            await self._gateway.aclose()
        if self._boxes is not None:
            self._boxes.close()
        await asyncio.to_thread(self.gama.close)
        self.executor.shutdown(wait=False, cancel_futures=True)

    async def on_thread(self, function: Any, *args: Any) -> Any:
        """Call what works the CPU or the disk on a thread."""
        return await asyncio.get_running_loop().run_in_executor(self.executor, function, *args)
