"""Reads numbers, money, percentages and measures as letters write them: right, or refused."""

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import regex

from gama.tools.formulas.values import Amount, Fault, Look
from gama.tools.formulas.words import calendar, data, duration_words, meanings, one_of, tidy, unit_names, words

# Digits with marks between them. Accepts 1,234.50, 1.234,50, 1'234, 1 234,5, 1,23,456 and .5; what the marks mean is
# decided afterwards.
DIGITS = r"(?:\d+(?:[.,' ]\d+)*|[.,]\d+)"


# A price for each unit or thing: `€0.32/kWh`, `Rs 640 per plate`, `£3.20 a kilo`. Behind an article only a unit counts.
_EACH = regex.compile(
    r"(?P<price>.*\S) ?(?:(?:/|\b(?:per|pro|par|por|je|za|each)\b) ?(?P<thing>\p{L}[\p{L}²³/23]{0,20})"
    r"|\b(?:an?|al|la|il|el|le|der|das|au|voor een|het) (?P<unit>\p{L}[\p{L}²³23]{0,20}))\.?",
    regex.IGNORECASE,
)


class Marks(NamedTuple):
    """What is known of a letter's numbers."""

    decimal: str | None
    """The mark before decimals; None where the letter does not tell."""
    language: str = "en"


class Read(NamedTuple):
    """A number as read, with how it was written."""

    number: Fraction
    decimal: str = ""
    group: str = ""
    decimals: int = 0


def unreadable(what: str = "number") -> Fault:
    """Return the fault of a value that is not written as such values are."""
    return Fault("unreadable", f"cannot be read as a {what}")


def read_digits(text: str, marks: Marks) -> Read:
    """Read a number in digits.

    Raises:
        Fault: the marks contradict each other, or the only one may be a decimal mark or group thousands.
    """
    signs = [sign for sign in text if not sign.isdigit()]
    if not signs:
        return Read(Fraction(text))
    last, before = signs[-1], signs[:-1]
    tail = text.rpartition(last)[2]
    decimal = ""
    if last in ".," and last not in before:
        head = text.rpartition(last)[0]
        if before or len(tail) != 3 or head in ("", "0") or len(head) > 3:
            decimal = last
        elif marks.decimal in (None, last):
            # Three decimals are as rare as a letter that groups thousands by its decimal mark.
            raise Fault("ambiguous_number", f"is ambiguous: {last!r} may stand before decimals or between thousands")
    whole = text.rpartition(decimal)[0] if decimal else text
    group = next((sign for sign in whole if not sign.isdigit()), "")
    if group:
        parts = whole.split(group)
        if not all(part.isdecimal() for part in parts) or len(parts[-1]) != 3 or not 1 <= len(parts[0]) <= 3:
            raise unreadable()
        middle = {len(part) for part in parts[1:-1]}
        # Thousands, or the Indian lakhs and crores.
        if not (middle <= {3} or (group == "," and middle <= {2} and len(parts[0]) <= 2)):
            raise unreadable()
        if parts[0].startswith("0"):
            raise unreadable()
    digits = "".join(sign for sign in whole if sign.isdigit()) or "0"
    if not decimal:
        return Read(Fraction(digits), "", group)
    return Read(Fraction(f"{digits}.{tail}"), decimal, group, len(tail))


@lru_cache
def _few() -> dict[str, dict[str, int]]:
    """Return small numbers in words by language, for languages that the library does not know."""
    lists = dict(line.split("\t") for line in data("numerals.tsv").splitlines() if line and not line.startswith("#"))
    return {language: {word: at + 1 for at, word in enumerate(all_of.split())} for language, all_of in lists.items()}


def read_words(text: str, language: str) -> Fraction:
    """Read a number in words, such as `two hundred and forty` or `fünfundzwanzig`."""
    from text_to_num import text2num

    text = text.casefold().strip()
    half = regex.fullmatch(r"(?:(.+?) )?(?:and )?(?:a )?half", text) if language == "en" else None
    if half:
        told = (half[1] or "").removesuffix(" and")
        whole = Fraction(told) if told.isdecimal() else read_words(told, language) if told else Fraction(0)
        return whole + Fraction(1, 2)
    for tongue in dict.fromkeys((language, "en")):
        if text in (one := _few().get(tongue, {})):
            return Fraction(one[text])
        try:
            bare = regex.sub(r"^(?:a|an) (?=hundred|thousand|million)", "one ", text) if tongue == "en" else text
            return Fraction(text2num(bare, tongue))
        except ValueError:
            continue
    raise unreadable()


def read_number(text: str, marks: Marks) -> Read:
    """Read a number in digits or words, with a word of scale: `26.4k`, `1,2 Mio.`, `fifty thousand`."""
    text = text.strip()
    sign = -1 if text.startswith("-") else 1
    text = text.removeprefix("-").removeprefix("+").strip()
    if match := regex.fullmatch(DIGITS, text):
        read = read_digits(text, marks)
    elif match := regex.fullmatch(rf"({DIGITS}) ?(½|1⁄2|{one_of('scale')}|mil|billion)", text):
        if match[2] in ("½", "1⁄2"):
            return Read((Fraction(match[1]) + Fraction(1, 2)) * sign)
        known = {"mil": 1000 if marks.language in ("es", "pt") else None} | {
            "billion": 10**9 if marks.language == "en" else None
        }
        scale = known[match[2]] if match[2] in known else int(meanings("scale")[match[2].casefold()])
        if scale is None:
            raise unreadable()
        read = read_digits(match[1], marks)
        read = Read(read.number * scale, read.decimal, read.group)
    else:
        read = Read(read_words(text, marks.language))
    return read._replace(number=read.number * sign)


def read_amount(text: str, marks: Marks) -> Amount:
    """Read a number with whatever unit it has; everything that is written must have been understood.

    Raises:
        Fault: it cannot be read, or in two ways.
    """
    try:
        return _amount(text, marks)
    except Fault as fault:
        if fault.code != "unreadable":
            raise
        first = fault
    bare = regex.sub(rf"^{one_of('exact')} ", "", tidy(text), flags=regex.IGNORECASE)
    bare = regex.sub(rf"(?<=\w\W{{0,2}}) {one_of('beside')}(?!\w)", "", bare, flags=regex.IGNORECASE)
    if match := regex.fullmatch(rf"(\d{{1,3}}) ?-?{one_of('times')}", bare, regex.IGNORECASE):
        return Amount(Fraction(match[1]), shown=text)
    if bare != tidy(text):
        return replace(_amount(bare, marks), shown=text)
    return replace(_things(bare, marks, first), shown=text)


@lru_cache
def _no_things(language: str) -> frozenset[str]:
    """Return words behind a number that mean a time, a unit, money or a part of it."""
    found = {*duration_words(language), *(name.casefold() for name in unit_names()), *calendar("months", language)}
    groups = ("currency", "scale", "period", "day_parts")
    found |= {word.casefold() for group in groups for words_ in words()[group].values() for word in words_}
    lists = (words()[group] for group in ("percent", "clock", "no_things", "times", "age"))
    return frozenset(found | {*calendar("days", language), *(word.casefold() for some in lists for word in some)})


def _things(text: str, marks: Marks, fault: Fault) -> Amount:
    """Read how many things there are: `fifteen sessions`, `34.5 ECTS`; what is counted is the unit."""
    if match := regex.fullmatch(rf"(\S+) {one_of('working_days')}", text, regex.IGNORECASE):
        thing, number = "working days", match[1]
    elif match := regex.fullmatch(r"(\S+(?: \S+){0,2}?) (\p{L}{3,}|mm\p{L}+/\p{L}|\p{L}{2}/\p{L}{1,2})\.?", text):
        thing, number = match[2].casefold(), match[1]
        if thing.rstrip(".") in _no_things(marks.language):
            raise fault
    else:
        raise fault
    try:
        read = read_number(number, marks)
    except Fault as other:
        raise other if other.code != "unreadable" else fault from None
    return Amount(read.number, thing, look=_look(read, "", text[len(number) :]))


def _amount(text: str, marks: Marks) -> Amount:
    shown, text = text, tidy(text)
    per = ""
    # "a month" after a space, "/month" and "pm" after a digit.
    if match := regex.fullmatch(rf"(.*?\S) ?(?:(?<!\p{{L}})|(?=/))({one_of('period')})", text, regex.IGNORECASE):
        text, per = match[1], meanings("period")[match[2].casefold()]
    if not per and (match := _EACH.fullmatch(text)):
        word = match["thing"] or match["unit"]
        thing = word.casefold() if match["thing"] else ""
        if each := _unit_name(word) or (thing if thing not in _no_things(marks.language) else ""):
            price = _amount(match["price"], marks)
            if price.money and not price.per and not price.each:
                return replace(price, each=each, shown=shown)
    if match := regex.fullmatch(rf"(.*?\S) ?({one_of('percent')})", text, regex.IGNORECASE):
        read = read_number(match[1], marks)
        return Amount(read.number, "%", per, _look(read, "", text[match.end(1) :]), shown=shown)
    if feet := _feet(text):
        return Amount(feet, "ft", shown=shown)
    if match := regex.fullmatch(r"(\d) ?m ?(\d\d)(?: cm)?", text):
        return Amount(
            Fraction(f"{match[1]}.{match[2]}"), "m", look=Look("", " m", marks.decimal or ".", "", 2), shown=shown
        )
    if match := regex.fullmatch(rf"(.*?[\d\p{{L}}]) ?({one_of('hundredth')})", text, regex.IGNORECASE):
        return Amount(
            read_number(match[1], marks).number / 100, meanings("hundredth")[match[2].casefold()], per, shown=shown
        )
    if marks.language == "en" and (match := regex.fullmatch(r"(\d[\d.,]*)p", text)):
        return Amount(read_number(match[1], marks).number / 100, "GBP", per, shown=shown)
    if marks.language == "de" and (match := regex.fullmatch(r"(.*?\d) ?Cent", text)):
        return Amount(read_number(match[1], marks).number / 100, "EUR", per, shown=shown)
    unit, before, after, number = _currency(text)
    if not unit:
        match = regex.fullmatch(
            rf"(.*?[\d\w]) ?({'|'.join(map(regex.escape, _by_length()))})\.?", text, regex.IGNORECASE
        )
        if match and (name := _unit_name(match[2])) and (regex.search(r"\d$", match[1]) or text[match.end(1)] == " "):
            unit, number, after = name, match[1], text[match.end(1) :]
    elif match := regex.fullmatch(rf"({DIGITS}) ?[mM]", number):
        number = f"{match[1]} million"
        return Amount(read_digits(match[1], marks).number * 10**6, unit, per, Look(before, after), shown=shown)
    read = read_number(number, marks)
    return Amount(read.number, unit, per, _look(read, before, after), shown=shown)


def _look(read: Read, before: str, after: str) -> Look:
    return Look(before, after, read.decimal, read.group, read.decimals)


@lru_cache
def _by_length() -> list[str]:
    return sorted(unit_names(), key=len, reverse=True)


def _unit_name(text: str) -> str | None:
    """Return the unit of a name; single letters and signs mean it in their own case only."""
    return unit_names().get(text) or (unit_names().get(text.casefold()) if len(text) > 1 else None)


def _feet(text: str) -> Fraction | None:
    """Read a height in feet and inches, such as `5'9` or `6 ft 2 in`."""
    match = regex.fullmatch(r"(\d{1,2}) ?(?:'|ft|foot|feet) ?(?:(\d{1,2}) ?(?:\"|''|in|ins|inches)?)?", text)
    if match and int(match[2] or 0) < 12:
        return int(match[1]) + Fraction(int(match[2] or 0), 12)
    return None


def _currency(text: str) -> tuple[str, str, str, str]:
    """Return the unit of an amount of money, what stands before and behind the number, and the number."""
    from babel.numbers import list_currencies

    sign = f"{one_of('currency')}|[A-Z]{{3}}"
    match = regex.fullmatch(rf"(-? ?)({sign})( ?)(-? ?[\d.,].*)", text, regex.IGNORECASE)
    if match and (code := _code(match[2], list_currencies())):
        number = match[1].strip() + regex.sub(r"[.,][–—-]+$", "", match[4]).strip()
        return code, match[2] + match[3], "", number
    match = regex.fullmatch(rf"(.*?[\d\p{{L}}.–—-])( ?)({sign})", text, regex.IGNORECASE)
    if match and (code := _code(match[3], list_currencies())):
        if match[2] or not match[1][-1].isalpha() or not match[3][0].isalpha():
            return code, "", match[2] + match[3], regex.sub(r"[.,][–—-]+$", "", match[1]).strip()
    return "", "", "", text


def _code(sign: str, codes: set[str]) -> str | None:
    known = meanings("currency").get(sign.casefold())
    return known or (sign if sign in codes else None)
