"""Street addresses in the forms of nine languages, post boxes and flats."""

from collections.abc import Iterator

from gama.state.entities import Span
from gama.tools.recognizers.base import PlainText, hit, plain
from gama.tools.recognizers.declared import declaration
from gama.tools.recognizers.rules import label_ends

_DECLARED = declaration("street_address")
_BOXES = _DECLARED.recognizer()
"""Post boxes and homes by number."""
_ENGLISH = _DECLARED.expression("english")
_FLAT_BEFORE = _DECLARED.expression("flat_before")
_CHAT = _DECLARED.expression("chat")
_NAMED = _DECLARED.expression("named")
_NAME_BEFORE = _DECLARED.expression("name_before")
_HOUSE = _DECLARED.expression("house")
_GERMANIC_BEFORE = _DECLARED.expression("germanic_before")
_PREPOSITION = _DECLARED.expression("preposition")
_PREPOSITION_HOUSE = _DECLARED.expression("preposition_house")
_AFTER_LEADING = _DECLARED.expression("after_leading")
_NUMBER_BEFORE = _DECLARED.expression("number_before")


class StreetAddressRecognizer:
    """Finds addresses from their number or their word for a street, outwards; context decides on privacy."""

    name = "street_address"
    subtypes = ("street_address",)
    priority = 0

    def find(self, text: str) -> Iterator[Span]:
        """Yield addresses."""
        body = plain(text)
        yield from _BOXES.find(body)
        found: list[tuple[int, int, float]] = []
        for at in body.numbers:
            found.extend(_from_number(body, at))
        found.extend(_from_word(body))
        for start, end, score in found:
            yield hit(start, end, "street_address", self.name, score=score)


def _from_number(body: PlainText, at: int) -> Iterator[tuple[int, int, float]]:
    match = _ENGLISH.match(body, at)
    if match:
        before = _FLAT_BEFORE.search(body[max(0, at - 20) : at])
        yield at - len(before[0] if before else ""), match.end(), 0.8
        return
    match = _CHAT.match(body, at)
    if match:
        yield at, match.end(), 0.5
        return
    if at < 4 or body[at - 1] != " ":
        return
    if body.low[max(0, at - 12) : at - 1].endswith(_DECLARED.words["suffixes"]):
        match, before = _HOUSE.match(body, at), _GERMANIC_BEFORE.search(body[max(0, at - 64) : at])
        if match and before and len(before[0]) > 5:
            yield at - len(before[0]), match.end(), 0.8
            return
    match = _PREPOSITION_HOUSE.match(body, at)
    before = _PREPOSITION.search(body[max(0, at - 64) : at]) if match and body[at - 2].isalpha() else None
    if match and before:
        yield at - len(before[0]), match.end(), 0.55


def _from_word(body: PlainText) -> Iterator[tuple[int, int, float]]:
    for word in _DECLARED.words["leading"]:
        for end in label_ends(body, (word,)):
            match = _AFTER_LEADING.match(body, end)
            if match and (body[end] == " " or word.endswith(("/", "."))):
                start = end - len(word)
                before = _NUMBER_BEFORE.search(body[max(0, start - 14) : start])
                house = before or any(char.isdigit() for char in match[0])
                yield start - len(before[0] if before else ""), match.end(), 0.7 if house else 0.5
    for match in _NAMED.finditer(body):
        floor = max(0, match.start() - 52)
        name = _NAME_BEFORE.search(body[floor : match.start()])
        if name:
            yield floor + name.start(), match.end(), 0.4
