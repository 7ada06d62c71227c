"""Asking a method about an item: what was paid for is kept at once, and never asked again.

Two files a method and data set: the finished items, and every reply of the public model to items that are not finished.
A killed run loses the requests that were under way, and nothing else. Inspect's own resumption keeps finished samples
too, but not the replies of a method's earlier calls, nor what it has not yet flushed.
"""

import asyncio
import hashlib
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from langchain_core.caches import RETURN_VAL_TYPE, BaseCache
from langchain_core.messages import BaseMessage, message_to_dict, messages_from_dict
from langchain_core.outputs import ChatGeneration

from gama.evals.datasets.problem import Problem
from gama.evals.datasets.source import digest_text
from gama.evals.ledger import Ledger
from gama.evals.metrics.resources import Meter, Used
from gama.evals.solvers.base import Solution, Solver, Usage
from gama.guard.connections import shared_connections
from gama.models.names import Price, estimate_tokens
from gama.state.errors import GamaError, LimitReached, ModelDenied, ModelUnknown, OptionError

STOPPING = (ModelDenied, ModelUnknown, OptionError)
"""What is wrong with every item alike: the run stops at the first."""


class Replies(BaseCache):
    """The replies of a model in one epoch of a run, by request; a repeated request has its own reply.

    Args:
        ledger: keeps them.
        epoch: whose they are.
        paid: told the tokens read and written by each, those kept before included.
    """

    def __init__(self, ledger: Ledger, epoch: int, paid: Callable[[int, int], None] | None = None) -> None:
        """Take the replies that were kept before."""
        self._ledger, self._epoch, self._lock = ledger, epoch, threading.Lock()
        self._paid = paid or (lambda read, written: None)
        for row in ledger.rows:
            if row["epoch"] == epoch:
                self._paid(*row.get("tokens", (0, 0)))
        self._known = {row["key"]: row["replies"] for row in ledger.rows if row["epoch"] == epoch}
        self._asked: Counter[str] = Counter()
        self._open: dict[str, list[int]] = {}

    def lookup(self, prompt: str, llm_string: str) -> RETURN_VAL_TYPE | None:
        """Return the kept reply to a request, the second one when it is made a second time, and so on."""
        request = _digest(prompt, llm_string)
        with self._lock:
            number = self._asked[request]
            self._asked[request] += 1
            found = self._known.get(f"{request}-{number}")
            if found is None:
                self._open.setdefault(request, []).append(number)
                return None
        return [ChatGeneration(message=message) for message in messages_from_dict(found)]

    def update(self, prompt: str, llm_string: str, return_val: RETURN_VAL_TYPE) -> None:
        """Keep a reply."""
        request = _digest(prompt, llm_string)
        with self._lock:
            waiting = self._open.get(request)
            number = waiting.pop(0) if waiting else self._asked[request]
        messages = [one.message for one in return_val if isinstance(one, ChatGeneration)]
        tokens = _tokens(prompt, messages)
        replies = [message_to_dict(one) for one in messages]
        self._ledger.add({"epoch": self._epoch, "key": f"{request}-{number}", "replies": replies, "tokens": tokens})
        self._paid(*tokens)

    async def alookup(self, prompt: str, llm_string: str) -> RETURN_VAL_TYPE | None:
        """Return the kept reply to a request; see `lookup`."""
        return self.lookup(prompt, llm_string)

    async def aupdate(self, prompt: str, llm_string: str, return_val: RETURN_VAL_TYPE) -> None:
        """Keep a reply."""
        self.update(prompt, llm_string, return_val)

    def clear(self, **kwargs: Any) -> None:
        """Forget what is known in memory; the file stays."""
        with self._lock:
            self._known.clear()


def _tokens(prompt: str, replies: Sequence[BaseMessage]) -> tuple[int, int]:
    """Return the tokens read and written, estimated where the provider does not count them."""
    counted = [used for one in replies if (used := getattr(one, "usage_metadata", None))]
    if counted:
        return sum(one["input_tokens"] for one in counted), sum(one["output_tokens"] for one in counted)
    return estimate_tokens(prompt), sum(estimate_tokens(str(one.text)) for one in replies)


def _digest(prompt: str, llm_string: str) -> str:
    return hashlib.sha256(f"{llm_string}\0{prompt}".encode("utf-8", "replace")).hexdigest()


class Budget:
    """What a run may spend: an item begins when it will probably stay within, and none is broken off.

    The first item goes alone, so that what an item costs is known of the others.

    Args:
        most: US dollars, or None for no bound.
    """

    def __init__(self, most: float | None) -> None:
        """Nothing is spent yet."""
        self.spent = 0.0
        self._most = most
        self._paid = self._under_way = 0
        self._moved: asyncio.Condition | None = None

    def count(self, money: float | None) -> None:
        """Count what an item cost, in this run or before."""
        self.spent += money or 0.0
        self._paid += 1

    def count_judge(self, money: float) -> None:
        """Count what a verdict cost, in this run or before."""
        self.spent += money

    async def begin(self) -> None:
        """Wait until an item may begin.

        Raises:
            LimitReached: it would go over the bound, and nothing is under way any more.
        """
        if self._moved is None:
            self._moved = asyncio.Condition()
        async with self._moved:
            while self._most is not None and not self._fits(self._most):
                if not self._under_way:
                    # Those that wait beside this one are to end likewise.
                    self._moved.notify_all()
                    raise LimitReached(
                        f"The budget of ${self._most:g} is spent (${self.spent:.4f}): what was answered is kept. Run "
                        "the same command with a higher --max-cost to go on."
                    )
                await self._moved.wait()
            self._under_way += 1

    async def end(self) -> None:
        """Note that an item has ended."""
        assert self._moved is not None
        async with self._moved:
            self._under_way -= 1
            self._moved.notify_all()

    def _fits(self, most: float) -> bool:
        if not self._paid:
            return not self._under_way and most > 0
        return self.spent + (self._under_way + 1) * self.spent / self._paid <= most


class Bill:
    """What the judge of one method on one data set costs, in this run or before.

    Args:
        budget: of the whole run.
        price: of the judge, where it is known.
    """

    def __init__(self, budget: Budget, price: Price | None) -> None:
        """Nothing is spent yet."""
        self._budget, self._price = budget, price
        self.calls = 0
        self.money = None if price is None else 0.0

    def add(self, read: int, written: int) -> None:
        """Count a verdict."""
        self.calls += 1
        if self._price is not None:
            money = self._price.cost(read, written)
            self.money = (self.money or 0.0) + money
            self._budget.count_judge(money)


class Answered(NamedTuple):
    """What became of an item."""

    id: str
    epoch: int
    asked: str
    """SHA-256 of the prompt: an answer to another one is not taken for it."""
    answer: str
    sent: Sequence[str]
    used: Mapping[str, float | None]
    notes: Sequence[str]
    trace: Mapping[str, Any]
    failed: str = ""
    """The class of the error, where no answer could be had."""
    why: str = ""
    """What an error of ours said, which quotes nothing private."""


class Desk:
    """Where the items of one data set are given to one method, and their answers are kept.

    Args:
        solvers: the method, once for each epoch, each with its own replies.
        kept: the finished items.
        budget: of the whole run.
        price: of the public model, where it is known.
        step: told after each item.
        at_once: items under way at a time.
    """

    def __init__(
        self,
        solvers: Sequence[Solver],
        kept: Ledger,
        budget: Budget,
        price: Price | None,
        step: Callable[[str], None],
        at_once: int = 1,
    ) -> None:
        """Take what was finished before; what it cost counts."""
        self._solvers, self._kept, self._budget = solvers, kept, budget
        self._price, self._step = price, step
        self._places = asyncio.Semaphore(at_once)
        # What was kept before its price was known costs the same.
        rows = (Answered(**(row | {"used": priced(row["used"], price)})) for row in kept.rows)
        self._done = {(one.id, one.epoch, one.asked): one for one in rows}
        self.name = solvers[0].name
        self.stopped: GamaError | None = None
        """What ended the run: Inspect gives the text of an error alone."""
        for one in self._done.values():
            budget.count(one.used["money"])

    def has(self, problem: Problem, epoch: int) -> bool:
        """Return whether an item is finished."""
        return (problem.id, epoch, digest_text(problem.prompt)) in self._done

    async def answer(self, problem: Problem, epoch: int) -> Answered:
        """Return what the method answers, or has answered before.

        Raises:
            LimitReached: the budget is spent.
            GamaError: something is wrong that is wrong with every item.
        """
        asked = digest_text(problem.prompt)
        if (found := self._done.get((problem.id, epoch, asked))) is None:
            found = await self._begun(problem, epoch, asked)
        self._step(self.name)
        return found

    async def _begun(self, problem: Problem, epoch: int, asked: str) -> Answered:
        # Those that wait keep the connections of those under way for themselves.
        async with shared_connections(), self._places:
            if self.stopped is not None:
                raise self.stopped
            try:
                await self._budget.begin()
                try:
                    return await self._ask(problem, epoch, asked)
                finally:
                    await self._budget.end()
            except GamaError as error:
                self.stopped = error
                raise

    async def _ask(self, problem: Problem, epoch: int, asked: str) -> Answered:
        meter = Meter()
        failed = why = ""
        solution = Solution("", ())
        try:
            with meter:
                solution = await self._solvers[epoch - 1].solve(problem)
        except STOPPING:
            raise
        except Exception as error:  # whatever a provider raises: the other items go on
            failed, why = type(error).__name__, str(error) if isinstance(error, GamaError) else ""
        used = measured(solution.used, self._price, meter.used)
        answered = Answered(
            problem.id, epoch, asked, solution.answer, list(solution.sent), used, list(solution.notes),
            dict(solution.trace), failed, why,
        )  # fmt: skip
        if not failed:
            # A failure is asked again in the next run; what is answered is kept before anything else happens.
            self._kept.add(answered._asdict())
            self._done[problem.id, epoch, asked] = answered
            self._budget.count(used["money"])
        return answered


def measured(used: Usage, price: Price | None, took: Used) -> dict[str, float | None]:
    """Return what an item took; memory and processor are the process's, whatever else is under way in it.

    Args:
        used: calls and tokens.
        price: of the model.
        took: by the meter.
    """
    taken = {
        "calls": used.calls,
        "input_tokens": used.input_tokens,
        "output_tokens": used.output_tokens,
        "seconds": round(took.seconds, 4),
        "peak_rss_mb": round(took.peak_rss_mb, 2),
        "cpu_percent": round(took.cpu_percent, 2),
        "gpu_mb": round(took.gpu_mb or 0.0, 2),
        "beside": took.beside,
    }
    return priced(taken, price)


def priced(used: Mapping[str, Any], price: Price | None) -> dict[str, float | None]:
    """Return what an item took with its money: None where no price is known."""
    money = None if price is None else price.cost(used["input_tokens"], used["output_tokens"])
    return {**used, "money": money}
