"""PII-Bench by a scripted private LLM, and the command that makes the sets."""

import hashlib
import json
from collections import Counter
from random import Random

import pytest
from typer.testing import CliRunner

from gama.evals.datasets.piibench import check, from_json
from gama.evals.piibench import make
from gama.evals.piibench.lists import sections
from gama.evals.piibench.make import Sizes, make_sets
from gama.evals.piibench.queries import DOMAINS
from gama.evals.piibench.samples import Maker
from gama.evals.piibench.statistics import NOT_COMPARABLE
from gama.evals.piibench.values import draw, fits
from gama.evals.piibench.writer import TRIES, Writer
from gama.serve import cli
from gama.serve.commands.eval import evaluations
from gama.state.errors import InputError, ModelReplyError, ModelUnreachable, OptionError
from gama.state.private_text import PrivateText

STEPS = ("invent values", "check the data", "write a text", "design scenarios", "write the question")


def quiet(name: str) -> None:
    pass


class Model:
    """A private LLM that does as it is told, but for the first replies of some steps."""

    def __init__(self, **wrong):
        self.wrong = {step: list(replies) for step, replies in wrong.items()}
        self.asked = Counter()

    def __call__(self, messages):
        system, user = (one["content"] for one in messages)
        return PrivateText(self.reply(system, user.reveal()))

    def reply(self, system, user):
        step = next(step for step in STEPS if step in system)
        self.asked[step] += 1
        name = step.split()[-1]
        if self.wrong.get(name):
            answer = self.wrong[name].pop(0)
            if isinstance(answer, Exception):
                raise answer
            if answer is not None:
                return answer(json.loads(user)) if callable(answer) else answer
        return getattr(self, name)(json.loads(user))

    def values(self, told):
        rng = Random(json.dumps(told))
        return json.dumps([{"category": name, "entity": draw(name, rng)} for name in told["categories"]])

    def data(self, items):
        return "All is well. " + json.dumps(items)

    def text(self, told):
        lines = [f"There was {value} to be told." for person in told["people"] for value in person.values()]
        return json.dumps(lines, ensure_ascii=False)

    def scenarios(self, wanted):
        return json.dumps([{"domain": domain, "scenario": "One has to decide."} for domain in ("fishing", *DOMAINS)])

    def question(self, told):
        return '["What ought to be done now, given what the text says?"]'


FOREVER = 50


def test_a_private_llm_writes_samples_of_both_kinds():
    model = Model()
    maker = Maker(2, model)
    records = [*maker.singles(4, quiet), *maker.pairs(6, quiet)]
    assert len(records) == 10 and not maker.dropped and not maker.writer.failures
    for record in records:
        check(record)
        assert record.query.startswith("What ought") and "There was " in record.description
    assert set(model.asked) == set(STEPS)
    # Least used domains first.
    assert len({record.scenario for record in records}) == len(DOMAINS)


@pytest.mark.parametrize(
    ("step", "wrong"),
    [
        ("values", "no list at all"),
        ("values", "[]"),
        ("values", lambda told: json.dumps([{"category": name, "entity": "x" * 99} for name in told["categories"]])),
        (
            "values",
            lambda told: json.dumps([{"category": name, "entity": "same"} for name in [*told["categories"], "Age"]]),
        ),
        ("data", "[1, 2]"),
        ("data", lambda items: json.dumps(items[1:])),
        ("data", lambda items: json.dumps([one | {"entity": ""} for one in items])),
        ("text", "[]"),
        ("text", '["Nothing of it."]'),
        ("text", "[{}]"),
        ("text", lambda told: json.dumps([*told["people"][0].values(), "Mail x@y.org."])),
        ("scenarios", '[{"domain": "fishing", "scenario": "To the lake."}]'),
        ("scenarios", '[{"domain": "career", "scenario": ""}, "career"]'),
        ("question", "[]"),
        ("question", "[7]"),
        ("question", lambda told: json.dumps([f"And what of {told['facts'][0]['value'].upper()}?"])),
        ("question", ModelReplyError("odd")),
    ],
)
def test_a_reply_that_fails_is_asked_for_again_and_after_some_the_sample_is_dropped(step, wrong):
    # A reply that holds no list at all is asked for a second time at once.
    model = Model(**{step: [wrong, wrong]})
    maker = Maker(6, model)
    (record,) = maker.singles(1, quiet)
    check(record)
    assert not maker.dropped and 1 <= sum(maker.writer.failures.values()) <= 2
    maker = Maker(6, Model(**{step: [wrong] * FOREVER}))
    assert maker.singles(1, quiet) == [] and maker.dropped == {"single": 1}
    assert list(maker.writer.failures.values()) == [TRIES]


def test_consistency_may_change_values_and_a_broken_relation_drops_the_pair():
    people = {"Full Name": "Quorlin Vasterby", "Age": "44"}, {"Full Name": "Ila Worth", "Age": "20"}

    def older(items):
        return json.dumps([one | {"entity": "43" if one["tag"] == "Age" else one["entity"]} for one in items])

    made = Writer(Model(data=[older])).people(people, "parent-child")
    assert made is not None and made[0]["Age"] == "43" and made[1]["Age"] == "20"
    writer = Writer(Model(data=[None, older]))
    assert writer.people(people, "parent-child") is None and writer.failures == {"relation": 1}


def test_what_two_persons_share_stays_shared():
    people = tuple(
        {"Full Name": name, "Company": "Ossem", "NGO": name[:3]} for name in ("Quorlin Vasterby", "Ila Worth")
    )
    made = Writer(Model()).people(people, "colleagues")
    assert made is not None and made[0]["Company"] == made[1]["Company"] != "Ossem"
    assert all(fits("NGO", one["NGO"]) and one["NGO"] in sections("values")["NGO"] for one in made)


def test_a_model_that_cannot_be_reached_ends_the_work():
    with pytest.raises(ModelUnreachable):
        Maker(1, Model(values=[ModelUnreachable("gone")] * FOREVER)).singles(3, quiet)


def test_a_model_that_writes_nothing_usable_is_told():
    with pytest.raises(InputError, match="no usable sample"):
        make_sets(Sizes(2, 2, 0, 0), 1, quiet, Model(text=["[]"] * FOREVER))


SMALL = ["--single", "12", "--multi", "8", "--hard", "4", "--distract", "3"]


@pytest.fixture
def gama(capsys):
    def command(*arguments):
        code = cli.main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return command


def test_the_sets_are_made_and_measured(gama, tmp_path):
    out = tmp_path / "bench"
    code, printed, err = gama("eval", "make-pii-bench", "--out", out, *SMALL)
    assert code == 0, err
    assert sorted(file.name for file in out.iterdir()) == [
        "card.json",
        "distract.jsonl",
        "hard.jsonl",
        "multi.jsonl",
        "single.jsonl",
    ]
    records = {
        file.stem: [from_json(json.loads(line)) for line in file.open(encoding="utf-8")] for file in out.glob("*.jsonl")
    }
    assert {name: len(these) for name, these in records.items()} == {"single": 12, "multi": 8, "hard": 4, "distract": 3}
    card = json.loads((out / "card.json").read_text(encoding="utf-8"))
    assert card["seed"] == 1 and card["method"].startswith("offline") and card["sizes"]["hard"] == 4
    assert card["note"] == NOT_COMPARABLE and NOT_COMPARABLE in err and not any(card["dropped"].values())
    for name, digest in card["sha256"].items():
        assert hashlib.sha256((out / name).read_bytes()).hexdigest() == digest
    for part in ("single, made", "distract, published", "all, made", "893.48", "QUANTITY", "1,214 13.0%"):
        assert part in printed
    assert not any(fact.entity in printed for fact in records["single"][0].facts if len(fact.entity) > 6)
    code, printed, err = gama(
        "eval", "query", "--data", out, "--methods", "all-hidden,none-hidden", "--resamples", 0, "--per", "source"
    )
    assert code == 0, err
    assert "27 texts with queries (bench)" in printed and "hard" in printed and "gold" in printed
    code, printed, err = gama(
        "eval", "identify", "--data", out / "multi.jsonl", "--methods", "patterns", "--resamples", 0
    )
    assert code == 0 and "8 texts (multi.jsonl)" in printed, err


def test_the_same_seed_gives_the_same_bytes(tmp_path):
    made = []
    for name, seed in (("one", "7"), ("two", "7"), ("three", "8")):
        result = CliRunner().invoke(
            evaluations, ["make-pii-bench", "--out", str(tmp_path / name), "--seed", seed, *SMALL]
        )
        assert result.exit_code == 0, result.output
        made.append({file.name: file.read_bytes() for file in (tmp_path / name).iterdir()})
    assert made[0] == made[1] and made[0]["single.jsonl"] != made[2]["single.jsonl"]


def test_the_private_llm_of_the_command_writes_them(gama, loopback, tmp_path):
    model = Model()
    broken = iter([True])

    def reply(request):
        system, user = (one["content"] for one in request["messages"])
        if "write the question" in system and next(broken, False):
            return '["So what of 42?", 7]'
        return model.reply(system, user)

    loopback.reply = reply
    out = tmp_path / "bench"
    code, _, err = gama("eval", "make-pii-bench", "--out", out, "--single", 4, "--multi", 2, "--hard", 2, "--distract", 1,
                        "--private", "openai:local", "--private-base-url", loopback.url)  # fmt: skip
    assert code == 0, err
    card = json.loads((out / "card.json").read_text(encoding="utf-8"))
    assert card["method"] == "private LLM openai:local" and card["sizes"]["single"] == 4
    assert card["failed_replies"] == {"query": 1} and "1 failed replies of the private LLM in the step 'query'" in err
    assert all(1500 in (one.get("max_tokens"), one.get("max_completion_tokens")) for one in loopback.requests)
    assert len((out / "distract.jsonl").read_text(encoding="utf-8").splitlines()) == 1


def test_dropped_samples_are_told(gama, monkeypatch, tmp_path):
    monkeypatch.setattr(make, "distracting", lambda *given: [])
    code, _, err = gama("eval", "make-pii-bench", "--out", tmp_path / "bench", *SMALL)
    assert code == 0 and "note: distract: 3 sample(s) dropped; 0 are left" in err


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--out", "full"], "is not empty; nothing is overwritten"),
        (["--out", "full/file"], "is not a folder"),
        (["--out", "no/such/folder"], "is missing"),
        (["--out", "new", "--single", "3", "--multi", "0", "--distract", "0", "--hard", "9"], "option --hard"),
        (["--out", "new", "--single", "2", "--multi", "2", "--hard", "0", "--distract", "1"], "option --distract"),
        (["--out", "new", "--private", "openai:gpt-4o"], "hosted"),
        (["--out", "new", "--single", "-1"], "--single"),
        ([], "--out"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line_and_leaves_nothing(gama, tmp_path, monkeypatch, arguments, part):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("mine", encoding="utf-8")
    code, out, err = gama("eval", "make-pii-bench", *arguments)
    assert code == 2 and part in err and err.count("\n") == 1 and out == ""
    assert not (tmp_path / "new").exists() and (tmp_path / "full" / "file").read_text(encoding="utf-8") == "mine"


def test_without_faker_nothing_is_written(gama, tmp_path, monkeypatch):
    monkeypatch.setattr("gama.evals.piibench.values.find_spec", lambda name: None)
    code, _, err = gama("eval", "make-pii-bench", "--out", tmp_path / "bench", *SMALL)
    assert code == 2 and "gama-privacy[styles]" in err and not (tmp_path / "bench").exists()
    with pytest.raises(OptionError):
        make_sets(Sizes(1, 0, 0, 0), 1, quiet)


def test_an_empty_set_of_sets_can_be_made(gama, tmp_path):
    arguments = ["--single", 0, "--multi", 0, "--hard", 0, "--distract", 0]
    code, printed, err = gama("eval", "make-pii-bench", "--out", tmp_path / "bench", *arguments)
    assert code == 0 and "0.00" in printed and (tmp_path / "bench" / "single.jsonl").read_bytes() == b"", err
