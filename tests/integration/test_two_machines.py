"""The public graph on a machine of its own: two processes, and every byte between them."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

import pytest

from tests.support import letters
from tests.support.ports import free_port

EXAMPLE = Path(__file__).parents[2] / "examples" / "two_machines"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]


class Wire:
    """A way between two machines that keeps what goes out."""

    def __init__(self, port: int) -> None:
        self.sent: list[bytes] = []
        self._port = port
        self._socket = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._socket.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self._port))
            threading.Thread(target=self._carry, args=(near, far, True), daemon=True).start()
            threading.Thread(target=self._carry, args=(far, near, False), daemon=True).start()

    def _carry(self, source, target, out) -> None:
        try:
            while piece := source.recv(65536):
                if out:
                    self.sent.append(piece)
                target.sendall(piece)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def close(self) -> None:
        self._socket.close()


@contextlib.contextmanager
def started(folder, **environment):
    """Run the public machine: a process with the graph `public` and nothing else."""
    shutil.copy(EXAMPLE / "langgraph.json", folder)
    port = free_port()
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("GAMA_", "LANGSMITH_", "LANGCHAIN_", "OPENAI_"))}
    log = (folder / "server.log").open("wb")
    process = subprocess.Popen(
        [Path(sys.executable).with_name("langgraph"), "dev", "--no-browser", "--no-reload", "--port", str(port)],
        env=clean | environment | {"LANGGRAPH_CLI_NO_ANALYTICS": "1", "LANGSMITH_TRACING": "false"},
        cwd=folder,
        stdout=log,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    wire = Wire(port)
    try:
        for _ in range(240):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/ok", timeout=1).close()
                break
            except OSError:
                assert process.poll() is None, (folder / "server.log").read_text()
                time.sleep(0.5)
        yield wire, folder, process
    finally:
        wire.close()
        if process.poll() is None:
            os.killpg(process.pid, 15)
            process.wait(30)
        log.close()


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    with started(tmp_path_factory.mktemp("public")) as running:
        yield running


def ask(address: str, tmp_path, home, *more: str) -> subprocess.CompletedProcess:
    letter = tmp_path / "letter.txt"
    letter.write_text(letters.PLANTED, "utf-8")
    code = """
import sys
sys.argv = ["ask.py", sys.argv[1], sys.argv[2]]
exec(compile(open("ask.py").read(), "ask.py", "exec"))
loaded = [name for name in sys.modules if name.startswith(("gama.graph.public_graph", "gama.nodes.public.experts"))]
print("public code here:", loaded)
"""
    return subprocess.run(
        [sys.executable, "-c", code, address, str(letter)],
        cwd=EXAMPLE,
        env=os.environ | {"GAMA_HOME": str(home)},
        capture_output=True,
        timeout=280,
        check=False,
    )


def test_the_example_answers_and_nothing_private_is_over_there(machine, tmp_path, home):
    wire, folder, _ = machine
    done = ask(wire.url, tmp_path, home)
    said = done.stdout.decode()
    assert done.returncode == 0, done.stderr[-3000:].decode()
    assert "three months" in said.split("Answer:")[1] and "<name-1>" in said.split("Answer:")[0]
    sent = b"".join(wire.sent)
    assert b"notice period of my lease" in sent and letters.hits(sent) == []
    files = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert files and letters.hits(files) == []


def test_a_kept_conversation_resumes_without_asking_again(machine, home):
    from gama import Gama, Options

    wire, _, _ = machine
    config = {"configurable": {"thread_id": "t"}}
    gama = Gama(Options(public_graph=wire.url, k=2))
    first = gama.invoke({"question": letters.PLANTED}, config)
    assert first["usage"]["calls"] >= 2 and letters.SECRETS[0] not in first["anonymized"]
    # The step after the experts is done once more, as after a crash: their machine remembers.
    history = list(gama.graph.get_state_history(config))
    before = next(state for state in history if state.next == ("call_public_graph",))
    asked = len([piece for piece in wire.sent if b"/runs/stream" in piece])
    again = gama.graph.invoke(None, before.config)["reply"]
    assert again["answer"] == first["answer"]
    assert len([piece for piece in wire.sent if b"/runs/stream" in piece]) == asked
    gama.close()


async def test_async(machine):
    from gama import Gama, Options

    wire, _, _ = machine
    reply = await Gama(Options(public_graph=wire.url, k=1), keep=False).ainvoke({"question": letters.PLANTED})
    assert "three months" in reply["answer"] and letters.hits(b"".join(wire.sent)) == []


def test_what_slips_through_is_stopped_on_the_way(machine, monkeypatch):
    from gama import Gama, LeakError, Options
    from gama.nodes.private import airlock

    real = airlock.build_public_task
    monkeypatch.setattr(
        airlock,
        "build_public_task",
        lambda **f: (task := real(**f)).model_copy(update={"text": f"{task.text} {letters.SECRETS[1]}"}),
    )
    wire, _, _ = machine
    before = len([piece for piece in wire.sent if b"/runs/stream" in piece])
    with pytest.raises(LeakError) as caught:
        Gama(Options(public_graph=wire.url, k=1), keep=False).invoke({"question": letters.PLANTED})
    assert letters.hits(str(caught.value).encode()) == []
    assert len([piece for piece in wire.sent if b"/runs/stream" in piece]) == before


def test_an_answer_with_a_faulty_formula_goes_back_over_the_wire_and_is_mended(tmp_path, home, loopback):
    from gama import Gama, Options
    from tests.integration.test_trial import FAULTY, LETTER, MENDED, PLANTED, Answers

    loopback.reply = answers = Answers(FAULTY["a range"][0], MENDED["a range"][0])
    model = {"GAMA_PUBLIC_MODEL": "openai:loop", "GAMA_PUBLIC_BASE_URL": loopback.url, "OPENAI_API_KEY": "k"}
    config = {"configurable": {"thread_id": "t"}}
    with started(tmp_path, **model) as (wire, folder, _):
        gama = Gama(Options(public_graph=wire.url, k=1, disprove="off"))
        reply = gama.invoke({"question": LETTER}, config)
        gama.close()
        files = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert reply["answer"] == "It ends Saturday." and answers.asked[-1] == "mend"
    assert reply["usage"]["calls"] == len(answers.asked) == 2
    sent = b"".join(wire.sent)
    assert b"is a range" in sent
    assert not any(value.encode() in blob for value in PLANTED for blob in (sent, files))
