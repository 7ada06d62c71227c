"""What a query needs: gold, tasks, methods side by side, break-downs, and the command `gama eval query`."""

import json
import sys
from pathlib import Path

import pytest
from hypothesis import given as for_any
from hypothesis import strategies as st
from typer.testing import CliRunner

from gama.evals.datasets.corpus import Dataset
from gama.evals.methods.selectors import FIXED, STRATEGIES, Fixed, choose
from gama.evals.query import evaluate, found, given, load_queries, outcome_json, reference, run, wanted
from gama.serve.commands.eval import evaluations
from gama.state.entities import Entity
from gama.state.errors import InputError
from gama.state.options import Options
from tests.support.commands import runner

SECRET = "Quorlin Vasterby"
RECORDS = [
    {
        "id": "a-1",
        "text": f"⟦{SECRET}|PER.full_name|A⟧, ⟦34|DEM.age|A⟧, lives in ⟦Teterow|LOC.city|A⟧ near "
        "⟦Rostock|LOC.city|-|public⟧ and earns ⟦2,100 EUR|QUANTITY.income|A⟧.",
        "query": "What can she afford there?",
        "relevant": ["2,100 EUR", "Teterow", "Rostock", SECRET],
    },
    {
        "id": "a-2",
        "text": "⟦Bo|PER.first_name|A⟧ fell on ⟦3 May|DATETIME.date|A⟧; ⟦Bo|PER.first_name|A⟧ is better.",
        "query": "Who fell?",
        "relevant": ["Bo"],
    },
    {"id": "b-1", "text": "Call ⟦Cy|PER.first_name|A⟧ at ⟦555 0199|CODE.phone|A⟧.", "query": "Make it polite."},
]


def write(folder: Path, records) -> Path:
    file = folder / "mine.jsonl"
    file.write_text("\n".join(json.dumps(record) for record in records), encoding="utf-8")
    return file


@pytest.fixture
def data(tmp_path) -> Path:
    return write(tmp_path, RECORDS)


@pytest.fixture
def dataset(data) -> Dataset:
    return load_queries(data)[0]


class Named:
    """Keeps the mentions of some surfaces."""

    about = "keeps what it was told"

    def __init__(self, name: str, *surfaces: str) -> None:
        self.name, self.surfaces = name, surfaces

    def needed(self, text, query, entities):
        return [one.model_copy(update={"needed": one.text in self.surfaces}) for one in entities]


def quiet(name: str) -> None:
    pass


def measured(dataset, *methods, cases=None, **settings):
    runs = [run(method, given(dataset) if cases is None else cases, quiet) for method in methods]
    return evaluate(dataset, runs, resamples=settings.pop("resamples", 0), **settings)


def values(outcome, at=0):
    return {name: one.value for name, one in outcome.rows[at].values.items()}


def test_needed_is_what_is_relevant_and_private_without_names(dataset):
    first, second, third = (wanted(record) for record in dataset.records)
    assert first.private == {SECRET, "34", "Teterow", "2,100 EUR"} and first.needed == {"2,100 EUR", "Teterow"}
    assert second.needed == third.needed == set()
    with_names = [wanted(record, names=True).needed for record in dataset.records]
    assert with_names == [{"2,100 EUR", "Teterow", SECRET}, {"Bo"}, set()]


def test_the_annotated_spans_are_given_as_mentions(dataset):
    case = given(dataset)[1]
    assert (case.id, case.query) == ("a-2", "Who fell?")
    assert [(one.text, one.start, one.subtype, one.subject) for one in case.entities] == [
        ("Bo", 0, "first_name", "A"), ("3 May", 11, "date", "A"), ("Bo", 18, "first_name", "A"),
    ]  # fmt: skip
    assert all(one.private and not one.needed for one in case.entities)


def test_the_annotation_scores_one_against_itself(dataset):
    for names in (False, True):
        now = values(measured(dataset, reference(dataset, names=names), names=names))
        for figure in ("f1", "precision", "recall", "rouge_l_f1", "micro_f1", "masked_f1", "masked_micro_f1"):
            assert now[figure] == 1.0


def test_figures_of_a_worked_example(dataset):
    now = values(measured(dataset, Named("m", "Teterow", "34", "555 0199")))
    # The three texts: {Teterow, 34} for {Teterow, 2,100 EUR}, nothing for nothing, one for nothing.
    assert now["f1"] == pytest.approx((1 / 2 + 1 + 0) / 3) and now["precision"] == pytest.approx((1 / 2 + 1 + 0) / 3)
    assert now["recall"] == pytest.approx((1 / 2 + 1 + 0) / 3)
    assert now["micro_f1"] == pytest.approx(2 * 1 / (3 + 2))
    # Masked: {Quorlin…, 2,100 EUR} for {Quorlin…, 34}; both of both; {Cy} for {Cy, 555 0199}.
    assert now["masked_f1"] == pytest.approx((1 / 2 + 1 + 2 / 3) / 3)
    assert now["masked_micro_f1"] == pytest.approx(2 * 4 / (5 + 6))
    # Mentions left: 2 of 4, 0 of 3, 1 of 2.
    assert now["privacy"] == pytest.approx((1 / 2 + 1 + 1 / 2) / 3) and now["micro_privacy"] == pytest.approx(6 / 9)
    assert now["ms_per_text"] >= 0


def test_nothing_kept_and_everything_kept(dataset):
    nothing, everything = choose(Options(), list(FIXED))
    outcome = measured(dataset, nothing, everything, resamples=40)
    none, all_ = values(outcome), values(outcome, 1)
    assert none["privacy"] == none["micro_privacy"] == 1.0 and all_["privacy"] == all_["micro_privacy"] == 0.0
    assert none["f1"] == pytest.approx(2 / 3) and all_["recall"] == pytest.approx(1 / 3)  # with nothing needed
    assert all_["masked_f1"] == 0.0 and outcome.rows[1].differences["privacy"].value == -1.0
    assert outcome.rows[1].differences["privacy"].interval is not None


def test_public_mentions_are_no_matter_of_a_choice(dataset):
    def identify(text, notes):
        notes.append("odd")
        at = text.find("Rostock")
        public = [Entity(text="Rostock", start=at, end=at + 7, type="LOC", subtype="city", private=False)]
        return [*(public if at >= 0 else []), *next(case.entities for case in given(dataset) if case.text == text)]

    steps: list[str] = []
    cases = found(dataset, identify, steps.append)
    assert len(cases[0].entities) == 5 and cases[0].notes == ["odd"] and steps == ["identification"] * 3
    everything = choose(Options(), ["none-hidden"])[0]
    assert not everything.needed(*cases[0][1:4])[0].needed
    for method in (Named("m", "Rostock"), everything, reference(dataset)):
        one, other = (values(measured(dataset, method, cases=these)) for these in (cases, given(dataset)))
        assert {k: v for k, v in one.items() if k != "ms_per_text"} == pytest.approx(
            {k: v for k, v in other.items() if k != "ms_per_text"}
        )


def test_what_is_not_found_cannot_be_kept_or_masked_and_stays_in_clear(dataset):
    cases = [case._replace(entities=case.entities[:1]) for case in given(dataset)]
    now = values(measured(dataset, reference(dataset), cases=cases))
    assert now["f1"] == pytest.approx(2 / 3)  # the first text's needed spans were not found
    assert now["privacy"] == pytest.approx((1 / 4 + 2 / 3 + 1 / 2) / 3)


def test_figures_by_source_and_by_number_of_needed_spans(dataset):
    outcome = measured(dataset, Fixed("n", "", keep=False), reference(dataset), per=["source", "needed"], resamples=20)
    assert {name: group.texts for name, group in outcome.groups["source"].items()} == {"a": 2, "b": 1}
    assert {name: group.texts for name, group in outcome.groups["needed"].items()} == {"0": 2, "2": 1}
    rows = outcome.groups["needed"]["2"].rows
    assert [row.method for row in rows] == ["n", "gold"] and [row.values["f1"].value for row in rows] == [0.0, 1.0]
    assert rows[1].values["f1"].interval is not None
    with_names = measured(dataset, Named("m"), per=["needed"], names=True)
    assert {name: group.texts for name, group in with_names.groups["needed"].items()} == {"0": 1, "1": 1, "3+": 1}
    told = outcome_json({"given": outcome})
    assert json.loads(json.dumps(told)) == told
    assert set(told["per"]["given"]["source"]["a"]["figures"]) == {"n", "gold"}
    assert set(told["differences_to_first"]["given"]) == {"gold"}


def test_the_same_seed_gives_the_same_report(dataset):
    runs = [run(method, given(dataset), quiet) for method in (Fixed("n", "", keep=False), reference(dataset))]
    one, again, other = (
        outcome_json({"given": evaluate(dataset, runs, resamples=60, seed=seed)}) for seed in (5, 5, 6)
    )
    assert one == again != other


@for_any(st.permutations(range(3)), st.sets(st.sampled_from([SECRET, "34", "Teterow", "2,100 EUR", "Bo", "555 0199"])))
def test_neither_the_order_of_texts_nor_of_mentions_changes_a_figure(tmp_path_factory, order, surfaces):
    dataset, _ = load_queries(write(tmp_path_factory.mktemp("data"), RECORDS))
    turned = dataset._replace(records=[dataset.records[at] for at in order])
    cases = [case._replace(entities=case.entities[::-1]) for case in given(turned)]
    one = values(measured(dataset, Named("m", *surfaces)))
    other = values(measured(turned, Named("m", *surfaces), cases=cases))
    one.pop("ms_per_text"), other.pop("ms_per_text")
    assert one == pytest.approx(other) and all(0 <= figure <= 1 for figure in one.values())


def test_texts_without_a_query_are_left_out(tmp_path):
    file = write(tmp_path, [*RECORDS, {"id": "c-1", "text": "No query.", "query": " "}])
    dataset, left_out = load_queries(file, limit=2, seed=1)
    assert len(dataset.records) == 2 and left_out == 1
    with pytest.raises(InputError, match="no record of 'mine.jsonl' has a query"):
        load_queries(write(tmp_path, [{"id": "c-1", "text": "No query."}]))


def test_the_shipped_texts_have_queries():
    dataset, left_out = load_queries()
    assert len(dataset.records) == 194 and left_out == 0
    assert values(measured(dataset, reference(dataset)))["f1"] == 1.0


def test_a_text_that_cannot_be_done_is_named_without_being_quoted(dataset):
    class Broken(Named):
        def needed(self, text, query, entities):
            if SECRET in text:
                raise InputError("no way")
            return super().needed(text, query, entities)

    def identify(text, notes):
        raise InputError("no way")

    with pytest.raises(InputError, match="^m, text 'a-1': no way$"):
        run(Broken("m"), given(dataset), quiet)
    with pytest.raises(InputError, match="^identification, text 'a-1': no way$"):
        found(dataset, identify, quiet)


def test_a_method_must_return_the_mentions_it_was_shown(dataset):
    class Forgetful(Named):
        def needed(self, text, query, entities):
            return list(entities)[1:]

    with pytest.raises(AssertionError, match="'m' did not return"):
        run(Forgetful("m"), given(dataset), quiet)


@pytest.fixture
def gama(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "presidio_analyzer", None)
    return runner(capsys)


def test_methods_are_printed_side_by_side(gama, data):
    done = gama("eval", "query", "--data", data, "--methods", "all-hidden, none-hidden", "--resamples", 30)
    assert done.code == 0, done.err
    for part in (
        "3 texts with queries (mine.jsonl)", "all hidden", "less all hidden", "gold", "PII-Bench T2", "PII-Bench T3",
        "RougeL-F1", "micro-F1", "masked F1", "privacy", "ms/text", "Names of persons are never needed", "In brackets",
    ):  # fmt: skip
        assert part in done.out
    assert SECRET not in done.out + done.err and done.err == ""


def test_everything_is_written_as_json_and_again_the_same(gama, data, tmp_path):
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    for target in (one, two):
        done = gama("eval", "query", "--data", data, "--methods", "all-hidden,none-hidden", "--per", "needed", "--per",
                    "source", "--with-names", "--resamples", 20, "--json", target)  # fmt: skip
        assert done.code == 0 and "F1 per needed" in done.out and "privacy per source" in done.out
        assert "Names of persons count as needed too" in done.out
    told, again = (json.loads(target.read_text(encoding="utf-8")) for target in (one, two))
    assert told["command"] == "query" and told["settings"]["with_names"] is True
    assert told["data"]["texts"] == 3 and len(told["data"]["sha256"]) == 64
    assert set(told["figures"]) == {"given", "found"} and "rouge_l_recall" in told["figures"]["given"]["all hidden"]
    assert told["figures"]["given"]["gold"]["f1"]["value"] == 1.0
    assert {"gold, given", "all hidden, found"} < set(told["methods"])
    assert set(told["per"]["given"]["needed"]) == {"0", "1", "3+"} and len(told["identification"]["model_sha256"]) == 64
    for report in (told, again):
        for figures in report["figures"].values():
            for row in figures.values():
                row.pop("ms_per_text")
    assert told["figures"] == again["figures"] and SECRET not in one.read_text(encoding="utf-8")


def test_texts_without_a_query_are_told(gama, tmp_path):
    file = write(tmp_path, [*RECORDS, {"id": "c-1", "text": "No query."}])
    done = gama("eval", "query", "--data", file, "--methods", "all-hidden", "--resamples", 0)
    assert done.code == 0 and "1 text(s) without a query are left out" in done.err and "In brackets" not in done.out


def test_the_runner_of_typer_runs_it_too():
    arguments = ["query", "--methods", "all hidden", "--limit", "2", "--resamples", "5"]
    result = CliRunner().invoke(evaluations, arguments)
    assert result.exit_code == 0 and "2 texts with queries (the shipped development set)" in result.output


def test_the_usual_methods_run_on_the_shipped_texts(gama):
    done = gama("eval", "query", "--limit", 3, "--resamples", 10)
    assert done.code == 0 and "embedded" in done.out


def test_a_private_llm_is_asked_by_its_strategies(gama, data, loopback, tmp_path):
    def reply(request):
        # The agent of private context lists the town; the one that chooses needs it.
        asked = request["messages"][-1]["content"]
        if "<query>" in asked:
            return '["Teterow"]' if "Teterow" in asked else "what a question"
        return '[{"surface": "Teterow", "type": "LOC.city"}]' if "Teterow" in asked else "[]"

    loopback.reply = reply
    file = tmp_path / "out.json"
    done = gama("eval", "query", "--data", data, "--methods", "all-hidden,naive,choice", "--private", "openai:local",
                "--private-base-url", loopback.url, "--resamples", 0, "--json", file)  # fmt: skip
    assert done.code == 0, done.err
    told = json.loads(file.read_text(encoding="utf-8"))
    assert told["methods"]["naive, given"]["facts"]["select"] == "naive"
    for name in ("naive", "choice"):
        assert told["figures"]["given"][name]["precision"]["value"] == 1.0  # Teterow is right, and nothing for nothing
        assert told["figures"]["given"][name]["recall"]["value"] == pytest.approx((1 / 2 + 1 + 1) / 3)
    assert "note: naive: The private model gave no readable list" in done.err
    assert SECRET not in done.out + done.err + file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "code", "part"),
    [
        (["--data", "nowhere"], 2, "the file or folder"),
        (["--data", "unasked.jsonl"], 2, "has a query"),
        (["--methods", "magic"], 2, "unknown method 'magic'; known methods: all hidden"),
        (["--methods", "naive"], 2, "name one with --private"),
        (["--methods", ","], 2, "name at least one"),
        (["--per", "colour"], 2, "'colour' is none of source, needed"),
        (["--json", "no/such/file.json"], 2, "option --json"),
        (["--limit", "0"], 2, "--limit"),
        (["--private", "openai:gpt-4o"], 2, "hosted"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(gama, tmp_path, monkeypatch, arguments, code, part):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "unasked.jsonl").write_text('{"id": "a", "text": "b"}', encoding="utf-8")
    done = gama("eval", "query", *arguments)
    assert done.code == code, done
    assert done.err.startswith("error: ") and done.err.count("\n") == 1 and part in done.err and done.out == ""


def test_the_help_names_the_methods_there_are(gama):
    shown = " ".join(gama("eval", "query", "--help").out.replace("│", " ").split())
    assert all(name.replace(" ", "-") in shown for name in (*FIXED, *STRATEGIES))
