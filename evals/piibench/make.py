"""The four sets in one folder, with a card that says how they were made."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gama.evals.datasets.piibench import BenchRecord, as_lines
from gama.evals.piibench.hard import JOINED, distracting, hardest
from gama.evals.piibench.queries import commonest_phrase
from gama.evals.piibench.samples import Maker
from gama.evals.piibench.statistics import NOT_COMPARABLE, Statistics, as_numbers, describe
from gama.evals.piibench.values import check_faker
from gama.privacy.finders import Complete
from gama.state.errors import InputError, OptionError

SETS = ("single", "multi", "hard", "distract")


class Sizes(NamedTuple):
    """How many samples each set has; by default as many as the published ones."""

    single: int = 1214
    multi: int = 1228
    hard: int = 200
    distract: int = 200


class Made(NamedTuple):
    """The sets, and what did not come about."""

    sets: Mapping[str, Sequence[BenchRecord]]
    dropped: Mapping[str, int]
    """Samples that failed too often, by set."""
    failures: Mapping[str, int]
    """Replies of the private LLM that failed, by step."""


def make_sets(sizes: Sizes, seed: int, step: Callable[[str], None], complete: Complete | None = None) -> Made:
    """Make the sets.

    Args:
        sizes: How many samples.
        seed: Of every draw: without a private LLM the same seed makes the same sets.
        step: Told after each sample.
        complete: The private LLM, by default none.

    Raises:
        OptionError: Faker is not installed, or the hard sets are larger than what they are made from allows.
        InputError: The private LLM left too few samples for them.
    """
    check_faker()
    sources = sizes.single + sizes.multi
    if sizes.hard > sources:
        raise OptionError(f"option --hard: {sizes.hard} samples cannot be chosen from {sources}")
    if sizes.distract and sources < JOINED:
        raise OptionError(f"option --distract: each sample is made from {JOINED}, and there are {sources}")
    maker = Maker(seed, complete)
    singles, pairs = maker.singles(sizes.single, step), maker.pairs(sizes.multi, step)
    both = [*singles, *pairs]
    if not both and sources:
        raise InputError("the private LLM wrote no usable sample: try a larger model, or make the sets without one")
    distract = distracting(singles, pairs, sizes.distract, seed, step)
    hard = hardest(both, sizes.hard)
    dropped = dict(maker.dropped) | {"hard": sizes.hard - len(hard), "distract": sizes.distract - len(distract)}
    sets = dict(zip(SETS, (singles, pairs, hard, distract), strict=True))
    failures = dict(maker.writer.failures) if maker.writer else {}
    return Made(sets, {name: dropped.get(name, 0) for name in SETS}, failures)


def check_folder(folder: Path) -> None:
    """Refuse a folder that holds something, and a path that is not a folder.

    Raises:
        OptionError: The sets cannot be written there.
    """
    if folder.exists() and not folder.is_dir():
        raise OptionError(f"option --out: {str(folder)!r} is not a folder")
    if folder.is_dir() and any(folder.iterdir()):
        raise OptionError(f"option --out: the folder {str(folder)!r} is not empty; nothing is overwritten")
    if not folder.absolute().parent.is_dir():
        raise OptionError(f"option --out: the folder above {str(folder)!r} is missing")


def write_sets(folder: Path, made: Made, sizes: Sizes, seed: int, model: str | None) -> None:
    """Write the sets and the card.

    Args:
        folder: Where to; empty or not there yet.
        made: The sets.
        sizes: What was asked for.
        seed: Of the draws.
        model: The private LLM's name, or None.
    """
    from faker import VERSION

    folder.mkdir(exist_ok=True)
    hashes = {}
    for name, records in made.sets.items():
        content = as_lines(records).encode()
        (folder / f"{name}.jsonl").write_bytes(content)
        hashes[f"{name}.jsonl"] = hashlib.sha256(content).hexdigest()
    card: dict[str, Any] = {
        "data": "PII-Bench, made anew by gama eval make-pii-bench",
        "note": NOT_COMPARABLE,
        "seed": seed,
        "method": "offline: lists and templates" if model is None else f"private LLM {model}",
        "faker": VERSION,
        "sizes_asked_for": sizes._asdict(),
        "sizes": {name: len(records) for name, records in made.sets.items()},
        "dropped": dict(made.dropped),
        "failed_replies": dict(sorted(made.failures.items())),
        "sha256": hashes,
        "commonest_phrases": {name: _phrase(records) for name, records in made.sets.items()},
        "statistics": {name: as_numbers(one) for name, one in statistics(made).items()},
    }
    content = (json.dumps(card, indent=1, ensure_ascii=False) + "\n").encode()
    (folder / "card.json").write_bytes(content)


def _phrase(records: Sequence[BenchRecord]) -> dict[str, Any]:
    """Return which words in a row most queries of a set share, and how many do."""
    found = commonest_phrase(record.query for record in records)
    return {"words": found.words, "share": round(found.share, 4)}


def statistics(made: Made) -> dict[str, Statistics]:
    """Return the statistics of each set and of all together."""
    whole = [record for records in made.sets.values() for record in records]
    return {name: describe(records) for name, records in made.sets.items()} | {"all": describe(whole)}
