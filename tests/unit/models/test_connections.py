"""Runs of one event loop share connections; nothing of them outlives the last run."""

import asyncio
import gc
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import httpx
import pytest

from gama.guard.connections import shared_connections
from gama.guard.egress import EGRESS, NoPrivateSpace
from gama.guard.transports import AsyncGuardedTransport


class Server:
    """Answers every request, and counts connections."""

    def __init__(self) -> None:
        self.opened = 0
        self.open = 0
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.opened += 1
        self.open += 1
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                await asyncio.sleep(0.02)
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
        self.open -= 1


async def closed(server: Server) -> bool:
    for _ in range(3000):
        if server.open == 0:
            return True
        await asyncio.sleep(0.01)
    return False


@asynccontextmanager
async def serving() -> AsyncIterator[Server]:
    server = Server()
    listener = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    server.url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}/"
    async with listener:
        yield server
        assert await closed(server), "a connection outlived the last run"


@pytest.fixture(autouse=True)
def egress():
    token = EGRESS.set(NoPrivateSpace())
    yield
    EGRESS.reset(token)


async def get(server: Server, times: int = 1) -> None:
    for _ in range(times):
        async with AsyncGuardedTransport() as transport:
            response = await transport.handle_async_request(httpx.Request("GET", server.url))
            assert await response.aread() == b"ok"
            await response.aclose()


def test_a_run_keeps_its_connection_and_closes_it():
    async def go() -> None:
        async with serving() as server:
            async with shared_connections():
                await get(server, 5)
                assert server.opened == 1
            assert await closed(server)

    asyncio.run(go())


def test_runs_at_once_share_and_the_last_one_closes():
    async def go() -> None:
        async with serving() as server:

            async def run(times: int) -> None:
                async with shared_connections():
                    await get(server, times)

            await asyncio.gather(*(run(times) for times in (1, 2, 3, 6)))
            assert server.opened == 4, "as many as there were requests at a time"
            assert await closed(server)

    asyncio.run(go())


def test_outside_of_a_run_each_request_has_its_own():
    async def go() -> None:
        async with serving() as server:
            await get(server, 3)
            assert server.opened == 3 and await closed(server)
            with pytest.raises(ZeroDivisionError):
                async with shared_connections():
                    raise ZeroDivisionError
            await get(server)
            assert server.opened == 4 and await closed(server)

    asyncio.run(go())


@pytest.mark.slow
def test_one_loop_after_another():
    async def go() -> int:
        async with serving() as server, shared_connections():
            await get(server, 2)
            return server.opened

    gc.collect()  # what earlier tests left is not meant
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [asyncio.run(go()) for _ in range(3)] == [1, 1, 1]
        gc.collect()


@pytest.mark.slow
def test_far_more_requests_at_a_time_than_a_pool_usually_has():
    async def go() -> None:
        async with serving() as server, shared_connections():
            await asyncio.gather(*(get(server) for _ in range(250)))
            assert server.opened == 250, "none waited for another's connection"

    asyncio.run(go())
