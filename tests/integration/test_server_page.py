"""The page's files and the routes that it needs, over HTTP: types, policy, stages, files, keys."""

import base64
import io
import json
import re
import zipfile
from pathlib import Path

import httpx
import pytest

from gama.nodes.steps import BAR
from gama.serve.http.site import POLICY
from gama.state.options import Options
from tests.support import serving

NAME = "Thessaly Quornbeck"
LETTER = f"My name is {NAME} 😀. Ambrose Tilling opens at nine. When does he open?"
PAGE = Path(__file__).parents[2] / "serve" / "page"

pytestmark = pytest.mark.usefixtures("few_names")


@pytest.fixture
def running(loopback, home, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    options = Options(public_model="openai:loop-1", public_base_url=loopback.url, k=2)
    with serving.serving(options) as server, httpx.Client(base_url=server.url, timeout=100) as client:
        yield client


def events(answer):
    assert answer.status_code == 200, answer.text
    blocks = [block.split("\r\n") for block in answer.text.strip().split("\r\n\r\n")]
    return [(lines[0].removeprefix("event: "), json.loads(lines[1].removeprefix("data: "))) for lines in blocks]


def test_every_file_has_its_type_a_tag_and_the_policy(running):
    kinds = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
    files = [path for path in PAGE.rglob("*") if path.is_file()]
    assert len(files) > 15
    for path in files:
        answer = running.get(f"/{path.relative_to(PAGE).as_posix()}")
        assert answer.status_code == 200 and answer.content == path.read_bytes()
        assert answer.headers["content-type"].startswith(kinds[path.suffix]), path
        assert answer.headers["content-security-policy"] == POLICY and "unsafe" not in POLICY
        again = running.get(f"/{path.relative_to(PAGE).as_posix()}", headers={"if-none-match": answer.headers["etag"]})
        assert again.status_code == 304 and again.content == b"" and again.headers["etag"] == answer.headers["etag"]
    assert running.get("/").text == (PAGE / "index.html").read_text(encoding="utf-8")
    assert running.get("/../pyproject.toml").status_code == 404 and running.get("/js/none.js").status_code == 404
    assert running.post("/", json={}).status_code == 405


def test_the_files_name_no_other_host_and_no_script_stands_in_the_page():
    for path in PAGE.rglob("*"):
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            found = set(re.findall(r"https?://[^\s\"')]+", text)) - {"http://www.w3.org/2000/svg"}
            assert not found, (path, found)
            assert not re.search(
                r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text
            ), path
            assert len(text.splitlines()) <= 400, path
    html = (PAGE / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<script(?![^>]* src=)|\son\w+=|\sstyle=", html)


def test_about_needs_no_key(tmp_path):
    keys = tmp_path / "keys.toml"
    keys.write_text('[keys.alice]\nkey = "alice-has-a-long-key"\n')
    with serving.serving(keys=keys, keep=False) as server, httpx.Client(base_url=server.url) as client:
        about = client.get("/about").json()
        assert about["key_needed"] is True and about["keeps_threads"] is False and ".docx" in about["files"]
        assert "PER" in about["types"] and about["max_bytes"] == 20 * 2**20
        assert list(about["steps"]) == list(BAR) and about["steps"]["Put back"] == ["restore"]
        assert client.get("/js/main.js").status_code == 200
        for path in ("/threads/t/stream", "/threads/t/review", "/documents/read"):
            assert client.post(path, json={}).status_code == 401, path


def test_a_run_is_told_stage_by_stage(running, loopback):
    def reply(request):
        if request.get("response_format"):
            return '{"contradiction": false, "reason": "none"}'
        return "At nine, says <name-2>."

    loopback.reply = reply
    start = LETTER.index("nine")
    decisions = [{"start": start, "end": start + 4, "private": True, "subtype": "time"}]
    look = running.post("/threads/t/review", json={"question": LETTER, "decisions": decisions}).json()
    assert look["anonymized"] == "My name is <name-1> 😀. <name-2> opens at <time-1>. When does he open?"
    assert [e["start"] for e in look["entities"]] == [LETTER.index(w) for w in (NAME, "Ambrose", "nine")]
    body = {"question": LETTER, "decisions": decisions, "reviewed": look["anonymized"]}
    told = events(running.post("/threads/t/stream", json=body))
    assert [name for name, _ in told][-2:] == ["reply", "end"]
    stages = {data["stage"]: data for name, data in told if name == "stage"}
    assert stages["anonymize"]["anonymized"] == look["anonymized"]
    domains = stages["write_prompts"]["domains"]
    assert 1 <= len(domains) <= 2 and {"term", "score"} <= set(domains[0])
    answers = [data["answers"][0] for _, data in told if data.get("answers")]
    assert len(answers) == len(domains) and answers[0]["text"] == "At nine, says <name-2>."
    assert stages["public.disprove"]["verdict"] == "converged" and stages["public.disprove"]["rounds"] == 1
    # No stage shows what is private; only the reply, which is the person's own, does.
    shown = json.dumps([data for name, data in told if name == "stage"], ensure_ascii=False)
    assert NAME not in shown and "Ambrose" not in shown
    reply_ = next(data for name, data in told if name == "reply")
    assert reply_["thread"] == "t" and reply_["answer"] == "At nine, says Ambrose Tilling."
    assert reply_["restored"] == [{"start": 14, "end": 29, "placeholder": "<name-2>"}]
    assert NAME.encode() not in loopback.received and b"Ambrose" not in loopback.received


def test_a_run_that_fails_ends_with_an_error_in_the_stream(running, loopback):
    loopback.fault = 500
    (*_, (name, data)) = events(running.post("/threads/t/stream", json={"question": LETTER, "options": {"k": 1}}))
    assert name == "error" and data["status_code"] >= 500 and NAME not in data["message"]
    (*_, (name, data)) = events(running.post("/threads/t/stream", json={"question": LETTER, "reviewed": "another"}))
    assert (name, data["status_code"], data["code"]) == ("error", 409, "review_outdated")
    wrong = {"question": LETTER, "decisions": [{"start": 0, "end": 9_999, "private": True}]}
    assert events(running.post("/threads/t/stream", json=wrong))[-1][1]["status_code"] == 400
    assert running.post("/threads/t/review", json=wrong).status_code == 400
    assert running.post("/threads/t/stream", json=wrong | {"options": {"public_model": "x"}}).status_code == 400
    assert running.post("/threads/t/runs", json={"question": LETTER, "reviewed": "another"}).status_code == 409


def test_anonymize_takes_decisions(running):
    decisions = [{"start": LETTER.index(NAME), "end": LETTER.index(NAME) + len(NAME), "private": False}]
    done = running.post("/anonymize", json={"text": LETTER, "decisions": decisions}).json()
    assert done["anonymized"].startswith(f"My name is {NAME} 😀. <name-1>") and done["warnings"]


def packed(xml):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        kinds = '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'
        file.writestr("[Content_Types].xml", kinds)
        space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
        file.writestr("word/document.xml", f'<w:document xmlns:w="{space}"><w:body>{xml}</w:body></w:document>')
    return out.getvalue()


FILES = {
    "note.txt": (LETTER.encode(), LETTER),
    "mark.MD": ("# Über uns\r\n\r\n*x*".encode("utf-8-sig"), "# Über uns\n\n*x*"),
    "table.csv": (f"Name,Town\n{NAME},Marrowgate\n".encode(), f"Name,Town\n{NAME},Marrowgate\n"),
    "data.json": (b'{"name": "Ren\\u00e9e"}', '{"name": "Ren\\u00e9e"}'),
    "letter.docx": (packed(f"<w:p><w:r><w:t>{NAME[:5]}</w:t></w:r><w:r><w:t>{NAME[5:]}</w:t></w:r></w:p><w:p><w:r><w:t>Two</w:t></w:r></w:p>"), f"{NAME}\nTwo"),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_files_are_read_to_text(running, name):
    data, text = FILES[name]
    told = running.post("/documents/read", json={"name": name, "data": base64.b64encode(data).decode()}).json()
    assert told["text"] == text and told["warnings"] == []


def test_mail_and_pdf_are_read(running):
    mail = f"From: {NAME} <q@post.example>\r\nSubject: Hours\r\n\r\nWhen do you open?\r\n".encode()
    text = running.post("/documents/read", json={"name": "m.eml", "data": base64.b64encode(mail).decode()}).json()[
        "text"
    ]
    assert NAME in text and "Hours" in text and "When do you open?" in text
    pytest.importorskip("pypdf")
    broken = running.post("/documents/read", json={"name": "x.pdf", "data": base64.b64encode(b"%PDF-1.4").decode()})
    assert broken.status_code == 400 and "PDF" in broken.json()["detail"] or "pdf" in broken.json()["detail"]


@pytest.mark.parametrize(
    ("name", "data", "status", "told"),
    [
        ("x.doc", b"x", 400, "save it as .docx"), ("x.exe", b"x", 400, "Known kinds"), ("noname", b"x", 400, "Known kinds"),
        ("x.txt", b"\xff\xfe\xfd", 400, ""), ("x.txt", b"  \n", 400, "no text"), ("x.docx", b"no zip", 400, ""),
        ("x.txt", b"a" * 200_001, 413, "200,001"),
    ],
)  # fmt: skip
def test_files_that_cannot_be_read_are_refused(running, name, data, status, told):
    answer = running.post("/documents/read", json={"name": name, "data": base64.b64encode(data).decode()})
    assert answer.status_code == status and told in answer.json()["detail"]
    bad = running.post("/documents/read", json={"name": "x.txt", "data": "é!"})
    assert bad.status_code == 400 and "base64" in bad.json()["detail"]


@pytest.mark.parametrize("path", ["/threads/t/stream", "/gama/stream"])
def test_a_client_that_goes_ends_the_call_to_the_model(running, loopback, path):
    loopback.fault = "hold"
    body = {"question": LETTER} if path.startswith("/threads") else {"input": {"question": LETTER}}
    with running.stream("POST", path, json=body) as answer:
        pieces = answer.iter_raw()
        assert next(pieces) and loopback.arrived.wait(60)
    assert loopback.gone.wait(60)


def test_a_script_that_is_read_badly_is_told(running):
    done = running.post("/anonymize", json={"text": "Ada Obi: ខ្ញុំឈ្មោះ សុខា រស់នៅភ្នំពេញ"}).json()
    (note,) = [note for note in done["warnings"] if "Khmer" in note]
    assert "សុខា" not in note
