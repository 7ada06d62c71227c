"""Planted errors: answers with one error each, and right ones, put before the disprover (`gama eval errors`)."""

import json
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from gama.models.calls import PublicClient
from gama.models.replies import read_verdict
from gama.nodes.public.asking import ask
from gama.nodes.public.disproof import DISPROVE
from gama.state.errors import InputError
from gama.state.public import PublicState
from gama.state.task import PublicLimits, PublicTask

SHIPPED = "data/errors/errors.jsonl"


class Given(NamedTuple):
    """A task with an answer to it."""

    id: str
    kind: str
    """What sort of error is planted, or would be in the twin of a right answer."""
    text: str
    answer: str
    wrong: bool


class Judged(NamedTuple):
    """What the disprover said of an answer."""

    given: Given
    contradiction: bool | None
    """Whether it found one; None where there was no verdict."""
    reason: str


def load(path: Path | None = None) -> list[Given]:
    """Return the answers of a file; the shipped ones unless one is given.

    Raises:
        InputError: a line is not an answer.
    """
    source: Any = path or files("gama.evals") / SHIPPED
    found = []
    for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), 1):
        try:
            found.append(Given(**json.loads(line)))
        except (ValueError, TypeError):
            raise InputError(
                f"line {number} of {source.name}: not an answer with id, kind, text, answer, wrong"
            ) from None
    return found


def judge(given: Given, client: PublicClient, timeout_s: float = 120.0) -> Judged:
    """Let the disprover examine an answer, as the graph's node does in the first round of v1.

    Args:
        given: the task with the answer.
        client: the public model.
        timeout_s: seconds for the call.
    """
    from gama.tools.domains.analysis import general_rule
    from gama.tools.domains.kind import kind_of_task
    from gama.tools.domains.prompts import load_prompts

    kind = kind_of_task(given.text)
    rule = general_rule(kind.kind, load_prompts())
    task = PublicTask(
        text=given.text, rules=(rule,), kind=kind.kind, options=kind.options, formulas=True,
        limits=PublicLimits(timeout_s=timeout_s),
    )  # fmt: skip
    state: PublicState = {
        "task": task, "draft": given.answer, "answers": [], "failures": [], "votes": [], "contradictions": [],
        "counterfactuals": [], "parts": [], "usage": {}, "timings": {}, "warnings": [],
    }  # fmt: skip
    call = DISPROVE.call(state)
    outcome = ask(client, call) if call is not None else None
    verdict = read_verdict(outcome.reply.text) if outcome is not None and outcome.reply is not None else None
    return Judged(given, verdict.contradiction if verdict else None, verdict.reason if verdict else "")


def figures(judged: Sequence[Judged]) -> dict[str, Any]:
    """Return the share of planted errors that were found, and of right answers that were held for wrong.

    An answer without a verdict stands: its error is not found, and no alarm is given.
    """
    kinds = list(dict.fromkeys(one.given.kind for one in judged))
    return {
        **_rates(judged),
        "without verdict": sum(one.contradiction is None for one in judged),
        "kinds": {kind: _rates([one for one in judged if one.given.kind == kind]) for kind in sorted(kinds)},
    }


def _rates(judged: Sequence[Judged]) -> dict[str, Any]:
    return {
        "found": _share([bool(one.contradiction) for one in judged if one.given.wrong]),
        "false alarms": _share([bool(one.contradiction) for one in judged if not one.given.wrong]),
    }


def _share(said: Sequence[bool]) -> dict[str, Any] | None:
    """Return a count and a share with its exact 95 % interval (Clopper and Pearson); None of nothing."""
    from scipy.stats import binomtest

    if not said:
        return None
    ends = binomtest(sum(said), len(said)).proportion_ci(0.95)
    share, low, high = (round(float(one), 4) for one in (sum(said) / len(said), ends.low, ends.high))
    return {"count": sum(said), "of": len(said), "share": share, "low": low, "high": high}
