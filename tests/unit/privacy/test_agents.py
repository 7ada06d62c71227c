"""The private LLM's agents with a scripted model: extraction, filter, chunks, unreadable replies."""

import pytest

from gama.models.json_replies import read_list
from gama.privacy.agents import CHUNK_CHARS, chunks, extract_private, filter_private
from gama.state.entities import Span
from gama.state.private_text import PrivateText

TEXT = "Emma Williams of Oslo wrote. Lincoln was tall. Emma is 34."


class Model:
    def __init__(self, *replies: str) -> None:
        self.replies, self.calls = list(replies), list[object]()

    def __call__(self, messages):
        self.calls.append(messages)
        return PrivateText(self.replies.pop(0))


def test_extract_finds_every_mention_and_drops_what_is_not_there():
    reply = '[{"surface": "Emma Williams", "type": "full_name"}, {"surface": "Emma", "type": "PER.first_name"}, {"surface": "Oslo", "type": "LOC"}, {"surface": "Bergen", "type": "city"}, {"surface": "34", "type": "age"}]'
    spans = extract_private(Model(reply), TEXT, notes := [])
    assert [(TEXT[s.start : s.end], s.subtype) for s in spans] == [
        ("Emma Williams", "full_name"),
        ("Oslo", "city"),
        ("Emma", "first_name"),
        ("34", "age"),
    ]
    assert all(s.view == "pia" and s.private == 1.0 for s in spans) and notes == []


def test_extract_asks_once_more_and_then_gives_up_with_a_warning():
    model = Model("I cannot", '["no objects", 5] and [{"surface": "Oslo", "type": "zzz"}]')
    spans = extract_private(model, TEXT, notes := [])
    assert [TEXT[s.start : s.end] for s in spans] == ["Oslo"] and spans[0].subtype == "other_id" and not notes
    assert extract_private(Model("no", "no"), TEXT, notes) == [] and len(notes) == 1
    assert "Emma" not in notes[0]


def test_filter_asks_one_question_per_candidate_and_adds_nothing():
    candidates = [Span(0, 13, "PER", "full_name", 0.9, "pner"), Span(29, 36, "PER", "last_name", 0.9, "pner")]
    model = Model("Yes, she is private.", "No.")
    kept = filter_private(model, TEXT, candidates)
    assert [(s.start, s.end) for s in kept] == [(0, 13)] and len(model.calls) == 2
    assert "Stretch: Lincoln" in model.calls[1][1]["content"].reveal()


def test_long_texts_are_chunked_not_cut_off():
    text = "\n".join(f"Line {n} of the letter says little." for n in range(400)) + "\nSigned, Zoe Amsel"
    parts = list(chunks(text))
    assert "".join(parts) == text and max(map(len, parts)) <= CHUNK_CHARS and len(parts) > 3
    model = Model(*["[]"] * (len(parts) - 1), '[{"surface": "Zoe Amsel", "type": "full_name"}]')
    spans = extract_private(model, text, [])
    assert [text[s.start : s.end] for s in spans] == ["Zoe Amsel"]
    assert "".join(chunks("x" * 9_999)) == "x" * 9_999


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("[1, 2]", [1, 2]),
        ("x [1] y [2, 3] z", [2, 3]),
        ("```json\n[]\n```", []),
        ("<think>[9]</think>[1]", [1]),
        ("[", None),
        ("", None),
        ("[1, [2]]", [1, [2]]),
        pytest.param("[" * 20_000, None, id="deep"),
        pytest.param("[" * 20_000 + "[1]", [1], id="deep, then a list"),
    ],
)
def test_read_list(reply, value):
    assert read_list(reply) == value
