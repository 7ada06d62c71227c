"""Whose a fact is, when it does not say so by itself: the nearest person before it in its sentence.

A person is there by name, as the writer (`I`, `my`), as the one written to (`you`, `your`), as one of their kin
(`my father`), or by a pronoun, which means the last person spoken of. This is a reading by rules: English, no model.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

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


class _Anchor(NamedTuple):
    at: int
    owner: str
    third: bool = False


class Owners:
    """Tells who owns what stands at a place of a text."""

    def __init__(self, text: str, names: Sequence[Name]) -> None:
        """Read a text.

        Args:
            text: The text.
            names: The mentions of persons by name, with their subjects.
        """
        self._text = text
        self._names = sorted(names)
        self._ends = [0, *(match.end() for match in _END.finditer(text)), len(text) + 1]
        self.writer = self._signed() or WRITER
        # A letter whose greeting names nobody is mostly to the person it names first.
        others = [name.subject for name in self._names if name.subject != self.writer]
        self.reader = self._greeted() or (others[0] if others else READER)
        self._anchors = self._read()
        self._places = [anchor.at for anchor in self._anchors]

    def owner(self, start: int) -> str | None:
        """Return the owner of what starts at a place.

        A subject, `WRITER`, `READER`, one of their kin (`*father`), or None where the text speaks of nobody.
        """
        first, last = self._sentence(start)
        before = bisect_right(self._places, start - 1) - 1
        if before >= 0 and self._places[before] >= first:
            return self._anchors[before].owner
        # Nobody yet in this sentence: whoever opens it later, unless the sentence before speaks of somebody.
        after = before + 1
        if after < len(self._anchors) and self._places[after] < last and not self._anchors[after].third:
            return self._anchors[after].owner
        if before >= 0:
            return self._anchors[before].owner
        return self._anchors[0].owner if self._anchors else None

    def _sentence(self, at: int) -> tuple[int, int]:
        index = bisect_right(self._ends, at)
        return self._ends[index - 1], self._ends[min(index, len(self._ends) - 1)]

    def _signed(self) -> str | None:
        for name in self._names:
            if _SELF.search(self._text[max(0, name.start - 30) : name.start]):
                return name.subject
            if _HERE.match(self._text, name.end):
                return name.subject
        for name in reversed(self._names):
            tail = self._text[name.end :]
            if len(tail.strip()) > 120 and name.start < 0.6 * len(self._text):
                break
            line = self._text.rfind("\n", 0, name.start) + 1
            before, rest = self._text[line : name.start], tail.partition("\n")[0]
            if rest.strip(" .!,()x😊❤️") and len(rest) > 40:
                continue
            if _CLOSING.search(before) and not _LABEL.search(before):
                return name.subject
        return None

    def _greeted(self) -> str | None:
        for name in self._names:
            if _GREETING.search(self._text[max(0, name.start - 30) : name.start]):
                return name.subject
        return None

    def _read(self) -> list[_Anchor]:
        found: list[_Anchor] = [_Anchor(name.start, name.subject) for name in self._names]
        speakers = [(name.start, name.subject) for name in self._names if self._speaks(name)]
        taken = [(name.start, name.end) for name in self._names]
        single = any(match["me"] for match in _WHO.finditer(self._text))
        for match in _WHO.finditer(self._text):
            if any(start <= match.start() < end for start, end in taken):
                continue
            if kin := match["kin"]:
                # `my sister Ana`: the name that follows is the sister.
                named = next((n for n in self._names if 0 <= n.start - match.end() <= 2), None)
                found.append(_Anchor(match.start(), named.subject if named else f"*{kin.lower()}"))
            elif match["us"] and not single:
                continue  # An office speaks, not a person.
            elif match["me"] or match["us"]:
                found.append(_Anchor(match.start(), self._speaker(match.start(), speakers)))
            elif match["you"]:
                found.append(_Anchor(match.start(), self.reader))
            else:
                found.append(_Anchor(match.start(), "", third=True))
        found.sort()
        spoken = ""
        settled = []
        for anchor in found:
            if anchor.third:
                if spoken:
                    settled.append(anchor._replace(owner=spoken))
                continue
            if anchor.owner not in (self.writer, self.reader):
                spoken = anchor.owner
            settled.append(anchor)
        return settled

    def _speaks(self, name: Name) -> bool:
        """Tell whether a name opens a line of a conversation: `Ana: …`, `[10:02] Ana: …`."""
        line = self._text.rfind("\n", 0, name.start) + 1
        before, after = self._text[line : name.start], self._text[name.end : name.end + 2]
        return after[:1] == ":" and not re.search(r"[a-z]{2,}", before)

    def _speaker(self, at: int, speakers: Sequence[tuple[int, str]]) -> str:
        if len(speakers) < 2:
            return self.writer
        index = bisect_right([start for start, _ in speakers], at) - 1
        return speakers[index][1] if index >= 0 else self.writer
