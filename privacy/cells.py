"""What the cells of a column are by their form: figures, sums, codes, names."""

from collections.abc import Sequence

import regex

from gama.tools.knowledge.index import look_up, may_be_forename

FIGURE = regex.compile(r"[+-]?\p{N}{1,6}(?:[.,]\p{N}+)?\s*%?")
"""A number that names nobody."""
SMALL = regex.compile(
    r"[+-]?(?:\p{N}{1,3}|\p{N}{1,6}[.,]\p{N}{1,2}"
    r"|\p{N}{1,3}(?:[ .,’'\u00a0\u202f]\p{N}{3})+(?:[.,]\p{N}{1,2})?)\s*[%kK]?"
)
"""A figure that is too short, or too much a sum, to be a number of somebody's."""
FAILED = regex.compile(
    r"#(?:N/?A|NV|(?:REF|BEZUG|VALUE|VALEUR|WERT|VALOR|DIV/0|NULL|NUM|ZAHL|NOMBRE|SPILL|CALC)!?|(?:NAME|NOM)\??)"
)
"""What a spreadsheet writes where a formula fails."""
CODED = regex.compile(r"\p{L}{0,2}[ -]?\p{N}{1,3}\p{L}?|\p{L}[+-]?|" + FIGURE.pattern)
"""A grade or a figure that names nobody, in a column or a field that is kept."""
# Accepts what somebody may be called, four words with a capital: `Big Nat`, `Fri(da)`, `Reading, Tom`.
CALLED = regex.compile(r"(?=.*\p{Lu})[\p{L}\p{M}().'’-]+(?:,? [\p{L}\p{M}().'’-]+){0,3}")
# Accepts a surname behind the initial of a forename: `L. Tupou`.
INITIALLED = regex.compile(r"(?:\p{Lu}\. ?){1,2}\p{Lu}\p{Ll}[\p{L}'’-]+")


def are_small(texts: Sequence[str]) -> bool:
    """Return whether the cells, but one in five that may say `absent`, are figures too small for numbers of people.

    Three digits each, no two alike, may be numbers of orders.
    """
    bare = [text.strip() for text in texts]
    small = sum(SMALL.fullmatch(text) is not None for text in bare)
    numbered = len(set(bare)) == len(bare) and all(len(text) == 3 and text.isdigit() for text in bare)
    return small >= 0.8 * len(texts) and small >= 2 and not numbered


# Accepts from where to where a score lies: `87-102`.
RANGE = regex.compile(r"\p{N}{1,3} ?[-–] ?\p{N}{1,3}")


def are_sums(texts: Sequence[str]) -> bool:
    """Return whether all cells are figures, nearly all of them round, which numbers of people seldom are."""
    bare = [text.strip() for text in texts]
    round_ones = sum(len(text) > 3 and text.endswith("00") for text in bare)
    return all(map(str.isdecimal, bare)) and 2 * round_ones >= sum(text != "0" for text in bare) and round_ones > 1


# Accepts a number of somebody's by its form, one word: `88214`, `AB-1204`. Refuses what is measured, and goods.
_CODE = regex.compile(r"(?!\p{N}+[.,]\p{N}+$)(?=(?:\P{N}*\p{N}){3})[\p{L}\p{N}./#-]{4,}|(?:\p{N}{2,}[ -]?){3,}")


def is_code(text: str) -> bool:
    """Return whether a cell is a number of somebody's by its form."""
    return _CODE.fullmatch(text) is not None


def is_on_the_map(text: str) -> bool:
    """Return whether a cell names a country or town that the world knows."""
    known = look_up(text.strip())
    return known is not None and "place" in known.kinds and known.fame > 1


def is_whole_name(text: str) -> bool:
    """Return whether a cell is what somebody is called, forename and surname: `A. Christie`, `Ivo Smit`."""
    value = text.strip()
    borne = INITIALLED.fullmatch(value) or may_be_forename(value.partition(" ")[0].strip(","))
    return " " in value and CALLED.fullmatch(value) is not None and bool(borne)
