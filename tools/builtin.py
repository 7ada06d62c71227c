"""The built-in plugins, which come in by the same door as anybody's."""

from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from importlib.resources import files
from typing import Any

from gama.tools.contract import (
    PlaceholderStyle,
    Plugin,
    Recognizer,
    Sight,
    expert_tool_plugin,
    recognizer_plugin,
    style_plugin,
)

RECOGNIZERS: tuple[str, ...] = tuple(
    sorted(
        name.removesuffix(".yaml")
        for name in (file.name for file in (files("gama.tools") / "recognizers" / "data").iterdir())
        if name.endswith(".yaml") and not name.startswith("_")
    )
)
"""Names of the built-in recognizers: each is one file `recognizers/data/<name>.yaml`."""

STYLES: dict[str, tuple[str, Sight]] = {
    "tag": ("tag:TagStyle", "kinds"),
    "enriched": ("enriched:EnrichedStyle", "raw_text"),
    "generalised": ("generalised:GeneralisedStyle", "raw_text"),
    "surrogate": ("surrogate:SurrogateStyle", "raw_text"),
    "shift": ("shift:ShiftStyle", "raw_text"),
    "irreversible": ("tag:IrreversibleStyle", "kinds"),
}
"""The built-in placeholder styles, each with its module, its class and what it sees."""


def recognizer(name: str, **given: str | None) -> Recognizer:
    """Return a built-in recognizer; what else is given goes to its code."""
    from gama.tools.recognizers.declared import declaration

    return declaration(name).recognizer(**given)


def recognizers(default_region: str | None = None) -> tuple[Recognizer, ...]:
    """Return one of each built-in recognizer; the region goes to the telephone numbers."""
    given: dict[str, dict[str, str | None]] = {"phone": {"default_region": default_region}}
    return tuple(recognizer(name, **given.get(name, {})) for name in RECOGNIZERS)


def plugins() -> Iterable[Plugin]:
    """Return the built-in plugins: the entry point `builtin` of the group `gama.tools` names this function."""
    from gama.tools.experts import calculator, puzzle

    return (
        *(recognizer_plugin(name, partial(recognizer, name)) for name in RECOGNIZERS),
        expert_tool_plugin("calculator", calculator.Calculator, calculator.SCHEMA, "Exact arithmetic and dates."),
        expert_tool_plugin("puzzle", puzzle.PuzzleSolver, puzzle.SCHEMA, "Assignment puzzles by constraints."),
        *(style_plugin(name, partial(_style, place), sees=sees) for name, (place, sees) in STYLES.items()),
    )


def _style(place: str) -> PlaceholderStyle:
    made: PlaceholderStyle = _factory("styles", place)()
    return made


def _factory(folder: str, place: str) -> Callable[..., Any]:
    module, _, name = place.partition(":")
    made: Callable[..., Any] = getattr(import_module(f"gama.tools.{folder}.{module}"), name)
    return made
