"""Models that judge, each in one role: what it is told, how its reply is read, and who it was.

A reply that cannot be read is no verdict: it is counted, and told, and never taken for a no. Figures of two judges do
not compare, so that a judge's id belongs to every figure of it: the name it was asked by, and the names that its
provider answered with.

A judge sees what it judges, private values included where these were put back: name a model of your own machine where
the texts are not made up.
"""

import re
import threading
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Generic, NamedTuple, TypeVar

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage, SystemMessage

from gama.guard.egress import EGRESS, NoPrivateSpace
from gama.guard.quiet import Quiet, silence_loggers
from gama.models.calls import without_thinking
from gama.models.faults import mapped

Verdict = TypeVar("Verdict")


class Spent(NamedTuple):
    """What calls of a model took."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


class Judge(Generic[Verdict]):
    """Asks a model for verdicts. One instance serves many at once."""

    def __init__(self, role: str, model: BaseChatModel, read: Callable[[str], Verdict | None], *, name: str) -> None:
        """Take what it is made of.

        Args:
            role: what it judges; its instructions are `evals/data/judges/ROLE.txt`, what is asked `ROLE_ask.txt`.
            model: answers.
            read: returns the verdict that a reply gives, or None where it cannot be read.
            name: of the model, as it was asked for.
        """
        self.role, self.name = role, name
        self._model, self._read = model, read
        self._answered: set[str] = set()
        self._lock = threading.Lock()
        self.spent = Spent()
        """By all verdicts so far."""
        self.unreadable = 0
        """Replies that gave no verdict."""

    @property
    def id(self) -> str:
        """Who judges: the model's name, and what the provider says answered where that is another."""
        others = sorted(self._answered - {self.name, self.name.partition(":")[2]})
        return f"{self.name} ({', '.join(others)})" if others else self.name

    @property
    def note(self) -> str:
        """What is to be told beside its figures; empty where every reply could be read."""
        if not self.unreadable:
            return ""
        return f"{self.unreadable} of {self.spent.calls} replies of the judge {self.id} ({self.role}) could not be read"

    def reject(self) -> None:
        """Count a reply as unreadable whose verdict fits nothing that was asked."""
        with self._lock:
            self.unreadable += 1

    async def judge(self, parts: Mapping[str, str], *, ask: str = "") -> Verdict | None:
        """Return the verdict on what is asked, or None where the reply cannot be read.

        Args:
            parts: what the words in braces stand for.
            ask: name of another file that says what is asked.

        Raises:
            ModelError: the model could not be reached or used; the message quotes nothing of the call.
        """
        told = [SystemMessage(prompt(self.role)), HumanMessage(filled(prompt(ask or f"{self.role}_ask"), parts))]
        problem: Exception
        # What a judge is shown may be private: no trace and no log gets it.
        with Quiet() as quiet:
            quiet.run(silence_loggers)
            # It is meant to be seen by the judge: there is nothing that the wire would have to look for.
            quiet.run(EGRESS.set, NoPrivateSpace())
            try:
                said = await quiet.arun(self._model.ainvoke(told))
            except Exception as error:  # whatever a provider raises
                problem = error
            else:
                return self._taken(said)
        raise mapped(problem, self.name)

    def _taken(self, said: Any) -> Verdict | None:
        verdict = self._read(without_thinking(str(said.text)))
        used = getattr(said, "usage_metadata", None) or {}
        name = str((getattr(said, "response_metadata", None) or {}).get("model_name") or "")
        with self._lock:
            calls, given, written = self.spent
            self.spent = Spent(calls + 1, given + used.get("input_tokens", 0), written + used.get("output_tokens", 0))
            self._answered |= {name} - {""}
            self.unreadable += verdict is None
        return verdict


def judge_model(name: str, base_url: str | None = None, *, timeout_s: float = 120.0) -> BaseChatModel:
    """Return the model of a judge or an attacker by its name, at temperature 0: hosted, on a server, or a pipeline.

    Raises:
        ModelUnknown: no such provider, or its package is not installed.
        ModelDenied: there is no key for it.
    """
    from gama.models.names import split_name

    provider, path = split_name(name)
    if provider == "huggingface":
        from gama.models.huggingface import local_pipeline

        return local_pipeline(path)
    from gama.models.public import chat_model

    return chat_model(name, base_url, None, timeout_s)


@cache
def prompt(name: str) -> str:
    """Return a prompt of `evals/data/judges`."""
    return files("gama.evals").joinpath("data", "judges", f"{name}.txt").read_text(encoding="utf-8").strip()


def filled(template: str, parts: Mapping[str, str]) -> str:
    """Return a template with its words in braces filled in; braces in what is filled in stay as they are."""
    return re.sub(r"\{(\w+)\}", lambda match: parts[match[1]], template)


def cued(reply: str, cue: str) -> str | None:
    """Return what stands in a reply behind the last line that begins with a cue, to the end of that line."""
    lines = re.findall(rf"^[\s*_#>-]*{cue}[\s*_]*:[\s*_]*(\S.*)$", reply, re.IGNORECASE | re.MULTILINE)
    return str(lines[-1]).strip().rstrip("*_ ") if lines else None


# Accepts yes and no, alone or before a sign ("No.", "yes, since …"); refuses "no idea", "not sure", "yes/no".
_YES_NO = re.compile(r"(yes|no)(?:\s*[.,;:!(–—-].*)?", re.IGNORECASE | re.DOTALL)


def read_yes_no(reply: str) -> bool | None:
    """Read `Verdict: yes` or `Verdict: no`, or a reply that is nothing but the word."""
    found = _YES_NO.fullmatch(cued(reply, "verdict") or reply.strip())
    return found[1].lower() == "yes" if found else None
