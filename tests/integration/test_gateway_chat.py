"""/v1/chat/completions with the official client: what leaves, what comes back, streamed and whole."""

import json

import openai
import pytest
from pydantic import BaseModel

from tests.support import serving
from tests.support import upstream as up
from tests.support.serving import ADDRESS, NAME, clean

IBAN = "GB29 NWBK 6016 1331 9268 19"

pytestmark = pytest.mark.usefixtures("few_names")


def test_all_roles_are_anonymized_with_one_box_and_the_answer_restored(client, upstream):
    reply = client.chat.completions.create(
        model="up-1",
        messages=[
            {"role": "system", "content": f"You work for {NAME}."},
            {"role": "developer", "content": f"Never mention {IBAN}."},
            {"role": "user", "name": "Thessaly", "content": [{"type": "text", "text": f"I am {NAME}."}, {"type": "text", "text": f"From {ADDRESS}"}]},
            {"role": "assistant", "content": f"Hello {NAME}!"},
            {"role": "user", "content": f"My IBAN is {IBAN}; THESSALY  QUORNBECK signs."},
        ],
    )  # fmt: skip
    sent = upstream.last["messages"]
    assert clean(upstream.received)
    named = sent[3]["content"].removeprefix("Hello ").removesuffix("!")
    assert named in ("<name-1>", "<name-2>") and sent[0]["content"] == f"You work for {named}."
    assert "<iban-1>" in sent[1]["content"] and "<iban-1>" in sent[4]["content"]
    assert sent[2]["name"].startswith("first_name-")
    assert NAME in reply.choices[0].message.content and ADDRESS in reply.choices[0].message.content
    assert "THESSALY  QUORNBECK" in reply.choices[0].message.content and "<" not in reply.choices[0].message.content
    assert reply.usage.total_tokens == 18 and reply.choices[0].finish_reason == "stop"


def test_the_users_own_key_goes_along_and_nothing_else_of_him(client, upstream):
    client.chat.completions.create(
        model="up-1",
        messages=[{"role": "user", "content": "Hello there"}],
        extra_headers={"x-customer": NAME, "OpenAI-Organization": "org-1"},
    )
    head = upstream.received.lower()
    assert b"authorization: bearer sk-users-own" in head and b"openai-organization: org-1" in head
    assert b"x-stainless" not in head and b"x-customer" not in head and clean(head)


def test_a_stream_is_restored_chunk_by_chunk(client, upstream):
    answer = "Dear <name-1>, <id_number-1>? <name-1>'s IBAN is <iban-1>."
    upstream.answer = lambda path, request: up.events(up.deltas(up.text_deltas(answer)))
    chunks = list(
        client.chat.completions.create(
            model="up-1", stream=True, messages=[{"role": "user", "content": f"I am {NAME}, IBAN {IBAN}."}]
        )
    )
    texts = [chunk.choices[0].delta.content or "" for chunk in chunks]
    assert "".join(texts) == f"Dear {NAME}, <id_number-1>? {NAME}'s IBAN is {IBAN}."
    assert chunks[-1].choices[0].finish_reason == "stop" and len([text for text in texts if text]) > 5
    assert all("<name" not in text for text in texts)


def test_a_placeholder_at_the_very_end_of_a_stream(client, upstream):
    upstream.answer = lambda path, request: up.events(up.deltas(up.text_deltas("Yours, <name-1>", 1)))
    chunks = client.chat.completions.create(
        model="up-1", stream=True, messages=[{"role": "user", "content": f"I am {NAME}."}]
    )
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == f"Yours, {NAME}"


def test_several_choices_side_by_side(client, upstream):
    mixed = []
    for pair in zip(
        up.deltas(up.text_deltas("One <name-1>!", 2)),
        up.deltas(up.text_deltas("Two <iban-1>.", 2), index=1),
        strict=True,
    ):
        mixed += pair
    upstream.answer = lambda path, request: up.events(mixed)
    texts = {0: "", 1: ""}
    for chunk in client.chat.completions.create(
        model="up-1", n=2, stream=True, messages=[{"role": "user", "content": f"I am {NAME}, IBAN {IBAN}."}]
    ):
        texts[chunk.choices[0].index] += chunk.choices[0].delta.content or ""
    assert texts == {0: f"One {NAME}!", 1: f"Two {IBAN}."} and upstream.last["n"] == 2


TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "mail_thessaly_quornbeck",
            "description": f"Write to {NAME}.",
            "parameters": {
                "type": "object",
                "properties": {
                    "to": {"type": "string", "enum": [NAME, "Ambrose Tilling"]},
                    "thessaly_quornbeck": {"type": "string", "description": f"As {NAME} wants it"},
                    "address": {"type": "string"},
                },
                "required": ["to", "thessaly_quornbeck"],
            },
        },
    }
]


def call(arguments: str) -> dict:
    return {"id": "call_1", "type": "function", "function": {"name": "id_number-1", "arguments": arguments}}


def test_tools_their_calls_and_results(client, upstream):
    def answer(path, request):
        name = request["tools"][0]["function"]["name"]
        made = call('{"to": "<name-1>", "address": "<address-1>", "x": 1}')
        made["function"]["name"] = name
        message = {"role": "assistant", "content": None, "tool_calls": [made]}
        return up.chat(None, [{"index": 0, "message": message, "finish_reason": "tool_calls"}])

    upstream.answer = answer
    history = [{"role": "user", "content": f"I am {NAME} of {ADDRESS}. Write to me."}]
    reply = client.chat.completions.create(model="up-1", messages=history, tools=TOOLS)
    (made,) = reply.choices[0].message.tool_calls
    assert made.function.name == "mail_thessaly_quornbeck"
    assert json.loads(made.function.arguments) == {"to": NAME, "address": ADDRESS, "x": 1}
    sent = upstream.last["tools"][0]["function"]
    assert clean(upstream.received) and "<name-1>" in sent["description"]
    assert sent["parameters"]["properties"]["to"]["enum"][0] == "<name-1>"
    assert sent["parameters"]["required"][1] in sent["parameters"]["properties"]

    upstream.answer = lambda path, request: up.chat(up.said(request))
    history += [
        reply.choices[0].message.model_dump(exclude_none=True),
        {"role": "tool", "tool_call_id": "call_1", "content": json.dumps({"status": "sent", "to": NAME, "at": ADDRESS, "cc": ["Ambrose Tilling"]})},
    ]  # fmt: skip
    client.chat.completions.create(model="up-1", messages=history, tools=TOOLS)
    assert clean(upstream.received)
    again = upstream.last["messages"]
    assert json.loads(again[1]["tool_calls"][0]["function"]["arguments"])["to"] == "<name-1>"
    result = json.loads(again[2]["content"])
    assert result["to"] == "<name-1>" and result["at"].startswith("<address-1") and result["status"] == "sent"
    assert again[1]["tool_calls"][0]["function"]["name"] == upstream.last["tools"][0]["function"]["name"]


def test_arguments_stay_json_when_they_are_streamed(client, upstream):
    arguments = '{"to": "<name-1>", "at": "<address-1>", "by": "<organization-1>"}'
    pieces = [{"role": "assistant", "content": None, "tool_calls": [{"index": 0, **call("")}]}]
    pieces += [{"tool_calls": [{"index": 0, "function": {"arguments": piece}}]} for piece in arguments]
    upstream.answer = lambda path, request: up.events(up.deltas(pieces, finish="tool_calls"))
    inn = 'The "Blue" Door\\Inn'
    with client.chat.completions.stream(
        model="up-1",
        tools=TOOLS,
        messages=[{"role": "user", "content": f"I am {NAME} of {ADDRESS}, from {inn}."}],
    ) as stream:
        final = stream.get_final_completion()
    made = final.choices[0].message.tool_calls[0].function
    assert json.loads(made.arguments) == {"to": NAME, "at": ADDRESS, "by": inn}
    assert final.choices[0].finish_reason == "tool_calls"


class Person(BaseModel):
    name: str
    address: str


def test_structured_output_is_json_whatever_the_values(client, upstream):
    upstream.answer = lambda path, request: up.chat('{"name": "<name-1>", "address": "<address-1>"}')
    messages = [{"role": "user", "content": f"I am {NAME} of {ADDRESS}."}]
    reply = client.chat.completions.parse(model="up-1", messages=messages, response_format=Person)
    assert reply.choices[0].message.parsed == Person(name=NAME, address=ADDRESS)

    stream_of = up.text_deltas('{"name": "<name-1>", "address": "<address-1>"}', 2)
    upstream.answer = lambda path, request: up.events(up.deltas(stream_of))
    with client.chat.completions.stream(model="up-1", messages=messages, response_format=Person) as stream:
        assert stream.get_final_completion().choices[0].message.parsed == Person(name=NAME, address=ADDRESS)


async def test_async_client(running, upstream):
    async with openai.AsyncOpenAI(base_url=running.v1, api_key="k", max_retries=0) as client:
        messages = [{"role": "user", "content": f"I am {NAME}."}]
        whole = await client.chat.completions.create(model="up-1", messages=messages)
        assert whole.choices[0].message.content == f"I am {NAME}."
        upstream.answer = lambda path, request: up.events(up.deltas(up.text_deltas("Dear <name-1>.")))
        text = ""
        async for chunk in await client.chat.completions.create(model="up-1", messages=messages, stream=True):
            text += chunk.choices[0].delta.content or ""
        assert text == f"Dear {NAME}." and clean(upstream.received)


def test_logprobs_usage_and_unknown_fields_pass_both_ways(client, upstream):
    def answer(path, request):
        tokens = {"content": [{"token": "<name", "logprob": -0.5, "bytes": None, "top_logprobs": []}]}
        message = {
            "role": "assistant",
            "content": "<name-1>",
            "reasoning_content": "It is <name-1>.",
            "odd": {"of": "<name-1>"},
        }
        choice = {"index": 0, "message": message, "finish_reason": "length", "logprobs": tokens}
        return up.chat(None, [choice], system_fingerprint="fp", service_tier="flex", new_field=[1, 2.5, None, True])

    upstream.answer = answer
    reply = client.chat.completions.create(
        model="up-1",
        messages=[{"role": "user", "content": f"I am {NAME}."}],
        logprobs=True,
        seed=7,
        temperature=0.25,
        logit_bias={"50256": -100},
        metadata={"case": "open", "client": NAME},
        user="t.quornbeck@planted.example",
        stop=["END"],
        extra_body={"top_k": 40, "guided": {"min": 3, "deep": [1, None]}, "note": f"for {NAME}"},
    )
    sent = upstream.last
    assert sent["logit_bias"] == {"50256": -100} and sent["temperature"] == 0.25 and sent["stop"] == ["END"]
    assert sent["top_k"] == 40 and sent["guided"] == {"min": 3, "deep": [1, None]} and sent["note"] == "for <name-1>"
    assert sent["metadata"] == {"case": "open", "client": "<name-1>"} and clean(upstream.received)
    choice = reply.choices[0]
    assert choice.finish_reason == "length" and choice.logprobs.content[0].token == "<name"
    assert choice.message.reasoning_content == f"It is {NAME}." and choice.message.odd == {"of": NAME}
    assert reply.system_fingerprint == "fp" and reply.new_field == [1, 2.5, None, True]


def test_upstream_errors_pass_as_they_are(client, upstream):
    upstream.answer = lambda path, request: up.error(
        429, "Slow down, <name-1>", **{"retry-after": "7", "x-request-id": "r1"}
    )
    with pytest.raises(openai.RateLimitError) as caught:
        client.chat.completions.create(model="up-1", messages=[{"role": "user", "content": f"I am {NAME}."}])
    assert caught.value.response.headers["retry-after"] == "7" and caught.value.request_id == "r1"
    assert caught.value.code == "odd" and "<name-1>" in str(caught.value) and NAME not in str(caught.value)


def test_an_upstream_that_breaks_off_is_told_in_the_protocols_form(client, upstream):
    upstream.answer = lambda path, request: up.events(
        up.deltas(up.text_deltas("Dear <name-1>"), finish=None), done=False, broken=True
    )
    text = ""
    with pytest.raises(openai.APIError, match="upstream"):
        for chunk in client.chat.completions.create(
            model="up-1", stream=True, messages=[{"role": "user", "content": f"I am {NAME}."}]
        ):
            text += chunk.choices[0].delta.content or ""
    assert text == f"Dear {NAME}"


def test_an_unreachable_upstream(few_names):
    with (
        serving.serving(upstream="http://127.0.0.1:9/v1") as server,
        openai.OpenAI(base_url=server.v1, api_key="k", max_retries=0) as client,
        pytest.raises(openai.InternalServerError) as caught,
    ):
        client.chat.completions.create(model="m", messages=[{"role": "user", "content": f"I am {NAME}."}])
    assert caught.value.status_code == 502 and caught.value.code == "upstream_unreachable"


PICTURE = "data:image/png;base64," + "iVBORw0KGgo" * 20
WITH_PICTURE = [
    {"role": "user", "content": [{"type": "text", "text": f"I am {NAME}."}, {"type": "image_url", "image_url": {"url": PICTURE}}]}
]  # fmt: skip


def test_pictures_are_refused_or_passed_by_policy(client, upstream):
    with pytest.raises(openai.BadRequestError) as caught:
        client.chat.completions.create(model="up-1", messages=WITH_PICTURE)
    assert caught.value.code == "media_refused" and "image_url" in str(caught.value) and upstream.record == []
    with (
        serving.serving(upstream=upstream.url, media="pass") as server,
        openai.OpenAI(base_url=server.v1, api_key="k") as free,
    ):
        free.chat.completions.create(model="up-1", messages=WITH_PICTURE)
    sent = upstream.last["messages"][0]["content"]
    assert sent[1]["image_url"]["url"] == PICTURE and sent[0]["text"] == "I am <name-1>."


def test_the_guard_on_the_wire_stops_what_slips_through(client, upstream, monkeypatch):
    from gama.serve.gateway import gateway

    real = gateway.write_json
    monkeypatch.setattr(gateway, "write_json", lambda body: real(body | {"note": "dGhlc3NhbHkgcXVvcm5iZWNr"}))
    with pytest.raises(openai.BadRequestError) as caught:
        client.chat.completions.create(model="up-1", messages=[{"role": "user", "content": f"I am {NAME}."}])
    assert caught.value.code == "leak_stopped" and upstream.record == []
    assert NAME not in str(caught.value)


def test_a_value_that_is_a_word_of_the_protocol_does_not_stop_a_request(upstream):
    from gama.state.options import Options

    with (
        serving.serving(Options(deny=("Assistant", "Messages", "up-1")), upstream=upstream.url) as server,
        openai.OpenAI(base_url=server.v1, api_key="k", max_retries=0) as client,
    ):
        client.chat.completions.create(
            model="up-1", messages=[{"role": "user", "content": "Ask Assistant at Messages, up-1."}]
        )
    assert upstream.last["messages"][0]["content"] == "Ask <id_number-1> at <id_number-2>, <id_number-3>."


def test_two_conversations_at_once_do_not_meet(client, upstream):
    one = client.chat.completions.create(model="up-1", messages=[{"role": "user", "content": f"I am {NAME}."}])
    two = client.chat.completions.create(model="up-1", messages=[{"role": "user", "content": "I am Ambrose Tilling."}])
    assert (
        one.choices[0].message.content == f"I am {NAME}." and two.choices[0].message.content == "I am Ambrose Tilling."
    )
    assert upstream.requests[0]["messages"] == upstream.requests[1]["messages"]


def test_a_long_history_is_not_read_again(running, client, upstream):
    history = []
    for turn in range(4):
        history.append({"role": "user", "content": f"Turn {turn}: {NAME} writes about case {turn}."})
        reply = client.chat.completions.create(model="up-1", messages=history)
        history.append({"role": "assistant", "content": reply.choices[0].message.content})
    page = running.server.metrics.page().decode()
    assert 'gama_texts_total{how="read"} 6.0' in page and 'gama_texts_total{how="remembered"} 10.0' in page
    assert all("Turn 0: <name-1> writes" in request["messages"][0]["content"] for request in upstream.requests)


def test_text_that_looks_like_a_placeholder_survives(client, upstream):
    text = f"I wrote <name-1> and [name 2] myself. I am {NAME}."
    reply = client.chat.completions.create(model="up-1", messages=[{"role": "user", "content": text}])
    assert reply.choices[0].message.content == text and "<name-1> and" not in upstream.last["messages"][0]["content"]


def test_the_log_and_the_metrics_show_nothing_private(running, client, upstream):
    client.chat.completions.create(model=NAME, messages=[{"role": "user", "content": f"I am {NAME}, {IBAN}."}])
    client.post("/chat/completions", cast_to=object, body={"messages": [{"role": "user", "content": f"I am {NAME}."}]})
    shown = json.dumps(running.log).encode() + running.server.metrics.page()
    assert clean(shown) and b"sk-users-own" not in shown and len(running.log) == 2
    assert running.log[0]["route"] == "/v1/chat/completions" and running.log[0]["status"] in (200, 400)
