"""The benchmark of the gateway runs and tells what it should; its figures are not tested."""

import json

import pytest

from gama.serve.cli import run


@pytest.mark.slow
def test_the_command(capsys):
    assert (
        run(["bench", "gateway", "--streams", "1", "--streams", "4", "--rounds", "1", "--requests", "10", "--json"])
        == 0
    )
    found = json.loads(capsys.readouterr().out)
    assert [(way["name"], way["streams"]) for way in found["ways"]] == [
        (name, streams) for streams in (1, 4) for name in ("direct", "new", "turn", "known")
    ]
    assert all(0 < way["first_ms"] <= way["last_ms"] for way in found["ways"]) and found["words"] == 300


def test_the_table(capsys, monkeypatch):
    from gama.evals.bench import gateway
    from gama.evals.bench.gateway import GatewayBench, Way

    way = Way("direct", 1, 1.0, 2.0, 1.5, 10.0, 0.0, 0.0)
    monkeypatch.setattr(
        gateway, "bench_gateway", lambda text, **given: GatewayBench(2, 300, (way,), (100.0, 101.0), 10)
    )
    assert run(["bench", "gateway"]) == 0
    out = capsys.readouterr().out
    assert "direct" in out and "100, 101" in out
