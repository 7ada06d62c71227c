"""The keyword lists of the reference domains: complete, clean, and of use in Eq. 8."""

import re

import pytest
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from gama.tools.domains.memberships import r_elm
from gama.tools.domains.packs import DOMAINS, NAMES

SALUTATIONS = {"dear", "sir", "madam", "regards", "sincerely", "yours", "thank", "thanks", "please", "hello"}
CORE = {
    "Finance": "money bank banking loan tax insurance pension".split(),
    "Law": "law court contract tenant landlord sue".split(),
    "Medicine": "doctor symptom allergy ambulance anaemia anemia tumour tumor".split(),
    "Education": "school class teacher pupil exam student".split(),
    "Entertainment": "film movie song actor series".split(),
    "Psychology": "anxiety grief therapy stress".split(),
    "History": "history war century soldier".split(),
    "Transportation": "driver train flight bicycle".split(),
    "Technology": "software computer cloud password".split(),
    "Sociology": "sociology family community migration".split(),
}


@pytest.fixture(params=DOMAINS, ids=lambda domain: domain.name)
def domain(request):
    return request.param


def test_a_list_has_150_to_300_terms_in_order_and_none_twice(domain):
    assert 150 <= len(domain.keywords) <= 300
    assert list(domain.keywords) == sorted(set(domain.keywords))


def test_every_term_can_match(domain):
    """Matching is by single lower-case words of letters; stop words and what has other signs would never match."""
    assert [word for word in domain.keywords if not re.fullmatch(r"[a-z]{2,}", word)] == []
    assert [word for word in domain.keywords if word in ENGLISH_STOP_WORDS] == []
    row = r_elm(" ".join(domain.keywords), [d.keywords for d in DOMAINS])[0]
    assert row[NAMES.index(domain.name)] == pytest.approx(1.0) and row.argmax() == NAMES.index(domain.name)


def test_the_discipline_itself_is_named_and_its_core_is_there(domain):
    assert domain.name.lower() in domain.keywords
    assert set(CORE.get(domain.name, ())) <= set(domain.keywords)


def test_no_term_stands_in_every_letter(domain):
    assert not SALUTATIONS & set(domain.keywords)


def test_terms_tell_domains_apart():
    """A term of many domains speaks for none; half of all terms shared would make Eq. 8 blind."""
    everywhere = [word for d in DOMAINS for word in d.keywords]
    counts = {word: everywhere.count(word) for word in set(everywhere)}
    assert max(counts.values()) <= 3
    assert sum(count > 1 for count in counts.values()) < 0.15 * len(counts)
