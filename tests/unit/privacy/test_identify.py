"""What a finder knows beside another: judgements of longer stretches, and names that stand beside names."""

import pytest

from gama import Anonymizer
from gama.privacy.identify import with_companions, with_judgements
from gama.state.entities import Span


def test_a_pattern_within_what_is_judged_takes_the_judgement():
    longer = Span(8, 24, "LOC", "street_address", 0.9, "pner", private=0.99)
    within = Span(14, 24, "LOC", "street_address", 0.8, "regex")
    code = Span(8, 12, "CODE", "other_id", 0.9, "regex")
    beside = Span(20, 30, "LOC", "street_address", 0.8, "regex")
    given = with_judgements([within, code, longer, beside])
    assert [span.private for span in given] == [0.99, None, 0.99, None]


def test_an_address_that_a_code_runs_into_is_hidden():
    sent = Anonymizer().anonymize("Case: Mr Orrin Fenwick (clock no. 2207, 6 Kiln Row, Stoke). Off for 3 days.").text
    assert "Kiln Row" not in sent and "Fenwick" not in sent


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Jan Brix und Samira Thiede halten", ["Samira Thiede"]),
        ("Jan Brix and Ana de la Cruz, too", ["Ana de la Cruz"]),
        ("Jan Brix and Microsoft", []),
        ("Jan Brix and the Old Mill", []),
        ("Jan Brix andere Leute", []),
    ],
)
def test_a_full_name_joined_to_a_private_one_is_found(text, found):
    first = Span(0, 8, "PER", "full_name", 0.9, "pner", private=0.9)
    spans = with_companions(text, [first])
    assert [text[span.start : span.end] for span in spans[1:]] == found
    public = with_companions(text, [first._replace(private=0.1)])
    assert len(public) == 1
