"""Fusion without a model: the weighted majority of the experts' answers (spec 01 §1.7)."""

from collections import defaultdict
from collections.abc import Sequence

from gama.models.replies import leading_option, normal
from gama.state.public import ExpertAnswer
from gama.state.task import TERMS, AnswerKind


def weighted_majority(
    answers: Sequence[ExpertAnswer], kind: AnswerKind = "open", options: Sequence[str] = ()
) -> ExpertAnswer:
    """Return the answer most weight stands behind: of equal answers, the strongest expert's; of equal sums, the first.

    Answers are compared in normal form; where a task has a closed set of answers, by which of them
    they give. A term weighs its place, 1 (Extremely Low) to 6 (Extremely High).

    Args:
        answers: at least one.
        kind: what sort of answer was asked for.
        options: the closed set of a choice.
    """
    weights: defaultdict[str, int] = defaultdict(int)
    groups: defaultdict[str, list[ExpertAnswer]] = defaultdict(list)
    for answer in answers:
        form = leading_option(answer.text, kind, options) or normal(answer.text)
        weights[form] += weight(answer)
        groups[form].append(answer)
    return max(groups[max(weights, key=lambda form: weights[form])], key=weight)


def weight(answer: ExpertAnswer) -> int:
    """Return what an expert's answer weighs by the term of its rule."""
    return TERMS.index(answer.term) + 1
