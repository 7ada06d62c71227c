"""The guarded transports: what they look at, and that nothing half is sent."""

import asyncio
import base64
import json

import httpx
import pytest

from gama.guard.egress import EGRESS, NoPrivateSpace, quoting
from gama.guard.search import Guard
from gama.guard.transports import AsyncGuardedTransport, GuardedTransport, call_timeout
from gama.models.calls import PublicCall
from gama.models.public import public_client
from gama.state.errors import LeakError, ModelReplyError
from tests.support.scripted import ScriptedClock

VALUE = "Thessaly Quörnbeck"


@pytest.fixture(autouse=True)
def egress():
    token = EGRESS.set(Guard([VALUE]))
    yield
    EGRESS.reset(token)


def post(loopback, **request) -> httpx.Response:
    with httpx.Client(transport=GuardedTransport()) as client:
        return client.post(loopback.url + request.pop("path", "/chat"), **request)


def apost(loopback, **request) -> httpx.Response:
    async def go() -> httpx.Response:
        async with httpx.AsyncClient(transport=AsyncGuardedTransport()) as client:
            return await client.post(loopback.url + request.pop("path", "/chat"), **request)

    return asyncio.run(go())


SENDERS = pytest.mark.parametrize("send", [post, apost])


@SENDERS
def test_a_clean_request_arrives_whole(loopback, send):
    assert send(loopback, json={"user": "<name-1> asks"}).status_code == 200
    assert b"<name-1> asks" in loopback.received


@SENDERS
@pytest.mark.parametrize(
    "request_",
    [
        {"json": {"user": f"I am {VALUE}."}},
        {"content": json.dumps({"user": VALUE}, ensure_ascii=True)},
        {"content": json.dumps({"user": "thessaly   QUORNBECK"})},
        {"data": {"user": VALUE}},
        {"content": base64.b64encode(VALUE.encode())},
        {"headers": {"x-session": "thessaly-quornbeck"}},
        {"path": "/chat?user=Thessaly%20Qu%C3%B6rnbeck"},
        {"path": "/Thessaly-Quornbeck/chat"},
        {"files": {"file": ("notes.txt", VALUE.encode())}},
    ],
)
def test_a_value_anywhere_stops_the_request(loopback, send, request_):
    with pytest.raises(LeakError) as caught:
        send(loopback, **request_)
    assert loopback.record == []
    assert "quörnbeck" not in str(caught.value).lower() and "quornbeck" not in str(caught.value).lower()


def test_a_body_that_comes_in_pieces_is_put_together_first(loopback):
    with pytest.raises(LeakError):
        post(loopback, content=iter([b"Thessaly ", b"Quornbeck"]))
    assert loopback.record == []


@SENDERS
def test_the_users_own_key_is_not_looked_at(loopback, send):
    assert send(
        loopback, headers={"authorization": f"Bearer {VALUE.encode().hex()}", "x-api-key": "Thessaly"}
    ).is_success


@SENDERS
def test_what_the_libraries_write_themselves_is_no_leak(loopback, send):
    EGRESS.set(Guard(["python-httpx", "OpenAI", "Python", "12345", "application", "gzip"]))
    headers = {"user-agent": "OpenAI/Python 3.5", "x-stainless-lang": "python"}
    assert send(loopback, headers=headers, content=b"x" * 12345).is_success


@SENDERS
def test_without_an_egress_nothing_leaves(loopback, send):
    EGRESS.set(None)
    with pytest.raises(LeakError, match="no guard is set"):
        send(loopback, json={})
    assert loopback.record == []


@SENDERS
def test_texts_of_public_origin_may_be_repeated(loopback, send):
    with quoting([f"You wrote of {VALUE}"]):
        assert send(loopback, json={"user": VALUE}).is_success
    with pytest.raises(LeakError):
        send(loopback, json={"user": VALUE})


@SENDERS
def test_redirects_are_checked_too(loopback, send):
    """A server cannot make the client carry a value on: the next request is checked like the first."""
    EGRESS.set(NoPrivateSpace())
    sent = []

    class Watch:
        def check(self, payload, quoted=()):
            sent.append(payload if isinstance(payload, str) else payload.decode())
            if "stolen" in sent[-1]:
                raise LeakError("stopped")

    EGRESS.set(Watch())

    def answer(handler, body):
        handler.send_response(307)
        handler.send_header("location", "/v1/other?stolen=1")
        handler.send_header("content-length", "0")
        handler.end_headers()

    loopback.answer = answer
    with pytest.raises(LeakError):
        send(loopback, follow_redirects=True, content=b"body")
    assert len(loopback.record) == 1


def test_retries_are_checked_each(loopback):
    checks = 0

    class Count:
        def check(self, payload, quoted=()):
            nonlocal checks
            if isinstance(payload, bytes):
                checks += 1
                if checks == 2:
                    raise LeakError("stopped")

    EGRESS.set(Count())
    loopback.fault = 500
    with pytest.raises(LeakError):
        public_client("openai:loop-1", base_url=loopback.url, clock=ScriptedClock()).complete(
            PublicCall(role="expert", system="s", user="hello", task="hello")
        )
    assert (checks, len(loopback.record)) == (2, 1)


def test_a_reply_that_trickles_in_ends_at_the_deadline(loopback):
    loopback.fault = "trickle"
    with httpx.Client(transport=GuardedTransport(timeout_s=0.4), timeout=30) as client:
        with pytest.raises(httpx.ReadTimeout):
            client.post(loopback.url)

    async def go() -> None:
        async with httpx.AsyncClient(transport=AsyncGuardedTransport(timeout_s=0.4), timeout=30) as client:
            with pytest.raises(httpx.ReadTimeout):
                await client.post(loopback.url)

    asyncio.run(go())


def test_the_calls_own_timeout_holds_where_it_is_shorter(loopback):
    loopback.fault = "stall"
    with httpx.Client(transport=GuardedTransport(timeout_s=30), timeout=30) as client:
        with call_timeout(0.2), pytest.raises(httpx.ReadTimeout):
            client.post(loopback.url)


@SENDERS
def test_an_endless_reply_is_cut_off(loopback, send, monkeypatch):
    monkeypatch.setattr("gama.guard.transports.LONGEST_REPLY_BYTES", 1000)
    loopback.reply = lambda request: "x" * 5000
    with pytest.raises(ModelReplyError, match="longer than"):
        send(loopback, json={})


def test_a_failing_inner_transport_is_passed_on():
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("no")

    with httpx.Client(transport=GuardedTransport(httpx.MockTransport(refuse))) as client:
        with pytest.raises(httpx.ConnectError):
            client.get("http://x.example.com")


def test_proxies_of_the_environment_carry_public_calls_only(loopback, monkeypatch):
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    proxy = loopback.url.removesuffix("/v1")
    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.setenv(name, proxy)
    with httpx.Client(transport=GuardedTransport()) as client:
        assert client.post("http://model.example.com/v1/chat", json={}).is_success
        assert b"POST http://model.example.com/v1/chat" in loopback.received
        assert client.post(loopback.url + "/direct", json={}).is_success
    assert b"POST /v1/direct" in loopback.received
    monkeypatch.setenv("no_proxy", "example.com")
    with httpx.Client(transport=GuardedTransport()) as client, pytest.raises(httpx.ConnectError):
        client.post("http://nothing.example.com:1/", json={}, timeout=5)
