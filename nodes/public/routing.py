"""The conditional edges of the public graph and of the graph of one sub-question."""

from typing import Literal

from langgraph.types import Send

from gama.nodes.public.discuss import TURNS
from gama.nodes.public.disproof.chosen import disproof_of
from gama.nodes.public.split import calls_left
from gama.nodes.public.tool_call_budget import spare_of_part, spare_of_task
from gama.nodes.public.vote import VOTES
from gama.state.public import ExpertTask, PartInput, PartState, PublicState, VoteTask


def after_receive(state: PublicState) -> list[Send] | Literal["split", "solve"]:
    """Take the route that was asked for.

    On `both` the task goes to the experts of all fired rules, in parallel; each gets its rule and
    the task, nothing more. On `auto` the votes are cast, in parallel.
    """
    task = state["task"]
    match task.route:
        case "knowledge":
            return "split"
        case "logic":
            return "solve"
        case "auto":
            return [Send("vote", VoteTask(task=task, number=n)) for n in range(1, VOTES + 1)]
    spare = spare_of_task(task)
    return [Send("expert", ExpertTask(task=task, rule=rule, spare=spare)) for rule in task.rules]


def after_vote(state: PublicState) -> Literal["split", "solve"]:
    """Take the route that the votes chose."""
    return "solve" if state.get("route") == "logic" else "split"


def send_questions(state: PublicState) -> list[Send]:
    """Send every sub-question to a graph of its own, in parallel, with its share of the calls that are left."""
    task, questions = state["task"], state["questions"]
    share = calls_left(state) // len(questions)
    return [
        Send(
            "answer_part",
            PartInput(task=task, question=question, number=n, allowance=share),
        )
        for n, question in enumerate(questions, 1)
    ]


def send_to_experts(state: PartState) -> list[Send]:
    """Send a sub-question to the experts of its fired rules, in parallel."""
    task, question, spare = state["task"], state["question"], spare_of_part(state)
    return [Send("expert", ExpertTask(task=task, rule=rule, question=question, spare=spare)) for rule in state["rules"]]


def after_fuse_part(state: PartState) -> Literal["check", "close_part"]:
    """Check the answer, unless that is switched off."""
    return "close_part" if state.get("verdict") else "check"


def after_check(state: PartState) -> Literal["check", "close_part"]:
    """Check a replaced answer again."""
    return "close_part" if state.get("verdict") else "check"


def after_fuse(state: PublicState) -> Literal["disprove", "revise", "__end__"]:
    """Go on to disproof, where the variant begins, unless it is switched off."""
    return "__end__" if state.get("verdict") else disproof_of(state["task"]).first


def after_disprove(state: PublicState) -> Literal["revise", "__end__"]:
    """Let the expert speak again, unless the verdict ended the cycle."""
    return "__end__" if state.get("verdict") else "revise"


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
