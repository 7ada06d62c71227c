"""The tracer of the public side: a LangSmith client that sends no record with a private value in it.

Nothing is traced unless the option `trace` asks for it, and then the public graph only: it runs in a context of its
own whose tracer this is. Every record is serialised as it would be sent, OpenTelemetry's included, and goes past the
task's egress first; one with a private value in it is withheld, and the reply says how many were.
"""

from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from functools import cache
from typing import Any

from gama.guard.egress import EGRESS
from gama.state.errors import LeakError, OptionError

WITHHELD: ContextVar[list[str] | None] = ContextVar("gama_withheld", default=None)
"""Names of the records that were withheld in the running task."""

_OURS = frozenset({
    "id", "trace_id", "parent_run_id", "dotted_order", "start_time", "end_time", "session_id", "reference_example_id",
})  # fmt: skip
"""Fields that the tracer itself makes up, ids and times: a date in a letter is not theirs."""

_FORM = frozenset({
    "ls_provider", "ls_model_name", "ls_model_type", "ls_integration", "ls_method", "langgraph_node",
    "langgraph_checkpoint_ns", "checkpoint_ns", "thread_id",
})  # fmt: skip
"""Metadata of the libraries: provider, model and node, whatever the task is."""
_CALL = frozenset({"model", "model_name", "_type"})
"""Parameters of a call that tell which model it goes to."""


@cache
def public_tracer() -> Any:
    """Return the process's checked client of LangSmith, set up by LangSmith's own environment variables.

    Raises:
        OptionError: it cannot be set up.
    """
    from langsmith import Client

    class CheckedClient(Client):
        """A client that looks at every record before it is queued, on the thread and in the context of its run."""

        def create_run(self, name: str, inputs: dict[str, Any], run_type: Any, **kwargs: Any) -> None:
            if passes({"name": name, "inputs": inputs, "run_type": run_type, **kwargs}):
                super().create_run(name, inputs, run_type, **kwargs)

        def update_run(self, run_id: Any, **kwargs: Any) -> None:
            if passes(kwargs):
                super().update_run(run_id, **kwargs)

    problem: str
    try:
        # What the environment says of the machine is nobody's business, and would be added after the check.
        return CheckedClient(omit_traced_runtime_info=True)
    except Exception as error:
        problem = type(error).__name__
    raise OptionError(
        f"option 'trace': the LangSmith client cannot be set up ({problem}). Set LANGSMITH_API_KEY, and "
        "LANGSMITH_ENDPOINT for a server of your own; or leave the option off."
    )


def passes(record: Mapping[str, Any]) -> bool:
    """Return whether a record may be sent; one that may not is noted, and its run goes on."""
    egress = EGRESS.get()
    withheld = WITHHELD.get()
    try:
        if egress is None:
            raise LeakError("A trace record was withheld: no guard is set for this task.")
        # What the public model itself wrote is no leak to it, but the tracer is somebody else: nothing is quoted.
        egress.check(_written(record), quoted=tuple(_form_of(record)))
    except LeakError:
        if withheld is not None:
            withheld.append(str(record.get("name")))
        return False
    return True


def _written(record: Mapping[str, Any]) -> bytes:
    """Return a record as it is sent, without ids and times."""
    from langsmith._internal._serde import dumps_json

    bare = {key: value for key, value in record.items() if key not in _OURS}
    if events := bare.get("events"):
        bare["events"] = [{key: value for key, value in event.items() if key != "time"} for event in events]
    return dumps_json(bare)


def _form_of(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield the words that a record has because of the libraries and the choice of model, whatever the task is."""
    extra = record.get("extra") or {}
    for part, known in ((extra.get("metadata"), _FORM), (extra.get("invocation_params"), _CALL)):
        yield from (str(value) for key, value in (part or {}).items() if key in known)
    yield from ((record.get("serialized") or {}).get("id") or ())
