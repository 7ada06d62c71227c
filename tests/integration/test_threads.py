"""Threads: isolation, conversations, resuming after kill -9, erasure."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from gama import Gama, Options
from gama.state.errors import ExpertsFailed, InputError, SealError
from tests.support import letters


def config(thread: str) -> dict:
    return {"configurable": {"thread_id": thread}}


def test_a_conversation_keeps_its_placeholders(loopback):
    loopback.reply = lambda request: "<name-1>"
    gama = Gama(Options(public_model="openai:loop", public_base_url=loopback.url, disprove="off"))
    gama.invoke({"question": "My name is Thessaly Quornbeck. What is my name?"}, config("t"))
    reply = gama.invoke({"question": "Dear Ambrose Tilling, it is Thessaly Quornbeck again. Who am I?"}, config("t"))
    assert "<name-1> again" in reply["anonymized"]
    assert reply["answer"] == "Thessaly Quornbeck"
    assert set(reply["timings"]) >= {"seal", "restore"}
    gama.close()


@pytest.mark.parametrize("route", ["both", "knowledge"])
async def test_experts_that_all_failed_are_asked_again(loopback, route):
    loopback.fault = 401
    options = Options(public_model="openai:loop", public_base_url=loopback.url, disprove="off", route=route)
    for thread in ("sync", "async"):
        gama = Gama(options)
        loopback.fault = 401
        with pytest.raises(ExpertsFailed, match="refused the key"):
            gama.invoke({"question": letters.PLANTED}, config(thread))
        with pytest.raises(ExpertsFailed):
            list(gama.watch("", thread=thread, resume=True))
        # The key is right at last.
        loopback.fault = None
        if thread == "sync":
            *_, last = gama.watch("", thread=thread, resume=True)
            reply = last.reply
        else:
            reply = (await gama.graph.ainvoke(None, config(thread)))["reply"]
        assert reply["answer"] == "fine" and all(not one["error"] for one in reply["experts"])
        gama.close()


def test_one_threads_box_never_restores_anothers_answer(loopback):
    loopback.reply = lambda request: "It is <name-1> and <name-2>."
    gama = Gama(Options(public_model="openai:loop", public_base_url=loopback.url, disprove="off"))
    gama.invoke({"question": "My name is Thessaly Quornbeck, my wife is called Ada Obi. Who?"}, config("a"))
    reply = gama.invoke({"question": "My name is Ambrose Tilling. Who?"}, config("b"))
    assert reply["answer"] == "It is Ambrose Tilling and <name-2>."
    assert reply["unresolved"] == ["<name-2>"]
    assert any("none of this conversation's" in note for note in reply["warnings"])
    # The sealed state of one thread does not open under the other's key.
    sealed = gama.graph.get_state(config("a")).values["sealed_box"]
    with pytest.raises(SealError):
        gama.graph.vault.open("b", sealed)
    gama.close()


def test_forget_leaves_nothing_readable(home):
    gama = Gama(Options())
    gama.invoke({"question": letters.PLANTED}, config("gone"))
    gama.invoke({"question": letters.PLANTED}, config("stays"))
    state = gama.graph.get_state(config("gone")).values
    public = state["public_thread"]
    assert gama.threads() == ["gone", "stays"]
    assert gama.forget("gone") is True and gama.forget("gone") is False
    assert gama.threads() == ["stays"]
    with pytest.raises(SealError):
        gama.graph.vault.open("gone", state["sealed_box"])
    with pytest.raises(InputError):
        gama.reply("gone")
    assert gama.reply("stays")["thread"] == "stays"
    gama.close()
    files = b"".join(p.read_bytes() for p in home.rglob("*") if p.is_file())
    assert b"gone" not in files and public.encode() not in files
    assert state["sealed_box"].ct not in files


def test_resume_needs_something_to_resume():
    gama = Gama(Options())
    with pytest.raises(InputError, match="nothing to resume"):
        list(gama.watch("", thread="nobody", resume=True))
    with pytest.raises(InputError, match="needs the thread"):
        list(gama.watch("", resume=True))
    gama.invoke({"question": letters.PLANTED}, config("t"))
    done = list(gama.watch("", thread="t", resume=True))
    assert [step.stage for step in done] == ["done"] and letters.SECRETS[0] not in done[0].reply["anonymized"]
    gama.close()


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="kill -9")
@pytest.mark.parametrize("where", ["fuse", "disprove"])
def test_kill_9_and_resume_asks_no_expert_twice(loopback, home, where):
    reached, go_on = threading.Event(), threading.Event()
    roles: list[str] = []

    def reply(request):
        system = request["messages"][0]["content"].split("\n")[0]
        role = (
            "disprove"
            if "disprove" in system
            else "fuse"
            if "answers" in system and "one of several" not in system
            else "expert"
        )
        roles.append(role)
        if role == where and not go_on.is_set():
            reached.set()
            go_on.wait(600)
        return '{"contradiction": false, "reason": ""}' if role == "disprove" else f"{role} says <name-1>"

    loopback.reply = reply
    command = [sys.executable, "-m", "gama.serve", "ask", letters.PLANTED, "--public", "openai:loop"]
    # The published choice fires several rules for any text: there is something to fuse.
    command += ["--base-url", loopback.url, "--thread", "t", "--json", "--topk", "paper"]
    environment = os.environ | {"GAMA_HOME": str(home)}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert reached.wait(600), process.communicate(timeout=300)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    asked = roles.count("expert")
    assert asked >= 1
    files = b"".join(p.read_bytes() for p in home.rglob("*") if p.is_file())
    assert letters.hits(files) == []
    go_on.set()
    again = [sys.executable, "-m", "gama.serve", "ask", "--resume", "--thread", "t", "--public", "openai:loop"]
    again += ["--base-url", loopback.url, "--json", "--topk", "paper"]
    done = subprocess.run(again, env=environment, capture_output=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert f"fuse says {letters.SECRETS[0]}" in done.stdout.decode()
    assert roles.count("expert") == asked
    assert roles.count("fuse") == (2 if where == "fuse" else 1)
