"""Files that are opened and dropped, and what cannot be read."""

import io
import zipfile

NAME = "Thessaly Quornbeck"


def docx():
    out = io.BytesIO()
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    body = f"<w:p><w:r><w:t>Dear {NAME[:4]}</w:t></w:r><w:r><w:t>{NAME[4:]} 😀</w:t></w:r></w:p>"
    with zipfile.ZipFile(out, "w") as file:
        file.writestr(
            "[Content_Types].xml", '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'
        )
        file.writestr("word/document.xml", f'<w:document xmlns:w="{space}"><w:body>{body}</w:body></w:document>')
    return out.getvalue()


FILES = [
    ("note.txt", f"I am {NAME}.".encode()),
    ("note.md", f"# {NAME}\r\n".encode()),
    ("table.csv", f"Name,Town\n{NAME},Marrowgate\n".encode()),
    ("data.json", f'{{"name": "{NAME}"}}'.encode()),
    ("mail.eml", f"From: {NAME} <q@post.example>\nSubject: Hi\n\nHello {NAME}".encode()),
    ("letter.docx", docx()),
]


def test_files_of_every_kind_are_opened(page, until):
    for name, data in FILES:
        page.set_input_files("#file", {"name": name, "mimeType": "application/octet-stream", "buffer": data})
        until(page, f"document.querySelector('#live').textContent.includes('{name} was read')")
        until(page, "document.querySelector('#leaving-text').textContent.includes('<name-1>')")
        assert NAME in page.input_value("#text") and NAME not in page.inner_text("#leaving-text"), name
        page.click("#new")
        until(page, "document.querySelector('#text').value === ''")


def test_a_pdf_is_opened(page, until):
    import pytest

    pytest.importorskip("pypdf")
    page.set_input_files("#file", {"name": "x.pdf", "mimeType": "application/pdf", "buffer": pdf(f"I am {NAME}.")})
    until(page, "document.querySelector('#leaving-text').textContent.includes('I am <name-1>.')")
    assert "its layout and pictures were not" in page.inner_text("#problem")


def pdf(text):
    content = f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out, places = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + b"xref\n0 6\n0000000000 65535 f \n%strailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (
        table,
        len(out),
    )


def test_a_file_is_dropped_and_added_to_what_is_there(page, write, until):
    write(page, "Ambrose Tilling sends this:")
    page.evaluate(
        """(name) => {
          const given = new DataTransfer();
          given.items.add(new File([`I am ${name} 😀.`], 'note.txt'));
          const tell = (type) => document.querySelector('#leaving').dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: given }));
          tell('dragenter');
          window.shown = !document.querySelector('#drop').hidden;
          tell('drop');
        }""",
        NAME,
    )
    assert page.evaluate("window.shown") is True
    until(page, "document.querySelector('#text').value.includes('Quornbeck')")
    assert page.input_value("#text") == f"Ambrose Tilling sends this:\n\nI am {NAME} 😀."
    until(page, "document.querySelector('#leaving-text').textContent === '<name-1> sends this:\\n\\nI am <name-2> 😀.'")
    assert page.is_hidden("#drop")


def test_what_cannot_be_read_is_told_and_nothing_is_lost(page, watched, write, until):
    watched.expected = ("Failed to load resource: the server responded with a status of 400",)
    write(page, f"{NAME} wrote this.")
    for name, data, told in (
        ("old.doc", b"x", "save it as .docx"),
        ("bad.docx", b"x", "bad.docx could not be read"),
        ("x.txt", b"\xff\x00", "could not be read"),
    ):
        page.set_input_files("#file", {"name": name, "mimeType": "x/y", "buffer": data})
        until(page, f"document.querySelector('#problem p')?.textContent.includes('{told}')")
    assert page.input_value("#text") == f"{NAME} wrote this."
