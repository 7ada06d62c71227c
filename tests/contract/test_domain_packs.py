"""What every domain pack must be, whoever wrote it, and what becomes of it in the analysis."""

from pathlib import Path

import pytest

from gama.models.shipped import word_vectors
from gama.state.task import DomainRule
from gama.tools.contract import DomainPack, domain_plugin
from gama.tools.domains.analysis import analyse
from gama.tools.domains.packs import NAMES, Pack, read_pack
from gama.tools.registry import Registry

EXAMPLES = Path(__file__).parents[2] / "examples"


class Plain:
    """A pack of a plugin with no more than the contract asks for."""

    name = "Genealogy"
    description = "family trees, parish registers and the search for ancestors."
    keywords = ("ancestor", "Family Tree", "parish register", "genealogy", "birth certificate", "census")


PACKS = [
    *Registry.load().domain_packs(),
    *(read_pack(file.parent) for file in sorted(EXAMPLES.rglob("pack.yaml"))),
    *Registry([domain_plugin("genealogy", Plain)]).domain_packs(),
]


@pytest.fixture(params=PACKS, ids=lambda one: one.name)
def pack(request: pytest.FixtureRequest) -> Pack:
    found: Pack = request.param
    return found


def test_is_a_pack_of_the_contract(pack: Pack) -> None:
    assert isinstance(pack, DomainPack)
    assert pack.name not in NAMES and len(pack.description.splitlines()) == 1
    assert all(word == " ".join(word.lower().split()) for word in pack.keywords)
    assert len(set(pack.keywords)) == len(pack.keywords) > 0


def test_a_task_in_its_own_words_goes_to_its_expert(pack: Pack) -> None:
    text = f"I have a question about {', '.join(pack.keywords[:12])}. What should I do?"
    rules = analyse(text, words=word_vectors(), packs=(pack,)).rules
    assert pack.name in [rule.domain for rule in rules]
    rule = next(rule for rule in rules if rule.domain == pack.name)
    assert pack.description in rule.prompt and rule.prompt.endswith(pack.prompt)
    # What crosses is made of the pack's own text and templates; it validates like any other rule.
    assert DomainRule.model_validate_json(rule.model_dump_json()) == rule


def test_nothing_else_changes(pack: Pack) -> None:
    text = "My landlord refuses to return the deposit after I moved out; the lease says two months. Can I sue the landlord?"
    with_pack = [rule.domain for rule in analyse(text, words=word_vectors(), packs=(pack,)).rules]
    assert with_pack == [rule.domain for rule in analyse(text, words=word_vectors()).rules]
