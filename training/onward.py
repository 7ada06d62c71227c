"""Train the shipped tagger further: a round over all annotated texts, some records twice, and so on from there.

    python -m gama.training.onward --data DIR --start models/weights --out A --seed 41
    python -m gama.training.onward --data DIR --start A/fp32.pt --out B --seed 42 --twice 8,9
    python -m gama.training.onward --data DIR --start B/fp32.pt C/fp32.pt --out D --seed 44 --twice 8,9
    python -m gama.training.onward --data DIR --start D/fp32.pt --out E --calm --share 0.45 --rate 6e-5 --listed 3

Each run is one stage, whose rates rise and fall; of several starts the mean is taken. OUT gets the exported model, with
thresholds chosen on held-out records, and `fp32.pt`, from which the next stage goes on. A stage over 28,000 texts takes
fifteen minutes of two cores. The selector rests on the tagger: train it again after the last (`gama train select`).
"""

import argparse
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from gama.models.embedded import WEIGHTS
from gama.training.augment import join
from gama.training.batches import cutting
from gama.training.choose import calibrate
from gama.training.encoder import build_network, tagger_tokenizer
from gama.training.identify import average, fit, keep
from gama.training.listed import RATES, read_listed
from gama.training.source import IdentifyConfig, Log, Source, own_records, records
from gama.training.tune import weights_of, write_further


@dataclass(frozen=True)
class StageConfig:
    """Every number of a stage, with its reason."""

    seed: int = 1
    """Any; fixed so that a stage can be repeated."""
    rate: float = 1.2e-4
    """Peak rate of the encoder: that of the members of the first training."""
    head_rate: float = 4e-4
    """That of the head, likewise."""
    share: float = 1.0
    """Share of the package's records that is shown."""
    twice: tuple[str, ...] = ()
    """How the names of record files end that are shown once more: those that the start has not learnt from."""
    others: float = 0.02
    """Share of the other sets, against forgetting."""
    made: int = 250
    """Generated documents, which keep the rare codes."""
    joined: float = 0.25
    """Share of the texts that are put together into long ones."""
    calm: bool = False
    """Whether texts are shown as they were written: for the last stage."""
    listed: int = 0
    """How often the listed texts are shown (`training/listed.py`)."""
    minutes: float = 0.0
    """Longest time of the steps; 0 means no limit."""


def stage(config: StageConfig, folder: Path, starts: Sequence[Path], out: Path, log: Log = print) -> Path:
    """Train one stage and write its outcome.

    Args:
        config: The numbers.
        folder: The data, as `training.identify` takes it.
        starts: Folders of exported taggers, or files of fp32 weights; the mean of several is the start.
        out: Folder to write into.
        log: Takes a line about the progress.

    Returns:
        `out`.

    Raises:
        InputError: The data or a start is missing or broken.
    """
    import torch
    from tokenizers import Tokenizer

    torch.manual_seed(config.seed)
    training = replace(IdentifyConfig(), seed=config.seed, rate=config.rate, head_rate=config.head_rate)
    torch.set_num_threads(training.threads)
    network = build_network(training.dropout)
    network.load_state_dict(average([_state(start) for start in starts]))
    source, rng = Source(training, folder, log), Random(f"{config.seed}-stage")
    known = records(False) if config.twice else []
    again = [one.example for one in known if one.id.rsplit("-", 1)[0].endswith(config.twice)]
    made = 0 if config.calm else config.made
    examples = source.stage(config.share, again, config.others, made, config.joined, rng, calm=config.calm)
    if config.listed:
        mine = read_listed() * config.listed
        told = mine if config.calm else source.renewed(mine, rng, RATES)
        examples = [*examples, *join(told, config.joined / 2, rng)]
    cut = cutting(Tokenizer.from_str(tagger_tokenizer()[0]))
    fit(network, [examples], training, cut, Random(f"{config.seed}-order"), log, config.minutes)
    keep(network, out / "fp32.pt")
    write_further(network, WEIGHTS, out, {"onward": asdict(config)})
    log(f"thresholds: {calibrate(out, own_records(held=True))}")
    return out


def _state(start: Path) -> dict[str, Any]:
    """Return the weights of a start."""
    import torch

    if not start.is_file():
        return weights_of(start / "identify.onnx")
    found: dict[str, Any] = torch.load(start, weights_only=True)
    return found


def main(argv: list[str] | None = None) -> int:
    """Run the command of the module's docstring."""
    plain = StageConfig()
    parser = argparse.ArgumentParser(description="Train the shipped tagger further, by one stage.")
    parser.add_argument("--data", type=Path, required=True, help="folder of corpus/, train/ and gazetteers/")
    parser.add_argument("--start", type=Path, nargs="+", default=[WEIGHTS], help="folders of taggers, or fp32 weights")
    parser.add_argument("--out", type=Path, required=True, help="folder to write into")
    parser.add_argument("--twice", default="", help="endings of record files that are shown twice, by commas")
    parser.add_argument("--calm", action="store_true", help="show the texts as they were written")
    for name, kind in (("seed", int), ("listed", int), ("rate", float), ("head-rate", float), ("share", float),
                       ("minutes", float), ("others", float), ("joined", float)):  # fmt: skip
        parser.add_argument(f"--{name}", type=kind, default=getattr(plain, name.replace("-", "_")))
    given = vars(parser.parse_args(argv))
    folder, starts, out = given.pop("data"), given.pop("start"), given.pop("out")
    given["twice"] = tuple(one for one in given["twice"].split(",") if one)
    stage(StageConfig(**given), folder, starts, out, lambda line: print(line, flush=True))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
