"""What a request may choose for its run: never which models, which files, or whether the raw text leaves."""

from collections.abc import Mapping
from typing import Any, get_args

from gama.state.errors import OptionError, did_you_mean
from gama.state.option_table import rows
from gama.state.options import Options, Privacy

CHOICES = tuple(name for name, row in rows(Options).items() if "http" in row.entry.faces)
"""Options that a request may set."""


def chosen(server: Options, given: Mapping[str, Any]) -> Options:
    """Return the options that a request sets, as the context of a run.

    Raises:
        OptionError: one is none that a request may set, or out of range.
    """
    if unknown := sorted(set(given) - set(CHOICES)):
        near = "".join(sorted({did_you_mean(name, CHOICES) for name in unknown}))
        raise OptionError(
            f"{len(unknown)} option(s) of the request cannot be set here{near or ';'} `/gama/config_schema` has those "
            "that a request may set"
        )
    values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    # What the operator always hides stays hidden.
    if "deny" in values and server.deny:
        values["deny"] = (*server.deny, *values["deny"])
    options = Options(**values)
    if levels(server).count(options.privacy) == 0:
        raise OptionError(f"option 'privacy': this server allows {server.privacy!r} at most")
    for name in values:
        most, asked = getattr(server, name), getattr(options, name)
        if rows(Options)[name].entry.lowered and most is not None and (asked is None or asked > most):
            raise OptionError(f"option {name!r}: this server allows {most} at most")
    return options


def levels(server: Options) -> tuple[str, ...]:
    """Return the levels of privacy that a request may set: none that is laxer than one that the operator has set."""
    every: tuple[str, ...] = get_args(Privacy)
    return every if server.privacy == "auto" else every[: every.index(server.privacy) + 1]


def joined(server: Options, context: Options) -> Options:
    """Return the server's options with what a request has set."""
    return server.model_copy(update=context.named())


def schema() -> dict[str, Any]:
    """Return the JSON schema of what a request may set, each option with its group."""
    properties = Options.model_json_schema()["properties"]
    return {"type": "object", "properties": {name: properties[name] for name in CHOICES}, "additionalProperties": False}
