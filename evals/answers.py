"""Whether answers survive the hiding: texts with a question, asked plainly and at each level of privacy.

A record is right where its answer has a string of each group of `must` and none of `must_not`; see
`evals/data/answers/README.md`. What left is the task that crossed: all else that a request holds is our prompts and the
public side's own words, and the guard on the wire compares every request with the box.
"""

import json
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Literal, NamedTuple

from gama.evals.ledger import Ledger
from gama.evals.metrics.statistics import wilson
from gama.state.errors import GamaError, InputError
from gama.state.options import Options

Level = Literal["plain", "strict", "balanced", "open"]
LEVELS: tuple[Level, ...] = ("plain", "strict", "balanced", "open")
KINDS = ("dates", "sums", "compare", "knowledge", "draft", "reason")

SHIPPED = Path(__file__).parent / "data" / "answers" / "answers.jsonl"

PLAINLY = "Answer the question or do what is asked. Be complete and brief."
"""What the model is told of a plain text; the text follows as it is."""


class Record(NamedTuple):
    """A text with a question that has a definite answer."""

    id: str
    kind: str
    text: str
    question: str
    question_in_text: bool
    gold: str
    must: tuple[tuple[str, ...], ...]
    must_not: tuple[str, ...]
    secret: tuple[str, ...]

    @property
    def whole(self) -> str:
        """Text and question as one, as people paste them."""
        return self.text if self.question_in_text else f"{self.text.rstrip()}\n\n{self.question}"


@dataclass(frozen=True)
class Asked:
    """What became of a record at a level."""

    id: str
    kind: str
    level: Level
    right: bool
    left: tuple[str, ...]
    """The record's secrets that stood in what left."""
    answer: str
    gold: str
    error: str = ""
    calls: int = 0
    tokens: int = 0
    unresolved: tuple[str, ...] = ()
    sent: str = ""
    """The task that crossed."""


class Cell(NamedTuple):
    """Records of a kind at a level."""

    right: int
    records: int
    low: float
    high: float
    """The 95 % interval of the share that is right, by Wilson's score."""
    leaking: int
    """Records of which a secret left."""
    failed: int
    """Records that ended in an error; they count as wrong."""


def load(path: Path | None = None) -> list[Record]:
    """Return the records of a file; the shipped ones unless one is given.

    Raises:
        InputError: a line is no record, or two have one id.
    """
    found = [
        _record(line, number)
        for number, line in enumerate((path or SHIPPED).read_text(encoding="utf-8").splitlines(), start=1)
        if line.strip()
    ]
    if len({one.id for one in found}) < len(found):
        raise InputError("two records have the same id: give each its own")
    return found


def _record(line: str, number: int) -> Record:
    try:
        row = json.loads(line)
        texts = [row[name] for name in ("id", "kind", "text", "question", "gold")]
        if not all(isinstance(text, str) for text in texts):
            raise TypeError
        name, kind, text, question, gold = texts
        groups = tuple(tuple(map(str, group)) for group in row["must"])
        lists = [tuple(map(str, row.get(name, ()))) for name in ("must_not", "secret")]
        return Record(name, kind, text, question, bool(row.get("question_in_text")), gold, groups, *lists)
    except (ValueError, KeyError, TypeError):
        raise InputError(f"line {number} is not a record of answers; see evals/data/answers/README.md") from None


def sample(records: Sequence[Record], limit: int | None, seed: int) -> list[Record]:
    """Return so many records, as evenly over the kinds as can be; all of them without a limit."""
    if limit is None or limit >= len(records):
        return list(records)
    kinds: dict[str, list[Record]] = {}
    for one in records:
        kinds.setdefault(one.kind, []).append(one)
    for kind, some in kinds.items():
        Random(f"{seed}-{kind}").shuffle(some)
    turns = [some[at] for at in range(max(map(len, kinds.values()))) for some in kinds.values() if at < len(some)]
    chosen = {one.id for one in turns[:limit]}
    return [one for one in records if one.id in chosen]


def levelled(text: str) -> str:
    """Return a text as strings are compared: without case, with plain spaces and apostrophes."""
    return " ".join(text.replace("’", "'").split()).casefold()


def is_right(record: Record, answer: str) -> bool:
    """Return whether an answer has what a right one must have, and nothing that only a wrong one has."""
    said = levelled(answer)
    has = all(any(levelled(text) in said for text in group) for group in record.must)
    return has and not any(levelled(text) in said for text in record.must_not)


def secrets_in(record: Record, sent: str) -> tuple[str, ...]:
    """Return the secrets of a record that stand in a text as whole words."""
    said = levelled(sent)
    return tuple(
        secret
        for secret in record.secret
        if re.search(rf"(?<![^\W_]){re.escape(levelled(secret))}(?![^\W_])", said) is not None
    )


class Reply(NamedTuple):
    """What an answerer gives."""

    answer: str
    sent: str
    calls: int = 0
    tokens: int = 0
    unresolved: tuple[str, ...] = ()


Answerer = Callable[[Record], Reply]


def plainly(options: Options) -> Answerer:
    """Return what gives the same model the raw text, in one call. For made-up texts only: nothing is hidden."""
    from gama.evals.plain import PlainModel

    model = PlainModel(options.public_model, options.public_base_url, float(options.timeout_s))

    def answer(record: Record) -> Reply:
        said = model.say(PLAINLY, record.whole)
        used = getattr(said, "usage_metadata", None) or {}
        return Reply(str(said.text), record.whole, 1, int(used.get("total_tokens", 0)))

    return answer


def through_gama(options: Options, level: Level, *, apart: bool = False) -> Answerer:
    """Return what asks the graph at a level of privacy.

    Args:
        options: of the runs.
        level: how much is hidden.
        apart: whether the question is given apart where it does not stand in the text.
    """
    from gama.graph.client import Gama

    gama = Gama(options.model_copy(update={"privacy": level}), keep=False)

    def answer(record: Record) -> Reply:
        if apart and not record.question_in_text:
            told = gama.invoke({"question": record.text, "query": record.question})
        else:
            told = gama.invoke({"question": record.whole})
        used = told["usage"]
        return Reply(
            told["answer"],
            told["anonymized"],
            int(used.get("calls", 0)),
            int(used.get("input_tokens", 0)) + int(used.get("output_tokens", 0)),
            tuple(told["unresolved"]),
        )

    return answer


def ask(record: Record, level: Level, answerer: Answerer) -> Asked:
    """Ask about one record; an error is an answer that is wrong, and is told."""
    try:
        told = answerer(record)
    except Exception as error:  # whatever a provider raises: the other records go on
        # Ours quote no value; a library's may, and the record's id says enough.
        said = str(error) if isinstance(error, GamaError) else "not an error of ours"
        return Asked(record.id, record.kind, level, False, (), "", record.gold, f"{type(error).__name__}: {said}")
    left = () if level == "plain" else secrets_in(record, told.sent)
    return Asked(
        record.id, record.kind, level, is_right(record, told.answer), left, told.answer, record.gold,
        "", told.calls, told.tokens, told.unresolved, told.sent,
    )  # fmt: skip


class Kept:
    """A file of what was asked, one line each, so that a run goes on where it stopped and pays for nothing twice.

    Args:
        path: the file, or None to keep nothing.
        settings: what the answers depend on; a file of other settings is refused.

    Raises:
        InputError: the file was made with other settings, or is none of these.
    """

    def __init__(self, path: Path | None, settings: Mapping[str, Any]) -> None:
        """Read what is there."""
        self._lock = threading.Lock()
        self._ledger = Ledger(path, settings, "gama eval answers")
        try:
            found = [_asked(row) for row in self._ledger.rows]
        except (KeyError, TypeError):
            raise InputError(f"{path}: not a file of `gama eval answers`; name another one") from None
        self.done: dict[tuple[str, str], Asked] = {(one.id, one.level): one for one in found if not one.error}

    def add(self, asked: Asked) -> None:
        """Write one more line; an error is written too, and asked again in the next run."""
        with self._lock:
            self.done[asked.id, asked.level] = asked
        self._ledger.add(asked.__dict__)


def _asked(row: Mapping[str, Any]) -> Asked:
    return Asked(**{**row, "left": tuple(row["left"]), "unresolved": tuple(row["unresolved"])})


def run(
    records: Sequence[Record],
    answerers: Mapping[Level, Answerer],
    kept: Kept,
    step: Callable[[str], None],
    workers: int = 4,
) -> list[Asked]:
    """Ask about all records at all levels, some at a time.

    Args:
        records: what is asked.
        answerers: who answers, by level.
        kept: what was asked before, which is not asked again.
        step: told after each.
        workers: how many are under way at a time.
    """

    def one(work: tuple[Record, Level]) -> None:
        record, level = work
        if (record.id, level) not in kept.done:
            kept.add(ask(record, level, answerers[level]))
        step(level)

    # A record's levels follow each other, so that a run that is stopped has asked the same of all.
    with ThreadPoolExecutor(workers) as pool:
        for _ in pool.map(one, [(record, level) for record in records for level in answerers]):
            pass
    return [kept.done[record.id, level] for record in records for level in answerers]


def table(asked: Iterable[Asked]) -> dict[Level, dict[str, Cell]]:
    """Return the figures by level and kind; `all` is every kind together."""
    groups: dict[Level, dict[str, list[Asked]]] = {}
    for one in asked:
        by_kind = groups.setdefault(one.level, {"all": []})
        by_kind["all"].append(one)
        by_kind.setdefault(one.kind, []).append(one)
    return {level: {kind: _cell(some) for kind, some in kinds.items()} for level, kinds in groups.items()}


def _cell(some: Sequence[Asked]) -> Cell:
    right = sum(one.right for one in some)
    low, high = wilson(right, len(some)) or (0.0, 1.0)
    leaking, failed = sum(bool(one.left) for one in some), sum(bool(one.error) for one in some)
    return Cell(right, len(some), low, high, leaking, failed)


def kinds_of(found: Mapping[Level, Mapping[str, Cell]]) -> Iterator[str]:
    """Yield the kinds in their order, `all` last."""
    seen = {kind for cells in found.values() for kind in cells}
    yield from (kind for kind in KINDS if kind in seen)
    yield from sorted(seen - {*KINDS, "all"})
    yield "all"


def of_plain(found: Mapping[Level, Mapping[str, Cell]], level: Level, kind: str) -> float | None:
    """Return what share of the plainly right answers a level reaches, or None where nothing was asked plainly."""
    plain = found.get("plain", {}).get(kind)
    cell = found.get(level, {}).get(kind)
    return cell.right / plain.right if plain and plain.right and cell else None
