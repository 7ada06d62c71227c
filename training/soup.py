"""Average the weights of runs that began from the same weights, and write the mean as one tagger.

    python -m gama.training.soup --run A --run B --earlier FIRST --data DIR --out models/weights

Each run is a folder that `training.identify` wrote, with its fp32 weights in it as `weights.pt`. Runs that differ
only in seed lie in one valley, where the mean generalizes better than each and costs nothing more to run.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gama.state.errors import InputError
from gama.training.encoder import build_network
from gama.training.identify import write, write_card
from gama.training.source import IdentifyConfig


def average(states: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the mean of several runs' weights, name by name.

    Raises:
        InputError: There are none, or they do not have the same names.
    """
    if not states or any(state.keys() != states[0].keys() for state in states):
        raise InputError("give at least one run, and only runs of the same network")
    return {name: sum(state[name] for state in states) / len(states) for name in states[0]}


def soup(runs: Sequence[Path], earlier: Sequence[Path], data: Path, out: Path) -> None:
    """Write the mean of some runs.

    Args:
        runs: Their folders.
        earlier: Folders of the runs that these began from, for the card.
        data: The data folder, for its hashes.
        out: Folder of the three files.
    """
    import torch

    network = build_network(0.0)
    network.load_state_dict(average([torch.load(run / "weights.pt", weights_only=True) for run in runs]))
    cards = [json.loads((run / "identify.json").read_text(encoding="utf-8")) for run in (*earlier, *runs)]
    write(network, IdentifyConfig(), data, out, sum(card["seconds"] for card in cards))
    card = json.loads((out / "identify.json").read_text(encoding="utf-8"))
    del card["config"]
    configs = [item["config"] for item in cards]
    card["runs"] = {"earlier": configs[: len(earlier)], "averaged": configs[len(earlier) :]}
    write_card(out, card)


def main(argv: list[str] | None = None) -> int:
    """Run the command of the module's docstring."""
    parser = argparse.ArgumentParser(description="Average the weights of several runs.")
    parser.add_argument("--run", type=Path, action="append", required=True, help="folder of a run; may be repeated")
    parser.add_argument("--earlier", type=Path, action="append", default=[], help="folder of a run they began from")
    parser.add_argument("--data", type=Path, required=True, help="the data folder")
    parser.add_argument("--out", type=Path, required=True, help="folder to write the model into")
    arguments = parser.parse_args(argv)
    soup(arguments.run, arguments.earlier, arguments.data, arguments.out)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
