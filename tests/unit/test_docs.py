"""The examples of the pages run, and what they name exists."""

import json
import re
from pathlib import Path

import pytest

from gama.models.prices import read_prices
from gama.serve.commands.ask import ask
from gama.state.egress import EGRESS, NoPrivateSpace
from gama.state.options import FROM_ENVIRONMENT, Options

ROOT = Path(__file__).parents[2]
MODELS = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


@pytest.mark.parametrize("code", blocks(MODELS, "python"))
def test_the_python_examples_of_the_page_on_models_run(code):
    exec(compile(code, "docs/models.md", "exec"), {})


def test_the_price_file_of_the_page_on_models_can_be_read(tmp_path):
    (content,) = blocks(MODELS, "json")
    file = tmp_path / "prices.json"
    file.write_text(content)
    assert read_prices(str(file)) == read_prices(json.loads(content)["usd_per_million_tokens"])


def test_the_page_on_models_names_what_there_is():
    import inspect
    import typing

    variables = set(re.findall(r"`GAMA_([A-Z_]+)`", MODELS))
    assert variables and variables <= {name.upper() for name in FROM_ENVIRONMENT}
    assert set(re.findall(r"^    (\w+)=", blocks(MODELS, "python")[1], re.MULTILINE)) <= set(Options.model_fields)
    hints = typing.get_type_hints(ask, include_extras=True)
    given = {
        declared
        for name in inspect.signature(ask).parameters
        for option in getattr(hints[name], "__metadata__", ())
        for declared in (getattr(option, "param_decls", None) or (f"--{name.replace('_', '-')}",))
    }
    line = MODELS.split("On the command line: ")[1].split(". In the")[0]
    named = set(re.findall(r"`(--[a-z-]+)`", line))
    assert len(named) == 6 and named <= given


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
    roman, bees = (one.build() for one in space["plugins"]())
    assert roman.call({"number": 1994}) == "MCMXCIV" and bees.name == "Apiaries"


def test_the_page_on_tools_names_what_there_is():
    from gama.state.options import LISTS_FROM_ENVIRONMENT
    from gama.tools.experts.toolbox import BUILT_IN, ToolLimits

    table = re.findall(r"^\| `(--\w+)` \| `(\w+)` \| `GAMA_(\w+)` \|", TOOLS, re.MULTILINE)
    assert {option for _, option, _ in table} == {name.lower() for *_, name in table} == set(LISTS_FROM_ENVIRONMENT)
    assert set(re.findall(r"^\| `(\w+)` \| [^`]", TOOLS, re.MULTILINE)) == set(BUILT_IN)
    limits = ToolLimits()
    assert f"`tool_calls` ({limits.calls} " in TOOLS and f"`tool_chars` ({limits.chars:,};" in TOOLS
    assert f"`tool_seconds` ({limits.seconds:g} " in TOOLS
