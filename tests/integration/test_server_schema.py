"""Every route under made-up bodies, good and bad: no failure of the server, and answers as OpenAPI describes them."""

import httpx
import jsonschema
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.support import serving
from tests.support import upstream as up

TEXTS = st.one_of(
    st.text(max_size=12), st.sampled_from(["I am Thessaly Quornbeck.", "<name-1>", "\x00", "\u202e", "{}"])
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=6,
)
MESSAGES = st.lists(
    st.fixed_dictionaries({"role": st.sampled_from(["user", "system", "assistant", "tool", "x"]), "content": VALUES}),
    max_size=3,
)
FIELDS = {
    "input": st.one_of(TEXTS, st.fixed_dictionaries({"question": TEXTS}), MESSAGES, VALUES), "inputs": st.lists(VALUES, max_size=2),
    "config": st.one_of(st.fixed_dictionaries({"configurable": VALUES}), VALUES), "text": VALUES, "box": VALUES,
    "question": VALUES, "options": VALUES, "hide": VALUES, "messages": st.one_of(MESSAGES, VALUES), "model": VALUES,
    "stream": st.booleans(), "max_tokens": VALUES, "metadata": VALUES, "tools": VALUES, "response_format": VALUES,
}  # fmt: skip
BODIES = st.one_of(VALUES, *(st.fixed_dictionaries({}, optional=FIELDS) for _ in range(4)))


@pytest.fixture(scope="module")
def running():
    server = up.Upstream(lambda path, request: up.chat("fine"))
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("GAMA_HOME", raising=False)
        patch.setattr("gama.privacy.finders.tagger", serving.few_names)
        with serving.serving(upstream=server.url, anthropic=server.url, upstream_key="k", keep=False) as made:
            with httpx.Client(base_url=made.url, timeout=120) as client:
                yield client, client.get("/openapi.json").json()
    server.close()


def operations(document):
    return [
        (method, path, operation)
        for path, found in sorted(document["paths"].items())
        for method, operation in sorted(found.items())
    ]


def check(answer, operation, document):
    assert answer.status_code < 500 or answer.status_code == 503, (answer.request.url, answer.status_code, answer.text)
    described = operation["responses"].get(str(answer.status_code)) or operation["responses"]["default"]
    kinds = described.get("content", {})
    kind = answer.headers.get("content-type", "").split(";")[0]
    if kind == "application/json" and kind in kinds and kinds[kind]["schema"]:
        jsonschema.validate(answer.json(), kinds[kind]["schema"] | {"components": document["components"]})


@pytest.mark.slow
def test_any_body_on_every_route(running):
    client, document = running
    posts = [one for one in operations(document) if one[0] == "post"]

    @settings(max_examples=150, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(st.sampled_from(posts), BODIES, st.sampled_from(["t", "a/b", "..", "%00", "ø", "x" * 300]))
    def send(one, body, name):
        _, path, operation = one
        for part in ("{thread}", "{name}"):
            path = path.replace(part, httpx.URL("http://x/" + name.replace("%", "%25")).raw_path[1:].decode())
        check(client.post(path, json=body), operation, document)

    send()


@pytest.mark.parametrize(
    "body", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"input": "\\ud83d I am Thessaly Quornbeck"}', b"null"]
)
def test_odd_bytes_on_every_route(running, body):
    client, document = running
    for method, path, operation in operations(document):
        address = path.replace("{thread}", "t").replace("{name}", "n")
        answer = client.request(method, address, content=body, headers={"content-type": "application/json"})
        check(answer, operation, document)


def test_a_batch_with_one_bad_input_says_so(running):
    client, _ = running
    answer = client.post("/gama/batch", json={"inputs": [{"question": "Who am I?"}, {}]})
    assert answer.status_code == 400 and answer.json()["code"] == "invalid_input"


def test_errors_are_described(running):
    _, document = running
    for _, path, operation in operations(document):
        schema = operation["responses"]["default"]["content"]["application/json"]["schema"]
        assert ("error" in schema["properties"]) is path.startswith("/v1"), path
    assert "HTTPValidationError" not in str(document)
