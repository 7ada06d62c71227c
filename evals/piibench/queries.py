"""Queries of samples (spec 03 §3.3, step 6): what is needed, in which scenario, and how it is asked for."""

from collections import Counter
from collections.abc import Iterable, Sequence
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
    "teacher-student": ("the one who teaches", "the one who learns"),
    "strangers": ("the first person", "the second person"),
}
"""What a query calls the two persons of a tie; names of persons are never needed, so it has none."""

NUMBERS = ("one", "two", "three", "four", "five")


class Asked(NamedTuple):
    """A query."""

    text: str
    needed: tuple[Fact, ...]
    """E_q."""
    domain: str


def topics(domain: str) -> frozenset[str]:
    """Return the categories that a scenario of a domain can need."""
    return frozenset(pairs("queries", "topics")[domain].split(", "))


def over_represented(domain: str, seen: Counter[str]) -> bool:
    """Return whether a scenario type has had more than its part (the paper's filter for diversity): by a half."""
    return seen[domain] > 1.5 * seen.total() / len(DOMAINS) + 1


def domains_for(needed: Iterable[Fact], seen: Counter[str]) -> list[str]:
    """Return the domains whose scenarios need all of some entities (completeness, realism), the rarest first."""
    wanted = {fact.category for fact in needed}
    found = [domain for domain in DOMAINS if wanted <= topics(domain)]
    return sorted(found, key=lambda domain: (seen[domain], DOMAINS.index(domain)))


def choose(facts: Sequence[Fact], seen: Counter[str], rng: Random) -> tuple[tuple[Fact, ...], str]:
    """Choose what a query needs, and its domain.

    Args:
        facts: E; names of persons are left out, as the paper leaves them out.
        seen: How often each domain has been asked about.
        rng: Chooses.
    """
    needable = [fact for fact in facts if fact.type != "PER"]
    count = min(rng.choices((1, 2, MOST_NEEDED), _SHARES)[0], len(needable))
    needed: tuple[Fact, ...] = ()
    for _ in range(60):
        drawn = set(rng.sample(needable, count))
        needed = tuple(fact for fact in needable if fact in drawn)
        for domain in domains_for(needed, seen):
            if not over_represented(domain, seen):
                return needed, domain
    # No scenario needs any of these together: one of them always has one.
    needed = needed[:1]
    return needed, domains_for(needed, seen)[0]


def ask(needed: Sequence[Fact], domain: str, owners: Sequence[str], rng: Random) -> str:
    """Write a query that refers to what it needs without stating it.

    Args:
        needed: E_q.
        domain: Its scenario.
        owners: What each subject is called, in their order: `I`, or a role.
        rng: Chooses the words.
    """
    listed = sections("queries")
    opening, question = rng.choice(listed[domain]), rng.choice(listed[f"{domain} ask"])
    link = rng.choice(listed["link"]).replace("{refs}", _references(needed, owners))
    middle = f"{link} {question[0].lower()}{question[1:]}" if link.endswith(",") else f"{link} {question}"
    return f"{opening}. {middle}"


def _references(needed: Sequence[Fact], owners: Sequence[str]) -> str:
    words = pairs("queries", "references")
    named = []
    for fact in needed:
        owner = owners[LETTERS.index(fact.subject)]
        named.append(f"{'my' if owner == 'I' else owner + chr(39) + 's'} {words[fact.category]}")
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"


def states(query: str, facts: Iterable[Fact]) -> bool:
    """Return whether a query states a value, in any case of its letters: then the abstraction has failed."""
    return bool(occurrences(query.casefold(), {fact.entity.casefold() for fact in facts}))


def usable(asked: Asked, facts: Sequence[Fact]) -> bool:
    """Return whether a query passes the spec's checks: it states no value, and needs one to three of what there is."""
    fit = 1 <= len(asked.needed) <= MOST_NEEDED and set(asked.needed) <= set(facts)
    return fit and bool(asked.text.strip()) and not states(asked.text, facts)
