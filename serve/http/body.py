"""Reading the JSON body of a request: what cannot be read is refused without a quote of it."""

import json
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from gama.serve.gateway.events import write_json
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


def json_answer(value: Any, status: int = 200) -> Response:
    """Return an answer that is JSON, whatever characters its texts have."""
    return Response(write_json(value), status, media_type="application/json")
