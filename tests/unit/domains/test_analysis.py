"""From text to rules: sensible domains, terms, kinds of task, and nothing of the text in what crosses."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from gama.models.shipped import word_vectors
from gama.tools.domains.analysis import analyse, calibrated
from gama.tools.domains.kind import asks_short, kind_of_task
from gama.tools.domains.memberships import firing, read_term, term_of_score
from gama.tools.domains.naming import PASSAGES, passages, read_fields
from gama.tools.domains.packs import DOMAINS, NAMES
from gama.tools.domains.prompts import load_prompts

LETTERS = {
    "Law": "My landlord refuses to return the deposit after I moved out; the lease says two months. Can I sue the landlord?",
    "Medicine": "For three days I have had chest pain and fever, and the antibiotics do not help. Should I go to the hospital?",
    "Finance": "Which expenses can I deduct from my income tax as a freelancer, and by when is the tax return due?",
    "Education": "My daughter may fail the year because of her grades in mathematics. How do we appeal against the school report?",
    "Business": "We want to hire a sales manager; please compare the two candidates and draft a rejection for the other applicant.",
    "Sports": "When was our football club founded, and which players scored in the championship final?",
    "Technology": "The login page crashes with a null pointer exception after the last software update. What is the bug?",
    "Agriculture": "Our dairy farm lost forty cows; are there subsidies for the feed and the pasture after the drought?",
    "Transportation": "The train was delayed and we missed our flight. Does the railway or the airline refund the ticket?",
    "Entertainment": "Which actor sang the title song of that musical film and did the director win an award?",
    "Literature": "Please interpret this poem: what does the metaphor in the second stanza mean and who is the narrator?",
    "Politics": "Who may vote in the election of the mayor, and how many seats does the party need in parliament?",
    "Environment": "The factory upstream discharges something that colours the river, and fish are dying. Which measurements of water quality should our group take?",
    "History": "My great-grandfather was a soldier in a regiment that fought at Verdun. Where are records about him, and what happened in that battle?",
    "Philosophy": "Is it ever right to lie to a dying friend? What would Kant and a utilitarian say about my promise?",
    "Arts": "I inherited a small oil painting, a landscape with a mill. How can I find out the painter and whether it needs restoration?",
    "Science": "We dissolved the salt in water and the temperature fell by four degrees. How is the enthalpy calculated, and why is the reaction endothermic?",
    "Communication": "Please write a press release about our anniversary for the local newspaper and a shorter post for social media.",
    "Sociology": "Many families moved away after the rents rose. Which studies describe what gentrification does to migrants and the elderly?",
    "Psychology": "Since my mother died I cannot sleep and feel anxious. Would therapy help me with the grief?",
}


@pytest.mark.parametrize(("expected", "text"), LETTERS.items())
def test_top_three_hold_the_expected_domain(expected, text):
    rules = analyse(text, words=word_vectors(), k=3).rules
    assert expected in [rule.domain for rule in rules] and 1 <= len(rules) <= 3
    assert [r.score for r in rules] == sorted((r.score for r in rules), reverse=True)


def test_the_matrices_have_the_shapes_of_the_paper():
    analysis = analyse(LETTERS["Law"], words=word_vectors(), k=20, n=7)
    assert (
        analysis.ho.shape == analysis.d.shape == (7, 20) and analysis.elm.shape == (1, 20) and len(analysis.fields) == 7
    )


@pytest.mark.parametrize("mode", ["learned", "paper", "code", "threshold"])
def test_a_rule_always_comes_out(mode):
    for text in ("x", "qqq zzz", "12345", "Grüß Gott!", "the of and"):
        assert len(analyse(text, words=word_vectors(), topk_mode=mode).rules) >= 1


def test_nothing_of_the_text_is_in_the_rules():
    secret = "Thessaly Quornbeck of 14 Tanner's Row owes rent to her landlord. Can she be evicted?"
    rules = analyse(secret, words=word_vectors()).rules
    said = " ".join(rule.model_dump_json() for rule in rules)
    assert not [word for word in ("Thessaly", "Quornbeck", "Tanner", "14", "evicted") if word in said]
    prompts = load_prompts()
    for rule in rules:
        domain = DOMAINS[NAMES.index(rule.domain)]
        assert rule.prompt == prompts.system(
            "expert", domain=domain.name, description=domain.description, term=rule.term
        )


def scripted(*replies):
    left = list(replies)
    return lambda messages: left.pop(0)


def test_the_private_llm_names_the_fields():
    complete = scripted("needs tenancy knowledge", "1. Tenancy law: Extremely High\n2) psychology - low")
    analysis = analyse("raw text", words=word_vectors(), complete=complete, topk_mode="code")
    assert analysis.fields == ("tenancy law", "psychology")
    assert [rule.domain for rule in analysis.rules] == ["Law"], "a row with a low term is dropped"


FIELDS = "law: Medium\npsychology: Extremely Low\nlegal matters: Low"


def test_the_private_llm_judges_the_term_of_every_target_domain():
    asked = []

    def complete(messages):
        asked.append(messages)
        return ["tenancy", FIELDS, "Law: Extremely High\nPsychology: Low\nPolitics = crucial\nCooking: High"][
            len(asked) - 1
        ]

    rules = analyse("raw text", words=word_vectors(), complete=complete, k=20).rules
    terms = {rule.domain: rule.term for rule in rules}
    assert terms["Law"] == "Extremely High", "the term for text and domain, not the one of a field"
    assert terms["Politics"] == "Medium", "a term that is none of the six"
    assert "Psychology" not in terms and "Cooking" not in terms
    assert len(asked) == 3, "background, fields, terms"
    listed = asked[2][1]["content"].split("Domains:\n")[1].splitlines()
    assert listed[0] == "Law" and len(listed) == len(set(listed)) <= 20 and "raw text" in asked[2][1]["content"]
    assert "tenancy" in asked[1][1]["content"] and "tenancy" in asked[2][1]["content"], "what was gathered goes along"


def test_terms_that_cannot_be_read_follow_from_fields_and_memberships():
    notes: list[str] = []
    complete = scripted("tenancy", FIELDS, "I cannot say.", "Sorry.")
    rules = analyse("raw text", words=word_vectors(), complete=complete, k=20, warnings=notes).rules
    terms = {rule.domain: rule.term for rule in rules}
    assert terms["Law"] == "Medium", "the strongest of the terms its fields were given"
    assert "Psychology" not in terms, "told to be extremely low, its rule does not fire"
    assert len(notes) == 1 and "judged no domain" in notes[0]


def test_the_code_takes_the_terms_of_its_rows_without_a_further_question():
    complete = scripted("tenancy", "law: High\npsychology: Low")
    assert analyse("raw text", words=word_vectors(), complete=complete, topk_mode="code").rules[0].term == "High"


def test_weak_rules_fire_only_when_none_is_stronger():
    fields = "law: High\nmedicine: High"
    weak = scripted("b", fields, "Law: Low\nMedicine: Extremely Low\nPolitics: Low")
    rules = analyse("raw text", words=word_vectors(), complete=weak, k=2).rules
    assert {rule.term for rule in rules} <= {"Low", "Extremely Low"} and len(rules) == 2
    mixed = scripted("b", fields, "Law: High\nMedicine: Low")
    assert [r.domain for r in analyse("raw text", words=word_vectors(), complete=mixed, k=2).rules] == ["Law"]


def test_long_texts_are_read_in_passages():
    text = "\n".join(f"Line {n} of a very long letter about nothing." for n in range(2000))
    parts = passages(text)
    assert len(parts) == PASSAGES and text.startswith(parts[0]) and text.endswith(parts[-1])
    assert all(len(part) <= 2_400 for part in parts)
    assert passages("short") == ["short"] and "".join(passages(text[:9_000])) == text[:9_000]
    said = scripted(
        *[f"background {n}" for n in range(PASSAGES)], "law: High", "Law: High\nPolitics: High\nBusiness: High"
    )
    assert "Law" in [rule.domain for rule in analyse(text, words=word_vectors(), complete=said).rules]


def test_rules_come_strongest_first_in_the_order_of_rows_too():
    complete = scripted("b", "banking: High\nlaw: High")
    analysis = analyse("raw text", words=word_vectors(), complete=complete, topk_mode="code")
    assert {rule.domain for rule in analysis.rules} == {"Finance", "Law"}
    assert [r.score for r in analysis.rules] == sorted((r.score for r in analysis.rules), reverse=True)


@pytest.mark.parametrize("alpha", [0.0, 0.5, 0.95, 1.0])
def test_d_is_equation_9_of_what_the_analysis_reports(alpha):
    analysis = analyse(LETTERS["Finance"], words=word_vectors(), alpha=alpha)
    np.testing.assert_allclose(analysis.d, alpha * analysis.ho + (1 - alpha) * analysis.elm)


@pytest.mark.parametrize("collapse", ["max", "mean"])
def test_calibration_is_monotone_and_bounded(collapse):
    d = np.array([[0.1, 0.9, 0.3, 0.2], [0.4, 0.1, 0.3, 0.2]])
    joined = getattr(d, collapse)(axis=0)
    chosen = [(i, float(joined[i])) for i in np.argsort(-joined, kind="stable")]
    scores = [score for _, score in calibrated(chosen, d, collapse)]
    assert scores == sorted(scores, reverse=True) and all(0 <= score <= 1 for score in scores)
    assert calibrated([(0, float(joined.mean()))], d, collapse) == [(0, pytest.approx(0.2))]


def test_one_analysis_from_many_threads_is_one_result():
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: analyse(LETTERS["Sports"], words=word_vectors()).rules, range(16)))
    assert all(rules == found[0] for rules in found)


def test_an_unreadable_llm_falls_back_with_a_warning():
    notes: list[str] = []
    rules = analyse(
        LETTERS["Law"], words=word_vectors(), complete=scripted("b", "no", "still no", "Law: High"), warnings=notes
    ).rules
    assert "Law" in [rule.domain for rule in rules] and len(notes) == 1


def test_reading_fields():
    reply = "<think>Law: low</think>Here you are:\n- **Tenancy law**: Highly relevant\n* finance – Medium\nTenancy Law: Low\nnonsense"
    assert read_fields(reply) == [("tenancy law", "High"), ("finance", "Medium")]
    assert read_fields("Fields:\n1. law: crucial\nfinance: see the note below\nNote that: it, too, matters") == [
        ("law", "Medium")
    ]


@pytest.mark.parametrize(
    ("score", "term"),
    [(0.0, "Extremely Low"), (0.1, "Extremely Low"), (0.15, "Low"), (0.2, "Low"), (0.3, "Medium"), (0.4, "Medium"),
     (0.45, "Moderately High"), (0.5, "Moderately High"), (0.55, "High"), (0.69, "High"), (0.7, "Extremely High"), (1.0, "Extremely High")],
)  # fmt: skip
def test_terms_of_scores(score, term):
    assert term_of_score(score) == term


@pytest.mark.parametrize(
    ("text", "term"),
    [("High", "High"), ("highly", "High"), ("Extremely High", "Extremely High"), ("very high.", "Extremely High"),
     ("moderately-high", "Moderately High"), ("Moderately Low", "Low"), ("extremely low", "Extremely Low"), ("LOW", "Low"),
     ("medium", "Medium"), ("", "Medium"), ("somewhat", "Medium"), ("**High** relevance", "High")],
)  # fmt: skip
def test_reading_terms(text, term):
    assert read_term(text) == term


def test_firing():
    assert firing([("a", "High"), ("b", "Low"), ("c", "Medium")]) == [("a", "High"), ("c", "Medium")]
    assert firing([("a", "Low"), ("b", "Extremely Low")]) == [("a", "Low"), ("b", "Extremely Low")]


@pytest.mark.parametrize(
    ("text", "kind", "options"),
    [
        ("The shop opens at nine. Is the shop open at ten?", "open", ()),
        ("Have you ever seen this in a live game?", "open", ()),
        ("The shop opens at nine. Yes or no: is it open at ten?", "boolean", ()),
        ("Hat der Laden um zehn offen? Antworte nur mit Ja oder Nein.", "boolean", ()),
        ("Le magasin est ouvert. Vrai ou faux ?", "boolean", ()),
        ("Answer yes or no. Is it open? Is it far?", "open", ()),
        ("He was there. Answer True or False: he was late.", "boolean", ()),
        ("Is it open? And when does it close?", "open", ()),
        ("Could you write to the shop?", "open", ()),
        ("Should I sue or wait?", "open", ()),
        ("Do I have to pay or not?", "open", ()),
        ("The door is red or blue. Is it locked?", "open", ()),
        ("Did <name-1> pay <amount-1>?", "open", ()),
        ("Answer yes or no: is it red or blue?", "boolean", ()),
        ("Pick one:\n1) tea\n2) tea", "open", ()),
        ("When does the shop open?", "open", ()),
        ("Summarise the letter.", "open", ()),
        ("Which is right?\nA) blue\nB) green\nC) red", "choice", ("blue", "green", "red")),
        ("Choose one.\nchoice: 1\nchoice: 2", "choice", ("1", "2")),
        ("My list:\n1. milk\n2. bread", "open", ()),
        ("Which shop sells these, and when does it open?\n1. milk\n2. bread", "open", ()),
        ("I must do two things.\n1. pay the bill\n2. write to them\nIn which order?", "open", ()),
        ("What is the capital? Pick the correct one.\n(a) Paris\n(b) Rome", "choice", ("Paris", "Rome")),
        # A list of clues is none of answers, whatever is asked behind it.
        (
            "Two houses.\nClue(s):\n1. The dog lives left.\n2. The cat is old.\nWhat is the number of the house with the "
            "cat?\nIt is one of these houses: 2, 1.",
            "open",
            (),
        ),
        (
            "Clues:\n1. The dog lives left.\n2. The cat is old.\nWhere does the cat live?\nchoice: 2\nchoice: 1",
            "choice",
            ("2", "1"),
        ),
        (
            "Facts:\n1. milk is dear\n2. bread is cheap\nWhich one is dearer?\nA) milk\nB) bread",
            "choice",
            ("milk", "bread"),
        ),
        (
            "Facts:\n1. milk is dear\n2. bread is cheap\nWhat is true? Pick one.\nA) milk\nB) bread",
            "choice",
            ("milk", "bread"),
        ),
        ("1. What is red?\nA) wine\nB) milk\n2. What is white?\nA) wine\nB) milk", "open", ()),
        ("Is it open? Is it far? Reply with the word yes if it is far, with the word no if it is not.", "boolean", ()),
        ("A) Paris\nB) Rome\nWhich of these is the capital of Italy?", "choice", ("Paris", "Rome")),
    ],
)
def test_kinds(text, kind, options):
    assert kind_of_task(text) == (kind, options)


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("Answer only with yes or no: is it?", True), ("Reply yes or no.", True), ("One word, please: true or false?", True),
        ("Reply with the single word True if the answer is yes, with the single word False if it is no.", True),
        ("Antworte nur mit Ja oder Nein.", True), ("Répondez uniquement par oui ou non.", True),
        ("I only paid once, just as agreed. True or false: I owe more.", False),
        ("Is it true or false? Say why.", False), ("Which is right? Explain.", False),
    ],
)  # fmt: skip
def test_a_closed_answer_alone_is_given_where_the_task_asks_for_it(text, short):
    assert asks_short(text) is short
