"""AutoAgents: a manager drafts a team and a plan, observers criticise both, the team works the plan off.

Drafting ends after three rounds, or when both observers have no suggestions. Steps are done in order; in each, its
roles speak in turn, up to five times, until each has given a final output. A language expert writes the answer.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, NotRequired

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from gama.evals.solvers.cues import after
from gama.evals.solvers.desk import Desk
from gama.evals.solvers.graph_solver import Graph, State
from gama.models.json_replies import strict_object
from gama.state.errors import ModelReplyError

ABOUT = "a team and a plan made for the task, criticised, then worked off (Chen et al. 2024)"

DRAFTS = 3
"""Rounds of drafting."""
SUB_ROUNDS = 5
"""How often the roles of a step speak, at most."""
STEPS = 6
"""Steps that are worked off; the publication has no bound."""
ROLES = 3
"""Roles of a step; the publication has no bound."""
MAX_TOKENS = 1_500
"""Bound of a reply in the publication."""

SOLVER = "Solver: solves the task"
LANGUAGE_EXPERT = "Language Expert"
OUTPUT = "Final output:"

SCHEMA: Mapping[str, Any] = {
    "title": "team",
    "type": "object",
    "properties": {
        "roles": {"type": "array", "items": {"type": "string"}, "x-aliases": ["experts", "agents"]},
        "plan": {"type": "array", "items": {"type": "string"}, "x-aliases": ["steps"]},
    },
    "required": ["roles", "plan"],
    "additionalProperties": False,
}

MANAGE = """You are the manager of a team that is put together for one task.

TASK
$problem
$criticism
Choose the roles that the task needs, two to five, none with the duty of another, and write a plan in a few numbered
steps. Each step names the roles that do it, three at most, and what comes out of it. The last step is the Language
Expert's, who writes the answer from what the others have found. Reply with a JSON object: "roles", a list of texts of
the form "Name: what this role knows and does", and "plan", a list of texts of the form "Name, Name: what is to be
done"."""

OBSERVE_ROLES = """You look over the roles that a manager has chosen for a task.

TASK
$problem

ROLES
$roles

Is a role missing that the task needs, does one do another's work, or is one described so that it could not act? Suggest
what to change. Where nothing has to be changed, reply: No suggestions."""

OBSERVE_PLAN = """You look over the plan that a manager has made for a task.

TASK
$problem

ROLES
$roles

PLAN
$plan

Does the plan do all that the task asks for, in an order that works, each step by the fitting roles, with the Language
Expert's summary at its end? Suggest what to change. Where nothing has to be changed, reply: No suggestions."""

ACT = """You are one of a team that works on a task. You are: $role

TASK
$problem

DONE SO FAR
$done

THIS STEP
$step

SAID IN THIS STEP
$said

Do your part of this step, and of this step alone. Where you still need something from the others of the step, say
what. When your part is finished, write a line "Final output:" and behind it your result."""

SUMMARISE = """You are the Language Expert of a team that worked on a task.

TASK
$problem

WHAT THE TEAM FOUND
$done

Write the final answer from this, complete and in the form that the task asks for. Reply with the answer alone."""

# "Step 2: ", "2. ", "2) " before a step; not the number in "3 sonnets".
_NUMBER = re.compile(r"\A(?:step\s*\d{1,2}\s*[.):-]*|\d{1,2}\s*[.):-])\s*", re.IGNORECASE)
_NONE = re.compile(r"\bno (?:further |more )?suggestions?\b", re.IGNORECASE)


class Step(NamedTuple):
    """A step of the plan."""

    roles: tuple[str, ...]
    """Who does it: roles with their descriptions."""
    text: str


class TeamState(State):
    """What travels."""

    roles: NotRequired[list[str]]
    plan: NotRequired[list[Step]]
    drafts: NotRequired[int]
    criticism: NotRequired[str]
    """What the observers suggest; empty when neither does."""
    outputs: NotRequired[list[str]]
    """What came of each step so far."""


def build() -> Graph:
    """Return the graph."""
    builder = StateGraph(TeamState, context_schema=Desk)
    for node in (draft, observe, work, summarise):
        builder.add_node(node.__name__, node)
    builder.add_edge(START, "draft")
    builder.add_conditional_edges("draft", _after_draft)
    builder.add_conditional_edges("observe", _after_observing)
    builder.add_conditional_edges("work", _after_work)
    builder.add_edge("summarise", END)
    return builder.compile(name="autoagents")


def _after_draft(state: TeamState) -> Literal["observe", "work"]:
    # Nobody would read what is said of the last draft, or of one that is only a makeshift.
    return "observe" if state["drafts"] < DRAFTS else "work"


def _after_observing(state: TeamState) -> Literal["draft", "work"]:
    return "draft" if state["criticism"] else "work"


def _after_work(state: TeamState) -> Literal["work", "summarise"]:
    return "work" if len(state["outputs"]) < len(state["plan"]) else "summarise"


async def draft(state: TeamState, runtime: Runtime[Desk]) -> dict[str, Any]:
    """Draft the team and the plan; an unreadable draft leaves the one before, or one solver with one step."""
    desk, drafts = runtime.context, state.get("drafts", 0) + 1
    criticism = state.get("criticism", "")
    parts = {"problem": state["problem"].prompt, "criticism": f"\n{criticism}\n" if criticism else ""}
    found = await desk.read("manager", MANAGE, parts, SCHEMA)
    team = _team(found, desk) if found else None
    roles, plan = team or (state.get("roles", [SOLVER]), state.get("plan", [Step((SOLVER,), "Solve the task.")]))
    if team is None:
        makeshift = "the last one stays" if "plan" in state else "one solver does the task in one step"
        desk.note(f"manager: no usable draft; {makeshift}")
    desk.trace |= {"drafts": drafts, "roles": roles, "plan": [step.text for step in plan]}
    return {"roles": roles, "plan": plan, "drafts": drafts if team else DRAFTS, "outputs": []}


def _team(found: Mapping[str, Any], desk: Desk) -> tuple[list[str], list[Step]] | None:
    """Return roles and steps of a draft, without the language expert's; None where there is nothing to do."""
    roles = [role for text in found["roles"] if (role := _line(text)) and _name(role) != LANGUAGE_EXPERT.casefold()]
    by_name = {_name(role): role for role in roles}
    steps: list[Step] = []
    for text in found["plan"]:
        text = _NUMBER.sub("", _line(text))
        head, colon, rest = text.partition(":")
        named = (
            [name for part in re.split(r",|;|&|\band\b", head) if (name := part.strip().casefold())] if colon else []
        )
        doing = tuple(dict.fromkeys(by_name[name] for name in named if name in by_name))
        if not text or (LANGUAGE_EXPERT.casefold() in text.casefold() and not doing):
            continue  # the summary, which ends every plan
        # A head that names nobody is part of what is to be done.
        what = rest.strip() if doing and rest.strip() else text
        if not doing:
            desk.note("manager: a step of the plan names no role of the team; the first one does it")
            doing = tuple(roles[:1])
        if len(doing) > ROLES:
            desk.note(f"manager: a step has more than {ROLES} roles; the first ones do it")
        steps.append(Step(doing[:ROLES], what))
    if len(steps) > STEPS:
        desk.note(f"manager: the plan has more than {STEPS} steps; the first ones are done")
    return (roles, steps[:STEPS]) if roles and steps else None


def _line(text: str) -> str:
    """Return an item of a list as one line: `{"name": …, "duty": …}`, as models like to write it, as `name: duty`."""
    if (fields := strict_object(text)) is None:
        return text.strip()
    values = (", ".join(map(str, value)) if isinstance(value, list) else str(value) for value in fields.values())
    return ": ".join(value.strip() for value in values)


def _name(role: str) -> str:
    return role.partition(":")[0].strip().casefold()


async def observe(state: TeamState, runtime: Runtime[Desk]) -> dict[str, Any]:
    """Have both observers look over the draft; one that says nothing usable has no suggestions."""
    desk, roles = runtime.context, "\n".join(state["roles"])
    plan = "\n".join(
        f"{number}. {', '.join(role.partition(':')[0] for role in step.roles)}: {step.text}"
        for number, step in enumerate(state["plan"], 1)
    )
    plan += f"\n{len(state['plan']) + 1}. {LANGUAGE_EXPERT}: writes the answer."
    parts = {"problem": state["problem"].prompt, "roles": roles, "plan": plan}
    said = await asyncio.gather(
        desk.try_ask("role observer", OBSERVE_ROLES, parts, max_tokens=MAX_TOKENS),
        desk.try_ask("plan observer", OBSERVE_PLAN, parts, max_tokens=MAX_TOKENS),
    )
    if not any(text and not _NONE.search(text) for text in said):
        return {"criticism": ""}
    draft = f"YOUR LAST DRAFT\nRoles:\n{roles}\nPlan:\n{plan}"
    labels = ("SUGGESTIONS FOR THE ROLES", "SUGGESTIONS FOR THE PLAN")
    told = [f"{label}\n{text}" for label, text in zip(labels, said, strict=True) if text]
    return {"criticism": "\n\n".join([draft, *told])}


async def work(state: TeamState, runtime: Runtime[Desk]) -> dict[str, Any]:
    """Do the next step: its roles speak in turn until each has given its final output."""
    desk, step = runtime.context, state["plan"][len(state["outputs"])]
    said: list[str] = []
    outputs: dict[str, str] = {}
    rounds = 0
    while rounds < SUB_ROUNDS and len(outputs) < len(step.roles) and desk.left > 1:
        rounds += 1
        for role in step.roles:
            # The last call is the language expert's.
            if role in outputs or desk.left < 2:
                continue
            parts = {
                "role": role, "problem": state["problem"].prompt, "step": step.text, "done": _listed(state["outputs"]),
                "said": _listed(said),
            }  # fmt: skip
            reply = await desk.try_ask("role", ACT, parts, max_tokens=MAX_TOKENS)
            if reply is not None:
                said.append(f"{_shown(role)}: {reply}")
            if reply is not None and (output := after(OUTPUT, reply)):
                outputs[role] = output
    if len(outputs) < len(step.roles):
        desk.note("role: not every role of a step gave a final output; what was said counts")
    desk.trace["sub_rounds"] = [*desk.trace.get("sub_rounds", ()), rounds]
    result = "\n".join(f"{_shown(role)}: {output}" for role, output in outputs.items()) or "\n".join(said[-1:])
    return {"outputs": [*state["outputs"], result]}


def _shown(role: str) -> str:
    return role.partition(":")[0].strip()


def _listed(texts: Sequence[str]) -> str:
    return "\n\n".join(text for text in texts if text) or "(nothing yet)"


async def summarise(state: TeamState, runtime: Runtime[Desk]) -> dict[str, str]:
    """Write the answer; where the language expert has none, the last step's result is it."""
    desk = runtime.context
    try:
        parts = {"problem": state["problem"].prompt, "done": _listed(state["outputs"])}
        answer = await desk.ask("language expert", SUMMARISE, parts)
    except ModelReplyError:
        if not (answer := next((text for text in reversed(state["outputs"]) if text), "")):
            raise
        desk.note("language expert: no usable reply; the last step's result is the answer")
    return {"answer": answer}
