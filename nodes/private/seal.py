"""The first step: check the task and seal it under the thread's key."""

from time import perf_counter
from typing import Any

from langgraph.config import get_config
from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from gama.nodes.private.space import PrivateSpace
from gama.state.decisions import read_decisions
from gama.state.errors import InputError, LimitReached
from gama.state.options import Options
from gama.state.private import GamaState
from gama.state.seal import Sealed


def seal(state: GamaState, runtime: Runtime[Options], *, space: PrivateSpace) -> dict[str, Any]:
    """Seal the question.

    Raises:
        InputError: it is no text, or empty, or the decisions are not about it.
        LimitReached: it is longer than `max_chars`.
    """
    began = perf_counter()
    thread = state.get("thread") or thread_of(get_config())
    question = state["question"]
    if isinstance(question, Sealed):
        text = space.vault.open(thread, question).decode("utf-8", "surrogatepass")
    else:
        text = question
    check_question(text, space.settings(runtime).max_chars)
    read_decisions(state.get("decisions"), text)
    sealed = space.vault.seal(thread, text.encode("utf-8", "surrogatepass"))
    # Earlier turns of the thread leave their box; notes and seconds start anew.
    return {
        "thread": thread,
        "question": sealed,
        "sealed_question": sealed,
        "review_done": False,
        "warnings": Overwrite([]),
        "timings": Overwrite({"seal": perf_counter() - began}),
    }


def thread_of(config: Any) -> str:
    """Return the thread a run belongs to; runs without one share the name of a thread that is never kept."""
    return str((config.get("configurable") or {}).get("thread_id") or "unnamed")


def check_question(text: object, max_chars: int) -> None:
    """Refuse what is no text, empty, or too long."""
    if not isinstance(text, str):
        raise InputError("The question must be text: send {'question': '...'}.")
    if not text.strip():
        raise InputError("The question is empty. Give a text with a question or a task in it.")
    if "\x00" in text:
        raise InputError("The question has NUL bytes in it, so it is no text. Give plain text.")
    if len(text) > max_chars:
        raise LimitReached(
            f"The question has {len(text):,} characters; the limit is {max_chars:,}. "
            "Shorten it, or raise the option max_chars."
        )
