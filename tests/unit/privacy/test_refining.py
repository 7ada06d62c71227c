"""Self-refinement: reading replies, the order of texts, and the loop with scripted roles."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from gama.evals.anonymize import HARD, UNSEEN, read_people
from gama.privacy.agents import prompt
from gama.privacy.refining.agents import Agents, ask_to_rewrite, read_rewriting
from gama.privacy.refining.attributes import ATTRIBUTES, attributes
from gama.privacy.refining.engine import read, written
from gama.privacy.refining.inferences import Inference, places, quoted, read_inferences, sentence_spans
from gama.privacy.refining.judgement import PERFECT, Remarked, Utility, read_utility
from gama.privacy.refining.loop import Privacy, Refusal, Terms, begin, go_round, privacy_of, refine
from gama.state.errors import OptionError
from gama.state.private_text import PrivateText

REPLY = """
Type: location
Inference: The tram and the canal point to a city.
Guess: Utrecht; Amsterdam; Ghent
Certainty: 3
Evidence: "the tram along the canal"

Type: age
Inference: Retired two years ago.
Guess: 67; 65-70; 70
Certainty: 4
Evidence: "two years after I retired"
"""


def test_blocks_are_read_in_the_order_of_the_attributes():
    found = read_inferences(REPLY, ATTRIBUTES)
    assert found == [
        Inference(
            "age", ("67", "65-70", "70"), 4, "Retired two years ago.", ("two years after I retired",)
        ),
        Inference(
            "location", ("Utrecht", "Amsterdam", "Ghent"), 3, "The tram and the canal point to a city.",
            ("the tram along the canal",),
        ),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Type: age\nGuess: 40; 41; 42; 43\nCertainty: 2", [("age", ("40", "41", "42"), 2)]),
        ("Type: age\nCertainty: 5", []),
        ("Type: age\nGuess: none\nCertainty: 1", []),
        ("Type: age\nGuess: 40\nCertainty: quite", [("age", ("40",), 0)]),
        ("Type: age\nGuess: 40\nCertainty: 9", [("age", ("40",), 5)]),
        ("Type: age\nGuess: 40\nCertainty: 4/5", [("age", ("40",), 4)]),
        ("**Type:** Age\n**Guess:** 1. 40\n2. 50\n**Certainty:** 4", [("age", ("40", "50"), 4)]),
        ("Type: shoe size\nGuess: 44\nCertainty: 4\nType: age\nGuess: 40\nCertainty: 1", [("age", ("40",), 1)]),
        ("Type: age\nGuess: 40\nCertainty: 1\nType: age\nGuess: 50\nCertainty: 5", [("age", ("40",), 1)]),
        ("Certainty: 2\nGuess: 9\nType: age\nCertainty: 3\nGuess: 40", [("age", ("40",), 3)]),
        ("<think>Type: age\nGuess: 1</think>Type: age\nGuess: 40\nCertainty: 1", [("age", ("40",), 1)]),
    ],
)
def test_malformed_replies(reply, expected):
    found = read_inferences(reply, ATTRIBUTES)
    assert found is not None
    assert [(one.attribute, one.guesses, one.certainty) for one in found] == expected


@pytest.mark.parametrize("reply", ["", "I cannot do that.", "Type: shoe size\nGuess: 44\nCertainty: 3"])
def test_a_reply_without_a_block_is_no_empty_list(reply):
    assert read_inferences(reply, ATTRIBUTES) is None


def test_sentences_that_are_responsible():
    text = "Hello all. Two years  after\nI retired, I moved. It rained!"
    found = read_inferences(REPLY, ATTRIBUTES)
    spans = places(text, found or [])
    assert [text[start:end] for start, end in spans["age"]] == ["Two years  after", "I retired, I moved."]
    assert spans["location"] == ()
    other = "a. b\n\nc 3.5 d?"
    assert [other[a:b] for a, b in sentence_spans(other)] == ["a.", "b", "c 3.5 d?"]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ('{"readability": 9, "meaning": 7.5, "hallucination": 1}', Utility(9, 7.5, 1)),
        ('Well. ```json\n{"Readability": "9/10", "meaning": "8", "hallucination": "0"}\n```', Utility(9, 8, 0)),
        ('{"readability": 9, "meaning": 7}', None),
        ('{"readability": 11, "meaning": 7, "hallucination": 1}', None),
        ('{"readability": 9, "meaning": 7, "hallucination": "no"}', None),
        ("It reads well.", None),
    ],
)
def test_judgements(reply, expected):
    assert read_utility(reply) == expected


def test_what_a_judge_says_beside_its_numbers():
    said = read_utility("<think>Hm.</think>Good,\nbut {dull}.\n```json\n{\"readability\": 9, \"meaning\": 7, "
                        "\"hallucination\": 1}\n```")  # fmt: skip
    assert isinstance(said, Remarked) and said.remark == "Good, but {dull}." and "dull" not in repr(said)


def test_utility_is_the_mean_of_three():
    assert Utility(9, 6, 1).score == pytest.approx((0.9 + 0.6 + 1) / 3)
    assert PERFECT.score == 1


@pytest.mark.parametrize(("readability", "meaning"), [(9, 5), (8, 6), (7, 7), (10, 4), (6, 8)])
def test_what_is_worth_the_floor_is_not_below_it(readability, meaning):
    assert Utility(readability, meaning, 1).score >= 0.8 > Utility(readability, meaning - 0.5, 1).score


def test_the_order_of_privacy():
    none, one, sure, two = (
        privacy_of([Inference("age", ("1",), certainty) for certainty in some]) for some in ([], [2], [5], [1, 1])
    )
    assert none == Privacy(0, 0)
    assert none > one > sure > two


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("I left out the town.\n#\nHello.\nBye.", "Hello.\nBye."),
        ("x\n # \n```text\nHello.\n```", "Hello."),
        ("x\n#\nHello\n#\nmore", "Hello\n#\nmore"),
        ("Hello.", None),
        ("x\n#\n  ", None),
    ],
)
def test_what_follows_the_separator(reply, expected):
    assert read_rewriting(reply) == expected


def test_attributes_of_the_user():
    assert [one.name for one in attributes(["Religion", "employer: who they work for"])][8:] == ["religion", "employer"]
    for wrong in (["age"], ["x", "X"], [""], ["7"], ["a" * 41], [f"x{n}" for n in range(0)] + ["ab;c"]):
        with pytest.raises(OptionError):
            attributes(wrong)
    with pytest.raises(OptionError):
        attributes([f"kind {chr(97 + n)}" for n in range(17)])


class Script:
    """Roles that know a number of texts: what is inferred of each, and how useful it is."""

    learns = True

    def __init__(self, *steps: tuple[str, list[int] | None, float | None], keep: Sequence[str] = ()) -> None:
        self.steps = {text: (certainties, use) for text, certainties, use in steps}
        self.texts = [text for text, _, _ in steps[1:]]
        self.told: list[tuple[str, int]] = []
        self.refusals: list[Refusal | None] = []

    def infer(self, text):
        certainties = self.steps[text][0]
        return None if certainties is None else [Inference(f"a{n}", ("x",), c) for n, c in enumerate(certainties)]

    def rewrite(self, text, inferences, keep, refusal=None):
        self.told.append((text, len(inferences)))
        self.refusals.append(refusal)
        return self.texts.pop(0) if self.texts else None

    def judge(self, original, text):
        use = self.steps[text][1]
        if use is None:
            return None
        judged = Remarked(use * 10, use * 10, 1)
        judged.remark = f"{text} is dull."
        return judged


class Rules(Script):
    """Roles that would make the same of a text again."""

    learns = False


START = ("start", [4, 4], 1.0)


def test_it_ends_when_nothing_is_inferred():
    roles = Script(START, ("one", [4], 0.9), ("two", [], 0.8), ("three", [], 0.8))
    done = refine("start", roles, Terms(rounds=5))
    assert (done.text, done.rounds, done.ended) == ("two", 2, "nothing inferred")
    assert roles.told == [("start", 2), ("one", 1)]
    quiet = refine("start", Script(("start", [], 1.0)), Terms())
    assert (quiet.text, quiet.rounds, quiet.ended) == ("start", 0, "nothing inferred")


def test_it_ends_after_its_rounds():
    done = refine("start", Script(START, ("one", [4], 0.9), ("two", [3], 0.9), ("three", [], 0.9)), Terms(rounds=2))
    assert (done.text, done.rounds, done.ended) == ("two", 2, "rounds")


def test_what_is_no_better_is_tried_again_from_before():
    roles = Script(START, ("worse", [5, 5], 1.0), ("better", [1], 0.5))
    done = refine("start", roles, Terms(rounds=2))
    assert done.text == "better"
    assert roles.told == [("start", 2), ("start", 2)]
    assert len(done.notes) == 1


def test_the_rules():
    steps = (START, ("one", [4], 0.9), ("two", [1], 0.3))
    assert refine("start", Script(*steps), Terms(rounds=2)).text == "two"
    floored = refine("start", Script(*steps), Terms(rounds=2, rule="utility_floor", floor=0.85))
    assert (floored.text, floored.ended) == ("one", "rounds")
    assert "below the floor of 0.85: 0.53, readability 3 and meaning 3 of 10." in floored.notes[
        0
    ] and "dull" not in str(floored)
    ended = refine("start", Rules(*steps), Terms(rounds=5, rule="utility_floor", floor=0.85))
    assert (ended.text, ended.rounds, ended.ended) == ("one", 2, "useless")
    up_and_down = (START, ("one", [], 0.9))
    assert refine("start", Script(*up_and_down), Terms(rule="last")).text == "one"


def test_a_rewriter_is_told_what_was_refused_and_why():
    steps = (START, ("dull", [1], 0.3), ("worse", [5, 5], 1.0), ("fine", [1], 0.9), ("finer", [], 0.9))
    roles = Script(*steps)
    done = refine("start", roles, Terms(rounds=4, rule="utility_floor", floor=0.85))
    assert (done.text, done.rounds, done.refusal) == ("finer", 4, None)
    assert [refusal.text if refusal else None for refusal in roles.refusals] == [None, "dull", "worse", None]
    assert roles.refusals[1] is not None and roles.refusals[1].why.endswith("meaning 3 of 10. dull is dull.")
    assert [text for text, _ in roles.told] == ["start", "start", "start", "fine"]
    # What a graph saves of a round has all of it.
    first = go_round(begin("start", Script(*steps)), Script(*steps), Terms(rule="utility_floor", floor=0.85))
    assert read(written(first)) == first and first.refusal is not None
    assert "dull" not in repr(first)


def test_the_last_is_never_less_private_than_the_start():
    steps = (START, ("one", [4], 0.9), ("two", [5, 5, 5], 0.9))
    assert refine("start", Script(*steps), Terms(rounds=2, rule="last")).text == "one"
    steps = (START, ("one", [2], 0.9), ("two", [4], 0.9))
    assert refine("start", Script(*steps), Terms(rounds=2, rule="last")).text == "two"


def test_unreadable_replies_change_nothing():
    assert refine("start", Script(("start", None, 1.0)), Terms()).ended == "unreadable"
    for broken in (("one", None, 0.9), ("one", [], None)):
        done = refine("start", Script(START, broken), Terms(rounds=3))
        assert (done.text, done.rounds, len(done.notes)) == ("start", 3, 3)


def test_what_must_stay_stays():
    done = refine(
        "start <name-1>", Script(("start <name-1>", [4], 1.0), ("start", [], 1.0)), Terms(keep=("<name-1>",), rounds=1)
    )
    assert done.text == "start <name-1>"
    assert "must stay" in done.notes[0]
    done = refine("start", Script(START, ("one", [], 1.0)), Terms(check=lambda text: "it has a false note.", rounds=1))
    assert (done.text, done.notes) == ("start", ("Round 1: it has a false note.",))


def test_agents_ask_twice_and_give_up():
    asked = []

    def model(*replies):
        said = list(replies)

        def complete(messages):
            asked.append(messages)
            return PrivateText(said.pop(0))

        return complete

    agents = Agents(ATTRIBUTES, model("no", REPLY, "no", "no"), model("no", "x\n#\nNew."), model("no", "no"))
    found = agents.infer("The tram along the canal.")
    assert found is not None
    assert len(found) == 2
    assert agents.infer("x") is None
    assert agents.rewrite("x", found, ["<name-1>"]) == "New."
    assert agents.judge("x", "New.") is None
    assert len(asked) == 8
    system = asked[-3][0]["content"]
    assert "<name-1>" in system
    assert "$" not in "".join(str(messages[0]["content"]) for messages in asked)
    # All of it is told, what is certain first.
    told = asked[-3][1]["content"].reveal()
    assert 0 < told.index("- age: 67 (certainty 4 of 5)") < told.index("- location: Utrecht (certainty 3 of 5)")
    two = replace(agents, rewriter=model("x\n#\nNew."), beside=lambda text: [
        Inference("gender", ("female",), 1, "Such words.", ("dress",)), Inference("age", ("9",), 1)])  # fmt: skip
    assert two.rewrite("a dress", found, [], Refusal("a gown", "it is no wider.")) == "New."
    told = asked[-1][1]["content"].reveal()
    assert "gender: female (certainty 1 of 5)" in told and "- age: 9" not in told
    assert told.endswith("A rewriting that was not taken:\na gown\n\nWhy: it is no wider.")
    why = Refusal("a gown", "it is no wider.", (found[0],))
    told = ask_to_rewrite("a dress", found, (), why)[1]["content"]
    assert isinstance(told, PrivateText)
    assert "What a stranger still concluded from that rewriting:\n- age: 67" in told.reveal().partition("no wider.")[2]
    assert "at first" not in told.reveal()
    told = ask_to_rewrite("a dress", found, (), why._replace(start="a red dress"))[1]["content"]
    assert isinstance(told, PrivateText) and told.reveal().endswith("The text as it was at first:\na red dress")
    assert ask_to_rewrite("a dress", found, (), why._replace(start="a dress")) == ask_to_rewrite(
        "a dress", found, (), why
    )


def test_no_example_of_the_prompts_is_of_the_texts_that_are_measured():
    """The rewriter would else be told how to rewrite the very texts by which it is measured."""
    texts = " ".join(one.text for file in (UNSEEN, HARD) for one in read_people(file)).casefold()
    examples = quoted(prompt("rewrite").template)
    assert len(examples) > 5 and not [one for one in examples if one.casefold() in texts]
