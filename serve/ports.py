"""Whether an address can be listened on: asked before anything is loaded."""

import errno
import os
import socket

from gama.state.errors import GamaError, OptionError

_WHY = {
    errno.EADDRINUSE: "another program listens there. Choose another port: --port {other}, or --port 0 for a free one",
    errno.EACCES: "this user may not listen there. Choose a port from 1024 on, such as --port 8000",
    errno.EADDRNOTAVAIL: "this machine has no such address. Listen on 127.0.0.1, or on 0.0.0.0 for all",
}


def check_free(host: str, port: int) -> None:
    """Refuse an address that cannot be listened on.

    Raises:
        OptionError: the host is unknown.
        GamaError: the address is taken, or not this machine's or this user's; says what to do.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError):
        raise OptionError(f"option --host: there is no address {host!r}") from None
    with socket.socket(family, kind, protocol) as probe:
        if os.name == "posix":
            # As servers do: an address that a server has just left is free.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
        except OSError as error:
            why = _WHY.get(error.errno or 0, error.strerror or type(error).__name__).format(other=port % 65_535 + 1)
        else:
            return
    raise GamaError(f"The server cannot listen on {host}:{port}: {why}.")
