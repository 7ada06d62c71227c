"""What counts as a placeholder in a text that a model may have changed.

Independent of any box. Between two brackets everything is read that can be read as a type word and a number
(`reading`): other case, other joints, escapes, emphasis, translations, numbers as words, a slip of one letter. With one
bracket or none only a type's own word counts, joined to its number as in `name-1`, and where no bracket is left only
words that a box knows.

Every repetition is bounded and possessive, so that the time a text takes grows with its length alone.
"""

import re
from functools import lru_cache
from typing import NamedTuple

import regex

from gama.state.box import Bijection, Slot
from gama.state.entities import PLACEHOLDER_KINDS
from gama.tools.placeholders.boundaries import ANGLES, LEFT, OPENING, RIGHT, split
from gama.tools.placeholders.words import may_read, read
from gama.tools.tables import late

LONGEST = 160
"""Longest stretch, in characters, that can be one placeholder: what a stream may hold back."""

_FLAGS = regex.IGNORECASE | regex.VERSION1

# What may stand between two brackets: letters, digits, signs that join, emphasis, invisible signs, and escapes of them.
_INNER = (
    r"(?:[\p{L}\p{M}\p{N}\p{Cf}\p{Zs}\p{Pd}\p{Pc}\t\r\n\u2212*~`.:\#№()'’=＝,;\"]"
    r"|\\{1,2}[\-_*.\#~`nt\"']|\\u(?!00(?:3[ce]|5[bd]|7[bd]))[\da-f]{4}"
    r"|&(?!amp|[lr]t;|gt|[lr]s?aquo|[lr]ang|[lr]sqb|[lr]brac|[lr]cub)[a-z]{2,8};"
    r"|&\#(?!0*(?:60|62|91|93|123|125);)\d{2,5};|&\#x(?!0*(?:3[ce]|5[bd]|7[bd]);)[\da-f]{2,4};"
    r"|%(?:25)?(?!25|3[ce]|5[bd]|7[bd])[\da-f]{2}|</?(?:b|i|u|em|strong|code|mark)>)"
)
# Between the words of a type, and before its number, where brackets are missing.
_SPACE = r"(?:\\?[\-_ \u00a0\u2010-\u2015\u2212])?"
_JOINT = r"(?:\\?[\-_\u2010-\u2015\u2212]|&\#45;|%2d|%5f)"
_NUMBER = r"(?P<number>[0-9]{1,9})(?P<letter>[a-z]{0,2})"
# A slash before a bracket closes an empty element: `<name-1 />`.
_CLOSE = rf"(?P<right>(?:\s?/)?{RIGHT}(?:{RIGHT}){{0,5}}+)"


def _alternatives(kinds: frozenset[str]) -> str:
    return "|".join(_SPACE.join(kind.split("_")) for kind in sorted(kinds, key=len, reverse=True))


_EVERY = _alternatives(PLACEHOLDER_KINDS)
# Directly behind it another placeholder may begin, as in `name-1name-2`; a date or a version may not.
_END = rf"(?:(?![\p{{L}}\p{{N}}]|[.:/\-]\d)|(?=(?:{_EVERY}){_JOINT}\d))"
_CORE = rf"(?P<kind>{_EVERY}){_JOINT}{_NUMBER}{_END}"
_BETWEEN = rf"(?P<slash>/?)(?P<inner>{_INNER}{{1,112}}+){_CLOSE}"

_LEFTS = late(regex.compile, rf"(?:{LEFT})++", _FLAGS)
# What an opening bracket, in clear or escaped, begins with: found many times as fast as the bracket itself.
_BEGINS_LEFT = re.compile(rf"[<\[{{$\\&%{re.escape(OPENING)}]")
_CLOSED = late(regex.compile, _BETWEEN, _FLAGS)
_OPENED = late(regex.compile, _CORE, _FLAGS)
_BARE = late(regex.compile, rf"{_CORE}(?P<right>{RIGHT}(?:{RIGHT}){{0,5}}+)?+", _FLAGS)
# Half a placeholder: behind a bracket a type's word and a joint, and then no number.
_HALF = late(regex.compile, rf"(?:{_EVERY})[\-_](?![\p{{L}}\p{{N}}])(?P<right>[>＞›»〉⟩》])?", _FLAGS)
# Types' words of other tools, which models know: told, and nobody's.
_FOREIGN_WORDS = (
    "person person_name per loc gpe org nrp full_name given_name surname email_address phone_number date_time datetime "
    "iban_code credit_card_number us_ssn us_passport us_driver_license us_bank_number uk_nhs medical_license "
    "city street street_address zip_code postcode company patient customer employee"
).split()
_FOREIGN = late(
    regex.compile,
    rf"(?:{'|'.join(sorted(_FOREIGN_WORDS, key=len, reverse=True))})[\-_]"
    r"(?:[0-9]{1,9}(?![\p{L}\p{N}])|(?![\p{L}\p{N}]))(?P<right>[>＞›»〉⟩》])?",
    _FLAGS,
)
# Where a word is joined to a number, as it must be where no bracket is left.
_JOINED = late(regex.compile, rf"(?<=\p{{L}}\\?){_JOINT}(?=[0-9])", _FLAGS)
_BEGINS_JOINT = re.compile(r"[-_\u2010-\u2015\u2212](?=[0-9])|[\\&%]")
_MOST_BRACKETS = 6
_LONGEST_WORDS = 40


# A type's words at the end of a stretch; `attached` where they do not begin a word.
_WORD_BEFORE = late(
    regex.compile, rf"(?:(?<![\p{{L}}\p{{N}}])|(?P<attached>(?<=[0-9][a-z]{{0,2}})))(?:{_EVERY})\\?$", _FLAGS
)


def next_match(
    pattern: "regex.Pattern[str]", begins: "re.Pattern[str]", text: str, at: int, stop: int | None = None
) -> "regex.Match[str] | None":
    """Return the first match of a pattern from an offset on; no match begins where the other pattern has none.

    With `stop`, one that begins before that offset; the other pattern looks no more than one sign ahead.
    """
    end = len(text) if stop is None else stop
    while (begun := begins.search(text, at, end + 1)) and begun.start() < end:
        if match := pattern.match(text, begun.start()):
            return match
        at = begun.start() + 1
    return None


class Token(NamedTuple):
    """A stretch of a text that reads as a placeholder."""

    start: int
    end: int
    slots: tuple[Slot, ...]
    """What it may mean, the nearest first; empty for half a placeholder and for one of another tool."""
    how: str
    """`own` word, `translated`, `slip`, or `half`, which one of another tool is too."""
    nearest: int
    """How many of the slots are as near as the first."""
    left: str
    """The brackets that open it, as they stand; empty when none does."""
    right: str
    """The brackets that close it."""
    core_start: int
    """Where the word begins, after the brackets."""
    core_end: int
    """Where the number, letter and facts end, before the brackets."""
    after: str = ""
    """What a model put between the number and the closing bracket: the `'s` of a possessive."""
    joined: bool = False
    """Whether a hyphen, underscore or dash joins word and number."""
    attached: bool = False
    """Whether it counts only directly behind another placeholder, as the second of `name-1name-2`."""
    closing: bool = False
    """Whether it is written as the end of an element, `</name-1>`."""

    @property
    def slot(self) -> Slot:
        """What it most likely means."""
        return self.slots[0]

    @property
    def bracketed(self) -> bool:
        """Whether at least one bracket is left of it."""
        return bool(self.left or self.right)

    @property
    def angled(self) -> bool:
        """Whether its brackets are angle brackets, which a text rarely has for itself."""
        inner = split(self.left)[-1:] or split(self.right)[:1]
        return bool(inner) and inner[0].family in ANGLES


class Tokens:
    """Everything in a text that reads as a placeholder, left to right, not overlapping.

    Args:
        text: the text.
        at: where to begin; what stands before is looked at, but not read.
        bare: types whose words count without any bracket.
        facts: names of facts that may stand in a tag, as in `<location-1 country=PL>`; any when None.
        halves: whether half placeholders, and those of other tools, are told too.
        chained: whether a placeholder ended, with its number, where this begins.
    """

    def __init__(
        self,
        text: str,
        at: int = 0,
        *,
        bare: frozenset[str] = PLACEHOLDER_KINDS,
        facts: frozenset[str] | None = None,
        halves: bool = False,
        chained: bool = False,
    ) -> None:
        """Begin before the first one."""
        self._text, self._at, self._chained = text, at, chained
        self._facts, self._halves = facts, halves
        self._alone = _Alone(text, at, bare)
        self._from: int | None = at
        """Up to where brackets have been looked at; None where there are no more."""
        self._one: Token | None = None
        """The next one that begins with a bracket."""

    def __iter__(self) -> "Tokens":
        """Return itself."""
        return self

    def __next__(self) -> Token:
        """Return the next one."""
        while True:
            one = self._next_bracketed()
            # A word that begins before the next bracket ends before it: in between the brackets none is looked for.
            token = self._alone.before(one.start if one else len(self._text))
            if token is None:
                if one is None:
                    raise StopIteration
                token, self._one = one, None
                self._alone.skip(token.end)
            if token.start < self._at or (token.attached and not (self._chained and token.start == self._at)):
                continue
            self._at, self._chained = token.end, not token.right
            return token

    def skip(self, to: int, *, chained: bool = False) -> None:
        """Go on at an offset further on, before which none is of interest; nothing is looked at twice."""
        self._at, self._chained = to, chained
        if self._from is not None:
            self._from = max(self._from, to)
        self._alone.skip(to)

    def _next_bracketed(self) -> Token | None:
        while self._one is None or self._one.start < self._at:
            if self._from is None:
                return None
            self._one = self._bracketed(self._from)
            self._from = self._one.end if self._one else None
        return self._one

    def _bracketed(self, at: int) -> Token | None:
        """Return the next one from an offset on that begins with a bracket."""
        text = self._text
        while run := next_match(_LEFTS, _BEGINS_LEFT, text, at):
            left = _opening(text, run)
            start, at = run.end() - len(left), run.end()
            if not left:
                continue
            token = None
            if closed := _CLOSED.match(text, at):
                token = _between(start, left, closed, self._facts)
            if token is None and (opened := _OPENED.match(text, at)):
                token = _core(start, left, "", opened)
            if token is None and self._halves and split(left)[-1].family in ANGLES:
                if half := _HALF.match(text, at) or _FOREIGN.match(text, at):
                    token = Token(start, half.end(), (), "half", 0, left, half["right"] or "", at, half.end())
            if token and token.end - start <= LONGEST:
                return token
        return None


class _Alone:
    """Finds words without an opening bracket, from left to right."""

    def __init__(self, text: str, at: int, bare: frozenset[str]) -> None:
        self._text, self._bare = text, bare
        self._endings = {kind[-3:] for kind in bare}
        self._from = at
        """Up to where joints have been looked at."""

    def skip(self, to: int) -> None:
        """Pass over numbers that follow before an offset."""
        self._from = max(self._from, to)

    def before(self, end: int) -> Token | None:
        """Return the next one whose word ends before an offset; nothing behind it is looked at."""
        while self._bare and (joint := next_match(_JOINED, _BEGINS_JOINT, self._text, self._from, end)):
            self._from = joint.end()
            if token := self._at(joint.start()):
                return token
        self.skip(end)
        return None

    def _at(self, joint: int) -> Token | None:
        """Return the one whose word ends at an offset."""
        text = self._text
        if text[max(0, joint - 4) : joint].rstrip("\\")[-3:].casefold() not in self._endings:
            return None
        word = _WORD_BEFORE.search(text, max(0, joint - _LONGEST_WORDS), joint)
        match = _BARE.match(text, word.start()) if word else None
        if word is None or match is None or _kind(match["kind"]) not in self._bare:
            return None
        if not _stands_alone(text, word.start(), match.end("letter")):
            return None
        right = match["right"] or ""
        if right and _is_open(text, word.start(), split(right)[0].family):
            # The bracket closes what the text itself has opened: `<see name-1>`.
            right = ""
        return _core(word.start(), "", right, match)._replace(attached=word["attached"] is not None)


def _core(start: int, left: str, right: str, match: "regex.Match[str]") -> Token:
    slot = Slot(_kind(match["kind"]), int(match["number"]), match["letter"].casefold())
    end = match.end("letter")
    return Token(
        start, match.end() if right else end, (slot,), "own", 1, left, right, match.start("kind"), end, joined=True
    )


@lru_cache(4096)
def _kind(words: str) -> str:
    return _BY_LETTERS[regex.sub(r"[^a-z]+", "", words.casefold())]


_BY_LETTERS = {kind.replace("_", ""): kind for kind in PLACEHOLDER_KINDS}


def _between(start: int, left: str, match: "regex.Match[str]", facts: frozenset[str] | None) -> Token | None:
    found = read(inner := match["inner"], facts)
    angled = split(left)[-1].family in ANGLES
    if found is None or not (angled or (found.plain and not match["slash"])):
        return None
    slots = tuple(Slot(kind, found.number, found.letter) for kind in found.kinds)
    lead, trail = len(inner) - len(inner.lstrip()), len(inner) - len(inner.rstrip())
    return Token(
        start, match.end(), slots, found.how, found.nearest, left, match["right"],
        match.start("inner") + lead, match.end("inner") - trail,
        found.after, found.joined, closing=bool(match["slash"]),
    )  # fmt: skip


def _opening(text: str, run: "regex.Match[str]") -> str:
    """Return those of a run of brackets that may open a placeholder: the last ones.

    A square or curly one right behind a word is none of them: it opens an index, `ages[age-1]`.
    """
    if len(run[0]) == 1 and run[0] == "<":
        return "<"
    found = list(split(run[0][-LONGEST:])[-_MOST_BRACKETS:])
    start = run.end() - sum(len(one.text) for one in found)
    before = text[start - 1] if start else " "
    if before.isascii() and (before.isalnum() or before in "_)"):
        while found and found[0].family not in ANGLES:
            del found[0]
    return "".join(one.text for one in found)


def _is_open(text: str, at: int, opening: str) -> bool:
    """Return whether a bracket of a family was opened shortly before and not closed."""
    closing = {"<": ">", "[": "]", "{": "}"}.get(opening)
    if closing is None:
        return False
    begin = max(0, at - 64)
    last = text.rfind(opening, begin, at)
    # One that belongs to a placeholder is none of the text's: `<name-1 and name-2>`.
    return last > text.rfind(closing, begin, at) and not _OPENED.match(text, last + 1)


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Return whether a word without brackets is a placeholder and no part of a longer name.

    Behind an underscore it must be written as placeholders are (`report_name-1.pdf`), behind a hyphen it must also
    stand in a path or a file name (`report-name-1.pdf`, not `the file-name-1 field`).
    """
    if start < 2 or text[start - 1] not in "-_" or not text[start - 2].isalnum():
        return True
    if not regex.fullmatch(r"[a-z_]+-[0-9]+[a-z]{0,2}", text[start:end]):
        return False
    if text[start - 1] == "_":
        return True
    run = regex.search(r"[^\s<>\"']*$", text[max(0, start - 64) : start])
    return bool(run and "/" in run[0]) or bool(regex.match(r"\.\p{L}", text[end : end + 2]))


find_tokens = Tokens


def without_tokens(text: str) -> str:
    """Return a text with a space in the place of everything in brackets that reads as a placeholder."""
    out, at = [], 0
    for token in Tokens(text):
        if token.bracketed:
            out += [text[at : token.start], " "]
            at = token.end
    return "".join([*out, text[at:]])


def may_grow(
    text: str, start: int, bare: frozenset[str], facts: frozenset[str] | None = None, *, attached: bool = False
) -> bool:
    """Return whether what stands from an offset to the end of a text may become a placeholder with what follows.

    Args:
        text: the text.
        start: the offset.
        bare: types whose words count without any bracket.
        facts: names of facts that may stand in a tag; any when None.
        attached: whether another placeholder ends there.
    """
    if len(text) - start > LONGEST:
        return False
    opened = _GROWING_LEFTS.match(text, start)
    if opened is None:
        return bool(_growing(bare, attached).fullmatch(text, start, partial=True))
    if opened.end() == len(text) or _GROWING_OPENED.fullmatch(text, start, partial=True):
        return True
    if _FOREIGN.fullmatch(text, opened.end(), partial=True):
        return True
    match = _GROWING_CLOSED.fullmatch(text, start, partial=True)
    return bool(match and match.partial and may_read(text[opened.end() :], facts))


_GROWING_LEFTS = late(regex.compile, rf"(?:{LEFT}){{1,6}}+/?", _FLAGS)
_GROWING_CLOSED = late(regex.compile, rf"(?:{LEFT}){{1,6}}+{_BETWEEN}", _FLAGS)
_GROWING_OPENED = late(regex.compile, rf"(?:{LEFT}){{1,6}}+{_CORE}", _FLAGS)


@lru_cache(maxsize=256)
def _growing(bare: frozenset[str], attached: bool) -> "regex.Pattern[str]":
    """Return the pattern of what begins with a bracket cut in two, or with a type's word without brackets."""
    begins = "" if attached else r"(?<![\p{L}\p{N}])"
    word = rf"|{begins}(?:{_alternatives(bare)}){_JOINT}{_NUMBER}{_END}(?:{RIGHT}){{0,6}}+" if bare else ""
    return regex.compile(rf"{LEFT}.{word}", _FLAGS)


def begins_word(letters: str) -> bool:
    """Return whether letters, small ones without joints, begin a type's word, of this package or of other tools."""
    return any(word.replace("_", "").startswith(letters) for word in (*PLACEHOLDER_KINDS, *_FOREIGN_WORDS))


def resolve(token: Token, box: Bijection) -> tuple[Slot, str] | None:
    """Return the slot of the box that a token means, with a plural `s` that it had, or None.

    Only what the box has can be meant. Where several of its types come into question, the nearest is
    taken if it is the only one as near; else nothing is.
    """
    known = [slot for slot in token.slots if box.at(slot)]
    if token.how == "slip":
        # The model saw the types of this box alone: another one of them that is as near makes it unclear.
        known = known if len({slot.kind for slot in token.slots} & box.kinds) == 1 else []
    if len(known) > 1:
        known = [slot for slot in token.slots[: token.nearest] if slot in known]
    if len(known) == 1:
        return known[0], ""
    if token.how == "own" and token.slot.letter == "s" and box.at(plain := token.slot._replace(letter="")):
        return plain, "s"
    return None
