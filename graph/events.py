"""Events of a run that nothing listens to: callbacks are cut off from it, so its own stream tells them."""

import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

Event = dict[str, Any]


async def run_events(
    name: str,
    given: Any,
    chunks: AsyncIterator[Any],
    output: Callable[[], Any],
    *,
    include_names: Sequence[str] | None = None,
    include_types: Sequence[str] | None = None,
    include_tags: Sequence[str] | None = None,
    exclude_names: Sequence[str] | None = None,
    exclude_types: Sequence[str] | None = None,
    exclude_tags: Sequence[str] | None = None,
) -> AsyncIterator[Event]:
    """Yield the events of a run as LangChain's `astream_events` names them: its start, its chunks, its end.

    Args:
        name: the name of the runnable.
        given: its input, for its caller to see again.
        chunks: what it streams.
        output: gives the outcome once all chunks are there.
        include_names: as in LangChain: events of these names, types or tags only; a run has the type `chain`, no tag.
        include_types: see `include_names`.
        include_tags: see `include_names`.
        exclude_names: all events but those of these names, types or tags.
        exclude_types: see `exclude_names`.
        exclude_tags: see `exclude_names`.
    """
    everything = include_names is None and include_types is None and include_tags is None
    named = name in (include_names or ()) or "chain" in (include_types or ())
    left_out = name in (exclude_names or ()) or "chain" in (exclude_types or ())
    wanted = (everything or named) and not left_out
    base = {"run_id": str(uuid.uuid4()), "name": name, "tags": [], "metadata": {}, "parent_ids": []}
    if wanted:
        yield {"event": "on_chain_start", "data": {"input": given}, **base}
    async for chunk in chunks:
        if wanted:
            yield {"event": "on_chain_stream", "data": {"chunk": chunk}, **base}
    if wanted:
        yield {"event": "on_chain_end", "data": {"output": output()}, **base}
