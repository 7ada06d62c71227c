"""Map: whatever the text, it comes back; nothing of the box stays in it; Map(Map(x)) = Map(x)."""

from gama.privacy.box import PrivacyBox
from gama.tools.placeholders.mapping import map_text, protect_literals
from gama.tools.placeholders.remapping import remap_text
from tests.fuzz.cutting import Cutter


def one(data: bytes) -> None:
    cut = Cutter(data)
    # As a conversation begins: what its first text shows of placeholders is protected before any is given out.
    box, text = PrivacyBox(style=cut.one_of(("v2", "v1"))), cut.text()
    protect_literals(text, box)
    cut.fill(box)
    ignore_case = cut.byte() % 2 == 1
    spans = []
    for entry in list(box.entries):
        if cut.byte() % 2 and (at := text.find(entry.surface)) >= 0:
            spans.append((at, at + len(entry.surface)))
    mapped = map_text(text, box, spans, ignore_case=ignore_case)
    for mode in ("tolerant", "strict"):
        assert remap_text(mapped.text, box, mode).text == text, mode
    again = map_text(mapped.text, box, ignore_case=ignore_case)
    assert again.text == mapped.text
    assert PrivacyBox.model_validate_json(box.model_dump_json()).entries == box.entries
