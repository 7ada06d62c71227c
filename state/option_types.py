"""Types of options that are given in one form and kept in another: models, names, numbers and styles by type."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Generic, Literal, TypeAlias, TypeVar, get_args

from pydantic import BeforeValidator, WithJsonSchema

from gama.state.entities import PLACEHOLDER_KINDS, SUBTYPES, TYPE_OF, placeholder_kind
from gama.state.mistakes import known_ones
from gama.state.restoring import ToolPolicy
from gama.state.task import Weight

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
