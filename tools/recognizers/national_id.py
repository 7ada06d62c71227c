"""National identity, insurance and tax numbers of some forty countries (python-stdnum).

Policy: a checksum alone proves little, since about one in ten digit strings passes. A number is reported
when (1) its punctuation, letters or date are its country's own *and* the checksum is right: validated; or
(2) a label stands beside it: validated where the checksum of the label's country is right, and still reported,
not validated, where it is not, because people mistype and invented numbers avoid issued ranges.
"""

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module

from gama.state.entities import Span
from gama.tools.recognizers._labels import Label, LabelRecognizer
from gama.tools.recognizers._national_formats import FORMS, LABELLED
from gama.tools.recognizers._text import FIRST, RIGHT, PlainText, digits, plain
from gama.tools.recognizers.base import hit

# A number behind its label. Accepts 6 to 22 letters, digits and separators with at least five digits:
# QW 31 84 07 C, 756.4418.0923.15, 140705A913K, 09.254.294.3-407.000. Refuses words and sums; `_plausible` counts.
_VALUE = re.compile(
    r"(?P<v>[A-Za-z]{0,6}[0-9*][0-9A-Za-z*]{0,17}(?:[ ./-]{1,2}[0-9*A-Z]{1,12}(?![a-z])){0,7}"
    r"|[A-Z]{2,3}(?: [0-9]{2}){3} [A-D])"
    rf"{RIGHT}"
)

# The last digits only: "his ssn ends 3318".
_TAIL = re.compile(rf"[0-9]{{4}}{RIGHT}(?![.,/-][0-9])")
_TAIL_LABELS = (
    "ssn ends",
    "ssn ending",
    "ssn ends in",
    "ssn ending in",
    "last four of ssn",
    "last 4 of ssn",
    "ssn last 4",
)

# Distinctive though nothing in it can be checked: the PII-Bench and US form, and its masked variant.
# Accepts: 987-65-4321, ***-**-7714, XXX-XX-1234. Refuses: telephone numbers (3-3-4), dates, longer chains.
_US = re.compile(
    r"[0-9*xX•](?<![0-9A-Za-z*-].)(?:(?<=[0-9])[0-9]{2}-[0-9]{2}|(?<=\*)\*{2}-\*{2}"
    r"|(?<=[xX])[xX]{2}-[xX]{2}|(?<=•)•{2}-•{2})"
    r"-[0-9]{4}(?![0-9A-Za-z-])"
)

# British National Insurance: two letters (not D F I Q U V, and O second), six digits, A to D. Accepts gaps between
# pairs.
_NINO = re.compile(
    rf"[A-CEGHJ-PR-TW-Z]{FIRST}(?<!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-NPR-TW-Z] ?(?:[0-9]{{2}} ?){{3}}[A-D]{RIGHT}"
)

# Where a form that begins with letters may begin: up to six letters, perhaps a separator, right before a number.
_LETTERS = re.compile(r"(?<![0-9A-Za-z_À-ӿ])[A-Za-zÑ&]{1,6}[- ]?$")
_NUMBER = re.compile("[0-9]+")


@cache
def _module(name: str) -> object:
    return import_module(f"stdnum.{name}")


def checks(value: str, module: str) -> bool:
    """Say whether python-stdnum's `module` accepts `value`; False where it cannot even read it."""
    try:
        return bool(_module(module).is_valid(value))  # type: ignore[attr-defined]
    except (ValueError, IndexError, KeyError, TypeError):
        return False


def _plausible(value: str) -> bool:
    count = sum(char.isdigit() or char == "*" for char in value)
    return (
        5 <= count <= 20 and len(set(digits(value))) > 1 and not re.fullmatch(r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4}", value)
    )


class NationalIdRecognizer:
    """Finds national numbers by form and checksum, or by label."""

    name = "national_id"
    subtypes = ("patient_id", "ssn", "tax_id")
    priority = 3

    def __init__(self) -> None:
        """Compile the forms."""
        self._forms = tuple((form, re.compile(form.regex)) for form in FORMS)
        # One expression for all forms tells quickly where none of them can begin.
        self._any = re.compile("|".join(form.regex for form in FORMS))
        self._labelled = tuple(
            (LabelRecognizer(self.name, (Label(words, _VALUE, subtype, 0.85, check=_plausible, filler=True),)), modules)
            for words, subtype, modules in LABELLED
        )
        self._tails = LabelRecognizer(self.name, (Label(_TAIL_LABELS, _TAIL, "ssn", 0.85),))

    def find(self, text: str) -> Iterator[Span]:
        """Yield the numbers, labelled ones first."""
        body = plain(text)
        if not body.has_digit:
            return
        for recognizer, modules in self._labelled:
            for span in recognizer.find(body):
                value = body[span.start : span.end]
                proved = any(checks(value, module) for module in modules)
                yield span._replace(validated=proved, score=1.0 if proved else span.score)
        yield from self._tails.find(body)
        for shape in (_US, _NINO):
            for found in shape.finditer(body):
                yield hit(*found.span(), "ssn", self.name, score=0.9, private=1.0)
        for at in self._starts(body):
            if not self._any.match(body, at):
                continue
            for form, regex in self._forms:
                match = regex.match(body, at)
                if match and len(set(digits(match[0]))) > 1 and checks(match[0], form.module):
                    yield hit(*match.span(), form.subtype, self.name, score=1.0, private=1.0, validated=True)

    @staticmethod
    def _starts(body: PlainText) -> Iterator[int]:
        yield from body.numbers
        for number in _NUMBER.finditer(body):
            at = number.start()
            if at and (body[at - 1] in " -&" or body[at - 1].isalpha()):
                letters = _LETTERS.search(body[max(0, at - 9) : at])
                if letters:
                    yield max(0, at - 9) + letters.start()


def national_id_recognizer() -> NationalIdRecognizer:
    """Return the recognizer of national numbers."""
    return NationalIdRecognizer()
