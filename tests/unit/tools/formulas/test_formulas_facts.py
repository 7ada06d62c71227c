"""The tables of formulas: what they hold is well formed, and every refusal has its words."""

import re
import subprocess
import sys
from pathlib import Path
from zoneinfo import available_timezones

import pytest

from gama.tools.formulas import facts, reckoning
from gama.tools.formulas.evaluate import evaluate
from gama.tools.formulas.identity import PersonName, fold
from gama.tools.formulas.values import Context, Fault, PrivateValue, Text
from gama.tools.formulas.words import rows, unit_names, units

ROOT = Path(__file__).parents[4]


def test_every_refusal_has_words_for_the_reader():
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "tools" / "formulas").glob("*.py")]
    codes = {code for text in sources for code in re.findall(r'Fault\(\s*"(\w+)"', text)}
    assert {"type", "no_year", "ambiguous_date"} <= codes <= set(reckoning._REASONS)


def test_forenames_are_of_one_gender():
    women, men = (set(row[1].split()) for row in rows("forenames.tsv"))
    assert "anna" in women and "robert" in men and not women & men
    assert not {"andrea", "jean", "robin", "nicola", "kim"} & (women | men)


def test_places_lie_in_countries_and_time_zones():
    zones = available_timezones()
    for name, (code, zone) in facts._cities().items():
        assert re.fullmatch("[A-Z]{2}", code) and (not zone or zone in zones), name
    assert not {"cambridge", "birmingham", "valencia", "cordoba"} & set(facts._cities())


@pytest.mark.parametrize(
    ("place", "code"),
    [
        ("Köln", "DE"), ("KÖLN", "DE"), ("Cologne", "DE"), ("10115 Berlin", "DE"), ("Lyon, France", "FR"), ("Austin, TX", "US"),
        ("12 High Street, Bath BA1 1AA, UK", "GB"), ("España", "ES"), ("Larnaca International Airport", "CY"),
        ("Springfield, Illinois", "US"), ("San José, Costa Rica", "CR"),
    ],
)  # fmt: skip
def test_countries_of_places(place, code):
    assert facts.country(Text(place, "location")).code == code


@pytest.mark.parametrize("place", ["Cambridge", "Georgia", "Valencia", "", "the old mill", "Paris, Elsewhere"])
def test_places_that_tell_no_country_are_refused(place):
    with pytest.raises(Fault):
        facts.country(Text(place, "location"))


def test_medicines_have_one_substance():
    brands = [brand for row in rows("drugs.tsv") for brand in row[1].split()]
    assert len(brands) == len(set(brands)) > 100


def test_units_convert_both_ways():
    for unit, (dimension, factor, offset) in units().items():
        assert factor > 0 and dimension and (offset == 0 or dimension == "temperature"), unit
    assert unit_names()["lbs"] == "lb" and "pounds" not in unit_names()


@pytest.mark.parametrize(
    ("text", "language", "first", "surname"),
    [
        ("Anna Smith", "en", "Anna", "Smith"), ("Dr. Anna Maria Smith", "en", "Anna", "Smith"), ("Smith, Anna", "en", "Anna", "Smith"),
        ("Vincent van Gogh", "nl", "Vincent", "van Gogh"), ("Ana López", "es", "Ana", "López"), ("John Smith Jr.", "en", "John", "Smith"),
        ("Prof. Dr. Karl-Heinz Müller", "de", "Karl-Heinz", "Müller"),
    ],
)  # fmt: skip
def test_parts_of_names(text, language, first, surname):
    name = PersonName(text, language)
    assert (name.first, name.surname) == (first, surname)


@pytest.mark.parametrize(
    ("text", "language"), [("Nagy Anna", "hu"), ("王小明", "zh"), ("Ana María López", "es"), ("Cher", "en")]
)
def test_surnames_that_cannot_be_told_are_refused(text, language):
    with pytest.raises(Fault):
        _ = PersonName(text, language).surname


def test_fold():
    assert fold("  São-Paulo (SP) ") == "sao paulo sp"


def test_gender_of_the_letter_comes_first():
    box = {"<name-1>": PrivateValue("Andrea Rossi", "name")}
    assert evaluate("{{ male(<name-1>) }}", box, Context("it", genders={"<name-1>": "male"})).text == "sì"
    assert evaluate("{{ male(<name-1>) }}", box, Context("it")).unresolved[0].code == "no_fact"


def test_nothing_heavy_is_loaded_before_a_formula_is():
    code = "import sys, gama.tools.formulas.evaluate, gama.tools.formulas.instructions\n"
    code += (
        "print(*[m for m in ('lark', 'babel', 'holidays', 'text_to_num', 'phonenumbers', 'yaml') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout.decode().split() == []
