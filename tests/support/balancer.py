"""A balancer as Kubernetes' services are: it leads connections to servers that say they are ready, byte by byte."""

import contextlib
import http.client
import itertools
import socket
import threading
import time
from collections import Counter
from collections.abc import Sequence

ASK_S = 0.1
"""Seconds between two questions to a server, whether it is ready."""


class Balancer:
    """Leads each connection to the next ready server; to another one where none can be made, and never anew after that."""

    def __init__(self, ports: Sequence[int]) -> None:
        self.ports = tuple(ports)
        self.ready: frozenset[int] = frozenset()
        self.led: Counter[int] = Counter()
        """How many connections went to which server."""
        self.refused = 0
        """How many connections a server did not take that had said it was ready."""
        self._turn = itertools.count()
        self._ended = threading.Event()
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=512)
        for work in (self._ask, self._accept):
            threading.Thread(target=work, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def close(self) -> None:
        self._ended.set()
        self._socket.close()

    def _ask(self) -> None:
        while not self._ended.wait(ASK_S):
            self.ready = frozenset(port for port in self.ports if is_ready(port))

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._lead, args=(near,), daemon=True).start()

    def _lead(self, near: socket.socket) -> None:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            ready = sorted(self.ready)
            if not ready:
                time.sleep(ASK_S)
                continue
            port = ready[next(self._turn) % len(ready)]
            try:
                far = socket.create_connection(("127.0.0.1", port), 5)
            except OSError:
                self.refused += 1
                continue
            far.settimeout(None)
            self.led[port] += 1
            threading.Thread(target=_carry, args=(near, far), daemon=True).start()
            _carry(far, near)
            return
        near.close()


def _carry(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while piece := source.recv(65536):
            target.sendall(piece)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def is_ready(port: int) -> bool:
    """Return whether a server says that it takes requests."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
