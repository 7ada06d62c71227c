"""Plots of what was measured, as SVG that follows the page's theme: one small picture for each data set.

Methods are named beside their marks; colour only sets GAMA apart, in two tones that colour-blind readers tell apart and
that stand out from a light and a dark page alike, and its marks have another shape.
"""

import io
import re
from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from gama.evals.reports.measures import MEASURES, Estimate, Measured
from gama.evals.reports.read import is_gama

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#1b1f24"
"""Stands for the colour of the page's text, which takes its place in the SVG."""
GAMA, OTHERS = "#d55e00", "#3a7ca5"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"
WIDTH = 5.4
"""Inches; a picture is as wide as a telephone shows it."""

STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.axisbelow": True,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "lines.solid_capstyle": "butt",
}


class Plot(NamedTuple):
    """A picture."""

    key: str
    """Names it in files and addresses."""
    title: str
    alt: str
    """What it shows, in words."""
    svg: str


class Point(NamedTuple):
    """A method's figures."""

    solver: str
    name: str
    x: Estimate
    y: Estimate


Bar = tuple[str, str, Estimate | None]
"""Solver, label and figure of a bar; without a figure the label is the head of the bars below it."""


Told = tuple[str, Estimate]


def plots(measured: Measured) -> list[Plot]:
    """Return all plots for which there are figures."""
    found = []
    for draw in (_scores, _kinds, _privacy, _cost):
        found += [plot for dataset in measured.datasets if (plot := draw(measured, dataset)) is not None]
    found += [plot for name in ("rounds", "rules") if (plot := _trace(measured, name)) is not None]
    return found


def _scores(measured: Measured, dataset: str) -> Plot | None:
    """Draw bars of right answers."""
    found = [
        (solver, name, one)
        for solver, name in measured.solvers.items()
        if (one := measured.get([dataset], solver, ["score"])) is not None
    ]
    if not found:
        return None
    rows: list[Bar] = [*sorted(found, key=lambda row: row[2].value)]
    alt = _told([(name, one) for _, name, one in sorted(found, key=lambda row: -row[2].value)], "%")
    title = f"{dataset}: right answers"
    return _plot(f"score-{dataset}", title, alt, len(rows), lambda axes: _bars(axes, rows, "right answers (%)", 100))


def _kinds(measured: Measured, dataset: str) -> Plot | None:
    """Draw bars of right answers for each type of a data set that has several."""
    groups = []
    for kind in measured.kinds(dataset):
        found = [
            (solver, shown, one)
            for solver, shown in measured.solvers.items()
            if (one := measured.get([dataset], solver, ["score"], kind)) is not None
        ]
        groups.append((kind, found))
    if len(groups) < 2:
        return None
    rows, told = _grouped(groups)
    draw = lambda axes: _bars(axes, rows, "right answers (%)", 100)  # noqa: E731
    return _plot(f"type-{dataset}", f"{dataset}: right answers by type", _told(told, "%"), len(rows), draw)


def _grouped(groups: Sequence[tuple[str, Sequence[tuple[str, str, Estimate]]]]) -> tuple[list[Bar], list[Told]]:
    """Return bars from below upwards with a head above each group, and what they show from above downwards."""
    rows: list[Bar] = []
    for head, found in reversed(groups):
        rows += [*reversed(found), ("", head, None)] if found else []
    return rows, [(f"{head}, {shown}", one) for head, found in groups for _, shown, one in found]


def _trace(measured: Measured, name: str) -> Plot | None:
    """Draw bars of rounds or rules for each type of task."""
    groups = [
        (
            dataset,
            [
                (solver, shown, one)
                for solver, shown in measured.solvers.items()
                if (one := measured.get([dataset], solver, [f"trace.{name}"])) is not None
            ],
        )
        for dataset in measured.datasets
    ]
    rows, told = _grouped(groups)
    if not rows:
        return None
    words = {"rounds": "rounds of disproof", "rules": "domain rules that fire"}[name]
    alt = _told(told, "")
    most = max(one.high or one.value for _, one in told)
    draw = lambda axes: _bars(axes, rows, f"{words}, mean of an item", most)  # noqa: E731
    return _plot(name, f"{words[0].upper()}{words[1:]} by type of task", alt, len(rows), draw)


def _privacy(measured: Measured, dataset: str) -> Plot | None:
    """Draw utility over privacy."""
    points = []
    for solver, name in measured.solvers.items():
        leak, score = (measured.get([dataset], solver, [one]) for one in ("leak", "score"))
        if leak is not None and score is not None:
            hidden = leak._replace(
                value=100 - leak.value,
                low=None if leak.high is None else 100 - leak.high,
                high=None if leak.low is None else 100 - leak.low,
            )
            points.append(Point(solver, name, hidden, score))
    label = "private values that stay home (%)"
    return _scattered(f"privacy-{dataset}", f"{dataset}: utility over privacy", points, label, "%")


def _cost(measured: Measured, dataset: str) -> Plot | None:
    """Draw right answers over money, or over tokens where a price is not known."""
    for name, label in (("money", "US dollars for an item"), ("tokens", "tokens for an item")):
        points = [
            Point(solver, shown, cost, score)
            for solver, shown in measured.solvers.items()
            if (cost := measured.get([dataset], solver, [name])) is not None
            and (score := measured.get([dataset], solver, ["score"])) is not None
            and cost.value > 0
        ]
        if points:
            title = f"{dataset}: right answers over cost"
            return _scattered(f"cost-{dataset}", title, points, f"{label}, logarithmic", MEASURES[name].unit, log=True)
    return None


def _bars(axes: "Axes", rows: Sequence[Bar], label: str, most: float) -> None:
    for at, (solver, _, one) in enumerate(rows):
        if one is None:
            continue
        axes.barh(at, one.value, height=0.62, color=GAMA if is_gama(solver) else OTHERS, linewidth=0)
        if one.low is not None and one.high is not None:
            axes.plot([one.low, one.high], [at, at], color=INK, linewidth=1.4)
        far = max(one.value, one.high or 0)
        axes.annotate(f"{one.value:.1f}", (far, at), xytext=(5, 0), textcoords="offset points", va="center", fontsize=9)
    axes.set_yticks(range(len(rows)), [name for _, name, _ in rows])
    for tick, (_, _, one) in zip(axes.get_yticklabels(), rows, strict=True):
        tick.set_fontweight("bold" if one is None else "normal")
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.set_xlim(0, most * 1.1 or 1)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_alpha(0.4)
    axes.spines["bottom"].set_visible(False)
    axes.grid(axis="x", color=INK, alpha=0.13, linewidth=0.8)
    axes.tick_params(axis="x", length=0)
    if most == 100:
        axes.set_xticks([0, 25, 50, 75, 100])
    axes.set_xlabel(label)


def _scattered(
    key: str, title: str, points: Sequence[Point], label: str, unit: str, *, log: bool = False
) -> Plot | None:
    if len(points) < 2:
        return None

    def draw(axes: "Axes") -> None:
        if log:
            axes.set_xscale("log")
        for one in points:
            colour = GAMA if is_gama(one.solver) else OTHERS
            axes.errorbar(
                one.x.value, one.y.value, xerr=_arms(one.x), yerr=_arms(one.y), fmt="D" if is_gama(one.solver) else "o",
                color=colour, markersize=6, elinewidth=1, ecolor=(*_rgb(colour), 0.4), capsize=0,
            )  # fmt: skip
        axes.set_xlabel(label)
        axes.set_ylabel("right answers (%)")
        axes.grid(color=INK, alpha=0.1, linewidth=0.8)
        for side in ("left", "bottom"):
            axes.spines[side].set_alpha(0.4)
        axes.tick_params(length=0)
        if log:
            _plain_ticks(axes)
        _label(axes, points)

    alt = "; ".join(f"{one.name} {one.y.value:.1f} % right at {one.x.value:.3g} {unit}".rstrip() for one in points)
    return _plot(key, title, f"{title}. {alt}.", 9, draw)


def _arms(one: Estimate) -> list[list[float]] | None:
    if one.low is None or one.high is None:
        return None
    return [[max(0.0, one.value - one.low)], [max(0.0, one.high - one.value)]]


def _rgb(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return red, green, blue


def _plain_ticks(axes: "Axes") -> None:
    """Write few ticks of a logarithmic axis as plain numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = axes.get_xlim()
    subs = (1.0,) if high / low > 1000 else (1.0, 3.0) if high / low > 30 else (1.0, 2.0, 5.0)
    axes.xaxis.set_major_locator(LogLocator(subs=subs))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.minorticks_off()


PLACES = tuple(
    (x, y, "left" if x > 0 else "right" if x < 0 else "center", "bottom" if y > 0 else "top" if y < 0 else "center")
    for x, y in (
        (6, 5), (6, -5), (-6, 5), (-6, -5), (9, 0), (-9, 0), (0, 9), (0, -9),
        (6, 17), (6, -17), (-6, 17), (-6, -17), (6, 29), (6, -29), (-6, 29), (-6, -29),
    )
)  # fmt: skip
"""Where a label may stand beside its mark, best first: offset in points, and alignment."""


def _label(axes: "Axes", points: Sequence[Point]) -> None:
    """Write each method's name where it covers the least."""
    from matplotlib.text import Text
    from matplotlib.transforms import Bbox

    figure = axes.get_figure()
    assert figure is not None
    figure.draw_without_rendering()  # type: ignore[union-attr]
    page = figure.bbox
    frame = axes.get_window_extent()

    def pixels(x: float, y: float) -> tuple[float, float]:
        right, up = axes.transData.transform((x, y))
        return float(right), float(up)

    marks, arms = [], []
    for one in points:
        x, y = pixels(one.x.value, one.y.value)
        marks.append(Bbox.from_extents(x - 6, y - 6, x + 6, y + 6))
        ends = [(one.x.low, one.y.value, one.x.high, one.y.value), (one.x.value, one.y.low, one.x.value, one.y.high)]
        arms += [
            Bbox([pixels(x0, y0), pixels(x1, y1)])
            for x0, y0, x1, y1 in ends
            if x0 is not None and y0 is not None and x1 is not None and y1 is not None
        ]
    for one in sorted(points, key=lambda one: -one.y.value):
        tried = []
        for rank, (x, y, across, up) in enumerate(PLACES):
            text = axes.annotate(
                one.name, (one.x.value, one.y.value), xytext=(x, y), textcoords="offset points", ha=across, va=up,
                fontsize=9, arrowprops={"arrowstyle": "-", "color": INK, "alpha": 0.4} if abs(y) > 12 else None,
            )  # fmt: skip
            box = Text.get_window_extent(text).padded(1)  # without the line that leads to its mark
            outside = box.x0 < frame.x0 or box.y0 < frame.y0 or box.x1 > page.x1 or box.y1 > frame.y1
            covers = 6 * sum(box.overlaps(mark) for mark in marks) + 2 * sum(box.overlaps(arm) for arm in arms)
            tried.append((covers + 20 * outside + rank / 10, text, box))
        _, kept, box = min(tried, key=lambda one: one[0])
        for _, text, _ in tried:
            if text is not kept:
                text.remove()
        marks.append(box)


def _told(rows: Sequence[tuple[str, Estimate]], unit: str) -> str:
    parts = []
    for name, one in rows:
        ends = f" ({one.low:.1f} to {one.high:.1f})" if one.low is not None and one.high is not None else ""
        parts.append(f"{name} {one.value:.1f}{f' {unit}' if unit else ''}{ends}")
    return f"With 95 % intervals: {'; '.join(parts)}."


def figure(title: str, rows: int, draw: Callable[["Axes"], None]) -> "Figure":
    """Return a picture that is as high as its rows need."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    made = Figure(figsize=(WIDTH, 1.05 + 0.3 * rows), layout="constrained")
    FigureCanvasAgg(made)
    axes = made.add_subplot()
    axes.set_title(title, pad=10)
    draw(axes)
    return made


def _plot(key: str, title: str, alt: str, rows: int, draw: Callable[["Axes"], None]) -> Plot:
    import matplotlib

    key = re.sub(r"[^a-z0-9]+", "-", key.casefold()).strip("-")
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": key}):
        out = io.StringIO()
        figure(title, rows, draw).savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return Plot(key, title, alt, _themed(out.getvalue(), key, title, alt))


def _themed(svg: str, key: str, title: str, alt: str) -> str:
    """Return an SVG that has the colour of the text around it, ids of its own, and words for who cannot see it."""
    body = svg[svg.index("<svg") :]
    body = re.sub(r"\s*<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    body = re.sub(r'\bid="', f'id="{key}-', body)
    body = re.sub(r'(href="#|url\(#)', rf"\g<1>{key}-", body)
    body = body.replace(INK, "currentColor")
    body = re.sub(r"(font:[^;\"]*?px) [^;\"]*", rf"\1 {FONT}", body)
    head, _, rest = body.partition(">")
    head = re.sub(r'\s(width|height)="[^"]*"', "", head)
    named = f'<title id="{key}-title">{escape(title)}</title><desc id="{key}-desc">{escape(alt)}</desc>'
    return f'{head} role="img" aria-labelledby="{key}-title {key}-desc">{named}{rest}'


def alone(svg: str) -> str:
    """Return an SVG for a file of its own, which has no text around it: dark on light, light on dark."""
    head, _, rest = svg.partition(">")
    theme = "<style>svg{color:#1b1f24}@media(prefers-color-scheme:dark){svg{color:#e6e8eb}}</style>"
    return f'<?xml version="1.0" encoding="utf-8"?>\n{head}>{theme}{rest}'
