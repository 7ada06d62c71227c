"""`Session` and `TaskClient`: what the calls of one task have in common, the memo and the account."""

from dataclasses import replace

from gama.models.calls import PublicCall, PublicClient, PublicReply
from gama.models.ledger import Bounds, Ledger, Reserved
from gama.models.memo import Memo
from gama.models.prices import Price
from gama.state.task import PublicLimits


class Session:
    """One run of a task: its replies and its account. Safe to share between threads and event loops."""

    def __init__(self) -> None:
        """Start one."""
        self.memo = Memo()
        self.ledger = Ledger()

    def bind(self, limits: PublicLimits) -> None:
        """Set the bounds of the task."""
        self.ledger.bind(Bounds(limits.max_calls, limits.max_tokens, limits.max_cost))


class TaskClient:
    """The client of one task: asks nothing twice, and nothing beyond the task's budget."""

    def __init__(self, client: PublicClient, session: Session) -> None:
        """Take the model's client and the task's session."""
        self._client = client
        self._session = session

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._client.name

    @property
    def note(self) -> str:
        """What the user must know about its answers."""
        return self._client.note

    @property
    def price(self) -> Price | None:
        """What its tokens cost."""
        return self._client.price

    @property
    def tool_calling(self) -> bool:
        """Whether the model can carry tools at all; a client that does not say so cannot."""
        return bool(getattr(self._client, "tool_calling", False))

    @property
    def native_tools(self) -> bool:
        """Whether it takes them in the provider's own way, as far as is known."""
        return bool(getattr(self._client, "native_tools", True))

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
            reserved = self._reserve(call)
            try:
                reply = self._client.complete(_bounded(call, reserved))
            except BaseException as error:
                self._session.ledger.settle(reserved, None, error)
                raise
            self._session.ledger.settle(reserved, reply)
            return reply

        return self._session.memo.get(self.fingerprint(call), ask)

    async def acomplete(self, call: PublicCall) -> PublicReply:
        """Answer a call; see `complete`."""

        async def ask() -> PublicReply:
            reserved = self._reserve(call)
            try:
                reply = await self._client.acomplete(_bounded(call, reserved))
            except BaseException as error:
                self._session.ledger.settle(reserved, None, error)
                raise
            self._session.ledger.settle(reserved, reply)
            return reply

        return await self._session.memo.aget(self.fingerprint(call), ask)

    def _reserve(self, call: PublicCall) -> Reserved:
        return self._session.ledger.reserve(call, self.price, self.name)


def _bounded(call: PublicCall, reserved: Reserved) -> PublicCall:
    return call if reserved.reply_tokens is None else replace(call, max_tokens=reserved.reply_tokens)
