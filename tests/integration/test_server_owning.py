"""Whose threads are whose on a server without keys: the browser's token owns its own, a program without it sees none."""

import httpx
import pytest

from gama.serve.http import cookie
from gama.state.options import Options
from tests.support import serving

NAME = "Thessaly Quornbeck"
LETTER = f"My name is {NAME}. The shop opens at nine. When does the shop open?"

pytestmark = pytest.mark.usefixtures("few_names")


@pytest.fixture
def server(home):
    with serving.serving(Options(disprove="off", k=1)) as running:
        yield running


def client(server, **settings):
    return httpx.Client(base_url=server.url, timeout=200, **settings)


def test_a_program_without_the_token_sees_no_thread_of_the_browser(server):
    with client(server) as browser, client(server) as other, client(server) as stranger:
        given = browser.get("/about").headers["set-cookie"]
        assert "HttpOnly" in given and "samesite=strict" in given.lower() and "Path=/" in given
        other.get("/about")
        thread = browser.post("/threads").json()["thread"]
        browser.post(f"/threads/{thread}/runs", json={"question": LETTER}).raise_for_status()
        assert browser.get("/threads").json() == {"threads": [thread]}
        for somebody in (other, stranger):
            assert somebody.get("/threads").json() == {"threads": []}
            assert somebody.get(f"/threads/{thread}").status_code == 404
            assert somebody.delete(f"/threads/{thread}").status_code == 404
            assert somebody.post(f"/threads/{thread}/resume").status_code == 404
            look = somebody.post(f"/threads/{thread}/review", json={"question": f"Ambrose Tilling, {NAME}"}).json()
            assert look["anonymized"] == "<name-1>, <name-2>", "nor do its placeholders tell anything"
        assert NAME in browser.get(f"/threads/{thread}").json()["reply"]["entities"][0]["text"]


def test_conversations_of_the_command_line_are_no_servers(server):
    gama = server.server.gama
    gama.invoke({"question": LETTER}, {"configurable": {"thread_id": "lease"}})
    with client(server) as stranger:
        assert stranger.get("/threads").json() == {"threads": []}
        assert stranger.get("/threads/lease").status_code == 404
        assert stranger.delete("/threads/lease").status_code == 404
    assert gama.threads() == ["lease"]


def test_the_list_has_titles_and_dates(server):
    with client(server) as browser:
        browser.get("/about")
        for thread, text in (("one", LETTER), ("two", f"Ambrose Tilling waits. {'word ' * 40}Who?")):
            browser.post(f"/threads/{thread}/runs", json={"question": text}).raise_for_status()
        assert browser.get("/threads").json() == {"threads": ["one", "two"]}
        told = browser.get("/threads?titles=true").json()["conversations"]
        assert [one["thread"] for one in told] == ["two", "one"], "the latest first"
        assert told[1]["title"] == LETTER[:69] + "…" if len(LETTER) > 70 else told[1]["title"] == LETTER
        assert told[0]["title"].startswith("Ambrose Tilling waits. word") and told[0]["title"].endswith("…")
        assert all(one["when"][:2] == "20" for one in told)


def test_a_token_that_somebody_could_guess_is_none_and_other_origins_have_none(server):
    token = "a" * 43
    headers = {"cookie": f"{cookie.NAME}={token}"}
    assert cookie.owner_of(headers).startswith("browser-") and token not in cookie.owner_of(headers)
    assert cookie.owner_of({"cookie": f"{cookie.NAME}=me"}) == ""
    assert cookie.owner_of(headers | {"sec-fetch-site": "same-origin"}) == cookie.owner_of(headers)
    for site in ("cross-site", "same-site"):
        assert cookie.owner_of(headers | {"sec-fetch-site": site}) == ""
    with client(server) as browser:
        browser.post("/threads").json()
        assert len(browser.cookies[cookie.NAME]) == 43, "a program that keeps cookies can own threads, too"
        first = browser.cookies[cookie.NAME]
        browser.get("/about")
        assert browser.cookies[cookie.NAME] == first


def test_no_cookie_where_keys_own_the_threads(tmp_path, home):
    keys = tmp_path / "keys.toml"
    keys.write_text('[keys.alice]\nkey = "alice-has-a-long-key"\n')
    with serving.serving(Options(public_model="openai:gpt-4o"), keys=keys) as running, client(running) as one:
        about = one.get("/about")
        assert "set-cookie" not in about.headers and about.json()["public"] is None
        told = one.get("/about", headers={"x-gama-key": "alice-has-a-long-key"}).json()["public"]
        assert told == {"model": "gpt-4o", "host": "api.openai.com", "standin": False}


@pytest.mark.parametrize(
    ("options", "model", "host"),
    [
        ({}, "", ""),
        ({"public_model": "anthropic:claude-x"}, "claude-x", "api.anthropic.com"),
        ({"public_model": "openai:m", "public_base_url": "http://10.0.0.2:9000/v1"}, "m", "10.0.0.2:9000"),
        ({"public_model": "m", "public_base_url": "https://llm.example/v1"}, "m", "llm.example"),
        ({"public_model": "ollama:llama3.1:8b"}, "llama3.1:8b", "this machine"),
        ({"public_model": "together:x"}, "x", "together"),
        ({"public_graph": "https://public.example"}, "the public graph", "public.example"),
    ],
)
def test_where_a_text_goes(options, model, host):
    from gama.serve.http.destination import destination

    told = destination(Options(**options))
    assert (told["model"], told["host"], told["standin"]) == (model, host, not options)


def test_the_environment_may_name_another_host(monkeypatch):
    from gama.serve.http.destination import destination

    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:1234/v1")
    monkeypatch.setenv("OLLAMA_HOST", "gpu.lan:11434")
    assert destination(Options(public_model="openai:m"))["host"] == "localhost:1234"
    assert destination(Options(public_model="ollama:m"))["host"] == "gpu.lan:11434"
