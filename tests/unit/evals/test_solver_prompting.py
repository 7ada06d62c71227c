"""Std, CoT, Self-Refine and SPP."""

import pytest

from gama.evals.datasets.problem import Problem
from gama.evals.solvers.cues import after
from gama.state.errors import ModelReplyError
from tests.support.solving import letter, replying, solved

PUZZLE = Problem("1", "lgp", "There are three houses. Who lives in the second? Choices: 1, 2, 3.", cue="The house is:")


@pytest.mark.parametrize(
    ("cue", "text", "found"),
    [
        ("Answer:", "so it is two.\nAnswer: 2", "2"),
        ("Answer:", "**Answer:** 2", "2"),
        ("Answer:", "### answer : 2\nand more", "2\nand more"),
        ("Answer:", "Answer: 1\nNo.\nAnswer: 2", "2"),
        ("Final answer:", "Final Answer:\nParis", "Paris"),
        ("Final answer:", "The final answer: Paris", None),
        ("Answer:", "the answer is 2", None),
        ("Answer:", "Answer:", ""),
        ("Answer", "Answer: 2", "2"),
    ],
)
def test_what_stands_behind_a_cue(cue, text, found):
    assert after(cue, text) == found


def test_replies_of_blanks_are_read_all_the_same():
    blanks = "\n" * 40_000 + " " * 40_000
    assert after("Answer:", blanks) is None
    assert after("Answer:", f"{blanks}\nAnswer: 2") == "2"


async def test_cot_plans_a_text_and_gives_the_text_alone():
    public = replying("Plan:\nfirst Hamlet, then the Louvre\nText:\nDear Theobald,\n\nShakespeare.")
    solution = await solved("cot", public)
    assert solution.answer == "Dear Theobald,\n\nShakespeare."
    assert "plan" in public.asked[0].lower() and solution.trace["reply"].startswith("Plan:")


async def test_cot_thinks_about_a_puzzle_and_answers_behind_the_data_sets_cue():
    public = replying("The first is empty.\nThe house is: 2")
    solution = await solved("cot", public, PUZZLE)
    assert solution.answer == "2"
    assert '"The house is:"' in public.asked[0] and "step by step" in public.asked[0]


@pytest.mark.parametrize("key", ["cot", "spp"])
async def test_a_reply_that_announces_nothing_is_scored_as_it_is(key):
    solution = await solved(key, replying("It is 2, I think."), PUZZLE)
    assert solution.answer == "It is 2, I think."
    assert any("announces no answer" in note for note in solution.notes)


async def test_self_refine_refines_once_whatever_the_criticism_says():
    public = replying(("Examine", "All is well.\nVerdict: correct"), ("Write the answer anew", "better"), "first")
    solution = await solved("self-refine", public)
    assert solution.answer == "better" and solution.used.calls == 3
    assert solution.trace == {"rounds": 1, "drafts": ["first", "better"]}
    # The context grows: the last request has the task, the answer and its criticism.
    assert all(text in public.asked[2] for text in ("Tallahassee", "ANSWER 1\nfirst", "CRITICISM 1\nAll is well."))


async def test_the_original_self_refine_stops_when_the_criticism_finds_the_answer_correct():
    criticism = ["Wrong city.\nVerdict: to be mended", "**Verdict:** correct"]
    public = replying(("Examine", criticism), ("Write the answer anew", "better"), "first")
    solution = await solved("self-refine-original", public)
    assert solution.answer == "better" and solution.used.calls == 4 and solution.trace["rounds"] == 1


async def test_the_original_self_refine_ends_after_four_rounds():
    public = replying(
        ("Examine", "Verdict: to be mended"), ("Write the answer anew", [f"draft {n}" for n in range(2, 9)]), "draft 1"
    )
    solution = await solved("self-refine-original", public)
    assert solution.answer == "draft 5" and solution.used.calls == 9 and solution.trace["rounds"] == 4
    assert "CRITICISM 4" in public.asked[-1] and "ANSWER 5" not in public.asked[-1]


async def test_a_criticism_without_a_verdict_is_told():
    public = replying(("Examine", "Hm."), ("Write the answer anew", "better"), "first")
    solution = await solved("self-refine-original", public)
    assert any("no verdict" in note for note in solution.notes)


async def test_a_criticism_that_cannot_be_had_leaves_the_answer():
    solution = await solved("self-refine", replying(("Examine", ""), "first"))
    assert solution.answer == "first" and "feedback: no usable reply" in solution.notes


async def test_a_better_answer_that_cannot_be_had_leaves_the_one_before():
    solution = await solved("self-refine", replying(("Write the answer anew", ""), "Verdict: to be mended"))
    assert solution.answer == "Verdict: to be mended" and "refine: no usable reply" in solution.notes


TALK = "Participants: AI assistant (leader); Critic\nCritic: fine.\nFinal answer: Paris"


@pytest.mark.parametrize(
    ("key", "has", "lacks"),
    [
        ("spp", "the participants whose knowledge the task needs; the AI", "profile"),
        ("spp-profile", "each with a profile", "always these two"),
        ("spp-fixed", "always these two", "profile"),
    ],
)
async def test_spp_plays_its_participants_in_one_call(key, has, lacks):
    public = replying(TALK)
    solution = await solved(key, public)
    assert solution.answer == "Paris" and solution.trace["reply"] == TALK
    (asked,) = public.asked
    assert has in asked and lacks not in asked
    # Two demonstrations, then the task.
    assert asked.count("Example ") == 2 and asked.index("Example 2") < asked.index("Tallahassee")


async def test_a_dollar_in_a_task_is_a_dollar():
    public = replying("400")
    await solved("spp", public, Problem("1", "lgp", "A house costs $400 and $problem {cue}."))
    assert public.asked[0].endswith("A house costs $400 and $problem {cue}.")


@pytest.mark.parametrize("key", ["std", "cot", "spp"])
async def test_without_a_reply_there_is_no_answer(key):
    with pytest.raises(ModelReplyError):
        await solved(key, replying(""), letter())
