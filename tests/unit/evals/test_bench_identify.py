"""The benchmark of the finding: ratios of one run, and a process of its own."""

import json
import sys

import pytest

from gama.evals.bench.identify import COMMANDS, bench_identify
from gama.serve.cli import run

TEXTS = ["My name is Ana Ruiz, call 07700 900123.", "Meet me at 12 High Street, Leeds, on 4 May 2024."]


def test_ratios_and_growth():
    result = bench_identify(TEXTS, repeats=1, fresh=False)
    speeds = {speed.name: speed for speed in result.speeds}
    assert set(speeds) == {"onnxruntime", "tagger", "patterns", "anonymize"}
    assert speeds["tagger"].ratio == 1.0
    assert speeds["anonymize"].ratio > 0
    assert all(speed.tokens_per_s == pytest.approx(result.tokens / speed.seconds) for speed in speeds.values())
    assert result.growth > 0 and result.fresh is None and result.commands == ()


def test_the_command(capsys):
    assert run(["bench", "identify", "--limit", "2", "--repeats", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["texts"] == 2 and found["tokens"] > 50
    if sys.platform != "win32":
        assert found["fresh"]["peak_mb"] > 50 and found["fresh"]["load_s"] > 0
        assert [one["name"] for one in found["commands"]] == list(COMMANDS)
        assert all(0 < one["cpu_s"] and 0 < one["wall_s"] for one in found["commands"])


def test_the_table(capsys):
    assert run(["bench", "identify", "--limit", "1", "--repeats", "1"]) == 0
    out = capsys.readouterr().out
    assert "tokens/s" in out and "anonymize" in out and "ten times as long" in out
