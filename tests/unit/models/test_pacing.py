"""At most so many requests a minute and at a time, over threads and event loops."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from gama.guard.egress import EGRESS, NoPrivateSpace
from gama.models.calls import PublicCall
from gama.models.pacing import Pace
from gama.models.public import public_client
from tests.support.scripted import ScriptedClock

CALL = PublicCall(role="expert", system="s", user="u", task="t")


def begin(pace: Pace, times: int) -> list[float]:
    waits = []
    for _ in range(times):
        with pace.slot() as waited:
            waits.append(waited)
    return waits


def test_so_many_begin_within_any_minute():
    clock = ScriptedClock()
    pace = Pace(per_minute=3, clock=clock)
    assert begin(pace, 3) == [0, 0, 0], "a burst at first"
    assert begin(pace, 4) == [60, 0, 0, 60]
    clock.pass_(45)
    assert begin(pace, 3) == [0, 0, 15]


def test_threads_never_get_the_same_turn():
    pace = Pace(per_minute=2, clock=ScriptedClock())
    with ThreadPoolExecutor(4) as pool:
        turns = list(pool.map(lambda _: pace._take_turn(), range(20)))
    assert sorted(turns) == [60.0 * (n // 2) for n in range(20)]


async def test_cancelling_gives_the_turn_back():
    class Stuck(ScriptedClock):
        async def asleep(self, seconds):
            await asyncio.Event().wait()

    clock = Stuck()
    pace = Pace(per_minute=1, clock=clock)
    async with pace.aslot():
        pass

    async def wait() -> None:
        async with pace.aslot():
            raise AssertionError("it must not get here")

    task = asyncio.create_task(wait())
    await asyncio.sleep(0)
    assert list(pace._begun) == [0, 60]
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert list(pace._begun) == [0]


class Counter:
    """Counts who is inside at a time."""

    def __init__(self) -> None:
        self.lock, self.inside, self.most = threading.Lock(), 0, 0

    def __enter__(self) -> None:
        with self.lock:
            self.inside += 1
            self.most = max(self.most, self.inside)

    def __exit__(self, *error: object) -> None:
        with self.lock:
            self.inside -= 1


def test_so_many_at_a_time_over_threads_and_loops():
    pace, counter = Pace(at_once=2), Counter()

    def sync(_: int) -> None:
        with pace.slot(), counter:
            threading.Event().wait(0.002)

    async def one() -> None:
        async with pace.aslot():
            with counter:
                await asyncio.sleep(0.002)

    def loop(_: int) -> None:
        async def many() -> None:
            await asyncio.gather(*(one() for _ in range(5)))

        asyncio.run(many())

    with ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(f, n) for n in range(5) for f in (sync, loop)]
        for job in jobs:
            job.result()
    assert counter.most == 2 and pace._free == 2 and not pace._queue


async def test_one_who_leaves_the_queue_takes_no_place():
    pace = Pace(at_once=1)
    order = []

    async def enter(name: str, leave: asyncio.Event) -> None:
        async with pace.aslot():
            order.append(name)
            await leave.wait()

    leave = asyncio.Event()
    first, second, third = (asyncio.create_task(enter(name, leave)) for name in "abc")
    await asyncio.sleep(0)
    second.cancel()
    with pytest.raises(asyncio.CancelledError):
        await second
    leave.set()
    await asyncio.gather(first, third)
    assert order == ["a", "c"] and pace._free == 1


async def test_one_who_is_cancelled_just_when_called_passes_the_place_on():
    pace = Pace(at_once=1)

    async def enter() -> None:
        async with pace.aslot():
            pass

    holder = pace.slot()
    holder.__enter__()
    waiting = asyncio.create_task(enter())
    await asyncio.sleep(0)
    holder.__exit__(None, None, None)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert pace._free == 1


def test_a_failure_inside_gives_the_place_back():
    pace = Pace(at_once=1)
    with pytest.raises(ValueError, match="no"), pace.slot():
        raise ValueError("no")
    assert begin(pace, 2) and pace._free == 1


class TestThroughTheClient:
    @pytest.fixture(autouse=True)
    def egress(self):
        token = EGRESS.set(NoPrivateSpace())
        yield
        EGRESS.reset(token)

    def test_the_rate_limit_holds_and_does_not_eat_the_deadline(self, loopback):
        clock = ScriptedClock()
        made = public_client("openai:loop-1", base_url=loopback.url, clock=clock, timeout_s=30, rate_limit_per_minute=1)
        assert made.complete(CALL).text == "fine"
        assert made.complete(CALL).text == "fine", "a minute of waiting, and thirty seconds for the call itself"
        assert asyncio.run(made.acomplete(CALL)).text == "fine"
        assert clock.waits == [60, 60]

    def test_retries_count_as_requests(self, loopback):
        clock = ScriptedClock()
        made = public_client("openai:loop-1", base_url=loopback.url, clock=clock, rate_limit_per_minute=1)
        loopback.faults = [503]
        made.complete(CALL)
        backoff, rest = clock.waits
        assert backoff + rest == pytest.approx(60)

    def test_no_more_connections_than_allowed(self, loopback):
        counter = Counter()
        release = threading.Event()

        def reply(request) -> str:
            with counter:
                release.wait(0.01)
                return "fine"

        loopback.reply = reply
        made = public_client("openai:loop-1", base_url=loopback.url, max_concurrent=2)

        def ask(_):
            EGRESS.set(NoPrivateSpace())
            return made.complete(CALL).text

        with ThreadPoolExecutor(6) as pool:
            assert list(pool.map(ask, range(6))) == ["fine"] * 6

        async def side_by_side() -> list[str]:
            return [r.text for r in await asyncio.gather(*(made.acomplete(CALL) for _ in range(6)))]

        assert asyncio.run(side_by_side()) == ["fine"] * 6
        assert counter.most == 2
