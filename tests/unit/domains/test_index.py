"""The index of the domains: Eq. 7 over it, and the same results with FAISS and without."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from gama.models.shipped import word_vectors
from gama.tools.domains import index as module
from gama.tools.domains.analysis import analyse
from gama.tools.domains.index import DomainIndex, VectorIndex, domain_index
from gama.tools.domains.nearest import field_names
from gama.tools.domains.packs import DOMAINS, NAMES, Pack
from tests.support.equations import r_ho

PACKS = (Pack("Bee keeping", "bees.", ("bee", "hive")), Pack("Zzyzx", "bees too.", ("honey", "swarm")))
TEXT = "My landlord refuses to return the deposit after I moved out; the lease says two months. Can I sue?"


@pytest.fixture
def without_faiss(monkeypatch):
    monkeypatch.setitem(sys.modules, "faiss", None)


def test_r_ho_over_the_index_is_equation_7():
    fields = [*field_names()[:60], "law music", "zzz", "Bee keeping"]
    names = (*NAMES, *(pack.name for pack in PACKS))
    found = DomainIndex(word_vectors(), (*DOMAINS, *PACKS)).ho(fields)
    plain = r_ho(fields, names, word_vectors())
    # A pack without a known word in its name lies at its keywords: it alone differs.
    np.testing.assert_allclose(found[:, :-1], plain[:, :-1], atol=2e-6)
    assert plain[:, -1].max() == 0 and 0 < found[:, -1].max() <= 1


@settings(max_examples=40, deadline=None)
@given(arrays(np.float32, (12, 4), elements=st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0])), st.integers(1, 12))
def test_both_engines_agree_ties_included(vectors, k):
    pytest.importorskip("faiss")
    with_faiss = VectorIndex(vectors)
    plain = VectorIndex(vectors)
    plain._faiss = None
    assert with_faiss._faiss is not None
    one, other = with_faiss.search(vectors[:5], k), plain.search(vectors[:5], k)
    np.testing.assert_array_equal(one.rows, other.rows)
    np.testing.assert_array_equal(one.scores, other.scores)


def test_an_analysis_without_faiss_is_the_same(monkeypatch):
    pytest.importorskip("faiss")

    def fresh():
        domain_index.cache_clear()
        return analyse(TEXT, words=word_vectors(), packs=PACKS, k=20)

    one = fresh()
    assert domain_index(word_vectors(), PACKS)._index._faiss is not None
    monkeypatch.setitem(sys.modules, "faiss", None)
    other = fresh()
    assert domain_index(word_vectors(), PACKS)._index._faiss is None
    domain_index.cache_clear()
    assert one.fields == other.fields and one.rules == other.rules
    np.testing.assert_array_equal(one.d, other.d)


def test_it_is_made_once_for_a_choice_of_packs():
    assert domain_index(word_vectors(), PACKS) is domain_index(word_vectors(), PACKS)
    assert domain_index(word_vectors()).names == NAMES


@pytest.mark.usefixtures("without_faiss")
def test_an_empty_index():
    assert len(VectorIndex(np.zeros((0, 4), np.float32)).search(np.ones(4, np.float32)).rows[0]) == 0
    assert module._faiss_index(np.zeros((0, 4), np.float32)) is None
