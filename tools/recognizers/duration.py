"""Simple durations: a number and a unit of time."""

import re

from gama.tools.recognizers._patterns import Pattern, PatternRecognizer
from gama.tools.recognizers._text import LEFT, RIGHT

_UNIT = (
    r"(?:years?|yrs?|months?|mths?|weeks?|wks?|days?|nights?|hours?|hrs?|minutes?|mins?|seconds?"
    r"|decades?|jahren?|jahre|monate?n?|wochen?|"
    r"tagen?|tage|stunden?|minuten?|ans|années|mois|semaines?|jours?|heures?|años?|meses|mes"
    r"|semanas?|días?|horas?|minutos?|anni|mesi|"
    r"settimane|giorni|ore|anos|dias|jaren|jaar|maanden|weken|dagen|uren|uur|lata?|miesiące"
    r"|miesięcy|tygodni|dni|godzin)"
)


def duration_recognizer() -> PatternRecognizer:
    """Return the recognizer of durations; context decides whether one is private."""
    # Accepts: 3 yrs, 11.5 days, fifteen years, 2h 30m, six and a half years. Refuses: "5 years old" and "5-year-old"
    # (an age).
    words = (
        r"(?:(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-(?:one|two|three|four"
        r"|five|six|seven|eight|nine))?|two|three|four|"
        r"five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen"
        r"|eighteen|nineteen)(?: and a half)?"
    )
    return PatternRecognizer(
        "duration",
        (
            Pattern(
                re.compile(
                    rf"(?<![\d.,:/-])(?P<v>\d{{1,4}}(?:[.,]\d{{1,2}})?(?: ?- ?\d{{1,3}})?[ -]?{_UNIT})"
                    rf"(?![ -](?:old|of age|ago)){RIGHT}"),
                "duration", 0.5, lower=True, number=True,
            ),
            Pattern(
                re.compile(
                    rf"{LEFT}(?P<v>{words} (?:years?|months?|weeks?|days?|nights?|hours?|minutes"
                    rf"|decades))(?! (?:old|of age|ago)){RIGHT}"),
                "duration", 0.45, lower=True, needs=("year", "month", "week", "day", "night", "hour", "minute",
                "decade"),
            ),
            # Accepts: 2h30m, 1d 4h, 45m 10s (PII-Bench: digits and d/h/m/s). Refuses: one lone letter unit (5m is a
            # length).
            Pattern(
                re.compile(rf"(?P<v>\d{{1,3}}[dh] ?\d{{1,2}}[hm](?: ?\d{{1,2}}s)?|\d{{1,3}}m ?\d{{1,2}}s){RIGHT}"),
                "duration", 0.6, lower=True, number=True,
            ),
        ),
        priority=-1,
    )  # fmt: skip
