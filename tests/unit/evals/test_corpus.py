import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gama.evals.datasets.corpus import joined, parse, read_corpus, read_record
from gama.state.entities import TYPE_OF
from gama.state.errors import InputError


def test_marks_are_taken_out_and_offsets_point_at_the_surfaces():
    example = parse("Hi ⟦Zoë|PER.first_name|A⟧, is ⟦Rome|LOC.city|-|public⟧ far from ⟦6100|CODE.other_id|-⟧?")
    assert example.text == "Hi Zoë, is Rome far from 6100?"
    assert [example.text[mark.start : mark.end] for mark in example.marks] == ["Zoë", "Rome", "6100"]
    assert [mark.subtypes for mark in example.marks] == [("first_name",), ("city",), ("other_id",)]
    assert [mark.private for mark in example.marks] == [True, False, True]
    assert [mark.subject for mark in example.marks] == ["A", None, None]


def test_a_text_without_marks_stays_as_it_is():
    assert parse("a | b").text == "a | b"
    assert parse("").marks == ()


@pytest.mark.parametrize(
    "marked",
    [
        "⟦Ada|PER.first_name⟧",
        "⟦Ada|PER.first_name|A|secret⟧",
        "⟦Ada|LOC.first_name|A⟧",
        "⟦Ada|PER.planet|A⟧",
        "⟦|PER.first_name|A⟧",
        "an open ⟦ bracket",
        "⟦a ⟦b|PER.first_name|A⟧|PER.full_name|A⟧",
    ],
)
def test_a_broken_mark_is_refused(marked):
    with pytest.raises(InputError):
        parse(marked)


_plain = st.text(st.characters(exclude_characters="⟦⟧|", exclude_categories=["Cs"]), max_size=12)


@given(st.lists(st.tuples(_plain, _plain.filter(bool), st.sampled_from(sorted(TYPE_OF))), max_size=6), _plain)
def test_any_marked_text_comes_apart_exactly(parts, tail):
    marked = "".join(f"{before}⟦{surface}|{TYPE_OF[sub]}.{sub}|A⟧" for before, surface, sub in parts) + tail
    example = parse(marked)
    assert example.text == "".join(before + surface for before, surface, _ in parts) + tail
    assert [example.text[mark.start : mark.end] for mark in example.marks] == [surface for _, surface, _ in parts]
    assert [mark.subtypes[0] for mark in example.marks] == [sub for _, _, sub in parts]


def test_records_are_read_from_a_folder_in_the_order_of_its_files(tmp_path):
    for name in ("b", "a"):
        record = {"id": name + "-1", "genre": "note", "style": "casual", "text": "⟦Al|PER.first_name|A⟧", "query": "q?"}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(record, ensure_ascii=False) + "\n\n", encoding="utf-8")
    records = list(read_corpus(tmp_path))
    assert [record.id for record in records] == ["a-1", "b-1"]
    assert records[0].relevant == ()


def test_an_empty_folder_and_a_line_that_is_no_record_are_refused(tmp_path):
    with pytest.raises(InputError, match="no .jsonl"):
        list(read_corpus(tmp_path))
    for line in ("[]", "{}", "not json", '{"id": "x"}'):
        with pytest.raises(InputError):
            read_record(line)


def test_the_message_about_a_broken_mark_does_not_quote_the_surface():
    with pytest.raises(InputError) as caught:
        read_record(json.dumps({"id": "n-7", "text": "⟦Secretname|PER.first_name⟧"}))
    assert "Secretname" not in str(caught.value) and "n-7" in str(caught.value)


def test_one_file_is_read_as_well(tmp_path):
    file = tmp_path / "mine.jsonl"
    file.write_text('{"id": "x-1", "text": "Hello ⟦Ada|PER.first_name|A⟧"}\n', encoding="utf-8")
    assert [record.id for record in read_corpus(file)] == ["x-1"]


@pytest.mark.parametrize(
    ("line", "part"),
    [
        (b'{"id": "a", "text": "fine"}\nno json\n', "line 2"),
        (b'{"id": "a", "text": 7}\n', "line 1: not a corpus record"),
        (b"[" * 100_000, "line 1: not a corpus record"),
        (b'{"id": "a", "text": "caf\xe9"}\n', "not UTF-8"),
    ],
)
def test_a_damaged_file_is_named_with_the_line(tmp_path, line, part):
    file = tmp_path / "mine.jsonl"
    file.write_bytes(line)
    with pytest.raises(InputError, match="mine.jsonl") as caught:
        list(read_corpus(file))
    assert part in str(caught.value)


def test_nothing_at_the_path_is_said():
    with pytest.raises(InputError, match="the file or folder 'nowhere' does not exist"):
        list(read_corpus(Path("nowhere")))


def test_joined_records_keep_their_marks_and_their_persons_apart():
    marked = ["⟦Ana|PER.first_name|A⟧ met ⟦Bo|PER.first_name|B⟧.", "⟦Cy|PER.first_name|A⟧ left.", "No one."]
    records = [read_record(json.dumps({"id": f"x-{at}", "text": text})) for at, text in enumerate(marked)]
    one, two = joined(records, 2)
    assert one.example.text == "Ana met Bo.\n\nCy left." and two.example.text == "No one."
    assert [one.example.text[mark.start : mark.end] for mark in one.example.marks] == ["Ana", "Bo", "Cy"]
    assert len({mark.subject for mark in one.example.marks}) == 3
    assert [len(record.example.marks) for record in joined(records, 8)] == [3]
    assert joined(records, 1) == records
