"""International bank account numbers, and the BIC beside them."""

import re
from collections.abc import Iterator

from gama.state.entities import Span
from gama.tools.recognizers._labels import Label, LabelRecognizer
from gama.tools.recognizers._text import FIRST, RIGHT, plain
from gama.tools.recognizers.base import hit

# Accepts: DE89 3704 0044 0532 0130 00, de89370400440532013000, dashes as well. Refuses: words, runs shorter than 15.
_IBAN = re.compile(rf"[A-Za-z]{FIRST}[A-Za-z][0-9]{{2}}(?:[ -]?[A-Za-z0-9]){{11,30}}")

# The shape alone, for a number whose check digits are wrong: groups of four, mostly digits.
_SHAPE = re.compile(rf"[A-Z]{FIRST}[A-Z][0-9]{{2}}(?:[ -]?[A-Z0-9]{{4}}){{2,7}}(?:[ -]?[A-Z0-9]{{1,3}})?{RIGHT}")

# Accepts: DEUTDEFF, COBADEFFXXX. Refuses: lower case, other lengths.
_BIC = re.compile(rf"[A-Z]{{4}}[ ]?[A-Z]{{2}}[ ]?[A-Z0-9]{{2}}(?:[ ]?[A-Z0-9]{{3}})?{RIGHT}")


class IbanRecognizer:
    """Finds account numbers by checksum (`stdnum.iban`); behind the word IBAN by shape as well."""

    name = "iban"
    subtypes = ("iban", "other_id")
    priority = 5

    def __init__(self) -> None:
        """Prepare the labels."""
        self._labelled = LabelRecognizer(
            self.name,
            (
                Label(("iban",), _SHAPE, "iban", 0.95),
                Label(("bic", "swift", "swift code", "bic/swift", "swift/bic", "bic-code"), _BIC, "other_id", 0.9),
            ),
            needs_digit=False,
        )

    def find(self, text: str) -> Iterator[Span]:
        """Yield the account numbers, the longest valid reading of each."""
        body = plain(text)
        yield from self._labelled.find(body)
        if not body.has_digit:
            return
        for match in _IBAN.finditer(body):
            end = self._valid_end(match[0])
            if end:
                start = match.start()
                yield hit(start, start + end, "iban", self.name, score=1.0, private=1.0, validated=True)
            elif (shape := _SHAPE.match(body, match.start())) and " " in shape[0] and self._country(shape[0]):
                yield hit(*shape.span(), "iban", self.name, score=0.85, private=1.0)

    @staticmethod
    def _country(value: str) -> bool:
        from stdnum import numdb

        return bool(numdb.get("iban").info(value[:4].upper())[0][1])

    @staticmethod
    def _valid_end(value: str) -> int:
        # Words may follow the number ("… 3000 please"), so that its end is searched from the right.
        from stdnum import iban

        if not IbanRecognizer._country(value):
            return 0
        for end in range(len(value), 14, -1):
            last, after = value[end - 1], value[end : end + 1]
            if last in " -" or after.isalnum():
                continue
            if iban.is_valid(value[:end], check_country=False):
                return end
        return 0


def iban_recognizer() -> IbanRecognizer:
    """Return the recognizer of IBANs and BICs."""
    return IbanRecognizer()
