"""The checked client through the real OpenAI library against a loopback server."""

import pytest

from gama.guard.egress import EGRESS, NoPrivateSpace
from gama.guard.search import Guard
from gama.models.calls import PublicCall
from gama.models.public import chat_model, public_client
from gama.state.errors import (
    LeakError,
    ModelDenied,
    ModelReplyError,
    ModelTimeout,
    ModelUnknown,
    ModelUnreachable,
    OptionError,
)
from tests.support.ports import free_port

CALL = PublicCall(
    role="expert", system="You know Law.", user="May <name-1> go? Planted question", task="May <name-1> go?"
)


@pytest.fixture(autouse=True)
def egress():
    token = EGRESS.set(NoPrivateSpace())
    yield
    EGRESS.reset(token)


def client(loopback, **more):
    return public_client("openai:loop-1", base_url=loopback.url, **more)


def test_a_reply_with_usage(loopback):
    loopback.reply = lambda request: "<think>hm</think> Yes, <name-1> may."
    reply = client(loopback).complete(CALL)
    assert (reply.text, reply.model) == ("Yes, <name-1> may.", "loop-1")
    assert reply.input_tokens == 11 and reply.output_tokens > 0
    sent = loopback.requests[0]
    assert [m["role"] for m in sent["messages"]] == ["system", "user"]
    assert (sent["temperature"], sent["top_p"], sent["model"]) == (0, 1, "loop-1")


async def test_async(loopback):
    assert (await client(loopback).acomplete(CALL)).text == "fine"


@pytest.mark.parametrize(
    ("fault", "error"),
    [(401, ModelDenied), (403, ModelDenied), (404, ModelUnknown), (400, ModelReplyError), (500, ModelUnreachable),
     (429, ModelUnreachable), ("drop", ModelUnreachable), ("no choices", ModelReplyError)],
)  # fmt: skip
def test_faults_become_our_errors_and_quote_nothing(loopback, fault, error, monkeypatch):
    monkeypatch.setattr("gama.models.public.MAX_RETRIES", 0)
    loopback.fault = fault
    with pytest.raises(error) as caught:
        client(loopback).complete(CALL)
    assert type(caught.value) is error
    assert "Planted" not in str(caught.value)
    assert caught.value.__cause__ is None and caught.value.__context__ is None


def test_timeout(loopback, monkeypatch):
    monkeypatch.setattr("gama.models.public.MAX_RETRIES", 0)
    loopback.fault = "stall"
    with pytest.raises(ModelTimeout, match="no answer in time"):
        client(loopback, timeout_s=0.3).complete(CALL)


def test_nothing_listens(monkeypatch):
    monkeypatch.setattr("gama.models.public.MAX_RETRIES", 0)
    port = free_port()
    with pytest.raises(ModelUnreachable, match="Nothing answers"):
        public_client("openai:x", base_url=f"http://127.0.0.1:{port}/v1").complete(CALL)


def test_empty_answer(loopback):
    loopback.reply = lambda request: "  "
    with pytest.raises(ModelReplyError, match="empty answer"):
        client(loopback).complete(CALL)


def test_sampling_settings_are_left_out_where_refused(loopback):
    def reply(request):
        return "ok"

    real = loopback.answer

    def answer(handler, body):
        loopback.fault = 400 if b'"temperature"' in body else None
        real(handler, body)

    loopback.answer, loopback.reply = answer, reply
    made = client(loopback)
    assert made.complete(CALL).text == "ok" and made.complete(CALL).text == "ok"
    assert [("temperature" in r) for r in loopback.requests] == [True, False, False]


@pytest.mark.parametrize("where", ["system", "user"])
def test_a_private_value_never_arrives(loopback, where):
    EGRESS.set(Guard(["Emma Williams"]))
    call = PublicCall(**{**vars(CALL), where: "tell EMMA  williams"})
    with pytest.raises(LeakError) as caught:
        client(loopback).complete(call)
    assert loopback.record == [] and "emma" not in str(caught.value).lower()


def test_the_wire_itself_is_checked(loopback):
    """A model used past the client, with a value in tool schema or metadata, is stopped by the transport."""
    EGRESS.set(Guard(["Emma Williams"]))
    model = chat_model("openai:loop-1", loopback.url)
    tool = {
        "type": "function",
        "function": {"name": "f", "description": "for Emma Williams", "parameters": {"type": "object"}},
    }
    with pytest.raises(Exception) as caught:
        model.bind(tools=[tool]).invoke("hello")
    from gama.models.faults import mapped

    assert isinstance(mapped(caught.value, "x"), LeakError)
    assert loopback.record == []


def test_quoted_public_text_may_pass(loopback):
    EGRESS.set(Guard(["Emma Williams"]))
    call = PublicCall(role="revise", system="s", user="You said: Emma Williams", task="t", draft="It was Emma Williams")
    assert client(loopback).complete(call).text == "fine"


@pytest.mark.parametrize(
    "said",
    [
        {"question": "Is it Emma Williams?"}, {"rival": "Emma Williams"}, {"tried": ("Emma Williams",)},
        {"note": "Emma Williams!"}, {"parts": (("Who?", "Emma Williams"),)},
    ],
)  # fmt: skip
def test_whatever_the_other_side_wrote_may_pass_but_the_task_is_never_that(loopback, said):
    EGRESS.set(Guard(["Emma Williams"]))
    call = PublicCall(role="check", system="s", user="Emma Williams", task="t", **said)
    assert client(loopback).complete(call).text == "fine"
    own = PublicCall(role="check", system="s", user="Emma Williams", task="Emma Williams", question="Emma Williams")
    with pytest.raises(LeakError):
        client(loopback).complete(own)


@pytest.mark.parametrize(
    ("model", "more", "error", "says"),
    [
        ("gpt-4o", {}, ModelUnknown, "provider:model"),
        ("nobody:x", {}, ModelUnknown, "Known providers: openai, ollama"),
        ("openai:", {}, ModelUnknown, "provider:model"),
        ("anthropic:claude", {}, ModelUnknown, "pip install langchain-anthropic"),
        ("openai:gpt-4o", {}, ModelDenied, "OPENAI_API_KEY"),
        ("openai:x", {"base_url": "localhost:8000"}, OptionError, "http://"),
        (None, {"base_url": "http://localhost:1/v1"}, ModelUnknown, "needs a model name"),
        ("huggingface:x", {}, ModelUnknown, "private model"),
        (42, {}, ModelUnknown, "must be a name"),
    ],
)
def test_bad_choices_of_model(model, more, error, says):
    with pytest.raises(error, match=says):
        public_client(model, **more)


def test_any_chat_model_of_langchain():
    from langchain_core.language_models import FakeListChatModel

    EGRESS.set(Guard(["Emma Williams"]))
    made = public_client(FakeListChatModel(responses=["sure"]))
    assert made.complete(CALL).text == "sure"
    with pytest.raises(LeakError):
        made.complete(PublicCall(role="expert", system="", user="Emma Williams", task=""))


def test_hosted_or_local():
    from gama.models.names import is_hosted

    assert is_hosted("openai:gpt-4o") and is_hosted("openai:x", "https://api.example.com/v1")
    assert not is_hosted("ollama:llama3") and not is_hosted("huggingface:x")
    assert not is_hosted("openai:x", "http://localhost:8000/v1") and not is_hosted("openai:x", "http://192.168.1.5/v1")
    assert is_hosted("ollama:x", "https://ollama.example.com")


def test_a_hosted_private_model_is_refused_unless_trusted(monkeypatch):
    from gama.models.private import private_model

    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with pytest.raises(OptionError, match="hosted.*--trust-private"):
        private_model("openai:gpt-4o")
    assert private_model("openai:gpt-4o", trusted=True).name == "openai:gpt-4o"


def test_private_model_on_this_machine(loopback):
    from gama.models.private import private_model

    EGRESS.set(None)
    loopback.reply = lambda request: "[]"
    made = private_model("openai:local", base_url=loopback.url)
    assert made.complete([{"role": "user", "content": "raw text"}]).reveal() == "[]"
    assert (loopback.requests[0]["temperature"], loopback.requests[0]["top_p"]) == (0.6, 1.0)
