"""An LLM attacks anonymized texts: what it is shown, and what it found out; the model is scripted."""

import json
import re

import pytest

from gama.evals.attacker import attack, placeholders_of
from gama.evals.datasets.corpus import Dataset, load, read_record
from gama.evals.methods.base import Hidden
from gama.evals.methods.catalog import choose
from gama.evals.metrics.spans import Share, Stretch
from gama.evals.risk import reference
from gama.evals.runs import Run, run_all
from gama.state.options import Options
from tests.support.chat import ScriptedChat
from tests.support.commands import runner

MARKED = [
    "⟦Ann Lee|PER.full_name|A⟧ of ⟦Oslo|LOC.city|A⟧", "⟦Bo|PER.full_name|A⟧ of ⟦Kiel|LOC.city|A⟧",
    "⟦Cy|PER.full_name|A⟧ of ⟦Rome|LOC.city|A⟧",
]  # fmt: skip


@pytest.fixture
def dataset():
    records = [read_record(json.dumps({"id": str(at), "text": text})) for at, text in enumerate(MARKED)]
    return Dataset("made", records, "")


def stretch(start, end, private=True):
    return Stretch(start, end, "PER", "full_name", private)


@pytest.mark.parametrize(
    ("masked", "stretches", "found"),
    [
        ("<name-1> saw <name-1b> and Cy", [stretch(0, 3), stretch(8, 10)], {"<name-1>": {"Ann"}, "<name-1b>": {"Bo"}}),
        ("<name-1> saw <name-1> and Cy", [stretch(0, 3), stretch(8, 10)], {"<name-1>": {"Ann", "Bo"}}),
        ("<name-1> saw Bo and Cy", [stretch(0, 3), stretch(8, 10, private=False)], {"<name-1>": {"Ann"}}),
        # A text that was changed elsewhere too, and one without a placeholder where there should be one.
        ("<name-1> sees <name-2> and Cy", [stretch(0, 3), stretch(8, 10)], {}),
        ("*** saw Bo and Cy", [stretch(0, 3)], {}), ("<name-1> saw Bo", [stretch(0, 3)], {}),
        ("Ann saw Bo and Cy", [], {}),
    ],
)  # fmt: skip
def test_what_placeholders_stand_for(masked, stretches, found):
    assert placeholders_of("Ann saw Bo and Cy", Hidden(stretches, masked)) == found


def test_the_pipelines_placeholders_are_all_known():
    texts = load(limit=12)
    pairs = [(one.id, one.example.text) for one in texts.records]
    done = run_all(choose(Options(), ["pipeline"]).methods, pairs, lambda name: None)[0]
    for (_, text), hidden in zip(pairs, done.hidden, strict=True):
        found = placeholders_of(text, hidden)
        # What already looked like a placeholder is protected, not hidden.
        if "<literal" not in hidden.masked:
            assert set(found) == set(re.findall(r"<[a-z_]+-\d+[a-z]?>", hidden.masked)) != set()


def clever(messages):
    """Guess the first of the three names everywhere, and pick whoever lives in Oslo."""
    said = messages[-1].text
    if "People:" not in said:
        return 'Hm.\n{"<name-1>": ["Ann Lee", "Bo"], "<location-2>": ["Bergen", "Rom"]}'
    return f"Person: {next(line.split('.')[0] for line in said.splitlines() if 'oslo' in line)}"


def test_guesses_and_picks_are_counted(dataset):
    model = ScriptedChat(steps=[clever])
    found = attack(dataset, reference(dataset), [0, 1, 2], model, "made")
    assert found.attacker == "made" and found.people == 3
    # Six placeholders: Ann Lee first; Bo second; Rom is near Rome.
    assert found.guessed == (Share(1, 6), Share(2, 6), Share(3, 6))
    assert found.picked == Share(1, 3) and (found.unreadable, found.failed) == (0, 0)
    shown = model.seen.replace("\\n", "\n")
    assert "Texts:\n<name-1> of <location-2>" in shown and "Ann Lee of" not in shown


def test_what_cannot_be_read_or_reached_is_in_no_share(dataset):
    def fail(messages):
        raise ValueError("no")

    mute = attack(dataset, reference(dataset), [0, 1], ScriptedChat(steps=["I will not."]), "made")
    assert mute.guessed.first == Share() and mute.picked == Share() and mute.unreadable == 4
    steps: list[str] = []
    broken = attack(dataset, reference(dataset), [0, 1], ScriptedChat(steps=[fail]), "made", step=steps.append)
    assert (broken.failed, broken.unreadable, broken.picked) == (2, 0, Share()) and steps == ["gold", "gold"]


def test_where_nothing_is_hidden_nothing_is_guessed(dataset):
    plain = Run("nothing", "", False, {}, [Hidden([], one.example.text) for one in dataset.records], [])
    model = ScriptedChat(steps=[clever])
    found = attack(dataset, plain, [0], model, "made")
    assert found.guessed.first == Share() and found.picked == Share(1, 1)


def test_the_command_attacks_the_shipped_texts(capsys, loopback, tmp_path):
    loopback.reply = lambda request: 'Person: 1\n{"<name-1>": ["Mira"]}'
    out = tmp_path / "risk.json"
    done = runner(capsys)(
        "eval", "risk", "--methods", "nothing", "--sample", "3", "--attacker", "openai:attacker",
        "--attacker-base-url", loopback.url, "--json", out,
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "openai:attacker" in done.out and "whose of 10" in done.out
    found = json.loads(out.read_text())["figures"]
    assert found["nothing"]["attacker"]["picked"][1] == 3 and found["gold"]["attacker"]["guessed"][0][1] > 3
    # Two calls for each text of two outcomes, of which one has nothing to guess.
    assert len(loopback.requests) == 9
    refused = runner(capsys)("eval", "risk", "--data", out, "--attacker", "openai:attacker")
    assert refused.code and "--attacker" in refused.err
