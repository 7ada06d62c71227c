"""Free ports for servers that are processes of their own."""

import itertools
import os
import re
import socket

_WORKER = int((re.findall(r"\d+", os.environ.get("PYTEST_XDIST_WORKER", "")) or ["0"])[0])
_FIRST, _MANY = 20_000 + _WORKER % 10 * 1_000, 1_000
_next = itertools.count(os.getpid())


def free_port() -> int:
    """Return a port of loopback that nobody else takes before, or while, the server is down.

    It lies below those that the system hands out for port 0 and for connections, in a range of the test worker's own:
    a port found by binding to port 0 is anybody's as soon as it is let go.
    """
    for step in itertools.islice(_next, _MANY):
        port = _FIRST + step % _MANY
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise OSError(f"no port of {_FIRST} to {_FIRST + _MANY - 1} is free")
