"""A hostile upstream and a foreign web page: neither runs a script in the page's origin nor reads what the server has."""

import httpx
import pytest

from tests.support import serving
from tests.support import upstream as up

SCRIPT = "<script>fetch('/threads')</script>"


@pytest.fixture(scope="module")
def running():
    server = up.Upstream()
    with serving.serving(upstream=f"{server.url}/v1", upstream_key="k") as made:
        yield made, server
    server.close()


def hostile(kind: str, status: int = 200):
    return lambda path, request: up.Answer(SCRIPT.encode(), status, kind)


@pytest.mark.parametrize("status", [200, 404, 502])
@pytest.mark.parametrize(
    "kind", ["text/html", "text/html; charset=utf-8", "image/svg+xml", "application/xhtml+xml", ""]
)
def test_only_json_and_events_are_passed_back(running, kind, status):
    server, upstream = running
    upstream.answer = hostile(kind, status)
    body = {"model": "up-1", "messages": [{"role": "user", "content": "Hello"}]}
    for answer in (httpx.get(f"{server.v1}/models"), httpx.post(f"{server.v1}/chat/completions", json=body)):
        assert "<script>" not in answer.text and answer.status_code >= 400
        assert answer.headers["content-type"].startswith("application/json")


@pytest.mark.parametrize(
    "path", ["/v1/models", "/threads", "/about", "/healthz", "/metrics", "/openapi.json", "/nowhere"]
)
def test_no_answer_of_the_api_is_a_page(running, path):
    server, upstream = running
    upstream.answer = lambda path, request: up.Answer(b'{"data": []}')
    answer = httpx.get(f"{server.url}{path}")
    policy = answer.headers["content-security-policy"]
    assert "sandbox" in policy and "default-src 'none'" in policy
    assert answer.headers["x-content-type-options"] == "nosniff" and answer.headers["cache-control"] == "no-store"


def test_the_page_keeps_its_own_policy(running):
    answer = httpx.get(running[0].url)
    assert "sandbox" not in answer.headers["content-security-policy"] and "<html" in answer.text


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-mode": "navigate", "sec-fetch-site": "cross-site"},
        {"sec-fetch-mode": "navigate", "sec-fetch-site": "none"},
        {"sec-fetch-mode": "no-cors", "sec-fetch-site": "cross-site"},
        {"sec-fetch-mode": "cors", "sec-fetch-site": "same-site"},
    ],
)
def test_a_foreign_page_and_a_navigation_reach_no_route(running, headers):
    server, _ = running
    for method, path in (("GET", "/v1/models"), ("GET", "/threads"), ("POST", "/threads")):
        assert httpx.request(method, f"{server.url}{path}", headers=headers).status_code == 403


def test_the_page_itself_and_programs_reach_them(running):
    server, _ = running
    own = {"sec-fetch-mode": "cors", "sec-fetch-site": "same-origin"}
    assert httpx.get(f"{server.url}/threads", headers=own).status_code == 200
    assert httpx.get(f"{server.url}/threads").status_code == 200
    navigating = {"sec-fetch-mode": "navigate", "sec-fetch-site": "none"}
    assert httpx.get(server.url, headers=navigating).status_code == 200
