"""How the public nodes ask the model: the session of a run, calls, structured replies, budgets, what a call leaves."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from time import perf_counter
from typing import Any, NamedTuple, cast

from langgraph.runtime import get_runtime

from gama.models.calls import PublicCall, PublicClient, PublicReply, Role, total
from gama.models.json_replies import read_object
from gama.models.replies import flaw_of
from gama.models.session import Session, TaskClient
from gama.state.errors import GamaError, LeakError, LimitReached, OptionError
from gama.state.public import PublicState
from gama.state.task import PublicTask, Turn
from gama.tools.domains.prompts import CONVERSATION, TemplateName, prompts_of, quote, without_placeholder_rules

Clients = Callable[[PublicTask], PublicClient]
"""Gives the client for a task."""

LONGEST_QUOTED = 2_000
"""Characters of an unreadable reply that are shown to the model again."""

_running: dict[str, tuple[Session, int]] = {}
"""The sessions of the runs under way in this process, each with the number of streams that step it."""
_lock = threading.Lock()


@contextmanager
def session_of(run_id: object) -> Iterator[Session]:
    """Keep a session for a run while it is stepped."""
    key = str(run_id)
    with _lock:
        session, users = _running.get(key, (Session(), 0))
        _running[key] = (session, users + 1)
    try:
        yield session
    finally:
        with _lock:
            session, users = _running.pop(key)
            if users > 1:
                _running[key] = (session, users - 1)


def running_session() -> Session:
    """Return the session of the run that the calling node belongs to; outside of a run, one that nobody shares."""
    try:
        info = get_runtime().execution_info
    except (RuntimeError, KeyError):
        info = None
    with _lock:
        found = _running.get(str(info.run_id)) if info is not None and info.run_id else None
    return found[0] if found else Session()


def always(client: PublicClient) -> Clients:
    """Return what gives one client for every task."""
    return lambda task: client


def for_the_task(clients: Clients) -> Clients:
    """Return what gives the running task's client: the model's, with the memo and the account of the task."""
    return lambda task: TaskClient(clients(task), running_session())


def call_of(
    task: PublicTask, role: Role, blocks: Mapping[str, str], *, system: str | None = None, **fields: Any
) -> PublicCall:
    """Build a call: its prompt, the quoted material, and the task's fields and limits.

    Args:
        task: the task; it is the first block.
        role: who is asked.
        blocks: the other blocks by their labels.
        system: the prompt; by default the role's template.
        fields: further fields of `PublicCall`; they take the place of the task's.
    """
    given: dict[str, Any] = {
        "task": task.text,
        "before": "\n\n".join(turn.text for turn in task.conversation),
        "kind": task.kind,
        "options": task.options,
        "max_chars": task.limits.max_answer_chars,
        "timeout_s": task.limits.timeout_s,
    } | fields
    if system is None:
        system = prompts_of(task).system(cast(TemplateName, role), given["kind"])
    system = without_placeholder_rules(system, task.whole_text)
    if task.conversation:
        system = f"{system}\n\n{CONVERSATION}"
    if task.formulas and (told := _on_formulas(task, role)):
        system = f"{system}\n\n{told}"
    said = {label: text for number, turn in enumerate(task.conversation, 1) for label, text in _as_blocks(number, turn)}
    quoted = [quote(label, text) for label, text in {**said, "TASK": task.text, **blocks}.items()]
    return PublicCall(role=role, system=system, user="\n\n".join(quoted), **given)


def _as_blocks(number: int, turn: Turn) -> tuple[tuple[str, str], tuple[str, str]]:
    return (f"MESSAGE {number}", turn.text), (f"REPLY {number}", turn.answer)


ANSWERING = frozenset({"expert", "fuse", "revise", "rival", "assemble", "assure", "solve", "mend"})
EXAMINING = frozenset({"disprove", "refute", "verify", "check", "discuss"})


def _on_formulas(task: PublicTask, role: Role) -> str:
    """Return what a role is told of formulas over the placeholders of a task; nothing where there is none to reckon."""
    if role not in ANSWERING | EXAMINING or "<" not in task.whole_text:
        return ""
    from gama.tools.formulas.instructions import examining, instructions_for

    kinds = tuple((one.placeholder, one.kind) for one in task.kinds)
    told = instructions_for(task.whole_text, kinds)
    return told if role in ANSWERING or not told else examining(dict(kinds))


def numbered(label: str, texts: Sequence[str]) -> dict[str, str]:
    """Return texts as blocks that are counted from 1."""
    return {f"{label} {number}": text for number, text in enumerate(texts, 1)}


def about(question: str) -> dict[str, Any]:
    """Return the fields of a call that a sub-question sets: it is answered in free text."""
    return {"question": question, "kind": "open", "options": ()} if question else {}


class Outcome(NamedTuple):
    """What a call led to: a reply, or a failure that can be lived with."""

    reply: PublicReply | None
    error: str
    reason: str
    seconds: float
    data: dict[str, Any] | None = None
    """The object, where the call has a schema and one could be read; `reply.text` is then its JSON, unless reasoning
    goes before it."""
    flaw: str = ""
    """Why the reply cannot stand as an answer, such as that it declines the task; of calls for free text."""

    @property
    def text(self) -> str | None:
        """The answer; None where none came, or none that can stand as one."""
        return None if self.reply is None or self.flaw else self.reply.text

    def update(self, call: PublicCall, stage: str = "") -> dict[str, Any]:
        """Return the part of the state's update that every call leaves.

        Args:
            call: the call.
            stage: what its seconds are counted under; by default its role.
        """
        counts = total([self.reply] if self.reply else [], call.role)
        if self.reply is None and self.error != LimitReached.__name__:
            counts |= {"calls": 1, f"{call.role}.calls": 1}
        warnings = []
        if self.reply is not None and self.reply.cut:
            warnings.append(f"An answer of the public model was longer than {call.max_chars:,} characters and was cut.")
        if self.reply is not None and self.reply.unfinished:
            warnings.append(
                f"The public model stopped at its limit of tokens (finish_reason: length): the {call.role} answer may "
                "lack its end."
            )
        return {"usage": counts, "timings": {stage or call.role: self.seconds}, "warnings": warnings}

    def failure_reason(self, unreadable: str = "its reply could not be read") -> str:
        """Return why there is nothing to go by: the call failed, or its reply is `unreadable`."""
        return self.flaw or unreadable if self.reply else f"{self.error}: {self.reason}"


def add_warning(update: dict[str, Any], warning: str) -> dict[str, Any]:
    """Return an update with one more warning for the user."""
    return update | {"warnings": [*update.get("warnings", ()), warning]}


def ask(client: PublicClient, call: PublicCall) -> Outcome:
    """Make a call. A reply that should be an object of a schema and cannot be read is asked for once more.

    Raises:
        LeakError: something private was in it.
        OptionError: the task cannot be run as it is configured.
        LimitReached: the task's budget leaves no room for its very first call.
        Everything else is an outcome.
    """

    def attempt(call: PublicCall) -> PublicReply | Exception:
        try:
            return client.complete(call)
        except Exception as error:
            return error

    began = perf_counter()
    first = _checked(attempt(call), client)
    again = _once_more(call, first)
    second = None if again is None else _checked(attempt(again), client)
    return _outcome(call, first, second, perf_counter() - began)


async def aask(client: PublicClient, call: PublicCall) -> Outcome:
    """Make a call; see `ask`."""

    async def attempt(call: PublicCall) -> PublicReply | Exception:
        try:
            return await client.acomplete(call)
        except Exception as error:
            return error

    began = perf_counter()
    first = _checked(await attempt(call), client)
    again = _once_more(call, first)
    second = None if again is None else _checked(await attempt(again), client)
    return _outcome(call, first, second, perf_counter() - began)


def _checked(answer: PublicReply | Exception, client: PublicClient) -> PublicReply | Exception:
    """Pass on what can be lived with; raise the rest, without what led to it."""
    if isinstance(answer, LeakError | OptionError) or (
        isinstance(answer, LimitReached) and isinstance(client, TaskClient) and client.untouched
    ):
        raise type(answer)(*answer.args)
    return answer


def _once_more(call: PublicCall, first: PublicReply | Exception) -> PublicCall | None:
    """Return the call that asks again for an object: the same request, then what came of it and what was wrong there.

    None where there is nothing to ask again: no object was asked for, it can be read, or no reply came.
    """
    if isinstance(first, Exception) or call.schema is None or call.attempts < 2:
        return None
    reading = read_object(first.text, call.schema)
    if reading.data is not None:
        return None
    shown = first.text[:LONGEST_QUOTED]
    told = (
        f"{quote('YOUR LAST REPLY', shown)}\n\nThat reply cannot be used: {reading.problem}. Reply again, with the "
        "JSON object alone."
    )
    return replace(call, user=f"{call.user}\n\n{told}", said=(*call.said, shown))


def _outcome(
    call: PublicCall, first: PublicReply | Exception, second: PublicReply | Exception | None, seconds: float
) -> Outcome:
    """Return what a call led to, of the one or two attempts at it."""
    if isinstance(first, Exception):
        # Only texts of our own go on: a provider's message may echo what was sent.
        reason = str(first) if isinstance(first, GamaError) else "the model's library failed"
        return Outcome(None, type(first).__name__, reason, seconds)
    if isinstance(second, Exception):
        made = 0 if isinstance(second, LimitReached) else 1
        return Outcome(replace(first, calls=first.calls + made), "", "", seconds)
    reply = first if second is None else _both(first, second)
    if call.schema is None:
        flaw = flaw_of(
            reply.text,
            call.task,
            call.kind,
            call.options,
            prompt=f"{call.system}\n{call.question}",
            unfinished=reply.unfinished,
        )
        return Outcome(reply, "", "", seconds, flaw=flaw)
    data = read_object(reply.text, call.schema).data
    if data is not None and not call.reasoned:
        reply = replace(reply, text=json.dumps(data, ensure_ascii=False))
    return Outcome(reply, "", "", seconds, data)


def _both(first: PublicReply, second: PublicReply) -> PublicReply:
    """Return the second reply with what both cost."""
    costs = [reply.cost for reply in (first, second) if reply.cost is not None]
    return replace(
        second,
        calls=first.calls + second.calls,
        input_tokens=first.input_tokens + second.input_tokens,
        output_tokens=first.output_tokens + second.output_tokens,
        estimated=first.estimated or second.estimated,
        cost=sum(costs) if costs else None,
    )


def know_limits(task: PublicTask) -> None:
    """Tell the running task's account its bounds."""
    running_session().bind(task.limits)


def calls_made(state: Mapping[str, Any]) -> int:
    """Return how many calls a state counts."""
    return int((state.get("usage") or {}).get("calls", 0))


def check_budget(state: PublicState, coming: int) -> None:
    """Refuse calls beyond the task's limit, and bring the account of the run up to date.

    Raises:
        LimitReached: the calls made and those about to be made are more than `max_calls`.
    """
    session = running_session()
    session.bind(state["task"].limits)
    session.ledger.note(state.get("usage") or {})
    made, most = calls_made(state), state["task"].limits.max_calls
    if made + coming > most:
        raise LimitReached(
            f"The task would need more than {most} calls to the public model ({made} made, {coming} coming). "
            "Raise max_calls, or ask fewer experts (k) or rounds (max_rounds)."
        )
