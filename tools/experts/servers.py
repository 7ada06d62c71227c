"""MCP servers that the user names: their tools become tools of the public experts.

A server is a command line (spoken to over its standard input and output) or the URL of a streamable HTTP endpoint.
It runs outside of GAMA: what it is told has crossed, and what it says is untrusted. It is offered nothing of ours in
turn: no model, no files, no questions to the user, and a started command gets no environment but what the SDK deems
safe.
"""

import asyncio
import json
import logging
import os
import shlex
import threading
import weakref
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future, wait
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import AsyncExitStack
from time import monotonic
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

from gama.state.errors import OptionError, ToolError

T = TypeVar("T")

MOST_TOOLS = 64
"""Tools of one server that are offered."""
RETRY_S = 30.0
"""A server that could not be reached is not asked again for so long."""
NO_RESULT = "gave no result"
"""What an expert is told of every failure that is not the tool's own word."""

_CLOSED, _LATE = -32000, -32001
"""The protocol's codes for a connection that has ended, and for an answer that did not come in time."""


class ServerTool(NamedTuple):
    """A tool as its server describes it; untrusted."""

    name: str
    description: str
    schema: Mapping[str, Any]


class McpServer:
    """A connection to an MCP server, opened when first used and kept. Safe to share between threads.

    It lives on an event loop of its own in a background thread, so that it serves sync and async callers alike.
    """

    def __init__(self, target: str, seconds: float = 20.0) -> None:
        """Take the command line or URL.

        Args:
            target: what the user named.
            seconds: how long connecting, and each call, may take.

        Raises:
            OptionError: the target is invalid, or the SDK is not installed.
        """
        self._link = _Link(_parsed(target), seconds)
        self.seconds = seconds
        # Neither the thread nor its loop refers to this object: when nobody does, they end, and at exit too.
        self._finalizer = weakref.finalize(self, self._link.close)

    @property
    def label(self) -> str:
        """What it is called in messages: the program or the host, without arguments and paths."""
        return self._link.target.label

    def tools(self) -> tuple[ServerTool, ...]:
        """Return what it offers.

        Raises:
            ToolError: it cannot be reached or used.
        """
        return self._link.tools()

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Call a tool and return its result as text.

        Raises:
            ToolError: the tool says what is wrong, or nothing came back.
        """
        return self._link.call(name, arguments)

    def close(self) -> None:
        """End the connection, and the program if one was started."""
        self._finalizer()


class _Target(NamedTuple):
    """What the user named, read."""

    label: str
    url: str
    command: tuple[str, ...]


def _parsed(target: str) -> _Target:
    if target.strip().lower().startswith(("http://", "https://")):
        parts = urlsplit(target.strip())
        if not parts.hostname or parts.username or parts.password:
            raise OptionError("option 'mcp': the URL of an MCP server needs a host, and no user name or password")
        found = _Target(parts.netloc, target.strip(), ())
    else:
        try:
            words = shlex.split(target)
        except ValueError:
            words = []
        if not words:
            raise OptionError("option 'mcp': name a command line, or a URL that begins with http:// or https://")
        found = _Target(os.path.basename(words[0]), "", tuple(words))
    try:
        import mcp  # noqa: F401
    except ImportError:
        missing = True
    else:
        missing = False
    if missing:
        raise OptionError("option 'mcp': the MCP SDK is not installed; pip install 'gama-privacy[mcp]'")
    return found


class _Link:
    """The background half of a server: loop, thread, session."""

    def __init__(self, target: _Target, seconds: float) -> None:
        self.target = target
        self._seconds = seconds
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._client: Any = None
        self._tools: tuple[ServerTool, ...] = ()
        self._stop: asyncio.Event | None = None
        self._session: Future[None] | None = None
        self._failed_at: float | None = None

    def tools(self) -> tuple[ServerTool, ...]:
        with self._lock:
            self._connect()
            return self._tools

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        problem = ""
        client: Any = None
        with self._lock:
            try:
                self._connect()
                client = self._client
            except ToolError:
                problem = NO_RESULT
        if problem:
            raise ToolError(problem)
        problem = NO_RESULT
        result: Any = None
        try:
            result = self._wait(client.call_tool(name, dict(arguments), read_timeout_seconds=self._seconds))
        except Exception as error:
            code = getattr(error, "code", None)
            if code is not None and code not in (_CLOSED, _LATE):
                problem = f"refused the call: {error}"
            elif code != _LATE and not isinstance(error, FutureTimeout | ToolError):
                # The connection is gone; the next call opens a new one.
                self._drop(client)
        if result is None:
            raise ToolError(problem)
        text = text_of(result)
        if getattr(result, "is_error", False):
            raise ToolError(f"reports: {text or 'an error'}")
        return text

    def close(self) -> None:
        with self._lock:
            self._end()
            loop, self._loop = self._loop, None
        if loop is not None:
            loop.call_soon_threadsafe(loop.stop)

    def _connect(self) -> None:
        """Open the connection unless it is open.

        Raises:
            ToolError: it cannot be opened, or could not a moment ago.
        """
        if self._client is not None and self._session is not None and not self._session.done():
            return
        if self._failed_at is not None and monotonic() - self._failed_at < RETRY_S:
            raise ToolError("cannot be reached")
        self._end()
        ready: Future[tuple[Any, tuple[ServerTool, ...], asyncio.Event]] = Future()
        loop = self._running_loop()
        self._session = asyncio.run_coroutine_threadsafe(_serve(self.target, ready), loop)
        self._session.add_done_callback(lambda done: _pass_failure(done, ready))
        problem = ""
        try:
            self._client, self._tools, self._stop = ready.result(self._seconds)
            self._failed_at = None
        except Exception as error:
            self._failed_at = monotonic()
            self._end()
            cause = _innermost(error)
            problem = "did not answer in time" if isinstance(cause, FutureTimeout) else type(cause).__name__
        if problem:
            raise ToolError(f"cannot be reached ({problem})")

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            # Without a handler Python prints what the SDK warns of, with the server's words in it.
            logging.getLogger("mcp").addHandler(logging.NullHandler())
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=_keep, args=(self._loop,), name="gama-mcp", daemon=True)
            self._thread.start()
        return self._loop

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        loop = self._loop
        if loop is None:
            work.close()
            raise ToolError(NO_RESULT)
        future = asyncio.run_coroutine_threadsafe(work, loop)
        try:
            return future.result(self._seconds)
        finally:
            future.cancel()

    def _drop(self, client: Any) -> None:
        with self._lock:
            if self._client is client:
                self._end()

    def _end(self) -> None:
        """Let the session end in its own task: the SDK closes what the task opened."""
        session, stop, loop = self._session, self._stop, self._loop
        self._client, self._session, self._stop = None, None, None
        if session is None or loop is None:
            return
        if stop is not None:
            loop.call_soon_threadsafe(stop.set)
        else:
            session.cancel()
        if threading.current_thread() is self._thread:
            # Collected as garbage on the loop's own thread: waiting would wait for itself.
            return
        # The SDK gives a program a few seconds to end, then kills it.
        wait([session], 10)


async def _serve(target: _Target, ready: "Future[Any]") -> None:
    """Hold the session open until told to stop."""
    from mcp import Client, StdioServerParameters, stdio_client

    stop = asyncio.Event()
    async with AsyncExitStack() as stack:
        server: Any = target.url
        if target.command:
            # What a server writes to standard error may repeat queries; it is shown to nobody.
            nowhere = stack.enter_context(open(os.devnull, "w", encoding="utf-8"))
            parameters = StdioServerParameters(command=target.command[0], args=list(target.command[1:]))
            server = stdio_client(parameters, errlog=nowhere)
        client = await stack.enter_async_context(Client(server))
        ready.set_result((client, await _listed(client), stop))
        await stop.wait()


async def _listed(client: Any) -> tuple[ServerTool, ...]:
    found: list[ServerTool] = []
    cursor: str | None = None
    while len(found) < MOST_TOOLS:
        page = await client.list_tools(cursor=cursor)
        found += [ServerTool(tool.name, tool.description or "", tool.input_schema) for tool in page.tools]
        cursor = page.next_cursor
        if cursor is None:
            break
    return tuple(found[:MOST_TOOLS])


def text_of(result: Any) -> str:
    """Return a tool's result as text: its texts, else its structured content; pictures and sounds are named only."""
    parts = []
    for block in result.content:
        text = getattr(block, "text", None) or getattr(getattr(block, "resource", None), "text", None)
        parts.append(text if isinstance(text, str) else f"[{getattr(block, 'type', 'something')} left out]")
    if not parts and result.structured_content is not None:
        return json.dumps(result.structured_content, ensure_ascii=False)
    return "\n".join(parts)


def _keep(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


def _pass_failure(done: "Future[None]", ready: "Future[Any]") -> None:
    if ready.done():
        return
    error: BaseException | None = None if done.cancelled() else done.exception()
    ready.set_exception(error if isinstance(error, Exception) else ConnectionError())


def _innermost(error: BaseException) -> BaseException:
    """Return the cause inside the groups that task groups raise."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    return error


def caller(server: McpServer, name: str) -> Callable[[Mapping[str, Any]], str]:
    """Return what calls one tool of a server."""
    return lambda arguments: server.call(name, arguments)
