"""Collects a restored text and keeps tables of values (CSV, TSV) whole: a field that a value needs quoted is quoted."""

import re
from functools import cache

from gama.tools.placeholders.escapes import in_csv, needs_quotes


class Output:
    """A restored text as it grows. In a table of values a field without quotes waits until it is whole."""

    def __init__(self) -> None:
        """Begin empty."""
        self.places: list[tuple[int, int]] = []
        """Where values stand in all that was given out."""
        self._ready: list[str] = []
        self._length = 0
        self._field: list[tuple[str, bool]] = []
        self._quoted = False
        self._inside = False
        self._dirty = False

    def text(self, text: str, delimiter: str = "") -> None:
        """Add a stretch of the answer's own text.

        Args:
            text: the text.
            delimiter: what separates fields where it stands in a table of values.
        """
        if not delimiter:
            self._end_field()
            self._emit(text)
            return
        at = 0
        for sign in _signs(delimiter).finditer(text):
            if sign[0] == '"':
                self._quoted = self._quoted or (not self._field and sign.start() == at)
                self._inside = self._quoted and not self._inside
            elif not self._inside:
                self._field.append((text[at : sign.start()], False))
                self._end_field()
                self._emit(sign[0])
                at = sign.end()
        if text[at:]:
            self._field.append((text[at:], False))
        self._let_go()

    def value(self, value: str, delimiter: str = "", *, verbatim: bool = False) -> None:
        """Add a restored value.

        Args:
            value: the value.
            delimiter: what separates fields where it stands in a table of values.
            verbatim: whether it is put in as it is even there.
        """
        if not delimiter:
            self._end_field()
            self._emit(value, value=True)
        elif self._inside:
            self._field.append((value if verbatim else in_csv(value), True))
        else:
            self._dirty = self._dirty or (needs_quotes(value, delimiter) and not verbatim)
            self._field.append((value, True))
        self._let_go()

    def take(self) -> str:
        """Return what is complete and has not been given out."""
        ready, self._ready = "".join(self._ready), []
        return ready

    def close(self) -> str:
        """Return the rest."""
        self._end_field()
        return self.take()

    def _let_go(self) -> None:
        """Give out what there is of a field in quotes: nothing behind can change it."""
        if self._quoted:
            for piece, is_value in self._field:
                self._emit(piece, value=is_value)
            self._field = []

    def _end_field(self) -> None:
        pieces, self._field = self._field, []
        if self._dirty and not self._quoted:
            self._emit('"')
            for piece, is_value in pieces:
                self._emit(in_csv(piece), value=is_value)
            self._emit('"')
        else:
            for piece, is_value in pieces:
                self._emit(piece, value=is_value)
        self._quoted = self._inside = self._dirty = False

    def _emit(self, text: str, *, value: bool = False) -> None:
        if value:
            self.places.append((self._length, self._length + len(text)))
        if text:
            self._ready.append(text)
            self._length += len(text)


@cache
def _signs(delimiter: str) -> "re.Pattern[str]":
    return re.compile(rf'"|{re.escape(delimiter)}|\r?\n')
