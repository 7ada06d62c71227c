"""The two hard sets (spec 03 §3.3, steps 7 and 8): samples chosen from others, and put together from others."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from statistics import fmean, pstdev

from gama.evals.datasets.piibench import LETTERS, BenchRecord, Fact, Mention
from gama.evals.piibench.lists import sections
from gama.evals.piibench.queries import NUMBERS, states
from gama.evals.piibench.texts import Text, problem

THREADS = ("professional network", "knowledge platform", "community forum")
"""The paper's three templates."""
JOINED, ASKED = 5, 3
"""Descriptions of a sample of Test-Distract, and those that its query concerns."""
_CALLED = {"professional network": "contributor", "knowledge platform": "case", "community forum": "member"}


def hardest(records: Sequence[BenchRecord], count: int) -> list[BenchRecord]:
    """Return the hardest samples, hardest first: long, dense, and with much that the query needs.

    The paper names the three criteria and not how they go together; here by the mean of their z-scores, ties by id.
    """
    criteria: tuple[list[float], ...] = (
        [len(one.description) for one in records],
        [len(one.facts) / len(one.description) for one in records],
        [len(one.query_pii) for one in records],
    )
    scores = [fmean(three) for three in zip(*map(standardized, criteria), strict=True)]
    order = sorted(range(len(records)), key=lambda at: (-scores[at], records[at].id))
    return [replace(records[at], id=f"hard-{records[at].id}", split="hard") for at in order[:count]]


def standardized(numbers: Sequence[float]) -> list[float]:
    """Return z-scores; zero where all numbers are the same."""
    if not numbers:
        return []
    mean, deviation = fmean(numbers), pstdev(numbers)
    return [(one - mean) / deviation if deviation else 0.0 for one in numbers]


def distracting(
    singles: Sequence[BenchRecord], pairs: Sequence[BenchRecord], count: int, seed: int, step: Callable[[str], None]
) -> list[BenchRecord]:
    """Put samples together from five each, as threads of one of three templates.

    One source of two has two subjects where there are both, so that there are 7.5 subjects on average, as published.
    Fewer than five sources give none.
    """
    found: list[BenchRecord] = []
    if len(singles) + len(pairs) < JOINED:
        return found
    for number in range(1, count + 1):
        for attempt in range(20):
            rng = Random(f"{seed}/distract/{number}/{attempt}")
            record = _joined(number, _sources(singles, pairs, rng), rng)
            if record is not None:
                found.append(record)
                break
        step("distract")
    return found


def _sources(singles: Sequence[BenchRecord], pairs: Sequence[BenchRecord], rng: Random) -> list[BenchRecord]:
    twos = sum(rng.random() < 0.5 for _ in range(JOINED))
    twos = min(max(twos, JOINED - len(singles)), len(pairs))
    chosen = [*rng.sample(pairs, twos), *rng.sample(singles, JOINED - twos)]
    rng.shuffle(chosen)
    return chosen


def _joined(number: int, sources: Sequence[BenchRecord], rng: Random) -> BenchRecord | None:
    prose, thread = sections("prose"), rng.choice(THREADS)
    asked = sorted(rng.sample(range(JOINED), ASKED))
    text = rng.choice(prose[f"{thread} opening"])
    replies = rng.sample(prose[f"{thread} reply"], len(prose[f"{thread} reply"]))
    mentions: list[Mention] = []
    needed: list[Fact] = []
    letters = 0
    for at, one in enumerate(sources):
        text += "\n\n" + rng.choice(prose[f"{thread} turn"]).replace("{N}", NUMBERS[at]) + "\n"
        shift, start = letters, len(text)
        text += one.description
        mentions += [Mention(a + start, b + start, _moved(fact, shift)) for a, b, fact in one.pii]
        if at in asked:
            needed += [_moved(fact, shift) for fact in one.query_pii]
        letters += one.subjects
        if at < len(replies):
            text += "\n\n" + replies[at]
    called = _CALLED[thread].capitalize()
    openings = prose["thread query"]
    questions = [f"{called} {NUMBERS[at]}: {sources[at].query}" for at in asked]
    query = "\n".join([openings[number % len(openings)], *questions])
    made = Text(text, tuple(sorted(mentions)))
    people: list[dict[str, str]] = [{} for _ in range(letters)]
    for fact in {one.fact for one in mentions}:
        people[LETTERS.index(fact.subject)][fact.category] = fact.entity
    if problem(made, people) is not None or states(query, [one.fact for one in mentions]):
        return None
    # Three queries have three domains; the record has room for them.
    scenario = ", ".join(dict.fromkeys(sources[at].scenario for at in asked))
    return BenchRecord(
        f"distract-{number:04}",
        "distract",
        text,
        query,
        made.mentions,
        tuple(dict.fromkeys(needed)),
        scenario,
        scene=thread,
    )


def _moved(fact: Fact, by: int) -> Fact:
    return fact._replace(subject=LETTERS[LETTERS.index(fact.subject) + by])
