"""The privacy dial: what a level lets leave of what a query needs (option `privacy`).

`strict` hides everything private. `open` shows whatever the query needs (PII-Bench T3). `balanced` asks of each value
what the need is: what can be reckoned stays hidden, since formulas reckon at home; what need only be roughly known is
generalised (`gama.tools.styles.generalised`); what must be understood is shown. Names, codes, contacts and addresses
are never shown, unless somebody names them by the option `keep` or decides so.

In `balanced` a fact that must be understood counts as needed more easily than in `open`: a missed condition or country
leaves an answer without ground, and no name stands beside it. What tells is the embedded selector's score, with a lower
bar; what the query is about (words of `data/topics.txt`), for the kinds of facts that it turns on; and that the query
itself, or a sentence that shares its words, speaks of it.
"""

import re
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Literal

import regex

from gama.guard.folding import fold
from gama.privacy.decide import by_person, value_key
from gama.privacy.identify import patterns_in
from gama.state.entities import Entity
from gama.state.options import Options

Level = Literal["strict", "balanced", "open"]
Treatment = Literal["hide", "show", "generalise"]

UNDERSTOOD = frozenset(
    "occupation gender nationality ethnicity race religion political_affiliation sexual_orientation education_level "
    "degree physical_feature medical_condition disability marital_status family language blood_type country "
    "region circumstance social_security_payment".split()
)
"""Subtypes that must be understood, if anything: they are shown when the query needs them."""
ROUGHLY = frozenset(
    "age date_of_birth city facility landmark income balance loan bonus credit_limit company school government ngo "
    "healthcare other_org date".split()
)
"""Subtypes of which it is enough to know roughly what they are."""
SPECIAL = frozenset("ethnicity race religion political_affiliation sexual_orientation".split())
"""Understood facts that no topic calls for: only the selector's full score, or the query's own words."""
NEAR = 0.5
"""Share of the selector's threshold from which on an understood fact is needed; see `docs/privacy-levels.md`."""
FAINT = 0.05
"""The selector's score below which shared words alone do not make a fact needed."""
SHARED = 2
"""Words, by their beginnings, that a sentence shares with the query when it speaks of the same."""

TOPICS: Mapping[str, frozenset[str]] = {
    "medicine": frozenset(
        "medical_condition disability blood_type physical_feature gender age date_of_birth weight height".split()
    ),
    "law": frozenset("country region city nationality marital_status age circumstance".split()),
    "work": frozenset("occupation education_level degree language disability country".split()),
    "benefits": frozenset(
        "age date_of_birth country region city occupation disability marital_status family income circumstance "
        "social_security_payment".split()
    ),
    "travel": frozenset("country region city nationality language age family disability".split()),
    "school": frozenset("education_level degree age date_of_birth school language country region city".split()),
    "household": frozenset("income balance loan family marital_status".split()),
    "relations": frozenset("family marital_status gender age circumstance".split()),
    "language": frozenset("language nationality country".split()),
    "food": frozenset("medical_condition religion age family disability".split()),
    "season": frozenset("date city region country".split()),
    "speech": frozenset("occupation family marital_status education_level degree language".split()),
}  # fmt: skip
"""Which facts queries of a topic turn on; the topics' words are in `data/topics.txt`."""

EVIDENCE: Mapping[str, frozenset[str]] = {
    "medicine": frozenset("medical_condition disability blood_type".split()),
    "household": frozenset("income balance loan".split()),
    "law": frozenset(),
    "work": frozenset(),
    "benefits": frozenset(),
    "travel": frozenset(),
    "school": frozenset(),
}
"""Topics that a text itself can have, for a question that names none (`Is it safe?`), and the facts that show them."""
PLAIN_EVIDENCE = 2
"""Different words of a topic, or facts that show it, from which on a text is about it."""

# Words of a text that carry its sense, as far as length tells.
_WORD = regex.compile(r"\p{L}{4,}")
_ASKING = frozenset(fold(word)[:6] for word in (
    "what which when where whose does have that this these those with from about there their would could should will "
    "they them please write draft answer question sentence letter text must into than then also only need needs your "
    "welche welcher welches wann wird werden wurde nicht eine einen einer oder sind haben kann muss "
    "quel quelle quels quelles dans pour avec sont elle cette cuál cuánto cuándo para como esta este quale quali della "
    "delle sono welke voor moet niet jaki jaka jest vilken vilket inte"
).split())  # fmt: skip
"""Beginnings of words that any question has."""
# Nouns of German, which have capitals too: endings that names do not have.
_NOUN = regex.compile(
    r"(?:ung|heit|keit|schaft|lehrer|pfleger|erin|arzt|ärztin|loge|login|ikerin|tät|itis|ose|allergie|krank\w*|druck"
    r"|schmerz\w*|mangel|fehler|leiden|störung\w*|schwester|geselle|meister|kauf(?:mann|frau)|angestellte\w*)$"
)
# What stands in capitals for an illness or an operation: accepts `COPD`, `DM` of `T2DM`; refuses longer words.
_SHORT = regex.compile(r"\p{Lu}{1,5}")
# The end of a sentence or line, not of an abbreviation such as `Dr.` or of a number.
_SENTENCE = regex.compile(r"(?<=\p{Ll}{3}[.!?])\s+|\n+")
# What was measured, or how much is taken: accepts `28`, `148/96`, `5.6 mmol/l`, `HbA1c 52`, `1000 mg`, `31 weeks`;
# refuses what has more digits, as numbers of patients have, and dates.
_READING = regex.compile(
    r"(?:\p{L}[\p{L}\d+]*[ :]+){0,2}[<>~±+-]?(?:\d{1,3}|\d{4}(?=\s*(?:mg|ml|µg|mcg|iu|ie|kcal)\b))(?:[.,]\d{1,2})?"
    r"(?:\s?[/x×-]\s?\d{1,3}(?:[.,]\d)?)?(?:\s?[\p{L}%°µ][\p{L}%°µ/\d.²³ -]{0,24})?",
    regex.IGNORECASE,
)
_PREGNANT = regex.compile(
    r"pregnan|expecting|schwanger|enceinte|embaraz|incinta|zwanger|ciąż|gravid|grávida", regex.IGNORECASE
)
# A fact in words: accepts `type 2 diabetes`, `Year 13`; refuses what is reckoned with: `138/82`, `16 %`, `2.1 mmol/l`.
_IN_WORDS = regex.compile(r"(?!\d)(?!.*\d{3}).*\p{L}{2}", regex.DOTALL)


def level_of(options: Options, *, asked: bool) -> Level:
    """Return the level that holds: an `auto` left to the engine is `open` for a query, else `strict`."""
    if options.privacy == "auto":
        return "open" if asked else "strict"
    return options.privacy


def treatment(entity: Entity, options: Options, needed: bool, *, sure: bool = False) -> Treatment:
    """Return what becomes of a private mention.

    Args:
        entity: the mention.
        options: the level; what `select_never` and `deny` name is hidden in all of them.
        needed: whether the query needs it.
        sure: whether it is what the query turns on, see `asked.turns_on`: it is shown in figures and capitals, too.
    """
    level = level_of(options, asked=needed)
    if not needed or level == "strict" or _is_never(entity, options):
        return "hide"
    if level == "open":
        return "show"
    if entity.subtype in ROUGHLY or entity.subtype == "medical_condition":
        from gama.tools.styles.generalised import told
        from gama.tools.styles.writer import strategy_of

        if told(entity.text, entity.subtype):
            # A style that somebody names for such values goes before this one.
            return "generalise" if strategy_of(entity.subtype, dict(options.strategies)) is None else "hide"
    if sure or (entity.subtype == "medical_condition" and is_reading(entity.text)):
        return "show"
    if entity.subtype in ("weight", "height") or (entity.subtype == "gender" and len(entity.text) == 1):
        return "show"  # What a dose goes by; the `F` of `34F`.
    if entity.subtype not in UNDERSTOOD or not _IN_WORDS.match(entity.text):
        return "hide"
    if _reads_as_name(entity.text, short=entity.subtype == "medical_condition"):
        return "hide"
    return "show"


def is_reading(value: str) -> bool:
    """Return whether a value of somebody's health was measured or counted, and is too short for a number of theirs."""
    digits = sum(char.isdigit() for char in value)
    return 0 < digits <= 6 and bool(_READING.fullmatch(value.strip()))


def _is_never(entity: Entity, options: Options) -> bool:
    """Return whether the options name a mention as never to be shown, by its type or its text."""
    if entity.type in options.select_never or entity.subtype in options.select_never:
        return True
    value = value_key(entity.text)
    denied = (value_key(word) for word in options.deny if word.strip())
    return any(value in one or one in value for one in denied)


def may_leave(entity: Entity, options: Options, topics: Collection[str] = ()) -> bool:
    """Return whether a mention, on which nobody has decided, leaves in any form if the query needs it.

    Args:
        entity: the mention.
        options: the level, and what it is to hide for ever.
        topics: what the query is about; dates are reckoned with, but where the season is asked.
    """
    if by_person(entity):
        return False
    if level_of(options, asked=True) == "open":
        return not _is_never(entity, options)
    if entity.subtype == "date" and "season" not in topics:
        return False
    return entity.private and treatment(entity, options, True) != "hide"


def understood(
    text: str,
    query: str,
    entities: Sequence[Entity],
    scores: Sequence[float],
    threshold: float,
    topics: Collection[str],
) -> list[Entity]:
    """Return the mentions that a query needs to understand, by the embedded selector and by rule.

    Args:
        text: the text, or the query itself.
        query: what is asked.
        entities: mentions that may leave.
        scores: how probably the query needs each of them, as the selector says.
        threshold: the selector's own.
        topics: what the query is about, see `topics_of`.
    """
    wanted = facts_of(topics)
    asked, shared = fold(query), _stems(query)
    sentences = _sentences(text)
    starts = [start for start, _ in sentences]
    stems = cache(lambda at: _stems(sentences[at][1]))
    out = []
    for entity, score in zip(entities, scores, strict=True):
        kind = entity.subtype
        said = is_said(entity, asked)
        if kind in SPECIAL:
            needed = said or score >= threshold or kind in wanted
        elif kind == "medical_condition" and _PREGNANT.search(entity.text):
            needed = said or bool(wanted)  # It decides in work, law, travel and food as in medicine.
        elif kind == "medical_condition" and is_reading(entity.text):
            needed = said or kind in wanted
        elif kind in UNDERSTOOD:
            here = bisect_right(starts, entity.start) - 1
            near = score >= FAINT and len(shared & stems(here)) >= SHARED
            needed = said or near or score >= NEAR * threshold or kind in wanted
        else:
            # Amounts and ages score high wherever something is reckoned, which needs none of them in any form.
            needed = kind in wanted or (entity.type in ("LOC", "ORG") and (said or score >= threshold))
        if needed:
            out.append(entity)
    return out


def facts_of(topics: Collection[str]) -> frozenset[str]:
    """Return the subtypes of the facts that queries of topics turn on."""
    return frozenset(kind for topic in topics for kind in TOPICS[topic])


def is_said(entity: Entity, asked: str) -> bool:
    """Return whether a query, folded, says the value of a mention itself."""
    value = fold(entity.text)
    return len(value) > 2 and value in asked


def topics_of(query: str, text: str = "", kinds: Collection[str] = ()) -> frozenset[str]:
    """Return what a query is about, of the topics that turn on facts about a person.

    A query that asks for a judgement and names no topic (`Is that safe?`, `Can they just do that?`) is about what its
    text is about; one that asks something of the text's wording, or to reckon, is about none.

    Args:
        query: what is asked.
        text: the text that it is asked about.
        kinds: the subtype of each different private value of the text.
    """
    words = _topic_words()
    direct = frozenset(topic for topic in TOPICS if words[topic].search(query))
    if direct or not words["judgement"].search(query) or words["wording"].search(query):
        return direct
    told = {
        topic: len({fold(match[0])[:6] for match in words[topic].finditer(text)}) + sum(kind in shows for kind in kinds)
        for topic, shows in EVIDENCE.items()
    }
    most = max(told.values())
    return frozenset(topic for topic, count in told.items() if count == most >= PLAIN_EVIDENCE)


@cache
def _topic_words() -> Mapping[str, "regex.Pattern[str]"]:
    rows = patterns_in("topics.txt")
    within = {topic.removesuffix(WITHIN): words for topic, words in rows.items() if topic.endswith(WITHIN)}
    return {
        topic: regex.compile(rf"\b(?:{words})\b" + (f"|{within[topic]}" if topic in within else ""), re.IGNORECASE)
        for topic, words in rows.items()
        if not topic.endswith(WITHIN)
    }


WITHIN = " anywhere"
"""Marks the row of a topic whose words may stand within others."""


def _sentences(text: str) -> list[tuple[int, str]]:
    """Return the sentences of a text, each with where it begins."""
    ends = [*(match.end() for match in _SENTENCE.finditer(text)), len(text)]
    return [(start, text[start:end]) for start, end in zip([0, *ends], ends, strict=False)]


def _stems(text: str) -> frozenset[str]:
    """Return the beginnings of the longer words of a text, without those that any question has."""
    return frozenset(stem for word in _WORD.findall(text) if (stem := fold(word)[:6]) not in _ASKING)


def _reads_as_name(value: str, *, short: bool = False) -> bool:
    """Return whether a fact could be somebody's name that was taken for one: no name leaves as an occupation.

    Args:
        value: the fact.
        short: whether facts of its kind are written in capitals (`COPD`, `T2DM`).
    """
    from gama.models.shipped import word_vectors
    from gama.tools.formulas.facts import country_codes
    from gama.tools.styles.generalised import is_illness

    if country_codes(value) or is_illness(value):
        return False
    known, names, drugs = word_vectors(), _listed("knowledge", "ordinary.txt"), _listed("formulas", "drugs.tsv")
    for word in regex.findall(r"[\p{L}\p{M}'’-]+", value):
        plain = word.casefold().removesuffix("'s").removesuffix("’s")
        told = plain in drugs or any(part in known for part in (plain, *plain.split("-")))
        if fold(plain) in names and not (word.islower() and told):
            return True
        if short and _SHORT.fullmatch(word):
            continue
        if word[0].isupper() and not told and not _NOUN.search(plain):
            return True
    return False


@cache
def _listed(folder: str, name: str) -> frozenset[str]:
    """Return the words of a list of the tools."""
    from gama.tools.tables import lines

    return frozenset(word for line in lines(folder, name) for word in re.split(r"[;\s]", line))
