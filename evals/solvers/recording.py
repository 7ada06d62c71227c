"""What really reached the public model, and what it cost, as LangChain tells it.

A handler on the model itself, not on the run: the graph of GAMA lets no callback of a caller's in, and a model's own
goes with it wherever it is called.
"""

import json
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler, BaseCallbackManager
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, LLMResult

from gama.evals.solvers.base import Usage
from gama.models.names import estimate_tokens

ESTIMATED = "The provider reported no tokens for {} of {} calls: their counts are estimates."


class Recorded(NamedTuple):
    """What the runs of some threads sent, and what it cost."""

    sent: tuple[str, ...]
    """The requests in their order: all messages of each, joined by line breaks."""
    used: Usage
    notes: tuple[str, ...]
    """That tokens are estimated, where they are."""


@dataclass
class _Request:
    text: str
    used: Usage = field(default_factory=Usage)
    estimated: bool = False


class Recording(BaseCallbackHandler):
    """Keeps the requests of a model by the thread of the graph's run that made them, until they are taken."""

    raise_error = True
    run_inline = True

    def __init__(self) -> None:
        """Start with nothing."""
        self._lock = threading.Lock()
        self._requests: dict[str, list[_Request]] = {}
        self._open: dict[UUID, _Request] = {}

    @classmethod
    def of(cls, model: BaseChatModel) -> tuple[BaseChatModel, Self]:
        """Return a copy of a model that is recorded, and its recording."""
        recording = cls()
        others = model.callbacks.handlers if isinstance(model.callbacks, BaseCallbackManager) else model.callbacks or []
        return model.model_copy(update={"callbacks": [*others, recording]}), recording

    def on_chat_model_start(
        self,
        serialized: dict[str, Any],
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Keep a request."""
        request = _Request("\n".join(_text(message) for some in messages for message in some))
        with self._lock:
            self._requests.setdefault(str((metadata or {}).get("thread_id", "")), []).append(request)
            self._open[run_id] = request

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        """Keep what a request cost."""
        said = [one.message for some in response.generations for one in some if isinstance(one, ChatGeneration)]
        counted = [one.usage_metadata for one in said if isinstance(one, AIMessage) and one.usage_metadata]
        with self._lock:
            if (request := self._open.pop(run_id, None)) is None:
                return
            tokens = (sum(one["input_tokens"] for one in counted), sum(one["output_tokens"] for one in counted))
            request.estimated = not any(tokens)
            if request.estimated:
                tokens = (estimate_tokens(request.text), estimate_tokens(*map(_text, said)))
            request.used = Usage(1, *tokens)

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """Let a request go that got no reply: it was sent, and nobody says what it cost."""
        with self._lock:
            self._open.pop(run_id, None)

    def take(self, threads: Iterable[str]) -> Recorded:
        """Return what the runs of these threads sent, and forget it."""
        with self._lock:
            found = [request for thread in threads for request in self._requests.pop(thread, ())]
            # A call that was cancelled has neither end nor error.
            mine = {id(request) for request in found}
            self._open = {run: request for run, request in self._open.items() if id(request) not in mine}
        used = Usage(*map(sum, zip(*(request.used for request in found), strict=True))) if found else Usage()
        estimated = sum(request.estimated for request in found)
        notes = (ESTIMATED.format(estimated, used.calls),) if estimated else ()
        return Recorded(tuple(request.text for request in found), used, notes)


def _text(message: BaseMessage) -> str:
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    return "\n".join([message.text, *(json.dumps(call["args"], ensure_ascii=False) for call in calls)])
