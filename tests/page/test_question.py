"""A text that asks: what was taken for its question is marked, and stands in for a query."""

import pytest

from gama.state.options import Options

NAME = "Thessaly Quornbeck"
QUESTION = "How far from Marrowgate is the sea?"
TEXT = f"😀 {NAME} met Ambrose Tilling in Marrowgate.\n\n{QUESTION}"
MARKED = (
    "[...(CSS.highlights.get('question-{}') ?? [])]"
    ".map((one) => one.startContainer.data.slice(one.startOffset, one.endOffset)).join('')"
)

pytestmark = pytest.mark.usefixtures("chosen")


@pytest.fixture
def options(public):
    return Options(public_model="openai:loop-1", public_base_url=public.url, k=2, max_rounds=2, privacy="open")


def test_what_was_taken_for_the_question_is_marked_and_told(page, write, until):
    write(page, TEXT)
    until(page, "document.querySelector('#leaving-text').textContent.includes('Marrowgate')")
    assert page.inner_text("#leaving-text") == f"😀 <name-1> met <name-2> in Marrowgate.\n\n{QUESTION}"
    assert page.evaluate(MARKED.format("behind")) == QUESTION
    assert f"Taken for the question: {QUESTION}" in page.inner_text("#leaving-notes")
    page.click("#to-check")
    page.wait_for_selector("#checked .span")
    assert page.evaluate(MARKED.format("checked")) == QUESTION


def test_an_annotation_is_of_the_text_alone(page, write, until):
    write(page, TEXT)
    until(page, "document.querySelector('#leaving-text').textContent.includes('Marrowgate')")
    page.click(".modes [data-mode=annotate]")
    until(page, "document.querySelectorAll('#checked .hidden-span').length === 4")
    assert page.evaluate(MARKED.format("checked")) == ""


def test_a_query_apart_goes_before(page, write, until):
    write(page, TEXT)
    until(page, "document.querySelector('#leaving-notes').textContent.includes('Taken for')")
    page.fill("#asked", "Who met?")
    until(page, "!document.querySelector('#leaving-notes').textContent.includes('Taken for')")
    assert page.evaluate(MARKED.format("behind")) == ""
