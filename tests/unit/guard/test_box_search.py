"""A box keeps what finds its surfaces until it grows; copies and comparisons are not touched by it."""

import copy

from gama.state.box import PrivacyBox


def test_it_is_made_once_and_anew_when_the_box_grows():
    box = PrivacyBox()
    box.add("Emma Williams", "full_name")
    first = box.search()
    assert box.search() is first and box.search(str.casefold) is not first
    box.add("Daniel Jones", "full_name")
    assert box.search() is not first
    assert [match.word for match in box.search().find(b"Daniel Jones and Emma Williams")] == [1, 0]
    assert box.search(str.casefold).find(b"emma williams") and not box.search().find(b"emma williams")


def test_copies_make_their_own_and_equal_boxes_stay_equal():
    box = PrivacyBox()
    box.add("Emma Williams", "full_name")
    box.search()
    for other in (box.model_copy(deep=True), copy.deepcopy(box), PrivacyBox.model_validate_json(box.model_dump_json())):
        assert other == box
        other.add("Daniel Jones", "full_name")
        assert other.search().find(b"Daniel Jones") and not box.search().find(b"Daniel Jones")
        assert other != box
