"""`/documents/read`: the text of a file, for whoever wants to see and correct it before it leaves."""

import base64
import binascii
from typing import Annotated

from fastapi import APIRouter, Body
from pydantic import BaseModel, ConfigDict, Field

from gama.serve.http.server import Server
from gama.state.errors import InputError, LimitReached
from gama.tools.documents.base import Document
from gama.tools.documents.kinds import KINDS, kind_of, open_document

AS_WRITTEN = frozenset(("txt", "md", "csv", "tsv", "json", "jsonl"))
"""Kinds whose text is the file itself: a person sees it as it was written."""


class File(BaseModel):
    """A file."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(max_length=1_000, description="Its name, whose end tells the kind.")
    data: str = Field(description="Its bytes, as base64.")


class Text(BaseModel):
    """The text of a file."""

    text: str
    kind: str
    warnings: list[str]


_FILE = Body(openapi_examples={"note": {"value": {"name": "note.txt", "data": "SSBhbSBFbW1hIFdpbGxpYW1zLg=="}}})


def reading_router(server: Server) -> APIRouter:
    """Return the routes."""
    router = APIRouter(tags=["texts"])

    @router.post("/documents/read", summary="Read the text of a file")
    async def read(given: Annotated[File, _FILE]) -> Text:
        """Give the text of a document; nothing is kept. Pictures and other pieces that hold no text are named."""
        text: Text = await server.on_thread(read_text, given, server.options.max_chars)
        return text

    return router


def read_text(given: File, most: int) -> Text:
    """Read a file.

    Raises:
        InputError: it cannot be read as the kind that its name tells.
        LimitReached: it has more than `most` characters.
    """
    kind = known_kind(given.name)
    document = open_document(bytes_of(given.data), kind)
    text = _as_written(document) if kind in AS_WRITTEN else _joined(document)
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > most:
        raise LimitReached(f"The document has {len(text):,} characters of text; this server takes {most:,}. Split it.")
    if not text.strip():
        raise InputError("There is no text in the document.")
    unread = [f"Not read: {name}." for name in dict.fromkeys(one.name for one in document.all_unread())]
    return Text(text=text, kind=kind, warnings=[*document.warnings, *unread])


def known_kind(name: str) -> str:
    """Return the kind of a file by its name.

    Raises:
        InputError: the name tells none that can be read.
    """
    kind = kind_of(name)
    if kind is None:
        raise InputError(f"The name tells no kind of document that can be read. Known kinds: {', '.join(KINDS)}.")
    return kind


def bytes_of(data: str) -> bytes:
    """Return the bytes that base64 stands for.

    Raises:
        InputError: it is invalid.
    """
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        pass
    raise InputError("The bytes of the file must be given as base64.")


def _as_written(document: Document) -> str:
    return "".join(document.parts.values())


def _joined(document: Document) -> str:
    out: list[str] = []
    for block in document.all_blocks():
        if text := block.text.strip("\n"):
            out += [block.glue if out else "", block.label, text]
    return "".join(out)
