"""What every store of thread keys must do: in memory, in SQLite, in PostgreSQL."""

import secrets
from concurrent.futures import ThreadPoolExecutor

import pytest

from gama.state.errors import StoreError
from gama.vault.keys.threads import KeptBox, KeyStore, StaleMaster, WrappedKey


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def make(request, tmp_path):
    """Return what opens the same store again, as another process would."""
    if request.param == "memory":
        one = KeyStore.in_file(None)
        return lambda: one
    if request.param == "sqlite":
        return lambda: KeyStore.in_file(tmp_path / "keys.sqlite")
    url = request.getfixturevalue("postgres")
    made = []

    def opened():
        made.append(KeyStore.in_postgres(url))
        return made[-1]

    request.addfinalizer(lambda: [store.close() for store in made])
    return opened


def key(thread: str, wrapped: bytes = b"w", owner: str | None = None, master: str = "m1") -> WrappedKey:
    return WrappedKey(thread, wrapped, master, 1.5, owner)


def test_a_key_is_kept_and_the_first_one_wins(make):
    store = make()
    store.set_master("m1")
    assert store.get("t") is None and store.add(key("t")) == key("t")
    assert store.add(key("t", b"other")) == key("t") == make().get("t")
    assert make().all() == [key("t")] and make().master() == "m1"


def test_a_key_of_another_master_is_refused(make):
    store = make()
    with pytest.raises(StaleMaster):
        store.add(key("t"))
    store.set_master("m2")
    with pytest.raises(StaleMaster):
        store.add(key("t"))
    assert store.all() == []


def test_destroyed_keys_go_with_what_they_own(make):
    store = make()
    store.set_master("m1")
    for one in (key("t"), key("p1", owner="t"), key("p2", owner="t"), key("other"), key("p3", owner="other")):
        store.add(one)
    for name in ("t", "p1", "other", "p3"):
        assert store.save_box(name, KeptBox(1, b"box"))
    assert store.destroy("t") == ["p1", "p2"]
    assert [k.wrapped for k in store.all()] == [b"w", b"", b"", b"w", b""]
    assert store.load_box("t") is None and store.load_box("p1") is None
    assert store.load_box("other") is not None and store.load_box("p3") is not None
    store.replace([key("t", b"revived"), key("other", b"anew", master="m9")])
    assert store.get("t").wrapped == b"" and store.get("other") == key("other", b"anew", master="m9")
    store.remove(["t", "p1", "p2"])
    assert [k.thread for k in make().all()] == ["other", "p3"]
    assert store.destroy("nobody") == []


@pytest.mark.parametrize("place", ["sqlite", "postgres"])
def test_no_copy_of_a_destroyed_key_is_left(place, tmp_path, request):
    """Nor in a page that the row once lay in, nor among the samples that a server keeps for its planner."""
    url = request.getfixturevalue("postgres") if place == "postgres" else None
    server = request.getfixturevalue("postgres_server") if url else None
    store = KeyStore.in_postgres(url) if url else KeyStore.in_file(tmp_path / "keys.sqlite")
    store.set_master("m1")
    keys = {f"t-{secrets.token_hex(6)}": secrets.token_bytes(60) for _ in range(300)}
    for number, (name, wrapped) in enumerate(keys.items()):
        store.add(key(name, wrapped))
        # Of any length: what grows moves other rows to other pages.
        store.save_box(name, KeptBox(1, secrets.token_bytes(number * 7 % 900)))
    if server:
        server.run("ANALYZE", url.rpartition("/")[2])
    gone = list(keys)[::3]
    for name in gone:
        store.destroy(name)
    store.remove(gone)
    store.close()
    left = server.disk("data/base") if server else b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert [name for name in gone if keys[name] in left or name.encode() in left] == []
    assert all(keys[name] in left for name in list(keys)[1::3])


def test_the_last_use_is_noted(make):
    store = make()
    store.set_master("m1")
    store.add(key("t"))
    store.touch("t", 7.5)
    store.touch("nobody", 7.5)
    assert make().all() == [key("t")._replace(used=7.5)]


def test_a_box_is_saved_over_its_own_version_only(make):
    store = make()
    assert not store.save_box("t", KeptBox(2, b"early"))
    assert store.save_box("t", KeptBox(1, b"one")) and not store.save_box("t", KeptBox(1, b"again"))
    assert store.save_box("t", KeptBox(2, b"two")) and not store.save_box("t", KeptBox(2, b"late"))
    assert make().load_box("t") == KeptBox(2, b"two")


def test_what_is_changed_together_is_undone_together(make):
    store = make()
    store.set_master("m1")
    with pytest.raises(ZeroDivisionError), store.exclusive():
        store.add(key("t"))
        with store.exclusive():
            store.set_master("m2")
        raise ZeroDivisionError
    assert make().all() == [] and make().master() == "m1"


def test_many_at_once(make):
    stores = [make() for _ in range(3)]
    stores[0].set_master("m1")
    with ThreadPoolExecutor(9) as pool:
        kept = list(pool.map(lambda n: stores[n % 3].add(key("same", str(n).encode())), range(30)))
        saved = list(pool.map(lambda n: stores[n % 3].save_box("same", KeptBox(1, str(n).encode())), range(30)))
    assert len(set(kept)) == 1 and saved.count(True) == 1


def test_it_can_be_closed_and_used_again(make):
    store = make()
    store.set_master("m1")
    store.add(key("t"))
    store.close()
    assert store.get("t") == key("t")


def test_a_database_that_is_gone_is_told(postgres_server, postgres):
    store = KeyStore.in_postgres(postgres)
    store.set_master("m1")
    postgres_server.stop(at_once=True)
    try:
        with pytest.raises(StoreError, match="hung up") as told:
            store.get("t")
        assert "planted-pass" not in str(told.value)
    finally:
        postgres_server.start()
    assert store.master() == "m1"
    store.close()
    with pytest.raises(StoreError, match="refuses the user"):
        KeyStore.in_postgres(postgres.replace("planted-pass", "wrong")).master()
    with pytest.raises(StoreError, match="no such database"):
        KeyStore.in_postgres(postgres + "x").master()
