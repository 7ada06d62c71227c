"""A weak, lazy or refusing private LLM: what the detectors are sure of is hidden all the same, and it is told."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from gama.evals.datasets.corpus import load
from gama.models.json_replies import read_cut_list
from gama.privacy.agents import CUT
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


TEXTS = [record.example.text for record in load(Path(__file__).parents[3] / "evals/data/languages", limit=5).records]
TEXTS += [record.example.text for record in load(limit=9).records]


def piecemeal(asked: str) -> str:
    """List every third word alone, and pieces that reach over the bounds of others; all of it a date."""
    pieces = [match[0] for match in re.finditer(r"\S+", asked)][::3]
    pieces += [asked[at : at + 17] for at in range(5, len(asked) - 20, 61)]
    return json.dumps([{"surface": piece, "type": "DATETIME.date"} for piece in pieces])


def always(said: str) -> Callable[[str], str]:
    return lambda asked: said


WEAK: dict[str, Callable[[str], str]] = {name: always(said) for name, said in REPLIES.items()}
WEAK |= {
    "piecemeal": piecemeal,
    "cut off": lambda asked: piecemeal(asked)[:200],
    "what is not there": lambda asked: '[{"surface": "Nobody Nowhere", "type": "PER"}, {"surface": "", "type": 3}]',
    "everything": lambda asked: json.dumps([{"surface": asked, "type": "PER.full_name"}]),
    "one number": lambda asked: "[1]",
    "no by turns": lambda asked: "yes" if len(asked) % 2 else "no",
}


ALONE = Pipeline()
"""Without a private LLM. What it has read is remembered for those made of it."""


@cache
def hidden_letters(text: str) -> set[int]:
    return letters_of(ALONE.find(text, []))


def letters_of(entities) -> set[int]:
    return {
        at for one in entities if one.hidden for at in range(one.start, one.end) if one.text[at - one.start].isalnum()
    }


@pytest.mark.parametrize(
    ("mode", "fusion"), [("extract", "auto"), ("filter", "auto"), ("extract", "rule"), ("extract", "union")]
)
@pytest.mark.parametrize("reply", WEAK.values(), ids=WEAK)
def test_nothing_is_found_less_than_without_the_llm(reply, mode, fusion):
    def complete(messages):
        return PrivateText(reply(messages[-1]["content"].reveal()))

    engine = replace(ALONE, options=Options(pia_mode=mode, fusion=fusion), finders=Finders(llm=lambda _: complete))
    for text in TEXTS:
        alone = hidden_letters(text)
        assert alone and alone <= letters_of(engine.find(text, []))


@pytest.mark.parametrize("kind", ["DATETIME.date", "QUANTITY.amount", "LOC.city", "DEM.occupation"])
@pytest.mark.parametrize("listed", [PRIVATE, ["Wioletta Sadowska, I live at 14 Tanner's Row, Brindleford"], [LETTER]])
@pytest.mark.parametrize("level", ["balanced", "open"])
def test_no_query_shows_a_name_or_a_code_that_an_llm_takes_for_something_else(level, listed, kind):
    reply = json.dumps(
        [{"surface": piece, "type": kind} for piece in [*listed, "Wioletta Sadowska", "+44 7700 900461"]]
    )
    engine = Pipeline(
        Options(privacy=level, select="embedded"), Finders(llm=lambda _: lambda messages: PrivateText(reply))
    )
    asked = "Who writes, where does she live, and what are her telephone and IBAN?"
    alone = replace(ALONE, options=engine.options).anonymize(LETTER, ALONE.new_box(), query=asked).text
    told = engine.anonymize(LETTER, engine.new_box(), query=asked).text
    assert [value for value in (*PRIVATE, "Holloway") if value in told and value not in alone] == []


def test_an_llm_that_finds_more_is_heard():
    text = "The thing that he calls Bumblebright lies in Holm."
    reply = '[{"surface": "Bumblebright", "type": "PER.nickname"}]'
    engine = Pipeline(Options(), Finders(llm=lambda _: lambda messages: PrivateText(reply)))
    assert "Bumblebright" in text and "Bumblebright" not in engine.anonymize(text, engine.new_box()).text


def test_the_paper_s_agent_may_let_go_what_the_detectors_are_not_sure_of():
    engine = Pipeline(Options(fusion="agent"), Finders(llm=lambda _: lambda messages: PrivateText("[]")))
    found = [(letters_of(engine.find(text, [])), hidden_letters(text)) for text in TEXTS]
    assert all(fewer <= alone for fewer, alone in found) and any(fewer < alone for fewer, alone in found)


@pytest.mark.parametrize(
    ("reply", "items"),
    [
        ('[{"surface": "A", "type": "PER"}, {"surf', [{"surface": "A", "type": "PER"}]),
        ('[{"surface": "A"}, {"surface": "B"}', [{"surface": "A"}, {"surface": "B"}]),
        ('Here, as asked [see below]:\n[{"surface": "A, [B]"},', [{"surface": "A, [B]"}]),
        ("[1, 2, 31", [1, 2]),
        ('["', None), ("[", None), ("no", None), ("", None), ("[" * 5000, None),
    ],
)  # fmt: skip
def test_a_list_that_is_cut_off_is_read_as_far_as_it_goes(reply, items):
    assert read_cut_list(reply) == items


def test_what_a_cut_list_names_is_hidden_and_the_cut_is_told():
    reply = '[{"surface": "Bumblebright", "type": "PER.nickname"}, {"surface": "Ho'
    engine = Pipeline(Options(), Finders(llm=lambda _: lambda messages: PrivateText(reply)))
    view = engine.anonymize("The thing that he calls Bumblebright lies in Holm.", engine.new_box())
    assert "Bumblebright" not in view.text and CUT in view.warnings and "Bumblebright" not in CUT
