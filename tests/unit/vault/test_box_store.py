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


DAY, NOW = 86_400.0, 1_790_000_000.0


@pytest.fixture
def timed(monkeypatch, tmp_path):
    """A store of conversations, its clock, and what sets it."""
    now = [NOW]
    monkeypatch.setattr("gama.vault.keys.threads.time.time", lambda: now[0])
    vault = Vault.at(tmp_path / "home")
    return vault, BoxStore(vault, "c:", clock=lambda: now[0]), now


def left(vault):
    return {name.removeprefix("c:") for name in vault.threads()}


def test_what_is_old_goes_and_what_is_used_stays(timed):
    vault, store, now = timed
    store.save("c:old", 0, b"x")
    for _ in range(40):
        now[0] += DAY
        store.expire(30 * DAY)
        vault.cipher("c:used") if now[0] > NOW + DAY else store.save("c:used", 0, b"x")
    assert left(vault) == {"used"}


@pytest.mark.parametrize("years", [10, 1, 0.2])
def test_a_clock_that_jumps_forwards_erases_nothing_at_once(timed, years):
    vault, store, now = timed
    store.save("c:a", 0, b"x")
    store.expire(30 * DAY)
    now[0] += years * 365 * DAY
    for _ in range(20):
        # Twenty hours with a wrong clock, in which something else is used.
        store.expire(30 * DAY)
        now[0] += 3_600
    store.save("c:b", 0, b"x")
    now[0] = NOW + DAY
    store.expire(30 * DAY)
    assert left(vault) == {"a", "b"}
    for _ in range(60):
        now[0] += DAY
        store.expire(30 * DAY)
    assert left(vault) == set(), "nor is anything kept for ever that was used while the clock was wrong"


@pytest.mark.parametrize("wrong", [0.0, 3_600.0, NOW - 5 * 365 * DAY])
def test_a_clock_that_jumps_back_erases_nothing_and_keeps_nothing_for_ever(timed, wrong):
    vault, store, now = timed
    store.save("c:a", 0, b"x")
    store.expire(30 * DAY)
    now[0] = wrong
    for _ in range(5):
        store.expire(30 * DAY)
    if wrong < 1_000_000_000:
        store.save("c:b", 0, b"x")
    now[0] = NOW + DAY
    store.expire(30 * DAY)
    assert left(vault) >= {"a"} and (wrong > 1_000_000_000 or "b" in left(vault))
    for _ in range(60):
        now[0] += DAY
        store.expire(30 * DAY)
    assert left(vault) == set()


def test_of_too_many_those_of_longest_ago_go(timed):
    vault, store, now = timed
    for n in range(5):
        now[0] += 100
        store.save(f"c:{n}", 0, b"x")
    store.expire(30 * DAY, most=3)
    assert left(vault) == {"2", "3", "4"}
