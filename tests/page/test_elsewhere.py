"""What was asked elsewhere: an answer that is pasted, documents that are downloaded and come back."""

import io
import json
import struct
import zlib

import pytest

NAME = "Thessaly Quornbeck"
TEXT = f"{NAME} meets Ambrose Tilling in Marrowgate. Where do they meet?"


def back(page, answer):
    page.click("#open-elsewhere")
    page.fill("#pasted", answer)
    page.click("#restore-pasted")
    page.wait_for_selector("#restored-out .answer-text")
    told = page.inner_text("#restored-out .answer-text")
    page.keyboard.press("Escape")
    return told


def test_a_pasted_answer_is_restored(page, write, public):
    page.click("#open-elsewhere")
    assert "nothing to restore with yet" in page.inner_text("#elsewhere")
    page.keyboard.press("Escape")
    write(page, TEXT)
    page.click("#copy-leaving")
    page.click("#open-elsewhere")
    page.fill("#pasted", "😀 **name-1** waits in <location-1> for `<name-2>`, not for <name-7>.")
    page.click("#restore-pasted")
    page.wait_for_selector("#restored-out .answer-text")
    out = page.locator("#restored-out")
    assert (
        out.locator(".answer-text").inner_text()
        == f"😀 {NAME} waits in Marrowgate for Ambrose Tilling, not for <name-7>."
    )
    assert out.locator("mark.restored").count() == 3 and out.locator("strong").inner_text() == NAME
    assert "no such placeholder: <name-7>" in out.inner_text()
    page.click("#restored-out button")
    assert page.evaluate("navigator.clipboard.readText()").startswith(f"😀 **{NAME}** waits")
    assert public.received == b"", "restoring asks no model"


def test_it_is_restored_with_the_box_of_what_was_copied(page, write, until):
    write(page, TEXT)
    page.click("#copy-leaving")
    write(page, f"Ludmila Vance and {TEXT}")
    assert page.inner_text("#leaving-text").startswith("<name-1> and <name-2>")
    assert back(page, "It is <name-1>.") == f"It is {NAME}.", "not the one that is <name-1> by now"
    page.reload()
    until(page, "document.querySelector('#about').textContent")
    page.click("#new")
    assert back(page, "It is <name-2>.") == "It is Ambrose Tilling.", "the box is kept"
    kept = page.evaluate("localStorage['gama.boxes']")
    assert "<name-1>" not in kept and NAME not in json.loads(kept)[0]["box"]


def test_after_an_answer_and_from_the_history(page, write, send, until):
    write(page, TEXT)
    send(page)
    page.click("text=Ask on in this conversation")
    assert back(page, "So <name-1>!") == f"So {NAME}!"
    page.reload()
    until(page, "document.querySelector('#about').textContent")
    page.click("#open-history")
    page.click("#history .entry")
    assert back(page, "So <name-2>!") == "So Ambrose Tilling!"
    page.evaluate("localStorage.clear()")
    page.reload()
    until(page, "document.querySelector('#about').textContent")
    page.click("#open-history")
    until(page, "document.querySelectorAll('#history .entry').length === 1")
    page.click("#history .entry")
    until(page, "document.querySelector('#turns .answer-text')")
    assert back(page, "So <name-2>!") == "So Ambrose Tilling!", "the server's own box"


def test_forgetting_takes_the_boxes_along(page, write, send, until):
    write(page, TEXT)
    page.click("#copy-leaving")
    send(page)
    page.click("#forget")
    page.click("#confirm button.danger")
    until(page, "document.querySelector('#live').textContent.includes('Forgotten')")
    assert page.evaluate("localStorage['gama.boxes']") is None
    page.click("#open-elsewhere")
    assert "nothing to restore with yet" in page.inner_text("#elsewhere")


def test_without_history_no_box_is_kept_in_the_browser(page, write):
    page.click("#open-history")
    page.uncheck("#keep-history")
    page.keyboard.press("Escape")
    write(page, TEXT)
    page.click("#copy-leaving")
    assert page.evaluate("localStorage['gama.boxes']") is None
    assert back(page, "<name-1>?") == f"{NAME}?"


def word_file():
    docx = pytest.importorskip("docx")
    file = docx.Document()
    file.core_properties.author = ""
    file.add_heading("Meeting", 1)
    file.add_paragraph(f"{NAME} meets Ambrose Tilling in Marrowgate at nine.").runs[0].italic = True
    out = io.BytesIO()
    file.save(out)
    return out.getvalue()


def sheet_file():
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.properties.creator = ""
    book.active.append(["Name", "Town"])
    book.active.append([NAME, "Marrowgate"])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def dot():
    """Return a picture of one grey point."""
    parts = [
        (b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(b"\0\x80")),
        (b"IEND", b""),
    ]
    body = b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + body


def said(name, data):
    if name.endswith("docx"):
        import docx

        return " ".join(paragraph.text for paragraph in docx.Document(io.BytesIO(data)).paragraphs)
    import openpyxl

    rows = openpyxl.load_workbook(io.BytesIO(data)).active.iter_rows(values_only=True)
    return " ".join(str(cell) for row in rows for cell in row)


@pytest.mark.parametrize(("name", "make"), [("letter.docx", word_file), ("table.xlsx", sheet_file)])
def test_documents_are_downloaded_as_documents(page, until, tmp_path, public, name, make):
    data = make()
    assert page.is_hidden("#paper")
    page.set_input_files("#file", {"name": name, "mimeType": "application/octet-stream", "buffer": data})
    until(page, "document.querySelector('#leaving-text').textContent.includes('<name-1>')")
    assert name in page.inner_text("#paper")
    with page.expect_download() as got:
        page.click("#anonymize-file")
    stem, suffix = name.split(".")
    assert got.value.suggested_filename == f"{stem}.anonymized.{suffix}"
    file = tmp_path / got.value.suggested_filename
    got.value.save_as(file)
    text = said(name, file.read_bytes())
    assert NAME not in text and "Marrowgate" not in text and "<name-1>" in text
    assert "private mentions were replaced" in page.inner_text("#problem")
    page.click("#open-elsewhere")
    with page.expect_download() as got:
        page.set_input_files("#restore-file", str(file))
    assert got.value.suggested_filename == f"{stem}.restored.{suffix}"
    made = tmp_path / "restored"
    got.value.save_as(made)
    assert said(name, made.read_bytes()) == said(name, data)
    assert public.received == b""


def test_what_a_person_decided_holds_for_the_document(page, until, tmp_path):
    file = {"name": "letter.docx", "mimeType": "x/y", "buffer": word_file()}
    page.set_input_files("#file", file)
    until(page, "document.querySelector('#leaving-text').textContent.includes('<name-1>')")
    page.click("#to-check")
    page.click("#checked .span:text('Marrowgate')")
    page.keyboard.press("k")
    until(page, "document.querySelector('#leaving-text').textContent.includes('Marrowgate')")
    with page.expect_download() as got:
        page.click("#anonymize-file")
    made = tmp_path / "made.docx"
    got.value.save_as(made)
    assert "Marrowgate" in said("x.docx", made.read_bytes()) and NAME not in said("x.docx", made.read_bytes())


def test_a_document_that_cannot_be_anonymized_is_told_with_the_way_out(page, watched, until, tmp_path):
    docx = pytest.importorskip("docx")
    watched.expected = ("Failed to load resource: the server responded with a status of 400",)
    picture = tmp_path / "dot.png"
    picture.write_bytes(dot())
    file = docx.Document()
    file.core_properties.author = ""
    file.add_paragraph(f"{NAME} waits.")
    file.add_picture(str(picture))
    out = io.BytesIO()
    file.save(out)
    page.set_input_files("#file", {"name": "a.docx", "mimeType": "x/y", "buffer": out.getvalue()})
    until(page, "document.querySelector('#leaving-text').textContent.includes('<name-1>')")
    page.click("#anonymize-file")
    until(page, "document.querySelector('#problem p')?.textContent.includes('cannot be looked into')")
    assert "--unread" not in page.inner_text("#problem")
    with page.expect_download() as got:
        page.click("#problem >> text=Take them out")
    made = tmp_path / "made.docx"
    got.value.save_as(made)
    assert NAME not in said("x.docx", made.read_bytes())


def test_what_was_only_copied_can_be_forgotten(page, watched, write, until):
    watched.expected = ("Failed to load resource: the server responded with a status of 404",)
    write(page, TEXT)
    assert page.is_hidden("#forget")
    page.click("#copy-leaving")
    until(page, "!document.querySelector('#forget').hidden")
    page.click("#forget")
    page.click("#confirm button.danger")
    until(page, "document.querySelector('#live').textContent.includes('Forgotten')")
    assert page.evaluate("localStorage['gama.boxes']") is None and page.is_hidden("#forget")
