"""Remap: whatever a model answers, only values of this box come in, in chunks as in one piece."""

from gama.privacy.box import PrivacyBox
from gama.state.restoring import Mode
from gama.tools.placeholders.remapping import remap_text
from gama.tools.placeholders.stream import StreamRestorer
from tests.fuzz.cutting import Cutter

MODES: tuple[Mode, ...] = ("tolerant", "strict")


def one(data: bytes) -> None:
    cut = Cutter(data)
    box, reply = cut.box(), cut.text(60)
    mode = cut.one_of(MODES)
    done = remap_text(reply, box, mode)
    surfaces = {entry.surface for entry in box.entries}
    for (start, end), edit in zip(done.places, done.edits, strict=True):
        assert done.text[start:end] in surfaces
        assert 0 <= edit.start < edit.end <= len(reply)
    assert remap_text(reply, PrivacyBox(), mode).text == reply
    restorer = StreamRestorer(box, mode)
    out, at = [], 0
    while at < len(reply):
        # Small pieces at first; thousands of them would only take time.
        step = 1 + cut.below(9) if at < 400 else 251
        out.append(restorer.feed(reply[at : at + step]))
        at += step
    out.append(restorer.close())
    assert "".join(out) == done.text
