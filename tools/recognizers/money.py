"""Sums of money and percentages, with the kind that the words around them suggest; privacy is left to the context."""

from collections.abc import Iterator

from gama.state.entities import Span
from gama.tools.recognizers.base import PlainText, word_char
from gama.tools.recognizers.declared import Declaration


def sums(body: PlainText, told: Declaration) -> Iterator[Span]:
    """Yield sums with a currency on either side and their period; the nearest money word around says their subtype."""
    for start, end, score in _sums(body, told) if body.has_digit else ():
        end = start + len(body[start:end].rstrip(" "))
        if not (body[start] == "$" and _code(body, start, end)):
            yield told.hit(start, end, _kind(body.low, start, end, told), score=score)


def _sums(body: PlainText, told: Declaration) -> Iterator[tuple[int, int, float]]:
    for match in told.regex["signed"].finditer(body):
        letters = told.regex["sign_letters"].search(body[max(0, match.start() - 3) : match.start()])
        yield match.start() - len(letters[0] if letters else ""), match.end(), 0.85
    for match in told.regex["coded"].finditer(body):
        if match.start() == 0 or not word_char(body[match.start() - 1]):
            yield *match.span(), 0.85
    for at in body.numbers:
        if after := told.regex["after"].match(body, at):
            yield *after.span(), 0.8
        elif bare := told.regex["bare"].match(body, at):
            yield *bare.span(), 0.45


def _code(body: str, start: int, end: int) -> bool:
    # "$1" in a shell line or a substitution: a lone digit behind a dollar that stands beside quotes or code signs.
    return end - start == 2 and (
        body[max(0, start - 1) : start] in tuple("\"'{(\\/=") or body[end : end + 1] in tuple("\"'});/")
    )


def _kind(low: str, start: int, end: int, told: Declaration) -> str:
    if told.regex["hourly"].search(low[start:end]):
        return "income"
    before, after = low[max(0, start - 48) : start], low[end : end + 28]
    stop = max(before.rfind(". "), before.rfind("\n\n"), before.rfind("; "))
    before = before[stop + 1 :]
    best, distance = "amount", 100
    for subtype in told.tree["subtypes"]:
        if subtype == "amount":
            continue
        regex = told.regex[subtype]
        for found in regex.finditer(before):
            if len(before) - found.end() < distance:
                best, distance = subtype, len(before) - found.end()
        found_after = regex.search(after)
        if found_after and found_after.start() + 6 < distance:
            best, distance = subtype, found_after.start() + 6
    return best


def percentages(body: PlainText, told: Declaration) -> Iterator[Span]:
    """Yield percentages with a word for whose money they tell of, fifty characters before or twenty behind."""
    low = body.low
    if not body.has_digit or not any(sign in low for sign in ("%", "cent", "prozent", "ciento")):
        return
    for match in told.regex["percent"].finditer(low):
        near = low[max(0, match.start() - 50) : match.start()] + " \n " + low[match.end() : match.end() + 20]
        kinds = (kind for kind, words in told.tree["kinds"].items() if any(word in near for word in words))
        if kind := next(kinds, None):
            yield told.hit(*match.span(), kind, score=0.6)
