"""A chat model handed over ready-made: what it carries along is checked like the task."""

import asyncio

import pytest
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from gama.guard.egress import EGRESS
from gama.guard.search import Guard
from gama.models.calls import PublicCall
from gama.models.public import public_client
from gama.state.errors import LeakError

VALUE = "Thessaly Quornbeck"
CALL = PublicCall(role="expert", system="You know Law.", user="May <name-1> go?", task="May <name-1> go?")


@pytest.fixture(autouse=True)
def egress():
    token = EGRESS.set(Guard([VALUE]))
    yield
    EGRESS.reset(token)


def ready(loopback, **settings) -> ChatOpenAI:
    return ChatOpenAI(model="loop-1", api_key=SecretStr("k"), base_url=loopback.url, max_retries=0, **settings)


def calls(client):
    return (lambda: client.complete(CALL), lambda: asyncio.run(client.acomplete(CALL)))


@pytest.mark.parametrize(
    "settings",
    [
        {"model_kwargs": {"user": VALUE}}, {"extra_body": {"session": {"of": VALUE}}}, {"default_headers": {"x-user": VALUE}},
        {"default_query": {"user": "thessaly-quornbeck"}}, {"metadata": {"customer": VALUE}}, {"stop": [VALUE]},
        {"reasoning_effort": VALUE}, {"tags": [VALUE]},
    ],
    ids=lambda settings: next(iter(settings)),
)  # fmt: skip
def test_settings_of_a_ready_model_stop_the_call(loopback, settings):
    for call in calls(public_client(ready(loopback, **settings))):
        with pytest.raises(LeakError) as caught:
            call()
        assert VALUE not in str(caught.value)
    assert loopback.record == []


def test_a_ready_model_goes_over_the_guarded_wire(loopback, monkeypatch):
    given = ready(loopback)
    client = public_client(given)
    for call in calls(client):
        assert call().text == "fine"
    seen = []
    monkeypatch.setattr("gama.guard.transports.check_egress", lambda part: seen.append(part))
    for call in calls(client):
        call()
    assert sum(isinstance(part, bytes) and b"May <name-1> go?" in part for part in seen) == 2
    assert given.root_client._client._transport.__class__.__module__.startswith("httpx"), (
        "the user's model is untouched"
    )


def test_an_http_client_of_ones_own_is_kept(loopback):
    import httpx

    with httpx.Client(headers={"x-own": "1"}) as own:
        client = public_client(ready(loopback, http_client=own))
        assert client.complete(CALL).text == "fine"
        assert b"x-own: 1" in loopback.received.lower()
        with pytest.raises(LeakError):
            public_client(ready(loopback, http_client=own, model_kwargs={"user": VALUE})).complete(CALL)
    assert len(loopback.record) == 1


def test_what_the_library_and_the_settings_say_by_themselves_is_no_leak(loopback):
    EGRESS.set(Guard(["OpenAI", "40000", "loop-1"]))
    assert public_client(ready(loopback, max_tokens=40_000)).complete(CALL).text == "fine"


def test_any_other_model_is_looked_at_as_langchain_calls_it():
    class Bound(FakeListChatModel):
        @property
        def _identifying_params(self):
            return {"customer": VALUE}

    assert public_client(FakeListChatModel(responses=["fine"])).complete(CALL).text == "fine"
    with pytest.raises(LeakError):
        public_client(Bound(responses=["fine"], metadata={"customer": VALUE})).complete(CALL)
