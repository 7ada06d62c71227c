"""An address that cannot be listened on is told at once, with the way out."""

import socket

import pytest

from gama.serve.ports import check_free
from gama.state.errors import GamaError, OptionError


@pytest.fixture
def taken():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


@pytest.mark.parametrize("command", [("serve",), ("mcp", "--transport", "http")])
def test_a_port_in_use(gama, taken, command):
    done = gama(*command, "--port", str(taken))
    assert done.code == 1 and done.out == "" and done.err.count("\n") == 1
    assert f"127.0.0.1:{taken}: another program listens there" in done.err and "--port 0" in done.err


def test_addresses(taken):
    check_free("127.0.0.1", 0)
    with pytest.raises(GamaError, match="another program"):
        check_free("127.0.0.1", taken)
    with pytest.raises(OptionError, match="option --host"):
        check_free("nobody.invalid", 0)
    with pytest.raises(GamaError, match="no such address"):
        check_free("192.0.2.1", 0)
