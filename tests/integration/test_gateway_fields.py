"""A secret in each field, header and parameter of the three protocols: what of it the upstream received."""

import copy
import json
from typing import Any

import httpx
import pytest

from tests.support import letters, serving
from tests.support import upstream as up

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

HANDLE, MAIL, IBAN = "thessaly_quornbeck", letters.SECRETS[1], letters.SECRETS[2].replace(" ", "")
CHAT: dict[str, Any] = {
    "model": "m",
    "messages": [
        {"role": "user", "content": "Look up the weather."},
        {
            "role": "assistant",
            "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "c", "content": "Rain."},
    ],
    "tools": [
        {
            "type": "function",
            "function": {
                "name": "f",
                "description": "Weather.",
                "parameters": {"type": "object", "properties": {"place": {"type": "string"}}},
            },
        }
    ],
}
RESPONSES: dict[str, Any] = {
    "model": "m",
    "input": [
        {"role": "user", "content": "Look up the weather."},
        {"type": "function_call", "id": "fc_1", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "Rain."},
    ],
    "tools": [{"type": "function", "name": "f", "parameters": {"type": "object", "properties": {}}}],
}
MESSAGES: dict[str, Any] = {
    "model": "m",
    "max_tokens": 9,
    "system": [{"type": "text", "text": "You tell the weather."}],
    "messages": [
        {"role": "user", "content": "Look up the weather."},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "Rain."}]},
    ],
    "tools": [{"name": "f", "input_schema": {"type": "object", "properties": {"place": {"type": "string"}}}}],
}

_TOOL = "tools.0.function"
_SCHEMA = f"{_TOOL}.parameters"
_PLACE = f"{_SCHEMA}.properties.place"
_INNER = "tools.0.input_schema"
_CALL, _RESULT = "messages.1.tool_calls.0", "messages.2"
ANY, NAME, CODE = (HANDLE, MAIL, IBAN), (HANDLE,), (MAIL, IBAN)


def key(secret: str) -> dict[str, Any]:
    return {secret: 1}


# Each row: where, what makes the value of a secret, which secrets; a value under a path is set, a name of a field added.
TABLE: list[tuple[str, dict[str, Any], str, Any, tuple[str, ...]]] = [
    *(
        ("/chat/completions", CHAT, path, make, which)
        for path, make, which in [
            (f"{_TOOL}.name", "mail_{}", NAME),
            (f"{_TOOL}.name", "{}", (IBAN,)),
            (f"{_TOOL}.description", "Of {}.", CODE),
            (_TOOL, key, ANY),
            ("tools.0", key, ANY),
            (f"{_SCHEMA}.properties", lambda s: {s: {"type": "string"}}, ANY),
            (f"{_SCHEMA}.required", lambda s: [s], ANY),
            (f"{_SCHEMA}.dependentRequired", lambda s: {"place": [s]}, ANY),
            (f"{_SCHEMA}.$defs", lambda s: {s: {"type": "string"}}, ANY),
            (f"{_SCHEMA}.$id", "https://schema.example/{}", ANY),
            (f"{_SCHEMA}.$anchor", "{}", ANY),
            (f"{_SCHEMA}.$comment", "For {}", CODE),
            (f"{_SCHEMA}.title", "{}", CODE),
            (_SCHEMA, key, ANY),
            (f"{_PLACE}.enum", lambda s: [s], CODE),
            (f"{_PLACE}.enum", lambda s: [{s: 1}], ANY),
            (f"{_PLACE}.enum", lambda s: [4417123456789113], ("4417123456789113",)),
            (f"{_PLACE}.const", "{}", CODE),
            (f"{_PLACE}.const", lambda s: {"deep": [{s: "x"}]}, ANY),
            (f"{_PLACE}.default", lambda s: {s: s}, CODE),
            (f"{_PLACE}.examples", lambda s: [s], CODE),
            (f"{_PLACE}.pattern", lambda s: "^" + s.replace(".", "\\.") + "$", ANY),
            (f"{_PLACE}.pattern", "^(thessaly.quornbeck|x)$", NAME),
            ("user", "thessaly.quornbeck", NAME),
            (f"{_PLACE}.format", "{}", ANY),
            (f"{_PLACE}.type", lambda s: ["string", s], CODE),
            (f"{_PLACE}.$ref", "https://schema.example/{}", ANY),
            (f"{_PLACE}.x-notes", lambda s: [s], CODE),
            ("", key, ANY),
            ("x_unknown", "{}", CODE),
            ("x_unknown", lambda s: {"deep": [{s: 1}]}, CODE),
            ("x_number", lambda s: 4417123456789113, ("4417123456789113",)),
            ("logit_bias", key, ANY),
            ("logit_bias", lambda s: {"1": s}, CODE),
            ("user", "{}", ANY),
            ("safety_identifier", "user-{}", ANY),
            ("prompt_cache_key", "cache-{}", ANY),
            ("metadata", lambda s: {"of": s}, CODE),
            ("metadata", key, CODE),
            ("service_tier", "{}", CODE),
            ("modalities", lambda s: ["text", s], CODE),
            ("model", "{}", CODE),
            ("stop", lambda s: [s], CODE),
            ("response_format", lambda s: {"type": "json_schema", "json_schema": {"name": s, "schema": {}}}, NAME),
            ("stream_options", key, ANY),
            (f"{_CALL}.id", "call_{}", NAME),
            (f"{_CALL}.id", "{}", (IBAN,)),
            (f"{_CALL}.thought_signature", "{}", ANY),
            (_CALL, key, ANY),
            (f"{_RESULT}.tool_call_id", "call_{}", NAME),
            ("messages.0", key, ANY),
            ("messages.0.x_number", lambda s: 4417123456789113, ("4417123456789113",)),
            ("messages.0.signature", "x" * 80 + "{}", ANY),
            ("messages.0.signature", key, CODE),
            ("messages.0.obfuscation", "{}", CODE),
        ]
    ),
    *(
        ("/responses", RESPONSES, path, make, which)
        for path, make, which in [
            ("input.1.id", "fc_{}", NAME),
            ("input.1.call_id", "call_{}", NAME),
            ("input.1.status", "{}", CODE),
            ("input.1", key, ANY),
            ("input.0.encrypted_content", "{}", ANY),
            ("include", lambda s: [s], CODE),
            ("previous_response_id", "resp_{}", ANY),
            ("tools.0.name", "mail_{}", NAME),
            ("tools.0", lambda s: {"type": "mcp", "server_label": s}, ANY),
            ("tools.0", lambda s: {"type": "mcp", "server_url": f"https://x.example/{s}"}, CODE),
            ("text", lambda s: {"format": {"type": "json_schema", "name": s, "schema": {}}}, NAME),
            ("prompt", lambda s: {"id": "pmpt_1", "variables": {"who": s}}, CODE),
            ("safety_identifier", "{}", ANY),
            ("", key, ANY),
        ]
    ),
    *(
        ("/messages", MESSAGES, path, make, which)
        for path, make, which in [
            ("metadata.user_id", "{}", CODE),
            ("system.0.cache_control", lambda s: {"type": "ephemeral", "ttl": s}, CODE),
            ("system.0", key, ANY),
            ("messages.1.content.0.id", "toolu_{}", NAME),
            ("messages.1.content.0", key, ANY),
            ("messages.1.content.0.input", key, CODE),
            ("messages.1.content.0", lambda s: {"type": "thinking", "thinking": "Rain?", "signature": s}, ANY),
            ("messages.1.content.0", lambda s: {"type": "redacted_thinking", "data": s}, ANY),
            ("messages.2.content.0.tool_use_id", "toolu_{}", NAME),
            ("tools.0.name", "mail_{}", NAME),
            (f"{_INNER}.properties", lambda s: {s: {"type": "string"}}, ANY),
            (f"{_INNER}.properties.place.pattern", "{}", ANY),
            ("mcp_servers", lambda s: [{"type": "url", "name": s, "url": "https://x.example/sse"}], ANY),
            ("mcp_servers", lambda s: [{"type": "url", "name": "x", "url": f"https://x.example/{s}"}], CODE),
            ("container", lambda s: {"id": s, "skills": []}, CODE),
            ("stop_sequences", lambda s: [s], CODE),
            ("", key, ANY),
        ]
    ),
]
ROWS = [(*row[:4], secret) for row in TABLE for secret in row[4]]


def planted(body: dict[str, Any], path: str, make: Any, secret: str) -> dict[str, Any]:
    """Return a body with a secret in it: as the value under a path, or as the name of one more field there."""
    body = copy.deepcopy(body)
    value = make.format(secret) if isinstance(make, str) else make(secret)
    holder: Any = body
    names = path.split(".") if path else []
    for name in names if make is key else names[:-1]:
        at: Any = int(name) if isinstance(holder, list) else name
        holder = holder.setdefault(at, {}) if isinstance(holder, dict) else holder[at]
    if make is key:
        holder.update(value)
    else:
        last: Any = int(names[-1]) if isinstance(holder, list) else names[-1]
        holder[last] = value
    return body


def answer(path: str, request: Any) -> up.Answer:
    """Answer in the form of each protocol."""
    if path == "/messages":
        said = {
            "id": "m",
            "type": "message",
            "role": "assistant",
            "model": "c",
            "content": [],
            "stop_reason": "end_turn",
        }
        return up.Answer(json.dumps(said).encode())
    if path == "/responses":
        return up.Answer(json.dumps({"id": "resp_1", "object": "response", "output": []}).encode())
    return up.chat("Rain.")


@pytest.fixture(scope="module")
def running():
    server = up.Upstream(answer)
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("GAMA_HOME", raising=False)
        with serving.serving(upstream=server.url, anthropic=server.url, keep=False) as made:
            yield made, server
    server.close()


def leaks(blob: bytes, secret: str) -> bool:
    """Return whether a secret is in what was received, as it is or with other signs between its words."""
    text = blob.lower().translate(None, letters.OTHER)
    return secret.lower().encode().translate(None, letters.OTHER) in text or b"quornbeck" in text


def check(running, made, secret: str) -> None:
    """Check that a request left without its secret, or not at all, and that the refusal does not quote it."""
    _, upstream = running
    before = len(upstream.record)
    told = made()
    if told.status_code == 200:
        assert len(upstream.record) == before + 1
    else:
        assert told.status_code in (400, 404) and len(upstream.record) == before, told.text
        assert not leaks(told.content, secret)
        assert any(code in told.text for code in ("private_field", "opaque_unknown", "leak_stopped", "unknown")), (
            told.text
        )
    assert not leaks(b"\n".join(upstream.record[before:]), secret)


@pytest.mark.parametrize(("route", "body", "path", "make", "secret"), ROWS)
def test_a_secret_in_a_field_does_not_leave(running, route, body, path, make, secret):
    given = planted(body, path, make, secret)
    check(running, lambda: httpx.post(f"{running[0].v1}{route}", json=given, timeout=600), secret)


HEADERS = [
    ("idempotency-key", "/chat/completions", CHAT),
    ("openai-organization", "/chat/completions", CHAT),
    ("openai-project", "/responses", RESPONSES),
    ("openai-beta", "/responses", RESPONSES),
    ("anthropic-beta", "/messages", MESSAGES),
    ("anthropic-version", "/messages", MESSAGES),
    ("accept", "/messages", MESSAGES),
    ("user-agent", "/chat/completions", CHAT),
]


@pytest.mark.parametrize(
    ("name", "route", "body", "secret"),
    # A version is looked at for codes alone.
    [(*row, secret) for row in HEADERS for secret in ANY if (row[0], secret) != ("anthropic-version", HANDLE)],
)
def test_a_secret_in_a_header_does_not_leave(running, name, route, body, secret):
    if name.endswith("beta"):
        secret = secret.replace("_", "-")
    head = {name: f"x-{secret}"}
    check(running, lambda: httpx.post(f"{running[0].v1}{route}", json=body, headers=head, timeout=600), secret)


@pytest.mark.parametrize("secret", ANY)
@pytest.mark.parametrize("name", ["after", "limit", "order", "include", "api-version", "x_other"])
def test_a_secret_in_a_parameter_does_not_leave(running, name, secret):
    before = len(running[1].record)
    told = httpx.get(f"{running[0].v1}/models", params={name: secret}, timeout=600)
    assert told.status_code == 400 and not leaks(told.content, secret) and len(running[1].record) == before


@pytest.mark.parametrize("secret", CODE)
def test_a_secret_in_the_address_does_not_leave(running, secret):
    before = len(running[1].record)
    told = httpx.get(f"{running[0].v1}/models/{secret}", timeout=600)
    assert told.status_code == 400 and "address" in told.text and len(running[1].record) == before


def test_what_is_nobodys_passes_unchanged(running):
    server, upstream = running
    body = planted(CHAT, f"{_PLACE}.pattern", r"^[A-Z]{{2}}\d{{2}}(-\d+)*$", "")
    body |= {
        "logit_bias": {"50256": -100},
        "user": "u-1842-abc",
        "prompt_cache_key": "7f1c2d",
        "service_tier": "flex",
        "temperature": 0.2,
        "audio": {"voice": "sage", "format": "mp3"},
        "x_unknown": {"num_ctx": 8192},
        "messages": [
            *body["messages"],
            {
                "role": "assistant",
                "tool_calls": [
                    {"id": one, "type": "function", "function": {"name": "f", "arguments": "{}"}}
                    for one in ("call_a1B2c3D4e5F6", "toolu_01A09q90qw90lq917835lq9", "chatcmpl-tool-68af4030b5a88190")
                ],
            },
        ],
    }
    tools = (
        "search_flights lookup_customer get_weather mcp__github__create_issue str_replace_based_edit_tool browser_click"
    )
    body["tools"] += [
        {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": {
            "first_name": {"type": "string"}, "date_of_birth": {"type": "string", "format": "date"}, "iban": {},
            "limit": {"type": "integer", "maximum": 2147483647}}}}}
        for name in tools.split()
    ]  # fmt: skip
    told = httpx.post(f"{server.v1}/chat/completions", json=body, headers={"openai-beta": "assistants=v2"}, timeout=600)
    assert told.status_code == 200 and upstream.last == body
    head = {"anthropic-version": "2023-06-01", "anthropic-beta": "claude-code-20250219,prompt-caching-2024-07-31"}
    told = httpx.post(
        f"{server.v1}/messages", json=MESSAGES | {"model": "claude-sonnet-5-5"}, headers=head, timeout=600
    )
    assert told.status_code == 200 and upstream.last == MESSAGES | {"model": "claude-sonnet-5-5"}


def test_names_and_identifiers_hide_together_and_come_back(running):
    server, upstream = running
    tool = f"mail_{HANDLE}"
    body = planted(planted(CHAT, f"{_TOOL}.name", tool, ""), f"{_CALL}.function.name", tool, "")
    body["messages"][1]["tool_calls"][0]["id"] = body["messages"][2]["tool_call_id"] = f"call_{HANDLE}"
    upstream.answer = lambda path, request: up.chat(
        None,
        [
            {
                "index": 0,
                "finish_reason": "tool_calls",
                "message": {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        {
                            "id": "c2",
                            "type": "function",
                            "function": {"name": request["tools"][0]["function"]["name"], "arguments": "{}"},
                        }
                    ],
                },
            }
        ],
    )
    told = httpx.post(f"{server.v1}/chat/completions", json=body, timeout=600).json()
    upstream.answer = answer
    sent = upstream.last
    assert sent["messages"][1]["tool_calls"][0]["id"] == sent["messages"][2]["tool_call_id"] != f"call_{HANDLE}"
    name = sent["tools"][0]["function"]["name"]
    assert name == sent["messages"][1]["tool_calls"][0]["function"]["name"] != tool and name.replace("_", "").isascii()
    assert told["choices"][0]["message"]["tool_calls"][0]["function"]["name"] == tool
    assert not leaks(upstream.record[-1], HANDLE)


def test_an_opaque_string_goes_back_to_who_made_it_and_for_who_got_it(running):
    server, upstream = running
    opaque = "gAAAA" + "Qm9" * 40
    item = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": opaque}
    body = RESPONSES | {"input": [item, {"role": "user", "content": "And then?"}]}
    refused = httpx.post(f"{server.v1}/responses", json=body, timeout=600)
    assert refused.status_code == 400 and refused.json()["error"]["code"] == "opaque_unknown"
    assert "input[0].encrypted_content" in refused.text and opaque not in refused.text
    events = [{"type": "response.output_item.done", "output_index": 0, "item": item}]
    upstream.answer = lambda path, request: up.events(events, named=True, done=False)
    httpx.post(f"{server.v1}/responses", json=RESPONSES | {"stream": True}, timeout=600)
    upstream.answer = answer
    assert httpx.post(f"{server.v1}/responses", json=body, timeout=600).status_code == 200
    assert upstream.last["input"][0] == item
    changed = RESPONSES | {"input": [item | {"encrypted_content": opaque + "x"}]}
    assert httpx.post(f"{server.v1}/responses", json=changed, timeout=600).status_code == 400
    assert server.app.state.gateway.made.get("another key", opaque) is None
