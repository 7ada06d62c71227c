"""What a user makes 64 times as large takes 64 times the work, and no more; counted in steps of the interpreter."""

import json
from pathlib import Path
from typing import Any

import pytest

from gama import Options
from gama.privacy.identify import without_overlap
from gama.privacy.pipeline import Pipeline
from gama.serve.bulk.steps import Steps
from gama.serve.cli import run
from gama.serve.gateway.masking import Masker
from gama.state.entities import Span
from gama.tools.placeholders.remapping import remap_text
from gama.tools.placeholders.stream import StreamRestorer
from tests.support import serving
from tests.support.steps import record, steps

FACTOR = 64
SMALL = 8
"""People of the smaller text. What every text costs once makes it dearer for each of them than the larger one."""


@pytest.fixture(autouse=True)
def quick_tagger(monkeypatch):
    """The embedded tagger reads windows of one size: what grows with the text is the work around it."""
    monkeypatch.setattr("gama.privacy.finders.tagger", serving.few_names)


def letter(people: int, first: int = 0) -> str:
    return "\n".join(record(number)[0] for number in range(first, first + people))


def asking(people: int, first: int = 0) -> str:
    """Return a letter that asks something, with titles and sums, for each of its people."""
    asks = (
        "Who wrote The Master And {0}? Is {0} right that 400 euros are due at St Mary or St Anne? I owe {0} 40 euros."
    )
    return "\n".join(
        f"{record(number)[0]} {asks.format(record(number)[0].split()[0])}" for number in range(first, first + people)
    )


def anonymized(people: int, told=letter, first: int = 0):
    pipeline = Pipeline(Options(max_chars=1_000_000))
    return pipeline.anonymize(told(people, first), pipeline.new_box())


@pytest.mark.timeout(600)
def test_a_text_64_times_as_long_with_64_times_the_people():
    # Other people, so that nothing is remembered of them.
    anonymized(SMALL, first=SMALL * FACTOR)
    few = steps(lambda: anonymized(SMALL))
    views = []
    many = steps(lambda: views.append(anonymized(SMALL * FACTOR)))
    assert len(views[0].box) >= 2 * SMALL * FACTOR
    assert many < FACTOR * few, (few, many)


@pytest.mark.timeout(600)
def test_questions_and_titles_of_64_times_as_many_people():
    anonymized(SMALL, asking, SMALL * FACTOR)
    few = steps(lambda: anonymized(SMALL, asking))
    many = steps(lambda: anonymized(SMALL * FACTOR, asking))
    assert many < FACTOR * few, (few, many)


def spans(count: int) -> list[Span]:
    """Return spans of which each second one overlaps the one before."""
    return [
        Span(5 * at + (at % 2 and -2), 5 * at + 4, "PER", "full_name", 0.9, "pner", 0.9, source="x")
        for at in range(count)
    ]


def test_64_times_the_spans_are_settled():
    few, many = (steps(lambda: without_overlap(spans(count))) for count in (32, 32 * FACTOR))  # noqa: B023
    # Sorting takes the logarithm more.
    assert many < 1.2 * FACTOR * few, (few, many)


@pytest.mark.parametrize("form", ["<{}>, ", "[{}] ", '"{}" ', "https://x.example/?q=<{}> ", "<other-{}> "])
def test_an_answer_with_64_times_the_placeholders_is_restored(form):
    view = anonymized(32)
    names = [entry.placeholder.strip("<>") for entry in view.box.entries]
    answers = ["".join(form.format(names[at % len(names)]) for at in range(count)) for count in (16, 16 * FACTOR)]
    remap_text(answers[1], view.box, traced=False)
    few, many = (steps(lambda: remap_text(answer, view.box, traced=False)) for answer in answers)  # noqa: B023
    assert many < FACTOR * few, (few, many)


def test_each_piece_of_a_stream_costs_the_same_however_long_it_is():
    view = anonymized(SMALL)
    pieces = [f" word{at % 7} of" for at in range(16 * FACTOR)] + [f" {view.box.entries[0].placeholder}."]

    def streamed(count: int) -> str:
        restorer = StreamRestorer(view.box)
        return "".join([*map(restorer.feed, pieces[-count:]), restorer.close()])

    assert streamed(16).endswith(f" {view.box.entries[0].surface}.")
    few, many = steps(lambda: streamed(16)), steps(lambda: streamed(16 * FACTOR))
    assert many < FACTOR * few, (few, many)


def test_plain_pieces_of_a_stream_pass_in_few_steps():
    """No placeholder begins in them, so none is looked for: that was lost once, and nobody saw it but a clock."""
    view = anonymized(SMALL)
    restorer = StreamRestorer(view.box)
    restorer.feed("The landlord")
    per_piece = steps(lambda: [restorer.feed(" wrote") for _ in range(100)]) / 100
    assert restorer.held == "" and per_piece < 400, per_piece


def conversation(turns: int) -> dict[str, Any]:
    """Return a request of so many turns, each about somebody else."""
    said = [{"role": "assistant" if at % 2 else "user", "content": record(at)[0]} for at in range(turns)]
    return {"model": "m", "messages": said}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("known", [False, True])
def test_a_conversation_of_64_times_the_turns(known):
    """Read anew, and with its history known: that of a long conversation is entered into a box at each turn."""
    small = 4 if known else 2
    maskers = {turns: Masker(Pipeline(Options(max_chars=1_000_000))) for turns in (0, small, small * FACTOR)}
    masked = []

    def mask(turns: int, masker: Masker) -> None:
        masked.append(masker.mask(conversation(turns), "somebody"))

    # What is compiled and loaded on first use counts for neither.
    mask(small, maskers[0])
    for turns in (small, small * FACTOR) if known else ():
        mask(turns, maskers[turns])
    few = steps(lambda: mask(small, maskers[small]))
    many = steps(lambda: mask(small * FACTOR, maskers[small * FACTOR]))
    assert len(masked[-1].box) >= 2 * small * FACTOR
    assert masked[-1].read == (0 if known else small * FACTOR)
    assert many < FACTOR * few, (few, many)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("scope", ["record", "dataset"])
def test_a_dataset_of_64_times_the_records(scope, tmp_path, monkeypatch):
    def in_this_process(step: Any, job: Any, units: Any, count: int, done: Any) -> None:
        worker = Steps(job)
        for unit in units:
            worker.do(step, unit)
            done(unit)

    monkeypatch.setattr("gama.serve.bulk.run.run_units", in_this_process)
    monkeypatch.setenv("GAMA_HOME", str(tmp_path / "home"))

    def anonymize(name: str, count: int) -> Path:
        source, out = Path(tmp_path) / f"{name}.jsonl", Path(tmp_path) / f"{name}.out.jsonl"
        lines = [json.dumps({"id": at, "text": record(at)[0]}) for at in range(count)]
        source.write_text("\n".join(lines) + "\n", encoding="utf-8")
        arguments = ["anonymize", str(source), "--out", str(out), "--box", str(tmp_path / f"{name}.box")]
        assert run([*arguments, "--scope", scope]) == 0
        return out

    anonymize("warm", 4)
    few = steps(lambda: anonymize("few", 2))
    many = steps(lambda: anonymize("many", 2 * FACTOR))
    written = (tmp_path / "many.out.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(written) == 2 * FACTOR and all("<" in line for line in written)
    assert many < FACTOR * few, (few, many)
