"""Weights of people."""

import re

from gama.tools.recognizers._patterns import Pattern, PatternRecognizer
from gama.tools.recognizers._text import LEFT, RIGHT

_WORDS = (
    "weigh", "weight", "bmi", "gewicht", "wiege", "wiegt", "poids", "pèse", "peso", "peson", "waga", "waży", "vikt",
    "lost", "gained", "lbs",
    "heavy", "kilos", "i'm", "im ", "he is", "she is", "cm", "tall", "down from", "height", "years old", "/ ", "(",
    "male", "female", "man", "woman",
    "boy", "girl", "baby", "born", "patient",
)  # fmt: skip


def weight_recognizer() -> PatternRecognizer:
    """Return the recognizer of weights; a weight counts only beside a word about a body."""

    def about_body(match: re.Match[str]) -> bool:
        near = (
            match.string[max(0, match.start() - 45) : match.start()]
            + " \n "
            + match.string[match.end() : match.end() + 16]
        )
        return any(word in near for word in _WORDS)

    return PatternRecognizer(
        "weight",
        (
            # Accepts: 72 kg, 41.2kg, 8,9 kg, 131 kilos, 180 lbs, 12 stone 4, 11st 7lb, 4,050 g. Refuses: 2 kg of
            # apples, 5kg bag.
            Pattern(
                re.compile(
                    rf"(?<![\d.,x×/@-])(?P<v>\d{{1,3}}(?:[.,]\d{{1,3}})? ?(?:kgs?|kilos?|kilograms?"
                    rf"|lbs?|pounds|stone(?: \d{{1,2}}(?: ?lbs?)?)?|st \d{{1,2}} ?lbs?"
                    rf"|st(?= \d)? ?\d{{0,2}}lbs?)|\d[.,]\d{{3}} ?g)(?! (?:of|bag|box|pack|each|dumbbell|plate)){RIGHT}"
                ),
                "weight", 0.55, lower=True, number=True, check=about_body, needs=("kg", "kilo", "lb", "pound",
                "stone", "st ", " g"),
            ),
            # Accepts: weight: 94.7, weight 88, weigh 131. Refuses: weights of models or parcels with other units.
            Pattern(
                re.compile(
                    rf"{LEFT}(?:body ?weight|weight|weigh|weighs|gewicht|poids|peso)(?: is| was|:"
                    rf"| =| on \w{{3,9}} was)? {{0,2}}(?P<v>\d{{2,3}}(?:\.\d{{1,3}})?)(?! ?(?:g|t"
                    rf"|tons?|tonnes|mb|gb|%|x)\b){RIGHT}(?![.,]\d)"
                ),
                "weight", 0.55, lower=True, needs=("weigh", "gewicht", "poids", "peso"),
            ),
        ),
    )  # fmt: skip
