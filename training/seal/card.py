"""The card of a trained model: from what it was made, by which numbers, and how the losses went."""

import json
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from gama.training.seal.config import Config

CARD = "seal.json"


class Trained(NamedTuple):
    """What became of a training."""

    out: Path
    learnt: int
    """Examples that were learnt from."""
    too_long: int
    """Examples longer than `max_length`, left out of training and validation."""
    before: Mapping[str, float] | None
    """Figures on the validation's examples before the training; None where there are none."""
    after: Mapping[str, float] | None
    losses: Sequence[float]
    """Of the training, in their order."""
    precision: str
    devices: int


def write_card(folder: Path, what: str, start: str, config: Config, made: Trained) -> None:
    """Write the card into a model's folder.

    Args:
        folder: the model's.
        what: `sft` or `dpo`.
        start: what it started from.
        config: the numbers.
        made: what became of it.
    """
    about = {
        "made_by": f"gama train seal {what}",
        "start": start,
        "start_made_by": (read_card(Path(start)) or {}).get("made_by"),
        "config": config.model_dump(mode="json"),
        "examples": {"learnt": made.learnt, "too_long": made.too_long},
        "validation": {"before": made.before, "after": made.after},
        "losses": list(made.losses),
        "precision": made.precision,
        "devices": made.devices,
        "versions": {name: _version(name) for name in ("gama-privacy", "torch", "transformers", "trl", "peft")},
    }
    (folder / CARD).write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


def read_card(folder: Path) -> Mapping[str, Any] | None:
    """Return the card of a model, or None where it has none."""
    try:
        found = json.loads((folder / CARD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
