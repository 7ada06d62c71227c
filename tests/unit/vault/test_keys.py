"""The master key: where it comes from, what happens when it is missing, wrong, rotated, or moved."""

import base64
import os
import secrets
import stat
import subprocess
import sys

import pytest

from gama.privacy.box import PrivacyBox
from gama.state.errors import InputError, OptionError, SealError
from gama.vault.cipher import MasterRing
from gama.vault.keys.sources import EnvironmentSource, FileSource, KeyringSource, key_source, move
from gama.vault.seal import Vault

SECRET = b"Planted Secret 4711"


@pytest.fixture
def keyring(monkeypatch):
    """Put a keyring in memory in the OS keyring's place."""
    import keyring as library
    from keyring.backend import KeyringBackend

    class Memory(KeyringBackend):
        priority = 1
        entries: dict = {}

        def get_password(self, service, username):
            return self.entries.get((service, username))

        def set_password(self, service, username, password):
            self.entries[service, username] = password

        def delete_password(self, service, username):
            del self.entries[service, username]

    before = library.get_keyring()
    Memory.entries = {}
    library.set_keyring(Memory())
    yield Memory.entries
    library.set_keyring(before)


def everything(folder) -> bytes:
    return b"".join(p.read_bytes() for p in folder.rglob("*") if p.is_file())


def new_key() -> str:
    return base64.b64encode(secrets.token_bytes(32)).decode()


def test_a_ring_shows_nothing_and_opens_with_old_keys():
    ring = MasterRing.fresh()
    sealed = ring.wrap(SECRET, "c")
    longer = ring.rotated()
    assert longer.unwrap(sealed, "c") == SECRET and longer.current != ring.current and longer.ids[1:] == ring.ids
    assert MasterRing.parse(longer.dump(), "x") == longer and hash(longer) != hash(ring)
    with pytest.raises(SealError):
        longer.retired().unwrap(sealed, "c")
    with pytest.raises(SealError):
        longer.unwrap(sealed, "c", master=longer.current)
    for text in (repr(longer), str(longer)):
        assert base64.b64encode(SECRET).decode() not in text and longer.dump().split()[0] not in text
    with pytest.raises(TypeError):
        longer.__reduce_ex__(4)
    with pytest.raises(SealError, match="32 bytes"):
        MasterRing([b"short"])


@pytest.mark.parametrize(
    ("spec", "kind"),
    [
        ("env", EnvironmentSource),
        ("env:OTHER", EnvironmentSource),
        ("file", FileSource),
        ("file:/x", FileSource),
        ("keyring", KeyringSource),
        ("keyring:mine", KeyringSource),
    ],
)
def test_how_a_source_is_named(home, spec, kind):
    source = key_source(home, spec)
    assert isinstance(source, kind) and key_source(home, source.spec).spec == source.spec


def test_how_a_source_is_looked_up(home, monkeypatch):
    home.mkdir()
    assert key_source(home).spec == f"file:{home / 'master.key'}"
    (home / "key-source").write_text("keyring:noted\n")
    assert key_source(home).spec == "keyring:noted"
    monkeypatch.setenv("GAMA_KEY", new_key())
    assert key_source(home).spec == "env:GAMA_KEY"
    monkeypatch.setenv("GAMA_KEY_SOURCE", "file:/elsewhere")
    assert key_source(home).spec == "file:/elsewhere"
    with pytest.raises(OptionError, match="vault"):
        key_source(home, "vault:x")


def test_a_key_in_the_keyring(home, keyring, monkeypatch):
    monkeypatch.setenv("GAMA_KEY_SOURCE", "keyring")
    sealed = Vault.at(home).seal("t", SECRET)
    assert list(keyring) == [("gama", str(home.resolve()))]
    assert not (home / "master.key").exists()
    (held,) = keyring.values()
    assert base64.b64decode(held) not in everything(home) and held.strip().encode() not in everything(home)
    assert Vault.at(home).open("t", sealed) == SECRET
    Vault.at(home).keys.rotate()
    assert len(keyring["gama", str(home.resolve())].split()) == 2
    assert Vault.at(home).open("t", sealed) == SECRET
    keyring.clear()
    with pytest.raises(SealError, match="OS keyring.*Nothing was changed"):
        Vault.at(home).seal("new", SECRET)
    assert keyring == {}


def test_a_machine_without_a_keyring(home, monkeypatch):
    import keyring as library
    from keyring.backends.fail import Keyring

    before = library.get_keyring()
    library.set_keyring(Keyring())
    try:
        with pytest.raises(SealError, match="no OS keyring.*key file"):
            Vault.at(home, source="keyring").seal("t", SECRET)
    finally:
        library.set_keyring(before)


def test_a_keyring_that_keeps_nothing_is_noticed(home, keyring):
    import keyring as library

    class Null(type(library.get_keyring())):
        def set_password(self, service, username, password):
            pass

    library.set_keyring(Null())
    with pytest.raises(SealError, match="has not kept"):
        Vault.at(home, source="keyring").seal("t", SECRET)


@pytest.mark.skipif(os.name != "posix", reason="file modes")
def test_a_key_file_of_ones_own(home, tmp_path):
    path = tmp_path / "secrets" / "key"
    spec = f"file:{path}"
    sealed = Vault.at(home, source=spec).seal("t", SECRET)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert not (home / "master.key").exists() and Vault.at(home, source=spec).open("t", sealed) == SECRET
    path.chmod(0o640)
    with pytest.raises(SealError, match="Others may read the key file"):
        Vault.at(home, source=spec).open("t", sealed)
    path.chmod(0o600)
    path.write_text("no key")
    with pytest.raises(SealError, match="damaged"):
        Vault.at(home, source=spec).open("t", sealed)


def test_a_missing_key_loses_nothing(home):
    sealed = Vault.at(home).seal("t", SECRET)
    path = home / "master.key"
    kept = path.read_bytes()
    path.unlink()
    before = (home / "keys.sqlite").read_bytes()
    for work in (lambda v: v.seal("t", SECRET), lambda v: v.seal("new", SECRET), lambda v: v.open("t", sealed)):
        with pytest.raises(SealError, match="master key [0-9a-f]{8} is missing: 1 key.*Nothing was changed"):
            work(Vault.at(home))
    assert not path.exists() and (home / "keys.sqlite").read_bytes() == before
    path.write_bytes(kept)
    path.chmod(0o600)
    assert Vault.at(home).open("t", sealed) == SECRET


def test_a_wrong_key_loses_nothing(home, monkeypatch):
    right, wrong = new_key(), new_key()
    monkeypatch.setenv("GAMA_KEY", right)
    sealed = Vault.at(home).seal("t", SECRET)
    monkeypatch.setenv("GAMA_KEY", wrong)
    for work in (lambda v: v.seal("new", SECRET), lambda v: v.open("t", sealed), lambda v: v.seal_file("x", SECRET)):
        with pytest.raises(SealError, match="not the master key.*GAMA_KEY has.*Nothing was changed"):
            work(Vault.at(home))
    monkeypatch.setenv("GAMA_KEY", right)
    assert Vault.at(home).threads() == ["t"] and Vault.at(home).open("t", sealed) == SECRET


def test_forgetting_needs_no_key(home):
    Vault.at(home).seal("t", SECRET)
    (home / "master.key").unlink()
    assert Vault.at(home).forget("t") and Vault.at(home).threads() == []
    # Nothing is left that the lost key protected: a new one may be made.
    Vault.at(home).seal("new", SECRET)


def test_rotation(home):
    vault = Vault.at(home)
    old = vault.seal("old", SECRET)
    first = vault.keys.ring().current
    second = Vault.at(home).keys.rotate()
    # A process that has the old ring in memory notices.
    new = vault.seal("new", SECRET)
    assert vault.keys.wrapped_by() == {first: 1, second: 1}
    assert Vault.at(home).open("old", old) == Vault.at(home).open("new", new) == SECRET
    with pytest.raises(SealError, match="1 thread key.*reseal"):
        Vault.at(home).keys.retire()
    assert Vault.at(home).keys.ring().ids == (second, first)
    assert Vault.at(home).keys.reseal() == (2, 0)
    assert Vault.at(home).keys.retire() == (first,)
    assert Vault.at(home).keys.ring().ids == (second,)
    assert vault.open("old", old) == Vault.at(home).open("new", new) == SECRET


def test_a_retired_key_is_nowhere(home):
    vault = Vault.at(home)
    vault.seal("t", SECRET)
    before = (home / "master.key").read_bytes().strip()
    held = (home / "master.key").open("rb")
    vault.keys.rotate()
    vault.keys.reseal()
    vault.keys.retire()
    files = everything(home)
    assert before not in files and base64.b64decode(before) not in files
    # Not where it stood on the disk either, as far as a program can tell.
    assert before not in held.read()
    held.close()


def test_rotation_by_the_environment(home, monkeypatch):
    old, new = new_key(), new_key()
    monkeypatch.setenv("GAMA_KEY", old)
    sealed = Vault.at(home).seal("t", SECRET)
    with pytest.raises(SealError, match="environment.*the new key and the old one"):
        Vault.at(home).keys.rotate()
    monkeypatch.setenv("GAMA_KEY", f"{new} {old}")
    assert Vault.at(home).open("t", sealed) == SECRET
    assert Vault.at(home).keys.reseal() == (1, 0)
    monkeypatch.setenv("GAMA_KEY", new)
    assert Vault.at(home).open("t", sealed) == SECRET
    monkeypatch.setenv("GAMA_KEY", old)
    with pytest.raises(SealError, match="not the master key"):
        Vault.at(home).open("t", sealed)


def test_a_crash_between_source_and_store_loses_nothing(home, monkeypatch):
    vault = Vault.at(home)
    sealed = vault.seal("t", SECRET)

    def dies(master):
        raise KeyboardInterrupt

    monkeypatch.setattr(vault.keys.store, "set_master", dies)
    with pytest.raises(KeyboardInterrupt):
        vault.keys.rotate()
    assert Vault.at(home).open("t", sealed) == SECRET
    assert len(Vault.at(home).keys.ring().ids) == 2
    assert Vault.at(home).keys.reseal() == (1, 0)


def test_keys_that_no_master_opens_are_left_alone(home):
    vault = Vault.at(home)
    vault.seal("t", SECRET)
    store = vault.keys.store
    store.add(store.get("t")._replace(thread="strange", wrapped=b"x" * 60))
    vault.keys.rotate()
    assert vault.keys.reseal() == (1, 1)
    assert store.get("strange").wrapped == b"x" * 60
    with pytest.raises(SealError, match="still need"):
        vault.keys.retire()


def test_a_store_of_an_early_version(home, monkeypatch):
    import sqlite3

    from gama.vault.cipher import encrypt

    key, thread_key = secrets.token_bytes(32), secrets.token_bytes(32)
    monkeypatch.setenv("GAMA_KEY", base64.b64encode(key).decode())
    home.mkdir()
    with sqlite3.connect(home / "keys.sqlite") as db:
        db.execute("CREATE TABLE keys (thread TEXT PRIMARY KEY, wrapped BLOB NOT NULL)")
        db.execute("INSERT INTO keys VALUES ('t', ?)", (encrypt(key, thread_key, "key:t"),))
    db.close()
    assert Vault.at(home).keys.key("t", make=False) == thread_key
    assert Vault.at(home).keys.wrapped_by() == {"?": 1} and Vault.at(home).keys.reseal() == (1, 0)
    assert Vault.at(home).keys.wrapped_by() == {MasterRing([key]).current: 1}


def test_moving_the_key(home, keyring, tmp_path, monkeypatch):
    with pytest.raises(SealError, match="no master key"):
        move(home, "keyring")
    sealed = Vault.at(home).seal("t", SECRET)
    text = (home / "master.key").read_text().strip()
    old, new = move(home, "keyring")
    assert "master.key" in old.name and "OS keyring" in new.name and not (home / "master.key").exists()
    assert Vault.at(home).open("t", sealed) == SECRET and text.encode() not in everything(home)
    with pytest.raises(OptionError, match="cannot be moved"):
        move(home, "keyring")
    move(home, f"file:{tmp_path / 'usb' / 'key'}")
    assert keyring == {} and Vault.at(home).open("t", sealed) == SECRET
    move(home, "file")
    assert not (home / "key-source").exists() and not (tmp_path / "usb" / "key").exists()
    assert Vault.at(home).open("t", sealed) == SECRET
    keyring["gama", "taken"] = new_key()
    with pytest.raises(SealError, match="another key already"):
        move(home, "keyring:taken")
    with pytest.raises(OptionError):
        move(home, "env")
    assert Vault.at(home).open("t", sealed) == SECRET


def test_many_processes_make_one_key(home):
    code = (
        "import sys; from pathlib import Path; from gama.vault.seal import Vault\n"
        "vault = Vault.at(Path(sys.argv[1])); vault.seal(sys.argv[2], b'x'); print(vault.keys.ring().current)"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code, home, f"t{n}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for n in range(6)
    ]
    done = [process.communicate(timeout=900) for process in running]
    assert len({out for out, _ in done}) == 1, done
    assert len(Vault.at(home).threads()) == 6


def test_a_box_file_tells_which_key_it_needs(home, tmp_path, monkeypatch):
    first, second = new_key(), new_key()
    monkeypatch.setenv("GAMA_KEY", first)
    box = PrivacyBox()
    box.add("Thessaly Quornbeck", "name")
    path = tmp_path / "letter.box"
    box.save(path)
    assert b"Quornbeck" not in path.read_bytes()
    before = path.read_bytes()
    monkeypatch.setenv("GAMA_KEY", second)
    with pytest.raises(SealError, match="sealed with the master key '[0-9a-f]{8}'"):
        PrivacyBox.load(path)
    assert path.read_bytes() == before
    monkeypatch.setenv("GAMA_KEY", f"{second},{first}")
    PrivacyBox.load(path).save(path)
    monkeypatch.setenv("GAMA_KEY", second)
    assert PrivacyBox.load(path).surface("<name-1>") == "Thessaly Quornbeck"
    with pytest.raises(InputError):
        PrivacyBox.load(tmp_path)


def test_a_box_cannot_be_pickled():
    import copy
    import pickle

    box = PrivacyBox()
    box.add("Thessaly Quornbeck", "name")
    with pytest.raises(TypeError, match="pickled"):
        pickle.dumps(box)
    assert copy.deepcopy(box).surface("<name-1>") == "Thessaly Quornbeck" == copy.copy(box).surface("<name-1>")
