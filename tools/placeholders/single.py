"""Placeholders of an answer, read one after the other: what each stands for here, and what surrounds it."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import regex

from gama.state.box import BRACKETS, Bijection, BoxEntry
from gama.state.entities import PLACEHOLDER_KINDS
from gama.state.restoring import Restoring, Unknown
from gama.tools.placeholders.boundaries import ADDRESSES, BEHIND, LEFT, Links, may_close, split, undecided
from gama.tools.placeholders.context import (
    ContextReader,
    Output,
    begins_with_capital,
    grammar_lookahead,
    without_possessive,
)
from gama.tools.placeholders.grammar import LONGEST, Token, Tokens, begins_word, may_grow, resolve
from gama.tools.placeholders.surrogates import Found, Surrogates, in_order
from gama.tools.tables import late

_HALF_AT_END = late(
    regex.compile, rf"(?:{LEFT}){{1,6}}+(?P<word>[a-z][a-z_\- ]{{0,40}}+[0-9]{{0,9}})$", regex.I | regex.V1
)
_SHORTEST_HALF = 3
"""Letters of a type's word that must stand behind a bracket at the end of a text to be taken for half a placeholder."""

Watch = Callable[[], None]
"""Is told of work, and may raise to end it."""


class Edit(NamedTuple):
    """A stretch of an answer and what it was restored to."""

    start: int
    end: int
    text: str


class OneByOne:
    """Restores single placeholders of a text.

    Args:
        box: the box of this conversation.
        how: how placeholders are turned back.
        traced: whether `places` and `edits` are kept.
        watch: called before each placeholder that must be read by itself; it may raise to stop the work.
        links: follows the addresses; by default one for the hosts that are named, where `how` limits them.
    """

    def __init__(
        self,
        box: Bijection,
        how: Restoring,
        *,
        traced: bool = False,
        watch: Watch | None = None,
        links: Links | None = None,
    ) -> None:
        """Begin before the first character."""
        self._watch = watch
        self._box = box
        self._traced = traced
        self._how = how
        self._width = len(BRACKETS[box.style][0])
        if links is None and how.hosts is not None:
            links = Links(how.hosts | box.hosts, in_json=how.place == "json")
        self.links = links
        """Says to whom addresses lead; None where values may be put into all."""
        self._reader = ContextReader(how.place, self.links)
        self._out = Output(traced=traced)
        self._surrogates = Surrogates(box, how.mode)
        self._facts = box.fact_names
        self.edits: list[Edit] = []
        """What was put in, with offsets in the texts of `run`."""
        self.bare = box.kinds & PLACEHOLDER_KINDS
        """Types whose words count without any bracket."""
        self._used: set[str | None] = set()
        self._last: BoxEntry | None = None
        self.chained = False
        """Whether a placeholder ended, with its number, where the next piece begins."""
        self._drop_space = False
        self.unresolved: list[str] = []
        self.mended: list[str] = []
        self.withheld: list[str] = []
        """Kinds of the values that were not put into an address that leads where it must not."""

    @property
    def places(self) -> list[tuple[int, int]]:
        """Where restored values stand in what was given out."""
        return self._out.places

    @property
    def unused(self) -> tuple[str, ...]:
        """Placeholders of the box that have not been mentioned."""
        entries = (entry for entry in self._box.entries if entry.reversible)
        return tuple(one.placeholder for one in entries if self._used.isdisjoint((one.placeholder, one.tag)))

    def tokens(self, text: str, start: int) -> Tokens:
        """Yield what reads as a placeholder from an offset on, where the last piece ended."""
        return Tokens(text, start, bare=self.bare, facts=self._facts, halves=True, chained=self.chained)

    def uncut(self, text: str, start: int, end: int) -> int:
        """Return the last offset up to another at which no surrogate, whole or begun, is cut in two."""
        if not self._surrogates:
            return end
        end = min(end, self._surrogates.open_at(text, start))
        for found in self._finds(text, start):
            unclear = isinstance(found, Found) and self._surrogates.open_behind(text, found)
            if found.end > end or unclear or (self.links and undecided(text, found.end)):
                return min(end, found.start)
        return end

    def may_grow(self, text: str, start: int, *, attached: bool = False) -> bool:
        """Return whether what stands from an offset to the end of a text may become a placeholder."""
        return may_grow(text, start, self.bare, self._facts, attached=attached)

    def _finds(self, text: str, start: int) -> Iterator[Token | Found]:
        """Yield placeholders of all kinds, left to right. A surrogate gives way to a tag of the box."""
        if not self._surrogates:
            yield from self.tokens(text, start)
            return
        at, unknown = start, []
        for token in self.tokens(text, start):
            entry, begin, end, _ = self._meant(text, token)
            if entry is None:
                unknown.append(token)
                continue
            yield from in_order(self._surrogates.find(text, at, max(at, begin)), unknown)
            yield token
            at, unknown = max(at, end), []
        yield from in_order(self._surrogates.find(text, at, len(text)), unknown)

    def lookahead(self, text: str, token: Token) -> int:
        """Return how many characters behind a placeholder must be known before it can be restored."""
        if token.how == "half":
            return 0 if token.right else 1
        need = 0
        opening, closing = split(token.left), split(token.right)
        if not closing:
            # Digits, letters and brackets may follow, and behind a point or a dash a second number.
            need = 2 if text[token.end : token.end + 1] in (*".:/-", "") else 1
        elif len(closing) < (sum(one.family == opening[-1].family for one in opening) if opening else self._width):
            behind = text[token.end :]
            need = 1 + (len(behind) if may_close(behind) else 0)
        elif opening and opening[-1].family == "[":
            need = 1
        entry = self._meant(text, token)[0]
        if entry is None:
            return need
        if self.links and undecided(text, token.end):
            need = max(need, len(text) - token.end + 1)
        return max(need, grammar_lookahead(entry), 0 if token.right else len(entry.facts) + 2)

    def _take(self, text: str, at: int, token: Token) -> int:
        """Read one placeholder; return where the text goes on."""
        if self._watch:
            self._watch()
        entry, start, end, plural = self._meant(text, token)
        self._copy(text[at:start])
        stands = text[start:end]
        if self._is_code(token) or (entry is None and not token.bracketed):
            self._copy(text[start:end])
        elif entry is None or (token.closing and entry is not self._last):
            self._unknown(stands, token.slots[0].kind if token.slots else "", sure=token.angled or token.joined)
        elif self._leads_away(text, end, entry):
            self._withhold(stands, entry)
        elif token.closing:
            # `<name-1></name-1>` is one placeholder, written as an empty element.
            self._last = None
        else:
            end = _behind_facts(text, end, token, entry)
            stands = text[start:end]
            self._used.add(entry.placeholder)
            if stands not in (entry.placeholder, entry.tag):
                self.mended.append(stands)
            self._put(self._value(entry, text, end), Edit(start, end, plural or token.after), verbatim=entry.verbatim)
            self._last = entry
        self.chained = not token.right
        return end

    def _leads_away(self, text: str, end: int, entry: BoxEntry | None) -> bool:
        """Return whether a value would be put into an address that leads to nobody the conversation has named."""
        kind = entry.kind if entry else "name"
        return self.links is not None and self.links.foreign(text[end : end + BEHIND], addressable=kind in ADDRESSES)

    def _withhold(self, stands: str, entry: BoxEntry | None) -> None:
        """Leave a placeholder as it is."""
        self.withheld.append(entry.kind if entry else "name")
        self._copy(stands, hidden=True)

    def _take_surrogate(self, text: str, at: int, found: Found) -> int:
        """Read a placeholder that is not a tag."""
        if self._watch:
            self._watch()
        self._copy(text[at : found.start])
        stands = text[found.start : found.end]
        entry, value = found.entry, found.surface
        if found.foreign:
            self.unresolved.append(stands)
            self._copy(stands)
            self._last, self.chained = None, False
            return found.end
        if self._leads_away(text, found.end, entry):
            self._withhold(stands, entry)
            return found.end
        if entry:
            self._used.add(entry.placeholder)
        if entry is None or stands != entry.placeholder:
            self.mended.append(stands)
        verbatim = entry is not None and entry.verbatim
        if not verbatim:
            if self._how.grammar:
                value = without_possessive(value, text, found.end)
            value = self._reader.escape(value)
        self._put(value, Edit(found.start, found.end, ""), verbatim=verbatim)
        self._last, self.chained = entry, False
        return found.end

    def _put(self, value: str, stood: Edit, *, verbatim: bool) -> None:
        """Give out a value, and what the answer added to it, in the place of what stood there."""
        self._drop_space = False
        self._out.value(value, self._reader.delimiter, verbatim=verbatim)
        self._reader.token()
        self._write(stood.text)
        if self._traced:
            self.edits.append(stood._replace(text=value + stood.text))

    def _is_code(self, token: Token) -> bool:
        """Return whether what reads as a placeholder is an expression: `[age-1]` outside strings, `${age-1}` inside."""
        if not self._reader.prose:
            return not (token.left and token.right and token.angled)
        return self._reader.interpolates and bool(token.left) and split(token.left)[-1].family == "{"

    def _value(self, entry: BoxEntry, text: str, end: int) -> str:
        value = entry.surface
        if entry.verbatim:
            return value
        if self._how.grammar:
            value = without_possessive(value, text, end)
            if self._reader.begins_sentence():
                value = begins_with_capital(value, entry.subtype, text, end)
        return self._reader.escape(value)

    def _unknown(self, stands: str, kind: str, *, sure: bool = True) -> None:
        """Leave, drop or repair what is no placeholder of the box, or half of one."""
        self.unresolved.append(stands)
        policy: Unknown = self._how.unknown if sure else "keep"
        if policy == "keep":
            self._copy(stands)
        elif policy == "repair":
            self._reader.token()
            self._write(f"[unknown {kind.replace('_', ' ')}]" if kind else "[unknown]")
        else:
            # Of the spaces on both sides one goes too.
            self._drop_space = self._reader.tail[-1:] in ("", " ", "\n")

    def _copy(self, text: str, *, hidden: bool = False) -> None:
        """Give out a stretch of the answer as it is; `hidden` where it stands for a value that was withheld."""
        if not text:
            return
        self._last, self.chained = None, False
        if self._drop_space:
            self._drop_space = False
            text = text.removeprefix(" ")
        for piece, delimiter in self._reader.advance(text, hidden=hidden):
            self._out.text(piece, delimiter)

    def _write(self, text: str) -> None:
        """Give out what the answer did not have in these words."""
        if text:
            self._out.text(text, self._reader.delimiter)

    def _meant(self, text: str, token: Token) -> tuple[BoxEntry | None, int, int, str]:
        """Return the entry a token means, the stretch it takes the place of, and a plural `s` it had."""
        if not token.slots:
            return None, token.start, token.end, ""
        width = self._width
        left, right = _own_brackets(text, token, width, wrapped=False)
        nothing = None, token.core_start - left, token.core_end + right, ""
        start, end = token.core_start - width, token.core_end + width
        exact = self._box.at(token.slot) if start >= 0 else None
        if exact and text[start:end] in (exact.placeholder, exact.tag):
            if self._how.mode == "strict" or exact.wrapped:
                return exact, start, end, ""
        elif self._how.mode == "strict":
            return nothing
        if token.left and not token.right and token.end == len(text) and self._box.extends(token.slot):
            # Cut off at the end of the answer, it may be half of another: `<name-1` of `<name-12>`.
            return nothing
        found = resolve(token, self._box)
        entry = self._box.at(found[0]) if found else None
        if found is None and (part := _part_of_name(token, self._box)):
            return part, *nothing[1:]
        if found is None or entry is None:
            return nothing
        if entry.wrapped:
            left, right = _own_brackets(text, token, width, wrapped=True)
        return entry, token.core_start - left, token.core_end + right, found[1]


def _part_of_name(token: Token, box: Bijection) -> BoxEntry | None:
    """Return the entry of a full name with the one part that a token asks for, where there is no doubt which that is.

    Who is told of `<name-1>` writes `<first_name-1>` to greet: the number says whose, the type which part.
    """
    if token.how != "own" or token.slot.kind not in ("first_name", "last_name") or box.at(token.slot):
        return None
    whole = box.at(token.slot._replace(kind="name"))
    if whole is None or whole.subtype != "full_name" or whole.verbatim:
        return None
    words = whole.surface.split()
    if len(words) < 2 or not all(regex.fullmatch(r"[\p{L}\p{M}'’-]{2,}", word) for word in (words[0], words[-1])):
        return None
    if token.slot.kind == "first_name":
        return whole.model_copy(update={"surface": words[0]})
    # Of more words it is not certain where the last name begins.
    return whole.model_copy(update={"surface": words[1]}) if len(words) == 2 else None


def half_at_end(text: str) -> str:
    """Return the half placeholder that a text ends in: a bracket and the beginning of a type's word."""
    found = _HALF_AT_END.search(text[-LONGEST:])
    if found is None:
        return ""
    word = regex.sub(r"[^a-z]", "", found["word"].casefold())
    return found[0] if len(word) >= _SHORTEST_HALF and begins_word(word) else ""


def _own_brackets(text: str, token: Token, width: int, *, wrapped: bool) -> tuple[int, int]:
    """Return how many characters before and after the core belong to the placeholder.

    `width` is how many brackets its style has on a side, and the most there are if it is `wrapped` in others.

    Doubled brackets belong to it as far as they are of one family and stand on both sides; a
    bracket that only one side has more is the text's own, as in `[<name-1>, <name-2>]`.
    """
    opening, closing = split(token.left)[::-1], split(token.right)
    depth = 0
    while (
        depth < min(len(opening), len(closing))
        and opening[depth].family == opening[0].family
        and closing[depth].family == closing[0].family
        and not (wrapped and depth == width)
    ):
        depth += 1
    # One side may have lost its brackets: those of the style still belong to the token on the other.
    left = "".join(one.text for one in opening[: depth or (1 if closing else width)])
    right = "".join(one.text for one in closing[: depth or (1 if opening else width)])
    if depth == 1 and opening[0].family == "[" and text[token.end : token.end + 1] == "(" and len(closing) == 1:
        # `[name-1](address)` is a link: its brackets stay.
        return 0, 0
    gap_left = token.core_start - token.start - len(token.left)
    # The slash of an empty element, `<name-1 />`, goes with its bracket.
    gap_right = token.end - token.core_end - sum(len(one.text) for one in closing)
    return (len(left) + gap_left if left else 0), (len(right) + gap_right if right else 0)


def _behind_facts(text: str, end: int, token: Token, entry: BoxEntry) -> int:
    """Return where a placeholder ends whose closing bracket, or both, a model has left out, its own facts included."""
    facts = entry.facts
    behind = end + len(facts)
    if not facts or token.right or text[end:behind].casefold() != facts.casefold():
        return end
    after = text[behind : behind + 2]
    if after[:1] == ">" and not token.left:
        return behind + 1
    return end if after[:1].isalnum() or (after != "__" and after[:1] in tuple("_-=")) else behind
