"""The built-in plugins, which come in by the same door as anybody's."""

from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module

from gama.tools.contract import (
    PlaceholderStyle,
    Plugin,
    Recognizer,
    Sight,
    expert_tool_plugin,
    recognizer_plugin,
    style_plugin,
)

RECOGNIZERS: tuple[str, ...] = (
    "age", "api_key", "blood_type", "coordinates", "credit_card", "credit_score", "crypto_wallet", "date",
    "date_of_birth", "device_id",
    "document_id", "duration", "email", "handle", "height", "iban", "ip_address", "mac_address", "money",
    "national_id", "password",
    "password_hash", "percentage", "person_signature", "person_title", "phone", "postcode", "reference_number",
    "street_address", "time",
    "url", "vehicle_plate", "weight",
)  # fmt: skip
"""Names of the built-in recognizers; `x` is made by `gama.tools.recognizers.x:x_recognizer`."""

STYLES: dict[str, Sight] = {"tag": "kinds", "enriched": "raw_text", "surrogate": "raw_text", "irreversible": "kinds"}
"""Names of the built-in placeholder styles with what they see; `x` is made by `gama.tools.styles.x:x_style`."""


def _factory(name: str) -> Callable[..., Recognizer]:
    made: Callable[..., Recognizer] = getattr(import_module(f"gama.tools.recognizers.{name}"), f"{name}_recognizer")
    return made


def recognizers(default_region: str | None = None) -> tuple[Recognizer, ...]:
    """Return one of each built-in recognizer; the region goes to the telephone numbers."""
    return tuple(_factory(name)(default_region) if name == "phone" else _factory(name)() for name in RECOGNIZERS)


def plugins() -> Iterable[Plugin]:
    """Return the built-in plugins: the entry point `builtin` of the group `gama.tools` names this function."""
    from gama.tools.experts import calculator, puzzle

    return (
        *(recognizer_plugin(name, partial(_made, name)) for name in RECOGNIZERS),
        expert_tool_plugin("calculator", calculator.calculator, calculator.SCHEMA, "Exact arithmetic and dates."),
        expert_tool_plugin("puzzle", puzzle.puzzle_solver, puzzle.SCHEMA, "Assignment puzzles by constraints."),
        *(style_plugin(name, partial(_made_style, name), sees=sees) for name, sees in STYLES.items()),
    )


def _made(name: str) -> Recognizer:
    return _factory(name)()


def _made_style(name: str) -> PlaceholderStyle:
    made: PlaceholderStyle = getattr(import_module(f"gama.tools.styles.{name}"), f"{name}_style")()
    return made
