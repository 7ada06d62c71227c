"""The built-in plugins, which come in by the same door as anybody's."""

from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
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

DECLARED: tuple[str, ...] = (
    "age", "blood_type", "coordinates", "credit_card", "credit_score", "crypto_wallet", "date_of_birth", "device_id",
    "document_id", "duration", "height", "mac_address", "password", "password_hash", "postcode", "reference_number",
    "time", "vehicle_plate", "weight",
)  # fmt: skip
"""The recognizers that are nothing but rules: each is one file `recognizers/data/<name>.yaml`."""

CODED: dict[str, str] = {
    "api_key": "api_key:ApiKeyRecognizer",
    "date": "date:DateRecognizer",
    "email": "email:EmailRecognizer",
    "handle": "handle:HandleRecognizer",
    "iban": "iban:IbanRecognizer",
    "ip_address": "ip_address:IpAddressRecognizer",
    "money": "money:MoneyRecognizer",
    "national_id": "national_id:NationalIdRecognizer",
    "percentage": "money:PercentageRecognizer",
    "person_signature": "person:PersonSignatureRecognizer",
    "person_title": "person:PersonTitleRecognizer",
    "phone": "phone:phone_recognizer",
    "street_address": "street_address:StreetAddressRecognizer",
    "url": "url:UrlRecognizer",
}
"""The recognizers that need code of their own, each with its module and what makes it."""

RECOGNIZERS: tuple[str, ...] = tuple(sorted((*DECLARED, *CODED)))
"""Names of the built-in recognizers."""

STYLES: dict[str, tuple[str, Sight]] = {
    "tag": ("tag:TagStyle", "kinds"),
    "enriched": ("enriched:EnrichedStyle", "raw_text"),
    "surrogate": ("surrogate:SurrogateStyle", "raw_text"),
    "irreversible": ("irreversible:IrreversibleStyle", "kinds"),
}
"""The built-in placeholder styles, each with its module, its class and what it sees."""


def recognizer(name: str, *given: str | None) -> Recognizer:
    """Return a built-in recognizer; what else is given goes to the code that makes it."""
    if name in DECLARED:
        from gama.tools.recognizers.declared import declaration

        return declaration(name).recognizer()
    made: Recognizer = _factory("recognizers", CODED[name])(*given)
    return made


def recognizers(default_region: str | None = None) -> tuple[Recognizer, ...]:
    """Return one of each built-in recognizer; the region goes to the telephone numbers."""
    return tuple(recognizer(name, default_region) if name == "phone" else recognizer(name) for name in RECOGNIZERS)


def plugins() -> Iterable[Plugin]:
    """Return the built-in plugins: the entry point `builtin` of the group `gama.tools` names this function."""
    from gama.tools.experts import calculator, puzzle

    return (
        *(recognizer_plugin(name, partial(recognizer, name)) for name in RECOGNIZERS),
        expert_tool_plugin("calculator", calculator.calculator, calculator.SCHEMA, "Exact arithmetic and dates."),
        expert_tool_plugin("puzzle", puzzle.puzzle_solver, puzzle.SCHEMA, "Assignment puzzles by constraints."),
        *(style_plugin(name, partial(_style, place), sees=sees) for name, (place, sees) in STYLES.items()),
    )


def _style(place: str) -> PlaceholderStyle:
    made: PlaceholderStyle = _factory("styles", place)()
    return made


def _factory(folder: str, place: str) -> Callable[..., Any]:
    module, _, name = place.partition(":")
    made: Callable[..., Any] = getattr(import_module(f"gama.tools.{folder}.{module}"), name)
    return made
