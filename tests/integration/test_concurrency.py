"""Many tasks at once on one Gama: no cross-talk, no lock errors, sync and async."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from gama import Gama, Options

NAMES = [
    "Ada Obi",
    "Ben Castellane",
    "Chidi Okonjo",
    "Dana Whitlock",
    "Emre Yildirim",
    "Freya Lindqvist",
    "Goran Petrov",
    "Hana Sato",
]


def letter(n: int) -> str:
    return f"My name is {NAMES[n]}. My number is +44 7700 9004{n}1. Whose number is it?"


def right(reply: dict, n: int) -> bool:
    others = [name for m, name in enumerate(NAMES) if m != n]
    return NAMES[n] in reply["answer"] and not any(name in str(reply) for name in others)


@pytest.fixture
def gama(loopback):
    loopback.reply = lambda request: "It is the number of <name-1>."
    made = Gama(Options(public_model="openai:loop", public_base_url=loopback.url, disprove="off", k=2))
    yield made
    made.close()


def test_threads(gama):
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda n: gama.invoke({"question": letter(n % 8)}), range(16)))
    assert all(right(reply, n % 8) for n, reply in enumerate(replies))
    assert len({reply["thread"] for reply in replies}) == 16


async def test_tasks(gama):
    replies = await asyncio.gather(*(gama.ainvoke({"question": letter(n)}) for n in range(8)))
    assert all(right(reply, n) for n, reply in enumerate(replies))


async def test_a_cancelled_task_leaves_the_others_alone(gama, loopback):
    gate = threading.Event()

    def held(request):
        gate.wait(600)
        return "It is the number of <name-1>."

    loopback.reply = held
    running = [asyncio.create_task(gama.ainvoke({"question": letter(n)})) for n in range(4)]
    # Each task, which belongs to no field, has asked its generalist, and none has answered.
    while len(loopback.record) < len(running):
        await asyncio.sleep(0.05)
    running[0].cancel()
    gate.set()
    done = await asyncio.gather(*running, return_exceptions=True)
    assert isinstance(done[0], asyncio.CancelledError)
    assert all(right(reply, n) for n, reply in enumerate(done) if n)
