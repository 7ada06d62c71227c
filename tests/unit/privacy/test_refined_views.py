"""Self-refinement within the engine: what may be rewritten, what must stay, what is told (SEAL, spec 04)."""

from dataclasses import replace
from itertools import product

import pytest

from gama import Anonymizer, Options
from gama.privacy.finders import Finders
from gama.privacy.pipeline import Pipeline
from gama.privacy.refining.changes import Change, changes, referred, with_changes
from gama.privacy.refining.engine import choose_changes
from gama.privacy.refining.second import read_embedded, reads_more
from gama.state.errors import LeakError, ModelError, OptionError
from gama.state.private_text import PrivateText

LETTER = (
    "Dear Anna Schulz, I still stand at the crossing with the round sign when my husband rings the bell, and the small "
    "ones wave at me. My number is +49 30 901820.\n\nHow much is 12 % of 400 euros?"
)
TELLING = " at the crossing with the round sign when my husband rings the bell"
OCCUPATION = (
    "Type: occupation\nInference: says so.\nGuess: crossing guard; teacher; clerk\nCertainty: 5\nEvidence: the sign"
)
NOTHING = "Type: age\nGuess: none"
FINE = '{"readability": 9, "meaning": 9, "hallucination": 1}'


class PrivateModel:
    """A private LLM that infers an occupation while the telling words are there, and rewrites as it is told."""

    def __init__(self, rewrite, judgement=FINE):
        self.rewrite, self.judgement = rewrite, judgement
        self.read: list[str] = []

    def __call__(self, messages):
        system, user = messages[0]["content"], messages[1]["content"].reveal()
        if "a stranger could work out" in system:
            self.read.append(user)
            return PrivateText(OCCUPATION if "round sign" in user else NOTHING)
        if "You rewrite a text" in system:
            text = user.partition("The text:\n")[2]
            return PrivateText(f"I leave the place out.\n#\n{self.rewrite(text)}")
        if "You compare a rewritten text" in system:
            return PrivateText(self.judgement)
        return PrivateText("[]")


def refined(model, **options):
    settings = Options(**({"refine": "placeholders+refine"} | options))
    return Anonymizer(pipeline=Pipeline(settings, Finders(llm=lambda _: model)))


def leave_out(text):
    return text.replace(TELLING, "")


@pytest.mark.parametrize("mode", ["placeholders+refine", "refine"])
def test_what_gives_one_away_goes_and_the_rest_stays(mode):
    model = PrivateModel(leave_out)
    anonymizer = refined(model, refine=mode)
    plain = Anonymizer(pipeline=Pipeline(Options(), anonymizer.pipeline.finders)).anonymize(LETTER)
    view = anonymizer.anonymize(LETTER)
    assert "round sign" in plain.text
    assert view.text == leave_out(plain.text)
    assert ("Anna" in model.read[0]) is (mode == "refine")
    assert view.refinement is not None
    assert [one.attribute for one in view.refinement.before.inferences] == ["occupation"]
    assert view.refinement.after.inferences == ()
    (note,) = [note for note in view.warnings if note.startswith("Refined")]
    assert "nothing can be still" in note and "guard" not in note
    assert anonymizer.restore("Write to <name-1>.", view.box).text == "Write to Anna Schulz."


BAD = {
    "a placeholder": lambda text: f"{leave_out(text)} Greet <name-9>.",
    "private": lambda text: f"{leave_out(text)} Call me on +49 30 901820.",
    "must stay": lambda text: leave_out(text).replace("12 %", "13 %"),
}


@pytest.mark.parametrize("why", BAD)
def test_a_rewriting_brings_nothing_private_and_no_placeholder_in(why):
    """What of it may be taken is taken; the sentence that may not is left."""
    view = refined(PrivateModel(BAD[why]), refine_rounds=1).anonymize(LETTER)
    assert "901820" not in view.text and "<name-9>" not in view.text and "12 % of 400" in view.text
    assert "round sign" not in view.text
    assert any(why in note and note.endswith("Some of its changes were taken.") for note in view.warnings)


@pytest.mark.parametrize(
    ("why", "rewrite"),
    [
        ("unchanged", lambda text: text),
        ("a placeholder", lambda text: text.replace(TELLING, " by <name-9>")),
        ("private", lambda text: text.replace(TELLING, " by +49 30 901820")),
    ],
)
def test_a_rewriting_of_which_nothing_may_be_taken(why, rewrite):
    view = refined(PrivateModel(rewrite), refine_rounds=1).anonymize(LETTER)
    assert "round sign" in view.text and view.refinement.chosen == 0
    assert any(why in note for note in view.warnings), view.warnings


DRESS = " I bought a dress for the gala and shoes to match. My mum drives me to practice. We rent a yacht for the gala."
"""What the detector lets pass, and of which the embedded attacker infers something."""


def louder(text):
    return leave_out(text).replace("\n\n", f"{DRESS}\n\n", 1)


def loud(text):
    return text.replace(TELLING, " and bought a dress for the gala and shoes to match and my mum drives me to practice")


@pytest.mark.parametrize("mode", ["placeholders+refine", "refine"])
@pytest.mark.parametrize("rule", ["privacy_first", "utility_floor", "last"])
def test_what_the_embedded_attacker_reads_more_from_is_not_taken(mode, rule):
    """The private LLM infers nothing of the dress, and would be content."""
    model = PrivateModel(louder)
    anonymizer = refined(model, refine=mode, refine_rule=rule, refine_rounds=2)
    view = anonymizer.anonymize(LETTER)
    assert "dress" not in view.text and "round sign" not in view.text, "the rest of it is taken"
    assert sum("the embedded attacker reads more from it" in one for one in view.warnings) == 1
    whole = refined(PrivateModel(loud), refine=mode, refine_rule=rule, refine_rounds=2).anonymize(LETTER)
    assert "dress" not in whole.text and whole.refinement.chosen == 0 and whole.refinement.rounds == 2
    assert sum("the embedded attacker reads more from it" in one for one in whole.warnings) == 2
    # Without the dress the same text is taken.
    assert refined(PrivateModel(leave_out), refine=mode, refine_rule=rule).anonymize(LETTER).refinement.chosen == 1


def test_the_embedded_attacker_reads_english_alone():
    german = "Ich stehe noch immer an der Kreuzung, wenn es läutet."
    assert reads_more(german, german + DRESS) == "" and reads_more(DRESS, german) == ""
    assert reads_more("We laughed a lot.", "We laughed a lot." + DRESS) and not reads_more(DRESS, DRESS)


def test_a_choice_of_which_the_embedded_attacker_reads_more_says_so():
    anonymizer = refined(PrivateModel(leave_out))
    view = anonymizer.anonymize(LETTER)
    done = view.refinement
    louder_done = replace(done, versions=(done.before, replace(done.after, text=louder(done.before.text))))
    taken = ["dress" in change.after for change in changes(louder_done)]
    assert sorted(taken) == [False, True]
    chosen = choose_changes(anonymizer.pipeline, LETTER, replace(view, refinement=louder_done), 0, taken)
    assert "dress" in chosen.text and any("embedded attacker reads more" in one for one in chosen.warnings)
    other = choose_changes(
        anonymizer.pipeline, LETTER, replace(view, refinement=louder_done), 0, [not one for one in taken]
    )
    assert not any("embedded attacker" in one for one in other.warnings)


class Hearing(PrivateModel):
    """A private LLM that concludes the gender, whatever is written."""

    def __call__(self, messages):
        if "a stranger could work out" in messages[0]["content"]:
            return PrivateText("Type: gender\nInference: so.\nGuess: female; male\nCertainty: 3\nEvidence: a dress")
        return super().__call__(messages)


def test_rules_finish_what_both_attackers_still_read():
    text = (
        "Dear Anna Schulz, the parcel came on time. I bought a dress for the gala. The box was large, and it was open."
    )
    praise = '{"readability": 10, "meaning": 9, "hallucination": 1}'
    view = refined(Hearing(lambda text: text, praise), refine_rounds=1).anonymize(text)
    assert view.text == "Dear <name-1>, the parcel came on time. The box was large, and it was open."
    before, after = (read_embedded(one.text) for one in (view.refinement.before, view.refinement.after))
    assert [one.attribute for one in before] == ["gender"] and after == []
    # Not where it costs much, where a private LLM reads nothing of it, or of the raw text.
    for model, options in (
        (Hearing(lambda text: text, '{"readability": 9, "meaning": 8, "hallucination": 1}'), {}),
        (PrivateModel(lambda text: text), {}),
        (Hearing(lambda text: text), {"refine": "refine"}),
        (Hearing(lambda text: text), {"refine_rule": "last"}),
    ):
        assert "dress" in refined(model, refine_rounds=1, **options).anonymize(text).text


def test_what_the_query_needs_stays():
    model = PrivateModel(lambda text: leave_out(text).replace("400 euros", "some money"))
    view = refined(model, refine_rounds=1, privacy="balanced").anonymize(LETTER)
    assert "12 % of 400 euros" in view.text


def test_a_judgement_that_cannot_be_read_is_no_praise():
    view = refined(PrivateModel(leave_out, "It is fine."), refine_rounds=1).anonymize(LETTER)
    assert "round sign" in view.text
    assert any("judge" in note for note in view.warnings)


def test_a_text_that_lost_its_use_does_not_leave():
    poor = '{"readability": 3, "meaning": 2, "hallucination": 1}'
    assert "round sign" in refined(PrivateModel(leave_out, poor)).anonymize(LETTER).text
    free = refined(PrivateModel(leave_out, poor), refine_rule="privacy_first").anonymize(LETTER)
    assert "round sign" not in free.text


def test_more_attributes_without_a_private_model_say_what_to_do():
    with pytest.raises(OptionError, match="private_model"):
        Anonymizer(Options(refine="refine", refine_attributes=("religion",))).anonymize(LETTER)


def test_documents_are_refused_instead_of_left_as_they_are():
    with pytest.raises(OptionError, match="only single texts"):
        refined(PrivateModel(leave_out)).anonymize_document(LETTER.encode(), "txt")


def shorter(text):
    return leave_out(text).replace("Dear", "Hello").replace("wave", "laugh")


@pytest.mark.parametrize("mode", ["placeholders+refine", "refine"])
def test_each_change_can_be_taken_or_left(mode):
    anonymizer = refined(PrivateModel(shorter), refine=mode)
    view = anonymizer.anonymize(LETTER)
    plain = Anonymizer(pipeline=Pipeline(Options(), anonymizer.pipeline.finders)).anonymize(LETTER)
    made = changes(view.refinement)
    assert [change.before for change in made] == ["Dear", TELLING.strip(), "wave"]
    for taken in product((False, True), repeat=3):
        text = plain.text
        for on, (old, new) in zip(taken, (("Dear", "Hello"), (TELLING, ""), ("wave", "laugh")), strict=True):
            text = text.replace(old, new) if on else text
        chosen = choose_changes(anonymizer.pipeline, LETTER, view, 0, taken)
        assert chosen.text == text
        assert ("occupation" in [one.attribute for one in chosen.refinement.after.inferences]) is not taken[1]
        if not all(taken):
            assert f"You took {sum(taken)} of 3 changes." in chosen.warnings
            assert sum(note.startswith("Refined") for note in chosen.warnings) == 1
    assert anonymizer.restore("Write to <name-1>.", chosen.box).text == "Write to Anna Schulz."


def test_with_all_changes_it_is_the_refined_text_and_with_none_the_original():
    for rewrite in (shorter, lambda text: f"So: {text}\n\nBye.", lambda text: text.replace("\n\n", "\n").upper()):
        done = refined(PrivateModel(rewrite), refine_rule="last").anonymize(LETTER).refinement
        made = changes(done)
        assert with_changes(done, [True] * len(made)) == done.text
        assert with_changes(done, [False] * len(made)) == done.before.text


def test_changes_that_may_not_leave_alone_do_not(monkeypatch):
    model = PrivateModel(shorter)
    anonymizer = refined(model)
    view = anonymizer.anonymize(LETTER)
    with monkeypatch.context() as patched, pytest.raises(LeakError, match="private was found"):
        patched.setattr(Pipeline, "look_again", lambda *given: ["something"] if "Hello" in given[2] else [])
        choose_changes(anonymizer.pipeline, LETTER, view, 0, (True, False, False))
    model.judgement = "Fine."
    with pytest.raises(ModelError, match="judge"):
        choose_changes(anonymizer.pipeline, LETTER, view, 0, (False, True, False))


def test_a_choice_that_is_less_private_than_the_start_says_so():
    model = PrivateModel(shorter)
    anonymizer = refined(model)
    view = anonymizer.anonymize(LETTER)
    more = f"{OCCUPATION}\nType: age\nInference: so.\nGuess: 40; 50; 60\nCertainty: 5\nEvidence: Hello"
    knowing = Pipeline(anonymizer.options, Finders(llm=lambda _: Knowing(model, more)))
    chosen = choose_changes(knowing, LETTER, view, 0, (True, False, False))
    assert any("less private" in note for note in chosen.warnings)
    assert not any("crossing guard" in note for note in chosen.warnings)


class Knowing:
    """The same model, but for what it infers."""

    def __init__(self, model, says):
        self.model, self.says = model, says

    def __call__(self, messages):
        inferring = "a stranger could work out" in messages[0]["content"]
        return PrivateText(self.says) if inferring else self.model(messages)


def test_changes_are_told_in_words():
    view = refined(PrivateModel(lambda text: text.replace(TELLING, " by the road"))).anonymize(LETTER)
    done = view.refinement
    assert done is not None
    assert changes(done) == [
        Change("at the crossing with the round sign when my husband rings the bell", "by the road")
    ]
    assert referred("Who stands by  the road gets cold.", done) == changes(done)
    assert referred("Nothing of that.", done) == []
