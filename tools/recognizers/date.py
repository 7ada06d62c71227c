"""Calendar dates in many notations; whether one is private, the context decides."""

import re

from gama.tools.recognizers._calendar import CLEAR_MONTH, DAY, FULL_WEEKDAY, MONTH, NUMERIC_DATE, ORDINAL, WEEKDAY, YEAR
from gama.tools.recognizers._patterns import Pattern, PatternRecognizer
from gama.tools.recognizers._text import LEFT, RIGHT

_SHORT_YEAR = rf"(?:{YEAR}|'\d\d)"
_LEAD = rf"(?:{WEEKDAY}\.?,? (?:the |den |le |el |il )?)?"
_OF = r"(?:of |de |del |d'|di )?"


def _not_fraction(match: re.Match[str]) -> bool:
    """Refuse 24/7, 9/10, 50/50 and the like, unless a word of time stands before."""
    first, second = (int(part) for part in re.findall(r"\d+", match["v"])[:2])
    if first > 31 or second > 31 or (first > 12 and second > 12) or not (first and second):
        return False
    before = match.string[max(0, match.start("v") - 12) : match.start("v")]
    return bool(
        re.search(
            r"(?:\b(?:on|by|until|till|since|from|for|due|before|after|am|le|el|op|dnia|d\.|date:?|[a-z]{3}day,?|mon|tues?|wed|thurs?|fri|sat|sun)|[-–]) {1,2}\(?$",
            before,
        )
    )


def date_recognizer() -> PatternRecognizer:
    """Return the recognizer of dates. The expressions run on the text in lower case."""
    day = rf"{DAY}{ORDINAL}"
    return PatternRecognizer(
        "date",
        (
            # Accepts: 2024-11-05, 17.06.2024, 08/22/25, 3.ix.1938, 12/Jan/2025, Tuesday 05.08.2023.
            # Refuses: 1.2.3.4, versions, telephone numbers, 99/99/99.
            Pattern(
                re.compile(rf"(?<![\d.,/:-]){LEFT}(?P<v>{_LEAD}{NUMERIC_DATE})(?![-/.]?\d){RIGHT}"),
                "date", 0.85, lower=True, needs_digit=True,
            ),
            # Accepts: 3 September 2024, 14th of May, 1er mars, 7. Oktober 2023, 2, 9 and 16 February, Thursday 9 May,
            # 21 de abril de 2020, 17-23 July 2025. Refuses: "may" or "march" without a day, "10 decades".
            Pattern(
                re.compile(
                    rf"{LEFT}(?P<v>{_LEAD}{DAY}{ORDINAL}(?:(?:, | ?- ?| (?:and|to|bis|et|y|e) ){day}){{0,3}}[ -]{{0,2}}{_OF}{MONTH}\.?"
                    rf"(?:,? {{0,2}}(?:de |del )?{_SHORT_YEAR})?){RIGHT}"
                ),
                "date", 0.85, lower=True, needs_digit=True,
            ),
            # Accepts: June 5th, 2024, Sept. 12, Nov 3, Thurs 6 Feb by the pattern above. Refuses: "may 500", "June 2023" (below).
            Pattern(
                re.compile(
                    rf"{LEFT}(?P<v>{_LEAD}{MONTH}\.? {{1,2}}(?:the )?{DAY}(?:st|nd|rd|th)?(?: ?- ?{DAY}(?:st|nd|rd|th)?)?(?![\d:])(?![.,]\d)(?! ?(?:%|am\b|pm\b|people|times))(?:,? {{1,2}}{YEAR})?){RIGHT}"
                ),
                "date", 0.75, lower=True, needs_digit=True,
            ),
            # Accepts: June 2023, end of March 2024, Q3 2024, 05/2017, 2024年3月5日. Refuses: bare years.
            Pattern(
                re.compile(
                    rf"{LEFT}(?P<v>(?:(?:early|mid|late|end of|start of|anfang|ende|début|fin)[ -])?{MONTH}\.?,?[ /-](?:of |de |del )?{_SHORT_YEAR}"
                    rf"|q[1-4][ /-]{YEAR}|(?:1[0-2]|0[1-9])[/.]{YEAR}){RIGHT}(?![-/.]\d)"
                ),
                "date", 0.75, lower=True, needs_digit=True,
            ),
            Pattern(
                re.compile(r"(?P<v>(?:\d{4}年)?\d{1,2}月\d{1,2}日|\d{4}年\d{1,2}月|(?:\d{4}년 ?)?\d{1,2}월 ?\d{1,2}일)"),
                "date", 0.9, needs=("月", "월"), needs_digit=True,
            ),
            # Accepts: "on 5/10", "Thursday 8/14", "by 1/9". Refuses: 24/7, 9/10, 50/50, fractions (the check).
            Pattern(
                re.compile(rf"(?<![\d./-]){LEFT}(?P<v>\d{{1,2}}/\d{{1,2}})(?![\d/.%-]){RIGHT}"),
                "date", 0.5, lower=True, check=_not_fraction, needs=("/",), needs_digit=True,
            ),
            # Accepts: "the 19th", "on the 3rd". Refuses: "19th century", "3rd party", "5th floor".
            Pattern(
                re.compile(
                    rf"(?:on|by|before|after|until|till|from|of|since) the (?P<v>{DAY}(?:st|nd|rd|th))(?! (?:century|party|floor|time|place|grade|year|"
                    rf"edition|birthday|anniversary|street|avenue|st|ave|row|attempt|person|round|quarter|day|hour|of (?!{MONTH}))){RIGHT}"
                ),
                "date", 0.5, lower=True, needs=("the ",), needs_digit=True,
            ),
            # Accepts: weekdays by their full name; months that are no other word behind "in", "since", … Weak on purpose.
            Pattern(
                re.compile(rf"{LEFT}(?P<v>{FULL_WEEKDAY})(?:'s|s)?{RIGHT}"),
                "date", 0.4, lower=True, needs=("day", "tag", "di", "dag", "jueves", "viernes", "domingo", "martes", "środ", "czwartek", "piątek"),
            ),
            Pattern(
                re.compile(
                    rf"{LEFT}(?:in|since|last|next|until|till|by|from|early|mid|late|this|during|of|im|seit|en|depuis|desde|da) (?P<v>{CLEAR_MONTH}){RIGHT}"
                ),
                "date", 0.4, lower=True,
            ),
            # Accepts: "in 2019", "since 1998", "from 2015 to 2018", "(1953". Refuses: years of laws and standards ("Act 1996").
            Pattern(
                re.compile(rf"{LEFT}(?:in|since|until|till|from|summer|spring|autumn|winter|of|seit|depuis|desde|année|anno) (?P<v>{YEAR}(?:-{YEAR})?){RIGHT}(?![-/.]\d)"),
                "date", 0.4, lower=True, needs_digit=True,
            ),
        ),
    )  # fmt: skip
