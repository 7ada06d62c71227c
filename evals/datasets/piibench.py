"""PII-Bench's record: description, query, every mention of private data, what the query needs (spec 03 §3.4)."""

import json
import string
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from gama.evals.datasets.taxonomy import TYPE_OF_CATEGORY
from gama.state.errors import InputError

LETTERS = string.ascii_uppercase
"""The subjects, in their order."""


class Fact(NamedTuple):
    """What belongs to whom: an entity, however often it is mentioned."""

    entity: str
    type: str
    category: str
    subject: str
    """A letter, from `A` on without a gap."""


class Mention(NamedTuple):
    """One mention of an entity in the description."""

    start: int
    end: int
    fact: Fact


@dataclass(frozen=True)
class BenchRecord:
    """A sample. Its `repr` holds its texts, which are invented."""

    id: str
    split: str
    """`single`, `multi`, `hard` or `distract`."""
    description: str
    query: str
    pii: tuple[Mention, ...]
    query_pii: tuple[Fact, ...]
    """E_q: what the query needs, without repetitions."""
    scenario: str = ""
    """The domain of the query."""
    style: str = ""
    """Of one subject's text: `formal` or `casual`."""
    scene: str = ""
    """Of several subjects' text: `dialogue` or `scene`, or the thread's template."""
    relation: str = ""

    @property
    def facts(self) -> tuple[Fact, ...]:
        """E: every entity once for each subject and category, in the order of their first mentions."""
        return tuple(dict.fromkeys(one.fact for one in self.pii))

    @property
    def subjects(self) -> int:
        """How many persons the text is about."""
        return len({one.fact.subject for one in self.pii})


def check(record: BenchRecord) -> None:
    """Check what the spec says of every record.

    Raises:
        InputError: Something does not hold; says what and where, never a value.
    """
    text = record.description
    if not text.strip():
        raise InputError("its description is empty")
    for number, (start, end, fact) in enumerate(record.pii, 1):
        where = f"mention {number}"
        if not 0 <= start < end <= len(text):
            raise InputError(f"{where}: start {start} and end {end} do not lie in the description")
        if text[start:end] != fact.entity:
            raise InputError(f"{where}: its entity is not what stands at its place in the description")
        _check_fact(fact, where)
    letters = {one.fact.subject for one in record.pii}
    if letters != set(LETTERS[: len(letters)]):
        raise InputError(f"the subjects are not letters from A on without a gap: {', '.join(sorted(letters))}")
    for letter in sorted(letters):
        places = sorted((one.start, one.end) for one in record.pii if one.fact.subject == letter)
        if any(first[1] > then[0] for first, then in zip(places, places[1:], strict=False)):
            raise InputError(f"two mentions of subject {letter} overlap")
    known = set(record.facts)
    for number, fact in enumerate(record.query_pii, 1):
        where = f"query entity {number}"
        _check_fact(fact, where)
        if fact.type == "PER":
            raise InputError(f"{where}: a person's name is never what a query needs")
        if fact not in known:
            raise InputError(f"{where}: no mention has this entity, category and subject")
    if len(set(record.query_pii)) < len(record.query_pii):
        raise InputError("an entity is twice among what the query needs")


def _check_fact(fact: Fact, where: str) -> None:
    if not fact.entity.strip():
        raise InputError(f"{where}: its entity is empty")
    if fact.category not in TYPE_OF_CATEGORY:
        raise InputError(f"{where}: its category is not one of the {len(TYPE_OF_CATEGORY)}")
    if TYPE_OF_CATEGORY[fact.category] != fact.type:
        raise InputError(f"{where}: its type is not that of the category {fact.category!r}")


def is_bench(raw: Any) -> bool:
    """Return whether a parsed line is a PII-Bench record, and no record of our own corpus that has its fields too."""
    return isinstance(raw, dict) and "description" in raw and "pii" in raw and "text" not in raw


def from_json(raw: Any) -> BenchRecord:
    """Read and check a parsed line. Fields that the record does not know are passed over.

    Raises:
        InputError: A field is missing, has another kind than it should, or an invariant does not hold.
    """
    if not isinstance(raw, dict):
        raise InputError("not a PII-Bench record: expected an object")
    identity = _field(raw, "id", str, "the record")
    try:
        mentions = [_mention(one, f"mention {n}") for n, one in enumerate(_field(raw, "pii", list, "the record"), 1)]
        record = BenchRecord(
            identity,
            _text(raw, "split"),
            _field(raw, "description", str, "the record"),
            _text(raw, "query"),
            tuple(sorted(mentions)),
            tuple(_fact(one, f"query entity {n}") for n, one in enumerate(_items(raw, "query_pii"), 1)),
            *(_text(raw, name) for name in ("scenario", "style", "scene", "relation")),
        )
        check(record)
    except InputError as error:
        raise InputError(f"record {identity!r}: {error}") from None
    return record


def _field(raw: dict[str, Any], name: str, kind: type, where: str) -> Any:
    # A truth value is a number to Python, and to nobody else.
    if not isinstance(value := raw.get(name), kind) or isinstance(value, bool):
        wanted = {str: "a text", int: "a whole number", list: "a list"}[kind]
        raise InputError(f"{where}: its field {name!r} is missing or is not {wanted}")
    return value


def _text(raw: dict[str, Any], name: str) -> str:
    return str(_field(raw, name, str, "the record")) if raw.get(name) is not None else ""


def _items(raw: dict[str, Any], name: str) -> list[Any]:
    return list(_field(raw, name, list, "the record")) if raw.get(name) is not None else []


def _fact(raw: Any, where: str) -> Fact:
    if not isinstance(raw, dict):
        raise InputError(f"{where}: it is not an object")
    return Fact(*(_field(raw, name, str, where) for name in Fact._fields))


def _mention(raw: Any, where: str) -> Mention:
    fact = _fact(raw, where)
    return Mention(_field(raw, "start", int, where), _field(raw, "end", int, where), fact)


def as_json(record: BenchRecord) -> dict[str, Any]:
    """Return a record as plain objects, checked.

    Raises:
        InputError: An invariant does not hold.
    """
    try:
        check(record)
    except InputError as error:
        raise InputError(f"record {record.id!r}: {error}") from None
    told = {"style": record.style, "scene": record.scene, "relation": record.relation}
    return {
        "id": record.id,
        "split": record.split,
        **{name: value for name, value in told.items() if value},
        "description": record.description,
        "query": record.query,
        "scenario": record.scenario,
        "pii": [
            {"entity": fact.entity, "type": fact.type, "category": fact.category, "start": start, "end": end,
             "subject": fact.subject}
            for start, end, fact in record.pii
        ],
        "query_pii": [fact._asdict() for fact in record.query_pii],
    }  # fmt: skip


def as_lines(records: Sequence[BenchRecord]) -> str:
    """Return records as the content of a .jsonl file.

    Raises:
        InputError: An invariant does not hold, or an id stands twice.
    """
    if len({one.id for one in records}) < len(records):
        raise InputError("two records have the same id")
    return "".join(json.dumps(as_json(one), ensure_ascii=False) + "\n" for one in records)
