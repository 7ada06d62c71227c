"""Texts in which both occur: public names that a question needs, and private people (`evals/data/world`)."""

import hashlib
import json
from pathlib import Path
from typing import NamedTuple

from gama.evals.datasets.corpus import corpus_files
from gama.state.errors import InputError

SHIPPED = Path(__file__).parents[1] / "data" / "world"
"""The shipped texts."""


class Mention(NamedTuple):
    """An annotated stretch."""

    start: int
    end: int
    type: str
    """One of the seven types, or WORK or THING: what is public alone."""
    subtype: str
    private: bool
    needed: bool
    """Whether the text's question cannot be answered well without it."""


class Letter(NamedTuple):
    """An annotated text."""

    id: str
    lang: str
    kind: str
    """What it tries: a namesake, trivia, an institution …"""
    text: str
    mentions: tuple[Mention, ...]


def read_letters(path: Path | None = None) -> list[Letter]:
    """Read a file of texts, or every `*.jsonl` file of a folder; by default the shipped ones.

    Raises:
        InputError: There is nothing at the path, or a line is not such a text; names the file and the line.
    """
    found = []
    for file in corpus_files(path or SHIPPED):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if line.strip():
                try:
                    found.append(_letter(json.loads(line)))
                except (ValueError, KeyError, TypeError, AttributeError):
                    raise InputError(
                        f"{file.name}, line {number}: see evals/data/world/README.md for its form"
                    ) from None
    return found


def _letter(raw: dict[str, object]) -> Letter:
    text, entities = raw["text"], raw["entities"]
    if not isinstance(text, str) or not isinstance(entities, list):
        raise TypeError
    mentions = [
        Mention(one["start"], one["end"], one["type"], one["subtype"], one["private"], one.get("needed", False))
        for one in entities
    ]
    if any(text[one["start"] : one["end"]] != one["text"] for one in entities):
        raise ValueError
    return Letter(str(raw["id"]), str(raw["lang"]), str(raw["kind"]), text, tuple(mentions))


def is_fresh(letter: Letter) -> bool:
    """Return whether a text was written after the others, to be measured once what they taught was in place."""
    return letter.id.startswith("fresh-")


def is_tuned_on(letter: Letter) -> bool:
    """Return whether rules were made for a text, and the shipped weights are older than it."""
    return letter.id.startswith("rules-")


def is_held_out(letter: Letter) -> bool:
    """Return whether nothing is tuned on a text: a third of the first ones, drawn by their ids, and all fresh ones."""
    if is_tuned_on(letter):
        return False
    return is_fresh(letter) or hashlib.sha256(letter.id.encode("utf-8")).digest()[0] % 3 == 0
