"""Selection: what a query needs stays in clear, everything else private is hidden (PII-Bench §3.1, tasks T2 and T3).

Who tells what is needed is an option: the embedded model, or the private LLM by one of the paper's prompting strategies
(§3.7); it runs on the user's own machine and reads the raw text. A doubt means hidden: an unreadable reply, an item
that fits no value, a tie of votes, a value that a long text's cut goes through.

The embedded selector tells what a query is about; of two codes in one text it cannot always tell which is meant, and
the wrong one is worst to show. Queries mostly say it: "is the IBAN valid", "which number should they call".
"""

import hashlib
import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple, cast, get_args

from gama.guard.folding import fold
from gama.privacy.agents import ask_list, chunks, prompt
from gama.privacy.decide import by_person, counted, value_key
from gama.privacy.finders import Complete, Finders, Selector
from gama.privacy.identify import patterns_in
from gama.privacy.question import without_halves
from gama.state.box import Bijection
from gama.state.entities import Entity
from gama.state.errors import OptionError
from gama.state.options import Options, Strategy

if TYPE_CHECKING:
    from gama.privacy.level import Treatment

NAMED = 0.5
"""Share of the model's threshold that does for a code of the kind that the query names."""


Query = str | int | Sequence[tuple[int, int]]
"""What is asked about a text: in words of its own; by where it begins in the text, behind which it stands; or by the
stretches of the text that say it, in their order."""


def select(
    text: str, query: Query, entities: Sequence[Entity], options: Options, finders: Finders, warnings: list[str]
) -> list[Entity]:
    """Return the mentions of a text with what the query needs marked as `needed`; see `needed_values`.

    A query that stands in the text is a part of its own: neither is read with the other's mentions.
    """
    parts = [(text, entities)]
    if not isinstance(query, str):
        spans = [(query, len(text))] if isinstance(query, int) else query
        ends = [0, *(at for span in spans for at in span), len(text)]
        asked = _taken(text, spans, entities, "\n")
        parts = [_taken(text, list(zip(ends[::2], ends[1::2], strict=True)), entities, ""), asked]
        query = asked[0]
    return marked(entities, needed_values(parts, query, options, finders, warnings))


def _taken(
    text: str, spans: Sequence[tuple[int, int]], entities: Sequence[Entity], between: str
) -> tuple[str, list[Entity]]:
    """Return stretches of a text joined to a text of their own, with the mentions that lie in one of them whole."""
    starts = [start for start, _ in spans]
    moved = [0, *accumulate(end - start + len(between) for start, end in spans)]
    found = []
    for entity in entities:
        n = bisect_right(starts, entity.start) - 1
        if n >= 0 and entity.end <= spans[n][1]:
            by = moved[n] - starts[n]
            found.append(entity.model_copy(update={"start": entity.start + by, "end": entity.end + by}))
    return between.join(text[start:end] for start, end in spans), found


class Need(NamedTuple):
    """What a query needs, as `value_key` writes values."""

    shown: frozenset[str] = frozenset()
    """Values that stay in clear."""
    generalised: frozenset[str] = frozenset()
    """Values that are hidden, with what is roughly so told beside their placeholders."""


def needed_values(
    parts: Sequence[tuple[str, Sequence[Entity]]],
    query: str,
    options: Options,
    finders: Finders,
    warnings: list[str],
) -> Need:
    """Return the values that a query needs; the option `privacy` says what becomes of them.

    What is needed in one place is needed wherever the same value stands: hidden in one place, shown in the other it
    would be told all the same. What `select_never` names, and what a person has decided, is never needed, nor is a
    value that has one of those in it.

    Args:
        parts: texts that belong together, each with its mentions.
        query: what will be asked about them.
        options: `select`, `select_votes`, `select_never`, and the private LLM.
        finders: gives the models.
        warnings: gets a note when the private LLM gave no readable answer.
    """
    if not query.strip() or options.select == "off":
        return Need()
    from gama.privacy.asked import turns_on
    from gama.privacy.level import level_of, may_leave, topics_of, treatment

    level = level_of(options, asked=True)
    if level == "strict":
        return Need()
    kinds = {value_key(one.text): one.subtype for _, entities in parts for one in entities if one.private}
    topics = topics_of(query, "\n".join(text for text, _ in parts), kinds.values())
    needed: dict[str, set[Treatment]] = {}
    closed: set[str] = set()
    for text, entities in parts:
        asked: list[Entity] = []
        sure: dict[int, Treatment] = {}
        for entity in turns_on(text, query, entities, topics) if options.select == "auto" else ():
            sure[id(entity)] = treatment(entity, options, True, sure=True)
        for entity in entities:
            if may_leave(entity, options, topics):
                asked.append(entity)
            elif entity.private and sure.get(id(entity), "hide") == "hide":
                closed |= set(map(value_key, _parts(entity)))
        told = _needed(without_halves(text), without_halves(query), asked, options, finders, warnings, topics)
        hows = [(entity, treatment(entity, options, True)) for entity in told]
        hows += [(entity, sure[id(entity)]) for entity in entities if sure.get(id(entity), "hide") != "hide"]
        for entity, how in hows:
            needed.setdefault(value_key(entity.text), set()).add(how)
    roughly = frozenset(value for value, found in needed.items() if "generalise" in found)
    if level == "balanced":
        private = {value_key(entity.text) for _, entities in parts for entity in entities if entity.private}
        closed |= roughly | (private - needed.keys())
    # What has a name in it would tell the name: "Brook & Sons" where Ana Brook is hidden.
    safe = {value for value in needed if not any(one == value or _tells(value, one) for one in closed)}
    return Need(frozenset(safe - roughly), roughly)


def _parts(entity: Entity) -> list[str]:
    """Return a value, and of a name also its longer words."""
    words = entity.text.split() if entity.type == "PER" else []
    return [entity.text, *(word for word in words if len(word) > 3)]


def _tells(value: str, hidden: str) -> bool:
    return len(hidden) > 2 and hidden in value


def marked(entities: Sequence[Entity], need: Need) -> list[Entity]:
    """Return mentions with `needed` and `generalised` as a query's need says."""
    out = []
    for entity in entities:
        key, free = value_key(entity.text), not by_person(entity)
        needed, roughly = key in need.shown and free, ""
        if key in need.generalised and free and entity.private:
            from gama.tools.styles.generalised import told

            roughly = told(entity.text, entity.subtype).strip()
        if (entity.needed, entity.generalised) != (needed, roughly):
            entity = entity.model_copy(update={"needed": needed, "generalised": roughly})
        out.append(entity)
    return out


def as_told(entities: Sequence[Entity], box: Bijection, options: Options) -> list[Entity]:
    """Return mentions with what their placeholders do tell.

    What is private itself is left out of a tag, and a tag that told something in an earlier text tells it still.
    """
    if not box.fact_names:
        return [entity.model_copy(update={"generalised": ""}) if entity.generalised else entity for entity in entities]
    from gama.tools.styles.writer import strategy_of

    by_type, out = dict(options.strategies), []
    for entity in entities:
        entry = box.entry(entity.text) if entity.hidden else None
        told = entry.facts.strip() if entry and strategy_of(entity.subtype, by_type) is None else ""
        out.append(entity if told == entity.generalised else entity.model_copy(update={"generalised": told}))
    return out


def selection_notes(entities: Sequence[Entity]) -> list[str]:
    """Report, by kind and never by value, what is left in clear for the query, and what is told roughly."""
    notes = []
    for said, chosen in (
        ("Left in clear because the query needs it", [e for e in entities if e.private and e.needed]),
        ("Left in clear because the text asks about it", [e for e in entities if e.asked and not e.private]),
        ("Told roughly because the query needs it", [e for e in entities if e.hidden and e.generalised]),
    ):
        if shown := {value_key(entity.text): entity.subtype for entity in chosen}:
            notes.append(f"{said}: {counted(shown.values())}.")
    return notes


def _needed(
    text: str,
    query: str,
    entities: Sequence[Entity],
    options: Options,
    finders: Finders,
    warnings: list[str],
    topics: Collection[str],
) -> list[Entity]:
    if not entities:
        return []
    complete = finders.llm(options) if options.select != "embedded" else None
    if complete is None and options.select not in ("auto", "embedded"):
        raise OptionError(f"option 'select': {options.select!r} asks the private LLM, and none is named: private_model")
    if complete is None:
        return _by_embedded(text, query, entities, finders.selector(), options, topics)
    # Choosing among what was found is what small models do best, by the paper's tables.
    strategy = cast(Strategy, "choice" if options.select == "auto" else options.select)
    candidates = list(dict.fromkeys(entity.text for entity in entities))
    found = ask_needed(complete, text, query, candidates, strategy, warnings, options.select_votes)
    return [entity for entity in entities if entity.text in found]


def _by_embedded(
    text: str, query: str, entities: Sequence[Entity], model: Selector, options: Options, topics: Collection[str]
) -> list[Entity]:
    """Ask the embedded model; where the query names a kind of code that is there, it needs no code of another kind."""
    from gama.privacy.level import UNDERSTOOD, is_said, level_of, understood

    named = named_codes(query)
    one_is_named = any(entity.subtype in named for entity in entities)
    out = []
    scores = model.scores(text, query, [(entity.start, entity.end) for entity in entities])
    # Who names the selector has it decide alone.
    if options.select == "auto" and level_of(options, asked=True) == "balanced":
        return understood(text, query, entities, scores, model.threshold, topics)
    asked = fold(query)
    for entity, score in zip(entities, scores, strict=True):
        if entity.subtype in UNDERSTOOD and is_said(entity, asked):
            needed = True  # The query itself says it.
        elif entity.type != "CODE" or not one_is_named:
            needed = score >= model.threshold
        else:
            needed = entity.subtype in named and score >= NAMED * model.threshold
        if needed:
            out.append(entity)
    return out


UNREADABLE = "The private model gave no readable list of what the query needs for a part of the text: none of it is."
"""The warning; it quotes nothing."""

MOST_ITEMS = 500
"""Items that are read of a list: no part of a text has so many private values."""

_FIELDS = ("entity", "text", "surface")
_TAG = re.compile(r"</?\s*(?:text|query|values)", re.IGNORECASE)


def ask_needed(
    complete: Complete,
    text: str,
    query: str,
    candidates: Sequence[str],
    strategy: Strategy,
    warnings: list[str],
    votes: int = 1,
    examples: str | None = None,
) -> set[str]:
    """Return which of the candidates (surfaces that were found private in the text) the query needs as they stand.

    Long texts are given in parts, each with the candidates that stand in it; what one part needs is needed. A part
    without a candidate is not asked about, and without candidates nothing is asked. Source: PII-Bench §3.1 (T2,
    restricted to detected entities, which is T3's joint task) and §3.7.

    Args:
        complete: the private LLM.
        text: the raw text.
        query: what is asked about the text.
        candidates: the private values, as the text writes them.
        strategy: how the question is put.
        warnings: gets a note when no reply for a part could be read.
        votes: how often each part is asked; a candidate is needed where more than half of the readable replies name
            it. More than one makes sense with a model that samples (the spec's `sc_mode=vote`).
        examples: the worked examples of `auto_cot`; by default the shipped ones.

    Raises:
        OptionError: there is no such strategy, or `votes` is below 1.
    """
    _check(strategy, votes)
    levelled = {candidate: level for candidate in candidates if (level := _level(candidate))}
    needed: set[str] = set()
    for chunk in chunks(text) if levelled else ():
        around = _level(chunk)
        here = {candidate: level for candidate, level in levelled.items() if level in around}
        if not here:
            continue
        replies = need_replies(complete, chunk, query, here, strategy, votes, examples)
        if not replies:
            warnings.append(UNREADABLE)
        named = Counter(candidate for items in replies for candidate in _named(items, here))
        needed |= {candidate for candidate, count in named.items() if 2 * count > len(replies)}
    return needed


def need_replies(
    complete: Complete,
    text: str,
    query: str,
    candidates: Collection[str],
    strategy: Strategy,
    votes: int = 1,
    examples: str | None = None,
) -> list[list[Any]]:
    """Ask as often as there are votes what the query needs of a text; return the lists that could be read.

    The candidates are shown for `choice` alone; see `ask_needed` for the rest.

    Raises:
        OptionError: there is no such strategy, or `votes` is below 1.
    """
    _check(strategy, votes)
    system, message = need_system(strategy, examples), need_message(text, query, candidates, strategy)
    return [items for _ in range(votes) if (items := ask_list(complete, system, message)) is not None]


def _check(strategy: Strategy, votes: int) -> None:
    if strategy not in (known := get_args(Strategy)):
        raise OptionError(f"strategy {strategy!r}: there is none of this name. Available: {', '.join(known)}")
    if votes < 1:
        raise OptionError(f"votes {votes!r}: the private model is asked at least once")


def need_system(strategy: Strategy, examples: str | None = None) -> str:
    """Return what the private LLM is told of its task; see `ask_needed`."""
    shown = prompt("need_examples").substitute() if examples is None else examples
    method = prompt(f"need_{strategy}").substitute(examples=shown.strip())
    return prompt("need_common").substitute(method=method.strip())


def need_message(chunk: str, query: str, candidates: Collection[str], strategy: Strategy) -> str:
    """Put text, query and, for `choice`, the candidates between tags that nothing in them can close."""
    parts = {"text": chunk, "query": query}
    if strategy == "choice":
        parts["values"] = "\n".join(f"{n}. {' '.join(value.split())}" for n, value in enumerate(candidates, 1))
    mark = ""
    if any(map(_TAG.search, parts.values())):
        # Whoever wrote the text cannot have known what it would be asked together with, so no tag in it has this mark.
        digest = hashlib.sha256("\0".join(parts.values()).encode("utf-8", "surrogatepass"))
        mark = f"-{digest.hexdigest()[:12]}"
    shown = [f"<{name}{mark}>\n{content}\n</{name}{mark}>" for name, content in parts.items()]
    return "\n\n".join([*shown, "Which values of the text are needed to answer the query?"])


def _named(items: Sequence[Any], candidates: Mapping[str, str]) -> set[str]:
    """Return the candidates that the items of a list name; what fits none is dropped.

    Args:
        items: strings, numbers, or objects with a field `entity`, `text` or `surface`.
        candidates: the candidates, each with its levelled form.
    """
    levels = {_level(surface) for item in items[:MOST_ITEMS] if (surface := surface_of(item))} - {""}
    return {candidate for candidate, level in candidates.items() if any(_fits(item, level) for item in levels)}


def surface_of(item: Any) -> str:
    """Return what an item of a list names: a string or a number, or an object's field; empty where it is neither."""
    if isinstance(item, dict):
        item = next((value for field in _FIELDS if isinstance(value := item.get(field), str)), "")
    # An amount or an age without quotes is read as a number; true, false and null are no values.
    return str(item) if isinstance(item, str | int | float) and not isinstance(item, bool) else ""


def _fits(item: str, candidate: str) -> bool:
    """Return whether an item means a candidate: both levelled.

    It is equal to it, or holds it as whole words and is at most three times as long (a sentence names nothing), or is
    held by it as whole words and at least half as long.
    """
    holds = len(item) <= 3 * len(candidate) and _stands(candidate, item)
    return holds or (2 * len(item) >= len(candidate) and _stands(item, candidate))


def _stands(words: str, text: str) -> bool:
    """Return whether words stand in a text with no letter or digit joined to either end."""
    at = text.find(words)
    while at >= 0:
        before, after = text[max(0, at - 1) : at + 1], text[at + len(words) - 1 : at + len(words) + 1]
        if not (_joined(before) or _joined(after)):
            return True
        at = text.find(words, at + 1)
    return False


def _joined(two: str) -> bool:
    return len(two) == 2 and all(sign.isalnum() or sign == "_" for sign in two)


def _level(text: str) -> str:
    """Level what does not tell values apart: NFKC, case, white space."""
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).split())


@cache
def _code_words() -> Mapping[str, re.Pattern[str]]:
    rows = patterns_in("code_words.txt").items()
    return {kind: re.compile(rf"\b(?:{words})s?\b", re.IGNORECASE) for kind, words in rows}


def named_codes(query: str) -> frozenset[str]:
    """Return the subtypes of CODE that a query names."""
    return frozenset(kind for kind, words in _code_words().items() if words.search(query))
