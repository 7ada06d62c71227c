"""The benchmark beside other tools runs with what is there, and names what is not; its figures are not tested."""

import json
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from gama.evals.bench.compare import Costs, measure, person, plot, table, text_of_entities, text_of_size
from gama.evals.competitors import hiding
from gama.serve.cli import run
from gama.state.errors import OptionError


def test_texts_are_as_large_as_asked_for():
    for size in (100, 1_000, 20_000):
        assert len(text_of_size(size).encode()) == size
    assert text_of_size(20_000).count("@") >= 20_000 // 400
    assert len({person(number) for number in range(20_000)}) == 20_000
    assert text_of_entities(30).count("@") == 30


def test_the_command_tells_costs_and_draws_them(capsys, tmp_path):
    drawn = tmp_path / "costs.svg"
    tools = ("memory scan", "regex loop", "gama, patterns")
    named = [word for tool in tools for word in ("--tool", tool)]
    assert (
        run(["bench", "compare", *named, "--most", "1000", "--most-persons", "10", "--plot", str(drawn), "--json"]) == 0
    )
    rows = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in rows] == list(tools)
    for row in rows:
        assert not row["missing"] and not row["failed"] and row["megabytes_per_s"] > 0
        assert set(row["by_size"]) == {"100", "1000"} and set(row["by_entities"]) == {"1", "10"}
        assert all(row["by_size"].values()) and all(row["by_entities"].values())
    text = drawn.read_text(encoding="utf-8")
    ElementTree.fromstring(text)
    assert all(tool in text for tool in tools)


def test_what_is_not_installed_is_named_and_left_out(tmp_path):
    """Another Python, in which nothing is installed, stands for one without the tools."""
    empty = tmp_path / "python"
    empty.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n', encoding="utf-8")
    empty.chmod(0o700)
    costs = measure("scrubadub", str(empty), 1.0, (100,), (1,))
    assert costs.missing.startswith("ModuleNotFoundError") and costs.by_size == {}
    assert "scrubadub is left out: ModuleNotFoundError" in table([costs], 1.0)
    with pytest.raises(OptionError, match="--python"):
        measure("scrubadub", str(tmp_path / "none"), 1.0)


def test_a_cell_that_takes_too_long_is_ended_and_larger_ones_are_left_out(tmp_path, monkeypatch):
    slow = tmp_path / "slow.py"
    script = Path(hiding.__file__).read_text(encoding="utf-8")
    slow.write_text(
        script.replace('return lambda text: text.encode().count(b"\\0")',
                       "import time\n    return lambda text: len(text) > 500 and time.sleep(600) or 0"),
        encoding="utf-8",
    )  # fmt: skip
    monkeypatch.setattr(hiding, "__file__", str(slow))
    costs = measure("memory scan", sys.executable, 2.0, (100, 1_000, 10_000), (1,))
    assert costs.by_size[100] is not None and costs.by_size[1_000] is None and 10_000 not in costs.by_size
    assert costs.by_entities[1] is not None


def test_unknown_tools_are_refused(capsys):
    assert run(["bench", "compare", "--tool", "nothing"]) != 0
    assert "known tools: memory scan; regex loop" in capsys.readouterr().err


def test_nothing_to_draw_is_an_empty_drawing():
    ElementTree.fromstring(plot([]))
    ElementTree.fromstring(plot([Costs("a <b>", by_size={100: 0.1}, by_entities={1: None})]))
