"""Span and entity scores beside independent implementations, on random inputs."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gama.evals.metrics.entities import score_entities
from gama.evals.metrics.published import count, weighted
from gama.evals.metrics.spans import Stretch, add_up, score_spans

TEXT = "ab cd ef gh ij kl mn op qr st"
SUBTYPES = {"PER": "full_name", "LOC": "city", "ORG": "company"}


@st.composite
def stretches(draw):
    """Return stretches that do not overlap."""
    ends = sorted(draw(st.sets(st.integers(0, len(TEXT)), max_size=10)))
    pairs = list(zip(ends[::2], ends[1::2], strict=False))
    kinds = [draw(st.sampled_from(sorted(SUBTYPES))) for _ in pairs]
    return [Stretch(start, end, kind, SUBTYPES[kind]) for (start, end), kind in zip(pairs, kinds, strict=True)]


@settings(max_examples=100)
@given(st.lists(st.tuples(stretches(), stretches()), min_size=1, max_size=4))
def test_span_scores_agree_with_nervaluate(texts):
    from nervaluate import Evaluator

    ours = add_up(score_spans(TEXT, predicted, gold) for predicted, gold in texts)
    shown = [
        [[{"label": one.type, "start": one.start, "end": one.end} for one in side] for side in sides]
        for sides in zip(*texts, strict=True)
    ]
    if not any(predicted or gold for predicted, gold in texts):
        assert ours.exact == ours.typed == (0, 0, 0)
        return
    theirs = Evaluator(shown[1], shown[0], tags=sorted(SUBTYPES), loader="dict").evaluate()["overall"]
    for mine, name in ((ours.exact, "exact"), (ours.typed, "strict")):
        found = theirs[name]
        assert mine == (found.correct, found.actual, found.possible)
        if mine.predicted:
            assert mine.precision == pytest.approx(found.precision)
        if mine.gold:
            assert mine.recall == pytest.approx(found.recall)
        if mine.predicted and mine.gold:
            assert mine.f1 == pytest.approx(found.f1)


values = st.lists(
    st.tuples(st.sampled_from(["Ann", "ann ", "Bo", "Oslo", " "]), st.sampled_from(["PER", "LOC"])), max_size=6
)


@settings(max_examples=100)
@given(values, values, st.booleans())
def test_entity_scores_agree_with_scikit_learn(found, listed, strict):
    from sklearn.metrics import precision_recall_fscore_support

    found, listed = ([(value, kind if strict else "") for value, kind in some] for some in (found, listed))
    sides = [{(value.strip().lower(), kind) for value, kind in some if value.strip()} for some in (found, listed)]
    ours = score_entities(found, listed, "").entities
    if not sides[0] or not sides[1]:
        assert ours == (0, len(sides[0]), len(sides[1]))
        return
    everything = sorted(sides[0] | sides[1])
    theirs = precision_recall_fscore_support(
        [one in sides[1] for one in everything],
        [one in sides[0] for one in everything],
        average="binary",
        zero_division=0,
    )
    assert (ours.precision, ours.recall, ours.f1) == pytest.approx(theirs[:3])


PIECES = st.lists(st.sampled_from(["Ann", "Bo-Lee", "likes", "Oslo", "the", "sea,", "<name-1>"]), max_size=8).map(
    " ".join
)


@settings(max_examples=100)
@given(PIECES, PIECES, st.lists(st.sampled_from(["Ann", "Bo", "bo-lee", "Oslo sea", "likes"]), max_size=4))
def test_the_published_metric_is_its_formulas(original, masked, listed):
    def words(text):
        return "".join(sign if sign.isalnum() else " " for sign in text.lower()).split()

    gold = [one.lower() for one in listed]
    h, t = sum(masked.lower().find(one) < 0 for one in gold), len(gold)
    f = len([one for one in set(words(original)) if one not in gold and one not in words(masked)])
    n = len([one for one in words(masked) if one not in gold])
    assert count(original, masked, listed) == (h, t, f, n)
    if not t + n:
        assert weighted(count(original, masked, listed)) == (0, 0, 0)
        return
    p1, r1, p0 = h / (h + f) if h + f else 0, h / t if t else 0, (n - f) / n if n else 0
    p, r = (t * p1 + n * p0) / (t + n), (t * r1 + n * p0) / (t + n)
    f1 = 2 * p * r / (p + r) if p + r else 0
    assert weighted(count(original, masked, listed)) == pytest.approx((p, r, f1))
