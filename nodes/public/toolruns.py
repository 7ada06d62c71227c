"""Running the tools that an expert asked for: side by side, each within its time, judged by the guard."""

import asyncio
import contextvars
import json
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from time import monotonic, perf_counter
from typing import Any, NamedTuple

from gama.guard.egress import check_egress, quoting
from gama.models.calls import without_controls
from gama.models.tooling import ToolRequest
from gama.state.errors import LeakError, ToolError
from gama.tools.experts.toolbox import Offer, OfferedTool, ToolLimits

NO_RESULT = "gave no result"
"""What an expert is told of a refused result: the same as of a tool that failed silently, so that it tells nothing."""


class Told(NamedTuple):
    """What came of one request."""

    text: str
    """What the expert is told."""
    warning: str = ""
    """What the user is told."""
    seconds: float = 0.0
    tool: str = ""
    """Name of the tool that ran; empty when none did."""
    closes: frozenset[str] = frozenset()
    """Tools that the guard has closed by refusing arguments or a result."""

    @property
    def refused(self) -> bool:
        """Whether the guard stopped the arguments or the result."""
        return bool(self.closes)


class Running(NamedTuple):
    """A step: run tools, side by side."""

    requests: tuple[ToolRequest, ...]
    closed: frozenset[str] = frozenset()
    """Tools that a refusal has closed for this expert: it cannot try out what else is refused."""


def run_tools(step: Running, offer: Offer, limits: ToolLimits) -> list[Told]:
    """Run tools side by side, each within its time."""
    jobs = [_start(request, offer, step.closed, limits) for request in step.requests]
    deadline = monotonic() + limits.seconds
    return [_collected(job, max(0.0, deadline - monotonic())) for job in jobs]


async def arun_tools(step: Running, offer: Offer, limits: ToolLimits) -> list[Told]:
    """Run tools side by side, each within its time."""
    jobs = [_start(request, offer, step.closed, limits) for request in step.requests]
    waiting = [asyncio.wrap_future(job.future) for job in jobs if job.future is not None]
    if waiting:
        await asyncio.wait(waiting, timeout=limits.seconds)
    for task in waiting:
        task.cancel()
    return [_collected(job, 0.0) for job in jobs]


class _Job(NamedTuple):
    name: str
    future: "Future[Told] | None"
    told: Told
    """What is told when there is nothing to run, or when it does not end in time."""


def _start(request: ToolRequest, offer: Offer, closed: frozenset[str], limits: ToolLimits) -> _Job:
    """Begin a call, or say why there is none."""
    tool = next((tool for tool in offer.tools if tool.name == request.name), None)
    if tool is None:
        names = ", ".join(tool.name for tool in offer.tools)
        return _Job("", None, Told(f"There is no tool {_line(request.name, 60)!r}. The tools are: {names}."))
    arguments = _arguments(request.arguments)
    if arguments is None:
        return _Job("", None, Told(f"{tool.name}: the arguments are no JSON object."))
    lacking = [name for name in tool.schema.get("required") or [] if name not in arguments]
    if lacking:
        return _Job("", None, Told(f"{tool.name}: the argument {_line(str(lacking[0]), 60)!r} is missing."))
    if tool.name in closed:
        return _Job("", None, Told(f"{tool.name}: {NO_RESULT}"))
    if not tool.local:
        try:
            check_egress(json.dumps({"name": tool.name, "arguments": arguments}, ensure_ascii=False))
        except LeakError:
            warning = (
                f"A call of the tool {tool.name!r} was stopped: the expert had written a private value into it. "
                "Nothing was sent to the tool."
            )
            return _Job("", None, Told(f"{tool.name}: {NO_RESULT}", warning, closes=_alike(tool, offer)))
    future: Future[Told] = Future()
    # Running from now on: whoever stops waiting cannot cancel it under the thread's hands.
    future.set_running_or_notify_cancel()
    context = contextvars.copy_context()
    # A thread of its own that nobody waits for: a call that never ends must not keep the program from ending.
    threading.Thread(
        target=lambda: future.set_result(context.run(_run, tool, arguments, offer, limits)), daemon=True
    ).start()
    late = Told(f"{tool.name}: {NO_RESULT} within {limits.seconds:g} seconds", tool=tool.name, seconds=limits.seconds)
    return _Job(tool.name, future, late)


def _collected(job: _Job, seconds: float) -> Told:
    if job.future is None:
        return job.told
    try:
        return job.future.result(seconds)
    except FutureTimeout:
        return job.told


def _run(tool: OfferedTool, arguments: Mapping[str, Any], offer: Offer, limits: ToolLimits) -> Told:
    """Call a tool and judge its result; raises nothing."""
    began = perf_counter()
    try:
        text = str(tool.call(arguments))[: 2 * limits.chars]
    except ToolError as error:
        text = _line(f"{tool.name}: {error}", 400)
    except Exception as error:
        # A library's message may hold anything.
        text = f"{tool.name}: failed ({type(error).__name__})"
    seconds = perf_counter() - began
    try:
        # What the expert wrote itself it may read again.
        with quoting((json.dumps(arguments, ensure_ascii=False), *([tool.words] if tool.fixed else []))):
            check_egress(text)
    except LeakError:
        warning = f"A result of the tool {tool.name!r} was refused: it held a private value of this task."
        return Told(f"{tool.name}: {NO_RESULT}", warning, seconds, tool.name, _alike(tool, offer))
    return Told(cut(text, limits.chars), "", seconds, tool.name)


def _alike(tool: OfferedTool, offer: Offer) -> frozenset[str]:
    """Return what a refusal closes: the tool, and with one that sends things off this machine all such tools."""
    return frozenset({tool.name} if tool.local else {other.name for other in offer.tools if not other.local})


def cut(text: str, most: int) -> str:
    """Clean a result and cut it to a length."""
    clean = without_controls(text).strip() or "(empty)"
    return clean if len(clean) <= most else f"{clean[: most - 20].rstrip()} … (cut)"


def _arguments(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _line(text: str, most: int) -> str:
    return " ".join(without_controls(text).split())[:most]
