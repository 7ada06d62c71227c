"""Replacing (GAMA Eq. 5): texts are mapped with the whole box until none shows a value of it in any form."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from gama.guard.folding import fold, text_bytes
from gama.guard.search import Automaton, Guard
from gama.privacy.box import PrivacyBox
from gama.privacy.decide import by_person, cut, left_in_clear, namesakes, things, titles
from gama.privacy.fuse import fuse, settling_by_rule, stand, to_entities
from gama.privacy.identify import embedded_view, first_view
from gama.privacy.link import link
from gama.privacy.question import by_columns
from gama.state.box import Bijection
from gama.state.entities import Entity, Span, Spread, meets
from gama.state.errors import LeakError
from gama.state.options import Options
from gama.tools.placeholders.boundaries import boundary
from gama.tools.placeholders.grammar import find_tokens
from gama.tools.placeholders.mapping import Mapped, map_text, place, protect_literals, protect_surrogates
from gama.tools.placeholders.surrogates import find_surrogates

LOOKS = 12
"""How often texts are looked at again before the run stops."""

SURE = 0.9
"""Least score, and least probability of being private, of what the second look adds."""

CONFIRMED = 0.8
"""The same for what the first look had doubted."""


@dataclass
class Passage:
    """A text on its way out, alone or as one of many that share a box."""

    text: str
    found: list[Entity] = field(default_factory=list, repr=False)
    """Its mentions, private or not."""
    protected: list[tuple[int, int]] = field(default_factory=list, repr=False)
    """Stretches that look like placeholders, or are surrogates, by chance."""
    late: list[Entity] = field(default_factory=list, repr=False)
    """Mentions that only a second look found: they are taken in once what was found first is settled."""
    within: Callable[[Sequence[Entity]], list[Entity]] | None = None
    """Cuts mentions at bounds inside the text that no value reaches over."""
    mapped: Mapped = Mapped("", ())
    """What the text was mapped to last."""
    quiet: bool = False
    """Whether that showed no value of the box."""

    def enter(self, box: PrivacyBox) -> None:
        """Give what is hidden in the text its places in the box; what looks like a placeholder is protected first."""
        if box.shift is not None:
            self.found = self._with_whole_dates(box.shift.locale)
        hidden = [entity for entity in self.found if entity.hidden]
        self.protected = [*protect_literals(self.text, box, hidden), *protect_surrogates(self.text, box, hidden)]
        box.register(hidden)

    def add(self, more: Sequence[Entity]) -> None:
        """Take further private mentions in, in the place of public ones that they meet."""
        taken = Spread(more)
        kept = [e for e in self.found if e.hidden or not taken.met(e.start, e.end)]
        self.found = sorted([*kept, *more], key=lambda entity: entity.start)

    def map(self, box: PrivacyBox, options: Options) -> None:
        """Map the text with the whole box."""
        spans = [*((e.start, e.end) for e in self.found if e.hidden), *self.protected]
        mapped = map_text(self.text, box, spans, ignore_case=options.ignore_case)
        if box.shift is not None:
            from gama.tools.placeholders.shifted import keep_clear

            keep_clear(box, mapped.text, mapped.placed)
        self.mapped = place(self.text, mapped, box)

    def mentions(self, box: PrivacyBox) -> list[Entity]:
        """Return the mentions, of which those that are hidden are the very stretches that Map has replaced.

        Further places of their values come in; of a mention that lost to a longer one, or meets such a place, what is
        beside it stays.
        """
        found = {(one.start, one.end): one for one in reversed(self.found) if one.hidden}
        hidden: list[Entity] = []
        for start, end, _ in self.mapped.pieces:
            entry = box.entry(self.text[start:end])
            if entry is not None and entry.kind != "literal":
                given: dict[str, Any] = {"subject": entry.subject, "views": ("fusion",)}
                hidden.append(found.get((start, end)) or Entity.at(self.text, start, end, entry.subtype, **given))
        places = [(one.start, one.end) for one in hidden]
        starts = [start for start, _ in places]
        out = list(hidden)
        for entity in self.found:
            before = max(0, bisect_right(starts, entity.start) - 1)
            met = [one for one in places[before : bisect_left(starts, entity.end)] if one[1] > entity.start]
            if met != [(entity.start, entity.end)]:
                out += cut(entity, met) if met else [entity]
        return sorted(out, key=lambda entity: entity.start)

    def _with_whole_dates(self, locale: str) -> list[Entity]:
        """Return the mentions, hidden dates with the rest of what they are a part of: `12 to 16 May 2025`."""
        from gama.tools.placeholders.shifted import SUBTYPES, whole_dates

        found = list(self.found)
        for entity in self.found:
            if not entity.hidden or entity.subtype not in SUBTYPES or by_person(entity):
                continue
            start, end = whole_dates(self.text, locale, entity.start, entity.end)
            whole = Entity.at(self.text, start, end, entity.subtype, **entity.model_dump(include={"views", "score"}))
            met = [one for one in found if meets(one, whole)]
            loose = all(one.subtype in SUBTYPES and one.hidden and not by_person(one) for one in met)
            if loose and (self.within is None or self.within([whole]) == [whole]):
                found = [one for one in found if one not in met] + [whole]
        return sorted(found, key=lambda entity: entity.start)


class _New:
    """What has come into a box since a text was last mapped."""

    def __init__(self, box: PrivacyBox, seen: int) -> None:
        """Take the entries from a number on."""
        entries = box.entries[seen:]
        self._as_written = Automaton([entry.surface for entry in entries])
        self._in_any_form = Guard([e.surface for e in entries if e.kind != "literal"], (), box.placeholders())

    def meets(self, passage: Passage) -> bool:
        """Return whether any of it stands in a text, so that it has to be mapped anew."""
        if self._as_written.find(text_bytes(passage.text)):
            return True
        return bool(self._in_any_form.find(passage.mapped.text))


def settle(passages: Sequence[Passage], box: PrivacyBox, options: Options, fixed: Sequence[str] = ()) -> Guard:
    """Map all texts with the whole box until none shows a value of any of them in another form.

    Values of the box that still stand there in another form (other case, spacing, script) are given placeholders of
    their own. What a person lets leave, and what a query needs, stays as it is.

    Args:
        passages: the texts; their mentions and what they are mapped to are brought up to date.
        box: the box, which grows, with the writer of its placeholders set.
        options: whether other case counts.
        fixed: our own texts in which a value may stand by chance; see `Guard`.

    Returns:
        The guard of the box as it is then.

    Raises:
        LeakError: a value is still shown after `LOOKS` looks.
    """
    # What a person allows stays whole, whoever has a part of it for a name.
    allowed = {passage.text[start:end] for passage in passages for start, end in stand(passage.text, options.allow)}
    seen = 0
    for _ in range(LOOKS):
        mentions = [entity for passage in passages for entity in passage.found]
        titled = {title for passage in passages for title in titles(passage.text, passage.found, box)}
        titled |= {thing for passage in passages for thing in things(passage.text, passage.found)}
        box.kept = sorted(left_in_clear(mentions) | namesakes(mentions, box) | titled | allowed)
        guard, size, quiet = box.guard(fixed), len(box), True
        new = _New(box, seen) if seen and not options.ignore_case else None
        seen = size
        for passage in passages:
            if passage.quiet and new is not None and not new.meets(passage):
                continue
            passage.map(box, options)
            more = other_forms(passage.text, passage.mapped.text, box, passage.found, guard)
            if passage.within is not None:
                more = passage.within(more)
            passage.quiet = not more
            if more:
                passage.add(more)
                box.register(more)
                quiet = False
        if quiet and not any(passage.late for passage in passages):
            return guard if len(box) == size else box.guard(fixed)
        for passage in passages if quiet else ():
            more, passage.late = link(passage.text, passage.late, box), []
            passage.add(more)
            passage.quiet = passage.quiet and not more
            box.register(more)
    raise LeakError(
        f"After {LOOKS} looks the text about to leave still had private values in it. Nothing was sent. "
        "Name them with the option deny, or shorten the text."
    )


class Replaced(NamedTuple):
    """An anonymized text with its box and every mention, those found by the second look too."""

    text: str
    box: PrivacyBox
    entities: list[Entity]
    late: list[Entity]
    """Those that only the second look found."""


def irreversible_notes(entities: Sequence[Entity], box: Bijection) -> list[str]:
    """Say which values cannot be restored, by kind, without the values."""
    lost: dict[str, set[str]] = {}
    for entity in entities:
        entry = box.entry(entity.text) if entity.hidden else None
        if entry is not None and not entry.reversible:
            lost.setdefault(entry.placeholder, set()).add(entry.surface)
    if not lost:
        return []
    told = ", ".join(f"{len(values)} as {shown}" for shown, values in sorted(lost.items()))
    return [f"Irreversible by choice, no restoring brings these values back: {told}."]


def other_forms(
    text: str, mapped: str, box: PrivacyBox, found: Sequence[Entity], guard: Guard | None = None
) -> list[Entity]:
    """Find values of the box that stand in the mapped text in another form, and name them in the original.

    Args:
        text: the original text.
        mapped: the text as the box maps it.
        box: the box.
        found: mentions that are known already.
        guard: of the box, where several texts are searched for the same one.
    """
    hits = (guard or box.guard()).find(mapped)
    out = _other_dates(text, mapped, box) if box.shift is not None else []
    hidden = Spread([known for known in found if known.hidden])
    for hit in hits:
        surface = mapped[hit.start : hit.end]
        entry = box.private_entry(hit.value)
        # A form that stands as a word is hidden where it stands as a word, not inside others.
        whole = _is_word(mapped, hit.start, hit.end)
        found_at = [m.start() for m in re.finditer(re.escape(surface), text)]
        places = [at for at in found_at if not whole or _is_word(text, at, at + len(surface))]
        given: dict[str, Any] = {"subject": entry.subject, "views": ("fusion",)}
        more = [Entity.at(text, at, at + len(surface), entry.subtype, **given) for at in places]
        out += [one for one in more if not hidden.met(one.start, one.end)]
    return out


def _other_dates(text: str, mapped: str, box: PrivacyBox) -> list[Entity]:
    """Find real days of moved dates that stand in the mapped text in another notation: they would tell all others."""
    from gama.tools.placeholders.shifted import moved_dates

    out: list[Entity] = []
    for start, end in moved_dates(box).twins(mapped):
        surface = mapped[start:end]
        if surface not in box.kept and box.shown(surface) is None:
            places = (match.span() for match in re.finditer(re.escape(surface), text))
            out += [Entity.at(text, *place, "date", views=("fusion",)) for place in places]
    return out


def _is_word(text: str, start: int, end: int) -> bool:
    return boundary(text, start) and boundary(text, end)


class Shown(NamedTuple):
    """An anonymized text as the detectors read it again: one sign for each placeholder."""

    text: str
    tokens: list[tuple[int, int]]
    """Where the placeholders stand."""


def shown(mapped: str, box: PrivacyBox) -> Shown:
    """Cover the placeholders up: a text full of them is not what the tagger was trained on."""
    tokens = [(token.start, token.end) for token in find_tokens(mapped)]
    tokens += [(found.start, found.end) for found in find_surrogates(mapped, box)]
    signs = list(mapped)
    for start, end in tokens:
        signs[start:end] = "X".ljust(end - start)
    return Shown("".join(signs), tokens)


def unsettled(passage: Passage, doubts: Sequence[tuple[int, int]] | None) -> list[tuple[int, int]] | None:
    """Return where in a mapped text a doubt of the first look stands that nothing has settled.

    A word is settled that was hidden since, or judged public.

    Args:
        passage: the text, mapped.
        doubts: stretches of the original text; None where nobody told them, and all has to be read again.
    """
    if doubts is None:
        return None
    open_ = bytearray(len(passage.text))
    for start, end in doubts:
        open_[start:end] = b"\1" * (end - start)
    for entity in passage.found:
        open_[entity.start : entity.end] = bytes(entity.end - entity.start)
    left, at = bytearray(), 0
    for piece in passage.mapped.pieces:
        left += open_[at : piece.start] + bytes(len(piece.placeholder))
        at = piece.end
    left += open_[at:]
    if len(left) != len(passage.mapped.text):
        return None
    return [match.span() for match in re.finditer(b"\1+", left)]


class _Place(NamedTuple):
    start: int
    end: int


def _places(stretches: Iterable[tuple[int, int]]) -> Spread[_Place]:
    return Spread([_Place(*one) for one in stretches])


def missed(
    passage: Passage | None,
    mapped: str,
    seen: Shown,
    spans: Sequence[Span],
    known: Sequence[Entity],
    options: Options,
    sure: float = SURE,
) -> list[Entity]:
    """Return what the detectors find in a text that is about to leave: only what they are sure of counts here.

    What the first look saw and judged public stays public; placeholders are no finds.

    Args:
        passage: the text on its way, in whose original the finds are named; None names them in the anonymized one.
        mapped: the anonymized text.
        seen: the same as the detectors read it.
        spans: what they found in it.
        known: the mentions of the first look.
        options: how the views are read.
        sure: least score, and least probability of being private, of a find.
    """
    public = {fold(e.text) for e in known if not e.hidden}
    kept = [m.span() for word in left_in_clear(known) for m in re.finditer(re.escape(word), mapped, re.IGNORECASE)]
    clear = _places(kept)
    fused = fuse(
        first_view(spans, options), embedded_view(spans, options), seen.text, settling_by_rule(seen.text, options)
    )
    fused = fused._replace(private=[span for span in fused.private if _is_sure(span, sure)])
    out = []
    found = to_entities(seen.text, fused, options.model_copy(update={"contextual_random_rate": 0.0}))
    spread, tokens = Spread(found), _places(seen.tokens)
    for entity in by_columns(seen.text, found, options=options):
        if not spread.met(entity.start, entity.end):
            continue  # What a column has beside what is seen, the first look has decided.
        overlaps = tokens.met(entity.start, entity.end)
        if not entity.private or overlaps or fold(entity.text) in public or not fold(entity.text):
            continue
        touched = [(one.start, one.end) for one in clear.met(entity.start, entity.end)]
        for piece in cut(entity, touched) if touched else [entity]:
            at = piece.start if passage is None else passage.mapped.origin(piece.start, piece.end)
            if at is not None and any(map(str.isalnum, piece.text)):
                out.append(piece.model_copy(update={"start": at, "end": at + len(piece.text)}))
    return out


def _is_sure(span: Span, least: float) -> bool:
    return span.validated or (span.score >= least and (span.private or 0.0) >= least)
