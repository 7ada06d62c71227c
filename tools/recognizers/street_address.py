"""Street addresses in the forms of nine languages, post boxes and flats."""

from collections.abc import Iterator

from gama.state.entities import Span
from gama.tools.recognizers.base import PlainText, label_ends
from gama.tools.recognizers.declared import Declaration

SURE = 0.7
"""Score from which on an address is more than a likeness."""
DOOR = 0.65
"""Probability that an address with a house number is private, where nobody judges its context."""


def addresses(body: PlainText, told: Declaration) -> Iterator[Span]:
    """Yield addresses from their number or their word for a street, outwards.

    A street with a house number is somebody's door; of a street alone the context decides.
    """
    numbered = (found for at in body.numbers if (found := _from_number(body, at, told)))
    for start, end, score in (*numbered, *_from_word(body, told)):
        private = DOOR if score >= SURE and any(map(str.isdigit, body[start:end])) else None
        yield told.hit(start, end, "street_address", score=score, private=private)


def _from_number(body: PlainText, at: int, told: Declaration) -> tuple[int, int, float] | None:
    before = body[max(0, at - 64) : at]
    if match := told.regex["english"].match(body, at):
        flat = told.regex["flat_before"].search(before[-20:])
        return at - len(flat[0] if flat else ""), match.end(), 0.8
    if match := told.regex["chat"].match(body, at):
        return at, match.end(), 0.5
    if at < 4 or body[at - 1] != " ":
        return None
    if body.low[max(0, at - 12) : at - 1].endswith(told.words["suffixes"]):
        match, street = told.regex["house"].match(body, at), told.regex["germanic_before"].search(before)
        if match and street and len(street[0]) > 5:
            return at - len(street[0]), match.end(), 0.8
    match = told.regex["preposition_house"].match(body, at)
    street = told.regex["preposition"].search(before) if match and body[at - 2].isalpha() else None
    return (at - len(street[0]), match.end(), 0.55) if match and street else None


def _from_word(body: PlainText, told: Declaration) -> Iterator[tuple[int, int, float]]:
    for word in told.words["leading"]:
        for end in label_ends(body, (word,)):
            match = told.regex["after_leading"].match(body, end)
            if match and (body[end] == " " or word.endswith(("/", "."))):
                start = end - len(word)
                before = told.regex["number_before"].search(body[max(0, start - 14) : start])
                house = before or any(char.isdigit() for char in match[0])
                yield start - len(before[0] if before else ""), match.end(), 0.7 if house else 0.5
    for match in told.regex["named"].finditer(body):
        floor = max(0, match.start() - 52)
        if name := told.regex["name_before"].search(body[floor : match.start()]):
            yield floor + name.start(), match.end(), 0.4


def in_scripts(body: PlainText, told: Declaration) -> Iterator[Span]:
    """Yield what stands behind the label of an address in another script, to the end of its line."""
    for end in label_ends(body, told.words["labels"]) if body.is_foreign else ():
        if match := told.regex["line"].match(body, end):
            start, stop = match.span("v")
            yield told.hit(start, start + len(body[start:stop].rstrip(" .,")), "street_address", score=0.7, private=0.8)
