"""Tables, records and bills in a text: what is nobody's and what is asked about stays, names and codes go."""

import pytest

from gama.privacy.anonymizer import Anonymizer
from gama.privacy.decide import things
from gama.privacy.layout import cells_in, entries_in, tables_in
from gama.privacy.tables import settle_tables, without_stamps
from gama.state.entities import Entity
from gama.state.options import Options

BUSES = """| Line | Stop | Dep. | Arr. | Days |
|---|---|---|---|---|
| 14 | Harbour Road | 06:12 | 06:15 | Mon-Fri |
| 14 | Market Square | 06:24 | 06:26 | Mon-Fri |
| 27 | Market Square | 06:30 | 06:33 | Sat |

Which bus do we need on a Tuesday?"""
RUNS = """run_id,model,lr,epochs,val_acc,mins
17,resnet50,0.001,30,0.912,1010
18,resnet50,0.0005,30,0.918,902
19,vit_s,0.0003,50,0.931,1044
Which run is best?"""
TIMETABLE = """Stundenplan
      Mo        Di        Mi
1.    Deutsch   Mathe     Englisch
2.    Deutsch   Mathe     Kunst
3.    Bio       Englisch  Deutsch
Wie viele Stunden Mathe sind das je Woche?"""


@pytest.mark.parametrize("text", [BUSES, RUNS, TIMETABLE], ids=["buses", "runs", "lessons"])
def test_tables_of_nobody_leave_whole(text):
    assert Anonymizer().anonymize(text).text == text


STAFF = """emp_no,name,dept,base_salary,hired
4471,Bisi Oyelaran,Logistics,41200,2019-03-01
4472,Marten Huisman,Logistics,38900,2021-07-15
4475,Padma Krishnan,Quality,52750,2015-11-02
4480,Ilse Vandevelde,Quality,43100,2018-01-08
"""


def test_the_columns_that_are_asked_about_stay_and_names_codes_and_the_rest_go():
    told = Anonymizer().anonymize(f"{STAFF}\nWhat is the median base_salary per dept?").text
    assert all(one in told for one in ("41200", "52750", "Logistics", "Quality"))
    assert not any(one in told for one in ("Bisi", "Huisman", "4471", "2019-03-01"))


@pytest.mark.parametrize(("text", "level"), [(f"{STAFF}\nWhat is the median base_salary?", "strict"), (STAFF, "auto")])
def test_where_nothing_may_be_asked_or_nothing_is_salaries_go(text, level):
    told = Anonymizer(Options(privacy=level)).anonymize(text).text
    assert not any(one in told for one in ("41200", "38900", "52750", "Padma"))


def private(text: str, *mentions: tuple[str, str], way=settle_tables, **options) -> list[str]:
    """Return which mentions are still private."""
    found = [Entity.at(text, text.index(one), text.index(one) + len(one), subtype) for one, subtype in mentions]
    out = way(text, found, Options(**options)) if way is settle_tables else way(text, found)
    return [one.text for one in out if one.private]


PATIENTS = "name,diagnosis,age\nx1,asthma,44\nx2,HIV,31\nx3,gout,60\n"


def test_facts_below_heads_that_speak_of_people_are_somebodys():
    assert private(PATIENTS, ("HIV", "medical_condition"), ("44", "age")) == ["asthma", "44", "HIV", "31", "gout", "60"]


BANK = """Buchungstag  Vorgang                                  Betrag EUR
03.06.2024   Lastschrift Stadtwerke Abschlag              -96,00
04.06.2024   Überweisung Cosima Reuß                      -50,00
07.06.2024   Kartenzahlung Blumen                         -41,37
10.06.2024   Gutschrift Miete                             780,00
"""


def test_whom_a_booking_names_goes_and_its_kind_stays():
    told = private(BANK, ("Lastschrift Stadtwerke Abschlag", "company"), ("Gutschrift", "company"))
    assert told == ["Cosima Reuß"]


@pytest.mark.parametrize(
    ("text", "date", "stays"),
    [
        ("2024-07-02 03:14:07,221 ERROR retry", "2024-07-02", True),
        ('1.2.3.4 - - [12/Mar/2024:06:41:08 +0000] "GET /"', "12/Mar/2024", True),
        ("Date:   Thu Apr 11 17:02:39 2024 +0200", "Thu Apr 11", True),
        ("We met on 2024-07-02 at 3.", "2024-07-02", False),
        ("born 2012-04-30 07:10", "2012-04-30", False),
    ],
)
def test_stamps_of_machines_are_nobodys(text, date, stays):
    assert private(text, (date, "date"), way=without_stamps) == ([] if stays else [date])


def test_what_reaches_over_the_gap_between_columns_is_several():
    text = "Early   Femi   Gosia  Ali\nLate    Ali    Femi   Gosia\nClean   Gosia  Ali    Femi\nWho is late?\n"
    found = [Entity.at(text, 8, 25, "full_name")]
    parts = [one.text for one in settle_tables(text + "a=1 b=2 c=3", found, Options()) if one.private]
    assert parts == ["Femi", "Gosia", "Ali"]


def test_columns_with_empty_cells_stand_below_each_other():
    text = "Date     Paid out   Paid in\n01 Mar      31.20\n04 Mar                450.00\n06 Mar       4.15\n"
    cells = {cell.head: [] for cell in cells_in(text)}
    for cell in cells_in(text):
        cells[cell.head].append(text[cell.start : cell.end])
    assert cells["Paid out"] == ["31.20", "", "4.15"] and cells["Paid in"] == ["", "450.00", ""]


def test_rows_of_sql_are_a_table():
    text = "INSERT INTO t (id, city) VALUES\n(1, 'Szeged'),\n(2, 'O''Fallon');"
    assert [(cell.head, text[cell.start : cell.end]) for cell in cells_in(text)] == [
        ("id", "1"), ("city", "Szeged"), ("id", "2"), ("city", "O''Fallon"),
    ]  # fmt: skip


def test_lines_of_names_and_figures_are_a_list_and_names_go_together():
    text = "Spelling test\nAoife M. 17\nDmitri 12\nSaoirse 19\nJun-ho 15\n"
    assert private(text, ("Aoife", "first_name"), ("Dmitri", "first_name")) == [
        "Aoife M.",
        "Dmitri",
        "Saoirse",
        "Jun-ho",
    ]


@pytest.mark.parametrize(
    "text", ["Feb paid 650\nMar paid 500\nApr not paid\nMay paid 800\nJun paid 650", "a 1\n\nb 2\n\nc 3"]
)
def test_lists_have_figures_line_by_line(text):
    assert len(entries_in(text)) == (4 if "paid" in text else 0)
    assert tables_in(text) == []


@pytest.mark.parametrize(
    ("text", "name", "kept"),
    [
        ("ask summer about the summer", "summer", {"the summer"}),
        ("tell grace that grace period ends", "grace", {"grace period"}),
        ("tell summer that summer called", "summer", set()),
    ],
)
def test_things_that_are_called_as_somebody_leave_whole(text, name, kept):
    start = text.index(name)
    assert things(text, [Entity.at(text, start, start + len(name), "first_name")]) == kept
