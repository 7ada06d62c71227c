"""Rules: a recognizer as a declaration of patterns and labels with their context, checks and scores.

A pattern is tried in the text. A label announces its value (a passport number, a PIN, a ticket): its words are
searched first, by plain string search in the lowered text, and the value's expression is tried only behind a found
word. That is many times quicker than an expression that begins with a hundred alternatives, and no input can make it
slow.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from gama.state.entities import Span
from gama.tools.recognizers.base import PlainText, hit, plain, word_char

# Between a label and its value. Accepts: "passport no. ", "Passport number is: ", "passport (", "passport = '",
# "passport's ", "Ausweis-Nr.: ", "n° ". Refuses: other words, a new sentence, more than one line break.
_NUMBER_WORD = (
    r"(?:numbers?|no|nos|nr|num|nummer|numéro|numero|número|n[º°.]|№|#|id|code|ref|reference|ends?|ending|with|in|"
    r"is|are|was|ist|lautet|est|es|è|é|wynosi|to|on|of|card|lub)"
)
_CONNECT = re.compile(
    rf"\.?[\"'\]]?(?:'s)?(?:[ \t_.-]{{0,3}}[(]?{_NUMBER_WORD}(?![a-zà-ÿ])\.?){{0,3}}"
    r"[ \t]{0,4}[)\]\"']{0,2}[ \t]{0,8}[:=#>,-]{0,3}(?:[ \t]{0,8}\r?\n)?[ \t]{0,8}"
    r"(?:(?:is|are|was|ist|lautet|est|es|è|é)[ \t]{1,3}:?)?[ \t]{0,3}[\"'(<\[«]{0,2}[ \t]?"
)

# Up to four words that may stand between label and value: "passport we hold, 533 901 284". Refuses: anything not
# before a digit.
_FILLER = re.compile(
    r"(?:[ \t]{0,3}[(,:]?[ \t]{1,3}[a-zà-ÿ']{1,9}){1,4}[ \t]{0,3}[,:(]?[ \t]{1,3}(?=[\"'#]?[a-z-]{0,7}[ -]?\d)"
)

# What a strict label asks for between itself and the value.
_STRICT = re.compile(r"[:=#>\n]| (?:is|was|ist|est|es|è|é) ")


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
    filler: bool = False
    """Whether up to four ordinary words may stand between the label and the value."""
    strict: bool = False
    """The value follows only behind `:`, `=`, `#`, a line break or "is", never behind a bare space."""
    glued: bool = False
    """The label may be the end of a longer word or identifier: `db_password`, `Handynummer`."""

    def find(self, body: PlainText, source: str) -> Iterator[Span]:
        """Yield the values that stand behind a label."""
        for end in label_ends(body, self.words, glued=self.glued):
            if found := self._value_behind(body, end):
                yield from self.hits(body, *found, source)

    def _value_behind(self, text: PlainText, end: int) -> tuple[int, int] | None:
        connected = _CONNECT.match(text.low, end)
        at = connected.end() if connected else end
        # Nothing between the two only where the label's script or sign needs nothing.
        adjoined = at == end and word_char(text[end - 1]) and text[end - 1] <= "\u2e80"
        bare = not _STRICT.search(text.low, end, at)
        value = None
        if not adjoined and not (self.strict and bare):
            value = self.value.match(text, at)
        if value is None and self.filler:
            filler = _FILLER.match(text.low, end)
            value = self.value.match(text, filler.end()) if filler else None
        if value is None:
            return None
        start, stop = value.span("v" if "v" in self.value.groupindex else 0)
        stop = start + len(text[start:stop].rstrip(" .,-/_:"))
        if start >= stop or (self.check is not None and not self.check(text[start:stop])):
            return None
        return start, stop


class RuleRecognizer:
    """Tries its rules one after the other."""

    def __init__(
        self, name: str, rules: tuple[Pattern | Label, ...], *, priority: int = 0, needs_digit: bool = True
    ) -> None:
        """Take the name and the rules; `needs_digit` says that no value behind a label is without a digit."""
        self.name = name
        self.priority = priority
        self.rules = rules
        self.needs_digit = needs_digit
        self.subtypes: tuple[str, ...] = tuple(sorted({rule.subtype for rule in rules}))

    def find(self, text: str) -> Iterator[Span]:
        """Yield the hits of every rule."""
        body = plain(text)
        for rule in self.rules:
            if isinstance(rule, Label) and self.needs_digit and not body.has_digit:
                continue
            if not rule.needs or any(word in body.low for word in rule.needs):
                yield from rule.find(body, self.name)


def label_ends(text: PlainText, words: tuple[str, ...], *, glued: bool = False) -> Iterator[int]:
    """Yield where each occurrence of the words ends; a word is never found inside a longer one."""
    low = text.low
    size = len(low)
    for word in words:
        at = low.find(word)
        while at >= 0:
            end = at + len(word)
            open_left = at == 0 or glued or low[at - 1] == "_" or not word_char(low[at - 1]) or not word_char(word[0])
            open_right = end == size or low[end] == "_" or not low[end].isalpha() or not word_char(word[-1])
            # Chinese and its neighbours write no spaces: a label in them borders on anything.
            if open_left and (open_right or low[end] > "\u2e80"):
                yield end
            at = low.find(word, end)
