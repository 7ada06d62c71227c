"""One decision for each column of a table: its cells are hidden, or kept, all alike and as one subtype.

Cell by cell a tagger sees a number and little else: the salary of one row would leave and that of the next be hidden,
and whatever is reckoned from what is left would be wrong without a sign. A column has a head, and rows that vote.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import regex

from gama.privacy.cells import (
    CALLED,
    CODED,
    FAILED,
    FIGURE,
    INITIALLED,
    RANGE,
    are_small,
    are_sums,
    is_code,
    is_on_the_map,
    is_whole_name,
)
from gama.privacy.decide import by_person, value_key
from gama.privacy.heads import PLACES, WORD, is_roster, said_of, stems, words_of
from gama.privacy.level import level_of, may_leave, treatment
from gama.privacy.select import Need
from gama.state.entities import TYPE_OF, Entity, Spread
from gama.state.options import Options
from gama.tools.knowledge.index import is_surname, look_up, may_be_forename

if TYPE_CHECKING:
    from gama.tools.documents.base import Block

ROWS = 3
"""Rows that vote: with fewer, the head alone decides."""
WORDS = 6
"""A column whose cells have more words at the median holds texts, which are read each by itself."""
MOST = 0.5
"""Share of the cells that hides a column of facts and figures."""
SOME = 0.3
"""The same of names, codes and addresses: a name that is missed is worse than a word that is hidden."""
ALIKE = 0.6
"""Share of what is found in a column that must be of one type, so that all its cells are taken for that."""
SENSITIVE = frozenset(
    "medical_condition disability religion sexual_orientation political_affiliation ethnicity race circumstance".split()
)
"""Facts that stay hidden in the cells in which they stand, however few those are."""
DIRECT = frozenset(("PER", "CODE"))
"""Types that name somebody."""

LISTED = 3
"""So many names that the world knows, and half of the cells, make a column one of famous people."""
NAMED = frozenset(("PER", "LOC", "ORG"))
_SECRET = frozenset(("password", "credit_card", "iban", "bank_account", "api_key"))
_COVERED = 0.6
"""Share of a cell's letters and digits that a mention has, so that the cell is that mention."""
_NOTHING = regex.compile(
    r"(?i)(?:n\s*/?\s*a|n\.\s*a\.|nan|null|none|nil|unknown|tb[acd]|k\.\s*a\.|true|false|yes|no|vacant|anonymous|root|admin"
    r"|administrator|system|guest|nobody|postgres|localhost|127\.0\.0\.1|[^\p{L}\p{N}]*)"
)
"""Cells that say nothing of anybody."""
# Accepts a day in figures.
_DATE = regex.compile(r"\d{4}-\d\d-\d\d|\d{1,2}[./]\s?\d{1,2}[./]\s?(?:\d\d){1,2}")

# Accepts a word of programs: `OOMKilled`, `BackOff`. Refuses `McDonald`, `DeShawn`.
_CAMEL = regex.compile(
    r"(?!(?:Ma?c|De|La|Le|Di|Van|O(?=\p{Lu}\p{Ll}))\p{Lu})\p{Lu}(?:\p{L}*\p{Ll}\p{Lu}|\p{Lu}+\p{Ll})\p{L}*"
)
OWNED = frozenset(
    "email phone date_of_birth age income bonus ssn tax_id passport employee_id student_id patient_id other_id "
    "handle".split()
)
"""What people have: a column of it says that rows are of people."""
# Accepts whose a thing is: `Portrait of our Nan, Olwen`.
_OURS = regex.compile(r"(?i)(?<!\w)(?:my|our|mein\w*|unser\w*|mon|ma|notre|mi|nuestr[oa])(?!\w)")
# Accepts the initial of a surname behind a forename: ` M.`.
_INITIAL = regex.compile(r"\s\p{Lu}\.?")
_COUNTED = frozenset(("age", "time", "duration", "investment_return", "roi", "debt_ratio", "result"))
"""As what figures are voted whose head does not say so: the marks of a class are no ages."""


_COLOURS = frozenset(
    "red blue green yellow gold silver bronze black white grey gray orange purple pink violet amber crimson scarlet "
    "rot blau grün gelb schwarz weiß rouge bleu vert jaune noir blanc rojo azul verde amarillo rosso blu giallo nero "
    "bianco".split()
)
"""What teams and groups are called, though people are called Red and Blue, too."""


class Cell(NamedTuple):
    """A cell, and where it stands."""

    part: int
    """Number of the text that it was read in."""
    start: int
    end: int
    column: str
    """Which cells are of one column."""
    head: str
    """What its column is called; empty where that is not said."""


class _Column(NamedTuple):
    """The cells of a column that say anything, each with the mentions in it."""

    head: str
    cells: list[tuple[Cell, list[Entity]]]


def settle_columns(parts: Sequence[tuple[str, Sequence[Entity]]], cells: Iterable[Cell]) -> list[list[Entity]]:
    """Return the mentions of each text, those in the columns of its table decided by column.

    Mentions that a person, `deny` or `allow` has decided on stay what they are.

    Args:
        parts: the texts, each with its mentions.
        cells: of the tables in them.
    """
    out = [list(found) for _, found in parts]
    columns = columns_in(parts, cells)
    heads = frozenset(column.head.strip().casefold() for column in columns)
    told = ["things" if _is_of_the_world(parts, column) else said_of(column.head, heads) for column in columns]
    people = any(
        _is_of_people(column) for column, said in zip(columns, told, strict=True) if said not in ("places", "things")
    )
    owned = not OWNED.isdisjoint(told) or is_roster([column.head for column in columns])
    for column, said in zip(columns, told, strict=True):
        subtype = _subtype(parts, column, said, people=people, owned=owned)
        if subtype is None:
            continue
        for cell, found in column.cells:
            if any(by_person(one) for one in found):
                continue
            if said == "things" and _OURS.search(parts[cell.part][0], cell.start, cell.end):
                continue
            whole = parts[cell.part][0][cell.start : cell.end]
            made = _public(found, said, whole) if subtype == "" else _hidden(parts[cell.part][0], cell, found, subtype)
            mine = {id(one) for one in found}
            out[cell.part] = [one for one in out[cell.part] if id(one) not in mine] + made
    return [sorted(found, key=lambda one: (one.start, one.end)) for found in out]


def by_column(
    need: Need, parts: Sequence[tuple[str, Sequence[Entity]]], cells: Iterable[Cell], query: str, options: Options
) -> Need:
    """Return what a query needs with whole columns in it: an average of half the values is wrong without a sign.

    A column is needed whose head the query names, names and codes aside, or most of whose values it needs.

    Args:
        need: what it needs, cell by cell.
        parts: the texts, each with its mentions.
        cells: of the tables in them.
        query: what will be asked.
        options: say what may leave, and how.
    """
    if not query.strip() or options.select == "off" or level_of(options, asked=True) == "strict":
        return need
    asked = stems(query)
    told: dict[str, str] = {}
    hidden: set[str] = set()
    listed: set[int] = set()
    for column in columns_in(parts, cells):
        inside = [one for _, found in column.cells for one in found]
        listed |= {id(one) for one in inside}
        private = [one for one in inside if one.private and may_leave(one, options)]
        counted = sum(value_key(one.text) in need.shown | need.generalised for one in private)
        named = bool(stems(column.head) & asked) and not any(one.type in DIRECT for one in private)
        for one in private:
            key, how = value_key(one.text), treatment(one, options, True)
            if how != "hide" and (named or 2 * counted >= len(private)):
                told[key] = how
            else:
                hidden.add(key)
    # What is needed somewhere is shown wherever it stands.
    outside = {value_key(one.text) for _, found in parts for one in found if id(one) not in listed}
    hidden -= told.keys() | outside
    shown = {key for key, how in told.items() if how == "show"}
    roughly = told.keys() - shown
    return Need((need.shown | shown) - hidden - roughly, (need.generalised | roughly) - hidden - shown)


def cells_of_blocks(batches: "Iterable[Iterable[tuple[Block, int, int]]]") -> list[Cell]:
    """Return the cells of a document's tables, by blocks that are read together and where each stands then."""
    return [
        Cell(number, start, end, block.column, block.label.removesuffix(": "))
        for number, places in enumerate(batches)
        for block, start, end in places
        if block.column
    ]


def columns_in(parts: Sequence[tuple[str, Sequence[Entity]]], cells: Iterable[Cell]) -> list[_Column]:
    """Return the columns of tables, each with the cells that say anything and the mentions in them."""
    by_part = [Spread(found) for _, found in parts]
    columns: dict[tuple[str, str], _Column] = {}
    for cell in cells:
        text = parts[cell.part][0][cell.start : cell.end]
        if _NOTHING.fullmatch(text.strip()) or FAILED.fullmatch(text.strip()):
            continue
        found = by_part[cell.part].within(cell.start, cell.end)
        columns.setdefault((cell.column, cell.head), _Column(cell.head, [])).cells.append((cell, found))
    return list(columns.values())


def _is_of_people(column: _Column) -> bool:
    """Return whether private people are named in most cells of a column."""
    named = sum(any(one.private and one.type == "PER" for one in found) for _, found in column.cells)
    return len(column.cells) >= ROWS and named >= MOST * len(column.cells)


def _is_of_the_world(parts: Sequence[tuple[str, Sequence[Entity]]], column: _Column) -> bool:
    """Return whether a column lists people whom the world knows: riders of a race, authors, ministers."""
    texts = [parts[cell.part][0][cell.start : cell.end].strip() for cell, _ in column.cells]
    known = [one for text in texts if " " in text and (one := look_up(text)) and "person" in one.kinds]
    return len(known) >= max(LISTED, MOST * len(texts)) and sum(one.fame > 1 for one in known) >= 2


def _subtype(
    parts: Sequence[tuple[str, Sequence[Entity]]], column: _Column, said: str, *, people: bool, owned: bool
) -> str | None:
    """Return as what a column is hidden; an empty text if it is kept, None if each cell is decided by itself.

    Args:
        parts: the texts, each with its mentions.
        column: one of a table.
        said: what its head says.
        people: whether another column names people: then dates are theirs.
        owned: whether another column holds what people have: then whom a column calls by name is one of them.
    """
    texts = [parts[cell.part][0][cell.start : cell.end] for cell, _ in column.cells]
    if median(len(WORD.findall(text)) for text in texts) > WORDS:
        return None
    votes = Counter(
        one.subtype
        for text, (_, found) in zip(texts, column.cells, strict=True)
        for one in found
        if one.private and _covers(one, text)
    )
    kinds = Counter[str]()
    for subtype, count in votes.items():
        kinds[TYPE_OF[subtype]] += count
    if (
        column.head
        and said not in TYPE_OF
        and kinds
        and {*NAMED, "CODE", "DATETIME"}.issuperset(kinds)
        and are_small(texts)
    ):
        return ""
    if said in ("public", "goods", "things") or (said in ("places", "age", "city") and not (people or owned)):
        return ""
    if len(texts) >= ROWS and sum(_CAMEL.fullmatch(text.strip()) is not None for text in texts) >= MOST * len(texts):
        return ""
    if said == "free":
        return None
    if said in TYPE_OF and (TYPE_OF[said] != "PER" or said == "handle" or 2 * kinds["PER"] >= SOME * len(texts)):
        return said
    calls = owned and kinds["PER"] and (said == "people" or not column.head)
    if calls and all(CALLED.fullmatch(text.strip()) for text in texts):
        return "full_name"
    if said == "people" and column.head and sum(map(is_whole_name, texts)) >= max(ROWS, MOST * len(texts)):
        return "full_name"
    named = bool(kinds) and NAMED.issuperset(kinds)
    if (
        said == "asked"
        and named
        and len(set(texts)) < len(texts)
        and not any(
            may_be_forename(text.split()[0]) and text.strip().casefold() not in _COLOURS
            for text, (_, found) in zip(texts, column.cells, strict=True)
            if any(one.private for one in found)
        )
    ):
        return ""  # A department is nobody, whatever a tagger sees in it.
    dates = sum(_DATE.fullmatch(text.strip()) is not None for text in texts)
    if people and not said and dates >= MOST * len(texts):
        return "date"
    if not (people or owned) and said == "asked" and named and all(map(is_on_the_map, texts)):
        return ""
    if len(texts) < ROWS or not kinds:
        return None
    kind, most = kinds.most_common(1)[0]
    most = max(most, sum(count for one, count in kinds.items() if one in NAMED))
    if len(kinds) > 2 and most < ALIKE * votes.total():
        return None  # Remarks, each of something else.
    subtype = next(one for one, _ in votes.most_common() if TYPE_OF[one] == kind)
    if (
        column.head
        and (subtype in _COUNTED or (kind in NAMED and _are_measures(column.head, texts)))
        and all(FIGURE.fullmatch(text.strip()) for text in texts)
    ):
        return ""
    if column.head and subtype == "education_level" and all(CODED.fullmatch(text.strip()) for text in texts):
        return ""
    direct = kind in DIRECT or subtype in ("street_address", "postcode")
    if kind == "CODE" and said not in TYPE_OF and are_sums(texts):
        return "amount"
    if kind == "CODE" and all(RANGE.fullmatch(text.strip()) for text in texts):
        return ""
    if kind == "CODE" and not column.head and sum(is_code(text.strip()) for text in texts) < SOME * len(texts):
        return None
    if votes.total() >= (SOME if direct else MOST) * len(texts):
        return subtype
    if column.head and subtype == "postcode" and all(FIGURE.fullmatch(text.strip()) for text in texts):
        return ""
    # Without a head it may be no table: nothing is kept for its sake. Nor is an illness, for that of the others.
    return None if direct or not column.head or not SENSITIVE.isdisjoint(votes) else ""


def _are_measures(head: str, texts: Sequence[str]) -> bool:
    """Return whether figures with fractions are no places, though a tagger takes them for such."""
    return PLACES.isdisjoint(words_of(head)) and all("." in text or "," in text for text in texts)


def _covers(entity: Entity, text: str) -> bool:
    return len(regex.findall(r"[\p{L}\p{N}]", entity.text)) >= _COVERED * len(regex.findall(r"[\p{L}\p{N}]", text))


def _is_name_of(entity: Entity, text: str) -> bool:
    return entity.type in NAMED and _covers(entity, text)


def _public(found: Sequence[Entity], said: str, text: str) -> list[Entity]:
    """Return the mentions of a cell that is kept: figures and facts are public, who is named and who is ill is not.

    Args:
        found: the mentions.
        said: what the head of the column says.
        text: the cell.
    """
    return [one if _stays_hidden(one, said, text) else one.model_copy(update={"private": False}) for one in found]


def _stays_hidden(one: Entity, said: str, cell: str) -> bool:
    text = one.text.strip()
    if one.type in NAMED:
        if said in ("things", "goods", "places"):
            return said == "goods" and _is_full_name(one)
        if said == "asked":
            return one.type == "PER" and (
                INITIALLED.fullmatch(text) is not None or (" " in text and may_be_forename(text.split()[0]))
            )
        return not FIGURE.fullmatch(text) and not _is_word(one)
    if one.type == "CODE":
        if said == "goods":
            # What it is called, but not what is told beside it: `Vodafone customer no. 118402773`.
            return is_secret(one) or ("regex" in one.views and not _covers(one, cell))
        return is_secret(one) or not (CODED.fullmatch(text) or RANGE.fullmatch(text))
    return one.subtype in SENSITIVE and said == "public"


def is_secret(one: Entity) -> bool:
    """Return whether a mention stays hidden in any column, however short it is: a card's last figures, a passcode."""
    return one.subtype == "credit_card" or (one.subtype in _SECRET and "regex" in one.views)


def _is_full_name(one: Entity) -> bool:
    """Return whether a mention among goods is somebody's whole name all the same: `pen for Anna Ruiz`, `L. Tupou`."""
    words = one.text.split()
    whole = len(words) == 2 and may_be_forename(words[0]) and is_surname(words[1])
    return one.type == "PER" and (whole or INITIALLED.fullmatch(one.text.strip()) is not None)


def _is_word(one: Entity) -> bool:
    """Return whether what is taken for a person's name among things or states is one word that no forename is."""
    return one.type == "PER" and " " not in one.text.strip() and not may_be_forename(one.text)


def _hidden(text: str, cell: Cell, found: Sequence[Entity], subtype: str) -> list[Entity]:
    """Return the mentions of a cell that is hidden as a subtype."""
    kind, whole = TYPE_OF[subtype], text[cell.start : cell.end]
    end = cell.start + len(whole.rstrip())
    found = [
        one.model_copy(update={"end": end, "text": text[one.start : end], "subtype": "full_name"})
        if one.type == "PER" and _INITIAL.fullmatch(text, one.end, end)
        else one
        for one in found
    ]
    unknown = subtype == "full_name" and CALLED.fullmatch(whole.strip()) and look_up(whole.strip()) is None
    if unknown or subtype == "city":
        told = {"private": True, "type": kind, "subtype": subtype}
        found = [one.model_copy(update=told) if _is_name_of(one, whole) else one for one in found]
    if kind not in DIRECT and any(
        one.private and (one.type == "PER" or (one.type == "CODE" and not _covers(one, whole))) for one in found
    ):
        return list(found)  # A line below the table says whose it is.
    if kind != "CODE" and any(one.private and one.type == "CODE" and "regex" in one.views for one in found):
        return list(found)  # A rule knows what it is.
    if kind in NAMED and any(one.private and _is_name_of(one, whole) for one in found):
        return list(found)  # a firm among customers, a place among firms
    fitting = [one for one in found if one.type == kind]
    if fitting and (kind in NAMED or (kind != "CODE" and any(_covers(one, whole) for one in fitting))):
        # The tagger knows where a name ends.
        return [
            one.model_copy(update={"private": True, "subtype": subtype if _covers(one, whole) else one.subtype})
            if one.type == kind else one
            for one in found
        ]  # fmt: skip
    start = cell.start + len(whole) - len(whole.lstrip())
    return [Entity.at(text, start, end, subtype, views=("fusion",))]
