"""Measures what a restorer makes of mangled placeholders: what comes back, how clean, and whose value it is."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from time import process_time
from typing import Literal, NamedTuple, Protocol

from gama.evals.mangling.base import Kind, Mark, take_apart
from gama.evals.mangling.cases import Case, Value, cases, made_up
from gama.guard.folding import text_bytes
from gama.guard.search import Automaton
from gama.privacy.box import PrivacyBox
from gama.state.box import Draft, Written
from gama.tools.placeholders.remapping import remap_text
from gama.tools.placeholders.stream import StreamRestorer

SIZES = (12, 120, 1200)
"""Values in a box."""
COUNT = 12
"""Answers for each kind and size."""
_CHUNKS = (1, 2, 3, 4, 5, 8, 13, 40)


class Restorer(Protocol):
    """Something that puts values in the place of placeholders."""

    name: str

    def box(self, values: Sequence[Value]) -> list[str]:
        """Make a box of values; return their placeholders."""
        ...

    def restore(self, texts: Sequence[str]) -> list[str]:
        """Restore answers with the last box."""
        ...


Strategy = Literal["tag", "enriched", "surrogate"]
"""How placeholders are written; see docs/placeholders.md."""
STRATEGIES: tuple[Strategy, ...] = ("tag", "enriched", "surrogate")

_FACTS = {
    "full_name": " gender=f",
    "first_name": " gender=m",
    "city": " kind=city country=PL",
    "company": " kind=company country=SE sector=trade",
}
"""Facts of the made-up values, which no list knows."""


class Ours:
    """The restorer of this package.

    Args:
        strategy: how its placeholders are written.
    """

    def __init__(self, strategy: Strategy = "tag") -> None:
        """Begin without a box."""
        self.name: str = "gama" if strategy == "tag" else strategy
        self._strategy = strategy
        self.made = PrivacyBox()

    def box(self, values: Sequence[Value]) -> list[str]:
        """Make a box of values; return their placeholders."""
        subtypes = {
            "person": "full_name",
            "given name": "first_name",
            "place": "city",
            "mail": "email",
            "firm": "company",
        }
        self.made = PrivacyBox()
        if self._strategy == "enriched":
            self.made.write_with(_with_facts)
        elif self._strategy == "surrogate":
            others = iter(made_up(len(values), len(values)))
            self.made.write_with(lambda draft: Written(next(others).text))
        return [self.made.add(value.text, subtypes[value.type], value.key) for value in values]

    def restore(self, texts: Sequence[str]) -> list[str]:
        """Restore answers with the last box."""
        return [remap_text(text, self.made).text for text in texts]


def _with_facts(draft: Draft) -> Written:
    return Written(draft.tag.replace(">", f"{_FACTS.get(draft.subtype, '')}>"))


@dataclass
class Score:
    """What became of one kind of change."""

    kind: Kind
    example: str = ""
    answers: int = 0
    placeholders: int = 0
    restored: int = 0
    """Placeholders whose value stands where it should."""
    clean: int = 0
    """Answers that are exactly what they should be."""
    wrong: int = 0
    """Values that stand where another one should, or none."""

    @property
    def rate(self) -> float:
        """Share of placeholders restored; of false positives, the share of answers left alone."""
        return self.clean / self.answers if self.kind.alone else self.restored / self.placeholders


class Hold(NamedTuple):
    """What a stream held back."""

    chunks: int
    characters: int
    """Characters, summed over chunks, that had come and were not given out yet."""
    longest: int
    free: int
    """Chunks after which nothing was held back."""
    seconds: float
    differences: int
    """Answers that came out otherwise than restored as a whole."""


@dataclass
class Outcome:
    """All scores of one restorer."""

    name: str
    scores: list[Score] = field(default_factory=list)
    version: str = ""
    errors: int = 0
    """Answers it gave up on."""


def evaluate(
    restorer: Restorer,
    kinds: Sequence[Kind],
    *,
    sizes: Sequence[int] = SIZES,
    count: int = COUNT,
    seed: int = 0,
    step: Callable[[str], object] = lambda name: None,
) -> Outcome:
    """Measure a restorer on every kind and every size of box.

    Args:
        restorer: what is measured.
        kinds: the changes.
        sizes: how many values the boxes have.
        count: answers for each kind and size.
        seed: of the random choices.
        step: called with the name of each kind when it is done.
    """
    scores = {kind.name: Score(kind) for kind in kinds}
    for size in sizes:
        for style in ("plain", "awkward"):
            chosen = [kind for kind in kinds if kind.values == style]
            if not chosen:
                continue
            values = made_up(size, seed, awkward=style == "awkward")
            marks = [take_apart(placeholder) for placeholder in restorer.box(values)]
            find = Finder(values)
            for kind in chosen:
                made = list(cases(kind, values, marks, count, seed))
                for case, text in zip(made, restorer.restore([case.text for case in made]), strict=True):
                    add(scores[kind.name], case, text, find)
                step(kind.name)
    return Outcome(restorer.name, [score for score in scores.values() if score.answers])


def add(score: Score, case: Case, text: str, find: "Finder") -> None:
    """Add what became of one answer."""
    score.example = score.example or case.example
    score.answers += 1
    found = find(text)
    right = _common(found, case.expected)
    score.placeholders += len(case.expected)
    score.restored += right
    score.wrong += len(found) - right
    score.clean += _reads_as(case, text) if case.kind.reads else text in case.restored


def _reads_as(case: Case, text: str) -> bool:
    assert case.kind.reads
    try:
        return tuple(case.kind.reads(text)) == case.values
    except Exception:
        # Whatever a parser says of it, it is not well formed.
        return False


class Finder:
    """Finds the values of a box in a text, by the word that each has for itself."""

    def __init__(self, values: Sequence[Value]) -> None:
        """Compile the words."""
        self._words = Automaton([value.key for value in values])

    def __call__(self, text: str) -> list[int]:
        """Return the places of the values in the order in which they stand."""
        return [found.word for found in self._words.find(text_bytes(text.lower()))]


def _common(found: Sequence[int], expected: Sequence[int]) -> int:
    """Return the length of the longest sequence that stands in both in this order."""
    row = [0] * (len(expected) + 1)
    for one in found:
        before = 0
        for at, other in enumerate(expected, start=1):
            here = row[at]
            row[at] = before + 1 if one == other else max(row[at], row[at - 1])
            before = here
    return row[-1]


def measure_streams(
    kinds: Sequence[Kind],
    *,
    sizes: Sequence[int] = SIZES,
    count: int = COUNT,
    seed: int = 0,
    prose: Iterable[str] = (),
    strategy: Strategy = "tag",
) -> Hold:
    """Feed every answer to a stream in random chunks and measure what is held back.

    Args:
        kinds: the changes.
        sizes: how many values the boxes have.
        count: answers for each kind and size.
        seed: of the random choices.
        prose: texts without placeholders that are fed too, instead of answers if `kinds` is empty.
        strategy: how the placeholders are written.
    """
    rng = Random(f"chunks:{seed}")
    ours = Ours(strategy)
    total = Hold(0, 0, 0, 0, 0.0, 0)
    for size in sizes:
        values = made_up(size, seed)
        marks: list[Mark] = [take_apart(placeholder) for placeholder in ours.box(values)]
        texts = [case.text for kind in kinds for case in cases(kind, values, marks, count, seed)]
        for text in [*texts, *prose]:
            total = _stream(text, ours.made, rng, total)
    return total


def _stream(text: str, box: PrivacyBox, rng: Random, total: Hold) -> Hold:
    restorer, out, held, free, at = StreamRestorer(box), [], [], 0, 0
    seconds = 0.0
    while at < len(text):
        size = rng.choice(_CHUNKS)
        began = process_time()
        out.append(restorer.feed(text[at : at + size]))
        seconds += process_time() - began
        at += size
        held.append(len(restorer.held))
    out.append(restorer.close())
    free = sum(not one for one in held)
    return Hold(
        total.chunks + len(held),
        total.characters + sum(held),
        max(total.longest, *held),
        total.free + free,
        total.seconds + seconds,
        total.differences + ("".join(out) != remap_text(text, box).text),
    )
