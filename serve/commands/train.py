"""`gama train`: train the embedded models."""

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer


def train(
    what: Annotated[
        str,
        typer.Argument(
            help="identify: the tagger of private spans; attribution: who a fact belongs to; "
            "select: what a query needs; tune: the tagger, on your records."
        ),
    ],
    data: Annotated[
        Path,
        typer.Option(help="identify, attribution, select: folder with the corpora; tune: folder of annotated .jsonl."),
    ],
    out: Annotated[
        Path, typer.Option(help="Folder for the trained files; select: of the tagger on which it is to rest.")
    ],
    start: Annotated[
        Path | None, typer.Option("--from", help="tune: folder of the model to start from.", show_default="the shipped")
    ] = None,
    rounds: Annotated[int | None, typer.Option(min=1, help="Rounds over the records.")] = None,
    minutes: Annotated[
        float | None, typer.Option(min=0.1, help="identify: longest time of each stage after the first.")
    ] = None,
    share_alike: Annotated[bool, typer.Option("--share-alike", help="identify: use the CC BY-SA sets too.")] = False,
    no_augment: Annotated[bool, typer.Option("--no-augment", help="identify: neither augment nor generate.")] = False,
) -> None:
    """Train an embedded model, or fine-tune it on annotated records of your own (needs the extra `train`).

    See docs/detector.md for the data.
    """
    from gama.state.errors import OptionError

    # `owners` is the former name of `attribution`.
    if what not in ("identify", "attribution", "owners", "select", "tune"):
        raise OptionError(f"there is nothing to train called {what!r}; known: identify, attribution, select, tune")
    if what in ("attribution", "owners"):
        from gama.training.attribution import main as train_attribution

        train_attribution(["--data", str(data), "--out", str(out)])
        return
    if any(find_spec(name) is None for name in ("torch", "onnx", "transformers")):
        raise OptionError("training needs more packages: pip install 'gama-privacy[train]'")
    if what == "tune":
        from gama.models.embedded import WEIGHTS
        from gama.training.tune import TuneConfig, tune

        tune(data, out, TuneConfig(rounds=rounds or TuneConfig.rounds), start or WEIGHTS)
        return
    if what == "select":
        from gama.training.select import main as train_select

        train_select(["--data", str(data), "--out", str(out), *([f"--rounds={rounds}"] if rounds else [])])
        return
    from gama.training.identify import main

    flags = [*(["--share-alike"] if share_alike else []), *(["--no-augment"] if no_augment else [])]
    flags += [f"--rounds={rounds}"] if rounds else []
    flags += [f"--minutes={minutes}"] if minutes else []
    main(["--data", str(data), "--out", str(out), "--checkpoint", str(out / "weights.pt"), *flags])
