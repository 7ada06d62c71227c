"""Train the embedded tagger.

    python -m gama.training.identify --data DIR --out models/weights

DIR holds `corpus/train`, `corpus/dev`, `train/` (named-entity sets) and `gazetteers/`. The command writes
`identify.onnx`, `tokenizer.json` and `identify.json` (labels, thresholds, configuration, data hashes, figures).
No network, no accelerator; two cores need about three hours. The dev set is only measured on.
"""

import argparse
import json
import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from typing import Any

from gama.evals.datasets.corpus import Example
from gama.models.embedded import BOUNDARIES, SUBTYPE_NAMES, WINDOW
from gama.training.batches import IGNORED, Batch, Cutting, Piece, Sets, batches, cutting, label
from gama.training.choose import calibrate
from gama.training.encoder import build_network, tagger_tokenizer
from gama.training.export import export_onnx, write_card
from gama.training.source import CREDITS, IdentifyConfig, Log, Source, data_hashes, own_records


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
    cut = cutting(Tokenizer.from_str(description))
    network = build_network(config.dropout)
    source = Source(config, folder, log)
    if resume is not None:
        network.load_state_dict(torch.load(resume, weights_only=True))
    else:
        fit(network, source.warm(), config, cut, Random(f"{config.seed}-warm-order"), log)
        keep(network, checkpoint and checkpoint.with_suffix(".warm.pt"))
    fit(network, source.main(), config, cut, Random(f"{config.seed}-main-order"), log, config.minutes)
    keep(network, checkpoint)
    for generation in range(config.generations if config.members else 0):
        begun, ended = copied(network), []
        for number in range(config.members):
            member = replace(
                config,
                seed=config.seed + 10 * (generation + 1) + number,
                rounds=config.member_rounds,
                rate=config.member_rate,
                head_rate=config.member_head_rate,
            )
            log(f"generation {generation}, member {number}, seed {member.seed}")
            torch.manual_seed(member.seed)
            network.load_state_dict(begun)
            order = Random(f"{member.seed}-main-order")
            fit(network, Source(member, folder, log).main(), member, cut, order, log, config.minutes)
            ended.append(copied(network))
        network.load_state_dict(average(ended))
    if config.closing_share:
        last = replace(config, rate=config.closing_rate, head_rate=config.closing_head_rate)
        fit(network, source.closing(), last, cut, Random(f"{config.seed}-closing-order"), log, config.minutes)
    write(network, config, folder, out, round(time.monotonic() - began))
    if held := own_records(held=True):
        log(f"thresholds: {calibrate(out, held)}")
    return out


def copied(network: Any) -> dict[str, Any]:
    """Return a network's weights, which training goes on without."""
    return {name: value.detach().clone() for name, value in network.state_dict().items()}


def average(states: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the mean of the weights of several runs that began from the same ones, name by name."""
    return {name: sum(state[name] for state in states) / len(states) for name in states[0]}


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
    cut: Cutting,
    rng: Random,
    log: Log,
    minutes: float = 0.0,
) -> None:
    """Run one stage of the training: the rate rises, then falls along a half cosine to nothing.

    Args:
        network: Trained in place.
        parts: The examples of each round.
        config: The numbers.
        cut: How the tagger reads a text.
        rng: Orders the batches.
        log: Takes a line about the progress.
        minutes: Longest time of the steps; 0 means no limit.
    """
    import numpy as np
    import torch

    sets = Sets()
    plan: list[Batch] = []
    for number, examples in enumerate(parts):
        pieces: list[Piece] = [piece for item in examples for piece in label(item, cut, sets)]
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
        return share_of_peak(progress(step), steps, config.warmup) if steps else 0.0

    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, slope)
    network.train()
    seen, running = 0, 0.0
    for done, batch in enumerate(plan, 1):
        if progress(done - 1) >= 1.0:
            break
        with half_products(config.bfloat16):
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


def half_products(wanted: bool) -> Any:
    """Return the context in which products are made in bfloat16, where the processor has tiles for them (AMX).

    One with AVX-512 alone makes 1,600 pieces a second so, and 2,250 in float32; one without takes minutes for a step.
    """
    import torch

    able = torch.cpu._is_amx_tile_supported()
    return torch.autocast("cpu", dtype=torch.bfloat16, enabled=wanted and able)


def share_of_peak(part: float, steps: int, warmup: float) -> float:
    """Return the rate as a share of its peak: it rises, then falls along a half cosine to nothing.

    Args:
        part: How much of the run is over, in [0, 1].
        steps: Steps of the run.
        warmup: Share of the run in which the rate rises.
    """
    if part < warmup:
        return max(part, 1 / steps) / warmup
    return 0.5 * (1 + math.cos(math.pi * (part - warmup) / (1 - warmup)))


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


def main(argv: list[str] | None = None) -> int:
    """Run the command of the module's docstring."""
    parser = argparse.ArgumentParser(description="Train the embedded tagger.")
    parser.add_argument("--data", type=Path, required=True, help="folder of corpus/, train/ and gazetteers/")
    parser.add_argument("--out", type=Path, required=True, help="folder to write the model into")
    parser.add_argument("--rounds", type=int, default=IdentifyConfig.rounds, help="rounds over the corpus")
    parser.add_argument("--members", type=int, default=IdentifyConfig.members, help="runs averaged at the end")
    parser.add_argument("--seed", type=int, default=IdentifyConfig.seed, help="random seed")
    parser.add_argument("--warm-rounds", type=int, default=IdentifyConfig.warm_rounds, help="rounds over all sets")
    parser.add_argument("--rate", type=float, default=IdentifyConfig.rate, help="peak learning rate of the encoder")
    parser.add_argument("--threads", type=int, default=IdentifyConfig.threads, help="threads of the products")
    parser.add_argument(
        "--minutes",
        type=float,
        default=IdentifyConfig.minutes,
        help="longest time of each stage after the warm rounds; 0 means no limit",
    )
    parser.add_argument("--checkpoint", type=Path, help="file for the fp32 weights")
    parser.add_argument("--resume", type=Path, help="weights of an earlier run, in place of the warm rounds")
    parser.add_argument("--no-augment", action="store_true", help="neither augment nor generate, to compare with")
    parser.add_argument("--share-alike", action="store_true", help="mix in the CC BY-SA sets of train-sharealike/")
    arguments = parser.parse_args(argv)
    config = IdentifyConfig(
        rounds=arguments.rounds,
        members=arguments.members,
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
