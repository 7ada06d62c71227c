"""International bank account numbers, and the BIC beside them."""

from collections.abc import Iterator

from gama.state.entities import Span
from gama.tools.recognizers.base import hit, plain
from gama.tools.recognizers.declared import declaration

_DECLARED = declaration("iban")
_IBAN = _DECLARED.expression("iban")
_SHAPE = _DECLARED.expression("shape")
_LABELLED = _DECLARED.recognizer()


class IbanRecognizer:
    """Finds account numbers by checksum (`stdnum.iban`); behind the word IBAN by shape as well."""

    name = "iban"
    subtypes = ("iban", "other_id")
    priority = 5

    def find(self, text: str) -> Iterator[Span]:
        """Yield the account numbers, the longest valid reading of each."""
        body = plain(text)
        yield from _LABELLED.find(body)
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
