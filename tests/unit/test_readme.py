"""What the README shows and names is the real thing; so are the parts of all pages that are made from the product."""

import contextlib
import importlib.util
import io
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")

SPEC = importlib.util.spec_from_file_location("pages", ROOT / "docs" / "pages.py")
assert SPEC is not None and SPEC.loader is not None
pages = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(pages)


@pytest.mark.parametrize("part", pages.PARTS)
def test_a_part_made_from_the_product_is_current(part):
    places = [page for page in pages.PAGES if f"<!-- made: {part} " in page.read_text(encoding="utf-8")]
    assert len(places) == 1
    shown = {found[2]: found[3] for found in pages.PART.finditer(places[0].read_text(encoding="utf-8"))}
    assert shown[part] == f"\n{pages.PARTS[part]()}\n", "make the pages anew: python docs/pages.py"


def test_the_letter_is_short_and_nothing_of_it_leaves():
    before, left, back = re.findall(r"```text\n(.*?)```", README.split("<!-- end -->")[0], re.DOTALL)
    assert len(before.splitlines()) <= 12
    for value in (
        "Achterberg",
        "Harlow Bridge",
        "GY-20771-K",
        "Rao",
        "arthritis",
        "42.50",
        "GB29",
        "900812",
        "Weavers",
    ):
        assert value in before and value not in left
    assert "£42.50" in back and "GB29 NWBK 6016 1331 9268 19" in back and "<" not in back


def test_the_first_example_gives_the_output_shown():
    code, shown = re.search(
        r"```python\n(from gama import Anonymizer.*?)```\s*```text\n(.*?)```", README, re.DOTALL
    ).groups()
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "README.md", "exec"), {})
    assert out.getvalue() == shown


def cells(name: str) -> list[str]:
    """Return the figures of a row of the table of comparison."""
    (row,) = (line for line in README.splitlines() if line.startswith(f"| {name}"))
    return [cell.strip(" *") for cell in row.strip("| ").split("|")][1:]


@pytest.mark.slow
def test_the_figures_of_finding_are_those_that_the_command_gives():
    pytest.importorskip("scipy")
    from gama.evals.datasets.corpus import load
    from gama.evals.identify import evaluate
    from gama.evals.methods.catalog import choose
    from gama.evals.runs import run_all
    from gama.state.options import Options

    rows = {
        "pipeline": "**GAMA** ",
        "strict": "**GAMA, ",
        "regex": "seven common",
        "nothing": "nothing",
        "presidio": "Presidio,",
    }
    if importlib.util.find_spec("presidio_analyzer") is None:
        del rows["presidio"]
    dataset = load()
    texts = [(record.id, record.example.text) for record in dataset.records]
    runs = run_all(choose(Options(), list(rows)).methods, texts, lambda name: None)
    assert f"the {len(texts)} annotated texts" in README
    for row in evaluate(dataset, runs, resamples=0).rows:
        figures = ("direct_recall", "residual_leak", "words_masked", "public_kept")
        measured = [100 * row.values[name].value for name in figures]
        shown = [float(cell.removesuffix(" %")) for cell in cells(rows[row.method])[:4]]
        assert shown == pytest.approx(measured, abs=0.75), row.method


@pytest.mark.slow
def test_the_figures_of_restoring_are_those_that_the_command_prints():
    from gama.evals.mangling.report import published

    table = [[cell.strip(" *") for cell in line.strip("| ").split("|")] for line in published().splitlines()]
    (head,) = (row for row in table if row[0] == "exact answers, in %" and len(row) > 4)
    exact, wrong = (next(row for row in table if row[0] == name and len(row) == len(head))
                    for name in ("kinds always exact", "wrong values"))  # fmt: skip
    rows = {
        "gama": "**GAMA** ", "langchain, combined": "LangChain", "litellm": "LiteLLM", "llm-guard, exact": "LLM Guard, exact",
        "llm-guard, fuzzy": "LLM Guard, fuzzy",
    }  # fmt: skip
    for tool, name in rows.items():
        at = next(at for at, column in enumerate(head) if re.sub(r" [\d.]+$", "", column) == tool)
        assert cells(name)[4:] == [exact[at], wrong[at]], tool


def test_every_link_leads_somewhere():
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_command_named_exists():
    from gama.serve.cli import app

    known = {command.callback.__name__ for command in app.registered_commands}
    known |= {group.name for group in app.registered_groups}
    named = set(re.findall(r"`gama ([a-z]+)", README))
    assert named and named <= known
