"""A text costs the same in a large box as in a small one; counted in steps of the interpreter, not in seconds."""

import pytest

from gama import Options
from gama.guard import search
from gama.guard.search import Automaton, Guard
from gama.privacy.link import link
from gama.privacy.pipeline import Pipeline
from gama.state.entities import Entity
from gama.tools.placeholders.mapping import _surfaces
from gama.tools.placeholders.remapping import Remapper
from tests.support.steps import record, steps

FEW, MANY = 50, 3_200


@pytest.fixture(scope="module")
def costs() -> dict[str, dict[int, int]]:
    """The steps that linking, replacing and restoring take at the fiftieth text and at one 64 times as far."""
    pipeline = Pipeline(Options(pner=("patterns",)))
    box = pipeline.new_box()
    told: dict[str, dict[int, int]] = {"link": {}, "replace": {}, "restore": {}}
    for number in range(MANY + 1):
        text, found = record(number)
        if number not in (0, FEW, MANY):
            box.register(link(text, found, box))
            # What is derived from the box grows with it, as in a run.
            box.guard(), _surfaces(box, ignore_case=False)
            continue
        linked: list[Entity] = []
        shown: list[str] = []
        told["link"][number] = steps(lambda: linked.extend(link(text, found, box)))  # noqa: B023
        told["replace"][number] = steps(lambda: shown.append(pipeline.replace(text, linked, box).text))  # noqa: B023
        remapper = Remapper(box, pipeline.options.restoring)
        told["restore"][number] = steps(lambda: remapper.run(shown[0], 0, len(shown[0]), final=True))  # noqa: B023
        assert shown[0].count("<") == 4, shown
    assert len(box) > 3 * MANY
    return told


@pytest.mark.parametrize("work", ["link", "replace", "restore"])
def test_a_text_costs_no_more_in_a_box_64_times_as_large(costs, work):
    # An automaton has a few more parts then: their number grows with the logarithm.
    assert costs[work][MANY] < 1.3 * costs[work][FEW], costs


@pytest.fixture
def compiled(monkeypatch) -> list[int]:
    """How many strings each automaton that is compiled has."""
    sizes: list[int] = []
    plain = search._Part.__init__

    def counted(self, first, words):
        sizes.append(len(words))
        plain(self, first, words)

    monkeypatch.setattr(search._Part, "__init__", counted)
    return sizes


def test_a_string_is_compiled_anew_as_often_as_their_number_doubles(compiled):
    count = 1 << 12
    words = [f"word{number:05}" for number in range(count)]
    grown = Automaton()
    for word in words:
        grown = grown.with_more([word])
    assert len(grown) == count and sum(compiled) <= 13 * count, "each word once, and once for each doubling"
    text = b"word00000 word04095 word02048 word00001word00003"
    assert [match.word for match in grown.find(text)] == [0, 4095, 2048, 1, 3]
    assert grown.find(text) == Automaton(words).find(text)


@pytest.mark.parametrize("sizes", [(1,) * 40, (9, 8, 7, 6, 5, 4, 3, 2, 1), (1, 30, 1, 1, 12), (40,)])
def test_a_grown_guard_finds_what_one_made_at_once_finds(sizes):
    values = [record(number)[1][0].text for number in range(sum(sizes))] + ["Ann", "7", "Will"]
    text = " ".join(record(number)[0] for number in range(0, sum(sizes), 3)) + " Ann WILL 7"
    grown, at = Guard(values[:0]), 0
    for size in (*sizes, 3):
        grown, before = grown.with_more(values[at : at + size]), grown
        assert all(hit.value < at for hit in before.find(text)), "what it has grown from is as it was"
        at += size
    at_once = Guard(values)
    assert grown.find(text) == at_once.find(text) and len(at_once.find(text)) > 3
    assert grown.search(text.upper()) == at_once.search(text.upper())


def test_two_guards_may_grow_from_one():
    stem = Guard(["Emma Williams"])
    one, other = stem.with_more(["Daniel Jones", "Ann"]), stem.with_more(["Olivia Bennett", "Kim"])
    text = "Emma Williams, Daniel Jones, Olivia Bennett, Ann, Kim"
    found = [[text[hit.start : hit.end] for hit in guard.find(text)] for guard in (stem, one, other)]
    assert found == [
        ["Emma Williams"], ["Emma Williams", "Daniel Jones", "Ann"], ["Emma Williams", "Olivia Bennett", "Kim"],
    ]  # fmt: skip
    assert {hit.value for hit in one.find(text)} == {hit.value for hit in other.find(text)} == {0, 1, 2}


def test_a_stranger_does_not_take_the_letter_of_somebody_without_a_name():
    pipeline = Pipeline(Options(pner=("patterns",)))
    box = pipeline.new_box()
    box.add("@quornbeck_9", "handle", "A")
    text = "Emma Jovhal calls."
    entity = Entity(text="Emma Jovhal", start=0, end=11, type="PER", subtype="full_name", views=("regex",))
    assert [one.subject for one in pipeline.link(text, [entity], box)] == ["B"]
