"""Reckoning: formulas of a reply give placeholders of their results, which are restored as all others are.

A formula inside an address is not evaluated, nor is what stood in double braces in the texts that were sent. A text in
pieces, cut anywhere, gives what the whole gives.
"""

import hashlib
import json
import re
import secrets
from bisect import bisect_right
from copy import copy
from functools import cached_property
from typing import NamedTuple

from gama.privacy.box import PrivacyBox
from gama.state.box import Slot
from gama.state.restoring import Restoring
from gama.tools.formulas.boxes import values_of
from gama.tools.formulas.evaluate import FormulaError, check
from gama.tools.formulas.instructions import instructions
from gama.tools.formulas.kinds import kinds_in
from gama.tools.formulas.language import context_of
from gama.tools.formulas.reading import Reader
from gama.tools.formulas.reckoning import Result, Run, inputs_of
from gama.tools.formulas.syntax import (
    PLACEHOLDER,
    Formula,
    FormulaStream,
    closing,
    find_formulas,
    placeholder_key,
    unescaped,
)
from gama.tools.formulas.values import Context
from gama.tools.placeholders.boundaries import HIDDEN, Links, leads_in, undecided
from gama.tools.placeholders.remapping import Restored, remap_text
from gama.tools.placeholders.single import Edit, Watch
from gama.tools.placeholders.stream import StreamRestorer

RESULT = "result"
LONG_RESULT = 4
"""Characters of a result that is hidden in later turns, too; shorter ones stand for too much else."""
IN_ADDRESS = "it stands in an address"
WRITES = "it would write an address"
_PIECE = 16_384
"""Characters that are looked at together."""
_TAIL = 1_200
"""Characters in front of a formula in which an address is looked for."""
_MOST = 1_000_000
# A placeholder, or half of one, in the text around an address.
_TAG = re.compile(r"<{1,2}([a-z_]{2,40})-\d{1,9}[a-z]{0,2}>{0,2}")
_SPACE = re.compile(r"[ \n\t\r\f]")
# Markdown and HTML by which a text has something fetched: pictures, references to addresses elsewhere, tags.
_MARKUP = re.compile(r"!\[|\]\s?\[|^\]|\[$|\]:|<[a-z!/]", re.IGNORECASE)
# What reads as the placeholder of a result, bare words included: "Result 1".
_NAMED = re.compile(r"result[\s_-]{0,3}(\d{1,9})", re.IGNORECASE)


class Span(NamedTuple):
    """A formula that was evaluated: where it stood, and where what it gave stands in the new text."""

    start: int
    end: int
    new_start: int
    new_end: int


class Place(NamedTuple):
    """Where a formula stood: what it gave stands there in the text without formulas."""

    formula: str
    inputs: tuple[str, ...]
    start: int
    end: int
    reason: str
    """Why it gave nothing; empty where it gave something."""
    note: str = ""
    """What the reader should know of what it gave."""


class Reckoner:
    """Evaluates the formulas of what answers one request.

    Args:
        box: the conversation's; what a formula gave is added where it says as much as another private value.
        context: what is known of the letter; by default what the box says of it.
        quoted: a text that was sent; what stands in double braces there is no formula.
        reply: the one text that there is; without it results get numbers that no text can name beforehand.
    """

    def __init__(
        self, box: PrivacyBox, context: Context | None = None, *, quoted: str = "", reply: str | None = None
    ) -> None:
        """Take the values of the box."""
        self.conversation = box
        self.values = values_of(box)
        self.box = box.apart()
        """The box by which the new texts are restored."""
        if reply is None:
            self.box.count_from(RESULT, _MOST // 4 + secrets.randbelow(_MOST // 2))
        else:
            self.box.reserve(Slot(RESULT, int(number)) for number in _NAMED.findall(reply))
        self.lasting: set[str] = set()
        """The results that later texts are to hide."""
        self.theirs = box.braces | braces_in(quoted)
        self._context = context

    @cached_property
    def reader(self) -> Reader:
        """What reads the values."""
        context, locale = self._context, self.conversation.locale
        if context is None:
            # Without a text at hand the values themselves tell their language.
            context = Context(locale) if locale else context_of(" ".join(one.text for one in self.values.values()))
        return Reader(self.values, context)

    def place(self, result: Result) -> str:
        """Return the placeholder of a result."""
        if len(result.text) >= LONG_RESULT and any(map(str.isdigit, result.text)):
            self.conversation.add(result.text, RESULT)
            self.lasting.add(result.text)
        placeholder = self.box.add(result.text, RESULT)
        # The same value may be in the box without a way back.
        return placeholder if self.box.shown(placeholder) else result.text

    def reckon(self, text: str, how: Restoring, watch: Watch | None = None) -> "Formulas":
        """Return a whole text with its formulas evaluated."""
        formulas = Formulas(self, how, watch)
        parts = [formulas.feed(text[at : at + _PIECE]) for at in range(0, len(text), _PIECE)]
        formulas.text = "".join([*parts, formulas.close()])
        return formulas

    def restore(self, text: str, how: Restoring, watch: Watch | None = None) -> Restored:
        """Restore a whole text, its formulas evaluated first; see `remap_text`."""
        formulas = self.reckon(text, how, watch)
        done = remap_text(formulas.text, self.box, how, watch=watch)
        edits, places = formulas.as_they_stood(done)
        named = {placeholder_key(one) for one in formulas.named}
        unused = (one for one in done.unused if placeholder_key(one) not in named)
        return done._replace(
            unresolved=(*done.unresolved, *formulas.unreckoned),
            unused=tuple(one for one in unused if self.conversation.shown(one)),
            unreckoned=tuple(formulas.unreckoned),
            edits=edits,
            places=places,
        )

    def restorer(self, how: Restoring, watch: Watch | None = None) -> "ReckoningRestorer":
        """Return what restores a text that comes in pieces."""
        return ReckoningRestorer(self, how, watch)


class Formulas:
    """The formulas of one text, which may come in pieces."""

    def __init__(self, reckoner: Reckoner, how: Restoring, watch: Watch | None = None) -> None:
        """Begin before the first character."""
        self._reckoner = reckoner
        self._in_json = how.place == "json"
        self._stream = FormulaStream(reckoner.values, in_json=self._in_json, unsure=_unsure, watch=watch)
        self._links: Links | None = None
        self._hosts = (how.hosts or frozenset()) | reckoner.conversation.hosts
        if how.hosts is not None:
            self._links = Links(self._hosts, in_json=self._in_json)
        self._run: Run | None = None
        self._tail = ""
        self._length = self._new_length = 0
        self._stopped = False
        """Whether what was written last has the full stop that comes next."""
        self._unknown_stay = how.unknown == "keep"
        self.text = ""
        self.spans: list[Span] = []
        self.places: list[Place] = []
        self.named: set[str] = set()
        """Placeholders that formulas have named."""
        self.unreckoned: list[str] = []
        """What could not be reckoned, and why; no value is in it."""

    @property
    def held(self) -> str:
        """What has come and may still become a formula."""
        return self._stream.held

    def feed(self, chunk: str) -> str:
        """Take a chunk in and return what is clear of it, with placeholders in the place of formulas."""
        return "".join(map(self._take, self._stream.feed(chunk)))

    def close(self) -> str:
        """Return the rest."""
        return "".join(map(self._take, self._stream.close()))

    def _take(self, piece: str | Formula) -> str:
        start, new_start = self._length, self._new_length
        if isinstance(piece, str):
            piece, self._stopped = piece[self._stopped :], False
            self._length += len(piece)
            return self._passed(piece)
        raw = self._stream.raw
        self._length += len(raw)
        known, given = len(self.unreckoned), len(self._run.results) if self._run else 0
        out = self._evaluated(piece.source)
        head = f"{piece.source}: "
        reason = next((one.removeprefix(head) for one in self.unreckoned[known:] if one.startswith(head)), "")
        if out is None:
            self._passed(raw)
            if reason:
                self.places.append(Place(piece.source, inputs_of(piece.source), new_start, self._new_length, reason))
            return raw
        if self._run and self._run.stopped(out, self._stream.behind[:2]):
            self._stopped = True
            self._length += 1
        if self._in_json or raw != piece.source:
            out = json.dumps(out, ensure_ascii=False)[1:-1]
        self._passed(out)
        self.spans.append(Span(start, self._length, new_start, self._new_length))
        results = self._run.results[given:] if self._run else []
        note = "; ".join(dict.fromkeys(one.note for one in results if one.note))
        self.places.append(Place(piece.source, inputs_of(piece.source), new_start, self._new_length, reason, note))
        return out

    def _passed(self, text: str) -> str:
        self._new_length += len(text)
        self._tail += text
        if len(self._tail) > _PIECE:
            self._follow()
        return text

    def _follow(self) -> None:
        """Follow the addresses of what has passed, up to its last space."""
        end = len(self._tail) - min(len(_SPACE.split(self._tail)[-1]), _TAIL)
        if self._links is not None:
            self._links.advance(_TAG.sub(HIDDEN, self._tail[:end]))
        self._tail = self._tail[end:]

    def _evaluated(self, source: str) -> str | None:
        """Return what stands in the place of a formula; None where it stays as it is."""
        behind = self._stream.behind
        if _digest(source) in self._reckoner.theirs:
            return None
        self._follow()
        if self._in_address("", behind) or self._leads_away(behind):
            self.unreckoned.append(f"{source}: {IN_ADDRESS}")
            return None
        self.named.update(inputs_of(source))
        run = self._run = self._run or Run(self._reckoner.reader, keep=True, place=self._reckoner.place)
        failed = len(run.unresolved)
        real = self._moved_back(source)
        out = run.settle(Formula(0, len(real), real))
        self.unreckoned += [
            f"{source if one.formula == real else one.formula}: {one.reason}" for one in run.unresolved[failed:]
        ]
        if self._writes_address(out, behind):
            self.unreckoned.append(f"{source}: {WRITES}")
            return f"[could not be reckoned: {WRITES}]"
        return out

    def _writes_address(self, out: str, behind: str) -> bool:
        """Return whether what a formula gives would tell somebody of a value: by an address, or which of several.

        No result stands in an address that the formula writes; and none decides what a reader's program fetches, where
        addresses may not lead everywhere.
        """
        for tag in PLACEHOLDER.finditer(out):
            if placeholder_key(tag[0]).startswith(f"{RESULT}-"):
                if self._in_address(out[: tag.start()], out[tag.end() :] + behind):
                    return True
        if self._links is None:
            return False
        before, after = _SPACE.split(self._tail)[-1], _SPACE.split(behind)[0]
        text = _TAG.sub(HIDDEN, out)
        leads = leads_in(before + text + after) - leads_in(before) - leads_in(after)
        label = (before.endswith(("![", "][")) and after.startswith("]")) or (
            before.endswith("!") and after.startswith(("(", "["))
        )
        return label or bool(leads - self._hosts or _MARKUP.search(text))

    def _leads_away(self, behind: str) -> bool:
        """Return whether an address goes on, over spaces maybe, that leads where nobody has named."""
        if self._links is None:
            return False
        links = copy(self._links)
        links.advance(_TAG.sub(HIDDEN, self._tail))
        return links.foreign(behind, addressable=False)

    def _moved_back(self, source: str) -> str:
        """Return a formula with the moved dates in it moved back: what is reckoned at home needs the real ones."""
        if self._reckoner.conversation.shift is None:
            return source
        from gama.tools.placeholders.shifted import formulas_moved_back

        return formulas_moved_back(source, self._reckoner.conversation).get(source, source)

    def _in_address(self, before: str, behind: str) -> bool:
        """Return whether an address goes on, or begins, between what stands before and behind; whosoever it is."""
        links = Links(frozenset(), in_json=self._in_json)
        run = _SPACE.split(self._tail + before)[-1]
        # The user's own address is one, too.
        links.advance(_TAG.sub(lambda tag: "https://own.invalid/" if tag[1] == "url" else HIDDEN, run))
        return links.foreign(behind, addressable=False)

    def as_they_stood(self, done: Restored) -> tuple[tuple[Edit, ...], tuple[tuple[int, int], ...]]:
        """Return edits and places of a restored text: a formula is one edit, and offsets are those of the reply."""
        out: list[tuple[Edit, tuple[int, int]]] = []
        pairs = list(zip(done.edits, done.places, strict=True))
        ends = [edit.end for edit in done.edits]

        def placed(at: int) -> int:
            """Return where a place between two values stands in the restored text."""
            count = bisect_right(ends, at)
            return at if not count else pairs[count - 1][1][1] + at - ends[count - 1]

        moved = at = 0
        for span in self.spans:
            while at < len(pairs) and pairs[at][0].start < span.new_start:
                edit, place = pairs[at]
                out.append((edit._replace(start=edit.start + moved, end=edit.end + moved), place))
                at += 1
            inner = pairs[at : bisect_right(ends, span.new_end)]
            at += len(inner)
            moved = span.end - span.new_end
            if not (inner or self._unknown_stay):
                continue
            start = inner[0][1][0] - inner[0][0].start + span.new_start if inner else placed(span.new_start)
            place = (start, placed(span.new_end))
            out.append((Edit(span.start, span.end, done.text[slice(*place)]), place))
        out += [(edit._replace(start=edit.start + moved, end=edit.end + moved), place) for edit, place in pairs[at:]]
        return tuple(edit for edit, _ in out), tuple(place for _, place in out)


class ReckoningRestorer(StreamRestorer):
    """Restores a text that arrives in chunks, its formulas evaluated first."""

    def __init__(self, reckoner: Reckoner, how: Restoring, watch: Watch | None = None) -> None:
        """Start a stream."""
        super().__init__(reckoner.box, how, watch)
        self._formulas = Formulas(reckoner, how, watch)

    @property
    def held(self) -> str:
        """What has come and may still become a placeholder or a formula."""
        return super().held + self._formulas.held

    @property
    def unresolved(self) -> list[str]:
        """What read as a placeholder and was none of the box's, and formulas that gave nothing, with the reason."""
        return [*super().unresolved, *self._formulas.unreckoned]

    @property
    def unreckoned(self) -> list[str]:
        """Formulas that gave nothing, and why."""
        return self._formulas.unreckoned

    def feed(self, chunk: str) -> str:
        """Take a chunk in and return what can be given out now."""
        return super().feed(self._formulas.feed(chunk))

    def close(self) -> str:
        """Return the rest."""
        return super().feed(self._formulas.close()) + super().close()


def _unsure(behind: str) -> bool:
    """Return whether more of what stands behind a formula must be known: whether an address goes on, or a full stop."""
    return behind == "." or undecided(behind, 0)


def tell(text: str, box: PrivacyBox, region: str | None = None) -> str:
    """Return the lines that tell the model of formulas; from then on those in its replies are evaluated.

    Args:
        text: the anonymized text that is about to leave.
        box: its box, which remembers that the model was told.
        region: the country of the text, where that is known.

    Returns:
        The lines, or an empty text where there is nothing to reckon with.
    """
    values = values_of(box)
    if not instructions(values):
        return ""
    context = context_of(remap_text(text, box, "strict", traced=False).text, region)
    box.formulas = True
    box.locale = context.locale
    return instructions(values, kinds_in(text, values, context))


def braces_in(text: str) -> set[str]:
    """Return digests of what stands in double braces in a text, as it is and as it reads in a string of JSON."""
    found = set[str]()
    for form in (text, unescaped(text)) if '\\"' in text else (text,):
        at = -2
        while (at := form.find("{{", at + 2)) >= 0:
            end = closing(form, at)
            if end is not None and end > 0:
                found.add(_digest(form[at:end]))
    return found


def _digest(source: str) -> str:
    """Return the digest of what stands in double braces, whatever spaces are in it."""
    plain = re.sub(r"\s+", "", source.replace("&lt;", "<").replace("&gt;", ">"))
    return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()[:24]


class Trial(NamedTuple):
    """What became of the formulas of a reply on trial; it depends on kinds and units, on no value."""

    errors: tuple[FormulaError, ...] = ()
    """What is wrong, for the model that wrote them."""
    sound: int = 0
    """How many formulas nothing is wrong with."""

    def is_worse_than(self, other: "Trial") -> bool:
        """Return whether more is wrong than in another, or less is sound: formulas were lost."""
        return len(self.errors) > len(other.errors) or self.sound < other.sound


def try_formulas(reply: str, box: PrivacyBox, text: str, sent: str, region: str | None) -> Trial:
    """Try the formulas of a reply; see `Pipeline.try_formulas`."""
    values = values_of(box)
    errors = check(reply, values, context_of(text, region), quoted=sent)
    faulty = {error.formula for error in errors}
    found = find_formulas(reply, values, quoted=sent)
    return Trial(tuple(errors), sum(formula.source not in faulty for formula in found))
