"""`/anonymize`, `/restore`, `/identify`: the private half by itself."""

import base64
import binascii
from typing import Annotated, Any

from fastapi import APIRouter, Body
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request

from gama.privacy.anonymizer import Anonymizer, View
from gama.serve.gateway.gateway import caller_of
from gama.serve.http.choices import chosen, joined
from gama.serve.http.keys import Caller
from gama.serve.http.server import Server
from gama.state.box import PrivacyBox
from gama.state.decisions import Decision
from gama.state.errors import InputError, LimitReached, SealError
from gama.state.sealed import Sealed
from gama.tools.placeholders.remapping import Restored
from gama.vault.seal import Vault

MOST_RESTORED = 50_000_000
"""Characters of a text to restore: it is sent nowhere, so that memory alone is the limit."""

_LABEL = "http-box:"


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


class ToRestore(BaseModel):
    """A text to restore."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(description="A text with placeholders, such as a model's answer.")
    box: str = Field(description="The box that `/anonymize` gave.")
    places: bool = Field(default=False, description="Whether to say where values were put back.")


class Mentions(BaseModel):
    """What was found."""

    entities: list[dict[str, Any]]


class Anonymized(Mentions):
    """An anonymized text."""

    anonymized: str
    box: str = Field(description="What restores it: sealed, and readable by this server for this key alone.")
    warnings: list[str]


class RestoredText(BaseModel):
    """A restored text."""

    text: str
    unresolved: list[str]
    unused: list[str]
    restored: list[dict[str, Any]] | None = Field(
        default=None, description="On wish, where values were put back: `start`, `end`, `placeholder`."
    )


_LETTER = "Dear Emma Williams, my IBAN is GB29 NWBK 6016 1331 9268 19. Daniel Jones"
_ANONYMIZE = Body(openapi_examples={"letter": {"value": {"text": _LETTER}}})
_IDENTIFY = Body(openapi_examples={"letter": {"value": {"text": _LETTER, "options": {"deny": ["Falcon"]}}}})
_RESTORE = Body(openapi_examples={"reply": {"value": {"text": "Dear <name-2>, it is <iban-1>.", "box": "…"}}})


def texts_router(server: Server) -> APIRouter:
    """Return the routes."""
    router = APIRouter(tags=["texts"])

    @router.post("/anonymize", summary="Replace what is private by placeholders")
    async def anonymize(request: Request, given: Annotated[ToAnonymize, _ANONYMIZE]) -> Anonymized:
        """Replace what is private; the sealed `box` reverses it, and continues with the next text."""
        caller = caller_of(request)

        def work() -> tuple[View, str]:
            earlier = open_box(server.vault, caller, given.box) if given.box else None
            anonymizer = looking(server, given.options)
            view = anonymizer.anonymize(given.text, given.query, box=earlier, decisions=given.decisions)
            return view, seal_box(server.vault, caller, view.box)

        view, box = await server.on_thread(work)
        return Anonymized(anonymized=view.text, box=box, entities=mentions(view), warnings=view.warnings)

    @router.post("/restore", summary="Put the private values back", response_model_exclude_none=True)
    async def restore(request: Request, given: Annotated[ToRestore, _RESTORE]) -> RestoredText:
        """Put the values of a box back; says what stayed unresolved and what was not used."""
        if len(given.text) > MOST_RESTORED:
            raise LimitReached(f"The text is longer than {MOST_RESTORED:,} characters.")
        caller = caller_of(request)

        def work() -> RestoredText:
            box = open_box(server.vault, caller, given.box)
            found = server.anonymizer.restore(given.text, box)
            places = placed(given.text, found) if given.places else None
            return RestoredText(
                text=found.text, unresolved=list(found.unresolved), unused=list(found.unused), restored=places
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

    return router


def looking(server: Server, options: dict[str, Any]) -> Anonymizer:
    """Return the anonymizer for the options of a request."""
    if not options:
        return server.anonymizer
    return Anonymizer(joined(server.options, chosen(server.options, options)))


def mentions(view: View) -> list[dict[str, Any]]:
    """Return the mentions of a view, each with its placeholder."""
    return [
        entity.model_dump() | {"placeholder": view.box.placeholder(entity.text) if entity.hidden else None}
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
    sealed = vault.seal_file(_LABEL + caller.name, box.model_dump_json().encode())
    return base64.urlsafe_b64encode(sealed.ct).decode()


def open_box(vault: Vault, caller: Caller, word: str) -> PrivacyBox:
    """Read a sealed box.

    Raises:
        InputError: it is none.
        SealError: it is another server's or another key's.
    """
    try:
        sealed = Sealed(ct=base64.urlsafe_b64decode(word.encode()))
        return PrivacyBox.model_validate_json(vault.open_file(_LABEL + caller.name, sealed))
    except SealError:
        raise
    except (binascii.Error, ValueError):
        pass
    raise InputError("The box cannot be read. Give the one that /anonymize returned.")
