"""Nothing runs that is not the page's own, nothing goes elsewhere, and every failure is told plainly."""

import json
import threading

import pytest

from gama.serve.http.cookie import owner_of
from tests.support import serving

NAME = "Thessaly Quornbeck"
EVIL = "<script>window.ran = 1</script><img src=x onerror='window.ran = 2'><svg onload=\"window.ran=3\">\"'`${1}</textarea>"
TEXT = f"{NAME} {EVIL} meets Ambrose Tilling <name-7>. Where?"


def safe(page):
    assert page.evaluate("window.ran") is None
    assert (
        page.evaluate(
            "document.querySelectorAll('main script, main img, main [onerror], dialog img, dialog script').length"
        )
        == 0
    )


def test_a_text_with_markup_stays_a_text(page, write, send, public, until):
    public.reply = lambda request: (
        json.dumps({"contradiction": True, "reason": EVIL})
        if request.get("response_format")
        else f"{EVIL} says <name-1>"
    )
    write(page, TEXT)
    assert EVIL in page.text_content("#leaving-text") and EVIL in page.text_content("#behind")
    page.click("#to-check")
    page.wait_for_selector("#checked .span")
    assert EVIL in page.text_content("#checked")
    page.click("#send")
    page.wait_for_selector("#run .answer-text")
    assert page.text_content("#run .answer-text").startswith(f"{EVIL} says {NAME}")
    assert EVIL in page.text_content(".rounds") and EVIL in page.text_content(".said")
    page.click("text=Ask on in this conversation")
    page.click("#open-history")
    assert "<script>" in page.text_content("#history .entry-title")
    safe(page)
    page.reload()
    until(page, "document.querySelector('#about').textContent")
    page.click("#open-history")
    page.click("#history .entry")
    safe(page)


def test_a_hidden_value_and_a_file_name_with_markup(page, watched, until):
    watched.expected = ("Failed to load resource: the server responded with a status of 400",)
    name = "<img src=x onerror=window.ran=4>.txt"
    page.set_input_files("#file", {"name": name, "mimeType": "text/plain", "buffer": f"I am {EVIL} {NAME}".encode()})
    until(page, "document.querySelector('#leaving-text .span')")
    page.set_input_files("#file", {"name": name.replace("txt", "exe"), "mimeType": "x/y", "buffer": b"x"})
    page.wait_for_selector("#problem p")
    assert name.replace("txt", "exe") in page.text_content("#problem")
    # A private value that is markup is put back as a text.
    page.click("#to-check")
    page.wait_for_selector("#checked .span")
    page.keyboard.press("a")
    page.keyboard.press("Escape")
    page.evaluate(
        """() => { const node = document.querySelector('#checked').firstChild; const range = document.createRange();
          range.setStart(node, 5); range.setEnd(node, 45); getSelection().removeAllRanges(); getSelection().addRange(range); }"""
    )
    page.click("#inspector >> text=Hide it")
    until(page, "document.querySelector('#leaving-text').textContent.includes('<id_number-1>')")
    safe(page)


def test_the_policy_stops_what_gets_in_all_the_same(page, watched):
    watched.expected = (
        "Executing inline",
        "Refused to",
        "Loading the",
        "Connecting to",
        "Applying inline",
        "Fetch API",
        "This document requires",
    )
    page.evaluate(
        """() => {
          const script = document.createElement('script');
          try { script.textContent = 'window.ran = 1'; document.body.append(script); } catch { window.stopped = true; }
          try { document.body.innerHTML = '<img src=x onerror="window.ran = 2">'; } catch { window.refused = true; }
        }"""
    )
    page.wait_for_timeout(200)
    assert page.evaluate("window.ran") is None and page.evaluate("window.refused") is True
    refused = page.evaluate("fetch('http://127.0.0.1:9/x').then(() => 'sent', (error) => error.name)")
    assert refused == "TypeError"


def test_a_wrong_key_and_then_the_right_one(watched, options, tmp_path, write, send, until):
    keys = tmp_path / "keys.toml"
    keys.write_text('[keys.alice]\nkey = "alice-has-a-long-key"\n')
    with serving.serving(options, keys=keys) as running:
        other = type(watched)(watched.browser, running.url)
        other.expected = ("Failed to load resource: the server responded with a status of 401",)
        page = other.page()
        page.wait_for_selector("#settings[open] #key")
        page.fill("#key", "not-the-right-key-at-all")
        page.click("text=Done")
        page.fill("#text", f"{NAME} waits. Who?")
        page.wait_for_selector("#settings[open] .bad")
        assert "API key" in page.inner_text("#settings .bad")
        assert page.evaluate("document.activeElement.id") == "key"
        page.fill("#key", "alice-has-a-long-key")
        page.keyboard.press("Enter")
        until(page, "document.querySelector('#leaving-text').textContent === '<name-1> waits. Who?'")
        assert page.input_value("#text") == f"{NAME} waits. Who?", "nothing typed is lost"
        send(page)
        kept = page.evaluate("JSON.stringify([{...localStorage}, document.cookie])")
        assert "alice-has" not in kept and page.evaluate("sessionStorage['gama.key']") == "alice-has-a-long-key"
        assert all("alice-has" not in request.url for request in other.requests)
        other.close()


def test_the_server_stops_in_the_middle(browser, watched, options, public, write, until):
    held = serving.serving(options)
    running = held.__enter__()
    other = type(watched)(browser, running.url)
    other.expected = ("Failed to load resource",)
    page = other.page()
    page.uncheck("#look-first")
    write(page, f"{NAME} waits. Who?")
    public.fault = "hold"
    page.click("#send")
    assert public.arrived.wait(60)
    # The connection is cut while the answer is on its way.
    closing = threading.Thread(target=held.__exit__, args=(None, None, None))
    closing.start()
    until(page, "document.querySelector('#problem p')", 60)
    assert "Nothing you wrote is lost" in page.inner_text("#problem") or "server" in page.inner_text("#problem")
    assert page.input_value("#text") == f"{NAME} waits. Who?" and page.is_enabled("#send")
    closing.join(60)
    page.click("#send")
    until(page, "document.querySelector('#problem p')?.textContent.includes('does not answer')")
    page.fill("#text", "Something else")
    until(page, "document.querySelector('#leaving-notes .bad')")
    assert "does not answer" in page.inner_text("#leaving-notes")
    other.close()


def test_a_model_that_fails_is_told_and_can_be_tried_again(page, write, public, until):
    public.fault = 401
    page.uncheck("#look-first")
    write(page, f"{NAME} waits. Who?")
    page.click("#send")
    page.wait_for_selector("#problem p")
    assert page.locator(".steps .failed").count() == 1 and NAME not in page.inner_text("#problem")
    public.fault = None
    page.click("#problem >> text=Try again")
    page.wait_for_selector("#run .answer-text")
    assert page.locator("#problem p").count() == 0


def test_an_interrupted_run_is_taken_up(page, server, public):
    graph = server.server.gama.graph
    (cookie,) = page.context.cookies()
    owner = owner_of({"cookie": f"{cookie['name']}={cookie['value']}"})
    graph.invoke(
        {"question": f"{NAME} waits. Who?"},
        {"configurable": {"thread_id": f"{owner}:broken"}},
        interrupt_before=["call_public_graph"],
    )
    assert public.received == b""
    page.click("#open-history")
    page.click("#history .entry")
    page.click("#problem >> text=Take up where it stopped")
    page.wait_for_selector("#run .answer-text")
    assert NAME in page.inner_text("#run .answer-text") and public.requests


def test_too_large_is_said_before_and_after(watched, options, write, until):
    with serving.serving(options.model_copy(update={"max_chars": 500}), max_body_mb=0.02) as running:
        other = type(watched)(watched.browser, running.url)
        other.expected = ("Failed to load resource: the server responded with a status of 413",)
        page = other.page()
        page.set_input_files("#file", {"name": "big.txt", "mimeType": "text/plain", "buffer": b"x" * 30_000})
        page.wait_for_selector("#problem p")
        assert "Nothing was sent" in page.inner_text("#problem")
        page.set_input_files("#file", {"name": "long.txt", "mimeType": "text/plain", "buffer": b"x" * 600})
        until(page, "document.querySelector('#problem p')?.textContent.includes('600 characters')")
        page.fill("#text", f"{NAME} " * 40)
        until(page, "document.querySelector('#leaving-notes .bad')")
        assert "the limit is 500" in page.inner_text("#leaving-notes")
        page.fill("#text", "x" * 30_000)
        until(page, "document.querySelector('#leaving-notes .bad')?.textContent.includes('20,971')")
        assert len(page.input_value("#text")) == 30_000
        page.fill("#text", f"{NAME}?")
        until(page, "document.querySelector('#leaving-text').textContent === '<name-1>?'")
        other.close()


def test_half_a_character_is_no_obstacle(page, until):
    page.evaluate(
        "(() => { const t = document.querySelector('#text'); t.value = '\\ud83d Thessaly Quornbeck 😀'; t.dispatchEvent(new Event('input')); })()"
    )
    until(page, "document.querySelector('#leaving-text').textContent === '\\ufffd <name-1> 😀'")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_other_host_is_asked(watched, write, send, scheme):
    page = watched.page(color_scheme=scheme)
    write(page, f"{NAME} waits at https://evil.example/x.png. Who?")
    send(page)
    for name in ("history", "settings", "help"):
        page.click(f"#open-{name}")
        page.keyboard.press("Escape")
    assert len(watched.requests) > 20 and not watched.foreign
