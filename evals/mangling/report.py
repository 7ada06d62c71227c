"""The published tables: what is restored, what is held back, and the same for other tools."""

import json
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from typing import Any

from gama.evals.mangling.base import Kind
from gama.evals.mangling.catalog import choose
from gama.evals.mangling.measure import COUNT, SIZES, STRATEGIES, Hold, Ours, Outcome, Score, evaluate, measure_streams

SIDE_SIZES = (12, 120)
"""Sizes of box in the comparison with other tools: some of them take long with more."""
SIDE_COUNT = 6
"""Answers for each kind and size in that comparison."""
_FIELDS = ("answers", "placeholders", "restored", "clean", "wrong")

PROSE = (
    "Thank you for your letter. We have looked into the matter, and on the whole we agree with the plan: the first "
    "payment is due at the end of the month, the second a month later. If the date does not suit you, say so.\n\n"
    "1. Sign the form and send it back.\n2. Keep a copy (for your own records).\n3. Call us if a name or an address is "
    "wrong.\n\nWith kind regards\n",
    "The answer depends on x < y and on the weights[i] of the list; see `main.py`, section [2], or "
    "https://example.org/a for the details.\n\n```python\nfor i in range(10):\n    total += weights[i] * (1 - rate)\n"
    "```\n",
)
"""Answers without placeholders, to see what a stream holds back for nothing."""


def as_json(outcomes: Sequence[Outcome], about: Mapping[str, Any]) -> dict[str, Any]:
    """Return all figures of restorers, to be kept in a file."""
    tools = []
    for outcome in outcomes:
        scores = {score.kind.name: [getattr(score, name) for name in _FIELDS] for score in outcome.scores}
        tools.append({"name": outcome.name, "version": outcome.version, "errors": outcome.errors, "kinds": scores})
    return {**about, "fields": _FIELDS, "tools": tools}


def recorded(kinds: Sequence[Kind]) -> list[Outcome]:
    """Return the figures of other tools as they were measured and shipped."""
    text = (files("gama.evals") / "data" / "restore" / "competitors.json").read_text(encoding="utf-8")
    by_name = {kind.name: kind for kind in kinds}
    outcomes = []
    for tool in json.loads(text)["tools"]:
        scores = [Score(by_name[name], "", *found) for name, found in tool["kinds"].items() if name in by_name]
        outcomes.append(Outcome(tool["name"], scores, tool["version"], tool["errors"]))
    return outcomes


def published() -> str:
    """Return the tables of the documentation."""
    kinds = choose()
    ours = evaluate(Ours(), kinds)
    hold = {"answers with placeholders": measure_streams(kinds, count=4), "prose and code": _held_in_prose()}
    side = evaluate(Ours(), kinds, sizes=SIDE_SIZES, count=SIDE_COUNT)
    competitors = [outcome for outcome in recorded(kinds) if outcome.name != side.name]
    styles = [evaluate(Ours(strategy), kinds, sizes=SIDE_SIZES, count=SIDE_COUNT) for strategy in STRATEGIES[1:]]
    parts = [
        summary(ours), table(ours), holds(hold), side_by_side([replace(side, name="tag"), *styles]),
        side_by_side([side, *competitors]), side_by_kind([side, *competitors]),
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def _held_in_prose() -> Hold:
    return measure_streams([], prose=PROSE * 10)


def summary(outcome: Outcome, sizes: Sequence[int] = SIZES, count: int = COUNT) -> str:
    """Return one line for all kinds."""
    undone = [score for score in outcome.scores if not score.kind.alone]
    alone = [score for score in outcome.scores if score.kind.alone]
    whole = sum(score.placeholders for score in undone)
    restored = sum(score.restored for score in undone)
    clean = sum(score.clean for score in undone)
    answers = sum(score.answers for score in undone)
    avoided = sum(score.clean for score in alone)
    left = f", {avoided:,} of {sum(score.answers for score in alone):,} false positives avoided" if alone else ""
    return (
        f"{len(undone)} kinds of change, boxes of {', '.join(f'{size:,}' for size in sizes)} values, {count} answers "
        f"each: {restored:,} of {whole:,} placeholders restored, {clean:,} of {answers:,} answers exactly as they "
        f"should be{left}, **{sum(score.wrong for score in outcome.scores)} wrong values**."
    )


def table(outcome: Outcome) -> str:
    """Return every kind with an example and its figures."""
    rows = ["| kind of change | example | restored | exact | wrong |", "|---|---|--:|--:|--:|"]
    group = ""
    for score in outcome.scores:
        if score.kind.group != group:
            group = score.kind.group
            rows.append(f"| **{group}** | | | | |")
        restored = "–" if score.kind.alone else _share(score.restored, score.placeholders)
        exact = _share(score.clean, score.answers)
        rows.append(f"| {cell(score.kind.name)} | {example(score.example)} | {restored} | {exact} | {score.wrong} |")
    return "\n".join(rows)


def holds(found: Mapping[str, Hold]) -> str:
    """Return what streams hold back."""
    rows = [
        "| streams, in chunks of 1 to 40 characters | chunks | held back behind a chunk, mean | nothing held back | "
        "longest | otherwise than as a whole |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for name, hold in found.items():
        rows.append(
            f"| {name} | {hold.chunks:,} | {hold.characters / hold.chunks:.2f} characters | "
            f"{_share(hold.free, hold.chunks)} | {hold.longest} characters | {hold.differences} |"
        )
    return "\n".join(rows)


def side_by_side(outcomes: Sequence[Outcome]) -> str:
    """Return tools side by side, kinds taken together in their groups."""
    groups = list(dict.fromkeys(score.kind.group for outcome in outcomes for score in outcome.scores))
    rows = [
        "| exact answers, in % | " + " | ".join(_name(outcome) for outcome in outcomes) + " |",
        "|---|" + "--:|" * len(outcomes),
    ]
    for group in groups:
        cells = []
        for outcome in outcomes:
            scores = [score for score in outcome.scores if score.kind.group == group]
            cells.append(_percent(sum(s.clean for s in scores), sum(s.answers for s in scores)))
        rows.append(f"| {group} | " + " | ".join(cells) + " |")
    every = [[score for score in outcome.scores if not score.kind.alone] for outcome in outcomes]
    full = [f"{sum(s.clean == s.answers for s in scores)} of {len(scores)}" for scores in every]
    rows.append("| **kinds always exact** | " + " | ".join(full) + " |")
    wrong = [f"{sum(score.wrong for score in outcome.scores):,}" for outcome in outcomes]
    rows.append("| **wrong values** | " + " | ".join(wrong) + " |")
    return "\n".join(rows)


def side_by_kind(outcomes: Sequence[Outcome]) -> str:
    """Return tools side by side for every kind."""
    rows = [
        "| restored (exact), in % | " + " | ".join(_name(outcome) for outcome in outcomes) + " |",
        "|---|" + "--:|" * len(outcomes),
    ]
    by_name = [{score.kind.name: score for score in outcome.scores} for outcome in outcomes]
    kinds = {score.kind.name: score.kind for outcome in outcomes for score in outcome.scores}
    for kind in choose():
        if kind.name in kinds:
            rows.append(
                f"| {cell(kind.name)} | " + " | ".join(_cell(scores.get(kind.name)) for scores in by_name) + " |"
            )
    return "\n".join(rows)


def _cell(score: Score | None) -> str:
    if score is None:
        return "–"
    clean = _percent(score.clean, score.answers)
    restored = clean if score.kind.alone else _percent(score.restored, score.placeholders)
    text = restored if restored == clean else f"{restored} ({clean})"
    return f"{text} **{score.wrong}!**" if score.wrong else text


def _name(outcome: Outcome) -> str:
    return f"{outcome.name} {outcome.version}".strip()


def _share(part: int, whole: int) -> str:
    return f"{_percent(part, whole)} %"


def _percent(part: int, whole: int) -> str:
    """Return a share in percent; neither 100 nor 0 unless it is."""
    if not whole:
        return "–"
    if part in (0, whole):
        return "100" if part else "0"
    return f"{min(99.9, max(0.1, 100 * part / whole)):.1f}"


def cell(text: str) -> str:
    """Return a text for a cell of a table."""
    return "".join(f"\\{sign}" if sign in "|*_<>[]{}\\&#`" else sign for sign in text)


def example(text: str) -> str:
    """Return an example for a cell: as code, in one line, with what cannot be seen named."""
    shown = "".join(
        "⏎" if sign == "\n" else "⇥" if sign == "\t" else f"\\u{ord(sign):04x}" if _hidden(sign) else sign
        for sign in text.strip("\n")
    ).replace("|", "\\|")
    ticks = "``" if "`" in shown else "`"
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def _hidden(sign: str) -> bool:
    return unicodedata.category(sign) in ("Cf", "Cc") or sign in "\u00a0\u2011"
