"""What the commands `gama anonymize` and `gama restore` do with a dataset, `--out`."""

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple

from gama.guard.terminal import say
from gama.privacy.documents import Unread
from gama.serve.bulk.back import restore_dataset
from gama.serve.bulk.boxes import read_kept
from gama.serve.bulk.crew import cores
from gama.serve.bulk.objects import is_object, place_of
from gama.serve.bulk.ray_crew import RayCrew, check_address
from gama.serve.bulk.records import Format
from gama.serve.bulk.run import Outcome, Run, run
from gama.serve.bulk.sources import Dest, Files, Source, file_source
from gama.serve.bulk.steps import Scope
from gama.serve.bulk.tables import SqlTable, has_table, is_url, same_database
from gama.state.errors import InputError, OptionError
from gama.state.options import Options

Engine = Literal["local", "ray"]
REJECTED = 9
"""Exit code of a run that has rejected records."""


class Ends(NamedTuple):
    """From where to where."""

    source: Source
    dest: Dest


def anonymize_dataset(
    given: str | None, out: str, options: Options, *, scope: Scope, workers: int | None, columns: str | None,
    table: str | None, out_table: str | None, box: Path | None, clear_box: bool, unread: Unread, query: str | None,
    encoding: str | None, home: Path | None, engine: Engine = "local", ray_address: str | None = None,
) -> int:  # fmt: skip
    """Anonymize a dataset and say what became of it; return the exit code."""
    check_address(engine, ray_address)
    if workers is not None and workers < 1:
        raise OptionError("option --workers: at least 1")
    chosen = None if columns is None else [name.strip() for name in columns.split(",") if name.strip()]
    if chosen == []:
        raise OptionError("option --columns: name at least one column, several as NAME,NAME")
    source, dest = _ends(given, out, table, out_table, chosen, encoding)
    if box is None:
        if "://" in out:
            raise OptionError("option --box: name the file for the box; beside it the run keeps what is done")
        box = Path(f"{out.rstrip('/')}.box")
    # A cluster says itself how many cores it has.
    count = workers or (0 if ray_address else cores())
    told = Run(
        source, dest, box.absolute(), options, scope, count, clear_box, home, unread, query or ""
    )  # fmt: skip
    _check_apart(given or "", [dest.place, str(told.box), str(told.folder)])
    if source.copied:
        say(f"note: copied as they are, unread: {', '.join(map(repr, source.copied))}")
    with RayCrew(ray_address) if engine == "ray" else nullcontext() as crew:
        done = run(replace(told, crew=crew), lambda: _is_there(dest))
    _say(told, done)
    return REJECTED if done.rejects else 0


def _say(told: Run, done: Outcome) -> None:
    good = done.records - done.rejects
    say(f"{good:,} of {done.records:,} records written: {_shown(told.dest)}; the box: {told.box}")
    if done.renamed:
        say(f"note: {done.renamed:,} file(s) got another name, for theirs shows a private value: restoring undoes it")
    for note in done.notes:
        say(f"note: {note}")
    if done.rejects:
        say(f"{done.rejects:,} records rejected, the reasons: {told.rejects}")


def restore_from(
    given: str | None, out: str, options: Options, *, table: str | None, out_table: str | None, box: Path | None,
    encoding: str | None, home: Path | None, formulas: bool | None,
) -> None:  # fmt: skip
    """Restore a dataset and say what became of it."""
    if box is None and is_object(given or ""):
        raise OptionError("option --box: name the file that `gama anonymize --box FILE` kept")
    box = box or Path(f"{(given or '').rstrip('/')}.box")
    kept = read_kept(box, home)
    source, dest = _ends(given, out, table, out_table, None, encoding, kept.format)
    _check_apart(given or "", [dest.place])
    if _is_there(dest):
        raise InputError(f"There is {_shown(dest)} already. Name another --out.")
    done = restore_dataset(source, dest, box, kept, options, home=home, formulas=formulas)
    say(f"{done.records:,} records restored: {_shown(dest)}")
    if done.unresolved:
        say(f"note: {done.unresolved:,} placeholders are not of the box; they were left as they are")


def _ends(
    given: str | None, out: str, table: str | None, out_table: str | None, columns: list[str] | None,
    encoding: str | None, known: Format | None = None,
) -> Ends:  # fmt: skip
    """Open the source, and see that the outcome can go where it is to.

    Raises:
        InputError: one of them cannot be used.
        OptionError: an option does not fit them.
    """
    if given is None or given == "-":
        raise InputError("There is no dataset. Give a file, a folder or the URL of a database.")
    if is_url(given) != is_url(out):
        raise OptionError("option --out: a table goes into a database, --out URL, and everything else into files")
    if is_url(given):
        if out_table is None and same_database(given, out):
            raise OptionError("option --out-table: name the new table in the same database")
        return Ends(SqlTable(given, table, columns, known), Dest(out, out_table or table))
    if table is not None or out_table is not None:
        raise OptionError("option --table: it is for databases, whose source is a URL")
    if not is_object(out) and not Path(out).absolute().parent.is_dir():
        raise InputError(f"There is no folder {str(Path(out).absolute().parent)!r}. Make it first.")
    source = file_source(place_of(given), columns, encoding, known)
    if is_object(out) and isinstance(source, Files):
        raise OptionError("option --out: documents go into a folder; lines and tables may go to an object store")
    return Ends(source, Dest(out if is_object(out) else str(Path(out).absolute())))


def _check_apart(given: str, places: list[str]) -> None:
    """Refuse an outcome that lies in its source, where the next run would read it.

    Raises:
        InputError: it does.
    """
    if given in places and is_object(given):
        raise InputError(f"{given!r} is the source. Name another place.")
    if "://" in given:
        return
    root = Path(given).resolve()
    for place in places:
        if "://" not in place and (Path(place).resolve() == root or root in Path(place).resolve().parents):
            raise InputError(f"{place!r} is the source, or lies in it. Name another place.")


def _is_there(dest: Dest) -> bool:
    if is_url(dest.place):
        return has_table(dest, dest.table or "")
    return place_of(dest.place).exists()


def _shown(dest: Dest) -> str:
    return f"table {dest.table}" if is_url(dest.place) else dest.place
