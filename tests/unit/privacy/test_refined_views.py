"""Self-refinement within the engine: what may be rewritten, what must stay, what is told (SEAL, spec 04)."""

import pytest

from gama import Anonymizer, Options
from gama.privacy.finders import Finders
from gama.privacy.pipeline import Pipeline
from gama.privacy.refining.engine import Change, changes, referred
from gama.state.errors import OptionError
from gama.state.private_text import PrivateText

LETTER = (
    "Dear Anna Schulz, I still stand at the crossing with the round sign when the bell rings, and the small ones wave "
    "at me. My number is +49 30 901820.\n\nHow much is 12 % of 400 euros?"
)
TELLING = " at the crossing with the round sign when the bell rings"
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


def test_a_rewriting_brings_nothing_private_and_no_placeholder_in():
    bad = {
        "a placeholder": lambda text: f"{leave_out(text)} Greet <name-9>.",
        "private": lambda text: f"{leave_out(text)} Call me on +49 30 901820.",
        "must stay": lambda text: leave_out(text).replace("12 %", "13 %"),
        "unchanged": lambda text: text,
    }
    for why, rewrite in bad.items():
        view = refined(PrivateModel(rewrite), refine_rounds=1).anonymize(LETTER)
        assert "round sign" in view.text, why
        assert "901820" not in view.text and "<name-9>" not in view.text
        assert any(why in note for note in view.warnings), view.warnings


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


def test_changes_are_told_in_words():
    view = refined(PrivateModel(lambda text: text.replace(TELLING, " by the road"))).anonymize(LETTER)
    done = view.refinement
    assert done is not None
    assert changes(done) == [Change("at the crossing with the round sign when the bell rings", "by the road")]
    assert referred("Who stands by  the road gets cold.", done) == changes(done)
    assert referred("Nothing of that.", done) == []
