"""What is hidden already is hidden in another form, too: `12.05.1985` beside `12 May 1985`, `Radim` beside `Radima`."""

import re
from collections.abc import Iterable, Sequence
from datetime import date

from gama.privacy.decide import by_person
from gama.privacy.fuse import stand
from gama.privacy.inflected import in_any_form
from gama.state.box import Bijection
from gama.state.entities import TYPE_OF, Entity
from gama.state.options import Options
from gama.tools.placeholders.dates import full_days, notation

_DAYS = frozenset(("date", "date_of_birth"))
# Accepts a number as letters write sums: `2,780`, `33.360,00`, `1 200`.
_NUMBER = re.compile(r"\d{1,3}(?:[.,'’ \u00a0\u202f]\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d+(?:[.,]\d{1,2})?(?!\d)")
_LEAST = 3
"""Figures of a sum that is known again."""


def in_any_notation(text: str, entities: Sequence[Entity], box: Bijection | None, options: Options) -> list[Entity]:
    """Return mentions in which a day or a sum that is private elsewhere in the text, or in the box, is private.

    A name that is hidden in one case of its language is hidden in the others.

    Args:
        text: the raw text.
        entities: its mentions.
        box: the conversation's, if there is one.
        options: say what is never private.
    """
    entities = in_any_form(text, entities, stand(text, options.allow))
    days = [one for one in entities if not one.private and one.subtype in _DAYS]
    sums = [one for one in entities if not one.private and one.type == "QUANTITY"]
    if not days and not sums:
        return list(entities)
    own = [(one.text, one.subtype) for one in entities if one.hidden]
    known_days, known_sums = _told(own, text, days=bool(days))
    if box is not None:
        kept: tuple[set[date], set[str]] | None
        kept, new = box.recall("any notation")
        if kept is None or new:
            more = _told([(one.surface, one.subtype) for one in new if one.kind != "literal"], text, days=True)
            kept = box.remember("any notation", (kept[0] | more[0], kept[1] | more[1]) if kept else more)
        known_days, known_sums = known_days | kept[0], known_sums | kept[1]
    again = {
        id(one)
        for one in days
        if known_days and not by_person(one) and not known_days.isdisjoint(_days([one.text], text))
    } | {id(one) for one in sums if not by_person(one) and not known_sums.isdisjoint(sums_of(one.text))}
    if not again:
        return list(entities)
    return [one.model_copy(update={"private": True}) if id(one) in again else one for one in entities]


def _told(values: Sequence[tuple[str, str]], text: str, *, days: bool) -> tuple[set[date], set[str]]:
    """Return the days and the sums of private values, which come with their subtypes."""
    dates = [value for value, subtype in values if subtype in _DAYS] if days else []
    sums = {one for value, subtype in values if TYPE_OF.get(subtype) == "QUANTITY" for one in sums_of(value)}
    return _days(dates, text) if dates else set(), sums


def _days(values: Sequence[str], text: str) -> set[date]:
    """Return the days that dates with a year in them mean, as the text's language writes them."""
    from gama.tools.formulas.language import context_of

    how = notation([*values, text], context_of(text).locale)
    return {day for value in values for day in full_days(value, how)}


def sums_of(value: str) -> Iterable[str]:
    """Return the numbers of a value in one form, without zeros behind the point."""
    for match in _NUMBER.finditer(value):
        whole, _, cents = re.sub(r"[.,](?=\d{1,2}$)", "|", match[0]).partition("|")
        plain = re.sub(r"\D", "", whole)
        if len(plain) >= _LEAST:
            yield plain if not cents.strip("0") else f"{plain}.{cents}"
