"""What the tagger learns from: the numbers of a run, the sets, and what each round shows."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from gama.evals.datasets.corpus import Example, Record, read_corpus
from gama.training.augment import Rates, augment, join
from gama.training.generate import generated, read_presidio
from gama.training.lexicon import Lexicon, read_lexicon
from gama.training.readers import (
    read_btc,
    read_gum,
    read_sec_filings,
    read_share_alike,
    read_wikigold,
    read_wnut17,
)
from gama.training.utterances import read_contextual, read_nlu_eval, read_polyai


@dataclass(frozen=True)
class IdentifyConfig:
    """Every number of a training run, with its reason."""

    seed: int = 20_301
    """Any; fixed so that a run can be repeated."""
    threads: int = 2
    """What a small machine has; torch gains little beyond it at this width."""
    warm_rounds: int = 1
    """Rounds over all sets: the named-entity sets teach what names look like, once is enough for that."""
    rounds: int = 5
    """Rounds over the annotated texts, each with new surrogates: they alone show what is private."""
    members: int = 2
    """Runs that go on from there, their rates rising once more, each with an order and surrogates of its own: the mean
    of their weights, which lie in one valley, leaves less in clear in held-out records than each."""
    generations: int = 2
    """How often this is done, each time from the mean before."""
    member_rounds: int = 2
    """Rounds of each of these."""
    member_rate: float = 1.2e-4
    """Their peak rate of the encoder, a little below the first."""
    member_head_rate: float = 4e-4
    """Their peak rate of the head, which has settled by then."""
    joined: float = 0.25
    """Share of the texts of a later round that are put together into long ones: what people paste is often several."""
    closing_corpus: int = 3
    """How often the last round shows the corpus, which is a twentieth of the texts, by several hands of its own."""
    closing_share: float = 0.35
    """Share of this package's records in the last round; 0 leaves that round out."""
    closing_keep: float = 0.01
    """Share of the other sets in the last round."""
    closing_rate: float = 6e-5
    """Its peak rate of the encoder: half of the members'."""
    closing_head_rate: float = 2e-4
    """Its peak rate of the head."""
    warm_generated: int = 3_000
    """Generated documents in a warm round: about as many words as the corpus."""
    generated: int = 350
    """Generated documents in each later round: enough to keep the rare codes, too few to outweigh real prose."""
    keep: float = 0.025
    """Share of the other sets in each later round, against forgetting."""
    batch: int = 2_048
    """Padded pieces in a step: 8 full windows, the smallest size at which two cores are busy."""
    rate: float = 1.5e-4
    """Peak learning rate of the encoder: the upper end of what six-layer encoders take at this batch size."""
    head_rate: float = 1e-3
    """Peak rate of the new parameters (head, shapes), which start from noise."""
    warmup: float = 0.06
    """Share of the steps in which the rate rises."""
    decay: float = 0.01
    """Weight decay, as in BERT's own fine-tuning."""
    dropout: float = 0.1
    """As in the encoder's pre-training."""
    clip: float = 1.0
    """Largest norm of a gradient, as in BERT's own fine-tuning."""
    bfloat16: bool = True
    """Products in bfloat16, where the processor knows it: a third faster, the same figures."""
    minutes: float = 0.0
    """Longest time spent in the steps of a stage; 0 means no limit. The rates then fall with the time, and it ends with
    it: for a machine shared with others, at the price that the run cannot be repeated exactly."""
    span_threshold: float = 0.4
    """Least probability of a word being in a span: a little below the best F1 (0.5 on dev), since a leak weighs more
    than a word masked too much."""
    private_threshold: float = 0.5
    """Least probability at which a span counts as private."""
    rates: Rates = Rates()
    """How often each augmentation is made."""
    augment: bool = True
    """Whether texts are augmented and generated at all; False is for comparison."""
    share_alike: bool = False
    """Whether the CC BY-SA sets are mixed in. Off in what is shipped, so that the weights stay free of their terms."""


Log = Callable[[str], object]
"""Takes one line about the progress."""

CREDITS = {
    "corpus": "GAMA's annotated corpus, Apache-2.0",
    "records": "annotated records of training/records, Apache-2.0",
    "wikigold": "Wikigold, CC BY 4.0",
    "wnut17": "WNUT 2017 emerging entities, CC BY 4.0",
    "btc": "Broad Twitter Corpus, CC BY 4.0",
    "gum": "GUM, CC BY 4.0",
    "sec_filings": "SEC filings FIN5, CC BY 3.0",
    "contextual_anonymizer": "Contextual Text Anonymizer Dataset, MIT",
    "nlu_eval": "NLU Evaluation Data, CC BY 4.0",
    "polyai_span": "RESTAURANTS-8K, CC BY 4.0",
    "presidio": "presidio-research templates, MIT",
    "gazetteers": "names by country and corpora, CC0; Pantheon and GeoNames cities, CC BY 4.0; universities, MIT",
    "faker": "first and last names of Faker's providers, MIT",
}
"""What the weights learnt from, for the model card."""


def data_hashes(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file of annotated records, and one over all files of each other set."""
    hashes = {
        f"{name}/{path.name}": hashlib.sha256(path.read_bytes()).hexdigest()
        for name, place in (("corpus", folder / "corpus" / "train"), ("records", RECORDS))
        for path in sorted(place.glob("*.jsonl"))
    }
    for group in sorted(path for path in (folder / "train").iterdir() if path.is_dir()):
        total = hashlib.sha256()
        for path in sorted(item for item in group.rglob("*") if item.is_file()):
            total.update(path.read_bytes())
        hashes[group.name] = total.hexdigest()
    return hashes


def other_sets(folder: Path, lexicon: Lexicon, rng: Random, *, share_alike: bool = False) -> dict[str, list[Example]]:
    """Read every set beside the corpus, by name.

    Args:
        folder: The data folder.
        lexicon: Fills the templates.
        rng: Makes the random choices.
        share_alike: Whether the sets under share-alike licences are read too.

    Raises:
        OSError: A set is missing.
    """
    root = folder / "train"
    more = read_share_alike(folder / "train-sharealike", rng) if share_alike else {}
    return more | {
        "wikigold": list(read_wikigold(root, rng)),
        "wnut17": list(read_wnut17(root, rng)),
        "btc": list(read_btc(root, rng)),
        "gum": list(read_gum(root, rng)),
        "sec_filings": list(read_sec_filings(root, rng)),
        "contextual_anonymizer": list(read_contextual(root, rng)),
        "nlu_eval": list(read_nlu_eval(root, rng)),
        "polyai_span": list(read_polyai(root, rng)),
        "presidio": [example for _ in range(4) for example in read_presidio(root, rng, lexicon)],
    }


RECORDS = Path(__file__).parent / "records"
"""Annotated records written for training, beside those of the data folder; same format, same licence as the code."""

HELD = 12
"""One of so many of these records is held out of training: the thresholds are chosen on them."""


PROMPTS = "ask"
"""How the ids of records begin that are prompts to an assistant."""


def records(held: bool) -> list[Record]:
    """Return the annotated records of this package: those held out of training, or the others."""
    return [record for record in read_corpus(RECORDS) if (int(record.id.rsplit("-", 1)[1]) % HELD == 0) is held]


def own_records(held: bool, *, prompts: bool = True) -> list[Example]:
    """Return the examples of `records`, with the prompts or without."""
    return [record.example for record in records(held) if prompts or not record.id.startswith(PROMPTS)]


class Source:
    """Everything to learn from, read once."""

    def __init__(self, config: IdentifyConfig, folder: Path, log: Log) -> None:
        """Read the sets.

        Raises:
            InputError: A set is missing or broken.
        """
        self._config = config
        self._own = own_records(False)
        self._given = [record.example for record in read_corpus(folder / "corpus" / "train")]
        self._corpus = self._given + self._own
        self._lexicon = read_lexicon(folder).with_seen(self._corpus)
        others = other_sets(folder, self._lexicon, Random(f"{config.seed}-sets"), share_alike=config.share_alike)
        others["corpus"] = self._corpus
        for name, items in others.items():
            log(f"{name}: {len(items)} examples, {sum(len(item.text) for item in items):,} characters")
        self._every = [item for name, items in others.items() if name != "corpus" for item in items]

    def renewed(self, items: Iterable[Example], rng: Random, rates: Rates | None = None) -> list[Example]:
        """Return new versions of examples, by these rates or by those of the run; without augmentation the same."""
        if not self._config.augment:
            return list(items)
        return [augment(item, self._lexicon, rates or self._config.rates, rng) for item in items]

    def _made(self, count: int, rng: Random) -> list[Example]:
        return list(generated(rng, self._lexicon, count)) if self._config.augment else []

    def once(self, keep: float, made: int, joined: float, rng: Random) -> list[Example]:
        """Return one round over the annotated texts, with a share of the other sets and generated documents."""
        some = rng.sample(self._every, int(len(self._every) * keep))
        return join(self.renewed([*self._corpus, *some], rng) + self._made(made, rng), joined, rng)

    def some(self, shown: Sequence[Example], share: float, joined: float, rng: Random) -> list[Example]:
        """Return examples of one's own among a share of the annotated texts."""
        others = rng.sample(self._corpus, int(len(self._corpus) * share))
        return join([*shown, *self.renewed(others, rng)], joined, rng)

    def stage(
        self,
        share: float,
        again: Sequence[Example],
        others: float,
        made: int,
        joined: float,
        rng: Random,
        *,
        calm: bool = False,
    ) -> list[Example]:
        """Return the texts of a stage beyond the first training: the corpus, a share of the records, some once more.

        Args:
            share: Of the package's records.
            again: Shown once more.
            others: Share of the other sets.
            made: Generated documents.
            joined: Share that is put together into long ones.
            rng: Makes the random choices.
            calm: Whether corpus and records are shown as they were written.
        """
        some = rng.sample(self._every, int(len(self._every) * others))
        shown = [*self._given, *rng.sample(self._own, int(len(self._own) * share)), *again]
        told = shown if calm else self.renewed(shown, rng)
        return join(told + self.renewed(some, rng) + self._made(made, rng), joined, rng)

    def warm(self) -> Iterator[list[Example]]:
        """Yield the examples of each warm round: all sets."""
        rng = Random(f"{self._config.seed}-warm")
        for _ in range(self._config.warm_rounds):
            yield self.renewed([*self._every, *self._corpus], rng) + self._made(self._config.warm_generated, rng)

    def main(self) -> Iterator[list[Example]]:
        """Yield the examples of each later round: the corpus, and a little of the rest."""
        rng = Random(f"{self._config.seed}-main")
        for number in range(self._config.rounds):
            some = rng.sample(self._every, int(len(self._every) * self._config.keep))
            # The last round shows the corpus as it was written, so that training ends on natural text.
            calm = number == self._config.rounds - 1
            corpus = list(self._corpus) if calm else self.renewed(self._corpus, rng)
            shown = corpus + self.renewed(some, rng) + self._made(self._config.generated, rng)
            yield join(shown, self._config.joined, rng) if self._config.augment else shown

    def closing(self) -> Iterator[list[Example]]:
        """Yield the examples of the last round, as they were written: the corpus several times, some of the records."""
        rng = Random(f"{self._config.seed}-closing")
        some = rng.sample(self._own, int(len(self._own) * self._config.closing_share))
        others = rng.sample(self._every, int(len(self._every) * self._config.closing_keep))
        yield self._given * self._config.closing_corpus + some + self.renewed(others, rng)
