"""National identity, insurance and tax numbers of some forty countries (python-stdnum).

Policy: a checksum alone proves little, since about one in ten digit strings passes. A number is reported
when (1) its punctuation, letters or date are its country's own *and* the checksum is right: validated; or
(2) a label stands beside it: validated where the checksum of the label's country is right, and still reported,
not validated, where it is not, because people mistype and invented numbers avoid issued ranges.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache, partial

from gama.state.entities import Span
from gama.tools.recognizers.base import PlainText, digits, hit, plain
from gama.tools.recognizers.checks import confirmed, plausible_number
from gama.tools.recognizers.declared import declaration
from gama.tools.recognizers.rules import Label, RuleRecognizer

_DECLARED = declaration("national_id")
_US = _DECLARED.expression("us")
_NINO = _DECLARED.expression("nino")
_LETTERS = _DECLARED.expression("letters")
_NUMBER = re.compile("[0-9]+")


@cache
def national_forms() -> tuple[tuple[str, re.Pattern[str], str], ...]:
    """Return the forms that are recognized without a label: module of python-stdnum, expression, subtype."""
    edges = "(?&left)(?<![0-9][ .-]){}(?&right)(?![ .-]?[0-9])"
    return tuple(
        (module, re.compile(_DECLARED.expanded(edges.replace("{}", regex))), subtype)
        for module, regex, subtype in _DECLARED.tree["forms"]
    )


class NationalIdRecognizer:
    """Finds national numbers by form and checksum, or by label."""

    name = "national_id"
    subtypes = ("patient_id", "ssn", "tax_id")
    priority = 3

    def __init__(self) -> None:
        """Compile the forms."""
        # One expression for all forms tells quickly where none of them can begin.
        self._any = re.compile("|".join(regex.pattern for _, regex, _ in national_forms()))
        value = _DECLARED.expression("value")
        labels = [
            Label(
                words=tuple(told["words"]), value=value, subtype=told["subtype"], score=0.85, check=plausible_number,
                proof=partial(_confirmed_by_one, modules=told.get("modules", ())), filler=True,
            )
            for told in _DECLARED.tree["labelled"]
        ]  # fmt: skip
        tails = Label(
            words=_DECLARED.words["tail_labels"], value=_DECLARED.expression("tail"), subtype="ssn", score=0.85
        )
        self._labelled = RuleRecognizer(self.name, (*labels, tails))

    def find(self, text: str) -> Iterator[Span]:
        """Yield the numbers, labelled ones first."""
        body = plain(text)
        if not body.has_digit:
            return
        yield from self._labelled.find(body)
        for shape in (_US, _NINO):
            for found in shape.finditer(body):
                yield hit(*found.span(), "ssn", self.name, score=0.9, private=1.0)
        for at in self._starts(body):
            if not self._any.match(body, at):
                continue
            for module, regex, subtype in national_forms():
                match = regex.match(body, at)
                if match and len(set(digits(match[0]))) > 1 and confirmed(match[0], module):
                    yield hit(*match.span(), subtype, self.name, score=1.0, private=1.0, validated=True)

    @staticmethod
    def _starts(body: PlainText) -> Iterator[int]:
        yield from body.numbers
        for number in _NUMBER.finditer(body):
            at = number.start()
            if at and (body[at - 1] in " -&" or body[at - 1].isalpha()):
                letters = _LETTERS.search(body[max(0, at - 9) : at])
                if letters:
                    yield max(0, at - 9) + letters.start()


def _confirmed_by_one(value: str, modules: Sequence[str]) -> bool:
    return any(confirmed(value, module) for module in modules)
