"""The checked client: side by side, over several event loops, with Ollama, and what is no leak."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_openai import ChatOpenAI

from gama.guard.egress import EGRESS, NoPrivateSpace
from gama.guard.search import Guard
from gama.models.calls import PublicCall, clean_reply
from gama.models.faults import mapped
from gama.models.private import private_model
from gama.models.public import public_client
from gama.privacy.finders import private_llm
from gama.state.errors import (
    LeakError,
    ModelDenied,
    ModelReplyError,
    ModelTimeout,
    ModelUnknown,
    ModelUnreachable,
    OptionError,
)
from gama.state.options import Options
from gama.state.private_text import PrivateText
from tests.support.scripted import ScriptedClock

CALL = PublicCall(role="expert", system="You know Law.", user="May <name-1> go?", task="May <name-1> go?")


@pytest.fixture(autouse=True)
def egress():
    token = EGRESS.set(NoPrivateSpace())
    yield
    EGRESS.reset(token)


def client(loopback, name="openai:loop-1", **more):
    return public_client(name, base_url=loopback.url, **more)


def test_one_client_serves_several_event_loops(loopback):
    made = client(loopback)
    for _ in range(3):
        assert asyncio.run(made.acomplete(CALL)).text == "fine"

    async def three() -> list[str]:
        return [reply.text for reply in await asyncio.gather(*(made.acomplete(CALL) for _ in range(3)))]

    assert asyncio.run(three()) == ["fine"] * 3


def test_experts_side_by_side_all_learn_that_a_model_takes_no_temperature(loopback):
    """The first refusal met by one expert must not fail the others that were under way."""
    real = loopback.answer

    def answer(handler, body):
        loopback.fault = None
        if b'"temperature"' in body:
            payload = json.dumps({"error": {"message": "Unsupported parameter: temperature"}}).encode()
            loopback.send(handler, 400, payload)
        else:
            real(handler, body)

    loopback.answer = answer
    made = client(loopback)

    def ask(_):
        EGRESS.set(NoPrivateSpace())
        return made.complete(CALL).text

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, range(8))) == ["fine"] * 8
    assert made.complete(CALL).text == "fine"
    assert b'"temperature"' not in loopback.record[-1] and b'"top_p"' not in loopback.record[-1]


@pytest.mark.parametrize("value", ["OpenAI", "Python", "loop-1", "Claude-loop-1", "Assistant", "messages"])
def test_what_every_request_holds_is_no_leak_on_the_wire(loopback, value):
    EGRESS.set(Guard([value]))
    assert client(loopback, "openai:Claude-loop-1").complete(CALL).text == "fine"
    assert len(loopback.record) == 1


@pytest.mark.parametrize("value", ["OpenAI", "loop-1"])
def test_but_it_is_one_in_the_task(loopback, value):
    EGRESS.set(Guard([value]))
    with pytest.raises(LeakError):
        client(loopback).complete(PublicCall(role="expert", system="s", user=f"I work at {value}.", task="t"))
    assert loopback.record == []


@pytest.mark.parametrize("fault", ["stall", "trickle"])
def test_the_tasks_own_timeout_is_kept(loopback, fault, monkeypatch):
    monkeypatch.setattr("gama.models.public.MAX_RETRIES", 0)
    loopback.fault = fault
    made = client(loopback)
    hurried = PublicCall(role="expert", system="s", user="u", task="t", timeout_s=0.3)
    with pytest.raises(ModelTimeout):
        made.complete(hurried)
    with pytest.raises(ModelTimeout):
        asyncio.run(made.acomplete(hurried))


def test_a_passing_failure_is_tried_again(loopback):
    real, seen = loopback.answer, []

    def answer(handler, body):
        seen.append(body)
        loopback.fault = 500 if len(seen) == 1 else None
        real(handler, body)

    loopback.answer = answer
    assert client(loopback, clock=ScriptedClock()).complete(CALL).text == "fine"
    assert len(seen) == 2


class TestOllama:
    @pytest.fixture
    def made(self, loopback):
        return public_client("ollama:loop-1", base_url=loopback.url.removesuffix("/v1"), clock=ScriptedClock())

    def test_sync_and_async(self, made, loopback):
        reply = made.complete(CALL)
        assert (reply.text, reply.input_tokens) == ("fine", 11)
        for _ in range(2):
            assert asyncio.run(made.acomplete(CALL)).text == "fine"
        assert loopback.requests[0]["options"] == {"temperature": 0, "top_p": 1}

    def test_a_value_never_arrives(self, made, loopback):
        EGRESS.set(Guard(["Emma Williams"]))
        with pytest.raises(LeakError):
            made.complete(PublicCall(role="expert", system="s", user="emma WILLIAMS", task="t"))
        assert loopback.record == []

    def test_the_wire_is_checked_below_the_client(self, loopback):
        from gama.models.public import chat_model

        EGRESS.set(Guard(["Emma Williams"]))
        model = chat_model("ollama:loop-1", loopback.url.removesuffix("/v1"))
        for call in (
            lambda: model.invoke("I am Emma Williams"),
            lambda: asyncio.run(model.ainvoke("I am Emma Williams")),
        ):
            with pytest.raises(Exception) as caught:
                call()
            assert isinstance(mapped(caught.value, "x"), LeakError)
        assert loopback.record == []

    @pytest.mark.parametrize(("fault", "error"), [(404, ModelUnknown), (500, ModelUnreachable), (401, ModelDenied)])
    def test_faults(self, made, loopback, fault, error):
        loopback.fault = fault
        for call in (lambda: made.complete(CALL), lambda: asyncio.run(made.acomplete(CALL))):
            with pytest.raises(error) as caught:
                call()
            assert "May" not in str(caught.value)
            assert caught.value.__cause__ is None and caught.value.__context__ is None

    def test_nothing_listens(self):
        with pytest.raises(ModelUnreachable, match="Nothing answers"):
            public_client("ollama:x", base_url="http://127.0.0.1:9", clock=ScriptedClock()).complete(CALL)


class TestPrivateModel:
    def test_a_ready_hosted_model_is_refused_unless_trusted(self):
        hosted = ChatOpenAI(model="gpt-4o", api_key="k")
        with pytest.raises(OptionError, match="hosted ChatOpenAI"):
            private_model(hosted)
        assert private_model(hosted, trusted=True).name == "ChatOpenAI"

    def test_a_ready_local_model_passes(self, loopback):
        made = private_model(ChatOpenAI(model="x", api_key="k", base_url=loopback.url))
        assert made.complete([{"role": "user", "content": "raw"}]) == PrivateText("fine")
        fake = private_model(FakeListChatModel(responses=["[]"]))
        assert fake.complete([{"role": "user", "content": PrivateText("raw")}]).reveal() == "[]"

    @pytest.mark.parametrize("name", ["openai:local", "ollama:local"])
    def test_the_raw_text_takes_no_proxy(self, loopback, monkeypatch, name):
        for variable in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(variable, "http://127.0.0.1:9")
        for variable in ("no_proxy", "NO_PROXY"):
            monkeypatch.delenv(variable, raising=False)
        address = loopback.url if name.startswith("openai") else loopback.url.removesuffix("/v1")
        made, chat = private_model(name, base_url=address), [{"role": "user", "content": "raw"}]
        assert made.complete(chat).reveal() == "fine" and asyncio.run(made.acomplete(chat)).reveal() == "fine"

    @pytest.mark.parametrize("name", ["openai:local", "ollama:local"])
    def test_it_writes_as_the_options_say(self, loopback, name):
        address = loopback.url if name.startswith("openai") else loopback.url.removesuffix("/v1")
        told = Options(
            private_model=name, private_base_url=address, private_max_tokens=256, private_temperature=0, seed=5
        )
        made = private_llm(told)
        assert made is not None and made([{"role": "user", "content": "raw"}]).reveal() == "fine"
        sent = loopback.requests[-1]
        sent = sent.get("options", sent)
        length = next(sent[key] for key in ("max_tokens", "max_completion_tokens", "num_predict") if key in sent)
        assert (length, sent["temperature"], sent["seed"]) == (256, 0, 5)

    @pytest.mark.parametrize("name", ["openai:local", "ollama:local"])
    def test_the_raw_text_follows_no_redirect(self, loopback, name):
        def answer(handler, body):
            handler.send_response(307)
            handler.send_header("location", "/elsewhere")
            handler.send_header("content-length", "0")
            handler.end_headers()

        loopback.answer = answer
        address = loopback.url if name.startswith("openai") else loopback.url.removesuffix("/v1")
        made, chat = private_model(name, base_url=address), [{"role": "user", "content": "raw"}]
        for call in (made.complete, lambda chat: asyncio.run(made.acomplete(chat))):
            with pytest.raises(ModelReplyError):
                call(chat)
        assert b"elsewhere" not in b"".join(loopback.record)

    def test_errors_quote_nothing(self, loopback):
        loopback.fault = 400
        made, chat = private_model("openai:local", base_url=loopback.url), [{"role": "user", "content": "Planted"}]
        for call in (made.complete, lambda chat: asyncio.run(made.acomplete(chat))):
            with pytest.raises(ModelReplyError) as caught:
                call(chat)
            assert "Planted" not in str(caught.value) and caught.value.__context__ is None

    @pytest.mark.parametrize("name", ["openai:local", "ollama:local"])
    def test_async_in_several_event_loops(self, loopback, name):
        address = loopback.url if name.startswith("openai") else loopback.url.removesuffix("/v1")
        made, chat = private_model(name, base_url=address), [{"role": "user", "content": "raw"}]

        async def several():
            return await asyncio.gather(*(made.acomplete(chat) for _ in range(3)))

        for _ in range(3):
            assert asyncio.run(several()) == [PrivateText("fine")] * 3
        assert made.complete(chat).reveal() == "fine"

    @pytest.mark.parametrize("name", ["openai:local", "ollama:local"])
    async def test_cancelling_closes_the_connection(self, loopback, name):
        loopback.fault = "hold"
        address = loopback.url if name.startswith("openai") else loopback.url.removesuffix("/v1")
        task = asyncio.create_task(
            private_model(name, base_url=address).acomplete([{"role": "user", "content": "raw"}])
        )
        assert await asyncio.to_thread(loopback.arrived.wait, 60)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(loopback.gone.wait, 60)


class TestStandalone:
    """A public graph on a machine of its own takes its model from the run's context or the environment."""

    @pytest.fixture
    def task(self):
        from gama.state.task import DomainRule, PublicTask

        rule = DomainRule(domain="Law", term="High", score=0.5, prompt="You know Law.")
        return PublicTask(text="When does the shop open? The shop opens at nine.", rules=(rule,), disprove="off")

    def run(self, task, **context):
        from gama.graph.public_graph import public
        from gama.graph.public_server import PublicContext

        EGRESS.set(None)
        return public().invoke({"task": task}, context=PublicContext(**context))

    def test_the_standin_by_default(self, task):
        out = self.run(task)
        assert "nine" in out["answer"] and "stand-in" in out["warnings"][0]

    def test_the_environment_names_model_server_and_key(self, task, loopback, monkeypatch):
        monkeypatch.setenv("GAMA_PUBLIC_MODEL", "openai:loop-1")
        monkeypatch.setenv("GAMA_PUBLIC_BASE_URL", loopback.url)
        monkeypatch.setenv("GAMA_PUBLIC_API_KEY", "operators-key")
        assert self.run(task)["answer"] == "fine"
        assert b"Bearer operators-key" in loopback.record[0]

    def test_a_caller_who_names_a_server_does_not_get_the_key(self, task, loopback, monkeypatch):
        monkeypatch.setenv("GAMA_PUBLIC_MODEL", "openai:loop-1")
        monkeypatch.setenv("GAMA_PUBLIC_BASE_URL", "http://127.0.0.1:9/v1")
        monkeypatch.setenv("GAMA_PUBLIC_API_KEY", "operators-key")
        monkeypatch.setenv("OPENAI_API_KEY", "operators-key")
        assert self.run(task, base_url=loopback.url)["answer"] == "fine"
        assert b"operators-key" not in b"".join(loopback.record)

    def test_a_bad_choice_is_a_clear_error(self, task):
        with pytest.raises(ModelUnknown, match="Known providers"):
            self.run(task, model="nobody:x")


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("<think>hm</think>yes", "yes"),
        ("<think>never closed", ""),
        ("a\r\nb\x00\x1b[0m", "a\nb[0m"),
        ("\u202eabc\u2066", "abc"),
        ("  <name-1>\tÉmile 😀 \n", "<name-1>\tÉmile 😀"),
    ],
)
def test_replies_are_cleaned(text, clean):
    assert clean_reply(text, 100) == (clean, False)


def test_a_model_that_fails_in_its_own_way_is_not_quoted():
    class Broken(FakeListChatModel):
        def _call(self, *args, **kwargs):
            raise KeyError("Planted secret")

    with pytest.raises(ModelReplyError) as caught:
        public_client(Broken(responses=[])).complete(CALL)
    assert "Planted" not in str(caught.value) and caught.value.__context__ is None
