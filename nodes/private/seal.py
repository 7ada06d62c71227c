"""The first step: check the task and seal it under the thread's key."""

from time import perf_counter
from typing import Any

from langgraph.config import get_config
from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from gama.nodes.private.space import PrivateSpace
from gama.privacy.question import check_question, query_of, with_query
from gama.state.decisions import read_decisions
from gama.state.options import Options
from gama.state.private import GamaState
from gama.state.private_text import Sealed


def seal(state: GamaState, runtime: Runtime[Options], *, space: PrivateSpace) -> dict[str, Any]:
    """Seal the question.

    Raises:
        InputError: it is no text, or empty, or the decisions are not about it.
        LimitReached: it is longer than `max_chars`.
    """
    began = perf_counter()
    thread = state.get("thread") or thread_of(get_config())
    question, query = (_opened(part, thread, space) for part in (state["question"], state.get("query")))
    check_question(question, space.settings(runtime).max_chars)
    text, query_at = with_query(question, query_of({"query": query}))
    if query_at:
        check_question(text, space.settings(runtime).max_chars)
    read_decisions(state.get("decisions"), question)
    sealed = _closed(text, thread, space)
    # Earlier turns of the thread leave their box; notes and seconds start anew.
    return {
        "thread": thread,
        "question": _closed(question, thread, space) if query_at else sealed,
        "query": _closed(text[query_at:], thread, space) if query_at else None,
        "sealed_question": sealed,
        "query_at": query_at,
        "review_done": False,
        "warnings": Overwrite([]),
        "timings": Overwrite({"seal": perf_counter() - began}),
    }


def _opened(part: Any, thread: str, space: PrivateSpace) -> Any:
    """Open what is sealed; what is not comes back as it is, to be checked."""
    return space.vault.open(thread, part).decode("utf-8", "surrogatepass") if isinstance(part, Sealed) else part


def _closed(part: str, thread: str, space: PrivateSpace) -> Sealed:
    return space.vault.seal(thread, part.encode("utf-8", "surrogatepass"))


def thread_of(config: Any) -> str:
    """Return the thread a run belongs to; runs without one share the name of a thread that is never kept."""
    return str((config.get("configurable") or {}).get("thread_id") or "unnamed")
