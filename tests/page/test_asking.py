"""From writing to the restored answer: live text, corrections by pointer and keys, sending, watching, copying."""

import pytest

NAME = "Thessaly Quornbeck"
TEXT = f"😀👩‍👩‍👧 {NAME} meets Ambrose Tilling in Marrowgate at nine. Thessaly is late. Where do they meet?"
LEASE = (
    f"{TEXT} The lease of the flat names a rent: may the landlord sue the tenant in court, and what does the bank pay for "
    "the loan, and which treatment does the doctor of the hospital give to the patient?"
)
"""A task of several domains."""


def leaving(page):
    return page.inner_text("#leaving-text")


def spans(page):
    return page.eval_on_selector_all(
        "#checked .span", "all => all.map(one => [one.textContent, one.dataset.type, one.className.includes('hidden')])"
    )


def check(page, write, text=TEXT):
    write(page, text)
    page.click("#to-check")
    page.wait_for_selector("#checked .span")


def test_what_would_leave_is_shown_as_one_writes(page, write, public, until):
    page.locator("#text").press_sequentially(f"I am {NAME}", delay=5)
    until(page, "document.querySelector('#leaving-text').textContent === 'I am <name-1>'")
    assert page.inner_text("#count") == "1 hidden"
    assert page.inner_text("#behind .span") == NAME
    write(page, TEXT)
    assert (
        leaving(page)
        == "😀👩‍👩‍👧 <name-1> meets <name-2> in <location-1> at nine. <first_name-1> is late. Where do they meet?"
    )
    assert page.inner_text("#behind").startswith(TEXT)
    page.fill("#text", "")
    until(page, "document.querySelector('#count').textContent === ''")
    assert page.is_disabled("#send") and page.is_disabled("#to-check")
    assert public.received == b"", "looking sends nothing"


def test_marks_lie_under_the_words_in_the_field(page, write):
    write(page, TEXT + "\n" + "word " * 400 + NAME)
    heights = page.evaluate(
        "[document.querySelector('#behind').scrollHeight, document.querySelector('#text').scrollHeight]"
    )
    assert abs(heights[0] - heights[1]) <= 2
    last = page.eval_on_selector_all("#behind .span", "all => all.at(-1).textContent")
    assert last == NAME


def test_spans_are_found_with_their_view_and_score(page, write):
    check(page, write)
    assert spans(page) == [
        [NAME, "PER", True], ["Ambrose Tilling", "PER", True], ["Marrowgate", "LOC", True], ["Thessaly", "PER", True],
    ]  # fmt: skip
    page.click("#checked .span >> nth=2")
    told = page.inner_text("#inspector")
    assert "Marrowgate" in told and "<location-1>" in told and "detector" in told and "99 % sure" in told
    page.click("#found summary")
    rows = page.eval_on_selector_all(
        "#found-list tbody tr", "all => all.map(one => one.innerText.split('\\t').map(cell => cell.trim()))"
    )
    assert rows[0][0] == NAME and "detector" in rows[0][2] and rows[0][5] == "<name-1>"


def test_correcting_with_the_pointer(page, write, settled, until):
    check(page, write)
    page.click("#checked .span >> nth=1")
    page.click("#inspector [data-part=keep]")
    until(page, "document.querySelector('#leaving-text').textContent.includes('Ambrose Tilling')")
    assert page.get_attribute("#checked .span >> nth=1", "class") == "span kept-span"
    assert "Left in clear because you said so: 1 full name." in page.inner_text("#leaving-notes")
    page.select_option("#inspector [data-part=type]", "company")
    page.wait_for_selector("#checked .span[data-type=ORG]")
    page.click("#inspector [data-part=hide]")
    until(page, "document.querySelector('#leaving-text').textContent.includes('<organization-1>')")
    page.click("#inspector [data-part=undo]")
    until(page, "document.querySelector('#leaving-text').textContent.includes('<name-2>')")
    # A new span by selecting words, behind characters of two UTF-16 units.
    page.evaluate(
        """() => {
          const node = [...document.querySelector('#checked').childNodes].find(one => one.textContent.includes('at nine'));
          const range = document.createRange();
          const at = node.textContent.indexOf('nine');
          range.setStart(node, at - 1); range.setEnd(node, at + 5);
          getSelection().removeAllRanges(); getSelection().addRange(range);
        }"""
    )
    page.wait_for_selector("#hide-selection:enabled")
    page.select_option("#inspector [data-part=type]", "time")
    page.click("#inspector [data-part=hide]")
    until(page, "document.querySelector('#leaving-text').textContent.includes('<time-1>')")
    assert "at <time-1> <first_name-1>" in leaving(page), "the stop behind the word was selected too"
    settled(page)


def test_correcting_with_keys_alone(page, write, until):
    write(page, TEXT)
    page.focus("#text")
    page.keyboard.press("Control+Shift+E")
    page.wait_for_selector("#checked .span:focus")
    assert page.evaluate("document.activeElement.textContent") == NAME
    page.keyboard.press("ArrowRight")
    page.keyboard.press("k")
    until(page, "document.querySelector('#leaving-text').textContent.includes('Ambrose Tilling')")
    assert page.evaluate("document.activeElement.textContent") == "Ambrose Tilling", "the focus stays on the span"
    page.keyboard.press("u")
    until(page, "document.querySelector('#leaving-text').textContent.includes('<name-2>')")
    page.keyboard.press("End")
    assert page.evaluate("document.activeElement.textContent") == "Thessaly"
    page.keyboard.press("Home")
    page.keyboard.press(" ")
    until(page, "document.querySelector('#leaving-text').textContent.includes('Thessaly Quornbeck')")
    page.keyboard.press("h")
    until(page, "document.querySelector('#leaving-text').textContent.includes('<name-1>')")
    assert page.eval_on_selector_all("#checked [tabindex='0']", "all => all.length") == 1, "one stop for the tab key"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("a")
    page.wait_for_selector("#checked.choosing")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("getSelection().toString()") == "Marrowgate"
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    assert page.evaluate("getSelection().toString()") == "nine"
    page.keyboard.press("Shift+ArrowLeft")
    assert page.evaluate("getSelection().toString()") == "at nine"
    assert "at nine" in page.inner_text("#live")
    page.keyboard.press("Enter")
    until(page, "document.querySelector('#leaving-text').textContent.includes('<id_number-1>')")
    assert "at nine" not in leaving(page)
    until(page, "document.activeElement.textContent === 'at nine'")
    page.keyboard.press("t")
    assert page.evaluate("document.activeElement.dataset.part") == "type"
    page.keyboard.press("Escape")
    page.select_option("#inspector [data-part=type]", "time")
    until(page, "document.querySelector('#leaving-text').textContent.includes('<time-1>')")
    page.keyboard.press("Escape")
    until(page, "document.activeElement.textContent === 'at nine'")
    page.keyboard.press("a")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.className").startswith("span")


def test_a_late_answer_leaves_the_words_that_are_being_chosen(page, write, until):
    write(page, TEXT)
    page.focus("#text")
    page.keyboard.press("Control+Shift+E")
    page.wait_for_selector("#checked .span:focus")
    held, late = [], []
    page.route("**/review", lambda route: held.append(route) if not late else route.continue_())
    page.keyboard.press("k")
    page.keyboard.press("a")
    page.wait_for_selector("#checked.choosing")
    chosen = page.evaluate("getSelection().toString()")
    assert chosen
    while not held:
        page.wait_for_timeout(20)
    late.append(True)
    for route in held:
        route.continue_()
    until(page, f"document.querySelector('#leaving-text').textContent.includes('{NAME}')")
    assert page.evaluate("getSelection().toString()") == chosen
    page.keyboard.press("Shift+ArrowRight")
    assert page.evaluate("getSelection().toString()").startswith(chosen)


def test_a_selection_in_the_field_is_hidden_and_decisions_move_with_the_text(page, write, settled, until):
    write(page, TEXT)
    at = page.evaluate("document.querySelector('#text').value.indexOf('late')")
    page.evaluate(
        f"(() => {{ const t = document.querySelector('#text'); t.focus(); t.setSelectionRange({at}, {at + 4}); t.dispatchEvent(new Event('select')); }})()"
    )
    page.click("#hide-selection")
    until(page, "document.querySelector('#leaving-text').textContent.includes('is <id_number-1>')")
    page.evaluate(
        "(() => { const t = document.querySelector('#text'); t.setRangeText('🎈 Well, ', 0, 0, 'end'); t.dispatchEvent(new Event('input')); })()"
    )
    until(page, "document.querySelector('#leaving-text').textContent.startsWith('🎈 Well,')")
    settled(page)
    assert "is <id_number-1>" in leaving(page)
    page.evaluate(
        "(() => { const t = document.querySelector('#text'); t.value = t.value.replace('late', 'lame'); t.dispatchEvent(new Event('input')); })()"
    )
    until(page, "document.querySelector('#leaving-text').textContent.includes('is lame')")


def test_send_after_a_look_and_watch(page, write, send, public, until):
    write(page, LEASE)
    page.click("#to-check")
    page.wait_for_selector("#checked .span")
    page.click("#checked .span >> nth=2")
    page.keyboard.press("k")
    until(page, "document.querySelector('#leaving-text').textContent.includes('Marrowgate')")
    shown = leaving(page)
    page.click("#send")
    page.wait_for_selector("#run .answer-text")
    # The public model got what was shown, and nothing else of the text.
    for request in public.requests:
        assert shown in "".join(part["content"] for part in request["messages"]), (shown, request)
    for secret in (NAME, "Ambrose", "Tilling", "Thessaly"):
        assert secret.encode() not in public.received, secret
    assert b"Marrowgate" in public.received, "what is kept leaves"
    answer = page.inner_text("#run .answer-text")
    assert answer == f"They meet at <location-1>, says {NAME} 😀. <name-9> does not come."
    assert page.eval_on_selector_all("#run .restored", "all => all.map(one => one.textContent)") == [NAME]
    assert "none of this conversation's" in page.inner_text("#run .answer")
    assert page.eval_on_selector_all(".steps .done", "all => all.length") == 7
    assert page.eval_on_selector_all(".chart-bar", "all => all.length") == 2
    assert page.eval_on_selector_all(".expert:not(.waiting):not(.failed)", "all => all.length") == 2
    rounds = page.inner_text(".rounds")
    assert "Round 1: a contradiction. <name-1> opens at ten." in rounds and "Round 2: no contradiction found." in rounds
    page.click("#run .facts summary")
    assert "loop-1" in page.inner_text("#run .facts") and "<name-1>" in page.inner_text("#run .facts .leaving-text")


def test_it_arrives_as_it_happens(page, write, public):
    public.faults = [None, "hold"]
    write(page, LEASE)
    page.keyboard.press("Control+Enter")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".expert:not(.waiting)")
    assert page.locator(".expert.waiting").count() == 1 and page.locator(".chart-bar").count() == 2
    assert page.inner_text(".steps .now").startswith("Experts") and page.locator("#run .answer-text").count() == 0
    assert page.is_visible("#stop") and not page.is_visible("#send")
    page.click("#stop")
    page.wait_for_selector("#problem p")
    assert "Stopped. Your text is still here." in page.inner_text("#problem")
    assert public.gone.wait(100), "the call to the model is closed"
    assert page.input_value("#text") == LEASE and page.is_visible("#send")


def test_send_at_once(page, write, public):
    page.uncheck("#look-first")
    write(page, TEXT)
    assert page.inner_text("#send") == "Send at once"
    page.click("#send")
    page.wait_for_selector("#run .answer-text")
    assert NAME in page.inner_text("#run .answer-text") and NAME.encode() not in public.received
    page.reload()
    assert not page.is_checked("#look-first"), "the choice is remembered"


def test_both_texts_are_copied(page, write, send):
    write(page, TEXT)
    page.click("#copy-leaving")
    assert page.evaluate("navigator.clipboard.readText()") == leaving(page)
    send(page)
    page.click("text=Copy answer")
    assert page.evaluate("navigator.clipboard.readText()").startswith(
        "They meet at Marrowgate, says Thessaly Quornbeck 😀."
    )
    page.click("text=Copy with placeholders")
    assert (
        page.evaluate("navigator.clipboard.readText()")
        == "They meet at <location-1>, says <name-1> 😀. <name-9> does not come."
    )


def test_going_on_keeps_the_placeholders(page, write, send, public):
    write(page, TEXT)
    send(page)
    page.click("text=Ask on in this conversation")
    assert page.input_value("#text") == "" and page.is_visible("#turns")
    assert NAME in page.inner_text("#turns .answer-text")
    write(page, "Ludmila Vance met Ambrose Tilling. Who met?")
    assert leaving(page) == "<name-3> met <name-2>. Who met?"
    page.click("text=What you asked before, and its answer, goes along")
    along = page.locator("#leaving-notes .along .turn-text").all_inner_texts()
    assert along[0] == TEXT.replace(NAME, "<name-1>").replace("Ambrose Tilling", "<name-2>").replace(
        "Marrowgate", "<location-1>").replace("Thessaly", "<first_name-1>") and "<location-1>" in along[1]  # fmt: skip
    send(page)
    assert page.locator("#run .answer-text").count() == 1
    page.click("#new")
    write(page, "Ambrose Tilling")
    assert leaving(page) == "<name-1>", "another conversation has other placeholders"


def test_what_has_changed_since_the_look_does_not_leave(page, write, server, public, until):
    import httpx

    write(page, TEXT)
    page.click("#to-check")
    page.wait_for_selector("#checked .span")
    thread = page.evaluate("JSON.parse(sessionStorage.getItem('gama.draft')).thread")
    # Another tab uses the conversation meanwhile: its placeholders move on.
    cookies = {one["name"]: one["value"] for one in page.context.cookies()}
    body = {"question": "Ludmila Vance is here."}
    httpx.post(f"{server.url}/threads/{thread}/runs", json=body, cookies=cookies, timeout=60)
    before = len(public.requests)
    page.click("#send")
    page.wait_for_selector("#problem p")
    assert "not what you have looked at" in page.inner_text("#problem") and len(public.requests) == before
    page.click("text=Look again")
    until(page, "document.querySelector('#leaving-text').textContent.includes('<name-2> meets <name-3>')")
    page.click("#send")
    page.wait_for_selector("#run .answer-text")


@pytest.mark.parametrize("mode", ["v2", "off"])
def test_options_of_the_run(page, write, send, public, mode):
    page.click("#open-settings")
    page.select_option("#set-k", "1")
    page.select_option("#set-disprove", mode)
    page.click("text=Done")
    write(page, TEXT)
    send(page)
    assert page.locator(".expert").count() == 1
    assert ("rival" in page.inner_text("#run")) == (mode == "v2")
