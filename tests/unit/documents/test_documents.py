"""Documents keep their format, hide what is private wherever it stands, and come back byte for byte."""

import csv
import email
import email.policy
import io
import json
import zipfile

import pytest

from gama import Anonymizer, Options, PrivacyBox
from gama.privacy.finders import Finders
from gama.privacy.pipeline import Pipeline
from gama.state.errors import InputError, LimitReached
from tests.support.choosing import FixedSelector
from tests.support.papers import FLAT, hits


def there_and_back(anonymizer, data: bytes, kind: str, **more):
    view = anonymizer.anonymize_document(data, kind, **more)
    assert hits(view.data) == [], kind
    kept = PrivacyBox.model_validate_json(view.box.model_dump_json())
    back = anonymizer.restore_document(view.data, view.kind, kept)
    assert back.unresolved == ()
    return view, back.data


@pytest.mark.parametrize("kind", FLAT)
def test_flat_documents_come_back_to_the_byte(anonymizer, kind):
    data = FLAT[kind].encode()
    view, back = there_and_back(anonymizer, data, kind)
    assert back == data and b"-1" in view.data
    text = view.data.decode()
    if kind in ("csv", "tsv"):
        rows = [list(csv.reader(io.StringIO(t), delimiter=";" if kind == "csv" else "\t")) for t in (text, FLAT[kind])]
        assert [len(row) for row in rows[0]] == [len(row) for row in rows[1]] and rows[0][0] == rows[1][0]
    if kind == "json":
        made = json.loads(text)
        assert made["list"] == [1, 2.5, None, True] and made["name"] == "<name-1>" and made["phone"] == "<phone-1>"
        assert "caf\\u00e9" in text
    if kind == "jsonl":
        assert [json.loads(line)["id"] for line in text.splitlines() if line] == [1, 2]
    if kind == "html":
        assert 'class="name-1"' in text and "caf&eacute;" in text and "-1&gt;" in text


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "latin-1"])
def test_encodings_and_marks_stay(anonymizer, encoding):
    data = FLAT["txt"].encode(encoding)
    more = {"encoding": "latin-1"} if encoding == "latin-1" else {}
    view = anonymizer.anonymize_document(data, "txt", **more)
    assert anonymizer.restore_document(view.data, "txt", view.box, **more).data == data
    assert view.data[:2] == data[:2] and b"Quorn" not in view.data.replace(b"\0", b"")


def parts(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return {name: file.read(name) for name in file.namelist()}


def test_docx(anonymizer, letter_docx):
    import docx

    view, back = there_and_back(anonymizer, letter_docx, "docx")
    assert back == letter_docx
    made = docx.Document(io.BytesIO(view.data))
    texts = [paragraph.text for paragraph in made.paragraphs]
    assert texts[1].startswith("Dear Sir, my name is <name-1> and I live next to my friend <name-2>")
    assert "The café <closes> early." in texts[2]
    assert [run.bold for run in made.paragraphs[1].runs][:3] == [None, None, True]
    assert made.tables[0].cell(1, 0).text == "<name-1>" and made.tables[0].cell(0, 0).text == "Name"
    assert made.sections[0].header.paragraphs[0].text == "From the desk of <name-1>"
    (comment,) = made.comments
    assert comment.author == made.core_properties.author == "<name-3>" and comment.initials == "<initials-3>"
    assert "docProps/thumbnail.jpeg" in parts(view.data) and parts(view.data)["docProps/thumbnail.jpeg"] == b""


def test_an_edited_docx_is_restored_too(anonymizer, letter_docx):
    import docx

    view = anonymizer.anonymize_document(letter_docx, "docx")
    made = docx.Document(io.BytesIO(view.data))
    # An editor cuts runs as it likes, and a model writes placeholders as it likes.
    added = made.add_paragraph("Dear <na")
    added.add_run("me-1>, we know [name-2] & ")
    added.add_run("<name-77>.")
    out = io.BytesIO()
    made.save(out)
    back = anonymizer.restore_document(out.getvalue(), "docx", view.box)
    texts = [paragraph.text for paragraph in docx.Document(io.BytesIO(back.data)).paragraphs]
    assert texts[-1] == "Dear Thessaly Quornbeck, we know Ambrose Tilling & <name-77>."
    assert texts[1].startswith("Dear Sir, my name is Thessaly Quornbeck and I live") and back.unresolved == (
        "<name-77>",
    )


def test_xlsx(anonymizer, book_xlsx):
    import openpyxl

    view, back = there_and_back(anonymizer, book_xlsx, "xlsx")
    assert parts(back) == parts(book_xlsx)
    made = openpyxl.load_workbook(io.BytesIO(view.data))
    assert made.sheetnames == ["<name-1>", "Notes"] and made["Notes"].sheet_state == "hidden"
    sheet = made["<name-1>"]
    assert sheet["A2"].value == "<name-1>" and sheet["F3"].value == "='<name-1>'!A2"
    assert sheet["F2"].value == '="Dear "&A2&", greetings from <name-2>"'
    assert sheet["E2"].value == 3 and sheet["E3"].value == 4, "numbers that nobody found stay numbers"
    assert sheet["B2"].value.startswith("<date_of_birth-"), "a date is a number of days in the file"
    assert str(sheet["C3"].value).startswith("<"), "a telephone number may be a number"
    assert made.properties.creator == "<name-3>" == sheet["A2"].comment.author
    assert made.defined_names["who"].attr_text == "'<name-1>'!$A$2"


def test_eml(anonymizer, mail_eml):
    view, back = there_and_back(anonymizer, mail_eml, "eml")
    assert back == mail_eml
    assert b"planted.example" not in view.data and b"laptop" not in view.data
    made = email.message_from_bytes(view.data, policy=email.policy.default)
    assert view.data.startswith(b"From: <name-1> <<email-1>>\n") and made["Date"] == "Mon, 01 Jan 2024 10:00:00 +0000"
    assert str(made["Subject"]).endswith("– überfällig")
    plain = made.get_body(("plain",)).get_content()
    assert "my name is <name-1>" in plain and "Das heißt: 5 = fünf." in plain
    assert "&lt;" in made.get_body(("html",)).get_content()
    first, second = made.iter_attachments()
    assert hits(first.get_content()) == [] and first.get_content().startswith(b"PK")
    assert second.get_content().startswith("Name,IBAN\n<name-1>,<iban-1>")
    assert "Quornbeck" not in first.get_filename()


def test_a_forwarded_message_inside(anonymizer, mail_eml):
    outer = email.message.EmailMessage()
    outer["From"] = "me@corp.example"
    outer["Subject"] = "Fwd"
    outer.set_content("see below")
    outer.add_attachment(email.message_from_bytes(mail_eml, policy=email.policy.default))
    data = outer.as_bytes()
    _, back = there_and_back(anonymizer, data, "eml")
    assert back == data


def test_pdf_becomes_text(anonymizer):
    data = pdf("My name is Thessaly Quornbeck. The lease ends soon.")
    view = anonymizer.anonymize_document(data, "pdf")
    assert view.kind == "txt" and view.data.decode() == "My name is <name-1>. The lease ends soon.\n"
    assert anonymizer.restore_document(view.data, "txt", view.box).data.startswith(b"My name is Thessaly Quornbeck.")


def pdf(text: str) -> bytes:
    stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + b"xref\n0 6\n0000000000 65535 f \n%strailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (
        table,
        len(out),
    )


def with_picture(letter: bytes, name: str = "word/media/image1.png") -> bytes:
    out = io.BytesIO(letter)
    with zipfile.ZipFile(out, "a") as file:
        file.writestr(name, b"\x89PNG picture of Thessaly Quornbeck")
    return out.getvalue()


def test_what_cannot_be_looked_into_is_asked_about(anonymizer, letter_docx):
    data = with_picture(letter_docx)
    with pytest.raises(InputError, match="cannot be looked into: a picture.*--unread keep or --unread remove"):
        anonymizer.anonymize_document(data, "docx")
    view, back = there_and_back(anonymizer, data, "docx", unread="remove")
    assert parts(back) == parts(data)
    from gama.state.errors import LeakError

    with pytest.raises(LeakError, match="a picture"):
        anonymizer.anonymize_document(data, "docx", unread="keep")


def with_part(data: bytes, name: str, text: str) -> bytes:
    out = io.BytesIO(data)
    with zipfile.ZipFile(out, "a") as file:
        file.writestr(name, text)
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("word/header9.xml", '<a><b instr="HYPERLINK mailto:s.trevanion@planted.example"/></a>'),
        ("word/charts/chart1.xml", "<c><v>My friend Demelza Trevanion</v><v>12345</v></c>"),
        ("word/footnotes.xml", "<f><p><r><t>My friend Demelza Tre</t></r><r><t>vanion</t></r></p></f>"),
        ("word/settings.xml.rels", '<r><x Target="file:///C:\\Users\\trevanion\\a.dotm" TargetMode="External"/></r>'),
        ("word/more.xml", '<w url="C:\\Users\\trevanion\\Desktop\\"/>'),
        ("word/people.xml", '<p author="Demelza Trevanion"><i userId="S::trevanion@corp"/></p>'),
        ("customXml/item9.xml", "<d><!-- my friend Demelza Trevanion --><k>My friend Demelza Trevanion</k></d>"),
    ],
)
def test_corners_of_a_package(anonymizer, letter_docx, name, text):
    data = with_part(letter_docx, name, text)
    view = anonymizer.anonymize_document(data, "docx")
    assert b"revanion" not in b"".join(parts(view.data).values())
    assert parts(anonymizer.restore_document(view.data, "docx", view.box).data) == parts(data)


@pytest.mark.parametrize(
    ("data", "kind", "message"),
    [
        (b"PK\x03\x04 no zip", "docx", "docx document cannot be read: it is no sound zip file"),
        (b"\xd0\xcf\x11\xe0", "xlsx", "encrypted, or of the old Office format"),
        (b"{", "json", "line 1 is not valid JSON. As a plain text .* --format txt"),
        (b'{"a": 1}\n{', "jsonl", "line 2 is not valid JSON"),
        (b'a,"b\n', "csv", "quoted cell in line 1"),
        (b"no headers here", "eml", "does not begin with the headers"),
        (b"%PDF-1.4 broken", "pdf", "damaged"),
        (b"\xff\xfe\xff", "csv", "not UTF-16"),
        (b"caf\xe9", "txt", "not UTF-8.*--encoding"),
        (b"a\x00b", "txt", "NUL"),
        (b"  \n", "txt", "no text in the document"),
        (b"x", "odt", "no kind of document 'odt'"),
    ],
)
def test_what_cannot_be_handled_is_told(anonymizer, data, kind, message):
    with pytest.raises(InputError, match=message):
        anonymizer.anonymize_document(data, kind)


def test_a_document_type_in_a_part_is_refused(anonymizer, letter_docx):
    out = io.BytesIO(letter_docx)
    with zipfile.ZipFile(out, "a") as file:
        file.writestr("word/more.xml", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>')
    with pytest.raises(InputError, match="declares a document type"):
        anonymizer.anonymize_document(out.getvalue(), "docx")


def test_limits():
    with pytest.raises(LimitReached, match="has 42 characters"):
        Anonymizer(Options(max_chars=20)).anonymize_document(b"My name is Thessaly Quornbeck. I am happy!", "md")


def test_strategies_hold_in_documents(letter_docx):
    import docx

    made = Anonymizer(Options(strategies={"PER": "surrogate", "LOC": "enriched", "iban": "irreversible"}))
    view = made.anonymize_document(letter_docx, "docx")
    assert hits(view.data) == [] and "1 as <iban>" in " ".join(view.warnings)
    back = docx.Document(io.BytesIO(made.restore_document(view.data, "docx", view.box).data))
    assert back.paragraphs[1].text.startswith("Dear Sir, my name is Thessaly Quornbeck and I live")
    assert back.tables[0].cell(1, 1).text == "<iban>"


def test_one_box_over_several_documents(anonymizer):
    one = anonymizer.anonymize_document(FLAT["md"].encode(), "md")
    two = anonymizer.anonymize_document(FLAT["csv"].encode(), "csv", box=one.box)
    assert anonymizer.restore_document(one.data, "md", two.box).data == FLAT["md"].encode()
    assert anonymizer.restore_document(two.data, "csv", two.box).data == FLAT["csv"].encode()


@pytest.mark.parametrize("writer", ["openpyxl", "python-docx", "Apache POI", "XlsxWriter 3.2", "Microsoft Office User"])
def test_a_program_is_no_author(anonymizer, writer):
    import openpyxl

    book = openpyxl.Workbook()
    book.properties.creator = writer
    book.active["A1"], book.active["A2"] = "Name", "Thessaly Quornbeck"
    out = io.BytesIO()
    book.save(out)
    view = anonymizer.anonymize_document(out.getvalue(), "xlsx")
    made = openpyxl.load_workbook(io.BytesIO(view.data))
    assert made.properties.creator == writer and made.active["A2"].value == "<name-1>"


@pytest.mark.parametrize(
    ("kind", "privacy", "asked"), [("txt", "open", True), ("txt", "strict", False), ("csv", "open", False)]
)
def test_what_a_document_asks_stands_in_for_a_query(kind, privacy, asked):
    question = "Can Ann Lee live on 2,140 pounds a month?"
    said = "Ann Lee earns 2,140 pounds a month in Leeds."
    text = f"{said}\n\n{question}\n" if kind == "txt" else f"note,said\n1,{said}\n2,{question}\n".replace("2,1", "2.1")
    needs = FixedSelector("2,140 pounds", "2,140 pounds a month")
    pipeline = Pipeline(Options(privacy=privacy), Finders(selector=lambda: needs))
    view = Anonymizer(pipeline=pipeline).anonymize_document(text.encode(), kind)
    assert {query for _, query in needs.asked} == ({question} if asked else set())
    assert (b"2,140" in view.data) is asked and b"Ann Lee" not in view.data


PAGE = """<html><body><p>Dear customer</p>
<script type="application/ld+json">{"@type":"Person","name": "Emma Williams", "email": "emma@corp.example"}</script>
<script>var to = {"name": "Emma Williams", "iban":"GB29NWBK60161331926819"}; // call Peter Quorn
run(to.name, "status", 5);</script>
<style>/* by Peter Quorn, +44 7700 900812 */ p { color: red }</style></body></html>"""


def test_scripts_and_styles_of_a_page_are_read_and_come_back():
    anonymizer = Anonymizer()
    view = anonymizer.anonymize_document(PAGE.encode(), "html")
    told = view.data.decode()
    assert not any(word in told for word in ("Emma", "emma@", "GB29", "Quorn", "900812"))
    assert '"@type":"Person"' in told and 'run(to.name, "status", 5);' in told and "p { color: red }" in told
    assert anonymizer.restore_document(view.data, "html", view.box).data == PAGE.encode()


def test_names_of_fields_stay_and_names_of_people_that_are_keys_go():
    raw = '{"nhs":"943 476 5919","a":{"b":[{"first":"Emma","last":"Williams"}]},"hours":{"Emma":4,"Tariq Osei":5}}'
    told = Anonymizer().anonymize_document(raw.encode(), "json").data.decode()
    assert all(f'"{key}":' in told for key in ("nhs", "a", "b", "first", "last", "hours"))
    assert not any(word in told for word in ("Emma", "Williams", "Tariq", "943 476"))
