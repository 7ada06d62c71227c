"""Crash safety: the process is killed at every node boundary and in mid-call, on SQLite and on PostgreSQL.

Each time the run is resumed, and: the answer is the same, nobody who had answered is asked again, and neither a key
nor a private value is on the disk.
"""

import base64
import contextlib
import json
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from gama import Gama, Options
from gama.state.errors import StoreError
from gama.vault.seal import Vault
from tests.support import letters
from tests.support.roles import Model

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="fork and SIGKILL")]

MORTAL = Path(__file__).parents[1] / "support" / "mortal.py"
KEY = secrets.token_bytes(32)


class Mortal:
    """Starts runs in processes that die."""

    def __init__(self, process: subprocess.Popen[str], home: Path, url: str, store: str | None) -> None:
        self.process, self.home, self.url, self.store = process, home, url, store
        home.mkdir(exist_ok=True)

    def start(self, thread: str, **job) -> int:
        """Begin a run, or resume it, and return the process it runs in."""
        job |= {"home": str(self.home), "model": self.url, "store": self.store, "thread": thread}
        job |= {"question": letters.PLANTED, "environment": {"GAMA_KEY": base64.b64encode(KEY).decode()}}
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        return int(json.loads(self.process.stdout.readline())["pid"])

    def end(self) -> int:
        """Wait for the run and return its exit code, negative for a signal."""
        assert self.process.stdout
        return int(json.loads(self.process.stdout.readline())["code"])

    def run(self, thread: str, **job) -> int:
        self.start(thread, **job)
        return self.end()

    def reply(self) -> dict:
        reply = json.loads((self.home / "reply.json").read_text())
        experts = [{key: expert[key] for key in ("domain", "term", "answer")} for expert in reply["experts"]]
        return {key: reply[key] for key in ("answer", "anonymized", "domains", "verdict")} | {"experts": experts}

    def saves(self) -> list[dict]:
        log = self.home / "saves.log"
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []

    def saved(self) -> set[str]:
        """Return who has answered and whose answer is saved."""
        return {name for save in self.saves() if save["kind"] == "writes" for name in save["names"]}

    def forget_log(self) -> None:
        (self.home / "saves.log").unlink(missing_ok=True)


@pytest.fixture(scope="module")
def nursery():
    quiet = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    process = subprocess.Popen(
        [sys.executable, MORTAL], env=os.environ | quiet, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    yield process
    assert process.stdin and process.stdout
    process.stdin.close()
    process.wait(600)
    process.stdout.close()


@pytest.fixture(params=["sqlite", "postgres"])
def mortal(request, nursery, loopback, home, monkeypatch):
    store = request.getfixturevalue("postgres") if request.param == "postgres" else None
    monkeypatch.setenv("GAMA_KEY", base64.b64encode(KEY).decode())
    return Mortal(nursery, home, loopback.url, store)


def undisturbed(mortal, model) -> tuple[dict, list[dict]]:
    """Return reply and saves of a run that nobody kills; the reply is the same on every store."""
    if not UNDISTURBED:
        assert mortal.run("undisturbed") == 0
        UNDISTURBED.append((mortal.reply(), mortal.saves()))
        mortal.forget_log()
        model.asked.clear()
    return UNDISTURBED[0]


UNDISTURBED: list[tuple[dict, list[dict]]] = []


def search(mortal, *threads: str, server=None) -> list[str]:
    """Return what private values and keys are on the disk."""
    (mortal.home / "reply.json").unlink(missing_ok=True)
    blob = b"".join(path.read_bytes() for path in mortal.home.rglob("*") if path.is_file())
    if server is not None:
        blob += server.tables(mortal.store) + server.disk()
    vault = Vault.at(mortal.home)
    names = [name for thread in threads if vault.knows(thread) for name in (thread, *vault.tied(thread))]
    keys = [KEY, *(vault.keys.key(name, make=False) for name in names)]
    vault.close()
    forms = [f for k in keys for f in (k, k.hex().encode(), base64.b64encode(k), base64.urlsafe_b64encode(k))]
    found: list[str] = letters.hits(blob)
    return found + [f"a key of {len(form)} bytes" for form in forms if form in blob]


def test_killed_after_every_save_in_turn(mortal, loopback, request):
    """One conversation whose process dies as soon as it has saved anything, until there is nothing left to save."""
    model = Model(loopback)
    whole, saves = undisturbed(mortal, model)
    assert len(saves) > 30 and letters.SECRETS[0] in whole["answer"]
    # A server's rows are written by the same saves: there every third kills, in another place of each life.
    step, lives = 3 if mortal.store else 1, 0
    while True:
        asked, saved = len(model.asked), mortal.saved()
        code = mortal.run("t", die=["any", step])
        lives += 1
        assert not saved & set(model.asked[asked:]), "asked again although the answer was saved"
        if code == 0:
            break
        assert code == -signal.SIGKILL
        assert lives < 2 * len(saves), "it goes round in circles"
        assert search(mortal, "t") == []
    assert mortal.reply() == whole
    # What runs side by side, or a step and its outcome, may be saved in one life.
    assert lives > len(saves) / (2 * step)
    server = request.getfixturevalue("postgres_server") if mortal.store else None
    assert search(mortal, "t", server=server) == []


@pytest.mark.parametrize("back", [0, 1])
def test_killed_when_the_reply_is_written(mortal, loopback, back):
    """What the last steps wrote is saved, the steps themselves are not: the reply is there all the same."""
    model = Model(loopback)
    whole, saves = undisturbed(mortal, model)
    last = sum(save["kind"] == "writes" for save in saves) - back
    assert mortal.run("t", die=["writes", last]) == -signal.SIGKILL
    assert search(mortal, "t") == []
    asked = len(model.asked)
    assert mortal.run("t") == 0
    assert mortal.reply() == whole and len(model.asked) == asked


def test_killed_once_at_a_node_boundary(mortal, loopback):
    """Conversations that are killed once, each at another boundary."""
    model = Model(loopback)
    whole, saves = undisturbed(mortal, model)
    boundaries = sum(save["kind"] == "step" for save in saves)
    assert boundaries >= 16
    # The test above stops at every boundary on both stores; this one at every third on one of them.
    for number in range(1, boundaries + 1, 6 if mortal.store else 3):
        mortal.forget_log()
        model.asked.clear()
        thread = f"t{number}"
        assert mortal.run(thread, die=["step", number]) == -signal.SIGKILL
        asked, saved = len(model.asked), mortal.saved()
        assert search(mortal, thread) == []
        assert mortal.run(thread) == 0
        assert mortal.reply() == whole, number
        assert not saved & set(model.asked[asked:]), number


@pytest.mark.parametrize("where", ["expert", "fuse", "disprove"])
def test_killed_in_mid_call(mortal, loopback, where):
    """The process dies while a model thinks; of several experts, those that were faster are not asked again."""
    model = Model(loopback)
    whole, _ = undisturbed(mortal, model)
    experts = [expert["domain"] for expert in whole["experts"]]
    assert len(experts) >= 2
    slow = experts[1] if where == "expert" else where
    model.hold(slow)
    process = mortal.start("t")
    assert model.held.wait(600)
    before = {"expert": set(experts) - {slow}, "fuse": set(experts), "disprove": {*experts, "fuse"}}[where]
    deadline = time.monotonic() + 600
    while not mortal.saved() >= before:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    os.kill(process, signal.SIGKILL)
    assert mortal.end() == -signal.SIGKILL
    assert search(mortal, "t") == []
    model.go_on.set()
    assert mortal.run("t") == 0
    assert mortal.reply() == whole
    once = set(experts) | {"fuse"}
    assert all(model.asked.count(who) == (2 if who == slow else 1) for who in once), model.asked


def test_killed_between_an_answer_and_its_saving(mortal, loopback):
    """The window that nothing can close: an answer that never reached the disk is asked for again, no other is."""
    model = Model(loopback)
    whole, saves = undisturbed(mortal, model)
    experts = {expert["domain"] for expert in whole["experts"]}
    number = min(save["number"] for save in saves if save["kind"] == "writes" and experts & set(save["names"]))
    assert mortal.run("t", die=["writes", number], before=True) == -signal.SIGKILL
    saved = mortal.saved()
    assert mortal.run("t") == 0
    assert mortal.reply() == whole
    assert all(model.asked.count(who) == 1 for who in experts & saved)
    assert model.asked.count("fuse") == 1


def test_the_database_dies_in_mid_call(postgres_server, postgres, loopback, home):
    """A run whose database server dies ends with a clear error, and is resumed once the server is back."""
    model = Model(loopback)
    # The published choice asks several experts about this text, so that there is something to merge.
    options = Options(public_model="openai:loop", public_base_url=loopback.url, max_rounds=1, topk_mode="paper")
    gama = Gama(options, store=postgres)
    model.hold("fuse")
    outcome: list[object] = []

    def ask() -> None:
        try:
            outcome.append(gama.invoke({"question": letters.PLANTED}, {"configurable": {"thread_id": "t"}}))
        except Exception as error:
            outcome.append(error)

    running = threading.Thread(target=ask)
    running.start()
    try:
        assert model.held.wait(600)
        postgres_server.stop(at_once=True)
    finally:
        model.go_on.set()
        running.join(120)
        postgres_server.start()
    assert isinstance(outcome[0], StoreError), outcome
    assert "hung up" in str(outcome[0]) and "planted-pass" not in str(outcome[0])
    asked = list(model.asked)
    for _ in range(20):
        # A pool on a busy machine finds the server again when it can; until then it says so, and nothing is lost.
        with contextlib.suppress(StoreError):
            *_, last = gama.watch("", thread="t", resume=True)
            break
    assert letters.SECRETS[0] in last.reply["answer"]
    # The answer that could not be saved is asked for again; the experts' were saved.
    assert all(model.asked.count(who) == 1 for who in asked if who not in ("fuse", "disprove"))
    gama.close()
