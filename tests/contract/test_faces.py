"""The same text and options through each face give the same hidden text: they are all callers of the one engine."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from gama import Anonymizer, Options, PrivacyMiddleware, build_graph
from gama.tools.documents.kinds import open_document
from tests.support import serving
from tests.support import upstream as up
from tests.support.chat import ScriptedChat

LETTER = (
    "Dear Ms. Olavsson, I am Thessaly Quornbeck and I live in Marrowgate. My IBAN is GB29 NWBK 6016 1331 9268 19, my "
    "telephone +44 7700 900461; on 12 May 2026 THESSALY QUORNBECK paid £420.50 by card 4111 1111 1111 1111 (see "
    "<name-7>). Ambrose Tilling knows thessaly; tell Thessaly and AMBROSE TILLING what is owed."
)
"""Names in several cases, what looks like a placeholder, codes, a date, an amount; one line, so that any format holds it."""

STRATEGIES: list[Any] = [
    {},
    {"all": "enriched"},
    {"all": "surrogate"},
    {"all": "irreversible"},
    {"PER": "surrogate", "iban": "irreversible", "DATETIME": "enriched"},
]
OPTIONS: list[dict[str, Any]] = [
    *({"strategies": strategies} for strategies in STRATEGIES),
    {"style": "v1"},
    {"index_order": "alphabetical"},
    {"index_order": "random", "seed": 5},
    {"ignore_case": True},
    {"ignore_case": True, "strategies": {"PER": "surrogate"}},
    {"keep": ("DATETIME", "amount")},
    {"deny": ("card",), "allow": ("Marrowgate",)},
    {"thresholds": {"amount": 1.0}},
    {"fusion": "union"},
    {"disable": ("iban",)},
    {"pner": ("patterns",)},
    {"default_region": "GB"},
    *({"privacy": level} for level in ("strict", "balanced", "open")),
]


def plainly(text: str, options: dict[str, Any]) -> str:
    return Anonymizer(Options(**options)).anonymize(text).text


def by_graph(text: str, options: dict[str, Any], request: Any) -> str:
    return str(build_graph(Options(**options)).invoke({"question": text})["reply"]["anonymized"])


def by_task(text: str, options: dict[str, Any], request: Any) -> str:
    return Anonymizer(Options(**options)).anonymize_task(text).text


def kept(got: list[str], text: str) -> str:
    got.append(text)
    return "Thank you."


def by_middleware(text: str, options: dict[str, Any], request: Any) -> str:
    got: list[str] = []
    model = ScriptedChat(steps=[lambda messages: kept(got, str(messages[-1].content))])
    agent = PrivacyMiddleware(Options(**options)).create_agent(model, [])
    agent.invoke({"messages": [("user", text)]})
    return got[0]


def by_gateway(text: str, options: dict[str, Any], request: Any) -> str:
    upstream = request.getfixturevalue("upstream")
    upstream.answer = lambda path, asked: up.chat("Thank you.")
    with serving.serving(Options(**options), upstream=f"{upstream.url}/v1", upstream_key="k") as running:
        body = {"model": "up-1", "messages": [{"role": "user", "content": text}]}
        httpx.post(f"{running.v1}/chat/completions", json=body, timeout=60).raise_for_status()
    return str(upstream.last["messages"][0]["content"])


def by_http(text: str, options: dict[str, Any], request: Any) -> str:
    with serving.serving(Options(**options)) as running:
        answer = httpx.post(f"{running.url}/anonymize", json={"text": text}, timeout=60).raise_for_status()
    return str(answer.json()["anonymized"])


def by_mcp(text: str, options: dict[str, Any], request: Any) -> str:
    from gama.serve.mcp.server import Desk

    desk = Desk(Options(**options), request.getfixturevalue("tmp_path") / "home", None)
    return str(desk.anonymize(text, "", "", "")["text"])


FACES: dict[str, Callable[[str, dict[str, Any], Any], str]] = {
    "graph": by_graph,
    "task": by_task,
    "middleware": by_middleware,
    "gateway": by_gateway,
    "http": by_http,
    "mcp": by_mcp,
}


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: json.dumps(options) if options else "defaults")
@pytest.mark.usefixtures("few_names", "home")
def test_every_face_hides_alike(face: str, options: dict[str, Any], request: Any) -> None:
    expected = plainly(LETTER, options)
    assert expected != LETTER and "GB29" not in expected or options.get("pner") or options.get("disable")
    assert FACES[face](LETTER, options, request) == expected


@pytest.mark.parametrize("face", FACES)
@pytest.mark.usefixtures("home")
def test_every_face_hides_alike_with_the_shipped_detector(face: str, request: Any) -> None:
    text = Path(__file__).parents[2].joinpath("examples/letter.txt").read_text("utf-8")
    for options in ({}, {"strategies": {"all": "surrogate"}}):
        assert FACES[face](text, options, request) == plainly(text, options)


ASKING = (
    "My mother Rosalind Thackeray, 71, of 14 Orchard Lane, Warsaw, has asthma and takes ramipril. Her neighbour gave her "
    "ibuprofen. You can ring me on 01632 960 118. She was a librarian."
)
ASKED = "Can she take the ibuprofen with her other medicine and her illness?"


def asked_by_graph(options: Options, request: Any) -> str:
    asked = {"question": ASKING, "query": ASKED}
    return str(build_graph(options).invoke(asked)["reply"]["anonymized"]).partition("\n\n")[0]


def asked_by_task(options: Options, request: Any) -> str:
    return Anonymizer(options).anonymize_task(ASKING, ASKED).text.partition("\n\n")[0]


def asked_by_document(options: Options, request: Any) -> str:
    return Anonymizer(options).anonymize_document(ASKING.encode(), "txt", ASKED).data.decode()


def asked_by_http(options: Options, request: Any) -> str:
    with serving.serving(Options()) as running:
        body = {"text": ASKING, "query": ASKED, "options": {"privacy": options.privacy}}
        answer = httpx.post(f"{running.url}/anonymize", json=body, timeout=60).raise_for_status()
    return str(answer.json()["anonymized"])


def asked_by_mcp(options: Options, request: Any) -> str:
    from gama.serve.mcp.server import Desk

    desk = Desk(options, request.getfixturevalue("tmp_path") / "home", None)
    return str(desk.anonymize(ASKING, query=ASKED)["text"])


def asked_by_command(options: Options, request: Any) -> str:
    from typer.testing import CliRunner

    from gama.serve.cli import app

    level = ["--privacy", options.privacy]
    done = CliRunner().invoke(app, ["anonymize", ASKING, "--query", ASKED, "--json", *level])
    return str(json.loads(done.stdout)["anonymized"])


def asked_by_gateway(options: Options, request: Any) -> str:
    upstream = request.getfixturevalue("upstream")
    upstream.answer = lambda path, asked: up.chat("Thank you.")
    messages = [{"role": "user", "content": text} for text in (ASKING, ASKED)]
    with serving.serving(Options(), upstream=f"{upstream.url}/v1", upstream_key="k") as running:
        answer = httpx.post(
            f"{running.v1}/chat/completions", json={"model": "up-1", "messages": messages},
            headers={"X-Gama-Privacy": options.privacy}, timeout=60,
        ).raise_for_status()  # fmt: skip
    assert ("x-gama-shown" in answer.headers) is (options.privacy != "strict")
    return str(upstream.last["messages"][0]["content"])


ASKING_FACES: dict[str, Callable[[Options, Any], str]] = {
    "graph": asked_by_graph,
    "task": asked_by_task,
    "document": asked_by_document,
    "http": asked_by_http,
    "mcp": asked_by_mcp,
    "command": asked_by_command,
    "gateway": asked_by_gateway,
}


@pytest.mark.parametrize("level", ["strict", "balanced", "open"])
@pytest.mark.parametrize("face", ASKING_FACES)
@pytest.mark.usefixtures("home")
def test_every_face_shows_a_question_alike(face: str, level: Any, request: Any) -> None:
    options = Options(privacy=level)
    expected = Anonymizer(options).anonymize(ASKING, ASKED)
    told = ASKING_FACES[face](options, request)
    assert told == expected.text
    clear = {entity.text for entity in expected.entities if entity.needed and entity.private}
    assert bool(clear) is (level != "strict") and not any(word in told for word in ("Rosalind", "Orchard", "01632"))
    assert ("<age-1 band=70-79>" in told) is (level == "balanced")


def document(kind: str, text: str) -> bytes:
    """Return a document of a kind that says one text."""
    out = io.BytesIO()
    if kind == "docx":
        import docx

        made = docx.Document()
        made.core_properties.author = ""
        made.add_paragraph(text)
        made.save(out)
        return out.getvalue()
    if kind == "xlsx":
        import openpyxl

        book = openpyxl.Workbook()
        book.properties.creator = None
        book.active["A1"] = text
        book.save(out)
        return out.getvalue()
    flat = {
        "txt": text,
        "md": text,
        "html": f"<p>{text.replace('<', '&lt;').replace('>', '&gt;')}</p>",
        "json": json.dumps(text),
        "jsonl": json.dumps(text) + "\n",
        "csv": '"' + text.replace('"', '""') + '"\n',
        "tsv": text + "\n",
        "eml": f"Subject: \nContent-Type: text/plain; charset=utf-8\n\n{text}\n",
    }
    return flat[kind].encode()


@pytest.mark.parametrize("strategies", STRATEGIES, ids=json.dumps)
@pytest.mark.parametrize("kind", ["txt", "md", "html", "json", "jsonl", "csv", "tsv", "eml", "docx", "xlsx"])
@pytest.mark.usefixtures("few_names", "home")
def test_a_document_of_any_kind_hides_what_its_text_hides(kind: str, strategies: Any) -> None:
    options = Options(strategies=strategies)
    made = Anonymizer(options).anonymize_document(document(kind, LETTER), kind)
    said = [block.text.strip() for block in open_document(made.data, made.kind).all_blocks()]
    assert plainly(LETTER, {"strategies": strategies}) in said


@pytest.mark.usefixtures("home")
def test_a_gateway_hides_each_of_many_letters_as_the_anonymizer_does() -> None:
    from gama.privacy.pipeline import Pipeline
    from gama.serve.gateway.masking import Masker
    from tests.support import letters

    pipeline = Pipeline()
    masker = Masker(pipeline)
    for letter in letters.hundred()[:40]:
        body = {"messages": [{"role": "user", "content": letter.text}]}
        hidden = masker.mask(body, "a").body["messages"][0]["content"]
        assert hidden == pipeline.anonymize(letter.text, pipeline.new_box()).text


def listed_by_command(text: str, options: dict[str, Any], flags: list[str]) -> dict[str, Any]:
    from typer.testing import CliRunner

    from gama.serve.cli import app

    given = json.dumps({"id": 1, "text": text}) if "--jsonl" in flags else text
    done = CliRunner().invoke(app, ["anonymize", *flags, *options.get("flags", [])], input=given)
    return dict(json.loads(done.stdout))


def named(options: dict[str, Any]) -> Options:
    return Options(**{name: value for name, value in options.items() if name != "flags"})


def listed_by_http(text: str, options: dict[str, Any], path: str, name: str) -> dict[str, Any]:
    with serving.serving(named(options)) as running:
        answer = httpx.post(f"{running.url}{path}", json={name: text, "with_values": True}, timeout=60)
    return dict(answer.raise_for_status().json())


LISTING: dict[str, Callable[[str, dict[str, Any]], dict[str, Any]]] = {
    "jsonl": lambda text, options: listed_by_command(text, options, ["--jsonl", "--with-values"]),
    "json": lambda text, options: listed_by_command(text, options, ["--json"]),
    "http": lambda text, options: listed_by_http(text, options, "/anonymize", "text"),
    "review": lambda text, options: listed_by_http(text, options, "/threads/t/review", "question"),
    "graph": lambda text, options: dict(build_graph(named(options)).invoke({"question": text})["reply"]),
}
"""Faces that list what they found; the page shows what the last two give."""


def by_half(options: Options) -> Any:
    """Return a tagger that finds only the first place of each of its names, so that Map finds the others."""
    find = serving.few_names(options)
    return lambda text: list({text[span.start : span.end]: span for span in reversed(find(text))}.values())


@pytest.mark.parametrize("face", LISTING)
@pytest.mark.parametrize(
    "options",
    [{}, {"keep": ("DATETIME",), "flags": ["--keep", "DATETIME"]}, {"fusion": "union", "flags": ["--fusion", "union"]}],
    ids=["defaults", "dates kept", "union"],
)  # fmt: skip
@pytest.mark.usefixtures("home")
def test_every_face_lists_all_that_it_replaced(
    face: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gama.privacy.finders.tagger", by_half)
    text = LETTER.replace(" (see <name-7>)", "") + " Thessaly Quornbeck's son and Thessaly are in Marrowgate; so is I."
    told = LISTING[face](text, options)
    assert told["anonymized"].count("<") > len({one["text"] for one in told["entities"] if one["placeholder"]}), "Map"
    made, at = "", 0
    for one in sorted(told["entities"], key=lambda one: int(one["start"])):
        if one["placeholder"]:
            assert one["private"] and text[one["start"] : one["end"]] == one["text"] and one["start"] >= at
            made, at = made + text[at : one["start"]] + one["placeholder"], one["end"]
    assert made + text[at:] == told["anonymized"]
