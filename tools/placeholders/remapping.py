"""Remap (GAMA Eq. 6): y' = Remap(y | V), strict and tolerant.

Deterministic. What reads as a placeholder but is none of this box is reported and, unless asked otherwise, left as it
is, never guessed. Nothing that was put in is scanned again.
"""

import re
from functools import lru_cache
from itertools import accumulate
from string import ascii_lowercase
from typing import NamedTuple

from gama.state.box import BRACKETS, Bijection, BoxEntry
from gama.state.entities import PLACEHOLDER_KINDS
from gama.state.restoring import Mode, Restoring, Unknown
from gama.tools.placeholders.boundaries import OWN, Links, hosts_in
from gama.tools.placeholders.context import grammar_lookahead
from gama.tools.placeholders.grammar import Token, Tokens
from gama.tools.placeholders.single import Edit, OneByOne, Watch, half_at_end
from gama.tools.placeholders.structures import Text

# A placeholder as we write it, without facts.
_BARE_TAG = re.compile(r"<{1,2}[a-z_]{2,40}-[0-9]{1,9}[a-z]{0,2}>{1,2}")
_CUT = "\x00"
"""Marks where a text is split. What has it for its own is read one by one, as all control characters are."""
# What must not stand around placeholders that are restored in bulk: brackets and their escapes, fences, quotes of JSON,
# beginnings of addresses, and what joins a word without brackets to its number.
_NEVER = (
    r"\x00-\x08\x0b\x0c\x0e-\x1f\"<>\[\]{}\\`~%&#/\u00ab\u00bb\u2039\u203a\u2329\u232a\u27e8\u27e9\u3008-\u3011\u3014\u3015"
    r"\uff00-\uffef\ufe00-\ufe6f\u2044\u2100-\u214f\u2215\u29f8\u2028\u2029\x85"
)
_JOINTS = r"\-_\u2010-\u2015\u2212"


def _delicate(never: str) -> "re.Pattern[str]":
    """Return the pattern of what is delicate in a text, with a sign in the place of its placeholders.

    It begins with a single set of signs, so that a search passes over all others several times as fast.
    """
    return re.compile(
        rf"[{never}:?.@{_JOINTS}](?:(?<=[{never}])|(?<=[:?])(?!\s)|(?<=[.@])(?<![^{OWN}][.@])(?!\s)|(?<=[{_JOINTS}])(?=[0-9]))"
    )


_IN_TEXT, _IN_STRING = _delicate(_NEVER), _delicate(rf"\t\r\n{_NEVER}")
# What may stand between two changed placeholders, so that neither is read otherwise than by itself: not the round
# bracket of a link, nothing that closes more brackets, nothing that makes an index or a template of a bracket.
_APART = re.compile(r"(?=[\s.,;:!?'’*]).*[\s(\"'’*,;:.!?]", re.DOTALL)
_TAG_AT_END = re.compile(r"<[^<>]*>\Z")
_LONGEST_PIECE = 40
_SMALLEST, _LARGEST = 512, 65_536
"""Characters that are looked at in one step of the restoring in bulk, at least and at most."""
_BEHIND = 64
"""Characters that are left where no placeholder follows: a word without brackets may begin there."""


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
    unreckoned: tuple[str, ...] = ()
    """Formulas that gave nothing, and why; they are among the unresolved, too."""


class Remapper(OneByOne):
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
        super().__init__(box, how, traced=traced, watch=watch, links=links)
        self._values: dict[str, str] = {}
        """What placeholders, as they stand, become in plain text, whatever is around them."""
        self._changed: dict[str, BoxEntry] = {}
        """What those of them mean that the model has changed."""
        self._unlike: set[str] = set()
        """What stood in brackets and is none of them."""
        self._values_in: object = None
        left, right = BRACKETS[box.style]
        self._cuts = [(one, _CUT + one) for one in (left, "[", "{")] + [(one, one + _CUT) for one in (right, "]", "}")]
        self._step = _LARGEST

    @property
    def unused(self) -> tuple[str, ...]:
        """Placeholders of the box that have not been mentioned."""
        self._used.update(entry.placeholder for stands, entry in self._changed.items() if stands in self._used)
        return super().unused

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
        """Restore placeholders with nothing delicate between them, all at once; return how far that went.

        It gives what `run` gives without it. What is not as plain is left to the reading of one after the other.
        """
        at = start
        if self._surrogates or self._drop_space or not self._out.idle or (state := self._reader.calm()) is None:
            return at
        if state is not self._values_in:
            self._values, self._unlike, self._values_in = {}, set(), state
        delicate = _IN_TEXT if isinstance(state, Text) else _IN_STRING
        while True:
            before = at
            parts = self._split(text[at : at + min(self._step, end - at)])
            whole = len(parts) % 2 == 1
            if not whole:
                # The last bracket is not closed, or closed further on.
                parts.pop()
            last = parts.pop()
            if not last and (self.links or not whole):
                # It is not known yet what the last placeholder begins: `<name-1></` may become an element.
                last = "".join(parts[-2:-1])
                del parts[-2:]
            while parts and self._leads_on(last):
                last = parts[-2]
                del parts[-2:]
            count = self._plain(parts, last, delicate)
            stuck = 2 * count < len(parts)
            del parts[2 * count :]
            if parts:
                self._put_all(parts, at)
                at += len("".join(parts))
            elif whole and not stuck and len(last) > 2 * _BEHIND and not delicate.search(last):
                self._copy(last[:-_BEHIND])
                at += len(last) - _BEHIND
            if stuck or at == before:
                self._step = max(_SMALLEST, 2 * (at - start))
                return at
            self._step = min(2 * self._step, _LARGEST)

    def _split(self, text: str) -> list[str]:
        """Return what stands between brackets and what stands in them by turns, where each that opens is closed.

        Where that is not so, something that is no placeholder stands in the place of one.
        """
        for sign, cut in self._cuts:
            text = text.replace(sign, cut)
        return text.split(_CUT)

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
        delicate = _IN_TEXT if isinstance(state, Text) else _IN_STRING
        if not passes(text, self.bare) and (
            delicate.search(text) or _may_begin_at_end(before[-_BEHIND:] + text[-_BEHIND:], self.bare)
        ):
            return False
        self.passed(text)
        return True

    def passed(self, text: str) -> None:
        """Read what is known to come as it is: `pass_over` let the last of the text pass, and `passes` all since."""
        self._reader.pass_over(text)
        self._last = None

    def settle(self, text: str, at: int) -> tuple[str, int] | None:
        """Read plain text from an offset on, to the end or to a placeholder as we write it that stands there.

        Returns:
            What can be given out, and where the placeholder begins; None where the text is not so plain.
        """
        tag = _TAG_AT_END.search(text, at)
        if tag and (self.links is None or self._reader.calm() is not self._values_in or not self._is_exact(tag[0])):
            return None
        end = tag.start() if tag else len(text)
        # Where nothing stands between, what follows may belong to the placeholder before: `<name-1>`, `</name-1>`.
        if at == end or not self.pass_over(text[at:end], text[:at]):
            return None
        return self._out.take() + text[at:end], end

    def _is_exact(self, stands: str) -> bool:
        if stands not in self._values and stands not in self._unlike:
            self._learn(stands)
        return stands in self._values and stands not in self._changed

    def _plain(self, parts: list[str], last: str, delicate: "re.Pattern[str]") -> int:
        """Return how many placeholders in a text that was split at them stand for themselves, in plain text."""
        between, tags = parts[::2], parts[1::2]
        kinds = set(tags)
        for stands in kinds - self._values.keys() - self._unlike:
            self._learn(stands)
        unlike = kinds & self._unlike
        changed = kinds & self._changed.keys()
        gaps = set(between)
        close = {gap for gap in {*gaps, last} if not _APART.fullmatch(gap)} if changed else set()
        if not (unlike or close or delicate.search(OWN + OWN.join(gaps))):
            return len(tags)
        odd = {gap for gap in gaps if gap and delicate.search(OWN + gap)}
        count = 0
        for gap, stands, behind in zip(between, tags, [*between[1:], last], strict=True):
            if gap in odd or stands in unlike or (stands in changed and not close.isdisjoint((gap, behind))):
                return count - 1 if count and self._leads_on(gap) else count
            count += 1
        return count

    def _leads_on(self, behind: str) -> bool:
        """Return whether a placeholder may begin the name of a host that goes on with what stands behind it."""
        return self.links is not None and behind[:1] in tuple(".@") and not behind[1:2].isspace()

    def _learn(self, stands: str) -> None:
        """See what stands in brackets, and what it becomes in plain text unless that depends on what is around it."""
        entry = self._box.shown(stands)
        if entry is None or entry.tag or entry.kind not in PLACEHOLDER_KINDS or not _BARE_TAG.fullmatch(stands):
            entry = self._read_alone(stands)
        if entry is None or (self._how.grammar and grammar_lookahead(entry)):
            self._unlike.add(stands)
            return
        if stands not in (entry.placeholder, entry.tag):
            self._changed[stands] = entry
        self._values[stands] = entry.surface if entry.verbatim else self._reader.escape(entry.surface)

    def _read_alone(self, stands: str) -> BoxEntry | None:
        """Return what a text means that is a placeholder from one end to the other, in brackets of its own."""
        token = next(Tokens(stands, bare=frozenset(), facts=self._facts), None)
        if token is None or token.closing or token.after or not (token.left and token.right):
            return None
        entry, *stretch = self._meant(stands, token)
        return entry if stretch == [0, len(stands), ""] else None

    def _put_all(self, parts: list[str], at: int) -> None:
        """Give out a text that was split at its placeholders with their values."""
        tags, out = parts[1::2], parts[:]
        out[1::2] = map(self._values.__getitem__, tags)
        if self._changed:
            self.mended += filter(self._changed.__contains__, tags)
        self._used.update(tags)
        if self._traced:
            ends = list(accumulate(map(len, parts), initial=at))
            self.edits += map(Edit, ends[1::2], ends[2::2], out[1::2])
        self._out.pieces(out)
        self._reader.pass_over(OWN.join([*parts[::2], ""]))
        self._last, self.chained = self._changed.get(tags[-1]) or self._box.shown(tags[-1]), False


@lru_cache(maxsize=4096)
def passes(text: str, bare: frozenset[str]) -> bool:
    """Return whether a short piece of a text comes as it is wherever only such pieces come since `pass_over` was asked.

    Args:
        text: the piece.
        bare: types whose words count without any bracket.
    """
    if not 0 < len(text) <= _LONGEST_PIECE or ":" in text or "?" in text:
        return False
    return not (_IN_STRING.search(text) or _may_end_in_word(text, bare))


def _may_begin_at_end(text: str, bare: frozenset[str]) -> bool:
    """Return whether a text without brackets ends in what may become a type's word, or in the sign before a brace."""
    tail = text[-_BEHIND:]
    return tail.endswith("$") or (bool(bare) and _word_at_end(bare).search(_small(tail)) is not None)


def _may_end_in_word(text: str, bare: frozenset[str]) -> bool:
    """Return whether a text may end, whatever stands before it, in what may become a type's word, or in a `$`."""
    text = _small(text)
    rest = text.rstrip(ascii_lowercase)
    if rest == text:
        return bool(_JOINS_AT_END.search(text))
    # Behind no other sign its letters may go on with a word that an earlier piece began.
    begins = bool(rest) and not rest[-1].isalnum()
    return (" " * begins + text[len(rest) :]) in _letters_of(bare)


_JOINS_AT_END = re.compile(r"[-_ $\u00a0\u2010-\u2015\u2212]\Z")
_TURKIC = str.maketrans("İı", "ii")


def _small(text: str) -> str:
    """Return a text in the small letters that one is compared in without regard to case; some become several."""
    return text.lower() if text.isascii() else text.translate(_TURKIC).casefold()


@lru_cache(maxsize=256)
def _letters_of(bare: frozenset[str]) -> str:
    """Return the letters of types' words from each of their parts on, a space before each."""
    parts = [kind.split("_") for kind in bare]
    return "".join(" " + "".join(words[at:]) for words in parts for at in range(len(words)))


@lru_cache(maxsize=256)
def _word_at_end(bare: frozenset[str]) -> "re.Pattern[str]":
    """Return the pattern of the beginning of a type's word, or of the whole and what joins it, at the end."""
    joins, words = r"\-_\u2010-\u2015\u2212", []
    joint = rf"(?:\\?[{joins}]?|&(?:#(?:4(?:5;?)?)?)?|%(?:2d?|5f?)?)"
    between = rf"\\?[{joins} \u00a0]?"
    for kind in sorted(bare):
        # Each letter only behind the one before it: `n(?:a(?:m(?:e…)?)?)?`.
        begun = joint
        for letter in reversed(kind[1:]):
            begun = f"(?:{between}{begun})?" if letter == "_" else f"(?:{letter}{begun})?"
        words.append(kind[0] + begun)
    return re.compile(rf"(?<![a-z0-9])(?:{'|'.join(words)})\Z")


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
    known, new = box.recall("hosts")
    if known is None or new or known[0] != text:
        restored_with_hosts(text, box)
        known, _ = box.recall("hosts")
    box.hosts |= known[1]


def restored_with_hosts(text: str, box: Bijection) -> tuple[str, list[tuple[int, int]]]:
    """Return a text restored with no more than its box, and where its values stand; have the box recall its hosts."""
    links = Links(None)
    remapper = Remapper(box, Restoring(), traced=True, links=links)
    restored = remapper.run(text, 0, len(text), final=True)
    links.advance(" ")
    box.remember("hosts", (text, hosts_in(text) | hosts_in(restored) | links.met))
    return restored, remapper.places
