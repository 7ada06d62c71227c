"""Train the larger tagger, which reads every script (`--detector accurate`).

    python -m gama.training.accurate --data DIR --out WEIGHTS [--minutes 45] [--checkpoint FILE] [--resume FILE]

DIR is the data folder of `training.identify`. The start is `training.multilingual`. Three stages, in each the learning
rate rises and falls: everything that the small tagger learns from, once; then the records in other scripts again and
again, with a share of the others; then all together, against forgetting. A stage's checkpoint can be gone on from
(`--stage scripts --resume FILE`). No network, no accelerator: twelve layers read a thousand pieces a second on two
cores, so that the whole takes two hours.
"""

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from gama.evals.datasets.corpus import Example, read_corpus
from gama.models.embedded import BOUNDARIES, SUBTYPE_NAMES, WINDOW
from gama.models.pieces import encode_pieces
from gama.training.batches import cutting
from gama.training.choose import calibrate
from gama.training.encoder import build_network
from gama.training.export import export_onnx, write_card
from gama.training.identify import fit, keep
from gama.training.multilingual import kept_pieces, multilingual_start, read, start_file, tokenizer_of
from gama.training.names_in_scripts import Renaming
from gama.training.source import CREDITS, HELD, IdentifyConfig, Source, data_hashes, own_records

SCRIPTS = Path(__file__).parent / "records" / "scripts"
"""Annotated records in other scripts and languages: two letters of the language begin a record's id."""
STAGES = ("latin", "scripts", "both")
LEARNT = (
    "Latin", "Greek", "Cyrillic", "Arabic", "Hebrew", "Devanagari", "Bengali", "Thai", "Hangul", "Hiragana", "Katakana",
    "Han", "Armenian", "Georgian", "Ethiopic", "Tamil", "Telugu",
)  # fmt: skip
"""Scripts of which it has learnt records, by their names in Unicode."""


@dataclass(frozen=True)
class AccurateConfig:
    """Every number of a run, with its reason; the rest is `IdentifyConfig`."""

    seed: int = 7
    """Any; fixed so that a run can be repeated."""
    batch: int = 1_024
    """Padded pieces in a step: half of the small tagger's, since the rounds are few."""
    rate: float = 1e-4
    """Peak learning rate of the encoder in the first stage."""
    head_rate: float = 1e-3
    """Peak rate of the new parameters, which start from noise."""
    keep: float = 0.15
    """Share of the named-entity sets in the first stage."""
    generated: int = 400
    """Generated documents in it."""
    joined: float = 0.15
    """Share of the texts of both stages that are put together into long ones."""
    rounds: int = 4
    """Rounds over the records in other scripts."""
    mixed: float = 0.06
    """Share of the other records in each of these rounds."""
    second_rate: float = 8e-5
    """Peak rate of the encoder in the second stage."""
    second_head_rate: float = 3e-4
    """Peak rate of the head in it."""
    share: float = 0.65
    """Share of the other records in the last stage, beside all in other scripts."""
    last_rate: float = 6e-5
    """Peak rate of the encoder in the last stage."""
    last_head_rate: float = 2e-4
    """Peak rate of the head in it."""


def script_records(held: bool) -> list[tuple[str, Example]]:
    """Return language and example of each record in another script: those held out of training, or the others."""
    return [
        (record.id[:2], record.example)
        for record in (read_corpus(SCRIPTS) if SCRIPTS.is_dir() else [])
        if (int(record.id.rsplit("-", 1)[1]) % HELD == 0) is held
    ]


def rounds(stage: str, source: Source, config: AccurateConfig) -> Iterator[list[Example]]:
    """Yield what each round of a stage shows."""
    rng = Random(f"{config.seed}-{stage}")
    if stage == "latin":
        yield source.once(config.keep, config.generated, config.joined, rng)
        return
    mine = script_records(held=False)
    if stage == "both":
        yield source.some([example for _, example in mine], config.share, config.joined, rng)
        return
    renaming = Renaming(mine)
    for number in range(config.rounds):
        calm = number == config.rounds - 1
        shown = [example if calm else renaming(language, example, rng) for language, example in mine]
        yield source.some(shown, config.mixed, config.joined, rng)


def main(argv: list[str] | None = None) -> int:
    """Run the command of the module's docstring."""
    import torch
    from tokenizers import Tokenizer

    parser = argparse.ArgumentParser(description="Train the larger tagger.")
    parser.add_argument("--data", type=Path, required=True, help="folder of corpus/, train/ and gazetteers/")
    parser.add_argument("--out", type=Path, required=True, help="folder to write the model into")
    parser.add_argument("--stage", choices=STAGES, action="append", help="run this stage alone")
    parser.add_argument("--minutes", type=float, default=0.0, help="longest time of each stage; 0 means no limit")
    parser.add_argument("--checkpoint", type=Path, help="file for the fp32 weights, written after each stage")
    parser.add_argument("--resume", type=Path, help="weights of an earlier stage")
    parser.add_argument("--threads", type=int, default=IdentifyConfig.threads, help="threads of the products")
    arguments = parser.parse_args(argv)

    def log(line: str) -> None:
        print(line, flush=True)

    began = time.monotonic()
    config = AccurateConfig()
    training = IdentifyConfig(
        seed=config.seed, threads=arguments.threads, batch=config.batch, rate=config.rate, head_rate=config.head_rate
    )
    torch.manual_seed(config.seed)
    torch.set_num_threads(arguments.threads)
    published = read(start_file())
    kept = kept_pieces(published)
    description = tokenizer_of(published, kept)
    network = build_network(training.dropout, multilingual_start(published, kept))
    if arguments.resume is not None:
        network.load_state_dict(torch.load(arguments.resume, weights_only=True))
    cut = cutting(Tokenizer.from_str(description), encode_pieces)
    source = Source(training, arguments.data, log)
    for stage in arguments.stage or STAGES:
        rate, head_rate = {
            "latin": (config.rate, config.head_rate),
            "scripts": (config.second_rate, config.second_head_rate),
            "both": (config.last_rate, config.last_head_rate),
        }[stage]
        run = replace(training, rate=rate, head_rate=head_rate)
        order = Random(f"{config.seed}-{stage}-order")
        fit(network, rounds(stage, source, config), run, cut, order, log, arguments.minutes)
        keep(network, arguments.checkpoint and arguments.checkpoint.with_suffix(f".{stage}.pt"))
    write(network, config, arguments.data, description, arguments.out, round(time.monotonic() - began))
    held = own_records(held=True) + [example for _, example in script_records(held=True)]
    log(f"thresholds: {calibrate(arguments.out, held)}")
    return 0


def write(network: Any, config: AccurateConfig, folder: Path, description: str, out: Path, seconds: int) -> None:
    """Write a trained network with its tokenizer and its card."""
    out.mkdir(parents=True, exist_ok=True)
    (out / "tokenizer.json").write_text(description, encoding="utf-8")
    size = export_onnx(network.eval(), out / "identify.onnx", small=True)
    card = {
        "name": "GAMA identify, accurate",
        "start": "multilingual-e5-small (MIT)",
        "cut": "pieces",
        "scripts": LEARNT,
        "boundaries": BOUNDARIES,
        "subtypes": SUBTYPE_NAMES,
        "cls": 0,
        "sep": 2,
        "window": WINDOW,
        "vocabulary": len(json.loads(description)["model"]["vocab"]),
        "bytes": size,
        "thresholds": {"span": IdentifyConfig.span_threshold, "private": IdentifyConfig.private_threshold},
        "config": asdict(config),
        "credits": CREDITS | {"scripts": "annotated records of training/records/scripts, Apache-2.0"},
        "data": data_hashes(folder),
        "seconds": seconds,
    }
    write_card(out, card)


if __name__ == "__main__":
    raise SystemExit(main())
