"""The built-in plugins, which come in by the same door as anybody's."""

from collections.abc import Iterable
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

STYLES: dict[str, Sight] = {"tag": "kinds", "enriched": "raw_text", "surrogate": "raw_text", "irreversible": "kinds"}
"""Names of the built-in placeholder styles with what they see; `x` is made by `gama.tools.styles.x:x_style`."""


def recognizer(name: str, *given: str | None) -> Recognizer:
    """Return a built-in recognizer; what else is given goes to the code that makes it."""
    if name in DECLARED:
        from gama.tools.recognizers.declared import declaration

        return declaration(name).recognizer()
    module, _, factory = CODED[name].partition(":")
    made: Recognizer = getattr(import_module(f"gama.tools.recognizers.{module}"), factory)(*given)
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
        *(style_plugin(name, partial(_made_style, name), sees=sees) for name, sees in STYLES.items()),
    )


def _made_style(name: str) -> PlaceholderStyle:
    made: PlaceholderStyle = getattr(import_module(f"gama.tools.styles.{name}"), f"{name}_style")()
    return made
