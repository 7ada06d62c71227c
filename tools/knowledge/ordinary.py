"""Names that many bear: such a name tells of itself nobody in particular, although somebody of that name is famous."""

import re
from functools import cache
from importlib.resources import files

from gama.guard.folding import fold

# What is said of a public person, in a few languages; each stem begins a word. A sentence with one of them beside a
# name asks about the world; a private person is called, paid, met and reminded.
_WORLDLY = re.compile(
    r"\b(?:born|die[ds]?\b|death of|wrote|writ(?:e|ten|ing) by|author|novel|poem|book|invent|discover|compos"
    r"|paint(?:ed|er|ing)|direct(?:ed|or)|star(?:s|red|ring)?\b|film|movie|actor|actress|play(?:s|ed)\b"
    r"|sing(?:s|er)?\b|sang|song|album|band\b|lyric|president|minister|senator|king\b|queen\b|emperor|pope\b"
    r"|elect(?:ed|ion)|party\b|gover(?:n|nor)|reign|war\b|battle|scor(?:e|ed)\b|goal|champion|league|olympi|medal"
    r"|world cup|record\b|won\b|win(?:s|ner)?\b|award|oscar|grammy|nobel|prize|theor(?:y|em)|philosoph|scientist"
    r"|physic|econom|histor|famous|celebrit|biograph|century|age[ds]? at|net worth|married to"
    r"|geboren|gestorben|schrieb|erfand|erfunden|komponi|sänger|präsident|könig|schauspiel|roman\b|lied\b"
    r"|née?\b|mort\b|écri[tv]|inventé|chant|président|roi\b|reine\b|acteur|actrice|peint"
    r"|naci[óo]|muri[óo]|escrib|invent[óo]|cant|presidente|rey\b|reina\b|pint"
    r"|nato\b|morto\b|scri[stv]|cantante|attore|re d|urodzi|napisa|zmar[łl]|wynalaz)",
    re.IGNORECASE,
)
# A question after who somebody is, or was: it is asked of the famous.
_WHO = re.compile(
    r"\b(?:who|what|wer|qui|qui[ée]n|chi|kto|wie)\s+(?:is|was|were|are|ist|war|est|était|es|fue|è|era|jest|by[łl])\s+"
    r"(?:\w+\s+)?$",
    re.IGNORECASE,
)
_AROUND = 160
"""Characters before and behind a name that are looked at."""


def is_ordinary(name: str) -> bool:
    """Return whether a full name is made of a forename and a surname that many people bear."""
    forenames, surnames = _names()
    words = [fold(word) for word in name.split()]
    return len(words) >= 2 and words[0] in forenames and words[-1] in surnames


def is_worldly(text: str, start: int, end: int) -> bool:
    """Return whether what stands around a name speaks of somebody whom the world knows, not of an acquaintance."""
    if _WHO.search(text[max(0, start - 40) : start]):
        return True
    return bool(_WORLDLY.search(text[max(0, start - _AROUND) : start]) or _WORLDLY.search(text[end : end + _AROUND]))


@cache
def _names() -> tuple[frozenset[str], frozenset[str]]:
    text = (files("gama.tools.knowledge") / "data" / "ordinary.txt").read_text(encoding="utf-8")
    forenames, surnames = (line for line in text.splitlines() if not line.startswith("#"))
    return frozenset(forenames.split(";")), frozenset(surnames.split(";"))
