"""The first step: take the task in, validated again on this side of the airlock."""

import json
from typing import Any

from pydantic import ValidationError

from gama.nodes.public.calling import Clients, check_budget
from gama.nodes.public.disproof.chosen import is_off
from gama.nodes.public.split import AFTER
from gama.nodes.public.vote import VOTES
from gama.state.errors import InputError
from gama.state.public import PublicState
from gama.state.task import PublicTask
from gama.tools.domains.prompts import prompts_of


def receive_task(clients: Clients) -> Any:
    """Return the node that checks the task."""

    def receive(state: PublicState) -> dict[str, Any]:
        """Validate the task.

        Raises:
            InputError: it is none, or its templates are none; the message names the fields, never their content.
            LimitReached: the calls it begins with are more than it allows.
        """
        task = read_task(state.get("task"))
        check_budget({**state, "task": task}, first_calls(task))
        # The model's library and the templates read files: here, in a thread, not later on an event loop.
        prompts_of(task)
        note = clients(task).note
        update: dict[str, Any] = {"task": task, "warnings": [note] if note else []}
        if task.disprove == "v2" and task.route != "both" and not is_off(task):
            update["warnings"].append(
                f"Disproof v2 belongs to the route both; on the route {task.route} answers are checked in its own way."
            )
        return update if task.route == "auto" else update | {"route": task.route}

    return receive


def first_calls(task: PublicTask) -> int:
    """Return how many calls a task needs at the least before it has an answer."""
    fewest = {
        "both": len(task.rules) + task.drke,
        # Sub-questions, one expert with its fusion, and what comes after.
        "knowledge": 1 + 1 + task.drke + AFTER,
        "logic": 1,
    }
    return VOTES + min(fewest["knowledge"], fewest["logic"]) if task.route == "auto" else fewest[task.route]


def read_task(given: object) -> PublicTask:
    """Read a task, whole or as the JSON object a server gets."""
    problem = "it is missing"
    if isinstance(given, PublicTask):
        given = given.model_dump(mode="json")
    if given is not None:
        try:
            return PublicTask.model_validate_json(json.dumps(given))
        except ValidationError as error:
            found = error.errors(include_url=False, include_context=False, include_input=False)
            problem = "; ".join(f"{'.'.join(map(str, item['loc'])) or 'task'}: {item['msg']}" for item in found[:5])
        except (TypeError, ValueError):
            problem = "it is no JSON object"
    raise InputError(f"The task is not a PublicTask: {problem}.")
