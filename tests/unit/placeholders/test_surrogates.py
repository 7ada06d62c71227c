"""Tests of surrogates beside the names of people whom a model has brought in."""

import pytest

from gama import PrivacyBox
from gama.state.box import Draft, Written
from gama.state.restoring import Restoring
from gama.tools.placeholders.remapping import remap_text

NAMES = {"Emma Williams": "Carolyn Jones", "Thomas Becker": "David Atkinson"}


def write(draft: Draft) -> Written:
    return Written(NAMES[draft.surface])


class TestNamesOfOthers:
    """What a surrogate shares with the name of somebody whom the model has brought in is no word of it."""

    @pytest.fixture
    def other_names(self):
        made = PrivacyBox()
        made.write_with(write)
        for name in NAMES:
            made.add(name, "full_name")
        return made

    @pytest.mark.parametrize(
        ("reply", "restored", "reported"),
        [
            ("Ms Jones owes it.", "Ms Williams owes it.", ()),
            ("Dear Carolyn, thank you.", "Dear Emma, thank you.", ()),
            ("Then Jones paid.", "Then Williams paid.", ()),
            ("Carolyn Jones and David Atkinson.", "Emma Williams and Thomas Becker.", ()),
            ("As Sarah Jones said", "As Sarah Jones said", ("Jones",)),
            ("Carolyn Bennett wrote it.", "Carolyn Bennett wrote it.", ("Carolyn",)),
            ("Carolyn Atkinson is neither.", "Carolyn Atkinson is neither.", ("Carolyn", "Atkinson")),
        ],
    )
    def test_whole_and_in_pieces(self, other_names, reply, restored, reported):
        whole = remap_text(reply, other_names)
        assert (whole.text, whole.unresolved) == (restored, reported)
        for size in (1, 2, 3, 5, 8):
            stream = other_names.restorer(Restoring())
            pieces = [stream.feed(reply[at : at + size]) for at in range(0, len(reply), size)]
            assert "".join([*pieces, stream.close()]) == restored
