"""Which session a node of the public graph belongs to: one for each run, found by the run's id."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from langgraph.runtime import get_runtime

from gama.models.calls import PublicClient
from gama.models.session import Session, TaskClient
from gama.state.task import PublicTask

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


def for_the_task(clients: Callable[[PublicTask], PublicClient]) -> Callable[[PublicTask], PublicClient]:
    """Return what gives the running task's client: the model's, with the memo and the account of the task."""
    return lambda task: TaskClient(clients(task), running_session())
