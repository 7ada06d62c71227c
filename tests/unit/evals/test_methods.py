"""Methods: what the pipeline really hides, its ablations, detectors by themselves, and how methods are chosen."""

import json
import re
import sys

import pytest

from gama.evals.datasets.corpus import SHIPPED, read_corpus
from gama.evals.methods import catalog
from gama.evals.methods.base import Hidden, digest, mask
from gama.evals.methods.catalog import MAKERS, choose
from gama.evals.methods.detectors import Detector, huggingface, patterns, tagger
from gama.evals.methods.pipeline import STOPPED, Pipeline, WithoutContext
from gama.evals.metrics.spans import Stretch, of_span
from gama.evals.runs import provenance, run, run_all
from gama.models.embedded import WEIGHTS
from gama.privacy.anonymizer import Anonymizer
from gama.state.entities import Span
from gama.state.errors import InputError, LeakError, ModelUnreachable, OptionError
from gama.state.options import Options

LETTER = (
    "Dear Ms. Olavsson,\n\nmy IBAN is GB29 NWBK 6016 1331 9268 19 and I live in Teterow. Olavsson knows <name-7>.\n"
    "Albert Einstein never came to Teterow.\n\nKind regards,\nMira Brandvold\n"
)


def pipeline(**options) -> Pipeline:
    return Pipeline("pipeline", "", Options(**options))


def surfaces(text: str, hidden: Hidden, *, private: bool = True) -> list[str]:
    return [text[one.start : one.end] for one in hidden.stretches if one.private is private]


def test_the_pipeline_hides_what_the_anonymizer_replaces():
    hidden = pipeline().hide(LETTER)
    assert hidden.masked == Anonymizer().anonymize(LETTER).text
    assert {"GB29 NWBK 6016 1331 9268 19", "Mira Brandvold"} <= set(surfaces(LETTER, hidden))
    assert surfaces(LETTER, hidden).count("Olavsson") == 2
    for surface in surfaces(LETTER, hidden):
        assert surface not in hidden.masked


def test_what_looked_like_a_placeholder_is_protected_not_hidden():
    hidden = pipeline().hide(LETTER)
    assert not any("name-7" in surface for surface in surfaces(LETTER, hidden))


def test_stretches_account_for_every_change_of_the_text():
    hidden = pipeline().hide(LETTER)
    rest = LETTER
    for one in sorted(hidden.stretches, reverse=True):
        if one.private:
            rest = rest[: one.start] + "\0" + rest[one.end :]
    placeholder = re.compile(r"<[a-z_]+-\d+[a-z]*>")
    assert placeholder.sub("", hidden.masked) == placeholder.sub("", rest.replace("\0", ""))


def test_mentions_of_one_person_have_one_subject():
    hidden = pipeline().hide(LETTER)
    subjects = {one.subject for one in hidden.stretches if LETTER[one.start : one.end] == "Olavsson"}
    other = {one.subject for one in hidden.stretches if LETTER[one.start : one.end] == "Mira Brandvold"}
    assert len(subjects) == 1 and None not in subjects and not subjects & other


def test_a_further_mention_and_a_name_of_ones_own_count_as_hidden():
    text = "Zorbl is here. We met Zorbl and the Zorbls."
    hidden = pipeline(deny=("Zorbl",)).hide(text)
    assert surfaces(text, hidden).count("Zorbl") >= 2
    assert not re.search(r"Zorbl\b", hidden.masked)


def test_without_context_everything_found_is_hidden():
    whole = pipeline().hide(LETTER)
    without = Pipeline("no-pia", "", Options(), kind=WithoutContext).hide(LETTER)
    union = pipeline(fusion="union").hide(LETTER)
    assert "Albert Einstein" in surfaces(LETTER, whole, private=False)
    assert "Albert Einstein" in surfaces(LETTER, without) and "Albert Einstein" in surfaces(LETTER, union)
    assert surfaces(LETTER, without, private=False) == []


def test_a_text_that_may_not_leave_is_scored_by_its_first_look(monkeypatch):
    def stop(self, text, query=None, *, box=None):
        raise LeakError("stopped")

    monkeypatch.setattr(Anonymizer, "anonymize", stop)
    hidden = pipeline().hide(LETTER)
    assert hidden.notes == (STOPPED,) and "Mira Brandvold" in surfaces(LETTER, hidden)
    assert "Mira Brandvold" not in hidden.masked


def test_facts_tell_the_weights_and_what_was_changed():
    facts = pipeline(fusion="union").facts()
    assert facts["model_sha256"] == digest(WEIGHTS / "identify.onnx") and facts["fusion"] == "union"
    assert set(pipeline().facts()) == {"model_sha256", "accurate_sha256"}
    assert set(pipeline(detector="embedded").facts()) == {"model_sha256", "detector"}
    assert pipeline(weights=str(WEIGHTS)).facts()["model_sha256"] == facts["model_sha256"]


def test_other_weights_that_are_missing_are_refused(tmp_path):
    with pytest.raises(ModelUnreachable):
        Pipeline("mine", "", Options(weights=str(tmp_path)))


def test_detectors_by_themselves():
    found = tagger().hide(LETTER)
    assert "Mira Brandvold" in surfaces(LETTER, found) and "Mira Brandvold" not in found.masked
    codes = patterns().hide(LETTER)
    assert "GB29 NWBK 6016 1331 9268 19" in surfaces(LETTER, codes)
    assert tagger().facts()["model_sha256"] and int(patterns().facts()["recognizers"]) > 20
    assert not tagger().subjects and pipeline().subjects


def test_where_spans_overlap_the_surer_then_the_longer_is_hidden():
    def find(text):
        return [
            Span(0, 3, "PER", "full_name", 0.5, "pner"), Span(2, 9, "ORG", "company", 0.9, "pner"),
            Span(10, 12, "LOC", "city", 0.5, "pner"), Span(10, 14, "LOC", "region", 0.5, "pner"),
            Span(15, 17, "LOC", "city", 0.5, "pner", private=0.2),
        ]  # fmt: skip

    hidden = Detector("d", "", find, {}).hide("Ada Byron, 1234, of")
    assert [(one.start, one.end, one.private) for one in hidden.stretches] == [
        (2, 9, True), (10, 14, True), (15, 17, False),
    ]  # fmt: skip


def test_masks_have_one_placeholder_a_surface():
    ada, oslo = Stretch(0, 3, "PER", "first_name"), Stretch(14, 18, "LOC", "city")
    text = "Ada saw Ada in Oslo."
    stretches = [ada, ada._replace(start=8, end=11), oslo._replace(start=15, end=19)]
    assert mask(text, stretches) == "<first_name-1> saw <first_name-1> in <location-2>."
    assert mask(text, [ada._replace(private=False)]) == text
    assert mask("", []) == ""


@pytest.mark.parametrize(("private", "hidden"), [(None, True), (0.5, True), (0.49, False), (0.0, False)])
def test_a_span_is_hidden_from_its_threshold_on_or_if_nobody_judged(private, hidden):
    assert of_span(Span(0, 1, "PER", "full_name", 0.9, "pner", private), 0.5).private is hidden


def test_the_usual_methods_are_all_that_can_run(monkeypatch):
    monkeypatch.setitem(sys.modules, "presidio_analyzer", None)
    choice = choose(Options())
    assert [one.name for one in choice.methods] == [
        "pipeline",
        "tagger",
        "patterns",
        "no-pia",
        "no-fusion",
        "regex",
        "nothing",
    ]
    assert len(choice.left_out) == 1 and "pip install 'gama-privacy[presidio]'" in choice.left_out[0]
    assert all(one.about for one in choice.methods)


def test_a_private_llm_brings_the_pipeline_without_it():
    names = catalog._usual(Options(private_model="ollama:any"))
    assert names == [name for name in MAKERS if name not in catalog.NAMED]
    embedded = MAKERS["embedded"](Options(private_model="ollama:any"))
    assert embedded.facts().keys() == {"model_sha256", "accurate_sha256"}


def test_methods_are_chosen_in_order_with_weights_of_ones_own():
    choice = choose(Options(), ["patterns", "tagger"], weights=[f"mine={WEIGHTS}"])
    assert [one.name for one in choice.methods] == ["patterns", "tagger", "mine"]
    assert choice.methods[2].hide(LETTER).masked == pipeline().hide(LETTER).masked


def test_another_annotation_is_a_method(tmp_path):
    file = tmp_path / "second.jsonl"
    text = "Dear ⟦Mira Brandvold|PER.full_name|A⟧, greetings from ⟦Oslo|LOC.city|-|public⟧."
    file.write_text(json.dumps({"id": "one-1", "text": text}), encoding="utf-8")
    choice = choose(Options(), ["patterns"], marks=[f"second={file}"])
    plain = "Dear Mira Brandvold, greetings from Oslo."
    done = run(choice.methods[1], [("one-1", plain)], lambda name: None)
    assert done.name == "second" and done.subjects
    assert surfaces(plain, done.hidden[0]) == ["Mira Brandvold"]
    assert surfaces(plain, done.hidden[0], private=False) == ["Oslo"]
    assert done.hidden[0].masked == "Dear <name-1>, greetings from Oslo."
    with pytest.raises(InputError, match="second, text 'one-2': 'second' has no marks of one of the texts"):
        run(choice.methods[1], [("one-2", "Dear Mira.")], lambda name: None)
    with pytest.raises(OptionError, match="--marks: 'second' is not NAME=PATH"):
        choose(Options(), ["patterns"], marks=["second"])


def test_the_second_annotation_holds_the_texts_of_the_first():
    first, second = (
        {record.id: record.example for record in read_corpus(place)} for place in (SHIPPED, SHIPPED.parent / "second")
    )
    assert {name: one.text for name, one in first.items()} == {name: one.text for name, one in second.items()}
    assert all(first[name].marks != second[name].marks for name in ("health-0001", "work-0017"))


@pytest.mark.parametrize(
    ("names", "weights", "part"),
    [
        (["magic"], [], "unknown method 'magic'; known methods: pipeline, strict, embedded"),
        ([], [], "name at least one"),
        (["tagger", "tagger"], [], "two methods are called 'tagger'"),
        (["tagger"], ["nothing"], "not NAME=FOLDER"),
        (["tagger"], ["=x"], "not NAME=FOLDER"),
        (["tagger"], ["mine=/no/such/folder"], "the folder '/no/such/folder' does not exist"),
        (["tagger"], [f"tagger={WEIGHTS}"], "two methods are called 'tagger'"),
    ],
)
def test_a_choice_that_cannot_be_made_is_refused(names, weights, part):
    with pytest.raises(OptionError, match=part):
        choose(Options(), names, weights=weights)


def test_a_method_asked_for_by_name_must_run(monkeypatch):
    monkeypatch.setitem(sys.modules, "presidio_analyzer", None)
    with pytest.raises(OptionError, match="not installed"):
        choose(Options(), ["presidio"])


def test_a_checkpoint_and_its_revision(monkeypatch, tmp_path):
    import gama.models.huggingface_ner as module

    class Fake:
        revision, device = "r", "cpu"

        def __init__(self, name, revision=None):
            self.given = (name, revision)
            made.append(self.given)

        def spans(self, text):
            return []

    made: list = []
    monkeypatch.setattr(module, "TokenClassifier", Fake)
    folder = tmp_path / "at@home"
    folder.mkdir()
    names = [huggingface(given).name for given in ("team/model", "team/model@v2", str(folder))]
    assert made == [("team/model", None), ("team/model", "v2"), (str(folder), None)]
    assert names == ["team/model", "team/model@v2", "at@home"]


class Slow:
    name, about, subjects = "slow", "does little", False

    def facts(self):
        return {"a": "b"}

    def hide(self, text):
        if not text.strip():
            raise InputError("the task is empty")
        return Hidden([], text, ("odd", "odd"))


def test_runs_are_timed_counted_and_noted():
    steps: list[str] = []
    done = run_all([Slow()], [("x", "Ada"), ("x", "Oslo")], steps.append)
    assert steps == ["slow", "slow"]
    assert done[0].notes == ["odd (2 texts)"] and len(done[0].seconds) == 2 and min(done[0].seconds) >= 0
    told = provenance(done)
    assert told["methods"]["slow"]["facts"] == {"a": "b"} and told["versions"]["gama"] != "-"


def test_a_text_that_cannot_be_done_is_named_without_being_quoted():
    with pytest.raises(InputError, match="slow, text 'x-2': the task is empty"):
        run(Slow(), [("x-1", "Ada"), ("x-2", " ")], lambda name: None)


def test_the_common_expressions_are_a_baseline_that_knows_no_names():
    (regex, nothing) = choose(Options(), ["regex", "nothing"]).methods
    text = (
        "Mira Brandvold, mira@post.example, +47 22 55 01 44, https://post.example/mira or GB29 NWBK 6016 1331 9268 19"
    )
    found = surfaces(text, regex.hide(text))
    assert set(found) >= {"mira@post.example", "https://post.example/mira", "GB29 NWBK 6016 1331 9268 19"}
    assert "+47 22 55 01 44" in found and "Mira Brandvold" not in found
    assert nothing.hide(text).masked == text
