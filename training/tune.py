"""Fine-tune the shipped tagger on records of one's own (the paper fine-tunes its PNER on private data).

    gama train tune --data RECORDS --out MY_WEIGHTS
    gama train tune --data RECORDS --out MY_WEIGHTS --lists DIR --joined 0.3 --mixed 3
    gama anonymize --weights MY_WEIGHTS letter.txt

RECORDS holds annotated `.jsonl` files (`gama.evals.datasets.corpus`). The start is the shipped int8 model, read back to
fp32, so that nothing but the package is needed. A share of the package's own records is shown between one's own,
against forgetting. With the data folder of the training (`--lists`) names and codes are drawn anew in each round but
the last. One's own text stays on this machine: no step of this uses a network, and the written model holds weights
only (yet weights can remember: treat a model tuned on private text as private).
"""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

from gama.evals.datasets.corpus import Example, read_corpus
from gama.models.embedded import SUBTYPE_NAMES, WEIGHTS
from gama.state.errors import InputError
from gama.training.augment import Rates, augment, join
from gama.training.batches import cutting
from gama.training.encoder import build_network, tagger_tokenizer, widened
from gama.training.export import export_onnx, write_card
from gama.training.identify import fit
from gama.training.lexicon import Lexicon, read_lexicon
from gama.training.source import IdentifyConfig, own_records


@dataclass(frozen=True)
class TuneConfig:
    """Every number of a tuning run, with its reason."""

    seed: int = 1
    """Any; fixed so that a run can be repeated."""
    rounds: int = 6
    """Rounds over one's own records: enough to move the weights, few enough not to learn them by heart."""
    rate: float = 5e-5
    """A third of the training's: the weights are good already."""
    head_rate: float = 2e-4
    """Likewise for the head."""
    mixed: float = 1.0
    """Records of the package shown in a round, as a multiple of one's own."""
    joined: float = 0.0
    """Share of a round's texts that are put together into long ones, for a tagger that is to read long pastes."""


def weights_of(file: Path) -> dict[str, Any]:
    """Read an exported tagger back as the state of the torch network, with an output for each subtype known now.

    Args:
        file: An `identify.onnx` that `training.export` wrote, its card beside it. What was quantized comes back
            rounded.

    Raises:
        InputError: The file is not such an export.
    """
    import numpy as np
    import onnx
    import torch
    from onnx import numpy_helper

    try:
        graph = onnx.load(str(file)).graph
        # onnx counts 2-D products in the graph's order; their names say which layer they are.
        held = {item.name: np.array(numpy_helper.to_array(item)) for item in graph.initializer}
        state = {name: torch.from_numpy(value) for name, value in held.items() if name.endswith((".weight", ".bias"))}
        for table in ("words", "places"):
            state[f"{table}.weight"] = torch.from_numpy(held[f"{table}.rows"] * held[f"{table}.scales"])
        for node in graph.node:
            if node.op_type == "MatMulInteger":
                name = node.name.removeprefix("/").removesuffix("/MatMul_quant").replace("/", ".")
                base = node.input[1].removesuffix("_quantized")
                ints = held[f"{base}_quantized"].astype(np.float32) - held[f"{base}_zero_point"].astype(np.float32)
                state[f"{name}.weight"] = torch.from_numpy((ints * held[f"{base}_scale"]).T.copy())
            elif node.name == "/head/MatMul":
                state["head.weight"] = torch.from_numpy(held[node.input[1]].T.copy())
        subtypes = json.loads(file.with_name("identify.json").read_text(encoding="utf-8"))["subtypes"]
    except Exception as error:
        raise InputError(f"{file.name!r} is not an exported tagger ({type(error).__name__})") from error
    return widened(state, subtypes)


def tune(
    records: Path,
    out: Path,
    config: TuneConfig | None = None,
    start: Path = WEIGHTS,
    log: Callable[[str], object] = print,
    lists: Path | None = None,
) -> Path:
    """Fine-tune and write `identify.onnx`, `tokenizer.json` and `identify.json`.

    Args:
        records: Folder of annotated `.jsonl` files.
        out: Folder to write into.
        config: The numbers.
        start: Folder of the model to start from.
        log: Takes a line about the progress.
        lists: Data folder whose gazetteers new names are drawn from in each round; None shows the records as they are.

    Returns:
        `out`.

    Raises:
        InputError: The records or lists are missing or broken, or the start is not an exported tagger.
    """
    import torch
    from tokenizers import Tokenizer

    chosen = config or TuneConfig()
    began = time.monotonic()
    mine = [record.example for record in read_corpus(records)]
    state = weights_of(start / "identify.onnx")
    torch.manual_seed(chosen.seed)
    network = build_network(IdentifyConfig.dropout)
    network.load_state_dict(state)
    training = IdentifyConfig(
        seed=chosen.seed, rounds=chosen.rounds, rate=chosen.rate, head_rate=chosen.head_rate, augment=False
    )
    description, _ = tagger_tokenizer()
    lexicon = read_lexicon(lists).with_seen(mine) if lists is not None else None
    parts = _rounds(mine, chosen, lexicon)
    fit(network, parts, training, cutting(Tokenizer.from_str(description)), Random(f"{chosen.seed}-order"), log)
    seconds = round(time.monotonic() - began)
    write_further(network, start, out, {"tuned": asdict(chosen) | {"records": len(mine), "seconds": seconds}})
    return out


def write_further(network: Any, start: Path, out: Path, facts: dict[str, Any]) -> None:
    """Write a network that was trained further, with its tokenizer, and what still holds of its start's card.

    Args:
        network: It, in torch.
        start: Folder of the tagger that it began as.
        out: Folder to write into.
        facts: What its card has beside.
    """
    out.mkdir(parents=True, exist_ok=True)
    (out / "tokenizer.json").write_text(tagger_tokenizer()[0], encoding="utf-8")
    size = export_onnx(network.eval(), out / "identify.onnx")
    card: dict[str, Any] = json.loads((start / "identify.json").read_text(encoding="utf-8"))
    kept = {key: value for key, value in card.items() if key not in ("dev", "sha256")}
    write_card(out, kept | {"subtypes": SUBTYPE_NAMES, "bytes": size} | facts)


def _rounds(mine: list[Example], config: TuneConfig, lexicon: Lexicon | None) -> Iterator[list[Example]]:
    rng = Random(f"{config.seed}-rounds")
    others = own_records(False)
    for number in range(config.rounds):
        shown = [*mine, *rng.sample(others, min(len(others), int(len(mine) * config.mixed)))]
        # The last round shows the texts as they were written, so that training ends on natural ones.
        if lexicon is not None and number < config.rounds - 1:
            shown = [augment(example, lexicon, Rates(), rng) for example in shown]
        yield join(shown, config.joined, rng) if config.joined else shown
