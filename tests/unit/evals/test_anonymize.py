"""`gama eval anonymize`: figures of the methods, and the shipped persons."""

import json

import pytest

from gama.evals.anonymize import HARD, UNSEEN, Person, Plan, Referees, calibration, expect, read_people, run
from gama.evals.metrics.attributes import Hit
from gama.evals.rewriters import Writer, Written
from gama.evals.teachers import Calls, make_teacher
from gama.models.names import Price
from gama.privacy.refining.attributes import ATTRIBUTES
from gama.privacy.refining.inferences import sentence_spans
from gama.serve.cli import run as command
from gama.state.errors import InputError, ModelError
from gama.state.options import Options
from gama.training.seal.profiles import cues
from tests.support.teaching import REPLIES, TELLING, ScriptedTeacher

WRITTEN, COMPOSED = UNSEEN.with_name("written.jsonl"), UNSEEN.with_name("development.jsonl")


@pytest.mark.parametrize(("file", "least"), [(UNSEEN, 40), (HARD, 40), (WRITTEN, 12), (COMPOSED, 100)])
def test_the_shipped_persons_are_whole(file, least):
    people = read_people(file)
    known = {one.name: one for one in ATTRIBUTES}
    assert len(people) >= least and len({one.id for one in people}) == len(people)
    assert all(one.truth.keys() <= known.keys() and one.truth and one.text for one in people)
    closed = [
        (known[name].options, value) for one in people for name, value in one.truth.items() if known[name].options
    ]
    assert all(value in options for options, value in closed)


def test_nothing_unseen_was_trained_on():
    """No sentence of the unseen is a cue, or stands in another set."""
    seen = {cue.text for cue in cues()} | {one for file in (WRITTEN, COMPOSED) for one in sentences(file)}
    for file in (UNSEEN, HARD):
        assert not {one.casefold() for one in seen} & {one.casefold() for one in sentences(file)}


def test_the_hard_texts_are_of_the_same_persons_and_name_nothing():
    people = {one.id: one for one in read_people(UNSEEN)}
    records = [json.loads(line) for line in HARD.read_text("utf-8").splitlines()]
    assert {one["person"] for one in records} == people.keys()
    for one in records:
        assert one["truth"] == people[one["person"]].truth
        named = [one["truth"][name] for name in ("age", "location", "birthplace", "occupation") if name in one["truth"]]
        assert not [value for value in named if value.lower() in one["text"].lower()], one["id"]
    assert not sentences(HARD) & sentences(UNSEEN)


def sentences(file):
    return {person.text[a:b] for person in read_people(file) for a, b in sentence_spans(person.text)}


def plan_of(people, methods, *, private=None, attacker=None, judge=None, path=None, **more):
    """Return a run in which models are scripted, and everybody who is not named is embedded."""
    options = Options(**{name: more.pop(name) for name in list(more) if name.startswith("refine_")})
    calls = Calls(path, {}, "test", [one for one in (private, attacker, judge) if one])
    return Plan(people, methods, Writer(options, calls, private), Referees(attacker, judge), **more)


def measured(plan, at_once=4):
    return run(plan, lambda *_: None, at_once)


@pytest.mark.parametrize("file", [WRITTEN, COMPOSED])
def test_refining_halves_what_is_inferred_and_keeps_the_meaning(file):
    """On the sets for development: the unseen are measured, never tuned to."""
    plan = plan_of(read_people(file)[:12], ["original", "masked", "placeholders", "generalised", "refined"])
    report = measured(plan)
    assert (report.texts, report.missing) == (12, 0)
    original, masked, placeholders, generalised, refined = report.figures
    assert original.meaning == original.utility == original.bleu == original.rouge_l == 1 and original.combined == 0
    assert refined.top1 <= placeholders.top1 / 2 and placeholders.top1 > 0
    assert refined.top1 <= refined.top3 and refined.meaning >= 0.85
    assert masked.rouge_l > placeholders.rouge_l > refined.rouge_l, "stars are no words, placeholders are"
    assert placeholders.top1 >= generalised.top1 >= refined.top1 and generalised.meaning >= refined.meaning
    assert refined.combined == pytest.approx((original.top1 - refined.top1) / original.top1 + refined.utility - 1)
    assert sum(count for count, _ in placeholders.by_certainty.values()) > 0


def test_calibration_counts_what_was_guessed_with_a_certainty():
    hits = [Hit("age", 1, 1, 2), Hit("income", 0, 1, 2), Hit("gender", 1, 1, 5), Hit("location", 0, 0, 0)]
    assert calibration(hits) == {2: (2, 0.5), 5: (1, 1.0)}


def test_generalising_leaves_nothing_out():
    (person,) = [one for one in read_people(COMPOSED) if one.id == "held-0007"]
    writer = plan_of([], []).writer
    placeholders, generalised, refined = (
        writer.write(name, person.id, person.text).texts[-1].split()
        for name in ("placeholders", "generalised", "refined")
    )
    assert generalised != placeholders and len(refined) < len(generalised) == len(placeholders)


def test_a_mask_stands_for_each_value():
    text = "Emma Williams wrote to emma@example.org."
    assert plan_of([], []).writer.write("masked", "p", text) == Written(("*** wrote to ***.",))


TRUTH = {"occupation": "nurse", "location": "Porto", "age": "34", "gender": "female"}
PEOPLE = [Person(f"p{n}", TRUTH, f"I am a nurse, I am 34, and I like it, number {n}.") for n in range(3)]
LLM = ["original", "placeholders", "adversarial", "refined-llm"]


def scripted(tmp_path, **more):
    return make_teacher(ScriptedTeacher(log=tmp_path / "asked.log", **more))


def asked(tmp_path):
    return (tmp_path / "asked.log").read_text().splitlines()


def test_private_llm_attacker_and_judge_are_three(tmp_path):
    private = make_teacher(ScriptedTeacher(log=tmp_path / "private.log"))
    one = scripted(tmp_path)
    report = measured(plan_of(PEOPLE, LLM, private=private, attacker=one, judge=one))
    by_name = {figures.method: figures for figures in report.figures}
    # Of the four attributes two stand there, and each rewriting of the private LLM takes one away.
    assert by_name["original"].top1 == 0.5 and by_name["original"].by_attribute["occupation"] == 1
    assert by_name["adversarial"].top1 == 0 and by_name["adversarial"].combined == pytest.approx(
        1 + (1 + 0.8 + 1) / 3 - 1
    )
    # It says with 5 of 5 that a nurse is one, with 3 of 5 how old she is.
    assert by_name["original"].sure == 0.5 and by_name["adversarial"].sure == 0
    assert by_name["adversarial"].by_attribute == dict.fromkeys(by_name["original"].by_attribute, 0)
    assert any(line.startswith("rewrite 0.7") for line in (tmp_path / "private.log").read_text().splitlines())
    assert {line.split()[0] for line in asked(tmp_path)} == {"infer", "judge"}


def test_who_measures_is_not_told_by_which_method_a_text_was_made(tmp_path):
    one = scripted(tmp_path)
    measured(plan_of(PEOPLE, LLM, private=one, attacker=one, judge=one, seed=3))
    said = "\n".join(asked(tmp_path))
    assert not any(name in said for name in (*LLM, "p0", "p1", "p2") if name != "original")
    assert "Original:" in said, "the judge compares"


def asked_of(tmp_path, name, seed, more):
    one = make_teacher(ScriptedTeacher(log=tmp_path / name))
    plan = plan_of(
        PEOPLE, ["original", "placeholders", "adversarial"], private=make_teacher(ScriptedTeacher()), **more(one)
    )
    plan.seed = seed
    measured(plan, at_once=1)
    return (tmp_path / name).read_text().splitlines()


def test_the_judge_sees_texts_in_an_order_drawn_by_lot(tmp_path):
    def judging(one):
        return {"judge": one}

    first, again, other = (asked_of(tmp_path, f"{n}.log", seed, judging) for n, seed in enumerate((1, 1, 2)))
    assert first == again != other and sorted(first) == sorted(other)


def test_an_attacker_who_remembers_has_read_nothing_more_telling_of_the_same_person(tmp_path):
    asked = asked_of(tmp_path, "asked.log", 1, lambda one: {"attacker": one})
    for n in range(len(PEOPLE)):
        telling = [sum(word in line for word in TELLING) for line in asked if f"number {n}." in line]
        assert telling == sorted(telling) and telling[0] == 0 and telling[-1] == 2


def test_the_same_text_is_attacked_and_judged_once(tmp_path):
    one = scripted(tmp_path)
    people = [Person("p", TRUTH, "The nurse likes it here.")]
    report = measured(plan_of(people, ["original", "masked", "placeholders"], attacker=one, judge=one))
    assert [figures.top1 for figures in report.figures] == [0.25] * 3
    assert [line.split()[0] for line in asked(tmp_path)] == ["infer"], "nothing is found in it: the original's own"


def test_what_refines_is_measured_after_each_round(tmp_path):
    one = scripted(tmp_path)
    plan = plan_of(
        PEOPLE, ["original", "adversarial"], private=one, attacker=one, judge=one, iterations=True, refine_rounds=3
    )
    original, *rounds = measured(plan).figures
    assert (original.iteration, [figures.iteration for figures in rounds]) == (0, [1, 2, 3])
    assert [figures.top1 for figures in (original, *rounds)] == [0.5, 0.25, 0, 0], "the third was not needed"
    once = plan_of(PEOPLE, ["original", "adversarial"], private=one, attacker=one, judge=one)
    assert measured(once).figures[-1].top1 == 0


def test_a_stopped_run_goes_on_with_what_was_answered(tmp_path):
    one, path = scripted(tmp_path), tmp_path / "kept.jsonl"
    broken = make_teacher(ScriptedTeacher(fails=True))._replace(name=one.name)
    with pytest.raises(ModelError):
        measured(plan_of(PEOPLE, LLM, private=one, attacker=broken, path=path))
    rewritten = len(asked(tmp_path))
    assert rewritten > 0
    first = measured(plan_of(PEOPLE, LLM, private=one, attacker=one, judge=one, path=path))
    whole = len(asked(tmp_path))
    plan = plan_of(PEOPLE, LLM, private=one, attacker=one, judge=one, path=path)
    assert measured(plan) == first and len(asked(tmp_path)) == whole == len(plan.calls.kept)


def test_the_cost_is_told_before_and_no_more_is_asked(tmp_path):
    one, path = scripted(tmp_path)._replace(price=Price(1, 1)), tmp_path / "kept.jsonl"
    plan = plan_of(PEOPLE, LLM, private=one, attacker=one, judge=one, path=path, refine_rounds=2)
    expected = expect(plan)
    # Of each text four attacks and three judgements; of one method seven calls, of the other, which may take parts and
    # finish by rule, thirteen.
    assert expected.calls == 3 * (4 + 3 + (3 + 2 + 2) + (6 + 2 + 5)) and expected.money > 0
    measured(plan)
    assert len(asked(tmp_path)) <= expected.calls
    later = expect(plan_of(PEOPLE, LLM, private=one, attacker=one, judge=one, path=path, refine_rounds=2))
    assert later.calls == expected.calls - len(asked(tmp_path)) and later.money < expected.money
    unknown = one._replace(price=None)
    assert expect(plan_of(PEOPLE, LLM, private=one, attacker=unknown, judge=one)).money is None
    assert expect(plan_of(PEOPLE, ["original", "refined"])) == (0, {}, 0)


def test_rows_are_over_the_same_texts(tmp_path):
    people = [*PEOPLE, Person("q", TRUTH, "Nothing is said here.")]
    judge = scripted(tmp_path, garbled="judge")
    report = measured(plan_of(people, ["original", "adversarial"], private=scripted(tmp_path), judge=judge))
    assert (report.texts, report.missing) == (1, 3)
    garbled = plan_of(PEOPLE, ["original"], attacker=scripted(tmp_path, garbled="infer"))
    with pytest.raises(InputError, match="no text could be measured"):
        measured(garbled)


def test_a_private_llm_that_cannot_be_read_is_told(tmp_path):
    garbled = scripted(tmp_path, garbled="infer")
    original, adversarial = measured(plan_of(PEOPLE, ["original", "adversarial"], private=garbled)).figures
    assert adversarial.unread == 3 and original.unread == 0 and adversarial.utility == 1


def test_the_command_writes_the_figures(tmp_path, capsys):
    out = tmp_path / "figures.json"
    assert command(["eval", "anonymize", "--limit", "2", "--json", str(out)]) == 0
    said = capsys.readouterr().out
    assert "embedded" in said and "second hand" in said and "SEAL-8B" in said
    figures = json.loads(out.read_text(encoding="utf-8"))
    methods = [one["method"] for one in figures["figures"]]
    assert methods == ["original", "masked", "placeholders", "generalised", "refined"]
    assert figures["persons"] == 2 and figures["calls"] == 0
    assert figures["published"]["second_hand"] and figures["published"]["rows"][0]["privacy"] == 0.625


def test_the_command_asks_models_of_a_server(tmp_path, capsys, loopback, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "x")

    def reply(request):
        system, user = (str(message["content"]) for message in request["messages"])
        role = "judge" if "hallucination" in system else "rewrite" if "You rewrite" in system else "infer"
        return REPLIES[role](user)

    loopback.reply = reply
    people = tmp_path / "people.jsonl"
    people.write_text("\n".join(json.dumps(one._asdict()) for one in PEOPLE), encoding="utf-8")
    asking = ["eval", "anonymize", "--data", str(people), "--methods", "placeholders,refined-llm"]
    models = [
        "--private",
        "openai:hand-anonymizer",
        "--attacker",
        "openai:hand-attacker",
        "--judge",
        "openai:hand-judge",
    ]
    given = [*asking, *models, "--refine-rounds", "2", "--keep", str(tmp_path / "kept"), "--at-once", "8"]
    assert command([*given, "--base-url", loopback.url]) == 0
    told = capsys.readouterr()
    assert "at most about 51 calls" in told.err and "openai:hand-attacker" in told.out and "refined-llm" in told.out
    asked = len(loopback.requests)
    assert {one["model"] for one in loopback.requests} == {"hand-anonymizer", "hand-attacker", "hand-judge"}
    assert command([*given, "--base-url", loopback.url]) == 0 and len(loopback.requests) == asked


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (["--methods", "placeholders,guessing"], "there is no 'guessing'"),
        (["--methods", ","], "name some"),
        (["--methods", "refined-llm"], "needs a private LLM"),
        (["--attacker", "openai:gpt-4o"], "made up"),
        (["--hard", "--data", "some.jsonl"], "--hard"),
    ],
)
def test_what_cannot_be_measured_is_told(given, why, capsys):
    assert command(["eval", "anonymize", "--limit", "1", *given]) == 2
    assert why in capsys.readouterr().err


@pytest.mark.parametrize("line", ["no", "{}", '{"id": 1, "truth": 3, "text": ""}'])
def test_a_file_of_no_persons_is_told(tmp_path, line):
    (tmp_path / "some.jsonl").write_text(line, encoding="utf-8")
    with pytest.raises(InputError, match="persons"):
        read_people(tmp_path / "some.jsonl")


def test_two_persons_of_one_name_are_refused(tmp_path):
    (tmp_path / "some.jsonl").write_text('{"id": "a", "truth": {}, "text": "b"}\n' * 2, encoding="utf-8")
    with pytest.raises(InputError, match="same id"):
        read_people(tmp_path / "some.jsonl")


@pytest.mark.parametrize(("people", "why"), [([], "no text"), ([Person("p", {}, "I am here.")], "nothing is known")])
def test_no_persons_are_no_figures(people, why):
    with pytest.raises(InputError, match=why):
        measured(plan_of(people, ["original"]))
