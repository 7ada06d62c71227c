"""Heights of people."""

import re

from gama.tools.recognizers._patterns import Pattern, PatternRecognizer
from gama.tools.recognizers._text import LEFT, RIGHT


def height_recognizer() -> PatternRecognizer:
    """Return the recognizer of heights; a length that nobody is tall is refused."""
    words = ("tall", "height", "größe", "taille", "estatura", "altura", "altezza", "lengte", "wzrost", "i'm", "im ",
        "i am", "he is", "she is",
             "he's", "she's", "grand", "measured", "stood", "groß", "cm", "lbs", "kg")  # fmt: skip
    return PatternRecognizer(
        "height",
        (
            # Accepts: 181 cm, 181cm. Refuses: 300 cm, 90 cm unless a word for height stands before (the check).
            Pattern(
                re.compile(rf"(?<![\d.,x×/-])(?P<v>(?:1[3-9]\d|2[0-2]\d) ?cm)(?! ?[x×]){RIGHT}"),
                "height", 0.65, lower=True, number=True, needs=("cm",),
            ),
            # Accepts: 1.97 m, 1,74 m, 1m71, 1.80m tall. Refuses: 2.5 m, 1.5 m beam ("x").
            Pattern(
                re.compile(rf"(?<![\d.,x×/-])(?P<v>[12][.,]\d{{2}} ?m(?:eters?|etres?)?|1m[4-9]\d)(?! ?[x×²³]){RIGHT}"),
                "height", 0.65, lower=True, number=True, check=_human, needs=("m",),
            ),
            # Accepts: 5'11", 6'2, 5 ft 4 in, 5 foot 10, five feet eleven, 5' 4". Refuses: 2'30" (a time): feet are 4
            # to 7.
            Pattern(
                re.compile(
                    rf"(?<![\d.,°]){LEFT}(?P<v>[4-7] ?' ?(?:1[01]|\d)(?:\.5|½)? ?(?:\"|'')?"
                    r"|[4-7] ?(?:ft\.?|feet|foot) ?(?:(?:1[01]|\d) ?(?:inches|inch|ins?|\"|''))?"
                    r"|(?:four|five|six|seven) (?:foot|feet)(?: (?:one|two|three|four|five|six"
                    r"|seven|eight|nine|ten|eleven)(?: inch(?:es)?)?)?)(?![\dA-Za-z'°])"
                ),
                "height", 0.7, lower=True, check=lambda match: _about_people(match, words), needs=("'", "ft", "feet",
                "foot"),
            ),
        ),
    )  # fmt: skip


def _human(match: re.Match[str]) -> bool:
    metres = re.sub(r"[^0-9]", "", match["v"])[:3]
    return 130 <= int(metres) <= 225


def _about_people(match: re.Match[str], words: tuple[str, ...]) -> bool:
    if "'" in match["v"]:
        return True
    near = match.string[max(0, match.start() - 40) : match.end() + 12]
    return any(word in near for word in words)
