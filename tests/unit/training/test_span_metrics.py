import pytest

from gama.evals.metrics.spans import Counts, Stretch, add_up, recall_by, score_spans

TEXT = "Ada lives in Oslo, born 1815. Call 555-0100 about Paris."
ADA = Stretch(0, 3, "PER", "first_name")
OSLO = Stretch(13, 17, "LOC", "city")
CALL = Stretch(35, 43, "CODE", "phone")
PARIS = Stretch(50, 55, "LOC", "city", private=False)
GOLD = [ADA, OSLO, CALL, PARIS]


def test_a_perfect_answer():
    figures = score_spans(TEXT, GOLD, GOLD).summary()
    assert figures["span_f1"] == figures["typed_f1"] == figures["direct_recall"] == figures["public_kept"] == 1.0
    assert figures["residual_leak"] == figures["words_masked"] == 0.0


def test_nothing_found_leaks_everything():
    figures = score_spans(TEXT, [], GOLD).summary()
    assert figures["span_recall"] == 0.0
    assert figures["residual_leak"] == 1.0
    assert figures["direct_recall"] == 0.0
    assert figures["public_kept"] == 1.0


def test_boundaries_types_leaks_and_ordinary_words_are_counted_apart():
    predicted = [
        ADA._replace(type="ORG", subtype="company"),  # right place, wrong type
        OSLO._replace(end=15),  # half of it
        Stretch(35, 38, "CODE", "phone"),  # the first digits only
        PARIS._replace(private=True),  # masks public knowledge
        Stretch(4, 9, "DEM", "occupation"),  # masks an ordinary word
    ]
    scores = score_spans(TEXT, predicted, GOLD)
    assert scores.exact == Counts(1, 5, 3)
    assert scores.typed == Counts(0, 5, 3)
    assert scores.direct == (1, 2)  # Ada is covered, the number is not
    assert scores.leaked == (2 + 4, 3 + 4 + 7)  # "lo" and "0100"; the hyphen is neither letter nor digit
    assert scores.public_kept == (0, 1)
    ordinary = ["lives", "in", "born", "1815", "Call", "about"]
    assert scores.words_masked == (1, len(ordinary))


def test_a_span_judged_public_leaves_its_text_open():
    scores = score_spans(TEXT, [ADA._replace(private=False)], [ADA])
    assert scores.exact == Counts(0, 0, 1)
    assert scores.leaked == (3, 3)


def test_texts_add_up_as_one():
    total = add_up([score_spans(TEXT, GOLD, GOLD), score_spans(TEXT, [], GOLD)])
    assert total.exact == Counts(3, 3, 6)
    assert total.exact.recall == 0.5
    assert total.exact.f1 == pytest.approx(2 * 3 / 9)
    assert add_up([]).summary()["span_f1"] == 1.0


def test_counts_by_type_and_subtype():
    wrong = OSLO._replace(subtype="region")
    assert recall_by("type", [([ADA, wrong], GOLD)])["LOC"] == Counts(1, 1, 1)
    assert recall_by("subtype", [([ADA, wrong], GOLD)]) == {
        "first_name": Counts(1, 1, 1),
        "city": Counts(0, 0, 1),
        "region": Counts(0, 1, 0),
        "phone": Counts(0, 0, 1),
    }


def test_offsets_beyond_the_text_are_harmless():
    assert score_spans("ab", [Stretch(0, 9, "PER", "first_name")], [Stretch(0, 2, "PER", "first_name")]).leaked == (
        0,
        2,
    )
