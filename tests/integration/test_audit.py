"""The audit can fail: each promise is broken on purpose, and the audit says so."""

import dataclasses
import json
import logging
import os
from pathlib import Path
from time import monotonic

import pytest
from typer.testing import CliRunner

from gama import Gama, Options
from gama.evals.audit import crash, proofs
from gama.evals.audit.egress import EgressAudit, answer_with_placeholders
from gama.evals.audit.gateway import gateway_parts
from gama.evals.audit.report import Report
from gama.evals.audit.run import run_audit
from gama.evals.audit.search import Channels
from gama.evals.audit.servers import ModelServer
from gama.evals.audit.store import rows
from gama.guard.search import Guard
from gama.nodes.private import restore
from gama.privacy import box
from gama.privacy.anonymizer import Anonymizer
from gama.privacy.box import PrivacyBox
from gama.privacy.pipeline import Pipeline
from gama.serve.commands.audit import running
from gama.state.errors import OptionError
from gama.vault.encrypted_saver import LocalSaver
from gama.vault.seal import Vault

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]


@pytest.fixture
def server():
    with ModelServer(answer_with_placeholders) as made:
        yield made


@pytest.fixture
def careless(monkeypatch):
    """Have the anonymizer leave one value in every text."""
    plain = Pipeline.replace

    def leaving_one(*args, **kwargs):
        result = plain(*args, **kwargs)
        long = [entry for entry in result.box.entries if "name" in entry.placeholder and " " in entry.surface]
        return result._replace(text=result.text.replace(long[0].placeholder, long[0].surface)) if long else result

    monkeypatch.setattr(Pipeline, "replace", leaving_one)


@pytest.fixture
def report():
    return Report()


def egress(report, server, home, texts=2):
    channels = Channels()
    EgressAudit(report, channels, home, server).run(monotonic(), least=texts, most=texts)
    return {name for name, channel in channels.all.items() if channel.found}


class TestEgress:
    """Values that get out are found, wherever it is."""

    def test_calm(self, report, server, home):
        assert egress(report, server, home) == set() and not report.broken
        assert report.texts == 2 and report.values > 5 and not report.failures

    def test_an_anonymizer_that_forgets_one(self, report, server, home, careless, monkeypatch):
        for looks in ("check", "check_text"):
            monkeypatch.setattr(Guard, looks, lambda *args, **kwargs: None)
        monkeypatch.setattr(Guard, "find", lambda *args: [])
        monkeypatch.setattr("gama.privacy.pipeline.Pipeline.look_again", lambda *args, **kwargs: [])
        assert "wire" in egress(report, server, home)
        assert not report.promise(1).held

    def test_the_guard_stops_it_and_that_is_told_too(self, report, server, home, careless):
        assert egress(report, server, home) == set() and not report.broken
        assert report.failures and "LeakError" in report.failures[0] and not report.held

    def test_a_box_that_logs(self, report, server, home, monkeypatch):
        plain = PrivacyBox.add

        def talkative(self, surface, *args, **kwargs):
            logging.getLogger("talkative").warning("%s", surface.upper())
            return plain(self, surface, *args, **kwargs)

        monkeypatch.setattr(PrivacyBox, "add", talkative)
        assert egress(report, server, home) == {"logs at DEBUG"}
        assert not report.promise(1).held


def test_a_guard_that_looks_away(report, server, monkeypatch):
    monkeypatch.setattr(Guard, "check", lambda *args, **kwargs: None)
    proofs.fail_closed(report, Channels(), server, texts=4)
    assert "a refused request has arrived all the same" in report.promise(5).broken
    assert report.promise(5).figures["arrived"] > 100


def test_a_restorer_that_changes_case(report, monkeypatch):
    plain = Anonymizer.restore

    def shouting(self, *args, **kwargs):
        done = plain(self, *args, **kwargs)
        return (
            dataclasses.replace(done, text=done.text.upper())
            if dataclasses.is_dataclass(done)
            else done._replace(text=done.text.upper())
        )

    monkeypatch.setattr(Anonymizer, "restore", shouting)
    proofs.round_trips(report, monotonic(), least=2)
    assert not report.promise(2).held and not report.promise(3).held


def test_one_box_for_everybody(report, server, monkeypatch):
    plain, first = box.remap_text, []

    def mixed(text, own, *args, **kwargs):
        first.append(own)
        return plain(text, first[0], *args, **kwargs)

    monkeypatch.setattr(box, "remap_text", mixed)
    proofs.isolation(report, Channels(), server, monotonic(), most=16)
    assert "an answer has another's name, or lacks its own" in report.promise(4).broken


def test_a_key_that_stays(report, server, home, monkeypatch):
    monkeypatch.setattr(Vault, "destroy", lambda self, thread: [])
    monkeypatch.setattr(Vault, "remove", lambda self, threads: None)
    proofs.erasure(report, server, home, count=2)
    assert "a forgotten key opens, or a kept one not" in report.promise(6).broken


def test_rows_that_stay(report, server, home, monkeypatch):
    monkeypatch.setattr(LocalSaver, "delete_thread", lambda self, thread: None)
    proofs.erasure(report, server, home, count=2)
    assert "bytes of a forgotten conversation are on the disk" in report.promise(6).broken


def test_limits_that_do_not_hold(report, server, monkeypatch):
    monkeypatch.setattr("gama.graph.client.check_question", lambda text, most: None)
    monkeypatch.setattr("gama.privacy.pipeline.check_question", lambda text, most: None)
    monkeypatch.setattr("gama.nodes.private.engine_steps.check_question", lambda text, most: None)
    proofs.bounds(report, server)
    assert "max_chars: no error says that the limit is reached" in report.promise(7).broken


def test_notes_that_nobody_writes(report, server, monkeypatch):
    monkeypatch.setattr(restore, "_notes", lambda *args, **more: [])
    proofs.degradation(report, server)
    assert report.promise(8).broken == ["no note of it"]


def test_the_whole_on_a_database_of_ones_own(postgres, server, monkeypatch, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    monkeypatch.setenv("GAMA_STORE", f"sqlite:///{elsewhere}")
    lines: list[str] = []
    report = run_audit(seconds=1, texts=2, progress=lines.append, more=gateway_parts(running)[:1], store=postgres)
    assert not report.broken and not report.failures, report.as_json()
    assert all(promise.checks for promise in report.promises) and report.held
    channels = {channel.name for channel in report.channels}
    assert {"wire", "wire with tools", "logs at DEBUG", "exceptions", "callbacks", "private checkpoints"} <= channels
    assert "wire behind the gateway" in channels and any("gateway: " in line for line in lines)
    assert report.context_texts and report.context
    assert any("traced" in name for name in channels) and any("erasure: " in line for line in lines)
    assert report.promise(5).figures["processes killed in mid-call and resumed on PostgreSQL"] == 2
    assert report.promise(6).figures["forgotten in PostgreSQL"] == 2
    channel = next(one for one in report.channels if "PostgreSQL" in one.name)
    assert channel.payloads > 10 and not channel.leaks
    assert not any("PostgreSQL" in line for line in report.not_tested)
    assert not elsewhere.exists() and os.environ["GAMA_STORE"], "the user's own store is not touched"
    assert rows(postgres) == []


def test_a_database_that_is_somebodys_is_refused(postgres):
    gama = Gama(Options(), store=postgres)
    gama.invoke({"question": "My name is Ada Obi. Who am I?"}, {"configurable": {"thread_id": "mine"}})
    gama.close()
    with pytest.raises(OptionError, match="empty one"):
        run_audit(seconds=1, store=postgres)
    with pytest.raises(OptionError, match="postgresql://"):
        run_audit(seconds=1, store="sqlite:///x")


def test_rows_in_clear_are_found(postgres, server, report, home, monkeypatch):
    rows_of = crash.rows
    monkeypatch.setattr(crash, "rows", lambda url: [*rows_of(url), crash.TEXT.text.encode()])
    channels = Channels()
    crash.crashes(report, channels, server, home, store=postgres)
    assert any("rows of a killed process" in what for what in report.promise(1).broken)


class TestAnyApp:
    """`gama audit --graph`."""

    APPS = Path(__file__).parents[1] / "data" / "apps" / "leaky.py"

    def run(self, tmp_path, target, *more):
        from gama.serve.cli import app

        done = CliRunner().invoke(
            app, ["audit", "--graph", target, "--out", str(tmp_path / "out"), "--texts", "1", *more]
        )
        path = tmp_path / "out" / "audit.json"
        return done, json.loads(path.read_text("utf-8")) if path.exists() else {}

    @pytest.fixture(autouse=True)
    def surroundings(self, tmp_path, monkeypatch, loopback):
        folder = tmp_path / "leaky"
        folder.mkdir()
        monkeypatch.setenv("LEAKY_FOLDER", str(folder))
        monkeypatch.setenv("LEAKY_SERVER", loopback.url)
        return folder

    def test_a_leaky_one_is_found_everywhere(self, tmp_path, loopback, surroundings):
        done, told = self.run(tmp_path, f"{self.APPS}:broken", "--watch", str(surroundings))
        assert done.exit_code == 1
        all_of_them = {
            name for name, channel in told["channels"].items() if channel["found"].keys() == told["planted"].keys()
        }
        assert all_of_them >= {
            "callbacks", "checkpoints", "events", "exceptions", "files", "logs", "logs at DEBUG", "stdout",
            "stream: values", "stream: custom", "stream: tasks", "stream: checkpoints", "stream: debug",
            "tracer of the process", "traces", "OpenTelemetry spans",
            f"sent to {loopback.url.split('/')[2]}",
        }  # fmt: skip
        assert told["channels"]["files"]["places"] == ["kept.sqlite", "last.txt"]
        assert told["failures"] == ["the app failed: ValueError"]
        assert "FOUND" in (tmp_path / "out" / "audit.html").read_text("utf-8")

    def test_a_server_may_be_trusted(self, tmp_path, loopback):
        _, told = self.run(tmp_path, f"{self.APPS}:graph", "--trust", "127.0.0.1")
        assert told["channels"][f"sent to {loopback.url.split('/')[2]}"]["trusted"] and not told["clean"]

    def test_input_by_name_and_an_answer_of_its_own(self, tmp_path):
        done, told = self.run(tmp_path, f"{self.APPS}:builder", "--input", '{"letter": "{text}"}')
        assert done.exit_code == 1 and not told["failures"]
        assert told["channels"]["stream: tasks"]["found"] and not told["channels"]["stream: updates"]["found"]
        assert any("lent one in memory" in note for note in told["notes"])

    def test_gama_itself_is_clean(self, tmp_path, home, loopback, monkeypatch):
        loopback.reply = answer_with_placeholders
        monkeypatch.setenv("GAMA_PUBLIC_MODEL", "openai:loop")
        monkeypatch.setenv("GAMA_PUBLIC_BASE_URL", loopback.url)
        monkeypatch.setenv("GAMA_TRACE", "1")
        home.mkdir()
        done, told = self.run(tmp_path, "gama.graph.studio:gama", "--watch", str(home))
        assert done.exit_code == 0, told
        assert told["clean"] and told["channels"]["traces"]["payloads"] and told["channels"]["checkpoints"]["payloads"]
        assert any(name.startswith("sent to 127.0.0.1") for name in told["channels"])

    def test_what_cannot_be_used_is_an_error_of_the_command_line(self, tmp_path):
        from gama.serve.cli import run

        assert run(["audit", "--graph", "gama:__version__", "--out", str(tmp_path / "out")]) == 2
