"""Rules: a recognizer as a declaration of patterns and labels with their context, checks and scores.

A pattern is tried in the text. A label announces its value (a passport number, a PIN, a ticket): its words are
searched first, by plain string search in the lowered text, and the value's expression is tried only behind a found
word. That is many times quicker than an expression that begins with a hundred alternatives, and no input can make it
slow.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from gama.state.entities import Span
from gama.tools.recognizers.base import PlainText, hit, label_ends, plain, word_char


class Near(NamedTuple):
    """Words of which one must stand around a value."""

    words: tuple[str, ...]
    before: int
    """How many characters before the match are looked at."""
    after: int = 0
    inside: bool = False
    """Whether the match itself is looked at as well."""
    unless: str = ""
    """A sign in the value that makes the words unnecessary."""

    def holds(self, match: re.Match[str]) -> bool:
        """Return whether one of the words stands there."""
        if self.unless and self.unless in match["v"]:
            return True
        text, (start, end) = match.string, match.span()
        before, after = text[max(0, start - self.before) : start], text[end : end + self.after]
        around = (before + (match[0] if self.inside else " \n ") + after).lower()
        return any(word in around for word in self.words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What the hits of a pattern or label mean, and what they depend on."""

    subtype: str
    score: float
    """Of a value that nothing proves; 0 where only a proven one counts."""
    private: float | None
    proof: Callable[[str], bool] | None = None
    """A checksum or a library's grammar; what it confirms is validated, with a score of 1."""
    needs: tuple[str, ...] = ()
    """The rule is tried only if one of these (lower case) occurs in the text."""

    def hits(self, body: PlainText, start: int, end: int, source: str) -> Iterator[Span]:
        """Yield the hit of a stretch, unless it lacks a proof that it needs."""
        proven = self.proof is not None and self.proof(body[start:end])
        if proven or self.score:
            score = 1.0 if proven else self.score
            yield hit(start, end, self.subtype, source, score=score, private=self.private, validated=proven)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern(Rule):
    """One regular expression."""

    regex: re.Pattern[str]
    """Matched against the plain text; the group `v` is the value where there is one, else the whole match."""
    private: float | None = None
    check: Callable[[re.Match[str]], bool] | None = None
    """A last condition on the match, for what an expression cannot say."""
    near: Near | None = None
    lower: bool = False
    """Match the text in lower case: quicker than a case-blind expression."""
    number: bool = False
    """The expression begins with a number: it is tried where numbers begin, and nowhere else."""

    def find(self, body: PlainText, source: str) -> Iterator[Span]:
        """Yield every match that passes its checks."""
        for match in self._matches(body):
            start, end = match.span("v" if "v" in self.regex.groupindex else 0)
            if start < end and (self.check is None or self.check(match)) and (not self.near or self.near.holds(match)):
                yield from self.hits(body, start, end, source)

    def _matches(self, body: PlainText) -> Iterator[re.Match[str]]:
        where = body.low if self.lower else body
        if not self.number:
            yield from self.regex.finditer(where)
            return
        done = 0
        for at in body.numbers:
            if at >= done and (match := self.regex.match(where, at)):
                done = match.end()
                yield match


@dataclass(frozen=True, slots=True, kw_only=True)
class Label(Rule):
    """The words that announce a value, and the value's form."""

    words: tuple[str, ...]
    """In lower case; longer words first where one begins another."""
    value: re.Pattern[str]
    """Tried right behind the label; the group `v` is the value where there is one, else the whole match."""
    private: float | None = 1.0
    check: Callable[[str], bool] | None = None
    """A last condition on the value."""
    refuse: re.Pattern[str] | None = None
    """Values that match it as a whole are left alone."""
    filler: bool = False
    """Whether up to four ordinary words may stand between the label and the value."""
    strict: bool = False
    """The value follows only behind `:`, `=`, `#`, a line break or "is", never behind a bare space."""
    between: Mapping[str, re.Pattern[str]]
    """What may stand between the two: the expressions `connect`, `filler` and `strict`."""
    glued: bool = False
    """The label may be the end of a longer word or identifier: `db_password`, `Handynummer`."""

    def find(self, body: PlainText, source: str) -> Iterator[Span]:
        """Yield the values that stand behind a label."""
        for end in label_ends(body, self.words, glued=self.glued):
            if found := self._value_behind(body, end):
                yield from self.hits(body, *found, source)

    def _value_behind(self, text: PlainText, end: int) -> tuple[int, int] | None:
        connected = self.between["connect"].match(text.low, end)
        at = connected.end() if connected else end
        # Nothing between the two only where the label's script or sign needs nothing.
        adjoined = at == end and word_char(text[end - 1]) and text[end - 1] <= "\u2e80"
        bare = not self.between["strict"].search(text.low, end, at)
        value = None
        if not adjoined and not (self.strict and bare):
            value = self.value.match(text, at)
        if value is None and self.filler:
            filler = self.between["filler"].match(text.low, end)
            value = self.value.match(text, filler.end()) if filler else None
        if value is None:
            return None
        start, stop = value.span("v" if "v" in self.value.groupindex else 0)
        stop = start + len(text[start:stop].rstrip(" .,-/_:"))
        found = text[start:stop]
        if not found or (self.check and not self.check(found)) or (self.refuse and self.refuse.fullmatch(found)):
            return None
        return start, stop


@dataclass(slots=True)
class RuleRecognizer:
    """Tries its rules one after the other, then the code for what rules cannot say."""

    name: str
    rules: tuple[Pattern | Label, ...]
    subtypes: tuple[str, ...]
    """What the rules and the code report."""
    priority: int = 0
    needs_digit: bool = True
    """No value behind a label is without a digit."""
    code: Callable[[PlainText], Iterator[Span]] | None = None
    words: frozenset[str] = frozenset()
    """What rules and code look for, in lower case: whoever runs many recognizers looks for the words of all at once."""

    def find(self, text: str) -> Iterator[Span]:
        """Yield the hits of every rule, then those of the code."""
        body = plain(text)
        missing = body.missing
        for rule in self.rules:
            if isinstance(rule, Label):
                if (self.needs_digit and not body.has_digit) or missing.issuperset(rule.words):
                    continue
            if rule.needs:
                if missing.issuperset(rule.needs) or not any(word in body.low for word in rule.needs):
                    continue
            yield from rule.find(body, self.name)
        if self.code is not None:
            yield from self.code(body)
