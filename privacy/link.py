"""Linking of mentions: whose is what.

Mentions of one person get one subject letter, so that full name, first name, surname, initials
and addresses made of the name share an index in the box. Other facts are given to the person whom the text speaks of
where they stand (`attribution.py`).
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count

from gama.privacy.attribution import Attribution, Fact, Name
from gama.privacy.names import is_kin
from gama.state.box import Bijection, BoxEntry
from gama.state.entities import Entity
from gama.tools.memo import Memo

_PARTICLES = frozenset(
    "van von der den de del della di da dos das du la le el al bin binti bint ibn of y e zu ten ter".split()
)
_LABEL = (
    r"(?:given|first|fore|birth|christian|other|middle|family|last|sur|maiden)[ _-]?names?|given|family"
    r"|vornamen?|nachname|familienname|geburtsname|nombres?|apellidos?|prénoms?|nom|nome|cognome"
    r"|voorna(?:am|men)|achternaam"
    r"|imię|imiona|nazwisko|förnamn|efternamn|sobrenome|apelido"
)
# Accepts what stands between the two halves of a name in a form, a table, a record: a line break, separators or quotes;
# the end of one element and the start of another; a label with its colon, or one that only a name's half has; `née`.
_FIELDS = re.compile(
    r"[ ,]*|[\s,]*[;|\t\"'][\s,;|\"']*"
    r"|\W*/\w+>\s*<\w+[^<>]*>"
    r"|\W*(?:\w+[ /._-]*){1,4}[\"']?\s*[:=]\W*"
    rf"|\W*(?:{_LABEL})\W*"
    r"|\W*(?:née?|nee|geb\.?|geborene?|born|z domu|roz\.|nata|nacida)\W*",
    re.IGNORECASE,
)
# Accepts what stands between a name and what its bearer is called: an opening quote or bracket, or words for it.
_CALLED = re.compile(
    r"\s*[\"“„«'‘(]+\s*"
    r"|\W*(?:formerly|now|also)?\W*(?:a\.?k\.?a\.?|alias|known[ _]as|nicknamed?|goes by|i\.e\.|irl|display ?name"
    r"|(?:(?:so|is|also|we|they|people|I) )?call(?:ed|s)?(?: (?:me|him|her|them))?|(?:real|legal|stage|radio) name"
    r"|dite?|dett[oa]|genannt|gen\.|apodad[oa]|zwan[ya]|czyli|roepnaam|kallad)\W*",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"“'‘(]([^\"“”'’()]+)[\"”'’)]")
NAMES = ("full_name", "first_name", "last_name", "nickname", "initials")
"""Subtypes by which a person is called."""


class _People:
    """Persons, found by what they are called, whether they are few or many. Those of a text stand over the box's."""

    def __init__(self, below: "_People | None" = None) -> None:
        """Start with nobody but those below, who are left as they are."""
        self._below = below
        self._rank: dict[str, int] = {}
        """In which order the persons were met, by subject."""
        self._names: dict[str, tuple[set[str], set[str]]] = {}
        """First names and last names, by subject."""
        self._called: dict[tuple[str, ...], str] = {}
        """By what they are called, who was met first of those who are called so."""
        self._like: dict[tuple[str, ...], set[str]] = {}
        """By what their names may be shortened to, all of them."""
        self._lengths: set[int] = set()
        """Of the names that addresses may be made of."""
        self.subjects: set[str] = set()
        """All letters of the box, those of nobody with a name too."""
        self.free = 0
        """The number of the first letter that is not among them."""

    def meet(self, entries: Iterable[BoxEntry]) -> "_People":
        """Learn the persons of entries of the box."""
        for entry in entries:
            if entry.subject:
                self.subjects.add(entry.subject)
                if entry.subtype in NAMES:
                    self.learn(entry.subject, entry.surface, entry.subtype)
        while letter(self.free) in self.subjects:
            self.free += 1
        return self

    def learn(self, subject: str, surface: str, subtype: str) -> None:
        """Take in one more name of a person."""
        words = name_words(surface)
        levels = self._levels()
        if not any(subject in level._rank for level in levels):
            self._rank[subject] = sum(len(level._rank) for level in levels)
        if not words:
            return
        first, last, called = _parts(surface, subtype, words)
        own_first, own_last = self._names.setdefault(subject, (set(), set()))
        own_first |= first
        own_last |= last
        all_first = {name for level in levels for name in level._names.get(subject, ((), ()))[0]}
        all_last = {name for level in levels for name in level._names.get(subject, ((), ()))[1]}
        pairs = {(one, two) for one in first for two in all_last} | {(one, two) for one in all_first for two in last}
        called |= {("pair", *pair) for pair in pairs} | {("one", name) for name in first | last}
        spelled = {name for name in (last | {" ".join(words)}) if len(name) > 3} | {n for n in first if len(n) > 3}
        for name in spelled:
            called.add(("spelled", name.replace(" ", "")))
            self._lengths.add(len(name.replace(" ", "")))
        for key in called:
            known = self._called.get(key)
            if known is None or self._rank_of(subject) < self._rank_of(known):
                self._called[key] = subject
        like: set[tuple[str, ...]] = {("initial", name[0]) for name in first}
        like |= {("begins", name[:to]) for name in first for to in range(3, len(name) + 1)}
        like |= {("initial and last", one[0], two) for one, two in pairs}
        like |= {("one letter and last", one, two) for one, two in pairs if len(one) == 1}
        for key in like:
            self._like.setdefault(key, set()).add(subject)

    def called(self, surface: str, subtype: str, words: Sequence[str]) -> str | None:
        """Return the first person whom a mention, whose `name_words` are given, can mean."""
        if not words:
            return None
        joined = " ".join(words)
        keys: list[tuple[str, ...]] = [("whole", joined)]
        if subtype == "initials":
            keys.append(("initials", "".join(words)))
        elif subtype == "handle" or "@" in surface:
            # An address or handle is made of the person's names.
            local = "".join(_plain(surface.lstrip("@").split("@")[0]))
            lengths = {length for level in self._levels() for length in level._lengths}
            keys += [("spelled", local[at : at + n]) for n in lengths for at in range(len(local) - n + 1)]
        elif own := _of_kin(words):
            keys += [("one", name) for name in own]
        elif len(words) > 1 and subtype != "last_name":
            # "Emma J. Williams" and "Emma Williams": same first and same last name.
            keys += [("pair", words[0], words[-1]), ("pair", words[0], " ".join(words[1:]))]
        else:
            keys += [("one", joined), *([("middle", joined)] if subtype == "last_name" else [])]
        found = {level._called[key] for level in self._levels() for key in keys if key in level._called}
        return min(found, key=self._rank_of, default=None)

    def alike(self, subtype: str, words: Sequence[str]) -> str | None:
        """Return the only person of whose name a mention may be a short form, or the long form."""
        key: tuple[str, ...] = ()
        if words and subtype == "initials" and len(words[0]) == 1:
            key = ("initial", words[0])
        elif words and subtype == "nickname" and len(words[0]) > 2:
            key = ("begins", words[0])
        elif len(words) > 1 and subtype == "full_name":
            # D. Ferraro and Domenico Ferraro.
            key = ("initial and last" if len(words[0]) == 1 else "one letter and last", words[0][0], words[-1])
        found = [level._like[key] for level in self._levels() if key in level._like]
        one = next(iter(found[0])) if found else None
        return one if all(who == {one} for who in found) else None

    def _levels(self) -> "tuple[_People, ...]":
        return (self,) if self._below is None else (self, self._below)

    def _rank_of(self, subject: str) -> int:
        return next(level._rank[subject] for level in self._levels() if subject in level._rank)


def _parts(surface: str, subtype: str, words: Sequence[str]) -> tuple[set[str], set[str], set[tuple[str, ...]]]:
    """Return the first names and last names in a name, and what else its bearer is called."""
    called: set[tuple[str, ...]] = {("whole", " ".join(words))}
    if subtype == "last_name":
        return set(), {" ".join(words), words[-1]}, called
    if subtype != "full_name" or len(words) < 2:
        return {words[0], *_of_kin(words)}, set(), called
    # A pet name may stand in quotes: Earl "Tater" Boudreaux.
    first = {words[0], *(word for item in _QUOTED.findall(surface) for word in name_words(item))}
    last = {" ".join(words[at:]) for at in range(1, len(words))}
    core = [word for word in words if word not in _PARTICLES]
    called |= {("initials", "".join(word[0] for word in part)) for part in (core, words)}
    # Of two surnames the first may stand alone: Aurelio Quispe Mamani, Mr Quispe.
    called |= {("middle", word) for word in words[1:-1] if word not in _PARTICLES}
    return first, last, called


def _of_kin(words: Sequence[str]) -> tuple[str, ...]:
    """Return the name behind a word of kinship: Uncle Mortimer is Mortimer."""
    return (words[1],) if len(words) == 2 and is_kin(words[0]) else ()


def link(text: str, entities: Sequence[Entity], box: Bijection | None = None) -> list[Entity]:
    """Return the mentions with their subjects.

    Args:
        text: the text they stand in.
        entities: the mentions in order; those that are not private keep no subject.
        box: the conversation's: persons met before keep their letter.
    """
    met = _met(box) if box is not None else _People()
    people, fresh = _People(met), _letters_after(met)
    # Full names first: a first name may stand before the full name that explains it.
    order = sorted(range(len(entities)), key=lambda i: (entities[i].subtype != "full_name", entities[i].start))
    subjects: dict[int, str] = {}
    manners: dict[str, str] = {}
    titled: dict[tuple[str, str], str] = {}
    for i in order:
        entity = entities[i]
        if not entity.private or entity.subtype not in NAMES:
            continue
        words = name_words(entity.text)
        person = people.called(entity.text, entity.subtype, words) or _beside(text, entities, i, subjects)
        person = person or people.alike(entity.subtype, words) or next(fresh)
        if manner := _manner(text, entity):
            # Mr Osei is not Mrs Halina Osei.
            if manners.get(person, manner) != manner:
                person = titled.get((words[-1], manner)) or next(fresh)
            manners[person] = manner
            titled[words[-1], manner] = person
        people.learn(person, entity.text, entity.subtype)
        subjects[i] = person
    for i, entity in enumerate(entities):
        if entity.private and entity.subtype in ("handle", "email"):
            owner = people.called(entity.text, "handle", name_words(entity.text))
            if owner:
                subjects[i] = owner
    return _facts(text, entities, _in_order_of_appearance(subjects, met), met)


# Accepts how a man, or a woman, is addressed, before the name.
_TITLES = re.compile(
    r"(?<!\w)(?:(?P<m>Mr|Mister|Herrn?|Monsieur|Señor|Signor|Dhr|Meneer|Pan|Sir|Lord)"
    r"|(?P<f>Mrs|Ms|Miss|Frau|Mme|Madame|Señora|Sra|Signora|Mevr(?:ouw)?|Pani|Lady|Dame))\.?\s+$"
)


def _manner(text: str, entity: Entity) -> str:
    """Return `m` or `f` where a title stands before a name, else nothing."""
    title = _TITLES.search(text, max(0, entity.start - 12), entity.start)
    return title.lastgroup or "" if title else ""


def _met(box: Bijection) -> _People:
    """Return the persons of a box."""
    known: _People | None
    known, new = box.recall("people")
    known = known or _People()
    if new:
        box.remember("people", known.meet(new))
    return known


def _beside(text: str, entities: Sequence[Entity], i: int, subjects: Mapping[int, str]) -> str | None:
    """Return the subject of the mention beside, if both are of one person: halves of a name, a name and a nickname."""
    for other in (i - 1, i + 1):
        if other in subjects:
            first, second = entities[min(i, other)], entities[max(i, other)]
            kinds = {first.subtype, second.subtype}
            between = text[first.end : second.start]
            halves = kinds == {"first_name", "last_name"} and len(between) < 60 and _FIELDS.fullmatch(between)
            called = "nickname" in kinds and len(kinds) == 2 and len(between) < 40 and _CALLED.fullmatch(between)
            if halves or called:
                return subjects[other]
    return None


def name_words(surface: str) -> list[str]:
    """Split a name into plain lower-case words without titles, dots and hyphens; `Doe, Jane` is turned round."""
    last, comma, first = surface.partition(",")
    if comma and first.strip():
        surface = f"{first} {last}"
    return [word for word in _BETWEEN_WORDS.split("".join(_plain(surface))) if word]


_BETWEEN_WORDS = re.compile(r"[\s.,\-‐’'\"“”()]+")


def _plain(text: str) -> Iterable[str]:
    if text.isascii():
        return text.casefold()
    return (c for c in unicodedata.normalize("NFKD", text).casefold() if not unicodedata.combining(c))


def _letters_after(met: _People) -> Iterator[str]:
    """Yield the letters that nobody has yet."""
    return (name for n in count(met.free) if (name := letter(n)) not in met.subjects)


def letter(n: int) -> str:
    """Name the n-th subject: A, B and so on to Z, then AA, AB."""
    name = ""
    n += 1
    while n:
        n, rest = divmod(n - 1, 26)
        name = chr(65 + rest) + name
    return name


def _in_order_of_appearance(subjects: dict[int, str], met: _People) -> dict[int, str]:
    """Rename new subjects so that the first to appear comes first."""
    new = dict.fromkeys(subjects[i] for i in sorted(subjects) if subjects[i] not in met.subjects)
    names = dict(zip(new, _letters_after(met), strict=False))
    return {i: names.get(old, old) for i, old in subjects.items()}


_OWNERS = Memo[tuple[str | None, ...]](20_000)
"""Owners of facts, which are letters and such signs as `*writer`."""


def _facts(text: str, entities: Sequence[Entity], subjects: dict[int, str], met: _People) -> list[Entity]:
    """Give other facts to whom the text speaks of where they stand; a person without a name gets a letter too."""
    names = [Name(entities[i].start, entities[i].end, subject) for i, subject in subjects.items()]
    todo = [i for i, e in enumerate(entities) if i not in subjects and e.private and e.subtype not in NAMES]
    todo.sort(key=lambda i: entities[i].start)
    facts = [Fact(e.start, e.end, e.type, e.subtype) for e in (entities[i] for i in todo)]
    letters: dict[str, str] = {}
    taken = set(subjects.values())
    fresh = (name for name in _letters_after(met) if name not in taken)
    owners = dict(subjects)
    # A conversation comes again with every turn of it.
    found = _OWNERS.of(f"{names}{facts}{text}", lambda: tuple(Attribution(text, names).owners(facts))) if facts else ()
    for i, owner in zip(todo, found, strict=True):
        if owner is not None and owner.startswith("*"):
            if owner not in letters:
                letters[owner] = next(fresh)
            owner = letters[owner]
        if owner is not None:
            owners[i] = owner
    return [
        entity if owners.get(i) == entity.subject else entity.model_copy(update={"subject": owners.get(i)})
        for i, entity in enumerate(entities)
    ]
