"""Reads the values of a box, with what all of them tell of the letter's notation."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date

import regex

from gama.tools.formulas.dates import Calendar, read_time
from gama.tools.formulas.durations import read_duration
from gama.tools.formulas.numbers import DIGITS, Marks, read_amount, read_digits, unreadable
from gama.tools.formulas.values import (
    Amount,
    Clock,
    Context,
    Day,
    Duration,
    Fault,
    Moment,
    PrivateValue,
    Span,
    Term,
    Text,
    Value,
)
from gama.tools.formulas.words import SHARED, calendar, locale_of, one_of, tidy

DATES = ("date", "date_of_birth")
LONGEST = 100
"""The most characters of a number, date, time or duration."""
AMOUNTS = ("amount", "height", "weight")
NEVER = (
    "name", "first_name", "last_name", "phone", "email", "iban", "credit_card", "ssn", "url", "secret", "handle",
    "address",
)  # fmt: skip
"""Kinds that are never reckoned with, however they look."""

_TWELVE_HOURS = ("US", "CA", "AU", "NZ", "IN", "PH")


_OF_A_MONTH = regex.compile(
    r"(?:(?:the|am|den|der|on|le|el|il|o|dia|día|del) )*0?([1-9]|[12]\d|3[01])(?:st|nd|rd|th|er|º|ª|°|:a|:e|\.)",
    regex.I,
)
# Accepts a day without month, told by an ordinal: "5th", "the 1st", "am 15.", "1er". Refuses a bare number.


class Reader:
    """The values of a box, read once, each when it is first needed."""

    def __init__(self, values: Mapping[str, PrivateValue], context: Context) -> None:
        """Keep the values, and learn the notation of the letter from all of them."""
        self.values = values
        self.context = context
        self.locale = locale_of(context.locale)
        short = [value for value in values.values() if len(value.text) <= LONGEST]
        texts = [tidy(value.text) for value in short if value.kind in (*AMOUNTS, "duration")]
        self.marks = Marks(self._decimal(texts), self.locale.language)
        times = [tidy(value.text) for value in short if value.kind in (*DATES, "time")]
        spelled = regex.compile(r"\d(?:st|nd|rd|th)?(?: of)? \p{Lu}\p{Ll}{2,} \d{4}")
        self.day_before_month = any(spelled.search(text) for text in times)
        """Whether the letter writes "12 May 2025", not "May 12, 2025"."""
        known = Calendar(self.locale.language, self._day_first(times), self._twelve(times), (), context.today)
        self.calendar = known._replace(anchors=tuple(self._anchors(known)))
        self._read: dict[str, Value | Fault] = {}

    def __getitem__(self, placeholder: str) -> Value:
        """Return the value of a placeholder.

        Raises:
            Fault: there is none, or it cannot be read.
        """
        if placeholder not in self.values:
            raise Fault("unknown_placeholder", f"{placeholder} is not in this task")
        if placeholder not in self._read:
            try:
                self._read[placeholder] = self._value(self.values[placeholder], self.calendar)
            except Fault as fault:
                self._read[placeholder] = Fault(fault.code, f"{placeholder} {fault.message}")
        found = self._read[placeholder]
        if isinstance(found, Fault):
            raise Fault(found.code, found.message)
        return found

    def as_letter(self, amount: Amount) -> Amount:
        """Return money of a formula in the letter's own currency: `480 SEK` is `480 kr` where all crowns are `kr`."""
        for sign, codes in SHARED.items():
            if amount.unit != sign and amount.unit not in codes:
                continue
            units = self._units() & {sign, *codes}
            if amount.unit in units:
                return amount
            if units == {sign} and not self.context.currencies.intersection(codes):
                return replace(amount, unit=sign, look=None)
            if amount.unit == sign and len(units) == 1 and self.context.currencies.intersection(codes) <= units:
                return replace(amount, unit=units.pop(), look=None)
        return amount

    def _units(self) -> set[str]:
        """Return the units of the amounts that can be read."""
        found = set()
        for placeholder, value in self.values.items():
            if value.kind in AMOUNTS:
                try:
                    one = self[placeholder]
                except Fault:
                    continue
                ends = (one.start, one.end) if isinstance(one, Span) else (one,)
                found |= {end.unit for end in ends if isinstance(end, Amount)}
        return found

    def _value(self, value: PrivateValue, known: Calendar) -> Value:
        text, kind = value.text, value.kind
        if len(text) > LONGEST and kind in (*AMOUNTS, *DATES, "time", "duration", "age"):
            raise Fault("unreadable", f"cannot be read as a {kind.replace('_', ' ')}")
        if kind in (*DATES, "time"):
            try:
                dotted = kind == "time"
                return read_time(text, known._replace(dotted=dotted), birth=kind == "date_of_birth", bare_hours=dotted)
            except Fault as fault:
                if fault.code != "unreadable":
                    raise
                return self._by_look(text, fault, known)
        if kind == "duration":
            try:
                return read_duration(text, self.marks)
            except Fault as fault:
                first = fault
            if first.code != "unreadable":
                raise first
            return self._by_look(text, first, known)
        if kind == "age":
            return self._age(text)
        if kind in AMOUNTS:
            try:
                return self._amount(text)
            except Fault as fault:
                if fault.code != "unreadable":
                    raise
                return self._by_look(text, fault, known)
        if kind == "result" and len(text) <= LONGEST:
            for read in (self._amount, lambda given: read_time(given, known._replace(dotted=False)), self._duration):
                try:
                    return read(text)
                except Fault as fault:
                    if fault.code != "unreadable":
                        raise
        reads = None
        if kind not in NEVER and any(map(str.isdigit, text)) and len(text) <= 40:
            try:
                reads = self._by_look(text, Fault("unreadable", ""), known)
            except Fault:
                reads = None
        return Text(text, kind, reads, shown=text)

    def _by_look(self, text: str, fault: Fault, known: Calendar) -> Value:
        """Return what a text is by its form, where its kind does not fit: a duration, a number, a date, a weekday.

        Raises:
            Fault: the one given, or that the text can be read in two ways.
        """
        months = calendar("months", known.language)
        told, days = (
            tidy(text),
            {name: day for name, day in calendar("days", known.language).items() if name not in months},
        )
        # A conjunction or the beginning of the next sentence that was taken along with a whole date.
        end = regex.search(r"(?<=\d{4}(?: r\.)?) (?:ed?|and|und|et|y|en|och|og|i)$|(?<=\d{4} r)\. \p{Lu}\p{L}+$", told)
        if end:
            told = told[: end.start()]
        if (name := told.casefold().rstrip(".")) in days or (name.endswith("s") and name[:-1] in days):
            return Term("weekday", str(days.get(name, days.get(name.removesuffix("s"), (0, "")))[0]), shown=text)
        if day := _OF_A_MONTH.fullmatch(told):
            return Term("day", day[1], shown=text)
        dates = known._replace(dotted=False)
        for read in (self._duration, self._measured, self._plain, lambda given: read_time(given, dates)):
            try:
                found = read(told)
            except Fault as other:
                if other.code not in ("unreadable", "contradiction"):
                    raise
                continue
            first = found.start if isinstance(found, Span) else found
            unsure = isinstance(first, Day) and first.known not in ("day", "yearless")
            if not unsure and not (isinstance(first, Clock) and ":" not in told):
                return found if end is None else replace(found, shown=told)
        raise fault

    def _measured(self, text: str) -> Value:
        """Read a number with a unit, or of things."""
        found = self._amount(text)
        first = found.start if isinstance(found, Span) else found
        if isinstance(first, Amount) and not first.unit:
            raise unreadable()
        return found

    def _plain(self, text: str) -> Value:
        """Read a number that is neither a code nor a year with marks."""
        if not regex.fullmatch(r"(?!0\d)\d{1,6}|\d{1,3}[.,]\d{1,2}", text):
            raise unreadable()
        return read_amount(text, self.marks)

    def _duration(self, text: str) -> Value:
        return read_duration(text, self.marks)

    def _or(self, fault: Fault, text: str) -> Value:
        try:
            return self._duration(text)
        except Fault:
            raise fault from None

    def _age(self, text: str) -> Value:
        told = tidy(text)
        words = one_of("age")
        bare = regex.sub(rf"^{words} |(?:(?<=\d)| |-){words}$", "", told, flags=regex.IGNORECASE).strip(" -")
        bare = regex.sub(rf"^{words} ", "", bare, flags=regex.IGNORECASE)
        try:
            return replace(read_amount(bare, self.marks), shown=text)
        except Fault as fault:
            found = self._or(fault, regex.sub(r"[ -]old$", "", told))
            if isinstance(found, Duration) and found.unit in ("second", "minute", "hour"):  # "90s"
                raise
            return replace(found, shown=text)

    def _amount(self, text: str) -> Value:
        try:
            return read_amount(text, self.marks)
        except Fault as fault:
            first = fault
        told = tidy(text)
        between = rf"(?<=[\d\w€$£%]) ?(?<!\p{{L}}(?=\p{{L}})){one_of('between')}(?=[ \d€$£]) ?"
        for match in regex.finditer(between, told, regex.IGNORECASE):
            try:
                left, right = (
                    read_amount(told[: match.start()], self.marks),
                    read_amount(told[match.end() :], self.marks),
                )
            except Fault:
                continue
            left = replace(
                left,
                unit=left.unit or right.unit,
                per=left.per or right.per,
                look=right.look if not left.unit else left.look,
            )
            right = replace(right, unit=right.unit or left.unit, look=right.look if right.unit else left.look)
            if left.unit == right.unit and left.per == right.per and left.number < right.number:
                return Span(left.bare(), right.bare(), shown=text)
        raise first

    def _decimal(self, texts: Iterable[str]) -> str | None:
        """Return the mark before decimals, from numbers that leave no doubt; else that of the letter's language."""
        told = set()
        for text in texts:
            for number in regex.findall(DIGITS, text):
                try:
                    read = read_digits(number, Marks(None))
                except Fault:
                    continue
                told.add(read.decimal or {",": ".", ".": ","}.get(read.group, ""))
        told.discard("")
        own = self.locale.number_symbols["latn"]["decimal"] if self.context.locale else None
        if len(told) > 1 or (told and own not in told):
            return None if len(told) > 1 or own else told.pop()
        return told.pop() if told else own

    def _day_first(self, texts: Iterable[str]) -> bool | None:
        """Return whether the day stands before the month, from dates that leave no doubt; else by the country."""
        told = set()
        for text in texts:
            for one, two in regex.findall(r"(?<!\d)(\d{1,2})[/-](\d{1,2})(?:[/-](?:\d{4}|\d\d))?(?![\d/])", text):
                if (int(one) > 12) != (int(two) > 12) and max(int(one), int(two)) <= 31 and min(int(one), int(two)) > 0:
                    told.add(int(one) > 12)
        if told:
            return told.pop() if len(told) == 1 else None
        language, country = self.locale.language, self.locale.territory
        if language == "en":
            return None if country in (None, "CA", "ZA", "PH") else country != "US"
        return None if country in ("US", "CA") or language in ("zh", "ja", "ko", "hu", "lt") else True

    def _twelve(self, texts: Iterable[str]) -> bool:
        """Return whether hours are counted to twelve."""
        said = any(regex.search(r"\d ?[ap]\.?m\b", text, regex.IGNORECASE) for text in texts)
        return said or self.locale.territory in _TWELVE_HOURS

    def _anchors(self, known: Calendar) -> Iterable[date]:
        """Yield the full dates of the letter, those of birth aside."""
        for value in self.values.values():
            if value.kind == "date" and len(value.text) <= LONGEST:
                try:
                    read = self._value(value, known)
                except Fault:
                    continue
                for end in (read.start, read.end) if isinstance(read, Span) else (read,):
                    day = end.day if isinstance(end, Moment) else end
                    if isinstance(day, Day) and day.known == "day":
                        yield day.date
