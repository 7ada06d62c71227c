"""Remap (GAMA Eq. 6): y' = Remap(y | V), strict and tolerant.

Deterministic. What reads as a placeholder but is none of this box is reported and, unless asked otherwise, left as it
is, never guessed. Nothing that was put in is scanned again.
"""

import re
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import NamedTuple

import regex

from gama.state.box import BRACKETS, Bijection, BoxEntry
from gama.state.entities import PLACEHOLDER_KINDS
from gama.state.restoring import Mode, Restoring, Unknown
from gama.tools.placeholders.boundaries import ADDRESSES, BEHIND, LEFT, Links, hosts_in, may_close, split, undecided
from gama.tools.placeholders.context import (
    ContextReader,
    Output,
    begins_with_capital,
    grammar_lookahead,
    without_possessive,
)
from gama.tools.placeholders.grammar import LONGEST, Token, Tokens, begins_word, may_begin_at_end, may_grow, resolve
from gama.tools.placeholders.structures import Text
from gama.tools.placeholders.surrogates import Found, Surrogates, in_order

_HALF_AT_END = regex.compile(rf"(?:{LEFT}){{1,6}}+(?P<word>[a-z][a-z_\- ]{{0,40}}+[0-9]{{0,9}})$", regex.I | regex.V1)
_SHORTEST_HALF = 3
"""Letters of a type's word that must stand behind a bracket at the end of a text to be taken for half a placeholder."""

_EXACT = re.compile(r"(<{1,2}[a-z_]{2,40}-[0-9]{1,9}[a-z]{0,2}(?: [a-z_]{2,20}=[\w.+-]{1,24}){0,4}>{1,2})")
"""Groups a placeholder as we write it."""
# What must not stand around placeholders that are restored in bulk: brackets and their escapes, fences, quotes of JSON,
# beginnings of addresses, and what joins a word without brackets to its number.
_DELICATE = (
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\"<>\[\]{}\\`~%&#/\u00ab\u00bb\u2039\u203a\u2329\u232a\u27e8\u27e9\u3008-\u3011\u3014\u3015"
    r"\uff00-\uffef\ufe00-\ufe6f\u2044\u2100-\u214f\u2215\u29f8\u2028\u2029\x85]|[:?](?!\s)|^[.@](?!\s)"
    r"|[-_\u2010-\u2015\u2212](?=[0-9])"
)
_IN_TEXT, _IN_STRING = re.compile(_DELICATE), re.compile(rf"[\t\r\n]|{_DELICATE}")
_SMALLEST, _LARGEST = 512, 65_536
"""Characters that are looked at in one step of the restoring in bulk, at least and at most."""
_BEHIND = 64
"""Characters that are left where no placeholder follows: a word without brackets may begin there."""


Watch = Callable[[], None]
"""Is told of work, and may raise to end it."""


class Edit(NamedTuple):
    """A stretch of an answer and what it was restored to."""

    start: int
    end: int
    text: str


class Restored(NamedTuple):
    """A restored text, what in it stayed unresolved, and which placeholders it did not use."""

    text: str
    unresolved: tuple[str, ...]
    """What read as a placeholder, or half of one, and is none of the box's, as the answer had it."""
    unused: tuple[str, ...]
    """Placeholders of the box that the text did not mention."""
    places: tuple[tuple[int, int], ...] = ()
    """Where restored values stand in `text`."""
    mended: tuple[str, ...] = ()
    """Placeholders that were restored although the model had changed them, as the answer had them."""
    unknown: Unknown = "keep"
    """What was done with the unresolved ones."""
    edits: tuple[Edit, ...] = ()
    """What was put in for what, with offsets in the answer."""
    withheld: tuple[str, ...] = ()
    """Kinds of the values that were not put into addresses that lead where the conversation has named nobody."""


class Remapper:
    """Restores a text piece by piece. The pieces may be cut anywhere but inside a placeholder.

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
        self._exact: dict[str, str | None] = {}
        self._exact_in: object = None
        self._step = _LARGEST
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

    def run(self, text: str, start: int, end: int, *, final: bool = False) -> str:
        """Restore the next piece.

        Args:
            text: the piece with what stands around it; both sides may be looked at.
            start: where the piece begins.
            end: where it ends.
            final: whether the answer ends there.
        """
        if self._surrogates:
            at = start
            for found in self._finds(text, start):
                if found.start >= end:
                    break
                at = self._take(text, at, found) if isinstance(found, Token) else self._take_surrogate(text, at, found)
        else:
            at = self._run_tags(text, start, end)
        half = half_at_end(text[at:end]) if final else ""
        self._copy(text[at : end - len(half)])
        if half:
            self._unknown(half, "")
        return self._out.close() if final else self._out.take()

    def _run_tags(self, text: str, start: int, end: int) -> int:
        """Restore the tags of a piece; return where the last one ends."""
        at = self.bulk(text, start, end)
        tokens = self.tokens(text, at)
        for token in tokens:
            if token.start >= end:
                break
            at = self._take(text, at, token)
            if (behind := self.bulk(text, at, end)) > at:
                at = behind
                tokens.skip(at)
        return at

    def bulk(self, text: str, start: int, end: int) -> int:
        """Restore exact placeholders with nothing delicate between them, all at once; return how far that went.

        It gives what `run` gives without it. What is not as plain is left to the reading of one after the other.
        """
        at = start
        if self._surrogates or self._drop_space or not self._out.idle or (state := self._reader.calm()) is None:
            return at
        if state is not self._exact_in:
            self._exact, self._exact_in = {}, state
        delicate = self._delicate(state)
        while True:
            before = at
            parts = _EXACT.split(text[at : at + min(self._step, end - at)])
            last = parts.pop()
            if not last and self.links:
                # It is not known yet what the last placeholder begins.
                last = "".join(parts[-2:-1])
                del parts[-2:]
            while parts and self._leads_on(last):
                last = parts[-2]
                del parts[-2:]
            count = self._plain(parts, delicate)
            if count:
                at += self._put_all(parts[: 2 * count], at)
            elif not parts and len(last) > 2 * _BEHIND and not delicate.search(last):
                self._copy(last[:-_BEHIND])
                at += len(last) - _BEHIND
            if 2 * count < len(parts) or at == before:
                self._step = max(_SMALLEST, 2 * (at - start))
                return at
            self._step = min(2 * self._step, _LARGEST)

    def pass_over(self, text: str, before: str) -> bool:
        """Read on in a text that comes as it is: no placeholder is in it, and none begins at its end.

        Args:
            text: the next of it.
            before: what stands before it.

        Returns:
            Whether it is such; if not, nothing was read.
        """
        if self._surrogates or self._drop_space or self.chained or not self._out.idle:
            return False
        if (state := self._reader.calm()) is None:
            return False
        if self._delicate(state).search(text) or may_begin_at_end(before[-_BEHIND:] + text[-_BEHIND:], self.bare):
            return False
        self._reader.pass_over(text)
        self._last = None
        return True

    def _delicate(self, state: object) -> "re.Pattern[str]":
        return _IN_TEXT if isinstance(state, Text) else _IN_STRING

    def _plain(self, parts: list[str], delicate: "re.Pattern[str]") -> int:
        """Return how many placeholders in a text that was split at them are exact and stand in plain text."""
        between, tags = parts[::2], parts[1::2]
        odd = {gap for gap in set(between) if gap and delicate.search(gap)}
        kinds = set(tags)
        for stands in kinds - self._exact.keys():
            self._exact[stands] = self._exact_value(stands)
        unlike = {stands for stands in kinds if self._exact[stands] is None}
        if not (odd or unlike):
            return len(tags)
        pairs = enumerate(zip(between, tags, strict=True))
        count, gap = next((n, gap) for n, (gap, stands) in pairs if gap in odd or stands in unlike)
        return count - 1 if count and self._leads_on(gap) else count

    def _leads_on(self, behind: str) -> bool:
        """Return whether a placeholder may begin the name of a host that goes on with what stands behind it."""
        return self.links is not None and behind[:1] in tuple(".@") and not behind[1:2].isspace()

    def _exact_value(self, stands: str) -> str | None:
        """Return what a placeholder as it stands becomes in plain text, whatever is around it; None if that depends."""
        token = next(self.tokens(stands, 0), None)
        if token is None or token.closing or token.after:
            return None
        entry, start, end, plural = self._meant(stands, token)
        if (
            entry is None
            or (start, end, plural) != (0, len(stands), "")
            or stands not in (entry.placeholder, entry.tag)
        ):
            return None
        if self._how.grammar and grammar_lookahead(entry):
            return None
        return entry.surface if entry.verbatim else self._reader.escape(entry.surface)

    def _put_all(self, parts: list[str], at: int) -> int:
        """Give out a text that was split at its placeholders with their values; return its length."""
        tags, out = parts[1::2], parts[:]
        values = [value for value in map(self._exact.get, tags) if value is not None]
        out[1::2] = values
        self._used.update(tags)
        if self._traced:
            ends = list(accumulate(map(len, parts), initial=at))
            self.edits += map(Edit, ends[1::2], ends[2::2], values)
        self._out.pieces(out)
        self._reader.pass_over("\ufffc".join([*parts[::2], ""]))
        self._last, self.chained = self._box.shown(tags[-1]), False
        return sum(map(len, parts))

    def tokens(self, text: str, start: int) -> Tokens:
        """Yield what reads as a placeholder from an offset on, where the last piece ended."""
        return Tokens(text, start, bare=self.bare, facts=self._facts, halves=True, chained=self.chained)

    def uncut(self, text: str, start: int, end: int) -> int:
        """Return the last offset up to another at which no surrogate, whole or begun, is cut in two."""
        if not self._surrogates:
            return end
        end = min(end, self._surrogates.open_at(text, start))
        for found in self._finds(text, start):
            if found.end > end or (self.links and undecided(text, found.end)):
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
        if found is None or entry is None:
            return nothing
        if entry.wrapped:
            left, right = _own_brackets(text, token, width, wrapped=True)
        return entry, token.core_start - left, token.core_end + right, found[1]


def remap_text(
    text: str,
    box: Bijection,
    how: Restoring | Mode = "tolerant",
    *,
    traced: bool = True,
    watch: Watch | None = None,
) -> Restored:
    """Put the surfaces back.

    Args:
        text: a text with placeholders, such as a model's answer.
        box: the box of this conversation.
        how: how; a word alone is the mode, see `Restoring`.
        traced: whether it is told where values stand; it takes longer than restoring plain text does.
        watch: see `Remapper`.
    """
    how = how if isinstance(how, Restoring) else Restoring(mode=how)
    remapper = Remapper(box, how, traced=traced, watch=watch)
    out = remapper.run(text, 0, len(text), final=True)
    return Restored(
        out, tuple(remapper.unresolved), remapper.unused, tuple(remapper.places), tuple(remapper.mended), how.unknown,
        tuple(remapper.edits), tuple(remapper.withheld),
    )  # fmt: skip


def name_hosts(text: str, box: Bijection) -> None:
    """Let addresses lead to where those of a text lead that the user, or who set the task, has written.

    Args:
        text: the text, anonymized.
        box: the box of the conversation, which keeps the names.
    """
    links = Links(None)
    restored = Remapper(box, Restoring(), links=links).run(text, 0, len(text), final=True)
    links.advance(" ")
    box.hosts |= hosts_in(text) | hosts_in(restored) | links.met


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
