"""`gama train`: train the embedded models."""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

KNOWN = ("identify", "attribution", "names", "requests", "knowledge", "select", "domains", "attacker", "tune")
LIGHT = ("attribution", "names", "requests", "knowledge", "domains")
"""What needs no further packages, and has no rounds."""
OWN = {"attacker": "gama.training.seal.attacker", "requests": "gama.training.requests"}
"""What is trained on the package's own records alone."""
PACKAGES = ("torch", "onnx", "transformers")


def train(
    what: Annotated[
        str,
        typer.Argument(
            help="identify: the tagger of private spans; attribution: who a fact belongs to; "
            "names: whether a name is public where it stands; requests: which sentences ask; "
            "knowledge: the index of public names; select: what a query needs; "
            "domains: which experts a task belongs to; "
            "attacker: what a text gives away about its writer, on the shipped sentences; "
            "tune: the tagger, on your records."
        ),
    ],
    out: Annotated[
        Path, typer.Option(help="Folder for the trained files; select: of the tagger on which it is to rest.")
    ],
    data: Annotated[
        Path | None,
        typer.Option(
            help="identify, attribution, select: folder with the corpora; domains: folder of tasks; tune: folder of "
            "annotated .jsonl; names: texts as evals/data/world; knowledge: folder of lists; attacker, requests: none.",
        ),
    ] = None,
    start: Annotated[
        Path | None, typer.Option("--from", help="tune: folder of the model to start from.", show_default="the shipped")
    ] = None,
    rounds: Annotated[int | None, typer.Option(min=1, help="Rounds over the records.")] = None,
    mixed: Annotated[
        float, typer.Option(min=0.0, help="tune: the package's records in a round, as a multiple of yours.")
    ] = 1.0,
    joined: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="tune: share of the texts that are put together into long ones.")
    ] = 0.0,
    lists: Annotated[
        Path | None,
        typer.Option(help="tune: data folder whose gazetteers names are drawn from anew in each round."),
    ] = None,
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

    what = "attribution" if what == "owners" else what  # its former name
    if what not in KNOWN:
        raise OptionError(f"there is nothing to train called {what!r}; known: {', '.join(KNOWN)}")
    if what in OWN:
        import_module(OWN[what]).main(["--out", str(out)])
        return
    if data is None:
        raise OptionError(f"training {what!r} needs --data, a folder")
    if what not in LIGHT and any(find_spec(name) is None for name in PACKAGES):
        raise OptionError("training needs more packages: pip install 'gama-privacy[train]'")
    if what == "tune":
        from gama.models.embedded import WEIGHTS
        from gama.training.tune import TuneConfig, tune

        numbers = TuneConfig(rounds=rounds or TuneConfig.rounds, mixed=mixed, joined=joined)
        tune(data, out, numbers, start or WEIGHTS, lists=lists)
        return
    flags = ["--data", str(data), "--out", str(out)]
    flags += [f"--rounds={rounds}"] if rounds and what not in LIGHT else []
    if what == "identify":
        flags += ["--checkpoint", str(out / "weights.pt"), *([f"--minutes={minutes}"] if minutes else [])]
        flags += [*(["--share-alike"] if share_alike else []), *(["--no-augment"] if no_augment else [])]
    import_module(f"gama.training.{what}").main(flags)
