"""Calendar dates in many notations; whether one is private, the context decides."""

import re
from collections.abc import Iterator

from gama.state.entities import Span
from gama.tools.recognizers._calendar import (
    CLEAR_MONTHS,
    DAY,
    FULL_WEEKDAYS,
    MONTH,
    MONTHS,
    NUMERIC_DATE,
    ORDINAL,
    WEEKDAY,
    YEAR,
)
from gama.tools.recognizers._labels import label_ends
from gama.tools.recognizers._text import RIGHT, PlainText, plain
from gama.tools.recognizers.base import hit

_SHORT_YEAR = rf"(?:{YEAR}|'\d\d)"
_NOT_INSIDE = r"(?<![\d.,/:-])"

# All expressions run on the text in lower case and are tried only where numbers begin.

# Accepts: 2024-11-05, 17.06.2024, 08/22/25, 3.ix.1938, 12/Jan/2025, 02-JUL-1949. Refuses: 1.2.3.4, versions, longer
# chains.
_NUMERIC = re.compile(rf"{_NOT_INSIDE}{NUMERIC_DATE}(?![-/.]?\d){RIGHT}")

# Refused although its separators agree: 20-20-20, 99/31/12: no month in either place.
_IMPOSSIBLE = re.compile(r"(?:1[3-9]|[23]\d)[-/.](?:1[3-9]|[23]\d)[-/.]\d\d(?:\d\d)?")

# Accepts: 3 September 2024, 14th of May, 1er mars, 7. Oktober 2023, 2, 9 and 16 February, 17-23 July 2025,
# 21 de abril de 2020. Refuses: "10 decades", a number without a month.
_DAY_MONTH = re.compile(
    rf"{DAY}{ORDINAL}(?:(?:, | ?- ?| (?:and|to|bis|et|y|e) ){DAY}{ORDINAL}){{0,3}}[ -]{{0,2}}(?:of "
    rf"|de |del |d'|di )?{MONTH}\.?"
    rf"(?:(?: ?- ?| to )(?:{DAY}{ORDINAL} )?{MONTH}\.?)?(?:,? {{0,2}}(?:de |del )?{_SHORT_YEAR})?{RIGHT}"
)

# The number behind a month. Accepts: June 5th, 2024, Sept. 12, Nov 3-5, June 2023. Refuses: "may 500", "march 10
# people".
_AFTER_MONTH = re.compile(
    rf"(?:{DAY}(?:st|nd|rd|th)?(?: ?- ?{DAY}(?:st|nd|rd|th)?)?(?![\d:])(?![.,]\d)(?! ?(?:%|am\b"
    rf"|pm\b|people|times))(?:,? {{1,2}}{YEAR})?"
    rf"|{YEAR}|(?<=')\d\d){RIGHT}(?![-/.]\d)"
)

# Accepts: 05/2017, 03.2026, 05/2017-11/2023. Refuses: fractions and versions with other numbers.
_MONTH_YEAR = re.compile(
    rf"{_NOT_INSIDE}(?:1[0-2]|0?[1-9])[/.]{YEAR}(?: ?- ?(?:1[0-2]|0?[1-9])[/.]{YEAR})?{RIGHT}(?![-/.]\d)"
)

# Accepts: 2024年3月5日, 3月5日, 2024년 3월 5일. Refuses: 3月 alone.
_CJK = re.compile(r"\d{4}年(?:\d{1,2}月(?:\d{1,2}日)?)|\d{1,2}月\d{1,2}日|(?:\d{4}년 ?)?\d{1,2}월 ?\d{1,2}일")

# Accepts: 5/10, 24.8., 7/9-9/9 behind a word of time. Refuses: 24/7, 9/10, 50/50 and other fractions
# (`_day_and_month`).
_SHORT = re.compile(rf"{_NOT_INSIDE}(?P<a>\d{{1,2}})[/.](?P<b>\d{{1,2}})\.?(?![\d%/-]|[.,]\d){RIGHT}")
_TIME_WORD = re.compile(
    r"(?:(?<![a-z])(?:on|by|until|till|til|since|from|for|due|before|after|am|vom|bis|le|el|op"
    r"|dnia|d\.|date:?|exp|surgery|[a-z]{3,6}day,?|mon|tues?|wed|weds|"
    r"thurs?|fri|sat|sun)|[-–]) {1,2}\(?$"
)

# Accepts: "the 19th", "on the 3rd". Refuses: "19th century", "3rd party", "5th floor".
_ORDINAL = re.compile(
    rf"(?<=the ){DAY}(?:st|nd|rd|th)(?! (?:century|party|floor|time|place|grade|year|edition"
    r"|birthday|anniversary|street|avenue|st|ave|"
    rf"row|attempt|person|round|quarter|day|hour|amendment|dynasty|century's|of (?!{MONTH}))){RIGHT}"
)

# Accepts: "in 2019", "since 1998", "2015-2018", "from 2015 to 2018". Refuses: years of laws and standards ("Act
# 1996"), 2000 of anything.
_YEAR = re.compile(
    rf"(?<![\d.,/:#€$£-]){YEAR}(?: ?- ?(?:{YEAR}|\d\d))?{RIGHT}(?![-/.]\d|,\d| ?(?:%|€|eur|usd|gbp"
    r"|m\b|km|kg|ml|people|words|points))"
)
_YEAR_WORD = re.compile(
    r"(?<![a-z])(?:in|since|until|till|from|to|by|summer|spring|autumn|fall|winter|of|seit|im jahr"
    r"|depuis|en|desde|dal|année|anno|[(]) ?$"
)

_LEAD = re.compile(rf"(?<![0-9a-zà-ӿ_])(?:{WEEKDAY})\.?,? (?:the |den |le |el |il )?$")

_IN = re.compile(
    r"(?<![a-zà-ÿ])(?:in|since|last|next|until|till|by|from|early|mid|late|this|during|of|im|seit"
    r"|en|depuis|desde|da|my|for|end of) $"
)


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
        for word in FULL_WEEKDAYS:
            for end in label_ends(body, (word,)):
                yield hit(end - len(word), end, "date", self.name, score=0.4)
        for word in CLEAR_MONTHS:
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
    if stretch[begin:] not in MONTHS or (
        stretch[begin:] in ("mar", "may", "set", "ago", "gen", "sep") and low[at - 1] == "-"
    ):
        return None
    return floor + begin


def _day_and_month(match: re.Match[str], low: str) -> bool:
    first, second = int(match["a"]), int(match["b"])
    if not (first and second) or first > 31 or second > 31 or (first > 12 and second > 12):
        return False
    return bool(_TIME_WORD.search(low[max(0, match.start() - 12) : match.start()]))


def date_recognizer() -> DateRecognizer:
    """Return the recognizer of dates."""
    return DateRecognizer()
