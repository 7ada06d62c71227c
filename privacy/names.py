"""What tells of a name whether it is private: what the index of public knowledge knows, and what stands around."""

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gama.privacy.identify import patterns_in
from gama.state.entities import Span
from gama.tools.knowledge.index import Known, is_forename, is_surname, is_worldly, look_up
from gama.tools.memo import Memo
from gama.tools.tables import late

_AROUND = patterns_in("names.txt")
_SAID = patterns_in("instructions.txt")


def _any(kind: str, before: str = "", after: str = "") -> re.Pattern[str]:
    return late(re.compile, rf"{before}(?<!\w)(?:{_AROUND[kind]})(?!\w){after}", re.IGNORECASE)


CUES = {cue: _any(cue) for cue in ("kin", "mine", "asks", "told", "wrote", "deals")}
"""Words of a sentence that speak for or against a name's being private, by kind."""
# What stands before a name, at the end of the text before it: `my cousin `, `neighbour, called `; `Dr. `; `Dear old `;
# `Best wishes,\n`.
_BEHIND = {
    "relation": _any("kin", after=rf"[\s,:(]+(?:(?:{_AROUND['called']})\s+)*$"),
    "title": _any("title", after=r"\.?\s+$"),
    "greeting": _any("greets", r"(?:^|\n|[.!?]\s)\W*", r"\s+(?:\w+\.?\s+){0,2}$"),
    "own": _any("mine", after=r"\s+$"),
    "closing": _any("closes", after=r"\W*\s*$"),
}
_AFTER = {
    "possessive": re.compile(r"['’]s\b"),
    "comma": re.compile(r","),
    "colon": re.compile(r":"),
    "bracket": re.compile(r"\s*\("),
    "age": re.compile(r"\s*[,(]\s*\d{1,2}\b"),
}


def words_of_name(name: str) -> list[str]:
    """Return the words of a name, without the quotes and brackets around one of them: `Risto "Rike" Holm`."""
    return name.translate(_AROUND_WORDS).split()


_AROUND_WORDS = str.maketrans(dict.fromkeys('"“”„«»()'))


def is_kin(word: str) -> bool:
    """Return whether a word says what somebody is to the writer: uncle, neighbour, Tante."""
    return _KIN.fullmatch(word) is not None


_KIN = late(re.compile, _AROUND["kin"], re.IGNORECASE)
SENTENCE = re.compile(r"[.!?…]+[\"'”’)\]]*\s+|\n+")
_LETTERS = re.compile(r"[^\W\d_]{3,}")
NEAR = 400
"""Characters of a sentence that are looked at before a name, and from it on."""
_BEARERS = 20
"""Names with the same word that are looked at before and behind one."""
_OF_A_TYPE = {"PER": "person", "LOC": "place", "ORG": "body", "DEM": "thing"}
_NO_NAMES = frozenset({"street_address", "postcode", "coordinates", "handle"})
"""Subtypes of these types that are as private as codes."""


class _Named(NamedTuple):
    """A name of a text."""

    span: Span
    words: frozenset[str]
    known: Known | None

    @property
    def odds(self) -> float:
        """What the tagger says of its privacy: the logit, in thirds."""
        return _logit(self.span.private or 0.0)


def _logit(share: float) -> float:
    held = min(max(share, 1e-4), 1 - 1e-4)
    return math.log(held / (1 - held)) / 3


class Names:
    """The names of one text, and what tells of each whether it is private."""

    def __init__(self, text: str, spans: Sequence[Span]) -> None:
        """Read a text.

        Args:
            text: The text.
            spans: What was found in it; those of the embedded tagger that are names of people, places and bodies are
                weighed.
        """
        self.text = text
        self._ends = [0, *(match.end() for match in SENTENCE.finditer(text)), len(text) + 1]
        found = (
            _Named(span, frozenset(_LETTERS.findall(surface.lower())), _known(surface, span))
            for span in sorted(spans, key=lambda span: span.start)
            if span.source == "embedded" and span.private is not None
            if span.type in _OF_A_TYPE and span.subtype not in _NO_NAMES
            for surface in (text[span.start : span.end],)
        )
        # Of a person's features only drugs and plants have names that may be asked about.
        self._named = [one for one in found if one.span.type != "DEM" or (one.known and "thing" in one.known.kinds)]
        self._codes = sorted(
            span
            for span in spans
            if span.subtype == "street_address" or (span.type == "CODE" and (span.private or 0.0) > 0.5)
        )
        self._facts = sorted(
            span for span in spans if span.type in ("DEM", "QUANTITY", "DATETIME") and (span.private or 0.0) > 0.9
        )
        self._bearers: dict[str, list[int]] = {}
        for at, name in enumerate(self._named):
            for word in name.words:
                self._bearers.setdefault(word, []).append(at)
        written = [span for span in spans if span.type == "CODE" or span.subtype == "handle"]
        self._in_codes = _Written(" ".join(text[span.start : span.end].lower() for span in written))
        starts = self._ends[:-1]
        self._first = next((at for at, char in enumerate(text) if char.isalnum()), len(text))
        self._last = next((at for at in range(len(text) - 1, -1, -1) if text[at].isalnum()), -1)
        self._told: dict[tuple[int, int], set[str]] = {}
        self._asked = [at for at, start in enumerate(starts) if "?" in text[start : self._ends[at + 1]]]

    def features(self) -> Iterator[tuple[Span, dict[str, float]]]:
        """Yield each name with the features that speak for and against its being private."""
        for at, name in enumerate(self._named):
            yield name.span, {"bias": 1.0} | self._of_itself(name) | self._of_others(at) | self._of_its_place(name)

    def _of_itself(self, name: _Named) -> dict[str, float]:
        """Return what tagger, index and lists of common names know of a name."""
        span, known = name.span, name.known
        words = self.text[span.start : span.end].split()
        found = {
            "tagger": name.odds,
            f"tagger {span.type}": name.odds,
            "sure": _logit(span.score),
            span.type: 1.0,
            span.subtype: 1.0,
            f"words{min(len(words), 4)} {span.type}": 1.0,
        }
        if span.type == "PER" and len(words) > 1:
            found[f"common{is_forename(words[0]) + 2 * is_surname(words[-1])}"] = 1.0
        elif span.type == "PER":
            found[f"forename{is_forename(words[0])}"] = 1.0
        if known is None:
            return found | {"unlisted": 1.0, f"unlisted {span.type}": 1.0}
        if span.type == "LOC" and known.kinds & {"person", "work"} and not known.kinds & {"place", "body"}:
            found["no place"] = 1.0
        fits = _OF_A_TYPE[span.type] in known.kinds
        found |= {"fame": known.fame / 3, f"fame{known.fame} {span.type}": 1.0, f"fits{fits} {span.type}": 1.0}
        return found | {f"fame fits{fits} {span.type}": known.fame / 3} | {kind: 0.5 for kind in known.kinds}

    def _of_others(self, at: int) -> dict[str, float]:
        """Return what is said of the other names: those that share a word, those of the sentence, those beside."""
        name, found = self._named[at], dict[str, float]()
        first, last = self._sentence(name.span.start)[1:]
        same = [self._named[other] for other in self._nearest(at)]
        if same:
            found |= {
                "same": 1.0,
                "same most": max(one.odds for one in same),
                "same least": min(one.odds for one in same),
            }
        if longer := [other for other in same if other.words > name.words]:
            found[f"longer fame{max(one.known.fame + 1 if one.known else 0 for one in longer)}"] = 1.0
        start, end = (bisect_left(self._named, place, key=_start_of_name) for place in (first, last))
        beside = [self._named[other] for other in range(start, end) if other != at]
        if beside:
            odds = [one.odds for one in beside]
            found |= {"beside": 1.0, "beside mean": sum(odds) / len(odds), "beside least": min(odds)}
            found |= {"beside most": max(odds)}
            found["beside fame"] = sum(one.known.fame if one.known else -1 for one in beside) / len(beside) / 3
        if at:
            found["last"] = self._named[at - 1].odds
        if at + 1 < len(self._named):
            found["next"] = self._named[at + 1].odds
        return found

    def _of_its_place(self, name: _Named) -> dict[str, float]:
        """Return what stands around a name: words, signs, private facts, the text's layout and its questions."""
        text, span = self.text, name.span
        number, first, last = self._sentence(span.start)
        before, after = text[max(0, span.start - 60) : span.start], text[span.end : span.end + 40]
        sentence, begun = text[first:last], text[first : span.start]
        if (told := self._told.get((first, last))) is None:
            told = self._told[first, last] = {cue for cue, one in CUES.items() if one.search(sentence)}
        asked, mine = "?" in text[span.end : last], "mine" in told
        line = text.rfind("\n", 0, span.start) + 1
        tells: dict[str, object] = {cue: cue in told for cue in CUES}
        tells |= {f"{cue} before": CUES[cue].search(begun) for cue in ("mine", "asks", "told", "deals")}
        tells |= {"kin before": CUES["kin"].search(begun[-25:]), "wrote before": CUES["wrote"].search(begun[-16:])}
        tells |= {"wrote after": CUES["wrote"].search(after[:20])}
        tells |= {cue: pattern.search(before) for cue, pattern in _BEHIND.items()}
        tells |= {cue: pattern.match(after) for cue, pattern in _AFTER.items()}
        code, fact = _distance(span, self._codes), _distance(span, self._facts)
        signs = {
            "asked": asked,
            f"asked {span.type}": asked,
            "asked of mine": asked and mine,
            "asked of others": asked and not mine,
            "in a code": any(len(word) > 3 and word in self._in_codes for word in name.words),
            "by a code": code < 25,
            "near a code": code < 80,
            "by a fact": fact < 6,
            "near a fact": fact < 30,
            "quoted": before[-1:] in tuple("\"“„«‘'"),
            "line starts": not _word(text[line : span.start]),
            "line ends": not _word(text[span.end : len(text) if (end := text.find("\n", span.end)) < 0 else end]),
            "sentence starts": not _word(begun),
            "text starts": span.start <= self._first,
            "text ends": span.end > self._last,
            "short": len(text) < 200,
            "short and famous": len(text) < 200 and name.known is not None and name.known.fame > 1,
            "short and worldly": len(text) < 200 and is_worldly(text, span.start, span.end),
            "long": len(text) > 900,
            f"quarter{min(3, 4 * span.start // max(1, len(text)))}": True,
            f"questions{min(3, len(self._asked))}": True,
            f"question far{self._far_from_question(number)}": True,
        }
        found = {cue: 1.0 for cue, told in (tells | signs).items() if told}
        for kind, spans, most in (("codes", self._codes, 2), ("facts", self._facts, 3)):
            there = bisect_left(spans, last, key=_start) - bisect_left(spans, first, key=_start)
            found[kind] = min(most, there) / most
        return found

    def _sentence(self, at: int) -> tuple[int, int, int]:
        """Return the number of the sentence at a place, and where it begins and ends, as far as it is near."""
        number = bisect_right(self._ends, at) - 1
        return number, max(self._ends[number], at - NEAR), min(self._ends[number + 1], at + NEAR)

    def _nearest(self, at: int) -> list[int]:
        """Return the names that share a word with one, of each word the nearest only."""
        found = set[int]()
        for word in self._named[at].words:
            bearers = self._bearers[word]
            place = bisect_left(bearers, at)
            found.update(bearers[max(0, place - _BEARERS) : place + _BEARERS + 1])
        return sorted(found - {at})

    def _far_from_question(self, number: int) -> int:
        place = bisect_left(self._asked, number)
        near = self._asked[max(0, place - 1) : place + 1]
        return min((min(3, abs(number - one)) for one in near), default=4)


# What drugs end in, and in English: pilocarpina, omeprazol, paracetamolo.
_DRUGS = (("ina", "ine"), ("in", "ine"), ("azol", "azole"), ("olo", "ol"))


def _known(surface: str, span: Span) -> Known | None:
    """Return what the index knows of a name; drugs have English names there."""
    known = look_up(surface)
    if known is None and span.subtype == "medical_condition" and len(surface) > 6:
        for ending, english in _DRUGS:
            if surface.endswith(ending) and (drug := look_up(surface.removesuffix(ending) + english)):
                return drug
    return known


def _word(text: str) -> bool:
    return any(char.isalnum() for char in text)


def _start(span: Span) -> int:
    return span.start


def _start_of_name(name: _Named) -> int:
    return name.span.start


class _Written:
    """The codes of a text, asked whether a name is in one: in a long text only as a word of its own."""

    def __init__(self, codes: str) -> None:
        self._codes = codes if len(codes) <= _LONG else ""
        self._words = frozenset() if self._codes else frozenset(_IN_CODES.findall(codes))

    def __contains__(self, word: str) -> bool:
        return word in self._codes if self._codes else word in self._words


_LONG = 4_000
"""Characters of codes up to which each is searched for parts."""
_IN_CODES = re.compile(r"[^\W\d_]+")


def _distance(span: Span, others: Sequence[Span]) -> int:
    """Return how far the nearest of other spans, which are sorted, is."""
    place = bisect_left(others, span.start, key=_start)
    near = others[max(0, place - 2) : place + 1]
    return min((max(one.start - span.end, span.start - one.end, 0) for one in near), default=1000)


# Accepts a question mark; a request at the start of a sentence or clause (`Please explain`, `, summarise`), no label
# (`Name: `); a question inside a sentence (`tell me when`, `whether`, `; who`), but no relative clause (`, who`).
_REQUEST = late(
    re.compile,
    rf"\?|(?:^|[.!:;,\n(]\s*|\b(?:{_SAID['please']})\s+)(?:{_SAID['asked']}|{_AROUND['told']})\b(?!\s*:)"
    rf"|\b(?:tell (?:me|us|him|her)|whether)\b|[:;(]\s*(?:{_AROUND['asks']})\b"
    rf"|(?:^|[.!\n]\s+|\d\)\s*)(?:{_AROUND['who']})\s+[^\W\d_]{{2,}}|\b(?:{_AROUND['wants']})\s+(?:\w+\s+){{0,2}}(?:{_AROUND['asks']})\b",
    re.IGNORECASE,
)


def asks_something(text: str) -> bool:
    """Return whether a text asks a question or for something to be told."""
    return "?" in text or _ASKING.of(text, lambda: _REQUEST.search(text) is not None)


_ASKING = Memo[bool](20_000)
