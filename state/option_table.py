"""How an option is described, once, with its field; and the types of those given in one form and kept in another.

`option` describes a field of a `Chosen`; `rows` gives the table back, to the command line, HTTP, the environment, the
JSON schema that the page and Studio show, and docs/options.md. Every face of the program is made from that.
"""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Generic,
    Literal,
    NamedTuple,
    Self,
    TypeAlias,
    TypeVar,
    get_args,
    get_origin,
)

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, WithJsonSchema
from pydantic.fields import FieldInfo

from gama.state.entities import PLACEHOLDER_KINDS, SUBTYPES, TYPE_OF, placeholder_kind
from gama.state.errors import OptionError, explain, known_ones
from gama.state.restoring import ToolPolicy
from gama.state.task import Weight

Group = Literal["Server", "Models", "What is hidden", "Reasoning", "Limits", "Storage"]
"""Under which heading an option is shown; the first one is for what only the operator of a server chooses."""
GROUPS: tuple[Group, ...] = get_args(Group)

Face = Literal["ask", "anonymize", "restore", "serve", "mcp", "doctor", "eval", "http"]
"""Where an option is offered: the commands of that name, or requests over HTTP, and with them the page. Python has all,
and Studio all that are not `built`."""
FACES: tuple[Face, ...] = get_args(Face)

WITHOUT = "--without"
"""The flag that switches off what is on by default: its values are names of options."""

_END = re.compile(r"\.(?= [A-Z`]|$)")
"""The end of a sentence: `Eq. 9` and `gpt-4.1` have none in them."""


@dataclass(frozen=True)
class Entry:
    """What an option has beside its type, bounds, title and help."""

    group: Group
    faces: frozenset[Face]
    flags: tuple[str, ...]
    metavar: str | None
    environment: bool
    lowered: bool
    built: bool
    secret: bool

    def __call__(self, schema: dict[str, Any]) -> None:
        """Add the group to the JSON schema of the option, and whether a run can set it."""
        schema["group"] = self.group
        if self.built:
            schema["readOnly"] = True


def option(
    default: Any,
    title: str,
    description: str,
    group: Group,
    on: str = "",
    *,
    flags: str = "",
    metavar: str | None = None,
    environment: bool = False,
    lowered: bool = False,
    built: bool = False,
    secret: bool = False,
    **bounds: Any,
) -> Any:
    """Describe an option.

    Args:
        default: the value where none is given.
        title: its name for a person, in a panel.
        description: its first sentence is the help on the command line, where values and bounds are added.
        group: the heading it stands under.
        on: the faces that offer it, by name.
        flags: its names on the command line; by default its own.
        metavar: what its value is called there.
        environment: whether a variable, `GAMA_` and the name in capitals, sets it where nothing else does.
        lowered: whether a request over HTTP may make it smaller than the operator's, not larger.
        built: whether it is set where the graph is built, and by no run's context.
        secret: whether it is offered by the environment alone and never shown.
        bounds: those of `pydantic.Field`.

    Raises:
        ValueError: a face is unknown.
    """
    faces: frozenset[Any] = frozenset(on.split())
    if faces - set(FACES):
        raise ValueError(f"unknown faces: {sorted(faces - set(FACES))}")
    entry = Entry(group, faces, tuple(flags.split()), metavar, environment, lowered, built, secret)
    shown = not secret and bounds.pop("repr", True)
    return Field(default, title=title, description=description, json_schema_extra=entry, repr=shown, **bounds)


class Row(NamedTuple):
    """An option, as the table has it."""

    name: str
    title: str
    description: str
    entry: Entry
    kind: type[Any]
    """How a value is written: `bool`, `int`, `float`, `str`, or `list` for several."""
    values: tuple[str, ...]
    """The values there are; empty where there is no list of them."""
    bounds: str
    """Such as `1 to 20`; empty where there are none on both sides."""
    default: Any

    @property
    def flags(self) -> tuple[str, ...]:
        """Its names on the command line."""
        return self.entry.flags or (f"--{self.name.replace('_', '-')}",)

    @property
    def variable(self) -> str | None:
        """The variable of the environment that sets it."""
        return f"GAMA_{self.name.upper()}" if self.entry.environment else None

    @property
    def default_text(self) -> str:
        """The default for a person; empty where there is none."""
        if isinstance(self.default, tuple):
            return ", ".join(self.default)
        number = isinstance(self.default, float)
        return "" if self.default is None else f"{self.default:g}" if number else str(self.default)

    @property
    def help(self) -> str:
        """One sentence: what it is, its values or bounds, and whether it may be repeated."""
        first = _END.split(self.description, maxsplit=1)[0]
        if self.values and not all(f"`{value}`" in first for value in self.values):
            first += f": {', '.join(self.values[:-1])} or {self.values[-1]}"
        if self.bounds:
            first += f" ({self.bounds})"
        return first.replace("`", "") + ("; may be repeated." if self.kind is list else ".")


@cache
def rows(model: type[BaseModel]) -> dict[str, Row]:
    """Return the table of a model: its options by name, in their order; fields that `option` did not make are none."""
    fields = model.model_fields.items()
    return {
        name: _row(name, field, entry) for name, field in fields if isinstance(entry := field.json_schema_extra, Entry)
    }


def _row(name: str, field: FieldInfo, entry: Entry) -> Row:
    literal = get_args(field.annotation) and all(isinstance(value, str) for value in get_args(field.annotation))
    limits = {key: getattr(item, key) for item in field.metadata for key in ("ge", "le") if hasattr(item, key)}
    return Row(
        name,
        field.title or "",
        field.description or "",
        entry,
        _kind(field.annotation),
        get_args(field.annotation) if literal else (),
        " to ".join(f"{limits[key]:,}".removesuffix(".0") for key in ("ge", "le")) if len(limits) == 2 else "",
        field.default,
    )


def _kind(annotation: Any) -> type[Any]:
    if get_origin(annotation) is tuple:
        return list
    parts = {get_args(part)[0] if get_origin(part) is Annotated else part for part in get_args(annotation)}
    return next((kind for kind in (bool, int, float) if kind in {annotation, *parts}), str)


class Chosen(BaseModel):
    """What somebody chooses. Bad values raise `OptionError`, naming the option and what it accepts."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True, hide_input_in_errors=True)

    # Type checkers see the signature that pydantic makes of the fields.
    if not TYPE_CHECKING:

        def __init__(self, **values: Any) -> None:
            """Check the values.

            Raises:
                OptionError: an option is unknown or out of range; names it and what it accepts.
            """
            try:
                super().__init__(**values)
            except ValidationError as error:
                message = explain(error, names(type(self)))
            else:
                return
            raise OptionError(message)

    @classmethod
    def from_env(cls, **values: Any) -> Self:
        """Take from the environment what its variables set, such as `GAMA_PUBLIC_MODEL`, where no value is given."""
        for row in rows(cls).values():
            if row.variable and values.get(row.name) is None and (found := os.environ.get(row.variable)):
                several = tuple(item.strip() for item in found.split(";") if item.strip())
                values[row.name] = several if row.kind is list else found
        return cls(**values)


def names(model: type[BaseModel]) -> dict[str, str]:
    """Return the option for each name that people give it: the one on the command line, and its own."""
    table = rows(model)
    flags = {flag.strip("-").replace("-", "_"): name for name, row in table.items() for flag in row.flags}
    return {word: name for word, name in flags.items() if f"--{word}" != WITHOUT} | {name: name for name in table}


FINDERS: Mapping[str, str] = {
    "patterns": "the built-in recognizers, those of plugins and your own",
    "embedded": "the embedded tagger",
    "huggingface": "huggingface:NAME, a token-classification checkpoint",
    "presidio": "the pattern recognizers of presidio-analyzer",
    "gliner": "gliner:NAME, a GLiNER checkpoint",
}
"""What view 1 can be made of."""

Treatment = Literal["hide", "show", "generalise", "shift", "surrogate"]
"""What a policy makes of a type."""

Given = TypeVar("Given")
Kept = TypeVar("Kept")

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    class _Taken(Generic[Given, Kept]):
        """For type checkers: an option that is given as one type and read as another."""

        def __get__(self, instance: object, owner: object) -> Kept:
            """Return what is read."""

        def __set__(self, instance: object, value: Given) -> None:
            """Take what is given."""

    Model: TypeAlias = _Taken[str | BaseChatModel | None, Any]
    Names: TypeAlias = _Taken[tuple[str, ...] | list[str], tuple[str, ...]]
    Thresholds: TypeAlias = _Taken[Mapping[str, float] | tuple[tuple[str, float], ...], tuple[tuple[str, float], ...]]
    Policies: TypeAlias = _Taken[Mapping[str, ToolPolicy] | list[str], tuple[tuple[str, ToolPolicy], ...]]
    Policy: TypeAlias = _Taken[str | Mapping[str, Treatment] | None, tuple[tuple[str, Treatment], ...]]
    Strategies: TypeAlias = _Taken[str | Mapping[str, str] | tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]
else:

    def _pairs(value: Any, pair: Callable[[str], tuple[str, Any]]) -> Any:
        """Take a mapping, or texts as on the command line; give pairs, so that options can be compared and hashed."""
        if isinstance(value, Mapping):
            return tuple(sorted(value.items()))
        if isinstance(value, list | tuple):
            return tuple(pair(item) if isinstance(item, str) else item for item in value)
        return value

    def _threshold(item: str) -> tuple[str, float]:
        kind, _, number = item.partition("=")
        try:
            return kind, float(number)
        except ValueError:
            raise ValueError("must be TYPE=P, such as PER=0.3") from None

    def _strategy(item: str) -> tuple[str, str]:
        kind, _, style = item.rpartition("=")
        return kind or "all", style

    def _policy(item: str) -> tuple[str, str]:
        name, sign, policy = item.rpartition("=")
        if not sign or policy not in get_args(ToolPolicy):
            raise ValueError(f"must be NAME=POLICY, with one of {', '.join(get_args(ToolPolicy))}")
        return name, policy

    Model = Annotated[Any, WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "null"}]})]
    """A model by name, as LangChain names them, or a ready `BaseChatModel`."""
    Names = tuple[str, ...]
    Thresholds = Annotated[
        tuple[tuple[str, Weight], ...],
        BeforeValidator(lambda value: _pairs(value, _threshold)),
        WithJsonSchema({"type": "object", "additionalProperties": {"type": "number", "minimum": 0, "maximum": 1}}),
    ]
    """Numbers by type, subtype or word of a placeholder."""
    Strategies = Annotated[
        tuple[tuple[str, str], ...],
        BeforeValidator(lambda value: _pairs([value] if isinstance(value, str) else value, _strategy)),
        WithJsonSchema({"type": "object", "additionalProperties": {"type": "string"}}),
    ]
    """Names of styles by type, subtype, word of a placeholder or `all`; one name is for all."""

    def _policy_of(value: Any) -> Any:
        if not value:
            return ()
        from gama.state.policy import read_policy

        return read_policy(value)

    Policy = Annotated[
        Any,
        BeforeValidator(_policy_of),
        WithJsonSchema({"type": "object", "additionalProperties": {"enum": list(get_args(Treatment))}}),
    ]
    """What becomes of types, subtypes, words of placeholders and `all`: pairs, read from a file or a mapping."""
    Policies = Annotated[
        tuple[tuple[str, ToolPolicy], ...],
        BeforeValidator(lambda value: _pairs(value, _policy)),
        WithJsonSchema({"type": "object", "additionalProperties": {"enum": list(get_args(ToolPolicy))}}),
    ]
    """What tools get, by their name."""


def kinds_of(word: str) -> tuple[str, ...]:
    """Return what a word for types names: a type or subtype itself, or the subtypes that a placeholder calls so.

    Raises:
        ValueError: it names none.
    """
    if word in SUBTYPES or word in TYPE_OF:
        return (word,)
    if found := tuple(subtype for subtype in TYPE_OF if placeholder_kind(subtype) == word):
        return found
    words = {*SUBTYPES, *TYPE_OF, *PLACEHOLDER_KINDS} - {"literal"}
    shown = (
        f"{', '.join(SUBTYPES)}, their subtypes, such as email, and the words of placeholders, such as name, location "
        "or id_number: see docs/options.md"
    )
    raise ValueError(f"unknown type {word!r}{known_ones(word, words, shown)}")


def known_finder(name: str) -> str:
    """Return the name of a finder, such as `patterns` or `gliner:NAME`.

    Raises:
        ValueError: there is none of this name.
    """
    engine, _, model = name.partition(":")
    if engine in FINDERS and (model or engine != "huggingface"):
        return name
    others = [one for one in FINDERS if one != engine]
    raise ValueError(f"unknown finder {name!r}{known_ones(engine, others, ', '.join(FINDERS))}")
