"""Blood groups."""

import re

from gama.tools.recognizers._patterns import Pattern, PatternRecognizer
from gama.tools.recognizers._text import FIRST

_WORDS = (
    "blood",
    "donor",
    "transfus",
    "rhesus",
    "rh ",
    "blut",
    "sang",
    "sangre",
    "sangue",
    "bloed",
    "krwi",
    "blod",
    "血",
)


def blood_type_recognizer() -> PatternRecognizer:
    """Return the recognizer of blood groups; they count only in a text that speaks of blood."""

    def near_blood(match: re.Match[str]) -> bool:
        near = match.string[max(0, match.start() - 60) : match.end() + 30].lower()
        return any(word in near for word in _WORDS)

    return PatternRecognizer(
        "blood_type",
        (
            # Accepts: O+, AB-, A Rh negative, B positive, 0 Rh+. Refuses: A+ (a grade) and vitamin B unless blood is
            # near.
            Pattern(
                re.compile(
                    rf"(?P<v>[ABO0]{FIRST}B? ?(?:(?:Rh(?:esus)?(?:\(D\))? ?)?(?:\+|-(?![\w-])"
                    r"|pos(?:itive|itiv|itif)?\.?(?![a-z])|neg(?:ative|ativ"
                    r"|atif)?\.?(?![a-z]))))(?![\w+])"
                ),
                "blood_type", 0.8, check=near_blood, needs=_WORDS,
            ),
            # Accepts: "blood type AB", "blood group: O". Refuses: "blood type of".
            Pattern(
                re.compile(
                    r"(?:[Bb]lood (?:[Tt]ype|[Gg]roup)|BLOOD (?:TYPE|GROUP)|Blutgruppe"
                    r"|[Gg]roupe sanguin|[Gg]rupo sanguíneo|[Gg]ruppo sanguigno|[Bb]loedgroep|"
                    r"[Gg]rupa krwi|血型)(?: is|:| =)? {0,2}(?P<v>(?:AB|A|B|O"
                    r"|0)(?: ?(?:Rh ?)?[+-](?!\w))?)(?![A-Za-z0-9])"
                ),
                "blood_type", 0.85, needs=_WORDS,
            ),
        ),
        priority=1,
    )  # fmt: skip
