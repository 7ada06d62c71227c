"""Texts of samples from templates (spec 03 §3.3, steps 4 and 5), and the checks that every text passes."""

import re
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Literal, NamedTuple

from gama.evals.datasets.piibench import LETTERS, Fact, Mention
from gama.evals.datasets.taxonomy import CATEGORIES, TYPE_OF_CATEGORY
from gama.evals.metrics.needed import occurrences
from gama.evals.piibench.consistency import Values
from gama.evals.piibench.lists import sections
from gama.evals.piibench.values import stray

Style = Literal["formal", "casual"]
Scene = Literal["dialogue", "scene"]

_SLOT = re.compile(r"\{([SsoPpVAB])\}")
_HOLDERS = ("the applicant", "the employee", "the candidate", "the member")
_FORMS = {"I": ("I", "I", "me", "My", "my"), "they": ("They", "they", "them", "Their", "their")}
# Characters of a text: the published means (spec 03 §3.4), and as much to either side.
_SINGLE, _MULTI, _SPREAD = 893, 653, 240


class Text(NamedTuple):
    """A description with its mentions."""

    text: str
    mentions: tuple[Mention, ...]


class Draft:
    """A text under construction together with its mentions."""

    def __init__(self) -> None:
        """Start empty."""
        self._parts: list[str] = []
        self._mentions: list[Mention] = []
        self.length = 0

    def write(self, text: str) -> None:
        """Append words without a value."""
        self._parts.append(text)
        self.length += len(text)

    def mark(self, fact: Fact) -> None:
        """Append an entity."""
        self._mentions.append(Mention(self.length, self.length + len(fact.entity), fact))
        self.write(fact.entity)

    def done(self) -> Text:
        """Return what was written."""
        return Text("".join(self._parts), tuple(self._mentions))


def name_of(values: Mapping[str, str]) -> str:
    """Return the category of the name that a person goes by."""
    return next(category for category in CATEGORIES["PER"] if category in values)


def fact_of(values: Mapping[str, str], category: str, subject: str) -> Fact:
    """Return a person's value as an entity."""
    return Fact(values[category], TYPE_OF_CATEGORY[category], category, subject)


class _Teller:
    """Tells a person's values one by one."""

    def __init__(self, draft: Draft, values: Values, subject: str) -> None:
        self.draft, self.values, self.subject = draft, values, subject

    def name(self) -> None:
        self.draft.mark(fact_of(self.values, name_of(self.values), self.subject))

    def tell(self, frame: str, category: str, voice: str) -> None:
        """Write a frame in a voice: `I`, `they`, `name`, or a noun such as `the applicant`."""
        last = 0
        for slot in _SLOT.finditer(frame):
            self.draft.write(frame[last : slot.start()])
            last = slot.end()
            if slot[1] == "V":
                self.draft.mark(fact_of(self.values, category, self.subject))
            elif voice == "name":
                self.name()
                self.draft.write("'s" if slot[1] in "Pp" else "")
            else:
                forms = _FORMS.get(voice) or (voice.capitalize(), voice, voice, f"{voice.capitalize()}'s", f"{voice}'s")
                self.draft.write(forms["SsoPp".index(slot[1])])
        self.draft.write(frame[last:])


def frames(category: str, tags: str = "FC", *, owned: bool = False) -> list[str]:
    """Return the frames of a category: the untagged ones and those of some tags.

    Args:
        category: The category.
        tags: `F` formal, `C` casual.
        owned: Only those that say whose the value is.
    """
    found = []
    for line in sections("frames")[category]:
        tag, bar, rest = line.partition("| ")
        frame = rest if bar else line
        slots = {slot[1] for slot in _SLOT.finditer(frame)}
        if (not bar or tag in tags) and (not owned or slots & set("SsoPp")):
            found.append(frame)
    return found


def single_text(values: Values, style: Style, rng: Random) -> Text:
    """Write the text of one person, as a record or profile, or as an introduction in the first person."""
    draft, prose = Draft(), sections("prose")
    teller = _Teller(draft, values, LETTERS[0])
    holder = rng.choice(_HOLDERS)
    draft.write(rng.choice(prose[f"{style} opening"]) + " ")
    name = name_of(values)
    teller.tell(rng.choice(frames(name, style[0].upper())), name, "I" if style == "casual" else holder)
    facts = [category for category in values if category != name]
    target = rng.randint(_SINGLE - _SPREAD, _SINGLE + _SPREAD)
    # A sentence with a value has some fifty characters, one without eighty.
    room = round((target - draft.length - 54 * len(facts) - 45) / 84)
    between = rng.sample(prose[f"{style} between"], max(1, min(room, 12)))
    body: list[tuple[str, str]] = [("", line) for line in between]
    body += [(category, rng.choice(frames(category, style[0].upper()))) for category in facts]
    rng.shuffle(body)
    since = 2
    for category, frame in body:
        since = 0 if since > 3 and rng.random() < 0.5 else since + 1
        draft.write("\n\n" if since == 0 else " ")
        voice = "I" if style == "casual" else "name" if rng.random() < 0.06 else holder
        if category:
            teller.tell(frame, category, voice)
        else:
            draft.write(frame)
    draft.write(" " + rng.choice(prose[f"{style} closing"]))
    return draft.done()


def pair_text(people: tuple[Values, Values], tie: str, scene: Scene, rng: Random) -> Text:
    """Write the text of two persons: what they say to each other, or what is told of them."""
    draft, prose = Draft(), sections("prose")
    tellers = [_Teller(draft, values, LETTERS[at]) for at, values in enumerate(people)]
    draft.write(rng.choice(prose[tie]) + " ")
    last, frame = 0, rng.choice(prose[f"{tie} tie"])
    for slot in _SLOT.finditer(frame):
        draft.write(frame[last : slot.start()])
        tellers["AB".index(slot[1])].name()
        last = slot.end()
    draft.write(frame[last:])
    turns = [_turns(values, rng) for values in people]
    between = list(rng.sample(prose["multi between"], 3))
    target = rng.randint(_MULTI - _SPREAD, _MULTI + _SPREAD)
    speaker = None
    for at in range(max(map(len, turns))):
        for teller, own in zip(tellers, turns, strict=True):
            if at < len(own):
                _turn(teller, own[at], scene, rng, goes_on=teller is speaker)
                speaker = teller
        if between and draft.length + 40 * sum(len(rest) for own in turns for rest in own[at + 1 :]) < target - 100:
            draft.write(("\n" if scene == "dialogue" else " ") + between.pop())
            speaker = None
    if draft.length < target:
        draft.write(("\n" if scene == "dialogue" else " ") + rng.choice(prose["multi closing"]))
    return draft.done()


def _turns(values: Values, rng: Random) -> list[list[str]]:
    facts = [category for category in values if category != name_of(values)]
    rng.shuffle(facts)
    turns = []
    while facts:
        size = rng.randint(2, 4)
        turns.append(facts[:size])
        facts = facts[size:]
    return turns


def _turn(teller: _Teller, categories: Sequence[str], scene: Scene, rng: Random, *, goes_on: bool) -> None:
    for at, category in enumerate(categories):
        usable = frames(category, "C" if scene == "dialogue" else "", owned=True)
        # Of two, the shorter: the published texts of two persons say twice as much in fewer words.
        frame = min(rng.choice(usable), rng.choice(usable), key=len)
        if at or goes_on:
            teller.draft.write(" ")
        elif scene == "dialogue":
            teller.draft.write("\n")
            teller.name()
            teller.draft.write(": ")
        else:
            teller.draft.write("\n\n" if rng.random() < 0.3 else " ")
        teller.tell(frame, category, "I" if scene == "dialogue" else "they" if at or goes_on else "name")


def annotate(text: str, people: Sequence[Values]) -> Text | None:
    """Mark every mention of the persons' values in a text; None where one has none of its own.

    Where two persons have the same value, each mention is one of either.
    """
    owners: dict[str, list[Fact]] = {}
    for letter, values in zip(LETTERS, people, strict=False):
        for category in values:
            owners.setdefault(values[category], []).append(fact_of(values, category, letter))
    places = occurrences(text, owners)
    if {text[start:end] for start, end in places} != set(owners):
        return None
    found = [Mention(start, end, fact) for start, end in places for fact in owners[text[start:end]]]
    return Text(text, tuple(sorted(found)))


def problem(made: Text, people: Iterable[Mapping[str, str]]) -> str | None:
    """Say what is wrong with a text, quoting no value; None where nothing is.

    Every entity stands in it word for word at its place; no entity, no part of a person's name and nothing that has the
    form of a category, and no number, stands in it without being marked.
    """
    people = list(people)
    signs = list(made.text)
    for start, end, fact in made.mentions:
        if made.text[start:end] != fact.entity:
            return "an entity is not at its place"
        signs[start:end] = "\0" * (end - start)
    rest = "".join(signs)
    told = {one.fact for one in made.mentions}
    for letter, values in zip(LETTERS, people, strict=False):
        if {fact_of(values, category, letter) for category in values} - told:
            return "an entity is not in the text"
    surfaces = {surface for values in people for surface in values.values()}
    names = {word for values in people for word in values.get("Full Name", "").split()}
    if occurrences(rest, surfaces):
        return "an entity stands in the text without being marked"
    if occurrences(rest, names):
        return "a part of a name stands in the text without being marked"
    if category := stray(rest):
        return f"something that looks like {category} stands in the text and is not an entity"
    return "a number stands in the text and is not an entity" if any(map(str.isdigit, rest)) else None
