"""Models that play roles, called once for each question whatever becomes of the run: what was paid for is kept.

Each text has a dialogue: its calls in their order. A run that is stopped and begun again goes through the dialogues
anew and takes every reply that is there already; the first call that is not, is made.
"""

import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from langchain_core.language_models import BaseChatModel

from gama.evals.ledger import Ledger
from gama.models.faults import Fault
from gama.models.names import FREE, Price, Prices, estimate_tokens, is_hosted, price_of
from gama.models.pacing import Backoff
from gama.models.private import Decoding, PrivateModel, private_model
from gama.privacy.finders import Complete
from gama.state.errors import InputError, LimitReached, ModelTimeout, ModelUnreachable, OptionError
from gama.state.private_text import PrivateText

_T = TypeVar("_T")
_R = TypeVar("_R")
Role = Literal["anonymizer", "attacker", "judge"]
ROLES: tuple[Role, ...] = ("anonymizer", "attacker", "judge")

WRITTEN: Mapping[Role, int] = {"attacker": 500, "judge": 120, "anonymizer": 80}
"""Tokens of a reply, where nothing is known yet, by rule of thumb; of a rewriting beside the text's own."""

BACKOFF = Backoff(retries=4, first_s=1.0, longest_s=20.0)


class Teacher(NamedTuple):
    """A model in a role."""

    name: str
    model: BaseChatModel
    price: Price | None
    """None where nobody said."""

    def at(self, temperature: float) -> "Teacher":
        """Return it with a temperature, where the model has one to set."""
        if "temperature" not in type(self.model).model_fields:
            return self
        return self._replace(model=self.model.model_copy(update={"temperature": temperature}))


def make_teacher(
    choice: str | BaseChatModel, *, base_url: str | None = None, trusted: bool = False, prices: Prices = None,
    seed: int = 0, reply_tokens: int = 1024, device: str | None = None, timeout_s: float = 120.0,
) -> Teacher:  # fmt: skip
    """Return a model for a role.

    Args:
        choice: a name such as `openai:gpt-4o` or `huggingface:DIR`, or a LangChain model.
        base_url: address of its server.
        trusted: whether a hosted model may read the texts.
        prices: prices that go before the built-in ones.
        seed: of the sampling, where the model takes one.
        reply_tokens: the longest reply.
        device: where a checkpoint runs, as torch names it.
        timeout_s: seconds one call may take.

    Raises:
        OptionError: the model is hosted and not trusted, or the prices cannot be read.
        ModelError: there is no such model.
    """
    decoding = Decoding(max_tokens=reply_tokens, device=device)
    made = private_model(
        choice, base_url=base_url, trusted=trusted, seed=seed, timeout_s=timeout_s, decoding=decoding
    )  # fmt: skip
    if isinstance(choice, str):
        price = price_of(choice, prices) or (None if is_hosted(choice, base_url) else FREE)
        return Teacher(choice, made.model, price)
    named = getattr(choice, "model_name", None) or getattr(choice, "model", None)
    return Teacher(made.name, made.model, price_of(f"{getattr(choice, '_llm_type', '')}:{named}", prices))


def make_teachers(
    named: Mapping[Role, str | None], *, base_url: str | None, hosted: bool, **settings: Any
) -> dict[Role, Teacher]:
    """Return the models of the roles; one for all roles of the same name.

    Args:
        named: a name for each role.
        base_url: address of their server.
        hosted: whether models on others' machines may read the texts.
        settings: see `make_teacher`.

    Raises:
        OptionError: a role has no name, or its model is hosted and may not read the texts.
        ModelError: there is no such model.
    """
    made: dict[str, Teacher] = {}
    found: dict[Role, Teacher] = {}
    for role, name in named.items():
        if name is None:
            raise OptionError(f"option --{role}: name a model, or one for all roles with --teacher")
        if is_hosted(name, base_url) and not hosted:
            raise OptionError(
                f"{name!r} runs on others' machines and would read the texts: name a local model, or add --hosted "
                "where they are made up"
            )
        if name not in made:
            made[name] = make_teacher(name, base_url=base_url, trusted=hosted, **settings)
        found[role] = made[name]
    return found


class Kept(NamedTuple):
    """A call that was made."""

    dialogue: str
    number: int
    role: Role
    teacher: str
    asked: str
    """A hash of who was asked what: a reply to something else is not taken for it."""
    reply: str
    tokens: tuple[int, int]
    """Read and written; estimated where the model does not count them."""


class NotKept(Exception):
    """A call would have to be made, where none may be."""


class Calls:
    """The calls of a run, on disk and in memory, and what they cost.

    Args:
        path: the file.
        settings: what the replies depend on.
        command: what makes the file, for messages.
        teachers: who may be asked; their prices say what was spent before.
        most: US dollars that may be spent, what was spent before included; None for no bound.
        reply_tokens: the longest reply, which is reserved before a call, so that calls side by side stay within `most`.
        sleep: waits before a call is made again.

    Raises:
        InputError: the file was made with other settings, or is not such a file.
        OptionError: there is a budget, and a price is not known.
    """

    def __init__(
        self, path: Path | None, settings: Mapping[str, Any], command: str, teachers: Iterable[Teacher], *,
        most: float | None = None, reply_tokens: int = 1024, sleep: Callable[[float], None] = time.sleep,
    ) -> None:  # fmt: skip
        """Read what is there."""
        prices = {one.name: one.price for one in teachers}
        for name, price in prices.items():
            if most is not None and price is None:
                raise OptionError(f"option --max-cost: the price of {name!r} is not known; give it with --prices")
        self._ledger = Ledger(path, settings, command)
        self._lock = threading.Lock()
        self._most, self._reply_tokens, self._sleep = most, reply_tokens, sleep
        self._reserved = 0.0
        try:
            rows = [Kept(**{**row, "tokens": tuple(row["tokens"])}) for row in self._ledger.rows]
        except (KeyError, TypeError):
            raise InputError(f"{path}: not a file of `{command}`; name another one") from None
        self.kept: dict[tuple[str, int, str], Kept] = {(one.dialogue, one.number, one.asked): one for one in rows}
        """What was asked, by dialogue, number and hash."""
        self.spent = sum(price.cost(*one.tokens) for one in rows if (price := prices.get(one.teacher)))
        """US dollars, as far as prices are known; those of earlier runs included."""
        self.asking = True
        """Whether calls are made; else what is not kept is an error."""

    def ask(self, dialogue: str, number: int, role: Role, teacher: Teacher, chat: "Chat") -> PrivateText:
        """Return a reply: the kept one, or a new one, which is kept before this returns.

        Raises:
            LimitReached: the budget is spent; nothing was sent.
            ModelError: no reply could be had.
            NotKept: none is kept, and no call may be made.
        """
        messages = [(str(one["role"]), _plain(one["content"])) for one in chat]
        asked = _digest([teacher.name, getattr(teacher.model, "temperature", None), messages])
        if (found := self.kept.get((dialogue, number, asked))) is not None:
            return PrivateText(found.reply)
        if not self.asking:
            raise NotKept
        read = estimate_tokens(*(said for _, said in messages))
        reserved = self._reserve(teacher, read)
        try:
            text, tokens = self._made(teacher, chat)
            reply = _plain(text)
            one = Kept(dialogue, number, role, teacher.name, asked, reply, tokens or (read, estimate_tokens(reply)))
            self._ledger.add(one._asdict())
            with self._lock:
                self.kept[dialogue, number, asked] = one
                self.spent += teacher.price.cost(*one.tokens) if teacher.price else 0.0
        finally:
            with self._lock:
                self._reserved -= reserved
        return text

    def _reserve(self, teacher: Teacher, read: int) -> float:
        if self._most is None or teacher.price is None:
            return 0.0
        money = teacher.price.cost(read, self._reply_tokens)
        with self._lock:
            if money and self.spent + self._reserved + money > self._most:
                raise LimitReached(
                    f"The budget of ${self._most:g} leaves no room for another call (${self.spent:.4f} is spent): what "
                    "was answered is kept. Run the same command with a higher --max-cost to go on."
                )
            self._reserved += money
        return money

    def _made(self, teacher: Teacher, chat: "Chat") -> tuple[PrivateText, tuple[int, int] | None]:
        # One for each call: a teacher on a server answers several at a time, and a local one waits by itself.
        model = PrivateModel(teacher.model, teacher.name)
        tried = 0
        while True:
            try:
                return model.counted(chat)
            except (ModelUnreachable, ModelTimeout):
                wait = BACKOFF.wait(Fault("failed"), tried, None)
                if wait is None:
                    raise
            tried += 1
            self._sleep(wait)


Chat = Sequence[Mapping[str, str | PrivateText]]


@dataclass
class Dialogue:
    """The calls about one text, in their order."""

    calls: Calls
    id: str
    made: int = 0

    def by(self, role: Role, teacher: Teacher) -> Complete:
        """Return what asks a teacher in a role within this dialogue."""

        def complete(chat: Chat) -> PrivateText:
            self.made += 1
            return self.calls.ask(self.id, self.made, role, teacher, chat)

        return complete


def side_by_side(calls: Calls, work: Callable[[_T], _R], items: Iterable[_T], at_once: int) -> list[_R]:
    """Return what work makes of each item, in their order, so many at a time; where one fails, no other call is made.

    Args:
        calls: through which the work asks.
        work: what is done with an item.
        items: those.
        at_once: how many are under way at a time.
    """
    with ThreadPoolExecutor(at_once) as pool:
        try:
            return list(pool.map(work, items))
        except BaseException:
            calls.asking = False
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _plain(said: str | PrivateText) -> str:
    return said.reveal() if isinstance(said, PrivateText) else said


def _digest(asked: Any) -> str:
    return hashlib.sha256(json.dumps(asked).encode()).hexdigest()
