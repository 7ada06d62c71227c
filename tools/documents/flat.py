"""Plain text and Markdown: one block, kept to the byte."""

from collections.abc import Callable

from gama.state.errors import InputError
from gama.tools.documents.base import Block, Document, unreadable
from gama.tools.documents.escapes import plain_segment


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
