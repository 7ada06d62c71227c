"""How a server ends that a balancer stands before: it says that it is no longer ready, and goes on for a while."""

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def draining(begin: Callable[[], None], seconds: float) -> Iterator[None]:
    """Within, SIGTERM calls `begin` at once, and ends the server only `seconds` later, as it would have ended it.

    Ctrl-C ends it without the wait. Signals are the main thread's: a server in another one is ended by its owner.

    Args:
        begin: is called in the signal handler.
        seconds: how long balancers have to notice; nothing changes where it is 0.
    """
    if not seconds or threading.current_thread() is not threading.main_thread():
        yield
        return
    loop, before, begun = asyncio.get_running_loop(), signal.getsignal(signal.SIGTERM) or signal.SIG_DFL, False

    def end() -> None:
        signal.signal(signal.SIGTERM, before)
        signal.raise_signal(signal.SIGTERM)

    def told(number: int, frame: FrameType | None) -> None:
        nonlocal begun
        # Once: a supervisor may tell every process of a group, and workers are told by their parent as well.
        if not begun:
            begun = True
            begin()
            loop.call_soon_threadsafe(loop.call_later, seconds, end)

    signal.signal(signal.SIGTERM, told)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGTERM) is told:
            signal.signal(signal.SIGTERM, before)
