"""Reads lengths of time as letters write them: right, or refused."""

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

import regex

from gama.tools.formulas.numbers import DIGITS, Marks, read_number, unreadable
from gama.tools.formulas.values import Duration, Fault
from gama.tools.formulas.words import MONTHS, SECONDS, duration_words, meanings, one_of, tidy

_ONE = "a an ein eine einen einer un une una uno um uma een en ett jeden jedna".split()


@lru_cache
def _units_of_time(language: str) -> str:
    return "|".join(map(regex.escape, sorted(duration_words(language), key=len, reverse=True)))


def read_duration(text: str, marks: Marks) -> Duration:
    """Read a length of time: `3 weeks`, `1 h 30 min`, `two and a half hours`, `a year and a half`.

    Raises:
        Fault: it cannot be read.
    """
    shown, rest = text, regex.sub(rf"^{one_of('exact')} ", "", tidy(text), flags=regex.IGNORECASE).casefold()
    if match := regex.fullmatch(rf"(.*\p{{L}}\.?) ?({one_of('period')})", rest, regex.IGNORECASE):
        per = meanings("period")[match[2].casefold()]
        try:
            length = read_duration(match[1], marks)
        except Fault:
            length = Duration()  # "half an hour"
        if length.seconds and not length.months and not length.per and per != "hour":
            return replace(length, per=per, shown=shown)
    rest = regex.sub(rf"(?<=\p{{L}}|\d) {one_of('whole')}(?= |$)", "", rest, flags=regex.IGNORECASE)
    names = duration_words(marks.language)
    months, seconds, first = Fraction(0), Fraction(0), None
    if match := regex.fullmatch(r"(?:an? |one )(\p{L}+) and a half", rest):
        rest = f"1.5 {match[1]}"
    if match := regex.fullmatch(r"(\d{1,3}) ?h ?([0-5]\d)", rest):
        rest = f"{match[1]} h {match[2]} min"
    if match := regex.fullmatch(r"half an? (\p{L}+)", rest):
        rest = f"0.5 {match[1]}"
    if match := regex.fullmatch(r"(\d{1,3}):(\d\d)(?::(\d\d))? ?(?:h|hrs?|hours?|std\.?)", rest):
        return Duration(
            0, Fraction(int(match[1]) * 3600 + int(match[2]) * 60 + int(match[3] or 0)), "hour", shown=shown
        )
    joined, last = True, 10**10
    while rest:
        number_words = rf"{DIGITS}(?: ?½)? ?-?|[\p{{L}}'][\p{{L}}' -]*?[ -](?=\p{{L}}{{2}})"
        match = regex.match(rf"(-?(?:{number_words}))({_units_of_time(marks.language)})(?!\p{{L}})", rest)
        if not match:
            raise unreadable("duration")
        told, unit = match[1].strip().rstrip("-"), names[match[2]]
        if told in _ONE and not joined:  # "30 hours a week"
            raise unreadable("duration")
        number = Fraction(1) if told in _ONE else read_number(told, marks).number
        size = MONTHS[unit] * 10**7 if unit in MONTHS else SECONDS[unit]
        if size >= last:
            raise unreadable("duration")
        first, last = first or unit, size
        if unit in MONTHS:
            months += number * MONTHS[unit]
        else:
            seconds += number * SECONDS[unit]
        after = rest[match.end() :].lstrip(". ")
        rest = regex.sub(r"^,? ?(?:(?:and|und|et|y|e|en|och|i) )?", "", after)
        joined = rest != after
    if months.denominator != 1 or (months < 0) != (seconds < 0) and months and seconds:
        raise unreadable("duration")
    return Duration(int(months), seconds, first, shown=shown)
