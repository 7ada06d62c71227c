"""Retries: what is tried again, how long is waited, and that the deadline bounds it all."""

import asyncio
import math

import pytest

from gama.guard.egress import EGRESS, NoPrivateSpace
from gama.models.calls import PublicCall
from gama.models.faults import Fault
from gama.models.pacing import Backoff
from gama.models.public import public_client
from gama.state.errors import ModelDenied, ModelReplyError, ModelTimeout, ModelUnknown, ModelUnreachable
from tests.support.scripted import ScriptedClock

CALL = PublicCall(role="expert", system="You know Law.", user="May <name-1> go?", task="May <name-1> go?")
NOON = 1_790_000_000.0
"""Mon, 21 Sep 2026 14:13:20 GMT."""


@pytest.fixture(autouse=True)
def egress():
    token = EGRESS.set(NoPrivateSpace())
    yield
    EGRESS.reset(token)


@pytest.fixture
def clock():
    return ScriptedClock(utc=NOON)


@pytest.fixture(params=["openai", "ollama"])
def made(request, loopback, clock):
    address = loopback.url if request.param == "openai" else loopback.url.removesuffix("/v1")
    return public_client(f"{request.param}:loop-1", base_url=address, clock=clock)


def by_sync(client, call=CALL):
    return client.complete(call)


def by_async(client, call=CALL):
    return asyncio.run(client.acomplete(call))


WAYS = pytest.mark.parametrize("ask", [by_sync, by_async])


@WAYS
@pytest.mark.parametrize("fault", [429, 500, 502, 503, 529, "drop", "half"])
def test_what_may_pass_is_tried_again_with_growing_waits(made, loopback, clock, ask, fault):
    loopback.faults = [fault, fault]
    assert ask(made).text == "fine"
    assert len(loopback.record) == 3
    first, second = clock.waits
    assert 0.25 <= first <= 0.5 <= second <= 1.0


@WAYS
@pytest.mark.parametrize(
    ("fault", "error"), [(400, ModelReplyError), (401, ModelDenied), (404, ModelUnknown), (409, ModelReplyError),
                         (422, ModelReplyError), ("context", ModelReplyError), ("quota", ModelUnreachable)]
)  # fmt: skip
def test_what_will_not_pass_is_not(made, loopback, clock, ask, fault, error):
    loopback.refuses = {}
    loopback.fault = fault
    with pytest.raises(error):
        ask(made)
    assert clock.waits == []


def test_it_ends(made, loopback, clock):
    loopback.fault = 503
    with pytest.raises(ModelUnreachable, match=r"failed \(HTTP 503\)"):
        made.complete(CALL)
    assert len(loopback.record) == 3 and len(clock.waits) == 2


@WAYS
@pytest.mark.parametrize(
    ("header", "value", "seconds"),
    [
        ("retry-after", "7", 7.0),
        ("retry-after", "2.5", 2.5),
        ("retry-after-ms", "1500", 1.5),
        ("retry-after", "Mon, 21 Sep 2026 14:13:50 GMT", 30.0),
        ("retry-after", "Mon, 21 Sep 2026 13:00:00 GMT", 0.0),
    ],
)
def test_the_server_says_when(made, loopback, clock, ask, header, value, seconds):
    loopback.faults, loopback.headers = [429], {header: value}
    assert ask(made).text == "fine"
    assert clock.waits == [pytest.approx(seconds, abs=0.01)]


@pytest.mark.parametrize("value", ["soon", "", "-5", "nan", "1e9", "9" * 400, "Mon, 99 Xxx 2026 14:13:50 GMT"])
def test_what_cannot_be_read_is_no_time(made, loopback, clock, value):
    loopback.faults, loopback.headers = [503], {"retry-after": value}
    assert made.complete(CALL).text == "fine"
    assert 0.25 <= clock.waits[0] <= 0.5


@WAYS
def test_a_wait_beyond_the_deadline_is_not_begun(made, loopback, clock, ask):
    loopback.fault, loopback.headers = 429, {"retry-after": "200"}
    with pytest.raises(ModelUnreachable, match=r"HTTP 429; it asks to wait 200 s.*timeout_s"):
        ask(made)
    assert clock.waits == [] and len(loopback.record) == 1


def test_the_deadline_is_one_for_all_attempts(loopback, clock):
    made = public_client("openai:loop-1", base_url=loopback.url, clock=clock, timeout_s=100)
    loopback.fault, loopback.headers = 429, {"retry-after": "60"}
    with pytest.raises(ModelUnreachable):
        made.complete(CALL)
    # The second wait of 60 s would end after it.
    assert clock.waits == [60.0] and len(loopback.record) == 2


def test_no_time_left_is_a_timeout(loopback):
    class Slow(ScriptedClock):
        def sleep(self, seconds):
            super().sleep(seconds)
            self.pass_(1000)

    made = public_client("openai:loop-1", base_url=loopback.url, clock=Slow())
    for ask in (by_sync, by_async):
        loopback.faults = [503]
        with pytest.raises(ModelTimeout):
            ask(made)
    assert len(loopback.record) == 2, "nothing is sent when the time is over"


def test_a_ready_model_that_retries_by_itself_is_not_retried_twice_over(loopback, clock):
    from langchain_openai import ChatOpenAI

    loopback.fault = 503
    for retries, requests in ((1, 2), (0, 3)):
        loopback.record.clear()
        # `retry-after-ms` keeps the library's own wait short.
        loopback.headers = {"retry-after-ms": "1"}
        ready = ChatOpenAI(model="loop-1", base_url=loopback.url, api_key="k", max_retries=retries)
        with pytest.raises(ModelUnreachable):
            public_client(ready, clock=clock).complete(CALL)
        assert len(loopback.record) == requests


def test_waits_double_up_to_a_limit_and_differ():
    busy = Fault("busy", 429)
    backoff = Backoff(retries=9)
    bounds = [(0.25, 0.5), (0.5, 1), (1, 2), (2, 4), (4, 8), (4, 8), (4, 8)]
    for done, (low, high) in enumerate(bounds):
        waits = {backoff.wait(busy, done, None) for _ in range(30)}
        assert all(wait is not None and low <= wait <= high for wait in waits) and len(waits) > 1
    assert backoff.wait(busy, 9, None) is None
    assert backoff.wait(busy, 0, left=0.1) is None
    assert backoff.wait(Fault("busy", 429, retry_after=math.inf), 0, left=5) is None
    assert backoff.wait(Fault("denied", 401), 0, None) is None
