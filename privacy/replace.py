"""Anonymization: the box, Map, and a second look at what is about to leave."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from gama.guard.folding import fold
from gama.guard.search import Guard
from gama.nodes.private.space import PrivateSpace
from gama.privacy.decide import cut, left_in_clear
from gama.privacy.fuse import fuse, settle_by_rule, to_entities
from gama.privacy.identify import embedded_pia, pner_view
from gama.privacy.link import link
from gama.state.box import PrivacyBox
from gama.state.entities import TYPE_OF, Entity, Span
from gama.state.errors import LeakError
from gama.state.options import Options
from gama.tools.placeholders.boundaries import boundary
from gama.tools.placeholders.grammar import find_tokens
from gama.tools.placeholders.mapping import map_text, place, protect_literals, protect_surrogates
from gama.tools.placeholders.surrogates import find_surrogates
from gama.tools.styles.writer import write_by_options

LOOKS = 12
"""How often a text is looked at again before the run stops."""


SURE = 0.9
"""Least score, and least probability of being private, of what the second look adds."""


class Anonymized(NamedTuple):
    """An anonymized text with its box and every mention, those found by the second look too."""

    text: str
    box: PrivacyBox
    entities: list[Entity]


def anonymize_text(
    text: str, entities: Sequence[Entity], box: PrivacyBox, space: PrivateSpace, options: Options
) -> Anonymized:
    """Map a text and look at the outcome again (bounded).

    Values of the box that still stand there in another form (other case, spacing, script) are
    given placeholders of their own, and so is what the detectors find on a second look, unless
    the policy is to stop. What a person lets leave stays as it is in this text, and no second look hides it again.

    Raises:
        LeakError: something private is still found after `LOOKS` looks, or on the second look
            under `recheck="stop"`.
    """
    found = list(entities)
    hidden = [e for e in found if e.hidden]
    protected = [*protect_literals(text, box, hidden), *protect_surrogates(text, box, hidden)]
    write_by_options(box, text, options)
    for _ in range(LOOKS):
        private = [e for e in found if e.hidden]
        box.kept = sorted(left_in_clear(found))
        box.register(private)
        spans = [*((e.start, e.end) for e in private), *protected]
        mapped = place(text, map_text(text, box, spans, ignore_case=options.ignore_case), box)
        more = other_forms(text, mapped.text, box, found)
        if not more:
            more = _second_look(text, mapped.text, box, found, space, options)
            if more and options.recheck == "stop":
                raise LeakError(
                    f"The second look found {len(more)} more private span(s) in the text about to leave, and "
                    "the option recheck is 'stop'. Nothing was sent. Use recheck='mask' to have them replaced."
                )
        if not more:
            return Anonymized(mapped.text, box, found)
        found = _with(found, link(text, more, box.entries))
    raise LeakError(
        f"After {LOOKS} looks the text about to leave still had private spans in it. Nothing was sent. "
        "Name them with the option deny, or shorten the text."
    )


def irreversible_notes(result: Anonymized) -> list[str]:
    """Say which values cannot be restored, by kind, without the values."""
    lost: dict[str, set[str]] = {}
    for entity in result.entities:
        entry = result.box.entry(entity.text) if entity.hidden else None
        if entry is not None and not entry.reversible:
            lost.setdefault(entry.placeholder, set()).add(entry.surface)
    if not lost:
        return []
    told = ", ".join(f"{len(values)} as {shown}" for shown, values in sorted(lost.items()))
    return [f"Irreversible by choice, no restoring brings these values back: {told}."]


def remaining(
    anonymized: str, box: PrivacyBox, entities: Sequence[Entity], space: PrivateSpace, options: Options
) -> int:
    """Count the private spans that the detectors find in an anonymized text: the airlock's last question."""
    return len(_second_look(None, anonymized, box, entities, space, options))


def other_forms(
    text: str, mapped: str, box: PrivacyBox, found: Sequence[Entity], guard: Guard | None = None
) -> list[Entity]:
    """Find values of the box that stand in the mapped text in another form, and name them in the original.

    Args:
        text: the original text.
        mapped: the text as the box maps it.
        box: the box.
        found: mentions that are known already.
        guard: `value_guard(box)`, where several texts are searched for the same box.
    """
    hits = (guard or value_guard(box)).find(mapped)
    if not hits:
        return []
    entries = [entry for entry in box.entries if entry.kind != "literal"]
    out: list[Entity] = []
    for hit in hits:
        surface = mapped[hit.start : hit.end]
        entry = entries[hit.value]
        # A form that stands as a word is hidden where it stands as a word, not inside others.
        whole = _is_word(mapped, hit.start, hit.end)
        found_at = [m.start() for m in re.finditer(re.escape(surface), text)]
        places = [at for at in found_at if not whole or _is_word(text, at, at + len(surface))]
        out += [_entity(surface, at, entry.subtype, entry.subject) for at in places if not _covered(at, surface, found)]
    return out


def value_guard(box: PrivacyBox, fixed: Sequence[str] = ()) -> Guard:
    """Return the guard that searches for the values of a box; see `Guard` for what is fixed."""
    values = [entry.surface for entry in box.entries if entry.kind != "literal"]
    return Guard(values, fixed, list(box.placeholders()), box.kept)


def _is_word(text: str, start: int, end: int) -> bool:
    return boundary(text, start) and boundary(text, end)


def _covered(at: int, surface: str, found: Sequence[Entity]) -> bool:
    return any(e.hidden and e.start < at + len(surface) and at < e.end for e in found)


def _second_look(
    text: str | None,
    mapped: str,
    box: PrivacyBox,
    known: Sequence[Entity],
    space: PrivateSpace,
    options: Options,
) -> list[Entity]:
    """Run the embedded detectors over what is about to leave.

    What the first look saw and judged public stays public; placeholders are no finds. A text full
    of placeholders is not what the tagger was trained on: it reads one sign for each, and only what it is sure of
    counts here.
    """
    public = {fold(e.text) for e in known if not e.hidden}
    kept = [m.span() for word in left_in_clear(known) for m in re.finditer(re.escape(word), mapped, re.IGNORECASE)]
    tokens = [(t.start, t.end) for t in find_tokens(mapped)]
    tokens += [(found.start, found.end) for found in find_surrogates(mapped, box)]
    shown = _covered_up(mapped, tokens)
    fused = fuse(
        pner_view(shown, space, options),
        embedded_pia(shown, space, options),
        shown,
        lambda spans: settle_by_rule(shown, spans, options),
    )
    fused = fused._replace(private=[span for span in fused.private if _sure(span)])
    out = []
    for entity in to_entities(shown, fused, options.model_copy(update={"contextual_random_rate": 0.0})):
        overlaps = any(start < entity.end and entity.start < end for start, end in tokens)
        if not entity.private or overlaps or fold(entity.text) in public or not fold(entity.text):
            continue
        touched = [span for span in kept if span[0] < entity.end and entity.start < span[1]]
        for piece in cut(entity, touched) if touched else [entity]:
            at = text.find(piece.text) if text is not None else piece.start
            if at >= 0:
                out.append(piece.model_copy(update={"start": at, "end": at + len(piece.text)}))
    return out


def _covered_up(text: str, stretches: Sequence[tuple[int, int]]) -> str:
    """Return a text of the same length with one letter, and spaces, in the place of each stretch."""
    signs = list(text)
    for start, end in stretches:
        signs[start:end] = "X".ljust(end - start)
    return "".join(signs)


def _sure(span: Span) -> bool:
    return span.validated or (span.score >= SURE and (span.private or 0.0) >= SURE)


def _with(found: list[Entity], more: Sequence[Entity]) -> list[Entity]:
    kept = [e for e in found if e.hidden or not any(e.start < m.end and m.start < e.end for m in more)]
    return sorted([*kept, *more], key=lambda e: e.start)


def _entity(surface: str, at: int, subtype: str, subject: str | None) -> Entity:
    return Entity(
        text=surface, start=at, end=at + len(surface), type=TYPE_OF[subtype], subtype=subtype, subject=subject,
        views=("fusion",),
    )  # fmt: skip
