"""The stages of a run as server-sent events."""

import json
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

from gama.graph.client import Progress
from gama.serve.http.errors import told
from gama.serve.http.keys import Caller
from gama.serve.http.owning import outside

_EARLY = {"anonymize": ("anonymized",), "write_prompts": ("domains",)}
"""What is known of the reply after a private stage; the public ones bring their own news."""


async def stages(run: AsyncIterator[Progress], caller: Caller) -> AsyncGenerator[bytes, None]:
    """Yield `stage` for each stage that ends, `reply` and `end`; or `error`, whose text quotes nothing private.

    Args:
        run: what `Gama.awatch` reports.
        caller: whose thread it is.
    """
    problem: Exception | None = None
    try:
        async for progress in run:
            if progress.stage == "done":
                reply = progress.reply | {"thread": outside(caller, progress.reply["thread"])}
                yield event("reply", reply)
                continue
            early = {name: progress.reply[name] for name in _EARLY.get(progress.stage, ()) if name in progress.reply}
            yield event("stage", {"stage": progress.stage, "seconds": progress.seconds, **early, **progress.news})
    except Exception as error:
        problem = error
    if problem is None:
        yield event("end", {})
        return
    status, code, message, _ = told(problem)
    yield event("error", {"status_code": status, "message": message, "code": code})


def event(name: str, data: Any) -> bytes:
    """Write an event; JSON's escapes keep every line break and lone surrogate out of the stream."""
    return f"event: {name}\r\ndata: {json.dumps(data)}\r\n\r\n".encode()
