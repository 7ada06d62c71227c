"""What tests of the solvers share: a letter with planted values, and chat models that reply by what they are asked."""

import json
from collections.abc import Callable
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import PrivateAttr

from gama.evals.datasets.problem import Problem
from gama.evals.solvers.base import Models, Solution, Solver
from gama.evals.solvers.catalog import make
from gama.state.options import Options

LETTER = (
    "Dear Marisol Vandermeer,\n\nI am from Tallahassee and work for Brightwater Logistics. My condition has improved. "
    "Please answer: who wrote Hamlet, and in which city does the Louvre stand?\n\n"
    "Best regards,\nTheobald Kessler\n(555) 013-4477"
)
PRIVATE = {
    "name": ["Marisol Vandermeer", "Theobald Kessler"],
    "location": ["Tallahassee"],
    "organization": ["Brightwater Logistics"],
    "phone": ["(555) 013-4477"],
}
SECRETS = [value for values in PRIVATE.values() for value in values]

Reply = Callable[[str], Any]


class Replying(BaseChatModel):
    """Replies to what it is asked; keeps the requests."""

    reply: Any
    _asked: list[str] = PrivateAttr(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "replying"

    @property
    def asked(self) -> list[str]:
        """The requests so far: all messages of each. Copies of the model share them."""
        return self._asked

    def _generate(self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **_: Any) -> ChatResult:
        text = "\n".join(message.text for message in messages)
        self._asked.append(text)
        said = self.reply(text)
        message = said if isinstance(said, AIMessage) else AIMessage(said)
        return ChatResult(generations=[ChatGeneration(message=message)])


def replying(*replies: tuple[str, Any] | str) -> Replying:
    """Return a model that gives the reply of the first text that its request has; a lone text replies to the rest.

    A reply that is a list is used up one by one, its last one again and again; an error is raised.
    """

    def reply(asked: str) -> Any:
        for one in replies:
            cue, said = one if isinstance(one, tuple) else ("", one)
            if cue not in asked:
                continue
            if isinstance(said, list):
                said = said.pop(0) if len(said) > 1 else said[0]
            if isinstance(said, Exception):
                raise said
            return said
        raise AssertionError(f"unexpected request: {asked[:200]}")

    return Replying(reply=reply)


def letter(dataset: str = "kpp", **facts: Any) -> Problem:
    """Return the letter as a problem."""
    return Problem("1", dataset, LETTER, facts={"private": PRIVATE} | facts)


async def solved(
    key: str,
    public: BaseChatModel,
    problem: Problem | None = None,
    *,
    private: BaseChatModel | None = None,
    options: Options | None = None,
) -> Solution:
    """Return what a method makes of a problem, the letter unless another is given."""
    return await solver(key, public, private, options).solve(problem or letter())


def solver(
    key: str, public: BaseChatModel, private: BaseChatModel | None = None, options: Options | None = None
) -> Solver:
    """Return a method with these models."""
    return make(key, Models(public, private), options or Options())


def in_json(**fields: Any) -> str:
    """Return a reply that is an object."""
    return json.dumps(fields)


def leaked(texts: Any) -> list[str]:
    """Return which of the planted values stand in texts."""
    return [secret for secret in SECRETS if any(secret in text for text in texts)]
