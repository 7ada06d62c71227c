"""What was asked already is not asked again; those who ask at the same time wait for the first."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from gama.models.calls import PublicReply
from gama.models.session import Memo
from gama.state.errors import ModelTimeout

REPLY = PublicReply("yes", "loop-1", input_tokens=5, output_tokens=1, cost=0.25)


def test_the_second_costs_nothing():
    memo, asked = Memo(), []
    first = memo.get("a", lambda: asked.append(1) or REPLY)
    second = memo.get("a", lambda: asked.append(2) or REPLY)
    other = memo.get("b", lambda: asked.append(3) or REPLY)
    assert asked == [1, 3] and first is REPLY and other is REPLY
    assert (second.text, second.calls, second.input_tokens, second.output_tokens, second.cost) == ("yes", 0, 0, 0, 0)


def test_threads_wait_for_the_first():
    memo, asked, entered, release = Memo(), [], threading.Event(), threading.Event()

    def ask() -> PublicReply:
        asked.append(1)
        entered.set()
        release.wait(60)
        return REPLY

    with ThreadPoolExecutor(5) as pool:
        first = pool.submit(memo.get, "a", ask)
        assert entered.wait(60)
        others = [pool.submit(memo.get, "a", ask) for _ in range(4)]
        release.set()
        calls = sorted([first.result().calls, *(other.result().calls for other in others)])
    assert asked == [1] and calls == [0, 0, 0, 0, 1]


async def test_tasks_wait_for_the_first_and_for_a_thread():
    memo, asked, release = Memo(), [], asyncio.Event()

    async def ask() -> PublicReply:
        asked.append(1)
        await release.wait()
        return REPLY

    tasks = [asyncio.create_task(memo.aget("a", ask)) for _ in range(4)]
    await asyncio.sleep(0)
    thread = asyncio.create_task(asyncio.to_thread(memo.get, "a", lambda: REPLY))
    await asyncio.sleep(0)
    release.set()
    replies = await asyncio.gather(*tasks, thread)
    assert asked == [1] and sum(reply.calls for reply in replies) == 1


async def test_a_failure_is_shared_and_not_kept():
    memo, asked, release = Memo(), [], asyncio.Event()

    async def fail() -> PublicReply:
        asked.append(1)
        await release.wait()
        raise ModelTimeout("slow")

    tasks = [asyncio.create_task(memo.aget("a", fail)) for _ in range(3)]
    await asyncio.sleep(0)
    release.set()
    errors = await asyncio.gather(*tasks, return_exceptions=True)
    assert [str(error) for error in errors] == ["slow"] * 3 and len({id(error) for error in errors}) == 3
    assert asked == [1]
    assert memo.get("a", lambda: REPLY).calls == 1


async def test_when_the_first_is_cancelled_the_next_takes_its_place():
    memo, asked, release = Memo(), [], asyncio.Event()

    async def ask() -> PublicReply:
        asked.append(1)
        await release.wait()
        return REPLY

    first = asyncio.create_task(memo.aget("a", ask))
    await asyncio.sleep(0)
    second = asyncio.create_task(memo.aget("a", ask))
    await asyncio.sleep(0)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    release.set()
    assert (await second).calls == 1 and asked == [1, 1]


async def test_one_who_waits_may_go_without_disturbing_the_first():
    memo, release = Memo(), asyncio.Event()

    async def ask() -> PublicReply:
        await release.wait()
        return REPLY

    first = asyncio.create_task(memo.aget("a", ask))
    await asyncio.sleep(0)
    second = asyncio.create_task(memo.aget("a", ask))
    await asyncio.sleep(0)
    second.cancel()
    with pytest.raises(asyncio.CancelledError):
        await second
    release.set()
    assert (await first).calls == 1
