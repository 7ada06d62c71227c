"""`/documents/anonymize` and `/documents/restore`: documents that come back as documents."""

import base64
import re
from collections.abc import Iterable
from pathlib import PurePath
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body
from pydantic import BaseModel, Field
from starlette.requests import Request

from gama.privacy.documents import DocumentView
from gama.serve.http.keys import caller_of
from gama.serve.http.server import Server
from gama.serve.http.texts import (
    EVALUATED,
    FORMULAS,
    GROWN,
    INSTRUCTIONS,
    File,
    bytes_of,
    known_kind,
    looking,
    open_box,
    seal_box,
)


class ToAnonymizeFile(File):
    """A document to anonymize."""

    query: str | None = Field(default=None, description="What will be asked about it.")
    box: str | None = Field(default=None, description="The box of an earlier text, which is continued.")
    options: dict[str, Any] = Field(default_factory=dict, description="Options, as in `/gama/config_schema`.")
    unread: Literal["refuse", "keep", "remove"] = Field(
        default="refuse", description="What becomes of pictures and other pieces that cannot be looked into."
    )
    formulas: bool = Field(default=False, description=FORMULAS)


class ToRestoreFile(File):
    """A document to restore."""

    box: str = Field(description="The box that `/documents/anonymize` gave.")
    formulas: bool | None = Field(default=None, description=EVALUATED)


class MadeFile(BaseModel):
    """A document that was made."""

    name: str
    data: str = Field(description="Its bytes, as base64.")
    kind: str


class AnonymizedFile(MadeFile):
    """An anonymized document."""

    hidden: int = Field(description="How many mentions were replaced.")
    box: str = Field(description="What restores it: sealed, and readable by this server for this key alone.")
    instructions: str = Field(default="", description=INSTRUCTIONS)
    warnings: list[str]


class RestoredFile(MadeFile):
    """A restored document."""

    unresolved: list[str]
    box: str | None = Field(default=None, description=GROWN)


_CSV = "TmFtZSxUb3duCkVtbWEgV2lsbGlhbXMsT3hmb3JkCg=="
_ANONYMIZE = Body(openapi_examples={"table": {"value": {"name": "table.csv", "data": _CSV}}})
_RESTORE = Body(openapi_examples={"table": {"value": {"name": "table.anonymized.csv", "data": _CSV, "box": "…"}}})


def papers_router(server: Server) -> APIRouter:
    """Return the routes. What a body may hold bounds the file, `max_chars` its text."""
    router = APIRouter(tags=["texts"])

    @router.post("/documents/anonymize", summary="Anonymize a document in its format")
    async def anonymize(request: Request, given: Annotated[ToAnonymizeFile, _ANONYMIZE]) -> AnonymizedFile:
        """Replace what is private; the format stays, but of a PDF the text is taken. Nothing is kept."""
        caller = caller_of(request)

        def work() -> tuple[DocumentView, str, str]:
            kind = known_kind(given.name)
            earlier = open_box(server.vault, caller, given.box) if given.box else None
            anonymizer = looking(server, given.options).reckoning(given.formulas)
            view = anonymizer.anonymize_document(
                bytes_of(given.data), kind, given.query, box=earlier, unread=given.unread
            )
            told = anonymizer.instructions(view) if given.formulas else ""
            return view, told, seal_box(server.vault, caller, view.box)

        view, told, box = await server.on_thread(work)
        return AnonymizedFile(
            name=_renamed(given.name, "anonymized", view.kind, (entry.surface for entry in view.box.entries)),
            data=base64.b64encode(view.data).decode(),
            kind=view.kind,
            hidden=sum(entity.hidden for entity in view.entities),
            box=box,
            instructions=told,
            warnings=view.warnings,
        )

    @router.post(
        "/documents/restore", summary="Put the private values back into a document", response_model_exclude_none=True
    )
    async def restore(request: Request, given: Annotated[ToRestoreFile, _RESTORE]) -> RestoredFile:
        """Put the values of a box back into a document, which may have been edited since.

        Formulas are evaluated where the model was told of them; what they gave is in the `box` then returned.
        """
        caller = caller_of(request)

        def work() -> RestoredFile:
            kind = known_kind(given.name)
            box = open_box(server.vault, caller, given.box)
            known = len(box)
            done = server.anonymizer.restore_document(bytes_of(given.data), kind, box, formulas=given.formulas)
            grown = seal_box(server.vault, caller, box) if len(box) > known else None
            data = base64.b64encode(done.data).decode()
            name = _renamed(given.name, "restored", kind)
            return RestoredFile(name=name, data=data, kind=kind, unresolved=list(done.unresolved), box=grown)

        restored: RestoredFile = await server.on_thread(work)
        return restored

    return router


def _renamed(name: str, word: str, kind: str, hidden: Iterable[str] = ()) -> str:
    """Return a name for the outcome: of `letter.docx`, `letter.anonymized.docx`, and of that `letter.restored.docx`.

    Args:
        name: the document's.
        word: what was done with it.
        kind: what it is now.
        hidden: the values that are hidden in it: a name that has words of theirs is given up, as files are handed on
            with their names.
    """
    path = PurePath(name)
    stem = path.stem.removesuffix(".anonymized")
    if _words(stem) & {word for value in hidden for word in _words(value)}:
        stem = "document"
    return f"{stem}.{word}{'.txt' if kind == 'txt' else path.suffix}"


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"[^\W_]+", text.casefold()) if len(word) > 2}
