"""Train the embedded tagger.

    python -m gama.training.identify --data DIR --out models/weights

DIR holds `corpus/train`, `corpus/dev`, `train/` (named-entity sets) and `gazetteers/`. The command writes
`identify.onnx`, `tokenizer.json` and `identify.json` (labels, thresholds, configuration, data hashes, figures).
No network, no accelerator; two cores need about three quarters of an hour. The dev set is only measured on.
"""

import argparse
import hashlib
import json
import math
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

from gama.evals.corpus import Example, read_corpus
from gama.models.embedded import BOUNDARIES, SUBTYPE_NAMES, WINDOW
from gama.training.augment import Rates, augment
from gama.training.batches import IGNORED, Batch, Piece, Sets, batches, label
from gama.training.encoder import build_network
from gama.training.export import export_onnx
from gama.training.generate import generated, read_presidio
from gama.training.lexicon import Lexicon, read_lexicon
from gama.training.readers import read_btc, read_gum, read_sec_filings, read_wikigold, read_wnut17
from gama.training.share_alike import read_share_alike
from gama.training.start import tagger_tokenizer
from gama.training.utterances import read_contextual, read_nlu_eval, read_polyai


@dataclass(frozen=True)
class IdentifyConfig:
    """Every number of a training run, with its reason."""

    seed: int = 20_250
    """Any; fixed so that a run can be repeated."""
    threads: int = 2
    """What a small machine has; torch gains little beyond it at this width."""
    warm_rounds: int = 1
    """Rounds over all sets: the named-entity sets teach what names look like, once is enough for that."""
    rounds: int = 10
    """Rounds over the annotated corpus, each with new surrogates: it alone shows what is private."""
    warm_generated: int = 3_000
    """Generated documents in a warm round: about as many words as the corpus."""
    generated: int = 450
    """Generated documents in each later round: enough to keep the rare codes, too few to outweigh real prose."""
    keep: float = 0.04
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
    """Products in bfloat16: a third faster on processors that know it, the same figures."""
    minutes: float = 0.0
    """Longest time spent in the steps; 0 means no limit. The rates then fall with the time, and the run ends with it:
    for a machine shared with others, at the price that the run cannot be repeated exactly."""
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
}
"""What the weights learnt from, for the model card."""


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


def data_hashes(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every corpus file, and one over all files of each other set."""
    hashes = {
        f"corpus/{path.name}": hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted((folder / "corpus" / "train").glob("*.jsonl"))
    }
    for group in sorted(path for path in (folder / "train").iterdir() if path.is_dir()):
        total = hashlib.sha256()
        for path in sorted(item for item in group.rglob("*") if item.is_file()):
            total.update(path.read_bytes())
        hashes[group.name] = total.hexdigest()
    return hashes


RECORDS = Path(__file__).parent / "records"
"""Annotated records written for training, beside those of the data folder; same format, same licence as the code."""

HELD = 12
"""One of so many of these records is held out of training: the thresholds are chosen on them."""


def own_records(held: bool) -> list[Example]:
    """Return the annotated records of this package: those held out, or the others."""
    return [record.example for record in read_corpus(RECORDS) if (int(record.id.rsplit("-", 1)[1]) % HELD == 0) is held]


class Source:
    """Everything to learn from, read once."""

    def __init__(self, config: IdentifyConfig, folder: Path, log: Log) -> None:
        """Read the sets.

        Raises:
            InputError: A set is missing or broken.
        """
        self._config = config
        self._corpus = [record.example for record in read_corpus(folder / "corpus" / "train")] + own_records(False)
        self._lexicon = read_lexicon(folder).with_seen(self._corpus)
        others = other_sets(folder, self._lexicon, Random(f"{config.seed}-sets"), share_alike=config.share_alike)
        others["corpus"] = self._corpus
        for name, items in others.items():
            log(f"{name}: {len(items)} examples, {sum(len(item.text) for item in items):,} characters")
        self._every = [item for name, items in others.items() if name != "corpus" for item in items]

    def _new(self, items: Iterable[Example], rng: Random) -> list[Example]:
        if not self._config.augment:
            return list(items)
        return [augment(item, self._lexicon, self._config.rates, rng) for item in items]

    def _made(self, count: int, rng: Random) -> list[Example]:
        return list(generated(rng, self._lexicon, count)) if self._config.augment else []

    def warm(self) -> Iterator[list[Example]]:
        """Yield the examples of each warm round: all sets."""
        rng = Random(f"{self._config.seed}-warm")
        for _ in range(self._config.warm_rounds):
            yield self._new([*self._every, *self._corpus], rng) + self._made(self._config.warm_generated, rng)

    def main(self) -> Iterator[list[Example]]:
        """Yield the examples of each later round: the corpus, and a little of the rest."""
        rng = Random(f"{self._config.seed}-main")
        for number in range(self._config.rounds):
            some = rng.sample(self._every, int(len(self._every) * self._config.keep))
            # The last round shows the corpus as it was written, so that training ends on natural text.
            calm = number == self._config.rounds - 1
            corpus = list(self._corpus) if calm else self._new(self._corpus, rng)
            yield corpus + self._new(some, rng) + self._made(self._config.generated, rng)


def loss_of(logits: Any, batch: Batch, table: Any) -> Any:
    """Return the mean negative log-likelihood of a batch's labels, in nats per labelled word.

    A marked word: its boundary label, any of its allowed subtypes, and private or public where known.
    An unmarked word of an incomplete set: outside, or inside with a subtype that the set does not mark.

    Args:
        logits: The network's output.
        batch: The labels.
        table: `Sets.table()` as a tensor.
    """
    import torch
    from torch.nn import functional

    edge = len(BOUNDARIES)
    logits = logits.float()
    boundary = torch.from_numpy(batch.boundary)
    allowed = torch.from_numpy(batch.allowed)
    private = torch.from_numpy(batch.private)
    known = boundary != IGNORED
    edges = functional.log_softmax(logits[..., :edge], dim=-1)
    kinds = functional.log_softmax(logits[..., edge:-1], dim=-1)
    total = logits.new_zeros(())
    outside = known & (boundary == 0)
    if outside.any():
        out = edges[outside]
        rows = torch.from_numpy(batch.annotated)[:, None].expand(boundary.shape)[outside]
        unknown = ~table[rows]
        escape = torch.logsumexp(kinds[outside].masked_fill(~unknown, -1e4), dim=-1)
        total = total - torch.logaddexp(out[:, 0], torch.logsumexp(out[:, 1:], dim=-1) + escape).sum()
    inside = known & (boundary > 0)
    if inside.any():
        total = total - edges[inside].gather(1, boundary[inside][:, None]).sum()
        fits = table[allowed[inside]]
        total = total - torch.logsumexp(kinds[inside].masked_fill(~fits, -1e4), dim=-1).sum()
        judged = private != IGNORED
        if judged.any():
            total = total + functional.binary_cross_entropy_with_logits(
                logits[..., -1][judged], private[judged].float(), reduction="sum"
            )
    return total / known.sum().clamp_min(1)


def train(
    config: IdentifyConfig,
    folder: Path,
    out: Path,
    log: Log = print,
    checkpoint: Path | None = None,
    resume: Path | None = None,
) -> Path:
    """Train the tagger and write it.

    Args:
        config: The numbers.
        folder: The data, see the module's docstring.
        out: Folder of the three files.
        log: Takes a line about the progress.
        checkpoint: Where to keep the fp32 weights too; None keeps none.
        resume: Weights that an earlier run kept, to start from instead of the published encoder.

    Returns:
        `out`.
    """
    import torch
    from tokenizers import Tokenizer

    began = time.monotonic()
    torch.manual_seed(config.seed)
    torch.set_num_threads(config.threads)
    description, _ = tagger_tokenizer()
    tokenizer = Tokenizer.from_str(description)
    network = build_network(config.dropout)
    source = Source(config, folder, log)
    if resume is not None:
        network.load_state_dict(torch.load(resume, weights_only=True))
    else:
        fit(network, source.warm(), config, tokenizer, Random(f"{config.seed}-warm-order"), log)
        keep(network, checkpoint and checkpoint.with_suffix(".warm.pt"))
    fit(network, source.main(), config, tokenizer, Random(f"{config.seed}-main-order"), log, config.minutes)
    keep(network, checkpoint)
    write(network, config, folder, out, round(time.monotonic() - began))
    return out


def keep(network: Any, file: Path | None) -> None:
    """Save fp32 weights, where a file is given."""
    import torch

    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        torch.save(network.state_dict(), file)


def fit(
    network: Any,
    parts: Iterable[list[Example]],
    config: IdentifyConfig,
    tokenizer: Any,
    rng: Random,
    log: Log,
    minutes: float = 0.0,
) -> None:
    """Run one stage of the training: the rate rises, then falls along a half cosine to nothing.

    Args:
        network: Trained in place.
        parts: The examples of each round.
        config: The numbers.
        tokenizer: The tagger's tokenizer.
        rng: Orders the batches.
        log: Takes a line about the progress.
        minutes: Longest time of the steps; 0 means no limit.
    """
    import numpy as np
    import torch

    vocabulary = tokenizer.get_vocab()
    ends = (vocabulary["[CLS]"], vocabulary["[SEP]"])
    sets = Sets()
    plan: list[Batch] = []
    for number, examples in enumerate(parts):
        pieces: list[Piece] = [piece for item in examples for piece in label(item, tokenizer, sets, ends)]
        plan += batches(pieces, config.batch, rng)
        log(f"round {number}: {len(examples)} examples, {sum(len(piece.ids) for piece in pieces):,} pieces")
    steps = len(plan)
    table = torch.from_numpy(np.asarray(sets.table()))
    new = [*network.head.parameters(), *network.shapes.parameters()]
    mine = {id(parameter) for parameter in new}
    old = [item for item in network.parameters() if item.requires_grad and id(item) not in mine]
    optimizer = torch.optim.AdamW(
        [{"params": old, "lr": config.rate}, {"params": new, "lr": config.head_rate}],
        weight_decay=config.decay,
        fused=True,
    )
    started = time.monotonic()

    def progress(step: int) -> float:
        passed = (time.monotonic() - started) / (60 * minutes) if minutes else 0.0
        return min(1.0, max(step / steps, passed))

    def slope(step: int) -> float:
        part = progress(step) if steps else 1.0
        if part < config.warmup:
            return max(part, 1 / steps) / config.warmup
        return 0.5 * (1 + math.cos(math.pi * (part - config.warmup) / (1 - config.warmup)))

    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, slope)
    network.train()
    seen, running = 0, 0.0
    for done, batch in enumerate(plan, 1):
        if progress(done - 1) >= 1.0:
            break
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=config.bfloat16):
            logits = network(torch.from_numpy(batch.ids), torch.from_numpy(batch.shapes), torch.from_numpy(batch.mask))
        loss = loss_of(logits, batch, table)
        loss.backward()
        torch.nn.utils.clip_grad_norm_([*old, *new], config.clip)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        seen, running = seen + batch.ids.size, running + loss.item()
        if done % 50 == 0:
            spent = time.monotonic() - started
            log(f"step {done}/{steps} loss {running / 50:.4f} {seen / spent:.0f} pieces/s {spent:.0f} s")
            running = 0.0


def write(network: Any, config: IdentifyConfig, folder: Path, out: Path, seconds: int) -> None:
    """Write a trained network with its tokenizer and its card; the figures are added by `training.report`."""
    out.mkdir(parents=True, exist_ok=True)
    description, kept = tagger_tokenizer()
    (out / "tokenizer.json").write_text(description, encoding="utf-8")
    size = export_onnx(network.eval(), out / "identify.onnx")
    vocabulary: dict[str, int] = json.loads(description)["model"]["vocab"]
    card = {
        "name": "GAMA identify",
        "start": "all-MiniLM-L6-v2 (Apache-2.0)",
        "boundaries": BOUNDARIES,
        "subtypes": SUBTYPE_NAMES,
        "cls": vocabulary["[CLS]"],
        "sep": vocabulary["[SEP]"],
        "window": WINDOW,
        "vocabulary": len(kept),
        "bytes": size,
        "thresholds": {"span": config.span_threshold, "private": config.private_threshold},
        "config": asdict(config),
        "credits": CREDITS,
        "data": data_hashes(folder),
        "seconds": seconds,
    }
    write_card(out, card)


def write_card(folder: Path, card: dict[str, Any]) -> None:
    """Write a model's card beside its files, with their hashes: `gama doctor` and the tests compare them."""
    names = ("identify.onnx", "tokenizer.json")
    hashes = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}
    text = json.dumps(card | {"sha256": hashes}, indent=1, ensure_ascii=False)
    (folder / "identify.json").write_text(text + "\n", encoding="utf-8")


def main(argv: list[str] | None = None) -> int:
    """Run the command of the module's docstring."""
    parser = argparse.ArgumentParser(description="Train the embedded tagger.")
    parser.add_argument("--data", type=Path, required=True, help="folder of corpus/, train/ and gazetteers/")
    parser.add_argument("--out", type=Path, required=True, help="folder to write the model into")
    parser.add_argument("--rounds", type=int, default=IdentifyConfig.rounds, help="rounds over the corpus")
    parser.add_argument("--seed", type=int, default=IdentifyConfig.seed, help="random seed")
    parser.add_argument("--warm-rounds", type=int, default=IdentifyConfig.warm_rounds, help="rounds over all sets")
    parser.add_argument("--rate", type=float, default=IdentifyConfig.rate, help="peak learning rate of the encoder")
    parser.add_argument("--threads", type=int, default=IdentifyConfig.threads, help="threads of the products")
    parser.add_argument("--minutes", type=float, default=IdentifyConfig.minutes, help="longest time; 0 means no limit")
    parser.add_argument("--checkpoint", type=Path, help="file for the fp32 weights")
    parser.add_argument("--resume", type=Path, help="weights of an earlier run, in place of the warm rounds")
    parser.add_argument("--no-augment", action="store_true", help="neither augment nor generate, to compare with")
    parser.add_argument("--share-alike", action="store_true", help="mix in the CC BY-SA sets of train-sharealike/")
    arguments = parser.parse_args(argv)
    config = IdentifyConfig(
        rounds=arguments.rounds,
        seed=arguments.seed,
        warm_rounds=arguments.warm_rounds,
        rate=arguments.rate,
        threads=arguments.threads,
        minutes=arguments.minutes,
        augment=not arguments.no_augment,
        share_alike=arguments.share_alike,
    )

    def log(line: str) -> None:
        print(line, flush=True)

    train(config, arguments.data, arguments.out, log, arguments.checkpoint, arguments.resume)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
