"""The vault: one key per thread, nothing readable without it, erasure for good."""

import base64
import os
import secrets
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from gama.state.errors import SealError
from gama.state.private_text import PrivateText, Sealed
from gama.vault.seal import Vault

SECRET = b"Planted Secret 4711"


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.delenv("GAMA_KEY", raising=False)
    return tmp_path / "home"


def everything(folder) -> bytes:
    return b"".join(p.read_bytes() for p in folder.rglob("*") if p.is_file())


def test_seal_and_open(home):
    vault = Vault.at(home)
    sealed = vault.seal("t1", SECRET)
    assert SECRET not in sealed.ct and b"Planted" not in sealed.model_dump_json().encode()
    assert Vault.at(home).open("t1", sealed) == SECRET
    assert SECRET not in everything(home)
    assert "Planted" not in repr(sealed) + str(sealed) + repr(vault)


def test_another_thread_cannot_open(home):
    vault = Vault.at(home)
    sealed = vault.seal("t1", SECRET)
    vault.seal("t2", b"x")
    with pytest.raises(SealError, match="another thread"):
        vault.open("t2", sealed)
    with pytest.raises(SealError, match="key is not here"):
        vault.open("t3", sealed)


def test_damage_is_noticed(home):
    vault = Vault.at(home)
    sealed = vault.seal("t1", SECRET)
    with pytest.raises(SealError):
        vault.open("t1", Sealed(ct=sealed.ct[:-1] + bytes([sealed.ct[-1] ^ 1])))
    with pytest.raises(SealError):
        vault.open("t1", Sealed(ct=b"short"))


def test_forgotten_is_gone_for_every_process(home):
    one, two = Vault.at(home), Vault.at(home)
    sealed = one.seal("t1", SECRET)
    assert two.open("t1", sealed) == SECRET
    assert one.forget("t1") is True and one.forget("t1") is False
    for vault in (one, two, Vault.at(home)):
        with pytest.raises(SealError):
            vault.open("t1", sealed)
    assert one.threads() == []


def test_key_from_the_environment(home, monkeypatch):
    monkeypatch.setenv("GAMA_KEY", base64.b64encode(secrets.token_bytes(32)).decode())
    sealed = Vault.at(home).seal("t", SECRET)
    assert not (home / "master.key").exists()
    assert Vault.at(home).open("t", sealed) == SECRET
    monkeypatch.setenv("GAMA_KEY", base64.b64encode(secrets.token_bytes(32)).decode())
    with pytest.raises(SealError):
        Vault.at(home).open("t", sealed)
    monkeypatch.setenv("GAMA_KEY", "abc")
    with pytest.raises(SealError, match="32 bytes"):
        Vault.at(home).seal("t", SECRET)


@pytest.mark.skipif(os.name != "posix", reason="file modes")
def test_file_modes(home):
    Vault.at(home).seal("t", SECRET)
    for name in ("master.key", "keys.sqlite"):
        assert stat.S_IMODE((home / name).stat().st_mode) == 0o600
    (home / "master.key").chmod(0o644)
    with pytest.raises(SealError, match="chmod 600"):
        Vault.at(home).seal("t", SECRET)


def test_many_threads_make_one_key(home):
    vaults = [Vault.at(home) for _ in range(4)]
    with ThreadPoolExecutor(8) as pool:
        sealed = list(pool.map(lambda n: vaults[n % 4].seal("same", str(n).encode()), range(40)))
    assert [vaults[0].open("same", s) for s in sealed] == [str(n).encode() for n in range(40)]


def test_private_text_gives_nothing_away():
    import json
    import pickle

    text = PrivateText("Planted Secret")
    assert "Planted" not in f"{text!r} {text} {text:>40}"
    with pytest.raises(TypeError):
        pickle.dumps(text)
    with pytest.raises(TypeError):
        json.dumps(text)
    assert text.reveal() == "Planted Secret" and text == PrivateText("Planted Secret")
