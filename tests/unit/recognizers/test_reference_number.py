"""Table for the recognizer `reference_number`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("case no. CB/0913/24", "CB/0913/24", "case_number"),
    ("ticket #CX-771204", "CX-771204", "case_number"),
    ("Invoice No. 2024/0387", "2024/0387", "order_number"),
    ("booking QX7L2M)", "QX7L2M", "order_number"),
    ("Hospital no. MP 771204", "MP 771204", "patient_id"),
    ("policy PH 2209 6610", "PH 2209 6610", "other_id"),
    ("Aktenzeichen: 4 C 217/24", "4 C 217/24", "case_number"),
    ("#INC0048827 laptop dead", "#INC0048827", "case_number"),
    ("see CAD 1184 of 17/05", "CAD 1184 of 17/05", "case_number"),
    ("login ok uid=70065 ip=", "70065", "other_id"),
    ("arn:aws:iam::774120938845:user/deploy", "774120938845", "other_id"),
    ("HRC0019422 — Employee Relations case", "HRC0019422", "case_number"),
    ("dot. FV/19/03/2025", "FV/19/03/2025", "order_number"),
]

LEFT_ALONE = [
    "a case study of 12 patients",
    "in order to win 3 games",
    "the file is 14.2 MB",
    "error E-203",
    "uid=1000(web) gid=1000(web)",
    "ABC123456 - a new engine",
]


@pytest.mark.parametrize(("text", "value", "subtype"), FOUND)
def test_found(find: Finder, text: str, value: str, subtype: str) -> None:
    assert (value, subtype) in find("reference_number", text)


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("reference_number", text) == []
