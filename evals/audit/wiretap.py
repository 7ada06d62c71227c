"""Everything that this process sends over sockets, before it is encrypted.

Python's own sockets and TLS are listened to, and with them httpx, requests, urllib3, aiohttp and asyncio. What native
code sends by itself (gRPC, a database's C library) is not seen.
"""

import socket
import ssl
import threading
from collections.abc import Callable
from typing import Any

_TLS = (b"\x14\x03", b"\x15\x03", b"\x16\x03", b"\x17\x03")
"""Beginnings of TLS records: their content has been listened to before it was encrypted."""


class Wiretap:
    """Keeps what is sent, by the address it goes to.

    Args:
        own: ports of loopback servers that keep what they get themselves.
    """

    def __init__(self, own: frozenset[int] = frozenset()) -> None:
        """Start with nothing."""
        self._own = own
        self._sent: dict[tuple[str, int], tuple[str, list[bytes]]] = {}
        self._lock = threading.Lock()

    def install(self) -> None:
        """Listen from now on, until the process ends."""
        _wrap(socket.socket, ("send", "sendall", "sendto", "sendmsg"), self._plain)
        _wrap(ssl.SSLSocket, ("send", "write"), self._encrypted)
        _wrap(ssl.SSLObject, ("write",), self._encrypted)

    def taken(self) -> list[tuple[str, bytes]]:
        """Return the addresses, and what was sent over each connection."""
        with self._lock:
            return [(name, b"".join(pieces)) for name, pieces in self._sent.values()]

    def _plain(self, sender: Any, data: bytes) -> None:
        if isinstance(sender, ssl.SSLSocket) or sender.family not in (socket.AF_INET, socket.AF_INET6):
            return
        try:
            host, port = sender.getpeername()[:2]
        except OSError:
            return
        if port not in self._own and not data.startswith(_TLS) and not self._serves(sender):
            self._note(("plain", id(sender)), f"{host}:{port}", data)

    def _encrypted(self, sender: Any, data: bytes) -> None:
        self._note(("tls", id(sender)), f"{sender.server_hostname}:443", data)

    def _serves(self, sender: Any) -> bool:
        """Return whether this is a loopback server's end of a connection: what it says is an answer."""
        return bool(sender.getsockname()[1] in self._own)

    def _note(self, connection: tuple[str, int], name: str, data: bytes) -> None:
        with self._lock:
            self._sent.setdefault(connection, (name, []))[1].append(data)


def _wrap(kind: Any, names: tuple[str, ...], note: Callable[[Any, bytes], None]) -> None:
    for name in names:
        plain = getattr(kind, name)

        def sending(self: Any, data: Any, *more: Any, _plain: Any = plain, _many: bool = name == "sendmsg") -> Any:
            note(self, b"".join(map(bytes, data)) if _many else bytes(data))
            return _plain(self, data, *more)

        setattr(kind, name, sending)
