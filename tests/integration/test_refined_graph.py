"""Self-refinement in the whole graph: a round a step, nothing inferred in any checkpoint, a killed run goes on."""

import json
import sqlite3

import pytest
from langgraph.types import Command

from gama.graph.private_graph import build_graph
from gama.nodes.private.space import PrivateSpace
from gama.privacy.anonymizer import Anonymizer
from gama.privacy.finders import Finders
from gama.privacy.pipeline import Pipeline
from gama.state.errors import InputError, LeakError
from gama.state.options import Options
from gama.state.private_text import PrivateText
from gama.vault.seal import Vault

LETTER = (
    "Dear Anna Schulz, I still stand at the crossing with the round sign when my husband rings the bell, and the small "
    "ones wave at me. My number is +49 30 901820.\n\nHow much is 12 % of 400 euros?"
)
ROUNDS = [(" with the round sign", ""), (" when my husband rings the bell", " as ever")]


class PrivateModel:
    """A private LLM that needs two rounds; it may fail once, in a round that is named."""

    def __init__(self):
        self.rewritings, self.fails_in = 0, 0
        self.rewrite = None

    def __call__(self, messages):
        system, user = (one if isinstance(one := m["content"], str) else one.reveal() for m in messages[:2])
        if "a stranger could work out" in system:
            left = sum(old in user for old, _ in ROUNDS)
            block = "Type: {}\nInference: SECRETREASON\nGuess: lollipop man; teacher; clerk\nCertainty: 4\n"
            names = ["occupation", "age"][:left]
            return PrivateText("\n".join(block.format(name) for name in names) or "Type: age\nGuess: none")
        if "You rewrite a text" in system:
            text = user.partition("The text:\n")[2]
            old, new = ROUNDS[0] if ROUNDS[0][0] in text else ROUNDS[1]
            self.rewritings += 1
            if self.rewritings == self.fails_in:
                raise RuntimeError("the local model was stopped")
            new_text = self.rewrite(text) if self.rewrite else text.replace(old, new)
            return PrivateText(f"Less.\n#\n{new_text}")
        if "You compare a rewritten text" in system:
            return PrivateText('{"readability": 9, "meaning": 9, "hallucination": 1}')
        return PrivateText("[]")


def graph_of(model, checkpointer=None, **options):
    settings = Options(**({"refine": "placeholders+refine"} | options))
    space = PrivateSpace(Vault.ephemeral(), Pipeline(settings, Finders(llm=lambda _: model)))
    return build_graph(space=space, checkpointer=checkpointer)


@pytest.mark.parametrize("mode", ["placeholders+refine", "refine"])
def test_the_refined_text_leaves(mode):
    reply = graph_of(PrivateModel(), refine=mode).invoke({"question": LETTER})["reply"]
    assert reply["anonymized"].startswith("Dear <name-1>, I still stand at the crossing")
    assert "round sign" not in reply["anonymized"] and "bell" not in reply["anonymized"]
    assert reply["anonymized"].endswith("How much is 12 % of 400 euros?")
    told = reply["refinement"]
    assert [len(told["before"]), len(told["after"]), told["rounds"]] == [2, 0, 2]
    assert told["changes"][0]["before"].startswith("with the round sign")
    assert any(note.startswith("Refined in 2 rounds") for note in reply["warnings"])
    assert "refine" in reply["timings"]


def test_off_changes_nothing():
    model = PrivateModel()
    reply = graph_of(model, refine="off").invoke({"question": LETTER})["reply"]
    assert "round sign" in reply["anonymized"] and reply["refinement"] is None and not model.rewritings


def test_a_failed_round_is_the_only_one_that_is_done_again(tmp_path):
    from langgraph.checkpoint.sqlite import SqliteSaver

    model = PrivateModel()
    model.fails_in = 2
    connection = sqlite3.connect(tmp_path / "threads.db", check_same_thread=False)
    graph = graph_of(model, SqliteSaver(connection))
    config = {"configurable": {"thread_id": "t"}}
    with pytest.raises(Exception, match="'refine'"):
        graph.invoke({"question": LETTER}, config)
    assert model.rewritings == 2
    reply = graph.invoke(None, config)["reply"]
    assert model.rewritings == 3 and reply["refinement"]["rounds"] == 2
    rows = [row for table in ("checkpoints", "writes") for row in connection.execute(f"select * from {table}")]
    connection.close()
    stored = json.dumps(rows, default=lambda value: value.decode("latin-1"))
    assert "Refined in 2 rounds" in stored
    for secret in ("SECRETREASON", "lollipop", "Schulz", "901820"):
        assert secret not in stored


def test_the_next_turn_starts_anew():
    from langgraph.checkpoint.memory import InMemorySaver

    graph = graph_of(PrivateModel(), InMemorySaver())
    config = {"configurable": {"thread_id": "t"}}
    first = graph.invoke({"question": LETTER}, config)["reply"]
    second = graph.invoke({"question": LETTER}, config)["reply"]
    assert second["anonymized"] == first["anonymized"]
    assert second["refinement"]["rounds"] == 2


DESK = {"configurable": {"thread_id": "desk"}}


def shown(out):
    (waiting,) = out["__interrupt__"]
    return waiting.value


def reviewed(model, mode="placeholders+refine"):
    from langgraph.checkpoint.memory import InMemorySaver

    return graph_of(model, InMemorySaver(), refine=mode, review=True)


@pytest.mark.parametrize("mode", ["placeholders+refine", "refine"])
def test_a_review_shows_each_change_and_takes_some_back(mode):
    model = PrivateModel()
    graph = reviewed(model, mode)
    asked = shown(graph.invoke({"question": LETTER}, DESK))
    assert "as ever" in asked["anonymized"] and '"leave"' in asked["how"]
    (change,) = asked["changes"]
    assert change == {
        "number": 1, "before": "with the round sign when my husband rings the bell", "after": "as ever",
    }  # fmt: skip
    again = shown(graph.invoke(Command(resume={"leave": [1]}), DESK))
    assert "round sign" in again["anonymized"] and again["changes"] == [] and '"leave"' not in again["how"]
    assert "Schulz" not in json.dumps([asked, again])
    reply = graph.invoke(Command(resume=True), DESK)["reply"]
    assert reply["anonymized"] == again["anonymized"] and model.rewritings == 2
    assert any(note == "You took 0 of 1 changes." for note in reply["warnings"])
    assert reply["refinement"]["changes"] == []


def test_one_of_several_changes_may_be_the_last_word():
    model = PrivateModel()
    model.rewrite = lambda text: text.replace("Dear", "Hello").replace("with the round sign when my husband", "when")
    graph = reviewed(model)
    asked = shown(graph.invoke({"question": LETTER}, DESK))
    assert [one["number"] for one in asked["changes"]] == [1, 2]
    reply = graph.invoke(Command(resume={"leave": [1], "send": True}), DESK)["reply"]
    assert reply["anonymized"].startswith("Dear <name-1>") and "round sign" not in reply["anonymized"]
    assert [one["after"] for one in reply["refinement"]["changes"]] == ["when"]


@pytest.mark.parametrize(
    "answer", [{"leave": [2]}, {"leave": [0]}, {"leave": 1}, {"leave": [True]}, {"leave": [1], "hide": ["crossing"]}]
)
def test_changes_that_there_are_not_cannot_be_left(answer):
    graph = reviewed(PrivateModel())
    graph.invoke({"question": LETTER}, DESK)
    told = shown(graph.invoke(Command(resume=answer), DESK))
    assert told["problem"] and len(told["changes"]) == 1
    assert "as ever" in graph.invoke(Command(resume=True), DESK)["reply"]["anonymized"]


def test_a_rest_that_may_not_leave_alone_is_told_and_nothing_is_sent(monkeypatch):
    def refuse(*_):
        raise LeakError("Nothing was sent. With these changes alone a part that must stay was changed.")

    graph = reviewed(PrivateModel())
    graph.invoke({"question": LETTER}, DESK)
    with monkeypatch.context() as patch:
        patch.setattr("gama.privacy.refining.engine.choose", refuse)
        told = shown(graph.invoke(Command(resume={"leave": [1], "send": True}), DESK))
    assert "must stay" in told["problem"] and "as ever" in told["anonymized"] and len(told["changes"]) == 1
    told = shown(graph.invoke(Command(resume={"leave": [1]}), DESK))
    assert "problem" not in told and "round sign" in told["anonymized"]


def test_a_correction_has_the_text_refined_anew():
    model = PrivateModel()
    graph = reviewed(model)
    graph.invoke({"question": LETTER}, DESK)
    again = shown(graph.invoke(Command(resume={"hide": ["small ones"]}), DESK))
    assert "small ones" not in again["anonymized"] and "as ever" in again["anonymized"] and model.rewritings > 2


def test_what_was_looked_at_is_not_refined_again():
    from gama.privacy.refining.engine import written

    anonymizer = Anonymizer(
        pipeline=Pipeline(Options(refine="placeholders+refine"), Finders(llm=lambda _: PrivateModel()))
    )
    view = anonymizer.anonymize(LETTER)
    looked = written(view.refinement).decode()
    model = PrivateModel()
    graph = graph_of(model)
    reply = graph.invoke({"question": LETTER, "refinement": looked, "reviewed": view.text})["reply"]
    assert reply["anonymized"] == view.text and model.rewritings == 0 and reply["refinement"]["rounds"] == 2
    other = graph.invoke({"question": f"Hello. {LETTER}", "refinement": looked})["reply"]
    assert other["anonymized"].startswith("Hello.") and model.rewritings == 2, "another text is refined"
    unrefined = graph_of(model, refine="off").invoke({"question": LETTER, "refinement": looked})["reply"]
    assert "round sign" in unrefined["anonymized"] and unrefined["refinement"] is None


@pytest.mark.parametrize("given", ["no", "{}", 7])
def test_what_is_no_refinement_is_refused(given):
    with pytest.raises(InputError, match="refinement"):
        graph_of(PrivateModel()).invoke({"question": LETTER, "refinement": given})
