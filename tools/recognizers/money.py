"""Sums of money and percentages, with the kind that the words around them suggest; privacy is left to the context."""

import re
from collections.abc import Iterator

from gama.state.entities import Span
from gama.tools.recognizers.base import PlainText, hit, plain, word_char
from gama.tools.recognizers.declared import declaration

_DECLARED = declaration("money")
_SIGNED = _DECLARED.expression("signed")
_SIGN_LETTERS = _DECLARED.expression("sign_letters")
_CODED = _DECLARED.expression("coded")
_AFTER = _DECLARED.expression("after")
_BARE = _DECLARED.expression("bare")
_HOURLY = _DECLARED.expression("hourly")
_KINDS = {kind: re.compile(_DECLARED.expanded(words)) for kind, words in _DECLARED.tree["kinds"].items()}


_SHARE = declaration("percentage")
_PERCENT = _SHARE.expression("percent")
_SHARES: dict[str, list[str]] = _SHARE.tree["kinds"]
"""Words that say what a percentage is of; the first kind that fits is taken."""


class MoneyRecognizer:
    """Finds sums with a currency on either side, their period kept inside."""

    name = "money"
    subtypes = ("amount", *sorted(_KINDS))
    priority = 0

    def find(self, text: str) -> Iterator[Span]:
        """Yield sums; the subtype follows the nearest money word around, else `amount`."""
        body = plain(text)
        if not body.has_digit:
            return
        for start, end, score in _sums(body):
            end = start + len(body[start:end].rstrip(" "))
            if not (body[start] == "$" and _code(body, start, end)):
                yield hit(start, end, _kind(body.low, start, end), self.name, score=score)


def _sums(body: PlainText) -> Iterator[tuple[int, int, float]]:
    for match in _SIGNED.finditer(body):
        letters = _SIGN_LETTERS.search(body[max(0, match.start() - 3) : match.start()])
        yield match.start() - len(letters[0] if letters else ""), match.end(), 0.85
    for match in _CODED.finditer(body):
        if match.start() == 0 or not word_char(body[match.start() - 1]):
            yield *match.span(), 0.85
    for at in body.numbers:
        after = _AFTER.match(body, at)
        if after:
            yield *after.span(), 0.8
        elif bare := _BARE.match(body, at):
            yield *bare.span(), 0.45


def _code(body: str, start: int, end: int) -> bool:
    # "$1" in a shell line or a substitution: a lone digit behind a dollar that stands beside quotes or code signs.
    return end - start == 2 and (
        body[max(0, start - 1) : start] in tuple("\"'{(\\/=") or body[end : end + 1] in tuple("\"'});/")
    )


def _kind(low: str, start: int, end: int) -> str:
    if _HOURLY.search(low[start:end]):
        return "income"
    before, after = low[max(0, start - 48) : start], low[end : end + 28]
    stop = max(before.rfind(". "), before.rfind("\n\n"), before.rfind("; "))
    before = before[stop + 1 :]
    best, distance = "amount", 100
    for subtype, regex in _KINDS.items():
        for found in regex.finditer(before):
            if len(before) - found.end() < distance:
                best, distance = subtype, len(before) - found.end()
        found_after = regex.search(after)
        if found_after and found_after.start() + 6 < distance:
            best, distance = subtype, found_after.start() + 6
    return best


class PercentageRecognizer:
    """Finds percentages that tell of somebody's money."""

    name = "percentage"
    subtypes = ("debt_ratio", "investment_return", "roi")
    priority = 0

    def find(self, text: str) -> Iterator[Span]:
        """Yield percentages with such a word in the fifty characters before or twenty behind; others are left alone."""
        body = plain(text)
        low = body.low
        if not body.has_digit or not any(sign in low for sign in ("%", "cent", "prozent", "ciento")):
            return
        for match in _PERCENT.finditer(low):
            near = low[max(0, match.start() - 50) : match.start()] + " \n " + low[match.end() : match.end() + 20]
            for subtype, words in _SHARES.items():
                if any(word in near for word in words):
                    yield hit(*match.span(), subtype, self.name, score=0.6)
                    break
