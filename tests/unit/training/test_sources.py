"""Organisations put together from parts, the share-alike sets, and the public-knowledge index."""

from random import Random

import pytest

from gama.state.entities import SUBTYPES, TYPE_OF
from gama.tools.knowledge.index import is_known
from gama.training.composed import organisation
from gama.training.lexicon import LISTS, Lexicon
from gama.training.readers import read_share_alike

LEXICON = Lexicon(
    forenames=("Anouk", "Bjorn"),
    surnames=("Falk", "Grimaldi"),
    famous=("Isaac Newton",),
    cities=("Aarhus", "Bologna"),
    countries=("Chad",),
    companies=("Initech",),
    schools=("Miskatonic University",),
    occupations=("baker",),
)


@pytest.mark.parametrize("subtype", [*SUBTYPES["ORG"], "facility"])
def test_organisations_vary_and_repeat_by_seed(subtype):
    names = [organisation(subtype, Random(seed), LEXICON) for seed in range(60)]
    assert names == [organisation(subtype, Random(seed), LEXICON) for seed in range(60)]
    assert len(set(names)) > 15
    assert all(name and name == name.strip() and "  " not in name and "|" not in name for name in names)


def test_only_organisations_and_facilities():
    assert {sub for sub in TYPE_OF if organisation(sub, Random(1), LEXICON)} == {*SUBTYPES["ORG"], "facility"}


def test_listed_surfaces_have_no_article():
    listed = [
        value
        for subtype in ("physical_feature", "medical_condition", "disability", "family")
        for value in LISTS[subtype]
    ]
    assert not [value for value in listed if value.lower().startswith(("a ", "an ", "the "))]


def test_share_alike_sets(tmp_path):
    for domain in ("ai", "music"):
        (tmp_path / "crossner" / domain).mkdir(parents=True)
        for part in ("train", "dev"):
            (tmp_path / "crossner" / domain / f"{part}.txt").write_text(
                "Ada\tB-researcher\nLovelace\tI-researcher\nwrote\tO\nPython\tB-programlang\n.\tO\n\n"
            )
    for name, file in (("uner_ewt", "en_ewt-ud-dev.iob2"), ("uner_pud", "en_pud-ud-test.iob2")):
        (tmp_path / name).mkdir()
        (tmp_path / name / file).write_text("# sent_id = 1\n1\tIn\tO\t-\t-\n2\tOslo\tB-LOC\t-\t-\n\n")
    sets = read_share_alike(tmp_path, Random(1))
    assert set(sets) == {"crossner", "uner_ewt", "uner_pud"}
    found = sets["crossner"][0]
    assert [found.text[m.start : m.end] for m in found.marks][0] == "Ada Lovelace"
    assert "Python" in found.text and not any(found.text[m.start : m.end] == "Python" for m in found.marks)
    place = sets["uner_pud"][0]
    assert [(place.text[m.start : m.end], m.private) for m in place.marks] == [("Oslo", False)]


@pytest.mark.parametrize(
    ("name", "kind", "known"),
    [
        ("Paris", "LOC", True),
        ("the Louvre", "LOC", True),
        ("CENTRAL PARK", "LOC", True),
        ("são paulo", "LOC", True),
        ("Larch Close", "LOC", False),
        ("Microsoft", "ORG", True),
        ("Harvard University", "ORG", True),
        ("Falk & Grimaldi", "ORG", False),
        ("Target", "DEM", False),
        ("Isaac Newton", "PER", True),
        ("Zelda Quark", "PER", False),
    ],
)
def test_public_knowledge(name, kind, known):
    assert is_known(name, kind) is known
