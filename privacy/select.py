"""Selection: what a query needs stays in clear, everything else private is hidden (PII-Bench, spec 03 §3.1, task T3).

Who tells what is needed is an option: the embedded model, or the private LLM by one of the paper's prompting
strategies. A doubt means hidden.
"""

from collections.abc import Collection, Sequence
from typing import cast

from gama.privacy.decide import by_person, counted, value_key
from gama.privacy.finders import Finders, Selector
from gama.privacy.query_relevance import ask_needed, named_codes
from gama.privacy.question import without_halves
from gama.state.entities import Entity
from gama.state.errors import OptionError
from gama.state.options import Options, Strategy

NAMED = 0.5
"""Share of the model's threshold that does for a code of the kind that the query names."""


def select(
    text: str, query: str, entities: Sequence[Entity], options: Options, finders: Finders, warnings: list[str]
) -> list[Entity]:
    """Return the mentions with what the query needs marked as `needed`; see `needed_values`.

    Args:
        text: the raw text.
        query: what will be asked about it; nothing is needed where it is empty.
        entities: its mentions.
        options: `select`, `select_votes`, `select_never`, and the private LLM.
        finders: gives the models.
        warnings: gets a note when the private LLM gave no readable answer.
    """
    return marked(entities, needed_values([(text, entities)], query, options, finders, warnings))


def select_in_task(
    text: str, at: int, entities: Sequence[Entity], options: Options, finders: Finders, warnings: list[str]
) -> list[Entity]:
    """Return the mentions of a task, in which the query stands behind the text, as `select` does.

    Args:
        text: the raw text, and the query behind it.
        at: where the query begins.
        entities: the mentions in both.
        options: see `select`.
        finders: gives the models.
        warnings: gets notes.
    """
    query = text[at:]
    before = [entity for entity in entities if entity.end <= at]
    within = [
        entity.model_copy(update={"start": entity.start - at, "end": entity.end - at})
        for entity in entities
        if entity.start >= at
    ]
    return marked(entities, needed_values([(text[:at], before), (query, within)], query, options, finders, warnings))


def needed_values(
    parts: Sequence[tuple[str, Sequence[Entity]]],
    query: str,
    options: Options,
    finders: Finders,
    warnings: list[str],
) -> frozenset[str]:
    """Return the values that a query needs, as `value_key` writes them.

    What is needed in one place is needed wherever the same value stands: hidden in one place, shown in the other it
    would be told all the same. What `select_never` names, and what a person has decided, is never needed, nor is a
    value that has one of those in it.

    Args:
        parts: texts that belong together, each with its mentions.
        query: what will be asked about them.
        options: see `select`.
        finders: gives the models.
        warnings: gets notes.
    """
    if not query.strip() or options.select == "off":
        return frozenset()
    denied = [value_key(word) for word in options.deny if word.strip()]
    needed: set[str] = set()
    closed: set[str] = set()
    for text, entities in parts:
        asked: list[Entity] = []
        for entity in entities:
            if not (by_person(entity) or _never(entity, options, denied)):
                asked.append(entity)
            elif entity.private:
                closed |= set(map(value_key, _parts(entity)))
        told = _needed(without_halves(text), without_halves(query), asked, options, finders, warnings)
        needed |= {value_key(entity.text) for entity in told}
    # What has a name in it would tell the name: "Brook & Sons" where Ana Brook is hidden.
    return frozenset(value for value in needed if not any(one == value or _tells(value, one) for one in closed))


def _parts(entity: Entity) -> list[str]:
    """Return a value, and of a name also its longer words."""
    words = entity.text.split() if entity.type == "PER" else []
    return [entity.text, *(word for word in words if len(word) > 3)]


def _tells(value: str, hidden: str) -> bool:
    return len(hidden) > 2 and hidden in value


def marked(entities: Sequence[Entity], needed: Collection[str]) -> list[Entity]:
    """Return mentions with `needed` as some values say."""
    return [
        entity if entity.needed is wanted else entity.model_copy(update={"needed": wanted})
        for entity in entities
        for wanted in [value_key(entity.text) in needed and not by_person(entity)]
    ]


def selection_notes(entities: Sequence[Entity]) -> list[str]:
    """Report, by kind and never by value, what is left in clear for the query."""
    shown = {value_key(entity.text): entity.subtype for entity in entities if entity.private and entity.needed}
    return [f"Left in clear because the query needs it: {counted(shown.values())}."] if shown else []


def _needed(
    text: str, query: str, entities: Sequence[Entity], options: Options, finders: Finders, warnings: list[str]
) -> list[Entity]:
    if not entities:
        return []
    complete = finders.llm(options) if options.select != "embedded" else None
    if complete is None and options.select not in ("auto", "embedded"):
        raise OptionError(f"option 'select': {options.select!r} asks the private LLM, and none is named: private_model")
    if complete is None:
        return _by_embedded(text, query, entities, finders.selector())
    # Choosing among what was found is what small models do best, by the paper's tables.
    strategy = cast(Strategy, "choice" if options.select == "auto" else options.select)
    candidates = list(dict.fromkeys(entity.text for entity in entities))
    found = ask_needed(complete, text, query, candidates, strategy, warnings, options.select_votes)
    return [entity for entity in entities if entity.text in found]


def _by_embedded(text: str, query: str, entities: Sequence[Entity], model: Selector) -> list[Entity]:
    """Ask the embedded model; where the query names a kind of code that is there, it needs no code of another kind."""
    named = named_codes(query)
    one_is_named = any(entity.subtype in named for entity in entities)
    out = []
    scores = model.scores(text, query, [(entity.start, entity.end) for entity in entities])
    for entity, score in zip(entities, scores, strict=True):
        if entity.type != "CODE" or not one_is_named:
            needed = score >= model.threshold
        else:
            needed = entity.subtype in named and score >= NAMED * model.threshold
        if needed:
            out.append(entity)
    return out


def _never(entity: Entity, options: Options, denied: Sequence[str]) -> bool:
    """Return whether a mention is never shown: by its type, or because it has to do with what the user denies."""
    if entity.type in options.select_never or entity.subtype in options.select_never:
        return True
    value = value_key(entity.text)
    return any(value in one or one in value for one in denied)
