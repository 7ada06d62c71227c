"""What methods missed and what they hid without need, listed by kind for the eyes of whoever owns the texts."""

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from gama.evals.datasets.corpus import Dataset, gold
from gama.evals.metrics.spans import Stretch
from gama.evals.runs import Run

HEAD = (
    "This file holds private text: what methods missed stands here in clear, with the words around it.\n"
    "Keep it to yourself and delete it when it has served.\n"
)
AROUND = 40
"""Characters shown on either side."""

_KINDS = {
    "missed": "private, no part hidden",
    "partly": "private, a part hidden",
    "boundaries": "private, hidden with other boundaries",
    "public": "public knowledge, hidden",
    "ordinary": "in no annotated span, hidden",
}


def write_misses(path: Path, dataset: Dataset, runs: Sequence[Run]) -> None:
    """Write the errors of all methods to a file that only its owner may read; one that is there is replaced.

    Raises:
        OSError: The file cannot be written.
    """
    scratch = path.with_name(path.name + ".new")
    scratch.unlink(missing_ok=True)
    handle = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(HEAD)
        file.writelines(line + "\n" for run in runs for line in _method(dataset, run))
    os.replace(scratch, path)


def _method(dataset: Dataset, run: Run) -> Iterator[str]:
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for record, hidden in zip(dataset.records, run.hidden, strict=True):
        text = record.example.text
        for kind, item in errors(text, hidden.stretches, gold(record.example)):
            shown = f"  {record.id}: {in_context(text, item.start, item.end)}"
            groups[kind, f"{item.type}.{item.subtype}"].append(shown)
    yield f"\n{run.name}: {run.about}"
    for kind, words in _KINDS.items():
        chosen = {name: lines for (group, name), lines in groups.items() if group == kind}
        if not chosen:
            continue
        yield f"\n{run.name}, {words}: {sum(map(len, chosen.values()))}"
        for name, lines in sorted(chosen.items(), key=lambda one: (-len(one[1]), one[0])):
            yield f" {name} ({len(lines)})"
            yield from lines


def errors(text: str, found: Sequence[Stretch], wanted: Sequence[Stretch]) -> Iterator[tuple[str, Stretch]]:
    """Yield what is wrong with the masks of a text: the kind of error and the stretch it is about."""
    hidden = [item for item in found if item.private]
    exact = {item[:2] for item in hidden}
    masked = bytearray(len(text))
    for item in hidden:
        masked[item.start : item.end] = b"\x01" * (item.end - item.start)
    marked = bytearray(len(text))
    for item in wanted:
        marked[item.start : item.end] = b"\x01" * (item.end - item.start)
        inside = range(item.start, item.end)
        letters = [masked[at] for at in inside if text[at].isalnum()] or [masked[at] for at in inside]
        if not item.private:
            if any(masked[item.start : item.end]):
                yield "public", item
        elif not any(letters):
            yield "missed", item
        elif not all(letters):
            yield "partly", item
        elif item[:2] not in exact:
            yield "boundaries", item
    for item in hidden:
        if not any(marked[item.start : item.end]):
            yield "ordinary", item


def in_context(text: str, start: int, end: int) -> str:
    """Return a stretch of a text in double brackets with the words around it, on one line."""
    before, after = text[max(0, start - AROUND) : start], text[end : end + AROUND]
    shown = f"…{before}[[{text[start:end]}]]{after}…"
    return "".join(char if char.isprintable() else "⏎" if char == "\n" else " " for char in shown)
