"""Payment cards: full numbers (Luhn and issuer range) and partly hidden ones."""

import re
from collections.abc import Iterator

from gama.state.entities import Span
from gama.tools.recognizers._labels import Label, LabelRecognizer
from gama.tools.recognizers._text import FIRST, RIGHT, digits, plain
from gama.tools.recognizers.base import hit

# Accepts: 12 to 19 digits in a run or in groups of 2 to 6 parted by one space, dash or dot; the first digit is 2 to 6.
# Refuses: longer runs, mixed text. Luhn and issuer decide the rest.
_FULL = re.compile(rf"[2-6]{FIRST}(?:[ .-]?[0-9]){{11,18}}{RIGHT}(?![.-][0-9])")

# Accepts: **** **** **** 4242, xxxx-xxxx-xxxx-1234, 5333 17** **** 6608, ••••4242. Refuses: *** alone, ***-**-7714
# (a social security number), plain numbers.
_MASKED = re.compile(
    rf"(?<![0-9A-Za-z*•])(?![*xX•]{{3}}-[*xX•]{{2}}-[0-9]{{4}})(?:[0-9]{{4}}[ -]?"
    rf"(?:[0-9]{{1,4}})?)?(?:[*xX•#]{{2,4}}[ -]?){{1,4}}(?<=[*xX•# -])"
    rf"(?:[*xX•#]{{2,4}}[ -]?)[0-9]{{3,4}}{RIGHT}"
)

# Issuer ranges: Visa, Mastercard (51-55, 2221-2720), Amex, Discover, Diners, JCB, UnionPay, Maestro, Mir.
_ISSUERS = re.compile(
    r"4\d{12}(?:\d{3})?(?:\d{3})?|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|"
    r"6(?:011|5\d\d|4[4-9]\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|35(?:2[89]|[3-8]\d)\d{12}|62\d{14,17}|"
    r"(?:50|5[6-9]|6[0-9])\d{10,17}|220[0-4]\d{12}"
)

_CARD_WORDS = (
    "credit card", "debit card", "visa", "mastercard", "amex", "american express", "card", "kreditkarte", "karte",
    "carte bancaire", "carte bleue", "tarjeta", "carta di credito", "cartão", "creditcard", "karta", "pan",
)  # fmt: skip

# The last digits of a card: "card ending 4242", "card (ends 2094". Refuses: "card 2", "card 2024-…".
_TAIL = re.compile(r"(?P<v>[0-9]{4})(?![0-9A-Za-z]|[.,/-][0-9])")
_ENDING = re.compile(
    r"(?:ends?|ending|endet|finissant|terminada?|che finisce|eindigend|last 4"
    r"|last four)(?:[ ](?:in|with|on|auf|par|en|op|digits?))?"
    r"[ :]{1,2}[(*…\"' -]{0,4}(?P<v>[0-9]{4})(?![0-9A-Za-z]|[.,/-][0-9])"
)

# A security code or an expiry date beside its label.
_CODE = re.compile(r"[0-9]{3,4}(?![0-9A-Za-z]|[.,/-][0-9])")
_EXPIRY = re.compile(r"(?:0[1-9]|1[0-2]) ?[/-] ?(?:20)?[0-9]{2}(?![0-9])")


def _issued(value: str) -> bool:
    from stdnum import luhn

    number = digits(value)
    return bool(_ISSUERS.fullmatch(number)) and len(set(number)) > 1 and bool(luhn.is_valid(number))


class CreditCardRecognizer:
    """Finds payment cards: by checksum, by the shape of a hidden number, or beside a word for a card."""

    name = "credit_card"
    subtypes = ("credit_card",)
    priority = 4

    def __init__(self) -> None:
        """Prepare the labels for numbers that fail the checksum, such as invented or mistyped ones."""
        groups = re.compile(
            rf"[2-6][0-9]{{3}}(?:[ -]?[0-9]{{4}}){{3}}{RIGHT}|3[47][0-9]{{2}}[ -]?[0-9]{{6}}[ -]?[0-9]{{5}}{RIGHT}"
        )
        self._labelled = LabelRecognizer(
            self.name,
            (
                Label(_CARD_WORDS, groups, "credit_card", 0.85, filler=True),
                Label(("cvv", "cvc", "cvv2", "cvc2", "security code"), _CODE, "credit_card", 0.9),
                Label(
                    ("expiry", "exp", "expires", "exp. date", "valid thru", "gültig bis"), _EXPIRY, "credit_card", 0.7
                ),
            ),
        )

    def find(self, text: str) -> Iterator[Span]:
        """Yield cards; only a number with a right checksum in an issuer's range is validated."""
        body = plain(text)
        if not body.has_digit:
            return
        for match in _FULL.finditer(body):
            if _issued(match[0]):
                yield hit(*match.span(), "credit_card", self.name, score=1.0, private=1.0, validated=True)
        if any(sign in body for sign in ("**", "xx", "XX", "••", "##")):
            for match in _MASKED.finditer(body):
                yield hit(*match.span(), "credit_card", self.name, score=0.9, private=1.0)
        if any(
            word in body.low for word in ("card", "visa", "amex", "karte", "carte", "tarjeta", "carta", "cvv", "cvc")
        ):
            yield from self._labelled.find(body)
            yield from self._endings(body.low)

    def _endings(self, low: str) -> Iterator[Span]:
        # A card's last digits count only where a word for a card stands in the sixty characters before.
        for match in _ENDING.finditer(low):
            before = low[max(0, match.start() - 60) : match.start()]
            if any(word in before for word in ("card", "visa", "amex", "karte", "carte", "tarjeta", "carta")):
                yield hit(*match.span("v"), "credit_card", self.name, score=0.8, private=1.0)


def credit_card_recognizer() -> CreditCardRecognizer:
    """Return the recognizer of payment cards."""
    return CreditCardRecognizer()
