"""Readers of documents and user utterances that are not annotated word by word.

The contextual anonymizer set (MIT) gives each document twice, plain and with labels such as `[NAME_1]`; NLU
evaluation data and RESTAURANTS-8K (CC BY 4.0) mark the slots of short requests.
"""

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from gama.evals.datasets.corpus import Example, Mark
from gama.state.entities import SUBTYPES
from gama.training.readers import BODIES, NAMES, PLACES, TITLES, names

_LABEL = re.compile(r"\[([A-Z_ ]+?)_?\d*\]")

_DOCUMENT_LABELS: dict[str, tuple[str, ...]] = {
    "NAME": NAMES,
    "DOCTOR": NAMES,
    "EMAIL": ("email",),
    "DATE": ("date", "date_of_birth"),
    "TIME": ("time",),
    "POSITION": ("occupation",),
    "PHONE": ("phone",),
    "CURRENCY": SUBTYPES["QUANTITY"],
    "COMPANY": ("company",),
    "DIAGNOSIS": ("medical_condition",),
    "TICKET_ID": ("case_number", "order_number"),
    "SCHOOL": ("school",),
    "UNIVERSITY": ("school",),
    "POLICY_NUMBER": ("other_id", "case_number"),
    "TRANSACTION_ID": ("other_id", "order_number"),
    "ORDER_NUMBER": ("order_number",),
    "CLAIM_ID": ("case_number",),
    "CASE_NUMBER": ("case_number",),
    "PESEL": ("ssn",),
    "NIP": ("tax_id",),
    "BANK": ("company",),
    "HOSPITAL": ("healthcare",),
}
"""What the labels of the documents mean here. Others (skills, subjects, projects) teach nothing."""

_SURE = frozenset(NAMES) | {"email", "phone"}
"""What those documents replace reliably; the rest only now and then, so its absence says nothing."""


def read_contextual(root: Path, rng: Random) -> Iterator[Example]:
    """Yield the documents whose two versions can be aligned, each different text once."""
    raw = json.loads((root / "contextual_anonymizer" / "synthetic_data.json").read_text(encoding="utf-8"))
    seen: set[str] = set()
    for row in raw["data"]:
        text, twin = row["context"], row["anonymized_context"]
        if text in seen or "[" in text:
            continue
        seen.add(text)
        parts = _LABEL.split(twin)
        if len(parts) > 41:  # the expression below takes time that grows steeply with its groups
            continue
        aligned = re.fullmatch("(.{1,80}?)".join(re.escape(part) for part in parts[::2]), text, re.DOTALL)
        if aligned is None:
            continue
        marks = [
            mark
            for number, label in enumerate(parts[1::2], 1)
            if (mark := _document_mark(text, label, *aligned.span(number))) is not None
        ]
        yield Example(text, tuple(marks), _SURE, "contextual_anonymizer")


def _document_mark(text: str, label: str, start: int, end: int) -> Mark | None:
    subtypes = _DOCUMENT_LABELS.get(label, ())
    words = text[start:end].split()
    if subtypes is NAMES:
        while len(words) > 1 and words[0].lower().rstrip(".") in TITLES:
            start += len(words[0]) + 1
            words = words[1:]
        subtypes = names(words) if words and len(words) < 5 else ()
    return Mark(start, end, subtypes, True if subtypes else None) if words else None


_SLOT = re.compile(r"\[ ?([a-z_ ]+?) ?: ?([^\]]*?) ?\]")

_UTTERANCE_SLOTS: dict[str, tuple[tuple[str, ...], bool | None]] = {
    "person": (NAMES, True),
    "place_name": (PLACES, None),
    "business_name": (BODIES, None),
    "email_address": (("email",), True),
    "artist_name": (NAMES, False),
    "audiobook_author": (NAMES, False),
    "date": ((), None),
    "time": ((), None),
    "personal_info": ((), None),
    "news_topic": ((), None),
    "transport_agency": ((), None),
    "movie_name": ((), None),
    "song_name": ((), None),
    "game_name": ((), None),
    "radio_name": ((), None),
}
"""Slots of requests to an assistant. Other slots (devices, food, moods) are ordinary words."""

_UTTERANCE_MARKED = frozenset(NAMES) | frozenset(PLACES) | frozenset(BODIES) | frozenset({"email", "phone"})


def read_nlu_eval(root: Path, rng: Random, share: float = 0.5) -> Iterator[Example]:
    """Yield a share of the requests to a home assistant, in small groups; mostly without anything private."""
    lines: list[str] = []
    for path in sorted((root / "nlu_eval").glob("**/KFold_1/trainset/*.csv")):
        with path.open(encoding="utf-8", errors="replace", newline="") as rows:
            lines += [
                row["answer_annotation"] for row in csv.DictReader(rows, delimiter=";") if row.get("answer_annotation")
            ]
    lines = sorted(set(lines))
    rng.shuffle(lines)
    lines = lines[: int(len(lines) * share)]
    at = 0
    while at < len(lines):
        count = rng.randint(1, 4)
        yield _utterances(lines[at : at + count])
        at += count


def _utterances(lines: list[str]) -> Example:
    text, marks = "", []
    for line in lines:
        text += "\n" if text else ""
        last = 0
        for slot in _SLOT.finditer(line):
            text += line[last : slot.start()]
            last = slot.end()
            subtypes, private = _UTTERANCE_SLOTS.get(slot[1], (None, None))
            surface = slot[2].strip()
            if subtypes is not None and surface:
                kinds = names(surface.split()) if subtypes is NAMES else subtypes
                marks.append(Mark(len(text), len(text) + len(surface), kinds, private))
            text += surface
        text += line[last:]
    return Example(text, tuple(marks), _UTTERANCE_MARKED, "nlu_eval")


def read_polyai(root: Path, rng: Random, share: float = 0.3) -> Iterator[Example]:
    """Yield a share of the table bookings: names, dates and times are the guest's own."""
    kinds: dict[str, tuple[str, ...]] = {
        "first_name": ("first_name",),
        "last_name": ("last_name",),
        "date": ("date",),
        "time": ("time",),
    }
    rows: list[dict[str, Any]] = []
    for path in sorted((root / "polyai_span" / "restaurant8k").glob("train_*.json")):
        rows += json.loads(path.read_text(encoding="utf-8"))
    for row in rows:
        if rng.random() > share:
            continue
        text: str = row["userInput"]["text"]
        marks: list[Mark] = []
        for label in row.get("labels", []):
            span = label["valueSpan"]
            slot = label["slot"]
            if slot in kinds:
                marks.append(Mark(span.get("startIndex", 0), span["endIndex"], kinds[slot], True))
        marks = _joined(text, sorted(marks, key=lambda mark: mark.start))
        if all(a.end <= b.start for a, b in zip(marks, marks[1:], strict=False)):
            yield Example(text, tuple(marks), frozenset(NAMES) | {"date", "time"}, "polyai_span")


def _joined(text: str, marks: list[Mark]) -> list[Mark]:
    """Make one full name of a first and a last name that follow each other."""
    joined: list[Mark] = []
    for mark in marks:
        before = joined[-1] if joined else None
        if (
            before is not None
            and before.subtypes == ("first_name",)
            and mark.subtypes == ("last_name",)
            and text[before.end : mark.start] == " "
        ):
            joined[-1] = Mark(before.start, mark.end, ("full_name",), True)
        else:
            joined.append(mark)
    return joined
