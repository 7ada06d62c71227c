"""The first step: take the task in, validated again on this side of the airlock."""

import json
from typing import Any

from pydantic import ValidationError

from gama.nodes.public.calling import Clients, check_budget
from gama.state.errors import InputError
from gama.state.public import PublicState
from gama.state.task import PublicTask
from gama.tools.domains.prompts import load_prompts


def receive_task(clients: Clients) -> Any:
    """Return the node that checks the task."""

    def receive(state: PublicState) -> dict[str, Any]:
        """Validate the task.

        Raises:
            InputError: it is none; the message names the fields, never their content.
            LimitReached: its experts alone need more calls than it allows.
        """
        task = read_task(state.get("task"))
        check_budget({**state, "task": task}, len(task.rules) + 1)
        # The model's library and the templates read files: here, in a thread, not later on an event loop.
        load_prompts()
        note = clients().note
        return {"task": task, "warnings": [note] if note else []}

    return receive


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
