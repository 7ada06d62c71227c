"""The header `X-Gama-Privacy`: how much of a conversation is hidden from the upstream, request by request."""

import json

import httpx
import pytest

from gama import Options
from tests.support import serving
from tests.support import upstream as up

TOLD = "My sister Emma Williams of 12 Mill Lane has asthma and takes ramipril; call her on +44 7700 900461."
ASKED = "Which medicine against pain may she take with her illness?"


def asked(running, upstream, level: str | None, *texts: str, stream: bool = False) -> tuple[httpx.Response, str]:
    upstream.record.clear()
    upstream.answer = lambda path, request: (
        up.events(up.deltas(up.text_deltas("Ask <name-1>."))) if stream else up.chat("Ask <name-1>.")
    )
    messages = [{"role": "user", "content": text} for text in texts]
    answer = httpx.post(
        f"{running.v1}/chat/completions", json={"model": "up-1", "messages": messages, "stream": stream},
        headers={} if level is None else {"x-gama-privacy": level}, timeout=60,
    )  # fmt: skip
    return answer, upstream.received.decode()


@pytest.fixture
def running(upstream, home):
    with serving.serving(Options(), upstream=upstream.url, upstream_key="k") as made:
        yield made


@pytest.mark.parametrize("stream", [False, True])
def test_what_leaves_and_is_told(running, upstream, stream):
    for level, there in ((None, False), ("strict", False), ("balanced", True), ("Open", True)):
        answer, sent = asked(running, upstream, level, TOLD, ASKED, stream=stream)
        assert answer.status_code == 200 and "Emma Williams" in answer.text
        assert ("asthma" in sent) is there
        assert "Emma" not in sent and "Mill Lane" not in sent and "900461" not in sent
        told = answer.headers.get("x-gama-shown", "")
        assert ("Left in clear because the query needs it" in told) is there and "asthma" not in told
        assert "ramipril" not in told


@pytest.mark.parametrize("texts", [(f"{TOLD} {ASKED}",), (TOLD, f"{TOLD}\n\n{ASKED}"), (f"{ASKED}\n\n---\n\n{TOLD}",)])
def test_the_question_is_found_in_a_message_that_holds_the_text_too(running, upstream, texts):
    _, sent = asked(running, upstream, "balanced", *texts)
    assert "asthma" in sent and "Emma" not in sent and "Mill Lane" not in sent and "900461" not in sent


def test_a_message_that_asks_nothing_shows_nothing(running, upstream):
    assert "asthma" not in asked(running, upstream, "balanced", TOLD)[1]


def test_texts_to_embed_ask_nothing(running, upstream):
    made = [{"object": "embedding", "index": n, "embedding": [0.5]} for n in range(2)]
    told = {"object": "list", "model": "up-1", "usage": {"prompt_tokens": 1, "total_tokens": 1}, "data": made}
    upstream.answer = lambda path, request: up.Answer(json.dumps(told).encode())
    body = {"model": "up-1", "input": [TOLD, ASKED]}
    httpx.post(f"{running.v1}/embeddings", json=body, headers={"x-gama-privacy": "open"}, timeout=60).raise_for_status()
    assert b"asthma" not in upstream.received


def test_no_level_that_there_is_none_of_and_none_laxer_than_the_servers(running, upstream, home):
    answer, sent = asked(running, upstream, "lax", TOLD, ASKED)
    assert answer.is_client_error and "privacy" in answer.text and not sent
    with serving.serving(Options(privacy="strict"), upstream=upstream.url, upstream_key="k") as strict:
        answer, sent = asked(strict, upstream, "balanced", TOLD, ASKED)
        assert answer.is_client_error and "at most" in answer.text and not sent
        assert asked(strict, upstream, "auto", TOLD, ASKED)[0].status_code == 200
    assert "asthma" not in upstream.received.decode()
