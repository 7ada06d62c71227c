"""What every way of counting requests must do: in memory, in SQLite, in PostgreSQL."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from gama.serve.http.limits import STALE_S, Bound, LocalLimits, SharedLimits, TooMuch
from gama.state.errors import StoreError

PLACES = ["local", "sqlite", "postgres"]


@pytest.fixture(params=PLACES)
def make(request, tmp_path):
    """Return what makes one worker's limits; where they count in one process, there is one worker."""
    made = []
    one = LocalLimits()

    def worker():
        if request.param == "local":
            return one
        url = request.getfixturevalue("postgres") if request.param == "postgres" else None
        made.append(SharedLimits.in_postgres(url) if url else SharedLimits.in_file(tmp_path / "home" / "limits.sqlite"))
        return made[-1]

    yield worker
    for limits in made:
        limits.close()


def test_at_once_over_all_workers(make):
    one, two, bound = make(), make(), Bound(at_once=2)
    one.enter("a", bound)
    two.enter("a", bound)
    for worker in (one, two):
        with pytest.raises(TooMuch, match="2 request"):
            worker.enter("a", bound)
    # Another key has its own count.
    one.enter("b", bound)
    two.leave("a")
    one.enter("a", bound)
    with pytest.raises(TooMuch):
        two.enter("a", bound)


def test_by_the_minute_over_all_workers(make):
    one, two, bound = make(), make(), Bound(per_minute=3)
    for worker in (one, two, one):
        worker.enter("a", bound)
    with pytest.raises(TooMuch, match="3 requests a minute") as told:
        two.enter("a", bound)
    assert 0 < told.value.wait_s <= 20
    one.enter("b", bound)


def test_what_is_refused_is_not_counted(make):
    limits = make()
    limits.enter("a", Bound(per_minute=60, at_once=1))
    for _ in range(200):
        with pytest.raises(TooMuch, match="running"):
            limits.enter("a", Bound(per_minute=60, at_once=1))
    limits.leave("a")
    limits.enter("a", Bound(per_minute=60, at_once=1))
    limits.leave("a")
    with pytest.raises(TooMuch, match="a minute"):
        for _ in range(60):
            limits.enter("a", Bound(per_minute=1, at_once=1))
            limits.leave("a")


def test_many_at_once_are_never_more_than_may(make):
    workers, bound = [make() for _ in range(3)], Bound(at_once=4)
    inside, most, let_in, lock = 0, 0, 0, threading.Lock()

    def work(number: int) -> None:
        nonlocal inside, most, let_in
        limits = workers[number % 3]
        try:
            limits.enter("a", bound)
        except TooMuch:
            return
        with lock:
            inside, let_in = inside + 1, let_in + 1
            most = max(most, inside)
        with lock:
            inside -= 1
        limits.leave("a")

    with ThreadPoolExecutor(12) as pool:
        list(pool.map(work, range(150)))
    assert most <= 4 and let_in >= 4
    for _ in range(4):
        workers[0].enter("a", bound)


@pytest.mark.parametrize("place", PLACES[1:])
def test_a_worker_that_was_killed_counts_no_more(place, tmp_path, request, monkeypatch):
    url = request.getfixturevalue("postgres") if place == "postgres" else None
    one, two = (
        SharedLimits.in_postgres(url) if url else SharedLimits.in_file(tmp_path / "limits.sqlite") for _ in range(2)
    )
    bound = Bound(at_once=1)
    one.enter("a", bound)
    with pytest.raises(TooMuch):
        two.enter("a", bound)
    # It gives no more signs of life, and leaves its count behind.
    one._stop.set()
    one._beating.join()
    later = two.now() + STALE_S + 1
    with monkeypatch.context() as patch:
        patch.setattr(two, "now", lambda: later)
        two.enter("a", bound)
    two.close()
    one.close()


def test_a_database_that_was_away_is_used_again(postgres_server, postgres):
    limits, bound = SharedLimits.in_postgres(postgres), Bound(at_once=1)
    limits.enter("a", bound)
    postgres_server.stop(at_once=True)
    try:
        with pytest.raises(StoreError):
            limits.enter("b", bound)
        # It ends all the same, and is told when the database is there again.
        limits.leave("a")
    finally:
        postgres_server.start()
    limits.enter("a", bound)
    with pytest.raises(TooMuch):
        limits.enter("a", bound)
    limits.close()
