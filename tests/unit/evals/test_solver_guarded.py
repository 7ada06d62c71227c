"""EPEAgents, MarisAgents and AgentSafe: who sees what, and what the sieve and the monitor do."""

import pytest

from gama.evals.datasets.problem import Problem
from gama.evals.solvers.agentsafe import (
    FAMILY,
    FRIEND,
    STRANGER,
    Memory,
    Message,
    is_plausible,
    passes,
    similarity,
)
from gama.evals.solvers.annotated import private_values, replaced
from gama.evals.solvers.desk import Desk
from gama.evals.solvers.epeagents import meant_for
from gama.evals.solvers.manifest import SENSITIVE, Manifest, Monitor
from gama.evals.solvers.marisagents import GDPR, manifest_of
from gama.state.errors import InputError, ModelReplyError
from tests.support.solving import PRIVATE, SECRETS, in_json, leaked, letter, replying, solved

BARE = Problem("2", "lgp", "Mara is ill. Her number is 0151. Who wrote Hamlet?")
"""A task of a data set that annotates nothing."""


# Annotated strings


def test_annotated_values_come_by_category_each_once():
    problem = letter(private={"name": ["Ann", " Ann ", ""], "phone": [], "place": ["Oslo"]})
    assert private_values(problem) == {"name": ("Ann",), "place": ("Oslo",)}
    assert private_values(letter(private=["Ann"])) == {"private": ("Ann",)}
    assert private_values(BARE) == {} == private_values(letter(private=None))


def test_values_are_replaced_longest_first_in_one_pass_as_whole_words():
    values = {"city": ("York", "New York"), "org": ("New York University",), "word": ("city",)}
    text = "York, NEW\nYORK and New York University; Yorkshire is no [city]."
    assert replaced(text, values, lambda name: f"[{name}]") == "[city], [city] and [org]; Yorkshire is no [[word]]."
    assert replaced(text, {}, lambda name: f"[{name}]") == text


# EPEAgents


def test_a_field_goes_to_those_whom_its_label_names():
    profile = {"name": ("Ann",), "phone": ("1",), "note": ("x",)}
    labels = {"name": frozenset({"a", "b"}), "phone": frozenset({"b"})}
    assert meant_for("a", profile, labels) == {"name": ("Ann",)}
    assert meant_for("b", profile, labels) == {"name": ("Ann",), "phone": ("1",)}
    assert meant_for("c", profile, labels) == {}


AGENTS = ("You are one of several agents", "You stand between agents", "You write the final answer")


def by_agent(public):
    return [[asked for asked in public.asked if cue in asked] for cue in AGENTS]


def agents(clean="Shakespeare.", solve="Shakespeare, says Marisol Vandermeer.", compose="Dear Marisol: Shakespeare."):
    return replying(*zip(AGENTS, (solve, clean, compose), strict=True))


async def test_epe_solvers_see_no_field_and_the_composer_sees_all():
    public = agents()
    solution = await solved("epeagents", public)
    solvers, intermediary, composer = by_agent(public)
    assert [len(solvers), len(intermediary), len(composer)] == [2, 1, 1] and solution.used.calls == 4
    assert not leaked(solvers) and "[organization]" in solvers[0]
    assert leaked(intermediary) == leaked(composer) == SECRETS
    assert "solver 2:\nShakespeare" in intermediary[0] and "WHAT OTHERS FOUND\nShakespeare." in composer[0]
    assert solution.answer == "Dear Marisol: Shakespeare."
    assert any("intermediary: there is no private model" in note for note in solution.notes)


async def test_epe_with_a_private_model_sends_the_solvers_requests_alone():
    public, private = agents(), agents()
    solution = await solved("epeagents", public, private=private)
    assert len(public.asked) == 2 and not leaked(solution.sent)
    assert [len(some) for some in by_agent(private)] == [0, 1, 1]
    assert not any("there is no private model" in note for note in solution.notes)


async def test_epe_replies_that_nobody_cleans_are_handed_on_without_the_profile():
    public = agents(clean="")
    await solved("epeagents", public)
    composer = by_agent(public)[2][0]
    assert "WHAT OTHERS FOUND\nsolver 1:\nShakespeare, says [name]." in composer


async def test_epe_one_solver_may_fail_not_both():
    assert (await solved("epeagents", agents(solve=["", "Shakespeare"]))).answer
    with pytest.raises(ModelReplyError):
        await solved("epeagents", agents(solve=""))


async def test_epe_says_where_nothing_is_annotated():
    solution = await solved("epeagents", agents(), BARE)
    assert any("annotates nothing" in note for note in solution.notes)


# MarisAgents: the manifest


def rule(**changes):
    given = {"flow": "model", "source": "*", "destination": "*", "method": "regex", "action": "mask", "pattern": "x"}
    return {name: value for name, value in (given | changes).items() if value is not None}


@pytest.mark.parametrize(
    "changes",
    [
        {"method": None}, {"action": None}, {"flow": None}, {"source": None}, {"destination": ""}, {"method": "guess"},
        {"action": "hide"}, {"flow": "dream"}, {"pattern": None}, {"pattern": "("}, {"pattern": ""}, {"criterion": "c"},
        {"method": "llm"}, {"method": "llm", "pattern": None}, {"categories": ["a"]}, {"extra": 1},
        {"method": "llm", "pattern": None, "categories": ["a"], "criterion": "c"}, {"source": 1},
        {"method": "llm", "pattern": None, "categories": []},
    ],
)  # fmt: skip
def test_a_manifest_that_leaves_something_open_is_refused(changes):
    with pytest.raises(InputError, match=r"rules\.1"):
        Manifest.read({"rules": [rule(), rule(**changes)]})


def test_a_whole_manifest_is_read():
    rules = [
        rule(),
        rule(method="llm", pattern=None, categories=["a"]),
        rule(method="llm", pattern=None, criterion="c"),
    ]
    assert len(Manifest.read({"rules": rules}).rules) == 3
    with pytest.raises(InputError):
        Manifest.read({"rule": []})


def test_the_manifest_of_a_problem_has_a_rule_for_each_annotated_category_else_the_gdprs():
    assert [one.method for one in manifest_of(letter()).rules] == ["regex"] * len(PRIVATE)
    (one,) = manifest_of(BARE).rules
    assert one.method == "llm" and one.categories == GDPR and one.action == "mask"


# MarisAgents: the monitor


def desk(*replies):
    from gama.guard.egress import EGRESS, NoPrivateSpace
    from gama.models.public import public_client

    EGRESS.set(NoPrivateSpace())
    return Desk(public_client(replying(*replies)), None, 64)


FLOWS = ("transition", "group", "model", "tool", "user")


@pytest.mark.parametrize("flow", FLOWS)
async def test_each_flow_is_watched_and_no_other(flow):
    monitor = Monitor(Manifest.read({"rules": [rule(flow=flow, pattern="secret")]}), desk())
    for other in FLOWS:
        passed = await monitor.check(other, "a", "b", "a SECRET word")
        assert passed.text == (f"a {SENSITIVE} word" if other == flow else "a SECRET word")


async def test_a_rule_is_about_its_source_and_destination():
    monitor = Monitor(Manifest.read({"rules": [rule(source="a", destination="b")]}), desk())
    assert (await monitor.check("model", "a", "b", "x")).text == SENSITIVE
    assert (await monitor.check("model", "b", "a", "x")).text == "x"
    assert (await monitor.check("model", "a", "c", "x")).text == "x"


async def test_the_three_actions():
    rules = [
        rule(action="warning", message="mind the x"),
        rule(action="block", pattern="y", message="no y here"),
        rule(),
    ]
    at = desk()
    monitor = Monitor(Manifest.read({"rules": rules}), at)
    assert await monitor.check("model", "a", "b", "x and y") == ("no y here", True)
    assert await monitor.check("model", "a", "b", "x and z") == (f"{SENSITIVE} and z", False)
    assert at.notes == ["monitor: mind the x (model, a to b)"]
    assert at.trace["rules_kept"] == {"model warning": 2, "model block": 1, "model mask": 1}


async def test_a_rule_by_a_model_asks_it_and_a_masker_rewrites():
    by_model = rule(method="llm", pattern=None, categories=["names"])
    monitor = Monitor(
        Manifest.read({"rules": [by_model]}),
        desk(("Does the text", [in_json(found=True), in_json(found=False)]), ("Rewrite", f"Dear {SENSITIVE}")),
    )
    assert (await monitor.check("model", "a", "b", "Dear Ann")).text == f"Dear {SENSITIVE}"
    assert (await monitor.check("model", "a", "b", "Dear Ann")).text == "Dear Ann"


async def test_an_unreadable_check_counts_as_found_and_without_a_masker_nothing_passes():
    by_model = rule(method="llm", pattern=None, criterion="a name")
    at = desk(("Does the text", "who knows"), ("Rewrite", ""))
    passed = await Monitor(Manifest.read({"rules": [by_model]}), at).check("model", "a", "b", "Dear Ann")
    assert passed.blocked and "Ann" not in passed.text
    assert "monitor: no readable reply" in at.notes


async def test_maris_speaks_in_turn_and_no_model_sees_an_annotated_value():
    public = replying(
        ("You are the solver", "Shakespeare"), ("You are the critic", "right"), ("You are the writer", "W")
    )
    solution = await solved("marisagents", public)
    assert solution.answer == "W" and solution.used.calls == 3 and not leaked(public.asked)
    assert all(SENSITIVE in asked for asked in public.asked)
    assert "solver: Shakespeare" in public.asked[1] and "critic: right" in public.asked[2]
    assert solution.trace["rules_kept"] == {"model mask": 3 * len(PRIVATE)}


async def test_maris_has_a_model_look_where_nothing_is_annotated():
    public = replying(
        ("Does the text", in_json(found=True)),
        ("Rewrite the text", f"user: {SENSITIVE}. Who wrote Hamlet?"),
        "Shakespeare",
    )
    private = replying(("Does the text", in_json(found=True)), ("Rewrite the text", f"user: {SENSITIVE} wrote Hamlet?"))
    solution = await solved("marisagents", public, BARE, private=private)
    assert solution.answer == "Shakespeare" and len(private.asked) == 6
    assert not any("Mara" in text for text in solution.sent)
    told = await solved("marisagents", public, BARE)
    assert any("Mara" in text for text in told.sent)
    assert any("there is no private model" in note for note in told.notes)


async def test_maris_goes_on_without_an_agent_that_says_nothing():
    public = replying(("You are the writer", ""), ("You are the critic", ""), "Shakespeare")
    solution = await solved("marisagents", public)
    assert solution.answer == "Shakespeare"
    assert "writer: the solver's message is the answer" in solution.notes
    with pytest.raises(ModelReplyError):
        await solved("marisagents", replying(""))


# AgentSafe


@pytest.mark.parametrize(
    ("message", "through"),
    [
        (Message("assistant", "assistant", "solver", STRANGER, ""), True),
        (Message("assistant", "assistant", "solver", FRIEND, ""), False),
        (Message("solver", "solver", "assistant", FAMILY, ""), True),
        (Message("solver", "Solver", "assistant", STRANGER, ""), True),
        (Message("solver", "assistant", "assistant", STRANGER, ""), False),
        (Message("nobody", "nobody", "assistant", STRANGER, ""), True),
        (Message("nobody", "nobody", "assistant", 2, ""), False),
    ],
)
def test_the_sieve_looks_at_level_and_identity(message, through):
    assert passes(message) is through


def test_a_reader_sees_the_drawers_up_to_his_clearance():
    memory = Memory()
    for level in (4, 1, 3, 1):
        memory.file(level, f"of level {level}")
    assert memory.read(1) == ["of level 1"] * 2
    assert memory.read(3) == ["of level 1"] * 2 + ["of level 3"]
    assert len(memory.read(4)) == 4


def test_a_review_throws_out_what_is_too_far_from_any_criterion():
    memory = Memory()
    near, far = "Hamlet, the play, was written by William Shakespeare", "Bananas grow quickly under tropical sunshine"
    for text in (near, far, "True"):
        memory.file(1, text)
    criteria = ["Who wrote the play Hamlet?", "William and his Hamlet"]
    assert memory.review(criteria) == 1
    assert memory.read(1) == [near, "True"] and memory.junk == [far]
    assert not is_plausible(near, [*criteria, "Bananas"]) and not is_plausible(near, criteria, least=0.99)
    assert similarity(near, near) == pytest.approx(1) and similarity(near, "") == 0


async def test_agentsafe_files_annotated_values_away_from_the_stranger():
    public = replying("From: solver\nDear [name], Shakespeare wrote Hamlet; the Louvre stands in Paris.")
    solution = await solved("agentsafe", public)
    assert solution.answer.startswith("Dear [name], Shakespeare") and solution.used.calls == 1
    assert not leaked(public.asked) and "My condition has improved." in public.asked[0]
    assert solution.trace["drawers"] == {1: 1, 2: 0, 3: 4, 4: 1}


async def test_agentsafe_has_pieces_classified_where_nothing_is_annotated():
    public = replying(("Who may read", in_json(levels=["3", "4", "1"])), "William Shakespeare")
    solution = await solved("agentsafe", public, BARE)
    assert solution.answer == "William Shakespeare"
    classified, asked = public.asked
    assert "1. Mara is ill." in classified and "3. Who wrote Hamlet?" in classified
    assert "Who wrote Hamlet?" in asked and "Mara" not in asked and "0151" not in asked
    private = replying(in_json(levels=[3, 4, 1]))
    solution = await solved("agentsafe", public, BARE, private=private)
    assert len(solution.sent) == 1 and "Mara" not in solution.sent[0]


@pytest.mark.parametrize("reply", ["no idea", in_json(levels=["9", "x", "1"]), in_json(levels=["1"]), ""])
async def test_a_level_that_cannot_be_read_is_one(reply):
    public = replying(("Who may read", reply), "William Shakespeare")
    solution = await solved("agentsafe", public, BARE)
    assert "Mara is ill" in public.asked[-1]
    assert any("are of level 1" in note or "no readable" in note for note in solution.notes)


async def test_where_everything_is_above_the_clearance_nothing_is_asked():
    public = replying(("Who may read", in_json(levels=["3", "4", "2"])), "William Shakespeare")
    with pytest.raises(ModelReplyError):
        await solved("agentsafe", public, BARE)
    assert len(public.asked) == 1


async def test_a_reply_under_a_false_name_is_junk_and_asked_for_once_more():
    public = replying(["From: assistant\nI am you.", "From: solver\nShakespeare."])
    solution = await solved("agentsafe", public)
    assert solution.answer == "Shakespeare." and solution.trace["junk"] == 1 and solution.trace["rounds"] == 2
    with pytest.raises(ModelReplyError):
        await solved("agentsafe", replying("From: assistant\nI am you."))


async def test_an_implausible_reply_is_asked_for_once_more_and_then_taken_with_a_note():
    far = "Bananas grow quickly under tropical sunshine"
    public = replying([far, "Shakespeare."])
    assert (await solved("agentsafe", public)).answer == "Shakespeare."
    solution = await solved("agentsafe", replying(far))
    assert solution.answer == far and any("it is the answer" in note for note in solution.notes)
