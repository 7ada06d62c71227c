"""PII-Bench's taxonomy and values: counts, mappings, forms, and that no value can be anybody's."""

import ipaddress
import re
import sys
from random import Random

import pytest

from gama.evals.datasets.taxonomy import CATEGORIES, CATEGORY_OF, SUBTYPE_OF, TYPE_OF_CATEGORY, tag
from gama.evals.piibench import values
from gama.evals.piibench.lists import pairs, sections
from gama.evals.piibench.queries import questions, scenarios, told, topics
from gama.evals.piibench.texts import frames
from gama.evals.piibench.values import BY_LIST, BY_RULE, CARDS, PATTERNS, draw, fits, luhn, stray
from gama.state.entities import SUBTYPES, TYPE_OF
from gama.state.errors import OptionError


def test_there_are_55_categories_of_seven_types():
    counts = {kind: len(names) for kind, names in CATEGORIES.items()}
    assert counts == {"PER": 3, "CODE": 12, "LOC": 3, "ORG": 5, "DEM": 17, "DATETIME": 3, "QUANTITY": 12}
    assert len(TYPE_OF_CATEGORY) == 55 and set(CATEGORIES) == set(SUBTYPES)


def test_every_category_is_one_of_our_subtypes_and_back():
    for category, kind in TYPE_OF_CATEGORY.items():
        assert TYPE_OF[SUBTYPE_OF[category]] == kind and CATEGORY_OF[SUBTYPE_OF[category]] == category
    assert len(set(SUBTYPE_OF.values())) == 55
    assert all(TYPE_OF[subtype] == TYPE_OF_CATEGORY[category] for subtype, category in CATEGORY_OF.items())
    assert CATEGORY_OF["first_name"] == "Full Name" and "url" not in CATEGORY_OF


def test_a_masked_value_shows_its_category():
    assert tag("Phone Number") == "<Phone Number>"


AMBIGUOUS: tuple[tuple[str, str], ...] = (
    ("Driver's License", "Passport Number"),
    ("Student ID", "Date"),
    ("Bank Account", "Phone Number"),
    ("Age", "Credit Score"),
)
"""Pairs that their form alone does not tell apart: a letter and eight digits, eight digits (a date without its
separators), ten digits (a number without its country), three digits. Only the words around them do."""


@pytest.mark.parametrize(("one", "other"), AMBIGUOUS)
def test_pairs_that_look_alike_have_a_value_of_both_forms(one, other):
    def common(value):
        value = value.replace("-", "") if "Date" in (one, other) else value.partition("-")[2] or value
        return re.sub("[A-Z]", "A", re.sub("[0-9]", "0", value))

    shapes = [{common(draw(name, Random(f"{seed}"))) for seed in range(300)} for name in (one, other)]
    if (one, other) == ("Age", "Credit Score"):
        assert fits("Age", "301") and fits("Credit Score", "301")
    else:
        assert shapes[0] & shapes[1]


def test_who_makes_which_category():
    assert len(BY_RULE) == 36 and BY_RULE | BY_LIST == set(TYPE_OF_CATEGORY) and not BY_RULE & BY_LIST
    assert {"Nickname", "Street Address", "Company", "Nationality", "Medical Condition"} < BY_LIST
    assert {"Occupation", "Gender", "Sexual Orientation", "Full Name"} < BY_RULE


@pytest.mark.parametrize("category", sorted(BY_RULE))
def test_a_value_by_rule_has_its_form(category):
    for seed in range(1000):
        value = draw(category, Random(f"{seed}"))
        assert PATTERNS[category].fullmatch(value) and fits(category, value), value


@pytest.mark.parametrize("category", sorted(BY_LIST))
def test_a_value_from_a_list_is_a_short_line_of_words(category):
    drawn = {draw(category, Random(f"{seed}")) for seed in range(300)}
    assert all(fits(category, value) for value in drawn) and len(drawn) >= 7


def test_the_same_seed_draws_the_same_value():
    for category in TYPE_OF_CATEGORY:
        assert draw(category, Random("7")) == draw(category, Random("7"))


def test_card_numbers_hold_luhn_and_are_of_test_issuers():
    numbers = [draw("Credit Card", Random(f"{seed}")) for seed in range(1000)]
    assert all(luhn(number) and number.startswith(CARDS) for number in numbers)
    assert luhn("4111111111111111") and not luhn("4111111111111112") and not fits("Credit Card", "4111111111111112")


def test_credit_scores_and_shares_are_within_their_range():
    for seed in range(1000):
        assert 300 <= int(draw("Credit Score", Random(f"{seed}"))) <= 850
    assert not fits("Credit Score", "299") and not fits("Credit Score", "851") and fits("Credit Score", "850")
    assert not fits("ROI", "123.45%") and fits("ROI", "3.45%") and fits("ROI", "23.45 %")


def test_no_value_can_be_anybodys():
    networks = [
        ipaddress.ip_network(one) for one in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32")
    ]
    for seed in range(500):
        rng = f"{seed}"
        assert re.match("000|666|9", draw("Social Security Number", Random(rng)))
        assert re.fullmatch(r".*@example\.(com|net|org)", draw("Email Address", Random(rng)))
        assert re.fullmatch(r"\+1-\d{3}55501\d\d|\+44-7700900\d{3}", draw("Phone Number", Random(rng)))
        address = ipaddress.ip_address(draw("IP Address", Random(rng)))
        assert any(address in network for network in networks)


def test_forms_that_the_paper_leaves_out_are_accepted():
    assert fits("Blood Type", "AB-") and fits("Phone Number", "2125550101") and fits("Height", "5'11\"")
    assert {draw("Blood Type", Random(f"{n}"))[:-1] for n in range(200)} == {"A", "B", "O"}
    assert (
        not fits("Company", "Two\nlines") and not fits("Company", "7 Sisters") and fits("Street Address", "7 Elm Road")
    )


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("It was 42.", "Age"), ("Ask @someone99 now.", "Social Media Handle"), ("She is female.", "Gender"),
        ("Write to a@b.org.", "Email Address"), ("At 10:15:00 sharp.", "Time"), ("A welder came.", "Occupation"),
        ("I owe $4,250 to him.", "Monthly Income"), ("With Michael Vasterby there.", "Full Name"),
        ("The Annual Review of Human Resources.", None), ("The females weld.", None), ("", None),
    ],
)  # fmt: skip
def test_stray_values_are_seen(text, category):
    assert stray(text) == category


def test_without_faker_it_is_said_how_to_get_it(monkeypatch):
    monkeypatch.setattr(values, "find_spec", lambda name: None)
    with pytest.raises(OptionError, match=r"gama-privacy\[styles\]"):
        draw("Full Name", Random("1"))
    assert draw("Tax ID", Random("1")).startswith("000") and "faker" in sys.modules
    values.given_names.cache_clear()
    assert stray("With Michael Vasterby there.") is None
    values.given_names.cache_clear()


def test_every_type_has_at_least_25_frames_and_every_category_some_of_each_style():
    for kind, names in CATEGORIES.items():
        assert len({frame for name in names for frame in frames(name)}) >= 25, kind
    for name in TYPE_OF_CATEGORY:
        assert frames(name, "F") and frames(name, "C")
        if TYPE_OF_CATEGORY[name] != "PER":
            assert frames(name, "", owned=True), name
        assert all(frame.count("{V}") == 1 for frame in frames(name)), name


def test_what_surrounds_the_values_holds_none_itself():
    texts = [line.partition("| ")[2] or line for lines in sections("frames").values() for line in lines]
    texts += [line for lines in sections("prose").values() for line in lines]
    texts += [opening for one in scenarios().values() for opening in one.openings]
    texts += [told(line, "I") for asked in questions().values() for some in asked.values() for line in some]
    assert [text for text in texts if stray(text)] == []


def test_every_category_but_names_can_be_asked_for():
    asked = {category for name in scenarios() for category in topics(name)}
    assert asked == set(pairs("names", "names")) == set(TYPE_OF_CATEGORY) - set(CATEGORIES["PER"])
