"""What a request may choose for its run: never which models, which files, or whether the raw text leaves."""

from collections.abc import Mapping
from typing import Any

from gama.state.errors import OptionError
from gama.state.options import Options

CHOICES = (
    "k", "alpha", "topk_mode", "high_order", "route", "max_checks", "disprove", "max_rounds", "seed", "style",
    "index_order", "ignore_case", "restore", "restore_place", "restore_unknown", "restore_grammar", "deny",
    "allow", "keep", "thresholds", "default_region", "recheck",
    "pia_mode", "fusion", "contextual_random_rate", "contextual_scope", "max_chars", "max_calls", "timeout_s",
    "max_tokens", "max_cost",
)  # fmt: skip
"""Options that a request may set."""

_BOUNDS = ("max_chars", "max_calls", "timeout_s", "max_tokens", "max_cost")
"""Options that a request may make smaller than the operator's, not larger."""


def chosen(server: Options, given: Mapping[str, Any]) -> Options:
    """Return the options that a request sets, as the context of a run.

    Raises:
        OptionError: one is none that a request may set, or out of range.
    """
    unknown = sorted(set(given) - set(CHOICES))
    if unknown:
        raise OptionError(
            f"{len(unknown)} option(s) of the request cannot be set here. A request may set: {', '.join(CHOICES)}."
        )
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    # What the operator always hides stays hidden.
    if "deny" in values and server.deny:
        values["deny"] = (*server.deny, *values["deny"])
    options = Options(**values)
    for name in _BOUNDS:
        most, asked = getattr(server, name), getattr(options, name)
        if name in values and most is not None and (asked is None or asked > most):
            raise OptionError(f"option {name!r}: this server allows {most} at most")
    return options


def joined(server: Options, context: Options) -> Options:
    """Return the server's options with what a request has set."""
    return server.model_copy(update={name: getattr(context, name) for name in context.model_fields_set})


def schema() -> dict[str, Any]:
    """Return the JSON schema of what a request may set."""
    properties = Options.model_json_schema()["properties"]
    return {"type": "object", "properties": {name: properties[name] for name in CHOICES}, "additionalProperties": False}
