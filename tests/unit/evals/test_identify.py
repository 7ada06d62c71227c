"""Methods side by side on annotated texts: the data, the figures, the break-downs, and the list of errors."""

import json
import stat

import pytest

from gama.evals.datasets.corpus import SHIPPED, gold, load, parse, sample, source_of
from gama.evals.identify import evaluate, report_json
from gama.evals.methods.base import Hidden, mask
from gama.evals.metrics.spans import Stretch
from gama.evals.misses import HEAD, errors, write_misses
from gama.evals.runs import Run
from gama.state.entities import TYPE_OF
from gama.state.errors import InputError

LINES = [
    "Dear ⟦Mira Olavsson|PER.full_name|A⟧, call ⟦555 0199|CODE.phone|A⟧ about ⟦Oslo|LOC.city|-|public⟧.",
    "⟦Bo|PER.first_name|B⟧ and ⟦Cy|PER.first_name|C⟧ met in ⟦Teterow|LOC.city|B⟧ on ⟦3 May|DATETIME.date|C⟧.",
    "Nothing private is said in this one at all.",
]


@pytest.fixture
def folder(tmp_path):
    for name, lines in (("a", LINES[:1]), ("b", LINES[1:])):
        records = [json.dumps({"id": f"{name}-{at}", "text": line}) for at, line in enumerate(lines)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(records), encoding="utf-8")
    return tmp_path


def perfect(dataset, name="perfect"):
    return of(dataset, name, [gold(record.example) for record in dataset.records])


def of(dataset, name, stretches, *, subjects=True):
    texts = [record.example.text for record in dataset.records]
    hidden = [Hidden(found, mask(text, found)) for text, found in zip(texts, stretches, strict=True)]
    return Run(name, f"about {name}", subjects, {}, hidden, [0.01] * len(texts))


def nothing(dataset):
    return of(dataset, "nothing", [[] for _ in dataset.records], subjects=False)


def values(report, at=0):
    return {name: one.value for name, one in report.rows[at].values.items()}


def test_the_shipped_texts_are_sound_and_only_invented_ones():
    dataset = load()
    assert len(dataset.records) == 194 and len({record.id for record in dataset.records}) == 194
    for record in dataset.records:
        for mark in record.example.marks:
            assert TYPE_OF[mark.subtypes[0]] and mark.end > mark.start
    assert (SHIPPED / "README.md").is_file()
    assert len(dataset.sha256) == 64 and load().sha256 == dataset.sha256


def test_a_sample_is_drawn_by_the_seed_and_keeps_the_order():
    items = list(range(100))
    assert sample(items, None, 0) == sample(items, 100, 0) == items
    drawn = sample(items, 10, 3)
    assert drawn == sorted(drawn) == sample(items, 10, 3) != sample(items, 10, 4)


def test_the_hash_is_of_all_files_whatever_is_measured(folder):
    whole, part = load(folder), load(folder, limit=1)
    assert len(part.records) == 1 and part.sha256 == whole.sha256
    (folder / "b.jsonl").write_text(json.dumps({"id": "b-1", "text": "other"}), encoding="utf-8")
    assert load(folder).sha256 != whole.sha256


def test_a_text_without_text_and_a_file_without_records_are_refused(tmp_path):
    file = tmp_path / "mine.jsonl"
    file.write_text('{"id": "a-1", "text": " "}', encoding="utf-8")
    with pytest.raises(InputError, match="'a-1'.*has no text"):
        load(file)
    file.write_text("\n", encoding="utf-8")
    with pytest.raises(InputError, match="no record"):
        load(file)


def test_the_right_spans_score_perfect_and_none_nothing(folder):
    dataset = load(folder)
    report = evaluate(dataset, [perfect(dataset), nothing(dataset)], resamples=50)
    best, worst = values(report), values(report, 1)
    perfect_figures = {
        "span_f1", "span_precision", "span_recall", "typed_f1", "subtyped_f1", "strict_f1", "ent_matched_f1",
        "ent_global_f1", "rouge_l_f1", "direct_recall", "public_kept",
    }  # fmt: skip
    assert {name for name, value in best.items() if value == 1.0} >= perfect_figures
    assert best["residual_leak"] == best["words_masked"] == 0.0
    assert worst["span_recall"] == worst["direct_recall"] == 0.0 and worst["residual_leak"] == 1.0
    assert worst["ent_global_f1"] == pytest.approx(1 / 3)  # the text without anything private is right
    assert report.rows[1].differences["residual_leak"].value == 1.0
    chars = sum(len(record.example.text) for record in dataset.records)
    assert best["ms_per_1000_chars"] == pytest.approx(0.03 * 1e6 / chars)


def test_methods_that_do_not_say_whose_a_span_is_have_no_scores_per_person(folder):
    dataset = load(folder)
    row = evaluate(dataset, [perfect(dataset), nothing(dataset)], resamples=10).rows[1]
    for name in ("strict_f1", "ent_matched_f1", "rouge_l_f1"):
        assert name not in row.values and name not in row.differences


def test_figures_of_a_worked_example(folder):
    dataset = load(folder)
    texts = [record.example.text for record in dataset.records]
    at = texts[1].index("Bo and")
    found = [
        [Stretch(5, 9, "PER", "first_name", subject="A"), Stretch(texts[0].index("Oslo"), texts[0].index("Oslo") + 4,
                                                                   "LOC", "city", subject="A")],
        [Stretch(at, at + 2, "ORG", "company", subject="A")],
        [Stretch(0, 7, "ORG", "company")],
    ]  # fmt: skip
    report = evaluate(dataset, [of(dataset, "m", found)], resamples=20, per=["type", "subtype", "source"])
    now = values(report)
    assert now["span_precision"] == 1 / 4 and now["span_recall"] == 1 / 6 and now["typed_f1"] == 0.0
    assert now["direct_recall"] == 1 / 4 and now["public_kept"] == 0.0
    # Letters and digits: MiraOlavsson 12, 5550199 7; Bo, Cy, Teterow, 3May: 2 + 2 + 7 + 4. "Mira" and "Bo" are hidden.
    assert now["residual_leak"] == pytest.approx(1 - 6 / 34)
    assert now["ent_global_f1"] == pytest.approx((0 + 2 / 5 + 0) / 3)
    assert now["strict_f1"] == 0.0 and now["ent_matched_f1"] == pytest.approx((2 / 3) / 2 / 3)
    parts = report.parts["type"]["m"]
    assert (parts["PER"].gold, parts["PER"].recall, parts["PER"].leak) == (3, 0.0, pytest.approx(10 / 16))
    assert parts["ORG"].gold == 0 and parts["ORG"].f1 == 0.0
    assert set(report.parts["source"]["m"]) == {"a", "b"} and report.parts["source"]["m"]["b"].gold == 4
    assert report.parts["subtype"]["m"]["phone"].leak == 1.0


def test_the_same_seed_gives_the_same_report(folder):
    dataset = load(folder)
    runs = [perfect(dataset), nothing(dataset)]
    one = report_json(evaluate(dataset, runs, resamples=80, seed=5, per=["type"]))
    assert one == report_json(evaluate(dataset, runs, resamples=80, seed=5, per=["type"]))
    assert one != report_json(evaluate(dataset, runs, resamples=80, seed=6, per=["type"]))
    assert json.loads(json.dumps(one)) == one
    assert set(one["differences_to_first"]) == {"nothing"} and set(one["per"]["type"]) == {"perfect", "nothing"}


def test_the_order_of_texts_changes_no_value(folder):
    dataset = load(folder)
    turned = dataset._replace(records=dataset.records[::-1])
    assert values(evaluate(dataset, [perfect(dataset)], resamples=0)) == pytest.approx(
        values(evaluate(turned, [perfect(turned)], resamples=0))
    )


def test_the_source_is_the_beginning_of_the_id(folder):
    assert [source_of(record) for record in load(folder).records] == ["a", "b", "b"]


def test_errors_by_kind():
    example = parse(LINES[0])
    text, wanted = example.text, gold(example)
    name, phone, oslo = wanted
    cases = {
        "missed": [phone],
        "partly": [name._replace(end=9), phone],
        "boundaries": [name._replace(end=name.end + 1), phone],
        "public": [name, phone, oslo._replace(private=True)],
        "ordinary": [name, phone, Stretch(0, 4, "ORG", "company")],
    }
    for kind, found in cases.items():
        assert [what for what, _ in errors(text, found, wanted)] == [kind]
    assert list(errors(text, wanted, wanted)) == []
    # What a method found and held for public is left open.
    assert [what for what, _ in errors(text, [name._replace(private=False), phone], wanted)] == ["missed"]


def test_the_file_of_errors_is_the_owners_alone_and_says_so(folder, tmp_path):
    dataset = load(folder)
    file = tmp_path / "errors.txt"
    file.write_text("old")
    file.chmod(0o666)
    write_misses(file, dataset, [perfect(dataset), nothing(dataset)])
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    told = file.read_text(encoding="utf-8")
    assert told.startswith(HEAD) and "private text" in HEAD
    assert "nothing, private, no part hidden: 6" in told and " PER.first_name (2)" in told
    assert "b-0: …[[Bo]] and Cy met in Teterow" in told
    assert "perfect, " not in told
    assert not file.with_name("errors.txt.new").exists()
