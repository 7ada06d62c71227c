"""The three roles of the private LLM: it attacks a text, rewrites it, and judges the rewriting; one model, or three."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from gama.models.calls import without_controls, without_thinking
from gama.privacy.agents import chat, prompt
from gama.privacy.finders import Complete
from gama.privacy.refining.attributes import Attribute
from gama.privacy.refining.inferences import Inference, read_inferences
from gama.privacy.refining.judgement import Utility, read_utility
from gama.privacy.refining.loop import Refusal
from gama.state.private_text import PrivateText

ASKED = 2
"""How often a role is asked where its reply cannot be read."""


@dataclass(frozen=True)
class Agents:
    """The roles of SEAL, played by private LLMs. Everything that they read stays on this machine.

    Args:
        attributes: what is asked for.
        attacker: infers.
        rewriter: rewrites.
        judge_of: judges.
        beside: another attacker, whose conclusions about other attributes the rewriter is told of, too.
    """

    learns: ClassVar[bool] = True
    attributes: Sequence[Attribute]
    attacker: Complete
    rewriter: Complete
    judge_of: Complete
    beside: Callable[[str], Sequence[Inference]] | None = None

    def infer(self, text: str) -> list[Inference] | None:
        """Return what the attacker concludes from a text, or None where it cannot be read."""
        for _ in range(ASKED):
            reply = self.attacker(ask_to_infer(self.attributes, text)).reveal()
            if (found := read_inferences(reply, self.attributes)) is not None:
                return found
        return None

    def rewrite(
        self, text: str, inferences: Sequence[Inference], keep: Sequence[str], refusal: Refusal | None = None
    ) -> str | None:
        """Return the rewriter's text, or None where there is none in its reply.

        It is told of all that was inferred, what is certain first.
        """
        told = by_certainty(inferences)
        if self.beside is not None:
            known = {one.attribute for one in told}
            told += [one for one in self.beside(text) if one.attribute not in known]
        for _ in range(ASKED):
            reply = self.rewriter(ask_to_rewrite(text, told, keep, refusal)).reveal()
            if (new := read_rewriting(reply)) is not None:
                return new
        return None

    def judge(self, original: str, text: str) -> Utility | None:
        """Return the judge's numbers, or None where they cannot be read."""
        for _ in range(ASKED):
            reply = self.judge_of(ask_to_judge(original, text)).reveal()
            if (found := read_utility(reply)) is not None:
                return found
        return None


Messages = list[dict[str, str | PrivateText]]


def ask_to_infer(attributes: Sequence[Attribute], text: str) -> Messages:
    """Return what the attacker is asked."""
    listed = "\n".join(_described(one) for one in attributes)
    return chat(prompt("infer").substitute(attributes=listed), text)


def by_certainty(inferences: Sequence[Inference]) -> list[Inference]:
    """Return what the rewriter is told of: all of it, what is certain first.

    Fewer inferences are more private, whatever their certainty, and one that is hardly more than chance is the easiest
    to take away.
    """
    return sorted(inferences, key=lambda one: -one.certainty)


def ask_to_rewrite(
    text: str, inferences: Sequence[Inference], keep: Sequence[str] = (), refusal: Refusal | None = None
) -> Messages:
    """Return what the rewriter is asked; see `Agents.rewrite`. Without inferences it is told of none."""
    told = "\n".join(map(_concluded, inferences))
    stays = f"- These stay letter for letter: {'; '.join(keep)}\n" if keep else ""
    system = prompt("rewrite").substitute(keep=stays).replace("\n\n- Keep the lines", "\n- Keep the lines")
    concluded = f"What a stranger concluded:\n{told}\n\n" if told else ""
    last = _refused(text, refusal) if refusal else ""
    return chat(system, f"{concluded}The text:\n{text}{last}")


def ask_to_judge(original: str, text: str) -> Messages:
    """Return what the judge is asked."""
    return chat(prompt("judge_rewriting").substitute(), f"Original:\n{original}\n\nRewritten:\n{text}")


def _described(attribute: Attribute) -> str:
    options = f" (one of: {'; '.join(attribute.options)})" if attribute.options else ""
    return f"- {attribute.name}: {attribute.about}{options}"


def _refused(text: str, refusal: Refusal) -> str:
    said = f"\n\nA rewriting that was not taken:\n{refusal.text}\n\nWhy: {refusal.why}"
    if refusal.inferences:
        left = "\n".join(map(_concluded, by_certainty(refusal.inferences)))
        said += f"\n\nWhat a stranger still concluded from that rewriting:\n{left}"
    if refusal.start and refusal.start != text:
        said += f"\n\nThe text as it was at first:\n{refusal.start}"
    return said


def _concluded(one: Inference) -> str:
    words = f" From the words: {'; '.join(one.evidence)}." if one.evidence else ""
    return f"- {one.attribute}: {one.best} (certainty {one.certainty} of 5). {one.reason}{words}"


def read_rewriting(reply: str) -> str | None:
    """Return what follows the first line that holds only the separator `#`; None where nothing does.

    Without the separator the reply might be talk about the text, so nothing of it is taken.
    """
    said = without_controls(without_thinking(reply))
    parts = re.split(r"(?m)^[ \t]*#[ \t]*$", said, maxsplit=1)
    if len(parts) < 2:
        return None
    text = re.sub(r"\A\s*```\w*\n|\n```\s*\Z", "", parts[1]).strip()
    return text or None
