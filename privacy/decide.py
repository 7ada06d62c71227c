"""What goes before finders and models: a person's decisions on mentions, and a face's on options left to it."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from gama.guard.folding import fold
from gama.privacy.fuse import hide_denied
from gama.privacy.names import asks_something
from gama.privacy.roles import KNOWN_AS, is_one_of_a_kind
from gama.state.box import Bijection
from gama.state.decisions import Decision
from gama.state.entities import Entity, Spread, meets
from gama.state.options import Options
from gama.tools.knowledge.index import look_up, may_be_forename
from gama.tools.placeholders.boundaries import boundary
from gama.tools.recognizers.declared import declaration

UNNAMED = "other_id"
"""The subtype of what a person hides without saying what it is."""


def apply_decisions(
    text: str, entities: Sequence[Entity], decisions: Sequence[Decision], options: Options
) -> list[Entity]:
    """Return the mentions with a person's decisions in them.

    What is decided for one mention holds for all mentions of the same value: a value that stayed in one place would
    tell what stands in the other. Where one value is both hidden and kept, it is hidden. What is left of a private
    mention beside a decided stretch stays private. The option `deny` has the last word.
    """
    if not decisions:
        return list(entities)
    out = [piece for entity in entities for piece in _beside(text, entity, decisions)]
    own = [_decided(text, entities, decision) for decision in decisions]
    hidden = {value_key(entity.text): entity for entity in own if entity.private}
    kept = {value_key(entity.text) for entity in own if not entity.private} - set(hidden)
    out = [_alike(entity, hidden, kept) for entity in [*out, *own]]
    for entity in hidden.values():
        out = _hide_everywhere(text, out, entity)
    return hide_denied(text, sorted(out, key=lambda entity: entity.start), options)


def assign_subjects(text: str, entities: Sequence[Entity], decisions: Sequence[Decision]) -> list[Entity]:
    """Return linked mentions with the subjects that a person gave, for every mention of the same text."""
    given = {text[one.start : one.end]: one.subject for one in decisions if one.subject}
    return [
        entity.model_copy(update={"subject": None if given[entity.text] == "-" else given[entity.text]})
        if entity.text in given
        else entity
        for entity in entities
    ]


def left_in_clear(entities: Sequence[Entity]) -> set[str]:
    """Return the texts that a person lets leave or the query needs, those aside that are hidden all the same."""
    hidden = {value_key(entity.text) for entity in entities if entity.hidden}
    shown = (e for e in entities if not e.hidden and (e.private or by_person(e)))
    return {e.text for e in shown if value_key(e.text) not in hidden}


def namesakes(entities: Sequence[Entity], box: Bijection) -> set[str]:
    """Return the longer public names that share a word with a private value: they leave whole.

    `David Beckham`, beside a Mrs Beckham, tells nothing of her, nor does the `University of Ibadan` of who lives in
    Ibadan. A name that is itself a value of the box stays hidden, and so does one with a part that a person has hidden.

    Args:
        entities: the mentions of the texts about to leave.
        box: the conversation's box.
    """
    words, denied = _hidden_words(entities)
    found = set()
    for entity in entities:
        parts = entity.text.split()
        if entity.hidden or len(parts) < 2 or box.placeholder(entity.text) is not None:
            continue
        known = None if words.isdisjoint(parts) or not denied.isdisjoint(parts) else look_up(entity.text)
        if known is None:
            continue
        if entity.type == "PER":
            famous = known.fame if "person" in known.kinds else known.fame > 1 and may_be_forename(parts[0])
        else:
            famous = entity.type in ("LOC", "ORG") and known.fame
        if famous:
            found.add(entity.text)
    return found


def _hidden_words(entities: Sequence[Entity]) -> tuple[set[str], set[str]]:
    """Return the words of what is hidden, and those of what a person has hidden."""
    hidden = [entity for entity in entities if entity.hidden]
    words = {word for entity in hidden for word in entity.text.split()}
    return words, {word for entity in hidden if by_person(entity) for word in entity.text.split()}


# Accepts words as titles have them: `Killing Eve`, `Hannah and Her Sisters`.
_TITLE = re.compile(r"(?<![^\W_])[A-ZÀ-Þ](?:[\w’'-]*\w)?(?: (?:[a-zß-ÿ]{1,4} ){0,2}[A-ZÀ-Þ](?:[\w’'-]*\w)?)+")
_MOST = 6
"""Words of a title that is looked up."""


def titles(text: str, entities: Sequence[Entity], box: Bijection) -> set[str]:
    """Return the titles in a text that have a private person's name for a word where nobody is named: they leave whole.

    `Killing Eve` is a series, whoever else is called Eve. Only what a text asks something beside is a title.

    Args:
        text: the raw text.
        entities: its mentions.
        box: the conversation's box.
    """
    words, denied = _hidden_words(entities)
    words -= denied
    found = set[str]()
    if not words or not asks_something(text):
        return found
    hidden = Spread([one for one in entities if one.hidden])
    for run in _TITLE.finditer(text):
        if words.isdisjoint(run[0].split()):
            continue
        parts = [(one.start() + run.start(), one.end() + run.start()) for one in re.finditer(r"\S+", run[0])]
        for first, (start, _) in enumerate(parts):
            for _, end in parts[first + 1 : first + _MOST]:
                title = text[start:end]
                if words.isdisjoint(title.split()) or not denied.isdisjoint(title.split()):
                    continue
                if hidden.met(start, end):
                    continue
                known = look_up(title)
                named = known is not None and ("person" not in known.kinds or "work" in known.kinds)
                if named and known and known.fame and box.placeholder(title) is None:
                    found.add(title)
    return found


_LONE = re.compile(r"(?<![\w'’-])[^\W\d_]+(?![\w'’-])")
_BEHIND = re.compile(r" [a-zß-ÿ]{3,}")
# Accepts what goes before a thing and before nobody's name: `the `, `every `.
_THING = re.compile(r"(?<!\w)(?:the|an?|this|every|each|last|next|any)\s+$", re.IGNORECASE)


# Accepts what an assistant is bidden to be: `act as an editor`.
_ACT = re.compile(
    r"(?i:act(?:ing)?|work|serve|role-?play|pose|pretend(?: to be)?|you are|be) (?:as )?(?:an? |the |my |our )?"
    r"(?P<who>[\w-]+(?: [\w-]+)?)"
)
_RULES = re.compile(
    r"(?:King|Queen|Pope|Saint|Emperor|Empress|Tsar|Sultan|Prophet|Prince|Princess) [^\W\d_]+(?: [IVX]+\b)?"
)
"""Who rules or is holy, whoever is called so."""


def things(text: str, entities: Sequence[Entity]) -> set[str]:
    """Return what in a text is a thing that is called as somebody private is: it leaves whole.

    Beside a Summer who is asked something, `the summer` and `summer holidays` are nobody's. A word in small letters is
    taken for a thing behind an article, or where a rule has it in a phrase of its own.

    Args:
        text: the raw text.
        entities: its mentions.
    """
    hidden = [entity for entity in entities if entity.hidden]
    jobs = {entity.text.lower() for entity in hidden if entity.subtype == "occupation"}
    roles = (
        {match[0] for match in _ACT.finditer(text) if any(job in match["who"].lower() for job in jobs)}
        if jobs
        else set()
    )
    people = [entity.text for entity in hidden if entity.type == "PER"]
    if not people:
        return roles
    words, parts = {one.lower() for one in people if one.isalpha()}, {part for one in people for part in one.split()}
    ruled = {match.span() for match in declaration("person_small").regex["thing"].finditer(text)}
    shapes = (_RULES, KNOWN_AS)
    known = {
        match[0]
        for shape in shapes
        for match in shape.finditer(text)
        if shape is _RULES or is_one_of_a_kind(match["who"])
    }
    goes = bytearray(len(text))
    for entity in hidden:
        goes[entity.start : entity.end] = b"\1" * (entity.end - entity.start)
    found = {name for name in known if not parts.isdisjoint(name.split()) and name not in people}
    for match in _LONE.finditer(text):
        if match[0] not in words or any(goes[match.start() : match.end()]):
            continue
        before = _THING.search(text, max(0, match.start() - 8), match.start())
        behind = _BEHIND.match(text, match.end())
        if before:
            found.add(text[before.start() : match.end()])
        elif behind and match.span() in ruled:
            found.add(text[match.start() : behind.end()])
    return found | roles


def by_person(entity: Entity) -> bool:
    """Return whether a person has decided on a mention."""
    return "user" in entity.views


def decision_notes(anonymized: str, entities: Sequence[Entity], decisions: Sequence[Decision], text: str) -> list[str]:
    """Report, by kind and never by value, what a person let leave, and what could not leave all the same."""
    wanted = {text[one.start : one.end] for one in decisions if not one.private}
    kept = [entity for entity in entities if entity.text in wanted and not entity.private and entity.text in anonymized]
    notes = []
    if kept:
        notes.append(f"Left in clear because you said so: {counted(entity.subtype for entity in kept)}.")
    lost = len(wanted - {entity.text for entity in kept})
    if lost:
        notes.append(
            f"{lost} text{'' if lost == 1 else 's'} that you wanted to keep did not leave whole: part of it is hidden "
            "elsewhere in another form, or always hidden here."
        )
    return notes


def policy_notes(entities: Iterable[Entity], options: Options) -> list[str]:
    """Report, by kind and never by value, what the policy lets leave."""
    if not options.policy:
        return []
    from gama.state.policy import by_subtype, shown_by_name

    shown = {kind for kind, treatment in by_subtype(options.policy).items() if treatment == "show"}
    kept = {value_key(one.text): one.subtype for one in entities if not one.private and one.subtype in shown}
    notes = [f"Left in clear because the policy shows it: {counted(kept.values())}."] if kept else []
    if named := shown_by_name(options.policy):
        told = ", ".join(kind.replace("_", " ") for kind in named)
        notes.append(f"The policy shows what identifies people, and it leaves in clear: {told}.")
    return notes


def counted(subtypes: Iterable[str]) -> str:
    """Say how many there are of each kind: `1 age, 2 first name`."""
    counts = Counter(subtype.replace("_", " ") for subtype in subtypes)
    return ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))


def value_key(surface: str) -> str:
    """Return what a value is known by whatever its case, spacing and script; signs alone are known by themselves."""
    return fold(surface) or surface


def _beside(text: str, entity: Entity, decisions: Sequence[Decision]) -> Iterator[Entity]:
    """Yield a mention that no decision touches, or what is left of a private one beside the decided stretches."""
    touching = [one for one in decisions if meets(one, entity)]
    if not touching:
        yield entity
    elif entity.private:
        yield from cut(entity, [(one.start, one.end) for one in touching])


def cut(entity: Entity, stretches: Sequence[tuple[int, int]]) -> Iterator[Entity]:
    """Yield the pieces of a mention outside of some stretches, as far as there are letters or digits in them."""
    at = entity.start
    for start, end in [*sorted(stretches), (entity.end, entity.end)]:
        piece = entity.text[at - entity.start : max(at, min(start, entity.end)) - entity.start]
        if any(char.isalnum() for char in piece):
            begin = at + len(piece) - len(piece.lstrip())
            piece = piece.strip()
            yield entity.model_copy(update={"text": piece, "start": begin, "end": begin + len(piece)})
        at = max(at, end)


def _decided(text: str, entities: Sequence[Entity], decision: Decision) -> Entity:
    start, end = decision.start, decision.end
    near = [entity for entity in entities if meets(entity, decision)]
    known = max(near, key=lambda one: min(one.end, end) - max(one.start, start)) if near else None
    same = known is not None and (known.start, known.end) == (start, end)
    subtype = decision.subtype or (known.subtype if known else UNNAMED)
    return Entity.at(
        text,
        start,
        end,
        subtype,
        subject=known.subject if known else None,
        views=(*(view for view in known.views if view != "user"), "user") if known and same else ("user",),
        score=known.score if known and same else 1.0,
        private=decision.private,
    )


def _alike(entity: Entity, hidden: dict[str, Entity], kept: set[str]) -> Entity:
    """Return a mention with what was decided for its value elsewhere."""
    key = value_key(entity.text)
    views = entity.views if by_person(entity) else (*entity.views, "user")
    if key in hidden:
        decided = hidden[key]
        change = {"private": True, "type": decided.type, "subtype": decided.subtype, "views": views}
        return entity.model_copy(update=change)
    return entity.model_copy(update={"private": False, "views": views}) if key in kept else entity


def _hide_everywhere(text: str, entities: list[Entity], hidden: Entity) -> list[Entity]:
    """Add the places of a hidden text that no finder has seen."""
    for match in re.finditer(re.escape(hidden.text), text):
        start, end = match.span()
        if any(one.private and one.start < end and start < one.end for one in entities):
            continue
        if boundary(text, start) and boundary(text, end):
            entities = [one for one in entities if one.end <= start or end <= one.start]
            entities.append(hidden.model_copy(update={"start": start, "end": end, "views": ("user",)}))
    return entities


def balancing(options: Options) -> Options:
    """Return options for a face where a person looks on: a level of privacy that is left to the face is `balanced`."""
    return options.model_copy(update={"privacy": "balanced"}) if options.privacy == "auto" else options


def gathering(options: Options) -> Options:
    """Return options for a dataset, about which nobody asks: a level that is left to the face is `strict`."""
    return options.model_copy(update={"privacy": "strict"}) if options.privacy == "auto" else options


def refusing(options: Options) -> Options:
    """Return options for a face where nobody looks at what leaves: what is left to the face is refused there."""
    return options.model_copy(update={"unknown_scripts": "refuse"}) if options.unknown_scripts == "auto" else options


def reckoning(options: Options, told: bool = True) -> Options:
    """Return options for a face whose model is told of formulas: the sums that they reckon with are hidden.

    Args:
        options: those that were chosen; who said that nobody reckons is heeded.
        told: whether the model is told.
    """
    return options.model_copy(update={"formulas": True}) if told and options.formulas is None else options
