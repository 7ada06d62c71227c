"""Write docs/options.md from the tables: `python docs/option_page.py > docs/options.md`."""

from collections.abc import Iterable, Iterator

from gama.serve.http.settings import ServerSettings
from gama.state.entities import SUBTYPES, placeholder_kind
from gama.state.option_table import FACES, GROUPS, WITHOUT, Chosen, Row, rows
from gama.state.options import Options

_HEAD = """\
# Options

Every option, as `Options` describes it; the command line, HTTP, the environment and Studio are made from the same
table, and so is this page. In Python: `Options(k=5, keep=["age"])`. On the command line: the flag, in the commands that
are named; what may be repeated takes one value each time. A request over HTTP sets those with "HTTP" by their name in
Python; `/gama/config_schema` has them as a JSON schema. A variable counts where nothing else sets the option; in lists
`;` stands between.
"""

_SERVER = """
## `gama serve`

What only the operator chooses (`ServerSettings`), beside the options above.

"""

_TYPES = """
## Types

`keep`, `thresholds`, `strategies`, `policy` and `select_never` take a type, a subtype, or a word that placeholders
show, which stands for its subtypes: `--keep location` leaves cities as well as countries in clear. A word that is also
a subtype (`amount`) means that subtype.

| Type | Subtypes, and the word of their placeholders where it is another |
|---|---|
"""


def render() -> str:
    """Return the page."""
    parts = [_HEAD]
    for group in GROUPS:
        if shown := [row for row in rows(Options).values() if row.entry.group == group]:
            parts += [f"\n## {group}\n\n", *_table(shown, Options)]
    parts += [_SERVER, *_table(rows(ServerSettings).values(), ServerSettings)]
    return "".join([*parts, _TYPES, *_types()])


def _table(shown: Iterable[Row], model: type[Chosen]) -> Iterator[str]:
    yield "| Option | Default | What it is | Where |\n|---|---|---|---|\n"
    for row in shown:
        yield f"| `{row.name}` | {_cell(row.default_text)} | {_about(row)} | {_where(row, model)} |\n"


def _cell(text: str) -> str:
    return f"`{text}`" if text else ""


def _about(row: Row) -> str:
    more = ""
    if row.values and not all(f"`{value}`" in row.description for value in row.values):
        more = " One of " + ", ".join(f"`{value}`" for value in row.values) + "."
    elif row.bounds:
        more = f" {row.bounds[0].upper()}{row.bounds[1:]}."
    return (row.description + more).replace("|", "\\|").replace("<", "\\<")


def _where(row: Row, model: type[Chosen]) -> str:
    """Say how an option is set, beside Python."""
    commands = [face for face in FACES if face in row.entry.faces and face != "http"]
    ways = []
    if row.entry.secret:
        pass
    elif WITHOUT in row.flags:
        ways.append(f"`{WITHOUT} {row.name}`: {', '.join(commands)}")
    elif commands or (model is ServerSettings and row.entry.flags):
        default_on = row.kind is bool and row.default
        flags = [f"--no-{row.flags[0].strip('-')}"] if default_on else row.flags
        ways.append(", ".join(f"`{flag}`" for flag in flags) + (f": {', '.join(commands)}" if commands else ""))
    ways += ["HTTP"] if "http" in row.entry.faces else []
    ways += [f"`{row.variable}`"] if row.variable else []
    ways += ["only where the graph is built"] if row.entry.built else []
    return "; ".join(ways) or ("Python" if model is ServerSettings else "Python and Studio")


def _types() -> Iterator[str]:
    for kind, subtypes in SUBTYPES.items():
        told = (f"`{one}`" + (f" ({word})" if (word := placeholder_kind(one)) != one else "") for one in subtypes)
        yield f"| `{kind}` | {', '.join(told)} |\n"


if __name__ == "__main__":
    print(render(), end="")
