"""The larger tagger: twelve layers, every script. Its weights are a package of their own, `gama-privacy-accurate`.

Its start is multilingual-e5-small (MIT). It has the labels, the decoding and the card of the small one, and takes about
three times as long. `training/accurate.py` makes it.
"""

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from gama.models.embedded import Tagger
from gama.models.shipped import LOADING
from gama.state.errors import OptionError

_PACKAGE = "gama_accurate"
MISSING = "the larger tagger is a package of its own: pip install ./accurate in a clone, or gama-privacy-accurate"
"""What to do where it is missing."""


@cache
def accurate_folder() -> Path | None:
    """Return the folder of its weights, or None where the package is not installed."""
    spec = find_spec(_PACKAGE)
    folder = Path(spec.origin).parent / "weights" if spec is not None and spec.origin is not None else None
    return folder if folder is not None and (folder / "identify.json").is_file() else None


@cache
def accurate_scripts() -> frozenset[str]:
    """Return the scripts that it has learnt, by their names in Unicode; none where it is not installed."""
    folder = accurate_folder()
    if folder is None:
        return frozenset()
    return frozenset(json.loads((folder / "identify.json").read_text(encoding="utf-8"))["scripts"])


def accurate_tagger() -> Tagger:
    """Return the larger tagger, loaded once, however many threads ask first.

    Raises:
        OptionError: It is not installed; says how to.
        ModelUnreachable: Its weights are damaged.
    """
    with LOADING:
        return _loaded()


@cache
def _loaded() -> Tagger:
    folder = accurate_folder()
    if folder is None:
        raise OptionError(MISSING)
    return Tagger(folder)
