"""Tables: each column is hidden, or kept, as a whole, in documents and in what is pasted."""

import csv
import io

import pytest

from gama.privacy.anonymizer import Anonymizer
from gama.privacy.columns import Cell, by_column, settle_columns
from gama.privacy.decide import value_key
from gama.privacy.layout import cells_in, tables_in
from gama.privacy.select import Need
from gama.state.entities import Entity
from gama.state.options import Options

STAFF = """name,grade,salary,start,phone,score
Anna Lindqvist,7,58200,2019-03-01,+46 70 123 45 67,3.4
Bo Ek,8,44900,2020-05-12,+46 70 765 43 21,4.1
Carl Holm,7,61000,2018-01-15,+46 73 111 22 33,2.9
Dora Vik,9,72500,2015-09-01,+46 73 222 33 44,4.8
"""
SERVICES = """Which one is worst?

| service | p95_ms | errors | version |
|---|---|---|---|
| auth | 182 | 12 | 1.4.2 |
| billing | 1203 | 3 | 2.0.11 |
| search | 640 | 45 | 1.9.0 |

Thanks, Piotr Zielinski"""


def columns(text, delimiter=","):
    """Return the columns below their heads."""
    head, *rows = csv.reader(io.StringIO(text), delimiter=delimiter)
    return dict(zip(head, zip(*rows, strict=True), strict=True))


def is_hidden(cells):
    """Return whether all cells are placeholders; mixed ones are an error."""
    hidden = {cell.startswith("<") for cell in cells}
    assert len(hidden) == 1, cells
    return hidden.pop()


def document(data, kind, query=""):
    return Anonymizer().anonymize_document(data.encode(), kind, query=query).data.decode()


@pytest.mark.parametrize("way", ["pasted", "document"])
@pytest.mark.parametrize("query", ["", "average salary per grade"])
def test_a_column_is_hidden_or_kept_whole(way, query):
    told = document(STAFF, "csv", query) if way == "document" else Anonymizer().anonymize(STAFF, query or None).text
    found = {name: is_hidden(cells) for name, cells in columns(told).items()}
    assert found == {
        "name": True, "grade": False, "salary": not query, "start": True, "phone": True, "score": False,
    }  # fmt: skip
    if query:
        assert columns(told)["salary"] == ("58200", "44900", "61000", "72500")


@pytest.mark.parametrize("level", ["balanced", "open"])
def test_a_question_in_the_text_has_whole_columns_too(level):
    text = f"What is the average salary per grade?\n\n{STAFF}"
    view = Anonymizer(Options(privacy=level)).anonymize(text, query=None)
    told = columns(view.text.split("\n\n")[1])
    assert {name: is_hidden(cells) for name, cells in told.items()} == {
        "name": True, "grade": False, "salary": level == "balanced", "start": True, "phone": True, "score": False,
    }  # fmt: skip


def test_what_is_hidden_of_one_column_is_of_one_kind():
    told = columns(document(STAFF, "csv"))
    assert all(cell.startswith("<amount-") for cell in told["salary"])
    assert all(cell.startswith("<date-") for cell in told["start"])


def test_figures_of_machines_stay_and_who_signs_goes():
    told = Anonymizer().anonymize(SERVICES).text
    assert told == SERVICES.replace("Piotr Zielinski", "<name-1>")


def test_cells_of_json_are_columns_by_their_keys():
    people = (
        '[{"customerName":"Anna Holm","age":34,"visits":12},{"customerName":"Per Ek","age":51,"visits":3},'
        '{"customerName":"Lisa Dahl","age":29,"visits":7}]'
    )
    told = document(people, "json")
    assert not any(word in told for word in ("Anna", "Per", "Lisa", "34", "51", "29"))
    assert all(f'"visits":{number}' in told for number in (12, 3, 7))


def test_the_way_back_gives_the_very_bytes():
    anonymizer = Anonymizer()
    view = anonymizer.anonymize_document(STAFF.encode(), "csv")
    assert anonymizer.restore_document(view.data, view.kind, view.box).data == STAFF.encode()


# By hand, without a model


def cell_of(texts, *, head="", private=(), type="QUANTITY", subtype="amount"):
    """Return a text of a column, its cells, and a mention in each named one."""
    text, cells, found = "", [], []
    for n, one in enumerate(texts):
        start = len(text)
        text += f"{one}\n"
        cells.append(Cell(0, start, start + len(one), "0", head))
        if n in private:
            found.append(Entity(text=one, start=start, end=start + len(one), type=type, subtype=subtype))
    return text, cells, found


def settled(texts, **how):
    text, cells, found = cell_of(texts, **how)
    (out,) = settle_columns([(text, found)], cells)
    return [one.text for one in out if one.private]


NUMBERS = ["58200", "44900", "61000", "72500"]


def test_most_of_the_rows_decide():
    assert settled(NUMBERS, head="bezogen", private={0, 1}) == NUMBERS
    assert settled(NUMBERS, head="bezogen", private={0}) == []
    # Without a head it may be no table: nothing is kept for its sake.
    assert settled(NUMBERS, private={0}) == ["58200"]
    assert settled(NUMBERS, private={0, 1, 3}) == NUMBERS


def test_few_rows_have_no_vote_but_their_head_has():
    assert settled(NUMBERS[:2], head="bezogen", private={0}) == ["58200"]
    assert settled(NUMBERS[:2], head="Salary") == NUMBERS[:2]
    assert settled(NUMBERS[:2], head="salary grade", private={0}) == []


def test_names_need_fewer_votes_and_are_never_voted_away():
    people = ["anna lindqvist", "bo ek", "carl holm", "-", "dora vik"]
    assert settled(people, head="who", private={0, 1}, type="PER", subtype="full_name") == [*people[:3], people[4]]
    one = settled([*people, "team a", "team b", "team c"], head="who", private={0}, type="PER", subtype="full_name")
    assert one == ["anna lindqvist"]
    assert settled(["Hammer", "Saw", "Axe"], head="name") == []


def test_codes_go_even_from_a_column_that_is_kept():
    codes = ["7", "8", "DE89 3704 0044 0532 0130 00", "9"]
    assert settled(codes, head="grade", private={2}, type="CODE", subtype="iban") == [codes[2]]


def test_what_a_person_decided_stays():
    text, cells, found = cell_of(NUMBERS, head="salary", private={0})
    found[0] = found[0].model_copy(update={"views": ("user",), "private": False})
    (out,) = settle_columns([(text, found)], cells)
    assert [one.text for one in out if one.private] == NUMBERS[1:]


def test_columns_of_texts_are_read_cell_by_cell():
    notes = [f"the customer said on the phone that all is well, call number {n}" for n in range(4)]
    assert settled(notes, head="income", private={0}) == notes[:1]


def test_a_needed_column_is_needed_whole():
    text, cells, found = cell_of(NUMBERS, head="salary", private=range(4), subtype="income")
    some = Need(frozenset({value_key("58200")}))
    every = frozenset(map(value_key, NUMBERS))
    assert by_column(some, [(text, found)], cells, "average salary", Options()).shown == every
    assert by_column(some, [(text, found)], cells, "who is oldest?", Options()).shown == frozenset()
    strict = Options(privacy="strict")
    assert by_column(Need(), [(text, found)], cells, "average salary", strict).shown == frozenset()


def test_names_are_not_shown_for_their_head():
    people = ["Anna Lindqvist", "Bo Ek", "Carl Holm"]
    text, cells, found = cell_of(people, head="name", private=range(3), type="PER", subtype="full_name")
    assert not by_column(Need(), [(text, found)], cells, "whose name is longest?", Options()).shown


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("a,b,c\n1,2,3\n4,5,6\n7,8,9", 1), ("a,b,c\n1,2,3\n4,5,6", 0), ("a\tb\n1\t2\n3\t4\n5\t6\r\n", 1),
        ("Dear all,\n\nthis is it, well, so\n\nYours,\nAnna", 0), ("x = 1;\ny = 2;\nz = 3;\nw = 4;", 0),
        ("a;b;c\n1;2;3\n4;5;6\n7;8;9\n\nand\n\na,b,c\n1,2,3\n4,5,6\n7,8,9", 2), ("", 0), ("\n" * 9, 0),
    ],
)  # fmt: skip
def test_tables_are_known_by_their_lines(text, count):
    assert len(tables_in(text)) == count
    assert all(text[cell.start : cell.end].strip() in text for cell in cells_in(text))


def test_a_quote_that_is_none_makes_no_table():
    assert cells_in('a,b,c\n1,2,3\n4,"5"x,6\n7,8,9') == []


REMARKS = """name,comment
Emma Williams,prefers email
Peter Jones,HIV positive
Anna Nowak,ok
Sunita Rao,depression
Karl Maier,pays late
Ivo Petrov,call 07700 900812
Lea Roth,pregnant
"""


def test_remarks_are_decided_cell_by_cell_and_no_illness_is_voted_away():
    told = document(REMARKS, "csv")
    assert not any(word in told for word in ("HIV", "depression", "pregnant", "900812"))
    assert all(word in told for word in ("prefers email", "pays late", "ok"))


def test_an_illness_among_tags_goes_and_the_other_tags_stay():
    rows = [("Emma Williams", "vip"), ("Peter Jones", "new"), ("Anna Nowak", "breast cancer"), ("Ivo Petrov", "vip")]
    told = document("name;tags\n" + "".join(f"{name};{tag}\n" for name, tag in rows), "csv")
    assert "cancer" not in told and told.count("vip") == 2 and "new" in told
