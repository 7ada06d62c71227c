"""`/gama` with LangServe's own client, and the schemas."""

import asyncio

import httpx
import pytest
from langchain_core.messages import HumanMessage
from langserve import RemoteRunnable

from gama.state.options import Options
from tests.support import serving

NAME = "Thessaly Quornbeck"
LETTER = f"My name is {NAME}. The shop opens at nine. When does the shop open?"

pytestmark = pytest.mark.usefixtures("few_names")


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    patch = pytest.MonkeyPatch()
    patch.setattr("gama.privacy.finders.tagger", serving.few_names)
    with patch.context() as inner:
        inner.setenv("GAMA_HOME", str(tmp_path_factory.mktemp("home")))
        with serving.serving(Options(disprove="off", k=1)) as server:
            yield server
    patch.undo()


@pytest.fixture
async def remote(running):
    made = RemoteRunnable(f"{running.url}/gama", timeout=200)
    yield made
    # Its own way to close comes after the event loop's end.
    await made.async_client.aclose()


def test_invoke(remote):
    reply = remote.invoke({"question": LETTER})
    assert "nine" in reply["answer"] and NAME not in reply["anonymized"] and reply["entities"][0]["text"] == NAME
    assert (
        remote.invoke(LETTER)["anonymized"]
        == remote.invoke([HumanMessage(LETTER)])["anonymized"]
        == reply["anonymized"]
    )


async def test_async_batch_and_options(remote):
    one, two = await remote.abatch([{"question": LETTER}, {"question": LETTER}], {"configurable": {"k": 2}})
    assert one["answer"] == two["answer"] and one["thread"] != two["thread"] and len(one["domains"]) == 2
    assert [reply["anonymized"] for reply in await asyncio.to_thread(remote.batch, [LETTER])] == [one["anonymized"]]


async def test_streams(remote):
    whole = None
    for part in remote.stream({"question": LETTER}):
        whole = part if whole is None else whole + part
    assert "nine" in whole["answer"] and whole["anonymized"].startswith("My name is <name-1>.")
    keys = [list(part) async for part in remote.astream({"question": LETTER})]
    assert keys[0] == ["anonymized"] and "answer" in keys[-1]


def test_errors_quote_nothing(remote, running):
    with pytest.raises(httpx.HTTPStatusError, match="empty") as caught:
        remote.invoke({"question": " "})
    assert caught.value.response.status_code == 400
    with pytest.raises(httpx.HTTPStatusError, match="cannot be set here"):
        remote.invoke({"question": LETTER}, {"configurable": {"public_base_url": "http://evil.example"}})
    with pytest.raises(httpx.HTTPStatusError, match="empty"):
        list(remote.stream({"question": " "}))
    got = httpx.post(f"{running.url}/gama/invoke", json={"input": {NAME: 1}, "config": NAME})
    assert got.status_code == 422 and NAME not in got.text
    got = httpx.post(f"{running.url}/gama/invoke", content=NAME, headers={"content-type": "application/json"})
    assert got.status_code == 422 and NAME not in got.text


def test_schemas(running):
    with httpx.Client(base_url=running.url) as client:
        assert "question" in str(client.get("/gama/input_schema").json())
        assert "answer" in client.get("/gama/output_schema").json()["properties"]
        options = client.get("/gama/config_schema").json()["properties"]["configurable"]["properties"]
        assert {"thread_id", "k", "deny"} <= set(options) and not {"public_model", "allow_raw", "prompts"} & set(
            options
        )
        api = client.get("/openapi.json").json()
    paths = {
        "/gama/invoke",
        "/gama/batch",
        "/gama/stream",
        "/anonymize",
        "/restore",
        "/identify",
        "/threads",
        "/healthz",
    }
    assert paths | {"/v1/chat/completions", "/v1/responses", "/v1/messages", "/v1/embeddings"} <= set(api["paths"])
    for path, method in (("/anonymize", "post"), ("/v1/chat/completions", "post"), ("/threads/{thread}/runs", "post")):
        content = api["paths"][path][method]["requestBody"]["content"]["application/json"]
        assert content.get("examples") or content.get("example")
