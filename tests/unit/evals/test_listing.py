"""PII-Bench T2 restricted by nothing, true voting, and worked examples that the model makes itself."""

import json
import stat

import numpy as np
import pytest

from gama.evals.methods.listing import UNREADABLE, Demonstrated, Lister, list_all
from gama.evals.methods.selectors import VOTES, asking, choose, listers
from gama.evals.piibench.demonstrations import clusters, encode_offline, generate, kept, shown
from gama.evals.query import evaluate_lists, load_queries
from gama.state.entities import Entity
from gama.state.errors import InputError, ModelReplyError, ModelUnreachable, OptionError
from gama.state.options import Options
from gama.state.private_text import PrivateText
from tests.support.commands import runner

RECORDS = [
    {
        "id": "a-1",
        "text": "⟦Quorlin|PER.first_name|A⟧ joined ⟦Google|ORG.company|A⟧ at ⟦25 years|DEM.age|A⟧ after ⟦Apple|ORG.company|A⟧.",
        "query": "Which of the two firms hires people of that stage of life?",
        "relevant": ["Google", "25 years", "Apple"],
    },
    {"id": "a-2", "text": "⟦Bo|PER.first_name|A⟧ owes ⟦900 EUR|QUANTITY.loan|A⟧.", "query": "Could it be paid in three parts?",
     "relevant": ["900 EUR"]},
]  # fmt: skip


def quiet(name: str) -> None:
    pass


def model(*replies):
    """A private LLM with these replies, the last one for ever, and what it was asked."""
    told, asked = list(replies), []

    def complete(messages):
        asked.append([one["content"] for one in messages])
        return PrivateText(told.pop(0) if len(told) > 1 else told[0])

    return complete, asked


@pytest.fixture
def dataset(tmp_path):
    file = tmp_path / "mine.jsonl"
    file.write_text("\n".join(map(json.dumps, RECORDS)), "utf-8")
    return load_queries(file)[0]


def cases(dataset):
    return [(one.id, one.example.text, one.query, ["Google", "Apple"]) for one in dataset.records]


def test_the_published_fixture_is_scored_as_it_is_listed(dataset):
    """Fixture B of the spec: a string that is no annotated value is a wrong one, and not mended to one that is."""
    complete, asked = model('["Google", "25 years old"]', '["900 EUR"]')
    lists = list_all(Lister("naive", complete, "naive"), cases(dataset), quiet)
    assert lists.lists == [["Google", "25 years old"], ["900 EUR"]] and not lists.notes
    alone = dataset._replace(records=dataset.records[:1])
    (row,) = evaluate_lists(alone, [lists._replace(lists=lists.lists[:1], seconds=[0.0])], resamples=0).rows
    scores = {name: round(one.value, 4) for name, one in row.values.items()}
    assert (scores["precision"], scores["recall"], scores["f1"]) == (0.5, 0.3333, 0.4)
    assert (scores["rouge_l_precision"], scores["rouge_l_recall"], scores["rouge_l_f1"]) == (0.9, 0.6, 0.72)
    assert set(scores) >= {"micro_f1"} and "masked_f1" not in scores
    # The whole text stands in one call, and nothing is shown to choose from.
    assert dataset.records[0].example.text in asked[0][1].reveal() and "<values>" not in asked[0][1].reveal()


def test_a_choice_is_shown_the_annotated_values(dataset):
    complete, asked = model("[]")
    list_all(Lister("choice", complete, "choice"), cases(dataset), quiet)
    assert "1. Google\n2. Apple" in asked[0][1].reveal()


def test_what_cannot_be_read_lists_nothing_and_is_told(dataset):
    complete, asked = model("Well.")
    lists = list_all(Lister("naive", complete, "naive"), cases(dataset), quiet)
    assert lists.lists == [[], []] and lists.notes == {UNREADABLE: 2} and len(asked) == 4


def test_votes_are_counted():
    complete, asked = model('["a", "b"]', '["a"]', '["b", "c", "a", "a"]', '["c"]', "nothing", "nothing", '["x"]')
    made = Lister("sc_vote", complete, "self_cot", 5)
    assert made.listed("a b c", "which?", (), []) == ["a"] and len(asked) == 6
    assert all("step by step" in system for system, _ in asked)
    assert asking("sc_vote", Options()) == ("self_cot", VOTES) and asking("sc_vote", Options(select_votes=3))[1] == 3
    assert asking("naive", Options()) == ("naive", 1)


def test_a_model_that_fails_is_named_with_its_text(dataset):
    def complete(messages):
        raise ModelUnreachable("gone")

    with pytest.raises(ModelUnreachable, match=r"^naive, text 'a-1': gone$"):
        list_all(Lister("naive", complete, "naive"), cases(dataset), quiet)


def test_only_the_private_llms_methods_list_by_themselves():
    options = Options(private_model="ollama:any")
    names = ["all hidden", "embedded", "naive", "sc_vote", "gold"]
    assert [one.name for one in listers(options, names)] == ["naive", "sc_vote"]
    assert listers(Options(), ["embedded"]) == []
    for name in ("sc_vote", "auto_cot_generated"):
        with pytest.raises(OptionError, match="--private"):
            choose(Options(), [name])
    with pytest.raises(OptionError, match="needs a data set"):
        choose(options, ["auto_cot_generated"])


TEXTS = [f"The rent of flat {n} is {n} hundred, says the lease of {n}." for n in range(2, 8)] + [
    f"Doctor {n} saw a broken leg on ward {n} of the clinic." for n in range(2, 8)
]
QUERIES = [f"Is the rent of the flat fair for tenant {n}?" for n in range(2, 8)] + [
    f"How should the broken bone of patient {n} be treated?" for n in range(2, 8)
]


def test_diverse_queries_are_picked_one_of_each_cluster():
    groups = clusters(QUERIES, 2, seed=3)
    assert sorted(map(sorted, groups)) == [list(range(6)), list(range(6, 12))]
    assert groups == clusters(QUERIES, 2, seed=3)
    vectors = encode_offline(QUERIES)
    centre = vectors[groups[0]].mean(axis=0)
    assert np.argmin(np.linalg.norm(vectors[groups[0]] - centre, axis=1)) == 0
    assert len(clusters(["same", "same", "same"], 3, seed=1)) == 1


def reason(messages):
    told = messages[1]["content"].reveal()
    value = "hundred" if "rent" in told else "broken leg"
    return PrivateText(f"It asks about that, so {value} decides.\n" + json.dumps([value]))


def test_examples_are_made_of_the_models_own_reasoning():
    made = generate(reason, TEXTS, QUERIES, count=2, seed=3)
    assert [one.needed for one in sorted(made)] == [("broken leg",), ("hundred",)]
    told = shown(made, "another text")
    assert told.startswith("Example 1\nText: ") and told.count("Reasoning: It asks about that, so ") == 2
    assert 'List: ["hundred"]' in told
    # A text does not get the example that was made of it.
    assert shown(made, made[0].text).count("Example") == 1 and made[0].text not in shown(made, made[0].text)


@pytest.mark.parametrize(
    "reply", ["no list", "So.\n[]", 'So.\n["not in the text"]', '["hundred"]', "x" * 2000 + '["hundred"]']
)
def test_a_reasoning_that_does_not_serve_is_passed_over(reply):
    complete, asked = model(reply)
    with pytest.raises(ModelReplyError, match="reasoned readably about none"):
        generate(complete, TEXTS[:6], QUERIES[:6], count=1)
    assert len(asked) == 5
    complete, asked = model(reply, 'Since it is asked.\n["hundred"]')
    (made,) = generate(complete, TEXTS[:6], QUERIES[:6], count=1)
    assert made.needed == ("hundred",) and len(asked) == 2


def test_examples_are_kept_in_a_file_of_the_user(tmp_path):
    path, calls = tmp_path / "examples.json", []

    def make():
        calls.append(1)
        return generate(reason, TEXTS, QUERIES, count=2, seed=3)

    first = kept(path, {"model": "a"}, make)
    assert kept(path, {"model": "a"}, make) == first and len(calls) == 1
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(InputError, match="another model"):
        kept(path, {"model": "b"}, make)
    path.write_text("[]", "utf-8")
    with pytest.raises(InputError, match="not a file of worked examples"):
        kept(path, {"model": "a"}, make)
    assert kept(None, {}, make) == first


def test_generated_examples_stand_in_the_place_of_the_shipped_ones():
    complete, asked = model('["900 EUR", "Bo"]')
    made = Demonstrated(
        "auto_cot_generated", "", complete, Options(privacy="open"), lambda text: "Example 1\nText: mine"
    )
    text = "Bo owes 900 EUR."
    entities = [
        Entity(text="Bo", start=0, end=2, type="PER", subtype="first_name"),
        Entity(text="900 EUR", start=8, end=15, type="QUANTITY", subtype="loan"),
    ]
    assert [one.text for one in made.needed(text, "How?", entities) if one.needed] == ["900 EUR"], "names never"
    assert "Text: mine" in asked[0][0] and "Tamsin" not in asked[0][0]


def test_the_command_shows_all_three_tasks(capsys, loopback, tmp_path):
    file, out, examples = (tmp_path / name for name in ("mine.jsonl", "out.json", "examples.json"))
    file.write_text("\n".join(map(json.dumps, RECORDS)), "utf-8")

    def reply(request):
        asked = request["messages"][-1]["content"]
        if "<query>" not in asked:
            return "[]"
        return 'It asks.\n["Google", "Gogle"]' if "Google" in asked else 'It asks.\n["900 EUR"]'

    loopback.reply = reply
    command = ("eval", "query", "--data", file, "--methods", "all-hidden,naive,auto_cot_generated,sc_vote", "--private",
               "openai:local", "--private-base-url", loopback.url, "--resamples", 0, "--json", out, "--demonstrations",
               examples)  # fmt: skip
    done = runner(capsys)(*command)
    assert done.code == 0, done.err
    assert "nothing given (PII-Bench T2, unrestricted)" in done.out and "chosen from candidates: easier" in done.out
    told = json.loads(out.read_text("utf-8"))
    free, given = told["figures"]["free"], told["figures"]["given"]
    assert set(free) == {"naive", "auto_cot_generated", "sc_vote"}
    # The misspelt value is a wrong one of its own list, and nothing where there is only what was annotated.
    assert free["naive"]["precision"]["value"] == 0.75 and given["naive"]["precision"]["value"] == 1.0
    made = json.loads(examples.read_text("utf-8"))["demonstrations"]
    assert [one[3] for one in made] == [["900 EUR"]]
