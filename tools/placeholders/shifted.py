"""Moved dates in a text: what an answer says of them is moved back, in whatever notation it is written.

A day that the letter had is put back; one that the model has reckoned from it is moved by as many weeks. A date that
stood in clear stays. Where it may be the one or the other, it stays and is reported.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from typing import NamedTuple

import regex

from gama.state.box import Bijection, BoxEntry, Shift
from gama.tools.formulas.values import Day
from gama.tools.placeholders import dates
from gama.tools.placeholders.dates import Piece, Read

SUBTYPES = ("date", "date_of_birth")
BEFORE, AFTER = timedelta(days=366), timedelta(days=5 * 366)
"""How far before and after a moved date one lies that a model has reckoned from it; the day of the year may recur in
any year. What is further off is more likely history or law, which the model knows by itself."""


class Moved(NamedTuple):
    """A stretch of an answer with moved dates in it, and what it becomes."""

    start: int
    end: int
    text: str | None
    """None where it is not certain what is meant."""
    placeholder: str
    """That of the entry that is meant; empty where there is not one."""


class MovedDates:
    """The moved dates of a box, to be found in texts. False where there are none."""

    def __init__(self, box: Bijection) -> None:
        """Read the values of the box, and what stays in clear."""
        shift = box.shift or Shift(weeks=0)
        entries = [entry for entry in box.surrogates() if entry.subtype in SUBTYPES] if shift.weeks else []
        told = [text for entry in entries for text in (entry.surface, entry.placeholder)]
        self._known = dates.notation([*told, *shift.clear], shift.locale) if entries else None
        self._back = timedelta(weeks=-shift.weeks)
        self._own: dict[date, str] = {}
        self._births: set[date] = set()
        self.real: set[date] = set()
        """The real days behind the moved ones."""
        for entry in entries:
            self._add(entry)
        self._clear: set[date] = set()
        self._clear_texts: set[str] = set()
        for text in shift.clear if self._own else ():
            for piece in dates.pieces(text, shift.locale):
                self._clear_texts.add(text.casefold())
                self._clear |= {one.day.date for one in self._read(piece) or ()} if self._full(piece) else set()

    def __bool__(self) -> bool:
        """Return whether there are any."""
        return bool(self._own)

    def find(self, text: str, start: int, end: int) -> Iterator[Moved]:
        """Yield what an answer says of moved dates, and what it may say of them, left to right."""
        if self._known is None:
            return
        for piece in dates.pieces(text, self._known.locale, start, end):
            if found := self._meant(text, piece):
                yield found

    def own(self, text: str, start: int, end: int) -> Iterator[Moved]:
        """Yield the days alone to which dates of the box were moved."""
        if self._known is None:
            return
        for piece in dates.pieces(text, self._known.locale, start, end):
            told = self._read(piece)
            if told and self._full(piece) and any(one.day.date in self._own for one in told):
                yield Moved(piece.start, piece.end, self._restored(piece, told), self._own.get(told[0].day.date, ""))

    def twins(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where the real days stand, however they are written; a day without its year counts as well."""
        if self._known is None:
            return
        for piece in dates.pieces(text, self._known.locale):
            told = self._read(piece) if piece.form not in ("month", "year") else None
            yearly = {(day.month, day.day) for day in self.real}
            for one in told or ():
                day = one.day.date
                if day in self.real if dates.has_year(one) else (day.month, day.day) in yearly:
                    yield piece.start, piece.end
                    break

    def open_at(self, text: str, start: int) -> int:
        """Return where a date may begin that goes on behind the end of a text."""
        return dates.open_at(text, self._known.locale, start) if self._known else len(text)

    def _add(self, entry: BoxEntry) -> None:
        """Take the days of an entry that was moved by the number of the box, and not written by another style."""
        assert self._known is not None
        real, other = (
            [
                one.day.date
                for piece in dates.pieces(text, self._known.locale)
                for one in self._read(piece) or ()
                if dates.has_year(one)
            ]
            for text in (entry.surface, entry.placeholder)
        )
        if not other or real != [day + self._back for day in other]:
            return
        self.real.update(real)
        for day in other:
            self._own[day] = entry.placeholder if len(other) == 1 else self._own.get(day, "")
            if entry.subtype == "date_of_birth":
                self._births.add(day)

    def _read(self, piece: Piece, anchors: tuple[date, ...] = ()) -> tuple[Read, ...] | None:
        assert self._known is not None
        return dates.days_of(piece, self._known, anchors)

    def _full(self, piece: Piece) -> bool:
        told = self._read(piece)
        return bool(told) and all(map(dates.has_year, told or ()))

    def _meant(self, text: str, piece: Piece) -> Moved | None:
        stands = text[piece.start : piece.end]
        doubtful = Moved(piece.start, piece.end, None, "")
        clear = stands.casefold() in self._clear_texts
        told = self._read(piece)
        if piece.form in ("month", "year"):
            # Of a moved month or year it is not known what it was.
            parts = [(one.day.date.year, one.day.date.month if piece.form == "month" else 0) for one in told or ()]
            own = {(day.year, day.month if piece.form == "month" else 0) for day in self._own}
            return doubtful if not clear and own.intersection(parts) else None
        if told is not None and not all(map(dates.has_year, told)):
            yearly = {(day.month, day.day) for day in self._own}
            if clear:
                return doubtful if any((one.day.date.month, one.day.date.day) in yearly for one in told) else None
            told = self._with_years(piece, told)
        if told is None:
            return None if clear else doubtful
        days = [one.day.date for one in told]
        open_days = [day for day in days if day not in self._clear]
        if not open_days:
            return doubtful if any(map(self._reckoned, days)) else None
        if len(open_days) < len(days) or not all(map(self._reckoned, days)):
            return doubtful
        return Moved(piece.start, piece.end, self._restored(piece, told), self._own.get(days[0], ""))

    def _with_years(self, piece: Piece, told: tuple[Read, ...]) -> tuple[Read, ...] | None:
        """Return dates without year with the years that they must have; None where these are not certain."""
        yearly = [
            [day for day in self._own if (day.month, day.day) == (one.day.date.month, one.day.date.day)] for one in told
        ]
        if all(len(days) == 1 for days in yearly) and not self._said_in_clear(told):
            named = [one._replace(day=_on(one, days[0])) for one, days in zip(told, yearly, strict=True)]
            return tuple(named)
        anchors = tuple(sorted(set(self._own) - self._births))
        placed = self._read(piece, anchors) if anchors and not any(yearly) else None
        if placed is None or self._said_in_clear(told) or any(one.day.known != "day" for one in placed):
            return None
        return placed

    def _said_in_clear(self, told: tuple[Read, ...]) -> bool:
        yearly = {(day.month, day.day) for day in self._clear}
        return any((one.day.date.month, one.day.date.day) in yearly for one in told)

    def _restored(self, piece: Piece, told: tuple[Read, ...]) -> str | None:
        return dates.written(piece, told, [one.day.date + self._back for one in told])

    def _reckoned(self, day: date) -> bool:
        """Return whether a day may have been reckoned from a moved one."""
        if day in self._own:
            return True
        for own in self._own:
            if own not in self._births and own - BEFORE <= day <= own + AFTER:
                return True
            if any((day + timedelta(days=near)).timetuple()[1:3] == own.timetuple()[1:3] for near in (0, 1)):
                return True
        return False


def moved_dates(box: Bijection) -> MovedDates:
    """Return the moved dates of a box, read anew only when it has grown."""
    key = ("moved dates", len(box.shift.clear) if box.shift is not None else 0)
    known: MovedDates | None
    known, new = box.recall(key)
    return known if known is not None and not new else box.remember(key, MovedDates(box))


def _on(one: Read, day: date) -> Day:
    return replace(one.day, date=day, known="day")


def formulas_moved_back(reply: str, box: Bijection) -> dict[str, str]:
    """Return the formulas of a reply that have moved dates in them, each with these moved back.

    What is reckoned at home needs the real ones.
    """
    moved, out = moved_dates(box), dict[str, str]()
    for formula in regex.findall(r"\{\{[^{}]*\}\}", reply) if moved else ():
        told, at = "", 0
        for one in moved.find(formula, 0, len(formula)):
            told += formula[at : one.start] + (one.text or formula[one.start : one.end])
            at = one.end
        if at:
            out[formula] = told + formula[at:]
    return out


def keep_clear(box: Bijection, text: str, hidden: list[tuple[int, int]]) -> None:
    """Remember which dates stand in an anonymized text and were not moved.

    Args:
        box: the box.
        text: the anonymized text.
        hidden: where placeholders stand in it.
    """
    shift = box.shift
    assert shift is not None
    for piece in dates.pieces(text, shift.locale):
        stands = text[piece.start : piece.end]
        if stands not in shift.clear and not any(start < piece.end and piece.start < end for start, end in hidden):
            shift.clear.append(stands)


def whole_dates(text: str, locale: str, start: int, end: int) -> tuple[int, int]:
    """Return a stretch, widened to the whole of a date that it is a part of."""
    for piece in dates.pieces(text, locale):
        if piece.start < end and start < piece.end:
            start, end = min(start, piece.start), max(end, piece.end)
    return start, end
