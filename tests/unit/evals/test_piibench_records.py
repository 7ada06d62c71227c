"""PII-Bench records: invariants, broken ones, reading as a corpus, and the way there and back."""

import copy
import json

import pytest

from gama.evals.datasets.corpus import gold, load, of_bench, parse, read_corpus, read_record, to_bench
from gama.evals.datasets.piibench import BenchRecord, Fact, Mention, as_json, as_lines, check, from_json
from gama.evals.metrics.subjects import persons, score_subjects
from gama.evals.query import load_queries, wanted
from gama.state.errors import InputError

SECRET = "Quorlin Vasterby"
TEXT = f"{SECRET} is 34. {SECRET} banks with Ossem & Co, as does Ila Worth."


def mention(entity, category, subject="A", nth=0, kind=None, text=TEXT):
    from gama.evals.datasets.taxonomy import TYPE_OF_CATEGORY

    at = -1
    for _ in range(nth + 1):
        at = text.index(entity, at + 1)
    return Mention(at, at + len(entity), Fact(entity, kind or TYPE_OF_CATEGORY[category], category, subject))


PII = tuple(
    sorted(
        (
            mention(SECRET, "Full Name"), mention(SECRET, "Full Name", nth=1), mention("34", "Age"),
            mention("Ossem & Co", "Company"), mention("Ossem & Co", "Company", "B"), mention("Ila Worth", "Full Name", "B"),
        )
    )
)  # fmt: skip
RECORD = BenchRecord(
    "multi-1", "multi", TEXT, "What can one of that age do?", PII,
    (Fact("34", "DEM", "Age", "A"), Fact("Ossem & Co", "ORG", "Company", "A")), "career", scene="dialogue",
)  # fmt: skip


def test_a_record_is_written_and_read_again():
    told = as_json(RECORD)
    assert from_json(json.loads(json.dumps(told))) == RECORD
    assert list(told) == ["id", "split", "scene", "description", "query", "scenario", "pii", "query_pii"]
    assert told["pii"][0] == {
        "entity": SECRET,
        "type": "PER",
        "category": "Full Name",
        "start": 0,
        "end": 16,
        "subject": "A",
    }
    assert told["query_pii"][0] == {"entity": "34", "type": "DEM", "category": "Age", "subject": "A"}
    assert RECORD.subjects == 2 and len(RECORD.facts) == 5


def change(path, value):
    def apply(raw):
        *way, last = path
        for key in way:
            raw = raw[key]
        if value is None:
            del raw[last]
        else:
            raw[last] = value

    return apply


BROKEN = [
    (change(["id"], None), "'id' is missing or is not a text"),
    (change(["description"], 7), "'description' is missing or is not a text"),
    (change(["description"], "  "), "description is empty"),
    (change(["pii"], {}), "'pii' is missing or is not a list"),
    (change(["query_pii"], "x"), "'query_pii' is missing or is not a list"),
    (change(["pii", 1], SECRET), "mention 2: it is not an object"),
    (change(["pii", 1, "start"], True), "mention 2: its field 'start' is missing or is not a whole number"),
    (change(["pii", 0, "end"], 999), "do not lie in the description"),
    (change(["pii", 0, "start"], 16), "do not lie in the description"),
    (change(["pii", 0, "entity"], "Somebody Else"), "mention 1: its entity is not what stands at its place"),
    (change(["pii", 1, "category"], "Shoe Size"), "mention 2: its category is not one of the 55"),
    (change(["pii", 1, "type"], "CODE"), "mention 2: its type is not that of the category 'Age'"),
    (change(["pii", 1, "subject"], "D"), "not letters from A on without a gap: A, B, D"),
    (change(["pii", 4, "subject"], "A"), "two mentions of subject A overlap"),
    (change(["query_pii", 0, "entity"], "35"), "query entity 1: no mention has this entity"),
    (change(["query_pii", 0], {"entity": SECRET, "type": "PER", "category": "Full Name", "subject": "A"}), "never what a query"),
    (change(["query_pii", 1], {"entity": "34", "type": "DEM", "category": "Age", "subject": "A"}), "twice among"),
    (change(["query"], []), "'query' is missing or is not a text"),
]  # fmt: skip


@pytest.mark.parametrize(("apply", "said"), BROKEN, ids=[said[:40] for _, said in BROKEN])
def test_a_broken_record_is_refused_with_file_line_and_reason_and_no_value(tmp_path, apply, said):
    raw = copy.deepcopy(as_json(RECORD))
    apply(raw)
    file = tmp_path / "mine.jsonl"
    file.write_text(json.dumps(as_json(RECORD)) + "\n\n" + json.dumps(raw) + "\n", encoding="utf-8")
    with pytest.raises(InputError) as told:
        list(read_corpus(file))
    assert "mine.jsonl, line 3: " in str(told.value) and said in str(told.value)
    assert not any(value in str(told.value) for value in (SECRET, "Ossem", "34", "Somebody"))


def test_what_is_no_record_at_all_is_refused(tmp_path):
    file = tmp_path / "mine.jsonl"
    for line in ("[]", "no json", "[" * 100_000):
        file.write_text(line, encoding="utf-8")
        with pytest.raises(InputError, match=r"mine\.jsonl, line 1: not a corpus record"):
            list(read_corpus(file))
    with pytest.raises(InputError, match="not a PII-Bench record"):
        from_json([])
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        list(read_corpus(file))
    with pytest.raises(InputError, match=r"none\.jsonl' does not exist"):
        list(read_corpus(tmp_path / "none.jsonl"))


def test_broken_records_are_not_written_and_no_id_twice():
    with pytest.raises(InputError, match="record 'multi-1'"):
        as_json(BenchRecord("multi-1", "multi", "Else", "", PII, ()))
    with pytest.raises(InputError, match="same id"):
        as_lines([RECORD, RECORD])


def test_a_line_of_pii_bench_is_read_as_a_record_of_the_corpus(tmp_path):
    file = tmp_path / "mine.jsonl"
    file.write_text(as_lines([RECORD]), encoding="utf-8")
    (record,) = load(file).records
    assert (record.id, record.genre, record.query) == ("multi-1", "dialogue", RECORD.query)
    marks = [(TEXT[one.start : one.end], one.subtypes, one.private, one.subject) for one in record.example.marks]
    assert marks == [
        (SECRET, ("full_name",), True, "A"), ("34", ("age",), True, "A"), (SECRET, ("full_name",), True, "A"),
        ("Ossem & Co", ("company",), True, "A"), ("Ila Worth", ("full_name",), True, "B"),
    ]  # fmt: skip
    assert record.relevant == ("34", "Ossem & Co")
    assert wanted(load_queries(file)[0].records[0]).needed == {"34", "Ossem & Co"}


def test_a_record_of_ours_that_has_pii_bench_fields_too_keeps_its_own_marks():
    line = as_json(RECORD) | {"text": "⟦Ada|PER.first_name|A⟧ lives in ⟦Rome|LOC.city|-|public⟧.", "relevant": ["Rome"]}
    record = read_record(json.dumps(line))
    assert record.example.text == "Ada lives in Rome." and record.example.marks[1].private is False


def test_there_and_back():
    alone = BenchRecord(
        "single-1", "single", TEXT, RECORD.query, tuple(one for one in PII if one.fact.subject == "A"), RECORD.query_pii
    )
    assert to_bench(of_bench(alone), "single") == alone


def test_records_of_the_corpus_become_pii_bench_records():
    marked = "⟦Ada|PER.first_name|C⟧ of ⟦Rome|LOC.city|-|public⟧ has ⟦12345|LOC.postcode|-⟧ and ⟦Bo|PER.full_name|B⟧."
    record = read_record(json.dumps({"id": "a-1", "text": marked, "query": "q", "relevant": ["Ada", "12345", "Rome"]}))
    made = to_bench(record)
    assert [(one.entity, one.category, one.subject) for one in made.facts] == [
        ("Ada", "Full Name", "B"), ("12345", "Street Address", "C"), ("Bo", "Full Name", "A"),
    ]  # fmt: skip
    assert [one.entity for one in made.query_pii] == ["12345"]
    check(made)
    web = read_record(json.dumps({"id": "a-2", "text": "⟦example.org|CODE.url|A⟧"}))
    with pytest.raises(InputError, match="record 'a-2': PII-Bench has no category for url"):
        to_bench(web)


def test_the_shipped_texts_become_pii_bench_records_where_it_has_the_categories():
    done, failed = 0, []
    for record in load().records:
        try:
            check(to_bench(record))
            done += 1
        except InputError as error:
            failed.append(str(error))
    assert done > 90 and all("PII-Bench has no category for" in one for one in failed)


def test_fixture_a_of_the_spec_comes_out_of_records():
    pytest.importorskip("scipy")
    text = "Alex joined Google in 2019. Bob, 25 years, works at Apple with Carol."

    def record(*items):
        spans = tuple(sorted(mention(entity, category, letter, text=text) for letter, entity, category in items))
        return persons(text, gold(read_record(json.dumps(as_json(BenchRecord("a", "", text, "", spans, ())))).example))

    truth = record(
        ("A", "Alex", "Full Name"), ("A", "Google", "Company"), ("A", "2019", "Date"),
        ("B", "Bob", "Full Name"), ("B", "25 years", "Age"), ("B", "Apple", "Company"),
    )  # fmt: skip
    found = record(
        ("A", "Bob", "Full Name"), ("A", "25 years", "Duration"), ("A", "Apple", "Company"),
        ("B", "Alex", "Full Name"), ("B", "Google", "Company"), ("C", "Carol", "Full Name"),
    )  # fmt: skip
    scores = score_subjects(found, truth)
    assert [round(one, 4) for one in scores.strict] == [0.5556, 0.6667, 0.4889]
    assert [round(one, 4) for one in scores.ent_matched] == [0.6667, 0.8333, 0.6]
    assert [round(one, 4) for one in scores.ent_global] == [0.8333, 0.8333, 0.8333]


def test_text_with_broken_marks_is_still_refused():
    with pytest.raises(InputError):
        parse("an open ⟦ bracket")
    with pytest.raises(InputError, match="not a corpus record"):
        read_record('{"id": "a", "description": "b"}')
