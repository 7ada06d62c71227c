"""A query beside the text: what it needs stays in clear, on the screen and in what leaves."""

import json

import pytest

NAME = "Thessaly Quornbeck"
TEXT = f"😀 {NAME} met Ambrose Tilling in Marrowgate."
QUERY = f"How far from Marrowgate is the sea, for {NAME}?"

pytestmark = pytest.mark.usefixtures("chosen")


def ask_about(page, until):
    page.click("#levels [data-level=open]")
    page.fill("#asked", QUERY)
    # An open level shows the place as soon as it is chosen: what is waited for is the question behind the text.
    until(page, "document.querySelector('#leaving-text').textContent.includes('How far from Marrowgate')")


def test_what_the_query_needs_is_shown_and_leaves(page, write, until, public):
    write(page, TEXT)
    assert "Marrowgate" not in page.inner_text("#leaving-text")
    ask_about(page, until)
    assert page.inner_text("#leaving-text") == (
        "😀 <name-1> met <name-2> in Marrowgate.\n\nHow far from Marrowgate is the sea, for <name-1>?"
    )
    assert page.inner_text("#count") == "2 hidden, 1 visible"
    assert "the query needs it" in page.inner_text("#leaving-notes")
    marks = page.eval_on_selector_all("#behind .span", "all => all.map(one => one.textContent)")
    assert marks == [NAME, "Ambrose Tilling", "Marrowgate"], "marks of the query are not drawn into the text"
    page.click("#to-check")
    page.wait_for_selector("#checked .span")
    page.click("#send")
    until(page, f"document.querySelector('#run').textContent.includes('says {NAME}')")
    assert b"Marrowgate" in public.received and b"Quornbeck" not in public.received


def test_one_may_hide_it_all_the_same(page, write, until):
    write(page, TEXT)
    ask_about(page, until)
    page.click("#to-check")
    page.click("#checked .span:text('Marrowgate')")
    assert "the question needs it" in page.inner_text("#inspector")
    page.click("#inspector [data-part=hide]")
    until(page, "!document.querySelector('#leaving-text').textContent.includes('Marrowgate')")


def test_the_query_is_of_asking_not_of_annotating_and_survives_a_reload(page, write, until):
    write(page, TEXT)
    ask_about(page, until)
    page.click(".modes [data-mode=annotate]")
    assert page.is_hidden("#asked")
    until(page, "document.querySelectorAll('#checked .hidden-span').length === 3")
    page.click(".modes [data-mode=ask]")
    until(page, "document.querySelector('#leaving-text').textContent.includes('Marrowgate')")
    page.reload()
    until(page, f"document.querySelector('#asked').value === {json.dumps(QUERY)}")
    until(page, "document.querySelector('#leaving-text').textContent.includes('Marrowgate')")


def test_privacy_is_a_choice_of_three_with_a_sentence_each(page, write, until, public):
    until(page, "document.querySelectorAll('#levels button').length === 3")
    chosen = "document.querySelector('#levels [aria-pressed=true]')?.textContent"
    assert page.evaluate(chosen) == "Balanced" and "contacts and addresses never" in page.inner_text("#level-help")
    inn = 'The "Blue" Door\\Inn'
    write(page, f"{NAME} sleeps at {inn} in Marrowgate.")
    page.fill("#asked", f"What does a night at {inn} in Marrowgate cost?")
    until(page, "document.querySelector('#leaving-text').textContent.includes('kind=hotel')")
    left = page.inner_text("#leaving-text")
    assert "Thessaly" not in left and "Marrowgate" not in left
    assert "Told roughly because the query needs it: 1 company." in page.inner_text("#leaving-notes")
    page.click("#to-check")
    page.click("#checked .span:text('Inn')")
    assert "told roughly, for the question" in page.inner_text("#inspector")
    page.click("#levels [data-level=open]")
    until(page, "document.querySelector('#leaving-text').textContent.includes('Marrowgate')")
    page.click("#levels [data-level=strict]")
    until(page, "!/Marrowgate|kind=/.test(document.querySelector('#leaving-text').textContent)")
    assert "whatever you ask" in page.inner_text("#level-help")
    page.click("#send")
    until(page, "document.querySelector('#run').textContent.includes('They meet at')")
    assert b"<organization-1>" in public.received and b"kind=" not in public.received
    page.reload()
    until(page, f"{chosen} === 'Strict'")
