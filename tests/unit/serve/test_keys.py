"""`gama keys`, `gama box`, `gama forget --older-than`: what they do and say."""

import json

import pytest

from gama.serve.health import checks
from gama.state.options import Options
from gama.vault.seal import Vault
from tests.support import letters

TASK = f"My name is {letters.SECRETS[0]}. The shop opens at nine. When does the shop open?"


@pytest.fixture
def kept(gama):
    assert gama("ask", "-q", "--thread", "t", TASK).code == 0
    return gama


def test_show(gama, kept):
    shown = gama("keys", "show")
    assert "master.key" in shown.out and "keys.sqlite" in shown.out and "wraps 2 key(s)" in shown.out
    told = json.loads(gama("keys", "show", "--json").out)
    assert told["wrapped"] == {told["keys"][0]: 2} and told["source"].startswith("file:")


def test_show_where_nothing_is_yet(gama, home):
    assert "none yet" in gama("keys", "show").out
    assert not (home / "master.key").exists()


def test_rotate_reseal_retire(gama, kept, tmp_path):
    file = tmp_path / "t.box"
    assert "entries" in gama("box", "t", str(file)).out
    clear = gama("box", "t", str(tmp_path / "clear.box"), "--clear")
    assert "in clear" in clear.err and letters.SECRETS[0] in (tmp_path / "clear.box").read_text("utf-8")
    done = gama("keys", "rotate")
    assert done.code == 0 and "new master key" in done.out and "gama keys reseal" in done.out
    old = json.loads(gama("keys", "show", "--json").out)["keys"][1]
    assert f"{old}  opens only; wraps 2 key(s)" in gama("keys", "show").out
    refused = gama("keys", "retire", "--yes")
    assert refused.code == 6 and "reseal" in refused.err
    done = gama("keys", "reseal", str(file), str(tmp_path / "clear.box"))
    assert "2 key(s)" in done.out and f"sealed anew: {file}" in done.out and "left as it is" in done.err
    asked = gama("keys", "retire")
    assert asked.code == 2 and old in asked.err and "--yes" in asked.err
    assert gama("keys", "retire", "--yes").out == f"destroyed: {old}\n"
    assert gama("keys", "retire").out == "there is no old master key\n"
    assert gama("restore", "--box", str(file), "Dear <name-1>").out.strip() == f"Dear {letters.SECRETS[0]}"
    assert gama("ask", "-q", "--thread", "t", TASK).code == 0


def test_a_box_file_that_was_not_sealed_anew(gama, kept, tmp_path):
    file = tmp_path / "t.box"
    gama("box", "t", str(file))
    for step in (["rotate"], ["reseal"], ["retire", "--yes"]):
        assert gama("keys", *step).code == 0
    done = gama("restore", "--box", str(file), "Dear <name-1>")
    assert done.code == 6 and "sealed with the master key" in done.err and "not changed" in done.err


def test_a_key_that_is_missing_is_shown(gama, kept, home):
    (home / "master.key").unlink()
    assert "NOT HERE" in gama("keys", "show").out
    assert gama("ask", "-q", TASK).code == 6 and not (home / "master.key").exists()
    done = gama("forget", "t")
    assert done.code == 0 and "forgotten: t" in done.out


def test_forget_by_age(gama, kept):
    done = gama("forget", "--older-than", "1d")
    assert done.code == 0 and done.out == "" and "no thread was last used more than 1d ago" in done.err
    assert gama("forget", "--older-than", "0m", "--dry-run").out == "would be forgotten: t\n"
    done = gama("forget", "--older-than", "0m")
    assert done.out == "forgotten: t\n" and "rewritten" in done.err


def test_forget_while_another_program_reads(gama, kept, home):
    """The rows go; that bytes of theirs are still in the log is said."""
    import sqlite3

    reader = sqlite3.connect(home / "private.sqlite")
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM checkpoints").fetchall()
    try:
        done = gama("forget", "t")
    finally:
        reader.close()
    assert done.code == 0 and done.out == "forgotten: t\n" and "Another program uses the files" in done.err
    assert gama("forget", "t").code == 2


def test_the_store_of_a_command(gama, tmp_path, home):
    folder = tmp_path / "elsewhere"
    store = f"sqlite:///{folder}"
    assert gama("ask", "-q", "--thread", "t", "--store", store, TASK).code == 0
    assert (folder / "private.sqlite").exists() and not (home / "private.sqlite").exists()
    assert gama("forget", "t", "--store", store).code == 0


def test_doctor_tells_where_keys_and_checkpoints_are(home, monkeypatch):
    monkeypatch.setenv("GAMA_STORE", "postgresql://gama:geheim@db.example/gama?password=geheim")
    monkeypatch.setenv("GAMA_THREAD_KEYS", "postgresql://gama:geheim@db.example/gama")
    monkeypatch.setenv("GAMA_RETENTION", "30d")
    monkeypatch.setenv("GAMA_KEY_SOURCE", f"file:{home / 'other.key'}")
    text = " ".join(c.text for c in checks(Options(), home, probe=False) if c.topic == "Data")
    assert "postgresql://gama@db.example/gama, by GAMA_STORE" in text and "geheim" not in text
    assert "GAMA_THREAD_KEYS" in text and "30d" in text and "other.key', none yet" in text
    monkeypatch.delenv("GAMA_THREAD_KEYS")
    Vault.at(home).seal("t", b"x")
    ring = Vault.at(home).keys.ring()
    assert any(ring.current in c.text and c.state == "ok" for c in checks(Options(), home, probe=False))
    monkeypatch.setenv("GAMA_KEY_SOURCE", "vault")
    assert any("vault" in c.text and c.state == "bad" for c in checks(Options(), home, probe=False))
