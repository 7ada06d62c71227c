"""`Bijection`: private surfaces and their placeholders, one to one (GAMA Eq. 4, spec 01 §1.4).

It lives in the private space. Two entities never share a placeholder, nor two placeholders an
entity. Mentions of one person share one index and differ in the word: `<name-1>` Emma Williams,
`<first_name-1>` Emma. Other spellings of one mention share the index and get a letter:
`<name-1b>` EMMA WILLIAMS.

Every entry has an indexed tag. Its placeholder is that tag unless a style writes another text for it
(`gama.tools.styles`): the tag with harmless facts, a surrogate, or a class, which no one can restore.
"""

import random
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence, Set
from copy import copy
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr

from gama.state.entities import TYPE_OF, Entity, Whole, placeholder_kind

T = TypeVar("T")
Style = Literal["v2", "v1"]
IndexOrder = Literal["appearance", "alphabetical", "random"]

BRACKETS: dict[Style, tuple[str, str]] = {"v2": ("<", ">"), "v1": ("<<", ">>")}


class Slot(NamedTuple):
    """The place of a placeholder without its brackets: `("name", 1, "b")` is `<name-1b>`."""

    kind: str
    number: int
    letter: str = ""


class Draft(NamedTuple):
    """What a placeholder is to be written for."""

    surface: str
    kind: str
    subtype: str
    subject: str | None
    slot: Slot
    tag: str
    """The indexed tag, with its brackets."""
    generalised: bool = False
    """Whether it is to tell what is roughly so."""


class Written(NamedTuple):
    """A placeholder as a style wrote it."""

    text: str
    reversible: bool = True


Write = Callable[[Draft], Written | None]
"""Writes placeholders; None leaves the tag."""


class BoxEntry(BaseModel):
    """One surface and its placeholder."""

    model_config = ConfigDict(frozen=True)

    surface: Whole = Field(repr=False)
    placeholder: str
    kind: str
    subtype: str
    subject: str | None = None
    """The person it belongs to (canonical id)."""
    wrapped: bool = False
    """Whether it stood directly inside angle brackets in some text, so that brackets around it are the text's own."""
    verbatim: bool = False
    """Whether some text had it, as it is, in a place where it would be escaped or mended: it is put in as it is."""
    tag: str | None = None
    """The indexed tag, where the placeholder is another text; it means the entry too."""
    reversible: bool = True
    """Whether the placeholder is the entry's own. A class, such as `<credit_card>`, is shared and never restored."""

    @property
    def surrogate(self) -> bool:
        """Whether the placeholder is a text of its own kind, not a tag."""
        return self.reversible and self.tag is not None and not self.placeholder.startswith(self.tag.rstrip(">"))

    @property
    def facts(self) -> str:
        """What an enriched tag says behind its number, such as ` country=PL`; empty for other placeholders."""
        if self.tag is None or self.surrogate or not self.reversible:
            return ""
        stem = self.tag.rstrip(">")
        return self.placeholder[len(stem) : len(self.placeholder) - (len(self.tag) - len(stem))]


class Shift(BaseModel):
    """By how much the dates of one conversation are moved, and which dates stay as they are."""

    weeks: int
    """Whole weeks; drawn once."""
    locale: str = "en"
    """The language of the letter, with its country where that is known."""
    clear: list[str] = Field(default_factory=list)
    """Dates, months and years that stand in anonymized texts and were not moved, as they are written there."""


class Bijection(BaseModel):
    """The private surfaces of one conversation and their placeholders, one to one; see `PrivacyBox`."""

    style: Style = "v2"
    order: IndexOrder = "appearance"
    seed: int = 0
    entries: list[BoxEntry] = Field(default_factory=list, repr=False)
    reserved: set[tuple[str, int]] = Field(default_factory=set)
    """Kinds with numbers that texts already contained and that are therefore never given out."""
    kept: list[str] = Field(default_factory=list, repr=False)
    """Texts that a person lets leave with the present text: where they stand, nothing is replaced or guarded."""
    hosts: set[str] = Field(default_factory=set, repr=False)
    """Where addresses may lead that get values: the hosts, and whom else, that texts of the user have named."""
    shift: Shift | None = Field(default=None, repr=False)
    """How dates are moved, where a style has asked for it."""
    undo: dict[str, list[tuple[int, int, Whole]]] = Field(default_factory=dict, repr=False)
    """For parts of documents, by the digest of the anonymized text, the changes that give the very bytes back."""
    formulas: bool = False
    """Whether the model was told of formulas, so that those in its replies are evaluated."""
    locale: str = ""
    """The language of the texts, with their country where that is known, once the model was told of formulas."""
    braces: set[str] = Field(default_factory=set, repr=False)
    """Digests of what stood in double braces in the texts that were sent: it is theirs, and no formula."""

    _forward: dict[str, BoxEntry] = PrivateAttr(default_factory=dict)
    _inverse: dict[str, BoxEntry] = PrivateAttr(default_factory=dict)
    _slots: dict[Slot, BoxEntry] = PrivateAttr(default_factory=dict)
    _numbers: dict[tuple[str, str], int] = PrivateAttr(default_factory=dict)
    _highest: dict[str, int] = PrivateAttr(default_factory=dict)
    _kinds: set[str] = PrivateAttr(default_factory=set)
    _places: dict[str, int] = PrivateAttr(default_factory=dict)
    """Where each surface stands among the entries."""
    _private: list[str] = PrivateAttr(default_factory=list)
    _fact_names: set[str] = PrivateAttr(default_factory=set)
    _surrogates: bool = PrivateAttr(default=False)
    _write: Write | None = PrivateAttr(default=None)
    _derived: "_Derived" = PrivateAttr(default_factory=lambda: _Derived())

    def model_post_init(self, context: object) -> None:
        """Rebuild the look-up tables and check that the entries are a bijection."""
        entries, self.entries = self.entries, []
        for entry in entries:
            slot = parse_placeholder(entry.tag or entry.placeholder, self.style)
            taken = entry.reversible and (entry.placeholder in self._inverse or slot is None or slot in self._slots)
            if entry.surface in self._forward or taken:
                raise ValueError("the entries of the box are not a bijection in its style")
            self._put(entry, slot)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return a table; pydantic's own way takes five times as long, and every placeholder asks for one."""
            try:
                return object.__getattribute__(self, "__pydantic_private__")[name]
            except (AttributeError, KeyError, TypeError):
                return super().__getattr__(name)

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self.entries)

    def __str__(self) -> str:
        """Show how many entries there are."""
        return f"PrivacyBox({len(self.entries)} entries)"

    def apart(self) -> Self:
        """Return a box of the same entries that grows by itself and writes indexed tags; no entry is copied."""
        made = self.model_copy()
        for name in type(self).model_fields:
            setattr(made, name, copy(getattr(self, name)))
        for name in type(self).__private_attributes__:
            setattr(made, name, copy(getattr(self, name)))
        made._write, made._derived = None, _Derived()
        return made

    def count_from(self, kind: str, number: int) -> None:
        """Number the further placeholders of a kind from a number on."""
        self._highest[_group(kind)] = max(self._highest.get(_group(kind), 0), number - 1)

    def write_with(self, write: Write | None) -> None:
        """Have the placeholders of new surfaces written by a style; None writes indexed tags."""
        self._write = write

    def placeholder(self, surface: str) -> str | None:
        """Return the placeholder of a surface."""
        entry = self._forward.get(surface)
        return entry.placeholder if entry else None

    def surface(self, placeholder: str) -> str | None:
        """Return the surface behind an exact placeholder."""
        entry = self.shown(placeholder)
        return entry.surface if entry else None

    def entry(self, surface: str) -> BoxEntry | None:
        """Return the entry of a surface."""
        return self._forward.get(surface)

    def shown(self, placeholder: str) -> BoxEntry | None:
        """Return the entry behind an exact placeholder."""
        return self._inverse.get(placeholder)

    def at(self, slot: Slot) -> BoxEntry | None:
        """Return the entry at a kind, number and letter."""
        return self._slots.get(slot)

    def slot(self, entry: BoxEntry) -> Slot | None:
        """Return the kind, number and letter of an entry; None where it has no way back."""
        return parse_placeholder(entry.tag or entry.placeholder, self.style) if entry.reversible else None

    def extends(self, slot: Slot) -> bool:
        """Return whether another placeholder begins like this one: `<name-12>` or `<name-1b>` like `<name-1`."""
        begins = f"{slot.number}{slot.letter}"
        return any(
            other.kind == slot.kind and other != slot and f"{other.number}{other.letter}".startswith(begins)
            for other in self._slots
        )

    @property
    def kinds(self) -> frozenset[str]:
        """The words that the placeholders of this box show."""
        return frozenset(self._kinds)

    @property
    def fact_names(self) -> frozenset[str]:
        """The names of the facts that enriched tags of this box tell."""
        return frozenset(self._fact_names)

    def surrogates(self) -> list[BoxEntry]:
        """Return the entries whose placeholders are texts of another kind than tags."""
        return [entry for entry in self.entries if entry.surrogate] if self._surrogates else []

    def surfaces(self) -> Iterable[str]:
        """Return all surfaces, in the order they came, literals among them."""
        return self._forward.keys()

    def private_entries(self) -> list[BoxEntry]:
        """Return the entries of private values: literals, which only look like placeholders, are none."""
        return [entry for entry in self.entries if entry.kind != "literal"]

    def values(self, start: int = 0) -> list[str]:
        """Return the private values from a number on, in the order they came."""
        return self._private[start:]

    def private_entry(self, number: int) -> BoxEntry:
        """Return the entry of the private value of a number, counted as in `values`."""
        return self._forward[self._private[number]]

    def recall(self, key: Hashable) -> tuple[Any, list[BoxEntry]]:
        """Return what `remember` kept under a key, None if nothing, and the entries that have come since.

        What is derived from a box, such as an automaton of all surfaces, is brought up to date by these alone. The
        surface of an entry never changes.
        """
        value, seen = self._derived.kept.get(key, (None, 0))
        return value, self.entries[seen:]

    def remember(self, key: Hashable, value: T) -> T:
        """Keep what is derived from the entries as they are now."""
        self._derived.kept[key] = value, len(self.entries)
        return value

    def placeholders(self) -> Set[str]:
        """Return every placeholder, and the indexed tag where it is another."""
        return self._inverse.keys()

    def reserve(self, slots: Iterable[Slot]) -> None:
        """Never give these kinds and numbers out: a text already shows them."""
        self.reserved.update((slot.kind, slot.number) for slot in slots)

    def register(self, entities: Sequence[Entity]) -> None:
        """Give every new surface among the entities a placeholder.

        Args:
            entities: the private mentions of one text, in order of appearance. Their `subject`
                ties the mentions of one person together.
        """
        fresh: dict[str, Entity] = {}
        roughly = {entity.text for entity in entities if entity.generalised}
        for entity in entities:
            if entity.text and entity.text not in self._forward:
                fresh.setdefault(entity.text, entity)
            elif entity.generalised:
                self._generalise(self._forward[entity.text])
        for entity in self._ordered(list(fresh.values())):
            self.add(entity.text, entity.subtype, entity.subject, generalised=entity.text in roughly)

    def add(self, surface: str, subtype: str, subject: str | None = None, *, generalised: bool = False) -> str:
        """Return the placeholder of a surface, made now if it has none. The first subtype wins."""
        if entry := self._forward.get(surface):
            return entry.placeholder
        kind = "literal" if subtype == "literal" else placeholder_kind(subtype)
        number = self._number(kind, surface, subtype, subject)
        slot = Slot(kind, number)
        letters = _letters()
        while slot in self._slots:
            letter = next(letters, None)
            if letter is None:
                # More spellings than letters: the further ones are counted like other things.
                number, letters = self._next_number(_group(kind)), _letters()
            slot = Slot(kind, number, letter or "")
        left, right = BRACKETS[self.style]
        tag = f"{left}{slot.kind}-{slot.number}{slot.letter}{right}"
        written = Written(tag)
        if self._write is not None and kind != "literal":
            written = self._write(Draft(surface, kind, subtype, subject, slot, tag, generalised)) or written
        if written.reversible and (written.text in self._inverse or written.text in self._forward):
            written = Written(tag)
        entry = BoxEntry(
            surface=surface,
            placeholder=written.text,
            kind=kind,
            subtype=subtype,
            subject=subject,
            tag=None if written.text == tag or not written.reversible else tag,
            reversible=written.reversible,
        )
        self._put(entry, slot if written.reversible else None)
        return entry.placeholder

    def _generalise(self, entry: BoxEntry) -> None:
        """Have a bare tag of an earlier text tell from now on what is roughly so; the bare one means it still."""
        slot = self.slot(entry)
        if self._write is None or entry.tag is not None or slot is None or entry.kind == "literal":
            return
        tag = entry.placeholder
        written = self._write(Draft(entry.surface, entry.kind, entry.subtype, entry.subject, slot, tag, True))
        if written and written.text.startswith(tag.rstrip(">")) and written.text not in self._inverse:
            changed = entry.model_copy(update={"placeholder": written.text, "tag": tag})
            self._change(changed, slot)
            self._fact_names.update(fact.partition("=")[0] for fact in changed.facts.split())

    def _change(self, entry: BoxEntry, slot: Slot) -> None:
        """Put an entry in the place of the one with its surface."""
        self.entries[self._places[entry.surface]] = entry
        self._derived.kept.pop("hosts", None)
        self._forward[entry.surface] = self._inverse[entry.placeholder] = self._slots[slot] = entry
        if entry.tag is not None:
            self._inverse[entry.tag] = entry

    def mark(self, placeholder: str, *, wrapped: bool = False, verbatim: bool = False) -> None:
        """Remember how a text shows a placeholder: inside brackets of its own, or where its value would be changed."""
        entry = self._inverse[placeholder]
        changed = entry.model_copy(update={"wrapped": entry.wrapped or wrapped, "verbatim": entry.verbatim or verbatim})
        if changed == entry:
            return
        slot = parse_placeholder(entry.tag or entry.placeholder, self.style)
        assert slot is not None
        self._change(changed, slot)

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        """Refuse to be pickled: a pickle would hold every private value in clear."""
        raise TypeError(f"A {type(self).__name__} cannot be pickled: save it to a file, which is encrypted, or seal it")

    def _put(self, entry: BoxEntry, slot: Slot | None) -> None:
        self._places[entry.surface] = len(self.entries)
        self.entries.append(entry)
        self._forward[entry.surface] = entry
        self._kinds.add(entry.kind)
        if entry.kind != "literal":
            self._private.append(entry.surface)
        if entry.tag is not None:
            self._fact_names.update(fact.partition("=")[0] for fact in entry.facts.split())
            self._surrogates |= entry.surrogate
        if not entry.reversible or slot is None:
            return
        self._inverse[entry.placeholder] = self._slots[slot] = entry
        if entry.tag is not None:
            self._inverse[entry.tag] = entry
        group = _group(entry.kind)
        self._numbers.setdefault((group, _identity(entry.surface, entry.subtype, entry.subject)), slot.number)
        self._highest[group] = max(self._highest.get(group, 0), slot.number)

    def _number(self, kind: str, surface: str, subtype: str, subject: str | None) -> int:
        group = _group(kind)
        known = self._numbers.get((group, _identity(surface, subtype, subject)))
        if known is not None and (kind, known) not in self.reserved:
            return known
        return self._next_number(group)

    def _next_number(self, group: str) -> int:
        """Return the first number of a group that is neither given out nor reserved."""
        number = self._highest.get(group, 0) + 1
        while any((member, number) in self.reserved for member in _members(group)):
            number += 1
        return number

    def _ordered(self, fresh: list[Entity]) -> list[Entity]:
        """Put new entities into the order in which they are numbered."""
        if self.order == "alphabetical":
            return sorted(fresh, key=lambda entity: entity.text.casefold())
        if self.order == "random":
            # A seeded permutation: the index then tells neither order nor identity.
            shuffled = sorted(fresh, key=lambda entity: entity.text)
            random.Random(f"{self.seed}:{len(self.entries)}").shuffle(shuffled)
            return shuffled
        return fresh


class _Derived:
    """What was derived from a box, and from how many entries. It says nothing that the entries do not say."""

    def __init__(self) -> None:
        self.kept: dict[Hashable, tuple[Any, int]] = {}

    def __deepcopy__(self, memo: object) -> "_Derived":
        """Return an empty one: a copy of a box derives its own."""
        return _Derived()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Derived)

    __hash__ = None  # type: ignore[assignment]


PERSON = "person"
_PERSON_KINDS = frozenset(placeholder_kind(sub) for sub, kind in TYPE_OF.items() if kind == "PER")


def _group(kind: str) -> str:
    """Kinds of one group share their numbers: all names of a person have one number."""
    return PERSON if kind in _PERSON_KINDS else kind


def _members(group: str) -> Iterable[str]:
    return _PERSON_KINDS if group == PERSON else (group,)


def _identity(surface: str, subtype: str, subject: str | None) -> str:
    """Tell which thing a surface names: the person for names, else the surface without case and spacing."""
    if TYPE_OF.get(subtype) == "PER" and subject:
        return f"subject:{subject}"
    return "surface:" + " ".join(surface.casefold().split())


def _letters() -> Iterator[str]:
    """Yield b, c, …, z, ba, bb, …: the letters of further spellings."""
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    yield from alphabet[1:]
    for first in alphabet[1:]:
        yield from (first + second for second in alphabet)


def parse_placeholder(text: str, style: Style) -> Slot | None:
    """Read an exact placeholder of a style."""
    left, right = BRACKETS[style]
    if not (text.startswith(left) and text.endswith(right)):
        return None
    kind, dash, index = text[len(left) : -len(right)].rpartition("-")
    digits = index.rstrip("abcdefghijklmnopqrstuvwxyz")
    if not dash or not kind or not digits.isascii() or not digits.isdigit():
        return None
    return Slot(kind, int(digits), index[len(digits) :])
