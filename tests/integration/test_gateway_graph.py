"""Mode `gama` of the gateway: the whole graph answers in each protocol's form."""

import anthropic
import httpx
import openai
import pytest

from gama.state.options import Options
from tests.support import serving
from tests.support import upstream as up

NAME = "Thessaly Quornbeck"
LETTER = f"My name is {NAME}. The shop opens at nine. When does the shop open?"
ASK = [{"role": "user", "content": LETTER}]

pytestmark = pytest.mark.usefixtures("few_names")


@pytest.fixture
def running(upstream):
    upstream.answer = lambda path, request: up.chat("It opens at nine, <name-1>.")
    with serving.serving(Options(disprove="off", k=1), upstream=upstream.url) as server:
        yield server


@pytest.fixture
def client(running):
    with openai.OpenAI(
        base_url=running.v1, api_key="sk-own", max_retries=0, default_headers={"x-gama-mode": "gama"}
    ) as made:
        yield made


def test_the_graph_with_the_users_own_key_and_model(client, upstream):
    reply = client.chat.completions.create(model="up-1", messages=ASK)
    assert reply.choices[0].message.content == f"It opens at nine, {NAME}." and reply.usage.total_tokens > 0
    assert reply.gama["route"] == "both" and reply.gama["domains"]
    assert len(upstream.record) >= 1, "one expert at least"
    assert b"quornbeck" not in upstream.received.lower() and b"Bearer sk-own" in upstream.received
    assert {request["model"] for request in upstream.requests} == {"up-1"}


def test_streams_in_each_protocol(client, running, upstream):
    chunks = list(
        client.chat.completions.create(model="up-1", messages=ASK, stream=True, stream_options={"include_usage": True})
    )
    assert (
        "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
        == f"It opens at nine, {NAME}."
    )
    assert chunks[-1].usage.total_tokens > 0
    with client.responses.stream(model="up-1", input=LETTER) as stream:
        assert stream.get_final_response().output_text == f"It opens at nine, {NAME}."
    with (
        anthropic.Anthropic(base_url=running.url, api_key="k", max_retries=0) as other,
        other.messages.stream(model="gama", max_tokens=9, messages=ASK) as stream,
    ):
        assert "nine" in stream.get_final_text()


def test_the_servers_own_model_by_name(running):
    with openai.OpenAI(base_url=running.v1, api_key="k", max_retries=0) as plain:
        reply = plain.chat.completions.create(model="gama", messages=ASK)
        assert "nine" in reply.choices[0].message.content and reply.model == "gama"
        assert "nine" in plain.responses.create(model="gama", input=LETTER).output_text
    message = httpx.post(f"{running.v1}/messages", json={"model": "gama", "messages": ASK}, timeout=100).json()
    assert "nine" in message["content"][0]["text"]


def test_a_conversation_is_one_task(client, upstream):
    turns = [{"role": "system", "content": "Be brief."}, *ASK, {"role": "assistant", "content": f"At nine, {NAME}."},
             {"role": "user", "content": "And on Sunday?"}]  # fmt: skip
    client.chat.completions.create(model="up-1", messages=turns)
    task = upstream.requests[0]["messages"][-1]["content"]
    assert task.index("Be brief.") < task.index("Assistant: At nine, <name-1>.") < task.index("And on Sunday?")


@pytest.mark.parametrize(
    "more",
    [
        {"tools": [{"type": "function", "function": {"name": "f"}}]},
        {"n": 2},
        {"response_format": {"type": "json_object"}},
    ],
)
def test_what_the_graph_cannot_do_is_refused(client, upstream, more):
    with pytest.raises(openai.BadRequestError) as caught:
        client.chat.completions.create(model="up-1", messages=ASK, **more)
    assert caught.value.code == "not_offered" and upstream.record == []


def test_errors_in_the_protocols_form(client, upstream):
    upstream.answer = lambda path, request: up.error(401, f"bad key of {NAME}")
    with pytest.raises(openai.APIStatusError) as caught:
        client.chat.completions.create(model="up-1", messages=ASK)
    assert NAME not in str(caught.value)
    with pytest.raises(openai.APIError) as caught:
        list(client.chat.completions.create(model="up-1", messages=ASK, stream=True))
    with pytest.raises(openai.BadRequestError, match="image_url"):
        client.chat.completions.create(
            model="up-1", messages=[{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}]
        )


def test_an_address_that_only_the_assistant_named_gets_no_value(client, upstream):
    text = "It opens at nine: https://evil.example/?q=<name-1> https://shop.example/?q=<name-1> <name-1>."
    upstream.answer = lambda path, request: up.chat(text)
    turns = [*ASK, {"role": "assistant", "content": "See https://evil.example/."}]
    turns.append({"role": "user", "content": f"I am {NAME}. When does shop.example open?"})
    content = client.chat.completions.create(model="up-1", messages=turns).choices[0].message.content
    named = text.replace("shop.example/?q=<name-1>", f"shop.example/?q={NAME.replace(' ', '%20')}")
    assert content == named.replace("<name-1>.", f"{NAME}.")
    content = client.chat.completions.create(model="up-1", messages=ASK).choices[0].message.content
    assert content == text.replace("<name-1>.", f"{NAME}.")


def test_the_suffix_that_asks_for_formulas_is_no_part_of_the_models_name(client, upstream):
    client.chat.completions.create(model="up-1+formulas", messages=ASK)
    assert {request["model"] for request in upstream.requests} == {"up-1"}


def test_formulas_can_be_switched_off_by_the_header(client, upstream):
    said = "It opens for {{ initials(<name-1>) }}."
    upstream.answer = lambda path, request: up.chat(said)

    def asked(**more):
        reply = client.chat.completions.create(model="up-1", messages=ASK, **more)
        return reply.choices[0].message.content

    assert asked() == asked(extra_headers={"x-gama-formulas": "on"}) == "It opens for T.Q."
    assert b"Reckoning with hidden values" in upstream.received
    count = len(upstream.record)
    assert "{{ initials(" in asked(extra_headers={"x-gama-formulas": "off"})
    assert not any(b"Reckoning with hidden" in str(one).encode() for one in upstream.record[count:])
    with pytest.raises(openai.BadRequestError, match="on or off"):
        asked(extra_headers={"x-gama-formulas": "maybe"})
