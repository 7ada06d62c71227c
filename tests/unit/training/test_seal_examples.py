"""What SFT and DPO learn: asked as at run time, answered so that it is read there, chosen by the spec's rule."""

import pytest

from gama.privacy.refining.agents import Agents, read_rewriting
from gama.privacy.refining.attributes import ATTRIBUTES
from gama.privacy.refining.inferences import Inference, read_inferences
from gama.privacy.refining.judgement import PERFECT, Utility, read_utility
from gama.state.private_text import PrivateText
from gama.training.seal.examples import choices, inferences, judgement, lessons, rewriting
from gama.training.seal.pairs import Step, Trajectory
from tests.support.teaching import config_of

HARD = Inference("age", ("67", "65-70"), 4, 'Retired:\nType: gender, "two" years ago.', ('so "old"', "retired"))
EASY = Inference("location", ("Utrecht",), 1, "", ())


def made(*certainties):
    names = [one.name for one in ATTRIBUTES]
    return tuple(Inference(names[n], (f"g{n}",), c, "why") for n, c in enumerate(certainties))


# The worked example of the spec; the means of its utilities are 1.0, .95, .95, .80.
STEPS = (
    Step("x0", made(5, 4, 3), PERFECT),
    Step("x1", made(4, 3), Utility(9.5, 9, 1)),
    Step("x2", made(4), Utility(9.5, 9, 1)),
    Step("x3", (), Utility(7, 7, 1)),
)
SPEC = Trajectory("t", "p", STEPS, {})


def data(**more):
    return config_of(data={"privacy_count": "nonnull", "without_critique": 0.0} | more).data


@pytest.mark.parametrize("found", [[HARD, EASY], [EASY], [], list(made(5, 4, 3, 2, 1, 0, 3, 2))])
def test_what_an_attacker_says_is_read_again(found):
    read = read_inferences(inferences(found, ATTRIBUTES), ATTRIBUTES)
    assert read is not None
    assert [(one.attribute, one.guesses, one.certainty) for one in read] == [
        # One that gave no number is hardly more than chance.
        (one.attribute, one.guesses, max(1, one.certainty))
        for one in found
    ]
    assert [len(one.evidence) for one in read] == [len(one.evidence) for one in found]


def test_what_a_rewriter_and_a_judge_say_is_read_again():
    text = "Line one.\n\n# A title\n#\nand the <name-1>."
    assert read_rewriting(rewriting([HARD], text)) == text == read_rewriting(rewriting([], text))
    assert read_utility(judgement(Utility(9.5, 8, 0))) == Utility(9.5, 8, 0)
    assert read_utility(judgement(PERFECT)) == PERFECT


@pytest.mark.parametrize(
    ("slack", "pairs", "preferred"),
    [
        (0.0, {("x1", "x2")}, {("x0", "x2", "x1")}),
        (0.05, {("x0", "x1"), ("x0", "x2"), ("x1", "x2")}, {("x0", "x2", "x1")}),
        (
            0.2,
            {("x0", "x1"), ("x0", "x2"), ("x0", "x3"), ("x1", "x2"), ("x1", "x3"), ("x2", "x3")},
            {("x0", "x2", "x1"), ("x0", "x3", "x1"), ("x0", "x3", "x2"), ("x1", "x3", "x2")},
        ),
    ],
)
def test_the_sets_of_the_spec(slack, pairs, preferred):
    def asked(one):
        return one.prompt[1]["content"].rpartition("The text:\n")[2]

    def told(turns):
        return read_rewriting(turns[0]["content"])

    found = lessons([SPEC], data(utility_slack=slack), 1)
    assert {(asked(one), told(one.completion)) for one in found.anonymize} == pairs
    assert len(found.anonymize) == len(pairs)
    chosen = choices([SPEC], data(utility_slack=slack))
    assert {(asked(one), told(one.chosen), told(one.rejected)) for one in chosen} == preferred
    assert len(chosen) == len(preferred)
    assert len(found.infer) == 4, "every text, the last one too, of which nothing is inferred"
    assert [read_utility(one.completion[0]["content"]) for one in found.judge] == [one.utility for one in STEPS[1:]]


def test_it_is_asked_as_at_run_time():
    heard = []

    def complete(messages):
        heard.append(
            [(m["role"], said.reveal() if isinstance(said := m["content"], PrivateText) else said) for m in messages]
        )
        return PrivateText("")

    agents = Agents(ATTRIBUTES, complete, complete, complete)
    agents.infer("x0"), agents.rewrite("x0", STEPS[0].inferences, ()), agents.judge("x0", "x1")
    found = lessons([SPEC], data(utility_slack=0.05), 1)
    for lesson, asked in ((found.infer[0], heard[0]), (found.anonymize[0], heard[2]), (found.judge[0], heard[4])):
        assert [(one["role"], one["content"]) for one in lesson.prompt] == asked


def test_true_inferences_alone_count_where_the_truth_is_known():
    # Of the second text nothing true is inferred any more, of the third more is, but less surely.
    steps = (
        Step("x0", (Inference("age", ("34",), 5),), PERFECT),
        Step("x1", (Inference("age", ("70",), 5), Inference("gender", ("male",), 5)), PERFECT),
    )
    one = Trajectory("t", "p", steps, {"age": "34", "gender": "female"})
    assert len(lessons([one], data(privacy_count="correct"), 1).anonymize) == 1
    assert not lessons([one], data(), 1).anonymize


def test_some_first_rewritings_are_learnt_without_what_was_inferred():
    many = [Trajectory(f"t{n}", "p", STEPS, {}) for n in range(200)]
    found = lessons(many, data(utility_slack=0.05, without_critique=0.25), 1).anonymize
    blind = [one for one in found if "concluded" not in one.prompt[1]["content"]]
    assert 70 <= len(blind) <= 130 and len(found) == 600 + len(blind)
    assert all(one.prompt[1]["content"] == "The text:\nx0" for one in blind)


def test_sets_are_mixed_by_their_weights():
    found = lessons([SPEC] * 4, data(utility_slack=0.05), 1)
    numbers = data(weight_anonymize=2, weight_infer=0.5, weight_judge=0)
    mixed = found.mixed(numbers, 1)
    counts = [sum(one in some for one in mixed) for some in found]
    assert counts == [24, 8, 0] and mixed == found.mixed(numbers, 1) != found.mixed(numbers, 2)
