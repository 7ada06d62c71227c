"""What is kept where: history in the browser, threads on the server, drafts of a tab, keys; and forgetting."""

import httpx

from tests.support import serving

NAME = "Thessaly Quornbeck"
TEXT = f"{NAME} meets Ambrose Tilling. Where do they meet?"


def owner(page, server):
    """Return a client that has the browser's cookie."""
    cookies = {one["name"]: one["value"] for one in page.context.cookies()}
    return httpx.Client(base_url=server.url, cookies=cookies)


def stored(page):
    return page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")


def test_a_conversation_is_kept_and_opened_again(page, watched, write, send, until, server):
    write(page, TEXT)
    send(page)
    page.reload()
    until(page, "document.querySelector('#about').textContent")
    assert page.input_value("#text") == "", "what was answered is no draft any more"
    page.click("#open-history")
    page.click("#history .entry")
    assert NAME in page.inner_text("#turns .answer-text")
    write(page, "Ambrose Tilling?")
    assert page.inner_text("#leaving-text") == "<name-2>?", "the server has kept the thread"
    # Nothing of the history goes anywhere: no request but the review has a word of it.
    sent = [
        request.post_data or ""
        for request in watched.requests
        if "/review" not in request.url and "/stream" not in request.url
    ]
    assert all(NAME not in body for body in sent)


def test_forgetting_erases_it_in_the_browser_and_on_the_server(page, write, send, until, server):
    write(page, TEXT)
    send(page)
    thread = page.evaluate("Object.keys(localStorage).find(one => one.startsWith('gama.conversation.')).slice(18)")
    mine = owner(page, server)
    assert mine.get("/threads").json() == {"threads": [thread]}
    assert httpx.get(f"{server.url}/threads").json() == {"threads": []}, "nobody else sees it"
    assert httpx.get(f"{server.url}/threads/{thread}").status_code == 404
    page.click("#to-write")
    write(page, f"More of {NAME}")
    page.click("#forget")
    page.click("#confirm >> text=Cancel")
    assert mine.get(f"/threads/{thread}").status_code == 200
    page.click("#forget")
    page.click("#confirm button.danger")
    until(page, "document.querySelector('#live').textContent.includes('Forgotten')")
    assert mine.get(f"/threads/{thread}").status_code == 404
    assert NAME not in stored(page) and page.input_value("#text") == "" and not page.is_visible("#run")


def test_history_can_be_switched_off_and_cleared(page, write, send, until):
    write(page, TEXT)
    send(page)
    page.click("#open-history")
    page.uncheck("#keep-history")
    page.keyboard.press("Escape")
    page.click("#new")
    write(page, f"{NAME} again. Who?")
    assert stored(page).count("again. Who?") == 0, "no draft either"
    send(page)
    assert page.evaluate("Object.keys(localStorage).filter(one => one.startsWith('gama.conversation.')).length") == 1
    page.click("#open-history")
    # The other one is on the server alone, with its first words and its date.
    until(page, "document.querySelectorAll('#history .entry').length === 2")
    told = page.inner_text("#history .entry >> nth=1")
    assert f"{NAME} again. Who?" in told and "20" in told and "on the server" in told
    page.click("#history >> text=Clear all")
    page.click("#confirm button.danger")
    until(page, "document.querySelector('#live').textContent.includes('The history is empty')")
    assert NAME not in stored(page)
    page.click("#history .entry")
    until(page, "document.querySelector('#turns .answer-text')")
    assert NAME in page.inner_text("#turns .answer-text"), "what the server keeps can be opened without a history here"


def test_a_draft_outlives_a_reload_in_its_tab_alone(watched, write, until, settled):
    context = watched.context()
    one, two = watched.page(context), watched.page(context)
    write(one, TEXT)
    write(two, "Ludmila Vance waits.")
    one.click("#to-check")
    one.wait_for_selector("#checked .span")
    one.keyboard.press("k")
    until(one, "document.querySelector('#leaving-text').textContent.includes('Quornbeck')")
    one.reload()
    until(one, "document.querySelector('#leaving-text').textContent.includes('meets')")
    assert one.input_value("#text") == TEXT and NAME in one.inner_text("#leaving-text"), "decisions are kept too"
    assert two.input_value("#text") == "Ludmila Vance waits."


def test_two_tabs_have_two_conversations_and_one_history(watched, write, send, until):
    context = watched.context()
    one, two = watched.page(context), watched.page(context)
    write(one, TEXT)
    write(two, "Ambrose Tilling waits. Who waits?")
    assert two.inner_text("#leaving-text").startswith("<name-1> waits.")
    two.click("#open-history")
    assert two.locator("#history .entry").count() == 0
    send(one)
    until(two, "document.querySelectorAll('#history .entry').length === 1")
    two.keyboard.press("Escape")
    two.keyboard.press("Control+Enter")
    two.keyboard.press("Control+Enter")
    two.wait_for_selector("#run .answer-text")
    assert "Ambrose Tilling" in two.inner_text("#run .answer-text")
    one.click("#open-history")
    until(one, "document.querySelectorAll('#history .entry').length === 2")
    titles = one.eval_on_selector_all("#history .entry-title", "all => all.map(one => one.textContent)")
    assert titles[0].startswith("Ambrose") and titles[1].startswith(NAME)
    one.click("#history li:nth-child(1) >> text=Forget")
    until(one, "document.querySelectorAll('#history .entry').length === 1")


def test_damaged_storage_does_no_harm(watched, write):
    context = watched.context()
    context.add_init_script(
        "localStorage.setItem('gama.conversation.x', '{'); localStorage.setItem('gama.conversation.y', '{\"turns\": 3}');"
        "localStorage.setItem('gama.preferences', '[1]'); sessionStorage.setItem('gama.draft', 'null');"
        "localStorage.setItem('gama.theme', 'plaid');"
    )
    page = watched.page(context)
    write(page, TEXT)
    page.click("#open-history")
    assert page.locator("#history .entry").count() == 0


def test_without_storage_the_page_works(watched, write, send):
    context = watched.context()
    context.add_init_script(
        "for (const name of ['localStorage', 'sessionStorage'])"
        " Object.defineProperty(window, name, { get() { throw new DOMException('off', 'SecurityError'); } });"
    )
    page = watched.page(context)
    write(page, TEXT)
    send(page)
    assert "history of this browser is full or switched off" in page.inner_text("#problem")


def test_a_server_that_keeps_nothing(watched, options, write, send, until):
    with serving.serving(options, keep=False) as running:
        other = type(watched)(watched.browser, running.url)
        page = other.page()
        assert "keeps no conversations" in page.inner_text("#about")
        write(page, TEXT)
        send(page)
        page.click("#open-history")
        until(page, "document.querySelectorAll('#history .entry').length === 1")
        assert "This server keeps nothing." in page.inner_text("#history")
        page.keyboard.press("Escape")
        page.click("#forget")
        page.click("#confirm button.danger")
        page.wait_for_selector("#run", state="hidden")
        assert NAME not in stored(page)
        other.expected = ("Failed to load resource: the server responded with a status of 404",)
        other.close()
