"""Sheets as Markdown and as CSV."""

import csv
import io
import re
from collections.abc import Iterable, Sequence

from gama.evals.reports.read import Log, Runs
from gama.evals.reports.tables import Cell, Head, Sheet, interval_text, number, reasons, unit_of

LEGEND = (
    "Figures in bold were measured here; in brackets their 95 % intervals, and the number of items. All others are "
    "printed in the paper that is named."
)
HOW = (
    "Intervals: Wilson's where an item is right or wrong, else bootstrap over items. They know the chance in the "
    "choice of items, not that of the model's next answer nor of another data set."
)
PUBLISHED_ONLY = "Figures of the papers; nothing was measured here."


def title(sheet: Sheet) -> str:
    """Return number and caption of a sheet in one line."""
    return f"{sheet.number}. {sheet.caption}" if sheet.number else sheet.caption


def source(sheet: Sheet) -> str:
    """Return where a sheet's published figures come from; nothing if it has none."""
    if sheet.paper is None:
        return ""
    return f"{sheet.paper.name}; {sheet.paper.version}" + (" (second-hand)" if sheet.paper.second_hand else "")


def verdict(comparable: bool, titles: str, why: str) -> str:
    """Return whether columns can be compared, and why, as one line."""
    return f"{'Comparable' if comparable else 'Not comparable'}: {titles}. {why}"


def markdown_table(sheet: Sheet) -> str:
    """Return a sheet as a table of Markdown, with what it needs to be understood."""
    heads = [_escaped(_head_text(head)) for head in sheet.columns]
    rows = [[_escaped(sheet.head), *heads], ["---"] + ["---:"] * len(heads)]
    for line in sheet.lines:
        label = _escaped(line.label)
        cells = [_cell_text(cell, head) for cell, head in zip(line.cells, sheet.columns, strict=True)]
        rows.append([f"**{label}**" if line.own else label, *cells])
    told = [f"- {_escaped(verdict(*one))}" for one in reasons(sheet)] + [f"- {_escaped(note)}" for note in sheet.notes]
    parts = [f"### {_escaped(title(sheet))}"]
    if sheet.paper is not None:
        parts.append(f"{_escaped(source(sheet))} · `{sheet.id}`")
    parts.append("\n".join("| " + " | ".join(row) + " |" for row in rows))
    if told:
        parts.append("\n".join(told))
    return "\n\n".join(parts)


def _head_text(head: Head) -> str:
    mark = {True: " ≈", False: " ≠", None: ""}[head.comparable]
    unit = unit_of(head)
    return f"{head.title}{f' ({unit})' if unit else ''}{mark}"


def _cell_text(cell: Cell, head: Head) -> str:
    published = number(cell.published, head)
    if cell.here is None:
        return published
    here = f"**{number(cell.here.value, head)}** {interval_text(cell.here, head)}".rstrip()
    return f"{published} · {here}" if published else here


def _escaped(text: str) -> str:
    """Return a text that Markdown shows as it is: no cell ends in it, and nothing in it is taken for HTML."""
    return re.sub(r"([|<\\*_`\[\]])", r"\\\1", text.replace("\n", " "))


def markdown(
    overview: Sequence[Sheet],
    sheets: Sequence[Sheet],
    runs: Runs | None,
    pictures: Iterable[tuple[str, str, str]] = (),
) -> str:
    """Return a report.

    Args:
        overview: sheets of what was measured.
        sheets: the papers' tables.
        runs: what the logs hold; None where there are none.
        pictures: title, alternative text and address of plots.
    """
    parts = ["# Report", LEGEND if runs or any(one.filled for one in sheets) else PUBLISHED_ONLY]
    if runs is not None:
        parts += [HOW, *([_listed(map(_escaped, runs.notes))] if runs.notes else [])]
    parts += ["≈ marks columns whose figures can be compared under the condition named below the table, ≠ those whose "
              "figures cannot."] if sheets else []  # fmt: skip
    if overview:
        parts += ["## Measured here", *map(markdown_table, overview)]
    parts += [f"![{_escaped(alt)}]({address})" for _, alt, address in pictures]
    for paper, some in by_paper(sheets):
        parts += [f"## {paper}", *map(markdown_table, some)]
    if runs is not None:
        parts += ["## Runs", _listed(_escaped(about(log)) for log in runs.logs)]
    return "\n\n".join(parts) + "\n"


def by_paper(sheets: Sequence[Sheet]) -> list[tuple[str, list[Sheet]]]:
    """Return the sheets of each paper, in the order in which they come."""
    papers: dict[str, list[Sheet]] = {}
    for sheet in sheets:
        papers.setdefault(sheet.paper.name if sheet.paper else "", []).append(sheet)
    return list(papers.items())


def about(log: Log) -> str:
    """Return a run in one line: what its figures depend on."""
    facts = ", ".join(f"{name} {value}" for name, value in log.facts.items())
    judged = f"judged by {log.judge}" if log.judge else ""
    state = "" if log.status == "success" else f"not finished ({log.status})"
    what = f"{log.dataset}, {log.name} ({log.solver})"
    return "; ".join(part for part in (what, f"{log.created:%Y-%m-%d %H:%M}", facts, judged, state) if part)


def _listed(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


FIELDS = (
    "table", "paper", "second_hand", "row", "column", "unit", "published", "here", "low", "high", "items", "interval",
    "dataset", "comparable", "why",
)  # fmt: skip


def csv_text(sheets: Iterable[Sheet]) -> str:
    """Return all figures, a line each; cells without any are left out."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(FIELDS)
    for sheet in sheets:
        for line in sheet.lines:
            for cell, head in zip(line.cells, sheet.columns, strict=True):
                if cell != Cell():
                    writer.writerow(_fields(sheet, line.label, cell, head))
    return out.getvalue()


def _fields(sheet: Sheet, label: str, cell: Cell, head: Head) -> list[object]:
    here = cell.here
    paper = f"{sheet.paper.name}; {sheet.paper.version}" if sheet.paper else ""
    own = (
        [round(here.value, 6), *("" if end is None else round(end, 6) for end in (here.low, here.high))]
        + [here.items, here.by, here.dataset]
        if here is not None
        else [""] * 6
    )
    comparable = {True: "yes", False: "no", None: ""}[head.comparable]
    return [
        sheet.id, paper, "yes" if sheet.paper and sheet.paper.second_hand else "", label, head.title, head.unit,
        "" if cell.published is None else cell.published, *own, comparable, head.why,
    ]  # fmt: skip
