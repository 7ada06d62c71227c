"""`gama eval train-bilstm`: train PII-Bench's baseline without a language model."""

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer


def train_bilstm(
    data: Annotated[
        list[Path],
        typer.Option(help="Annotated .jsonl file, as make-pii-bench makes them; may be repeated."),
    ],
    out: Annotated[Path, typer.Option(help="Folder for bilstm.pt and bilstm.json.")],
    epochs: Annotated[int, typer.Option(min=1, max=1000, help="Rounds over the texts.")] = 50,
    batch: Annotated[int, typer.Option(min=1, max=1024, help="Pieces of texts at a time.")] = 32,
    rate: Annotated[float, typer.Option(min=0, max=1, help="Step size of Adam.")] = 1e-3,
    seed: Annotated[int, typer.Option(help="Seed of the parts and of the weights.")] = 1,
) -> None:
    """Train a BiLSTM-CRF (PII-Bench's baseline): 80 % to train, 10 % to choose the epoch, 10 % to test."""
    from gama.state.errors import OptionError

    if find_spec("torch") is None:
        raise OptionError("training needs torch: pip install 'gama-privacy[local]'")
    if (out.exists() and not out.is_dir()) or not out.absolute().parent.is_dir():
        raise OptionError(f"option --out: {str(out)!r} is no folder, or the folder above it is missing")
    from gama.evals.datasets.corpus import load
    from gama.evals.piibench.bilstm import Settings, train
    from gama.guard.terminal import counting, say

    records = [record for path in data for record in load(path).records]
    with counting(epochs) as step:
        model = train(records, Settings(rate=rate, batch=batch, epochs=epochs, seed=seed), step)
    model.save(out)
    texts, scores, epoch = model.card["texts"], model.card["typed_f1"], model.card["epoch"]
    print(f"{texts['train']} texts to train, {texts['choose']} to choose the epoch ({epoch}), {texts['test']} to test")
    print(
        f"F1 of spans with their types: {scores['choose']:.3f} on those to choose by, {scores['test']:.3f} on the test"
    )
    say(f"Written to {out}; compare it with `gama eval identify --bilstm {out}` on texts that it has not seen")
