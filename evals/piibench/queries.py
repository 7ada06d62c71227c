"""Queries of samples (spec 03 §3.3, step 6): the scenario, what is needed in it, and how it is asked for.

A query needs a value without naming its category: it asks what nobody can tell who does not know the value ("which
instalment could she carry" needs what she earns). There are a dozen such questions and more for each category, each for
the scenarios in which it makes sense, so that no phrase gives the answer away by itself.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from random import Random
from typing import NamedTuple

from gama.evals.datasets.piibench import LETTERS, Fact
from gama.evals.metrics.needed import occurrences
from gama.evals.piibench.lists import pairs, sections

DOMAINS = ("career", "medical", "financial", "legal", "academic", "housing", "personal life")
"""The paper's scenario types."""

MOST_NEEDED = 3
_SHARES = (0.30, 0.42, 0.28)
"""How often a query needs one, two or three entities: 1.98 on average (the paper: 1.95 and 2.06)."""

ROLES = {
    "colleagues": ("the first colleague", "the second colleague"),
    "alumni": ("the first former classmate", "the second former classmate"),
    "neighbours": ("the first neighbour", "the second neighbour"),
    "parent-child": ("the parent", "the child"),
    "supervisor-subordinate": ("the supervisor", "the team member"),
    "teacher-student": ("the mentor", "the learner"),
    "strangers": ("the first person", "the second person"),
}
"""What a query calls the two persons of a tie; names of persons are never needed, so it has none."""

_CLOSED = 0.75
"""How often a query ends with a sentence on the answer that is wanted: so it is about as long as the published ones."""

ALONE = ("I", "this person")
"""What a query calls the one person of a text: who introduces themselves, and who is described."""

NUMBERS = ("one", "two", "three", "four", "five")

_SLOT = re.compile(r"\{([SsoPp]|\+s|[Ii]s|[Hh]as|[Dd]oes)\}")
_OF_ME = {
    "S": "I", "s": "I", "o": "me", "P": "My", "p": "my", "+s": "", "is": "am", "Is": "Am", "has": "have", "Has": "Have",
    "does": "do", "Does": "Do",
}  # fmt: skip


class Asked(NamedTuple):
    """A query."""

    text: str
    needed: tuple[Fact, ...]
    """E_q."""
    domain: str


class Scenario(NamedTuple):
    """A situation in which something is asked."""

    domain: str
    openings: tuple[str, ...]


@cache
def scenarios() -> Mapping[str, Scenario]:
    """Return the scenarios by name."""
    split = ((heading.partition(": "), lines) for heading, lines in sections("scenarios").items())
    return {name: Scenario(domain, lines) for (domain, _, name), lines in split}


@cache
def questions() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Return the questions that need a value, by its category and by scenario."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for heading, lines in sections("needs").items():
        category, _, names = heading.partition(": ")
        own: dict[str, list[str]] = {name: [] for name in names.split(", ")}
        for line in lines:
            tags, bar, question = line.partition("| ")
            for name in tags.split(", ") if bar else own:
                own[name].append(question if bar else line)
        found[category] = {name: tuple(asked) for name, asked in own.items()}
    return found


def topics(scenario: str) -> frozenset[str]:
    """Return the categories that a scenario can need."""
    return frozenset(category for category, asked in questions().items() if scenario in asked)


def over_represented(domain: str, seen: Counter[str]) -> bool:
    """Return whether a scenario type has had more than its part (the paper's filter for diversity): by a half."""
    return seen[domain] > 1.5 * seen.total() / len(DOMAINS) + 1


def choose(facts: Sequence[Fact], seen: Counter[str], rng: Random) -> tuple[tuple[Fact, ...], str]:
    """Choose a scenario, and what a query needs in it: all of it makes sense there (completeness, realism).

    Args:
        facts: E; names of persons are left out, as the paper leaves them out.
        seen: How often each domain has been asked about.
        rng: Chooses.
    """
    needable = [fact for fact in facts if fact.type != "PER"]
    count = min(rng.choices((1, 2, MOST_NEEDED), _SHARES)[0], len(needable))
    fitting = {name: [fact for fact in needable if fact.category in topics(name)] for name in scenarios()}
    while count:
        able = [name for name, some in fitting.items() if len(some) >= count]
        fresh = [name for name in able if not over_represented(scenarios()[name].domain, seen)]
        # Where all that could be asked came too often, it is asked all the same.
        if able := fresh or (able if count == 1 else []):
            least = min(seen[scenarios()[name].domain] for name in able)
            name = rng.choice([name for name in able if seen[scenarios()[name].domain] == least])
            drawn = set(rng.sample(fitting[name], count))
            return tuple(fact for fact in needable if fact in drawn), name
        count -= 1
    raise AssertionError("nothing can be asked about a person of whom only the name is known")


def ask(
    needed: Sequence[Fact], scenario: str, owners: Sequence[str], rng: Random, used: Counter[str] | None = None
) -> str:
    """Write a query that needs some values without stating them or naming what they are.

    Args:
        needed: E_q.
        scenario: By its name.
        owners: What each subject is called, in their order: `I`, or a role.
        rng: Chooses the words.
        used: How often each sentence was used: of several, one that was used least is. It is counted on.
    """
    used = Counter() if used is None else used
    parts = [_rarest(scenarios()[scenario].openings, used, rng) + "."]
    for fact in needed:
        # Of two persons the same is asked in other words.
        question = _rarest(questions()[fact.category][scenario], used, rng)
        parts.append(told(question, owners[LETTERS.index(fact.subject)]))
    if rng.random() < _CLOSED:
        parts.append(_rarest(sections("prose")["query closing"], used, rng))
    return " ".join(parts)


def _rarest(able: Sequence[str], used: Counter[str], rng: Random) -> str:
    least = min(used[one] for one in able)
    chosen = rng.choice([one for one in able if used[one] == least])
    used[chosen] += 1
    return chosen


def told(question: str, owner: str) -> str:
    """Return a question about somebody."""
    first = owner.capitalize()
    of_others = {"S": first, "s": owner, "o": owner, "P": f"{first}'s", "p": f"{owner}'s", "+s": "s"}
    return _SLOT.sub(lambda slot: (_OF_ME if owner == "I" else of_others).get(slot[1], slot[1]), question)


def states(query: str, facts: Iterable[Fact]) -> bool:
    """Return whether a query states a value, in any case of its letters: then the abstraction has failed."""
    return bool(occurrences(query.casefold(), {fact.entity.casefold() for fact in facts}))


@cache
def names_of(category: str) -> tuple[str, ...]:
    """Return the words that name a category, lower-case."""
    return tuple(pairs("names", "names")[category].split(", ")) if category in questions() else ()


def names(query: str, needed: Iterable[Fact]) -> bool:
    """Return whether a query names the category of something that it needs."""
    return bool(occurrences(query.casefold(), {word for fact in needed for word in names_of(fact.category)}))


def usable(asked: Asked, facts: Sequence[Fact]) -> bool:
    """Return whether a query passes the checks: it states no value, names no category, and needs one to three."""
    fit = 1 <= len(asked.needed) <= MOST_NEEDED and set(asked.needed) <= set(facts)
    return fit and bool(asked.text.strip()) and not states(asked.text, facts) and not names(asked.text, asked.needed)


class Phrase(NamedTuple):
    """Words in a row, and in how many queries they stand."""

    words: str
    share: float


PHRASE = 5
"""Words of a phrase."""

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_OWNERS = re.compile(
    r"\b(?:" + "|".join([*ALONE, "me", "my", *(role for both in ROLES.values() for role in both)]) + r")(?:'s)?\b",
    re.IGNORECASE,
)


def commonest_phrase(queries: Iterable[str]) -> Phrase:
    """Return the phrase that most queries share, whoever it speaks of: a large share gives away what is needed.

    Of a query that puts several questions, one a line (Test-Distract), each counts as one.
    """
    counted: Counter[str] = Counter()
    whole = 0
    for line in (line for query in queries for line in query.splitlines()):
        whole += 1
        words = _WORD.findall(_OWNERS.sub("somebody", line).casefold())
        counted.update({" ".join(words[at : at + PHRASE]) for at in range(len(words) - PHRASE + 1)})
    phrase, count = min(counted.items(), key=lambda one: (-one[1], one[0]), default=("", 0))
    return Phrase(phrase, count / whole if whole else 0.0)
