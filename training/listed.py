"""Texts of which it is listed what is private in them and what must stay: examples that teach a tagger in part.

A line is an object with `text`, and lists of strings as they stand in it: `direct` (names, codes, addresses), `facts`
(sensitive, or telling), `needed` (what an answer needs, which is nobody's), `request` (what the writer asks for).

What is direct is private, of the subtype that a detector gives it, or of any that its form allows. What is needed is
outside of every span, or the public name that the tagger takes it for. Of a fact the tagger's own spans are private. Of
its other words nothing is learnt, nor of what only a detector takes for private, nor of what is needed and yet a
fact of somebody, such as a day or a finding: that it may stay is for `privacy/asked.py` to say; `strict` hides it.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from gama.evals.datasets.corpus import Example, Mark, corpus_files
from gama.models.embedded import SUBTYPE_NAMES, WEIGHTS, Tagger
from gama.state.entities import TYPE_OF
from gama.state.errors import InputError
from gama.state.options import Options
from gama.training.augment import Rates
from gama.training.choose import LEAST

LISTED = Path(__file__).parent / "records" / "listed"
"""The listed texts of this package, written by language models that had a description of the format alone."""


RATES = replace(Rates(), surrogates=0.5, famous=0.04, unknown=0.0, lower=0.06, upper=0.03)
"""How often each change is made to them: less than to others, since what is public in them stays so by its name."""


def read_listed(folder: Path = LISTED, start: Path = WEIGHTS) -> list[Example]:
    """Return the listed texts of a folder as examples, by what the shipped detector makes of them.

    Args:
        folder: `.jsonl` files.
        start: Folder of the tagger whose subtypes are taken.

    Raises:
        InputError: there is no such file, or a line is no listed text.
    """
    from gama.privacy.pipeline import Pipeline

    tagger, pipeline, found = Tagger(start), Pipeline(Options(privacy="strict")), list[Example]()
    for file in corpus_files(folder):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            try:
                raw = json.loads(line)
                text, direct, needed = str(raw["text"]), list(raw["direct"]), list(raw["needed"])
            except (ValueError, KeyError, TypeError) as error:
                problem = f"{file.name}, line {number}: no listed text ({type(error).__name__})"
                raise InputError(f"{problem}: expected an object with text, direct, needed") from None
            tagged = [Guess(one.start, one.end, one.subtype, one.score) for one in tagger.spans(text, LEAST)]
            hidden = [Guess(one.start, one.end, one.subtype) for one in pipeline.find(text, []) if one.private]
            found.append(example(text, direct, raw.get("facts", ()), needed, tagged, hidden))
    return found


class Guess(NamedTuple):
    """What a detector takes a stretch for."""

    start: int
    end: int
    subtype: str
    score: float = 1.0
    """How sure it is."""


SURE = 0.7
"""From this score on what the tagger takes for a fact is one, needed or not; below, it is as often a dish."""
_ADDRESS = ("street_address", "postcode", "city")
_FIGURES = 3
"""Digits from which on a private string is a code, an address or a date, and no name."""


def _of(*kinds: str) -> tuple[str, ...]:
    return tuple(one for one in SUBTYPE_NAMES if TYPE_OF[one] in kinds)


def allowed(value: str) -> tuple[str, ...]:
    """Return the subtypes that a private string may have by its form."""
    if "@" in value or sum(map(str.isdigit, value)) >= _FIGURES:
        return (*_of("CODE", "DATETIME"), *_ADDRESS)
    return (*_of("PER"), *_ADDRESS, "other_id", "password")


def places(text: str, value: str) -> Iterator[tuple[int, int]]:
    """Yield where a string stands in a text as whole words."""
    before = r"(?<!\w)" if value[:1].isascii() and value[:1].isalnum() else ""
    behind = r"(?!\w)" if value[-1:].isascii() and value[-1:].isalnum() else ""
    for match in re.finditer(before + re.escape(value) + behind, text):
        yield match.span()


def example(
    text: str,
    direct: Sequence[str],
    facts: Sequence[str],
    needed: Sequence[str],
    tagged: Sequence[Guess],
    hidden: Sequence[Guess],
) -> Example:
    """Return a listed text as an example.

    Args:
        text: the text.
        direct: private strings in it.
        facts: sensitive ones, needed or not.
        needed: those that must stay.
        tagged: what the tagger takes for a span.
        hidden: what the detector as a whole hides.
    """
    marks: list[Mark] = []
    free = bytearray(b"\1") * len(text)

    def take(start: int, end: int, subtypes: tuple[str, ...], private: bool | None) -> None:
        if all(free[start:end]):
            free[start:end] = bytes(end - start)
            marks.append(Mark(start, end, subtypes, private))

    guesses = [*tagged, *(one for one in hidden if one.subtype in SUBTYPE_NAMES)]
    for value in _longest_first(direct):
        for start, end in places(text, value):
            exact = [one.subtype for one in guesses if (one.start, one.end) == (start, end)]
            inside = [one for one in tagged if start <= one.start and one.end <= end]
            if exact:
                take(start, end, (exact[0],), True)
            elif len(inside) > 1 and sum(one.end - one.start for one in inside) >= _WHOLE * (end - start):
                for one in inside:  # An address in its parts, as annotators mark it.
                    take(one.start, one.end, (one.subtype,), True)
            else:
                over = {TYPE_OF[one.subtype] for one in guesses if one.start < end and start < one.end}
                kinds = _of(next(iter(over))) if len(over) == 1 else allowed(value)
                take(start, end, kinds, True)
    for value in _longest_first(facts):
        for start, end in places(text, value):
            for one in tagged:
                if start <= one.start and one.end <= end:
                    take(one.start, one.end, (one.subtype,), True)
            _pass_over(free, start, end, take)
    for value in _longest_first(needed):
        for start, end in places(text, value):
            for one in tagged:
                if start <= one.start and one.end <= end:
                    _take_needed(text, one, take)
            free[start:end] = bytes(end - start)
    for one in guesses:
        _pass_over(free, one.start, one.end, take)
    return Example(text, tuple(sorted(marks, key=lambda mark: mark.start)), source="listed")


def _take_needed(text: str, one: Guess, take: Callable[..., None]) -> None:
    """Mark what the tagger finds in what is needed: a name is public, of a sure fact nothing is learnt."""
    kind = TYPE_OF[one.subtype]
    if kind in ("PER", "LOC", "ORG") and text[one.start].isupper():
        take(one.start, one.end, (one.subtype,), False)
    elif kind in ("DEM", "DATETIME", "QUANTITY") and one.score >= SURE:
        take(one.start, one.end, (), None)


_WHOLE = 0.8
"""Share of a private string that the parts of it must cover which the tagger finds."""


def _longest_first(values: Sequence[str]) -> list[str]:
    return sorted(set(values), key=lambda value: (-len(value), value))


def _pass_over(free: bytearray, start: int, end: int, take: Callable[..., None]) -> None:
    """Leave what is free of a stretch unlearnt."""
    while start < end:
        stop = start
        while stop < end and free[stop]:
            stop += 1
        if stop > start:
            take(start, stop, (), None)
        start = max(stop, start + 1)
