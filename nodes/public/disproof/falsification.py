"""Disproof v1: falsification (GAMA 001, Algorithm 1; spec 01 §1.8).

The assistant looks for a contradiction between task and answer. While it finds one, the expert
answers again, knowing every contradiction found so far. The task's text stays as it was; the
contradictions are kept beside it.
"""

from typing import Any, Literal

from gama.models.calls import PublicCall
from gama.models.replies import in_words
from gama.models.verdicts import VERDICT_SCHEMA, Verdict
from gama.nodes.public.model_node import call_of
from gama.state.public import Contradiction, PublicState
from gama.tools.domains.prompts import prompts_of, quote

LONGEST = 50
"""Words of a contradiction that is kept (CODE, spec 01 §1.8)."""


class Falsification:
    """Ends when no contradiction is found, or at the round limit with the last answer."""

    first: Literal["disprove", "revise"] = "disprove"

    def examine(self, state: PublicState) -> PublicCall:
        """Ask for a contradiction between the task and the answer."""
        return call_of(
            state["task"],
            "disprove",
            prompts_of(state["task"]).disprove(),
            blocks_of(state),
            schema=VERDICT_SCHEMA,
            draft=state["draft"],
            contradictions=_reasons(state),
        )

    def judge(self, state: PublicState, number: int, verdict: Verdict | None) -> dict[str, Any]:
        """Keep a contradiction; without one the answer stands."""
        if verdict is None:
            return {"answer": state["draft"], "verdict": "no verdict"}
        if not verdict.contradiction:
            return {"answer": state["draft"], "verdict": "converged"}
        reason = verdict.reason or "The assistant found a contradiction and gave no reason."
        return {"contradictions": [Contradiction(round=number, reason=in_words(reason, LONGEST))]}

    def propose(self, state: PublicState) -> PublicCall:
        """Ask the expert of the strongest rule for a better answer."""
        task = state["task"]
        return call_of(
            task,
            "revise",
            prompts_of(task).revise(task.kind),
            blocks_of(state),
            domain=task.rules[0].domain,
            term=task.rules[0].term,
            draft=state["draft"],
            contradictions=_reasons(state),
        )

    def accept(self, state: PublicState, text: str | None) -> dict[str, Any]:
        """Put the new answer to the test, unless the rounds are used up: then it is the last one."""
        if text is None:
            return self.surrender(state)
        if state.get("rounds", 0) >= state["task"].limits.max_rounds:
            return {"draft": text, "answer": text, "verdict": "unconverged"}
        return {"draft": text}

    def surrender(self, state: PublicState) -> dict[str, Any]:
        """Keep the last answer."""
        return {"answer": state["draft"], "verdict": "unconverged"}


def blocks_of(state: PublicState) -> list[str]:
    """Return the task, the answer under test and the contradictions so far, each in a block of its own."""
    blocks = [quote("TASK", state["task"].text), quote("ANSWER", state["draft"])]
    return blocks + [quote(f"CONTRADICTION {n}", reason) for n, reason in enumerate(_reasons(state), 1)]


def _reasons(state: PublicState) -> tuple[str, ...]:
    return tuple(c.reason for c in state["contradictions"])
