"""The texts of an evaluation: read, counted, hashed, and, where asked, a sample of them."""

import hashlib
from pathlib import Path
from random import Random
from typing import NamedTuple, TypeVar

from gama.evals.corpus import Example, Record, corpus_files, read_corpus
from gama.evals.metrics.spans import Stretch
from gama.state.entities import TYPE_OF
from gama.state.errors import InputError

Item = TypeVar("Item")

SHIPPED = Path(__file__).parent / "data" / "identify"
"""Annotated records that ship with the package: the development set of the embedded tagger."""


class Dataset(NamedTuple):
    """Annotated texts and where they come from."""

    name: str
    records: list[Record]
    sha256: str
    """Of the files' names and contents, in their order; of the whole set also where a sample is measured."""


def load(path: Path | None = None, *, limit: int | None = None, seed: int = 0) -> Dataset:
    """Read annotated texts.

    Args:
        path: A file or a folder of them; by default the shipped ones.
        limit: How many texts are measured: a sample drawn by the seed, in the order of the files.
        seed: Seed of the sample.

    Raises:
        InputError: A file is missing or damaged, there is no record, or a record is empty.
    """
    source = path or SHIPPED
    records = list(read_corpus(source))
    if not records:
        raise InputError(f"there is no record in {source.name!r}")
    for record in records:
        if not record.example.text.strip():
            raise InputError(f"record {record.id!r} of {source.name!r} has no text")
    return Dataset(
        "the shipped development set" if path is None else source.name, sample(records, limit, seed), hash_files(source)
    )


def sample(items: list[Item], limit: int | None, seed: int) -> list[Item]:
    """Return at most `limit` of the items, in their order, drawn by the seed."""
    if limit is None or limit >= len(items):
        return items
    return [items[at] for at in sorted(Random(seed).sample(range(len(items)), limit))]


def hash_files(path: Path) -> str:
    """Return the SHA-256 of a corpus."""
    whole = hashlib.sha256()
    for file in corpus_files(path):
        whole.update(file.name.encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return whole.hexdigest()


def gold(example: Example) -> list[Stretch]:
    """Return an example's marks as the metrics take them."""
    return [
        Stretch(
            mark.start,
            mark.end,
            TYPE_OF[mark.subtypes[0]],
            mark.subtypes[0],
            mark.private is not False,
            mark.subject,
        )
        for mark in example.marks
        if mark.subtypes
    ]


def source_of(record: Record) -> str:
    """Return the source of a record: what stands before the first hyphen of its id."""
    return record.id.split("-")[0]
