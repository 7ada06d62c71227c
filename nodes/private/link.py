"""Linking of mentions: whose is what.

Mentions of one person get one subject letter, so that full name, first name, surname, initials
and addresses made of the name share an index in the box. Other facts are given to the person whom the text speaks of
where they stand (`owners.py`, `whose.py`).
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from langgraph.runtime import Runtime

from gama.nodes.private.decide import apply_decisions, assign_subjects
from gama.nodes.private.owners import Name
from gama.nodes.private.space import PrivateSpace, timed
from gama.nodes.private.whose import Fact, Whose
from gama.state.box import BoxEntry
from gama.state.decisions import Decision, read_decisions
from gama.state.entities import Entity
from gama.state.options import Options
from gama.state.private import GamaState

_PARTICLES = frozenset(
    "van von der den de del della di da dos das du la le el al bin binti bint ibn of y e zu ten ter".split()
)
# Accepts what stands between two fields of a form: a line break or separator, a label, a colon.
_FORM = re.compile(r"^\W*(?:\w+[ /.]*){1,4}[:=]\W*$")
_QUOTED = re.compile(r"[\"“'‘(]([^\"“”'’()]+)[\"”'’)]")
NAMES = ("full_name", "first_name", "last_name", "nickname", "initials")
"""Subtypes by which a person is called."""


@timed("link")
def link_mentions(state: GamaState, runtime: Runtime[Options], *, space: PrivateSpace) -> dict[str, Any]:
    """Take in what a person has decided, and give every private mention its subject."""
    text, options = space.question(state).reveal(), space.settings(runtime)
    known = space.box(state, options).entries
    decisions = read_decisions(state.get("decisions"), text)
    entities = link_decided(text, space.entities(state), known, decisions, options)
    return {"sealed_entities": space.seal_entities(state, entities)}


def link_decided(
    text: str, entities: Sequence[Entity], known: Iterable[BoxEntry], decisions: Sequence[Decision], options: Options
) -> list[Entity]:
    """Return the mentions as a person decided on them, with their subjects; see `apply_decisions` and `link`."""
    decided = apply_decisions(text, entities, decisions, options)
    return assign_subjects(text, link(text, decided, known), decisions)


@dataclass
class _Person:
    """What is known of one subject's names."""

    subject: str
    first: set[str] = field(default_factory=set)
    last: set[str] = field(default_factory=set)
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
            core = [word for word in words if word not in _PARTICLES]
            self.initials |= {"".join(word[0] for word in core), "".join(word[0] for word in words)}
        else:
            self.first.add(words[0])

    def answers_to(self, surface: str, subtype: str, words: Sequence[str]) -> bool:
        """Tell whether a mention, whose `name_words` are given, can mean this person."""
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
        return joined in (self.last if subtype == "last_name" else self.first) or joined in self.first | self.last

    def _spells(self, address: str) -> bool:
        """Tell whether an address or handle is made of the person's names."""
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
            _Person(one.subject, set(one.first), set(one.last), set(one.whole), set(one.initials))
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
        if not match and (before := _other_half(text, entities, i)) in subjects:
            match = [_person(people, subjects[before])]
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


def _other_half(text: str, entities: Sequence[Entity], i: int) -> int:
    """Return the mention just before that holds the other half of a name in a form (`Surname: Doe, First: Jane`).

    -1 where there is none.
    """
    halves = {"first_name": "last_name", "last_name": "first_name"}
    if i and entities[i - 1].subtype == halves.get(entities[i].subtype):
        between = text[entities[i - 1].end : entities[i].start]
        if len(between) < 40 and (_FORM.search(between) or not between.strip(" ,")):
            return i - 1
    return -1


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
    whose = Whose(text, [Name(entities[i].start, entities[i].end, subject) for i, subject in subjects.items()])
    todo = [i for i, e in enumerate(entities) if i not in subjects and e.private and e.subtype not in NAMES]
    todo.sort(key=lambda i: entities[i].start)
    facts = [Fact(e.start, e.end, e.type, e.subtype) for e in (entities[i] for i in todo)]
    letters: dict[str, str] = {}
    taken = {*subjects.values(), *known}
    owners = dict(subjects)
    for i, owner in zip(todo, whose.owners(facts), strict=True):
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
