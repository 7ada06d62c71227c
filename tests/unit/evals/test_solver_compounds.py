"""The identification methods, the compounds, PAPILLON, and GAMA as a solver."""

import pytest

from gama.evals.datasets.problem import Problem
from gama.evals.methods.catalog import choose
from gama.evals.methods.ner_pre import NerPre
from gama.evals.solvers.base import Models
from gama.evals.solvers.catalog import make
from gama.evals.solvers.hiding import put_back
from gama.evals.solvers.rpr import values_of
from gama.state.errors import LeakError, ModelReplyError, OptionError
from gama.state.options import Options
from tests.support.solving import LETTER, SECRETS, in_json, leaked, letter, replying, solved, solver

# NER-PRE


def test_ner_pre_replaces_whole_names_and_can_be_reversed():
    hidden, names = NerPre(Options()).cover(LETTER)
    assert not leaked([hidden.masked])
    assert put_back(hidden.masked, {placeholder: surface for surface, placeholder in names.items()}) == LETTER


def test_ner_pre_as_published_deletes_what_follows_a_names_first_word():
    text = "Dear Emma Williams, I am Daniel Jones of Boston. Emma knows my number, +44 20 7946 0958. Jones"
    hidden, names = NerPre(Options(), as_published=True).cover(text)
    assert names["Emma"] in hidden.masked.split(",")[0] and hidden.masked.count(names["Emma"]) == 2
    assert "Williams" not in names and "Williams" not in hidden.masked
    assert "+44 20 7946 0958" in names and "7946" not in hidden.masked
    # The text is damaged: what was deleted does not come back.
    assert "Williams" not in put_back(hidden.masked, {placeholder: surface for surface, placeholder in names.items()})


def test_ner_pre_is_measured_where_it_is_named():
    methods = choose(Options(), ["pipeline", "ner-pre", "ner-pre-published"]).methods
    assert [method.name for method in methods] == ["pipeline", "ner-pre", "ner-pre-published"]
    assert not {"ner-pre", "ner-pre-published"} & {method.name for method in choose(Options()).methods}


def test_ner_pre_hides_what_is_famous_too():
    assert "Shakespeare" not in NerPre(Options()).hide("William Shakespeare was born in Stratford.").masked


# RPR


@pytest.mark.parametrize(
    ("text", "rewritten", "values"),
    [
        ("Dear Ann, hi", "Dear <name-1>, hi", {"<name-1>": "Ann"}),
        ("Ann met Bob and Ann", "<name-1> met <name-2> and <name-1>", {"<name-1>": "Ann", "<name-2>": "Bob"}),
        ("Ann", "<name-1>", {"<name-1>": "Ann"}),
        ("  Ann left\n", "<name-1> left", {"<name-1>": "Ann"}),
        ("Nothing here", "Nothing here", {}),
        ("Dear Ann, hi", "Hello <name-1>, hi", None),
        ("Dear Ann, hi", "Dear <name-1>, bye", None),
        ("Dear Ann, hi", "Dear <name-1>", {"<name-1>": "Ann, hi"}),
        ("AnnBob left", "<name-1><name-2> left", None),
        ("Dear , hi", "Dear <name-1>, hi", None),
        ("Dear Ann, hi", "Someone wrote.", None),
    ],
)
def test_what_a_rewritten_text_stands_for(text, rewritten, values):
    assert values_of(text, rewritten) == values


def test_reading_values_off_is_quick_where_nothing_fits():
    text = "a " * 20_000
    assert values_of(text, "<name-1> b".join([""] * 5_000)) is None


async def test_rpr_sends_the_raw_text_and_says_so():
    public = replying(("Rewrite the text", "Dear <name-1>, who wrote Hamlet?"), "Dear <name-1>, Shakespeare.")
    solution = await solved("std-rpr", public, Problem("1", "kpp", "Dear Ann, who wrote Hamlet?"))
    assert solution.answer == "Dear Ann, Shakespeare."
    assert solution.trace["unrestored"] == "Dear <name-1>, Shakespeare."
    assert "Ann" in solution.sent[0] and "Ann" not in solution.sent[1]
    assert any("raw text" in note for note in solution.notes)


async def test_a_text_that_was_rewritten_freely_is_not_restored():
    public = replying(("Rewrite the text", "Somebody asks <name-1> for Hamlet."), "Dear <name-1>, Shakespeare.")
    solution = await solved("std-rpr", public)
    assert solution.answer == "Dear <name-1>, Shakespeare."
    assert any("not restored" in note for note in solution.notes)


async def test_without_a_rewritten_text_nothing_is_solved():
    public = replying(("Rewrite the text", ""), "Shakespeare")
    with pytest.raises(ModelReplyError):
        await solved("std-rpr", public)
    assert len(public.asked) == 1


# Compounds


@pytest.mark.parametrize("key", ["std-mvpi", "std-ner-pre", "autoagents-mvpi", "autoagents-ner-pre"])
async def test_the_answer_is_restored_and_kept_unrestored(key):
    public = replying("Dear <name-1>, Shakespeare.")
    solution = await solved(key, public)
    assert not leaked(public.asked)
    assert solution.trace["unrestored"] == "Dear <name-1>, Shakespeare."
    assert solution.answer == "Dear Marisol Vandermeer, Shakespeare."
    assert "<name-1>" in solution.trace["anonymized"] and solution.trace["anonymized"] in public.asked[-1]


async def test_what_the_data_set_annotates_reaches_no_compound():
    public = replying("Shakespeare")
    solution = await solved("std-mvpi", public, letter(questions=["Who is Marisol Vandermeer?"]))
    assert not leaked(solution.sent)


async def test_the_guard_of_mvpi_stops_a_step_that_would_send_a_value(monkeypatch):
    from gama.evals.solvers import std

    monkeypatch.setattr(std, "PROMPT", "$problem\n\nMarisol  VANDERMEER asks.")
    public = replying("Shakespeare")
    # Said in a prompt of ours it is no leak by chance only: here it comes from nowhere.
    monkeypatch.setattr("gama.evals.solvers.desk._call", _leaky)
    with pytest.raises(LeakError):
        await solved("std-mvpi", public)
    assert not public.asked


def _leaky(role, prompt, parts, max_tokens=None):
    from gama.models.calls import PublicCall

    return PublicCall(role=role, system="", user=f"{parts['problem']}\nMarisol Vandermeer", task="")


async def test_what_the_public_side_said_itself_is_no_leak():
    manager = in_json(roles=["Marisol Vandermeer: a poet"], plan=["Marisol Vandermeer: think"])
    public = replying(("You are the manager", manager), ("look over", "No suggestions"), "Final output: Shakespeare")
    solution = await solved("autoagents-mvpi", public)
    assert "Shakespeare" in solution.answer


async def test_a_private_model_takes_part_in_mvpi_at_home():
    private = replying('[{"surface": "Hamlet", "type": "PER"}]')
    solution = await solved("std-mvpi", replying("Shakespeare"), private=private)
    assert private.asked and "Hamlet" not in solution.trace["anonymized"]


# PAPILLON

WRITER, COMPOSER = "Write a prompt for that assistant", "WHAT THE ASSISTANT WAS ASKED"


async def test_papillon_sends_the_written_prompt_alone():
    private = replying(
        (COMPOSER, "Dear Marisol Vandermeer: Shakespeare."), (WRITER, "Here it is.\nPrompt: Who wrote it?")
    )
    public = replying("Shakespeare.")
    solution = await solved("papillon", public, private=private)
    assert solution.sent == ("Who wrote it?",) and solution.used.calls == 1
    assert solution.answer == "Dear Marisol Vandermeer: Shakespeare."
    assert leaked(private.asked[:1]) == SECRETS and "WHAT IT SAID\nShakespeare." in private.asked[1]


async def test_papillon_asks_once_more_for_a_prompt_and_then_gives_up():
    private = replying((COMPOSER, "S."), (WRITER, ["Prompt:", "Who wrote it?"]))
    assert (await solved("papillon", replying("S."), private=private)).sent == ("Who wrote it?",)
    public = replying("S.")
    with pytest.raises(ModelReplyError):
        await solved("papillon", public, private=replying((WRITER, "Prompt: \n")))
    assert not public.asked


async def test_papillon_without_a_composer_gives_what_the_assistant_said():
    solution = await solved("papillon", replying("S."), private=replying((COMPOSER, ""), (WRITER, "Prompt: Who?")))
    assert solution.answer == "S." and "composer: no usable reply" in solution.notes


# GAMA


async def test_gama_tells_what_the_plots_need():
    public = replying(in_json(contradiction=False, reason=""))
    solution = await solved("gama-strict", public)
    assert solution.trace["rules"] == len(solution.trace["domains"]) >= 1
    assert {"anonymized", "rounds", "verdict", "experts", "unresolved", "route"} <= solution.trace.keys()
    assert solution.trace["anonymized"] in solution.sent[0]


@pytest.mark.parametrize(
    ("key", "facts"),
    [
        ("gama-v1", {"style": "v1", "formulas": "False", "topk_mode": "paper", "privacy": "strict"}),
        ("gama-v2", {"disprove": "v2", "formulas": "False", "topk_mode": "paper", "privacy": "strict"}),
        ("gama-strict", {"privacy": "strict"}),
        ("gama-balanced", {"privacy": "balanced"}),
        ("gama-open", {"privacy": "open"}),
        ("gama-no-ampp", {"ampp": "False", "allow_raw": "True", "privacy": "strict"}),
        ("gama-no-drke", {"drke": "False", "allow_raw": "True", "privacy": "strict"}),
        ("gama-no-dle", {"dle": "False", "allow_raw": "True", "privacy": "strict"}),
    ],
)
def test_the_facts_name_what_makes_each_gama(key, facts):
    told = dict(solver(key, replying("")).facts())
    assert (
        told.pop("model_sha256")
        and told.pop("accurate_sha256")
        and told.pop("gama")
        and told.pop("public") == "Replying"
    )
    assert told == facts


async def test_the_switches_reach_the_graph():
    told = {}
    for key in ("gama-strict", "gama-no-drke", "gama-no-dle"):
        solution = await solved(key, replying(in_json(contradiction=False, reason="")))
        told[key] = solution.trace["switches"], solution.trace["rounds"]
    assert told["gama-strict"][0] == {"ampp": True, "drke": True, "dle": True} and told["gama-strict"][1] == 1
    assert told["gama-no-drke"][0] == {"ampp": True, "drke": False, "dle": True}
    assert told["gama-no-dle"] == ({"ampp": True, "drke": True, "dle": False}, 0)


@pytest.mark.filterwarnings("ignore::gama.state.errors.RawTextWarning")
async def test_the_cumulative_mode_takes_the_other_modules_off_too():
    options = Options(ablation_mode="cumulative")
    solution = await solved("gama-no-dle", replying("Shakespeare"), options=options)
    assert solution.trace["switches"] == {"ampp": False, "drke": False, "dle": False}
    assert leaked(solution.sent) == SECRETS


async def test_versions_stop_disproof_on_opposite_findings():
    found = in_json(contradiction=True, reason="It is another one.")
    replies = (("You test a rival", found), ("You try to disprove", found), ("rival", "Marlowe"), "Shakespeare")
    first, second = [await solved(key, replying(*replies)) for key in ("gama-v1", "gama-v2")]
    assert (first.trace["rounds"], first.trace["verdict"]) == (3, "unconverged")
    assert (second.trace["rounds"], second.trace["verdict"]) == (1, "converged")
    assert len(first.trace["contradictions"]) == 3 and len(second.trace["counterfactuals"]) == 1


async def test_a_formula_that_is_mended_on_another_thread_is_recorded_too():
    public = replying(("bonus", ["{{ nonsense(<amount-1>) }}", "{{ <amount-1> * 2 }}"]), "")
    problem = Problem("1", "answers", "My bonus is $1,250. What is twice my bonus?")
    solution = await solved("gama-no-dle", public, problem, options=Options(k=1))
    assert len(solution.sent) == len(public.asked) == solution.used.calls >= 2


def test_options_that_let_the_raw_text_leave_without_consent_are_refused():
    options = Options().model_copy(update={"ampp": False})
    with pytest.raises(OptionError):
        make("gama-strict", Models(replying("")), options)
