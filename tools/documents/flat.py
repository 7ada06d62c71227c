"""Documents of one text: plain text and Markdown, kept to the byte; JSON, kept in spacing and order; a PDF's text."""

import io
import json
import re
from collections.abc import Callable, Sequence
from importlib.util import find_spec

from gama.state.errors import InputError
from gama.tools.documents.base import Block, Document, Segment, unreadable
from gama.tools.documents.escapes import json_segment, plain_segment
from gama.tools.knowledge.index import may_be_forename

# A string, or a number with enough digits to mean somebody.
_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|(?<![\w.+-])(-?[0-9]+(?:\.[0-9]+)?)(?![\w.])')
_KEY = re.compile(r"\s*:")


def open_flat(data: bytes, kind: str, encoding: str | None = None) -> Document:
    """Open a text.

    Raises:
        InputError: the bytes are not text in the encoding.
    """
    text, encode = decoded(data, kind, encoding)
    return Document(
        kind, {"": text}, [Block("", (plain_segment(text, 0, len(text)),))], lambda parts: encode(parts.get("", text))
    )


def decoded(data: bytes, kind: str, encoding: str | None = None) -> tuple[str, Callable[[str], bytes]]:
    """Decode a text and return what encodes it again: UTF-8, UTF-16 with its mark, or the encoding that is named.

    A byte order mark stays where it was and is no part of the text.

    Raises:
        InputError: the bytes do not fit.
    """
    if encoding is not None:
        mark, chosen = b"", encoding
    elif data.startswith(b"\xef\xbb\xbf"):
        mark, chosen = b"\xef\xbb\xbf", "utf-8"
    elif data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        mark, chosen = data[:2], "utf-16-le" if data[:2] == b"\xff\xfe" else "utf-16-be"
    else:
        mark, chosen = b"", "utf-8"
    problem = ""
    text = ""
    try:
        text = data[len(mark) :].decode(chosen)
    except LookupError:
        raise InputError(
            f"There is no text encoding {chosen!r}. Use a name such as utf-8, latin-1 or cp1252."
        ) from None
    except UnicodeError:
        problem = (
            f"it is not {chosen.upper()}. If it is text, name its encoding: --encoding latin-1 (or cp1252, utf-16 …)."
        )
    if not problem and "\x00" in text:
        problem = "it is binary: there are NUL bytes in it."
    if problem:
        raise unreadable(kind, problem)
    return text, lambda new: mark + new.encode(chosen)


def open_json(data: bytes, kind: str, encoding: str | None = None) -> Document:
    """Open JSON or lines of JSON: one block for each string and number, with its key as context.

    Raises:
        InputError: the text is not valid JSON.
    """
    text, encode = decoded(data, kind, encoding)
    _check(text, kind)
    return Document(kind, {"": text}, json_blocks(text), lambda parts: encode(parts.get("", text)))


def json_blocks(
    text: str,
    stretches: Sequence[tuple[int, int]] | None = None,
    *,
    part: str = "",
    within: tuple[int, int] | None = None,
) -> list[Block]:
    """Return a block for each string and number of valid JSON, with its key as context.

    A key is put in another's place only where it may be a name, or more than that of a field: `nhs`, `lastName` stay.

    Args:
        text: the JSON.
        stretches: those parts of it that are read; all when None.
        part: the part of the document that it is.
        within: where in the text the JSON stands; all of it when None.
    """
    first, last = within or (0, len(text))
    ascii_only = text.isascii() and "\\u" in text
    blocks: list[Block] = []
    label = ""
    for match in _TOKEN.finditer(text, first, last):
        start, end = match.span(1) if match[1] is not None else match.span(2)
        if match[1] is None:
            segment = Segment(start, end, match[2], _number)
        else:
            segment = json_segment(text, start, end, ascii_only=ascii_only)
        is_key = match[1] is not None and bool(_KEY.match(text, match.end()))
        if is_key:
            label = f"{segment.text}: "
        read = stretches is None or any(begin <= start and end <= stop for begin, stop in stretches)
        named = is_key and _FIELD.fullmatch(segment.text) and not may_be_forename(segment.text.title())
        if read and any(char.isalnum() for char in segment.text):
            # The name of a field is read, and stays as it is.
            told = "" if is_key else label
            blocks.append(Block(part, (segment.text if named else segment,), label=told, column=told))
    return blocks


# Accepts the name of a field: `nhs`, `lastName`, `@type`, `order_no`. Refuses `Emma`, `emma@corp.example`, `my son`.
_FIELD = re.compile(r"[@$]?[a-z][a-zA-Z0-9_]*")


def _check(text: str, kind: str) -> None:
    pieces = (
        [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip()] if kind == "jsonl" else [(0, text)]
    )
    for number, piece in pieces:
        try:
            json.loads(piece)
        except (ValueError, RecursionError) as error:
            line = number or getattr(error, "lineno", 0)
            where = f"line {line}" if line else "it"
            raise unreadable(kind, f"{where} is not valid JSON. As a plain text it is read by --format txt.") from None


def _number(text: str) -> str:
    """Write a number, or the placeholder in its place, which is a string."""
    return text if re.fullmatch(r"-?[0-9]+(?:\.[0-9]+)?", text) else json.dumps(text)


def open_pdf(data: bytes, kind: str) -> Document:
    """Open the text of a PDF, pages with an empty line between; the layout is not kept.

    Raises:
        InputError: pypdf is missing, or the file is damaged, encrypted, or has no text in it.
    """
    if find_spec("pypdf") is None:
        raise InputError('Reading PDF needs pypdf: install it with pip install "gama-privacy[documents]".')
    import pypdf

    problem = ""
    pages: list[str] = []
    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            problem = "it is encrypted. Save it without a password."
        else:
            pages = [page.extract_text().strip() for page in reader.pages]
    except Exception as error:  # pypdf raises many kinds for damaged files; their texts may quote the file.
        problem = f"it is damaged ({type(error).__name__})."
    if not problem and not any(pages):
        problem = "there is no text in it. A scanned page needs character recognition first."
    if problem:
        raise unreadable(kind, problem)
    text = "\n\n".join(page for page in pages if page) + "\n"
    document = open_flat(text.encode("utf-8", "replace"), "txt")
    document.warnings.append("The text of the PDF was taken; its layout and pictures were not.")
    return document
