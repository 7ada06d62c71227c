"""Dates in running text: found, read as formulas read them, and written anew in the notation they stand in.

Right, or not read at all. What shares a month or a year is one piece (`12 to 16 May 2025`, `May 12, 19 and 26, 2025`,
`28.04.–03.05.2025`): none of it is ever moved alone.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import lru_cache
from typing import NamedTuple

import regex

from gama.tools.formulas.dates import Calendar, read_day
from gama.tools.formulas.reading import Reader
from gama.tools.formulas.values import Context, Day, Fault, PrivateValue
from gama.tools.formulas.words import LANGUAGES, calendar, tidy, words
from gama.tools.formulas.writing import Writer

LONGEST = 120
"""The most characters of a piece."""
_MOST = 6
"""The most days of a piece."""
_OR = ("or", "oder", "ou", "o", "of", "lub", "eller")
_NUMERIC = regex.compile(r"(?<![\d/.-])\d{1,2}[/-]\d{1,2}[/-](?:\d{4}|\d\d)(?![\d/-])")
_CLOCK = regex.compile(r"\d{1,2}(?:[:.h]\d\d(?::\d\d)?| ?h\b| ?[ap]\.?m\b| ?Uhr\b| ?o'clock\b)", regex.IGNORECASE)


class Piece(NamedTuple):
    """A stretch of a text that is a date, or several with a month or year in common."""

    start: int
    end: int
    form: str
    """`one`, `shared` (month and year), `shared_first` (the month stands first), `pair` (the year), `month`, `year`."""
    whole: tuple[str, ...]
    """Each of the dates as it would stand alone."""
    between: tuple[str, ...]
    """What stands between them."""
    tail: str = ""
    """Of a pair: what the first one leaves out."""


class Notation(NamedTuple):
    """What is known of how a text writes dates."""

    locale: str
    day_first: bool | None


def notation(texts: Iterable[str], locale: str) -> Notation:
    """Return what texts with dates in them tell of their notation, as `Reader` judges it."""
    numeric = dict.fromkeys(match[0] for text in texts for match in _NUMERIC.finditer(tidy(text)))
    values = {str(n): PrivateValue(text, "date") for n, text in enumerate(numeric)}
    return Notation(locale, Reader(values, Context(locale)).calendar.day_first)


def pieces(text: str, locale: str, start: int = 0, end: int | None = None) -> Iterator[Piece]:
    """Yield the dates in a stretch of a text, left to right."""
    grammar, end = _grammar(locale[:2]), len(text) if end is None else end
    at = start
    while begun := grammar.begin.search(text, at, end):
        at = begun.start()
        stop = min(end, at + LONGEST)
        found = [match for form in grammar.forms.items() if (match := _match(form, text, at, stop))]
        best = max(found, key=lambda piece: piece.end, default=None)
        if best is not None:
            yield best
        at = best.end if best is not None else max(begun.end(), at + 1)


def open_at(text: str, locale: str, start: int = 0) -> int:
    """Return where the earliest piece may begin that goes on behind the end of a text; its length if none does."""
    grammar = _grammar(locale[:2])
    first = max(start, len(text) - LONGEST)
    opened = len(text)
    tokens = list(grammar.token.finditer(text, first))
    for n, token in enumerate(reversed(tokens)):
        told = token[0].casefold()
        if told[0].isalpha():
            known = told in grammar.words or (n == 0 and told in grammar.beginnings)
            if not known:
                break
        elif told[0].isdigit():
            if len(told) > 4:
                break
        elif told[0] not in " \u00a0\u202f,.–—-/&:ºª°":
            break
        if told[0].isalnum():
            opened = token.start()
    return opened


class Read(NamedTuple):
    """A date that was read, the language it is written in, and whether all of it is in small letters."""

    day: Day
    language: str
    small: bool = False


@lru_cache(maxsize=4096)
def read(text: str, known: Notation, anchors: tuple[date, ...] = ()) -> Read | None:
    """Read one date; None where that is not certain.

    Args:
        text: the date.
        known: the notation.
        anchors: full dates by which one without year is placed.
    """
    plain, alike = tidy(text), list[Read]()
    for language in dict.fromkeys((known.locale, *LANGUAGES)):
        try:
            day = read_day(plain, Calendar(language[:2], known.day_first, anchors=anchors, dotted=False))
        except Fault:
            return None
        # What comes out as it stands was understood whole.
        shown = _shown(day, plain, language) if day is not None else None
        if day is None or shown is None:
            continue
        found = Read(day, language, plain.islower() and not shown.islower())
        if _level(shown) == plain or language == known.locale:
            return found
        alike.append(found)
    return alike[0] if alike else None


def _shown(day: Day, plain: str, language: str) -> str | None:
    """Return a date as a language writes it, if that is how it stands."""
    others = [day.date]
    if day.known == "yearless" and "{E" in (day.look or ""):
        # The weekday belongs to a year that is not known.
        others = [
            day.date.replace(year=year) for year in range(2001, 2029) if (day.date.month, day.date.day) != (2, 29)
        ]
    told = (_writer(language).write(replace(day, date=one, known="day")) for one in others)
    return next((shown for shown in told if _level(shown).casefold() == _level(plain).casefold()), None)


def _level(text: str) -> str:
    """Return a date with the one month that is cut short in two ways cut in one."""
    return regex.sub(r"\bSept\b", "Sep", text)


def days_of(piece: Piece, known: Notation, anchors: tuple[date, ...] = ()) -> tuple[Read, ...] | None:
    """Return the days of a piece in their order; None where one cannot be read with certainty."""
    found = [read(one, known, anchors) for one in piece.whole]
    if any(one is None for one in found):
        return None
    told = tuple(one for one in found if one is not None)
    if piece.form == "pair" and told[0].day.date > told[1].day.date and told[0].day.known == "day":
        # Over the turn of a year.
        year = str(told[1].day.date.year)
        before = piece.whole[0].replace(year, str(int(year) - 1))
        first = read(before, known, anchors) if year in piece.tail else None
        told = (first, told[1]) if first is not None else ()
    ordered = all(one.day.date < two.day.date for one, two in zip(told, told[1:], strict=False))
    return told if told and ordered else None


def written(piece: Piece, told: Sequence[Read], days: Sequence[date]) -> str | None:
    """Return a piece with other days in its notation; None where they could not be read back.

    Args:
        piece: the piece.
        told: its own days, as `days_of` gives them.
        days: as many others.
    """
    looks = [one.day.look or "" for one in told]
    out = [_write(one, look, day) for one, look, day in zip(told, looks, days, strict=True)]
    alike = all((day.year, day.month) == (days[-1].year, days[-1].month) for day in days)
    if piece.form == "one":
        return out[0]
    if piece.form == "pair" and days[0].year == days[1].year:
        year = regex.sub(r"\d{4}", "{y}", piece.tail)
        return _write(told[0], looks[0].removesuffix(year), days[0]) + piece.between[0] + out[1]
    if piece.form == "pair" or not alike:
        between = [
            f" {sep.strip()} " if sep.strip() in "–—-" and " " in out[-1] else sep.lstrip(".") for sep in piece.between
        ]
        return "".join(f"{one}{sep}" for one, sep in zip(out, [*between, ""], strict=True))
    cut = [look.index("{d") for look in looks]
    ends = [look.index("}", at) + 1 for look, at in zip(looks, cut, strict=True)]
    heads = [_write(told[0], looks[0][: cut[0]], days[0])] if piece.form == "shared_first" else [""]
    begins = cut if piece.form == "shared_first" else [0] * len(cut)
    numbers = [
        _write(one, look[a:b], day) for one, look, a, b, day in zip(told, looks, begins, ends, days, strict=True)
    ]
    joined = "".join(f"{one}{sep}" for one, sep in zip(numbers, [*piece.between, ""], strict=True))
    return heads[0] + joined + _write(told[-1], looks[-1][ends[-1] :], days[-1])


def has_year(one: Read) -> bool:
    """Return whether a date is written with its day, month and year."""
    return one.day.known == "day" and "{y" in (one.day.look or "")


def moved(text: str, known: Notation, weeks: int, *, birth: bool = False) -> str | None:
    """Return a text that is a date, or has some in it, with all of them moved by whole weeks.

    None where anything in it is not a full date, or could not be read back as the day that is meant.

    Args:
        text: the text.
        known: the notation.
        weeks: by how many.
        birth: whether it is a date of birth: two digits of a year do not tell it.
    """
    out, at, rest = [], 0, ""
    for piece in pieces(text, known.locale):
        told = days_of(piece, known)
        if told is None or not all(map(has_year, told)) or (birth and any("{yy}" in (o.day.look or "") for o in told)):
            return None
        others = [one.day.date + timedelta(weeks=weeks) for one in told]
        made = written(piece, told, others)
        if made is None or made.casefold() == text[piece.start : piece.end].casefold():
            return None
        again = [days_of(one, known) for one in pieces(made, known.locale)]
        if [one.day.date for some in again for one in some or ()] != others or None in again:
            return None
        out += [text[at : piece.start], made]
        rest += text[at : piece.start] + " "
        at = piece.end
    rest += text[at:]
    if not out or regex.search(r"\d", _CLOCK.sub("", rest)) or _grammar(known.locale[:2]).month.search(rest):
        return None
    return "".join([*out, text[at:]])


def full_days(text: str, known: Notation) -> set[date]:
    """Return the days that the full dates of a text name."""
    return {
        one.day.date
        for piece in pieces(text, known.locale)
        if piece.form not in ("month", "year")
        for one in days_of(piece, known) or ()
        if has_year(one)
    }


def _write(one: Read, look: str, day: date) -> str:
    if not look:
        return ""
    text = _writer(one.language).write(Day(day, "day", look))
    return text.lower() if one.small else text


@lru_cache
def _writer(language: str) -> Writer:
    return Writer(Reader({}, Context(language)))


class _Grammar(NamedTuple):
    """How dates are found in a language and the ten others."""

    forms: dict[str, "regex.Pattern[str]"]
    begin: "regex.Pattern[str]"
    """Where one may begin."""
    month: "regex.Pattern[str]"
    token: "regex.Pattern[str]"
    words: frozenset[str]
    beginnings: frozenset[str]


@lru_cache
def _grammar(language: str) -> _Grammar:
    months, days = calendar("months", language), calendar("days", language)
    named = [name for name in months if name[0].isalpha()]
    joins = sorted({*(word for word in words()["between"] if word[0].isalpha()), *_OR}, key=len, reverse=True)
    space = r"[ \u00a0\u202f]"
    number = r"\d{1,2}(?:st|nd|rd|th|er|º|ª|°|:a|:e|\.)?(?![\d:%€$£])"
    # In small letters, English words (`may`, `march`) are months only beside a year.
    month = rf"(?:{_either(named)})\.?(?!\p{{L}})"
    day = _either(name for name in days if name[0].isalpha())
    weekday = rf"(?:(?:{day})\.?,?{space}(?:(?:the|den|dem|der|el|le|il){space})?)?"
    of = rf"(?:{space}(?:of|de|del|di))?{space}?"
    tail = rf"(?:,?{space}(?:(?:de|del|of){space})?(?P<y>\d{{4}}))"
    word = rf"{space}(?:{_either(joins)})(?:{space}(?:the|den|le|el|al|il))?{space}"
    dash = rf"{space}?[–—-]{space}?"
    last = rf"(?:{word}|{dash}|,{space}?(?:{_either(joins)}){space}|{space}?[/&]{space}?)"
    many = rf"(?P<n>{weekday}{number})(?:(?P<s>,{space})(?P<n>{weekday}{number})){{0,{_MOST - 2}}}"
    many += rf"(?P<s>{last})(?P<n>{weekday}{number})"
    roman = r"(?:X|XI|XII|IX|VIII|VII|VI|V|IV|III|II|I)(?!\p{L})"
    front = r"(?<![\p{L}\p{N}_/=&#%])(?<!\p{N}[:.,/-])"
    back = r"(?![\p{L}\p{N}_%])(?![/-]\p{N})(?!\.\p{N})"
    iso_back = rf"(?:{back}|(?=T(?:\d\d:|<)))"
    two = r"\d{1,2}"
    bodies = {
        "one": [
            rf"{weekday}{number}{of}{month}{tail}{back}",
            rf"{weekday}{two}{space}{roman}{space}(?P<y>\d{{4}}){back}",
            rf"{weekday}{month}{space}{number},?{space}(?P<y>\d{{4}}){back}",
            rf"{weekday}\d{{4}}(?P<k>[-/.]){two}(?P=k){two}{iso_back}",
            rf"{weekday}{two}(?P<k>[-/.]){two}(?P=k)(?:\d{{4}}|\d\d){back}",
            rf"{weekday}{number}{of}{month}{back}",
            rf"{weekday}{month}{space}{number}{back}",
        ],
        "shared": [
            rf"{many}(?P<t>{of}{month}{tail}?){back}",
            rf"(?P<n>{two})(?P<s>\.?{dash}|\.?{word})(?P<n>{two})(?P<t>(?P<k>[./])\d{{1,2}}(?P=k)\d{{4}}){back}",
        ],
        "shared_first": [rf"(?P<h>{weekday}{month}{space}){many}(?P<t>(?:,?{space}(?P<y>\d{{4}}))?){back}"],
        "pair": [
            rf"(?P<n>{weekday}{number}{of}{month})(?P<s>{last})(?P<n>{weekday}{number}{of}{month}(?P<t>{tail}?)){back}",
            rf"(?P<n>{weekday}{month}{space}{number})(?P<s>{last})"
            rf"(?P<n>{weekday}{month}{space}{number}(?P<t>(?:,?{space}(?P<y>\d{{4}}))?)){back}",
            rf"(?P<n>{two}\.{two}\.)(?P<s>{dash}|{word})(?P<n>{two}\.{two}\.(?P<t>\d{{4}})){back}",
            rf"(?P<n>{two}/{two})(?P<s>{dash}|{word})(?P<n>{two}/{two}(?P<t>/\d{{4}})){back}",
        ],
        "month": [rf"{month}(?:{space}(?:de|del|of))?{space}(?P<y>\d{{4}}){back}"],
        "year": [rf"(?:1[5-9]|2[01])\d\d{back}(?![.,]\d)(?!{space}?[€$£%])"],
    }
    forms = {
        f"{form} {n}": regex.compile(body, regex.IGNORECASE | regex.V0)
        for form, some in bodies.items()
        for n, body in enumerate(some)
    }
    known = frozenset({*named, *(name for name in days if name[0].isalpha()), *" ".join(joins).split()}) | {
        *"the den dem der el le il al of de del di st nd rd th er a e x xi xii ix viii vii vi v iv iii ii i".split()
    }
    return _Grammar(
        forms,
        regex.compile(rf"{front}(?=\d|\p{{L}})[\p{{L}}\p{{N}}]+"),
        regex.compile(rf"(?<!\p{{L}}){month}", regex.IGNORECASE),
        regex.compile(r"[\p{L}\p{M}'’]+|\d+|(?s:.)"),
        known,
        frozenset(name[:length] for name in known for length in range(1, len(name) + 1)),
    )


def _either(names: Iterable[str]) -> str:
    return "|".join(regex.escape(name) for name in sorted(set(names), key=len, reverse=True))


def _match(form: tuple[str, "regex.Pattern[str]"], text: str, at: int, stop: int) -> Piece | None:
    match = form[1].match(text, at, stop)
    if match is None:
        return None
    kind, told = form[0].partition(" ")[0], match.capturesdict()
    yearless = not told.get("y") and not regex.search(r"\d{4}|\d[./-]\d", match[0])
    if kind != "year" and yearless and regex.search(r"(?<!\p{L})(?:may|march|mar|set|dec)(?!\p{L})", match[0]):
        return None
    if kind in ("one", "month", "year"):
        return Piece(*match.span(), kind, (match[0],), ())
    numbers, between, tail = told["n"], tuple(told["s"]), told["t"][-1]
    if kind == "pair":
        first = numbers[0] + (tail if tail else "")
        return Piece(*match.span(), kind, (first, numbers[1]), between, tail)
    head = told["h"][0] if kind == "shared_first" else ""
    return Piece(*match.span(), kind, tuple(f"{head}{one}{tail}" for one in numbers), between)
