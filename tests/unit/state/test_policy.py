"""The policy: what it stands for, where it is refused, and what leaves under it on every face."""

import json
import subprocess
import sys
from contextlib import closing

import pytest

from gama import Anonymizer, Gama, Options
from gama.privacy.pipeline import Pipeline
from gama.serve.gateway.masking import Masker
from gama.state.entities import TYPE_OF
from gama.state.errors import OptionError
from gama.state.policy import PROTECTED, by_subtype

LETTER = (
    "My name is Emma Williams, emma.williams@corvid.example. I have asthma. My appointment is on 12 May 2025 and I was born "
    "on 3 July 1984. I owe £4,290."
)


@pytest.fixture
def file(tmp_path):
    """Return a function that writes a policy file and returns its path."""

    def write(text: str) -> str:
        path = tmp_path / "policy.yaml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


@pytest.fixture
def chosen(file):
    return Options(policy=file("medical_condition: show\nDATETIME: shift\namount: hide\n"))


def says_it(shown: str) -> None:
    """Fail unless a text is what the policy lets leave of the letter."""
    assert "asthma" in shown
    for real in ("Emma", "Williams", "corvid", "12 May 2025", "3 July 1984", "4,290"):
        assert real not in shown
    assert "<date" not in shown
    assert "<amount-1>" in shown


class TestDerived:
    """The options that a policy stands for."""

    def test_a_file_and_a_mapping_say_the_same(self, file):
        assert Options(policy=file("date: shift\nage: show\n")) == Options(policy={"date": "shift", "age": "show"})

    def test_options_go_before_it(self):
        made = Options(
            policy={"age": "hide", "DATETIME": "shift", "LOC": "surrogate"}, keep=["age"], strategies={"LOC": "tag"}
        )
        assert made.keep == ("age",)
        told = dict(made.strategies)
        assert told["LOC"] == "tag"
        assert "city" not in told
        assert told["date"] == "shift"
        every = Options(policy={"date": "shift"}, strategies="enriched")
        assert every.strategies == (("all", "enriched"),)

    def test_the_most_specific_word_wins(self):
        told = by_subtype(
            Options(policy={"all": "hide", "LOC": "surrogate", "location": "generalise", "city": "show"}).policy
        )
        assert (told["age"], told["street_address"], told["region"], told["city"]) == (
            "hide", "surrogate", "generalise", "show",
        )  # fmt: skip

    def test_what_is_not_shown_is_never_left_for_a_query(self):
        made = Options(policy={"date": "shift", "income": "hide", "age": "show"})
        assert {"date", "income", "PER"} <= set(made.select_never)
        assert "age" not in made.select_never
        assert made.keep == ("age",)

    @pytest.mark.parametrize("word", ["all", "LOC", "location"])
    def test_what_identifies_is_shown_by_its_own_name_only(self, word):
        assert PROTECTED.isdisjoint(Options(policy={word: "show"}).keep)
        assert {kind for kind in ("city", "country") if kind in Options(policy={word: "show"}).keep} == {
            "city",
            "country",
        }

    def test_by_its_own_name_it_is_shown_and_told(self):
        view = Anonymizer(Options(policy={"email": "show"})).anonymize("Write to box77@corvid.example, I am Emma.")
        assert "box77@corvid.example" in view.text
        assert any(
            "The policy shows what identifies people, and it leaves in clear: email." in note for note in view.warnings
        )

    def test_options_with_a_policy_are_options(self, chosen):
        assert Options(**json.loads(json.dumps(chosen.model_dump()))) == chosen
        assert hash(chosen)
        assert "policy" in chosen.model_fields_set
        assert Options().policy == ()

    def test_without_a_policy_nothing_changes(self):
        assert Options().model_fields_set == set()

    def test_every_subtype_has_one_treatment_at_most(self):
        assert set(by_subtype((("all", "hide"),))) == set(TYPE_OF)


class TestRefused:
    """Policies that cannot be."""

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            (
                "date: shift\nnaem: hide\n",
                "option 'policy': line 2: unknown type 'naem'; did you mean 'name'. Known: PER",
            ),
            ("date: shfit\n", "line 1: the treatment of 'date' is unknown; did you mean 'shift'. Known: hide, show"),
            ("age: hide\n\nname: shift\n", "line 3: 'name' is no date: shift is for date, date_of_birth and DATETIME"),
            ("all: shift\n", "'all' is no date"),
            ("PER: show\n", "line 1: names, .* for 'PER' write full_name, first_name"),
            ("name: show\n", "for 'name' write full_name"),
            ("date: [a\n", "line 2: the file is not YAML; write a line TYPE: TREATMENT"),
            ("- date\n", "line 1: the file has no entries"),
            ("", "the file has no entries"),
            ("date: hide\ndate: shift\n", "line 2: 'date' has a treatment already"),
            ("date: {shift: 3}\n", "line 1: the treatment of 'date' is unknown"),
            ("root:x:0:0: hide\n", "line 1: each entry is TYPE: TREATMENT"),
        ],
    )
    def test_with_the_line_and_what_to_do(self, file, text, says):
        with pytest.raises(OptionError, match=says):
            Options(policy=file(text))

    def test_a_file_that_is_not_there(self, tmp_path):
        with pytest.raises(OptionError, match="the file cannot be read: No such file or directory; name a YAML file"):
            Options(policy=str(tmp_path / "none.yaml"))

    def test_a_file_that_is_no_text(self, tmp_path):
        (tmp_path / "odd").write_bytes(b"\xff\xfe\x00")
        with pytest.raises(OptionError, match="no text in UTF-8"):
            Options(policy=str(tmp_path / "odd"))

    def test_what_is_generalised_tells_a_band_and_comes_back(self):
        text = "I am Emma Williams, 34, and earn £41,500 a year."
        view = Anonymizer(Options(policy={"age": "generalise"})).anonymize(text)
        assert "<age-1 band=30-39>" in view.text and Anonymizer().restore(view.text, view.box).text == text


class TestFaces:
    """The same policy wherever text leaves."""

    def test_anonymizer(self, chosen):
        view = Anonymizer(chosen).anonymize(LETTER)
        says_it(view.text)
        assert "Left in clear because the policy shows it: 1 medical condition." in view.warnings
        assert Anonymizer(chosen).restore(view.text, view.box).text == LETTER

    def test_graph(self, chosen, home):
        reply = Gama(chosen, keep=False).invoke(f"{LETTER} When is my appointment?")
        says_it(reply["anonymized"])
        assert "Left in clear because the policy shows it: 1 medical condition." in reply["warnings"]

    def test_a_thread(self, chosen, home):
        with closing(Gama(chosen, home=home)) as gama:
            config = {"configurable": {"thread_id": "letters"}}
            gama.invoke({"question": LETTER}, config)
            first = gama.box("letters").shift
        with closing(Gama(chosen, home=home)) as gama:
            gama.invoke({"question": "I was born on 3 July 1984. My next appointment is on 9 June 2025."}, config)
            box = gama.box("letters")
        assert box.shift.weeks == first.weeks
        assert "9 June 2025" in [entry.surface for entry in box.surrogates()]

    def test_gateway_moves_dates_alike_at_each_turn(self, chosen):
        masker = Masker(Pipeline(chosen), digest=lambda caller, text: f"{caller}{text}".encode()[-9:])
        turns = [{"role": "user", "content": LETTER}]
        first = masker.mask({"model": "m", "messages": [dict(turn) for turn in turns]}, "me")
        says_it(first.body["messages"][0]["content"])
        turns += [
            {"role": "assistant", "content": "On 12 May 2025."},
            {"role": "user", "content": "Is 9 June 2025 free?"},
        ]
        second = masker.mask({"model": "m", "messages": [dict(turn) for turn in turns]}, "me")
        assert second.body["messages"][0] == first.body["messages"][0]
        assert second.box.shift.weeks == first.box.shift.weeks
        assert "12 May" not in second.body["messages"][1]["content"]

    def test_documents(self, chosen):
        anonymizer = Anonymizer(chosen)
        view = anonymizer.anonymize_document(f"# Letter\n\n{LETTER}\n".encode(), "md")
        says_it(view.data.decode())
        assert anonymizer.restore_document(view.data, "md", view.box).data.decode() == f"# Letter\n\n{LETTER}\n"

    def test_command_line(self, file, tmp_path):
        path = file("medical_condition: show\nDATETIME: shift\namount: hide\n")
        letter = tmp_path / "letter.txt"
        letter.write_text(LETTER)
        done = subprocess.run(
            [sys.executable, "-m", "gama", "anonymize", str(letter), "--policy", path],
            capture_output=True, text=True, timeout=300, check=True,
        )  # fmt: skip
        says_it(done.stdout)
        assert "the policy shows it" in done.stderr
        wrong = file("date: shfit\n")
        done = subprocess.run(
            [sys.executable, "-m", "gama", "anonymize", str(letter), "--policy", wrong],
            capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        assert done.returncode
        assert "line 1" in done.stderr
        assert "Emma" not in done.stdout

    def test_no_request_over_http_sets_it(self):
        from gama.state.option_table import rows

        assert rows(Options)["policy"].entry.faces == {"ask", "anonymize", "serve", "mcp"}
        assert rows(Options)["policy"].entry.built
