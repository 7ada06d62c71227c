"""`gama eval restore`: every kind of change, nobody's value in the wrong place, and the published tables."""

import json
import sys
from pathlib import Path

import pytest

from gama.evals.competitors import adapter
from gama.evals.competitors.run import Competitor
from gama.evals.mangling import report
from gama.evals.mangling.base import Mark, take_apart
from gama.evals.mangling.cases import cases, made_up
from gama.evals.mangling.catalog import FALSE_POSITIVES, KINDS, choose
from gama.evals.mangling.measure import Finder, Ours, evaluate, measure_streams
from gama.evals.mangling.wording import NAMES
from gama.serve.cli import run
from gama.state.errors import OptionError

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "restoring.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def ours():
    return {score.kind.name: score for score in evaluate(Ours(), choose(), sizes=(12, 120), count=4).scores}


def test_there_are_at_least_sixty_kinds_with_names_of_their_own():
    names = [kind.name for kind in (*KINDS, *FALSE_POSITIVES)]
    assert len(KINDS) >= 60 and len(names) == len(set(names))
    assert len(NAMES) == 10


@pytest.mark.parametrize("kind", [kind.name for kind in (*KINDS, *FALSE_POSITIVES)])
def test_nobodys_value_stands_in_the_wrong_place(ours, kind):
    score = ours.get(kind)
    assert score is None or score.wrong == 0, score


@pytest.mark.parametrize("kind", [kind for kind in (*KINDS, *FALSE_POSITIVES) if kind.group != "several at once"])
def test_every_kind_is_undone_and_every_trap_left_alone(ours, kind):
    score = ours.get(kind.name)
    if score is None:
        # What our placeholders already are: angle brackets, joined by a hyphen.
        assert kind.name in ("angle brackets", "joint: hyphen")
        return
    assert score.rate == 1 and score.clean == score.answers, score


def test_streams_give_the_same_and_hold_little_back():
    hold = measure_streams(choose(), sizes=(12,), count=2)
    assert hold.differences == 0 and hold.longest <= 60
    plain = measure_streams([], sizes=(12,), prose=report.PROSE * 5)
    assert plain.differences == 0 and plain.longest <= 12 and plain.characters / plain.chunks < 0.5


def test_the_published_tables_are_what_the_command_prints():
    shown = PAGE.split("<!-- tables:begin -->\n")[1].split("<!-- tables:end -->")[0]
    assert shown == report.published(), "run: gama eval restore --tables, and put it between the marks"


def test_no_other_tool_does_a_kind_better():
    mine = evaluate(Ours(), choose(), sizes=report.SIDE_SIZES, count=report.SIDE_COUNT)
    assert sum(score.wrong for score in mine.scores) == 0
    ours = {score.kind.name: score.clean / score.answers for score in mine.scores}
    for outcome in report.recorded(choose()):
        for score in outcome.scores:
            # What our placeholders already are is no change to them.
            assert score.clean / score.answers <= ours.get(score.kind.name, 1), (outcome.name, score.kind.name)


@pytest.mark.parametrize("strategy", ["enriched", "surrogate"])
@pytest.mark.parametrize("seed", [1, 2])
def test_other_strategies_reach_nobody_elses_value(strategy, seed):
    found = evaluate(Ours(strategy), choose(), sizes=(12, 40), count=4, seed=seed)
    assert sum(score.wrong for score in found.scores) == 0
    unchanged = next(score for score in found.scores if score.kind.name == "unchanged")
    assert unchanged.clean == unchanged.answers
    assert measure_streams(choose(), sizes=(12,), count=1, seed=seed, strategy=strategy).differences == 0


def test_the_record_has_every_other_tool_and_every_kind():
    found = {outcome.name: outcome for outcome in report.recorded(choose())}
    assert set(found) == {"gama", *adapter.TOOLS} and all(found[name].version for name in adapter.TOOLS)
    kept = json.loads((ROOT / "evals" / "data" / "restore" / "competitors.json").read_text(encoding="utf-8"))
    known = {kind.name for kind in (*KINDS, *FALSE_POSITIVES)}
    assert all(set(tool["kinds"]) <= known for tool in kept["tools"])
    fresh = evaluate(Ours(), choose(["form"]), sizes=report.SIDE_SIZES, count=report.SIDE_COUNT)
    old = {score.kind.name: score for score in found["gama"].scores}
    assert all(old[score.kind.name].answers == score.answers for score in fresh.scores)


def test_placeholders_of_other_tools_are_taken_apart():
    assert take_apart("<name-1>") == Mark("<", "name", "-", 1, ">")
    assert take_apart("[REDACTED_PERSON_12]") == Mark("[", "REDACTED_PERSON", "_", 12, "]")
    assert take_apart("<<PERSON:3>>") == Mark("<<", "PERSON", ":", 3, ">>")
    assert take_apart("Alex Carter") == Mark("", "Alex Carter", "", None, "")
    assert str(take_apart("<first_name-1>")) == "<first_name-1>"


def test_answers_have_placeholders_that_begin_alike():
    values = made_up(120, 0)
    marks = [take_apart(one) for one in Ours().box(values)]
    (kind,) = choose(["unchanged"])
    for case in cases(kind, values, marks, 10, 0):
        numbers = [str(marks[place].number) for place in case.expected]
        assert len({number[0] for number in numbers}) == 1 and len(set(numbers)) == 3


def test_a_wrong_value_is_counted():
    values = made_up(12, 0)
    assert Finder(values)(f"x {values[3].text} y {values[0].text.upper()}") == [3, 0]

    class Confused(Ours):
        def restore(self, texts):
            return [self.made.entries[-1].surface for _ in texts]

    (score,) = evaluate(Confused(), choose(["unchanged"]), sizes=(12,), count=6).scores
    assert score.wrong > 0 and score.restored < score.placeholders


FAKE = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if "box" in request:
        made = {f"<P_{n}>": value for n, (_, value) in enumerate(request["box"], 1)}
        print(json.dumps({"version": "1.0", "placeholders": list(made)}), flush=True)
    else:
        texts = []
        for text in request["restore"]:
            for token, value in made.items():
                text = text.replace(token, value)
            texts.append(text)
        print(json.dumps({"version": "1.0", "texts": texts, "errors": 1}), flush=True)
"""


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """An interpreter in which a tool seems to be installed."""
    (tmp_path / "fake.py").write_text(FAKE)
    script = tmp_path / "python"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{tmp_path / "fake.py"}"\n')
    script.chmod(0o755)
    return script


def test_another_tool_is_asked_over_json_lines(python):
    with Competitor("litellm", python) as tool:
        outcome = evaluate(tool, choose(["unchanged", "square brackets"]), sizes=(12,), count=6)
        assert (tool.version, tool.errors) == ("1.0", 2)
    by_name = {score.kind.name: score for score in outcome.scores}
    assert by_name["unchanged"].rate == 1 and by_name["square brackets"].rate == 0


def test_a_tool_that_is_not_there(tmp_path):
    with pytest.raises(OptionError, match="unknown tool 'x'; known tools: piighost"):
        Competitor("x", Path(sys.executable))
    with pytest.raises(OptionError, match="cannot be started"):
        Competitor("litellm", tmp_path / "python")
    with (
        pytest.raises(OptionError, match="does not answer; is it installed in that Python"),
        Competitor("piighost", Path(sys.executable)) as t,
    ):
        t.box(made_up(12, 0))


def test_the_adapter_imports_nothing_of_this_package():
    text = Path(adapter.__file__).read_text(encoding="utf-8")
    assert "import gama" not in text and "from gama" not in text


def test_command(capsys, tmp_path, python):
    target = tmp_path / "out.json"
    assert run(["eval", "restore", "--kind", "grammar", "--sizes", "12", "--answers", "2", "--json", str(target)]) == 0
    shown = capsys.readouterr().out
    assert "**0 wrong values**" in shown and "| possessive |" in shown and "time for a chunk" in shown
    kept = json.loads(target.read_text())
    assert kept["tools"][0]["name"] == "gama" and kept["settings"] == {"sizes": [12], "answers": 2, "seed": 0}
    assert run(["eval", "restore", "--kind", "unchanged", "--competitor", f"litellm={python}"]) == 0
    assert "litellm 1.0" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--kind", "nothing"], "unknown kind or group 'nothing'"),
        (["--sizes", "3"], "--sizes: '3'"),
        (["--competitor", "x"], "NAME=PYTHON"),
    ],
)
def test_wrong_arguments(capsys, arguments, says):
    assert run(["eval", "restore", *arguments]) == 2
    assert says in capsys.readouterr().err


def test_other_tools_are_known_by_the_former_option_too(capsys):
    assert run(["eval", "restore", "--rival", "x"]) == 2
    assert "NAME=PYTHON" in capsys.readouterr().err
