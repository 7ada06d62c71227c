"""The second look reads what the first was unsure of, and nothing that is settled."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from gama import Options
from gama.models.embedded import UNSETTLED
from gama.privacy import finders
from gama.privacy.finders import TEXTS_KEPT, Finder, Finders
from gama.privacy.pipeline import Pipeline
from gama.privacy.replace import Passage, unsettled
from gama.state.entities import Entity, Span
from gama.tools.placeholders.mapping import Mapped, Piece

TEXT = "Anna Brix wrote.\nThen Quorl came by.\nNothing else happened."


def span(text: str, word: str, source: str = "embedded", score: float = 0.95) -> Span:
    start = text.index(word)
    return Span(start, start + len(word), "PER", "full_name", score, "pner", score, source=source)


@dataclass
class Unsure:
    """A tagger that finds Anna, doubts Quorl, and finds him when it reads again."""

    read: list[str] = field(default_factory=list)
    again_at: list[list[str]] = field(default_factory=list)

    def __call__(self, text: str) -> list[Span]:
        """Return the spans and doubts."""
        self.read.append(text)
        found = [span(text, name) for name in ("Anna Brix",) if name in text]
        return [*found, *(span(text, word, UNSETTLED, 0.3) for word in ("Anna", "Quorl") if word in text)]

    def again(self, text: str, wanted: Sequence[tuple[int, int]]) -> list[Span]:
        """Return the spans where something is wanted."""
        self.again_at.append([text[start:end] for start, end in wanted])
        return [span(text, "Quorl")] if wanted and "Quorl" in text else []


def engine(tagger: Finder) -> Pipeline:
    def nothing(text: str) -> list[Span]:
        return []

    return Pipeline(Options(), Finders(tagger=lambda options: tagger, patterns=lambda options: nothing))


def test_only_what_was_in_doubt_and_is_not_settled_is_read_again():
    tagger = Unsure()
    pipeline = engine(tagger)
    view = pipeline.anonymize(TEXT, pipeline.new_box())
    assert "Quorl" not in view.text and "Anna" not in view.text
    assert tagger.read == [TEXT]
    # Anna is hidden by then; once Quorl is hidden too, nothing is left in doubt.
    assert tagger.again_at == [["Quorl"], []]


def test_a_tagger_that_does_not_tell_its_doubts_reads_all_again():
    read: list[str] = []

    def tell_nothing(text: str) -> list[Span]:
        read.append(text)
        return [span(text, "Anna Brix")] if "Anna Brix" in text else []

    pipeline = engine(tell_nothing)
    pipeline.anonymize(TEXT, pipeline.new_box())
    assert len(read) == 2 and read[0] == TEXT and "Quorl" in read[1] and "Anna" not in read[1]


def test_of_mentions_of_somebody_else_what_is_in_doubt_is_read_again():
    """Where this engine has not read the text itself, it does so to learn what is in doubt."""
    tagger = Unsure()
    pipeline = engine(tagger)
    entities = [Entity.at(TEXT, 0, 9, "full_name", private=True, subject="A")]
    replaced = pipeline.replace(TEXT, entities, pipeline.new_box())
    assert tagger.read == [TEXT] and tagger.again_at == [["Quorl"], []]
    assert "Anna" not in replaced.text and "Quorl" not in replaced.text


def test_the_outcome_does_not_hang_on_how_many_texts_are_read_meanwhile():
    straight, busy = engine(Unsure()), engine(Unsure())
    want = straight.anonymize(TEXT, straight.new_box()).text
    entities = busy.find(TEXT, [])
    for number in range(2 * TEXTS_KEPT):
        busy.spans(f"Text {number} of another.")
    assert busy.replace(TEXT, entities, busy.new_box()).text == want
    assert len(busy._seen._looks) <= TEXTS_KEPT


def test_of_long_texts_fewer_are_remembered(monkeypatch):
    monkeypatch.setattr(finders, "SPANS_KEPT", 3)
    pipeline = engine(lambda text: [span(text, "Anna Brix")])
    for number in range(9):
        pipeline.spans(f"{number}. {TEXT}")
    assert 1 <= len(pipeline._seen._looks) <= 3


def test_the_airlock_looks_as_the_second_look_did_and_reads_another_text_whole():
    first = engine(Unsure())
    box = first.new_box()
    view = first.anonymize(TEXT, box)
    elsewhere = Unsure()
    there = engine(elsewhere)
    assert there.left_in(view.text, box, view.entities, TEXT) == []
    # It has read the original text to learn what was in doubt, and of the other nothing, as all of it is settled.
    assert elsewhere.read == [TEXT] and elsewhere.again_at == [[]]
    assert there.left_in("Zed " + view.text, box, view.entities, TEXT) == []
    assert [text[:4] for text in elsewhere.read] == ["Anna", "Zed "]


words = st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=12)


@given(words, st.data())
def test_doubts_are_found_where_they_stand_in_the_mapped_text(parts, data):
    text = " ".join(parts)
    places, at = [], 0
    for part in parts:
        places.append((at, at + len(part)))
        at += len(part) + 1
    hidden = data.draw(st.sets(st.sampled_from(places)))
    doubts = sorted(data.draw(st.sets(st.sampled_from(places))))
    pieces = [Piece(*place, "<other-1>") for place in sorted(hidden)]
    mapped, end = "", 0
    for piece in pieces:
        mapped, end = mapped + text[end : piece.start] + piece.placeholder, piece.end
    passage = Passage(text, mapped=Mapped(mapped + text[end:], tuple(pieces)))
    found = unsettled(passage, doubts)
    left = [text[slice(*place)] for place in doubts if place not in hidden]
    assert found is not None
    assert [passage.mapped.text[start:end] for start, end in found] == left
    assert unsettled(passage, None) is None


def test_what_was_judged_public_is_settled():
    passage = Passage("Rome is far.", mapped=Mapped("Rome is far.", ()))
    assert unsettled(passage, [(0, 4)]) == [(0, 4)]
    passage.found = [Entity.at(passage.text, 0, 4, "city", private=False)]
    assert unsettled(passage, [(0, 4)]) == []
