"""Postal codes, where their form or neighbourhood makes them safe."""

import re
from collections.abc import Iterator

from gama.state.entities import Span
from gama.tools.recognizers._labels import Label, LabelRecognizer
from gama.tools.recognizers._patterns import Pattern, PatternRecognizer
from gama.tools.recognizers._text import FIRST, RIGHT

_STATES = (
    r"(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]"
    r"|T[NX]|UT|V[AT]|W[AIVY]|PR)"
)


class PostcodeRecognizer:
    """Finds postal codes: letters and digits anywhere, digits alone only beside a state, a city or a label."""

    name = "postcode"
    subtypes = ("postcode",)
    priority = 1

    def __init__(self) -> None:
        """Compile the patterns."""
        self._patterns = PatternRecognizer(self.name, _patterns())
        labels = (
            "postcode", "post code", "postal code", "zip", "zip code", "zipcode", "plz", "postleitzahl",
            "code postal", "código postal", "cp",
            "c.p.", "cap", "cep", "kod pocztowy", "pin code", "pincode", "eircode", "postnummer",
            "邮编", "郵便番号", "우편번호",
        )  # fmt: skip
        value = re.compile(
            rf"(?P<v>[0-9]{{4,6}}|[0-9]{{5}}-[0-9]{{3,4}}|[0-9]{{2,3}}-[0-9]{{3,4}}"
            rf"|[A-Z][0-9][0-9A-Z] ?[0-9A-Z]{{3,4}}){RIGHT}"
        )
        self._labelled = LabelRecognizer(self.name, (Label(labels, value, "postcode", 0.85, private=None),))

    def find(self, text: str) -> Iterator[Span]:
        """Yield postal codes; context decides whether one is private."""
        yield from self._patterns.find(text)
        yield from self._labelled.find(text)


def _patterns() -> tuple[Pattern, ...]:
    city = r"[A-ZÀ-Þ][a-zà-ÿ]{2,}"
    # (expression, score, whether it begins with a number)
    expressions = (
        # United Kingdom: SW1A 1AA, M1 1AE, also TE4 9QJ of invented places. Refuses: lower case, a wrong inward part.
        (
            rf"(?P<v>[A-PR-UWYZ]{FIRST}(?:[0-9]{{1,2}}|[A-HK-Y][0-9]|[A-HK-Y][0-9]{{2}}|[0-9][A-HJKSTUW]|"
            rf"[A-HK-Y][0-9][ABEHMNPRVWXY]) [0-9][ABD-HJLNP-UW-Z]{{2}}){RIGHT}",
            0.85,
            False,
        ),
        # Canada: H2K 4C8. Refuses: letters that are never used.
        (
            rf"(?P<v>[ABCEGHJ-NPRSTVXY]{FIRST}[0-9][ABCEGHJ-NPRSTV-Z] ?[0-9][ABCEGHJ-NPRSTV-Z][0-9]){RIGHT}",
            0.85,
            False,
        ),
        # Ireland: H91 K4T9. Refuses: a second half without a digit.
        (
            rf"(?P<v>[AC-FHKNPRTV-Y]{FIRST}(?:[0-9]{{2}}|6W) (?=[A-Z]{{0,3}}[0-9])[0-9AC-FHKNPRTV-Y]{{4}}){RIGHT}",
            0.7,
            False,
        ),
        # Netherlands: 1970 AE. Refuses: "2024 AD", "1000 EUR".
        (
            r"(?P<v>[1-9][0-9]{3} (?!SA|SD|SS|AD|BC|CE|AM|PM|MB|GB|KB|TB|KM|CM|MM|KG|HP|CC"
            r"|EU)[A-Z]{2})(?=[ ,\n]|$)(?![ ]?[0-9])",
            0.6,
            True,
        ),
        # United States, behind the state: OH 44199, GA 31204-1234. Refuses: five digits alone.
        (rf"(?<= {_STATES} )(?P<v>[0-9]{{5}}(?:-[0-9]{{4}})?){RIGHT}(?![.,][0-9])", 0.85, True),
        # Australia, behind the state: VIC 3122, WA 6765.
        (rf"(?:(?<=(?:NSW|VIC|QLD|TAS|ACT) )|(?<= (?:WA|SA|NT) ))(?P<v>[0-9]{{4}}){RIGHT}", 0.8, True),
        # Brazil: 01310-100. Refuses: parts of longer numbers.
        (rf"(?<!-)(?P<v>[0-9]{{5}}-[0-9]{{3}}){RIGHT}(?!-)", 0.5, True),
        # Portugal, Poland, Greece and Sweden before a city: 1200-195 Lisboa, 60-185 Poznań, 753 20 Uppsala.
        (
            rf"(?P<v>[0-9]{{4}}-[0-9]{{3}}|[0-9]{{2}}-[0-9]{{3}}"
            rf"|[0-9]{{3}} [0-9]{{2}}) (?={city}(?: {city})?(?:[,.;)\n]|$))",
            0.65,
            True,
        ),
        # Continental, behind the country's sign: D-10115, CH-8001. Refuses: L-0031 (a part number).
        (rf"(?<=(?:DE|AT|CH|FR|NL|BE|LU|DK|SE|NO|FI|ES|IT)-)(?P<v>[1-9][0-9]{{3,4}}){RIGHT}(?!-)", 0.75, True),
        (rf"(?<=[DAFISNB]-)(?P<v>[1-9][0-9]{{3,4}}) (?={city})", 0.75, True),
        # Four or five digits before a city that ends a line or clause, behind a comma or line break.
        (
            r"(?<=[,\n] |[^ ][,\n])(?P<v>[0-9]{4,5}) (?=[A-ZÀ-Þ][a-zà-ÿß]{2,20}"
            r"(?:[ -](?:am|an|der|de|la|sur|[A-ZÀ-Þ][a-zà-ÿ]{1,20})){0,3} ?(?:[,.;)\n]|$))",
            0.6,
            True,
        ),
        # India and others: "Pune 411004", "Bhopal 462001": six digits behind a word and before an end.
        (r"(?<=[a-zà-ÿ] )(?P<v>[1-9][0-9]{5})(?=[ ]?(?:[,;)\n]|$))", 0.4, True),
    )
    return tuple(Pattern(re.compile(regex), "postcode", score, number=number) for regex, score, number in expressions)


def postcode_recognizer() -> PostcodeRecognizer:
    """Return the recognizer of postal codes."""
    return PostcodeRecognizer()
