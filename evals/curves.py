"""How F1 changes with what a text holds (PII-Bench, Fig. 4): as data, and as a picture in two formats."""

import csv
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gama.evals.datasets.corpus import Record, gold
from gama.evals.figures import Estimate, Figure, tabulate
from gama.evals.metrics.needed import distinct
from gama.evals.query import wanted

EDGES: Mapping[str, tuple[int, ...]] = {
    "persons": (1, 2, 3, 6, 8), "private values": (1, 6, 11, 16, 21, 34, 51),
    "characters": (1, 500, 1000, 1500, 2000, 3000, 4500), "needed values": (1, 2, 3, 4, 6, 8),
}  # fmt: skip
"""Where the parts of each axis begin. The paper sees F1 fall beyond 5 persons, 33 values and 3,000 characters."""

Axes = Mapping[str, Sequence[int]]
"""Of each axis the number of every text."""


class Point(NamedTuple):
    """A point of a curve: the texts of one part of an axis."""

    axis: str
    part: str
    texts: int
    method: str
    f1: Estimate


def of_records(records: Sequence[Record], *, query: bool = False) -> Axes:
    """Return where texts stand on the axes.

    Args:
        records: the texts.
        query: whether they have queries, for the fourth axis.
    """
    owned = [[one for one in gold(record.example) if one.private] for record in records]
    axes = {
        "persons": [len({one.subject for one in some if one.subject is not None}) for some in owned],
        "private values": [
            len({(one.subject, *distinct([record.example.text[one.start : one.end]])) for one in some})
            for record, some in zip(records, owned, strict=True)
        ],
        "characters": [len(record.example.text) for record in records],
    }
    return axes | ({"needed values": [len(wanted(record).needed) for record in records]} if query else {})


def points(
    axes: Axes, figure: Figure, scores: Mapping[str, Sequence[Any]], *, resamples: int = 1000, seed: int = 0
) -> list[Point]:
    """Return the points of every curve, in the order of the axes; parts without texts have none.

    Args:
        axes: where the texts stand.
        figure: what is drawn.
        scores: of each method those of every text.
        resamples: draws for the intervals; 0 for none.
        seed: seed of the draws.
    """
    found = []
    for axis, numbers in axes.items():
        edges = EDGES[axis]
        members: dict[int, list[int]] = {}
        for at, number in enumerate(numbers):
            members.setdefault(bisect_right(edges, number), []).append(at)
        for place, texts in sorted(members.items()):
            part = {name: [some[at] for at in texts] for name, some in scores.items()}
            for row in tabulate([figure], part, resamples=resamples, seed=seed):
                if figure.name in row.values:
                    found.append(Point(axis, _part(edges, place), len(texts), row.method, row.values[figure.name]))
    return found


def _part(edges: Sequence[int], place: int) -> str:
    if not place:
        return "0"
    first, after = edges[place - 1], edges[place] if place < len(edges) else None
    if after is None:
        return f"{first}+"
    return str(first) if after == first + 1 else f"{first}-{after - 1}"


def write_curves(
    folder: Path, name: str, axes: Axes, figure: Figure, scores: Mapping[str, Sequence[Any]], *, resamples: int = 1000,
    seed: int = 0,
) -> list[Point]:  # fmt: skip
    """Write the curves as `NAME.csv`, `NAME.png` and `NAME.svg`; see `points`.

    Returns:
        What was written.
    """
    found = points(axes, figure, scores, resamples=resamples, seed=seed)
    folder.mkdir(exist_ok=True)
    with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["axis", "part", "texts", "method", figure.name, "low", "high"])
        for one in found:
            ends = one.f1.interval or ("", "")
            shown = (round(value, 6) if isinstance(value, float) else value for value in (one.f1.value, *ends))
            writer.writerow([one.axis, one.part, one.texts, one.method, *shown])
    _draw(found, figure.label, [folder / f"{name}.{ending}" for ending in ("png", "svg")])
    return found


def _draw(found: Sequence[Point], label: str, files: Sequence[Path]) -> None:
    from matplotlib import rc_context
    from matplotlib.figure import Figure as Picture

    axes = list(dict.fromkeys(one.axis for one in found)) or ["persons"]
    picture = Picture(figsize=(4.2 * len(axes), 3.6), layout="constrained")
    for plot, axis in zip(picture.subplots(1, len(axes), squeeze=False, sharey=True)[0], axes, strict=True):
        own = [one for one in found if one.axis == axis]
        parts = list(dict.fromkeys(one.part for one in own))
        for method in dict.fromkeys(one.method for one in own):
            line = [one for one in own if one.method == method]
            places, values = [parts.index(one.part) for one in line], [one.f1.value for one in line]
            (drawn,) = plot.plot(places, values, marker="o", markersize=4, label=method)
            if line and all(one.f1.interval for one in line):
                low, high = zip(*(one.f1.interval for one in line if one.f1.interval), strict=True)
                plot.fill_between(places, low, high, alpha=0.15, color=drawn.get_color())
        counts = {one.part: one.texts for one in own}
        plot.set_xticks(range(len(parts)), [f"{part}\nn={counts[part]}" for part in parts], fontsize=8)
        plot.set_xlabel(axis)
        plot.set_ylim(-0.02, 1.02)
        plot.grid(visible=True, alpha=0.3)
    picture.axes[0].set_ylabel(label)
    if found:
        lines, names = picture.axes[0].get_legend_handles_labels()
        picture.legend(lines, names, loc="outside lower center", ncols=len(names), fontsize=8, frameon=False)
    for file in files:
        # The same figures give the same bytes.
        with rc_context({"svg.hashsalt": "gama"}):
            picture.savefig(file, dpi=150, metadata={"Date": None} if file.suffix == ".svg" else {"Software": None})
