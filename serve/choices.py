"""Options of the commands: made from the tables of `Options` and `ServerSettings`, and those that several share."""

import inspect
import os
import re
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args

import typer

from gama.serve.http.settings import ServerSettings
from gama.state import errors
from gama.state.errors import OptionError
from gama.state.option_table import GROUPS, WITHOUT, Chosen, Face, Row, rows
from gama.state.options import Options

QUERY = "What is asked about the text: then only what this does not need is hidden."

Task = Annotated[str | None, typer.Argument(help="A text, a file, or - for standard input.", metavar="[TEXT|FILE|-]")]
Query = Annotated[str | None, typer.Option(help=QUERY, rich_help_panel="What is hidden")]
Encoding = Annotated[str | None, typer.Option(help="Encoding of the input.", show_default="utf-8")]
Json = Annotated[bool, typer.Option("--json", help="Write one JSON object.")]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="Format of a document: docx, xlsx, csv, tsv, json, jsonl, eml, html, md, txt or pdf.",
        show_default="the file's ending",
    ),
]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="File for the outcome.", metavar="FILE")]

DATASETS = "Datasets"
"""The panel of options for whole datasets."""
Out = Annotated[
    str | None,
    typer.Option(
        "--out",
        help="Where a whole dataset goes: a file for lines or a table (or its URL, as s3://…), a folder for a folder, "
        "the URL of a database.",
        metavar="DEST",
        rich_help_panel=DATASETS,
    ),
]
Table = Annotated[str | None, typer.Option(help="Table of the database.", metavar="NAME", rich_help_panel=DATASETS)]
OutTable = Annotated[
    str | None,
    typer.Option("--out-table", help="New table.", metavar="NAME", show_default="--table", rich_help_panel=DATASETS),
]


def _option(row: Row, **more: Any) -> Any:
    """Return an option as typer writes it."""
    flags = list(row.flags)
    default = row.default_text
    if row.kind is bool:
        default = flags[0].strip("-") if row.default else ""
        flags[0] += f"/--no-{default}" if row.default else ""
    return typer.Option(
        *flags,
        help=row.help,
        metavar=row.entry.metavar,
        show_default=default or False,
        hidden=row.entry.secret,
        rich_help_panel=None if row.entry.group == "Server" else row.entry.group,
        **more,
    )


Home = Annotated[Path | None, _option(rows(ServerSettings)["home"], envvar="GAMA_HOME")]
Store = Annotated[str | None, _option(rows(ServerSettings)["store"], envvar="GAMA_STORE", show_envvar=False)]

check = errors.check
"""Refuses what is none of the known values of an option."""

_Chosen = TypeVar("_Chosen", bound=Chosen)


def with_options(face: Face | None = None, *names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of a face, and others by name; it gets them checked, as its argument `options`.

    A command that has an argument `settings` gets the options of a server too.

    Args:
        face: whose options, or None.
        names: of further options.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = inspect.signature(command, eval_str=True).parameters
        tables: dict[str, tuple[type[Chosen], list[Row]]] = {
            "options": (
                Options,
                [row for row in rows(Options).values() if face in row.entry.faces or row.name in names],
            )
        }
        if "settings" in own:
            tables["settings"] = (ServerSettings, [row for row in rows(ServerSettings).values() if row.entry.flags])

        @wraps(command)
        def run(**given: Any) -> None:
            made = {name: _made(model, table, given) for name, (model, table) in tables.items()}
            command(**{name: value for name, value in given.items() if name in own}, **made)

        shown = [one.replace(kind=one.KEYWORD_ONLY) for name, one in own.items() if name not in tables]
        for _, table in tables.values():
            for row in table:
                if WITHOUT not in row.flags:
                    shown.append(_parameter(_key(row), list[str] if row.kind is list else row.kind, _option(row)))
            if modules := [row for row in table if WITHOUT in row.flags]:
                shown.append(_parameter("without_", list[str], _without(modules)))
        shown.sort(key=_panel)
        run.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in shown}
        return run

    return decorate


def _key(row: Row) -> str:
    """Return the name of an option's parameter: two tables may have an option of one name."""
    return row.flags[0].strip("-").replace("-", "_") + "_"


def _parameter(name: str, kind: Any, about: Any) -> inspect.Parameter:
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind | None, about]
    )


def _without(modules: list[Row]) -> Any:
    names = ", ".join(row.name for row in modules)
    told = f"Ablation: without {names}; without ampp the RAW text leaves; may be repeated."
    return typer.Option(WITHOUT, help=told, metavar="MODULE", rich_help_panel=modules[0].entry.group)


def _panel(parameter: inspect.Parameter) -> int:
    """Return the place of a parameter's panel; those of the command itself come first."""
    about = get_args(parameter.annotation)[-1] if get_args(parameter.annotation) else None
    panel = getattr(about, "rich_help_panel", None)
    return GROUPS.index(panel) if panel in GROUPS else -1


def _made(model: type[_Chosen], table: list[Row], given: dict[str, Any]) -> _Chosen:
    """Make options of what was given on the command line; the environment sets what was not.

    Raises:
        OptionError: one is out of range; names it as the command line does.
    """
    modules = [row.name for row in table if WITHOUT in row.flags]
    off = (given.get("without_") or ()) if modules else ()
    check(WITHOUT, off, modules)
    values: dict[str, Any] = dict.fromkeys(off, False)
    for row in table:
        value = given.get(_key(row))
        if value is not None and WITHOUT not in row.flags:
            values[row.name] = tuple(value) if row.kind is list else value
    try:
        return model.from_env(**values)
    except OptionError as error:
        message = re.sub(r"option '(\w+)'", lambda found: _told(rows(model)[found[1]], values), str(error))
    raise OptionError(message)


def _told(row: Row, values: Mapping[str, Any]) -> str:
    """Name an option as whoever set it knows it: the command line, or else the environment."""
    if row.name not in values and row.variable and os.environ.get(row.variable):
        return f"variable {row.variable}"
    return f"option {row.flags[0]}"
