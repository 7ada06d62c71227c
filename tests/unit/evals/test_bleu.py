"""BLEU and ROUGE against independent implementations."""

import math
import os
from collections import Counter
from pathlib import Path
from statistics import fmean

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gama.evals.datasets.letters import read_letters
from gama.evals.letters import evaluate_letters, references
from gama.evals.metrics.bleu import bleu, bleu_4, rouge
from gama.evals.metrics.subjects import rouge_l

DATA = os.environ.get("GAMA_EVALUATION_DATA")
WORDS = st.lists(st.sampled_from(["a", "b", "c", "d.", "E", "<name-1>"]), max_size=12).map(" ".join)


def grams(words, n):
    return Counter(tuple(words[at : at + n]) for at in range(len(words) - n + 1))


def brute_bleu(candidate, reference):
    said, wanted = candidate.split(), reference.split()
    shares = []
    for n in range(1, 5):
        mine = grams(said, n)
        hits = sum((mine & grams(wanted, n)).values())
        if not hits:
            return 0.0
        shares.append(hits / sum(mine.values()))
    brevity = min(1.0, math.exp(1 - len(wanted) / len(said)))
    return brevity * math.prod(shares) ** 0.25


@settings(max_examples=150, deadline=None)
@given(WORDS, WORDS)
@example("a b c d. E", "a b c d. a")
def test_bleu_is_its_formula(candidate, reference):
    assert bleu(candidate, reference) == pytest.approx(brute_bleu(candidate, reference), abs=1e-9)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from("ab"), min_size=6, max_size=12).map(" ".join))
def test_bleu_agrees_with_nltk(candidate):
    from nltk.translate.bleu_score import sentence_bleu

    reference = "a b a a b a b b a"
    if brute_bleu(candidate, reference):  # nltk warns where it is nought
        assert bleu(candidate, reference) == pytest.approx(sentence_bleu([reference.split()], candidate.split()))


def test_short_texts_score_nothing_unless_smoothed():
    assert bleu("a b c", "a b c") == 0.0
    assert bleu("a b c d", "a b c d") == pytest.approx(1.0)
    assert 0 < bleu("a b c x", "a b c d", smoothing="exp") < 1


@settings(max_examples=60, deadline=None)
@given(WORDS.map(lambda text: text.replace(".", "").replace("<name-1>", "f")), WORDS.map(lambda text: text.lower()))
def test_rouge_counts_words_and_subsequences(candidate, reference):
    reference = reference.replace(".", "").replace("<name-1>", "f")
    said, wanted = candidate.lower().split(), reference.split()
    hits = sum((Counter(said) & Counter(wanted)).values())
    found = rouge(candidate, reference, "rouge1")
    assert found.precision == pytest.approx(hits / len(said) if said else 0.0)
    assert found.recall == pytest.approx(hits / len(wanted) if wanted else 0.0)
    if said and wanted:
        assert rouge(candidate, reference).f1 == pytest.approx(rouge_l(candidate, reference))


def test_rouge_may_compare_stems():
    assert rouge("he walks", "he walked", "rouge1").f1 == 1.0
    assert rouge("he walks", "he walked", "rouge1", stem=False).f1 == 0.5


@pytest.mark.live
@pytest.mark.parametrize(
    ("kind", "file", "figure", "published"),
    [
        ("kpp", "emails.json", 0.8647, {"nothing": 0.9812, "gold": 0.9121}),
        ("lpp", "reasoning_pp.json", 0.7554, {"nothing": 0.9710, "gold": 0.7730}),
    ],
)
def test_exactly_masked_letters_score_what_the_specification_measured(kind, file, figure, published):
    if not DATA:
        pytest.skip("the released letters are not here: set GAMA_EVALUATION_DATA")
    read = read_letters(Path(DATA) / "evals" / "kpp_lpp" / file, kind)
    runs = references(read.letters)
    scores = [bleu(hidden.masked, letter.text) for letter, hidden in zip(read.letters, runs[1].hidden, strict=True)]
    assert fmean(scores) == pytest.approx(figure, abs=5e-5)
    report = evaluate_letters(read, runs, resamples=0)
    assert {name: found.f1 for name, found in report.published.items()} == pytest.approx(published, abs=5e-5)


def test_bleu_by_the_fourth_smoothing():
    assert bleu_4("a b c d e", "a b c d e") == 1.0
    assert bleu_4("", "a b") == 0.0
    # Smoothed: three of the four words and two pairs, no three words in a row, are more than nothing.
    assert 0 < bleu_4("a b x d", "a b c d") < 1 and bleu("a b x d", "a b c d") == 0
