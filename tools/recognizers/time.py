"""Times of day; whether one is private, the context decides."""

import re

from gama.tools.recognizers._patterns import Pattern, PatternRecognizer
from gama.tools.recognizers._text import LEFT, RIGHT


def time_recognizer() -> PatternRecognizer:
    """Return the recognizer of clock times. The expressions run on the text in lower case."""
    clock = r"(?:[01]?\d|2[0-3])[:.h][0-5]\d(?::[0-5]\d(?:[.,]\d{1,6})?)?"
    zone = r"(?: ?(?:z|utc|gmt|cest|cet|est|edt|cst|cdt|pst|pdt|bst|ist|jst|msk)(?:[+-]\d{1,2})?| ?[+-]\d{2}:?\d{2})?"
    half = r" ?(?:a\.m\.|p\.m\.|am|pm|uhr|heures|hrs)"
    return PatternRecognizer(
        "time",
        (
            # Accepts: 2024-11-05T08:52:11Z and 2024-11-05 08:52 as one. Refuses: dates alone.
            Pattern(
                re.compile(rf"\d{{4}}-\d\d-\d\d[t ]\d\d:\d\d(?::\d\d(?:[.,]\d{{1,9}})?)?{zone}{RIGHT}"),
                "time", 0.85, lower=True, number=True, needs=(":",),
            ),
            # Accepts: 14:02, 22:47:31, 6:30pm, 08:00-17:00, 9:30 GMT, 07 h 00. Refuses: 1:0, verse 3:16:2:1, ports,
            # ratios 16:9.
            Pattern(
                re.compile(
                    r"(?<![\d.:/,-])(?P<v>(?:[01]?\d|2[0-3])(?::"
                    rf"| h )[0-5]\d(?::[0-5]\d(?:[.,]\d{{1,6}})?)?(?:{half})?{zone}"
                    rf"(?: ?- ?{clock}(?:{half})?)?)(?![\d:]|,\d{{3}}){RIGHT}"
                ),
                "time", 0.8, lower=True, number=True, needs=(":", " h "),
            ),
            # Accepts: 6pm, 1.20 a.m., 4-7 p.m., 17.30 Uhr, 18h30, 8 o'clock, 9am-5pm. Refuses: "3 ampere", 4.5 per
            # cent.
            Pattern(
                re.compile(
                    rf"(?<![\d.:,-])(?P<v>(?:\d{{1,2}}(?:[.:]\d\d)?(?:{half})? ?(?:-"
                    rf"|to) ?)?(?:[01]?\d|2[0-3])(?:[.:][0-5]\d)?(?:{half}| o'clock)"
                    r"|(?:[01]?\d|2[0-3])h(?:[0-5]\d)?(?= |,|\.|$|\)))(?![0-9a-zà-ÿ])"
                ),
                "time", 0.8, lower=True, number=True,
            ),
            # Accepts: "at 2.30", "um 9.15", "from 8.30". Refuses: sums and versions (three decimals, units behind).
            Pattern(
                re.compile(
                    r"(?<=(?: at| by|rom|til|ill| um| ab|  à|lle| om|ore|ter) )(?P<v>(?:[01]?\d"
                    r"|2[0-3])\.[0-5]\d)(?![\d%.:])(?! ?(?:m|cm|km|kg|%|per|euro|eur|usd"
                    rf"|gbp)\b){RIGHT}"
                ),
                "time", 0.55, lower=True, number=True,
            ),
            # Accepts: "half past ten", "quarter to six", "five o'clock", "noon"-like words are too common and refused.
            Pattern(
                re.compile(
                    rf"{LEFT}(?P<v>(?:half past|quarter past|quarter to|ten past|ten to|twenty past"
                    r"|twenty to|five past|five to) "
                    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\d{1,2})"
                    r"|(?:one|two|three|four|five|six|seven|eight|nine|ten|"
                    rf"eleven|twelve) (?:o'clock|am|pm|a\.m\.|p\.m\.)){RIGHT}"
                ),
                "time", 0.7, lower=True, needs=(" past ", " to ", "o'clock", " am", " pm", ".m."),
            ),
        ),
    )  # fmt: skip
