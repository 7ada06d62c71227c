"""Eq. 3: e = (v1 ∩ v2) ∪ S((v1 ∪ v2) − (v1 ∩ v2))."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gama.privacy.finders import Complete
from gama.privacy.fuse import Fused, fuse, settle_by_rule, settling, to_entities, with_parts
from gama.state.entities import Span
from gama.state.options import Options
from gama.state.private_text import PrivateText

TEXT = "abcdefghijklmnopqrstuvwxyz" * 4


def span(start, end, view="pner", kind="PER", subtype="full_name", **more):
    return Span(start, end, kind, subtype, 0.8, view, **more)


# Ten places that do not overlap: views are then sets, and Eq. 3 is set algebra.
PLACES = [(n * 10, n * 10 + 5) for n in range(10)]
SUBSETS = st.sets(st.sampled_from(PLACES))


@given(SUBSETS, SUBSETS, SUBSETS)
def test_equation_3_for_all_sets(a, b, keep):
    v1 = [span(*p) for p in sorted(a)]
    v2 = [span(*p, view="pia") for p in sorted(b)]
    seen = []

    def settle(spans):
        seen.extend((s.start, s.end) for s in spans)
        return [s for s in spans if (s.start, s.end) in keep]

    fused = fuse(v1, v2, TEXT, settle)
    assert set(seen) == (a | b) - (a & b), "S sees the symmetric difference and nothing agreed"
    assert {(s.start, s.end) for s in fused.private} == (a & b) | (((a | b) - (a & b)) & keep)
    assert {(s.start, s.end) for s in fused.rejected} == ((a | b) - (a & b)) - keep


@given(SUBSETS, SUBSETS)
def test_order_of_the_views_does_not_matter(a, b):
    v1, v2 = [span(*p) for p in a], [span(*p) for p in b]
    places = [{(s.start, s.end) for s in fuse(x, y, TEXT, lambda d: d).private} for x, y in [(v1, v2), (v2, v1)]]
    assert places[0] == places[1]


def test_what_s_invents_is_dropped():
    fused = fuse([span(0, 5)], [], TEXT, lambda spans: [*spans, span(50, 55)])
    assert [(s.start, s.end) for s in fused.private] == [(0, 5)]


def test_overlapping_mentions_agree_and_the_longer_span_stays():
    fused = fuse([span(0, 8)], [span(0, 12, "pia", "ORG", "company")], TEXT, lambda spans: [])
    assert [(s.start, s.end, s.type) for s in fused.private] == [(0, 12, "ORG")]


def test_a_validated_pattern_keeps_its_type():
    found = span(0, 8, "regex", "CODE", "iban", validated=True)
    fused = fuse([found], [span(0, 8, "pia", "CODE", "phone")], TEXT, lambda spans: [])
    assert fused.private[0].subtype == "iban"


def test_little_overlap_is_no_agreement():
    fused = fuse([span(0, 10)], [span(8, 30, "pia")], TEXT, lambda spans: [])
    assert fused.private == [] and len(fused.rejected) == 2


@pytest.mark.parametrize(
    ("text", "name", "odds", "kept"),
    [
        ("Thessaly Quornbeck wrote it", "Thessaly Quornbeck", 0.3, True),
        ("Thessaly Quornbeck wrote it", "Thessaly Quornbeck", 0.05, True),
        ("Thessaly Quornbeck wrote it", "Thessaly Quornbeck", 0.01, True),
        ("Thessaly Quornbeck wrote it", "Thessaly Quornbeck", 0.003, True),
        ("Did Thessaly Quornbeck write it?", "Thessaly Quornbeck", 0.003, False),
        (f"Thessaly Quornbeck wrote it. {'The novel tells of the sea. ' * 4}", "Thessaly Quornbeck", 0.003, False),
        (f"Thessaly Quornbeck wrote it. {'The novel tells of the sea. ' * 4}", "Thessaly Quornbeck", 0.02, True),
        ("Marie Curie wrote it", "Marie Curie", 0.3, False),
        ("MARIE CURIE wrote it", "MARIE CURIE", 0.4, False),
    ],
)
def test_names_that_nobody_knows(text, name, odds, kept):
    at = text.index(name)
    assert bool(settle_by_rule(text, [span(at, at + len(name), private=odds)])) is kept


def test_a_famous_surname_is_explained_by_the_full_name():
    text = "Marie Curie came; Curie left; Quorn stayed"
    marks = [
        span(text.index(n), text.index(n) + len(n), subtype=s, private=0.3)
        for n, s in [("Marie Curie", "full_name"), ("Curie left"[:5], "last_name"), ("Quorn", "last_name")]
    ]
    marks[1] = marks[1]._replace(start=18, end=23)
    assert [text[s.start : s.end] for s in settle_by_rule(text, marks)] == ["Quorn"]


def test_a_famous_name_explains_no_other_bearer_of_its_surname():
    text = "Marie Curie's cousin Paul Curie and Marie Sklodowska Curie"
    names = ["Marie Curie", "Paul Curie", "Marie Sklodowska Curie"]
    marks = [span(text.index(name), text.index(name) + len(name), private=0.3) for name in names]
    assert [text[s.start : s.end] for s in settle_by_rule(text, marks)] == ["Paul Curie"]


def test_part_of_a_private_name_never_stays():
    text = "Paul Federer snores, Federer does, not Nadal"
    full, last, other = span(0, 12), span(21, 28, subtype="last_name"), span(39, 44, subtype="last_name")
    fused = with_parts(Fused([full], frozenset(), [last, other]), text)
    assert fused.private == [full, last] and fused.rejected == [other]


@pytest.mark.parametrize(
    ("mode", "kept"),
    [
        ("union", ["card", "public", "self"]),
        ("intersection", ["card"]),
        ("rule", ["card", "self"]),
        ("auto", ["card", "self"]),
    ],
)
def test_modes(mode, kept):
    text = "I am from Denver, card 4111111111111111, about Lincoln."
    marks = {
        "self": span(text.index("Denver"), text.index("Denver") + 6, kind="LOC", subtype="city"),
        "card": span(text.index("4111"), text.index("4111") + 16, "regex", "CODE", "credit_card", validated=True),
        "public": span(text.index("Lincoln"), text.index("Lincoln") + 7),
    }
    settle = settling(Options(fusion=mode), text, None)
    chosen = settle(list(marks.values()))
    assert sorted(name for name, mark in marks.items() if mark in chosen) == kept


@pytest.mark.parametrize(
    ("text", "name", "kept"),
    [
        ("Dear Emma Williams,\nthank you", "Emma Williams", True),
        ("Best regards,\nDaniel Jones", "Daniel Jones", True),
        ("my name is Ada Obi", "Ada Obi", True),
        ("I live in Oslo now", "Oslo", True),
        ("I work for Initech", "Initech", True),
        ("a book about Abraham Lincoln", "Abraham Lincoln", False),
        ("the weather in Paris", "Paris", False),
        ("where did John Coffin Talbot serve", "John Coffin Talbot", False),
    ],
)
def test_rule_of_the_context(text, name, kept):
    at = text.index(name)
    assert bool(settle_by_rule(text, [span(at, at + len(name))])) is kept


def agent_replying(reply: str) -> tuple[Complete, list]:
    calls = []

    def complete(messages):
        calls.append(messages)
        return PrivateText(reply)

    return complete, calls


def test_the_agent_chooses_by_number():
    complete, calls = agent_replying("The second: [2]")
    text = "Lincoln met Ada."
    spans = [span(0, 7), span(12, 15)]
    assert settling(Options(), text, complete)(spans) == [spans[1]]
    told = calls[0][1]["content"].reveal()
    assert "[[Lincoln]]" in told and "[[Ada]]" in told


def test_an_unreadable_agent_hides_everything():
    complete, calls = agent_replying("no idea")
    spans = [span(0, 7)]
    assert settling(Options(), "Lincoln met Ada.", complete)(spans) == spans
    assert len(calls) == 2


def test_random_protection_of_public_persons():
    fused = fuse([span(0, 5), span(10, 15)], [], "Alpha and  Bravo then", lambda spans: [])
    text = "Alpha and  Bravo then"
    none = to_entities(text, fused, Options())
    everyone = to_entities(text, fused, Options(contextual_random_rate=1.0))
    assert [e.private for e in none] == [False, False]
    assert [e.private for e in everyone] == [True, True]
    some = [to_entities(text, fused, Options(contextual_random_rate=0.5, seed=s)) for s in range(20)]
    assert some[3] == to_entities(text, fused, Options(contextual_random_rate=0.5, seed=3))
    assert len({tuple(e.private for e in each) for each in some}) > 1


def test_what_stands_within_an_allowed_text_stays_and_what_is_longer_goes():
    text = "Ticket rung-saddle-sandal of Ada Brook, saddle-sandals"
    spans = [Span(at, at + len(s), "PER", "full_name", 0.9, "pner") for s in ("saddle-sandal", "Ada Brook")
             for at in [text.index(s)]]  # fmt: skip
    fused = fuse(spans, [one._replace(view="pia") for one in spans], text, lambda spans: [])
    entities = to_entities(text, fused, Options(allow=("RUNG-saddle-sandal", "Ada", "saddle")))
    assert [(e.text, e.private) for e in entities] == [("saddle-sandal", False), ("Ada Brook", True)]


def test_lists_of_the_user():
    text = "Project Falcon by Ada, falcon again"
    at = text.index("Ada")
    fused = fuse([span(at, at + 3)], [span(at, at + 3, "pia")], text, lambda spans: [])
    entities = to_entities(text, fused, Options(deny=("falcon",), allow=("ada",)))
    assert [(e.text, e.private, e.views) for e in entities] == [
        ("Falcon", True, ("user",)),
        ("Ada", False, ("pner", "pia")),
        ("falcon", True, ("user",)),
    ]
