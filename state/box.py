"""`PrivacyBox`: the bijection between private surfaces and placeholders (GAMA Eq. 4, spec 01 §1.4).

It lives in the private space. Two entities never share a placeholder, nor two placeholders an
entity. Mentions of one person share one index and differ in the word: `<name-1>` Emma Williams,
`<first_name-1>` Emma. Other spellings of one mention share the index and get a letter:
`<name-1b>` EMMA WILLIAMS.
"""

import json
import os
import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError

from gama.state.entities import TYPE_OF, Entity, placeholder_kind
from gama.state.errors import InputError, SealError
from gama.state.seal import Sealed, Vault, default_home

Style = Literal["v2", "v1"]
IndexOrder = Literal["appearance", "alphabetical", "random"]

BRACKETS: dict[Style, tuple[str, str]] = {"v2": ("<", ">"), "v1": ("<<", ">>")}
_FILE_VERSION = 1
_LABEL = "gama-box-file"


class Slot(NamedTuple):
    """The place of a placeholder without its brackets: `("name", 1, "b")` is `<name-1b>`."""

    kind: str
    number: int
    letter: str = ""


class BoxEntry(BaseModel):
    """One surface and its placeholder."""

    model_config = ConfigDict(frozen=True)

    surface: str = Field(repr=False)
    placeholder: str
    kind: str
    subtype: str
    subject: str | None = None
    """The person it belongs to (canonical id)."""
    wrapped: bool = False
    """Whether it stood directly inside angle brackets in some text, so that brackets around it are the text's own."""


class PrivacyBox(BaseModel):
    """The bijection of one conversation."""

    style: Style = "v2"
    order: IndexOrder = "appearance"
    seed: int = 0
    entries: list[BoxEntry] = Field(default_factory=list, repr=False)
    reserved: set[tuple[str, int]] = Field(default_factory=set)
    """Kinds with numbers that texts already contained and that are therefore never given out."""

    _forward: dict[str, BoxEntry] = PrivateAttr(default_factory=dict)
    _inverse: dict[str, BoxEntry] = PrivateAttr(default_factory=dict)
    _slots: dict[Slot, BoxEntry] = PrivateAttr(default_factory=dict)
    _numbers: dict[tuple[str, str], int] = PrivateAttr(default_factory=dict)
    _highest: dict[str, int] = PrivateAttr(default_factory=dict)

    def model_post_init(self, context: object) -> None:
        """Rebuild the look-up tables and check that the entries are a bijection."""
        entries, self.entries = self.entries, []
        for entry in entries:
            slot = parse_placeholder(entry.placeholder, self.style)
            if slot is None or entry.surface in self._forward or entry.placeholder in self._inverse:
                raise ValueError("the entries of the box are not a bijection in its style")
            self._put(entry, slot)

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self.entries)

    def __str__(self) -> str:
        """Show how many entries there are."""
        return f"PrivacyBox({len(self.entries)} entries)"

    def placeholder(self, surface: str) -> str | None:
        """Return the placeholder of a surface."""
        entry = self._forward.get(surface)
        return entry.placeholder if entry else None

    def surface(self, placeholder: str) -> str | None:
        """Return the surface behind an exact placeholder."""
        entry = self._inverse.get(placeholder)
        return entry.surface if entry else None

    def at(self, slot: Slot) -> BoxEntry | None:
        """Return the entry at a kind, number and letter."""
        return self._slots.get(slot)

    def surfaces(self) -> Iterable[str]:
        """Return all surfaces, in the order they came."""
        return self._forward.keys()

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
        for entity in entities:
            if entity.text and entity.text not in self._forward:
                fresh.setdefault(entity.text, entity)
        for entity in self._ordered(list(fresh.values())):
            self.add(entity.text, entity.subtype, entity.subject)

    def add(self, surface: str, subtype: str, subject: str | None = None) -> str:
        """Return the placeholder of a surface, made now if it has none. The first subtype wins."""
        if entry := self._forward.get(surface):
            return entry.placeholder
        kind = "literal" if subtype == "literal" else placeholder_kind(subtype)
        number = self._number(kind, surface, subtype, subject)
        slot = Slot(kind, number)
        letters = _letters()
        while slot in self._slots:
            slot = Slot(kind, number, next(letters))
        left, right = BRACKETS[self.style]
        placeholder = f"{left}{slot.kind}-{slot.number}{slot.letter}{right}"
        self._put(BoxEntry(surface=surface, placeholder=placeholder, kind=kind, subtype=subtype, subject=subject), slot)
        return placeholder

    def mark_wrapped(self, placeholder: str) -> None:
        """Remember that a text shows the placeholder directly inside brackets of its own."""
        entry = self._inverse[placeholder]
        if entry.wrapped:
            return
        changed = entry.model_copy(update={"wrapped": True})
        self.entries[self.entries.index(entry)] = changed
        self._forward[entry.surface] = self._inverse[placeholder] = changed
        slot = parse_placeholder(placeholder, self.style)
        assert slot is not None
        self._slots[slot] = changed

    def save(self, path: Path | str, *, encrypt: bool = True, home: Path | None = None) -> None:
        """Write the box to a file that only its owner may read.

        Args:
            path: the file; it is replaced whole or not at all.
            encrypt: seal it with the master key of the home folder (the default), or write it in clear.
            home: the home folder; the default one when None.
        """
        body = self.model_dump_json()
        content: dict[str, object] = {"gama_box": _FILE_VERSION}
        if encrypt:
            sealed = Vault.at(home or default_home()).seal_file(_LABEL, body.encode())
            content |= {"sealed": sealed.model_dump(mode="json")}
        else:
            content |= {"box": json.loads(body)}
        target = Path(path)
        scratch = target.with_name(target.name + ".new")
        handle = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(content, file, ensure_ascii=False)
        os.replace(scratch, target)

    @classmethod
    def load(cls, path: Path | str, *, home: Path | None = None) -> Self:
        """Read a box back.

        Raises:
            InputError: the file is missing or no box.
            SealError: it was sealed with another key.
        """
        name = str(path)
        try:
            content = json.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            reason = error.strerror or type(error).__name__
        except ValueError:
            reason = "it is not JSON"
        else:
            return cls._read(content, name, home)
        raise InputError(f"The box file {name!r} cannot be read: {reason}. Give the file that `--box` wrote.")

    @classmethod
    def _read(cls, content: object, name: str, home: Path | None) -> Self:
        problem = "it has no box in it"
        if isinstance(content, dict) and content.get("gama_box") == _FILE_VERSION:
            try:
                if "sealed" in content:
                    sealed = Sealed.model_validate(content["sealed"])
                    return cls.model_validate_json(Vault.at(home or default_home()).open_file(_LABEL, sealed))
                return cls.model_validate(content.get("box"))
            except SealError:
                raise
            except (ValidationError, ValueError):
                problem = "its entries are damaged"
        raise InputError(f"The box file {name!r} cannot be used: {problem}. Give the file that `--box` wrote.")

    def _put(self, entry: BoxEntry, slot: Slot) -> None:
        self.entries.append(entry)
        self._forward[entry.surface] = entry
        self._inverse[entry.placeholder] = entry
        self._slots[slot] = entry
        group = _group(entry.kind)
        self._numbers.setdefault((group, _identity(entry.surface, entry.subtype, entry.subject)), slot.number)
        self._highest[group] = max(self._highest.get(group, 0), slot.number)

    def _number(self, kind: str, surface: str, subtype: str, subject: str | None) -> int:
        group = _group(kind)
        known = self._numbers.get((group, _identity(surface, subtype, subject)))
        if known is not None and (kind, known) not in self.reserved:
            return known
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
