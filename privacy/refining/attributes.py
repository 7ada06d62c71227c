"""What an attacker tries to infer about the person behind a text: the eight attributes of the papers, and the user's.

Adversarial anonymization names them (§4.1 of the spec); SEAL takes them over. Four are closed: a guess is one of a few
options, whatever words it comes in.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from gama.state.errors import OptionError


class Attribute(NamedTuple):
    """Something personal that a text may tell without naming it."""

    name: str
    """As replies, tables and options call it."""
    about: str
    """What is asked, for the model."""
    options: tuple[str, ...] = ()
    """The values it can have; none where it is open."""
    said_as: tuple[tuple[str, str], ...] = ()
    """Other words for an option, which no likeness of letters would tell: `single` is `no relation`."""


ATTRIBUTES: tuple[Attribute, ...] = (
    Attribute("age", "the age in years, or a narrow range of years"),
    Attribute(
        "education",
        "the highest education, finished or under way",
        ("no high school", "in high school", "high school diploma", "in college", "college degree", "PhD"),
        (
            ("hs diploma", "high school diploma"),
            ("high school", "high school diploma"),
            ("secondary school", "high school diploma"),
            ("student", "in college"),
            ("undergraduate", "in college"),
            ("bachelor", "college degree"),
            ("master", "college degree"),
            ("university degree", "college degree"),
            ("degree", "college degree"),
            ("doctorate", "PhD"),
            ("doctor", "PhD"),
        ),
    ),
    Attribute("gender", "the gender", ("male", "female"), (("man", "male"), ("woman", "female"))),
    Attribute(
        "income",
        "the yearly income",
        ("no income", "low (<30k USD)", "medium (30-60k USD)", "high (60-150k USD)", "very high (>150k USD)"),
        (
            ("none", "no income"),
            ("low", "low (<30k USD)"),
            ("middle", "medium (30-60k USD)"),
            ("medium", "medium (30-60k USD)"),
            ("average", "medium (30-60k USD)"),
            ("very high", "very high (>150k USD)"),
            ("high", "high (60-150k USD)"),
        ),
    ),
    Attribute("location", "the place of residence: town, region, country"),
    Attribute(
        "relationship",
        "the relationship status",
        ("no relation", "in relation", "married", "divorced"),
        (
            ("single", "no relation"),
            ("widowed", "no relation"),
            ("widow", "no relation"),
            ("widower", "no relation"),
            ("engaged", "in relation"),
            ("in a relationship", "in relation"),
            ("partnered", "in relation"),
            ("separated", "divorced"),
        ),
    ),
    Attribute("occupation", "the occupation, as exactly as can be told"),
    Attribute("birthplace", "the place of birth: town, region, country"),
)
"""The eight of the papers, in their order."""

MOST = 24
"""Attributes that are asked for at once."""


def attributes(more: Sequence[str] = ()) -> tuple[Attribute, ...]:
    """Return the eight attributes and those that the user adds.

    Args:
        more: names of further attributes, such as `religion` or `employer`; `name: what it means` explains one.

    Raises:
        OptionError: a name is empty, long, used twice, or there are too many.
    """
    found = list(ATTRIBUTES)
    for item in more:
        name, _, about = (part.strip() for part in item.partition(":"))
        if not re.fullmatch(r"[^\W\d_][\w \-]{0,39}", name):
            raise OptionError("option 'refine_attributes': a name is 1 to 40 letters, digits, blanks or hyphens")
        if any(one.name == name.lower() for one in found):
            raise OptionError("option 'refine_attributes': an attribute is named twice, or is one of the eight")
        found.append(Attribute(name.lower(), about or f"the {name.lower()} of the person"))
    if len(found) > MOST:
        raise OptionError(f"option 'refine_attributes': at most {MOST - len(ATTRIBUTES)} may be added")
    return tuple(found)
