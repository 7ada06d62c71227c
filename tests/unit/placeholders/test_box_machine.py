"""The box under any order of doings: new values, texts there and back, copies, files, threads, forgetting."""

import json
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, rule

from gama.privacy.box import PrivacyBox
from gama.state.box import parse_placeholder
from gama.tools.placeholders.mapping import map_text, protect_literals
from gama.tools.placeholders.remapping import remap_text
from gama.tools.placeholders.stream import restore_stream

WORDS = [
    "Emma",
    "EMMA",
    "emma",
    "Emma Williams",
    "Williams",
    "Ås",
    "田中",
    "é",
    "e\u0301",
    "a\ud83d",
    "\ue000x",
    "3",
    "<b>",
]
SURFACES = st.one_of(st.sampled_from(WORDS), st.text(min_size=1, max_size=6))
SUBTYPES = st.sampled_from(["full_name", "first_name", "last_name", "city", "email", "age", "literal"])
SUBJECTS = st.sampled_from([None, "A", "B"])
TEXTS = st.lists(
    st.one_of(SURFACES, st.sampled_from([" ", ", ", "\n", "<", ">", "name-1", "[name 2]", "&lt;", "\\u003e"])),
    max_size=12,
).map("".join)


class Kept:
    """A box, and what has been seen of it."""

    def __init__(self, box: PrivacyBox, known: dict[str, str], texts: list[tuple[str, str]]) -> None:
        self.box, self.known, self.texts = box, known, texts


class Boxes(RuleBasedStateMachine):
    """Placeholders never change hands, whatever happens, and every text comes back at any later time."""

    boxes = Bundle("boxes")

    @initialize(target=boxes, style=st.sampled_from(["v1", "v2"]))
    def begin(self, style):
        self.home = Path(tempfile.mkdtemp())
        self.all: list[Kept] = []
        return self.keep(PrivacyBox(style=style))

    def teardown(self):
        if hasattr(self, "home"):
            shutil.rmtree(self.home, ignore_errors=True)

    def keep(self, box, known=None, texts=None):
        kept = Kept(box, dict(known or {}), list(texts or []))
        self.all.append(kept)
        return kept

    @rule(kept=boxes, surface=SURFACES, subtype=SUBTYPES, subject=SUBJECTS)
    def add(self, kept, surface, subtype, subject):
        placeholder = kept.box.add(surface, subtype, subject)
        assert kept.known.setdefault(surface, placeholder) == placeholder

    @rule(kept=boxes, text=TEXTS)
    def there_and_back(self, kept, text):
        # A placeholder of the box that a later text shows means its value: it is left, and restored.
        if any(token in text for token in kept.box.placeholders()):
            return
        hidden = map_text(text, kept.box, protect_literals(text, kept.box)).text
        kept.known |= {entry.surface: entry.placeholder for entry in kept.box.entries}
        kept.texts.append((hidden, text))

    @rule(kept=boxes, more=boxes)
    def merge(self, kept, more):
        for entry in more.box.entries:
            if entry.kind != "literal":
                kept.known.setdefault(entry.surface, kept.box.add(entry.surface, entry.subtype, entry.subject))

    @rule(target=boxes, kept=boxes, encrypt=st.booleans())
    def out_and_in_again(self, kept, encrypt):
        path = self.home / "box.json"
        kept.box.save(path, encrypt=encrypt, home=self.home)
        written = path.read_text("utf-8")
        json.loads(written)
        if encrypt:
            assert not any(len(surface) > 4 and surface in written for surface in kept.known)
        return self.keep(PrivacyBox.load(path, home=self.home), kept.known, kept.texts)

    @rule(target=boxes, kept=boxes)
    def branch(self, kept):
        return self.keep(kept.box.model_copy(deep=True), kept.known, kept.texts)

    @rule(target=boxes, style=st.sampled_from(["v1", "v2"]))
    def another(self, style):
        return self.keep(PrivacyBox(style=style))

    @rule(kept=boxes)
    def from_many_threads(self, kept):
        def back(pair):
            return remap_text(pair[0], kept.box).text == pair[1]

        with ThreadPoolExecutor(4) as pool:
            assert all(pool.map(back, kept.texts * 4))

    @rule(kept=consumes(boxes))
    def forget(self, kept):
        self.all.remove(kept)

    @invariant()
    def nothing_changed_hands(self):
        for kept in getattr(self, "all", []):
            pairs = {entry.surface: entry.placeholder for entry in kept.box.entries}
            assert kept.known.items() <= pairs.items()
            assert len(set(pairs.values())) == len(pairs)
            assert all(parse_placeholder(placeholder, kept.box.style) for placeholder in pairs.values())
            for hidden, text in kept.texts:
                assert remap_text(hidden, kept.box).text == text
                assert remap_text(hidden, kept.box, "strict").text == text
                assert (
                    "".join(restore_stream([hidden[at : at + 3] for at in range(0, len(hidden), 3)], kept.box)) == text
                )


TestBoxes = Boxes.TestCase
TestBoxes.settings = settings(max_examples=40, stateful_step_count=15, deadline=None)
