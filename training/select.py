"""Train the embedded selector: which spans a query needs (PII-Bench, spec 03 §3.1, task T2).

    gama train select --data DIR --out models/weights

OUT holds a trained tagger already, on whose int8 encoder the selector rests; DIR holds `corpus/train`, and the records
of this package are read too: each has a query and the surfaces that it needs. The encoder stays as it is: low-rank
adapters (Hu et al., LoRA) learn beside its products, so that both models share one file of weights. The command writes
`select.onnx` and `select.json` (threshold, configuration, figures). No network, no accelerator; two cores need half
an hour.
"""

import argparse
import hashlib
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gama.evals.datasets.corpus import Mark, Record, read_corpus
from gama.models.embedded import WEIGHTS, encode
from gama.models.selector import EmbeddedSelector, Pair, pairs
from gama.state.entities import TYPE_OF
from gama.training.adapters import adapted_network, export_selector, take_up
from gama.training.batches import grouped, words_of
from gama.training.encoder import tagger_tokenizer
from gama.training.identify import half_products, share_of_peak
from gama.training.source import Log, records


@dataclass(frozen=True)
class SelectConfig:
    """Every number of a run, with its reason."""

    seed: int = 1
    """Any; fixed so that a run can be repeated."""
    threads: int = 2
    """What a small machine has."""
    rounds: int = 3
    """Rounds over the records."""
    share: float = 1.0
    """Share of the package's records that is shown: all, but where a written selector is fitted to a new tagger."""
    corpus: int = 4
    """How often the corpus is shown in a round: its queries are longer and by other hands than the records'."""
    rank: int = 8
    """Rank of the adapters: 0.3 million weights, within .02 F1 of training all 10.7 million."""
    rate: float = 2e-3
    """Peak rate of adapters and head: they start from nothing, and there are few of them."""
    batch: int = 2_048
    """Padded pieces in a step, as for the tagger."""
    warmup: float = 0.06
    """Share of the steps in which the rate rises."""
    decay: float = 0.01
    """Weight decay, as for the tagger."""
    dropout: float = 0.1
    """As for the tagger."""
    clip: float = 1.0
    """Largest norm of a gradient."""
    bfloat16: bool = True
    """Products in bfloat16, as for the tagger."""


class Item(NamedTuple):
    """One window of one record, with the labels of the spans in it."""

    pair: Pair
    spans: NDArray[np.int64]
    """Which span of the record each of its pieces belongs to, or -1; markers and query included."""
    needed: list[bool]
    """Whether the query needs each span of the record."""


def items(record: Record, tokenizer: Any, ends: tuple[int, int]) -> Iterator[Item]:
    """Yield the windows of one record with their labels; a record without spans or query gives none."""
    text, marks = record.example.text, record.example.marks
    if not marks or not record.query.strip():
        return
    needed = [text[mark.start : mark.end] in record.relevant for mark in marks]
    encoded = encode(text, tokenizer)
    owner = np.full(len(encoded.words), -1, dtype=np.int64)
    for number, (first, last) in enumerate(words_of(marks, encoded.words)):
        owner[first:last] = number
    spans = owner[np.array(encoded.word_of, dtype=np.int64)]
    for pair in pairs(encode(record.query, tokenizer), encoded, ends):
        rows = np.full(len(pair.ids), -1, dtype=np.int64)
        begin = pair.sides.index(0)
        rows[begin : begin + pair.last - pair.first] = spans[pair.first : pair.last]
        if (rows >= 0).any():
            yield Item(pair, rows, needed)


def tensors(batch: Sequence[Item]) -> tuple[Any, ...]:
    """Return ids, shapes, sides and mask of a batch, padded."""
    import torch

    length = max(len(item.pair.ids) for item in batch)
    rows = [np.zeros((len(batch), length), dtype=np.int64) for _ in range(3)]
    mask = np.zeros((len(batch), length), dtype=np.float32)
    for at, item in enumerate(batch):
        for row, values in zip(rows, (item.pair.ids, item.pair.shapes, item.pair.sides), strict=True):
            row[at, : len(values)] = values
        mask[at, : len(item.pair.ids)] = 1.0
    return (*map(torch.from_numpy, rows), torch.from_numpy(mask))


def loss_of(logits: Any, batch: Sequence[Item]) -> Any:
    """Return the mean binary cross-entropy over the spans of a batch, in nats; a span's logit is its pieces' mean."""
    import torch
    from torch.nn import functional

    places = [(row, column, row * 100_000 + span) for row, item in enumerate(batch)
              for column, span in enumerate(item.spans) if span >= 0]  # fmt: skip
    rows, columns, keys = (np.array(part, dtype=np.int64) for part in zip(*places, strict=True))
    spans, group = np.unique(keys, return_inverse=True)
    index = torch.from_numpy(group)
    chosen = logits.float()[torch.from_numpy(rows), torch.from_numpy(columns)]
    total = chosen.new_zeros(len(spans)).index_add(0, index, chosen)
    count = chosen.new_zeros(len(spans)).index_add(0, index, torch.ones_like(chosen))
    needed = torch.tensor([float(batch[key // 100_000].needed[key % 100_000]) for key in spans.tolist()])
    return functional.binary_cross_entropy_with_logits(total / count, needed)


def train(config: SelectConfig, folder: Path | None, out: Path, log: Log = print, start: Path | None = None) -> Path:
    """Train the selector and write it beside the tagger.

    Args:
        config: The numbers.
        folder: Holds `corpus/train`; None trains on the records of this package alone.
        out: Folder of the tagger, and of the two files.
        log: Takes a line about the progress.
        start: Folder of a selector, with its tagger, to go on from; None starts from nothing.

    Returns:
        `out`.

    Raises:
        InputError: The selector to go on from is of another shape.
    """
    import torch
    from tokenizers import Tokenizer

    began = time.monotonic()
    torch.manual_seed(config.seed)
    torch.set_num_threads(config.threads)
    tokenizer = Tokenizer.from_str(tagger_tokenizer()[0])
    card = json.loads((out / "identify.json").read_text(encoding="utf-8"))
    ends = (int(card["cls"]), int(card["sep"]))
    own = records(held=False)
    own = Random(config.seed).sample(own, int(len(own) * config.share))
    given = list(read_corpus(folder / "corpus" / "train")) if folder is not None else []
    found = [item for record in own + given * config.corpus for item in items(record, tokenizer, ends)]
    network = adapted_network(out / "identify.onnx", config.rank, config.dropout)
    if start is not None:
        take_up(network, start)
    fit(network, found, config, log)
    export_selector(network.eval(), out)
    held = records(held=True)
    write_card(out, card["sha256"]["identify.onnx"], config, len(own), len(given), round(time.monotonic() - began))
    log(f"threshold: {calibrate(out, held):.2f}")
    return out


def fit(network: Any, found: Sequence[Item], config: SelectConfig, log: Log) -> None:
    """Train the adapters and the head: the rate rises, then falls along a half cosine to nothing."""
    import torch

    rng = Random(config.seed)
    rounds = (grouped(found, lambda item: len(item.pair.ids), config.batch, rng) for _ in range(config.rounds))
    plan = [batch for groups in rounds for batch in groups]
    log(f"{len(found)} windows, {sum(len(item.pair.ids) for item in found):,} pieces, {len(plan)} steps")
    weights = [weight for weight in network.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(weights, lr=config.rate, weight_decay=config.decay, fused=True)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: share_of_peak(step / len(plan), len(plan), config.warmup)
    )
    network.train()
    started, running = time.monotonic(), 0.0
    for done, batch in enumerate(plan, 1):
        with half_products(config.bfloat16):
            logits = network(*tensors(batch))
        loss = loss_of(logits, batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, config.clip)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        running += loss.item()
        if done % 50 == 0:
            log(f"step {done}/{len(plan)} loss {running / 50:.4f} {time.monotonic() - started:.0f} s")
            running = 0.0


def write_card(out: Path, encoder: str, config: SelectConfig, own: int, given: int, seconds: int) -> None:
    """Write the selector's card: what it rests on, and how it came to be; `calibrate` adds threshold and figures."""
    card = {
        "name": "GAMA select",
        "encoder": encoder,
        "threshold": 0.5,
        "config": asdict(config),
        "records": {"records": own, "corpus": given},
        "seconds": seconds,
        "sha256": {"select.onnx": hashlib.sha256((out / "select.onnx").read_bytes()).hexdigest()},
    }
    (out / "select.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")


TRIED = tuple(round(0.05 * step, 2) for step in range(2, 17))
"""Thresholds tried."""
SLACK = 0.005
"""Micro-F1 that a higher threshold may cost: what is left in clear without need cannot be called back."""


def _may_be_shown(mark: Mark) -> bool:
    """Return whether a mark is what the product asks about: private, and no name."""
    return mark.private is not False and bool(mark.subtypes) and TYPE_OF[mark.subtypes[0]] != "PER"


def calibrate(out: Path, held: Sequence[Record]) -> float:
    """Choose the highest threshold whose micro-F1 on held-out records is about the best; write it into the card."""
    selector = EmbeddedSelector(out)
    scored: list[tuple[float, bool]] = []
    held = [record for record in held if record.query.strip()]
    for record in held:
        text = record.example.text
        marks = [(mark.start, mark.end) for mark in record.example.marks if _may_be_shown(mark)]
        best: dict[str, float] = {}
        for (start, end), score in zip(marks, selector.scores(text, record.query, marks), strict=True):
            best[text[start:end]] = max(score, best.get(text[start:end], 0.0))
        scored += [(score, surface in record.relevant) for surface, score in best.items()]

    def f1(least: float) -> float:
        kept = sum(score >= least for score, _ in scored)
        hits = sum(score >= least and needed for score, needed in scored)
        return 2 * hits / max(1, kept + sum(needed for _, needed in scored))

    best_f1 = max(map(f1, TRIED))
    threshold = max(least for least in TRIED if f1(least) >= best_f1 - SLACK)
    card = json.loads((out / "select.json").read_text(encoding="utf-8"))
    card |= {"threshold": threshold, "held_out": {"records": len(held), "micro_f1": round(f1(threshold), 4)}}
    (out / "select.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
    return threshold


def main(argv: list[str] | None = None) -> int:
    """Run the command of the module's docstring."""
    parser = argparse.ArgumentParser(description="Train the embedded selector.")
    parser.add_argument("--data", type=Path, help="folder that holds corpus/train; none: the package's records alone")
    parser.add_argument("--out", type=Path, default=WEIGHTS, help="folder of the tagger, to write beside it")
    parser.add_argument("--rounds", type=int, default=SelectConfig.rounds, help="rounds over the records")
    parser.add_argument("--rate", type=float, default=SelectConfig.rate, help="peak rate of the adapters")
    parser.add_argument("--start", type=Path, help="folder of a selector and its tagger, to go on from")
    parser.add_argument("--share", type=float, default=SelectConfig.share, help="share of the package's records")
    parser.add_argument("--corpus", type=int, default=SelectConfig.corpus, help="how often the corpus is shown")
    parser.add_argument("--seed", type=int, default=SelectConfig.seed, help="random seed")
    arguments = parser.parse_args(argv)

    def log(line: str) -> None:
        print(line, flush=True)

    names = ("rounds", "rate", "seed", "share", "corpus")
    config = SelectConfig(**{name: getattr(arguments, name) for name in names})
    train(config, arguments.data, arguments.out, log, arguments.start)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
