"""Annotated texts: the marks in them, whole sets of them, and the examples that training turns other formats into.

A private span is written `⟦surface|TYPE.subtype|SUBJECT⟧`, public knowledge with a fourth field `public`. A line
that has PII-Bench's `description` and `pii` instead of a marked `text` is read too.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import NamedTuple, TypeVar

from gama.evals.datasets.piibench import LETTERS, BenchRecord, Fact, Mention, check, from_json, is_bench
from gama.evals.datasets.taxonomy import CATEGORY_OF, SUBTYPE_OF, TYPE_OF_CATEGORY
from gama.evals.metrics.spans import Stretch
from gama.state.entities import TYPE_OF
from gama.state.errors import InputError

Item = TypeVar("Item")

SHIPPED = Path(__file__).parents[1] / "data" / "identify"
"""Annotated records that ship with the package: the development set of the embedded tagger."""

_MARK = re.compile(r"⟦([^⟦⟧|]+)\|([A-Z]+)\.([a-z_]+)\|([A-Z]|-)(\|public)?⟧")
# Accepts one whole mark; refuses nesting, an empty surface, a missing field and any other fourth field.

_BRACKET = re.compile(r"[⟦⟧]")
# What is left of these after the marks are read is a broken mark.

JOINT = "\n\n"
"""What stands between records that are joined."""

ALL_SUBTYPES: frozenset[str] = frozenset(TYPE_OF)
"""Every subtype: the annotation of our own corpus is complete."""


@dataclass(frozen=True)
class Mark:
    """One annotated stretch of a text."""

    start: int
    """First character."""
    end: int
    """One past the last character."""
    subtypes: tuple[str, ...]
    """What it may be: one subtype where the source is fine enough, several where it says only `person`,
    none where nothing is known about these characters and nothing may be learnt from them."""
    private: bool | None = None
    """Private, public knowledge, or not known."""
    subject: str | None = None
    """The person it belongs to (`A`, `B`, …), or None."""


@dataclass(frozen=True)
class Example:
    """A text with its marks, ready to learn from."""

    text: str
    marks: tuple[Mark, ...]
    """Sorted by start, not overlapping."""
    annotated: frozenset[str] = ALL_SUBTYPES
    """The subtypes whose every mention is marked: an unmarked word is none of these, but may be another."""
    source: str = "corpus"
    """Where it comes from, for the model card."""


@dataclass(frozen=True)
class Record:
    """One record of the corpus."""

    id: str
    genre: str
    style: str
    example: Example
    query: str
    relevant: tuple[str, ...]
    """Surfaces that the query needs as they stand."""
    needed: tuple[str, ...] = ()
    """Words that must still be there so that the text stays useful; none where nobody has said so."""


def parse(marked: str) -> Example:
    """Take the marks out of a text.

    Raises:
        InputError: A mark is broken or names an unknown type.
    """
    plain: list[str] = []
    marks: list[Mark] = []
    length = last = 0
    for match in _MARK.finditer(marked):
        surface, kind, subtype, subject, public = match.groups()
        if TYPE_OF.get(subtype) != kind:
            raise InputError(f"unknown type {kind + '.' + subtype!r} in a mark: see gama.state.entities.SUBTYPES")
        before = marked[last : match.start()]
        plain += (before, surface)
        start = length + len(before)
        length = start + len(surface)
        last = match.end()
        marks.append(Mark(start, length, (subtype,), public is None, None if subject == "-" else subject))
    plain.append(marked[last:])
    text = "".join(plain)
    if broken := _BRACKET.search(text):
        raise InputError(f"broken mark near character {broken.start()} of the plain text")
    return Example(text, tuple(marks))


def read_record(line: str) -> Record:
    """Read one line of a corpus file: a record of ours, or one of PII-Bench.

    Raises:
        InputError: The line is not a record, or a mark or a mention in it is broken.
    """
    try:
        raw = json.loads(line)
        if is_bench(raw):
            return of_bench(from_json(raw))
        identity = str(raw["id"])
        marked = raw["text"]
        relevant, needed = tuple(raw.get("relevant", ())), tuple(raw.get("needed", ()))
        if not isinstance(marked, str):
            raise TypeError
    except InputError:
        raise
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(f"not a corpus record ({type(error).__name__}): expected an object with id and text") from None
    try:
        example = parse(marked)
    except InputError as error:
        raise InputError(f"record {identity!r}: {error}") from None
    genre, style, query = (str(raw.get(name, "")) for name in ("genre", "style", "query"))
    return Record(identity, genre, style, example, query, relevant, needed)


def of_bench(record: BenchRecord) -> Record:
    """Turn a PII-Bench record into one of the corpus: all its mentions are private.

    Marks do not overlap. Where mentions of two subjects do, the longer one stays; of equal ones, which two subjects
    share, the first subject's.
    """
    marks: list[Mark] = []
    for start, end, fact in sorted(record.pii, key=lambda one: (one.start - one.end, one.start, one.fact.subject)):
        if not any(start < mark.end and mark.start < end for mark in marks):
            marks.append(Mark(start, end, (SUBTYPE_OF[fact.category],), True, fact.subject))
    marks.sort(key=lambda mark: mark.start)
    relevant = tuple(dict.fromkeys(fact.entity for fact in record.query_pii))
    example = Example(record.description, tuple(marks), source="pii-bench")
    return Record(record.id, record.scene, record.style, example, record.query, relevant)


def to_bench(record: Record, split: str = "") -> BenchRecord:
    """Turn a record of the corpus into one of PII-Bench.

    Public knowledge is left out, for PII-Bench has none. What belongs to nobody belongs to one more subject, as in the
    scores. Subjects get the letters from `A` on, by the order of their own. A subtype that PII-Bench has no category
    for gets the nearest one of its type; coming back it is that category's subtype.

    Raises:
        InputError: A mark has no category (a postcode has, a web address has not), or one is of several subtypes;
            names the record and the subtype.
    """
    text = record.example.text
    marks = [mark for mark in record.example.marks if mark.private is not False and mark.subtypes]
    owners = sorted({mark.subject for mark in marks}, key=lambda one: (one is None, one or ""))
    letters = dict(zip(owners, LETTERS, strict=False))
    mentions = []
    for mark in marks:
        category = _category(record, mark)
        fact = Fact(text[mark.start : mark.end], TYPE_OF_CATEGORY[category], category, letters.get(mark.subject, "?"))
        mentions.append(Mention(mark.start, mark.end, fact))
    facts = dict.fromkeys(one.fact for one in mentions)
    needed = tuple(fact for fact in facts if fact.type != "PER" and fact.entity in record.relevant)
    made = BenchRecord(record.id, split, text, record.query, tuple(sorted(mentions)), needed)
    try:
        check(made)
    except InputError as error:
        raise InputError(f"record {record.id!r}: {error}") from None
    return made


def _category(record: Record, mark: Mark) -> str:
    category = CATEGORY_OF.get(mark.subtypes[0]) if len(mark.subtypes) == 1 else None
    if category is None:
        raise InputError(f"record {record.id!r}: PII-Bench has no category for {' or '.join(mark.subtypes)}")
    return category


def read_corpus(path: Path) -> Iterator[Record]:
    """Read a file of records, or every `*.jsonl` file of a folder in the order of their names.

    Raises:
        InputError: The file does not exist, or a line is not a record; names the file and the line.
    """
    for file in corpus_files(path):
        try:
            with file.open(encoding="utf-8") as lines:
                for number, line in enumerate(lines, 1):
                    if line.strip():
                        yield _numbered(line, file.name, number)
        except OSError as error:
            problem = error.strerror or type(error).__name__
        except UnicodeError:
            problem = "it is not UTF-8"
        else:
            continue
        raise InputError(f"the corpus file {file.name!r} cannot be read: {problem}")


def corpus_files(path: Path) -> list[Path]:
    """Return the files that make a corpus.

    Raises:
        InputError: There is nothing at the path, or the folder holds no `*.jsonl` file.
    """
    if path.is_dir():
        if files := sorted(path.glob("*.jsonl")):
            return files
        raise InputError(f"no .jsonl file in {path.name!r}: give the folder of the annotated corpus")
    if not path.is_file():
        raise InputError(f"the file or folder {str(path)!r} does not exist: give the annotated corpus")
    return [path]


def _numbered(line: str, name: str, number: int) -> Record:
    try:
        return read_record(line)
    except InputError as error:
        raise InputError(f"{name}, line {number}: {error}") from None


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
        InputError: A file is missing or damaged, or a record is missing or empty.
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


def joined(records: Sequence[Record], size: int) -> list[Record]:
    """Join neighbouring records, so many at a time, to one each: what a long paste is made of.

    An empty line stands between them. Persons of different records stay different ones.
    """
    return [_one_of(records[at : at + size]) for at in range(0, len(records), size)]


def _one_of(records: Sequence[Record]) -> Record:
    relevant = tuple(dict.fromkeys(surface for record in records for surface in record.relevant))
    return replace(records[0], example=one_text([record.example for record in records], JOINT), relevant=relevant)


def one_text(examples: Sequence[Example], joint: str) -> Example:
    """Return texts as one, with something between them; persons of different texts stay different ones."""
    marks, length = list[Mark](), 0
    for number, example in enumerate(examples):
        for mark in example.marks:
            subject = mark.subject and (f"{mark.subject}{number}" if number else mark.subject)
            marks.append(replace(mark, start=length + mark.start, end=length + mark.end, subject=subject))
        length += len(example.text) + len(joint)
    return replace(examples[0], text=joint.join(example.text for example in examples), marks=tuple(marks))


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
