"""Ctrl-C: at once, with the line that takes the run up again."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from tests.support import letters


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="interrupts of posix")
def test_ctrl_c_does_not_wait_for_the_server(loopback, home):
    reached, go_on = threading.Event(), threading.Event()

    def stall(request):
        reached.set()
        go_on.wait(600)
        return "fine"

    loopback.reply = stall
    server = ["--public", "openai:x", "--base-url", loopback.url, "--thread", "t", "--rounds", "0", "--quiet"]
    environment = os.environ | {"GAMA_HOME": str(home)}
    command = [sys.executable, "-m", "gama.serve", "ask"]
    run = subprocess.Popen(
        [*command, letters.PLANTED, *server], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert reached.wait(600)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=300)  # half of what the model would still take
    assert run.returncode == 130 and out == b""
    assert err.decode() == "interrupted: `gama ask --resume --thread t` takes it up where it stopped\n"
    go_on.set()
    done = subprocess.run(
        [*command, "--resume", *server], env=environment, capture_output=True, check=False, timeout=600
    )
    assert done.returncode == 0 and done.stdout == b"fine\n", done.stderr
