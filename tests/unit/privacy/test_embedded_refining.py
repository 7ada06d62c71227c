"""Refinement without a private LLM: the embedded attacker, the rules that rewrite, and the rules that judge."""

import json

import pytest

from gama import Anonymizer, Options
from gama.evals.anonymize import UNSEEN, read_people
from gama.privacy.finders import Finders
from gama.privacy.pipeline import Pipeline
from gama.privacy.refining.attacker import embedded_attacker, words_of
from gama.privacy.refining.attributes import ATTRIBUTES
from gama.privacy.refining.embedded import EmbeddedRoles
from gama.privacy.refining.engine import attack, roles_of
from gama.privacy.refining.inferences import Inference
from gama.privacy.refining.loop import Terms, privacy_of, refine
from gama.serve.cli import run as command
from gama.state.errors import ModelError, OptionError

TEXT = (
    "The book is long, but it never gets boring. Spent the whole morning turning patients so they get no bedsores. "
    "My ex has the kids this weekend. The window does not close properly.\n\n"
    "Coffee first, then everything else. I always forget my password. You should water it less in winter."
)
WRITTEN = UNSEEN.with_name("written.jsonl")
PLAIN = "Coffee first, then everything else. I always forget my password."


@pytest.fixture(scope="module")
def roles():
    return EmbeddedRoles(ATTRIBUTES, embedded_attacker())


def by_name(inferences):
    return {one.attribute: one for one in inferences}


def test_the_attacker_infers_what_context_tells_and_says_which_sentences(roles):
    found = by_name(roles.infer(TEXT))
    assert found["occupation"].best == "nurse"
    assert found["occupation"].evidence[0] == "Spent the whole morning turning patients so they get no bedsores."
    assert found["relationship"].best == "divorced"
    assert all(1 <= one.certainty <= 5 and len(one.guesses) <= 3 for one in found.values())


@pytest.mark.parametrize("text", ["", "\n\n", "<name-1>", "12 345", PLAIN])
def test_nothing_is_inferred_where_nothing_is_told(roles, text):
    assert roles.infer(text) == []


def test_placeholders_say_nothing():
    assert words_of("I am <age-1 band=30-39> and <name-1> writes") == ["i", "am", "and", "writes"]
    assert words_of("if a < b then c > d") == ["if", "a", "b", "then", "c", "d"]


def test_refining_takes_away_what_was_inferred_and_invents_nothing(roles):
    done = refine(TEXT, roles, Terms(rounds=10, rule="privacy_first"))
    before, after = (by_name(version.inferences) for version in (done.before, done.after))
    assert {"occupation", "relationship"} <= before.keys()
    assert len(after) < len(before)
    assert "patients" not in done.text and "customers" not in done.text and "I always forget my password." in done.text
    assert set(words_of(done.text)) <= set(words_of(TEXT)) | {"people", "former", "partner"}
    assert done.after.utility.hallucination == 1


def test_what_must_stay_and_placeholders_stay(roles):
    text = TEXT.replace("The window does", "The window of <name-1> does")
    kept = "My ex has the kids this weekend."
    done = refine(text, roles, Terms(rounds=10, rule="privacy_first", keep=(kept,)))
    assert kept in done.text and "<name-1>" in done.text
    assert roles.rewrite(kept, roles.infer(kept), [kept]) is None


def test_the_judge_sees_loss_brokenness_and_invention(roles):
    same = roles.judge(TEXT, TEXT)
    assert same.score == pytest.approx(1, abs=1e-6)
    shorter = roles.judge(TEXT, PLAIN)
    assert shorter.meaning < same.meaning and shorter.hallucination == 1
    assert roles.judge(TEXT, f"{TEXT} A pirate came.").hallucination == 0
    assert roles.judge(TEXT, TEXT.replace("patients", "people")).hallucination == 1
    # Wider words are no excuse where nothing of theirs stood.
    assert roles.judge(TEXT, TEXT.replace("password", "sibling")).hallucination == 0
    assert roles.judge(TEXT, TEXT.replace("in winter", "in")).readability < 10


def test_refine_works_without_a_private_llm():
    view = Anonymizer(Options(refine="placeholders+refine")).anonymize(f"Dear Anna Schulz, hello. {TEXT}")
    assert view.refinement is not None and view.refinement.before.inferences
    assert view.refinement.after.privacy > view.refinement.before.privacy
    assert "occupation" not in by_name(view.refinement.after.inferences) and "patients" not in view.text
    assert "I always forget my password." in view.text
    assert not any("private model" in note for note in view.warnings)
    assert "Schulz" not in view.text and "<" in view.text


GERMAN = (
    "Sehr geehrte Damen und Herren, ich bin seit vierzig Jahren Lokführer und wohne in der Nähe des Bahnhofs. Meine Frau "
    "kocht gern. Wir haben drei Kinder und einen Hund."
)
DUTCH = "In de winter was het hier zo koud dat we met de auto in het dal bleven. Mijn man is er elke dag in geweest."


@pytest.mark.parametrize("text", [GERMAN, DUTCH])
def test_what_is_not_english_is_left_as_it_is_and_told(roles, text):
    assert roles.infer(text) is None
    view = Anonymizer(Options(refine="placeholders+refine")).anonymize(text)
    assert view.text == Anonymizer(Options()).anonymize(text).text
    assert any("was not refined" in note and "English" in note for note in view.warnings)
    with pytest.raises(ModelError, match="English"):
        attack(Pipeline(Options()), text)


def test_no_person_is_less_private_afterwards_and_every_run_ends(roles):
    for person in read_people(WRITTEN)[::2]:
        for rule in ("privacy_first", "utility_floor", "last"):
            done = refine(person.text, roles, Terms(rounds=3, rule=rule))
            assert done.after.privacy >= done.before.privacy
            assert 1 <= done.rounds <= 3 and done.ended
            assert rule == "last" or done.after.privacy > done.before.privacy, person.id


def test_a_rewriting_is_a_gain_or_there_is_none(roles):
    """The rules say the same each time: what is no gain once would be none in any round."""
    for person in read_people(WRITTEN):
        inferred = roles.infer(person.text)
        new = roles.rewrite(person.text, inferred, [])
        assert new is None or privacy_of(roles.infer(new)) > privacy_of(inferred), person.id


def test_an_attacker_that_remembers_infers_the_same(roles):
    again = roles.attacker.remembering()
    for person in read_people(WRITTEN):
        for _ in range(2):
            assert again.infer(person.text, ATTRIBUTES) == roles.infer(person.text)


def test_added_attributes_need_a_private_llm():
    with pytest.raises(OptionError, match="refine_attributes"):
        roles_of(Options(refine="refine", refine_attributes=("religion",)), None)


def test_an_attack_tells_the_sentences_or_that_it_cannot_be_read():
    found = {one.attribute: one for one in attack(Pipeline(Options()), TEXT)}
    assert found["occupation"].guesses[0] == "nurse"
    assert "Spent the whole morning turning patients so they get no bedsores." in found["occupation"].sentences

    class Mumbling:
        def __call__(self, messages):
            from gama.state.private_text import PrivateText

            return PrivateText("hm")

    with pytest.raises(ModelError, match="cannot be read"):
        attack(Pipeline(Options(), Finders(llm=lambda _: Mumbling())), TEXT)


def test_the_command_shows_what_a_text_reveals(capsys, tmp_path):
    file = tmp_path / "letter.txt"
    file.write_text(TEXT, encoding="utf-8")
    assert command(["anonymize", str(file), "--attack", "--json"]) == 0
    told = {one["attribute"]: one for one in json.loads(capsys.readouterr().out)["attack"]}
    assert told["occupation"]["guesses"][0] == "nurse" and told["occupation"]["sentences"]
    assert command(["anonymize", str(file), "--attack"]) == 0
    shown = capsys.readouterr()
    assert "nurse" in shown.err and "nurse" not in shown.out
    file.write_text(PLAIN, encoding="utf-8")
    assert command(["anonymize", str(file), "--attack"]) == 0
    assert "infers nothing" in capsys.readouterr().err


@pytest.mark.parametrize("flags", [["--jsonl"], ["--format", "html"]])
def test_lines_and_documents_are_not_attacked(flags, tmp_path):
    file = tmp_path / "some.html"
    file.write_text("<p>Hello</p>", encoding="utf-8")
    assert command(["anonymize", str(file), "--attack", *flags]) != 0


def test_a_damaged_file_is_told(tmp_path):
    from gama.privacy.refining.attacker import Attacker
    from gama.state.errors import ModelUnreachable

    (tmp_path / "attacker.npz").write_bytes(b"no")
    with pytest.raises(ModelUnreachable, match="gama train attacker"):
        Attacker.load(tmp_path / "attacker.npz")


def test_an_attribute_without_a_head_is_never_inferred(roles):
    assert roles.rewrite(PLAIN, [Inference("religion", ("any",), 3)], []) is None
