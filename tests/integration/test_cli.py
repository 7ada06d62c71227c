"""The command line as a user types it: input, output, bad input."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import letters

ROOT = Path(__file__).parents[2]
LETTER = ROOT / "examples" / "letter.txt"
pytestmark = pytest.mark.slow


def gama(*arguments, stdin: bytes | None = None, **environment) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "gama.serve", *map(str, arguments)],
        input=stdin if stdin is not None else b"",
        env=os.environ | environment,
        capture_output=True,
        timeout=240,
        check=False,
    )


def test_the_main_job():
    done = gama("ask", LETTER, COLUMNS="80")
    out = done.stdout.decode()
    assert done.returncode == 0, done.stderr.decode()
    for heading in (
        "Your letter",
        "What left this machine",
        "Domains and their experts",
        "Rounds of disproof",
        "restored at home",
        "seconds",
    ):
        assert heading in out
    assert "stand-in reader answered" in out and "--public openai:gpt-4o" in out
    assert max(len(line) for line in out.splitlines()) <= 80
    assert "\x1b[" not in out, "no colours on a pipe"


def test_json():
    done = gama("ask", LETTER, "--json")
    reply = json.loads(done.stdout)
    assert set(reply) >= {
        "answer", "anonymized", "entities", "domains", "experts", "rounds", "contradictions", "usage", "timings",
        "models", "warnings", "thread",
    }  # fmt: skip
    for value in (
        "wioletta.sadowska@post.example",
        "GB29 NWBK 6016 1331 9268 19",
        "+44 7700 900461",
        "Wioletta Sadowska",
    ):
        assert value not in reply["anonymized"]
    assert "£2,340" in reply["answer"]
    assert {view for e in reply["entities"] for view in e["views"]} >= {"regex", "pner", "pia"}


@pytest.mark.parametrize("show", ["private", "public"])
def test_show(show):
    out = gama("ask", LETTER, "--show", show).stdout.decode()
    assert ("Wioletta Sadowska" in out) is (show == "private")
    assert ("Domains and their experts" in out) is (show == "public")


def test_input_from_argument_and_standard_input():
    question = "The shop of Thessaly Quornbeck opens at nine. When does the shop open?"
    for done in (
        gama("ask", "-q", question),
        gama("ask", "-q", stdin=question.encode()),
        gama("ask", "-q", "-", stdin=question.encode()),
    ):
        assert "nine" in done.stdout.decode() and "Thessaly Quornbeck" in done.stdout.decode()
    assert "nine" in gama("ask", "-q", stdin=question.encode("utf-16")).stdout.decode()


def test_control_sequences_are_shown_not_obeyed():
    out = gama(
        "ask", "The code \x1b[31mred\x1b[0m [bold]is[/bold] nine. What is the code?", "--show", "public"
    ).stdout.decode()
    assert "\x1b[31m" not in out and "[bold]is[/bold]" in out


def test_anonymize_and_restore(tmp_path):
    box = tmp_path / "letter.box"
    done = gama("anonymize", LETTER, "--box", box)
    hidden = done.stdout.decode()
    assert "Wioletta" not in hidden and "<" in hidden
    assert b"Wioletta" not in box.read_bytes()
    back = gama("restore", "--box", box, stdin=done.stdout)
    assert back.stdout.decode() == LETTER.read_text("utf-8")
    unknown = gama("restore", "--box", box, "ask <name-99>")
    assert unknown.stdout.decode().strip() == "ask <name-99>" and "<name-99>" in unknown.stderr.decode()


def test_jsonl():
    lines = [
        json.dumps({"id": n, "text": f"My name is {name}.", "query": "who?"})
        for n, name in enumerate(["Ada Obi", "Thessaly Quornbeck"])
    ]
    done = gama("anonymize", "--jsonl", "--with-values", stdin="\n".join(lines).encode())
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["id"] for row in rows] == [0, 1] and set(rows[0]) == {"id", "anonymized", "query", "entities"}
    assert "Quornbeck" not in rows[1]["anonymized"]
    entity = next(e for e in rows[1]["entities"] if e["private"])
    assert set(entity) >= {"text", "start", "end", "type", "subtype", "subject", "views", "score", "private", "needed"}
    bad = gama("anonymize", "--jsonl", stdin=lines[0].encode() + b"\n{oops Quornbeck\n")
    assert bad.returncode == 2 and b"Line 2" in bad.stderr and b"Quornbeck" not in bad.stderr
    assert len(bad.stdout.splitlines()) == 1


def test_forget():
    reply = json.loads(gama("ask", LETTER, "--json").stdout)
    done = gama("forget", reply["thread"])
    assert done.returncode == 0 and reply["thread"] in done.stdout.decode()
    assert gama("forget", reply["thread"]).returncode == 2


def test_doctor(home):
    gama("ask", "-q", "The shop opens at nine. When?")
    done = gama("doctor", "--json", LANGSMITH_TRACING="true")
    found = json.loads(done.stdout)
    text = " ".join(check["text"] for check in found)
    assert done.returncode == 0, [check for check in found if check["state"] == "bad"]
    assert "stand-in reader answers" in text and str(home) in text and "LANGSMITH_TRACING is set" in text
    assert "identify.onnx" in text and "mode 600" in text
    (home / "master.key").chmod(0o644)
    assert gama("doctor").returncode == 1


def test_graph_and_version():
    assert "PublicTask" in gama("graph").stdout.decode() and "expert" in gama("graph", "public").stdout.decode()
    assert gama("version").stdout.decode().strip() == "0.1.0"


def test_doctor_probes_a_server(loopback):
    done = gama("doctor", "--probe", "--public", "openai:loop", "--base-url", loopback.url)
    assert done.returncode == 0 and b"openai:loop answers" in done.stdout and len(loopback.record) == 1


PLANTED = letters.SECRETS[0]


@pytest.mark.parametrize(
    ("arguments", "stdin", "code", "says"),
    [
        (["ask"], b"", 2, "empty"),
        (["ask", ""], None, 2, "empty"),
        (["ask", "   \n "], None, 2, "empty"),
        (["ask", "nowhere.txt"], None, 2, "no file 'nowhere.txt'"),
        (["ask"], b"\x89PNG\r\n\x1a\n\x00\x00Thessaly Quornbeck", 2, "not plain text"),
        (["ask"], b"abc\x00\x01Thessaly Quornbeck", 2, "binary"),
        (["ask"], "Thessaly Quornbeck grüßt".encode("latin-1"), 2, "--encoding latin-1"),
        (["ask", "--encoding", "klingon"], b"Thessaly Quornbeck", 2, "no text encoding 'klingon'"),
        (["ask"], b"Thessaly Quornbeck " * 280_000, 7, "200,000 characters"),
        (["ask", f"{PLANTED}?", "--public", "gpt-4o"], None, 3, "provider:model"),
        (["ask", f"{PLANTED}?", "--public", "nobody:x"], None, 3, "Known providers"),
        (["ask", f"{PLANTED}?", "--public", "openai:gpt-4o"], None, 3, "OPENAI_API_KEY"),
        (
            ["ask", f"{PLANTED}?", "--public", "openai:x", "--base-url", "http://127.0.0.1:9/v1"],
            None,
            5,
            "Nothing answers",
        ),
        (["ask", f"{PLANTED}?", "--public", "openai:x", "--base-url", "nonsense"], None, 2, "base URL"),
        (["ask", f"{PLANTED}?", "--private", "openai:gpt-4o"], None, 2, "hosted"),
        (["ask", f"{PLANTED}?", "--k", "0"], None, 2, "--k:"),
        (["ask", f"{PLANTED}?", "--k", "many"], None, 2, "--k"),
        (["ask", f"{PLANTED}?", "--alpha", "1.5"], None, 2, "--alpha:"),
        (["ask", f"{PLANTED}?", "--topk", "best"], None, 2, "--topk:"),
        (["ask", f"{PLANTED}?", "--show", "some"], None, 2, "--show"),
        (["ask", f"{PLANTED}?", "--nonsense"], None, 2, "--nonsense"),
        (["ask", "--resume"], None, 2, "thread"),
        (["ask", "--resume", "--thread", "nobody"], None, 2, "nothing to resume"),
        (["restore", "x"], None, 2, "--box"),
        (["restore", "x", "--box", "nowhere.box"], None, 2, "nowhere.box"),
        (["graph", "third"], None, 2, "known graphs"),
        (["studio", "--folder", "/"], None, 2, "langgraph.json"),
    ],
)
def test_bad_input(arguments, stdin, code, says, tmp_path):
    done = gama(*arguments, stdin=stdin)
    error = done.stderr.decode()
    assert done.returncode == code, error
    assert says in error and "Traceback" not in error
    assert letters.hits(done.stderr) == []


def test_a_refused_key(loopback):
    loopback.fault = 401
    done = gama("ask", f"{PLANTED}?", "--public", "openai:x", "--base-url", loopback.url)
    assert done.returncode == 5 and b"refused the key" in done.stderr and letters.hits(done.stderr) == []


def test_a_damaged_key_file(home):
    home.mkdir()
    (home / "master.key").write_bytes(b"")
    (home / "master.key").chmod(0o600)
    done = gama("ask", f"{PLANTED}?")
    assert done.returncode == 6 and b"damaged" in done.stderr and b"Traceback" not in done.stderr
