"""`Server`: what the routes share, opened when the server starts and closed when it stops."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from gama.graph.client import Gama
from gama.privacy.anonymizer import Anonymizer
from gama.serve.http.keys import KeyRing
from gama.serve.http.limits import Bound, Limits, SharedLimits
from gama.serve.http.metrics import Metrics
from gama.serve.http.settings import ServerSettings
from gama.state.options import Options
from gama.vault.database import is_postgres
from gama.vault.seal import Vault, default_home


class Server:
    """The parts of a running server."""

    def __init__(self, settings: ServerSettings, options: Options) -> None:
        """Take the settings; files and connections are opened by `start`.

        Args:
            settings: the operator's.
            options: of the runs, where a request says nothing else.
        """
        self.settings = settings
        self.options = options
        self.metrics = Metrics()
        self.home = settings.home or default_home()
        self.keys = KeyRing.load(
            settings.keys,
            bound=Bound(settings.requests_per_minute, settings.concurrent),
            limits=limits_of(settings, self.home),
        )
        self.anonymizer = Anonymizer(options)
        self.executor = ThreadPoolExecutor(settings.threads, thread_name_prefix="gama-read")
        self.gama = Gama(options, home=self.home, keep=settings.keep, store=settings.store)
        self.ready = False

    @property
    def vault(self) -> Vault:
        """What seals boxes and threads."""
        return self.gama.graph.vault

    def leave(self) -> None:
        """Say that further requests had better go elsewhere; they are still answered."""
        self.ready = False

    async def start(self) -> None:
        """Open files and connections, and load the models."""
        await asyncio.to_thread(lambda: self.vault)
        await self.on_thread(self.anonymizer.anonymize, "My name is Ada Obi.")
        self.ready = True

    async def stop(self) -> None:
        """Close what was opened."""
        self.ready = False
        await asyncio.to_thread(self.gama.close)
        await asyncio.to_thread(self.keys.close)
        self.executor.shutdown(wait=False, cancel_futures=True)

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
