"""The one store of boxes: versions, turns of a conversation, forgetting, expiry."""

import time

import pytest

from gama.state.errors import SealError
from gama.vault.box_store import BoxStore, KeptTurn
from gama.vault.seal import Vault

BOX = b'{"surface": "Thessaly Quornbeck"}'


def test_a_box_is_sealed_and_saved_over_its_own_version_only(home):
    store = BoxStore(Vault.at(home))
    name = store.new()
    assert store.load(name) == (0, None) and store.save(name, 0, BOX)
    assert not store.save(name, 0, b"late") and store.save(name, 1, BOX + b" ")
    assert BoxStore(Vault.at(home)).load(name) == (2, BOX + b" ")
    assert b"Quornbeck" not in b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert store.forget(name) and not store.forget(name)
    assert store.load(name) == (0, None)


def test_turns_belong_to_their_conversation():
    vault = Vault.ephemeral()
    store = BoxStore(vault, "chat:")
    conversation = store.new()
    assert conversation.startswith("chat:")
    store.save_turn("one", BOX, conversation, begins=True)
    store.save_turn("two", BOX, conversation)
    store.save_turn("two", b"more", conversation)
    assert store.load_turn("two") == KeptTurn(b"more", conversation)
    assert store.load_turn("three") is None and store.load_turn(conversation) is None
    store.forget("one")
    assert store.load_turn("one") is None and store.load_turn("two") is not None
    # With its last turn the conversation goes, and nothing revives it but a beginning.
    store.forget("two")
    assert vault.keys.store.all() == []
    with pytest.raises(SealError):
        store.save_turn("three", BOX, conversation)


def test_only_what_is_old_and_of_this_store_expires():
    vault, now = Vault.ephemeral(), time.time()
    mine, other = BoxStore(vault, "chat:", lambda: now + 100), BoxStore(vault, "other:")
    for store in (mine, other):
        store.save(store.new(), 0, BOX)
    mine.expire(1000)
    assert len(vault.threads()) == 2
    mine.expire(50)
    assert [name.partition(":")[0] for name in vault.threads()] == ["other"]
