"""Telephone numbers of all regions (phonenumbers), in international and national form."""

import re
from collections.abc import Iterator
from functools import partial

from gama.state.entities import Span
from gama.tools.recognizers.base import PlainText, digits, hit, plain
from gama.tools.recognizers.declared import declaration
from gama.tools.recognizers.rules import label_ends

_DECLARED = declaration("phone")
_CANDIDATE = _DECLARED.expression("candidate")
_EXTENSION = _DECLARED.expression("extension")
_LONE_EXTENSION = _DECLARED.expression("lone_extension")
_SPOKEN = _DECLARED.expression("spoken")
_WORDS = _DECLARED.words["words"]
_WEAK = frozenset(_DECLARED.words["weak"])
_OTHER = _DECLARED.expression("other")
_DATE = _DECLARED.expression("date")
_NANP = _DECLARED.expression("nanp")
_TRUNK = _DECLARED.expression("trunk")
_TRUNK_REGIONS = _DECLARED.words["trunk_regions"]


class PhoneRecognizer:
    """Finds telephone numbers.

    Policy: a number with + or 00 is asked of `phonenumbers`; a national form counts if (1) it is valid in the
    default region or in a region that another number of the text names, or (2) a word for telephoning stands
    within forty characters before it, or (3) its form is a telephone's own (North American groups; a trunk zero
    with groups, valid in a large region). `PhoneNumberMatcher` is not used: over long texts it is slow and worse
    than linear, so candidates are cut out first and parsed one by one.
    """

    name = "phone"
    subtypes = ("phone",)
    priority = 2

    def __init__(self, default_region: str | None = None) -> None:
        """Take the region (ISO 3166, such as DE) in whose national form numbers may stand."""
        self.default_region = default_region

    def find(self, text: str) -> Iterator[Span]:
        """Yield numbers with their extensions; valid ones are validated."""
        body = plain(text)
        if body.has_digit:
            yield from self._written(body)
            for match in _LONE_EXTENSION.finditer(body.low):
                group = "v" if match["v"] else "w"
                yield hit(*match.span(group), "phone", self.name, score=0.7, private=1.0)
        if "double" in body.low or "oh" in body.low or "zero" in body.low or "nought" in body.low:
            for match in _SPOKEN.finditer(body.low):
                yield hit(*match.span(), "phone", self.name, score=0.7, private=1.0)

    def _written(self, body: PlainText) -> Iterator[Span]:
        candidates = [match.span() for match in _CANDIDATE.finditer(body)]
        if not candidates:
            return
        labels = sorted((end, body[start:end].lower() in _WEAK) for start, end in _label_spans(body))
        regions = self._regions(body, candidates)
        at = 0
        for start, end in candidates:
            end = start + len(body[start:end].rstrip(" ./(-"))
            if body[start] == "(" and ")" not in body[start:end]:
                start += 1  # The bracket opens a remark, not an area code.
            while at < len(labels) and labels[at][0] < start - 40:
                at += 1
            near = [
                weak
                for stop, weak in labels[at : at + 12]
                if start - 40 <= stop <= start and "\n\n" not in body[stop:start]
            ]
            verdict = self._judge(body, start, end, near, regions)
            if verdict:
                score, validated = verdict
                extension = _EXTENSION.match(body, end)
                yield hit(
                    start,
                    extension.end() if extension else end,
                    "phone",
                    self.name,
                    score=score,
                    private=1.0,
                    validated=validated,
                )

    def _regions(self, body: PlainText, candidates: list[tuple[int, int]]) -> tuple[str, ...]:
        found = [self.default_region] if self.default_region else []
        for start, end in candidates[:50]:
            if body[start] == "+":
                region = _region(body[start:end])
                if region and region not in found:
                    found.append(region)
        return tuple(found[:4])

    def _judge(
        self, body: PlainText, start: int, end: int, near: list[bool], regions: tuple[str, ...]
    ) -> tuple[float, bool] | None:
        value = body[start:end]
        number = digits(value)
        if len(number) < 6 or len(set(number)) == 1 or value.count("(") != value.count(")"):
            return None
        before = body.low[max(0, start - 28) : start]
        if value[0] == "+" or number.startswith("00"):
            international = "+" + number.removeprefix("00") if value[0] != "+" else value
            if _valid(international, None):
                return 1.0, True
            return (0.85, False) if 8 <= len(number) <= 15 and value[0] == "+" else ((0.7, False) if near else None)
        if _DATE.fullmatch(value) or _OTHER.search(before):
            return None
        valid = partial(_valid, value)
        if any(valid(region) for region in regions):
            grouped = any(char in " .-/(" for char in value)
            return (1.0, True) if near or grouped or number[0] == "0" else (0.6, False)
        if _NANP.fullmatch(value):
            return 0.9, False
        if near and 7 <= len(number) <= 13 and (not all(near) or len(number) >= 8) and not _sum_like(value):
            return 0.8, False
        if _TRUNK.fullmatch(value) and 9 <= len(number) <= 12 and any(valid(region) for region in _TRUNK_REGIONS):
            return 0.7, False
        return None


def _label_spans(body: PlainText) -> Iterator[tuple[int, int]]:
    for word in _WORDS:
        for end in label_ends(body, (word,)):
            yield end - len(word), end


def _sum_like(value: str) -> bool:
    # "1.500.000" and "12 000 000": groups of three behind a short head, as thousands are written.
    return bool(re.fullmatch(r"\d{1,3}(?:\.000){1,3}|\d{1,3}(?: 000){2,3}", value))


def _valid(value: str, region: str | None) -> bool:
    import phonenumbers

    try:
        parsed = phonenumbers.parse(value, region)
    except phonenumbers.NumberParseException:
        return False
    return phonenumbers.is_valid_number(parsed)


def _region(value: str) -> str | None:
    import phonenumbers

    try:
        parsed = phonenumbers.parse(value, None)
    except phonenumbers.NumberParseException:
        return None
    return phonenumbers.region_code_for_country_code(parsed.country_code or 0)


def phone_recognizer(default_region: str | None = None) -> PhoneRecognizer:
    """Return the recognizer of telephone numbers."""
    return PhoneRecognizer(default_region)
