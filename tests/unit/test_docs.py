"""The examples of the pages run, and what they name exists."""

import importlib.util
import json
import re
import runpy
from pathlib import Path

import pytest

from gama.guard.egress import EGRESS, NoPrivateSpace
from gama.models.names import read_prices
from gama.state.option_table import rows
from gama.state.options import Options

ROOT = Path(__file__).parents[2]
MODELS = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


@pytest.mark.parametrize("code", blocks(MODELS, "python"))
def test_the_python_examples_of_the_page_on_models_run(code):
    exec(compile(code, "docs/models.md", "exec"), {})


PAGES = ("composition", "documents", "formulas", "middleware", "placeholders", "privacy-levels", "query-aware")
SHOWN = {"documents": 0, "query-aware": 1}
"""Which of a page's texts is what its example prints."""


@pytest.mark.parametrize("page", PAGES)
def test_the_python_examples_of_the_other_pages_run(page, capsys):
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    found = blocks(text, "python")
    assert found
    for code in found:
        exec(compile(code, f"docs/{page}.md", "exec"), {})
    if page in SHOWN:
        assert capsys.readouterr().out.strip() == blocks(text, "text")[SHOWN[page]].strip()


def test_the_readme_leads_to_every_page():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        assert f"(docs/{page.name})" in readme, page.name
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert target.startswith("http") or (page.parent / target).exists(), (page.name, target)


EVERYWHERE = sorted([*(ROOT / "docs").glob("*.md"), ROOT / "README.md", ROOT / "examples" / "README.md"])
ROOMS = "state guard vault models tools privacy nodes graph middleware serve evals training examples deploy".split()


def test_the_files_that_pages_name_exist():
    for page in EVERYWHERE:
        for path in re.findall(r"`((?:\w+/)+[\w.-]*)`", page.read_text(encoding="utf-8")):
            assert "NAME" in path or path.split("/")[0] not in ROOMS or (ROOT / path).exists(), (page.name, path)


def test_the_modules_that_pages_name_exist():
    for page in EVERYWHERE:
        for module in re.findall(r"(?:from|-m) (gama(?:\.\w+)+)", page.read_text(encoding="utf-8")):
            assert importlib.util.find_spec(module), (page.name, module)


def test_the_index_leads_to_every_page():
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8").split("## All pages")[1]
    named = set(re.findall(r"^\| \[[^]]+\]\((\w[\w-]*\.md)\)", index, re.MULTILINE))
    assert named == {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md"}


def test_the_page_on_architecture_names_every_room():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").split("## The rooms")[1]
    named = set(re.findall(r"`(\w+)/`", page))
    assert {path.parent.name for path in (ROOT / "src" / "gama").glob("*/__init__.py")} <= named


@pytest.mark.parametrize("page", EVERYWHERE, ids=lambda page: page.stem)
def test_the_command_lines_of_a_page_can_be_understood(page):
    from typer.main import get_command

    from gama.serve.cli import app
    from gama.serve.commands.seal import seal

    shown = "\n".join(blocks(page.read_text(encoding="utf-8"), "sh")).replace("\\\n", " ")
    for line in shown.splitlines():
        for part in re.split(r"[|;]|&&", line.split(" #")[0]):
            words = part.split()
            while words and (re.match(r"[A-Z_]+=", words[0]) or words[0] == ".venv/bin/gama"):
                if words[0] == ".venv/bin/gama":
                    words[0] = "gama"
                else:
                    words.pop(0)
            if not words or words[0] != "gama":
                continue
            command, names = get_command(app), words[1:]
            if names[:2] == ["train", "seal"]:
                command, names = get_command(seal), names[2:]
            while hasattr(command, "commands") and names:
                assert names[0] in command.commands, line
                command, names = command.commands[names[0]], names[1:]
            options = {option for one in command.params for option in (*one.opts, *one.secondary_opts)} | {"--help"}
            given = {word.split("=")[0] for word in names if re.match(r"--?[a-z]", word)}
            assert given <= options, line


def test_the_price_file_of_the_page_on_models_can_be_read(tmp_path):
    (content,) = blocks(MODELS, "json")
    file = tmp_path / "prices.json"
    file.write_text(content)
    assert read_prices(str(file)) == read_prices(json.loads(content)["usd_per_million_tokens"])


def test_the_page_on_models_names_what_there_is():
    from typer.main import get_command

    from gama.serve.cli import app

    variables = set(re.findall(r"`GAMA_([A-Z_]+)`", MODELS))
    assert variables and variables <= {name.upper() for name, row in rows(Options).items() if row.variable}
    assert set(re.findall(r"^    (\w+)=", blocks(MODELS, "python")[1], re.MULTILINE)) <= set(Options.model_fields)
    given = {flag for option in get_command(app).commands["ask"].params for flag in option.opts}
    line = MODELS.split("On the command line: ")[1].split(". In the")[0]
    named = set(re.findall(r"`(--[a-z-]+)`", line))
    assert len(named) == 6 and named <= given


def test_the_page_of_options_is_made_from_the_table():
    render = runpy.run_path(str(ROOT / "docs" / "option_page.py"))["render"]
    assert (ROOT / "docs" / "options.md").read_text(encoding="utf-8") == render(), (
        "python docs/option_page.py > docs/options.md"
    )


def test_the_page_on_restoring_names_what_there_is():
    from gama.evals.competitors import adapter

    page = (ROOT / "docs" / "restoring.md").read_text(encoding="utf-8")
    assert set(re.findall(r"`?(restore_[a-z]+)[=(`]", page)) - {"restore_arguments"} <= set(Options.model_fields)
    for name, (package, _) in adapter.TOOLS.items():
        assert package in page and f"| {name} " in page


TOOLS = (ROOT / "docs" / "tools.md").read_text(encoding="utf-8")


@pytest.fixture
def pack(tmp_path, monkeypatch):
    """Lay the pack of the page on tools where its examples look for it."""
    from gama.tools.domains.packs import read_pack

    (content,) = blocks(TOOLS, "yaml")
    folder = tmp_path / "beekeeping"
    folder.mkdir()
    (folder / "pack.yaml").write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return read_pack(folder)


def test_the_pack_of_the_page_on_tools_can_be_read(pack):
    assert pack.name == "Beekeeping" and pack.prompt and pack.documents[0].title == "Honey"


def test_the_examples_of_the_page_on_tools_run(pack):
    first, plugin = blocks(TOOLS, "python")
    space: dict = {}
    exec(compile(first, "docs/tools.md", "exec"), space)
    token = EGRESS.set(NoPrivateSpace())
    offer = space["gama"].graph.tools.offered("Beekeeping")
    EGRESS.reset(token)
    assert [tool.name for tool in offer.tools] == ["documents", "calculator"]
    space["gama"].close()
    exec(compile(plugin, "docs/tools.md", "exec"), space)
    from gama.tools.registry import build

    roman, bees = (build(one) for one in space["plugins"]())
    assert roman.call({"number": 1994}) == "MCMXCIV" and bees.name == "Apiaries"


def test_the_page_on_tools_names_what_there_is():
    from gama.tools.experts.toolbox import BUILT_IN, ToolLimits

    table = re.findall(r"^\| `(--\w+)` \| `(\w+)` \| `GAMA_(\w+)` \|", TOOLS, re.MULTILINE)
    lists = {name for name, row in rows(Options).items() if row.variable and row.kind is list}
    assert {option for _, option, _ in table} == {name.lower() for *_, name in table} == lists
    assert set(re.findall(r"^\| `(\w+)` \| [^`]", TOOLS, re.MULTILINE)) == set(BUILT_IN)
    limits = ToolLimits()
    assert f"`tool_calls` ({limits.calls} " in TOOLS and f"`tool_chars` ({limits.chars:,};" in TOOLS
    assert f"`tool_seconds` ({limits.seconds:g} " in TOOLS
