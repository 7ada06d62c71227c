"""Linking of mentions: whose is what.

Mentions of one person get one subject letter, so that full name, first name, surname, initials
and addresses made of the name share an index in the box. Other facts are given to the person whom the text speaks of
where they stand (`attribution.py`).
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from gama.privacy.attribution import Attribution, Fact, Name
from gama.state.box import BoxEntry
from gama.state.entities import Entity

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


@dataclass
class _Person:
    """What is known of one subject's names."""

    subject: str
    first: set[str] = field(default_factory=set)
    last: set[str] = field(default_factory=set)
    middle: set[str] = field(default_factory=set)
    whole: set[str] = field(default_factory=set)
    initials: set[str] = field(default_factory=set)

    def learn(self, surface: str, subtype: str) -> None:
        """Take in one more of the person's names."""
        words = name_words(surface)
        if not words:
            return
        self.whole.add(" ".join(words))
        if subtype == "last_name":
            self.last |= {" ".join(words), words[-1]}
        elif subtype == "full_name" and len(words) > 1:
            # A pet name may stand in quotes: Earl "Tater" Boudreaux.
            self.first |= {words[0], *(word for item in _QUOTED.findall(surface) for word in name_words(item))}
            self.last |= {" ".join(words[at:]) for at in range(1, len(words))}
            # Of two surnames the first may stand alone: Aurelio Quispe Mamani, Mr Quispe.
            self.middle |= set(words[1:-1]) - _PARTICLES
            core = [word for word in words if word not in _PARTICLES]
            self.initials |= {"".join(word[0] for word in core), "".join(word[0] for word in words)}
        else:
            self.first.add(words[0])

    def answers_to(self, surface: str, subtype: str, words: Sequence[str]) -> bool:
        """Return whether a mention, whose `name_words` are given, can mean this person."""
        if not words:
            return False
        joined = " ".join(words)
        if joined in self.whole:
            return True
        if subtype == "initials":
            return "".join(words) in self.initials
        if subtype == "handle" or "@" in surface:
            return self._spells(surface)
        if len(words) > 1 and subtype != "last_name":
            # "Emma J. Williams" and "Emma Williams": same first and same last name.
            return words[0] in self.first and bool({words[-1], " ".join(words[1:])} & self.last)
        if subtype == "last_name" and joined in self.middle:
            return True
        return joined in (self.last if subtype == "last_name" else self.first) or joined in self.first | self.last

    def may_be(self, subtype: str, words: Sequence[str]) -> bool:
        """Return whether a mention may be a short form of this person's name, or its long form."""
        if not words:
            return False
        if subtype == "initials":
            return len(words[0]) == 1 and any(name[0] == words[0] for name in self.first)
        if subtype == "nickname":
            return len(words[0]) > 2 and any(name.startswith(words[0]) for name in self.first)
        if subtype != "full_name" or len(words) < 2 or words[-1] not in self.last:
            return False
        # D. Ferraro and Domenico Ferraro.
        return any(name[0] == words[0][0] and 1 in (len(name), len(words[0])) for name in self.first)

    def _spells(self, address: str) -> bool:
        """Return whether an address or handle is made of the person's names."""
        local = "".join(_plain(address.lstrip("@").split("@")[0]))
        names = {name.replace(" ", "") for name in self.last | self.whole if len(name) > 3}
        return any(name in local for name in names) or any(name in local for name in self.first if len(name) > 3)


class Known:
    """The persons of a conversation's box, learnt entry by entry, for one text after the other."""

    def __init__(self) -> None:
        """Start with nobody."""
        self._people: list[_Person] = []
        self._seen = 0
        self.subjects: set[str] = set()

    def after(self, entries: Sequence[BoxEntry]) -> "Known":
        """Learn the entries that are new since the last time; a box adds entries at its end and takes none away."""
        for entry in entries[self._seen :]:
            if entry.subject:
                self.subjects.add(entry.subject)
                if entry.subtype in NAMES:
                    _person(self._people, entry.subject).learn(entry.surface, entry.subtype)
        self._seen = len(entries)
        return self

    def people(self) -> list[_Person]:
        """Return them as they are known now; what is learnt of one of these is not kept."""
        return [
            _Person(one.subject, set(one.first), set(one.last), set(one.middle), set(one.whole), set(one.initials))
            for one in self._people
        ]


def link(text: str, entities: Sequence[Entity], known: Iterable[BoxEntry] | Known = ()) -> list[Entity]:
    """Return the mentions with their subjects.

    Args:
        text: the text they stand in.
        entities: the mentions in order; those that are not private keep no subject.
        known: entries of the conversation so far: persons met before keep their letter.
    """
    met = known if isinstance(known, Known) else Known().after(list(known))
    people = met.people()
    # Full names first: a first name may stand before the full name that explains it.
    order = sorted(range(len(entities)), key=lambda i: (entities[i].subtype != "full_name", entities[i].start))
    subjects: dict[int, str] = {}
    for i in order:
        entity = entities[i]
        if not entity.private or entity.subtype not in NAMES:
            continue
        words = name_words(entity.text)
        match = [person for person in people if person.answers_to(entity.text, entity.subtype, words)]
        if not match and (beside := _beside(text, entities, i, subjects)) is not None:
            match = [_person(people, beside)]
        if not match:
            match = [person for person in people if person.may_be(entity.subtype, words)]
            match = match if len(match) == 1 else []
        if not match:
            match = [_Person(_next_letter(people))]
            people += match
        match[0].learn(entity.text, entity.subtype)
        subjects[i] = match[0].subject
    for i, entity in enumerate(entities):
        if entity.private and entity.subtype in ("handle", "email"):
            words = name_words(entity.text)
            owner = next((p for p in people if p.answers_to(entity.text, "handle", words)), None)
            if owner:
                subjects[i] = owner.subject
    fixed = met.subjects
    subjects = _in_order_of_appearance(subjects, fixed)
    return _facts(text, entities, subjects, fixed)


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


def _person(people: list[_Person], subject: str) -> _Person:
    for person in people:
        if person.subject == subject:
            return person
    people.append(_Person(subject))
    return people[-1]


def _next_letter(people: Sequence[_Person]) -> str:
    taken = {person.subject for person in people}
    n = 0
    while (name := letter(n)) in taken:
        n += 1
    return name


def letter(n: int) -> str:
    """Name the n-th subject: A, B and so on to Z, then AA, AB."""
    name = ""
    n += 1
    while n:
        n, rest = divmod(n - 1, 26)
        name = chr(65 + rest) + name
    return name


def _in_order_of_appearance(subjects: dict[int, str], fixed: set[str]) -> dict[int, str]:
    """Rename new subjects so that the first to appear comes first."""
    names: dict[str, str] = {}
    n = 0
    for i in sorted(subjects):
        old = subjects[i]
        if old in fixed or old in names:
            continue
        while letter(n) in fixed or letter(n) in names.values():
            n += 1
        names[old] = letter(n)
    return {i: names.get(old, old) for i, old in subjects.items()}


def _facts(text: str, entities: Sequence[Entity], subjects: dict[int, str], known: Iterable[str]) -> list[Entity]:
    """Give other facts to whom the text speaks of where they stand; a person without a name gets a letter too."""
    attribution = Attribution(
        text, [Name(entities[i].start, entities[i].end, subject) for i, subject in subjects.items()]
    )
    todo = [i for i, e in enumerate(entities) if i not in subjects and e.private and e.subtype not in NAMES]
    todo.sort(key=lambda i: entities[i].start)
    facts = [Fact(e.start, e.end, e.type, e.subtype) for e in (entities[i] for i in todo)]
    letters: dict[str, str] = {}
    taken = {*subjects.values(), *known}
    owners = dict(subjects)
    for i, owner in zip(todo, attribution.owners(facts), strict=True):
        if owner is not None and owner.startswith("*"):
            if owner not in letters:
                letters[owner] = next(name for n in count() if (name := letter(n)) not in taken)
                taken.add(letters[owner])
            owner = letters[owner]
        if owner is not None:
            owners[i] = owner
    return [
        entity if owners.get(i) == entity.subject else entity.model_copy(update={"subject": owners.get(i)})
        for i, entity in enumerate(entities)
    ]
