"""Eqs. 7 to 9 and Top-K: the worked numbers of spec 01 §1.5."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from gama.tools.domains.memberships import TOKEN_PATTERN, combine, r_elm, top_k
from gama.tools.domains.packs import DOMAINS, NAMES
from tests.support.equations import r_ho

HO = np.array([[0.30, 0.09, 0.11], [0.10, 0.55, 0.20]])
ELM = np.array([[0.0, 0.2, 0.4]])
D = combine(HO, ELM, 0.95)


def test_worked_example_of_equation_9():
    assert D.shape == (2, 3)
    np.testing.assert_allclose(D, [[0.285, 0.0955, 0.1245], [0.095, 0.5325, 0.21]])


def test_both_modes_on_the_worked_example():
    assert top_k(D, 3, "code") == [(0, pytest.approx(0.285)), (1, pytest.approx(0.5325))]
    assert top_k(D, 2, "paper") == [(1, pytest.approx(0.5325)), (0, pytest.approx(0.285))]


def test_alpha_at_its_ends():
    np.testing.assert_array_equal(combine(HO, ELM, 1.0), HO)
    zero = combine(HO, ELM, 0.0)
    np.testing.assert_array_equal(zero[0], zero[1])
    np.testing.assert_array_equal(zero[0], ELM[0])


def test_shapes_must_fit():
    with pytest.raises(ValueError, match="3 reference domains and R_elm 2"):
        combine(HO, np.zeros((1, 2)))


def test_ties_keep_the_reference_order_and_zeros_are_left_out():
    assert [i for i, _ in top_k(np.array([[0.5, 0.0, 0.5, 0.5]]), 4)] == [0, 2, 3]
    assert top_k(np.zeros((2, 3)), 3) == [] and top_k(np.zeros((2, 3)), 3, "code") == []


def test_mean_and_threshold_and_low_rows():
    assert [i for i, _ in top_k(D, 3, collapse="mean")] == [1, 0, 2]
    assert [i for i, _ in top_k(D, 3, "threshold", threshold=0.25)] == [1, 0]
    assert top_k(D, 3, "code", row_terms=["Low", "High"]) == [(1, pytest.approx(0.5325))]
    assert top_k(np.array([[0.9, 0.1], [0.8, 0.2]]), 3, "code") == [(0, 0.9)]


class Fake:
    """Word vectors of two dimensions."""

    table = {"music": (1.0, 0.0), "entertainment": (0.6, 0.8), "law": (0.0, 1.0), "anti": (-1.0, 0.0)}

    def vector(self, word):
        return np.array(self.table[word]) if word in self.table else None


def test_r_ho_takes_the_best_pair_of_words_and_no_negative():
    out = r_ho(["Music", "law music", "anti", "zzz"], ["Entertainment", "Law", "Unknown"], Fake())
    np.testing.assert_allclose(out, [[0.6, 0.0, 0.0], [0.8, 1.0, 0.0], [0.0, 0.8 * 0, 0.0], [0, 0, 0]])


def sklearn_r_elm(text, keywords):
    """The spec's words, with nothing cached."""
    documents = [text, *[word for words in keywords for word in words]]
    vectorizer = TfidfVectorizer(lowercase=True, token_pattern=TOKEN_PATTERN, stop_words="english").fit(documents)
    row = vectorizer.transform([text]).toarray()[0]
    names = vectorizer.get_feature_names_out()
    weights = dict(zip(names, row, strict=True))
    analyzer = vectorizer.build_analyzer()
    own = [{t for word in words for t in analyzer(word)} for words in keywords]
    return [sum(weights.get(t, 0.0) for t in tokens) / row.sum() for tokens in own]


@pytest.mark.parametrize(
    "text", ["The tenant owes rent to the landlord, and the rent is late.", "Goal! Goal in the match 3-2", "Kuh Heu"]
)
def test_r_elm_equals_scikit_learns_tf_idf(text):
    keywords = [["rent", "landlord", "tenant law"], ["goal", "match", "rent"], []]
    np.testing.assert_allclose(r_elm(text, keywords)[0], sklearn_r_elm(text, keywords), atol=1e-12)


def test_r_elm_bounds():
    keywords = [domain.keywords for domain in DOMAINS]
    assert r_elm("", keywords).tolist() == [[0.0] * 20]
    assert r_elm("the and of", keywords).tolist() == [[0.0] * 20]
    row = r_elm("tenant landlord lease eviction", keywords)[0]
    assert row.shape == (20,) and 0.5 < row[NAMES.index("Law")] <= 1.0 and (row >= 0).all()


def test_keyword_lists():
    for domain in DOMAINS:
        words = domain.keywords
        assert 150 <= len(words) <= 300, domain.name
        assert len(set(words)) == len(words) and all(word == word.lower().strip() for word in words)
    shared = [word for word in {w for d in DOMAINS for w in d.keywords} if sum(word in d.keywords for d in DOMAINS) > 4]
    assert shared == []
