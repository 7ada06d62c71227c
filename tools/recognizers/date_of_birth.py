"""Dates of birth beside the words that announce them."""

import re

from gama.tools.recognizers._calendar import DAY, MONTH, NUMERIC_DATE, ORDINAL, WEEKDAY, YEAR
from gama.tools.recognizers._labels import Label, LabelRecognizer
from gama.tools.recognizers._text import RIGHT

# Any full or short date behind the label, also a day and month, or a year: 21/10/1996, 3 août 2003, 3.ix.1938,
# 17.12.'03,
# 19-NOV-1962, July 30, 1990, 14 May, 1931. Refuses: "born to", "born in Lima".
_DATE = re.compile(
    r"(?:in |am |le |el |den |dnia |the |il |em |w |on |about |around |circa "
    rf"|c\. ?)?(?P<v>{NUMERIC_DATE.replace('s1', 't1').replace('s2', 't2')}"
    rf"|(?:{WEEKDAY},? )?{DAY}{ORDINAL}[ -]{{0,2}}(?:of |de )?{MONTH}\.?(?:,? (?:de )?(?:{YEAR}|'?\d\d))?"
    rf"|{MONTH}\.? {DAY}(?:st|nd|rd|th)?(?:,? (?:{YEAR}|'?\d\d))?|{YEAR}年\d{{1,2}}月\d{{1,2}}日"
    rf"|(?<=the ){DAY}(?:st|nd|rd|th)|\d{{1,2}}[/.]\d{{1,2}}|{MONTH} {YEAR}|{YEAR}){RIGHT}(?!\.?\d)",
    re.IGNORECASE,
)

_WORDS = (
    "born", "born on", "b.", "dob", "d.o.b", "d.o.b.", "date of birth", "birth date", "birthdate", "birth_date",
    "date_of_birth",
    "birthday", "birthday is", "bday", "b-day", "year of birth", "geboren", "geboren am", "geb.", "geb", "geburtsdatum",
    "geburtstag", "né le", "née le", "né(e) le", "né en", "née en", "date de naissance", "nacido el", "nacida el",
    "nacido",
    "nacida", "fecha de nacimiento", "nato il", "nata il", "nato a", "data di nascita", "nascido em", "nascida em",
    "data de nascimento", "geboortedatum", "urodzony", "urodzona", "ur.", "data urodzenia", "född", "født", "syntynyt",
    "fødselsdato", "födelsedatum", "дата рождения", "родился", "родилась", "出生日期", "生年月日", "생년월일",
    "doğum tarihi",
    "né(e) le/born", "b0rn",
)  # fmt: skip


def date_of_birth_recognizer() -> LabelRecognizer:
    """Return the recognizer of dates of birth."""
    return LabelRecognizer("date_of_birth", (Label(_WORDS, _DATE, "date_of_birth", 0.95, filler=True),), priority=3)
