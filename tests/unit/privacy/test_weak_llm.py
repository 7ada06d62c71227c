"""A weak, lazy or refusing private LLM: what the detectors are sure of is hidden all the same, and it is told."""

import pytest

from gama.privacy.finders import Finders
from gama.privacy.pipeline import Pipeline
from gama.state.options import Options
from gama.state.private_text import PrivateText

LETTER = (
    "Dear Ms. Holloway,\n\nmy name is Wioletta Sadowska, I live at 14 Tanner's Row, Brindleford. "
    "Call me on +44 7700 900461, my IBAN is GB29 NWBK 6016 1331 9268 19.\n\nKind regards,\nWioletta Sadowska\n"
)
PRIVATE = ["Wioletta", "Sadowska", "14 Tanner", "900461", "GB29"]

REPLIES = {
    "nothing": "[]",
    "a number in an object": '[{"number": 1}]',
    "no": "no",
    "a refusal": "I'm sorry, I cannot help with private data.",
    "words": '["none of them", "all public"]',
    "a thought only": "<think>let me see",
    "empty": "",
    "talkative": "Sure! Here is what I think about it: everything in the text is public. " * 40 + "[]",
}


def anonymized(reply: str, **options):
    engine = Pipeline(Options(**options), Finders(llm=lambda _: lambda messages: PrivateText(reply)))
    return engine.anonymize(LETTER, engine.new_box())


@pytest.mark.parametrize("mode", ["extract", "filter"])
@pytest.mark.parametrize("reply", REPLIES.values(), ids=REPLIES)
def test_what_is_evident_is_hidden_whatever_the_llm_says(reply, mode):
    view = anonymized(reply, pia_mode=mode)
    assert [value for value in PRIVATE if value in view.text] == []


def test_a_disagreement_is_told_without_a_value():
    (note,) = [note for note in anonymized("[]").warnings if "would have let" in note]
    assert "phone" in note and not any(value in note for value in PRIVATE)


def test_an_llm_may_still_let_go_what_nobody_is_sure_of():
    text = "Which museum in Oslo shows Edvard Munch?"
    engine = Pipeline(Options(), Finders(llm=lambda _: lambda messages: PrivateText("[]")))
    assert engine.anonymize(text, engine.new_box()).text == text
