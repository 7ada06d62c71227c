"""Parts of rewritings that were refused: which are taken, and that a round asks no more than is told before."""

import pytest

from gama.privacy.refining.inferences import Inference
from gama.privacy.refining.judgement import Remarked, Utility
from gama.privacy.refining.loop import Terms, begin, go_round, most_asked, refine
from gama.privacy.refining.partial import MOST, allowed, cheaper, parts

BEFORE = "I fold sails in the loft. The rain is bad today. My wife paints boats, and she sings. Come soon."
AFTER = "I work with my hands. The weather is bad today. Somebody paints. Come soon."
TRADE = Inference("occupation", ("sailmaker",), 5, "", ("fold sails", "the  loft"))
HOME = Inference("relationship", ("married",), 4, "", ("My wife",))


def test_a_part_is_what_changed_in_a_sentence():
    found = parts(BEFORE, AFTER)
    assert [BEFORE[slice(*part.span)] for part in found] == [
        "fold sails in the loft", "rain", "My wife paints boats, and she sings",
    ]  # fmt: skip
    assert [part.cost for part in found] == [6, 2, 7]
    assert parts(BEFORE, BEFORE) == []
    one = parts("It is late. We go home now.", "We went.")
    assert len(one) == 1, "two sentences that were made one"


def test_insertions_belong_to_the_sentence_before():
    found = parts("We go. It rains.", "We go. Call me. It rains.")
    assert len(found) == 1 and found[0].after.strip(" .") == "Call me"
    assert len(parts("", "New.")) == len(parts("Old.", "")) == 1


def test_what_may_not_be_taken_is_left():
    def refused(text):
        return "no." if "Somebody" in text else ""

    assert allowed(BEFORE, AFTER, [TRADE], refused) == (
        "I work with my hands. The weather is bad today. My wife paints boats, and she sings. Come soon."
    )
    assert allowed(BEFORE, AFTER, [TRADE], lambda text: "no.") is None
    assert allowed(BEFORE, BEFORE.replace("rain", "sun"), [TRADE], refused) is None, "there is but one part"


def test_the_most_telling_part_is_made_first_where_not_all_together_may_be():
    def refused(text):
        return "too many." if "with my hands" in text and "Somebody" in text else ""

    first, second = (allowed(BEFORE, AFTER, told, refused) or "" for told in ([TRADE], [HOME]))
    assert "with my hands" in first and "My wife" in first
    assert "fold sails" in second and "Somebody" in second


def test_of_what_costs_too_much_the_telling_half_is_taken():
    poor = Utility(6, 4, 1)
    text = cheaper(BEFORE, AFTER, [TRADE, HOME], poor)
    assert text == "I work with my hands. The rain is bad today. My wife paints boats, and she sings. Come soon."
    assert cheaper(BEFORE, AFTER, [], poor) is None, "nothing says which part takes something"
    assert cheaper(BEFORE, BEFORE.replace("rain", "sun"), [TRADE], poor) is None


def test_what_the_judge_quotes_as_new_is_left_out():
    judged = Remarked(9, 8, 0)
    judged.remark = 'The "my hands" are new, and "sails" is missed.'
    assert cheaper(BEFORE, AFTER, [TRADE], judged) == (
        "I fold sails in the loft. The weather is bad today. Somebody paints. Come soon."
    )
    judged.remark = "Something is new."
    assert "with my hands" in (cheaper(BEFORE, AFTER, [TRADE], judged) or "")


def test_a_long_rewriting_has_too_many_parts_to_try():
    before = " ".join(f"Number {at} is here." for at in range(MOST + 1))
    after = before.replace("here", "there")
    looked = []
    assert allowed(before, after, [], lambda text: looked.append(text) or "") is None and not looked
    assert cheaper(before, after, [Inference("age", ("1",), 5, "", ("Number",))], Utility(1, 1, 1)) is None


class Counting:
    """Roles that infer a trade from sails and a wife; a text is useful while most of it is the old one."""

    learns = True

    def __init__(self, *texts, meaning=None):
        self.texts, self.meaning = list(texts), meaning or {}
        self.asked = {"attacks": 0, "rewritings": 0, "judgements": 0}
        self.refusals = []

    def infer(self, text):
        self.asked["attacks"] += 1
        return [one for one in (TRADE, HOME) if " ".join(one.evidence[0].split()) in text]

    def rewrite(self, text, inferences, keep, refusal=None):
        self.asked["rewritings"] += 1
        self.refusals.append(refusal)
        return self.texts.pop(0) if self.texts else None

    def judge(self, original, text):
        self.asked["judgements"] += 1
        said = Remarked(9, self.meaning.get(text, 9), 1)
        said.remark = "It is short."
        return said


FLOOR = Terms(rounds=1, rule="utility_floor", floor=0.8)


def test_a_rewriting_below_the_floor_is_taken_in_part():
    roles = Counting(AFTER, meaning={AFTER: 2})
    done = refine(BEFORE, roles, FLOOR)
    assert done.text.startswith("I work with my hands. The rain") and "My wife" in done.text
    assert [one.attribute for one in done.after.inferences] == ["relationship"]
    (note,) = done.notes
    assert note.startswith("Round 1: its use is below the floor") and note.endswith("Some of its changes were taken.")
    # What was refused as a whole is told to the next round, with what it still gave away.
    assert done.refusal is not None and done.refusal.text == AFTER and done.refusal.inferences == ()
    assert done.refusal.why.endswith("It is short.")
    assert roles.asked == {"attacks": 3, "rewritings": 1, "judgements": 2}


def test_a_part_is_held_to_the_same_rules():
    half = "I work with my hands. The rain is bad today. My wife paints boats, and she sings. Come soon."
    for terms, meaning in (
        (FLOOR, {AFTER: 2, half: 2}),
        (Terms(1, "utility_floor", 0.8, check=lambda text: "no." if "with my hands" in text else ""), {AFTER: 2}),
        (Terms(1, "utility_floor", 0.8, second=lambda _, new: "it hears more." if new == half else ""), {AFTER: 2}),
    ):
        assert "fold sails" in refine(BEFORE, Counting(AFTER, meaning=meaning), terms).text
    rules = Counting(AFTER, meaning={AFTER: 2})
    rules.learns = False
    done = refine(BEFORE, rules, FLOOR)
    assert (done.text, done.ended, rules.asked["attacks"]) == (BEFORE, "useless", 2), "rules take no parts"


@pytest.mark.parametrize("rule", ["utility_floor", "privacy_first", "last"])
def test_no_more_is_asked_than_is_told_before(rule):
    """Every rewriting has a part that may not be taken, what is left is below the floor, and rules finish."""
    bad = AFTER.replace("The weather", "A <name-9>")
    roles = Counting(bad, bad, bad, meaning={})
    roles.meaning = {text: 2 for text in (AFTER, "x")}

    def judge(original, text):
        roles.asked["judgements"] += 1
        return Utility(9, 2 if "Somebody" in text else 9, 1)

    roles.judge = judge
    terms = Terms(
        3, rule, 0.8, check=lambda text: "a placeholder." if "<name-9>" in text else "",
        finish=lambda text, keep, names: text.replace(" Come soon.", ""),
    )  # fmt: skip
    refine(BEFORE, roles, terms)
    most = most_asked(3, rule)
    assert all(roles.asked[name] <= getattr(most, name) for name in roles.asked), (roles.asked, most)
    assert most == {"utility_floor": (8, 3, 7), "privacy_first": (5, 3, 4), "last": (4, 3, 3)}[rule]


def finishing(text, keep, names):
    assert names == {"relationship"} and keep == ("Come soon.",)
    return text.replace("My wife", "Somebody")


def test_rules_finish_in_the_last_round():
    first = BEFORE.replace("fold sails", "work")
    terms = Terms(2, "utility_floor", 0.8, ("Come soon.",), finish=finishing)
    roles = Counting(first)
    so_far = go_round(begin(BEFORE, roles), roles, terms)
    assert so_far.text == first and not so_far.ended, "not before"
    done = go_round(so_far, roles, terms)
    assert done.text == first.replace("My wife", "Somebody") and done.ended == "rounds"
    assert done.chosen == len(done.versions) - 1 and done.after.inferences == ()


@pytest.mark.parametrize("why", ["useless", "dear", "telling", "second", "must stay"])
def test_a_finish_that_is_not_accepted_changes_nothing(why):
    first = BEFORE.replace("fold sails", "work")
    end = {"telling": "I fold sails.", "must stay": "Go."}.get(why, "Somebody paints. Come soon.")
    roles = Counting(first, meaning={end: {"useless": 3, "dear": 7}.get(why, 9)})
    if why == "telling":
        roles.infer = lambda text: [TRADE, HOME] if text in (BEFORE, end) else [HOME]
    second = (lambda _, new: "it hears more." if new == end else "") if why == "second" else None
    keep = () if why != "must stay" else ("Come soon.",)
    terms = Terms(1, "privacy_first" if why == "dear" else "utility_floor", 0.8, keep, second=second,
                  finish=lambda text, keep, names: end)  # fmt: skip
    done = refine(BEFORE, roles, terms)
    assert done.text == first
    assert any(note.startswith("Finishing by rule: ") for note in done.notes) is (why in {"useless", "dear", "telling"})
