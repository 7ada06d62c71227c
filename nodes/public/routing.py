"""The conditional edges of the public graph."""

from typing import Literal

from langgraph.types import Send

from gama.state.public import ExpertTask, PublicState


def send_to_experts(state: PublicState) -> list[Send]:
    """Send the task to the experts of all fired rules, in parallel; each gets its rule and the task, nothing more."""
    task = state["task"]
    return [Send("expert", ExpertTask(task=task, rule=rule)) for rule in task.rules]


def after_fuse(state: PublicState) -> Literal["disprove", "__end__"]:
    """Go on to disproof, unless it is switched off."""
    return "__end__" if state.get("verdict") else "disprove"


def after_disprove(state: PublicState) -> Literal["revise", "__end__"]:
    """Answer again when a contradiction was found; else end."""
    return "__end__" if state.get("verdict") else "revise"


def after_revise(state: PublicState) -> Literal["disprove", "__end__"]:
    """Test the new answer, unless the round limit is reached."""
    return "__end__" if state.get("verdict") else "disprove"
