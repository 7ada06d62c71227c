"""From trajectories to training data, by the worked example of the spec (04 §4.2)."""

import pytest

from gama.evals.metrics.attributes import Matcher
from gama.privacy.refining.attributes import ATTRIBUTES
from gama.privacy.refining.inferences import Inference
from gama.privacy.refining.judgement import PERFECT, Utility
from gama.privacy.refining.loop import privacy_of
from gama.training.seal.pairs import (
    Preference,
    Scored,
    Step,
    anonymizing_pairs,
    dpo_loss,
    preferences,
    scored,
)


def state(certainties: list[int], utility: float) -> Scored:
    return Scored(privacy_of([Inference(f"a{n}", ("x",), c) for n, c in enumerate(certainties)]), utility)


STEPS = [state([5, 4, 3], 1.0), state([4, 3], 0.95), state([4], 0.95), state([], 0.80)]
FIRST = [(0, 2, 1)]
ALL = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]


@pytest.mark.parametrize(
    ("slack", "pairs", "preferred"),
    [
        (0.0, [(1, 2)], FIRST),
        (0.05, [(0, 1), (0, 2), (1, 2)], FIRST),
        (0.2, ALL, [(0, 2, 1), (0, 3, 1), (0, 3, 2), (1, 3, 2)]),
    ],
)
def test_pairs_of_the_spec(slack, pairs, preferred):
    assert anonymizing_pairs(STEPS, slack) == pairs
    assert sorted(preferences(STEPS, slack)) == sorted(Preference(*one) for one in preferred)


@pytest.mark.parametrize(("beta", "loss"), [(0.1, 0.620957), (0.01, 0.685675)])
def test_the_loss_of_the_spec(beta, loss):
    assert dpo_loss(-10, -12, -11, -11.5, beta) == pytest.approx(loss, abs=5e-7)


def test_equal_log_ratios_and_extremes():
    assert dpo_loss(-10, -12, -10, -12) == pytest.approx(0.693147, abs=5e-7)
    assert dpo_loss(-1e6, 0, 0, -1e6) == pytest.approx(0.1 * 2e6)
    assert dpo_loss(0, -1e6, -1e6, 0) == pytest.approx(0)


def test_only_true_inferences_may_count():
    made = (Inference("age", ("60",), 4), Inference("gender", ("male",), 2))
    steps = [Step("x", made, PERFECT), Step("y", (), Utility(9, 9, 1))]
    matcher, truth = Matcher(ATTRIBUTES), {"age": "30", "gender": "male"}
    assert scored(steps, "nonnull", truth, matcher)[0].privacy == (-2, -3)
    assert scored(steps, "correct", truth, matcher)[0].privacy == (-1, -2)
    assert scored(steps, "correct", {}, matcher)[0].privacy == (-2, -3)
