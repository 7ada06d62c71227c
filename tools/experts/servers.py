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
from collections.abc import Mapping
from concurrent.futures import Future, wait
from contextlib import AsyncExitStack, ExitStack, suppress
from functools import partial
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from gama.state.errors import OptionError, ToolError

MOST_TOOLS = 64
"""Tools of one server that are offered."""
RETRY_S = 30.0
"""A server that could not be reached is not asked again for so long."""
NO_RESULT = "gave no result"
"""What an expert is told of every failure that is not the tool's own word."""

_CLOSED, _LATE = -32000, -32001
"""The protocol's codes for a connection that has ended, and for an answer that did not come in time."""
_THREAD = "gama-mcp"


class ServerTool(NamedTuple):
    """A tool as its server describes it; untrusted."""

    name: str
    description: str
    schema: Mapping[str, Any]


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
        self.target = _parsed(target)
        self.seconds = seconds
        self._lock = threading.Lock()
        self._portal: Any = None
        self._client: Any = None
        self._session: Future[None] | None = None
        self._tools: tuple[ServerTool, ...] = ()
        self._failed_at: float | None = None
        # Neither the thread nor this stack refers to this object: when nobody does, they end, and at exit too.
        self._open = ExitStack()
        self._finalizer = weakref.finalize(self, _close, self._open)

    @property
    def label(self) -> str:
        """What it is called in messages: the program or the host, without arguments and paths."""
        return self.target.label

    def tools(self) -> tuple[ServerTool, ...]:
        """Return what it offers.

        Raises:
            ToolError: it cannot be reached or used.
        """
        with self._lock:
            self._connect()
            return self._tools

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Call a tool and return its result as text.

        Raises:
            ToolError: the tool says what is wrong, or nothing came back.
        """
        problem, result, client = NO_RESULT, None, None
        try:
            with self._lock:
                self._connect()
                client, portal = self._client, self._portal
            ask = partial(client.call_tool, name, dict(arguments), read_timeout_seconds=self.seconds)
            future = portal.start_task_soon(ask)
            try:
                result = future.result(self.seconds)
            finally:
                future.cancel()
        except (ToolError, TimeoutError):
            pass
        except Exception as error:
            code = getattr(error, "code", None)
            if code is not None and code not in (_CLOSED, _LATE):
                problem = f"refused the call: {error}"
            elif code != _LATE:
                # The connection is gone; the next call opens a new one.
                self._drop(client)
        if result is None:
            raise ToolError(problem)
        text = text_of(result)
        if getattr(result, "is_error", False):
            raise ToolError(f"reports: {text or 'an error'}")
        return text

    def close(self) -> None:
        """End the connection, and the program if one was started."""
        with self._lock:
            self._client = None
            _close(self._open)

    def _connect(self) -> None:
        """Open the connection unless it is open.

        Raises:
            ToolError: it cannot be opened, or could not a moment ago.
        """
        if self._client is not None and self._session is not None and not self._session.done():
            return
        if self._failed_at is not None and monotonic() - self._failed_at < RETRY_S:
            raise ToolError("cannot be reached")
        from anyio.from_thread import start_blocking_portal

        # Without a handler Python prints what the SDK warns of, with the server's words in it.
        logging.getLogger("mcp").addHandler(logging.NullHandler())
        _close(self._open)
        problem = ""
        try:
            self._portal = self._open.enter_context(start_blocking_portal(name=_THREAD))
            self._open.callback(self._portal.call, self._portal.stop, True)
            self._session, told = self._portal.start_task(_serve, self.target, self.seconds)
            self._client, self._tools, stop = told
            # The SDK gives a program a few seconds to end, then kills it.
            self._open.callback(wait, [self._session], 10)
            self._open.callback(self._portal.call, stop.set)
            self._failed_at = None
        except Exception as error:
            self._failed_at = monotonic()
            _close(self._open)
            cause = _innermost(error)
            problem = "did not answer in time" if isinstance(cause, TimeoutError) else type(cause).__name__
        if problem:
            raise ToolError(f"cannot be reached ({problem})")

    def _drop(self, client: Any) -> None:
        with self._lock:
            if self._client is client:
                self._client = None
                _close(self._open)


def _close(opened: ExitStack) -> None:
    if threading.current_thread().name == _THREAD:
        # Collected as garbage on the loop's own thread: waiting there would wait for itself.
        threading.Thread(target=_close, args=(opened,)).start()
        return
    # Whatever the SDK says of a connection that is ending, it ends.
    with suppress(Exception):
        opened.close()


async def _serve(target: _Target, seconds: float, *, task_status: Any) -> None:
    """Hold a session open until told to stop: the SDK closes it in the task that opened it."""
    from mcp import Client, StdioServerParameters, stdio_client

    stop = asyncio.Event()
    async with AsyncExitStack() as stack:
        async with asyncio.timeout(seconds):
            server: Any = target.url
            if target.command:
                # What a server writes to standard error may repeat queries; it is shown to nobody.
                nowhere = stack.enter_context(open(os.devnull, "w", encoding="utf-8"))
                parameters = StdioServerParameters(command=target.command[0], args=list(target.command[1:]))
                server = stdio_client(parameters, errlog=nowhere)
            client = await stack.enter_async_context(Client(server))
            tools = await _listed(client)
        task_status.started((client, tools, stop))
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


def _innermost(error: BaseException) -> BaseException:
    """Return the cause inside the groups that task groups raise."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    return error
