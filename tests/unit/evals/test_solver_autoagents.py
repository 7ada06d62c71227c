import json

import pytest

from gama.state.errors import ModelReplyError
from gama.state.options import Options
from tests.support.solving import in_json, replying, solved

MANAGER, ROLES, PLAN = "You are the manager", "look over the roles", "look over the plan"
ACT, LAST = "You are one of a team", "You are the Language Expert"
TEAM = in_json(
    roles=["Historian: knows plays", "Guide: knows cities", "Language Expert: writes"],
    plan=["Historian: find the author", "2. Historian, Guide: check the city", "Language Expert: write the answer"],
)


def team(
    *replies, manager=TEAM, roles="No suggestions.", plan="No suggestions", act="Final output: done", last="Paris"
):
    return replying(*replies, (MANAGER, manager), (ROLES, roles), (PLAN, plan), (ACT, act), (LAST, last))


def count(public, cue):
    return sum(cue in asked for asked in public.asked)


async def test_a_plan_without_suggestions_is_worked_off_in_order():
    public = team()
    solution = await solved("autoagents", public)
    assert solution.answer == "Paris"
    assert [count(public, cue) for cue in (MANAGER, ROLES, PLAN, ACT, LAST)] == [1, 1, 1, 3, 1]
    assert solution.trace["drafts"] == 1 and solution.trace["sub_rounds"] == [1, 1]
    assert solution.trace["plan"] == ["find the author", "check the city"]
    steps = [asked for asked in public.asked if ACT in asked]
    assert "THIS STEP\nfind the author" in steps[0] and "(nothing yet)" in steps[0]
    assert "THIS STEP\ncheck the city" in steps[1] and "Historian: done" in steps[1]
    assert "You are: Guide" in steps[2] and "Historian: Final output: done" in steps[2]


async def test_drafting_ends_after_three_rounds():
    public = team(roles="Add a poet.", plan="No suggestions.")
    solution = await solved("autoagents", public)
    assert [count(public, cue) for cue in (MANAGER, ROLES, PLAN)] == [3, 2, 2]
    drafts = [asked for asked in public.asked if MANAGER in asked]
    assert "Add a poet." not in drafts[0] and "Add a poet." in drafts[1] and "YOUR LAST DRAFT" in drafts[1]
    assert solution.trace["drafts"] == 3


async def test_drafting_ends_when_neither_observer_has_suggestions():
    public = team(roles=["Add a poet.", "No further suggestions."], plan="There are no suggestions from me.")
    solution = await solved("autoagents", public)
    assert solution.trace["drafts"] == 2


async def test_a_role_speaks_five_times_at_most_and_the_last_word_counts():
    public = team(manager=in_json(roles=["Historian: plays"], plan=["Historian: think"]), act="still thinking")
    solution = await solved("autoagents", public)
    assert count(public, ACT) == 5 and solution.trace["sub_rounds"] == [5]
    assert any("not every role" in note for note in solution.notes)
    assert "Historian: still thinking" in public.asked[-1]


async def test_who_has_finished_is_not_asked_again():
    act = ["Final output: Shakespeare", "I need more", "Final output: Paris"]
    manager = in_json(roles=["Historian: plays", "Guide: cities"], plan=["Historian and Guide: find both"])
    public = team(manager=manager, act=act)
    solution = await solved("autoagents", public)
    assert solution.trace["sub_rounds"] == [2]
    spoke = [asked.split("You are: ")[1].split(":")[0] for asked in public.asked if ACT in asked]
    assert spoke == ["Historian", "Guide", "Guide"]


@pytest.mark.parametrize(
    "manager", ["I'd rather not.", "", '{"roles": [], "plan": []}', '{"roles": ["A: b"]}', "[1, 2"]
)
async def test_a_plan_that_cannot_be_used_gives_one_solver_and_one_step(manager):
    public = team(manager=manager)
    solution = await solved("autoagents", public)
    assert solution.answer == "Paris" and count(public, MANAGER) <= 2 and count(public, ACT) == 1
    assert solution.trace["plan"] == ["Solve the task."]
    assert any("no usable draft" in note for note in solution.notes)


async def test_a_second_draft_that_cannot_be_used_leaves_the_first():
    public = team(manager=[TEAM, "no more", "no more"], roles="Add a poet.")
    solution = await solved("autoagents", public)
    assert solution.trace["plan"] == ["find the author", "check the city"]
    assert "manager: no usable draft; the last one stays" in solution.notes


async def test_roles_and_steps_may_be_objects_and_names_unknown():
    manager = json.dumps(
        {
            "experts": [{"name": "Historian", "duty": "knows plays"}],
            "steps": [{"roles": ["historian"], "what": "find it"}, "Astronomer: look up", "Just think"],
        }
    )
    solution = await solved("autoagents", team(manager=manager))
    assert solution.trace["roles"] == ["Historian: knows plays"]
    assert solution.trace["plan"] == ["find it", "Astronomer: look up", "Just think"]
    assert any("names no role" in note for note in solution.notes)


@pytest.mark.parametrize(
    ("step", "text"),
    [
        ("Step 2: Historian: find it", "find it"),
        ("step 2. Historian: find it", "find it"),
        ("12) Historian: find it", "find it"),
        ("3 sonnets: find them", "3 sonnets: find them"),
        ("HISTORIAN & Nobody: find it", "find it"),
    ],
)
async def test_steps_may_be_numbered(step, text):
    public = team(manager=in_json(roles=["Historian: plays"], plan=[step]))
    solution = await solved("autoagents", public)
    assert solution.trace["plan"] == [text]


async def test_plans_and_steps_are_bounded():
    roles = [f"R{n}: does {n}" for n in range(9)]
    plan = [f"R0, R1, R2, R3, R4: step {n}" for n in range(20)]
    public = team(manager=in_json(roles=roles, plan=plan), act="not done")
    solution = await solved("autoagents", public, options=Options(max_calls=1000))
    assert len(solution.trace["plan"]) == 6 and count(public, ACT) == 6 * 5 * 3
    assert any("more than 6 steps" in note for note in solution.notes)


async def test_the_language_expert_has_the_last_call_of_the_budget():
    roles, plan = ["A: a", "B: b"], [f"A, B: step {n}" for n in range(6)]
    public = team(manager=in_json(roles=roles, plan=plan), act="not done")
    solution = await solved("autoagents", public, options=Options(max_calls=12))
    assert solution.answer == "Paris" and len(public.asked) == 12 and LAST in public.asked[-1]


async def test_without_the_language_expert_the_last_result_is_the_answer():
    solution = await solved("autoagents", team(last=""))
    assert solution.answer == "Historian: done\nGuide: done"
    assert any(note.startswith("language expert") for note in solution.notes)


async def test_where_nobody_says_anything_there_is_no_answer():
    with pytest.raises(ModelReplyError):
        await solved("autoagents", team(act="", last=""))
