"""One decision for each column of a table: its cells are hidden, or kept, all alike and as one subtype.

Cell by cell a tagger sees a number and little else: the salary of one row would leave and that of the next be hidden,
and whatever is reckoned from what is left would be wrong without a sign. A column has a head, and rows that vote.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import regex

from gama.privacy.decide import by_person, value_key
from gama.privacy.identify import patterns_in
from gama.privacy.level import level_of, may_leave, treatment
from gama.privacy.question import ALIGNED, BOOKED, GAP, LEAST, tables_in
from gama.privacy.select import Need, Query, marked
from gama.state.entities import TYPE_OF, Entity
from gama.state.errors import InputError
from gama.state.options import Options

if TYPE_CHECKING:
    from gama.tools.documents.base import Block, Segment

ROWS = 3
"""Rows that vote: with fewer, the head alone decides."""
WORDS = 6
"""A column whose cells have more words at the median holds texts, which are read each by itself."""
MOST = 0.5
"""Share of the cells that hides a column of facts and figures."""
SOME = 0.3
"""The same of names, codes and addresses: a name that is missed is worse than a word that is hidden."""
DIRECT = frozenset(("PER", "CODE"))
"""Types that name somebody."""

_NAMED = ("PER", "LOC", "ORG")
_COVERED = 0.6
"""Share of a cell's letters and digits that a mention has, so that the cell is that mention."""
_NOTHING = regex.compile(
    r"(?i)(?:n\s*/?\s*a|n\.\s*a\.|nan|null|none|nil|unknown|tbd|k\.\s*a\.|true|false|yes|no|[^\p{L}\p{N}]*)"
)
"""Cells that say nothing of anybody."""
_FIGURE = regex.compile(r"[+-]?\p{N}{1,6}(?:[.,]\p{N}+)?\s*%?")
"""A number that names nobody."""
_WORD = regex.compile(r"\p{Lu}?\p{Ll}+|\p{Lu}+(?!\p{Ll})|\p{N}+|\p{L}+")


_CODED = regex.compile(r"\p{L}{0,2}[ -]?\p{N}{1,3}\p{L}?|\p{L}[+-]?|" + _FIGURE.pattern)
"""A grade or a figure that names nobody, in a column or a field that is kept."""
_COUNTED = frozenset(("age", "time", "duration", "investment_return", "roi", "debt_ratio", "result"))
"""As what figures are voted whose head does not say so: the marks of a class are no ages."""
_BILLED = frozenset(("amount", "expenses", "tax_payment", "social_security_payment", "roi", "time", "result"))
"""What is counted in the lines of an account or a bill; what somebody earns, has or owes is not."""
_KEY = regex.compile(r"""(?:["']?(?P<key>\w[\w .-]{0,30}?)["']?\s*[:=]\s*["']?)$""")


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
    for column in _columns(parts, cells):
        subtype = _subtype(parts, column)
        if subtype is None:
            continue
        for cell, found in column.cells:
            if any(by_person(one) for one in found):
                continue
            made = _public(found) if subtype == "" else _hidden(parts[cell.part][0], cell, found, subtype)
            mine = {id(one) for one in found}
            out[cell.part] = [one for one in out[cell.part] if id(one) not in mine] + made
    return [sorted(found, key=lambda one: (one.start, one.end)) for found in out]


def settle_fields(text: str, found: Sequence[Entity]) -> list[Entity]:
    """Return the mentions of a text in which those are public that fields of records, and lines of bills, say are.

    Args:
        text: of a prompt, with JSON, YAML, log lines, an invoice.
        found: its mentions.
    """
    lines = [line.span() for line in BOOKED.finditer(text)]
    booked = lines if len(lines) >= LEAST else []
    return [
        one.model_copy(update={"private": False})
        if one.private and not by_person(one) and (_is_kept(text, one) or _is_booked(one, booked))
        else one
        for one in found
    ]


def _is_kept(text: str, one: Entity) -> bool:
    """Return whether the field before a mention says that it is public: `"qty": 2`, `status=shipped`."""
    before = text[max(0, one.start - 40) : one.start].rsplit("\n", 1)[-1]
    key = _KEY.search(before)
    if key is None or one.type in _NAMED or _declared(key["key"]) != "public":
        return False
    return one.type == "QUANTITY" or _CODED.fullmatch(one.text.strip()) is not None


def _is_booked(one: Entity, lines: Sequence[tuple[int, int]]) -> bool:
    return one.subtype in _BILLED and any(start <= one.start and one.end <= end for start, end in lines)


def without_heads(text: str, found: Sequence[Entity]) -> list[Entity]:
    """Return the mentions of a text, those public that are words of a table's head: `Menge` is no surname."""
    heads, phrases = [(start, text.find("\n", start)) for start, _, _ in tables_in(text)], _phrases()
    return [
        one.model_copy(update={"private": False})
        if not by_person(one) and _words(one.text) in phrases and any(a <= one.start and one.end <= b for a, b in heads)
        else one
        for one in found
    ]


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
    asked = _stems(query)
    told: dict[str, str] = {}
    hidden: set[str] = set()
    listed: set[int] = set()
    for column in _columns(parts, cells):
        inside = [one for _, found in column.cells for one in found]
        listed |= {id(one) for one in inside}
        private = [one for one in inside if one.private and may_leave(one, options)]
        counted = sum(value_key(one.text) in need.shown | need.generalised for one in private)
        named = bool(_stems(column.head) & asked) and not any(one.type in DIRECT for one in private)
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


def select_columns(text: str, entities: Sequence[Entity], query: Query, options: Options) -> list[Entity]:
    """Return the mentions of a text whose tables are needed, or not, by whole columns; see `by_column`."""
    spans = [(query, len(text))] if isinstance(query, int) else query
    asked = spans if isinstance(spans, str) else "\n".join(text[start:end] for start, end in spans)
    shown = frozenset(value_key(one.text) for one in entities if one.needed)
    roughly = frozenset(value_key(one.text) for one in entities if one.generalised)
    return marked(entities, by_column(Need(shown, roughly), [(text, entities)], cells_in(text), asked, options))


def cells_in(text: str) -> list[Cell]:
    """Return the cells of the tables in a text: lines one after the other with as many delimiters, from the fourth on.

    Args:
        text: of a mail, a chat, a prompt.
    """
    from gama.tools.documents.delimited import cells_of, is_head

    cells: list[Cell] = []
    for number, (start, end, delimiter) in enumerate(tables_in(text)):
        try:
            rows = _aligned(text[start:end]) if delimiter == ALIGNED else cells_of(text[start:end], "csv", delimiter)
        except InputError:  # a quote that is none
            continue
        named = [cell for cell in rows[0] if cell.text.strip()]
        heads = [cell.text for cell in rows[0]] if is_head(named) else []
        for row in rows[1:] if heads else rows:
            for n, cell in enumerate(row):
                head = heads[n].strip() if n < len(heads) else ""
                cells.append(Cell(0, start + cell.start, start + cell.end, f"{number}:{n}", head))
    return cells


def _aligned(table: str) -> "list[list[Segment]]":
    """Return the cells of a table whose columns are aligned by gaps, by row."""
    from gama.tools.documents.base import Segment

    rows, at = [], 0
    for line in table.splitlines(keepends=True):
        bare = line.rstrip()
        gaps = [found.span() for found in GAP.finditer(bare)]
        starts, ends = [len(bare) - len(bare.lstrip()), *(b for _, b in gaps)], [*(a for a, _ in gaps), len(bare)]
        rows.append([Segment(at + a, at + b, bare[a:b], str) for a, b in zip(starts, ends, strict=True)])
        at += len(line)
    return rows


def cells_of_blocks(batches: "Iterable[Iterable[tuple[Block, int, int]]]") -> list[Cell]:
    """Return the cells of a document's tables, by blocks that are read together and where each stands then."""
    return [
        Cell(number, start, end, block.column, block.label.removesuffix(": "))
        for number, places in enumerate(batches)
        for block, start, end in places
        if block.column
    ]


def _columns(parts: Sequence[tuple[str, Sequence[Entity]]], cells: Iterable[Cell]) -> list[_Column]:
    by_part = [sorted(found, key=lambda one: one.start) for _, found in parts]
    starts = [[one.start for one in found] for found in by_part]
    columns: dict[tuple[str, str], _Column] = {}
    for cell in cells:
        text = parts[cell.part][0][cell.start : cell.end]
        if _NOTHING.fullmatch(text.strip()):
            continue
        # Mentions do not reach over each other: those of a cell begin in it.
        first = bisect_left(starts[cell.part], cell.start)
        found = []
        for one in by_part[cell.part][first:]:
            if one.start >= cell.end:
                break
            if one.end <= cell.end:
                found.append(one)
        columns.setdefault((cell.column, cell.head), _Column(cell.head, [])).cells.append((cell, found))
    return list(columns.values())


def _subtype(parts: Sequence[tuple[str, Sequence[Entity]]], column: _Column) -> str | None:
    """Return as what a column is hidden; an empty text if it is kept, None if each cell is decided by itself."""
    texts = [parts[cell.part][0][cell.start : cell.end] for cell, _ in column.cells]
    if median(len(_WORD.findall(text)) for text in texts) > WORDS:
        return None
    said = _declared(column.head)
    votes = Counter(
        one.subtype
        for text, (_, found) in zip(texts, column.cells, strict=True)
        for one in found
        if one.private and _covers(one, text)
    )
    kinds = Counter[str]()
    for subtype, count in votes.items():
        kinds[TYPE_OF[subtype]] += count
    if said == "public":
        return ""
    if said and (TYPE_OF[said] != "PER" or 2 * kinds["PER"] >= SOME * len(texts)):
        return said
    if len(texts) < ROWS or not kinds:
        return None
    kind, _ = kinds.most_common(1)[0]
    subtype = next(one for one, _ in votes.most_common() if TYPE_OF[one] == kind)
    if column.head and subtype in _COUNTED and all(_FIGURE.fullmatch(text.strip()) for text in texts):
        return ""
    direct = kind in DIRECT or subtype in ("street_address", "postcode")
    if votes.total() >= (SOME if direct else MOST) * len(texts):
        return subtype
    # Without a head it may be no table: nothing is kept for its sake.
    return None if direct or not column.head else ""


def _covers(entity: Entity, text: str) -> bool:
    return len(regex.findall(r"[\p{L}\p{N}]", entity.text)) >= _COVERED * len(regex.findall(r"[\p{L}\p{N}]", text))


def _public(found: Sequence[Entity]) -> list[Entity]:
    """Return the mentions of a cell that is kept: figures and facts are public, who is named is not."""
    return [
        one if one.type in _NAMED or (one.type == "CODE" and not _CODED.fullmatch(one.text.strip()))
        else one.model_copy(update={"private": False})
        for one in found
    ]  # fmt: skip


def _hidden(text: str, cell: Cell, found: Sequence[Entity], subtype: str) -> list[Entity]:
    """Return the mentions of a cell that is hidden as a subtype."""
    kind, whole = TYPE_OF[subtype], text[cell.start : cell.end]
    if kind in _NAMED and any(one.private and one.type in _NAMED and _covers(one, whole) for one in found):
        return list(found)  # a firm among customers, a place among firms
    fitting = [one for one in found if one.type == kind]
    if fitting and (kind in _NAMED or any(_covers(one, whole) for one in fitting)):
        # The tagger knows where a name ends.
        return [
            one.model_copy(update={"private": True, "subtype": subtype if _covers(one, whole) else one.subtype})
            if one.type == kind else one
            for one in found
        ]  # fmt: skip
    start = cell.start + len(whole) - len(whole.lstrip())
    end = cell.start + len(whole.rstrip())
    return [Entity.at(text, start, end, subtype, views=("fusion",))]


@cache
def _phrases() -> Mapping[tuple[str, ...], str]:
    rows = patterns_in("columns.txt").items()
    return {_words(phrase): subtype for subtype, listed in rows for phrase in regex.split(r",\s*|\|", listed)}


def _declared(head: str) -> str:
    """Return what the head of a column says of its cells: `public`, a subtype, or nothing."""
    words = _words(head)
    for end in range(len(words), 0, -1):
        for start in range(end):
            if found := _phrases().get(words[start:end]):
                return found
    return ""


def _words(head: str) -> tuple[str, ...]:
    """Return the words of a head: `dateOfBirth`, `DATE_OF_BIRTH` and `Date of birth` are the same."""
    return tuple(word.casefold() for word in _WORD.findall(head))


def _stems(text: str) -> frozenset[str]:
    return frozenset(word[:5] for word in _words(text) if len(word) > 2)
