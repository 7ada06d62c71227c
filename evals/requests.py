"""Requests: how well is found what is asked in a text (`gama eval requests`)."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from gama.evals.datasets.corpus import load as load_annotated
from gama.evals.metrics.spans import Counts
from gama.privacy.request import Request, Stretch, sentences
from gama.state.errors import InputError

_MARKS = re.compile("[⟦⟧]")


class Case(NamedTuple):
    """A text, and the stretches of it that say what is asked."""

    id: str
    text: str
    spans: tuple[Stretch, ...]
    language: str
    place: str
    """Where the request stands, or what the text is: `begin`, `end`, `middle`, `spread`, `mail`, `inner`, `chat`,
    `none`."""
    part: str
    """The file that it is from."""


class Outcome(NamedTuple):
    """What was found in a case, in sentences and in characters that are no white space."""

    case: Case
    found: Request
    by_sentence: Counts
    by_character: Counts

    @property
    def right(self) -> bool:
        """Whether it is what is asked, sentence by sentence."""
        return self.by_sentence.hits == self.by_sentence.predicted == self.by_sentence.gold


def load(path: Path | None = None) -> list[Case]:
    """Return the cases of a file or folder; the shipped ones unless one is given.

    Read are texts with the request between `⟦` and `⟧`, records of `evals/data/answers` whose question stands in their
    text, and annotated records with a query, each of which is put above the text and below it.

    Raises:
        InputError: a line is no case.
    """
    root: Any = path or files("gama.evals") / "data" / "requests"
    found = [root] if root.is_file() else sorted((one for one in root.iterdir()), key=lambda one: str(one.name))
    named = [one for one in found if one.name.endswith(".jsonl")]
    return [case for one in named for case in _cases(one, one.name.removesuffix(".jsonl"))]


def _cases(file: Any, part: str) -> Iterator[Case]:
    rows = file.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(rows, start=1):
        try:
            row = json.loads(line)
            if "query" in row:
                yield from _composed(Path(str(file)), part)
                return
            if "question_in_text" in row:
                yield from _answered(row, part)
            else:
                text, spans = unmarked(row["text"])
                yield Case(row["id"], text, spans, row["language"], row["place"], part)
        except (ValueError, KeyError, TypeError, AttributeError):
            raise InputError(f"line {number} is not a case of requests; see evals/data/requests/README.md") from None


def unmarked(marked: str) -> tuple[str, tuple[Stretch, ...]]:
    """Return a text without its marks, and the stretches that they were around.

    Raises:
        ValueError: a mark is opened and not closed, or in another.
    """
    marks = [(match.start() - n, match.group()) for n, match in enumerate(_MARKS.finditer(marked))]
    if "".join(sign for _, sign in marks) != "⟦⟧" * (len(marks) // 2) or len(marks) % 2:
        raise ValueError("marks do not match")
    places = [at for at, _ in marks]
    return _MARKS.sub("", marked), tuple(zip(places[::2], places[1::2], strict=True))


def _answered(row: dict[str, Any], part: str) -> Iterator[Case]:
    text, question = row["text"], row["question"]
    if not row["question_in_text"]:
        return
    start = text.index(question)
    end = start + len(question)
    place = "begin" if not text[:start].strip() else "middle" if text[end:].strip() else "end"
    yield Case(row["id"], text, ((start, end),), row["id"].split("-")[1], place, part)


def _composed(file: Path, part: str) -> Iterator[Case]:
    for record in load_annotated(file).records:
        text, query = record.example.text.strip(), record.query.strip()
        language = record.id.split("-")[0] if len(record.id.split("-")[0]) == 2 else "en"
        if query:
            yield Case(f"{record.id} begin", f"{query}\n\n{text}", ((0, len(query)),), language, "begin", part)
            at = len(text) + 2
            yield Case(f"{record.id} end", f"{text}\n\n{query}", ((at, at + len(query)),), language, "end", part)


def run(cases: Iterable[Case], find: Callable[[str], Request]) -> list[Outcome]:
    """Let what is asked be found in every case."""
    return [_judged(case, find(case.text)) for case in cases]


def _judged(case: Case, found: Request) -> Outcome:
    hits = predicted = gold = 0
    for one in sentences(case.text):
        asked, given = _most(one.start, one.end, case.spans), _most(one.start, one.end, found.spans)
        hits, predicted, gold = hits + (asked and given), predicted + given, gold + asked
    wanted, got = _characters(case.text, case.spans), _characters(case.text, found.spans)
    counted = Counts(len(wanted & got), len(got), len(wanted))
    return Outcome(case, found, Counts(hits, predicted, gold), counted)


def _most(start: int, end: int, spans: Iterable[Stretch]) -> bool:
    """Return whether at least half of a stretch lies in spans."""
    return 2 * sum(max(0, min(end, last) - max(start, first)) for first, last in spans) >= end - start


def _characters(text: str, spans: Iterable[Stretch]) -> set[int]:
    return {at for start, end in spans for at in range(start, end) if not text[at].isspace()}


def figures(outcomes: list[Outcome]) -> dict[str, Any]:
    """Return the figures of a run, and those of every part, language and place."""
    groups: dict[str, dict[str, Any]] = {}
    for kind in ("part", "language", "place"):
        names = sorted({getattr(one.case, kind) for one in outcomes})
        groups[kind] = {name: _figures([one for one in outcomes if getattr(one.case, kind) == name]) for name in names}
    return _figures(outcomes) | {"per": groups}


def _figures(outcomes: list[Outcome]) -> dict[str, Any]:
    told: dict[str, Any] = {"texts": len(outcomes), "right": sum(one.right for one in outcomes)}
    for name in ("by_sentence", "by_character"):
        counts = Counts()
        for one in outcomes:
            counts = counts.plus(getattr(one, name))
        told[name] = {"precision": counts.precision, "recall": counts.recall, "f1": counts.f1}
    return told
