"""What every method that solves tasks must do."""

import asyncio
import re
from pathlib import Path

import pytest

from gama.evals.datasets.problem import Problem
from gama.evals.solvers.base import Models
from gama.evals.solvers.catalog import SOLVERS, make
from gama.state.errors import GamaError, ModelUnreachable, OptionError
from gama.state.options import Options
from tests.support.solving import LETTER, SECRETS, leaked, letter, replying, solved, solver

pytestmark = pytest.mark.filterwarnings("ignore::gama.state.errors.RawTextWarning")

RAW = {key for key in SOLVERS if key.endswith("-rpr")} | {
    "std", "cot", "self-refine", "self-refine-original", "spp", "spp-profile", "spp-fixed", "autoagents", "gama-no-ampp",
}  # fmt: skip
HIDDEN = {key for key in SOLVERS if key.endswith("-mvpi") or key.startswith("gama-")} - {"gama-no-ampp"} | {"papillon"}
KEPT = {"epeagents", "marisagents", "agentsafe"}
"""Keep annotated values from the public model where a private one does what must see them."""

MOST = {
    "std": 1, "cot": 1, "self-refine": 3, "self-refine-original": 9, "spp": 1, "spp-profile": 1, "spp-fixed": 1,
    "autoagents": 64, "epeagents": 4, "marisagents": 3, "agentsafe": 2, "papillon": 1, "std-ner-pre": 1,
    "std-ner-pre-published": 1, "std-rpr": 2, "std-mvpi": 1,
}  # fmt: skip
"""Calls of the public model, at most; of the others the option `max_calls`."""


@pytest.fixture(params=SOLVERS)
def key(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def home():
    return replying("Prompt: Who wrote Hamlet?")


def test_it_says_what_it_is_and_what_its_figures_depend_on(key):
    made = solver(key, replying("Paris."), home())
    assert made.name and made.about and "\n" not in made.about
    facts = made.facts()
    assert facts["public"] == facts["private"] == "Replying" and facts["gama"]
    assert all(isinstance(value, str) for value in facts.values())


def test_names_are_told_apart():
    models = Models(replying(""), home())
    assert len({make(key, models, Options()).name for key in SOLVERS}) == len(SOLVERS)


async def test_any_reply_is_an_answer_in_a_bounded_number_of_calls_all_of_which_are_told(key):
    public = replying("William Shakespeare wrote it; the Louvre stands in Paris.")
    solution = await solved(key, public, private=home())
    # Where the private model composes the answer, it is that one's.
    assert ("Hamlet" if key in ("papillon", "epeagents") else "Shakespeare") in solution.answer
    assert 1 <= solution.used.calls <= MOST.get(key, 64)
    assert list(solution.sent) == public.asked and len(solution.sent) == solution.used.calls
    assert solution.used.input_tokens > 0 and solution.used.output_tokens > 0
    assert any("estimates" in note for note in solution.notes)
    assert not leaked(solution.notes)


async def test_what_it_sends(key):
    solution = await solved(key, replying("Shakespeare; Paris."), private=home())
    if key in RAW:
        assert leaked(solution.sent) == SECRETS
    if key in HIDDEN | KEPT:
        assert not leaked(solution.sent)


@pytest.mark.parametrize("said", ["", "   \n", "<think>so much to think</think>"])
async def test_an_empty_model_is_an_error_of_ours_or_a_flagged_answer(key, said):
    try:
        solution = await solved(key, replying(said), private=replying(said))
    except GamaError as error:
        assert not leaked([str(error)])
    else:
        assert key.startswith("gama-") and solution.notes


async def test_a_model_that_cannot_be_reached_is_an_error_that_quotes_nothing(key):
    broken = replying(ModelUnreachable("Nothing answers."))
    with pytest.raises(GamaError) as caught:
        await solved(key, broken, private=home())
    assert not leaked([str(caught.value)])


async def test_a_refusal_comes_through_as_what_it_is(key):
    declined = "I'm sorry, but I cannot help with that."
    try:
        solution = await solved(key, replying(declined), private=replying("Prompt: Hm?"))
    except GamaError:
        assert key.startswith("gama-")
    else:
        assert solution.answer


async def test_one_instance_serves_many_at_once(key):
    def said(asked):
        return next(f"That is riddle {n}." for n in range(8) if f"riddle {n}" in asked)

    public = replying("")
    public.reply = said
    made = solver(key, public, replying_with_number())
    problems = [Problem(str(n), "kpp", f"Please solve riddle {n}, which is a hard one.") for n in range(8)]
    found = await asyncio.gather(*(made.solve(problem) for problem in problems))
    for n, solution in enumerate(found):
        assert str(n) in solution.answer
        assert solution.sent and all(f"riddle {n}" in text for text in solution.sent)


def replying_with_number():
    def said(asked):
        number = next(n for n in range(8) if f"riddle {n}" in asked)
        return f"Prompt: What of riddle {number}?"

    model = replying("")
    model.reply = said
    return model


async def test_the_run_leaves_nothing_behind(key):
    made = solver(key, replying("Paris."), home())
    await made.solve(letter())
    assert not made._recording._requests and not made._recording._open


def test_a_name_that_is_not_known_is_told_with_the_one_that_was_meant():
    with pytest.raises(OptionError, match="did you mean 'autoagents-mvpi'"):
        make("autoagent-mvpi", Models(replying("")), Options())


def test_what_needs_a_private_model_says_so():
    with pytest.raises(OptionError, match="needs a private model"):
        make("papillon", Models(replying("")), Options())


async def test_the_letter_is_not_changed_on_the_way():
    public = replying("Paris.")
    await solved("std", public)
    assert public.asked == [LETTER]


def test_the_page_has_a_row_for_every_method():
    page = (Path(__file__).parents[2] / "docs" / "methods.md").read_text(encoding="utf-8")
    table = page.split("## What the publications leave open")[0]
    rows = re.findall(r"^\| (`[^|]*) \|", table, re.MULTILINE)
    assert sorted(key for row in rows for key in re.findall(r"`([^`]+)`", row)) == sorted(SOLVERS)
