"""Fusion of the two views (GAMA Eq. 3): e = (v1 ∩ v2) ∪ S((v1 ∪ v2) − (v1 ∩ v2)).

What both views found is kept. What only one found goes to the settling function S, which returns
a part of it: an agent, the rules, everything (`union`) or nothing (`intersection`).
"""

import math
import random
import re
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

from gama.privacy.agents import settle_by_agent
from gama.privacy.finders import Complete
from gama.privacy.identify import CHORES, PRIVATE, patterns_in, threshold
from gama.privacy.names import NEAR, SENTENCE, asks_something
from gama.state.entities import Entity, Span, View, apart, meets
from gama.state.options import Options
from gama.tools.knowledge.index import (
    is_asked_about,
    is_famous,
    is_known,
    is_ordinary,
    is_worldly,
    look_up,
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


def fuse(v1: Sequence[Span], v2: Sequence[Span], text: str, settle: Settle) -> Fused:
    """Apply Eq. 3. The outcome does not depend on which view is called first, but for types (the PIA's win).

    Args:
        v1: the PNER view, without overlaps.
        v2: the PIA view, without overlaps.
        text: the text both looked at.
        settle: S: gets what only one view found, returns a part of it; anything else it returns is dropped.
    """
    agreed: list[Span] = []
    left1, left2 = list(v1), []
    for second in sorted(v2):
        first = next((span for span in left1 if same_entity(span, second, text)), None)
        if first is None:
            left2.append(second)
        else:
            left1.remove(first)
            agreed.append(merge(first, second))
    difference = sorted([*left1, *left2])
    chosen = [span for span in settle(list(difference)) if span in difference]
    private = apart(chosen, agreed)
    return Fused(private, frozenset((s.start, s.end) for s in agreed), [s for s in difference if s not in chosen])


def with_parts(fused: Fused, text: str) -> Fused:
    """Take back what S let go where it is a part of a private name: of "Paul Federer", no "Federer" leaves.

    So is a part that stands alone in the midst of a sentence and that no finder has seen there.
    """
    whole = [span for span in fused.private if span.subtype == "full_name"]
    parts = {word for span in whole for word in text[span.start : span.end].split()}
    back = [
        span
        for span in fused.rejected
        for surface in (text[span.start : span.end],)
        if surface in parts and (span.type == "PER" or may_be_forename(surface))
    ]
    private = apart([*back, *_unseen(text, fused, whole)], fused.private)
    return Fused(private, fused.agreed, [span for span in fused.rejected if span not in back])


# Accepts a capitalised word in the midst of a sentence, alone: `felt: "Assunta" 80`. Refuses what another name goes
# before or follows.
_ALONE = re.compile(r"(?<=[a-zß-öø-ÿ,:;] )[\"“«„(]?(?P<name>[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]{3,})(?![\w’'-]| [A-ZÀ-ÖØ-Þ])")


def _unseen(text: str, fused: Fused, whole: Sequence[Span]) -> list[Span]:
    """Return the parts of private full names that stand alone where no finder has seen them, ordinary words aside."""
    parts: dict[str, Literal["first_name", "last_name"]] = {}
    for span in whole:
        *before, last = text[span.start : span.end].split()
        parts[last] = "last_name"
        parts.update((word, "first_name") for word in before)
    found = []
    for match in _ALONE.finditer(text) if parts else ():
        start, end = match.span("name")
        subtype = parts.get(match["name"])
        if subtype is None or any(one.start < end and start < one.end for one in (*fused.private, *fused.rejected)):
            continue
        if re.search(rf"(?<!\w){match['name'].lower()}(?!\w)", text) is None:
            found.append(Span(start, end, "PER", subtype, 0.9, "pner", PRIVATE, source="part"))
    return found


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


def settling(options: Options, text: str, complete: Complete | None, notes: list[str] | None = None) -> Settle:
    """Return S as the options choose it: an agent of the private LLM, the rules, everything or nothing.

    Args:
        options: `fusion`, and the thresholds.
        text: the raw text.
        complete: the private LLM, or None.
        notes: gets how often the agent was overruled.
    """
    mode = options.fusion if options.fusion != "auto" else ("agent" if complete else "rule")
    if mode == "union":
        return lambda spans: spans
    if mode == "intersection":
        # A validated pattern is never voted away, whatever the mode.
        return lambda spans: [span for span in spans if span.validated]
    if mode == "agent" and complete is not None:
        return lambda spans: _with_evidence(settle_by_agent(complete, text, spans), spans, text, options, notes)
    return settling_by_rule(text, options)


EVIDENT = 0.9
"""From this probability of being private on the embedded tagger's judgement stands against a private LLM."""


def _with_evidence(
    chosen: list[Span], spans: Sequence[Span], text: str, options: Options, notes: list[str] | None
) -> list[Span]:
    """Add what an agent may not let go: what rules validate, and what the embedded finders are sure of."""
    held = [span for span in spans if span not in chosen and _is_evident(span, text, options)]
    if held and notes is not None:
        notes.append(
            f"The private model would have let {len(held)} span(s) leave that the detectors are sure of "
            f"({', '.join(sorted({span.subtype.replace('_', ' ') for span in held}))}): they are hidden. Name what may "
            "leave with the option allow or keep."
        )
    return [*chosen, *held]


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
            or (span.subtype in _NAMES and has_chores(text, span))
        ):
            return True
        name = text[span.start : span.end]
        if span.private is None:
            named = span.view == "pner" and span.source and span.type in ("PER", "LOC", "ORG")
            return bool(named) and not is_known(name, span.type) and not _same(name, famous)
        return span.private >= least and span.subtype in _NAMES and not is_famous(name) and not _same(name, famous)

    return [span for span in spans if stays(span)]


CLEARLY_PUBLIC = 0.012
"""Below this probability of being private a name that nobody knows is public all the same (a figure in a story)."""
PLAIN = 100
"""Longest text, in characters, that is too short to tell of whom it speaks; a question tells by what it asks."""
CHAT = 200
"""Longest text, in characters, that is a line of a chat, in which an ordinary name means somebody one knows."""


def _is_acquaintance(text: str, span: Span) -> bool:
    """Return whether a line of a chat names somebody as one names people one knows.

    A name that many bear (Daniel Jones) is a private person's although somebody famous bears it too, unless what
    stands around it speaks of the world.
    """
    if len(text) > CHAT or span.subtype != "full_name" or not is_ordinary(text[span.start : span.end]):
        return False
    return not (is_worldly(text, span.start, span.end) or is_asked_about(text, span.start, span.end))


_NAMES = frozenset(("full_name", "first_name", "last_name"))


_AROUND = patterns_in("names.txt")
_MINE = re.compile(rf"(?<!\w)(?:{_AROUND['mine']})(?!\w)", re.IGNORECASE)
# Accepts what stands before the name of one of the writer's people: `my neighbour, called `, or in a list `Tenant: `.
_RELATED = re.compile(
    rf"(?<!\w)(?:{_AROUND['mine']})\s+(?:{_AROUND['kin']})\s+(?:(?:{_AROUND['called']})\s+){{0,2}}$"
    rf"|(?:^|[\n.;(]\s*)(?:{_AROUND['kin']})\s*:\s*$",
    re.IGNORECASE,
)
# Accepts what says behind a name whose it is: ` is my bus driver`, `, our old neighbour,`. Refuses who asks after it:
# `, my son wants to know`.
_MINE_TOO = re.compile(
    rf"(?:(?P<beside>,)|\s+(?:{_AROUND['is']}))\s+(?:{_AROUND['mine']})\s+(?:[^\W\d_]+\s+)?(?:{_AROUND['kin']})(?!\w)"
    r"(?(beside)(?=\s*(?:[.,;:)]|$)))",
    re.IGNORECASE,
)
# Accepts what stands before the name of who does a job: `La maestra `.
_AT_WORK = re.compile(rf"(?<!\w)(?i:{_AROUND['job']})\s+$")
_WORKER = re.compile(rf"(?i:{_AROUND['job']})\s+\S")
# Accepts what somebody says now, the things of acquaintances, and, at the start of a text, what is said to one:
# `Sione says`, `at Musa's yard`, `Ama, have the papers come?`.
_SAYS = re.compile(rf"\s(?:{_AROUND['says']})(?!\w)|['’]s\s(?:{_AROUND['home']})(?!\w)")
_ADDRESSED = re.compile(r",\s(?!(?:who|whose|the|an?)\b)")
# Accepts what stands before the name of who gets a message, is the subject of a record, or is bidden: `Draft an email
# to `, `school report comment for `, `Please remind `. Refuses what is told of the world: `the duke who invited `.
_ADDRESSEE = late(
    re.compile,
    rf"(?<!\w)(?:(?:{_AROUND['message']})\s+(?:{_AROUND['to']})|(?:{_AROUND['record']})\s+(?:{_AROUND['to']})"
    rf"|(?:^|[.!?:;\n]\s*|\b(?:please|to|and|bitte|por favor|stp)\s+)(?:{_AROUND['bids']}))\s+$",
    re.IGNORECASE,
)
# Accepts what stands between a verb of writing and whom it is for: `phrase a friendly nudge to `. Refuses what is not
# written to somebody: `write an introduction to `.
_WRITTEN_TO = late(
    re.compile,
    rf"(?:^|[.!?:;\n,]\s*|\b(?:please|to|can you|could you|bitte|i)\s+)(?:{_AROUND['composes']})\s(?P<what>[^.!?\n]{{0,60}}?)\b"
    rf"(?:to|an|à|a|al|aan|do|till|para)\s+$",
    re.IGNORECASE,
)
_NO_LETTER = late(re.compile, rf"(?<!\w)(?:{_AROUND['no_letter']})(?!\w)", re.IGNORECASE)
_ASKER = late(re.compile, rf"(?<!\w)(?:{_AROUND['asker']})(?!\w)", re.IGNORECASE)
_CLAUSE = re.compile(r"[:;(\"“”„]|,\s|\s[–—-]\s")
# Accepts what stands before the maker of something, or what something is about: `the new album by `, `a talk on `.
_MADE_BY = re.compile(
    r"(?<!\w)(?:by|of|about|on|against|von|über|par|de|sur|di|su|sobre|van|door|over|av|om|o)\s+$", re.IGNORECASE
)
# Accepts what the writer does together with somebody, at the end of a sentence's beginning: `I sat next to `. Refuses
# what is imagined: `If I could have dinner with `.
_WITH_ME = late(
    re.compile,
    rf"(?<!\w)(?:i|we)(?:['’](?:m|re|ve))?\s+(?!(?:could|would|wish|dream\w*|want)\b)(?:[\w’']+\s+){{0,3}}?(?:{_AROUND['with_me']})\s+$",
    re.IGNORECASE,
)
# Accepts where in the writer's surroundings somebody is: ` from HR`, ` in unit 4`.
_POST = late(re.compile, rf",?\s+(?:{_AROUND['post']})(?!\w)", re.IGNORECASE)
# Accepts what somebody is to do, of a list: `Action items: NAME to send `.
_ITEM = late(re.compile, rf"\s+(?:{_AROUND['item']})(?!\w)")
_LISTED = re.compile(r"(?:^|[:;\n•*,–-]|\d[.)])\s*$")
_OWNING = re.compile(r"['’]s?(?!\w)")
_OF_FAMILY = re.compile(rf",? (?:\w+ )?(?:{_AROUND['kin']}) (?:of|von|vom|de|di|van|av|do|da)\b| family\b")


def is_related(text: str, span: Span) -> bool:
    """Return whether a name stands beside what the writer calls its bearer: `my neighbour Victor Hugo`, `Tenant: `.

    So is who is written to, bidden, or somewhere about the writer (`an email to Serena Williams`, `Victor Hugo from HR`),
    one that nobody knows before the word for a relation (`Nora Healy, wife of Patrick`) or behind a job, and a
    forename of which it is told what its bearer says now.
    """
    if span.type != "PER":
        return False
    before = text[max(0, span.start - 60) : span.start]
    if _RELATED.search(before) or _MINE_TOO.match(text, span.end) or _has_role(text, span, before):
        return True
    famous = is_famous(text[span.start : span.end])
    if span.subtype == "first_name":
        addressed = not before and not famous and _ADDRESSED.match(text, span.end)
        if addressed or _SAYS.match(text, span.end):
            return True
    beside = _OF_FAMILY.match(text, span.end) or _AT_WORK.search(before) or _WORKER.match(text, span.start, span.end)
    return beside is not None and not famous


def _has_role(text: str, span: Span, before: str) -> bool:
    """Return whether a name stands in a private role: of an addressee, of a record, in the writer's surroundings."""
    if _POST.match(text, span.end) or (_ITEM.match(text, span.end) and _LISTED.search(before)):
        return True
    if _OWNING.match(text, span.end):
        return False
    written = _WRITTEN_TO.search(before)
    if written and not _NO_LETTER.search(written["what"]):
        return True
    return bool(_ADDRESSEE.search(before) or _WITH_ME.search(before)) or _is_met(text, span)


def _is_met(text: str, span: Span) -> bool:
    """Return whether a line of a chat tells of somebody in the first person, not of the world or of what is asked for."""
    if span.subtype != "full_name" or len(text) > CHAT:
        return False
    first, last = sentence_around(text, span)
    told = _ASKER.sub(lambda found: " " * len(found[0]), text[first : span.start])
    before, behind = _CLAUSE.split(told)[-1], _CLAUSE.split(text[span.end : last].lstrip(", "))[0]
    if _MADE_BY.search(before) or not (_MINE.search(before) or _MINE.search(behind)):
        return False
    return not (
        is_worldly(text[first:last], span.start - first, span.end - first)
        or is_asked_about(text, span.start, span.end)
    )


def has_chores(text: str, span: Span) -> bool:
    """Return whether a person is told to have done in the same sentence what only acquaintances do for one another.

    Somebody famous does not return the writer's keys (`Did Tom Hanks pay the deposit?`), unless what stands around
    speaks of the world, or the chore is done for what the world knows and not for the writer (`Twitter's rent`).
    """
    first, last = sentence_around(text, span)
    told = CHORES.search(text, first, span.start) or CHORES.search(text, span.end, last)
    if told is None or is_worldly(text[first:last], span.start - first, span.end - first):
        return False
    if _MINE.search(text, first, last) or not is_famous(text[span.start : span.end]):
        return True
    owners = (look_up(owner[1]) for owner in _OWNER.finditer(text, first, last))
    return not any(
        owner and owner.fame > 1 and "body" in owner.kinds and "person" not in owner.kinds for owner in owners
    )


def sentence_around(text: str, span: Span) -> tuple[int, int]:
    """Return where the sentence of a span begins and ends, as far as it is near."""
    before = [match.end() for match in SENTENCE.finditer(text, max(0, span.start - NEAR), span.start)]
    behind = SENTENCE.search(text, span.end)
    first = before[-1] if before else max(0, span.start - NEAR)
    return first, min(behind.start() if behind else len(text), span.end + NEAR)


# Accepts who has something: `Twitter` of `Twitter's rent`.
_OWNER = re.compile(r"(?<!\w)([A-Z][\w&-]+(?: [A-Z][\w&-]+)*)['’]s?(?!\w)")


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
    return span.type in ("PER", "LOC", "ORG") and bool(_BEFORE.search(text[max(0, span.start - 60) : span.start]))


def to_entities(text: str, fused: Fused, options: Options) -> list[Entity]:
    """Turn fused spans into mentions; what was let go is listed as not private."""
    fused = with_parts(fused, text)
    entities = [
        _entity(text, span, private=True, both=(span.start, span.end) in fused.agreed) for span in fused.private
    ]
    entities += [
        _entity(text, span, private=False, both=False)
        for span in fused.rejected
        if not any(meets(span, entity) for entity in entities)
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
    allowed = _places(text, options.allow)
    kept = [
        entity.model_copy(update={"private": False})
        if any(start <= entity.start and entity.end <= end for start, end in allowed)
        or not {entity.type, entity.subtype}.isdisjoint(options.keep)
        else entity
        for entity in entities
    ]
    return hide_denied(text, kept, options)


def _places(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
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
