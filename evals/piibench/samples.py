"""Samples of one and of two subjects (spec 03 §3.3, steps 1 to 6), drawn by a seed.

Without a language model values come from lists, texts and queries from templates. The paper does not say how many
entities of which type a sample has; here their number is 4 + Binomial, with the published mean, each person has exactly
one name, as the published counts have it, and the other types are drawn by their published counts.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from random import Random

from gama.evals.datasets.piibench import BenchRecord, Fact
from gama.evals.datasets.taxonomy import CATEGORIES, TYPE_OF_CATEGORY
from gama.evals.piibench.consistency import TIES, Values, pair, person, required
from gama.evals.piibench.queries import ALONE, ROLES, Asked, ask, choose, scenarios, usable
from gama.evals.piibench.statistics import PUBLISHED
from gama.evals.piibench.texts import Scene, Style, Text, pair_text, problem, single_text
from gama.evals.piibench.writer import Writer
from gama.privacy.finders import Complete

LEAST, MOST = 4, 16
"""Entities of a person."""
_CHANCE = {"single": 0.306, "multi": 0.214}
"""Of the Binomial: means 7.67, and 6.57 for each of two (13.14, spec 03 §3.4)."""
_NAMES = {"single": (0.84, 0.08, 0.08), "multi": (0.92, 0.0, 0.08)}
"""How often a person goes by full name, handle or nickname: by a handle nobody is spoken to."""
FORCED: dict[str, float] = {
    kind: sum(
        sum(TYPE_OF_CATEGORY[name] == kind for both in required(tie) for name in both) / (2 * len(TIES) * len(ties))
        for ties in TIES.values()
        for tie in ties
    )
    for kind in CATEGORIES
}
"""Entities of each type that a person of two has on average because the tie between them wants it so."""
ATTEMPTS = 20
"""Draws for a sample of templates; nearly always the first serves."""


class Maker:
    """Makes samples one after the other. The same seed makes the same ones, without a language model."""

    def __init__(self, seed: int, complete: Complete | None = None) -> None:
        """Begin.

        Args:
            seed: Of every draw.
            complete: The private LLM that writes values, texts and queries; by default templates do.
        """
        self._seed = seed
        self.writer = Writer(complete) if complete is not None else None
        self.seen: Counter[str] = Counter()
        """Queries of each scenario type."""
        self.used: Counter[str] = Counter()
        """How often each sentence of a query was used."""
        self.dropped: Counter[str] = Counter()
        """Samples that could not be made, by set."""

    def singles(self, count: int, step: Callable[[str], None]) -> list[BenchRecord]:
        """Make samples of one subject, at most `count`: those that fail too often are dropped and counted."""
        return self._made("single", count, self._single, step)

    def pairs(self, count: int, step: Callable[[str], None]) -> list[BenchRecord]:
        """Make samples of two subjects, at most `count`."""
        return self._made("multi", count, self._pair, step)

    def _made(
        self,
        split: str,
        count: int,
        make: Callable[[str, Random], BenchRecord | None],
        step: Callable[[str], None],
    ) -> list[BenchRecord]:
        found = []
        for number in range(1, count + 1):
            identity = f"{split}-{number:04}"
            # A language model has had its tries within each step.
            tries = range(1 if self.writer else ATTEMPTS)
            draws = (make(identity, Random(f"{self._seed}/{identity}/{at}")) for at in tries)
            if (record := next((one for one in draws if one is not None), None)) is not None:
                self.seen[record.scenario] += 1
                found.append(record)
            else:
                self.dropped[split] += 1
            step(split)
        return found

    def _single(self, identity: str, rng: Random) -> BenchRecord | None:
        values = person(categories("single", rng), rng)
        style: Style = rng.choice(("formal", "casual"))
        people: Sequence[Values] | None = (values,)
        made: Text | None = None
        if self.writer is None:
            made = single_text(values, style, rng)
        elif (people := self.writer.people((values,), "")) is not None:
            kinds = {"formal": ("a resume", "an employee record"), "casual": ("a profile", "a self-introduction")}
            made = self.writer.describe(people, rng.choice(kinds[style]))
        if people is None or made is None or problem(made, people) is not None:
            return None
        asked = self._asked(_facts(made), ALONE[:1] if style == "casual" else ALONE[1:], rng)
        return asked and _record(identity, "single", made, asked, style=style)

    def _pair(self, identity: str, rng: Random) -> BenchRecord | None:
        relation = rng.choice(list(TIES))
        tie = rng.choice(TIES[relation])
        first, second = required(tie)
        drawn = pair(tie, (categories("multi", rng, first), categories("multi", rng, second)), rng)
        if drawn is None:
            return None
        scene: Scene = rng.choice(("dialogue", "scene"))
        people: Sequence[Values] | None = drawn
        made: Text | None = None
        if self.writer is None:
            made = pair_text(drawn, tie, scene, rng)
        elif (people := self.writer.people(drawn, tie)) is not None:
            kind = "a dialogue of the two people" if scene == "dialogue" else "a scene with the two people"
            made = self.writer.describe(people, f"{kind}; they are {tie}")
        if people is None or made is None or problem(made, people) is not None:
            return None
        asked = self._asked(_facts(made), ROLES[tie], rng)
        return asked and _record(identity, "multi", made, asked, scene=scene, relation=relation)

    def _asked(self, facts: Sequence[Fact], owners: Sequence[str], rng: Random) -> Asked | None:
        needed, scenario = choose(facts, self.seen, rng)
        if self.writer is not None:
            return self.writer.query(needed, facts, self.seen)
        asked = Asked(ask(needed, scenario, owners, rng, self.used), needed, scenarios()[scenario].domain)
        return asked if usable(asked, facts) else None


def categories(split: str, rng: Random, wanted: Sequence[str] = ()) -> list[str]:
    """Draw the categories of a person: one name, and others by the published counts of their types.

    Args:
        split: `single` or `multi`.
        rng: Draws.
        wanted: What must be among them.
    """
    count = LEAST + sum(rng.random() < _CHANCE[split] for _ in range(MOST - LEAST))
    chosen = [rng.choices(CATEGORIES["PER"], _NAMES[split])[0], *wanted]
    shares = _weights(split)
    while len(chosen) < count:
        left = {
            kind: [name for name in names if name not in chosen] for kind, names in CATEGORIES.items() if kind != "PER"
        }
        kinds = [kind for kind, names in left.items() if names]
        kind = rng.choices(kinds, [shares[one] for one in kinds])[0]
        chosen.append(rng.choice(left[kind]))
    return chosen


@cache
def _weights(split: str) -> dict[str, float]:
    """Return how often a type is drawn: by its published count, less what ties bring along."""
    counts, mean = PUBLISHED[split].types, LEAST + (MOST - LEAST) * _CHANCE[split] - 1
    whole = sum(counts.values()) - counts["PER"]
    forced = FORCED if split == "multi" else dict.fromkeys(FORCED, 0.0)
    return {kind: count / whole * mean - forced[kind] for kind, count in counts.items() if kind != "PER"}


def _facts(made: Text) -> tuple[Fact, ...]:
    return tuple(dict.fromkeys(one.fact for one in made.mentions))


def _record(
    identity: str, split: str, made: Text, asked: Asked, *, style: str = "", scene: str = "", relation: str = ""
) -> BenchRecord:
    mentions = tuple(sorted(made.mentions))
    return BenchRecord(
        identity, split, made.text, asked.text, mentions, asked.needed, asked.domain, style, scene, relation
    )
