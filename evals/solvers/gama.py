"""GAMA itself: the real graph, with its guard, at the levels of privacy and under the papers' switches."""

import asyncio
import uuid
from collections.abc import Mapping
from typing import Any

from langchain_core.runnables import RunnableConfig

from gama.evals.datasets.problem import Problem
from gama.evals.methods.pipeline import facts_of as options_facts
from gama.evals.solvers.base import Models, Solution
from gama.evals.solvers.graph_solver import facts_of
from gama.evals.solvers.recording import Recording
from gama.graph.client import Gama
from gama.state.options import Options

_TOLD = (
    "anonymized", "domains", "experts", "route", "rounds", "verdict", "contradictions", "counterfactuals", "questions",
    "quality", "switches", "unresolved", "timings",
)  # fmt: skip
"""What of a reply the trace has; `rules` counts its domains."""


class GamaSolver:
    """Asks the graph; what is told as sent is what the model's own handler saw."""

    def __init__(
        self, name: str, about: str, models: Models, options: Options, changes: Mapping[str, Any] | None = None
    ) -> None:
        """Take models and options.

        Args:
            name: as the tables show it.
            about: one line on what it is.
            models: the models of the run.
            options: of the runs; the models go before those that it names.
            changes: options that the method is made of.

        Raises:
            OptionError: the raw text would leave without consent.
        """
        self.name, self.about, self._models = name, about, models
        model, self._recording = Recording.of(models.public)
        update: dict[str, Any] = {"public_model": model, "public_base_url": None, "public_graph": None, "review": False}
        if models.private is not None:
            update |= {"private_model": models.private, "private_base_url": None}
        self._options = options.model_copy(update=update | dict(changes or {})).checked()
        self._gama = Gama(self._options, keep=False)

    def facts(self) -> Mapping[str, str]:
        """Return the models, the versions, the hash of the tagger, and the options that differ from the defaults."""
        options = {name: value for name, value in options_facts(self._options).items() if not name.endswith("_model")}
        return options | facts_of(self._models)

    async def solve(self, problem: Problem) -> Solution:
        """Solve a problem; see `Solver`."""
        thread = uuid.uuid4().hex
        config: RunnableConfig = {"configurable": {"thread_id": thread}}
        graph = await asyncio.to_thread(lambda: self._gama.graph)
        threads: list[str] = []
        reply: dict[str, Any] = {}
        try:
            async for step in graph.astream({"question": problem.prompt}, config, stream_mode="updates"):
                for change in step.values():
                    # The public side runs on threads of its own; where formulas are mended, on another one.
                    threads += [change["public_thread"]] if change and "public_thread" in change else []
                    reply = (change or {}).get("reply", reply)
        finally:
            kept = self._recording.take(threads)
            await asyncio.to_thread(self._gama.forget, thread)
        trace = {name: reply[name] for name in _TOLD} | {"rules": len(reply["domains"])}
        return Solution(reply["answer"], kept.sent, kept.used, (*reply["warnings"], *kept.notes), trace)
