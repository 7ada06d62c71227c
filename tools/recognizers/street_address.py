"""Street addresses in the forms of nine languages, post boxes and flats."""

import re
from collections.abc import Iterator

from gama.state.entities import Span
from gama.tools.recognizers._labels import label_ends
from gama.tools.recognizers._patterns import Pattern, PatternRecognizer
from gama.tools.recognizers._streets import CAPITAL, ENGLISH, LEADING, NUMBER, PARTICLE, SUFFIXES, UNIT
from gama.tools.recognizers._text import FIRST, LEFT, RIGHT, PlainText, plain
from gama.tools.recognizers.base import hit

_WORD = rf"(?:{CAPITAL}|{PARTICLE}(?![\w'])|[0-9]{{1,3}}(?:st|nd|rd|th))"
_COMPASS = r"(?:N|S|E|W|NE|NW|SE|SW|North|South|East|West)"

# English, number first: 12 Mill Race, 2208 E Sorrel Dr Apt 3, 221B Baker St; prose or ALL CAPS.
# Refuses: "3 people in the street", "2 close calls" (no capitals), numbers inside others.
_ENGLISH = re.compile(
    rf"(?<![.,/:-]){NUMBER},? (?:{_COMPASS}\.? )?{CAPITAL}(?: {_WORD}){{0,3}} (?=[A-Z])(?i:{ENGLISH})"
    rf"(?:\.(?= ?[,\n]))?(?: {_COMPASS}(?![A-Za-z]))?(?i:{UNIT}){RIGHT}"
)
# What may stand before it: "Flat 6, 19 Mafeking Road".
_FLAT_BEFORE = re.compile(
    r"(?<![A-Za-z])(?:flat|apt|apartment|unit|suite|plot|villa|lot)\.? ?[0-9]{1,5}[a-z]?,? $", re.IGNORECASE
)

# Lower-case English of chats: 27 larkspur cl, 14 mill road: unmistakable street words only.
_CHAT = re.compile(
    r"(?<![.,/:-])[0-9]{1,5}[a-z]? [a-z']{3,16}(?: [a-z']{3,16})? (?:street|road|rd|avenue|ave"
    r"|lane|boulevard|blvd|crescent|terrace|cl)"
    rf"{RIGHT}(?! (?:trip|map|test|accident|rage))"
)

# A street without its number: Mill Road, Marigold Street, Bishop's Lane. Weak: a public street looks the same.
_NAMED = re.compile(
    r" (?:Street|Road|Avenue|Lane|Crescent|Terrace|Rd|Ave|Boulevard|Close|Mews|Drive|Way|STREET"
    r"|ROAD|AVENUE|LANE)(?![A-Za-z])"
)
_NAME_BEFORE = re.compile(rf"{LEFT}(?:{CAPITAL} )?{CAPITAL}$")

# The number behind a Germanic, Nordic or Baltic street: 41, 12/4, 22 A 7, 14B, 4c, 188-24. Refuses: "3 km", clock
# times, sums.
_HOUSE = re.compile(
    rf"[0-9]{{1,4}} ?[a-zA-Z]?(?![A-Za-zÀ-ÿ])(?:[/-][0-9]{{1,4}}){{0,3}}(?: [A-Z](?: [0-9]{{1,3}})?"
    rf"(?![0-9A-Za-z]))?(?i:{UNIT})"
    rf"(?! ?(?:km|m|uhr|%|€|min|kg)\b)(?![.,:]\d){RIGHT}",
)
_GERMANIC_BEFORE = re.compile(rf"{LEFT}(?:{CAPITAL}[ -]){{0,2}}[A-ZÀ-ÞĀ-Ž][\w'.-]{{0,24}}(?: [a-zõäöü]{{2,6}}\.?)? $")
# Streets that begin with a preposition: Am Alten Siel 2, Zur Alten Ziegelei 4c. Refuses: "Im Jahr 3", "Am Montag 5
# Uhr".
_PREPOSITION = re.compile(
    r"(?<![\w])(?:Am|An der|An den|Auf der|Auf dem|Im|In der|In den|Zur|Zum|Unter den|Hinter der|Bei der|Op de|Aan de)"
    r"(?! (?:Jahr|Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonntag|Alter|Januar|Februar"
    r"|März|April|Mai|Juni|Juli))"
    r"(?: [A-ZÄÖÜ][\wäöüß-]{2,20}){1,3} $"
)
_PREPOSITION_HOUSE = re.compile(r"[0-9]{1,3} ?[a-z]?(?![0-9A-Za-z.:%])(?! ?(?:Uhr|Jahre|Tage|Prozent|Euro|km|m)\b)")

# Behind a Romance or Slavic word for a street: Amor de Dios 19; dei Glicini 7, interno 4; Długa 5 m. 3.
# Refuses: a lower-case word ("via e-mail", "place 3", "route to").
_AFTER_LEADING = re.compile(
    r" ?(?:(?:de la|de l'|de los|de las|des|du|de|del|della|dei|degli|delle|di|da|do|dos|das|la|le"
    r"|les|el|l') ?)?(?!E-|Email)"
    r"(?:[A-ZÀ-ÞĀ-Ž][\w'.-]{1,24}|[0-9]{1,2} [A-ZÀ-Þ][\w'-]{1,24})(?: (?:(?:de|la|del|di|da|do|des"
    r"|du|y|e|i|et) )?[A-ZÀ-ÞĀ-Ž][\w'.-]{1,24}){0,3}"
    rf"(?:,? (?:n[º°.] ?)?{NUMBER})?(?i:{UNIT})(?: m\. ?[0-9]{{1,3}})?{RIGHT}"
)
_NUMBER_BEFORE = re.compile(rf"{LEFT}{NUMBER}(?: ?(?:bis|ter))?,? $")

# Post boxes and homes by number.
_BOXES = PatternRecognizer(
    "street_address",
    (
        # Accepts: P.O. Box 1187, Postfach 12 34, Postbus 218, Apartado 12. Refuses: "box" without a post word, unless
        # "Box 90".
        Pattern(
            re.compile(
                rf"{LEFT}(?:p\.? ?o\.? ?box|post office box|postfach|postbus|postboks|postlåda"
                r"|boîte postale|b\.p\.|apartado(?: postal| de correos)?|"
                rf"casella postale|caixa postal|skrytka pocztowa) ?(?:no\.? ?)?[0-9]{{1,6}}(?: [0-9]{{2,3}})?{RIGHT}"
            ),
            "street_address", 0.85, lower=True,
            needs=("box", "postf", "postb", "postl", "boîte", "b.p.", "apartado", "casella", "caixa", "skrytka"),
        ),
        # Accepts: flat 12, apt 4B, Flat 3/2, villa 17, street 33b. Refuses: "flat 4 %", "lot 3 of".
        Pattern(
            re.compile(
                rf"[favp]{FIRST}(?:(?<=f)lat|(?<=a)partment|(?<=a)pt\.?|(?<=v)illa"
                rf"|(?<=p)lot) (?:no\.? ?)?#?[0-9]{{1,4}}[a-z]?(?:[/-][0-9a-z]{{1,3}})?"
                rf"(?:, street [0-9]{{1,3}}[a-z]?)?{RIGHT}(?! ?(?:%|percent|of|and))"
            ),
            "street_address", 0.5, lower=True, needs=("flat", "apartment", "apt", "villa", "plot"),
        ),
    ),
)  # fmt: skip


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
    if body.low[max(0, at - 12) : at - 1].endswith(SUFFIXES):
        match, before = _HOUSE.match(body, at), _GERMANIC_BEFORE.search(body[max(0, at - 64) : at])
        if match and before and len(before[0]) > 5:
            yield at - len(before[0]), match.end(), 0.8
            return
    match = _PREPOSITION_HOUSE.match(body, at)
    before = _PREPOSITION.search(body[max(0, at - 64) : at]) if match and body[at - 2].isalpha() else None
    if match and before:
        yield at - len(before[0]), match.end(), 0.55


def _from_word(body: PlainText) -> Iterator[tuple[int, int, float]]:
    for word in LEADING:
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


def street_address_recognizer() -> StreetAddressRecognizer:
    """Return the recognizer of street addresses."""
    return StreetAddressRecognizer()
