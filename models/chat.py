"""`ChatClient`: the checked client over a LangChain chat model.

One call is a short conversation with the model's server: asked as the call wants it, again without
a parameter that the server refuses, again after a failure that may pass, until the deadline. The
conversation is written once (`_talk`) and driven by the sync and the async method.
"""

import asyncio
import json
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import Runnable, RunnableConfig

from gama.guard.egress import check_egress, quoting
from gama.guard.transports import call_timeout
from gama.models.calls import PublicCall, PublicReply, admit, clean_reply
from gama.models.faults import Fault, error_of, fault_of
from gama.models.names import Price, estimate_tokens
from gama.models.pacing import CLOCK, Backoff, Clock, Deadline, Pace
from gama.models.wire import (
    PROTOCOL,
    LastLook,
    Way,
    bound,
    instruction,
    is_refused,
    requests_of,
    turns_of,
    ways_of,
    wire_schema,
    with_tools,
    words_of,
    written,
)
from gama.state.errors import ModelReplyError, ToolsRefused

_PROTOCOL = (
    "model messages role system user assistant content temperature top_p stream options format keep_alive "
    "max_tokens max_completion_tokens num_predict"
)
"""Words of the wire format: they stand in every request, whatever the task is."""

_SAMPLING = ("temperature", "top_p")
_LENGTH = ("max_tokens", "num_predict", "max_output_tokens")

_CUT_SHORT = frozenset({"length", "max_tokens", "model_length"})
_FILTERED = frozenset({"content_filter", "safety", "recitation", "prohibited_content", "blocklist", "refusal"})
"""Why a model stopped, as OpenAI, Ollama, Anthropic, Mistral and Gemini say it."""


class _Send(NamedTuple):
    """Ask the model."""

    model: Runnable[Any, BaseMessage]
    messages: list[BaseMessage]
    own_words: tuple[str, ...]
    """Texts in the request that do not belong to the task."""
    deadline: Deadline


class _Wait(NamedTuple):
    """Wait before the next attempt."""

    seconds: float


_Talk = Generator[_Send | _Wait, BaseMessage | Exception | None, PublicReply]


class ChatClient:
    """The checked client over a LangChain chat model. Safe to share between threads and event loops."""

    note = ""
    tool_calling = True
    """Whether it can carry tools: in the provider's own way, or as JSON in the prompt."""

    def __init__(
        self,
        model: BaseChatModel,
        name: str,
        *,
        own_words: Sequence[str] = (),
        standalone: bool = False,
        timeout_s: float | None = None,
        backoff: Backoff | None = None,
        pace: Pace | None = None,
        price: Price | None = None,
        clock: Clock = CLOCK,
    ) -> None:
        """Take the model.

        Args:
            model: the LangChain model.
            name: what it is called in replies and errors.
            own_words: what requests contain because of the choice of model, such as its name: on the
                wire it is not a leak, even where a letter names somebody Claude.
            standalone: see `gama.models.public.public_client`.
            timeout_s: seconds one call may take, its retries included.
            backoff: when a call is made again; by default never where the model's library does it itself.
            pace: holds requests back; by default nothing does.
            price: what its tokens cost, where that is known.
            clock: the time.
        """
        self._model = model
        self.name = name
        self._own_words = (_PROTOCOL, name, *own_words)
        self._standalone = standalone
        self._timeout_s = timeout_s
        # A model that was handed over ready may retry by itself: twice over would be nine attempts.
        self._backoff = backoff or Backoff(retries=2 if getattr(model, "max_retries", 0) == 0 else 0)
        self._pace = pace or Pace()
        self.price = price
        self._clock = clock
        self._ways = ways_of(model)
        self._looked_at: RunnableConfig = {"callbacks": [LastLook(model)]}
        self._refused: set[str] = set()
        """What the server has refused so far, and is no longer asked: `sampling`, `length`, `schema`, `tool` (an object
        as a tool's arguments), `tools` (to be called by the model)."""

    @property
    def native_tools(self) -> bool:
        """Whether it takes tools in the provider's own way, as far as is known."""
        return "tools" not in self._refused

    def fingerprint(self, call: PublicCall) -> str:
        """Return what the reply depends on: the request's own content."""
        schema = None if call.sent_schema is None else wire_schema(call.sent_schema)
        turns = [(turn.requests, turn.results, turn.text) for turn in call.turns]
        parts = (self.name, call.system, call.user, schema, call.max_chars, call.tools, turns, call.closed)
        return json.dumps(parts, default=dict)

    def complete(self, call: PublicCall) -> PublicReply:
        """Answer a call; see `PublicClient.complete`."""
        talk = self._talk(call)
        try:
            step = next(talk)
            while True:
                if isinstance(step, _Wait):
                    self._clock.sleep(step.seconds)
                step = talk.send(None if isinstance(step, _Wait) else self._send(call, step))
        except StopIteration as done:
            reply: PublicReply = done.value
        return reply

    async def acomplete(self, call: PublicCall) -> PublicReply:
        """Answer a call; see `PublicClient.complete`. Cancelling closes the connection."""
        talk = self._talk(call)
        try:
            step = next(talk)
            while True:
                if isinstance(step, _Wait):
                    await self._clock.asleep(step.seconds)
                step = talk.send(None if isinstance(step, _Wait) else await self._asend(call, step))
        except StopIteration as done:
            reply: PublicReply = done.value
        return reply

    def _send(self, call: PublicCall, step: _Send) -> BaseMessage | Exception:
        with self._pace.slot() as waited, self._under_way(call, step, waited):
            try:
                return step.model.invoke(step.messages, self._looked_at)
            except Exception as error:
                return error

    async def _asend(self, call: PublicCall, step: _Send) -> BaseMessage | Exception:
        async with self._pace.aslot() as waited:
            with self._under_way(call, step, waited):
                try:
                    # The transport keeps the deadline too; this holds for libraries that take none of ours.
                    async with asyncio.timeout(step.deadline.left()):
                        try:
                            return await step.model.ainvoke(step.messages, self._looked_at)
                        except NotImplementedError:
                            # Local pipelines are sync only. A thread cannot be cancelled: its result is then dropped.
                            return await asyncio.to_thread(step.model.invoke, step.messages, self._looked_at)
                except Exception as error:
                    return error

    @contextmanager
    def _under_way(self, call: PublicCall, step: _Send, waited: float) -> Iterator[None]:
        step.deadline.put_off(waited)
        with quoting((*call.quoted, *step.own_words)), call_timeout(step.deadline.left()):
            yield

    def _talk(self, call: PublicCall) -> _Talk:
        """Lead the conversation: yields what is to be done next, takes its outcome, returns the reply.

        Raises:
            ToolsRefused: the model or its server takes no tools in the provider's way.
            GamaError: another failure, by its kind.
        """
        self._check(call)
        bounds = [bound_s for bound_s in (self._timeout_s, call.timeout_s) if bound_s is not None]
        deadline = Deadline(self._clock, min(bounds, default=None))
        # Experts run side by side: each goes by its own attempts, not by what another finds out meanwhile.
        without = set(self._refused)
        retries = 0
        while True:
            way = self._way(call, without)
            request = self._request(call, way, without, deadline)
            if request is None:
                without.add(way)
                self._refused.add(way)
                continue
            outcome = yield request
            if isinstance(outcome, BaseMessage):
                return self._reply(outcome, call)
            assert outcome is not None
            fault = fault_of(outcome, self._clock.utc())
            if (completion := _completion_in(fault)) is not None:
                return self._reply(completion, call)
            if part := self._refused_part(fault, call, way, without):
                without.add(part)
                self._refused.add(part)
                continue
            if call.tools and is_refused("tool", fault):
                raise self._without_tools()
            if fault.kind == "reply" and way != "words":
                # The library makes nothing of what came in this way; that may be chance, and is not remembered.
                without.add(way)
                continue
            wait = self._backoff.wait(fault, retries, deadline.left())
            if wait is None:
                raise error_of(fault, self.name)
            retries += 1
            yield _Wait(wait)
            if deadline.left() == 0:
                raise error_of(Fault("timeout"), self.name)

    def _check(self, call: PublicCall) -> None:
        admit(self._standalone)
        with quoting(call.quoted):
            check_egress("\n".join(call.texts))
        if call.sent_schema is not None:
            with quoting((*call.quoted, *self._words(call))):
                check_egress(json.dumps(wire_schema(call.sent_schema)))

    def _words(self, call: PublicCall) -> tuple[str, ...]:
        """Return the texts in a request that do not belong to the task."""
        words = self._own_words
        if call.sent_schema is not None:
            words = (*words, PROTOCOL, *words_of(call.sent_schema))
        if call.tools:
            words = (*words, PROTOCOL)
        return words if call.max_tokens is None else (*words, str(call.max_tokens))

    def _way(self, call: PublicCall, without: set[str]) -> Way:
        return "words" if call.sent_schema is None else next(way for way in self._ways if way not in without)

    def _request(self, call: PublicCall, way: Way, without: set[str], deadline: Deadline) -> _Send | None:
        """Return the request; None when the model's library does not know this way."""
        fields = type(self._model).model_fields
        changes: dict[str, Any] = {}
        if "sampling" in without:
            changes |= {field: None for field in _SAMPLING if field in fields}
        if call.max_tokens is not None and "length" not in without:
            field = next((field for field in _LENGTH if field in fields), None)
            if field is not None:
                own = getattr(self._model, field)
                changes[field] = min(own, call.max_tokens) if isinstance(own, int) and own > 0 else call.max_tokens
        model: Runnable[Any, Any] = self._model.model_copy(update=changes) if changes else self._model
        system = call.system
        if call.sent_schema is not None and way == "words":
            system = f"{system}\n\n{instruction(call.sent_schema)}".lstrip()
        elif call.sent_schema is not None:
            try:
                model = bound(model, way, call.sent_schema)
            except Exception:
                return None
        elif call.tools:
            try:
                model = with_tools(model, call)
            except NotImplementedError:
                # A class of LangChain's without tool calling says so before anything is sent.
                raise self._without_tools() from None
        # Some providers refuse a message without text.
        messages = [*([SystemMessage(system)] if system else []), HumanMessage(call.user), *turns_of(call)]
        return _Send(model, messages, self._words(call), deadline)

    def _without_tools(self) -> ToolsRefused:
        """Remember that this model takes no tools in the provider's way, and return the error that says so."""
        self._refused.add("tools")
        return ToolsRefused(f"The model {self.name!r} takes no tools in the provider's way.")

    def _refused_part(self, fault: Fault, call: PublicCall, way: Way, without: set[str]) -> str | None:
        """Return the part of the request that the server does not take and that may go; None: another fault."""
        if way != "words" and is_refused(way, fault):
            return way
        if fault.kind != "refused" or fault.status not in (400, 422):
            return None
        # Some reasoning models take no temperature.
        if "sampling" not in without and fault.names(*_SAMPLING) and hasattr(self._model, "temperature"):
            return "sampling"
        if "length" not in without and call.max_tokens is not None and fault.names("max_completion_tokens", *_LENGTH):
            return "length"
        return None

    def _reply(self, message: BaseMessage, call: PublicCall) -> PublicReply:
        text, cut = clean_reply(message.text if call.sent_schema is None else written(message), call.max_chars)
        end = _end(message)
        if message.additional_kwargs.get("refusal") or end == "refusal":
            raise ModelReplyError(f"The model {self.name!r} refused to answer.")
        if end in _FILTERED:
            raise error_of(Fault("filtered"), self.name)
        unfinished = end in _CUT_SHORT
        requests = requests_of(message, call)
        if not text and not requests and unfinished:
            raise ModelReplyError(
                f"The model {self.name!r} used up its tokens before it wrote an answer. Raise max_tokens or max_cost, "
                "shorten the task, or name a model that thinks less."
            )
        if not text and not requests:
            raise ModelReplyError(f"The model {self.name!r} gave an empty answer.")
        usage: Any = message.usage_metadata if isinstance(message, AIMessage) else None
        counts = (int((usage or {}).get("input_tokens") or 0), int((usage or {}).get("output_tokens") or 0))
        estimated = not any(counts)
        if estimated:
            said = [f"{request.name} {request.arguments}" for request in requests]
            counts = (estimate_tokens(*call.texts), estimate_tokens(text, *said))
        cached = int(((usage or {}).get("input_token_details") or {}).get("cache_read") or 0)
        named = str(message.response_metadata.get("model_name") or self.name)
        return PublicReply(
            text,
            clean_reply(named, 200)[0],
            *counts,
            cut=cut,
            unfinished=unfinished,
            estimated=estimated,
            cost=None if self.price is None else self.price.cost(*counts, cached),
            requests=requests,
            message=message if requests else None,
        )


def _end(message: BaseMessage) -> str:
    """Return why the model stopped, in lower case."""
    known = message.response_metadata
    return str(known.get("finish_reason") or known.get("stop_reason") or known.get("done_reason") or "").lower()


def _completion_in(fault: Fault) -> AIMessage | None:
    """Return the unfinished reply that OpenAI's library raises instead of returning it, when a schema was asked for."""
    if type(fault.error).__name__ != "LengthFinishReasonError":
        return None
    completion = getattr(fault.error, "completion", None)
    choice = next(iter(getattr(completion, "choices", None) or ()), None)
    if choice is None:
        return None
    usage = getattr(completion, "usage", None)
    counts = (getattr(usage, "prompt_tokens", 0) or 0, getattr(usage, "completion_tokens", 0) or 0)
    return AIMessage(
        content=getattr(choice.message, "content", None) or "",
        response_metadata={"finish_reason": "length", "model_name": getattr(completion, "model", "")},
        usage_metadata={"input_tokens": counts[0], "output_tokens": counts[1], "total_tokens": sum(counts)},
    )
