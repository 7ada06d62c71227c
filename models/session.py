"""What the calls of one task have in common: the memo of its replies and the account of what it spends.

What one task has asked already is not sent again; those who ask at the same time wait for the first. Before a call its
tokens are estimated and reserved, so that experts side by side cannot spend the same rest twice; after it they are
counted as the server says. While a budget is set, the length of every reply is bounded, so that a call cannot exceed
it: it may use a quarter of what is left.
"""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from gama.models.calls import PublicCall, PublicClient, PublicReply
from gama.models.names import Price, estimate_tokens
from gama.state.errors import GamaError, LimitReached, ModelTimeout, OptionError
from gama.state.task import PublicLimits

SHORTEST_REPLY = 256
"""Tokens of room without which no call is made: a shorter reply is of no use."""

SHARE = 4
"""A call may use one part in so many of what is left."""


@dataclass(frozen=True)
class Reserved:
    """What one call may spend."""

    input_tokens: int
    reply_tokens: int | None
    """Tokens its reply may have; None without a bound."""
    tokens: int
    cost: float


class Ledger:
    """The account of one task. Safe to share between threads."""

    def __init__(self) -> None:
        """Open it: nothing spent, no bounds."""
        self._lock = threading.Lock()
        self._bounds: PublicLimits | None = None
        self._calls = 0
        self._tokens = 0
        self._cost = 0.0
        self._reserved: list[Reserved] = []

    def bind(self, bounds: PublicLimits) -> None:
        """Set the task's bounds."""
        with self._lock:
            self._bounds = bounds

    def note(self, usage: Mapping[str, int]) -> None:
        """Take over what a task has spent by the graph's own count, which knows more after a resumption."""
        with self._lock:
            self._calls = max(self._calls, usage.get("calls", 0))
            self._tokens = max(self._tokens, usage.get("input_tokens", 0) + usage.get("output_tokens", 0))
            self._cost = max(self._cost, usage.get("cost_microusd", 0) / 1e6)

    def reserve(self, call: PublicCall, price: Price | None, name: str) -> Reserved:
        """Reserve what a call may spend.

        Raises:
            LimitReached: the task's bounds leave no room for it; nothing was sent.
            OptionError: a budget in dollars is set and the model has no price.
        """
        needed = estimate_tokens(*call.texts)
        with self._lock:
            made = self._calls + len(self._reserved)
            if self._bounds is not None and made >= self._bounds.max_calls:
                raise LimitReached(f"The task has made its {self._bounds.max_calls} calls to the public model.")
            free = _least(self._free_tokens(), self._affordable(price, name, needed))
            reply_tokens = None
            if free is not None:
                if free < needed + SHORTEST_REPLY:
                    raise LimitReached(self._refusal())
                reply_tokens = max(SHORTEST_REPLY, (free - needed) // SHARE)
            cost = 0.0 if price is None else price.cost(needed, reply_tokens or 0)
            reserved = Reserved(needed, reply_tokens, needed + (reply_tokens or 0), cost)
            self._reserved.append(reserved)
            return reserved

    def settle(self, reserved: Reserved, reply: PublicReply | None, error: BaseException | None = None) -> None:
        """Count what a call has spent.

        Args:
            reserved: what was reserved for it.
            reply: its reply, or None when it failed.
            error: why it failed. One without an answer in time has very probably been paid for.
        """
        with self._lock:
            self._reserved.remove(reserved)
            self._calls += 1
            if reply is not None:
                self._tokens += reply.input_tokens + reply.output_tokens
                self._cost += reply.cost or 0.0
            elif isinstance(error, ModelTimeout):
                self._tokens += reserved.input_tokens
                self._cost += reserved.cost

    @property
    def untouched(self) -> bool:
        """Whether no call has been made and none is under way."""
        with self._lock:
            return not self._calls and not self._reserved

    def _free_tokens(self) -> int | None:
        if self._bounds is None or self._bounds.max_tokens is None:
            return None
        return self._bounds.max_tokens - self._tokens - sum(r.tokens for r in self._reserved)

    def _affordable(self, price: Price | None, name: str, input_tokens: int) -> int | None:
        """Return how many tokens the rest of the money buys, when so many of them are input."""
        if self._bounds is None or self._bounds.max_cost is None:
            return None
        if price is None:
            raise OptionError(
                f"There is no price for {name!r}, so max_cost cannot be kept. Give it with the option prices, or set "
                "max_tokens instead."
            )
        left = self._bounds.max_cost - self._cost - sum(r.cost for r in self._reserved)
        left -= price.cost(input_tokens, 0)
        if left < 0:
            return 0
        return None if price.output == 0 else input_tokens + int(left * 1e6 / price.output)

    def _refusal(self) -> str:
        bounds = []
        assert self._bounds is not None
        if self._bounds.max_tokens is not None:
            bounds.append(f"{self._tokens:,} of {self._bounds.max_tokens:,} tokens")
        if self._bounds.max_cost is not None:
            bounds.append(f"{self._cost:.4f} of {self._bounds.max_cost:g} US dollars")
        option = "max_tokens" if self._bounds.max_cost is None else "max_cost"
        return (
            f"The budget of the task leaves no room for the next call ({' and '.join(bounds)} spent). Raise {option}, "
            "shorten the task, or ask fewer experts (k) or rounds (max_rounds)."
        )


def _least(*bounds: int | None) -> int | None:
    return min((bound for bound in bounds if bound is not None), default=None)


class _Left(Exception):
    """The first who asked went away (cancelled): the next takes its place."""


class Memo:
    """The replies of one task by what they depend on. Safe to share between threads and event loops."""

    def __init__(self) -> None:
        """Start with nothing asked."""
        self._lock = threading.Lock()
        self._asked: dict[bytes, Future[PublicReply]] = {}

    def get(self, fingerprint: str, ask: Callable[[], PublicReply]) -> PublicReply:
        """Return the reply, known or asked for now. A failure is shared with those who wait, and not kept."""
        while True:
            key, future, first = self._enter(fingerprint)
            if first:
                with self._asking(key, future):
                    reply = ask()
                    future.set_result(reply)
                return reply
            future.exception()
            if (known := _known(future)) is not None:
                return known

    async def aget(self, fingerprint: str, ask: Callable[[], Awaitable[PublicReply]]) -> PublicReply:
        """Return the reply; see `get`. Cancelling one who waits does not disturb the first."""
        while True:
            key, future, first = self._enter(fingerprint)
            if first:
                with self._asking(key, future):
                    reply = await ask()
                    future.set_result(reply)
                return reply
            answered: Any = asyncio.gather(asyncio.wrap_future(future), return_exceptions=True)
            await asyncio.shield(answered)
            if (known := _known(future)) is not None:
                return known

    def _enter(self, fingerprint: str) -> tuple[bytes, "Future[PublicReply]", bool]:
        key = sha256(fingerprint.encode("utf-8", "surrogatepass")).digest()
        with self._lock:
            first = key not in self._asked
            return key, self._asked.setdefault(key, Future()), first

    @contextmanager
    def _asking(self, key: bytes, future: "Future[PublicReply]") -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            with self._lock:
                self._asked.pop(key, None)
            future.set_exception(error if isinstance(error, Exception) else _Left())
            raise


def _known(future: "Future[PublicReply]") -> PublicReply | None:
    """Return what the first who asked was answered, or None where that one went away; raises what it met with."""
    error = future.exception()
    if error is None:
        return again(future.result())
    if isinstance(error, _Left):
        return None
    # One exception object raised on several threads would mix their tracebacks.
    raise type(error)(*error.args) if isinstance(error, GamaError) else error


def again(reply: PublicReply) -> PublicReply:
    """Return a reply as one that cost nothing, because an identical call had been answered."""
    return replace(reply, calls=0, input_tokens=0, output_tokens=0, cost=None if reply.cost is None else 0.0)


class Session:
    """One run of a task: its replies and its account. Safe to share between threads and event loops."""

    def __init__(self) -> None:
        """Start one."""
        self.memo = Memo()
        self.ledger = Ledger()
        self.bind = self.ledger.bind
        """Sets the bounds of the task."""


class TaskClient:
    """The client of one task: asks nothing twice, and nothing beyond the task's budget. Else it is the model's."""

    def __init__(self, client: PublicClient, session: Session) -> None:
        """Take the model's client and the task's session."""
        self._client = client
        self._session = session
        self.name = client.name
        self.price = client.price

    def __getattr__(self, name: str) -> Any:
        """Be the model's client in everything else, such as what it knows of tools."""
        return getattr(self._client, name)

    @property
    def note(self) -> str:
        """What the user must know about its answers."""
        return self._client.note

    @property
    def untouched(self) -> bool:
        """Whether the task has spent nothing yet."""
        return self._session.ledger.untouched

    def fingerprint(self, call: PublicCall) -> str:
        """Return what the reply depends on; samples of one prompt have a fingerprint each."""
        return f"{call.sample}\n{self._client.fingerprint(call)}"

    def complete(self, call: PublicCall) -> PublicReply:
        """Answer a call; see `PublicClient.complete`.

        Raises:
            LimitReached: the task's budget leaves no room for it; nothing was sent.
        """

        def ask() -> PublicReply:
            with self._booked(call) as (bounded, replies):
                replies.append(self._client.complete(bounded))
            return replies[0]

        return self._session.memo.get(self.fingerprint(call), ask)

    async def acomplete(self, call: PublicCall) -> PublicReply:
        """Answer a call; see `complete`."""

        async def ask() -> PublicReply:
            with self._booked(call) as (bounded, replies):
                replies.append(await self._client.acomplete(bounded))
            return replies[0]

        return await self._session.memo.aget(self.fingerprint(call), ask)

    @contextmanager
    def _booked(self, call: PublicCall) -> Iterator[tuple[PublicCall, list[PublicReply]]]:
        """Reserve what a call may spend while it is made, and count what it has spent by the reply that is noted."""
        ledger = self._session.ledger
        reserved = ledger.reserve(call, self.price, self.name)
        replies: list[PublicReply] = []
        try:
            yield call if reserved.reply_tokens is None else replace(call, max_tokens=reserved.reply_tokens), replies
        except BaseException as error:
            ledger.settle(reserved, None, error)
            raise
        ledger.settle(reserved, replies[0])
