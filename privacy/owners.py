"""Whom a text speaks of, and where: what tells whose a fact is.

A person is there by name, as the writer (`I`, `my`), as the one written to (`you`, `your`), as one of their kin
(`my father`), or by a pronoun, which means the last person spoken of. This is a reading by rules, for English;
elsewhere names alone are seen. Who has a fact is weighed in `whose.py`.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import Literal, NamedTuple

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
        taken = [(name.start, name.end) for name in self.names]
        single = any(match["me"] for match in _WHO.finditer(self.text))
        for match in _WHO.finditer(self.text):
            at = match.start()
            if any(start <= at < end for start, end in taken):
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
