"""The benchmark of the graph: rows, counts, and the command. How fast it is depends on the machine and is not tested."""

import json

import pytest

from gama.evals.bench.graph import Row, measure, profile
from gama.serve.cli import run


@pytest.mark.slow
@pytest.mark.parametrize("which", ["public", "whole"])
def test_rows(which):
    alone, together = measure(latency_s=0.05, rounds=1, experts=[2], tasks=3, repeat=1, which=(which,))
    assert (alone.which, alone.k, alone.tasks, alone.path_s) == (which, 2, 1, pytest.approx(0.2))
    assert (together.k, together.tasks) == (3, 3)
    assert alone.calls == 2 + 1 + 2 and together.calls == 3 + 1 + 2, "experts, fusion, one round of disproof"
    assert alone.most_at_once == 2, "the experts of a task are asked side by side"
    assert 3 <= together.most_at_once <= 9, "and so are tasks"
    assert alone.wall_s > alone.path_s


def test_ratio_and_overhead():
    row = Row("public", 3, 10, path_s=2.0, wall_s=2.5, calls=6, most_at_once=30)
    assert row.ratio == 1.25 and row.overhead_ms == pytest.approx(50)
    assert row.as_dict()["ratio"] == 1.25 and row.as_dict()["which"] == "public"


@pytest.mark.slow
def test_the_profile_names_functions():
    assert "function calls" in profile("public", latency_s=0.01, rounds=0, tasks=1)


@pytest.mark.slow
def test_the_command(capsys):
    arguments = ["--latency", "0.02", "--experts", "1", "--tasks", "0", "--repeat", "1", "--which", "public"]
    assert run(["bench", "graph", *arguments, "--json"]) == 0
    (row,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert row["calls"] == 3 and row["path_s"] == pytest.approx(0.06)
    assert run(["bench", "graph", *arguments]) == 0
    out = capsys.readouterr().out
    assert "critical path: 4 calls, one less with one expert" in out and "of 1 within 1.15 times" in out


def test_what_cannot_be_measured(capsys):
    assert run(["bench", "graph", "--which", "private"]) == 2
    assert "option --which: 'private' is none of public, whole, both" in capsys.readouterr().err
