"""`gama doctor`: what it finds, and that it tells no secret."""

import json
import os
import shutil
from pathlib import Path

import pytest

from gama.models import __file__ as models_room
from gama.serve import health
from gama.state.options import Options

WEIGHTS = Path(str(models_room)).parent / "weights"


def found(home, topic, options=None, probe=False):
    return [c for c in health.checks(options or Options(), home, probe=probe) if c.topic == topic]


def test_a_sound_installation(gama, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = gama("doctor", "--json")
    checks = json.loads(done.out)
    assert done.code == 0, [c for c in checks if c["state"] == "bad"]
    assert {c["topic"] for c in checks} == {"Installed", "Embedded models", "Models", "Data", "Tracing"}
    text = " ".join(c["text"] for c in checks)
    assert "sha256" in text and "the tagger runs" in text and "stand-in reader answers" in text
    shown = gama("doctor")
    assert shown.code == 0 and "Embedded models" in shown.out and "\x1b" not in shown.out


def test_an_altered_and_a_missing_model(monkeypatch, tmp_path, home):
    shutil.copytree(WEIGHTS, tmp_path / "weights")
    monkeypatch.setattr("gama.models.__file__", str(tmp_path / "__init__.py"))
    assert all(c.state == "ok" for c in found(home, "Embedded models"))
    with (tmp_path / "weights" / "identify.onnx").open("ab") as file:
        file.write(b"x")
    assert any(c.state == "bad" and "not the file its card" in c.text for c in found(home, "Embedded models"))
    (tmp_path / "weights" / "identify.onnx").unlink()
    assert any(c.state == "bad" and "identify.onnx is missing" in c.text for c in found(home, "Embedded models"))


def test_a_broken_tagger_makes_exit_code_1(gama, monkeypatch):
    def broken():
        raise OSError("no")

    monkeypatch.setattr("gama.models.embedded.embedded_tagger", broken)
    done = gama("doctor")
    assert done.code == 1 and "BAD" in done.out and "does not run (OSError)" in done.out


@pytest.mark.skipif(os.name != "posix", reason="file modes of posix")
def test_files_that_others_may_read(gama, home, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "nothing is stored" in found(home, "Data")[0].text
    gama("ask", "The shop opens at nine. When?", "--json")
    assert all(c.state == "ok" for c in found(home, "Data")) and len(found(home, "Data")) == 5
    (home / "private.sqlite").chmod(0o644)
    bad = [c.text for c in found(home, "Data") if c.state == "bad"]
    assert len(bad) == 1 and "private.sqlite" in bad[0] and "mode 644" in bad[0] and "chmod 600" in bad[0]


def test_what_studio_left_behind(home, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".langgraph_api").mkdir()
    (tmp_path / ".langgraph_api" / "ops.pckl").write_bytes(b"x" * 1234)
    note = next(c for c in found(home, "Data") if c.state == "note")
    assert "1,234 bytes" in note.text and "in clear" in note.text


@pytest.mark.parametrize("name", list(health.TRACING))
def test_every_variable_that_traces_is_named_and_not_its_value(monkeypatch, home, name):
    assert [c.state for c in found(home, "Tracing")] == ["ok", "ok"]
    monkeypatch.setenv(name, "lsv2-value")
    notes = [c.text for c in found(home, "Tracing") if c.state == "note"]
    assert len(notes) == 1 and notes[0].startswith(name) and "lsv2-value" not in notes[0]
    assert found(home, "Tracing")[-1].text.startswith("GAMA's own runs are not traced")
    monkeypatch.setenv(name, "false")
    assert not [c for c in found(home, "Tracing") if c.state == "note"]


def test_models_are_asked_only_when_told_to(home, loopback, monkeypatch):
    loopback.reply = lambda request: "ready"
    options = Options(
        public_model="openai:x", public_base_url=loopback.url, private_model="openai:y", private_base_url=loopback.url
    )
    checks = found(home, "Models", options)
    assert [c.state for c in checks] == ["note", "note"] and loopback.record == []
    checks = found(home, "Models", options, probe=True)
    assert [c.state for c in checks] == ["ok", "ok"] and len(loopback.record) == 2
    assert "openai:x answers" in checks[0].text
    monkeypatch.setattr("gama.models.public.MAX_RETRIES", 0)
    loopback.fault = 401
    assert found(home, "Models", options, probe=True)[0].state == "bad"


def test_keys_are_named_never_shown(home, monkeypatch):
    options = Options(public_model="openai:gpt-4o")
    checks = found(home, "Models", options)
    assert checks[0].state == "bad" and checks[0].text == "public: OPENAI_API_KEY is not set"
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    checks = found(home, "Models", options)
    assert checks[0].state == "ok" and not any("sk-very" in c.text for c in checks)


def test_a_hosted_private_model_is_bad(home):
    checks = found(home, "Models", Options(private_model="openai:gpt-4o"))
    assert any(c.state == "bad" and "--trust-private" in c.text for c in checks)


@pytest.mark.parametrize(
    ("name", "address"), [("gpt-4o", None), ("opnai:gpt-4o", None), ("opnai:x", "http://localhost:1/v1")]
)
def test_a_name_that_no_call_could_be_made_with(home, gama, name, address):
    checks = found(home, "Models", Options(public_model=name, public_base_url=address))
    assert checks[0].state == "bad" and "Known providers" in checks[0].text and checks[1].text.startswith("private")
    given = ["--public", name, *(["--base-url", address] if address else [])]
    done = gama("serve", "--port", "0", *given)
    assert done.code == 3 and "Known providers" in done.err, done
