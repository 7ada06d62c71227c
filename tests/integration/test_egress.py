"""A hundred varied texts through the real OpenAI client against a server that records every byte."""

import json
import re

import pytest

from gama import Gama, LeakError, Options
from gama.guard.search import COMMON_WORDS
from gama.tools.domains.packs import DOMAINS
from gama.tools.domains.prompts import load_prompts
from tests.support import letters

TOKEN = re.compile(r"<[a-z_]+-\d+[a-z]*>")
FIXED = " ".join(
    [t.template for t in load_prompts().templates.values()] + [f"{d.name} {d.description}" for d in DOMAINS]
).casefold()


def echo(request) -> str:
    """Answer like an expert that uses every placeholder it was given."""
    system, user = (m["content"] for m in request["messages"])
    if "disprove" in system.split("\n")[0]:
        return '{"contradiction": false, "reason": ""}'
    return "I used " + " and ".join(dict.fromkeys(TOKEN.findall(user)))


def whole_word(surface: str) -> re.Pattern:
    return re.compile(rf"(?<![^\W_]){re.escape(surface)}(?![^\W_])")


@pytest.mark.slow
def test_nothing_of_the_box_reaches_the_wire(loopback):
    loopback.reply = echo
    gama = Gama(Options(public_model="openai:loop", public_base_url=loopback.url), keep=False)
    letters_done = values = 0
    for letter in letters.hundred():
        before = len(loopback.record)
        reply = gama.invoke({"question": f"{letter.text}\n\n{letter.query}"})
        sent = loopback.record[before:]
        users = [m["content"] for r in loopback.requests[before:] for m in r["messages"] if m["role"] == "user"]
        tasks = [user.split("=== END TASK ===")[0].removeprefix("=== TASK ===") for user in users]
        # Experts, whose answers are fused unless a generalist answers alone or the others are spared, and one look.
        assert 2 <= len(sent) <= len(reply["domains"]) + 2 and tasks, letter.id
        private = {e["text"] for e in reply["entities"] if e["private"]}
        for surface in private:
            for task in tasks:
                assert not whole_word(surface).search(TOKEN.sub("", task)), letter.id
            plain = surface.casefold()
            if len(plain) >= 5 and plain not in COMMON_WORDS and not whole_word(plain).search(FIXED):
                wire = b"\n".join(sent).decode("utf-8", "replace").casefold()
                assert not whole_word(plain).search(wire), letter.id
                assert not whole_word(json.dumps(plain)[1:-1]).search(wire), letter.id
        assert not TOKEN.search(reply["answer"]) and reply["unresolved"] == []
        # Every value whose placeholder crossed comes back.
        crossed = {e["text"] for e in reply["entities"] if e["private"] and e["placeholder"] in reply["anonymized"]}
        assert all(surface in reply["answer"] for surface in crossed), letter.id
        letters_done += 1
        values += len(private)
    assert letters_done == 100 and values > 800


def test_metadata_tags_and_run_names_do_not_travel(loopback):
    loopback.reply = echo
    gama = Gama(Options(public_model="openai:loop", public_base_url=loopback.url))
    config = {
        "tags": [letters.SECRETS[0]],
        "metadata": {"user": letters.SECRETS[1]},
        "run_name": letters.SECRETS[0],
        "configurable": {"thread_id": "t", "customer": letters.SECRETS[2]},
    }
    reply = gama.invoke({"question": letters.PLANTED}, config)
    assert letters.hits(loopback.received) == []
    assert letters.SECRETS[0] in reply["answer"]
    gama.close()
    files = b"".join(p.read_bytes() for p in gama.home.rglob("*") if p.is_file())
    assert letters.hits(files) == []


def test_a_value_that_the_detector_is_told_of_only_later_still_stops_at_the_wire(loopback, monkeypatch):
    """Whatever slips through everything before it, the guard on the wire holds it back."""
    from gama.nodes.private import airlock

    real = airlock.build_public_task

    def careless(**fields):
        task = real(**fields)
        return task.model_copy(update={"text": task.text + " " + letters.SECRETS[1].upper()})

    monkeypatch.setattr(airlock, "build_public_task", careless)
    gama = Gama(Options(public_model="openai:loop", public_base_url=loopback.url), keep=False)
    with pytest.raises(LeakError) as caught:
        gama.invoke({"question": letters.PLANTED})
    assert loopback.record == [] and letters.hits(str(caught.value).encode()) == []


def test_stop_policy(loopback):
    """A second look that finds more ends the run when the policy says so."""
    options = Options(public_model="openai:loop", public_base_url=loopback.url, recheck="stop")
    reply = Gama(options, keep=False).invoke({"question": letters.PLANTED})
    assert letters.SECRETS[0] not in reply["anonymized"]
