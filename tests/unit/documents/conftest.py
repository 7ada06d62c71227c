"""Documents with planted secrets, made by the libraries that people make them with."""

import io
from email.message import EmailMessage

import pytest

from gama import Anonymizer


@pytest.fixture(scope="session")
def anonymizer() -> Anonymizer:
    return Anonymizer()


@pytest.fixture
def letter_docx() -> bytes:
    import docx
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    made = docx.Document()
    made.core_properties.author = "Kerensa Holloway"
    made.core_properties.last_modified_by = "Kerensa Holloway"
    made.core_properties.title = "Letter of Thessaly Quornbeck"
    made.add_heading("To whom it may concern", 1)
    first = made.add_paragraph("Dear Sir, my name is ")
    first.add_run("Thessaly Quo")
    first.add_run("rnbeck").bold = True
    first.add_run(" and I live next to my friend Ambrose ")
    first.add_run("Tilling.").italic = True
    made.add_paragraph("Write to t.quornbeck@planted.example & call +44 7700 900461. The café <closes> early.")
    table = made.add_table(rows=2, cols=2)
    table.cell(0, 0).text, table.cell(0, 1).text = "Name", "IBAN"
    table.cell(1, 0).text, table.cell(1, 1).text = "Thessaly Quornbeck", "GB29 NWBK 6016 1331 9268 19"
    section = made.sections[0]
    section.header.paragraphs[0].text = "From the desk of Thessaly Quornbeck"
    section.footer.paragraphs[0].text = "Call +44 7700 900461"
    made.add_comment(first.runs, text="Is Mr Ambrose Tilling a tenant?", author="Kerensa Holloway", initials="KH")
    # A tracked deletion and a field whose code names somebody.
    deleted = OxmlElement("w:del")
    deleted.set(qn("w:author"), "Kerensa Holloway")
    deleted.set(qn("w:id"), "9")
    run, text = OxmlElement("w:r"), OxmlElement("w:delText")
    text.text = "formerly of Thessaly Quornbeck"
    run.append(text)
    deleted.append(run)
    first._p.append(deleted)
    made.part.relate_to(
        "mailto:t.quornbeck@planted.example", "http://schemas.openxmlformats.org/hyper", is_external=True
    )
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


@pytest.fixture
def book_xlsx() -> bytes:
    import datetime

    import openpyxl
    from openpyxl.comments import Comment
    from openpyxl.workbook.defined_name import DefinedName

    book = openpyxl.Workbook()
    book.properties.creator = "Kerensa Holloway"
    sheet = book.active
    sheet.title = "Thessaly Quornbeck"
    sheet.append(["Name", "Date of birth", "Phone", "IBAN", "Copies"])
    sheet.append(
        ["Thessaly Quornbeck", datetime.date(1984, 3, 12), "+44 7700 900461", "GB29 NWBK 6016 1331 9268 19", 3]
    )
    sheet.append(["Ambrose Tilling", datetime.date(1979, 7, 1), 447700900461, "", 4])
    sheet["F2"] = '="Dear "&A2&", greetings from Ambrose Tilling"'
    sheet["F3"] = "='Thessaly Quornbeck'!A2"
    sheet["A2"].comment = Comment("My friend Ambrose Tilling knows her", "Kerensa Holloway")
    sheet.oddHeader.center.text = "Thessaly Quornbeck"
    hidden = book.create_sheet("Notes")
    hidden.sheet_state = "hidden"
    hidden["A1"] = "Mail t.quornbeck@planted.example about the lease of Thessaly Quornbeck."
    book.defined_names["who"] = DefinedName("who", attr_text="'Thessaly Quornbeck'!$A$2")
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


@pytest.fixture
def mail_eml(letter_docx: bytes) -> bytes:
    made = EmailMessage()
    made["From"] = "Thessaly Quornbeck <t.quornbeck@planted.example>"
    made["To"] = "Ämbrose Tilling <a@tilling.example>, Kerensa Holloway <k@holloway.example>"
    made["Subject"] = "Lease of Thessaly Quornbeck – überfällig"
    made["Message-ID"] = "<quornbeck-1@planted.example>"
    made["Received"] = "from thessaly-laptop.planted.example ([192.0.2.7]) by mx; Mon, 1 Jan 2024 10:00:00 +0000"
    made["Date"] = "Mon, 01 Jan 2024 10:00:00 +0000"
    made.set_content("Dear Sir,\n\nmy name is Thessaly Quornbeck. Call +44 7700 900461. Das heißt: 5 = fünf.\n" * 2)
    made.add_alternative(
        "<html><body><p>My name is <b>Thessaly</b> <i>Quornbeck</i>.</p>"
        '<a href="mailto:t.quornbeck@planted.example" title="Thessaly Quornbeck">mail</a></body></html>',
        subtype="html", cte="base64",
    )  # fmt: skip
    made.add_attachment(
        letter_docx, maintype="application",
        subtype="vnd.openxmlformats-officedocument.wordprocessingml.document", filename="Thessaly Quornbeck.docx",
    )  # fmt: skip
    made.add_attachment("Name,IBAN\nThessaly Quornbeck,GB29 NWBK 6016 1331 9268 19\n", subtype="csv", filename="a.csv")
    return made.as_bytes()
