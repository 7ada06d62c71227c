"""The first screen and the way from it: an example, the kinds of files, Send in reach, panes together, plain words."""

import re
from pathlib import Path

import pytest

from gama.tools.documents.kinds import KINDS

NAME = "Thessaly Quornbeck"
TEXT = f"{NAME} meets Ambrose Tilling in Marrowgate. Where do they meet?"
PAGE = Path(__file__).parents[2] / "serve" / "page"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def in_sight(page, selector):
    box = page.locator(selector).bounding_box()
    size = page.viewport_size
    return box is not None and box["y"] >= 0 and box["y"] + box["height"] <= size["height"]


@pytest.mark.parametrize("settings", [{"viewport": {"width": 1280, "height": 800}}, PHONE], ids=["desk", "phone"])
def test_one_example_to_try_on_the_first_screen(watched, settled, settings):
    page = watched.page(**settings)
    assert in_sight(page, "#example") and in_sight(page, "#send") and in_sight(page, "#goes-to")
    page.click("#example")
    settled(page)
    assert "lease" in page.input_value("#text") and page.is_hidden("#example")
    assert "<email-1>" in page.inner_text("#leaving-text") and "daniel.jones" not in page.inner_text("#leaving-text")
    page.fill("#text", "")
    assert page.is_visible("#example")


def test_the_hint_names_every_kind_of_file(page):
    told = page.inner_text("#text-help")
    assert all(re.search(rf"\b{kind}\b", told) for kind in KINDS), told


def test_nothing_red_where_nothing_is_to_forget(page, write, send, until):
    assert page.is_hidden("#forget") and page.is_hidden("#new")
    write(page, TEXT)
    assert page.is_hidden("#forget") and page.is_visible("#new")
    send(page)
    assert page.is_visible("#forget")
    page.click("#new")
    assert page.is_hidden("#forget") and page.is_hidden("#new")


def test_send_stays_in_reach_on_a_phone(watched, write, until):
    page = watched.page(**PHONE)
    write(page, f"{TEXT}\n\n" * 30)
    for view in ("#to-write", "#to-check"):
        page.click(view)
        for place in (0, 400, 100_000):
            page.evaluate(f"window.scrollTo(0, {place})")
            page.wait_for_timeout(50)
            assert in_sight(page, "#send") and in_sight(page, "#goes-to"), (view, place)
    assert page.evaluate("document.documentElement.scrollHeight") > 900, "there was something to scroll"
    bar = page.locator("#actions").bounding_box()
    assert bar["height"] <= 130, "the bar leaves the text its place"
    # What can be done with a span lies above the bar, not behind it.
    page.evaluate("window.scrollTo(0, 0)")
    page.tap("#checked .span >> nth=1")
    bar = page.locator("#actions").bounding_box()
    details = page.locator("#inspector").bounding_box()
    assert details["y"] + details["height"] <= bar["y"] + 1


def test_the_panes_scroll_together(page, write):
    write(page, "\n\n".join(f"{number}. {TEXT}" for number in range(80)))
    for source in ("#writer", "#checked"):
        page.click("#to-write" if source == "#writer" else "#to-check")
        page.wait_for_timeout(100)
        for part in (0.5, 1, 0):
            page.evaluate(
                f"(() => {{ const it = document.querySelector('{source}'); it.scrollTop = {part} * (it.scrollHeight - it.clientHeight); }})()"
            )
            page.wait_for_timeout(80)
            other = page.evaluate(
                "(() => { const it = document.querySelector('#leaving-text'); return it.scrollTop / (it.scrollHeight - it.clientHeight); })()"
            )
            assert abs(other - part) < 0.02, (source, part)
    page.evaluate("(() => { const it = document.querySelector('#leaving-text'); it.scrollTop = it.scrollHeight; })()")
    page.wait_for_timeout(80)
    assert page.evaluate("document.querySelector('#checked').scrollTop") > 100, "and the other way"


def test_the_title_claims_no_more_than_holds(page):
    told = page.title() + page.inner_text("header") + page.get_attribute("meta[name=description]", "content")
    assert "never" not in told.lower() and "finds to be private" in told
    assert "what was not found would leave too" in page.inner_text("#leaving-text")


def test_words_that_nobody_must_look_up(page, write, send):
    write(page, TEXT)
    send(page)
    page.click("#run .facts summary")
    page.click("#to-check")
    page.click("#found summary")
    page.click("#open-settings")
    seen = page.evaluate("document.body.innerText")
    for word in ("Query", "tagger", "converged", "airlock", "threads", "sealed", "memberships", "disproof"):
        assert not re.search(rf"\b{word}\b", seen, re.IGNORECASE), word
    assert not re.search(r"\bKeep\b(?! visible)", seen)


def test_after_an_answer_the_way_on_is_in_the_answer(page, write, send):
    write(page, TEXT)
    send(page)
    assert page.inner_text("#send") == "Send again"
    assert page.locator("button.primary:visible").all_inner_texts() == ["Ask on in this conversation"]
    page.click("text=Ask on in this conversation")
    assert "primary" in page.get_attribute("#send", "class")
