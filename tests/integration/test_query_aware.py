"""Query-aware masking through every face: what a query needs leaves, nothing else does."""

import io
import json
import re

import httpx
import pytest
from langgraph.checkpoint.memory import InMemorySaver
from typer.testing import CliRunner

from gama import Anonymizer, Gama, Options, build_graph
from gama.serve.cli import app
from gama.state.errors import InputError
from tests.support import serving

NAME = serving.NAME
TEXT = f"I am {NAME}. Ambrose Tilling and I live in Marrowgate. The shop opens at nine."
QUERY = f"How far from Marrowgate is the sea, for {NAME}?"

pytestmark = pytest.mark.usefixtures("few_names", "chosen")


def clear(entities) -> list[str]:
    return [one["text"] for one in entities if one["needed"]]


def test_a_text(chosen):
    anonymizer = Anonymizer()
    view = anonymizer.anonymize(TEXT, QUERY)
    assert "Marrowgate" in view.text and "Quornbeck" not in view.text and "Tilling" not in view.text
    assert [one.text for one in view.entities if one.needed] == ["Marrowgate"]
    assert all(one.private for one in view.entities)
    assert view.warnings == ["Left in clear because the query needs it: 1 city."]
    assert view.box.placeholder("Marrowgate") is None, "what stays in clear is no value of the box"
    assert anonymizer.restore(view.text, view.box).text == TEXT
    assert chosen.asked == [(TEXT, QUERY)]
    plain = anonymizer.anonymize(TEXT)
    assert "Marrowgate" not in plain.text and not any(one.needed for one in plain.entities) and plain.warnings == []


def test_halves_of_characters_do_no_harm():
    view = Anonymizer().anonymize("\ud83d" + TEXT + "\udc00", "\ud83d" + QUERY)
    assert "Marrowgate" in view.text and "Quornbeck" not in view.text


def test_the_shipped_model_takes_halves_of_characters_too(monkeypatch):
    monkeypatch.undo()
    text = "Ana Brook earns $4,210 a month and owes $18,300. \ud83d"
    view = Anonymizer().anonymize(text, "Could the debt be paid off within a year? \udc00")
    assert "$18,300" in view.text and "Brook" not in view.text


def test_what_is_denied_is_hidden_though_the_query_needs_it():
    view = Anonymizer(Options(deny=("Marrowgate",))).anonymize(TEXT, QUERY)
    assert "Marrowgate" not in view.text


def test_a_value_of_an_earlier_text_may_stay_in_clear_later():
    anonymizer = Anonymizer()
    first = anonymizer.anonymize(TEXT)
    later = anonymizer.anonymize(TEXT, QUERY, box=first.box)
    assert "Marrowgate" in later.text and "Quornbeck" not in later.text
    again = anonymizer.anonymize(TEXT, box=later.box)
    assert again.text == first.text, "without a query it is hidden as before"


def test_a_decision_goes_before_the_selection():
    at = TEXT.index("Marrowgate")
    hide = [{"start": at, "end": at + len("Marrowgate"), "private": True}]
    assert "Marrowgate" not in Anonymizer().anonymize(TEXT, QUERY, decisions=hide).text


def test_the_whole_graph(home, loopback, chosen):
    loopback.reply = lambda request: "<name-1> has forty miles to go from Marrowgate."
    gama = Gama(Options(public_model="openai:loop", public_base_url=loopback.url, disprove="off", k=1))
    config = {"configurable": {"thread_id": "t"}}
    reply = gama.invoke({"question": TEXT, "query": QUERY}, config)
    sent = b"".join(loopback.record)
    assert b"Marrowgate" in sent and b"is the sea" in sent
    assert not re.search(rb"quornbeck|thessaly|tilling", sent, re.IGNORECASE)
    assert reply["answer"] == f"{NAME} has forty miles to go from Marrowgate."
    assert set(clear(reply["entities"])) == {"Marrowgate"}
    assert any("the query needs it: 1 city" in note for note in reply["warnings"])
    # Where the text ends and the query begins, each is asked about by itself.
    assert chosen.asked == [(TEXT + "\n\n", QUERY), (QUERY, QUERY)]
    loopback.record.clear()
    loopback.reply = lambda request: "<name-1> has forty miles to go."
    later = gama.invoke({"question": TEXT}, config)
    assert b"Marrowgate" not in b"".join(loopback.record) and clear(later["entities"]) == []
    gama.close()
    kept = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert NAME.encode() not in kept and b"is the sea" not in kept, "the query is sealed like the text"


def test_a_query_is_text_and_nothing_else_is_kept_of_it(home):
    graph = build_graph(Options(disprove="off", k=1), checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t"}}
    for wrong in (3, ["sea"], {"text": "sea"}):
        with pytest.raises(InputError, match="query must be text"):
            graph.invoke({"question": TEXT, "query": wrong}, config)
    with pytest.raises(InputError, match="question must be text"):
        graph.update_state(config, {"query": QUERY})
    assert graph.get_state(config).values == {}
    for blank in (None, "", "  "):
        reply = graph.invoke({"question": TEXT, "query": blank}, config)["reply"]
        assert clear(reply["entities"]) == [] and "Marrowgate" not in reply["anonymized"]
    graph.invoke({"question": TEXT, "query": QUERY}, config)
    history = repr(list(graph.get_state_history(config)))
    assert "is the sea, for <name-1>" in history and "Quornbeck" not in history


def test_studio_is_balanced_unless_a_run_chooses(home):
    from gama.graph.studio import gama

    graph = gama()
    task = {"question": TEXT, "query": QUERY}
    for context, there in (
        (Options(disprove="off", k=1), False),
        (Options(privacy="auto", disprove="off", k=1), False),
        (Options(privacy="strict", disprove="off", k=1), False),
        (Options(privacy="open", disprove="off", k=1), True),
    ):
        # Of a town that is in no list nothing can be told, not even roughly.
        assert ("Marrowgate" in graph.invoke(task, context=context)["reply"]["anonymized"]) is there


def test_a_review_sees_what_the_query_lets_leave():
    graph = build_graph(Options(disprove="off", k=1, review=True), checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t"}}
    asked = graph.invoke({"question": TEXT, "query": QUERY}, config)["__interrupt__"][0].value
    assert "Marrowgate" in asked["anonymized"] and "Quornbeck" not in asked["anonymized"]
    from langgraph.types import Command

    hidden = graph.invoke(Command(resume={"hide": ["Marrowgate"]}), config)["__interrupt__"][0].value
    assert "Marrowgate" not in hidden["anonymized"]


def test_the_command_line(tmp_path):
    runner = CliRunner()
    done = runner.invoke(app, ["anonymize", TEXT, "--query", QUERY, "--json"])
    assert clear(json.loads(done.stdout)["entities"]) == ["Marrowgate"]
    off = runner.invoke(app, ["anonymize", TEXT, "--query", QUERY, "--json", "--select", "off"])
    assert clear(json.loads(off.stdout)["entities"]) == []
    never = runner.invoke(app, ["anonymize", TEXT, "--query", QUERY, "--json", "--select-never", "LOC"])
    assert clear(json.loads(never.stdout)["entities"]) == []
    lines = tmp_path / "in.jsonl"
    lines.write_text(
        "\n".join(json.dumps(one) for one in ({"id": 1, "text": TEXT, "query": QUERY}, {"id": 2, "text": TEXT}))
    )
    values = ["anonymize", "--jsonl", "--with-values", str(lines)]
    out = [json.loads(line) for line in runner.invoke(app, values).stdout.splitlines()]
    assert [clear(one["entities"]) for one in out] == [["Marrowgate"], []]
    entity = next(one for one in out[0]["entities"] if one["text"] == "Marrowgate")
    assert entity["private"] and entity["needed"] and entity["placeholder"] is None
    wrong = runner.invoke(app, ["anonymize", TEXT, "--query", QUERY, "--select", "naive"])
    assert wrong.exit_code and NAME not in wrong.output
    ask = ["ask", TEXT, "--query", QUERY, "--json", "--disprove", "off", "--k", "1"]
    for level, there in ((["--privacy", "open"], True), ([], False), (["--privacy", "strict"], False)):
        reply = json.loads(runner.invoke(app, [*ask, *level]).stdout)
        assert ("Marrowgate" in reply["anonymized"]) is there and NAME not in reply["anonymized"]


def test_a_document():
    import docx

    made = docx.Document()
    for line in TEXT.split(". "):
        made.add_paragraph(line)
    data = io.BytesIO()
    made.save(data)
    anonymizer = Anonymizer()
    view = anonymizer.anonymize_document(data.getvalue(), "docx", QUERY)
    said = "\n".join(one.text for one in docx.Document(io.BytesIO(view.data)).paragraphs)
    assert "Marrowgate" in said and "Quornbeck" not in said
    assert [one.text for one in view.entities if one.needed] == ["Marrowgate"]
    assert view.warnings == ["Left in clear because the query needs it: 1 city."]
    assert anonymizer.restore_document(view.data, "docx", view.box).data == data.getvalue()


def test_the_server(home):
    with serving.serving(Options(disprove="off", k=1)) as server, httpx.Client(base_url=server.url, timeout=200) as web:
        one = web.post("/anonymize", json={"text": TEXT, "query": QUERY, "with_values": True}).json()
        assert clear(one["entities"]) == ["Marrowgate"] and "Marrowgate" in one["anonymized"]
        reply = web.post("/gama/invoke", json={"input": {"question": TEXT, "query": QUERY}}).json()["output"]
        assert "Marrowgate" in reply["anonymized"] and "Quornbeck" not in reply["anonymized"]
        thread = web.post("/threads").json()["thread"]
        task = {"question": TEXT, "query": QUERY}
        look = web.post(f"/threads/{thread}/review", json=task).json()
        assert look["anonymized"] == reply["anonymized"]
        run = web.post(f"/threads/{thread}/runs", json=task | {"reviewed": look["anonymized"]})
        assert run.status_code == 200 and run.json()["anonymized"] == look["anonymized"]


async def test_the_mcp_server(home):
    pytest.importorskip("mcp")
    from mcp import Client

    from gama.serve.mcp.server import build_server

    async with Client(build_server(Options(disprove="off", k=1), home=home)) as session:
        for tool, text, shown in (("anonymize", "text", "text"), ("ask", "question", "anonymized")):
            result = await session.call_tool(tool, {text: TEXT, "query": QUERY})
            assert not result.is_error, result.content
            said = result.structured_content[shown]
            assert "Marrowgate" in said and "Quornbeck" not in said


# The question stands in the text itself

ASKED = f"{TEXT}\n\nHow far from Marrowgate is the sea?"
AT = [[ASKED.index("How far"), len(ASKED)]]


def test_a_text_that_asks(chosen):
    view = Anonymizer(Options(privacy="open")).anonymize(ASKED)
    assert "Marrowgate" in view.text and "Quornbeck" not in view.text and "Tilling" not in view.text
    assert [list(span) for span in view.question_spans] == AT
    assert {query for _, query in chosen.asked} == {"How far from Marrowgate is the sea?"}


@pytest.mark.parametrize("privacy", ["auto", "strict"])
def test_where_all_is_hidden_a_text_may_ask_what_it_will(chosen, privacy):
    view = Anonymizer(Options(privacy=privacy)).anonymize(ASKED)
    assert "Marrowgate" not in view.text and view.question_spans == () and chosen.asked == []


def test_a_text_that_asks_in_the_whole_graph(home, loopback):
    loopback.reply = lambda request: "Forty miles from Marrowgate."
    options = Options(public_model="openai:loop", public_base_url=loopback.url, disprove="off", k=1, privacy="open")
    gama = Gama(options)
    config = {"configurable": {"thread_id": "t"}}
    reply = gama.invoke({"question": ASKED}, config)
    sent = b"".join(loopback.record)
    assert b"Marrowgate" in sent and b"Quornbeck" not in sent and reply["question_spans"] == AT
    assert reply["anonymized"] == Anonymizer(options).anonymize(ASKED).text, "each face hides alike"
    assert "Left in clear because the query needs it: 1 city." in reply["warnings"]
    later = gama.invoke({"question": ASKED, "query": QUERY}, config)
    assert later["question_spans"] == [], "a query apart goes before"
    assert gama.invoke({"question": "It is nine."}, config)["question_spans"] == []


def test_a_decision_goes_before_what_the_text_asks():
    at = ASKED.index("Marrowgate")
    hide = [{"start": at, "end": at + len("Marrowgate"), "private": True}]
    assert "Marrowgate" not in Anonymizer(Options(privacy="open")).anonymize(ASKED, decisions=hide).text


def test_a_query_that_is_anonymized_behind_its_text_asks_nothing_itself(gama_lines):
    given = {"id": 1, "text": TEXT, "query": "What of the shop?"}, {"id": 2, "text": ASKED}
    first, second = gama_lines("--privacy", "open", *map(json.dumps, given))
    assert "Marrowgate" in first["anonymized"], "the query needs it"
    assert "Marrowgate" in second["anonymized"] and "Quornbeck" not in second["anonymized"]


@pytest.fixture
def gama_lines():
    """Run `gama anonymize --jsonl` and return its records."""

    def run(*arguments):
        lines = [one for one in arguments if one.startswith("{")]
        flags = [one for one in arguments if not one.startswith("{")]
        done = CliRunner().invoke(app, ["anonymize", "--jsonl", *flags], input="\n".join(lines))
        assert done.exit_code == 0, done.output
        return [json.loads(line) for line in done.stdout.splitlines()]

    return run


def test_the_command_line_tells_where(home):
    done = CliRunner().invoke(app, ["anonymize", "--privacy", "open", "--json", ASKED])
    assert json.loads(done.stdout)["question_spans"] == AT


def test_http_and_the_review_tell_where(home):
    options = Options(disprove="off", k=1, privacy="open")
    with serving.serving(options) as server, httpx.Client(base_url=server.url, timeout=200) as web:
        told = web.post("/anonymize", json={"text": ASKED}).json()
        assert told["question_spans"] == AT and "Marrowgate" in told["anonymized"]
        thread = web.post("/threads").json()["thread"]
        look = web.post(f"/threads/{thread}/review", json={"question": ASKED}).json()
        assert look["question_spans"] == AT and look["anonymized"] == told["anonymized"]
        reply = web.post("/gama/invoke", json={"input": {"question": ASKED}}).json()["output"]
        assert reply["question_spans"] == AT and reply["anonymized"] == told["anonymized"]
