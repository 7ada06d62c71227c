"""Another date, written alike."""

import re
from datetime import date
from random import Random

_MONTHS = (
    "january february march april may june july august september october november december".split(),
    "jan feb mar apr may jun jul aug sep oct nov dec".split(),
    "januar februar märz april mai juni juli august september oktober november dezember".split(),
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split(),
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split(),
)

# Accepts 2024-03-12, 12.03.2024, 12/3/2024, 3/12/2024: three numbers, one of four digits at either end, one separator.
_NUMBERS = re.compile(r"^(\D*?)(\d{1,4})([-./])(\d{1,2})\3(\d{1,4})(\D*)$")


def another_date(surface: str, random: Random) -> str | None:
    """Return a date of the same decade in the same writing; None where the writing is not understood."""
    if match := _NUMBERS.match(surface):
        return _numeric(match, random)
    years = re.findall(r"(?<!\d)(?:19|20)\d\d(?!\d)", surface)
    if len(years) != 1:
        return None
    other = _in_decade(int(years[0]), random)
    for names in _MONTHS:
        for word in re.findall(r"[^\W\d_]+", surface):
            if word.casefold() in names:
                return _worded(surface, word, names, years[0], other)
    return None


def _in_decade(year: int, random: Random) -> date:
    # Days up to 28 are in every month.
    return date(year // 10 * 10 + random.randrange(10), random.randrange(1, 13), random.randrange(1, 29))


def _numeric(match: "re.Match[str]", random: Random) -> str | None:
    before, first, sign, second, third, after = match.groups()
    if len(first) == 4:
        other = _in_decade(int(first), random)
        parts = (f"{other.year}", _padded(other.month, second), _padded(other.day, third))
    elif len(third) == 4:
        other = _in_decade(int(third), random)
        # Where the day stands is told by a number above 12 only; below, both readings stay right.
        day_first = int(first) > 12 or int(second) <= 12
        one, two = (other.day, other.month) if day_first else (other.month, other.day)
        if int(first) <= 12 and int(second) <= 12:
            one = 1 + (one - 1) % 12
        parts = (_padded(one, first), _padded(two, second), f"{other.year}")
    else:
        return None
    return f"{before}{sign.join(parts)}{after}"


def _worded(surface: str, word: str, names: list[str], year: str, other: date) -> str | None:
    month = names[other.month - 1]
    month = month.upper() if word.isupper() else month.capitalize() if word[:1].isupper() else month
    out = surface.replace(year, "\0", 1)
    days = re.findall(r"(?<!\d)\d{1,2}(?!\d)", out)
    if len(days) > 1:
        return None
    if days:
        out = re.sub(
            rf"(?<!\d){days[0]}(st|nd|rd|th)?(?!\d)", lambda found: _day(other.day, found, days[0]), out, count=1
        )
    return out.replace(word, month, 1).replace("\0", str(other.year), 1)


def _day(day: int, found: "re.Match[str]", like: str) -> str:
    if not found[1]:
        return _padded(day, like)
    ending = "th" if 10 < day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{ending}"


def _padded(number: int, like: str) -> str:
    return f"{number:02d}" if like.startswith("0") or (len(like) == 2 and number > 9) else str(number)
