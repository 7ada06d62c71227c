"""Bodies: JSON is read without a quote of what cannot be read, and written, whole and as server-sent events."""

import json
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from gama.serve.http.errors import told
from gama.state.errors import InputError


async def read_object(request: Request) -> dict[str, Any]:
    """Return the JSON object in the body of a request.

    Raises:
        InputError: there is none.
    """
    raw = await request.body()
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise InputError("The body must be a JSON object.")
    return value


def write_json(value: Any) -> bytes:
    """Return a value as JSON in as few bytes as may be."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()


def json_answer(value: Any, status: int = 200) -> Response:
    """Return an answer that is JSON, whatever characters its texts have."""
    return Response(write_json(value), status, media_type="application/json")


async def server_events(events: AsyncIterator[tuple[str, Any]]) -> AsyncGenerator[bytes, None]:
    """Write events, each a name and what it says, then `end`; or `error`, whose text quotes nothing private."""
    problem: Exception | None = None
    try:
        async for name, data in events:
            yield _event(name, data)
    except Exception as error:
        problem = error
    if problem is None:
        yield _event("end", {})
        return
    status, code, message, _ = told(problem)
    yield _event("error", {"status_code": status, "message": message, "code": code})


def _event(name: str, data: Any) -> bytes:
    # JSON's escapes keep every line break and lone surrogate out of the stream.
    return f"event: {name}\r\ndata: {json.dumps(data)}\r\n\r\n".encode()
