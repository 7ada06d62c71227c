"""Made samples: invariants, consistency, relations, queries, the hard sets, statistics, determinism."""

import re
from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gama.evals.datasets.corpus import of_bench, to_bench
from gama.evals.datasets.piibench import BenchRecord, Fact, Mention, as_lines, check
from gama.evals.datasets.taxonomy import CATEGORIES, TYPE_OF_CATEGORY
from gama.evals.piibench import consistency, hard
from gama.evals.piibench.consistency import TIES, conflicts, pair, pair_conflicts, person, repaired, required
from gama.evals.piibench.hard import ASKED, JOINED, THREADS, distracting, hardest, standardized
from gama.evals.piibench.queries import (
    ALONE,
    DOMAINS,
    ROLES,
    Asked,
    ask,
    choose,
    commonest_phrase,
    names,
    names_of,
    over_represented,
    questions,
    scenarios,
    states,
    told,
    topics,
    usable,
)
from gama.evals.piibench.samples import LEAST, MOST, Maker, categories
from gama.evals.piibench.statistics import PUBLISHED, as_numbers, describe
from gama.evals.piibench.statistics import consistency as pcs
from gama.evals.piibench.texts import Text, annotate, pair_text, problem, single_text
from gama.evals.piibench.values import fits

SEEDS = st.integers(0, 10**6)


def quiet(name: str) -> None:
    pass


@pytest.fixture(scope="module")
def singles():
    return Maker(3).singles(80, quiet)


@pytest.fixture(scope="module")
def pairs():
    return Maker(3).pairs(80, quiet)


@pytest.fixture(scope="module")
def threads(singles, pairs):
    return distracting(singles, pairs, 25, 3, quiet)


def sound(record):
    check(record)
    assert 1 <= len(record.query_pii) <= 3 and set(record.query_pii) <= set(record.facts)
    assert not states(record.query, record.facts) and record.query == " ".join(record.query.split())
    assert all(fits(fact.category, fact.entity) for fact in record.facts)
    assert record.scenario in DOMAINS
    people = [{} for _ in range(record.subjects)]
    for fact in record.facts:
        person = people["AB".index(fact.subject)]
        assert fact.category not in person, "categories of a person are different ones"
        person[fact.category] = fact.entity
    for person in people:
        assert LEAST <= len(person) <= MOST and sum(TYPE_OF_CATEGORY[name] == "PER" for name in person) == 1
        assert conflicts(person) == []
    assert problem(Text(record.description, record.pii), people) is None
    return people


@given(SEEDS)
@settings(max_examples=60)
def test_a_made_sample_keeps_every_rule(seed):
    (single,) = Maker(seed).singles(1, quiet)
    sound(single)
    assert (single.split, single.id, single.subjects) == ("single", "single-0001", 1)
    assert single.style in ("formal", "casual") and not single.scene
    (both,) = Maker(seed).pairs(1, quiet)
    people = sound(both)
    assert both.split == "multi" and both.relation in TIES and both.scene in ("dialogue", "scene")
    assert any(not pair_conflicts(tie, *people) for tie in TIES[both.relation])


@given(SEEDS)
@settings(max_examples=40)
def test_a_made_sample_goes_to_the_corpus_and_back(seed):
    (single,) = Maker(seed).singles(1, quiet)
    again = to_bench(of_bench(single), "single")
    assert again.pii == single.pii and again.query == single.query
    assert set(again.query_pii) == set(single.query_pii)


def test_names_are_annotated_at_every_mention(pairs):
    mentions = [Counter(one.fact for one in record.pii) for record in pairs]
    assert any(count > 2 for counted in mentions for count in counted.values())


def test_texts_do_not_look_alike(singles, pairs):
    openings = {record.description[:40] for record in singles}
    assert len(openings) >= 8 and len({record.description for record in [*singles, *pairs]}) == 160
    assert {record.style for record in singles} == {"formal", "casual"}
    assert {record.scene for record in pairs} == {"dialogue", "scene"} and {one.relation for one in pairs} == set(TIES)


def test_no_scenario_is_over_represented():
    maker = Maker(4)
    maker.singles(140, quiet)
    assert set(maker.seen) == set(DOMAINS) and max(maker.seen.values()) <= 1.5 * 140 / 7 + 2 and not maker.dropped


def test_sizes_come_near_the_published_ones(singles, pairs, threads):
    for name, records in (("single", singles), ("multi", pairs), ("distract", threads)):
        made, published = describe(records), PUBLISHED[name]
        assert made.description_chars == pytest.approx(published.description_chars, rel=0.15)
        assert made.description_pii == pytest.approx(published.description_pii, rel=0.1)
        assert made.query_chars == pytest.approx(published.query_chars, rel=0.2)
        assert made.query_pii == pytest.approx(published.query_pii, rel=0.15)
        assert made.subjects == pytest.approx(published.subjects, rel=0.1)
        for kind in CATEGORIES:
            assert made.share(kind) == pytest.approx(published.share(kind), abs=4)


@pytest.mark.parametrize("split", ["single", "multi"])
def test_numbers_of_entities_are_drawn_around_the_published_mean(split):
    counts = [len(categories(split, Random(f"{seed}"))) for seed in range(2000)]
    assert min(counts) >= LEAST and max(counts) <= MOST
    assert sum(counts) / 2000 == pytest.approx(PUBLISHED[split].description_pii / (1 + (split == "multi")), abs=0.12)


@pytest.mark.parametrize(
    ("values", "broken"),
    [
        ({"Age": "20", "Date": "2015-03-01"}, ["age against experience"]),
        ({"Age": "26", "Date": "2015-03-01"}, []),
        ({"Age": "17", "Duration": "800d"}, ["age against experience"]),
        ({"Age": "19", "Academic Degree": "Bachelor of Laws"}, ["degree against age"]),
        ({"Age": "20", "Academic Degree": "Bachelor of Laws"}, []),
        ({"Age": "23", "Academic Degree": "Doctor of Medicine"}, ["degree against age"]),
        ({"Age": "24", "Academic Degree": "Doctor of Medicine"}, []),
        ({"Education Level": "vocational training", "Academic Degree": "Master of Architecture"}, ["degree against education"]),
        ({"Education Level": "postgraduate studies", "Academic Degree": "Master of Architecture"}, []),
        ({"Monthly Income": "$1,000", "Monthly Expenses": "$3,001"}, ["expenses against income"]),
        ({"Monthly Income": "$1,000", "Monthly Expenses": "$3000"}, []),
        ({"Monthly Income": "$1,000", "Loan Amount": "$6,000", "Debt Ratio": "20.00%"}, ["debt ratio against loan and income"]),
        ({"Monthly Income": "$1,000", "Loan Amount": "$6,000", "Debt Ratio": "50.40%"}, []),
        ({"Monthly Income": "$1,000", "Account Balance": "€300"}, ["several currencies"]),
        ({"ROI": "5.00%", "Debt Ratio": "5.00%"}, ["one value in two categories"]),
        ({}, []),
    ],
)  # fmt: skip
def test_the_rules_of_one_person(values, broken):
    assert conflicts(values) == broken


TOGETHER = ["Full Name", "Age", "Academic Degree", "Education Level", "Monthly Income", "Monthly Expenses", "Loan Amount",
            "Debt Ratio", "Date", "Duration", "Gender", "Email Address", "ROI", "Investment Return"]  # fmt: skip


@given(SEEDS)
@settings(max_examples=60)
def test_a_drawn_person_breaks_no_rule(seed):
    values = person(TOGETHER, Random(f"{seed}"))
    assert list(values) == TOGETHER and conflicts(values) == []
    assert values["Email Address"].startswith(values["Full Name"].split()[0].lower())


@pytest.mark.parametrize("tie", [tie for ties in TIES.values() for tie in ties])
def test_two_persons_of_a_tie_keep_its_rules(tie):
    first, second = required(tie)
    for seed in range(40):
        names = ["Full Name", "Nationality", "Ethnicity"]
        made = pair(tie, ([*names, *first], [*names, *second]), Random(f"{seed}"))
        assert made is not None and pair_conflicts(tie, *made) == []
        if tie == "parent-child":
            assert int(made[0]["Age"]) >= int(made[1]["Age"]) + 20 and made[0]["Nationality"] == made[1]["Nationality"]


@pytest.mark.parametrize(
    ("tie", "first", "second", "broken"),
    [
        ("colleagues", {"Company": "Ossem"}, {"Company": "Else"}, "colleagues share their Company"),
        ("alumni", {}, {}, "alumni share their Educational Institution"),
        ("parent-child", {"Age": "40"}, {"Age": "21"}, "a parent's age"),
        ("parent-child", {"Age": "40"}, {}, "a parent's age"),
        ("supervisor-subordinate", {"Company": "O", "Occupation": "warehouse clerk"},
         {"Company": "O", "Occupation": "plant manager"}, "a supervisor's position"),
        ("teacher-student", {"Educational Institution": "O", "Age": "30", "Occupation": "piano instructor"},
         {"Educational Institution": "O", "Age": "30"}, "a teacher's age"),
        ("teacher-student", {"Educational Institution": "O", "Occupation": "baker"},
         {"Educational Institution": "O"}, "a teacher's occupation"),
    ],
)  # fmt: skip
def test_the_rules_between_two_persons(tie, first, second, broken):
    assert pair_conflicts(tie, first, second) == [broken]
    assert pair_conflicts("strangers", first, second) == []


def test_a_pair_that_cannot_be_is_given_up(monkeypatch):
    monkeypatch.setattr(consistency, "pair_conflicts", lambda *given: ["never"])
    assert pair("strangers", (["Full Name"], ["Full Name"]), Random("1")) is None


ITEMS = [{"label": "DEM", "tag": "Age", "entity": "40"}, {"label": "ORG", "tag": "Company", "entity": "Ossem"}]


@pytest.mark.parametrize(
    ("reply", "usable"),
    [
        (ITEMS, True), (ITEMS[::-1], True), (ITEMS[:1], False), ([*ITEMS, ITEMS[0]], False), ("no", False), ([1], False),
        ([ITEMS[0], ITEMS[1] | {"tag": "NGO"}], False), ([ITEMS[0], ITEMS[1] | {"label": "DEM"}], False),
        ([ITEMS[0] | {"entity": "forty"}, ITEMS[1]], False), ([ITEMS[0], ITEMS[1] | {"entity": "40"}], False),
    ],
)  # fmt: skip
def test_a_rewriting_may_change_values_only(reply, usable):
    made = repaired({"Age": "20", "Company": "Ossem"}, reply)
    assert made == ({"Age": "40", "Company": "Ossem"} if usable else None)
    assert made is None or list(made) == ["Age", "Company"]


PERSON = {"Full Name": "Quorlin Vasterby", "Age": "34", "Company": "Ossem & Co"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Quorlin Vasterby, 34, is with Ossem & Co. Quorlin Vasterby likes it.", None),
        ("Quorlin Vasterby, 34, is with Ossem & Co. Quorlin likes it.", "a part of a name"),
        ("Quorlin Vasterby, 34, is with Ossem & Co since 2019.", "a number"),
        ("Quorlin Vasterby, 34, is with Ossem & Co, room 7.", "looks like Age"),
        ("Quorlin Vasterby, 34, is with Ossem & Co as a welder.", "looks like Occupation"),
    ],
)
def test_a_text_with_more_in_it_than_its_entities_is_refused(text, said):
    made = annotate(text, [PERSON])
    assert made is not None
    found = problem(made, [PERSON])
    assert (found is None) if said is None else said in found and "2019" not in found and "Quorlin" not in found


def test_a_text_that_lacks_an_entity_or_misplaces_one_is_refused():
    assert annotate("Quorlin Vasterby is with Ossem & Co.", [PERSON]) is None
    assert annotate("Quorlin Vasterby, 345, is with Ossem & Co.", [PERSON]) is None
    good = annotate("Quorlin Vasterby, 34, is with Ossem & Co. At 34!", [PERSON])
    assert good is not None and len(good.mentions) == 4
    assert "without being marked" in problem(good._replace(mentions=good.mentions[:3]), [PERSON])
    assert "not in the text" in problem(good._replace(mentions=good.mentions[1:]), [PERSON])
    moved = Mention(1, 3, good.mentions[1].fact)
    assert "not at its place" in problem(good._replace(mentions=(moved,)), [PERSON])


def test_what_two_persons_share_is_marked_for_both():
    both = [PERSON, {"Full Name": "Ila Worth", "Company": "Ossem & Co"}]
    made = annotate("Quorlin Vasterby, 34, and Ila Worth are with Ossem & Co.", both)
    assert made is not None and problem(made, both) is None
    assert [one.fact.subject for one in made.mentions] == ["A", "A", "B", "A", "B"]


@given(SEEDS)
@settings(max_examples=40)
def test_a_query_asks_for_all_it_needs_and_states_nothing_of_it(seed):
    rng = Random(f"{seed}")
    facts = [
        Fact(f"value{n}", TYPE_OF_CATEGORY[name], name, "AB"[n % 2]) for n, name in enumerate(categories("multi", rng))
    ]
    seen = Counter(rng.choices(DOMAINS, k=30))
    needed, scenario = choose(facts, seen, rng)
    assert 1 <= len(needed) <= 3 and all(fact.type != "PER" for fact in needed)
    assert {fact.category for fact in needed} <= topics(scenario)
    owners = ("the parent", "the child")
    text = ask(needed, scenario, owners, rng)
    assert not states(text, facts)
    assert any(text.startswith(opening) for opening in scenarios()[scenario].openings)
    assert asked_for(text, scenario, owners) == {(fact.category, fact.subject) for fact in needed}


def asked_for(text, scenario, owners):
    """Which values of whom a query needs, as its questions tell."""
    return {
        (category, "AB"[at])
        for category, asked in questions().items()
        for question in asked.get(scenario, ())
        for at, owner in enumerate(owners)
        if "{" in question and f" {told(question, owner)}" in text
    }


def test_every_category_is_asked_for_in_a_dozen_ways_that_do_not_name_it():
    assert set(questions()) == set(TYPE_OF_CATEGORY) - set(CATEGORIES["PER"])
    for category, asked in questions().items():
        lines = {line for some in asked.values() for line in some}
        assert len(lines) >= 12 and set(asked) <= set(scenarios()), category
        assert all(len(some) >= 3 for some in asked.values()), "two persons are not asked about in the same words"
        for line in lines:
            assert line[-1] == "?" and not any(map(str.isdigit, line))
            assert not names(line, [Fact("x", TYPE_OF_CATEGORY[category], category, "A")]), line
        assert names_of(category) and names(f"So what of the {names_of(category)[0]}?", [Fact("x", "", category, "A")])
    assert {one.domain for one in scenarios().values()} == set(DOMAINS)
    assert all(len(one.openings) >= 5 and len(topics(name)) >= 5 for name, one in scenarios().items())


def test_every_question_says_of_whom_it_asks():
    """Where both persons have such a value, the query would else need either."""
    lines = {line for asked in questions().values() for some in asked.values() for line in some}
    assert not [line for line in lines if "{" not in line]


def test_verbs_of_the_present_change_with_their_person():
    text = "\n".join(line for asked in questions().values() for some in asked.values() for line in some)
    assert not re.search(r"(?i)\b(?:is|has|does) \{s\}|\{s\} (?:is|has|does)\b", text)
    assert "{" not in "".join(told(line, "I") for line in text.splitlines())


def test_an_owner_is_told_in_every_form():
    assert told("Could {s} ask {o} for {p} pay?", "I") == "Could I ask me for my pay?"
    assert told("{P} pay, {S}?", "the child") == "The child's pay, The child?"
    assert told("{Is} {s} what {s} {is} and need{+s}?", "I") == "Am I what I am and need?"
    assert told("{Is} {s} what {s} {is} and need{+s}?", "the child") == "Is the child what the child is and needs?"


def test_a_query_that_names_what_it_needs_is_refused():
    fact = Fact("$2,100", "QUANTITY", "Monthly Income", "A")
    assert usable(Asked("Which instalment could I carry?", (fact,), "financial"), [fact])
    for text in ("What of my Income?", "Is the salary enough?", "Is $2,100 enough?", " "):
        assert not usable(Asked(text, (fact,), "financial"), [fact])


@pytest.mark.parametrize("split", ["singles", "pairs"])
def test_made_queries_need_what_their_records_say(split, request):
    for record in request.getfixturevalue(split):
        if record.subjects == 2:
            owners = next(both for both in ROLES.values() if any(role in record.query for role in both))
        else:
            owners = ALONE[:1] if record.style == "casual" else ALONE[1:]
        assert not names(record.query, record.query_pii)
        found = [asked_for(record.query, name, owners) for name in scenarios()]
        assert {(fact.category, fact.subject) for fact in record.query_pii} in found


def test_no_phrase_stands_in_many_queries():
    maker = Maker(6)
    records = [*maker.singles(250, quiet), *maker.pairs(250, quiet)]
    together = [one.query for one in records]
    sets = [together, [one.query for one in distracting(records[:250], records[250:], 100, 6, quiet)]]
    for queries in sets:
        found = commonest_phrase(queries)
        assert 0 < found.share <= 0.05, found
    assert commonest_phrase([one + " What of the income that I have?" for one in together]).share == 1
    assert commonest_phrase(["May I do as this is?", "Now may the child do as this is!"]).share == 1
    assert commonest_phrase([]) == ("", 0)


def test_a_scenario_type_that_came_too_often_is_passed_over():
    fact = Fact("34", "DEM", "Age", "A")
    often = Counter({"medical": 9})
    assert over_represented("medical", often) and not over_represented("career", often)
    chosen = {scenarios()[choose([fact], often, Random(f"{n}"))[1]].domain for n in range(30)}
    assert chosen == {"academic", "financial", "personal life"}
    # Where all that could be asked came too often, it is asked all the same.
    everything = Counter({domain: 50 for domain in (*chosen, "medical")})
    assert choose([fact], everything, Random("1"))[0] == (fact,)
    with pytest.raises(AssertionError):
        choose([Fact("Ila Worth", "PER", "Full Name", "A")], often, Random("1"))


def test_values_are_seen_in_any_case_and_as_whole_words_only():
    facts = [Fact("male", "DEM", "Gender", "A"), Fact("Ossem & Co", "ORG", "Company", "A")]
    assert states("Is MALE fine?", facts) and states("at ossem & co?", facts) and not states("The females?", facts)


def record(name, chars, entities, needed):
    pii = tuple(Mention(n, n + 1, Fact("x", "DEM", name, "A")) for n, name in enumerate(CATEGORIES["DEM"][:entities]))
    return BenchRecord(name, "single", "x" * chars, "q", pii, tuple(one.fact for one in pii[:needed]))


def test_the_hardest_are_long_dense_and_need_much():
    easy, hardest_one, middle = record("b", 100, 2, 1), record("c", 100, 6, 3), record("a", 100, 3, 2)
    made = hardest([easy, hardest_one, middle], 2)
    assert [one.id for one in made] == ["hard-c", "hard-a"] and {one.split for one in made} == {"hard"}
    same = [replace(easy, id=name) for name in "cab"]
    assert [one.id for one in hardest(same, 2)] == ["hard-a", "hard-b"]
    assert standardized([1, 3]) == [-1, 1] and standardized([2, 2]) == [0, 0] and hardest([], 3) == []


def test_the_hardest_are_harder_than_the_rest(singles, pairs):
    both = [*singles, *pairs]
    made, all_ = describe(hardest(both, 20)), describe(both)
    assert made.query_pii > all_.query_pii and made.description_pii > all_.description_pii


def test_a_distracting_sample_joins_five_and_asks_about_three(singles, pairs, threads):
    sources = {one.description: one for one in [*singles, *pairs]}
    assert len(threads) == 25 and {one.scene for one in threads} == set(THREADS)
    for made in threads:
        check(made)
        inside = [one for text, one in sources.items() if text in made.description]
        asked = [one for one in inside if f": {one.query}" in made.query]
        assert len(inside) == JOINED and len(asked) == ASKED and made.split == "distract"
        assert made.subjects == sum(one.subjects for one in inside)
        assert len(made.query_pii) == sum(len(one.query_pii) for one in asked)
        assert Counter(one.fact.entity for one in made.pii) == Counter(m.fact.entity for one in inside for m in one.pii)
        assert not states(made.query, made.facts) and made.scenario


def test_sources_of_one_kind_serve_too(singles, pairs, monkeypatch):
    assert {one.subjects for one in distracting(singles, [], 3, 1, quiet)} == {5}
    assert {one.subjects for one in distracting([], pairs, 3, 1, quiet)} == {10}
    assert distracting(singles[:4], [], 3, 1, quiet) == []
    monkeypatch.setattr(hard, "states", lambda query, facts: True)
    assert distracting(singles, pairs, 2, 1, quiet) == []


def test_the_same_seed_makes_the_same_and_another_makes_another(singles, threads, pairs):
    assert as_lines(Maker(3).singles(80, quiet)) == as_lines(singles) != as_lines(Maker(5).singles(80, quiet))
    assert as_lines(distracting(singles, pairs, 25, 3, quiet)) == as_lines(threads)


def test_a_sample_that_cannot_be_made_is_dropped_and_counted(monkeypatch):
    monkeypatch.setattr("gama.evals.piibench.samples.problem", lambda *given: "never")
    maker, steps = Maker(1), []
    assert maker.singles(2, steps.append) == maker.pairs(1, steps.append) == []
    assert maker.dropped == {"single": 2, "multi": 1} and steps == ["single", "single", "multi"]
    monkeypatch.setattr("gama.evals.piibench.samples.pair", lambda *given: None)
    assert maker.pairs(1, quiet) == []


@pytest.mark.parametrize("kind", sorted(CATEGORIES["PER"]))
def test_a_person_goes_by_any_kind_of_name(kind):
    values = person([kind, "Age", "Company", "Time"], Random("1"))
    for style in ("formal", "casual"):
        made = single_text(values, style, Random("2"))
        assert problem(made, [values]) is None and made.mentions[0].fact.category == kind
    other = person(["Full Name", "ROI", "Landmark"], Random("3"))
    for scene in ("dialogue", "scene"):
        assert problem(pair_text((values, other), "strangers", scene, Random("4")), [values, other]) is None


def test_the_published_numbers_agree_with_themselves():
    samples = [PUBLISHED[name] for name in ("single", "multi", "hard", "distract")]
    assert sum(one.samples for one in samples) == PUBLISHED["all"].samples == 2842
    assert [sum(one.types.values()) for one in samples] == [9303, 16136, 1834, 10211]
    for kind in CATEGORIES:
        assert PUBLISHED["all"].types[kind] == sum(one.types[kind] for one in samples)
    whole = sum(one.samples * one.description_pii for one in samples) / 2842
    assert whole == pytest.approx(13.29, abs=0.01)
    assert PUBLISHED["multi"].share("ORG") == pytest.approx(15.77, abs=0.01)


def test_statistics_of_a_set_and_of_none(singles):
    made = describe(singles)
    assert made.samples == 80 and made.subjects == 1 and made.types["PER"] == 80
    assert sum(made.share(kind) for kind in CATEGORIES) == pytest.approx(100)
    told = as_numbers(made)
    assert told["types"]["PER"]["entities"] == 80 and set(told) == set(made._fields)
    assert describe([])[:6] == (0, 0, 0, 0, 0, 0) and describe([]).share("PER") == 0


def test_pcs_has_the_papers_value():
    assert round(pcs(0.893, 0.912), 3) == 0.979 == round(pcs(0.912, 0.893), 3)
    assert pcs(0.5, 0.5) == pcs(0, 0) == 1 and pcs(0, 0.4) == 0
