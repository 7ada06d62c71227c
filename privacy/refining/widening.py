"""Sentences made wider or shorter by rule: what is left stays true, and nothing takes the place of something else.

A telling word gives way to a word for more than it; or a clause, a tail, or the whole sentence is left out. Under a
negation or a condition both would say more than the sentence did ("I have no husband", "no partner"): there only the
whole sentence can go. English only.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

SHORT = 4
"""Words that must be left of a sentence of which a part is dropped."""
LONGEST = 100
"""Words of a sentence up to which its parts are tried: a longer one is no sentence, and would have too many."""
SWAPPED = 0.3
"""What a word costs that is replaced by a wider one, beside one that is lost."""

_SUBORDINATE = "because|since|while|where|which|who|before|after|although|though"
# A clause begins at a comma, semicolon or dash, or at a word that joins clauses; not at `that`, which a verb may need,
# nor at `if` and `when`, which say in what case the rest is true.
_CLAUSE = re.compile(rf"[,;]\s+|\s+[–—-]\s+|\s+(?=(?:and|but|{_SUBORDINATE})\s)", re.IGNORECASE)
# A tail begins at a preposition; at `to` where a thing follows: "to the shop", not "to sleep".
_TAIL = re.compile(
    r"\s+(?=(?:in|at|on|with|for|from|by|about|of|during|into|over|under|behind|near|per|without"
    r"|to\s+(?:the|a|an|my|our|your|his|her|their))\s)",
    re.IGNORECASE,
)
# Where it stands before, a smaller statement is the stronger one, or an untrue one: negations, conditions, and what
# needs its second half. Accepts `don't`, `dont`, `cannot`; refuses `note`, `fewest`.
_NARROWING = re.compile(
    r"\b(?:not|no|none|nothing|nobody|never|neither|nor|no one|cannot|cant|(?:do|does|did|is|are|was|were|has|have|had"
    r"|wo|would|could|should)nt|\w+n['’]t|only|just|hardly|barely|rarely|seldom|few|fewer|less|least|most|without"
    r"|unless|if|whether|almost|nearly|too|enough|than|between|both|either|instead|refuse\w*|avoid\w*|stop\w*|nowhere|lest"
    r"|whoever|whatever|except)\b",
    re.IGNORECASE,
)
# What may not be left out: the case in which the rest is true.
_CASE = re.compile(r"\b(?:if|unless|when|whenever|until|till|once|except|only|provided|as long)\b", re.IGNORECASE)
# What begins like this is no sentence by itself, or names the case in which the rest is true.
_DEPENDENT = re.compile(
    rf"(?:if|unless|once|as|when|whenever|wherever|until|till|{_SUBORDINATE}"
    r"|in|at|on|with|for|from|by|about|of|during|into|over|under|behind|near|per|without|to|than|whether|how|what|why)\b",
    re.IGNORECASE,
)
# A clause that stands alone begins with who or what it is about.
_SUBJECT = re.compile(
    r"(?:i|we|he|she|it|they|you|there|this|these|those|my|our|your|his|her|their|its|the|nobody|everybody|everyone"
    r"|somebody|someone)\b|<",
    re.IGNORECASE,
)
_JOINS = re.compile(r"(?:and|but|so)\s+", re.IGNORECASE)
PLACEHOLDER = re.compile(r"<[a-z][^<>\n]*>")
"""Accepts `<name-1>` and `<age-1 band=30-39>`; refuses comparisons such as `a < b > c`."""
LOOSE = frozenset(
    "a an the my our your his her their its and or but of to in at on with for from by about as is are was were be "
    "been being am i we he she they it that which who than so very too not no do does did have has had can will would "
    "because instead one some lot kind sort full part most get got become feel feels know knows wonder see ask asks "
    "asked say says said think thinks believe believes tell tells told want wants need needs make makes made let put "
    "call calls called such more".split()
)
"""A sentence that ends with one of these is broken."""
_DEFINITE = re.compile(r"\b(?:my|our|your|his|her|their|its|the|this|these|those)\s+$", re.IGNORECASE)
# Where a name stood without an article, a common noun needs one: after these, and where a sentence begins.
_BARE = re.compile(
    r"(?:^|[.!?,;:(–—]|\b(?:and|or|but|with|for|to|by|from|of|on|at|in|before|after|since|until|during|that|when|if|because"
    r"|is|was|told|like|about|as|than|over))\s*$",
    re.IGNORECASE,
)


NEAR = 20
"""Characters before a word that are looked at for what goes with it."""


class Edit(NamedTuple):
    """A sentence made wider or shorter; without any text it is dropped."""

    text: str
    cost: float
    """In words."""


def edits(sentence: str, *, drop: bool = True) -> Iterator[Edit]:
    """Yield the ways to make a sentence tell less, without losing a placeholder.

    Args:
        sentence: it.
        drop: whether parts of it, or all of it, may be left out; else words are only made wider.

    Example:
        >>> [edit.text for edit in edits("My husband forgot to buy milk because he was ill.")]
        ['My partner forgot to buy milk because he was ill.', 'My husband forgot to buy milk.', '']
    """
    kept = Counter(PLACEHOLDER.findall(sentence))
    for edit in _edits(sentence, drop):
        if Counter(PLACEHOLDER.findall(edit.text)) == kept:
            yield edit


def _edits(sentence: str, drop: bool) -> Iterator[Edit]:
    whole = len(sentence.split())
    widened, count = _widened(sentence)
    if count:
        yield Edit(widened, SWAPPED * count)
    if not drop:
        return
    if whole > LONGEST:
        yield Edit("", whole)
        return
    body = sentence.rstrip(".!?")
    end = sentence[len(body) :]
    for match in _CLAUSE.finditer(body):
        first, last = body[: match.start()], _JOINS.sub("", body[match.end() :], count=1)
        if _stands(first) and not _DEPENDENT.match(first) and _weaker(first, body[match.end() :]):
            yield Edit(first + (end or "."), whole - len(first.split()))
        if match[0].strip() and _SUBJECT.match(last) and _stands(last) and not _says_when(first):
            yield Edit(last[:1].upper() + last[1:] + end, whole - len(last.split()))
    for match in _TAIL.finditer(body):
        first = body[: match.start()]
        if _stands(first) and _weaker(first, body[match.end() :]):
            yield Edit(first + end, whole - len(first.split()))
    yield Edit("", whole)


def _stands(part: str) -> bool:
    """Return whether what is left of a sentence may stand alone."""
    words = part.split()
    return len(words) >= SHORT and words[-1].strip(",").lower() not in LOOSE


def _weaker(first: str, dropped: str) -> bool:
    """Return whether the first part says no more than both did."""
    return not _NARROWING.search(first) and not _CASE.search(dropped)


def _says_when(first: str) -> bool:
    """Return whether the first part says in what case, or against what, the rest is meant."""
    dependent = _DEPENDENT.match(first) and not re.match(r"(?:because|since|although|though)\b", first, re.IGNORECASE)
    return bool(dependent or _NARROWING.search(first) or _CASE.search(first))


def _widened(sentence: str) -> tuple[str, int]:
    """Return a sentence with wider words, and how many.

    Two different words that would become the same one stay: "my brother and my sister" are not "my sibling and my
    sibling".
    """
    narrowing = _NARROWING.search(sentence)
    end = narrowing.end() if narrowing else len(sentence)
    found = [match for match in _telling().finditer(sentence) if match.start() < end or _is_definite(sentence, match)]
    words = {match["word"].lower() for match in found}
    shared = Counter(_noun(wider()[word]) for word in words)
    found = [match for match in found if shared[_noun(wider()[match["word"].lower()])] == 1]
    out, at = [], 0
    for match in found:
        out += [sentence[at : match.start()], _in_place(sentence, match)]
        at = match.end()
    return "".join([*out, sentence[at:]]), len(found)


def _is_definite(sentence: str, match: re.Match[str]) -> bool:
    """Return whether a word names something definite: that is the same thing under a wider name, denied or not."""
    before = sentence[max(0, match.start() - NEAR) : match.start()]
    return bool(_DEFINITE.search(before) or _DEFINITE.match(match["word"].split()[0] + " "))


def _in_place(sentence: str, match: re.Match[str]) -> str:
    """Return the wider word with the article that it needs where it stands."""
    word, wide = match["word"].lower(), wider()[match["word"].lower()]
    kind, _, noun = wide.partition(" ")
    if kind not in {"a", "an", "some"} or word.startswith("a "):
        kind, noun = "", wide
    if match["article"]:
        new = f"some {noun}" if kind == "some" else f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
    elif kind in {"a", "an"} and _BARE.search(sentence[max(0, match.start() - NEAR) : match.start()]):
        new = f"{kind} {noun}"
    else:
        new = noun
    return new[:1].upper() + new[1:] if match[0][:1].isupper() and _begins(sentence, match.start()) else new


def _begins(sentence: str, at: int) -> bool:
    return not sentence[:at].strip(" \"'“„(")


def wider_words(text: str) -> set[str]:
    """Return what may stand in a text for its telling words, and the articles that may change with them."""
    return {wider()[match["word"].lower()] for match in _telling().finditer(text)} | {"a", "an", "some"}


def _noun(wide: str) -> str:
    """Return the wider word without what stands before it: "a person" and "the person" are one word."""
    return re.sub(r"^(?:a|an|the|some|my)\s+", "", wide)


@cache
def wider() -> Mapping[str, str]:
    """Return what stands in the table for each telling word, in lower case."""
    found: dict[str, str] = {}
    for line in files("gama.privacy.refining").joinpath("data/wider.tsv").read_text("utf-8").splitlines():
        wide, _, telling = line.partition("\t")
        if telling and not line.startswith("#"):
            found |= dict.fromkeys(telling.split(", "), wide)
    return found


@cache
def _telling() -> re.Pattern[str]:
    """Return what finds the telling words, with the article before them; not within a placeholder or a longer word."""
    words = "|".join(map(re.escape, sorted(wider(), key=len, reverse=True)))
    return re.compile(rf"(?<![\w<-])(?:(?P<article>an?)\s+)?(?P<word>{words})(?![\w>-])", re.IGNORECASE)
