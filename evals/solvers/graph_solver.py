"""A method that is a graph of steps around a `Desk`, as a `Solver`."""

import uuid
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any, NotRequired

from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph
from typing_extensions import TypedDict

from gama.evals.datasets.problem import Problem
from gama.evals.solvers.base import Models, Solution
from gama.evals.solvers.desk import Desk
from gama.evals.solvers.recording import Recording
from gama.guard.egress import EGRESS
from gama.guard.quiet import Quiet
from gama.models.private import private_model
from gama.models.public import public_client
from gama.state.errors import OptionError
from gama.state.options import Options

Graph = CompiledStateGraph[Any, Any, Any, Any]

STEPS = 1_000
"""Steps of a graph, which its own bounds keep far below."""


class State(TypedDict):
    """What every method's graph takes and gives."""

    problem: Problem
    answer: NotRequired[str]


class GraphSolver:
    """Runs the graph of a method: untraced, recorded, its calls counted and bounded by `max_calls`."""

    def __init__(
        self,
        name: str,
        about: str,
        graph: Graph,
        models: Models,
        options: Options,
        *,
        facts: Mapping[str, str] | None = None,
        private: bool = False,
    ) -> None:
        """Take the graph.

        Args:
            name: as the tables show it.
            about: one line on what it is.
            graph: takes `State` with the problem, gives it with the answer; its context is a `Desk`.
            models: the models of the run.
            options: limits, and whether a hosted private model is trusted.
            facts: what the method's figures depend on besides.
            private: whether the method cannot do without a private model.

        Raises:
            OptionError: there is no private model and the method needs one, or it is hosted and not trusted.
        """
        if private and models.private is None:
            raise OptionError(f"{name} needs a private model, which writes and reads at home: name one with --private")
        self.name, self.about = name, about
        self._graph, self._facts, self._most = graph, dict(facts or {}), options.max_calls
        self._models = models
        model, self._recording = Recording.of(models.public)
        self._client = public_client(
            model,
            timeout_s=float(options.timeout_s),
            rate_limit_per_minute=options.rate_limit_per_minute,
            max_concurrent=options.max_concurrent,
        )
        trusted = options.trust_private_model
        self._private = private_model(models.private, trusted=trusted) if models.private is not None else None

    def facts(self) -> Mapping[str, str]:
        """Return the models, the versions, and the method's own settings."""
        return facts_of(self._models) | {"max_calls": str(self._most)} | self._facts

    async def solve(self, problem: Problem) -> Solution:
        """Solve a problem; see `Solver`."""
        desk, thread = Desk(self._client, self._private, self._most), uuid.uuid4().hex
        config: RunnableConfig = {"configurable": {"thread_id": thread}, "recursion_limit": STEPS}
        try:
            with Quiet() as quiet:
                quiet.run(EGRESS.set, desk)
                out = await quiet.arun(self._graph.ainvoke({"problem": problem}, config, context=desk))
        finally:
            kept = self._recording.take([thread])
        return Solution(out["answer"], kept.sent, kept.used, (*desk.notes, *kept.notes), desk.trace)


def facts_of(models: Models) -> dict[str, str]:
    """Return the names of the models, how they sample where they say so, and the version of what runs them."""
    facts = {"gama": version("gama-privacy")}
    for role, model in (("public", models.public), ("private", models.private)):
        if model is not None:
            facts[role] = model_name(model)
            temperature = getattr(model, "temperature", None)
            facts |= {} if temperature is None else {f"{role}_temperature": f"{temperature:g}"}
    return facts


def model_name(model: Any) -> str:
    """Return what a model is called, or its kind where it has no name."""
    named = getattr(model, "model_name", None) or getattr(model, "model", None) or getattr(model, "model_id", None)
    return str(named or type(model).__name__)
