"""What a trained model is worth against its start, on held-out persons, by an attacker of other weights."""

import pytest

from gama.evals.metrics.attributes import combined
from gama.evals.teachers import Calls, make_teacher
from gama.models.names import Price
from gama.state.errors import InputError, ModelDenied, OptionError
from gama.training.seal.measuring import Referees, expected_cost, fingerprint, measure
from gama.training.seal.sources import Text
from tests.support.teaching import ScriptedTeacher, config_of, profiles

TRUTH = profiles(1)[0].truth
TEXTS = [Text(f"p{n}/1", f"p{n}", "test", TRUTH, f"I am a nurse in Porto, number {n}.") for n in range(4)]


def measured(tmp_path, start, trained, referee=None, texts=TEXTS, **numbers):
    attacker = make_teacher(referee or ScriptedTeacher(log=tmp_path / "paid.log"))
    calls = Calls(tmp_path / "calls.jsonl", {}, "test", [attacker])
    models = {
        name: lambda name=name, model=model: make_teacher(model)._replace(name=name)
        for name, model in (("start", start), ("trained", trained))
    }
    config = config_of(eval={"rounds": 3, **numbers})
    return measure(texts, models, Referees(attacker, attacker), config, calls, lambda name: None)


def test_a_model_is_compared_with_its_start(tmp_path):
    found = measured(tmp_path, ScriptedTeacher(garbled="rewrite"), ScriptedTeacher())
    original, start, trained = found.rows
    assert (
        found.texts == 4 and found.missing == 0 and [row.name for row in found.rows] == ["original", "start", "trained"]
    )
    # Of the four attributes that are known two stand there; the trained one takes both away, by two rewritings.
    assert original.privacy == start.privacy == 0.5 and trained.privacy == 0
    assert (start.utility, start.rounds, start.unread) == (1.0, 3, 0)
    assert (trained.utility, trained.rounds) == (pytest.approx((1 + 0.8 + 1) / 3), 2)
    assert trained.combined == pytest.approx(combined(0, trained.utility, 0.5)) and original.combined == 0
    assert original.by_attribute == {"age": 0, "gender": 0, "location": 1, "occupation": 1}


def test_the_rule_says_what_is_taken(tmp_path):
    kept = measured(tmp_path, ScriptedTeacher(), ScriptedTeacher(), rule="utility_floor", floor=0.96)
    assert kept.rows[2].privacy == 0.25 and kept.rows[2].utility == pytest.approx((1 + 0.9 + 1) / 3)


def test_what_was_asked_is_kept_and_a_text_that_stays_is_attacked_once(tmp_path):
    first = measured(tmp_path, ScriptedTeacher(garbled="infer"), ScriptedTeacher())
    assert first.rows[1].unread == 4 and first.rows[1].privacy == 0.5
    paid = (tmp_path / "paid.log").read_text().splitlines()
    assert len(paid) == 4 * 3, "the original, the one that was refined, and its judgement"
    assert measured(tmp_path, ScriptedTeacher(garbled="infer"), ScriptedTeacher()) == first
    assert len((tmp_path / "paid.log").read_text().splitlines()) == 12


def test_rows_are_over_the_same_texts(tmp_path):
    # Where no judgement can be read, what was refined is in no row.
    referee = ScriptedTeacher(garbled="judge")
    with pytest.raises(InputError, match="no text could be measured"):
        measured(tmp_path, ScriptedTeacher(), ScriptedTeacher(), referee)
    plain = [*TEXTS, Text("q/1", "q", "test", TRUTH, "Nothing is said here.")]
    (tmp_path / "calls.jsonl").unlink()
    found = measured(tmp_path, ScriptedTeacher(), ScriptedTeacher(), referee, plain)
    assert (found.texts, found.missing) == (1, 4) and [row.privacy for row in found.rows] == [0, 0, 0]
    assert [row.combined for row in found.rows] == [None] * 3, "nothing is inferred from the original"


def test_without_truth_nothing_is_measured(tmp_path):
    blank = [TEXTS[0]._replace(truth={})]
    with pytest.raises(InputError, match="nothing is known to be true"):
        measured(tmp_path, ScriptedTeacher(), ScriptedTeacher(), texts=blank)


def test_a_referee_that_cannot_be_asked_ends_it(tmp_path, monkeypatch):
    def ask(self, *more):
        raise ModelDenied("The server refused the key.")

    monkeypatch.setattr(Calls, "ask", ask)
    with pytest.raises(ModelDenied):
        measured(tmp_path, ScriptedTeacher(), ScriptedTeacher())


def test_what_it_costs_is_told_before(tmp_path):
    attacker = make_teacher(ScriptedTeacher())._replace(price=Price(10.0, 100.0))
    calls = Calls(None, {}, "test", [attacker])
    count, money = expected_cost(TEXTS, 2, Referees(attacker, attacker), calls)
    assert count == 4 * (1 + 2 + 2) and money is not None
    # At least what the replies cost, and not ten times as much as all of it.
    written = (4 * 3 * 500 + 4 * 2 * 120) * 100 / 1e6
    assert written < money < 3 * written
    unknown = attacker._replace(price=None)
    assert expected_cost(TEXTS, 2, Referees(unknown, attacker), calls) == (20, None)
    assert expected_cost(TEXTS, 2, Referees(), calls) == (0, 0)


def test_another_models_files_are_told_apart(tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "model.safetensors").write_bytes(b"one")
    first = fingerprint(tmp_path / "model")
    assert fingerprint(tmp_path / "model") == first
    (tmp_path / "model" / "model.safetensors").write_bytes(b"other")
    assert fingerprint(tmp_path / "model") != first
    with pytest.raises(OptionError, match="no folder"):
        fingerprint(tmp_path / "none")
