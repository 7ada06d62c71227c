"""The contract of a disproof variant (GAMA's DLE; spec 01 §1.8).

Both variants are the same cycle of two nodes, the assistant's turn (`disprove`) and the expert's
(`revise`). They differ in what the expert proposes, in what the assistant's verdict means, and in
which of the two begins:

    v1  disprove ─► revise ─► disprove …   until no contradiction is found in the answer
    v2  revise ─► disprove ─► revise …     until a contradiction is found in a rival of the answer

A cycle ends when a turn sets `verdict`; `answer` is then the answer. Methods are pure: the nodes
make the calls, count them and keep the budget.
"""

from typing import Any, Literal, Protocol

from gama.models.calls import PublicCall
from gama.models.verdicts import Verdict
from gama.state.public import PublicState


class Disproof(Protocol):
    """One variant."""

    first: Literal["disprove", "revise"]
    """Whose turn it is first."""

    def examine(self, state: PublicState) -> PublicCall:
        """Return the assistant's call."""

    def judge(self, state: PublicState, number: int, verdict: Verdict | None) -> dict[str, Any]:
        """Return what follows of the assistant's verdict.

        Args:
            state: the state before it.
            number: the round, counted from 1.
            verdict: None when there is none, because the call failed or its reply cannot be read: the cycle ends.
        """

    def propose(self, state: PublicState) -> PublicCall | str | None:
        """Return the expert's call; or its text, where none is needed; or None when it has nothing left to say."""

    def accept(self, state: PublicState, text: str | None) -> dict[str, Any]:
        """Return what follows of the expert's text, which is None when it has nothing left to say."""

    def surrender(self, state: PublicState) -> dict[str, Any]:
        """Return what follows of an expert's call that failed: the last answer stands, unconverged."""
