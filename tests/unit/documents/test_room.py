"""What reading a document may take: counted before the work, told as a limit with the way out."""

import io
import json
import zipfile

import pytest

from gama import Anonymizer, Options
from gama.state.errors import LimitReached
from gama.tools.documents import package as packages
from gama.tools.documents import page, sheet
from gama.tools.documents import word as words
from gama.tools.documents.base import Room
from gama.tools.documents.kinds import open_document

HEAD = (
    '<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
)
SHEET = '<?xml version="1.0"?><worksheet><sheetData><row>{}</row></sheetData></worksheet>'
PARAGRAPH = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>"


def package(parts: dict[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("[Content_Types].xml", '<?xml version="1.0"?><Types/>')
        for name, body in parts.items():
            file.writestr(name, body)
    return out.getvalue()


def word(paragraphs: int, **more: bytes) -> bytes:
    body = PARAGRAPH.format("I am Emma Williams.") + PARAGRAPH.format("") * paragraphs
    embedded = {f"word/embeddings/{name}.docx": data for name, data in more.items()}
    return package({"word/document.xml": f"{HEAD}{body}</w:body></w:document>", **embedded})


def mail(parts: int) -> bytes:
    body = "--x\r\nContent-Type: text/plain\r\n\r\nHello\r\n" * parts
    head = "From: a@b.example\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n"
    return f"{head}{body}--x--\r\n".encode()


def nested(depth: int) -> bytes:
    data = word(1)
    for _ in range(depth):
        data = word(1, inner=data)
    return data


PIECES, UNPACKED, DEEP = "--max-pieces", "--max-unpacked-mb", "deep"
TABLE = {
    "paragraphs": ("docx", lambda: word(200_000), PIECES),
    "cells of a workbook": (
        "xlsx",
        lambda: package({"xl/worksheets/sheet1.xml": SHEET.format("<c/>" * 600_000)}),
        PIECES,
    ),
    "cells of a table": ("csv", lambda: b"," * 600_000, PIECES),
    "rows": ("csv", lambda: b"a\n" * 600_000, PIECES),
    "values": ("json", lambda: json.dumps([0] * 600_000).encode(), PIECES),
    "brackets": ("json", lambda: b"[" * 600_000, PIECES),
    "tags": ("html", lambda: b"<p>" * 600_000, PIECES),
    "parts of a package": ("docx", lambda: package({f"word/{n}.bin": "" for n in range(50_001)}), PIECES),
    "parts of a message": ("eml", lambda: mail(20_000), PIECES),
    "headers": ("eml", lambda: b"X-A: b\r\n" * 600_000 + b"\r\nHello", PIECES),
    "bytes": ("docx", lambda: package({"word/media/a.bin": b"\0" * (300 * 2**20)}), UNPACKED),
    "documents in one another": ("docx", lambda: nested(9), DEEP),
}


@pytest.mark.parametrize("name", TABLE)
def test_too_much_is_told_before_the_work(monkeypatch, name):
    def never(*given: object) -> None:
        raise AssertionError("work was done")

    kind, make, way_out = TABLE[name]
    if way_out != DEEP:
        # What works through a document must not have begun; headers are counted as they are met.
        for reader in (packages, page, sheet, words):
            monkeypatch.setattr(reader, "read_marks", never)
    data = make()
    with pytest.raises(LimitReached, match=way_out) as caught:
        open_document(data, kind)
    assert kind in str(caught.value)


def test_the_options_make_more_room_and_less():
    data = word(300)
    assert "Emma" not in Anonymizer(Options()).anonymize_document(data, "docx").data.decode("latin-1")
    small = Anonymizer(Options(max_pieces=300))
    with pytest.raises(LimitReached, match="max_pieces"):
        small.anonymize_document(data, "docx")
    made = Anonymizer(Options(max_pieces=3_000)).anonymize_document(data, "docx")
    with pytest.raises(LimitReached, match="max_pieces"):
        small.restore_document(made.data, "docx", made.box)
    assert Anonymizer().restore_document(made.data, "docx", made.box).data == data
    with pytest.raises(LimitReached, match="max_unpacked_mb"):
        Anonymizer(Options(max_unpacked_mb=0.001)).anonymize_document(data, "docx")


def test_documents_beside_each_other_share_the_room_and_are_not_deep():
    inner = {f"d{n}": word(10) for n in range(12)}
    assert len(open_document(word(1, **inner), "docx").children) == 12
    with pytest.raises(LimitReached):
        open_document(word(1, **inner), "docx", room=Room(pieces=900))
    assert len(open_document(word(1), "docx", room=Room(pieces=900)).blocks) == 1
