"""The contract of every plugin: what it is, in which space it runs, and what it may see.

A package offers plugins through the entry-point group `gama.tools`. The entry point names either a `Plugin`
or a function without arguments that returns one `Plugin` or several:

    [project.entry-points."gama.tools"]
    acme = "acme_gama:plugins"

Kinds, and what `make()` must return:

    recognizer     private   a `Recognizer`: sees the raw text, never leaves the machine
    style          private   a `PlaceholderStyle`: sees kinds and indices, and the values if it declares `raw_text`
    domain_pack    private   a `DomainPack`: sees nothing, it is data
    expert_tool    public    an `ExpertTool`: sees anonymized arguments only; its result is scanned before use

A plugin keeps no state between calls, serves many threads at once, gives the same answer to the same input, and
puts no piece of what it sees into exceptions, logs or files. An expert tool alone may say in a `ToolError` what is
wrong with its arguments: they came from the public space, and the text goes back to the expert that wrote them.

Both spaces read this file: it imports the state room and nothing else.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

from gama.state.entities import Span
from gama.state.errors import OptionError

GROUP = "gama.tools"
"""The entry-point group."""

Kind = Literal["recognizer", "style", "domain_pack", "expert_tool"]
Space = Literal["private", "public"]
Sight = Literal["raw_text", "kinds", "anonymized", "nothing"]


class Mention(NamedTuple):
    """What a placeholder is written for, as a style sees it."""

    kind: str
    """The word of the tag, such as `name`."""
    subtype: str
    number: int
    letter: str
    tag: str
    """The indexed tag with its brackets, such as `<name-1>`; it is unique."""
    surface: str | None
    """The real value; None for a style that sees kinds only."""
    words: Mapping[str, str]
    """For the words of real names, in lower case, the words that other surrogates have in their places."""
    random: Random
    """Seeded by the options, the mention and the attempt: the same input gives the same placeholder."""
    moved: str | None = None
    """For a style with `moves`: the value with its dates moved by the conversation's secret number of whole weeks; None
    where it is no date that can be read with certainty."""


@runtime_checkable
class Recognizer(Protocol):
    """Finds one kind of value.

    An optional attribute `priority` (int, 0 where it is missing) settles overlaps of equal length:
    the higher one wins.
    """

    name: str
    """Unique, lower case; it becomes `Span.source`."""
    subtypes: tuple[str, ...]
    """Every subtype that `find` may report, from `gama.state.entities.SUBTYPES`."""

    def find(self, text: str) -> Iterable[Span]:
        """Return the hits in any order, possibly overlapping; offsets count characters of `text`.

        An empty text has no hits.
        """
        ...


@runtime_checkable
class PlaceholderStyle(Protocol):
    """Writes placeholders. The box reads them back: it knows which it has given out.

    An optional attribute `moves` (bool, False where it is missing) asks for dates that were moved: `Mention.moved`.
    """

    name: str
    reversible: bool
    """False where many mentions share what it writes, so that nothing can be restored."""

    def write(self, mention: Mention) -> str | None:
        """Return a placeholder, or None where the style has none for such a mention: it gets its tag.

        What is no longer unique, is or holds a real value, or stands in the text already is refused: the style is
        asked again, with other random numbers, and after some attempts the tag is taken. A placeholder has one
        line and at most 80 characters.
        """
        ...


@runtime_checkable
class DomainPack(Protocol):
    """A reference domain of one's own (spec 01 §1.5); `gama.tools.domains.packs.Pack` is a ready class.

    All of it may be shown to the public model: its expert's prompt has the name, the description and
    the prompt, and its expert may search the documents. Optional attributes: `prompt` (further words
    for its expert) and `documents` (`gama.tools.domains.packs.Document`s).
    """

    @property
    def name(self) -> str:
        """Its name; none of the reference domains' names."""

    @property
    def description(self) -> str:
        """One sentence: what the discipline covers."""

    @property
    def keywords(self) -> tuple[str, ...]:
        """Lower-case terms of the discipline."""


@runtime_checkable
class ExpertTool(Protocol):
    """Something a public expert may call. Arguments are anonymized; the result is scanned before it is read.

    An optional attribute `local` (bool, False where it is missing) says that a call sends nothing off
    this machine. Without it the arguments of every call are searched for private values first.
    """

    name: str
    description: str
    """What it does and when to use it, for the expert."""

    def call(self, arguments: Mapping[str, Any]) -> str:
        """Return the result as text.

        Raises:
            gama.state.errors.ToolError: the arguments cannot be used; its text is told to the expert.
        """
        ...


class Terms(NamedTuple):
    """What a plugin of a kind must keep to."""

    space: Space
    """Where it runs; no plugin may claim the other one."""
    sees: tuple[Sight, ...]
    """The most that it may see, and what it may declare instead."""
    makes: type
    """What `make()` must return."""


TERMS_OF: Mapping[Kind, Terms] = {
    "recognizer": Terms("private", ("raw_text", "kinds", "nothing"), Recognizer),
    "style": Terms("private", ("raw_text", "kinds", "nothing"), PlaceholderStyle),
    "domain_pack": Terms("private", ("nothing",), DomainPack),
    "expert_tool": Terms("public", ("anonymized", "nothing"), ExpertTool),
}


@dataclass(frozen=True, slots=True)
class Plugin:
    """One plugin as it declares itself; nothing heavy is imported until `make` is called."""

    name: str
    """Unique within its kind: lower-case letters, digits, `_`, `-` and `.`."""
    kind: Kind
    space: Space
    make: Callable[[], object]
    """Returns the plugin's object; called at most once for each registry."""
    sees: Sight
    """What it is given."""
    schema: Mapping[str, Any] = field(default_factory=dict)
    """JSON schema of its arguments; needed for expert tools, empty for the others."""
    summary: str = ""
    """One line for people."""

    def __post_init__(self) -> None:
        """Check the declaration.

        Raises:
            OptionError: a field contradicts the contract; names the plugin and the field.
        """
        allowed = set("abcdefghijklmnopqrstuvwxyz0123456789_-.")
        if not self.name or not set(self.name) <= allowed:
            raise OptionError(f"plugin {self.name!r}: a name has lower-case letters, digits, '_', '-' and '.' only")
        if self.kind not in TERMS_OF:
            raise OptionError(f"plugin {self.name!r}: unknown kind {self.kind!r}; known kinds: {', '.join(TERMS_OF)}")
        terms = TERMS_OF[self.kind]
        if self.space != terms.space:
            raise OptionError(f"plugin {self.name!r}: a {self.kind} runs in the {terms.space} space")
        if self.sees not in terms.sees:
            raise OptionError(f"plugin {self.name!r}: a {self.kind} may see {terms.sees[0]!r} at most")
        if self.kind == "expert_tool" and self.schema.get("type") != "object":
            raise OptionError(f"plugin {self.name!r}: an expert tool needs a JSON schema of type 'object'")


def recognizer_plugin(name: str, make: Callable[[], Recognizer], summary: str = "") -> Plugin:
    """Return the declaration of a recognizer."""
    return Plugin(name=name, kind="recognizer", space="private", make=make, sees="raw_text", summary=summary)


def style_plugin(
    name: str, make: Callable[[], PlaceholderStyle], summary: str = "", *, sees: Sight = "kinds"
) -> Plugin:
    """Return the declaration of a placeholder style; one that needs the values says `sees="raw_text"`."""
    return Plugin(name=name, kind="style", space="private", make=make, sees=sees, summary=summary)


def domain_plugin(name: str, make: Callable[[], DomainPack], summary: str = "") -> Plugin:
    """Return the declaration of a domain pack."""
    return Plugin(name=name, kind="domain_pack", space="private", make=make, sees="nothing", summary=summary)


def expert_tool_plugin(
    name: str, make: Callable[[], ExpertTool], schema: Mapping[str, Any], summary: str = ""
) -> Plugin:
    """Return the declaration of a tool that public experts may call."""
    return Plugin(
        name=name, kind="expert_tool", space="public", make=make, sees="anonymized", schema=schema, summary=summary
    )
