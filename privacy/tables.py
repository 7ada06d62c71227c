"""Tables, records and bills in a text: where they stand, and what in them is somebody's.

What a table is about is seldom its figures' owner: a timetable, a price list, a log are nobody's, and where
something is asked of a table of people its figures are what is reckoned with, the names hidden beside them.
"""

import re
from collections import Counter
from collections.abc import Sequence

import regex

from gama.privacy.asked import asked_elsewhere
from gama.privacy.cells import CODED, FAILED, FIGURE, SMALL
from gama.privacy.columns import (
    DIRECT,
    NAMED,
    Cell,
    by_column,
    columns_in,
    is_secret,
    settle_columns,
)
from gama.privacy.decide import by_person, cut, value_key
from gama.privacy.heads import declared, phrases, stems, words_of
from gama.privacy.identify import patterns_in
from gama.privacy.layout import BOOKED, FIELDS, LEAST, cells_in, entries_in, is_record, tables_in
from gama.privacy.relations import SOMEBODY
from gama.privacy.request import find_request
from gama.privacy.select import Need, Query, marked
from gama.state.entities import TYPE_OF, Entity, Spread
from gama.state.options import Options
from gama.tools.knowledge.index import is_borne, look_up, may_be_forename
from gama.tools.tables import late

_REACHED = frozenset(("street_address", "postcode", "coordinates", "date_of_birth"))
"""What else leads to somebody."""
# Accepts a number of a house, in a name of a street.
_HOUSE = regex.compile(r"(?<!\p{L})\p{N}|\p{N}\s*$")
# Accepts what stands between two cells of a line whose columns are aligned by gaps.
_GAPS = regex.compile(r" {2,}|\t\s*|\s+\|\s+")
# Accepts a kind of booking at an end of a name of the tagger's, or several.
_BOOKING = late(
    re.compile,
    rf"(?:(?<!\w)(?:{patterns_in('shorthand.txt')['booking']})(?!\w)\s*)+",
    re.IGNORECASE,
)
# Accepts a date that a statement of SQL compares with: `< '2024-01-01'`.
_COMPARED = re.compile(r"[<>=] ?'\d{4}-\d\d-\d\d[^'\n]{0,20}'|(?i:between|and) '\d{4}-\d\d-\d\d[^'\n]{0,20}'")
# Accepts whom a booking names behind its kind: `Überweisung Ida Holm`, `SO I Holm`, `TFR FROM I HOLM`.
_PAYEE = late(
    re.compile,
    rf"(?<!\w)(?i:{patterns_in('shorthand.txt')['booking']})(?:[ :/-]+(?:TO|FROM|to|from))?[ :/-]+(?P<v>[A-ZÀ-ÖØ-ÞŁŚŻ]"
    r"(?:[^\W\d_]+|[A-Z]?) [A-ZÀ-ÖØ-ÞŁŚŻ][^\W\d_]{2,})(?!\w)",
)
# Accepts when a machine wrote a line, to the second: `2024-07-02T03:14:07Z`, `12/Mar/2024:06:41:08 +0000`,
# `Thu Apr 11 17:02:39 2024`, and a clock at the start of a line, `[03:14:07.221]`.
_STAMP = re.compile(
    r"(?<!\d)\d{4}[-/]\d\d[-/]\d\d(?:T|T? |, )\d\d:\d\d(?::\d\d(?:[.,]\d+)?|(?=Z))(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?"
    r"|(?<!\d)\d{1,2}/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d(?: [+-]\d{4})?"
    r"|\b(?:[A-Z][a-z]{2},? )?(?:[A-Z][a-z]{2} {1,2}\d{1,2}|\d{1,2} [A-Z][a-z]{2}(?: \d{4})?),? \d\d:\d\d:\d\d"
    r"(?: [A-Z]{3,4})?(?: \d{4})?(?: [+-]\d{4})?"
    r"|^[\[(]?\d\d:\d\d:\d\d(?:[.,]\d+)?(?!\w)",
    re.MULTILINE,
)
_BILLED = frozenset(("amount", "expenses", "tax_payment", "social_security_payment", "roi", "time", "result"))
"""What is counted in the lines of an account or a bill; what somebody earns, has or owes is not."""
_KEY = regex.compile(r"""(?:["']?(?P<key>\w[\w .-]{0,30}?)["']?\s*[:=]\s*["']?)$""")


def settle_tables(text: str, found: Sequence[Entity], options: Options) -> list[Entity]:
    """Return the mentions of a text with tables, records or lines of bills in it, those in them decided by column.

    Where nobody is named nor spoken of, facts there are nobody's; where the text asks something of a table, its figures
    stay, those of the columns that it names if there are such, but under a level that somebody has chosen.

    Args:
        text: of a prompt.
        found: its mentions.
        options: say the level.
    """
    out, cells = _cut_at_gaps(text, without_stamps(text, found)), cells_in(text)
    if not (cells or is_record(text) or entries_in(text)):
        return out
    out = _with_payees(text, _without_bookings(text, out))
    if is_record(text):
        out = settle_fields(text, out)
    (out,) = settle_columns([(text, out)], cells)
    out = without_marks(text, without_heads(text, out, cells), cells)
    inside = _stretches(text, cells)
    outside = _without(text, inside)
    asked = find_request(outside).text if options.privacy == "auto" else ""
    if cells and options.privacy == "auto" and not asked:
        asked = _said_below(text, inside) or asked_elsewhere(outside)
    within = {id(one) for one in out if any(start <= one.start and one.end <= end for start, end in inside)}
    public = set(within)
    named = any(one.private and (one.type in DIRECT or _is_reached(one)) for one in out)
    if not named and (asked or not (SOMEBODY.search(outside) or _is_of_people(text, cells))):
        public = {id(one) for one in out if id(one) in public and not _is_reached(one)}
    elif asked:
        public &= _asked_about(text, out, cells, asked)
        public |= {id(one) for one in out if one.subtype == "amount" and (id(one) in within or one.text in asked)}
    else:
        return out
    return [_public(one) if id(one) in public and one.private and not by_person(one) else one for one in out]


def _stretches(text: str, cells: Sequence[Cell]) -> list[tuple[int, int]]:
    """Return where tables, records and lines of bills stand."""
    found = [(cell.start, cell.end) for cell in cells] + entries_in(text)
    for pattern in (FIELDS, BOOKED):
        lines = [line.span() for line in pattern.finditer(text)]
        found += lines if len(lines) >= LEAST else []
    return sorted(found)


def _with_payees(text: str, found: Sequence[Entity]) -> list[Entity]:
    """Return mentions with the people to whom, or from whom, bookings are that no finder has seen."""
    out = list(found)
    for payee in _PAYEE.finditer(text):
        start, end = payee.span("v")
        mets = [one for one in out if one.start < end and start < one.end]
        first = payee["v"].split()[0]
        if (len(first) < 3 or may_be_forename(first)) and not any(one.private for one in mets):
            out = [one for one in out if one not in mets]
            out.append(Entity.at(text, start, end, "full_name", views=("regex",)))
    return sorted(out, key=lambda one: one.start)


def _is_of_people(text: str, cells: Sequence[Cell]) -> bool:
    """Return whether heads or fields say that what stands below or behind them is of people."""
    keys = {cell.head for cell in cells} | {
        field[0][: field.end("at") - field.start()] for field in FIELDS.finditer(text)
    }
    return any(declared(key) in (*TYPE_OF, "people") for key in keys)


def _said_below(text: str, inside: Sequence[tuple[int, int]]) -> str:
    """Return the line below a table, if it is one alone that says something: it says what is wanted."""
    below = text[max((end for _, end in inside), default=0) :].strip()
    return below if "\n" not in below and below.count(" ") > 1 else ""


def _is_reached(one: Entity) -> bool:
    """Return whether a place or a date leads to somebody: a street does with a number of a house."""
    return one.subtype in _REACHED and (one.subtype != "street_address" or _HOUSE.search(one.text) is not None)


def without_stamps(text: str, found: Sequence[Entity]) -> list[Entity]:
    """Return the mentions of a text, those public that are the stamps of machines: `2024-07-02 03:14:07,221`."""
    compared = [one for one in _COMPARED.finditer(text) if declared(_column_before(text, one.start())) in ("", "date")]
    stamps = [stamp.span() for stamp in (*_STAMP.finditer(text), *compared)]
    return [
        _public(one)
        if one.private
        and one.type == "DATETIME"
        and one.subtype != "date_of_birth"
        and not by_person(one)
        and any(start <= one.start and one.end <= end for start, end in stamps)
        else one
        for one in found
    ]


def _column_before(text: str, at: int) -> str:
    """Return the name of the column that an operator stands behind: `dob` of `p."dob" = `."""
    return text[max(0, at - 40) : at].rstrip('"`] <>=').rpartition(" ")[2].rpartition(".")[2].strip('"`[')


def _without_bookings(text: str, found: Sequence[Entity]) -> list[Entity]:
    """Return mentions without the words that say what kind of booking a line is: `Lastschrift Stadtwerke Abschlag`."""
    out: list[Entity] = []
    for one in found:
        words = (
            []
            if by_person(one) or one.type not in ("ORG", "LOC", "DEM")
            else [word.span() for word in _BOOKING.finditer(one.text)]
        )
        out += cut(one, [(one.start + a, one.start + b) for a, b in words]) if words else [one]
    return out


def _without(text: str, stretches: Sequence[tuple[int, int]]) -> str:
    parts, at = [], 0
    for start, end in stretches:
        parts.append(text[at : max(at, start)])
        at = max(at, end)
    return "\n".join([*parts, text[at:]])


def _asked_about(text: str, found: Sequence[Entity], cells: Sequence[Cell], asked: str) -> set[int]:
    """Return which mentions what is asked is about: the columns that it names, or else all figures; nobody's names."""
    wanted = stems(asked)
    columns = columns_in([(text, found)], cells)
    told = [(column, declared(column.head) != "head" and bool(stems(column.head) & wanted)) for column in columns]
    named = {id(one) for column, is_named in told if is_named for _, inside in column.cells for one in inside}
    asked_for = {
        id(one)
        for column in columns
        if declared(column.head) == "asked"
        for _, inside in column.cells
        for one in inside
    }
    shops = [one for one in found if (one.type == "ORG" or _is_shouted(one)) and _is_shop(one.text)]
    facts = [one for one in found if one.type not in DIRECT and one.subtype not in _REACHED]
    figures = {id(one) for one in facts if one.type in ("DATETIME", "QUANTITY") or FIGURE.fullmatch(one.text.strip())}
    if any(id(one) in named and id(one) in figures for one in facts):
        figures -= {
            id(one)
            for column in columns
            if declared(column.head) in TYPE_OF
            for _, inside in column.cells
            for one in inside
        } - named
    return figures | {id(one) for one in shops} | {id(one) for one in facts if id(one) in named | asked_for}


def _is_shouted(one: Entity) -> bool:
    """Return whether what is taken for a person begins as lines of accounts write bodies, or a number is a host."""
    if one.type == "CODE":
        return _HOST.search(one.text) is not None and not any(map(str.isdigit, one.text))
    words = one.text.split()
    return one.type == "PER" and words[0].isupper() and (len(words) > 1 or not is_borne(words[0]))


def _is_shop(name: str) -> bool:
    """Return whether a body is one that everybody goes to: `TESCO STORES`, `NETFLIX.COM`, `WILLIAM HILL ONLINE`."""
    if _LONG.search(name):
        return False  # The number of whoever goes there.
    words = [_HOST.sub("", word).title() for word in _PAID.sub("", name).split()[:2] if word[0].isalnum()]
    known = [look_up(" ".join(words[:size])) for size in range(1, len(words) + 1)]
    first = known[0] if known else None
    if name.isupper() and len(words) == 1 and first is not None and "body" in first.kinds and not is_borne(words[0]):
        return True
    firm = first is not None and first.fame > 1 and first.is_firm
    if words and may_be_forename(words[0]) and not firm:
        known = known[1:]
    return any(one is not None and "body" in one.kinds and (one.fame > 1 or one.is_firm) for one in known)


_LONG = re.compile(r"\d{6}|\d{2,4}[ -]\d{3}")
# Accepts how a line of an account begins, before who was paid: `CARD `, `DD  `.
_PAID = re.compile(r"(?i)(?:card|dd|s/?o|fp[io]|bgc|bp|tfr|atm|cpt|chq|pos|vis|deb|cr)\s+")
# Accepts the end of the name of a host.
_HOST = re.compile(r"(?i)\.(?:com|co\.uk|de|fr|es|it|nl|pl|net|org)\b.*")


def _cut_at_gaps(text: str, found: Sequence[Entity]) -> list[Entity]:
    """Return mentions none of which reaches over the gap between two columns."""
    out: list[Entity] = []
    for one in found:
        gaps = [] if by_person(one) else [gap.span() for gap in _GAPS.finditer(text, one.start, one.end)]
        pieces = list(cut(one, gaps)) if gaps else [one]
        if gaps and one.type == "CODE":
            pieces = [_public(piece) if _SHORT.fullmatch(piece.text.strip()) else piece for piece in pieces]
        out += pieces
    return out


# Accepts a figure or a mark of a table, several of which make no code.
_SHORT = regex.compile(rf"\p{{L}}{{1,2}}|{SMALL.pattern}")


def _public(one: Entity) -> Entity:
    return one.model_copy(update={"private": False})


# Accepts what a line of sums is called, and a cell in which nothing stands.
_TOTAL = regex.compile(
    r"(?i)\W*(?:(?:grand |sub-?|sous-)?tot(?:al(?:e|en|s)?|\.)?|sum(?:me|a)?|som(?:me|ma)|gesamt\w*|saldo|balance"
    r"|average|avg|mean|median|count|blank|empty|ytd|mtd|qtd|razem|suma|celkem|yhteensä|összesen|toplam|totaal|media|moyenne"
    r"|mittelwert|schnitt|soll|haben|debe|haber|in|out|paid in|paid out|withdrawn|anon(?:ymous)?(?: - cash)?|cash)\W*"
)
SHORTEST = 3
"""Letters of a mark in a cell, which stands in others too: `DO` in a roster, `AB` among marks."""


def without_marks(text: str, found: Sequence[Entity], cells: Sequence[Cell]) -> list[Entity]:
    """Return the mentions of a text, those public that are sums' names, or marks that several cells of a table are."""
    whole = Counter(text[cell.start : cell.end].strip() for cell in cells)
    inside = Spread([cell for cell in cells if cell.end > cell.start])

    def is_mark(one: Entity) -> bool:
        if by_person(one) or not one.private or one.type not in (*NAMED, "CODE") or not inside.met(one.start, one.end):
            return False
        if _TOTAL.fullmatch(one.text) or FAILED.fullmatch(text, max(0, one.start - 1), one.end):
            return True
        return len(one.text) <= SHORTEST and whole[one.text] > 1 and not may_be_forename(one.text)

    return [_public(one) if is_mark(one) else one for one in found]


def settle_fields(text: str, found: Sequence[Entity]) -> list[Entity]:
    """Return the mentions of a text in which those are public that fields of records, and lines of bills, say are.

    Args:
        text: of a prompt, with JSON, YAML, log lines, an invoice.
        found: its mentions.
    """
    lines = [line.span() for line in BOOKED.finditer(text)]
    booked = lines if len(lines) >= LEAST else []
    return [
        _public(one) if one.private and not by_person(one) and (_is_kept(text, one) or _is_booked(one, booked)) else one
        for one in found
    ]


def _is_kept(text: str, one: Entity) -> bool:
    """Return whether the field before a mention says that it is public: `"qty": 2`, `status=shipped`."""
    before = text[max(0, one.start - 40) : one.start].rsplit("\n", 1)[-1]
    key = _KEY.search(before)
    said = declared(key["key"]) if key else ""
    if said not in ("public", "goods", "things") or is_secret(one) or (one.type in NAMED and said != "things"):
        return False
    return said == "things" or one.type == "QUANTITY" or CODED.fullmatch(one.text.strip()) is not None


def _is_booked(one: Entity, lines: Sequence[tuple[int, int]]) -> bool:
    return one.subtype in (*_BILLED, "occupation") and any(
        start <= one.start and one.end <= end for start, end in lines
    )


def without_heads(text: str, found: Sequence[Entity], cells: Sequence[Cell]) -> list[Entity]:
    """Return the mentions of a text, those public that are words of a table's head: `Menge` is no surname.

    A first row of words above a column of figures is a head, whatever its words are: none of them is somebody's, but
    what could be a name.
    """
    headed = {cell.column.partition(":")[0] for cell in cells if cell.head}
    heads = [_head_at(text, start) for n, (start, _, _) in enumerate(tables_in(text)) if str(n) in headed]
    coded = [head for head in heads if _is_coded(text[slice(*head)])]
    begins = [word.span() for start, end in entries_in(text) if (word := _BEGINS.match(text, start, end))]
    dated = [(start, end) for start, end in begins if words_of(text[start:end]) in phrases()]
    months = dated if len(dated) >= LEAST else []
    figures = _has_figures(text, cells)

    def stands_in(one: Entity, stretches: Sequence[tuple[int, int]]) -> bool:
        return any(start <= one.start and one.end <= end for start, end in stretches)

    def is_public(one: Entity) -> bool:
        if by_person(one):
            return False
        in_head = stands_in(one, heads)
        if _is_head(one) and (in_head or (one.type == "PER" and stands_in(one, months))):
            return True
        if not in_head or _REACHES.search(one.text):
            return False
        if stands_in(one, coded):
            return True
        return figures and (one.type != "PER" or not any(map(is_borne, one.text.split())))

    return [_public(one) if one.private and is_public(one) else one for one in found]


def _head_at(text: str, start: int) -> tuple[int, int]:
    """Return where the head of a table stands: its first line, or the one below what is asked about it."""
    first = text.find("\n", start)
    lines = [(start, first), (first + 1, text.find("\n", first + 1))]
    told = [sum(bool(declared(cell)) for cell in re.split(r"[,;\t|]", text[a:b])) for a, b in lines]
    return lines[told[1] > told[0]]


def _is_coded(head: str) -> bool:
    """Return whether a head is of a program's: `nik,nama,divisi,gaji`, all small letters, half of it words of heads."""
    cells = re.split(r"[,;\t|]", head)
    return head.islower() and 2 * sum(bool(declared(cell)) for cell in cells) >= max(4, len(cells))


# Accepts what no word of a head has: an address, a number.
_REACHES = re.compile(r"@|\d{4}|://")


def _has_figures(text: str, cells: Sequence[Cell]) -> bool:
    """Return whether figures stand below a head, most of its cells."""
    below: dict[tuple[str, str], list[bool]] = {}
    for cell in cells:
        if cell.head and (told := text[cell.start : cell.end].strip()):
            below.setdefault((cell.column, cell.head), []).append(FIGURES.fullmatch(told) is not None)
    return any(len(are) >= 2 and 2 * sum(are) > len(are) for are in below.values())


# Accepts a figure, a sum, a date or a clock in a cell.
FIGURES = regex.compile(r"[-+£$€]{0,2} ?[\p{N}][\p{N}.,:/ ’'%-]*\s?(?:%|€|kr|zł|Kč|Ft|h|km|kg)?")


# Accepts the first word of a line, which may be a month.
_BEGINS = re.compile(r"\W*[^\W\d_]+")


def _is_head(one: Entity) -> bool:
    if one.type not in DIRECT:
        return bool(declared(one.text))
    words = words_of(one.text)
    return words in phrases() or (len(words) > 1 and {*words} <= {word for phrase in phrases() for word in phrase})


def select_columns(text: str, entities: Sequence[Entity], query: Query, options: Options) -> list[Entity]:
    """Return the mentions of a text whose tables are needed, or not, by whole columns; see `by_column`."""
    spans = [(query, len(text))] if isinstance(query, int) else query
    asked = spans if isinstance(spans, str) else "\n".join(text[start:end] for start, end in spans)
    shown = frozenset(value_key(one.text) for one in entities if one.needed)
    roughly = frozenset(value_key(one.text) for one in entities if one.generalised)
    return marked(entities, by_column(Need(shown, roughly), [(text, entities)], cells_in(text), asked, options))
