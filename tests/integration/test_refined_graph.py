"""Self-refinement in the whole graph: a round a step, nothing inferred in any checkpoint, a killed run goes on."""

import json
import sqlite3

import pytest

from gama.graph.private_graph import build_graph
from gama.nodes.private.space import PrivateSpace
from gama.privacy.finders import Finders
from gama.privacy.pipeline import Pipeline
from gama.state.options import Options
from gama.state.private_text import PrivateText
from gama.vault.seal import Vault

LETTER = (
    "Dear Anna Schulz, I still stand at the crossing with the round sign when my husband rings the bell, and the small ones "
    "wave at me. My number is +49 30 901820.\n\nHow much is 12 % of 400 euros?"
)
ROUNDS = [(" with the round sign", ""), (" when my husband rings the bell", " as ever")]


class PrivateModel:
    """A private LLM that needs two rounds; it may fail once, in a round that is named."""

    def __init__(self):
        self.rewritings, self.fails_in = 0, 0

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
            return PrivateText(f"Less.\n#\n{text.replace(old, new)}")
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
