"""Sheets and plots as one page of HTML: nothing is fetched, nothing runs."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import groupby
from pathlib import Path

from gama.evals.reports.plots import Plot
from gama.evals.reports.read import Runs
from gama.evals.reports.tables import Cell, Head, Sheet, interval_text, number, reasons, unit_of
from gama.evals.reports.writing import HOW, LEGEND, PUBLISHED_ONLY, about, by_paper, source, title, verdict

STYLE = Path(__file__).parent / "page.css"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""The page may fetch and run nothing, whatever stands in it."""


def page(overview: Sequence[Sheet], sheets: Sequence[Sheet], runs: Runs | None, plots: Sequence[Plot] = ()) -> str:
    """Return a report as a page.

    Args:
        overview: sheets of what was measured.
        sheets: the papers' tables.
        runs: what the logs hold; None where there are none.
        plots: pictures of it.
    """
    return "\n".join(
        (
            "<!doctype html>",
            '<html lang="en">',
            '<head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            "<title>Report of evaluations</title>",
            f"<style>\n{STYLE.read_text(encoding='utf-8')}</style></head>",
            "<body>",
            *_body(overview, sheets, runs, plots),
            "</body></html>\n",
        )
    )


def _body(
    overview: Sequence[Sheet], sheets: Sequence[Sheet], runs: Runs | None, plots: Sequence[Plot]
) -> Iterator[str]:
    papers = by_paper(sheets)
    parts = [("measured", "Measured here")] if overview else []
    parts += [("plots", "Plots")] if plots else []
    parts += [(f"paper-{at}", paper) for at, (paper, _) in enumerate(papers)]
    parts += [("runs-made", "Runs")] if runs else []
    yield "<header><h1>Report of evaluations</h1>"
    measured = runs is not None or any(sheet.filled for sheet in sheets)
    yield f"<p>{escape(LEGEND.replace('in bold', 'in colour') if measured else PUBLISHED_ONLY)}</p>"
    if runs is not None:
        yield f"<p>{escape(HOW)}</p>"
        yield _list([escape(note) for note in runs.notes], "notes")
    yield '<nav aria-label="Parts"><ul>'
    yield from (f'<li><a href="#{key}">{escape(name)}</a></li>' for key, name in parts)
    yield "</ul></nav></header><main>"
    if overview:
        yield '<h2 id="measured">Measured here</h2>'
        yield from map(_table, overview)
    if plots:
        yield '<h2 id="plots">Plots</h2><div class="plots">'
        yield from (f"<figure>{plot.svg}</figure>" for plot in plots)
        yield "</div>"
    for at, (paper, some) in enumerate(papers):
        yield f'<h2 id="paper-{at}">{escape(paper)}</h2>'
        yield from map(_table, some)
    if runs is not None:
        yield '<h2 id="runs-made">Runs</h2>'
        yield _list([escape(about(log)) for log in runs.logs], "notes")
    yield "</main>"


def _table(sheet: Sheet) -> str:
    key = f"table-{sheet.id}"
    where = f"<br>{escape(source(sheet))}" if sheet.paper else ""
    parts = [
        f'<div class="scroll" role="region" tabindex="0" aria-labelledby="{key}">',
        f"<table{'' if sheet.paper else ' class=ours'}>",
        f'<caption id="{key}"><strong>{escape(title(sheet))}</strong>{where}</caption>',
        "<thead>",
        *_heads(sheet),
        "</thead><tbody>",
        *(_row(line.label, line.own, line.cells, sheet.columns) for line in sheet.lines),
        "</tbody></table></div>",
    ]
    told = [
        f'<span class="{"yes" if comparable else "no"}">{escape(verdict(comparable, titles, why))}</span>'
        for comparable, titles, why in reasons(sheet)
    ]
    parts.append(_list([*told, *map(escape, sheet.notes)], "notes"))
    return "\n".join(parts)


def _heads(sheet: Sheet) -> Iterator[str]:
    """Yield one row of heads, or two where columns have groups."""
    grouped = any(head.group for head in sheet.columns)
    first = f'<th scope="col"{" rowspan=2" if grouped else ""}>{escape(sheet.head)}</th>'
    if not grouped:
        yield f"<tr>{first}{''.join(map(_head, sheet.columns))}</tr>"
        return
    upper: list[str] = [first]
    lower: list[str] = []
    for group, some in groupby(sheet.columns, key=lambda head: head.group):
        heads = list(some)
        if group:
            upper.append(f'<th scope="colgroup" colspan="{len(heads)}">{escape(group)}</th>')
            lower += map(_head, heads)
        else:
            upper += [_head(head, " rowspan=2") for head in heads]
    yield f"<tr>{''.join(upper)}</tr>"
    yield f"<tr>{''.join(lower)}</tr>"


def _head(head: Head, more: str = "") -> str:
    unit = unit_of(head)
    shown = f' <span class="unit">{escape(unit)}</span>' if unit else ""
    if head.comparable is not None:
        kind, sign, said = ("yes", "≈", "comparable") if head.comparable else ("no", "≠", "not comparable")
        shown += f' <span class="{kind}" title="{said}" aria-hidden="true">{sign}</span>'
        shown += f'<span class="unseen">{said}</span>'
    return f'<th scope="col"{more}>{escape(head.label)}{shown}</th>'


def _row(label: str, own: bool, cells: Iterable[Cell], columns: Sequence[Head]) -> str:
    shown = "".join(f"<td>{_cell(cell, head)}</td>" for cell, head in zip(cells, columns, strict=True))
    return f'<tr{" class=own" if own else ""}><th scope="row">{escape(label)}</th>{shown}</tr>'


def _cell(cell: Cell, head: Head) -> str:
    parts = []
    if cell.published is not None:
        parts.append(f"<span>{escape(number(cell.published, head))}</span>")
    if cell.here is not None:
        said = '<span class="unseen">measured here </span>' if cell.published is not None else ""
        parts.append(
            f'<span class="here">{said}{escape(number(cell.here.value, head))} '
            f"<small>{escape(interval_text(cell.here, head))}</small></span>"
        )
    return "".join(parts)


def _list(lines: Sequence[str], kind: str) -> str:
    return f'<ul class="{kind}">{"".join(f"<li>{line}</li>" for line in lines)}</ul>' if lines else ""
