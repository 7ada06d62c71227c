"""Boxes of conversations that the upstream keeps: whose they are, how long they stay, what a rotation leaves."""

import shutil
import time

import pytest

from gama.graph.client import Gama
from gama.privacy.box import PrivacyBox
from gama.serve.gateway.errors import ConversationUnknown
from gama.serve.gateway.kept import _SECRET, KEPT_S, MadeStrings, ResponseBoxes
from gama.state.entities import Entity
from gama.state.errors import SealError
from gama.vault.seal import Vault

NAME = "Thessaly Quornbeck"


@pytest.fixture
def box() -> PrivacyBox:
    made = PrivacyBox()
    made.register([Entity(text=NAME, start=0, end=len(NAME), type="PER", subtype="full_name", private=True)])
    return made


def test_a_box_is_its_callers_alone_and_sealed(home, box):
    boxes = ResponseBoxes(Vault.at(home))
    conversation = boxes.new()
    boxes.put("alice", "resp_1", box, conversation, begins=True)
    # Another process of the same server.
    kept = ResponseBoxes(Vault.at(home)).get("alice", "resp_1")
    assert kept.box == box and kept.conversation == conversation
    for caller, response in (("bob", "resp_1"), ("alice", "resp_2"), ("", "alice\0resp_1")):
        with pytest.raises(ConversationUnknown):
            boxes.get(caller, response)
    on_disk = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert b"resp_1" not in on_disk and b"Quornbeck" not in on_disk
    # The same response told twice, with more in its box.
    more = box.model_copy(deep=True)
    more.register([Entity(text="Ada Obi", start=0, end=7, type="PER", subtype="full_name", private=True)])
    boxes.put("alice", "resp_1", more, conversation)
    assert boxes.get("alice", "resp_1").box == more


def test_forgetting_a_response_and_a_conversation(home, box):
    vault = Vault.at(home)
    boxes = ResponseBoxes(vault)
    conversation = boxes.new()
    boxes.put("a", "resp_1", box, conversation, begins=True)
    boxes.put("a", "resp_2", box, conversation)
    boxes.forget("a", "resp_1")
    boxes.forget("a", "never")
    with pytest.raises(ConversationUnknown):
        boxes.get("a", "resp_1")
    assert boxes.get("a", "resp_2").conversation == conversation and vault.threads() == [conversation]
    boxes.forget("a", "resp_2")
    assert vault.keys.store.all() == []
    # By its name, as `gama forget --older-than` and a retention do: all its responses go with it.
    boxes.put("a", "resp_3", box, conversation, begins=True)
    gama = Gama(home=home)
    assert gama.older_than("0d") == [conversation] and gama.forget(conversation)
    gama.close()
    with pytest.raises(ConversationUnknown):
        boxes.get("a", "resp_3")
    # A turn that was under way meanwhile does not revive it.
    with pytest.raises(SealError):
        boxes.put("a", "resp_4", box, conversation)
    assert vault.keys.store.all() == []


def test_what_was_not_used_for_long_is_forgotten(home, box, monkeypatch):
    now = time.time
    vault = Vault.at(home)
    boxes = ResponseBoxes(vault)
    old, new = boxes.new(), boxes.new()
    boxes.put("a", "old", box, old, begins=True)
    boxes.put("a", "new", box, new, begins=True)
    MadeStrings(vault).put("a", "S" * 70, "So <name-1> asks")
    vault.seal("a thread of the graph", b"x")
    later = ResponseBoxes(vault, clock=lambda: now() + KEPT_S + 10)
    # Its next turn, a minute later, counts.
    with monkeypatch.context() as patch:
        patch.setattr("gama.vault.keys.threads.time.time", lambda: now() + 60.5)
        boxes.put("a", "newer", box, new)
    later.expire()
    MadeStrings(vault, clock=lambda: now() + KEPT_S + 10).expire()
    assert boxes.get("a", "new").box == box and set(vault.threads()) - {_SECRET} == {new, "a thread of the graph"}
    with pytest.raises(ConversationUnknown):
        boxes.get("a", "old")
    assert MadeStrings(Vault.at(home)).get("a", "S" * 70) is None


def test_a_rotation_covers_what_the_gateway_keeps(home, box, tmp_path):
    vault = Vault.at(home)
    boxes, thinking = ResponseBoxes(vault), MadeStrings(vault)
    boxes.put("a", "resp_1", box, boxes.new(), begins=True)
    thinking.put("a", "S" * 70, "So <name-1> asks")
    backup = tmp_path / "backup"
    shutil.copytree(home, backup)
    vault.keys.rotate()
    vault.keys.reseal()
    vault.keys.retire()
    fresh = Vault.at(home)
    assert ResponseBoxes(fresh).get("a", "resp_1").box == box
    assert MadeStrings(fresh).get("a", "S" * 70) == "So <name-1> asks"
    # An old copy of the database is worth nothing without the old master key.
    shutil.copy(home / "master.key", backup / "master.key")
    with pytest.raises(ConversationUnknown):
        ResponseBoxes(Vault.at(backup)).get("a", "resp_1")
    assert MadeStrings(Vault.at(backup)).get("a", "S" * 70) is None
