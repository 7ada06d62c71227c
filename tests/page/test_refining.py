"""What the context gives away is rewritten when one looks it over; each change is taken or left, and that leaves."""

import json

import pytest

NAME = "Thessaly Quornbeck"
TEXT = (
    f"I am {NAME}. I am writing because of the boiler. My girlfriend says that I should call. The boiler is loud. My "
    "husband forgot to buy milk because he was late. The lamp flickers at night, and the paint is dry. We rent a flat "
    "with a balcony. What can I do about the boiler?"
)
FIRST = "My girlfriend says that I should call."

pytestmark = pytest.mark.usefixtures("public")


def rewrite(page):
    page.click("#open-settings")
    page.select_option("#set-refine", "placeholders+refine")
    page.click("#settings button[type=submit]")


def look_over(page, until):
    page.click("#to-check")
    until(page, "!document.querySelector('#changes').hidden")


def leaving(page):
    return page.inner_text("#leaving-text")


def test_changes_are_taken_or_left_and_what_is_on_the_screen_leaves(page, write, until, public):
    rewrite(page)
    write(page, TEXT)
    assert FIRST in leaving(page) and page.is_hidden("#changes"), "nothing is rewritten while one writes"
    look_over(page, until)
    assert FIRST not in leaving(page) and "Refined in" in page.inner_text("#leaving-notes")
    assert FIRST in page.inner_text("#changes-list del >> nth=0")
    boxes = page.locator("#changes-list input")
    assert boxes.count() >= 2 and all(boxes.nth(n).is_checked() for n in range(boxes.count()))
    boxes.nth(0).focus()
    page.keyboard.press("Space")
    until(page, f"document.querySelector('#leaving-text').textContent.includes({json.dumps(FIRST)})")
    assert not boxes.nth(0).is_checked() and boxes.nth(1).is_checked()
    assert page.evaluate("document.activeElement.dataset.number") == "1", "the place is kept for the keyboard"
    assert f"You took {boxes.count() - 1} of {boxes.count()} changes." in page.inner_text("#leaving-notes")
    shown = leaving(page)
    page.click("#send")
    until(page, "document.querySelector('#run .answer-text') || document.querySelector('#problem p')")
    assert not page.locator("#problem p").count(), page.inner_text("#problem")
    sent = json.dumps([request["messages"] for request in public.requests], ensure_ascii=False)
    assert json.dumps(shown, ensure_ascii=False)[1:-1] in sent and NAME.encode() not in public.received
    assert "forgot to buy milk" not in sent


def test_a_change_that_was_left_can_be_taken_again_and_a_new_text_begins_anew(page, write, until):
    rewrite(page)
    write(page, TEXT)
    look_over(page, until)
    first = page.locator("#changes-list input").nth(0)
    first.uncheck()
    until(page, f"document.querySelector('#leaving-text').textContent.includes({json.dumps(FIRST)})")
    first = page.locator("#changes-list input").nth(0)
    first.check()
    until(page, f"!document.querySelector('#leaving-text').textContent.includes({json.dumps(FIRST)})")
    first.uncheck()
    until(page, f"document.querySelector('#leaving-text').textContent.includes({json.dumps(FIRST)})")
    page.click("#to-write")
    write(page, f"{TEXT} Please tell me soon.")
    look_over(page, until)
    boxes = page.locator("#changes-list input")
    until(page, f"!document.querySelector('#leaving-text').textContent.includes({json.dumps(FIRST)})")
    assert all(boxes.nth(n).is_checked() for n in range(boxes.count()))


def test_who_does_not_look_sees_no_changes(page, write, until):
    write(page, TEXT)
    page.click("#to-check")
    page.wait_for_selector("#checked .span")
    assert page.is_hidden("#changes") and FIRST in leaving(page)
