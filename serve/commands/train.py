"""`gama train`: train the embedded models."""

from pathlib import Path
from typing import Annotated

import typer


def train(
    what: Annotated[str, typer.Argument(help="identify: the tagger of private spans.")],
    data: Annotated[Path, typer.Option(help="Folder with the corpora (see docs/detector.md).")],
    out: Annotated[Path, typer.Option(help="Folder for the trained files.")],
) -> None:
    """Train an embedded model from annotated corpora (needs the extra `train`)."""
    from gama.state.errors import OptionError

    if what != "identify":
        raise OptionError(f"there is nothing to train called {what!r}; known: identify")
    try:
        import torch  # noqa: F401
    except ImportError:
        torch_missing = True
    else:
        torch_missing = False
    if torch_missing:
        raise OptionError("training needs more packages: pip install 'gama[train]'")
    from gama.training.identify import main

    main(["--data", str(data), "--out", str(out)])
