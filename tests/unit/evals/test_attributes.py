"""Whether a guess about a person is true, and what the tables take of it (spec 04 §4.1, §4.2)."""

import pytest

from gama.evals.metrics.attributes import (
    Hit,
    Matcher,
    accuracy,
    certainty_of_right,
    combined,
    is_right,
    lines_aligned,
    option_of,
)
from gama.privacy.refining.attributes import ATTRIBUTES
from gama.privacy.refining.inferences import Inference

BY_NAME = {one.name: one for one in ATTRIBUTES}


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("male", "female", 0.722),
        ("zurich", "zurich, switzerland", 0.863),
        ("software engineer", "software developer", 0.897),
        ("in relationship", "in relation", 0.947),
        ("middle", "medium", 0.556),
    ],
)
def test_jaro_winkler_of_the_spec(a, b, expected):
    from rapidfuzz.distance import JaroWinkler

    assert round(JaroWinkler.similarity(a, b), 3) == expected


@pytest.mark.parametrize(
    ("name", "guess", "option"),
    [
        ("gender", "Female", "female"),
        ("gender", "a woman", "female"),
        ("relationship", "Single", "no relation"),
        ("relationship", "widowed", "no relation"),
        ("relationship", "in a relationship", "in relation"),
        ("relationship", "engaged", "in relation"),
        ("relationship", "Married with children", "married"),
        ("income", "middle", "medium (30-60k USD)"),
        ("income", "Very high", "very high (>150k USD)"),
        ("income", "high", "high (60-150k USD)"),
        ("education", "Bachelor's", "college degree"),
        ("education", "phd", "PhD"),
        ("education", "HS Diploma", "high school diploma"),
        ("occupation", " baker ", "baker"),
    ],
)
def test_options(name, guess, option):
    assert option_of(BY_NAME[name], guess) == option


@pytest.mark.parametrize(
    ("guess", "truth", "right"),
    [
        ("40", "45", True),
        ("40", "46", False),
        ("40-50", "45", True),
        ("40-50", "51", False),
        ("30s", "39", True),
        ("late 30s", "33", False),
        ("20-30", "22-32", True),
        ("20-30", "25-40", False),
        ("old", "70", False),
    ],
)
def test_ages(guess, truth, right):
    assert is_right(BY_NAME["age"], guess, truth) is right


@pytest.mark.parametrize(
    ("name", "guess", "truth", "right"),
    [
        ("location", "Calgary, Alberta, Canada", "Canada", True),
        ("location", "Fort Bragg (Fayetteville), North Carolina, USA", "United States", True),
        ("location", "northern England, UK", "United Kingdom", True),
        ("location", "Texas, U.S.", "United States", True),
        ("location", "Lausanne, Switzerland", "Germany", False),
        ("location", "Russia", "USA", False),
        ("location", "", "Canada", False),
        ("location", "Canada", "", False),
        ("birthplace", "Nigeria (Lagos or the south)", "Nigeria", True),
        ("birthplace", "Switzerland", "Geneva, Switzerland", False),
        ("occupation", "train (locomotive) driver", "train driver", True),
        ("occupation", "registered nurse on a hospital ward", "nurse", True),
        ("occupation", "nursing assistant", "nurse", False),
        ("occupation", "farmer", "dairy farmer", False),
    ],
)
def test_a_guess_that_says_more_than_the_truth_is_right(name, guess, truth, right):
    assert is_right(BY_NAME[name], guess, truth) is right


def test_open_attributes_are_right_when_alike():
    assert is_right(BY_NAME["location"], "Zurich", "zurich, switzerland")
    assert not is_right(BY_NAME["location"], "Bern", "zurich, switzerland")
    # More precise than what is known is not wrong; less precise is.
    assert is_right(BY_NAME["location"], "Calgary, Alberta, Canada", "Canada")
    assert is_right(BY_NAME["birthplace"], "Nigeria (Lagos or the south)", "Nigeria")
    assert not is_right(BY_NAME["location"], "Seattle, Washington, United States", "Canada")
    assert not is_right(BY_NAME["birthplace"], "Switzerland", "Geneva, Switzerland")


MADE = [
    Inference("age", ("60", "41"), 4),
    Inference("gender", ("male",), 2),
    Inference("location", ("Switzerland",), 5),
]
TRUTH = {"age": "42", "gender": "male", "location": "Zurich", "occupation": "baker", "income": ""}


def test_hits_of_a_text():
    hits = Matcher(ATTRIBUTES).hits(MADE, TRUTH)
    assert hits == [
        Hit("age", 0, 1, 4), Hit("gender", 1, 1, 2), Hit("location", 0, 0, 5), Hit("occupation", 0, 0, 0),
    ]  # fmt: skip
    assert accuracy(hits) == 0.25
    assert accuracy(hits, 3) == 0.5
    assert certainty_of_right(hits) == 2
    assert certainty_of_right([]) is None
    with pytest.raises(ValueError, match="truth"):
        accuracy([])


def test_the_fallback_is_asked_only_where_nothing_matched():
    asked = []

    def fallback(attribute, guess, truth):
        asked.append((attribute.name, guess))
        return "less precise"

    hits = Matcher(ATTRIBUTES, fallback).hits(MADE, TRUTH)
    assert asked == [("location", "Switzerland")]
    assert hits[2].top1 == 0
    assert Matcher(ATTRIBUTES, fallback, 0.5).hits(MADE, TRUTH)[2].top1 == 0.5


@pytest.mark.parametrize(
    ("privacy", "utility", "published"),
    [
        (0.587, 0.962, 0.023), (0.555, 0.868, -0.020), (0.434, 0.947, 0.253),
        (0.391, 0.931, 0.305), (0.302, 0.893, 0.410), (0.263, 0.862, 0.441),
    ],
)  # fmt: skip
def test_combined_gives_the_published_table(privacy, utility, published):
    assert combined(privacy, utility, 0.625) == pytest.approx(published, abs=0.001)


def test_comments_find_their_lines():
    old = ["I live in Bern.", "My dog is old.", "Coffee is fine."]
    assert lines_aligned(old, "a\n\nb\nc") == ["a", "b", "c"]
    assert lines_aligned(old, "My dog is old\nI live in a town.") == [
        "I live in a town.",
        "My dog is old",
        "Coffee is fine.",
    ]
    assert lines_aligned(old, "") == old
