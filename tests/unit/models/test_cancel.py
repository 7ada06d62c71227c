"""Cancelling reaches the HTTP request: the server sees that nobody waits any more."""

import asyncio

import pytest

from gama import Gama, Options
from gama.guard.egress import EGRESS, NoPrivateSpace
from gama.models.calls import PublicCall
from gama.models.public import public_client

CALL = PublicCall(role="expert", system="s", user="u", task="t")


async def cancelled(loopback, task) -> None:
    """Cancel a task once its request is at the server, and wait until the server has seen it."""
    assert await asyncio.to_thread(loopback.arrived.wait, 600)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(loopback.gone.wait, 60)


@pytest.mark.parametrize("fault", ["hold", "hold body"])
@pytest.mark.parametrize("provider", ["openai", "ollama"])
async def test_a_call(loopback, fault, provider):
    EGRESS.set(NoPrivateSpace())
    loopback.fault = fault
    address = loopback.url if provider == "openai" else loopback.url.removesuffix("/v1")
    made = public_client(f"{provider}:loop-1", base_url=address)
    await cancelled(loopback, asyncio.create_task(made.acomplete(CALL)))
    assert len(loopback.record) == 1, "a cancelled call is not tried again"
    loopback.fault = None
    assert (await made.acomplete(CALL)).text == "fine"


async def test_a_call_that_waits_for_its_retry(loopback):
    EGRESS.set(NoPrivateSpace())
    loopback.fault, loopback.headers = 429, {"retry-after": "100"}
    made = public_client("openai:loop-1", base_url=loopback.url)
    task = asyncio.create_task(made.acomplete(CALL))
    assert await asyncio.to_thread(loopback.arrived.wait, 600)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(loopback.record) == 1


@pytest.mark.slow
async def test_a_whole_task(loopback):
    loopback.fault = "hold"
    gama = Gama(Options(public_model="openai:loop-1", public_base_url=loopback.url, k=2), keep=False)
    question = "Dear Emma Williams, may my landlord Daniel Jones end the lease in May?"
    await cancelled(loopback, asyncio.create_task(gama.ainvoke({"question": question})))
