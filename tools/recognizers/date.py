"""Calendar dates in many notations; whether one is private, the context decides."""

import re
from collections.abc import Iterator

from gama.state.entities import Span
from gama.tools.recognizers.base import PlainText, hit, plain
from gama.tools.recognizers.declared import declaration
from gama.tools.recognizers.rules import label_ends

_DECLARED = declaration("date")
_MONTHS = frozenset(_DECLARED.words["month"])
_NUMERIC = _DECLARED.expression("numeric")
_IMPOSSIBLE = _DECLARED.expression("impossible")
_DAY_MONTH = _DECLARED.expression("day_month")
_AFTER_MONTH = _DECLARED.expression("after_month")
_MONTH_YEAR = _DECLARED.expression("month_year")
_CJK = _DECLARED.expression("cjk")
_SHORT = _DECLARED.expression("short")
_TIME_WORD = _DECLARED.expression("time_word")
_ORDINAL = _DECLARED.expression("ordinal")
_YEAR = _DECLARED.expression("year")
_YEAR_WORD = _DECLARED.expression("year_word")
_LEAD = _DECLARED.expression("lead")
_IN = _DECLARED.expression("in")


class DateRecognizer:
    """Finds dates by number, by month and by weekday; the weak forms carry low scores."""

    name = "date"
    subtypes = ("date",)
    priority = 0

    def find(self, text: str) -> Iterator[Span]:
        """Yield dates, the weekday before one included."""
        body = plain(text)
        low = body.low
        for at in body.numbers:
            for start, end, score in _at_number(low, at):
                lead = _LEAD.search(low[max(0, start - 24) : start]) if low[start - 1 : start] == " " else None
                yield hit(start - len(lead[0]) if lead else start, end, "date", self.name, score=score)
        yield from self._words(body)

    def _words(self, body: PlainText) -> Iterator[Span]:
        for word in _DECLARED.words["full_weekdays"]:
            for end in label_ends(body, (word,)):
                yield hit(end - len(word), end, "date", self.name, score=0.4)
        for word in _DECLARED.words["clear_months"]:
            for end in label_ends(body, (word,)):
                start = end - len(word)
                if _IN.search(body.low[max(0, start - 9) : start]):
                    yield hit(start, end, "date", self.name, score=0.4)


def _at_number(low: str, at: int) -> Iterator[tuple[int, int, float]]:
    """Yield the dates that begin with, or whose month stands before, the number at `at`."""
    match = _NUMERIC.match(low, at) or _DAY_MONTH.match(low, at) or _CJK.match(low, at)
    if match and not _IMPOSSIBLE.fullmatch(match[0]):
        yield *match.span(), 0.85
        return
    match = _MONTH_YEAR.match(low, at)
    if match:
        yield *match.span(), 0.75
        return
    month = _month_before(low, at)
    if month is not None and (match := _AFTER_MONTH.match(low, at)):
        yield month, match.end(), 0.75
        return
    match = _SHORT.match(low, at)
    if match and _day_and_month(match, low):
        yield *match.span(), 0.5
        return
    match = _ORDINAL.match(low, at)
    if match:
        yield *match.span(), 0.5
        return
    match = _YEAR.match(low, at)
    if match and (len(match[0]) > 4 or _YEAR_WORD.search(low[max(0, at - 9) : at])):
        yield *match.span(), 0.4


def _month_before(low: str, at: int) -> int | None:
    """Return where the month right before a number begins."""
    if at < 4 or low[at - 1] not in " '/-":
        return None
    floor = max(0, at - 20)
    stretch = low[floor:at].rstrip(" '/-").removesuffix(" the").rstrip(" ,.").removesuffix(" de")
    begin = len(stretch)
    while begin and stretch[begin - 1].isalpha():
        begin -= 1
    if stretch[begin:] not in _MONTHS or (
        stretch[begin:] in ("mar", "may", "set", "ago", "gen", "sep") and low[at - 1] == "-"
    ):
        return None
    return floor + begin


def _day_and_month(match: re.Match[str], low: str) -> bool:
    first, second = int(match["a"]), int(match["b"])
    if not (first and second) or first > 31 or second > 31 or (first > 12 and second > 12):
        return False
    return bool(_TIME_WORD.search(low[max(0, match.start() - 12) : match.start()]))
