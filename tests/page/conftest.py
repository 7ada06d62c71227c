"""Chromium on a running server; every test fails when a script fails or another host is asked."""

import json
import os
import shutil
import time
from urllib.parse import urlsplit

import pytest

from gama.state.options import Options
from tests.support import serving

NAME = "Thessaly Quornbeck"
CHROMIUM = os.environ.get("GAMA_TEST_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="module")
def browser():
    """One browser for each file; it must be gone before tests with an event loop of their own run."""
    sync = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install 'gama-privacy[browser]'")
    if CHROMIUM is None:
        pytest.skip("needs chromium, such as Debian's package")
    with sync.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield found
        found.close()


def model(request):
    """Answer as a public model: a first contradiction, then none."""
    if request.get("response_format"):
        model.asked = getattr(model, "asked", 0) + 1
        again = model.asked % 2 == 1
        return json.dumps({"contradiction": again, "reason": "<name-1> opens at ten." if again else "none"})
    return "They meet at <location-1>, says <name-1> 😀. <name-9> does not come."


@pytest.fixture
def public(loopback, home, monkeypatch, few_names):
    """The public model's server: it keeps every byte that it gets."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    model.asked = 0
    loopback.reply = model
    return loopback


@pytest.fixture
def options(public):
    return Options(public_model="openai:loop-1", public_base_url=public.url, k=2, max_rounds=2)


@pytest.fixture
def server(options):
    with serving.serving(options) as running:
        yield running


class Watched:
    """Opens pages in contexts of their own and remembers what went wrong in them."""

    def __init__(self, browser, url):
        self.browser = browser
        self.url = url
        self.host = urlsplit(url).netloc
        self.contexts = []
        self.errors = []
        self.foreign = []
        self.requests = []
        self.expected = ()
        """Beginnings of messages on the console that a test brings about."""

    def context(self, **settings):
        settings = {
            "viewport": {"width": 1280, "height": 900},
            "permissions": ["clipboard-read", "clipboard-write"],
        } | settings
        context = self.browser.new_context(**settings)
        context.set_default_timeout(60_000)
        context.on("request", self._see)
        self.contexts.append(context)
        return context

    def _see(self, request):
        self.requests.append(request)
        parts = urlsplit(request.url)
        if parts.scheme not in ("data", "blob") and parts.netloc != self.host:
            self.foreign.append(request.url)

    def page(self, context=None, url="", **settings):
        page = (context or self.context(**settings)).new_page()
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("dialog", lambda dialog: (self.errors.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        page.goto(url or self.url)
        until(page, "document.querySelector('#about').textContent || document.querySelector('#problem p')")
        return page

    def close(self):
        for context in self.contexts:
            context.close()
        unexpected = [text for text in self.errors if not text.startswith(tuple(self.expected) or ("\0",))]
        assert not unexpected, unexpected
        assert not self.foreign, self.foreign


@pytest.fixture
def watched(browser, server):
    seen = Watched(browser, server.url)
    yield seen
    seen.close()


@pytest.fixture
def page(watched):
    return watched.page()


@pytest.fixture
def write():
    """Return what types a text and waits until the page shows what would leave."""

    def fill(page, text):
        page.fill("#text", text)
        settled(page)

    return fill


def until(page, expression, seconds=60):
    """Wait until a JavaScript expression holds. Playwright's own way needs `eval`, which the page's policy forbids."""
    end = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < end, f"{expression} does not hold; the page shows: {page.inner_text('main')[:2000]}"
        page.wait_for_timeout(20)


def settled(page):
    until(page, "document.querySelector('#count').textContent && !document.querySelector('#leaving.busy')")


@pytest.fixture(name="until")
def until_fixture():
    return until


@pytest.fixture(name="settled")
def settled_fixture():
    return settled


@pytest.fixture
def send():
    """Return what sends the text after a look and waits for the answer."""

    def go(page):
        page.keyboard.press("Control+Enter")
        page.wait_for_selector("#checker:not([hidden])")
        page.keyboard.press("Control+Enter")
        page.wait_for_selector("#run .answer-text")

    return go
