"""The benchmark of the gateway runs and tells what it should; its figures are not tested."""

import json

import pytest

from gama.evals.bench.load import KINDS, Latency, Load, bench_load, percentiles
from gama.evals.bench.load import table as load_table
from gama.serve.cli import run
from gama.state.errors import OptionError
from tests.support import serving


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


@pytest.mark.slow
def test_the_load_test_starts_a_gateway_and_reports(capsys):
    assert run(["bench", "gateway", "--clients", "3", "--minutes", "0.1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found["statuses"]) == {"200"} and found["requests"] == sum(row["count"] for row in found["latencies"])
    assert {row["kind"] for row in found["latencies"]} <= set(KINDS) and found["latencies"]
    for row in found["latencies"]:
        assert 0 < row["first_ms"][0] <= row["first_ms"][1] <= row["first_ms"][2]
        assert row["first_ms"][0] <= row["whole_ms"][0] <= row["whole_ms"][2]
    assert found["ratio"] > 0 and found["encoder_per_second"] > 0
    if found["memory_mb"]:
        assert len(found["memory_mb"]) == 10 and found["cpu_ms"] > 0


def test_a_running_gateway_is_put_under_load_and_its_refusals_are_counted(upstream, few_names, capsys):
    with serving.serving(upstream=upstream.url) as server:
        assert run(["bench", "gateway", "--clients", "2", "--minutes", "0.02", "--url", server.url, "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["statuses"].get("200") and found["memory_mb"] == [] and found["cpu_ms"] is None
    with pytest.raises(OptionError, match="ConnectError"):
        bench_load("a b", clients=1, minutes=0.01, url=server.url)


def test_the_table_of_the_load_test():
    latency = Latency("new, stream", 9, (10.0, 20.0, 30.0), (40.0, 50.0, 60.0))
    statuses = {"200": 9, "503": 2, "ReadTimeout": 1}
    out = load_table(Load(4, 60.0, 12, 0.2, (latency,), statuses, (300.0, 301.0), 1.0, 35.0, 10.0, 0.4))
    for told in (
        "12 requests of 4 clients",
        "503: 2",
        "ReadTimeout: 1",
        "300, 301; flat",
        "+1.0",
        "35 ms",
        "0.40",
        "99 %",
    ):
        assert told in out
    assert percentiles([0.001 * at for at in range(1, 101)]) == pytest.approx((50.0, 95.0, 99.0))


def test_an_address_without_clients_is_refused(capsys):
    assert run(["bench", "gateway", "--url", "http://127.0.0.1:1"]) != 0
    assert "--clients" in capsys.readouterr().err
