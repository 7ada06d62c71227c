"""Fusion of the two views (GAMA Eq. 3): e = (v1 ∩ v2) ∪ S((v1 ∪ v2) − (v1 ∩ v2)).

What both views found is kept. What only one found goes to the settling function S, which returns
a part of it: an agent, the rules, everything (`union`) or nothing (`intersection`).
"""

import math
import random
import re
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Literal, NamedTuple

import regex

from gama.models.shipped import word_vectors
from gama.privacy.agents import settle_by_agent
from gama.privacy.finders import Complete
from gama.privacy.identify import PRIVATE, is_in_title, threshold
from gama.privacy.names import asks_something, words_of_name
from gama.privacy.relations import CHAT, has_chores, is_related, sentence_around
from gama.state.entities import Entity, Span, Spread, View, apart, meets
from gama.state.options import Options
from gama.tools.knowledge.index import (
    is_asked_about,
    is_famous,
    is_forename,
    is_known,
    is_ordinary,
    is_worldly,
    may_be_forename,
)
from gama.tools.tables import late

Settle = Callable[[list[Span]], list[Span]]


class Fused(NamedTuple):
    """The outcome of a fusion: what is private, and what only one view found and S let go."""

    private: list[Span]
    agreed: frozenset[tuple[int, int]]
    """Places on which both views agreed."""
    rejected: list[Span]


class Floored(NamedTuple):
    """A fusion under which nothing is let go that the embedded detectors hide."""

    fused: Fused
    note: str
    """What a private LLM would have let go, by kind and without values; empty where nothing."""


def fuse(v1: Sequence[Span], v2: Sequence[Span], text: str, settle: Settle) -> Fused:
    """Apply Eq. 3. The outcome does not depend on which view is called first, but for types (the PIA's win).

    Args:
        v1: the PNER view, without overlaps.
        v2: the PIA view, without overlaps.
        text: the text both looked at.
        settle: S: gets what only one view found, returns a part of it; anything else it returns is dropped.
    """
    agreed: list[Span] = []
    left2: list[Span] = []
    # Spans that share nothing are never the same; of several that are, the first of its view is taken.
    order, taken, spread = {span: at for at, span in reversed(list(enumerate(v1)))}, set[Span](), Spread(v1)
    for second in sorted(v2):
        near = sorted(spread.met(second.start, second.end), key=order.__getitem__)
        first = next((span for span in near if span not in taken and same_entity(span, second, text)), None)
        if first is None:
            left2.append(second)
        else:
            taken.add(first)
            agreed.append(merge(first, second))
    difference = sorted([*(span for span in v1 if span not in taken), *left2])
    only = set(difference)
    chosen = [span for span in settle(list(difference)) if span in only]
    private, settled = apart(chosen, agreed), set(chosen)
    return Fused(private, frozenset((s.start, s.end) for s in agreed), [s for s in difference if s not in settled])


def with_parts(fused: Fused, text: str) -> Fused:
    """Take back what S let go where it is a part of a private name: of "Paul Federer", no "Federer" leaves.

    Not in a title: whoever is called Margarita, `The Master and Margarita` is a book. Taken back, too, is a part that
    stands alone and that no finder has seen there; where a sentence begins, an ordinary word is none.
    """
    whole = [span for span in fused.private if span.subtype == "full_name"]
    parts = {word for span in whole for word in words_of_name(text[span.start : span.end])}
    back = [
        span
        for span in fused.rejected
        for surface in (text[span.start : span.end],)
        if surface in parts
        and (span.type == "PER" or may_be_forename(surface))
        and not (span.private == 0.0 and is_in_title(text, span))
    ]
    forenames = {word for span in whole for word in words_of_name(text[span.start : span.end])[:-1]}
    mine = [_called(span, text[span.start : span.end], forenames) for span in fused.private]
    private = apart([*back, *_unseen(text, fused, whole)], mine)
    return Fused(private, fused.agreed, [span for span in fused.rejected if span not in back])


def _called(span: Span, surface: str, forenames: AbstractSet[str]) -> Span:
    """Return a span as a forename where it is one of somebody in the text, and no place or language that is known."""
    mistaken = span.type in ("LOC", "ORG") or span.subtype in ("language", "nationality")
    if span.validated or not mistaken or surface not in forenames or is_known(surface, "LOC"):
        return span
    return span._replace(type="PER", subtype="first_name")


# Accepts a capitalised word alone: `felt: "Assunta" 80`, `Bonacorsi. Ersilia giura`. Refuses what another name goes
# before or follows.
_ALONE = late(
    regex.compile,
    r"(?:(?<=[\p{Ll},:;] )|(?P<begins>(?<=^|[.!?…]\s{1,2}|\n[ \t]{0,8}(?:[-–•*>|] ?)?)))[\"“«„(]?"
    r"(?P<name>\p{Lu}\p{Ll}{3,})(?![\w’'-]| \p{Lu})",
)


_WRITTEN = re.compile(r"(?<!\w)[^\W\d_]+(?!\w)")


def _unseen(text: str, fused: Fused, whole: Sequence[Span]) -> list[Span]:
    """Return the parts of private full names that stand alone where no finder has seen them, ordinary words aside."""
    parts: dict[str, Literal["first_name", "last_name"]] = {}
    for span in whole:
        *before, last = words_of_name(text[span.start : span.end])
        parts[last] = "last_name"
        parts.update((word, "first_name") for word in before)
    found = []
    seen = Spread((*fused.private, *fused.rejected))
    written = set(_WRITTEN.findall(text)) if parts else set()
    for match in _ALONE.finditer(text) if parts else ():
        start, end = match.span("name")
        subtype = parts.get(match["name"])
        if (
            subtype is None
            or seen.met(start, end)
            or (match["begins"] is not None and match["name"].lower() in word_vectors())
        ):
            continue
        if match["name"].lower() not in written:
            found.append(Span(start, end, "PER", subtype, 0.9, "pner", PRIVATE, source="part"))
    return found


def with_sums(fused: Fused, text: str) -> Fused:
    """Take back money that a pattern alone sees beside a private person or body, in a text that asks nothing.

    It is theirs, or owed to them: `Die Müller KG schuldet uns 4.300 Euro`.
    """
    if asks_something(text):
        return fused
    owners = Spread([one for one in fused.private if one.type in ("PER", "ORG")])
    back = [
        span
        for span in fused.rejected
        if span.source == "money" and span.private is None and owners.within(*sentence_around(text, span))
    ]
    if not back:
        return fused
    private = apart(back, fused.private)
    return Fused(private, fused.agreed, [span for span in fused.rejected if span not in back])


def same_entity(one: Span, other: Span, text: str) -> bool:
    """Return whether two spans mean the same mention: IoU of at least one half and compatible types."""
    if one.type != other.type and not {one.type, other.type} <= {"PER", "ORG", "LOC", "CODE"}:
        return False
    shared = min(one.end, other.end) - max(one.start, other.start)
    joint = max(one.end, other.end) - min(one.start, other.start)
    return shared > 0 and 2 * shared >= joint


def merge(first: Span, second: Span) -> Span:
    """Join two spans of one mention: the longer stretch, the PIA's type unless a library validated the other's."""
    longer = first if first.end - first.start >= second.end - second.start else second
    typed = first if first.validated else second
    return longer._replace(
        type=typed.type,
        subtype=typed.subtype,
        score=max(first.score, second.score),
        private=max(first.private or 0.0, second.private or 0.0) or None,
        validated=first.validated or second.validated,
        view=first.view,
        source=first.source,
    )


def settling(options: Options, text: str, complete: Complete | None) -> Settle:
    """Return S as the options choose it: an agent of the private LLM, the rules, everything or nothing.

    Args:
        options: `fusion`, and the thresholds.
        text: the raw text.
        complete: the private LLM, or None.
    """
    mode = options.fusion if options.fusion != "auto" else ("agent" if complete else "rule")
    if mode == "union":
        return lambda spans: spans
    if mode == "intersection":
        # A validated pattern is never voted away, whatever the mode.
        return lambda spans: [span for span in spans if span.validated]
    if mode == "agent" and complete is not None:
        return lambda spans: settle_by_agent(complete, text, spans)
    return settling_by_rule(text, options)


def with_floor(fused: Fused, views: tuple[Sequence[Span], Sequence[Span]], text: str, options: Options) -> Floored:
    """Return a fusion in which all is hidden that is hidden without a private LLM: it adds, and takes nothing.

    Under `fusion="agent"` it may take what the embedded detectors are not sure of, as in the paper.

    Args:
        fused: the outcome with the private LLM.
        views: the two views without it.
        text: the text that all looked at.
        options: `fusion`, and the thresholds.
    """
    from gama.state.policy import PROTECTED

    if options.fusion == "intersection":
        return Floored(fused, "")
    private, held = list(fused.private), []
    for span in fuse(*views, text, settling_by_rule(text, options)).private:
        if options.fusion == "agent" and not _is_evident(span, text, options):
            continue
        met = [one for one in private if meets(one, span)]
        start, end = min(one.start for one in (span, *met)), max(one.end for one in (span, *met))
        covers = any((one.start, one.end) == (start, end) for one in met)
        if covers and (span.subtype not in PROTECTED or met[0].subtype in PROTECTED):
            continue
        # A model that takes a name for a date would have a query show it.
        typed = next((one for one in (span, *met) if one.subtype in PROTECTED), span)
        private = [*(one for one in private if one not in met), typed._replace(start=start, end=end)]
        held += [] if met else [span.subtype.replace("_", " ")]
    spread = Spread(private)
    rejected = [span for span in fused.rejected if not spread.met(span.start, span.end)]
    note = (
        f"The private model would have let {len(held)} span(s) leave that the detectors hold for private "
        f"({', '.join(sorted(set(held)))}): they are hidden. Name what may leave with the option allow or keep."
    )
    return Floored(Fused(sorted(private), fused.agreed, rejected), note if held else "")


EVIDENT = 0.9
"""From this probability of being private on the embedded tagger's judgement stands against the paper's agent."""


def _is_evident(span: Span, text: str, options: Options) -> bool:
    least = max(EVIDENT, threshold(span, options))
    code = span.view == "regex" and span.type == "CODE" and (span.private is None or span.private >= least)
    return span.validated or code or (span.private or 0.0) >= least or _speaks_of_itself(text, span)


def settling_by_rule(text: str, options: Options) -> Settle:
    """Return S by the rules, whatever the options choose."""
    return lambda spans: settle_by_rule(text, spans, options)


def settle_by_rule(text: str, spans: Sequence[Span], options: Options | None = None) -> list[Span]:
    """Keep codes of patterns, what was judged private, names in a salutation, signature or self-description.

    In a short line, and in a text that asks nothing, a name that is not famous is kept as well unless its context says
    clearly that it is public; a short line that asks nothing tells too little for that. So is a name that was judged by
    nobody, unless the index of public knowledge has it; a famous full name explains its parts further on, a famous
    surname no other bearer of it.
    """
    chosen = options or Options()
    names = [text[span.start : span.end] for span in spans if span.subtype == "full_name"]
    famous = [frozenset(name.split()) for name in names if is_famous(name)]
    short = len(text) <= PLAIN
    least = 0.0 if short and "?" not in text else CLEARLY_PUBLIC if short or not asks_something(text) else math.inf

    def stays(span: Span) -> bool:
        if (
            _sure(span, chosen)
            or _speaks_of_itself(text, span)
            or _is_acquaintance(text, span)
            or is_related(text, span)
            or (span.subtype in _NAMES and _may_be_met(text, span) and has_chores(text, span))
        ):
            return True
        name = text[span.start : span.end]
        if span.private is None:
            named = span.view == "pner" and span.source and span.type in ("PER", "LOC", "ORG")
            return bool(named) and not is_known(name, span.type) and not _same(name, famous)
        # In a line of a chat Maria is no saint.
        somebody = span.subtype == "first_name" and len(text) <= CHAT and is_forename(name)
        known = is_famous(name) and not somebody
        return 0.0 < span.private >= least and span.subtype in _NAMES and not known and not _same(name, famous)

    return [span for span in spans if stays(span)]


def _may_be_met(text: str, span: Span) -> bool:
    """Return whether whoever is named beside a chore may be somebody: famous, or not surely a figure of a story."""
    return span.private is None or span.private >= CHORED or is_famous(text[span.start : span.end])


CHORED = 0.1
"""Below this probability of being private a name that nobody knows is none of the writer's people."""
CLEARLY_PUBLIC = 0.012
"""Below this probability of being private a name that nobody knows is public all the same (a figure in a story)."""
PLAIN = 100
"""Longest text, in characters, that is too short to tell of whom it speaks; a question tells by what it asks."""


def _is_acquaintance(text: str, span: Span) -> bool:
    """Return whether a line of a chat names somebody as one names people one knows.

    A name that many bear (Daniel Jones) is a private person's although somebody famous bears it too, unless what
    stands around it speaks of the world.
    """
    if (
        span.private == 0.0
        or len(text) > CHAT
        or span.subtype != "full_name"
        or not is_ordinary(text[span.start : span.end])
    ):
        return False
    return not (is_worldly(text, span.start, span.end) or is_asked_about(text, span.start, span.end))


_NAMES = frozenset(("full_name", "first_name", "last_name"))


def _same(name: str, famous: Sequence[frozenset[str]]) -> bool:
    """Return whether a name is a shorter or a longer form of one of the famous full names of its text."""
    words = frozenset(name.split())
    return any(words <= one or one <= words for one in famous)


def _sure(span: Span, options: Options) -> bool:
    least = threshold(span, options)
    if span.validated or (span.private or 0.0) >= least:
        return True
    return span.view == "regex" and span.type == "CODE" and (span.private is None or span.private >= least)


# Accepts what stands before a name in a salutation ("Dear Mr "), a signature ("Kind regards,\n") or a
# self-description ("my name is ", "I live in ", "I work for "), at the end of the text before the span.
_BEFORE = re.compile(
    r"(?:\b(?:dear|hi|hello|hey)\s+(?:(?:mr|mrs|ms|miss|mx|dr|prof|sir|madam)\.?\s+)?"
    r"|\b(?:regards|sincerely|faithfully|truly|wishes|thanks|cheers|yours|love|greetings)\s*[,.!]?\s*\n\s*(?:[-–]\s*)?"
    r"|\b(?:my name is|my name's|i am called|call me|this is|signed)[:,]?\s+"
    r"|\b(?:i|we)(?:['’]m|\s+am|\s+are|['’]re|\s+live|\s+work|\s+moved|\s+study|\s+come)"
    r"(?:\s+(?:in|from|at|for|with|to|near|part of|a member of)(?:\s+the)?)?\s+)$",
    re.IGNORECASE,
)


def _speaks_of_itself(text: str, span: Span) -> bool:
    before = text[max(0, span.start - 60) : span.start]
    if span.type == "ORG" and span.private == 0.0 and before.casefold().endswith("dear "):
        return False  # A firm that all the world knows, see `gama.privacy.called`.
    return span.type in ("PER", "LOC", "ORG") and bool(_BEFORE.search(before))


def to_entities(text: str, fused: Fused, options: Options) -> list[Entity]:
    """Turn fused spans into mentions; what was let go is listed as not private."""
    fused = with_parts(fused, text)
    if options.private_model is None and options.fusion in ("auto", "rule"):
        fused = with_sums(fused, text)
    entities = [
        _entity(text, span, private=True, both=(span.start, span.end) in fused.agreed) for span in fused.private
    ]
    private = Spread(entities)
    entities += [
        _entity(text, span, private=False, both=False)
        for span in fused.rejected
        if not private.met(span.start, span.end)
    ]
    entities = _hide_at_random(entities, options)
    return apply_lists(text, entities, options)


def _entity(text: str, span: Span, *, private: bool, both: bool) -> Entity:
    views: list[View] = [span.view] if span.view != "pia" else []
    if both or span.view == "pia":
        views.append("pia")
    if not both and private:
        views.append("fusion")
    given: dict[str, Any] = {"views": tuple(views), "score": span.score, "private": private}
    return Entity.at(text, span.start, span.end, span.subtype, **given)


def _hide_at_random(entities: list[Entity], options: Options) -> list[Entity]:
    """Hide a share of the public persons, so that what is hidden does not tell who is private (spec §1.3.3)."""
    if not options.contextual_random_rate:
        return entities
    dice = random.Random(options.seed)
    out = []
    for entity in entities:
        if not entity.private and entity.type == "PER" and dice.random() < options.contextual_random_rate:
            words = entity.text.split()
            text = words[0] if options.contextual_scope == "first_token" and words else entity.text
            change = {"text": text, "end": entity.start + len(text), "views": (*entity.views, "fusion")}
            entity = entity.model_copy(update={"private": True} | change)
        out.append(entity)
    return out


def apply_lists(text: str, entities: list[Entity], options: Options) -> list[Entity]:
    """Apply the user's own choices: what must never leave, what is never private, and which types stay."""
    allowed = stand(text, options.allow)
    kept = [
        entity.model_copy(update={"private": False})
        if any(start <= entity.start and entity.end <= end for start, end in allowed)
        or not {entity.type, entity.subtype}.isdisjoint(options.keep)
        else entity
        for entity in entities
    ]
    return hide_denied(text, kept, options)


def stand(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """Return where words stand in a text, in any case and joined to no letter or digit."""
    found = [re.escape(word.strip()) for word in words if word.strip()]
    return [
        match.span() for word in found for match in re.finditer(rf"(?<![^\W_]){word}(?![^\W_])", text, re.IGNORECASE)
    ]


def hide_denied(text: str, entities: list[Entity], options: Options) -> list[Entity]:
    """Hide what the option `deny` names, wherever it stands."""
    kept = entities
    for word in sorted(options.deny, key=len, reverse=True):
        if not word.strip():
            continue
        for match in re.finditer(re.escape(word.strip()), text, re.IGNORECASE):
            start, end = match.span()
            if any(e.private and e.start <= start and end <= e.end for e in kept):
                continue
            kept = [e for e in kept if e.end <= start or end <= e.start]
            kept.append(Entity.at(text, start, end, "other_id", views=("user",)))
    return sorted(kept, key=lambda entity: entity.start)
