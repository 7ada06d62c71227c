"""One page about an audit: HTML that needs nothing else, in the reader's own light or dark."""

from collections.abc import Iterable, Sequence
from html import escape
from string import Template

from gama.evals.audit.report import Promise, Report

STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1b1f24; --soft: #5b6470; --line: #d9dee4; --good: #12733b;
  --bad: #b3261e; --fill: #f4f6f8 }
@media (prefers-color-scheme: dark) { :root { --paper: #14171b; --ink: #e7eaee; --soft: #9aa4b0; --line: #30363d;
  --good: #58c98a; --bad: #ff8a80; --fill: #1c2127 } }
body { background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; margin: 0 auto;
  max-width: 62rem; padding: 2rem 1rem }
h1 { font-size: 1.6rem; margin: 0 0 .25rem } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem }
p { margin: .4rem 0 } .soft, small { color: var(--soft) } .good { color: var(--good) } .bad { color: var(--bad) }
.sum { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1rem 0; padding: 0; list-style: none }
.sum li { background: var(--fill); border: 1px solid var(--line); border-radius: .5rem; padding: .5rem .9rem }
.sum b { display: block; font-size: 1.3rem; font-variant-numeric: tabular-nums }
.wide { overflow-x: auto } table { border-collapse: collapse; width: 100% }
th, td { border-bottom: 1px solid var(--line); padding: .35rem .6rem; text-align: left; vertical-align: top }
th { color: var(--soft); font-weight: 600 } td.n, th.n { font-variant-numeric: tabular-nums; text-align: right }
"""

_PAGE = Template("""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title><style>$style</style></head><body>
<h1>$title</h1>
$body
</body></html>
""")


def page(title: str, parts: Iterable[str]) -> str:
    """Return a page of parts that are HTML already."""
    return _PAGE.substitute(title=escape(title), style=STYLE, body="\n".join(parts))


def table(heads: Sequence[str], rows: Iterable[Sequence[str | int]]) -> str:
    """Return a table; numbers stand to the right, texts that begin with `<` are HTML already."""
    body = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in rows)
    return (
        f'<div class="wide"><table><tr>{"".join(f"<th>{escape(head)}</th>" for head in heads)}</tr>{body}</table></div>'
    )


def _cell(value: str | int) -> str:
    if isinstance(value, int):
        return f'<td class="n">{value:,}</td>'
    return f"<td>{value if value.startswith('<') else escape(value)}</td>"


def verdict(good: bool, yes: str, no: str) -> str:
    """Return a word in the colour of good or bad news; never the colour alone."""
    return f'<b class="{"good" if good else "bad"}">{escape(yes if good else no)}</b>'


def summary(figures: Iterable[tuple[str, str]]) -> str:
    """Return figures with what they count."""
    return f'<ul class="sum">{"".join(f"<li><b>{escape(n)}</b>{escape(what)}</li>" for n, what in figures)}</ul>'


def items(lines: Iterable[str]) -> str:
    """Return a list."""
    return f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>"


def audit_page(report: Report) -> str:
    """Return the page of the audit of GAMA itself."""
    leaks = sum(channel.leaks for channel in report.channels)
    parts = [
        f'<p class="soft">{report.seconds:.0f} s on {escape(report.versions.get("system", ""))}; gama '
        f"{escape(report.versions.get('gama', ''))}. All names, numbers and letters in it are made up.</p>",
        f"<p>{verdict(report.held, 'Every promise held.', 'Not every promise held.')} "
        f"{leaks:,} value(s) of a box were found outside.</p>",
        summary((
            (f"{report.texts:,}", "texts sent the whole way"), (f"{report.values:,}", "private values in their boxes"),
            (f"{report.payloads:,}", "payloads searched"), (f"{report.payload_bytes / 1e6:,.1f} MB", "searched"),
            (f"{report.attacks:,}", "attacks"), (f"{report.forms:,}", "forms tried"),
            (f"{report.threads:,}", "conversations side by side"), (f"{report.checks:,}", "checks"),
        )),
        "<h2>The promises</h2>",
        table(("", "promise", "outcome", "evidence"), map(_promise, report.promises)),
    ]  # fmt: skip
    if report.failures:
        parts += ["<h2>What could not be finished</h2>", items(report.failures)]
    parts += [
        "<h2>What every channel carried</h2>",
        table(
            ("channel", "payloads", "bytes", "values of a box", "payloads with a value no detector found"),
            ((c.name, c.payloads, c.size, c.leaks, c.missed) for c in report.channels),
        ),
        "<h2>What the detectors found of what was planted</h2>",
        f"<p>{report.planted - report.missed:,} of {report.planted:,} planted values were found and hidden. What no "
        "detector finds is in no box and goes out as it is: GAMA promises nothing about it. "
        "<code>gama anonymize</code> shows what is found in your own texts, <code>--deny</code> names what must never "
        "leave.</p>",
        table(("kind", "planted", "missed"), ((m.name, m.planted, m.missed) for m in report.missed_by_kind)),
        "<details><summary>by origin</summary>",
        table(("origin", "planted", "missed"), ((m.name, m.planted, m.missed) for m in report.missed_by_origin)),
        "</details>",
        "<h2>What context still tells</h2>",
        f"<p>Of {report.context_texts:,} texts with placeholders, what the embedded attacker infers of their writers. "
        "No promise covers it. <code>gama anonymize --attack</code> shows it of your own texts, <code>--refine</code> "
        "takes from it what it can.</p>",
        table(
            ("text", "attribute", "best guess", "certainty of 5", "sentences responsible"),
            (
                (one.text, one.attribute, one.guess, one.certainty, f"<small>{escape(' '.join(one.sentences))}</small>")
                for one in report.context
            ),
        ),
        "<h2>What was not tested</h2>",
        items([*report.not_tested, *report.notes]),
        f"<details><summary>{report.attacks:,} attacks</summary>{items(report.attack_names)}</details>",
        f"<details><summary>versions</summary>{items(f'{k} {v}' for k, v in report.versions.items())}</details>",
    ]
    return page("GAMA audit", parts)


def _promise(promise: Promise) -> Sequence[str | int]:
    outcome = verdict(promise.held, "held", "BROKEN" if promise.broken else "not tested")
    evidence = [f"{promise.checks:,} checks", *_figures(promise)]
    if promise.broken:
        evidence += [f"broken: {what}" for what in promise.broken[:20]]
    about = f"<b>{escape(promise.name)}</b><br><small>{escape(promise.promised)}</small>"
    return (promise.number, about, outcome, f"<small>{'<br>'.join(map(escape, evidence))}</small>")


def _figures(promise: Promise) -> Iterable[str]:
    for name, value in promise.figures.items():
        if isinstance(value, dict):
            worst = min(value.values(), default=0.0)
            yield f"{name}: {len(value)} kinds, the worst {worst:.1%}"
        else:
            yield f"{name}: {value:,}" if isinstance(value, int) else f"{name}: {value}"
