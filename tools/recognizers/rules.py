"""Rules: a recognizer as a declaration of patterns and labels with their context, checks and scores.

A pattern is tried in the text. A label announces its value (a passport number, a PIN, a ticket): its words are
searched first, by plain string search in the lowered text, and the value's expression is tried only behind a found
word. That is many times quicker than an expression that begins with a hundred alternatives, and no input can make it
slow.

A file `data/<name>.yaml` declares a recognizer; what begins with `_` is shared, `_shared` by all. It holds, if wanted:

    priority, needs_digit   as `RuleRecognizer` takes them
    uses                    another file whose parts, words and expressions may be named too
    parts                   pieces of expressions by name; `(?&name)` in an expression stands for its text
    words                   lists of words by name; `(?&name)` stands for any of them
    expressions             regular expressions by name; line breaks in them mean nothing
    patterns, labels        the rules: the fields of `Pattern` and `Label`; `check` and `proof` name a function of
                            `checks`, or modules of python-stdnum; lists of words may be named
    all_labels              fields that every label has
    code, subtypes          `module.function` of this folder that finds what no rule can say, and what it reports
"""

import re
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import cache, partial
from importlib import import_module
from typing import Any, NamedTuple

from gama.state.entities import Span
from gama.tools.recognizers import checks
from gama.tools.recognizers.base import PlainText, hit, plain, word_char
from gama.tools.tables import table

_PART = re.compile(r"\(\?&(\w+)\)")


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
    glued: bool = False
    """The label may be the end of a longer word or identifier: `db_password`, `Handynummer`."""

    def find(self, body: PlainText, source: str) -> Iterator[Span]:
        """Yield the values that stand behind a label."""
        for end in label_ends(body, self.words, glued=self.glued):
            if found := self._value_behind(body, end):
                yield from self.hits(body, *found, source)

    def _value_behind(self, text: PlainText, end: int) -> tuple[int, int] | None:
        between = declaration("_shared").regex
        connected = between["connect"].match(text.low, end)
        at = connected.end() if connected else end
        # Nothing between the two only where the label's script or sign needs nothing.
        adjoined = at == end and word_char(text[end - 1]) and text[end - 1] <= "\u2e80"
        bare = not between["strict"].search(text.low, end, at)
        value = None
        if not adjoined and not (self.strict and bare):
            value = self.value.match(text, at)
        if value is None and self.filler:
            filler = between["filler"].match(text.low, end)
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
    _: KW_ONLY
    priority: int = 0
    needs_digit: bool = True
    """No value behind a label is without a digit."""
    subtypes: tuple[str, ...] = ()
    """What the code reports; what the rules report is added."""
    code: Callable[[PlainText], Iterator[Span]] | None = None

    def __post_init__(self) -> None:
        """Add the subtypes of the rules."""
        self.subtypes = tuple(sorted({*self.subtypes, *(rule.subtype for rule in self.rules)}))

    def find(self, text: str) -> Iterator[Span]:
        """Yield the hits of every rule, then those of the code."""
        body = plain(text)
        for rule in self.rules:
            if isinstance(rule, Label) and self.needs_digit and not body.has_digit:
                continue
            if not rule.needs or any(word in body.low for word in rule.needs):
                yield from rule.find(body, self.name)
        if self.code is not None:
            yield from self.code(body)


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


class _Compiled(dict[str, re.Pattern[str]]):
    """The named expressions of a file, each compiled when first asked for."""

    def __init__(self, compiled: Callable[[str], re.Pattern[str]]) -> None:
        self._compiled = compiled

    def __missing__(self, name: str) -> re.Pattern[str]:
        return self.setdefault(name, self._compiled(name))


class Declaration:
    """What one file declares."""

    def __init__(self, name: str) -> None:
        """Read the file."""
        self.tree: Mapping[str, Any] = table("recognizers", name)
        used: list[Declaration] = [] if name == "_shared" else [declaration(self.tree.get("uses", "_shared"))]
        self.name = name
        self.hit = partial(hit, source=name)
        # Long lists of single words are written as text.
        words = {key: tuple(v.split() if isinstance(v, str) else v) for key, v in self.tree.get("words", {}).items()}
        self.words: ChainMap[str, tuple[str, ...]] = ChainMap(words, *(one.words for one in used))
        self._parts: ChainMap[str, str] = ChainMap(self.tree.get("parts", {}), *(one._parts for one in used))
        self._expressions: ChainMap[str, str] = ChainMap(
            self.tree.get("expressions", {}), *(one._expressions for one in used)
        )
        self.regex = _Compiled(lambda key: self.compiled(self._expressions[key]))

    def compiled(self, expression: str) -> re.Pattern[str]:
        """Return an expression with its parts in their places."""
        return re.compile(self._expanded(expression))

    def recognizer(self, **given: Any) -> RuleRecognizer:
        """Return the recognizer that the rules make; what is given goes to its code."""
        code = None
        if "code" in self.tree:
            module, function = self.tree["code"].split(".")
            code = partial(getattr(import_module(f"gama.tools.recognizers.{module}"), function), told=self, **given)
        labels = ({**self.tree.get("all_labels", {}), **fields} for fields in self.tree.get("labels", ()))
        return RuleRecognizer(
            self.name,
            (
                *(Pattern(**self._fields(fields)) for fields in self.tree.get("patterns", ())),
                *(Label(**self._fields(fields)) for fields in labels),
            ),
            priority=self.tree.get("priority", 0),
            needs_digit=self.tree.get("needs_digit", True),
            subtypes=tuple(self.tree.get("subtypes", ())),
            code=code,
        )

    def _expanded(self, text: str) -> str:
        return _PART.sub(lambda found: self._part(found[1]), text.replace("\n", ""))

    def _part(self, name: str) -> str:
        if name in self._parts:
            return self._expanded(self._parts[name])
        words = sorted(set(self.words[name]), key=lambda word: (-len(word), word))
        return f"(?:{'|'.join(words)})"

    def _fields(self, written: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields of a rule, or of its surroundings, as they are written."""
        return {key: self._field(key, given) for key, given in written.items() if given is not None or key == "private"}

    def _field(self, key: str, given: Any) -> Any:
        if key in ("check", "proof"):
            return checks.named(given)
        if key in ("regex", "refuse"):
            return self.compiled(given)
        if key in ("words", "needs"):
            return self.words[given] if isinstance(given, str) else tuple(given)
        return Near(**self._fields(given)) if key == "near" else self.regex[given] if key == "value" else given


@cache
def declaration(name: str) -> Declaration:
    """Return what the file of a recognizer declares, read once."""
    return Declaration(name)
