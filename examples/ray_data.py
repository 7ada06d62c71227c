"""A data team on Ray Data: batches of a pipeline are anonymized by actors that hold one model each, and restored.

The box of each record travels with it, sealed; every machine needs the master key (`GAMA_KEY`). What a pipeline reads
lies in Ray's object store as it is; `gama anonymize SOURCE --out DEST --engine ray` hands it over sealed, and goes on
where it was killed. Needs `pip install 'gama-privacy[bulk-ray]'`; without it the tests try the two classes with pandas.
"""

import os
import secrets

import pandas as pd

from gama import Anonymizer, PrivacyBox
from gama.state.private_text import Sealed
from gama.vault.seal import Vault, default_home

TICKETS = [
    {"id": 1, "text": "Emma Williams asks for a refund to GB29 NWBK 6016 1331 9268 19."},
    {"id": 2, "text": "Daniel Jones called; Emma Williams is to call him on +44 20 7946 0958."},
    {"id": 3, "text": "Is the shop open?"},
]


class Hide:
    """An actor that anonymizes; its model is loaded once."""

    def __init__(self) -> None:
        """Load it."""
        self.anonymizer, self.vault = Anonymizer(), Vault.at(default_home())

    def __call__(self, batch: pd.DataFrame) -> pd.DataFrame:
        """Replace the texts of a batch, and add their boxes."""
        views = [self.anonymizer.anonymize(text) for text in batch["text"]]
        boxes = [self.vault.seal_file("tickets", view.box.model_dump_json().encode()) for view in views]
        return batch.assign(text=[view.text for view in views], box=[box.model_dump_json() for box in boxes])


class Restore(Hide):
    """An actor that reverses it."""

    def __call__(self, batch: pd.DataFrame) -> pd.DataFrame:
        """Put the values of a batch back."""
        opened = [self.vault.open_file("tickets", Sealed.model_validate_json(box)) for box in batch["box"]]
        boxes = [PrivacyBox.model_validate_json(box) for box in opened]
        texts = [self.anonymizer.restore(text, box).text for text, box in zip(batch["text"], boxes, strict=True)]
        return batch.assign(text=texts).drop(columns="box")


def main() -> None:
    """Run both with a Ray on this machine."""
    # Read when Ray is imported: no statistics leave, and nobody else may use the Ray of this program.
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
    os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    import ray

    # To join a cluster: ray.init("HOST:PORT"), with its own token.
    ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    ray.data.DataContext.get_current().enable_progress_bars = False
    how = {"batch_format": "pandas", "batch_size": 100, "compute": ray.data.ActorPoolStrategy(size=1)}
    hidden = ray.data.from_items(TICKETS).map_batches(Hide, **how).materialize()
    for row in sorted(hidden.take_all(), key=lambda row: row["id"]):
        print("hidden:", row["text"])
        assert "Emma" not in row["box"]
    back = hidden.map_batches(Restore, **how).take_all()
    print("all back:", sorted(back, key=lambda row: row["id"]) == TICKETS)
    ray.shutdown()


if __name__ == "__main__":
    main()
