"""Reads dates, times of day, durations and ranges as letters write them: right, or refused."""

from dataclasses import replace
from datetime import date, timedelta
from typing import NamedTuple

import regex

from gama.tools.formulas.numbers import read_words, unreadable
from gama.tools.formulas.values import Clock, Day, Fault, Moment, Span, Value
from gama.tools.formulas.words import calendar, meanings, one_of, tidy, words


class Calendar(NamedTuple):
    """What is known of a letter's dates and times."""

    language: str = "en"
    day_first: bool | None = None
    """Whether 03/04 is in April; None where the letter does not tell."""
    twelve: bool = False
    """Whether the letter counts hours to twelve, so that 9:30 alone does not tell the half of the day."""
    anchors: tuple[date, ...] = ()
    """The full dates of the letter, by which a date without year is placed."""
    today: date | None = None
    dotted: bool = True
    """Whether 12.05 may be a time: where a date is expected, it may not."""


class _Part(NamedTuple):
    """A stretch of a date that means something: its place, its meaning and its pattern."""

    start: int
    end: int
    field: str
    number: int
    pattern: str


_ROMAN = {numeral: n for n, numeral in enumerate("I II III IV V VI VII VIII IX X XI XII".split(), start=1)}
# Three numbers: 12/05/2025, 12.5.25, 12-05-2025; or the year first.
_NUMERIC = regex.compile(r"(?<!\d)(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?!\d)\.?")
_ISO = regex.compile(r"(?<!\d)(\d{4})([/.-])(\d{1,2})\2(\d{1,2})(?!\d)")
# Two numbers are a date with a stroke, or with two dots: 12/05, 12.05.
_SHORT = regex.compile(r"(?<![\d/.])(\d{1,2})(?:/(\d{1,2})(?![/\d])|\.(\d{1,2})\.(?!\d))")
_WORD = regex.compile(r"\p{L}[\p{L}\p{M}'-]*\.?")
_ORDINAL = regex.compile(r"(?<![\d:,.])(\d{1,2})(st|nd|rd|th|er|º|ª|°|:a|:e|e|\.)?(?![\d:%€$£]|,\d)")
_YEAR = regex.compile(r"(?<![\d:,]|\d\.)(?:1[5-9]|2[01])\d\d(?![\d:,])")
_FILLER = regex.compile(
    r"^(?:[\s,.()]|the|of|de|del|den|der|dem|d'|le|el|il|am|on|in|um|dia|día|r\.?|roku)*$", regex.IGNORECASE
)


def _pairs(calendar_of: Calendar, one: int, two: int, mark: str) -> tuple[int, int]:
    """Return day and month of two numbers.

    Raises:
        Fault: either may be the month, and the letter does not tell.
    """
    if one > 12 or two > 12 or one == two:
        return (one, two) if one > 12 or one == two else (two, one)
    day_first = True if mark == "." else calendar_of.day_first
    if day_first is None:
        raise Fault("ambiguous_date", "is ambiguous: day and month cannot be told apart")
    return (one, two) if day_first else (two, one)


def _century(two_digits: int, birth: bool) -> int:
    """Return the year of two digits: of a birth it is told only where one century is possible."""
    if birth and two_digits <= 30:
        raise Fault("ambiguous_date", "is ambiguous: its year has two digits")
    return two_digits + (1900 if two_digits > (30 if birth else 60) else 2000)


def date_parts(text: str, known: Calendar, birth: bool) -> list[_Part] | None:
    """Return the parts of a date, or None where something is left that no date has."""
    parts: list[_Part] = []
    if match := _ISO.search(text):
        for field, group in (("y", 1), ("m", 3), ("d", 4)):
            pattern = {"y": "y", "m": "MM" if len(match[3]) == 2 else "M", "d": "dd" if len(match[4]) == 2 else "d"}[
                field
            ]
            parts.append(_Part(*match.span(group), field, int(match[group]), pattern))
    elif match := _NUMERIC.search(text):
        day, month = _pairs(known, int(match[1]), int(match[3]), match[2])
        first = "d" if int(match[1]) == day and (day != month or known.day_first is not False) else "m"
        padded = len(match[1]) == len(match[3]) == 2
        for field, group in ((first, 1), ("m" if first == "d" else "d", 3)):
            pattern = {"d": "d", "m": "M"}[field] * (2 if padded else 1)
            parts.append(_Part(*match.span(group), field, day if field == "d" else month, pattern))
        year = int(match[4]) if len(match[4]) == 4 else _century(int(match[4]), birth)
        parts.append(_Part(*match.span(4), "y", year, "y" if len(match[4]) == 4 else "yy"))
    elif match := _SHORT.search(text):
        mark, other = ("/", 2) if match[2] else (".", 3)
        day, month = _pairs(known, int(match[1]), int(match[other]), mark)
        first = "d" if int(match[1]) == day else "m"
        padded = len(match[1]) == len(match[other]) == 2
        for field, group in ((first, 1), ("m" if first == "d" else "d", other)):
            number = day if field == "d" else month
            parts.append(_Part(*match.span(group), field, number, {"d": "d", "m": "M"}[field] * (2 if padded else 1)))
    taken = text[: match.start()] + " " * (match.end() - match.start()) + text[match.end() :] if match else text
    for found in _YEAR.finditer(taken):
        parts.append(_Part(*found.span(), "y", int(found[0]), "y"))
        taken = taken[: found.start()] + " " * 4 + taken[found.end() :]
    for found in _WORD.finditer(taken):
        word = found[0].casefold().rstrip(".")
        months, days = calendar("months", known.language), calendar("days", known.language)
        if word in months and not any(part.field == "m" for part in parts):
            number, pattern = months[word]
            field = "m"
        elif word in days:
            (number, pattern), field = days[word], "w"
        elif found[0].rstrip(".") in _ROMAN and not any(part.field == "m" for part in parts):
            number, pattern, field = _ROMAN[found[0].rstrip(".")], "R", "m"
        elif (spoken := _ordinal(word)) and not any(part.field == "d" for part in parts):
            number, pattern, field = spoken, "", "d"
        else:
            continue
        end = found.end() - (found[0].endswith(".") and not pattern.endswith("MMM"))
        if pattern == "MMM" and found[0].endswith("."):
            pattern = "MMM."
        if found[0].isupper() and len(found[0]) > 2:
            pattern += "^"
        parts.append(_Part(found.start(), end, field, number, pattern))
        taken = taken[: found.start()] + " " * (end - found.start()) + taken[end:]
    if not any(part.field == "d" for part in parts) and (alone := _ORDINAL.search(taken)):
        pattern = ("dd" if len(alone[1]) == 2 and alone[1][0] == "0" else "d") + (f"~{alone[2]}" if alone[2] else "")
        parts.append(_Part(*alone.span(), "d", int(alone[1]), pattern))
        taken = taken[: alone.start()] + " " * len(alone[0]) + taken[alone.end() :]
    if not parts or not _FILLER.match(regex.sub(" +", " ", taken)):
        return None
    fields = [part.field for part in parts]
    return sorted(parts) if len(fields) == len(set(fields)) else None


def _nth_weekday(text: str, known: Calendar) -> Day | None:
    """Read `second Tuesday of March 2026`."""
    match = regex.fullmatch(
        rf"({one_of('which')}) (\p{{L}}+) (?:(?:of|in|im|de|du|di|del|van) )?(\p{{L}}+\.?)(?: (?:de )?(\d{{4}}))?",
        text,
        regex.IGNORECASE,
    )
    if not match:
        return None
    weekday = calendar("days", known.language).get(match[2].casefold())
    month = calendar("months", known.language).get(match[3].casefold().rstrip("."))
    if not weekday or not month:
        return None
    if not match[4]:
        raise Fault("no_year", "names a weekday of a month without its year")
    first, which = date(int(match[4]), month[0], 1), int(meanings("which")[match[1].casefold()])
    days = [first + timedelta(days=n) for n in range(31)]
    found = [day for day in days if day.month == month[0] and day.weekday() == weekday[0]]
    if which > len(found):
        raise Fault("unreadable", "is no day of the calendar")
    return Day(found[which - 1 if which > 0 else which])


def _ordinal(word: str) -> int | None:
    """Return the number of an English ordinal, or of the first of a month in other languages."""
    ordinals = words()["ordinals"]
    return ordinals.index(word) + 1 if word in ordinals else 1 if word in words()["first"] else None


def read_day(text: str, known: Calendar, *, birth: bool = False, fill: Day | None = None) -> Day | None:
    """Read a date, as far as it is given.

    Args:
        text: the date, tidy.
        known: what is known of the letter.
        birth: whether it is a date of birth.
        fill: the other end of a range, whose month and year hold here too.

    Returns:
        The date, or None where the text is none.

    Raises:
        Fault: it is ambiguous, or there is no such day.
    """
    match = regex.match(
        r"(last|next|this|kommenden|nächsten|letzten|vergangenen|prochain|dernier|pasado|próximo)\b ?", text, regex.I
    )
    relative, body = (match[1].casefold() if match else ""), (text[match.end() :] if match else text)
    while lead := regex.match(rf"{one_of('before')} ", body, regex.IGNORECASE):
        body = body[lead.end() :]
    if (nth := _nth_weekday(body, known)) is not None:
        return nth
    parts = date_parts(body, known, birth)
    if parts is None:
        return None
    of = {part.field: part.number for part in parts}
    if "d" not in of:
        if "w" in of or not of or relative:
            return None
        pattern = _pattern(body, parts)
        if "m" not in of:
            return Day(date(of["y"], 1, 1), "year", pattern) if set(of) == {"y"} else None
        return Day(_real(of["y"], of["m"], 1), "month", pattern) if "y" in of else None
    if "m" not in of and fill is not None and fill.known in ("day", "yearless"):
        of["m"], of["y"] = fill.date.month, of.get("y", fill.date.year)
        filled = Day(_real(of["y"], of["m"], of["d"]), fill.known, fill.look)
        return filled
    if "m" not in of:
        return None
    look = _pattern(body, parts)
    if "y" in of:
        day = Day(_real(of["y"], of["m"], of["d"]), "day", look)
        if "w" in of and day.date.weekday() != of["w"]:
            raise Fault("contradiction", "names a weekday that its date does not have")
        return day
    if fill is not None and fill.known == "day":
        near = _real(fill.date.year, of["m"], of["d"])
        return Day(near if near <= fill.date else _real(near.year - 1, near.month, near.day), "day", fill.look)
    year = _year(of, known, relative, birth)
    return Day(_real(year or 2024, of["m"], of["d"]), "day" if year else "yearless", look)


def _real(year: int, month: int, day: int) -> date:
    try:
        return date(year, month, day)
    except ValueError:
        raise Fault("unreadable", "is no day of the calendar") from None


def _year(of: dict[str, int], known: Calendar, relative: str, birth: bool) -> int | None:
    """Return the year of a date without year, where the letter's other dates leave no doubt."""
    anchors = (known.today,) if known.today else known.anchors
    if birth or not anchors or relative in ("this",):
        return None
    found = set()
    for anchor in anchors:
        near = [day for year in (anchor.year - 1, anchor.year, anchor.year + 1) if (day := _maybe(year, of))]
        if relative:
            if known.today is None:
                return None
            back = relative in ("last", "letzten", "vergangenen", "dernier", "pasado")
            near = [day for day in near if (day < anchor if back else day > anchor)]
            near = [max(near) if back else min(near)] if near else []
        elif "w" in of:
            near = [day for day in near if day.weekday() == of["w"]]
        else:
            # The year may be left out where only one is meant: within four months of the letter's dates.
            near = [day for day in near if abs(day - anchor) <= timedelta(days=120)]
        found.add(near[0].year if len(near) == 1 else None)
    return found.pop() if len(found) == 1 else None


def _maybe(year: int, of: dict[str, int]) -> date | None:
    try:
        return date(year, of["m"], of["d"])
    except ValueError:
        return None


def _pattern(text: str, parts: list[_Part]) -> str:
    """Return how a date is written: its text with patterns in braces where its parts stand."""
    out, at = "", 0
    for part in parts:
        out += text[at : part.start].replace("{", "").replace("}", "") + "{" + (part.pattern or "d") + "}"
        at = part.end
    return out + text[at:]


_TIME = regex.compile(r"(\d{1,2})(?: ?([:.h]) ?(\d{2})(?::(\d{2}))?| ?(h))?")


def read_clock(text: str, known: Calendar, *, part: str = "") -> Clock | None:
    """Read a time of day: 14:30, 2.30 pm, 10h30, 14 Uhr, noon, half past ten.

    Args:
        text: the time, tidy.
        known: what is known of the letter.
        part: `am` or `pm`, where the other end of a range says it.
    """
    body = text
    while lead := regex.match(rf"{one_of('before')} ", body, regex.IGNORECASE):
        body = body[lead.end() :]
    sure = False
    for half in ("am", "pm"):
        if match := regex.fullmatch(rf"(.+?) ?{one_of('day_parts', half)}", body, regex.IGNORECASE):
            body, part, sure = match[1].rstrip(" ,"), half, True
            night = regex.search(r"night|nachts|noche|noite|notte|nuit", text, regex.IGNORECASE)
            part = "night" if night else part
            break
    suffix = regex.fullmatch(rf"(.+?) ?{one_of('clock')}(?: (\d\d))?", body, regex.IGNORECASE)
    if (noon := words()["noon"].get(body.casefold())) is not None:
        return None if sure else Clock(noon * 3600, look="{H:mm}")
    match = _TIME.fullmatch(body)
    if not match and suffix:
        body = suffix[1] + (f":{suffix[2]}" if suffix[2] else "")
        match = _TIME.fullmatch(body)
    if match and (match[2] or match[5] or suffix or part):
        hour, minute, second = int(match[1]), int(match[3] or 0), int(match[4] or 0)
        mark = match[2] or ("h" if match[5] else "")
        if match[4] and len(match[1]) == 1:  # a lap or a race rather than a time of day
            raise unreadable("time of day")
        if mark == "." and not (known.dotted or part or suffix):
            raise Fault("ambiguous_date", "is ambiguous: it may be a date or a time")
        counted = suffix and "clock" not in suffix[0]
        vague = (known.twelve or not match[2]) and match[1][0] != "0" and "h" not in mark and not counted
        padded = match[1][0] == "0" or (len(match[1]) == 2 and mark == ":")
        look = "{" + ("HH" if padded else "H") + (f"{mark}mm" if match[3] else mark) + "}"
        look += suffix[0][suffix.end(1) :] if suffix and not suffix[2] and not match[5] else ""
    elif spoken := _spoken(body, known.language) or (_spoken(suffix[1], known.language) if suffix else None):
        (hour, minute), second, vague, look = spoken, 0, True, "{H:mm}"
    else:
        return None
    if minute > 59 or second > 59 or hour > 24 or (hour == 24 and (minute or second)):
        raise Fault("unreadable", "is no time of the clock")
    if part:
        if hour > 12:
            return Clock(hour * 3600 + minute * 60 + second, look=look)
        if part == "night":
            hour = hour % 12 + (12 if 5 <= hour % 12 else 0)
        else:
            hour = hour % 12 + (12 if part == "pm" else 0)
        twelve = regex.search(r"[ap]\.?m\b\.?", text, regex.IGNORECASE)
        return Clock(hour * 3600 + minute * 60 + second, look=_twelve(look, twelve[0], text) if twelve else look)
    return Clock(hour % 24 * 3600 + minute * 60 + second, not (vague and 1 <= hour <= 12), look)


def _twelve(look: str, half: str, text: str) -> str:
    """Return the pattern of a time with its half of the day, as the letter writes it: `{h:mm| pm}`."""
    hour = "hh" if regex.search(r"(?<!\d)0\d", text) else "h"
    return f"{regex.sub('H+', hour, look[:-1])}|{' ' if f' {half}' in text else ''}{half}}}"


def _spoken(text: str, language: str) -> tuple[int, int] | None:
    """Return hour and minute of a spoken time: `half past ten`, `halb elf`."""
    for phrase, minutes in words()["spoken"].get(language, {}).items():
        pattern = regex.escape(phrase).replace(r"\{h\}", r"(?P<h>[\w-]+)").replace(r"\{m\}", r"(?P<m>[\w-]+)")
        if not (match := regex.fullmatch(pattern, text, regex.IGNORECASE)):
            continue
        hour = _small(match["h"], language)
        if "m" in match.groupdict():
            told = _small(match["m"], language)
            # "Nine to five" are working hours, no time of the clock.
            unsure = minutes == "-" and language == "en" and "minutes" not in phrase and told not in (20, 25)
            minutes = None if told is None or told > 59 or unsure else told if minutes == "+" else -told
        if hour is None or minutes is None or not 1 <= hour <= 12:
            return None
        whole = (hour * 60 + minutes) % 720 or 720
        return (whole // 60 or 12, whole % 60)
    hour = _small(text, language) if not text[:1].isdigit() else None
    return (hour, 0) if hour is not None and 1 <= hour <= 12 else None


def _small(text: str, language: str) -> int | None:
    if text.isdecimal():
        return int(text) if len(text) < 3 else None
    try:
        number = read_words(text, language)
    except Fault:
        return None
    return int(number) if number.denominator == 1 and number < 100 else None


def read_time(text: str, known: Calendar, *, birth: bool = False, bare_hours: bool = False) -> Value:
    """Read a date, a time, a date with a time, or a range of them.

    Raises:
        Fault: it cannot be read, or in two ways.
    """
    shown, text = text, tidy(text)
    if (value := _single(text, known, birth, bare_hours)) is not None:
        return replace(value, shown=shown)
    for match in regex.finditer(rf" ?(?<![\p{{L}}]){one_of('between')}(?!\p{{L}}) ?", text, regex.IGNORECASE):
        left, right = text[: match.start()].strip(), text[match.end() :].strip()
        if not left or not right:
            continue
        told = regex.match(rf"{one_of('from_to')} ", text, regex.IGNORECASE)
        span = _range(left, right, known)
        if span and isinstance(span.start, Day) and match[0].strip().casefold() in words()["both"] and not told:
            # Two days that follow each other are a range of two days.
            if not (isinstance(span.end, Day) and span.end.date - span.start.date == timedelta(days=1)):
                raise Fault("unreadable", "names two dates, not a range")
        if span is not None:
            return replace(span, shown=shown)
    raise unreadable("date or time")


def _single(text: str, known: Calendar, birth: bool = False, bare_hours: bool = False) -> Value | None:
    if match := regex.fullmatch(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)Z?", text):
        day, clock = read_day(match[1], known), read_clock(match[2], known)
        return Moment(day, clock) if day and clock else None
    military = regex.fullmatch(r"([01]\d|2[0-3])([0-5]\d)( ?(?:h|hrs|hours))?", text)
    # "1946" may be a year.
    if bare_hours and military and (military[3] or not _YEAR.fullmatch(military[0])):
        return Clock(int(military[1]) * 3600 + int(military[2]) * 60, look="{HHmm}")
    if bare_hours and (hour := regex.fullmatch(rf"(?:{one_of('before')} )?(\d\d?)", text, regex.IGNORECASE)):
        return read_clock(hour[1] + ":00", known._replace(twelve=True))
    if (clock := read_clock(text, known)) is not None and (bare_hours or not text.isalpha()):
        return clock
    if (found := read_day(text, known, birth=birth)) is not None:
        return found
    glue = regex.compile(r",? (?:at|um|à|a las|a la|alle|ore|om|às|as|o|kl\.?|godz\.?|klockan|-|–)? ?|, ?|T")
    for match in glue.finditer(text):
        day = read_day(text[: match.start()], known) if match.start() else None
        clock = read_clock(text[match.end() :], known) if day and day.known in ("day", "yearless") else None
        if day and clock:
            return Moment(day, clock)
    return None


def _range(left: str, right: str, known: Calendar) -> Span | None:
    """Read two ends; the first takes from the second what it leaves out."""
    left = regex.sub(rf"^{one_of('before')} ", "", left, flags=regex.IGNORECASE)
    end = _single(right, known)
    start: Value | None
    if isinstance(end, Day) and end.known in ("day", "yearless"):
        start = read_day(left, known, fill=end)
        if start is None or start.known not in ("day", "yearless") or start.known != end.known:
            return None
        if start.date > end.date:
            if end.known == "yearless":
                raise Fault("no_year", "is a range over the turn of a year, without its years")
            raise Fault("contradiction", "is a range that ends before it begins")
        return Span(start, end)
    if isinstance(end, Moment):
        start = _single(left, known)
        if isinstance(start, Clock):
            return Span(Moment(end.day, start), end)
        return Span(start, end) if isinstance(start, Moment) else None
    bare = right.isdecimal() and len(right) < 3
    if bare and (known.dotted and left.isdecimal() and len(left) < 3 or isinstance(_single(left, known), Clock)):
        end = read_clock(right + ":00", known._replace(twelve=True))
    if isinstance(end, Clock):
        half = regex.search(rf"{one_of('day_parts', 'am')}$|({one_of('day_parts', 'pm')})$", right, regex.IGNORECASE)
        said = ("pm" if half[1] else "am") if half else ""
        start = _single(left, known)
        if isinstance(start, Moment):
            return Span(start, Moment(start.day, end))
        plain = left + ":00" if left.isdecimal() and len(left) < 3 else left
        if said and not regex.search(rf"{one_of('day_parts')}$", left, regex.IGNORECASE):
            start = read_clock(plain, known, part=said)
            if isinstance(start, Clock) and start.seconds > end.seconds:
                start = read_clock(plain, known, part="am" if said == "pm" else "pm")
        elif not isinstance(start, Clock):
            start = read_clock(plain, known._replace(twelve=True))
        return Span(start, end) if isinstance(start, Clock) else None
    return None
