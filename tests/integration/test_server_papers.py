"""Documents over HTTP: real docx and xlsx files that come back as such, and the limits; the box of a review."""

import base64
import io

import httpx
import pytest

from gama.state.options import Options
from tests.support import serving

NAME = "Thessaly Quornbeck"

pytestmark = pytest.mark.usefixtures("few_names")


@pytest.fixture
def running(home):
    with serving.serving(Options(max_chars=2_000), max_body_mb=1) as server:
        with httpx.Client(base_url=server.url, timeout=100) as client:
            yield client


def encoded(data):
    return base64.b64encode(data).decode()


def word_file():
    docx = pytest.importorskip("docx")
    file = docx.Document()
    file.core_properties.author = ""
    file.add_paragraph(f"Dear {NAME},").runs[0].bold = True
    table = file.add_table(rows=1, cols=2)
    table.cell(0, 0).text, table.cell(0, 1).text = "Town", "Marrowgate"
    out = io.BytesIO()
    file.save(out)
    return out.getvalue()


def sheet_file():
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.properties.creator = ""
    book.active.append(["Name", "Town", "Sum"])
    book.active.append([NAME, "Marrowgate", 3])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def said(name, data):
    if name.endswith("docx"):
        import docx

        file = docx.Document(io.BytesIO(data))
        return " ".join(
            [p.text for p in file.paragraphs] + [c.text for t in file.tables for r in t.rows for c in r.cells]
        )
    import openpyxl

    rows = openpyxl.load_workbook(io.BytesIO(data)).active.iter_rows(values_only=True)
    return " ".join(str(cell) for row in rows for cell in row)


@pytest.mark.parametrize(("name", "make"), [("letter.docx", word_file), ("table.xlsx", sheet_file)])
def test_a_document_comes_back_as_a_document(running, name, make):
    data = make()
    made = running.post("/documents/anonymize", json={"name": name, "data": encoded(data)})
    assert made.status_code == 200, made.text
    told = made.json()
    stem, suffix = name.split(".")
    assert told["name"] == f"{stem}.anonymized.{suffix}" and told["kind"] == suffix and told["hidden"] >= 2
    anonymized = base64.b64decode(told["data"])
    text = said(name, anonymized)
    assert NAME not in text and "Marrowgate" not in text and "<name-1>" in text and "<location-1>" in text
    assert NAME.encode() not in base64.urlsafe_b64decode(told["box"])
    back = running.post(
        "/documents/restore", json={"name": told["name"], "data": told["data"], "box": told["box"]}
    ).json()
    assert back["name"] == f"{stem}.restored.{suffix}" and back["unresolved"] == []
    assert said(name, base64.b64decode(back["data"])) == said(name, data)


def test_the_name_of_a_file_tells_nobody_either(running):
    body = {"name": "Lease_of_Quornbeck.csv", "data": encoded(f"Name\n{NAME}\n".encode())}
    told = running.post("/documents/anonymize", json=body).json()
    assert told["name"] == "document.anonymized.csv"


def test_words_of_a_persons_choice_and_a_box_that_goes_on(running):
    body = {"name": "a.csv", "data": encoded(f"Name,Town\n{NAME},Marrowgate\n".encode())}
    chosen = running.post("/documents/anonymize", json=body | {"options": {"allow": ["Marrowgate"]}}).json()
    assert b"Marrowgate" in base64.b64decode(chosen["data"])
    box = running.post("/anonymize", json={"text": "Ambrose Tilling waits."}).json()["box"]
    again = running.post("/documents/anonymize", json=body | {"box": box}).json()
    assert b"<name-2>" in base64.b64decode(again["data"])


@pytest.mark.parametrize(
    ("change", "status", "told"),
    [
        ({"name": "x.exe"}, 400, "Known kinds"), ({"data": "é!"}, 400, "base64"), ({"name": "x.docx"}, 400, ""),
        ({"data": encoded(b"a " * 1_100)}, 413, "2,200"), ({"data": encoded(b"a " * 600_000)}, 413, "limit"),
        ({"box": "AAAA"}, 400, "another thread or key"), ({"options": {"public_model": "x"}}, 400, ""), ({"unread": "maybe"}, 422, ""),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_told(running, change, status, told):
    answer = running.post("/documents/anonymize", json={"name": "x.csv", "data": encoded(b"Name\n")} | change)
    assert answer.status_code == status and told in answer.json()["detail"]


def test_a_box_is_another_keys_to_read_never(tmp_path, home):
    keys = tmp_path / "keys.toml"
    keys.write_text('[keys.a]\nkey = "alice-has-a-long-key"\n[keys.b]\nkey = "bob-has-a-longer-key"\n')
    file = {"name": "a.csv", "data": encoded(f"Name\n{NAME}\n".encode())}
    with serving.serving(Options(), keys=keys) as server, httpx.Client(base_url=server.url, timeout=100) as client:
        assert client.post("/documents/anonymize", json=file).status_code == 401
        made = client.post("/documents/anonymize", json=file, headers={"x-gama-key": "alice-has-a-long-key"}).json()
        body = {"name": made["name"], "data": made["data"], "box": made["box"]}
        assert client.post("/documents/restore", json=body, headers={"x-gama-key": "bob-has-a-longer-key"}).is_error
        assert client.post("/documents/restore", json=body, headers={"x-gama-key": "alice-has-a-long-key"}).is_success


def test_the_box_of_a_review_restores_an_answer_from_elsewhere(running):
    look = running.post("/threads/t/review", json={"question": f"{NAME} meets Ambrose Tilling."}).json()
    body = {"text": "😀 <name-2> and **NAME-1**, <name-7>", "box": look["box"], "places": True}
    back = running.post("/restore", json=body).json()
    assert back["text"] == f"😀 Ambrose Tilling and **{NAME}**, <name-7>" and back["unresolved"] == ["<name-7>"]
    assert [back["text"][one["start"] : one["end"]] for one in back["restored"]] == ["Ambrose Tilling", NAME]
