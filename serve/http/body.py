"""Reading the JSON body of a request: what cannot be read is refused without a quote of it."""

import json
from typing import Any

from starlette.requests import Request

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
