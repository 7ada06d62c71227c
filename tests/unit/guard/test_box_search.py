"""A box keeps what finds its surfaces until it grows; copies and comparisons are not touched by it."""

import copy

from gama.privacy.box import PrivacyBox
from gama.tools.placeholders.mapping import _surfaces


def test_it_is_made_once_and_anew_when_the_box_grows():
    box = PrivacyBox()
    box.add("Emma Williams", "full_name")
    first = _surfaces(box, ignore_case=False)
    assert _surfaces(box, ignore_case=False) is first and _surfaces(box, ignore_case=True) is not first
    box.add("Daniel Jones", "full_name")
    assert _surfaces(box, ignore_case=False) is not first
    assert [match.word for match in _surfaces(box, ignore_case=False).find(b"Daniel Jones and Emma Williams")] == [1, 0]
    assert _surfaces(box, ignore_case=True).find(b"emma williams") and not _surfaces(box, ignore_case=False).find(
        b"emma williams"
    )


def test_copies_make_their_own_and_equal_boxes_stay_equal():
    box = PrivacyBox()
    box.add("Emma Williams", "full_name")
    _surfaces(box, ignore_case=False)
    for other in (box.model_copy(deep=True), copy.deepcopy(box), PrivacyBox.model_validate_json(box.model_dump_json())):
        assert other == box
        other.add("Daniel Jones", "full_name")
        assert _surfaces(other, ignore_case=False).find(b"Daniel Jones") and not _surfaces(box, ignore_case=False).find(
            b"Daniel Jones"
        )
        assert other != box
