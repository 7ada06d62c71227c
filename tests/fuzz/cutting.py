"""Turns the bytes of a fuzzer into what harnesses need: numbers, texts of nasty pieces, boxes."""

import string
from collections.abc import Sequence
from typing import TypeVar

from gama.privacy.box import PrivacyBox

T = TypeVar("T")

PIECES = (
    *"<>[]{}()&;\\%*_`~-'\"«»‹›＜＞:=#@/., \n\t0123", "\x00", "\u200b", "\u202e", "\u00ad", "\ud83d", "e\u0301", "😀",
    "name", "name-1", "<name-1>", "<name-2>", "<first_name-1>", "<email-1>", "<<name-1>>", "name 1", "<literal-1>",
    "&lt;", "&gt;", "&#60;", "&#x3c;", "%3C", "%3E", "\\u003c", "\\u003e", "\\x3c", "first_", "date-", "<name-", "nаme-1",
    "Emma Williams", "EMMA WILLIAMS", "Emma", "Williams", "emma.williams@planted.example", "+44 7700 900461",
    "田中太郎", "Ås", "ﬁ", "İ", "ẞ", "data: ", "event: x\n", "\r\n", "\r", '{"', '":', "null", "true", "1e9",
)  # fmt: skip
"""What texts are put together of; a fuzzer of bytes alone would need ages to write one placeholder."""
SURFACES = (
    "Emma Williams",
    "Emma",
    "Williams",
    "emma.williams@planted.example",
    "+44 7700 900461",
    "田中太郎",
    "Ås",
    "3",
)
SUBTYPES = ("full_name", "first_name", "last_name", "email", "phone", "city", "age", "literal")


class Cutter:
    """Cuts bytes into values; at their end it gives the simplest ones.

    Args:
        data: the bytes.
    """

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    @property
    def left(self) -> int:
        return len(self._data) - self._at

    def byte(self) -> int:
        if self._at >= len(self._data):
            return 0
        self._at += 1
        return self._data[self._at - 1]

    def below(self, most: int) -> int:
        return self.byte() % most

    def one_of(self, choices: Sequence[T]) -> T:
        return choices[self.below(len(choices))]

    def raw(self, most: int = 1 << 16) -> bytes:
        cut = self._data[self._at : self._at + most]
        self._at += len(cut)
        return cut

    def text(self, most: int = 40) -> str:
        """Return nasty pieces, letters, and now and then a piece many times."""
        out: list[str] = []
        for _ in range(self.below(most + 1)):
            what = self.byte()
            if what < 160:
                out.append(PIECES[what % len(PIECES)])
            elif what < 220:
                out.append(string.ascii_letters[what % 52])
            elif what < 250:
                out.append(chr(self.byte() << 8 | self.byte()))
            else:
                out.append(self.one_of(PIECES) * (self.byte() * 4))
        return "".join(out)

    def box(self) -> PrivacyBox:
        """Return a box with a few entries."""
        return self.fill(PrivacyBox(style=self.one_of(("v2", "v1"))))

    def fill(self, box: PrivacyBox) -> PrivacyBox:
        """Add a few entries to a box."""
        for _ in range(self.below(6)):
            surface = self.one_of(SURFACES) if self.byte() < 200 else self.text(4)
            if surface:
                box.add(surface, self.one_of(SUBTYPES), self.one_of((None, "p1", "p2")))
        return box
