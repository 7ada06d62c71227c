"""PII-Bench T1 by a language model: its map of persons is read, scored as it is, and what stands in the text is hidden."""

import json

import pytest

from gama.evals.datasets.corpus import load
from gama.evals.identify import evaluate
from gama.evals.methods.catalog import choose
from gama.evals.methods.subjects import UNREADABLE, SubjectsByModel, persons_of, system_prompt
from gama.evals.runs import run
from gama.state.errors import OptionError
from gama.state.options import Options
from gama.state.private_text import PrivateText
from tests.support.commands import runner

TEXT = "Alex joined Google in 2019. Bob, 25 years old, is with Apple; he knows Alex."
LINES = json.dumps(
    {
        "id": "a",
        "text": "⟦Alex|PER.first_name|A⟧ joined ⟦Google|ORG.company|A⟧ in ⟦2019|DATETIME.date|A⟧. ⟦Bob|PER.first_name|B⟧, "
        "⟦25 years|DEM.age|B⟧ old, is with ⟦Apple|ORG.company|B⟧; he knows ⟦Alex|PER.first_name|A⟧.",
    }
)
FIXTURE_A = [
    {"subject": "A", "entities": {"Bob": "PER", "25 years": "DATETIME", "Apple": "ORG"}},
    {"subject": "B", "entities": {"Alex": "PER", "Google": "org "}},
    {"subject": "C", "entities": {"Carol": "PER"}},
]
"""The spec's fixture (03 §3.5), as a model would write it; Carol does not stand in the text."""


def method(*replies):
    told = iter(replies)
    asked = []

    def complete(messages):
        asked.append(messages)
        return PrivateText(next(told))

    made = SubjectsByModel("llm-subjects", "about", complete, "scripted")
    return made, asked


def test_the_published_fixture_comes_out_of_a_reply(tmp_path):
    file = tmp_path / "mine.jsonl"
    file.write_text(LINES + "\n", "utf-8")
    made, _ = method("[]", "Here it is: " + json.dumps(FIXTURE_A))
    dataset = load(file)
    assert dataset.records[0].example.text == TEXT
    done = run(made, [("a", TEXT)], lambda name: None)
    (row,) = evaluate(dataset, [done], resamples=0).rows
    scores = {name: round(one.value, 4) for name, one in row.values.items()}
    assert scores["strict_f1"] == 0.4889 and scores["ent_matched_f1"] == 0.6 and scores["ent_global_f1"] == 0.8333


def test_what_stands_in_the_text_is_hidden_at_every_mention():
    made, asked = method(json.dumps(FIXTURE_A))
    hidden = made.hide(TEXT)
    assert "Alex" not in hidden.masked and "Google" not in hidden.masked and "2019" in hidden.masked
    found = {(TEXT[one.start : one.end], one.type, one.subject) for one in hidden.stretches}
    assert ("Apple", "ORG", "0") in found and ("Alex", "PER", "1") in found and len(hidden.stretches) == 6
    system, user = (one["content"] for one in asked[0])
    assert system == system_prompt() and user.reveal() == TEXT
    assert "DEM: Occupation, Age" in system and "only mentioned in what others say" in system


@pytest.mark.parametrize(
    ("items", "persons"),
    [
        ([{"subject": "A", "Ann": "PER"}], [{("Ann", "PER")}]),
        ([{"entities": {"Ann": "PER"}}, {"entities": {"Bo": "PER"}}], [{("Ann", "PER")}, {("Bo", "PER")}]),
        ([{"subject": "A", "entities": {"Ann": "PER"}}, {"subject": "A", "entities": {"41": "DEM"}}],
         [{("Ann", "PER"), ("41", "DEM")}]),
        ([{"subject": "A", "entities": {"Ann": "HUMAN", " ": "PER"}}, "x", 7], []),
        ([{"subject": "A", "entities": {"Ａnn ": "per"}}], [{("Ann", "PER")}]),
        ([], []),
    ],
)  # fmt: skip
def test_replies_are_read(items, persons):
    assert persons_of(items) == [frozenset(one) for one in persons]


def test_a_reply_that_cannot_be_read_finds_nothing_and_says_so():
    made, asked = method("I cannot.", "No.")
    hidden = made.hide(TEXT)
    assert hidden == ([], TEXT, (UNREADABLE,), ()) and len(asked) == 2


def test_it_runs_only_where_it_is_named_and_a_model_is():
    assert "llm-subjects" not in {one.name for one in choose(Options()).methods}
    for name, option in (("llm-subjects", "--private"), ("public-llm-subjects", "--public")):
        with pytest.raises(OptionError, match=option):
            choose(Options(), [name])


@pytest.mark.parametrize(
    ("name", "flags"),
    [("llm-subjects", ("--private", "--private-base-url")), ("public-llm-subjects", ("--public", "--base-url"))],
)
def test_the_command_scores_either_model(capsys, loopback, tmp_path, name, flags):
    file, out = tmp_path / "mine.jsonl", tmp_path / "out.json"
    file.write_text(LINES + "\n", "utf-8")
    loopback.reply = lambda request: json.dumps(FIXTURE_A if TEXT in str(request["messages"]) else [])
    gama = runner(capsys)
    done = gama("eval", "identify", "--data", file, "--methods", f"{name},patterns", "--resamples", 0, "--json", out,
                flags[0], "openai:local", flags[1], loopback.url)  # fmt: skip
    assert done.code == 0, done.err
    told = json.loads(out.read_text("utf-8"))
    assert told["figures"][name]["strict_f1"]["value"] == pytest.approx(0.488889, abs=1e-6)
    assert told["methods"][name]["facts"]["model"] == "openai:local" and ("RAW" in done.out) == (name[:6] == "public")
    loopback.fault = 400
    done = gama("eval", "identify", "--data", file, "--methods", name, "--resamples", 0, flags[0], "openai:local", flags[1],
                loopback.url)  # fmt: skip
    assert done.code != 0 and "Alex" not in done.err and done.err.count("\n") == 1
