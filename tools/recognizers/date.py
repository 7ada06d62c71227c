"""Calendar dates in many notations; whether one is private, the context decides."""

import re
from collections.abc import Iterator, Mapping

from gama.state.entities import Span
from gama.tools.recognizers.base import PlainText, labels
from gama.tools.recognizers.declared import Declaration


def dates(body: PlainText, told: Declaration) -> Iterator[Span]:
    """Yield dates by number, by month and by weekday, the weekday before one included; weak forms score low."""
    low, months = body.low, frozenset(told.words["month"])
    for at in body.numbers:
        if found := _at_number(low, at, told.regex, months):
            start, end, score = found
            lead = told.regex["lead"].search(low[max(0, start - 24) : start]) if low[start - 1 : start] == " " else None
            yield told.hit(start - len(lead[0]) if lead else start, end, "date", score=score)
    for end, word in labels(body, told.words["full_weekdays"]):
        yield told.hit(end - len(word), end, "date", score=0.4)
    for end, word in labels(body, told.words["clear_months"]):
        start = end - len(word)
        if told.regex["in"].search(low[max(0, start - 9) : start]):
            yield told.hit(start, end, "date", score=0.4)


def _at_number(
    low: str, at: int, regex: Mapping[str, re.Pattern[str]], months: frozenset[str]
) -> tuple[int, int, float] | None:
    """Return the date that begins with, or whose month stands before, the number at `at`, and its score."""
    match = regex["numeric"].match(low, at) or regex["day_month"].match(low, at) or regex["cjk"].match(low, at)
    if match and not regex["impossible"].fullmatch(match[0]):
        return *match.span(), 0.85
    if match := regex["month_year"].match(low, at):
        return *match.span(), 0.75
    month = _month_before(low, at, months)
    if month is not None and (match := regex["after_month"].match(low, at)):
        return month, match.end(), 0.75
    if (match := regex["short"].match(low, at)) and _day_and_month(match, regex["time_word"]):
        return *match.span(), 0.5
    if match := regex["ordinal"].match(low, at):
        return *match.span(), 0.5
    match = regex["year"].match(low, at)
    if match and (len(match[0]) > 4 or regex["year_word"].search(low[max(0, at - 9) : at])):
        return *match.span(), 0.4
    return None


def _month_before(low: str, at: int, months: frozenset[str]) -> int | None:
    """Return where the month right before a number begins."""
    if at < 4 or low[at - 1] not in " '/-":
        return None
    floor = max(0, at - 20)
    stretch = low[floor:at].rstrip(" '/-").removesuffix(" the").rstrip(" ,.").removesuffix(" de")
    begin = len(stretch)
    while begin and stretch[begin - 1].isalpha():
        begin -= 1
    word = stretch[begin:]
    if word not in months or (low[at - 1] == "-" and word in ("mar", "may", "set", "ago", "gen", "sep")):
        return None
    return floor + begin


def _day_and_month(match: re.Match[str], time_word: re.Pattern[str]) -> bool:
    first, second = int(match["a"]), int(match["b"])
    if not (first and second) or first > 31 or second > 31 or (first > 12 and second > 12):
        return False
    return bool(time_word.search(match.string[max(0, match.start() - 12) : match.start()]))
