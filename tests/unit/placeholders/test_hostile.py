"""Hostile answers end, and reach nobody's value; `gama bench restore` times them."""

import pytest

from gama.evals.bench.restore import DENSE, FLOODS, bench_dense, bench_restore, flooded_box
from gama.privacy.box import PrivacyBox
from gama.state.box import Written
from gama.tools.placeholders.remapping import remap_text
from gama.tools.placeholders.stream import StreamRestorer


def written(style: str) -> PrivacyBox:
    """Return a box whose placeholders are written in a style."""
    box = PrivacyBox()
    if style == "enriched":
        box.write_with(lambda draft: Written(draft.tag.replace(">", " gender=f kind=x>")))
    elif style == "surrogate":
        box.write_with(lambda draft: Written(f"Other{draft.slot.number} Name{draft.slot.number}"))
    for n in range(1, 40):
        box.add(f"Person {n}", "full_name", f"S{n}")
    return box


@pytest.fixture(scope="module")
def box() -> PrivacyBox:
    return flooded_box()


def test_the_benchmark_names_every_flood():
    rows = bench_restore(length=800, repeats=1)
    assert [row.name for row in rows] == list(FLOODS) and all(row.ms >= 0 for row in rows)
    dense = bench_dense(length=2_000, repeats=1)
    assert [row.name for row in dense] == list(DENSE) and all(row.mb_per_s > 0 for row in dense)


@pytest.mark.slow
@pytest.mark.parametrize("style", ["tag", "enriched", "surrogate"])
@pytest.mark.parametrize("name", FLOODS)
def test_streams_of_them_end_and_hold_little_back(name, style):
    box = written(style)
    text = FLOODS[name](20_000)
    whole = remap_text(text, box)
    stream, out = StreamRestorer(box), []
    for at in range(0, len(text), 97):
        out.append(stream.feed(text[at : at + 97]))
        assert len(stream.held) <= 200
    out.append(stream.close())
    assert "".join(out) == whole.text and tuple(stream.unresolved) == whole.unresolved


@pytest.mark.slow
def test_brackets_a_million_deep(box):
    text = "[" * 1_000_000 + "<name-1>" + "]" * 1_000_000
    assert remap_text(text, box).text == text.replace("<name-1>", "Person 1")
    for half in ("<" * 1_000_000, "[" * 1_000_000):
        assert remap_text(half, box).text == half


@pytest.mark.parametrize(
    "text",
    [
        "<name-\x001>",
        "<n\x00ame-1>",
        "<\u202e1-eman>",
        "<name-\u0661\u0661\u0661\u0661>",
        "<name-1\u0301>x",
        "<name-²>",
        "<name-1²>",
        "<name-1①>",
    ],
)
def test_odd_signs_reach_nobody(box, text):
    assert remap_text(text, box).text in (text, "Person 1x")


def test_forged_tokens_of_other_numbers_reach_nobody(box):
    text = " ".join(f"<name-{n}> [name-{n}] &lt;name-{n}&gt; <nombre-{n}> <nmae-{n}>" for n in range(400, 800))
    result = remap_text(text, box)
    assert result.text == text and len(result.unresolved) == 5 * 400
