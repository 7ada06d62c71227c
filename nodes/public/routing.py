"""Which way a task goes: it is taken in, a route is chosen, and the conditional edges lead along it.

Experts are sent what they get together with the calls that they may make for tools: those that no later step needs.
"""

import json
from collections.abc import Sequence
from typing import Any, Literal

from langgraph.types import Send
from pydantic import ValidationError

from gama.models.calls import PublicCall
from gama.models.replies import read_vote
from gama.nodes.public.asking import Clients, Outcome, add_warning, call_of, calls_made, check_budget
from gama.nodes.public.disproof import disproof_of, is_off
from gama.nodes.public.experts import is_economic, is_unsure, unasked
from gama.nodes.public.knowledge import AFTER, calls_left
from gama.nodes.public.logic import TURNS
from gama.nodes.public.model_node import ModelNode
from gama.state.errors import InputError
from gama.state.public import ExpertTask, PartInput, PartState, PublicState, VoteTask
from gama.state.task import DomainRule, PublicTask
from gama.tools.domains.prompts import prompts_of

VOTES = 3
"""How often a classifier is asked whether the task needs background knowledge (CODE, spec 01 §1.9)."""
MAJORITY = 2
CHECKS = 2
"""Checks of a sub-question that tools leave calls for: one that finds a fault and mends it, one that agrees."""


def receive_task(state: PublicState, clients: Clients) -> dict[str, Any]:
    """Take the task in, validated again on this side of the airlock.

    Raises:
        InputError: the task or one of its templates is invalid; the message names the fields, never their content.
        LimitReached: the calls it begins with are more than it allows.
    """
    task = read_task(state.get("task"))
    check_budget({**state, "task": task}, first_calls(task))
    # The model's library and the templates read files: here, in a thread, not later on an event loop.
    prompts_of(task)
    client = clients(task)
    if getattr(client, "alike", False):
        # Its experts would quote the same sentences: the one of the strongest rule speaks for all.
        task = task.model_copy(update={"rules": task.rules[:1], "domains": task.domains.model_copy(update={"k": 1})})
    note = client.note
    update: dict[str, Any] = {"task": task, "warnings": [note] if note else []}
    if task.disprove == "v2" and task.route != "both" and not is_off(task):
        update["warnings"].append(
            f"Disproof v2 belongs to the route both; on the route {task.route} answers are checked in its own way."
        )
    return update if task.route == "auto" else update | {"route": task.route}


def first_calls(task: PublicTask) -> int:
    """Return how many calls a task needs at the least before it has an answer."""
    if task.faults:
        return 1
    fewest = {
        "both": 1 if is_economic(task) else len(task.rules) + (task.drke and len(task.rules) > 1),
        # Sub-questions, one expert, and what comes after.
        "knowledge": 1 + 1 + AFTER,
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


def _voting_call(state: VoteTask) -> PublicCall:
    return call_of(state["task"], "vote", {}, sample=state["number"])


def _keep_vote(state: VoteTask, call: PublicCall, outcome: Outcome) -> dict[str, Any]:
    update = outcome.update(call)
    if outcome.reply is None:
        return add_warning(update, f"A vote on the route failed ({outcome.failure_reason()}).") | {"votes": ["unclear"]}
    return update | {"votes": [{True: "yes", False: "no", None: "unclear"}[read_vote(outcome.reply.text)]]}


VOTE = ModelNode(_voting_call, _keep_vote, budgeted=False)
"""One vote on the route; it gets a `VoteTask` by `Send`. One that fails or cannot be read is `unclear`."""


def choose_route(state: PublicState) -> dict[str, Any]:
    """Count: two of three decide; undecided, the task takes the knowledge route."""
    votes = state["votes"]
    if votes.count("no") >= MAJORITY:
        return {"route": "logic"}
    if votes.count("yes") >= MAJORITY:
        return {"route": "knowledge"}
    note = f"The votes on the route were undecided ({', '.join(votes)}): the knowledge route was taken."
    return {"route": "knowledge", "warnings": [note]}


def spare_of_task(task: PublicTask) -> int:
    """Return how many further calls each expert of the whole task may make; fusion and disproof keep theirs."""
    rounds = 0 if is_off(task) else task.limits.max_rounds
    fusion = task.drke and (len(task.rules) > 1 or task.kind != "open")
    return _shared(task.limits.max_calls - fusion - 2 * rounds, len(task.rules))


def spare_of_part(state: PartState) -> int:
    """Return how many further calls each expert of a sub-question may make; its fusion and checks keep theirs."""
    task = state["task"]
    checks = 0 if is_off(task) else min(task.limits.max_checks, CHECKS)
    fusion = task.drke and len(state["rules"]) > 1
    return _shared(state["allowance"] - calls_made(state) - fusion - checks, len(state["rules"]))


def _shared(calls: int, experts: int) -> int:
    """Share what is left after one call of each expert."""
    return max(0, calls - experts) // experts


def after_receive(state: PublicState) -> list[Send] | Literal["split", "solve", "mend"]:
    """Take the route that was asked for; a draft that came back is mended, on whichever route it was written.

    On `both` the task goes to the experts of all fired rules, in parallel; each gets its rule and
    the task, nothing more. On `auto` the votes are cast, in parallel.
    """
    task = state["task"]
    if task.faults:
        return "mend"
    match task.route:
        case "knowledge":
            return "split"
        case "logic":
            return "solve"
        case "auto":
            return [Send("vote", VoteTask(task=task, number=n)) for n in range(1, VOTES + 1)]
    return _send(task, task.rules[:1] if is_economic(task) else task.rules)


def _send(task: PublicTask, rules: Sequence[DomainRule]) -> list[Send]:
    spare = spare_of_task(task)
    return [Send("expert", ExpertTask(task=task, rule=rule, spare=spare)) for rule in rules]


def after_vote(state: PublicState) -> Literal["split", "solve"]:
    """Take the route that the votes chose."""
    return "solve" if state.get("route") == "logic" else "split"


def send_questions(state: PublicState) -> list[Send]:
    """Send every sub-question to a graph of its own, in parallel, with its share of the calls that are left."""
    task, questions = state["task"], state["questions"]
    share = calls_left(state) // len(questions)
    return [
        Send("answer_part", PartInput(task=task, question=question, number=n, allowance=share))
        for n, question in enumerate(questions, 1)
    ]


def send_to_experts(state: PartState) -> list[Send]:
    """Send a sub-question to the experts of its fired rules, in parallel."""
    task, question, spare = state["task"], state["question"], spare_of_part(state)
    return [Send("expert", ExpertTask(task=task, rule=rule, question=question, spare=spare)) for rule in state["rules"]]


def after_answer(state: PartState) -> Literal["check", "close_part"]:
    """Check the answer to a sub-question, and again one that was replaced, unless it has its verdict."""
    return "close_part" if state.get("verdict") else "check"


def after_fuse(state: PublicState) -> list[Send] | Literal["disprove", "revise", "__end__"]:
    """Go on to disproof, where the variant begins, unless it is switched off; ask the others where one is unsure."""
    if is_unsure(state):
        return _send(state["task"], unasked(state))
    return "__end__" if state.get("verdict") else disproof_of(state["task"]).first


def after_disprove(state: PublicState) -> list[Send] | Literal["revise", "__end__"]:
    """Let the expert speak again, unless the verdict ended the cycle; before that, the experts that were spared."""
    if state.get("verdict"):
        return "__end__"
    # In v2 no contradiction in a rival is no contradiction in the answer: there the cycle goes on as ever.
    others = unasked(state) if state["task"].disprove == "v1" else ()
    return _send(state["task"], others) if others else "revise"


def after_revise(state: PublicState) -> Literal["disprove", "__end__"]:
    """Examine what the expert proposed, unless it ended the cycle."""
    return "__end__" if state.get("verdict") else "disprove"


def after_solve(state: PublicState) -> Literal["discuss", "verify", "__end__"]:
    """Discuss the solution, while the dialogue has turns left; then put it back into the task."""
    if state.get("verdict"):
        return "__end__"
    return "discuss" if state["turns"] < TURNS else "verify"


def after_discuss(state: PublicState) -> Literal["solve", "verify"]:
    """Answer an objection."""
    return "solve" if state.get("objection") else "verify"


def after_verify(state: PublicState) -> Literal["condense", "__end__"]:
    """Go on with a contradiction."""
    return "__end__" if state.get("verdict") else "condense"


def after_condense(state: PublicState) -> Literal["solve", "__end__"]:
    """Solve again, knowing the contradictions, unless the rounds are used up."""
    return "__end__" if state.get("verdict") else "solve"
