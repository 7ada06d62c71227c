"""Percentages beside words for a debt ratio, a return or a return on investment."""

import re
from collections.abc import Iterator

from gama.state.entities import Span
from gama.tools.recognizers._text import plain
from gama.tools.recognizers.base import hit

# Accepts: 62.6 %, 41 percent, 6.4 per cent, -94%, 6.8% a year, 39,1 %. Refuses: 100%ig, URL escapes (%20).
_PERCENT = re.compile(
    r"[0-9](?<![0-9A-Za-z_.,].)[0-9]{0,3}(?:[.,][0-9]{1,3})? ?(?:%|per ?cent|prozent|pour cent"
    r"|por ciento|percento)(?:(?: a| per| p\.) ?(?:year|annum|month|week|a\.))?(?![0-9A-Za-z])"
)

_KINDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("debt_ratio", ("debt", "dti", "leverage", "gearing", "loan-to-value", "ltv", "utilisation", "utilization",
        "util ", "util is",
                    "verschuldung", "endettement", "endeudamiento", "indebitamento", "endividamento", "my share",
                    "'s share")),
    ("roi", ("roi", "return on investment", "profit on", "promised", "returned on", "made", "payback",
        "kapitalrendite")),
    ("investment_return", ("return", "gain", "yield", "interest", "fund", "portfolio", "dividend", "rendite",
        "rendement", "rendimiento",
                           "investment", "index", "stocks", "shares")),
)  # fmt: skip


class PercentageRecognizer:
    """Finds percentages that tell of somebody's money."""

    name = "percentage"
    subtypes = ("debt_ratio", "investment_return", "roi")
    priority = 0

    def find(self, text: str) -> Iterator[Span]:
        """Yield percentages with such a word in the fifty characters before or twenty behind; others are left alone."""
        body = plain(text)
        if not body.has_digit or not (
            "%" in body or "cent" in body.low or "prozent" in body.low or "ciento" in body.low
        ):
            return
        for match in _PERCENT.finditer(body.low):
            near = (
                body.low[max(0, match.start() - 50) : match.start()] + " \n " + body.low[match.end() : match.end() + 20]
            )
            for subtype, words in _KINDS:
                if any(word in near for word in words):
                    yield hit(*match.span(), subtype, self.name, score=0.6)
                    break


def percentage_recognizer() -> PercentageRecognizer:
    """Return the recognizer of percentages."""
    return PercentageRecognizer()
