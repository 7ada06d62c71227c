"""Documents on the command line: formats, files, standard input, errors."""

import json

import pytest

from tests.support.papers import FLAT, hits


@pytest.mark.parametrize("kind", ["csv", "json", "html"])
def test_a_text_document_goes_to_standard_output(gama, tmp_path, kind):
    file, box, hidden = tmp_path / f"a.{kind}", tmp_path / "box", tmp_path / f"b.{kind}"
    file.write_bytes(FLAT[kind].encode())
    done = gama("anonymize", str(file), "--box", str(box), "-o", str(hidden))
    assert done.code == 0 and done.out == "" and f"written: {hidden}" in done.err
    assert hits(hidden.read_bytes()) == []
    done = gama("restore", str(hidden), "--box", str(box), "-o", str(tmp_path / "c"))
    assert done.code == 0 and (tmp_path / "c").read_bytes() == file.read_bytes()


def test_a_docx_gets_a_name_beside_its_source(gama, tmp_path):
    import docx

    made = docx.Document()
    made.add_paragraph("My name is Thessaly Quornbeck.")
    file, box = tmp_path / "letter.docx", tmp_path / "box"
    made.save(str(file))
    done = gama("anonymize", str(file), "--box", str(box))
    hidden = tmp_path / "letter.anonymized.docx"
    assert done.code == 0 and done.out == "" and hits(hidden.read_bytes()) == []
    again = gama("anonymize", str(file), "--box", str(box))
    assert again.code == 2 and "already" in again.err
    done = gama("restore", str(hidden), "--box", str(box))
    assert done.code == 0 and (tmp_path / "letter.restored.docx").read_bytes() == file.read_bytes()
    told = json.loads(gama("anonymize", str(file), "-o", str(tmp_path / "x.docx"), "--json").out)
    assert told["output"].endswith("x.docx") and "<name-1>" in {e["placeholder"] for e in told["entities"]}


def test_standard_input_with_a_format(gama):
    done = gama("anonymize", "--format", "jsonl", "--json", stdin=FLAT["jsonl"].encode())
    told = json.loads(done.out)
    assert done.code == 0 and hits(told["anonymized"].encode()) == []


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.doc", b"x", "the old Word format; save it as .docx"),
        ("a.docx", b"x", "no sound zip file"),
        ("a.json", b"{", "not valid JSON"),
    ],
)
def test_what_cannot_be_handled_is_one_line(gama, tmp_path, name, data, message):
    (tmp_path / name).write_bytes(data)
    done = gama("anonymize", str(tmp_path / name))
    assert done.code == 2 and message in done.err and done.err.count("\n") == 1
    assert gama("anonymize", "x", "--format", "odt").code == 2
    assert "option --unread" in gama("anonymize", "--format", "csv", "--unread", "maybe", stdin=b"a,b\n").err
