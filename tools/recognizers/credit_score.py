"""Credit scores beside their labels."""

import re

from gama.tools.recognizers._labels import Label, LabelRecognizer

# 300 to 850 (FICO and VantageScore), to 999 (Experian in the UK), 76.5/100 (a published sample of PII-Bench).
# Refuses: three digits that go on ("412,000"), sums, percentages.
_SCORE = re.compile(
    r"(?:(?:was|is|now|to|at|of|from|went|dropped|just|slid|rose|stands|currently|of|about|around|around) ){0,3}"
    r"(?P<v>(?:[3-9][0-9]{2})|[0-9]{1,3}(?:\.[0-9])? ?(?:/|of|out of) ?(?:100|850|900|999"
    r"|1000))(?![0-9A-Za-z%]|[.,][0-9])",
    re.IGNORECASE,
)
# The second of two: "from 758 to 691", "588 → 674", "711/689".
_SECOND = re.compile(
    r"(?:(?:was|is|now|to|from|went|dropped) ){0,2}[3-9][0-9]{2} ?(?:->|→|/|to|now|,"
    r"|and) ?(?P<v>[3-9][0-9]{2})(?![0-9A-Za-z%]|[.,][0-9])",
    re.IGNORECASE,
)

_WORDS = (
    "credit score", "credit rating", "credit scores", "fico", "fico score", "vantagescore", "experian", "equifax",
    "credit karma",
    "my score", "base score", "score", "scores", "schufa", "schufa-score", "score de crédit", "puntaje de crédito",
    "score de crédito",
)  # fmt: skip


def credit_score_recognizer() -> LabelRecognizer:
    """Return the recognizer of credit scores."""
    return LabelRecognizer(
        "credit_score",
        (
            Label(_WORDS, _SCORE, "credit_score", 0.75, private=None),
            Label(_WORDS, _SECOND, "credit_score", 0.75, private=None),
        ),
        priority=1,
    )
