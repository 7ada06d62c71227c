"""A tiny method for tests of runs, and a program that runs it and can be killed."""

import json
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langchain_core.messages import HumanMessage

from gama.evals.datasets.problem import Problem
from gama.evals.solvers.base import Models, Solution, Usage
from gama.state.options import Options


@dataclass
class Tiny:
    """Asks the public model what it is asked, some times over, and takes the last reply."""

    models: Models
    calls: int = 1
    name: str = "Tiny"
    about: str = "some calls"

    def facts(self) -> Mapping[str, str]:
        return {"calls": str(self.calls)}

    async def solve(self, problem: Problem) -> Solution:
        from gama.guard.egress import EGRESS
        from gama.guard.search import Guard

        token = EGRESS.set(Guard(()))
        try:
            said, used, sent = "", Usage(), []
            for number in range(self.calls):
                text = problem.prompt if not number else f"{problem.prompt}\n\nYou said: {said}\nStep {number + 1}."
                reply: Any = await self.models.public.ainvoke([HumanMessage(text)])
                counted = reply.usage_metadata or {}
                used = Usage(
                    used.calls + 1,
                    used.input_tokens + counted.get("input_tokens", 0),
                    used.output_tokens + counted.get("output_tokens", 0),
                )
                sent.append(text)
                said = str(reply.text)
        finally:
            EGRESS.reset(token)
        return Solution(said, tuple(sent), used, trace={"rounds": self.calls})


def offer(calls: int = 1) -> None:
    """Add the method to the catalog, as `tiny`."""
    from gama.evals.solvers.catalog import SOLVERS

    SOLVERS["tiny"] = lambda models, options: Tiny(models, calls)


def options_of(url: str, **more: Any) -> Options:
    """Return the options of a run that asks a server on this machine."""
    return Options(public_model="openai:loop-1", public_base_url=url, **more)


def main() -> None:
    """Run a job that a JSON object on the command line tells: until it is done, or somebody kills it."""
    from gama.evals.tasks.catalog import items_of
    from gama.evals.tasks.run import models_of, prepare, run

    # Where tests run in the background, a shell has this signal ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    job = json.loads(sys.argv[1])
    offer(job["calls"])
    options, out = options_of(job["url"]), Path(job["out"])
    models = models_of(options)
    epochs = job.get("epochs", 1)
    plans = [
        prepare(items_of(name, limit=job.get("limit")), "tiny", models, options, out, epochs=epochs)
        for name in job["datasets"]
    ]
    results = run(plans, out, lambda name: None, epochs=epochs, at_once=job["at_once"])
    print(json.dumps([one._asdict() | {"log": str(one.log)} for one in results]))


if __name__ == "__main__":
    main()
