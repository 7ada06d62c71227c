"""Readers of the sets under CC BY-SA 4.0: Universal NER (EWT dev, PUD) and CrossNER.

They are read only where a run asks for them (`share_alike`): the shipped weights never saw them.
"""

import random
from collections.abc import Iterator
from pathlib import Path

from gama.evals.corpus import Example
from gama.training.readers import BODIES, NAMES, PLACES, Token, example, grouped, sentences

_CROSSNER: dict[str, tuple[str, ...] | None] = {
    **dict.fromkeys(("person", "scientist", "politician", "writer", "musicalartist", "researcher"), NAMES),
    **dict.fromkeys(("location",), PLACES),
    **dict.fromkeys(("country",), ("country",)),
    **dict.fromkeys(("organisation", "band", "politicalparty", "university"), BODIES),
    **dict.fromkeys(
        (
            "product", "album", "song", "book", "poem", "magazine", "award", "musicgenre", "literarygenre", "field",
            "task", "algorithm", "metrics", "programlang", "conference", "protein", "chemicalcompound", "enzyme",
            "chemicalelement", "astronomicalobject", "discipline", "theory", "election", "musicalinstrument",
        ),
        None,
    ),
}  # fmt: skip
_UNER: dict[str, tuple[str, ...] | None] = {"PER": NAMES, "LOC": PLACES, "ORG": BODIES}


def read_share_alike(root: Path, rng: random.Random) -> dict[str, list[Example]]:
    """Read the sets, by name.

    Args:
        root: Holds `crossner/` and `uner_ewt/`, `uner_pud/`.
        rng: Groups sentences.

    Raises:
        OSError: A set is missing.
    """
    crossner = [
        example(tokens, _CROSSNER, False, "crossner")
        for domain in sorted(path for path in (root / "crossner").iterdir() if path.is_dir())
        for part in ("train", "dev")
        for tokens in grouped(sentences(domain / f"{part}.txt"), rng, 3)
    ]
    found = {"crossner": crossner}
    for name, file in (("uner_ewt", "en_ewt-ud-dev.iob2"), ("uner_pud", "en_pud-ud-test.iob2")):
        found[name] = [
            example(tokens, _UNER, False if name == "uner_pud" else None, name)
            for tokens in grouped(_rows(root / name / file), rng, 4)
        ]
    return found


def _rows(path: Path) -> Iterator[list[Token]]:
    held: list[Token] = []
    for line in [*path.read_text(encoding="utf-8").splitlines(), ""]:
        cells = line.split("\t")
        if line.startswith("#"):
            continue
        if len(cells) > 2 and cells[0].isdigit():
            held.append((cells[1], cells[2]))
        elif not line.strip() and held:
            yield held
            held = []
