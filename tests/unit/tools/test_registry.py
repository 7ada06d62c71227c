"""The registry: one door for built-in and foreign plugins."""

from collections.abc import Callable, Iterable
from importlib.metadata import EntryPoint

import pytest

from gama.state.entities import Span
from gama.state.errors import OptionError
from gama.tools import registry as module
from gama.tools.builtin import RECOGNIZERS
from gama.tools.contract import Plugin, expert_tool_plugin, recognizer_plugin
from gama.tools.recognizers.base import Recognizer, hit
from gama.tools.registry import Registry, build


class Cats:
    """Finds cats."""

    name = "cats"
    subtypes: tuple[str, ...] = ("other_id",)

    def find(self, text: str) -> Iterable[Span]:
        at = text.find("cat")
        return [hit(at, at + 3, "other_id", self.name, score=0.5)] if at >= 0 else []


def one_plugin() -> Plugin:
    return recognizer_plugin("cats", Cats)


def taken_name() -> list[Plugin]:
    return [recognizer_plugin("email", Cats)]


def no_plugin() -> list[object]:
    return ["cats"]


def failing() -> list[Plugin]:
    raise ValueError("a private detail")


Install = Callable[[dict[str, str]], None]


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Install:
    """Pretend that packages offer these entry points; values name functions of this file."""
    home = globals()

    class Point(EntryPoint):
        def load(self) -> object:
            if self.value not in home:
                raise ModuleNotFoundError(self.value)
            return home[self.value]

    def offer(points: dict[str, str]) -> None:
        found = [Point(name=name, value=value, group="gama.tools") for name, value in points.items()]
        monkeypatch.setattr(module, "entry_points", lambda group: found)

    return offer


def test_built_ins_come_without_metadata(install: Install) -> None:
    install({})
    registry = Registry.load()
    assert set(RECOGNIZERS) <= set(registry.names("recognizer"))
    assert {one.name for one in registry.recognizers()} >= set(RECOGNIZERS)


def test_a_package_adds_a_recognizer(install: Install) -> None:
    install({"acme": "one_plugin"})
    registry = Registry.load()
    made = registry.get("recognizer", "cats")
    assert isinstance(made, Recognizer)
    assert registry.get("recognizer", "cats") is made
    assert [span.start for span in made.find("a cat")] == [2]


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("absent", "ModuleNotFoundError"),
        ("failing", "ValueError"),
        ("no_plugin", "it offers something that is no"),
        ("taken_name", "recognizer 'email' is there already"),
    ],
)
def test_a_broken_plugin_is_a_warning_that_names_it(install: Install, value: str, problem: str) -> None:
    install({"acme": value})
    with pytest.warns(RuntimeWarning, match=f"plugin 'acme' is left out: {problem}") as caught:
        registry = Registry.load()
    assert "private detail" not in str(caught[0].message)
    assert registry.names("recognizer") == tuple(sorted(RECOGNIZERS))


def test_a_plugin_that_cannot_be_made_is_left_out(install: Install) -> None:
    install({})
    registry = Registry.load()
    registry.add(recognizer_plugin("hollow", lambda: object()))  # type: ignore[arg-type, return-value]
    with pytest.warns(RuntimeWarning, match="plugin 'hollow' is left out: .* is no recognizer"):
        assert "hollow" not in {one.name for one in registry.recognizers()}
    with pytest.raises(OptionError, match="is no recognizer"):
        registry.get("recognizer", "hollow")


def test_disabled(install: Install) -> None:
    install({"acme": "one_plugin"})
    assert "email" not in Registry.load(disabled=["email"]).names()
    assert "cats" not in Registry.load(disabled=["acme"]).names()
    with pytest.raises(OptionError, match="unknown plugin 'mail'; known names: acme, .*email"):
        Registry.load(disabled=["mail"])


def test_unknown_name_lists_the_known() -> None:
    registry = Registry([one_plugin()])
    with pytest.raises(OptionError, match="unknown recognizer 'dogs'; known names: cats"):
        registry.get("recognizer", "dogs")
    with pytest.raises(OptionError, match="unknown style 'v9'; known names: none"):
        registry.plugin("style", "v9")
    with pytest.raises(OptionError, match="there already"):
        registry.add(one_plugin())


def test_registries_stand_alone() -> None:
    first, second = Registry([one_plugin()]), Registry()
    assert (first.names(), second.names()) == (("cats",), ())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": "Bad Name"}, "a name has lower-case letters"),
        ({"kind": "toy"}, "unknown kind 'toy'; known kinds: recognizer"),
        ({"space": "public"}, "runs in the private space"),
        ({"sees": "anonymized"}, "may see 'raw_text' at most"),
    ],
)
def test_the_contract_is_checked(change: dict[str, str], message: str) -> None:
    fields: dict[str, object] = {
        "name": "x",
        "kind": "recognizer",
        "space": "private",
        "make": Cats,
        "sees": "raw_text",
    }
    with pytest.raises(OptionError, match=message):
        Plugin(**{**fields, **change})  # type: ignore[arg-type]


def test_expert_tools_are_public_and_need_a_schema() -> None:
    class Tool:
        name = "convert"
        description = "Converts units."

        def call(self, arguments: object) -> str:
            return "1"

    with pytest.raises(OptionError, match="needs a JSON schema"):
        expert_tool_plugin("convert", Tool, {})
    plugin = expert_tool_plugin("convert", Tool, {"type": "object", "properties": {}})
    assert (plugin.space, plugin.sees) == ("public", "anonymized")
    assert build(plugin)
