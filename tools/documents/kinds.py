"""Kinds of documents, and what opens each."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from gama.state.errors import InputError
from gama.tools.documents.base import Document, Room

SUFFIXES: dict[str, str] = {
    ".txt": "txt", ".text": "txt", ".md": "md", ".markdown": "md", ".csv": "csv", ".tsv": "tsv", ".json": "json",
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".eml": "eml", ".html": "html", ".htm": "html", ".docx": "docx",
    ".xlsx": "xlsx", ".pdf": "pdf",
}  # fmt: skip
"""Kinds by the ends of file names."""

KINDS: tuple[str, ...] = tuple(dict.fromkeys(SUFFIXES.values()))
BINARY = frozenset(("docx", "xlsx"))
"""Kinds whose files are no text."""

_OTHERS = {
    ".doc": "the old Word format; save it as .docx",
    ".xls": "the old Excel format; save it as .xlsx",
    ".docm": "a Word document with macros; save it as .docx",
    ".xlsm": "a workbook with macros; save it as .xlsx",
    ".odt": "an OpenDocument text; save it as .docx",
    ".ods": "an OpenDocument sheet; save it as .xlsx",
    ".pptx": "a presentation; export its text",
    ".rtf": "rich text; save it as .docx or .txt",
    ".msg": "an Outlook message; save it as .eml",
}


def kind_of(name: str) -> str | None:
    """Return the kind of a file by its name; None where the name tells none.

    Raises:
        InputError: it is a kind that cannot be handled; says what to do.
    """
    suffix = Path(name).suffix.casefold()
    if suffix in _OTHERS:
        raise InputError(f"Files that end in {suffix!r} cannot be handled: this is {_OTHERS[suffix]}.")
    return SUFFIXES.get(suffix)


def open_document(data: bytes, kind: str, *, encoding: str | None = None, room: Room | None = None) -> Document:
    """Open a document.

    Args:
        data: its bytes.
        kind: one of `KINDS`.
        encoding: of a text, where it is not UTF-8.
        room: what reading it may take.

    Raises:
        InputError: the kind is unknown, or the bytes cannot be read as it.
        LimitReached: it would take more than there is room for.
    """
    room = room or Room()
    with room.deeper(kind):
        room.take(kind, max((sum(data.count(sign) for sign in signs) for signs in _SIGNS.get(kind, ())), default=0))
        return _opened(data, kind, encoding, room)


_TABLE = ((b",", b"\n"), (b";", b"\n"), (b"\t", b"\n"), (b"|", b"\n"))
_SIGNS = {
    "csv": _TABLE,
    "tsv": _TABLE,
    "json": ((b",", b":", b"["),),
    "jsonl": ((b",", b":", b"["),),
    "html": ((b"<",),),
}
"""What parts the pieces of a text; of several readings the one counts that finds most."""


def _opened(data: bytes, kind: str, encoding: str | None, room: Room) -> Document:
    from gama.tools.documents.delimited import open_delimited
    from gama.tools.documents.flat import open_flat, open_json, open_pdf
    from gama.tools.documents.mail import open_mail
    from gama.tools.documents.page import open_page
    from gama.tools.documents.sheet import open_sheet
    from gama.tools.documents.word import open_word

    open_inner = partial(open_document, room=room)
    openers: dict[str, Callable[[], Document]] = {
        "docx": lambda: open_word(data, kind, open_inner, room),
        "xlsx": lambda: open_sheet(data, kind, open_inner, room),
        "eml": lambda: open_mail(data, kind, partial(_attachment, room=room), room),
        "html": lambda: open_page(data, kind, encoding),
        "pdf": lambda: open_pdf(data, kind),
        **dict.fromkeys(("csv", "tsv"), lambda: open_delimited(data, kind, encoding)),
        **dict.fromkeys(("json", "jsonl"), lambda: open_json(data, kind, encoding)),
        **dict.fromkeys(("txt", "md"), lambda: open_flat(data, kind, encoding)),
    }
    if kind in openers:
        return openers[kind]()
    raise InputError(f"There is no kind of document {kind!r}. Known kinds: {', '.join(KINDS)}.")


def _attachment(data: bytes, kind: str, room: Room) -> Document:
    """Open an attachment, as far as its format can be kept."""
    if kind == "pdf":
        raise InputError("The format of a PDF cannot be kept.")
    return open_document(data, SUFFIXES.get(f".{kind}", kind), room=room)
