"""Telephone numbers of all regions (phonenumbers), in international and national form.

A number with + or 00 is asked of `phonenumbers`; a national form counts if (1) it is valid in the default region or in
a region that another number of the text names, or (2) a word for telephoning stands within forty characters before it,
or (3) its form is a telephone's own (North American groups; a trunk zero with groups, valid in a large region).
`PhoneNumberMatcher` is not used: over long texts it is slow and worse than linear, so candidates are cut out first and
parsed one by one.
"""

import re
from collections.abc import Iterator
from typing import Any

from gama.state.entities import Span
from gama.tools.recognizers.base import PlainText, digits, labels
from gama.tools.recognizers.declared import Declaration


def phones(body: PlainText, told: Declaration, default_region: str | None = None) -> Iterator[Span]:
    """Yield numbers with their extensions; valid ones are validated.

    Args:
        body: the text.
        told: what `phone.yaml` declares.
        default_region: the region (ISO 3166, such as DE) in whose national form numbers may stand.
    """
    if body.has_digit:
        yield from _written(body, told, default_region)
        for match in told.regex["lone_extension"].finditer(body.low):
            yield told.hit(*match.span("v" if match["v"] else "w"), "phone", score=0.7, private=1.0)
    if any(word in body.low for word in ("double", "oh", "zero", "nought")):
        for match in told.regex["spoken"].finditer(body.low):
            yield told.hit(*match.span(), "phone", score=0.7, private=1.0)


def _written(body: PlainText, told: Declaration, default_region: str | None) -> Iterator[Span]:
    candidates = list(_candidates(body, told))
    if not candidates:
        return
    behind = sorted((end, word in told.words["weak"]) for end, word in labels(body, told.words["words"]))
    regions = _regions(body, candidates, default_region)
    at = 0
    for start, end in candidates:
        end = start + len(body[start:end].rstrip(" ./(-"))
        if body[start] == "(" and ")" not in body[start:end]:
            start += 1  # The bracket opens a remark, not an area code.
        while at < len(behind) and behind[at][0] < start - 40:
            at += 1
        near = [
            weak
            for stop, weak in behind[at : at + 12]
            if start - 40 <= stop <= start and "\n\n" not in body[stop:start]
        ]
        if verdict := _judge(body, start, end, near, regions, told):
            score, proven = verdict
            extension = told.regex["extension"].match(body, end)
            stop = extension.end() if extension else end
            yield told.hit(start, stop, "phone", score=score, private=1.0, validated=proven)


def _candidates(body: PlainText, told: Declaration) -> Iterator[tuple[int, int]]:
    """Yield where groups of digits stand that end with their sentence: `020 7946 0958. 24 hours` has one of eleven.

    Where numbers are written with a full stop behind each pair (`06. 12. 34. 56. 78`), it ends nothing.
    """
    at = 0
    while match := told.regex["candidate"].search(body, at):
        start, at = match.span()
        first, stop, _ = match[0].partition(". ")
        if stop and len(digits(first)) > 6:
            at = start + len(first)
        yield start, at


def _regions(body: PlainText, candidates: list[tuple[int, int]], default_region: str | None) -> list[str]:
    import phonenumbers

    found = {default_region: None} if default_region else {}
    for number in (_parsed(body[start:end], None) for start, end in candidates[:50] if body[start] == "+"):
        if region := number and phonenumbers.region_code_for_country_code(number.country_code or 0):
            found[region] = None
    return list(found)[:4]


def _judge(
    body: PlainText, start: int, end: int, near: list[bool], regions: list[str], told: Declaration
) -> tuple[float, bool] | None:
    """Return the score of a candidate and whether it is proven; None for what is no telephone number."""
    value = body[start:end]
    number = digits(value)
    if len(number) < 6 or len(set(number)) == 1 or value.count("(") != value.count(")"):
        return None
    if value[0] == "+" or number.startswith("00"):
        if _valid(value if value[0] == "+" else "+" + number.removeprefix("00"), None):
            return 1.0, True
        return (0.85, False) if 8 <= len(number) <= 15 and value[0] == "+" else ((0.7, False) if near else None)
    if not near and re.fullmatch(r"[1-9]\d*\.\d\d", value):  # `2560.00` is a sum
        return None
    if told.regex["date"].fullmatch(value) or told.regex["other"].search(body.low[max(0, start - 28) : start]):
        return None
    if any(_valid(value, region) for region in regions):
        grouped = any(char in " .-/(" for char in value)
        return (1.0, True) if near or grouped or number[0] == "0" else (0.6, False)
    if told.regex["nanp"].fullmatch(value):
        return 0.9, False
    # "1.500.000" and "12 000 000": groups of three behind a short head, as thousands are written.
    is_sum = re.fullmatch(r"\d{1,3}(?:\.000){1,3}|\d{1,3}(?: 000){2,3}", value)
    if near and 7 <= len(number) <= 13 and (not all(near) or len(number) >= 8) and not is_sum:
        return 0.8, False
    trunk = told.regex["trunk"].fullmatch(value) and 9 <= len(number) <= 12
    return (0.7, False) if trunk and any(_valid(value, region) for region in told.words["trunk_regions"]) else None


def _parsed(value: str, region: str | None) -> Any:
    import phonenumbers

    try:
        return phonenumbers.parse(value, region)
    except phonenumbers.NumberParseException:
        return None


def _valid(value: str, region: str | None) -> bool:
    import phonenumbers

    number = _parsed(value, region)
    return number is not None and phonenumbers.is_valid_number(number)
