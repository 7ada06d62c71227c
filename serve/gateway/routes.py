"""The routes of the gateway, as the official clients call them."""

import re
from functools import partial
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from gama.serve.gateway import answers
from gama.serve.gateway.errors import Unanswerable
from gama.serve.gateway.formulas import SUFFIX, tell_chat, tell_message, tell_response
from gama.serve.gateway.gateway import Gateway
from gama.serve.gateway.graph_mode import GraphMode
from gama.serve.gateway.masking import kept, merged
from gama.serve.gateway.streams import ChatStream, MessagesStream, ResponsesStream
from gama.serve.http.body import read_object
from gama.serve.http.errors import Told, body_of, form_of
from gama.serve.http.gate import note
from gama.serve.http.keys import caller_of

# Accepts names of models and responses (`org/model:tag`); refuses what an address reads as something else.
_NAME = re.compile(r"[\w.:/@+-]{0,200}")

MODE = "x-gama-mode"
"""The header by which a request chooses between `proxy` and `gama`."""

OWN_MODEL = "gama"
"""The name by which the whole graph is asked, with the public model that the server was started with."""


def _body(example: dict[str, Any], told: str) -> dict[str, Any]:
    """Return what OpenAPI shows of a body: an example, and where the protocol is described."""
    content = {"application/json": {"schema": {"type": "object", "description": told}, "example": example}}
    return {"requestBody": {"required": True, "content": content}}


_TEXT = "My name is Emma Williams. Which documents does a name change need?"
_OPENAI = "As https://platform.openai.com/docs/api-reference describes it; unknown fields pass through."

CHAT = _body({"model": "gpt-4o", "messages": [{"role": "user", "content": _TEXT}], "stream": False}, _OPENAI)
RESPONSES = _body({"model": "gpt-4o", "input": _TEXT}, _OPENAI)
EMBEDDINGS = _body({"model": "text-embedding-3-small", "input": [_TEXT]}, _OPENAI)
MESSAGES = _body(
    {"model": "claude-sonnet-5-5", "max_tokens": 300, "messages": [{"role": "user", "content": _TEXT}]},
    "As https://docs.anthropic.com/en/api/messages describes it; unknown fields pass through.",
)


router = APIRouter(prefix="/v1", tags=["gateway"])


@router.post("/chat/completions", openapi_extra=CHAT, summary="OpenAI's chat completions")
async def chat(request: Request) -> Response:
    """Anonymize a conversation, have it answered, restore the answer. Streams when `stream` is true."""
    body = await read_object(request)
    here = _gateway(request)
    if _by_graph(request, body, here):
        return await _graph(request).answer(request, body, answers.CHAT)
    return await here.forward(request, "/chat/completions", await here.mask(request, body, tell=tell_chat), ChatStream)


@router.post("/responses", openapi_extra=RESPONSES, summary="OpenAI's responses")
async def create_response(request: Request) -> Response:
    """Anonymize an input, have it answered, restore the answer; `previous_response_id` goes on with its box."""
    body = await read_object(request)
    here, caller = _gateway(request), caller_of(request).name
    if _by_graph(request, body, here):
        return await _graph(request).answer(request, body, answers.RESPONSES)
    if body.get("conversation") is not None:
        raise Unanswerable(
            "This gateway cannot know what a `conversation` kept by the upstream holds. Use "
            "`previous_response_id`, or send the whole conversation as `input`."
        )
    previous = body.get("previous_response_id")
    turn = await here.on_thread(here.boxes.get, caller, str(previous)) if previous is not None else None
    conversation = turn.conversation if turn else here.boxes.new()
    masked = await here.mask(request, body, turn.box if turn else None, tell=tell_response)
    put = partial(here.boxes.put, conversation=conversation)
    done: dict[str, int] = {}

    async def keep(value: dict[str, Any]) -> None:
        inner = value.get("response")
        found = inner if isinstance(inner, dict) else value
        if found.get("object") != "response" or not isinstance(name := found.get("id"), str):
            return
        # What formulas gave meanwhile belongs to it.
        if (size := len(masked.box)) != done.get(name):
            begins, done[name] = turn is None and name not in done, size
            await here.on_thread(partial(put, begins=begins), caller, name, masked.box)

    wanted = keep if body.get("store") is not False else None
    return await here.forward(request, "/responses", masked, ResponsesStream, kept=wanted)


async def _again(request: Request, name: str, tail: str = "") -> Response:
    """Ask for something of a kept response, with its box."""
    here = _gateway(request)
    _check_name(name)
    turn = await here.on_thread(here.boxes.get, caller_of(request).name, name)
    return await here.forward(request, f"/responses/{name}{tail}", kept(turn.box), ResponsesStream)


@router.get("/responses/{name}", summary="A kept response")
async def retrieve_response(request: Request, name: str) -> Response:
    """Return a kept response, restored."""
    return await _again(request, name)


@router.delete("/responses/{name}", summary="Delete a kept response")
async def delete_response(request: Request, name: str) -> Response:
    """Delete a response at the upstream, and its box here."""
    here = _gateway(request)
    answer = await _again(request, name)
    if answer.status_code < 400:
        await here.on_thread(here.boxes.forget, caller_of(request).name, name)
    return answer


@router.post("/responses/{name}/cancel", summary="Cancel a response")
async def cancel_response(request: Request, name: str) -> Response:
    """Cancel a response that runs in the background."""
    return await _again(request, name, "/cancel")


@router.get("/responses/{name}/input_items", summary="The input of a kept response")
async def list_input_items(request: Request, name: str) -> Response:
    """List the input items of a kept response, restored."""
    return await _again(request, name, "/input_items")


@router.post("/messages", openapi_extra=MESSAGES, summary="Anthropic's messages")
async def messages(request: Request) -> Response:
    """Anonymize a conversation, have it answered, restore the answer. Streams when `stream` is true."""
    body = await read_object(request)
    here = _gateway(request)
    if _by_graph(request, body, here):
        return await _graph(request).answer(request, body, answers.MESSAGES)
    return await here.forward(
        request,
        "/messages",
        await here.mask(request, body, tell=tell_message),
        MessagesStream,
        upstream=here.anthropic,
    )


@router.post("/messages/count_tokens", summary="Count the tokens of a message")
async def count_tokens(request: Request) -> Response:
    """Count the tokens of the anonymized conversation."""
    here = _gateway(request)
    masked = await here.mask(request, await read_object(request), tell=tell_message)
    return await here.forward(request, "/messages/count_tokens", masked, MessagesStream, upstream=here.anthropic)


@router.post("/embeddings", openapi_extra=EMBEDDINGS, summary="OpenAI's embeddings")
async def embeddings(request: Request) -> Response:
    """Anonymize each text by itself, and pass the vectors on."""
    body = await read_object(request)
    texts = body.get("input")
    listed = texts if isinstance(texts, list) else [texts]
    if not all(isinstance(text, str) for text in listed):
        raise Unanswerable(
            "The input is made of token numbers, which cannot be searched for private data. Send texts (with "
            "LangChain: OpenAIEmbeddings(check_embedding_ctx_length=False))."
        )
    here = _gateway(request)
    rest = await here.mask(request, {key: value for key, value in body.items() if key != "input"})
    # Each text has a box of its own: its vector does not depend on what stands beside it in a request.
    parts = [await here.mask(request, {"input": text}) for text in listed]
    masked = merged(rest, parts, "input", many=isinstance(texts, list))
    return await here.forward(request, "/embeddings", masked, ChatStream, structured=False)


@router.post("/restore", summary="The values of calls that kept placeholders")
async def restore_calls(request: Request) -> Response:
    """Restore calls of tools whose policy is `ask`; give the request they answered, as it was."""
    return await _gateway(request).restore(request, await read_object(request))


@router.get("/models", summary="The upstream's models")
async def list_models(request: Request) -> Response:
    """List the models of the upstream."""
    return await _models(request, "")


@router.get("/models/{name:path}", summary="One of the upstream's models")
async def retrieve_model(request: Request, name: str) -> Response:
    """Describe a model of the upstream."""
    if name == OWN_MODEL:
        return JSONResponse({"id": OWN_MODEL, "object": "model", "created": 0, "owned_by": "gama"})
    return await _models(request, f"/{name.removesuffix(SUFFIX)}")


async def _models(request: Request, tail: str) -> Response:
    here = _gateway(request)
    _check_name(tail)
    target = here.anthropic if "anthropic-version" in request.headers else here.openai
    nothing = kept(here.masker.pipeline.new_box())
    return await here.forward(request, f"/models{tail}", nothing, ChatStream, upstream=target)


@router.api_route("/{rest:path}", methods=["GET", "POST", "DELETE", "PUT", "PATCH"], include_in_schema=False)
async def refuse_unknown(request: Request, rest: str) -> Response:
    """Refuse what could not be anonymized."""
    note(request, offered=False)
    problem = Told(404, "unknown_url", "This gateway does not offer that address. See docs/gateway.md.")
    return JSONResponse(body_of(problem, form_of(request.url.path)), 404)


def _gateway(request: Request) -> Gateway:
    gateway: Gateway = request.app.state.gateway
    return gateway


def _graph(request: Request) -> GraphMode:
    """Return what answers in mode `gama`."""
    graph: GraphMode = request.app.state.graph
    return graph


def _by_graph(request: Request, body: dict[str, Any], gateway: Gateway) -> bool:
    """Return whether the whole graph is to answer."""
    own = body.get("model") in (OWN_MODEL, OWN_MODEL + SUFFIX)
    mode = request.headers.get(MODE) or ("gama" if own else gateway.settings.gateway)
    if mode not in ("proxy", "gama"):
        raise Unanswerable(f"The header {MODE} takes proxy or gama.")
    note(request, mode=mode)
    return mode == "gama"


def _check_name(name: str) -> None:
    """Refuse a name that would lead to another address of the upstream."""
    if not _NAME.fullmatch(name) or ".." in name:
        raise Unanswerable("The address names nothing that can be asked for.")
