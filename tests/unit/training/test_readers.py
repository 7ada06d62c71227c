import json
from random import Random

import pytest

from gama.training.generate import form, prose, table
from gama.training.lexicon import LISTS, Lexicon
from gama.training.readers import MARKED, NAMES, chunks, join, read_gum, read_wikigold, read_wnut17
from gama.training.utterances import read_contextual, read_nlu_eval, read_polyai

LEXICON = Lexicon(
    forenames=("Anouk", "Bjorn"),
    surnames=("Falk", "Ito"),
    famous=("Isaac Newton", "Frida Kahlo"),
    cities=("Aarhus", "Bologna"),
    countries=("Chad", "Peru"),
    companies=LISTS["company"],
    schools=LISTS["school"],
    occupations=("baker", "pilot"),
)


def marks(example):
    return [(example.text[mark.start : mark.end], mark.subtypes, mark.private) for mark in example.marks]


def test_mentions_in_both_ways_of_tagging():
    begin = [("a", "B-PER"), ("b", "I-PER"), ("c", "B-PER"), ("d", "O"), ("e", "B-LOC")]
    inside = [("a", "I-PER"), ("b", "I-PER"), ("c", "O"), ("d", "I-LOC"), ("e", "I-ORG")]
    assert list(chunks(begin)) == [(0, 2, "PER"), (2, 3, "PER"), (4, 5, "LOC")]
    assert list(chunks(inside)) == [(0, 2, "PER"), (3, 4, "LOC"), (4, 5, "ORG")]


def test_tokens_become_running_text():
    tokens = [(token, "O") for token in ["(", "Ada", ")", "said", ":", "I", "'m", "$", "5", "off", "."]]
    text, places = join(tokens)
    assert text == "(Ada) said: I'm $5 off."
    assert [text[start:end] for start, end in places] == [token for token, _ in tokens]


def test_wikipedia_is_public_and_what_it_calls_miscellaneous_teaches_nothing(tmp_path):
    (tmp_path / "wikigold").mkdir()
    lines = "Dr. I-PER\nMarta I-PER\nVoss I-PER\nwrote O\nHymns I-MISC\nin O\nGraz I-LOC\n. O\n"
    (tmp_path / "wikigold" / "wikigold.conll.txt").write_text(lines)
    (example,) = read_wikigold(tmp_path, Random(0))
    assert example.text == "Dr. Marta Voss wrote Hymns in Graz."
    found = marks(example)
    assert found[0] == ("Marta Voss", ("full_name", "nickname"), False)
    assert found[1] == ("Hymns", (), False)
    assert found[2][0] == "Graz"
    assert "city" in found[2][1]
    assert example.annotated == MARKED


def test_products_are_ordinary_words(tmp_path):
    (tmp_path / "wnut17").mkdir()
    lines = "my\tO\nphone\tB-product\nand\tO\nZed\tB-person\n\n"
    (tmp_path / "wnut17" / "wnut17train.conll").write_text(lines)
    (example,) = read_wnut17(tmp_path, Random(0))
    assert [item[0] for item in marks(example)] == ["Zed"]


def test_only_mentions_of_proper_nouns_are_taken_from_gum(tmp_path):
    (tmp_path / "gum").mkdir()
    rows = [
        ("the", "DET", "Entity=(1-person-new-nnn"),
        ("judge", "NOUN", "Entity=1)"),
        ("met", "VERB", "_"),
        ("Ann", "PROPN", "Entity=(2-person-new-nnn"),
        ("Lee", "PROPN", "Entity=2)"),
        ("in", "ADP", "_"),
        ("Bonn", "PROPN", "Entity=(3-place-new-nnn)|SpaceAfter=No"),
        (".", "PUNCT", "_"),
    ]
    text = "".join(f"{at}\t{word}\t_\t{tag}\t_\t_\t0\t_\t_\t{misc}\n" for at, (word, tag, misc) in enumerate(rows, 1))
    (tmp_path / "gum" / "GUM_x.conllu").write_text(text + "\n")
    (example,) = read_gum(tmp_path, Random(0))
    assert example.text == "the judge met Ann Lee in Bonn."
    assert [item[0] for item in marks(example)] == ["Ann Lee", "Bonn"]


def test_the_two_versions_of_a_document_are_aligned(tmp_path):
    (tmp_path / "contextual_anonymizer").mkdir()
    rows = [
        {"context": "Dr. Uma Rao, Pune; call 555-0100.", "anonymized_context": "[DOCTOR_1], Pune; call [PHONE_1]."},
        {"context": "cannot be aligned", "anonymized_context": "[NAME_1] is elsewhere"},
    ]
    path = tmp_path / "contextual_anonymizer" / "synthetic_data.json"
    path.write_text(json.dumps({"data": rows}))
    (example,) = read_contextual(tmp_path, Random(0))
    assert [(text, subtypes[0]) for text, subtypes, _ in marks(example)] == [
        ("Uma Rao", "full_name"),
        ("555-0100", "phone"),
    ]
    assert "city" not in example.annotated


def test_requests_to_an_assistant(tmp_path):
    folder = tmp_path / "nlu_eval" / "KFold_1" / "trainset"
    folder.mkdir(parents=True)
    rows = 'answerid;answer_annotation\n1;"email [person : jo lee] about [food_type : soup]"\n'
    (folder / "email.csv").write_text(rows)
    (example,) = read_nlu_eval(tmp_path, Random(0), share=1.0)
    assert example.text == "email jo lee about soup"
    assert marks(example) == [("jo lee", ("full_name", "nickname"), True)]


def test_a_first_and_a_last_name_beside_each_other_are_one_full_name(tmp_path):
    folder = tmp_path / "polyai_span" / "restaurant8k"
    folder.mkdir(parents=True)
    text = "Jo Lee at 7pm"
    spans = [("last_name", 3, 6), ("first_name", 0, 2), ("time", 10, 13)]
    labels = [{"slot": slot, "valueSpan": {"startIndex": a, "endIndex": b}} for slot, a, b in spans]
    (folder / "train_0.json").write_text(json.dumps([{"userInput": {"text": text}, "labels": labels}]))
    (example,) = read_polyai(tmp_path, Random(0), share=1.0)
    assert marks(example) == [("Jo Lee", ("full_name",), True), ("7pm", ("time",), True)]


@pytest.mark.parametrize("maker", [prose, form, table])
def test_generated_documents_are_marked_completely(maker):
    rng = Random(5)
    seen = set()
    for _ in range(150):
        example = maker(rng, LEXICON)
        last = 0
        for mark in example.marks:
            assert last <= mark.start < mark.end <= len(example.text)
            assert example.text[mark.start : mark.end].strip() == example.text[mark.start : mark.end]
            last = mark.end
        seen |= {mark.subtypes[0] for mark in example.marks}
        assert "{" not in example.text or maker is form
    assert len(seen) > 60
    assert len(NAMES) == 5
