"""`/gama`: the whole system as LangServe shows a Runnable; `langserve.RemoteRunnable` is its client."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Body
from langchain_core.messages import convert_to_messages
from pydantic import BaseModel, Field, TypeAdapter
from starlette.requests import Request
from starlette.responses import Response

from gama.graph.client import Gama
from gama.graph.given import is_chat, question_of
from gama.serve.http.body import json_answer, server_events
from gama.serve.http.choices import chosen, schema
from gama.serve.http.keys import caller_of
from gama.serve.http.openapi import EVENTS
from gama.serve.http.relay import Relay, until_gone
from gama.serve.http.server import Server
from gama.state.errors import InputError
from gama.state.options import Options
from gama.state.private import Reply

MOST_INPUTS = 100
"""Tasks of one batch."""

LETTER = "My name is Emma Williams. The lease says: three months' notice. When must I give notice?"


class Call(BaseModel):
    """One call of the Runnable."""

    input: Any = Field(
        description='`{"question": text}`, a text, or chat messages, the last human one of which counts.'
    )
    config: dict[str, Any] = Field(
        default_factory=dict, description="`configurable`: `thread_id` and options of the run."
    )
    kwargs: dict[str, Any] = Field(default_factory=dict)


class Batch(BaseModel):
    """Several calls of the Runnable."""

    inputs: list[Any] = Field(max_length=MOST_INPUTS)
    config: dict[str, Any] | list[dict[str, Any]] = Field(default_factory=dict)
    kwargs: dict[str, Any] = Field(default_factory=dict)


_CALL = Body(
    openapi_examples={"letter": {"value": {"input": {"question": LETTER}, "config": {"configurable": {"k": 2}}}}}
)
_BATCH = Body(openapi_examples={"letters": {"value": {"inputs": [{"question": LETTER}], "config": {}}}})


def runnable_router(server: Server) -> APIRouter:
    """Return the routes."""
    router = APIRouter(prefix="/gama", tags=["gama"])

    async def answer(request: Request, data: Any, config: Any) -> dict[str, Any]:
        run, context = _run(request, server, config)
        reply = await server.gama.ainvoke(await _question(data, run, server), run, context=context)
        return _shown(request, dict(reply))

    @router.post("/invoke", summary="Answer a task")
    async def invoke(request: Request, call: Annotated[Call, _CALL]) -> Response:
        """Answer a task; `output` is the reply."""
        run_id = str(uuid.uuid4())
        output = await until_gone(request, answer(request, call.input, call.config))
        return json_answer({"output": output, "metadata": {"run_id": run_id, "feedback_tokens": []}})

    @router.post("/batch", summary="Answer several tasks")
    async def batch(request: Request, call: Annotated[Batch, _BATCH]) -> Response:
        """Answer several tasks side by side; one that fails fails them all."""
        configs = call.config if isinstance(call.config, list) else [call.config] * len(call.inputs)
        if len(configs) != len(call.inputs):
            raise InputError("Give one config, or one for each input.")

        async def all_of_them() -> list[dict[str, Any]]:
            tasks = [
                asyncio.ensure_future(answer(request, data, config))
                for data, config in zip(call.inputs, configs, strict=True)
            ]
            try:
                return await asyncio.gather(*tasks)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

        outputs = await until_gone(request, all_of_them())
        ids = [str(uuid.uuid4()) for _ in outputs]
        return json_answer({"output": outputs, "metadata": {"run_ids": ids, "responses": []}})

    @router.post("/stream", summary="Answer a task, part by part", response_class=Response, responses=EVENTS)
    async def stream(request: Request, call: Annotated[Call, _CALL]) -> Response:
        """Send parts of the reply as server-sent events (`data`) as they become known; their sum is the reply."""
        run, context = _run(request, server, call.config)
        source = _parts(request, server.gama, await _question(call.input, run, server), run, context)
        return Relay(server_events(source), stall_s=server.settings.stall_s)

    @router.get("/input_schema", summary="JSON schema of an input")
    async def input_schema() -> Response:
        """Return the JSON schema of what a call takes."""
        return json_answer(TypeAdapter(server.gama.InputType).json_schema())

    @router.get("/output_schema", summary="JSON schema of a reply")
    async def output_schema() -> Response:
        """Return the JSON schema of what a call gives."""
        return json_answer(TypeAdapter(Reply).json_schema())

    @router.get("/config_schema", summary="JSON schema of a config")
    async def config_schema() -> Response:
        """Return the JSON schema of `config`: the thread, and the options that a request may set."""
        configurable = schema()
        configurable["properties"] = {"thread_id": {"type": "string", "title": "Thread"}, **configurable["properties"]}
        return json_answer({"title": "GamaConfig", "type": "object", "properties": {"configurable": configurable}})

    return router


async def _parts(
    request: Request, gama: Gama, question: dict[str, Any], run: Any, context: Options
) -> AsyncIterator[tuple[str, Any]]:
    yield "metadata", {"run_id": str(uuid.uuid4())}
    async for part in gama.astream(question, run, context=context):
        yield "data", _shown(request, dict(part))


def _run(request: Request, server: Server, config: Any) -> tuple[Any, Options]:
    """Read the config of a call: its thread, as it is called inside, and its options."""
    configurable = config.get("configurable") or {} if isinstance(config, dict) else None
    if not isinstance(configurable, dict):
        raise InputError("The config must be an object, and so must its `configurable`.")
    configurable = dict(configurable)
    thread = configurable.pop("thread_id", None) or uuid.uuid4().hex
    run: dict[str, Any] = {"configurable": {"thread_id": caller_of(request).inside(str(thread))}}
    return run, chosen(server.options, configurable)


async def _question(data: Any, run: dict[str, Any], server: Server) -> dict[str, Any]:
    """Read an input: a text, a question, chat messages, or a prompt value, as LangChain writes them down.

    A thread that remembers earlier turns is not told them again.

    Raises:
        InputError: it is none of them.
    """
    query = {"query": data["query"]} if isinstance(data, dict) and "query" in data else {}
    if isinstance(data, dict) and "question" not in data:
        data = data.get("messages", data.get("text", data))
    if isinstance(data, dict) and "content" in data:
        data = [data]
    if isinstance(data, list):
        try:
            data = convert_to_messages(data)
        except (ValueError, NotImplementedError, TypeError, KeyError):
            data = None
    kept = is_chat(data) and await server.on_thread(server.gama.knows, run["configurable"]["thread_id"])
    return {"question": question_of(data, kept=kept, earlier=server.options.earlier), **query}


def _shown(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
    if "thread" in reply:
        reply["thread"] = caller_of(request).outside(reply["thread"])
    return reply
