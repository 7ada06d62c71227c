"""Attribution: whose a fact is. All whom the text speaks of near it are weighed, and the heaviest has it.

A linear model reads how the fact and a person stand to each other: how near the text speaks of them and by what word,
what else is theirs, what kind of fact it is. `training/attribution.py` trains it on annotated texts; the weights are in
`models/weights/owners.txt.gz`.

A person is there by name, as the writer (`I`, `my`), as the one written to (`you`, `your`), as one of their kin
(`my father`), or by a pronoun, which means the last person spoken of. This is a reading by rules, for English;
elsewhere names alone are seen.
"""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from typing import Literal, NamedTuple

from gama.models.shipped import owner_weights
from gama.state.entities import Spread

WRITER, READER = "*writer", "*reader"
"""Owners that no name stands for yet."""

_KIN = (
    "mother father mom mum mam mama dad papa parents sister brother son daughter wife husband partner fiancé fiancée "
    "girlfriend boyfriend gf bf uncle aunt auntie cousin niece nephew grandmother grandfather grandma grandpa granny "
    "gran grandad granddad nan nana oma opa kid child baby toddler boss manager neighbour neighbor landlord landlady "
    "tenant roommate flatmate friend colleague coworker ex stepfather stepmother stepson stepdaughter stepdad stepmum "
    "twin in-laws mother-in-law father-in-law sister-in-law brother-in-law client patient student pupil teacher coach"
).split()

# Accepts who a sentence speaks of, the longest first: `my elder sister`, `her boss`; then `I`, `my`, `me`, `we`;
# `you`, `your`; `he`, `she`, `his`, `her`. Refuses a Roman numeral (`Part I`) by asking for no full stop after it.
_WHO = re.compile(
    rf"\b(?:my|our|his|her|their|your)\s+(?:\w+\s+){{0,2}}?(?P<kin>{'|'.join(map(re.escape, _KIN))})\b"
    r"|(?P<me>\b(?:I|i)(?:['’](?:m|ve|d|ll))?\b(?!\.)|\b(?:my|me|mine|myself)\b|\bim\b|\bive\b)"
    r"|(?P<us>\b(?:we|our|us)\b)"
    r"|(?P<you>\b(?:you|your|yours|u|ur)\b)"
    r"|(?P<third>\b(?:he|she|his|her|hers|him|they|their)\b)",
    re.IGNORECASE,
)
# Where a sentence ends: after its full stop or mark, at a blank line, at a line break before a list or label.
_END = re.compile(r"[.!?…]+[\"'”’)\]]*\s+(?=[^\sa-z])|\n\s*\n|\n(?=\s*[-*•\d])|\n(?=[^\n:]{1,40}:)|\n")
# Accepts the greeting before a name (`Dear Ms `, `hi `) at the end of the text before it.
_GREETING = re.compile(
    r"(?:^|\n)\W*(?:dear|hi|hello|hey|hiya|good (?:morning|afternoon|evening)|caro|cara|liebe|lieber|estimad[oa])\s+"
    r"(?:(?:mr|mrs|ms|miss|mx|dr|prof|sir|madam|frau|herr)\.?\s+)?$",
    re.IGNORECASE,
)
# Accepts what stands before a name by which the writer tells who they are.
_SELF = re.compile(
    r"(?:\bmy name(?:['’]s| is)|\bi['’]?m|\bi am|\bim|\bcall me|\bthis is|\bits|\bit['’]s|(?:^|\n|[.!?]\s)I,"
    r"|\bsigned:?|\bfrom:?)"
    r"\s+(?:(?:mr|mrs|ms|dr)\.?\s+)?$",
    re.IGNORECASE,
)


# Accepts what stands between the start of a line, or the last sentence, and the name that signs a text.
_CLOSING = re.compile(
    r"^\W*$|(?:[-–—~]|[.!?…)\]]|\b(?:thanks|thx|ta|cheers|love|regards|best|sincerely|yours|xx+|x|bye|signed)[,.!]?)\s*$",
    re.IGNORECASE,
)
_LABEL = re.compile(r"\w\s*[:=]\s*$|\d\.\s*$")
_HERE = re.compile(r"\s+here\b", re.IGNORECASE)


class Name(NamedTuple):
    """A mention of a person by name."""

    start: int
    end: int
    subject: str


class Anchor(NamedTuple):
    """A place where a text speaks of a person."""

    at: int
    owner: str
    """A subject, `WRITER`, `READER` or one of their kin (`*father`)."""
    kind: Literal["name", "kin", "me", "us", "you", "third"] = "name"


class Owners:
    """The places at which a text speaks of persons, in order."""

    def __init__(self, text: str, names: Sequence[Name]) -> None:
        """Read a text.

        Args:
            text: The text.
            names: The mentions of persons by name, with their subjects.
        """
        self.text = text
        self.names = sorted(names)
        self._ends = [0, *(match.end() for match in _END.finditer(text)), len(text) + 1]
        self.writer = self._signed() or WRITER
        # A letter whose greeting names nobody is mostly to the person it names first.
        others = [name.subject for name in self.names if name.subject != self.writer]
        self.reader = self._greeted() or (others[0] if others else READER)
        self.anchors = self._read()
        self.places = [anchor.at for anchor in self.anchors]

    def sentence(self, at: int) -> tuple[int, int]:
        """Return where the sentence around a place starts and ends."""
        index = bisect_right(self._ends, at)
        return self._ends[index - 1], self._ends[min(index, len(self._ends) - 1)]

    def _signed(self) -> str | None:
        for name in self.names:
            if _SELF.search(self.text[max(0, name.start - 30) : name.start]):
                return name.subject
            if _HERE.match(self.text, name.end):
                return name.subject
        for name in reversed(self.names):
            tail = self.text[name.end :]
            if len(tail.strip()) > 120 and name.start < 0.6 * len(self.text):
                break
            line = self.text.rfind("\n", 0, name.start) + 1
            before, rest = self.text[line : name.start], tail.partition("\n")[0]
            if rest.strip(" .!,()x😊❤️") and len(rest) > 40:
                continue
            if _CLOSING.search(before) and not _LABEL.search(before):
                return name.subject
        return None

    def _greeted(self) -> str | None:
        for name in self.names:
            if _GREETING.search(self.text[max(0, name.start - 30) : name.start]):
                return name.subject
        return None

    def _read(self) -> list[Anchor]:
        found: list[Anchor] = [Anchor(name.start, name.subject) for name in self.names]
        speakers = [(name.start, name.subject) for name in self.names if self._speaks(name)]
        taken = Spread(self.names)
        single = any(match["me"] for match in _WHO.finditer(self.text))
        for match in _WHO.finditer(self.text):
            at = match.start()
            if taken.met(at, at + 1):
                continue
            if kin := match["kin"]:
                # `my sister Ana`: the name that follows is the sister.
                named = next((n for n in self.names if 0 <= n.start - match.end() <= 2), None)
                found.append(Anchor(at, named.subject if named else f"*{kin.lower()}", "kin"))
            elif match["us"] and not single:
                continue  # An office speaks, not a person.
            elif match["me"] or match["us"]:
                found.append(Anchor(at, self._speaker(at, speakers), "me" if match["me"] else "us"))
            elif match["you"]:
                found.append(Anchor(at, self.reader, "you"))
            else:
                found.append(Anchor(at, "", "third"))
        spoken = ""
        settled = []
        for anchor in sorted(found):
            if anchor.kind == "third":
                if spoken:
                    settled.append(anchor._replace(owner=spoken))
                continue
            if anchor.owner not in (self.writer, self.reader):
                spoken = anchor.owner
            settled.append(anchor)
        return settled

    def _speaks(self, name: Name) -> bool:
        """Return whether a name opens a line of a conversation: `Ana: …`, `[10:02] Ana: …`."""
        line = self.text.rfind("\n", 0, name.start) + 1
        before, after = self.text[line : name.start], self.text[name.end : name.end + 2]
        return after[:1] == ":" and not re.search(r"[a-z]{2,}", before)

    def _speaker(self, at: int, speakers: Sequence[tuple[int, str]]) -> str:
        if len(speakers) < 2:
            return self.writer
        index = bisect_right([start for start, _ in speakers], at) - 1
        return speakers[index][1] if index >= 0 else self.writer


SOMEONE = "*someone"
"""A person whom the text neither names nor calls anything: `the patient, 34`."""

Candidate = str | None
"""A subject, `WRITER`, `READER`, kin (`*father`), `SOMEONE`; None for a fact that is nobody's in particular."""

_SEEN = 14
"""Places before a fact at which its owner is looked for; after it, five less."""
_GAPS = (1, 3, 8, 16, 32, 64, 128, 256)
_WORD = re.compile(r"[^\W\d_]+|[^\w\s]")
_JOINED = re.compile(r"\W*(?:and|&)?\W*")
# Accepts what stands between a name and what is said of it at once: `Ana, `, `Ana is a `, `Ana (`.
_SAID = re.compile(r"\W*(?:is|was|at|from|of|who|has|had|in|lives in)?\W*(?:a|an|the)?\W*")


class Fact(NamedTuple):
    """A private mention that is no name."""

    start: int
    end: int
    type: str
    subtype: str


class Seen(NamedTuple):
    """The nearest place, on one side of a fact, at which the text speaks of a person."""

    owner: str
    where: str
    """`s`: in the fact's sentence; `o`: outside it."""
    kind: str
    at: int


class Given(NamedTuple):
    """A fact and whose it is."""

    fact: Fact
    owner: Candidate


class Attribution:
    """Weighs the owners of the facts of one text."""

    def __init__(self, text: str, names: Sequence[Name]) -> None:
        """Read a text.

        Args:
            text: The text.
            names: The mentions of persons by name, with their subjects.
        """
        self.read = Owners(text, names)
        self._places: dict[str, list[int]] = defaultdict(list)
        for anchor in self.read.anchors:
            self._places[anchor.owner].append(anchor.at)
        self._order = {owner: at for at, owner in enumerate(self._places)}
        self._most = max(map(len, self._places.values()), default=0)
        self._named = len({name.subject for name in names})
        self._ends = {name.start: name.end for name in names}
        self._lines = _bounds(text, r"\n")
        self._blocks = _bounds(text, r"\n\s*\n")
        self._around: dict[str, list[str]] = defaultdict(list)
        for name in self.read.names:
            known = self._around[name.subject]
            if len(known) < 6:
                before = _WORD.findall(text[max(0, name.start - 22) : name.start].lower())[-2:]
                after = _WORD.findall(text[name.end : name.end + 20].lower())[:1]
                # `Patient: Ana`: the word before the sign says more than the sign.
                known += ["".join(before) if before and not before[-1].isalpha() else "".join(before[-1:])]
                known += [f">{word}" for word in after]

    def owners(self, facts: Sequence[Fact], weights: Mapping[str, float] | None = None) -> list[Candidate]:
        """Return the owner of each fact; the facts in order of their places.

        Args:
            facts: What is somebody's.
            weights: The model; None takes the shipped one.
        """
        known = owner_weights() if weights is None else weights
        given: list[Given] = []
        for fact in facts:
            scores = {
                owner: sum(map(known.get, features, repeat(0.0)))
                for owner, features in self.candidates(fact, given).items()
            }
            given.append(Given(fact, max(scores, key=scores.__getitem__)))
        return [one.owner for one in given]

    def candidates(self, fact: Fact, given: Sequence[Given]) -> dict[Candidate, list[str]]:
        """Return who may have a fact, each with the features that speak for and against.

        Args:
            fact: The fact.
            given: The facts before it, with their owners.
        """
        first, last = self.read.sentence(fact.start)
        at = bisect_right(self.read.places, fact.start - 1)
        before = self._nearest(range(at - 1, max(-1, at - 1 - _SEEN), -1), first, last)
        after = self._nearest(range(at, min(len(self.read.places), at + _SEEN - 5)), first, last)
        theirs: dict[Candidate, list[str]] = defaultdict(list)
        for one in given[-40:]:
            theirs[one.owner].append(one.fact.subtype)
        who = dict.fromkeys([*(s.owner for s in before), *(s.owner for s in after), self.read.writer, self.read.reader])
        common = [*_words_before(self.read.text, fact.start), f"n{min(self._named, 4)}", f"t={fact.type}"]
        common += [f"s={fact.subtype}", f"in{bool(before) and before[0].where == 's'}", "prev" if given else "noprev"]
        found: dict[Candidate, list[str]] = {}
        for owner in (*who, SOMEONE, None):
            role = self._role(owner)
            features = [f"k={role}", *(f"k={role} {word}" for word in common)]
            if owner is not None and owner != SOMEONE:
                features += self._stands(fact, owner, role, before, after)
                features += self._spoken_of(fact, owner, role)
            features += _history(fact, theirs.get(owner, ()), role)
            if given:
                features += self._follows(fact, owner, role, given[-1], at, first)
            found[owner] = features
        return found

    def _role(self, owner: Candidate) -> str:
        if owner is None or owner in (SOMEONE, WRITER, READER):
            return owner or "*nobody"
        if owner.startswith("*"):
            return "*kin"
        return "writer" if owner == self.read.writer else "reader" if owner == self.read.reader else "named"

    def _nearest(self, places: range, first: int, last: int) -> list[Seen]:
        seen: dict[str, Seen] = {}
        for index in places:
            anchor = self.read.anchors[index]
            if anchor.owner not in seen:
                where = "s" if first <= anchor.at < last else "o"
                seen[anchor.owner] = Seen(anchor.owner, where, anchor.kind, anchor.at)
        return list(seen.values())

    def _stands(
        self, fact: Fact, owner: str, role: str, before: Sequence[Seen], after: Sequence[Seen]
    ) -> Iterator[str]:
        """Yield how near before and after the fact the text speaks of somebody."""
        text = self.read.text
        for rank, seen in enumerate(before[:4]):
            if seen.owner == owner:
                key = f"b{rank}{seen.where}"
                gap = text[seen.at : fact.start]
                yield from (key, f"{key} {seen.kind}", f"{key} {seen.kind} {role}", f"{key} t={fact.type}")
                yield f"{key} after {before[0].kind}{before[0].where}"
                yield f"{key} s={fact.subtype}"
                yield f"{key} lines{min(gap.count(chr(10)), 3)}"
                yield f"b{rank} far{bisect_right(_GAPS, len(gap))}"
        if before and before[0].owner == owner and before[0].kind == "name":
            gap = text[self._ends[before[0].at] : fact.start]
            if len(gap) <= 4:
                yield f"gap {gap.strip()}{'/' * gap.count(chr(10))}"
            if gap.startswith(("'s", "’s")):
                yield "theirs"
            if _SAID.fullmatch(gap):
                yield f"said t={fact.type}"
        opened = bool(before) and before[0].where == "s"
        for rank, seen in enumerate(after[:3]):
            if seen.owner == owner:
                key = f"a{rank}{seen.where}"
                yield from (key, f"{key} {seen.kind}", f"{key} t={fact.type}", f"{key} in{opened}")
                yield f"{key} {seen.kind} in{opened}"
                yield f"a{rank} far{bisect_right(_GAPS, seen.at - fact.end)}"
        if all(seen.owner != owner for seen in before[:4]):
            yield "b-"

    def _spoken_of(self, fact: Fact, owner: str, role: str) -> Iterator[str]:
        """Yield how much the text speaks of somebody: in the fact's line, its paragraph, at all."""
        for unit, bounds in (("line", self._lines), ("block", self._blocks)):
            index = bisect_right(bounds, fact.start) - 1
            mine = _between(self._places.get(owner, ()), bounds[index], bounds[index + 1])
            whole = _between(self.read.places, bounds[index], bounds[index + 1])
            share = "all" if mine == whole else "most" if 2 * mine > whole else "some" if mine else "none"
            yield f"{unit}{min(mine, 3)} {share if whole else 'nobody'}"
        mine = len(self._places.get(owner, ()))
        yield f"share{5 * mine // max(1, len(self.read.places))} {role}"
        yield "most" if mine == self._most else "fewer"
        order = self._order.get(owner, 9)
        yield f"order{min(order, 4)} {role}"
        if order == 0:
            yield f"first t={fact.type}"
        for word in self._around.get(owner, ()):
            yield from (f"by {word}", f"by {word} t={fact.type}", f"by {word} s={fact.subtype}")

    def _follows(self, fact: Fact, owner: Candidate, role: str, last: Given, at: int, first: int) -> Iterator[str]:
        """Yield whether the fact before is somebody's, and what stands between the two."""
        between = self.read.text[last.fact.end : fact.start]
        unit = "s" if last.fact.start >= first else "o" if "\n" in between else "l"
        person = at > 0 and self.read.places[at - 1] >= last.fact.end
        key = f"same{last.owner == owner}"
        yield from (f"{key} {unit}", f"{key} {unit} {person}", f"{key} {unit} {person} {role}")
        yield f"{key} {unit} {person} far{bisect_right(_GAPS, len(between))}"
        yield f"{key} t={fact.type} {last.fact.type}"
        if _JOINED.fullmatch(between):
            yield f"{key} joined"


def _history(fact: Fact, subtypes: Sequence[str], role: str) -> Iterator[str]:
    """Yield what is somebody's already: nobody has two ages."""
    yield f"has{min(len(subtypes), 4)} {role}"
    if subtypes:
        yield f"again{min(subtypes.count(fact.subtype), 2)} s={fact.subtype}"
        yield f"with {subtypes[-1]} s={fact.subtype}"


def _words_before(text: str, start: int) -> Iterator[str]:
    words = _WORD.findall(text[max(0, start - 30) : start].lower())[-2:]
    yield from (f"w={word}" for word in words)
    if len(words) == 2:
        yield f"w2={' '.join(words)}"


def _bounds(text: str, end: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer(end, text)), len(text) + 1]


def _between(places: Sequence[int], start: int, end: int) -> int:
    return bisect_left(places, end) - bisect_left(places, start)
