"""Ctrl-C: at once, with the line that takes the run up again."""

import json
import os
import signal
import subprocess
import sys
import threading

import pytest

from gama.privacy.box import PrivacyBox
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


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="interrupts of posix")
def test_ctrl_c_loses_no_record_that_was_written(home, tmp_path):
    """What has come out are whole lines, and the box restores each of them."""
    names = [
        f"{first} {last}" for last in ("Obi", "Quornbeck", "Tilling") for first in ("Ada", "Emma", "Noah", "Olivia")
    ]
    given = [{"id": n, "text": f"My name is {names[n % 12]} and my phone is +44 20 7946 {n:04}."} for n in range(4_000)]
    lines, box = tmp_path / "many.jsonl", tmp_path / "box"
    lines.write_text("".join(json.dumps(one) + "\n" for one in given))
    command = [sys.executable, "-m", "gama.serve", "anonymize", "--jsonl", str(lines), "--box", str(box)]
    run = subprocess.Popen(
        command, env=os.environ | {"GAMA_HOME": str(home)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    first = [run.stdout.readline() for _ in range(20)]
    run.send_signal(signal.SIGINT)
    rest, err = run.communicate(timeout=300)
    out = b"".join(first) + rest
    done = out.splitlines()
    assert run.returncode == 130 and out.endswith(b"\n") and 20 <= len(done) < 4_000
    assert err.decode() == f"interrupted: lines 1 to {len(done)} are done, go on with line {len(done) + 1}\n"
    restored = PrivacyBox.load(box, home=home).restore(out.decode()).text
    back = [json.loads(line) for line in restored.splitlines()]
    assert [{"id": one["id"], "text": one["anonymized"]} for one in back] == given[: len(done)]
    assert b"Quornbeck" not in out and b"7946" not in out
