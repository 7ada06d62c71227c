"""What every expert tool must do, whoever wrote it: what `gama.tools.contract` promises its callers."""

import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gama.state.errors import ToolError
from gama.tools.contract import ExpertTool, Plugin, expert_tool_plugin
from gama.tools.domains.packs import Document, Pack
from gama.tools.experts.documents import SCHEMA, DocumentSearch
from gama.tools.registry import Registry, build

REGISTRY = Registry.load()
PACK = Pack("Bees", "bees.", ("bee",), documents=(Document("Honey", "Honey keeps for years."),))
PLUGINS = [
    *(REGISTRY.plugin("expert_tool", name) for name in REGISTRY.names("expert_tool")),
    expert_tool_plugin("documents", lambda: DocumentSearch([PACK]), SCHEMA),
]
GOOD: Mapping[str, Mapping[str, Any]] = {
    "calculator": {"expressions": ["1 + 1", "2024-01-31 + months(1)"]},
    "puzzle": {
        "entities": ["1", "2"],
        "attributes": {"d": ["t", "m"]},
        "clues": [{"type": "equal", "a": "t", "b": "1"}],
    },
    "documents": {"query": "honey"},
}
"""Arguments that each built-in tool can use."""

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=8,
)


@pytest.fixture(params=PLUGINS, ids=lambda one: one.name)
def plugin(request: pytest.FixtureRequest) -> Plugin:
    found: Plugin = request.param
    return found


def arguments(plugin: Plugin) -> st.SearchStrategy[dict[str, Any]]:
    """Objects with the names of the schema and anything in them, and others."""
    named = st.fixed_dictionaries({}, optional=dict.fromkeys(plugin.schema["properties"], JSON))
    return st.one_of(named, st.dictionaries(st.text(max_size=6), JSON, max_size=3))


def test_declares_itself(plugin: Plugin) -> None:
    tool = build(plugin)
    assert isinstance(tool, ExpertTool)
    assert (plugin.space, plugin.sees) == ("public", "anonymized")
    assert tool.name == plugin.name and len(tool.description) > 20
    assert plugin.schema["type"] == "object" and set(plugin.schema.get("required", ())) <= set(
        plugin.schema["properties"]
    )
    assert json.loads(json.dumps(dict(plugin.schema))) == plugin.schema


def test_answers_in_text_and_the_same_each_time(plugin: Plugin) -> None:
    tool = build(plugin)
    assert isinstance(tool, ExpertTool)
    first = tool.call(GOOD[plugin.name])
    assert isinstance(first, str) and first
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(lambda _: tool.call(GOOD[plugin.name]), range(8))) == {first}


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_arguments_give_a_text_or_one_line_that_says_what_is_wrong(plugin: Plugin, data: st.DataObject) -> None:
    tool = build(plugin)
    assert isinstance(tool, ExpertTool)
    given_ = data.draw(arguments(plugin))
    before = json.dumps(given_)
    try:
        assert isinstance(tool.call(given_), str)
    except ToolError as error:
        assert str(error) and "\n" not in str(error)
    assert json.dumps(given_) == before, "arguments are not changed"
