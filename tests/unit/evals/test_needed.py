"""PII-Bench's T2, T3 and privacy score: the worked examples, the pitfalls, and what must hold for any sets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gama.evals.metrics.needed import BLANK, blanked, distinct, left_in_clear, occurrences, score_needed
from gama.evals.metrics.spans import Counts, Share

SENTENCE = "Alice works at Acme. Alice, 34, lives in Oslo."


def places(text: str, *surfaces: str) -> list[tuple[int, int]]:
    """Return the first place of each surface."""
    return [(text.index(one), text.index(one) + len(one)) for one in surfaces]


def close(score, *figures):
    assert tuple(score) == pytest.approx(figures, abs=5e-5)


def test_fixture_b_of_query_related_detection():
    gold = {"Google", "25 years", "Apple"}
    scores = score_needed({"Google", "25 years old"}, set(), gold, gold)
    close(scores.kept, 0.5, 1 / 3, 0.4)
    close(scores.kept_fuzzy, 0.9, 0.6, 0.72)
    assert scores.kept_counts == Counts(1, 2, 3)
    close(scores.masked, 1, 1, 1)  # nothing is to be masked, nothing is


def test_what_is_masked_is_compared_with_what_is_private_and_not_needed():
    scores = score_needed({"Oslo"}, {"Alice", "34", "works"}, {"Oslo", "34"}, {"Alice", "Acme", "34", "Oslo"})
    close(scores.kept, 1, 1 / 2, 2 / 3)
    close(scores.masked, 1 / 3, 1 / 2, 2 / 5)
    assert scores.masked_counts == Counts(1, 3, 2)


@pytest.mark.parametrize(
    ("kept", "needed", "f1"), [([], [], 1.0), (["Oslo"], [], 0.0), ([], ["Oslo"], 0.0), ([" "], [""], 1.0)]
)
def test_both_empty_score_one_and_one_empty_nothing(kept, needed, f1):
    scores = score_needed(kept, [], needed, needed)
    assert (scores.kept.f1, scores.kept_fuzzy.f1) == (f1, f1)


def test_surfaces_are_compared_in_compatibility_form_trimmed_once_and_with_their_case():
    assert distinct(["Oslo", " Oslo\n", "\uff2fslo", "oslo", " "]) == {"Oslo", "oslo"}


def test_what_is_in_clear_somewhere_is_not_masked():
    scores = score_needed(["Oslo"], ["Oslo", "Alice"], ["Oslo"], ["Oslo", "Alice"])
    assert scores.kept.f1 == scores.masked.f1 == 1.0


def test_fixture_of_the_privacy_score():
    hidden, kept = places(SENTENCE, "Alice", "Oslo"), places(SENTENCE, "Acme", "34")
    masked = blanked(SENTENCE, hidden, kept)
    left = left_in_clear(SENTENCE, masked, ["Alice", "Acme", "34", "Oslo"])
    assert left == Share(2, 5) and 1 - left.value == pytest.approx(0.6)
    assert masked == SENTENCE.replace("Alice", BLANK * 5).replace("Oslo", BLANK * 4)


def test_placeholders_of_the_product_give_the_same_score():
    assert left_in_clear(SENTENCE, "<name-1> works at Acme. <name-1>, 34, lives in <location-2>.",
                         ["Alice", "Acme", "34", "Oslo"]) == Share(2, 5)  # fmt: skip


def test_a_text_without_private_mentions_has_no_privacy_score():
    assert left_in_clear(SENTENCE, SENTENCE, []) == Share(0, 0)


@pytest.mark.parametrize(
    ("text", "surfaces", "found"),
    [
        ("Ana Lopez met Ana.", ["Ana", "Ana Lopez"], ["Ana Lopez", "Ana"]),
        ("Analog Ana_2 ana Ana's", ["Ana"], ["Ana", "Ana"]),
        ("13 134 1,34 34%", ["34", "34%"], ["34", "34%"]),
        ("aa aa aa", ["aa aa"], ["aa aa"]),
        ("\u6771\u4eac\u306b\u4f4f\u3080", ["\u6771\u4eac"], ["\u6771\u4eac"]),
        ("Oslo Oslo", ["Oslo", " Oslo ", "Oslo"], ["Oslo", "Oslo"]),
        ("Oslo", ["", " "], []),
    ],
)
def test_mentions_are_whole_words_longest_first_and_do_not_overlap(text, surfaces, found):
    assert [text[start:end] for start, end in occurrences(text, surfaces)] == found


def test_further_mentions_of_what_is_hidden_go_but_not_inside_what_is_kept():
    text = "Ana of Lopez & Co saw Lopez and Analog."
    masked = blanked(text, places(text, "Ana") + [(22, 27)], places(text, "Lopez & Co"))
    assert masked == BLANK * 3 + " of Lopez & Co saw " + BLANK * 5 + " and Analog."


def test_a_mention_kept_elsewhere_is_hidden_only_where_it_was_said():
    text = "Oslo, Oslo, Oslo"
    assert blanked(text, [(0, 4)], [(6, 10)]) == BLANK * 4 + ", Oslo, Oslo"


def test_no_text_leaks_more_than_it_has():
    # The long name is one mention; its half hidden leaves two short ones.
    text = "Bo Cy Dee"
    assert left_in_clear(text, blanked(text, [(6, 9)], []), ["Bo Cy Dee", "Bo", "Cy"]) == Share(1, 1)


WORDS = st.sampled_from(["Ana", "Ana Lopez", "Lopez", "Oslo", "34", "3", "at", "Acme", "Acme Inc", "\uff2fslo", " "])
SETS = st.lists(WORDS, max_size=6)


@given(SETS, SETS, SETS, SETS)
def test_every_figure_is_a_share(kept, masked, needed, more):
    scores = score_needed(kept, masked, needed, [*needed, *more])
    for score in (scores.kept, scores.kept_fuzzy, scores.masked):
        assert all(-1e-9 <= figure <= 1 + 1e-9 for figure in score)
    assert scores.kept_fuzzy.f1 >= scores.kept.f1 - 1e-9


@given(SETS, SETS)
def test_the_annotation_scores_one_against_itself(needed, more):
    private = [*needed, *more]
    rest = [one for one in private if not distinct([one]) <= distinct(needed)]
    scores = score_needed(needed, rest, needed, private)
    for score in (scores.kept, scores.kept_fuzzy, scores.masked):
        assert tuple(score) == pytest.approx((1, 1, 1))
    assert scores.masked_counts.f1 == scores.kept_counts.f1 == 1.0


@given(SETS, SETS, SETS, SETS, st.randoms())
def test_neither_order_nor_repetition_matters(kept, masked, needed, private, random):
    def shaken(items):
        return random.sample(items * 2, 2 * len(items))

    one = score_needed(kept, masked, needed, private)
    other = score_needed(shaken(kept), shaken(masked), shaken(needed), shaken(private))
    assert one == other


TEXTS = st.lists(WORDS, min_size=1, max_size=8).map(" ".join)


@given(TEXTS, SETS, st.data())
def test_a_masked_text_leaves_what_is_kept_and_nothing_of_what_is_hidden(text, private, data):
    mentions = occurrences(text, private)
    kept = data.draw(st.lists(st.sampled_from(mentions), unique=True)) if mentions else []
    clear = {text[start:end] for start, end in kept}
    hidden = [one for one in mentions if text[one[0] : one[1]] not in clear]
    masked = blanked(text, hidden, kept)
    assert len(masked) == len(text)
    assert left_in_clear(text, text, private) == Share(len(mentions), len(mentions))
    assert left_in_clear(text, masked, private) == Share(len(mentions) - len(hidden), len(mentions))
    assert left_in_clear(text, blanked(text, mentions, []), private).part == 0
