"""HotpotQA: questions whose answer takes two steps of knowledge; asked without their paragraphs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gama.evals.datasets.problem import Problem
from gama.evals.datasets.source import SOURCES, digest_text, invalid, is_text, read_json

CUE = "Answer:"


class Record(NamedTuple):
    """A question."""

    id: str
    question: str
    answer: str
    type: str
    """`bridge` or `comparison`."""
    level: str
    """`easy`, `medium` or `hard`; empty where the file does not say."""


def load(path: Path | None = None) -> list[Record]:
    """Read a file, as published or with questions alone; the records that ship unless one is given.

    Raises:
        InputError: the file cannot be read, or a record is invalid; names the record.
    """
    found = read_json(path or SOURCES["hotpotqa"].shipped, "HotpotQA")
    return [_record(raw, number) for number, raw in enumerate(found, 1)]


def _record(raw: Any, number: int) -> Record:
    if not isinstance(raw, dict) or not is_text(raw.get("question")) or not is_text(raw.get("answer")):
        raise invalid("HotpotQA", number, "its question or its answer holds no text")
    kind = raw.get("type", "")
    if kind not in ("bridge", "comparison"):
        raise invalid("HotpotQA", number, "its type is neither bridge nor comparison")
    name = str(raw.get("_id") or digest_text(raw["question"])[:12])
    return Record(f"hotpotqa-{name}", raw["question"], raw["answer"], kind, str(raw.get("level", "")))


def problems(records: Sequence[Record]) -> list[Problem]:
    """Return what a solver is asked: a short answer."""
    return [
        Problem(
            record.id,
            "hotpotqa",
            f"{record.question}\n\nEnd with a line that gives the answer alone, in as few words as will do: "
            f"`{CUE}` and the answer.",
            CUE,
            {"questions": (record.question,), "kind": record.type},
        )
        for record in records
    ]
