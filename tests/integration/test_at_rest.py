"""At rest: planted secrets are searched in every table and every file, on SQLite and on PostgreSQL; then erased."""

import base64
import json
import threading
import time

import pytest

from gama import Gama, Options
from gama.privacy.box import PrivacyBox
from gama.state.errors import FaultError, InputError, ModelError, OptionError, SealError, StoreError
from gama.vault.seal import Vault
from gama.vault.storage import age_of, folder_of, open_storage
from tests.support import letters


@pytest.fixture(params=["sqlite", "postgres"])
def place(request, home):
    """Return a store's address and what shows every byte of it."""
    if request.param == "sqlite":
        return None, lambda: files(home)
    url, server = request.getfixturevalue("postgres"), request.getfixturevalue("postgres_server")
    return url, lambda: files(home) + server.tables(url) + server.disk()


def files(folder) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def config(thread: str, **more) -> dict:
    return {"configurable": {"thread_id": thread, "user": letters.SECRETS[0]}, **more}


CALLER = {"metadata": {"customer": letters.SECRETS[0]}, "tags": [letters.SECRETS[1]], "run_name": letters.SECRETS[3]}


async def test_nothing_private_is_on_the_disk(place, loopback):
    """Two turns, sync and async, with everything a caller may hand over; looked at while the files are open, too."""
    store, look = place
    seen: list[bytes] = []

    def reply(request):
        # In mid-call: what is on the disk now is what a crash would leave.
        seen.append(look())
        return "<name-1> at <email-1> has three months."

    loopback.reply = reply
    gama = Gama(Options(public_model="openai:loop", public_base_url=loopback.url, disprove="off", k=1), store=store)
    one = gama.invoke({"question": letters.PLANTED}, config("t", **CALLER))
    two = await gama.ainvoke({"question": f"And for {letters.SECRETS[0]}?"}, config("t", **CALLER))
    assert letters.SECRETS[0] in one["answer"] and letters.SECRETS[1] in two["answer"]
    edited = config("t", **CALLER)
    gama.graph.update_state(edited, {"question": letters.PLANTED, "warnings": [letters.SECRETS[2]]}, as_node="seal")
    await gama.graph.aupdate_state(edited, {"anonymized": letters.PLANTED}, as_node="anonymize")
    seen.append(look())
    gama.close()
    seen.append(look())
    # What crossed is behind the vault as well: its names and answers are in no clear text.
    for blob in seen:
        assert blob and letters.hits(blob) == [] and b"has three months" not in blob and b"<email-1>" not in blob
    assert len(seen) >= 4
    key = (gama.home / "master.key").read_bytes().strip()
    rest = look().replace(key, b"")
    assert key not in rest and base64.b64decode(key) not in rest and base64.b64decode(key).hex().encode() not in rest


@pytest.mark.parametrize("kind", [ValueError, ModelError])
def test_an_exception_that_quotes_the_letter_is_sealed_too(place, monkeypatch, kind):
    """One of a library's is told by its class; one that passes as it is, as ours quote nothing, is sealed all the same."""
    store, look = place

    def breaks(text, *rest, **more):
        raise kind(text)

    monkeypatch.setattr("gama.privacy.replace.map_text", breaks)
    gama = Gama(Options(), store=store)
    with pytest.raises(FaultError if kind is ValueError else ModelError) as told:
        gama.invoke({"question": letters.PLANTED}, config("t"))
    state = gama.graph.get_state(config("t"))
    assert state.next == ("anonymize",)
    if kind is ValueError:
        assert letters.hits(f"{told.value} {state.tasks[0].error}".encode()) == []
    else:
        assert letters.SECRETS[0] in str(state.tasks[0].error)
    assert letters.hits(look()) == []
    gama.close()


def test_forgetting_leaves_nothing_readable(place, postgres_server):
    store, look = place
    gama = Gama(Options(), store=store)
    for thread in ("gone-4711", "stays"):
        gama.invoke({"question": letters.PLANTED}, config(thread))
    state = gama.graph.get_state(config("gone-4711")).values
    vault = gama.graph.vault
    public, sealed = state["public_thread"], state["sealed_box"]
    assert vault.tied("gone-4711") == [public]
    key = vault.keys.key("gone-4711", make=False)
    assert b"gone-4711" in look()
    if store is not None:
        # The samples that the server keeps for its planner have nothing of it.
        postgres_server.run("ANALYZE", store.rpartition("/")[2])
    assert gama.forget("gone-4711") is True and gama.forget("gone-4711") is False
    assert gama.compact(full=True).done
    for work in (lambda: vault.open("gone-4711", sealed), lambda: vault.open(public, sealed)):
        with pytest.raises(SealError):
            work()
    assert gama.threads() == ["stays"] and gama.reply("stays")["thread"] == "stays"
    assert gama.graph.get_state(config("gone-4711")).values == {}
    gama.close()
    if store is None:
        left = look()
    else:
        # The write-ahead log and the server's own log keep old rows for a while: ciphertext whose key is gone.
        left = files(gama.home) + postgres_server.tables(store) + postgres_server.disk("data/base")
    assert b"gone-4711" not in left and public.encode() not in left
    assert sealed.ct not in left and key not in left


def test_a_crash_in_the_middle_of_forgetting_is_made_good(place, monkeypatch):
    store, look = place
    gama = Gama(Options(), store=store)
    gama.invoke({"question": letters.PLANTED}, config("t"))
    public = gama.graph.get_state(config("t")).values["public_thread"]
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("gama.vault.storage.Storage.delete", lambda *rest: (_ for _ in ()).throw(KeyboardInterrupt))
        gama.forget("t")
    # The key went first: nothing can be read, although the rows are there.
    with pytest.raises(SealError, match="being forgotten"):
        gama.graph.get_state(config("t"))
    with pytest.raises(SealError, match="being forgotten"):
        gama.invoke({"question": "Who?"}, config("t"))
    gama.close()
    again = Gama(Options(), store=store)
    assert again.threads() == []
    vault, storage = again._open()
    assert vault.destroyed() == [] and storage.public.get_tuple(config(public)) is None
    again.invoke({"question": "My name is Ada Obi. The shop opens at nine. When?"}, config("t"))
    again.close()


def test_a_run_does_not_revive_what_is_forgotten_meanwhile(place, loopback):
    store, _ = place
    asked, go_on = threading.Event(), threading.Event()

    def reply(request):
        asked.set()
        go_on.wait(600)
        return "<name-1> has three months."

    loopback.reply = reply
    gama = Gama(Options(public_model="openai:loop", public_base_url=loopback.url, disprove="off", k=1), store=store)
    outcome: list[object] = []

    def ask() -> None:
        try:
            outcome.append(gama.invoke({"question": letters.PLANTED}, config("t")))
        except Exception as error:
            outcome.append(error)

    running = threading.Thread(target=ask)
    running.start()
    assert asked.wait(600)
    assert gama.forget("t")
    go_on.set()
    running.join(60)
    assert isinstance(outcome[0], SealError), outcome
    assert gama.graph.vault.threads() == [] and gama.threads() == []
    gama.close()


def test_age_and_retention(place, monkeypatch):
    store, _ = place
    gama = Gama(Options(), store=store)
    for thread in ("old", "new"):
        gama.invoke({"question": "My name is Ada Obi. The shop opens at nine. When?"}, config(thread))
    last = gama._open()[1].last_used()
    assert set(last) == {"old", "new"} and all(abs(time.time() - when) < 120 for when in last.values())
    now = time.time
    with monkeypatch.context() as patch:
        patch.setattr("gama.vault.storage.time.time", lambda: now() + 40 * 86400)
        assert gama.older_than("41d") == [] and gama.older_than("6w") == []
        assert gama.older_than("30d") == ["new", "old"]
        # An agent's or a gateway's conversation has no checkpoints here: what counts is when it last sealed something.
        gama.graph.vault.seal("old", b"x")
        assert gama.older_than("30d") == ["new"]
    gama.graph.vault.keys.store.touch("old", 0.0)
    assert gama.older_than("1h") == []
    # A key without checkpoints: its run died before the first step was saved.
    gama.graph.vault.seal("early", b"x")
    assert set(gama.older_than("0d")) == {"old", "new", "early"}
    # Another machine's conversation in the same store, whose key is not here, is left to it.
    gama.graph.vault.forget("old")
    assert set(gama.older_than("0d")) == {"new", "early"} and gama.threads() == ["new", "old"]
    assert gama.forget("old") and gama.forget("early")
    gama.invoke({"question": "My name is Ada Obi. The shop opens at nine. When?"}, config("old"))
    gama.close()
    kept = Gama(Options(), store=store, home=gama.home, retention="30d")
    kept.invoke({"question": "My name is Ada Obi. The shop opens at nine. When?"}, config("third"))
    assert kept.threads() == ["new", "old", "third"]
    kept.close()
    monkeypatch.setenv("GAMA_RETENTION", "0m")
    swept = Gama(Options(), store=store, home=gama.home)
    swept.graph  # noqa: B018 - opens the store
    assert swept.threads() == [] and swept.graph.vault.threads() == []
    swept.close()


@pytest.mark.parametrize("age", ["", "30", "-1d", "d", "1.5d", "30days", "١d", "9999999d"])
def test_an_age_is_a_number_and_a_letter(age):
    with pytest.raises(OptionError, match="no age"):
        age_of(age)
    assert age_of(" 2 W ").days == 14


def test_where_the_store_is(home, tmp_path, monkeypatch):
    folder = tmp_path / "elsewhere"
    gama = Gama(Options(), store=f"sqlite:///{folder}")
    gama.invoke({"question": letters.PLANTED}, config("t"))
    gama.close()
    # The keys stay at home: who gets the folder alone has nothing.
    assert {path.name for path in folder.iterdir()} == {"private.sqlite", "public.sqlite"}
    assert {path.name for path in home.iterdir()} >= {"keys.sqlite", "master.key"}
    assert not (home / "private.sqlite").exists()
    monkeypatch.setenv("GAMA_STORE", f"sqlite:///{folder}")
    again = Gama(Options())
    assert again.threads() == ["t"]
    again.close()
    assert folder_of("", home) == home
    for address in (f"sqlite:///{tmp_path}/x.db", f"sqlite:///{home / 'master.key'}", "mysql://u:geheim@h/d", "x"):
        with pytest.raises(OptionError) as told:
            Gama(Options(), store=address).threads()
        assert "geheim" not in str(told.value)


def test_the_thread_keys_may_be_shared_by_machines(postgres, home, tmp_path, monkeypatch):
    monkeypatch.setenv("GAMA_KEY", base64.b64encode(b"k" * 32).decode())
    monkeypatch.setenv("GAMA_THREAD_KEYS", postgres)
    one, two = (Gama(Options(), store=postgres, home=tmp_path / name) for name in ("one", "two"))
    reply = one.invoke({"question": letters.PLANTED}, config("t"))
    assert two.reply("t") == reply and two.graph.vault.threads() == ["t"]
    again = two.invoke({"question": f"And {letters.SECRETS[0]}?"}, config("t"))
    assert "<name-1>" in again["anonymized"]
    assert two.forget("t")
    with pytest.raises(InputError):
        one.reply("t")
    assert one.threads() == [] and not list((tmp_path / "one").glob("keys.sqlite"))
    one.close()
    two.close()


def test_a_database_that_cannot_be_used(postgres, postgres_server, home):
    url = postgres.replace("planted-pass-4711", "wrong-4711")
    with pytest.raises(StoreError, match="refuses the user") as told:
        Gama(Options(), store=url).threads()
    assert "wrong-4711" not in str(told.value)
    with pytest.raises(StoreError, match="nothing answers"):
        Gama(Options(), store="postgresql://gama@127.0.0.1:9/x").threads()
    with pytest.raises(OptionError, match="cannot be read"):
        Gama(Options(), store="postgresql://gama@127.0.0.1:port/x?nonsense=1").threads()
    name = postgres.rpartition("/")[2]
    postgres_server.run("CREATE ROLE guest LOGIN PASSWORD 'guest-4711'")
    guest = f"postgresql://guest:guest-4711@{postgres.rpartition('@')[2]}"
    with pytest.raises(StoreError, match="lacks a right"):
        Gama(Options(), store=guest).threads()
    # An administrator may make the schemas for a user that may not.
    for schema in ("gama_private", "gama_public"):
        postgres_server.run(f"CREATE SCHEMA {schema} AUTHORIZATION guest", name)
    gama = Gama(Options(), store=guest)
    assert gama.threads() == []
    gama.close()


def test_many_processes_may_open_an_empty_database_at_once(postgres, home):
    errors: list[Exception] = []

    def opens() -> None:
        try:
            open_storage(Vault.ephemeral(), home, postgres).close()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=opens) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_the_box_leaves_encrypted_or_by_wish_in_clear(home, tmp_path):
    gama = Gama(Options())
    gama.invoke({"question": letters.PLANTED}, config("t"))
    box = gama.box("t")
    assert letters.SECRETS[0] in box.surfaces() and letters.SECRETS[0] not in f"{box} {box!r}"
    box.save(tmp_path / "sealed.box")
    box.save(tmp_path / "clear.box", encrypt=False)
    assert letters.hits((tmp_path / "sealed.box").read_bytes()) == []
    assert letters.SECRETS[0] in json.dumps(json.loads((tmp_path / "clear.box").read_text()), ensure_ascii=False)
    assert PrivacyBox.load(tmp_path / "sealed.box") == PrivacyBox.load(tmp_path / "clear.box")
    with pytest.raises(InputError, match="no box"):
        gama.box("nobody")
    gama.close()
    assert letters.hits(files(home)) == []
