"""`/anonymize`, `/restore`, `/identify`: the private half by itself; `/documents/read`: the text of a file."""

import base64
import binascii
from typing import Annotated, Any

from fastapi import APIRouter, Body
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request

from gama.privacy.anonymizer import Anonymizer
from gama.privacy.box import PrivacyBox
from gama.privacy.pipeline import View
from gama.serve.http.choices import chosen, joined
from gama.serve.http.keys import Caller, caller_of
from gama.serve.http.sealed import open_word, seal_word
from gama.serve.http.server import Server
from gama.state.decisions import Decision
from gama.state.errors import InputError, LimitReached
from gama.state.options import Options
from gama.tools.documents.base import Document, Room
from gama.tools.documents.kinds import KINDS, kind_of, open_document
from gama.tools.placeholders.remapping import Restored
from gama.vault.seal import Vault

MOST_RESTORED = 50_000_000
"""Characters of a text to restore: it is sent nowhere, so that memory alone is the limit."""

FORMULAS = "Whether the model is told of formulas: the answer has `instructions` for it, and replies are reckoned."
EVALUATED = "Whether formulas are evaluated; by default where the model was told of them."
INSTRUCTIONS = "On wish, what tells the model of formulas: put it before the text. Empty where nothing can be reckoned."
GROWN = "Where formulas gave something: the box with it, so that the next text hides it."

_LABEL = "http-box:"

AS_WRITTEN = frozenset(("txt", "md", "csv", "tsv", "json", "jsonl"))
"""Kinds whose text is the file itself: a person sees it as it was written."""


class Given(BaseModel):
    """A text, and how it is to be looked at."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(description="The raw text.")
    options: dict[str, Any] = Field(default_factory=dict, description="Options, as in `/gama/config_schema`.")


class ToAnonymize(Given):
    """A text to anonymize."""

    query: str | None = Field(default=None, description="What will be asked about the text.")
    box: str | None = Field(default=None, description="The box of an earlier text, which is continued.")
    decisions: list[Decision] = Field(
        default_factory=list, description="What a person has decided about stretches of the text."
    )
    with_values: bool = Field(
        default=False, description="Whether each of the `entities` has its private value, as `text`."
    )
    formulas: bool = Field(default=False, description=FORMULAS)


class ToRestore(BaseModel):
    """A text to restore."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(description="A text with placeholders, such as a model's answer.")
    box: str = Field(description="The box that `/anonymize` gave.")
    places: bool = Field(default=False, description="Whether to say where values were put back.")
    formulas: bool | None = Field(default=None, description=EVALUATED)


class Mentions(BaseModel):
    """What was found."""

    entities: list[dict[str, Any]]


class Anonymized(Mentions):
    """An anonymized text, made to be handed on: it has no private value, unless they were asked for."""

    entities: list[dict[str, Any]] = Field(
        description="What was found: kind, place and placeholder; with `with_values` also the value, as `text`."
    )
    anonymized: str
    box: str = Field(description="What restores it: sealed, and readable by this server for this key alone.")
    instructions: str = Field(default="", description=INSTRUCTIONS)
    warnings: list[str]
    question_spans: list[tuple[int, int]] = Field(
        description="Which stretches of the text were taken for the question, where no `query` was given."
    )


class RestoredText(BaseModel):
    """A restored text."""

    text: str
    unresolved: list[str]
    unused: list[str]
    withheld: list[str] = Field(description="Kinds of values that were not put into addresses of hosts nobody named.")
    restored: list[dict[str, Any]] | None = Field(
        default=None, description="On wish, where values were put back: `start`, `end`, `placeholder`."
    )
    box: str | None = Field(default=None, description=GROWN)


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


_LETTER = "Dear Emma Williams, my IBAN is GB29 NWBK 6016 1331 9268 19. Daniel Jones"
_ANONYMIZE = Body(openapi_examples={"letter": {"value": {"text": _LETTER}}})
_IDENTIFY = Body(openapi_examples={"letter": {"value": {"text": _LETTER, "options": {"deny": ["Falcon"]}}}})
_RESTORE = Body(openapi_examples={"reply": {"value": {"text": "Dear <name-2>, it is <iban-1>.", "box": "…"}}})
_FILE = Body(openapi_examples={"note": {"value": {"name": "note.txt", "data": "SSBhbSBFbW1hIFdpbGxpYW1zLg=="}}})


def texts_router(server: Server) -> APIRouter:
    """Return the routes."""
    router = APIRouter(tags=["texts"])

    @router.post("/anonymize", summary="Replace what is private by placeholders")
    async def anonymize(request: Request, given: Annotated[ToAnonymize, _ANONYMIZE]) -> Anonymized:
        """Replace what is private; the sealed `box` reverses it, and continues with the next text.

        The answer holds no private value, so that it can be handed on; `with_values` asks for them.
        """
        caller = caller_of(request)

        def work() -> tuple[View, str, str]:
            earlier = open_box(server.vault, caller, given.box) if given.box else None
            anonymizer = looking(server, given.options).reckoning(given.formulas)
            view = anonymizer.anonymize(given.text, given.query, box=earlier, decisions=given.decisions)
            told = anonymizer.instructions(view) if given.formulas else ""
            return view, told, seal_box(server.vault, caller, view.box)

        view, told, box = await server.on_thread(work)
        found = mentions(view, values=given.with_values)
        return Anonymized(
            anonymized=view.text, box=box, instructions=told, entities=found, warnings=view.warnings,
            question_spans=list(view.question_spans),
        )  # fmt: skip

    @router.post("/restore", summary="Put the private values back", response_model_exclude_none=True)
    async def restore(request: Request, given: Annotated[ToRestore, _RESTORE]) -> RestoredText:
        """Put the values of a box back; says what stayed unresolved and what was not used.

        Formulas are evaluated where the model was told of them; what they gave is in the `box` then returned.
        """
        if len(given.text) > MOST_RESTORED:
            raise LimitReached(f"The text is longer than {MOST_RESTORED:,} characters.")
        caller = caller_of(request)

        def work() -> RestoredText:
            box = open_box(server.vault, caller, given.box)
            known = len(box)
            found = server.anonymizer.restore(given.text, box, formulas=given.formulas)
            places = placed(given.text, found) if given.places else None
            return RestoredText(
                text=found.text,
                unresolved=list(found.unresolved),
                unused=list(found.unused),
                withheld=list(found.withheld),
                restored=places,
                box=seal_box(server.vault, caller, box) if len(box) > known else None,
            )

        restored: RestoredText = await server.on_thread(work)
        return restored

    @router.post("/identify", summary="Find what may be private")
    async def identify(request: Request, given: Annotated[Given, _IDENTIFY]) -> Mentions:
        """List every mention found, private or not, with type, score and the view that found it."""

        def work() -> Mentions:
            found = looking(server, given.options).identify(given.text)
            return Mentions(entities=[entity.model_dump() for entity in found])

        found: Mentions = await server.on_thread(work)
        return found

    @router.post("/documents/read", summary="Read the text of a file")
    async def read(given: Annotated[File, _FILE]) -> Text:
        """Give the text of a document; nothing is kept. Pictures and other pieces that hold no text are named."""
        text: Text = await server.on_thread(read_text, given, server.options)
        return text

    return router


def looking(server: Server, options: dict[str, Any]) -> Anonymizer:
    """Return the anonymizer for the options of a request."""
    if not options:
        return server.anonymizer
    return Anonymizer(joined(server.options, chosen(server.options, options)))


def mentions(view: View, *, values: bool = False) -> list[dict[str, Any]]:
    """Return the mentions of a view, each with its placeholder, and with its text only where `values` says so."""
    return [
        entity.model_dump(exclude=set() if values else {"text"})
        | {"placeholder": view.box.placeholder(entity.text) if entity.hidden else None}
        for entity in view.entities
    ]


def placed(answer: str, found: Restored) -> list[dict[str, Any]]:
    """Return where values were put back into an answer, and for which placeholders."""
    return [
        {"start": start, "end": end, "placeholder": answer[edit.start : edit.end]}
        for (start, end), edit in zip(found.places, found.edits, strict=True)
    ]


def seal_box(vault: Vault, caller: Caller, box: PrivacyBox) -> str:
    """Return a box as a sealed word."""
    return seal_word(vault, _LABEL, caller, box.model_dump_json().encode())


def open_box(vault: Vault, caller: Caller, word: str) -> PrivacyBox:
    """Read a sealed box.

    Raises:
        InputError: it is none.
        SealError: it is another server's or another key's.
    """
    told = "The box cannot be read. Give the one that /anonymize returned."
    return open_word(vault, _LABEL, caller, word, PrivacyBox.model_validate_json, told)


def read_text(given: File, options: Options) -> Text:
    """Read a file.

    Raises:
        InputError: it cannot be read as the kind that its name tells.
        LimitReached: it has more characters or pieces than the options let it have.
    """
    kind, most = known_kind(given.name), options.max_chars
    document = open_document(bytes_of(given.data), kind, room=Room.of(options))
    text = _as_written(document) if kind in AS_WRITTEN else _joined(document)
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > most:
        raise LimitReached(f"The document has {len(text):,} characters of text; this server takes {most:,}. Split it.")
    if not text.strip():
        raise InputError("There is no text in the document.")
    unread = [f"Not read: {name}." for name in dict.fromkeys(one.name for one in document.all_unread())]
    return Text(text=text, kind=kind, warnings=[*document.warnings, *unread])


def _as_written(document: Document) -> str:
    return "".join(document.parts.values())


def _joined(document: Document) -> str:
    out: list[str] = []
    for block in document.all_blocks():
        if text := block.text.strip("\n"):
            out += [block.glue if out else "", block.label, text]
    return "".join(out)


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
