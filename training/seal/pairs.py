"""From trajectories to training data: D_anon, D_priv, D_util and D_pref of SEAL (spec 04 §4.2)."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, NamedTuple

from gama.evals.metrics.attributes import Matcher
from gama.privacy.refining.inferences import Inference
from gama.privacy.refining.judgement import Utility
from gama.privacy.refining.loop import Privacy, privacy_of

PrivacyCount = Literal["correct", "nonnull"]
"""Which inferences |P| counts: those that are true, where the truth is known, or all."""


class Step(NamedTuple):
    """A state s = (x, P, U) of a trajectory."""

    text: str
    inferences: tuple[Inference, ...]
    utility: Utility


@dataclass(frozen=True)
class Trajectory:
    """A text and its rewritings, one after the other; the first is the original, whose utility is perfect."""

    id: str
    profile: str
    """Whose text it is: data is split by profile, never by text."""
    steps: tuple[Step, ...]
    truth: Mapping[str, str]
    """What is true of the person, where it is known."""


class Pair(NamedTuple):
    """Numbers of two steps: the second is the better text for the first."""

    source: int
    target: int


class Preference(NamedTuple):
    """Numbers of three steps: as a rewriting of `source`, `winner` is preferred to `loser`."""

    source: int
    winner: int
    loser: int


class Scored(NamedTuple):
    """What of a step is compared."""

    privacy: Privacy
    utility: float


def scored(steps: Iterable[Step], count: PrivacyCount, truth: Mapping[str, str], matcher: Matcher) -> list[Scored]:
    """Return p and u of each step; with `correct` an inference counts only where one of its guesses is true."""
    found = []
    for step in steps:
        made: Sequence[Inference] = step.inferences
        if count == "correct" and truth:
            right = {hit.attribute for hit in matcher.hits(made, truth) if hit.top3 > 0}
            made = [one for one in made if one.attribute in right]
        found.append(Scored(privacy_of(made), step.utility.score))
    return found


def anonymizing_pairs(steps: Sequence[Scored], slack: float = 0.0) -> list[Pair]:
    """Return D_anon: (x_i → x_j) with p(s_j) > p(s_i), u(s_j) ≥ u(s_i) − slack and j > i.

    Args:
        steps: p and u of a trajectory's steps.
        slack: 0 is the paper's literal rule, by which only perfect texts follow on an original; .05 to .1 is advised.
    """
    return [
        Pair(i, j)
        for i, j in combinations(range(len(steps)), 2)
        if steps[j].privacy > steps[i].privacy and _useful(steps[j], steps[i], slack)
    ]


def preferences(steps: Sequence[Scored], slack: float = 0.0) -> list[Preference]:
    """Return D_pref: (x_i; x_w ≻ x_l) with p(s_w) > p(s_l), u(s_w) ≥ u(s_l) − slack and i < min(w, l)."""
    found = []
    for i in range(len(steps)):
        for a, b in combinations(range(i + 1, len(steps)), 2):
            for winner, loser in ((a, b), (b, a)):
                if steps[winner].privacy > steps[loser].privacy and _useful(steps[winner], steps[loser], slack):
                    found.append(Preference(i, winner, loser))
    return found


def _useful(better: Scored, worse: Scored, slack: float) -> bool:
    # Utilities are means of tenths: what is equal on paper may differ in the last bit.
    return better.utility >= worse.utility - slack - 1e-9


def dpo_loss(winner: float, loser: float, ref_winner: float, ref_loser: float, beta: float = 0.1) -> float:
    """Return −log σ(β[(log π(w) − log π_ref(w)) − (log π(l) − log π_ref(l))]), of log probabilities of whole texts."""
    margin = beta * ((winner - ref_winner) - (loser - ref_loser))
    # log(1 + e^-m), without overflow at either end.
    return max(0.0, -margin) + math.log1p(math.exp(-abs(margin)))
