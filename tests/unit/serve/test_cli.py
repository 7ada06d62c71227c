"""The command line: exit codes, messages, and what goes in and comes out."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gama.serve import cli
from gama.state.errors import (
    ExpertsFailed,
    GamaError,
    InputError,
    LeakError,
    LimitReached,
    ModelDenied,
    OptionError,
    SealError,
    StoreError,
)
from tests.support import letters

SECRET = letters.SECRETS[0]
TASK = f"My name is {SECRET}. The shop opens at nine. When does the shop open?"

FLAGS = {
    "ask": (
        "--public -p --base-url --public-graph --private --private-base-url --trust-private --show --explain "
        "--json --route --disprove --k --rounds --checks --prompts --alpha --topk --query --select --select-votes "
        "--select-never --fusion --style --strategy --seed --region --pner --weights --recognizers --disable "
        "--keep --threshold --deny --allow --tool --mcp --pack --timeout --max-tokens --max-cost --prices "
        "--rate-limit --max-concurrent --max-chars --encoding --without --ablation-mode --allow-raw --trace "
        "--thread --resume --home --store --quiet -q"
    ),
    "anonymize": (
        "--box --clear-box --jsonl --format --output -o --unread --json --private --private-base-url "
        "--trust-private --query --select --select-votes --select-never --fusion --style --strategy --seed "
        "--region --pner --weights --recognizers --disable --keep --threshold --deny --allow --max-chars "
        "--encoding --home"
    ),
    "restore": ("--box --strict --place --unknown --format --output -o --json --encoding --home"),
    "serve": (
        "--host --port --gateway --upstream --anthropic --media --keys --open --requests-per-minute --concurrent "
        "--most-requests --max-body-mb --cors --allow-host --tls-cert --tls-key --grace --drain --access-log "
        "--no-access-log --keep --store --workers --threads --public -p --base-url --private --private-base-url "
        "--trust-private --region --pner --weights --recognizers --disable --threshold --deny --allow --style "
        "--timeout --max-tokens --max-cost --max-concurrent --max-chars --home"
    ),
    "mcp": (
        "--transport --host --port --token --tool --files --public -p --base-url --private --private-base-url "
        "--trust-private --style --strategy --region --pner --recognizers --keep --threshold --deny --allow "
        "--max-chars --home"
    ),
    "doctor": ("--probe --public -p --base-url --private --private-base-url --trust-private --json --home"),
}
"""Flags that users' scripts name."""


def one_line(done, code: int, *parts: str) -> None:
    """One clear line, no traceback, nothing private, nothing on standard output."""
    assert done.code == code, done
    assert done.err.startswith("error: ") and done.err.count("\n") == 1 and "Traceback" not in done.err
    assert done.out == ""
    assert letters.hits(done.err.encode()) == []
    for part in parts:
        assert part in done.err


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["ask", "my name is", SECRET], ["more than one task", "quotes"]),
        (["ask", f"--{SECRET}"], ["no such option", "--"]),
        (["ask", "--frobnicate", "hi there"], ["--frobnicate"]),
        (["ask", "hi there", "--k", "many"], ["--k"]),
        ([SECRET], ["command is missing", "gama ask"]),
        (["frob"], ["No such command 'frob'"]),
        (["aks", "hi"], ["No such command 'aks'. Did you mean 'ask'? See `gama --help`"]),
        (["ask", "--publik", "x", "hi"], ["No such option: --publik. Did you mean --public? See `gama ask --help`"]),
        (["ask", "--public_model", "x", "hi"], ["Did you mean --public?"]),
        (["ask", "--max-rounds", "3", "hi"], ["Did you mean --rounds?"]),
        (["ask", "hi there", "--route", "logik"], ["option --route", "did you mean 'logic'?"]),
        (["ask", "hi there", "--keep", "locaton"], ["option --keep", "did you mean 'location'?"]),
        (["ask", "hi there", "--without", "amp"], ["option --without", "did you mean 'ampp'?"]),
        (["anonymize", "hi there", "--threshold", "name"], ["option --threshold", "TYPE=P"]),
        (["serve", "--keep"], ["option --keep", "--keep age", "--store-threads"]),
        (["serve", "--keep", "--port", "0"], ["option --keep", "--store-threads"]),
        (["serve", "--no-keep", "--workers", "2"], ["leave out --no-store-threads"]),
        (["serve", "--no-store-threads", "--workers", "2"], ["leave out --no-store-threads"]),
        (["serve", "--keep-type", "agee"], ["option --keep", "did you mean 'age'?"]),
        (["serve", "--keep-type=agee"], ["option --keep", "did you mean 'age'?"]),
        (["serve", "--workers", "0"], ["option --workers", "greater than or equal to 1"]),
        (["serve", "--media", "keep"], ["option --media", "'refuse' or 'pass'"]),
        (["ask", "hi there", "--k", "0"], ["option --k", "greater than or equal to 1"]),
        (["ask", "hi there", "--rounds", "99"], ["option --rounds", "20"]),
        (["ask", "hi there", "--alpha", "2"], ["option --alpha"]),
        (["ask", "hi there", "--topk", "x"], ["option --topk", "'paper', 'code' or 'threshold'"]),
        (["ask", "hi there", "--style", "v9"], ["option --style"]),
        (["ask", "hi there", "--timeout", "-1"], ["option --timeout"]),
        (["ask", "hi there", "--region", "Germany"], ["option --region"]),
        (["ask", "hi there", "--max-cost", "0"], ["option --max-cost", "greater than 0"]),
        (["ask", "hi there", "--rate-limit", "0"], ["option --rate-limit", "greater than or equal to 1"]),
        (["ask", "hi there", "--public", "openai:gpt-4o", "--prices", "none.json"], ["'prices'", "'none.json'"]),
        (["ask", "hi there", "--show", "some"], ["option --show", "all, private, public"]),
        (["ask", "--resume"], ["option --resume", "--thread"]),
        (["ask", "letter.doc"], ["no file 'letter.doc'"]),
        (["ask", "-"], ["empty"]),
        (["ask"], ["empty"]),
        (["ask", "--resume", "--thread", "nobody"], ["nothing to resume", "'nobody'"]),
        (["anonymize", "letter.doc"], ["no file"]),
        (["restore", "hi there"], ["--box"]),
        (["restore", "hi there", "--box", "nothing.box"], ["box file 'nothing.box'"]),
        (["forget", "nobody"], ["no thread 'nobody'"]),
        (["forget"], ["THREAD", "--older-than"]),
        (["forget", "t", "--older-than", "30d"], ["name one thread, or an age"]),
        (["forget", "--older-than", "soon"], ["'soon' is no age", "30d"]),
        (["ask", "Where?", "--store", "mysql://x"], ["sqlite:///FOLDER"]),
        (["keys", "move", "env"], ["cannot be moved"]),
        (["box", "nobody", "x.box"], ["no box"]),
        (["graph", "third"], ["known graphs: gama, public"]),
        (["train", "everything", "--data", "x", "--out", "y"], ["known: identify"]),
        (["studio", "--folder", "/"], ["no langgraph.json"]),
    ],
)
def test_what_cannot_be_done_is_said_with_exit_code_2(gama, arguments, parts, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    one_line(gama(*arguments), 2, *parts)


@pytest.mark.parametrize(
    ("raw", "code", "part"),
    [
        (b"", 2, "empty"),
        (b"a" * 5_000_000, 7, "more than 200,000 characters"),
        (b"\x7fELF\x00\x01", 2, "binary"),
        (f"I am {SECRET}, caf\u00e9".encode("latin-1"), 2, "--encoding latin-1"),
    ],
)
def test_bad_input(gama, raw, code, part, tmp_path, monkeypatch):
    one_line(gama("ask", stdin=raw), code, part)
    monkeypatch.chdir(tmp_path)
    Path("letter.txt").write_bytes(raw)
    one_line(gama("anonymize", "letter.txt"), code, part)


@pytest.mark.parametrize(
    ("model", "parts"),
    [("gpt-4o", ["provider:model"]), ("foo:bar", ["Unknown provider 'foo'", "openai"]), ("openai:", ["provider"])],
)
def test_unknown_models(gama, model, parts):
    one_line(gama("ask", TASK, "--public", model), 3, *parts)


def test_a_hosted_model_as_private_one_is_refused(gama):
    done = gama("ask", TASK, "--private", "openai:gpt-4o")
    one_line(done, done.code, "--trust-private")
    assert done.code in (2, 3)


@pytest.mark.parametrize(("fault", "part"), [(401, "Denied"), (400, "Error"), (404, "Model")])
def test_a_server_that_refuses(gama, loopback, monkeypatch, fault, part):
    monkeypatch.setattr("gama.models.public.MAX_RETRIES", 0)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-key")
    loopback.fault = fault
    done = gama("ask", TASK, "--public", "openai:x", "--base-url", loopback.url)
    one_line(done, 5, "experts answered", part)
    assert "sk-secret-key" not in done.err
    assert done.err.count("HTTP") == done.err.count("openai:x") == 1, "three experts, one reason"


def test_a_server_that_is_not_there(gama, monkeypatch):
    monkeypatch.setattr("gama.models.public.MAX_RETRIES", 0)
    done = gama("ask", TASK, "--public", "openai:x", "--base-url", "http://127.0.0.1:9/v1")
    one_line(done, 5, "Unreachable", "Check the base URL")
    assert done.err.count("Unreachable") == 1


def test_a_missing_key(gama):
    done = gama("ask", TASK, "--public", "openai:gpt-4o")
    one_line(done, done.code, "OPENAI_API_KEY")
    assert done.code in (3, 5)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (GamaError("x"), 1),
        (InputError("x"), 2),
        (OptionError("x"), 2),
        (ModelDenied("x"), 3),
        (LeakError("x"), 4),
        (ExpertsFailed("x"), 5),
        (SealError("x"), 6),
        (LimitReached("x"), 7),
        (StoreError("x"), 8),
        (ValueError(SECRET), 70),
        (KeyboardInterrupt(), 130),
    ],
)
def test_every_error_has_its_exit_code(gama, monkeypatch, error, code):
    def fail(*arguments, **options):
        raise error

    monkeypatch.setattr("gama.serve.drawing.draw", fail)
    done = gama("graph")
    assert done.code == code and "Traceback" not in done.err and SECRET not in done.err
    if code == 70:
        assert "unexpected ValueError" in done.err and "GAMA_DEBUG=1" in done.err
        monkeypatch.setenv("GAMA_DEBUG", "1")
        done = gama("graph")
        assert done.code == 70 and "Traceback" in done.err


def test_files_and_folders_that_cannot_be_used(gama, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    done = gama("ask", TASK, "--home", str(blocked / "home"))
    one_line(done, 1, "file or folder cannot be used")
    done = gama("anonymize", TASK, "--box", str(blocked / "box"))
    one_line(done, 1, "file or folder cannot be used", "name another place")
    done = gama("anonymize", TASK, "--box", str(tmp_path / "nowhere" / "box"))
    one_line(done, 1, "nowhere/box)", "The folder for it is not there: make it first")
    home = tmp_path / "broken"
    home.mkdir(mode=0o700)
    (home / "keys.sqlite").write_text("this is no database " * 100)
    done = gama("ask", TASK, "--home", str(home))
    assert done.code == 8 and "home folder" in done.err and "gama doctor" in done.err


@pytest.mark.parametrize("command", ["anonymize", "restore"])
def test_an_output_that_cannot_be_written_is_told_before_the_work(gama, tmp_path, monkeypatch, command):
    monkeypatch.setattr("gama.privacy.box.PrivacyBox.load", lambda *args, **kwargs: pytest.fail("work was done"))
    box = tmp_path / "b"
    box.write_text("{}")
    for output, part in [(tmp_path, "is a folder"), (tmp_path / "nowhere" / "out.txt", "There is no folder")]:
        one_line(gama(command, TASK, "--box", str(box), "--output", str(output)), 2, part)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b"], "nothing is left behind"


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["doctor", "extra"], "more arguments than it takes"),
        (["ask", "one", "two"], "quotes"),
        (["anonymize", TASK, "--unread", "kepp"], "--unread"),
        (["anonymize", TASK, "--with-values"], "--jsonl"),
    ],
)
def test_what_would_have_no_effect_or_means_something_else_is_told(gama, arguments, part):
    one_line(gama(*arguments), 2, part)


def test_help_and_version(gama):
    from gama import __version__

    assert gama("version").out.strip() == gama("--version").out.strip() == gama("-V").out.strip() == __version__
    top = gama()
    assert top.code == 0 and "anonymize" in top.out
    for command in cli.app.registered_commands:
        name = command.callback.__name__
        done = gama(name, "--help")
        assert done.code == 0 and "Usage:" in done.out and name in top.out
    assert gama("ask", "-h").code == 0
    panels = ("Models", "What is hidden", "Reasoning", "Limits", "Storage")
    places = [gama("ask", "-h").out.index(f"─ {panel} ─") for panel in panels]
    assert places == sorted(places)


def test_every_flag_of_old_is_there():
    from typer.main import get_command

    group = get_command(cli.app)
    for command, flags in FLAGS.items():
        known = {flag for one in group.commands[command].params for flag in (*one.opts, *one.secondary_opts)}
        assert set(flags.split()) <= known, command


@pytest.mark.parametrize("face", ["ask", "anonymize", "restore", "serve", "mcp", "doctor"])
def test_a_command_offers_what_the_table_says(face):
    from typer.main import get_command

    from gama.state.option_table import WITHOUT, rows
    from gama.state.options import Options

    shown = {one.name for one in get_command(cli.app).commands[face].params if one.name.endswith("_")}
    table = {
        row.flags[0].strip("-").replace("-", "_") + "_" for row in rows(Options).values() if face in row.entry.faces
    }
    assert table - {WITHOUT} <= shown
    if face != "serve":
        assert table == shown


def test_words_of_placeholders_as_types(gama):
    done = gama("anonymize", "Ann Lee lives in Oslo.", "--keep", "location")
    assert done.out == "<name-1> lives in Oslo.\n"


def test_ask_as_json(gama):
    done = gama("ask", TASK, "--json", "--thread", "t")
    assert done.code == 0 and done.err == "" and done.out.count("\n") == 1
    reply = json.loads(done.out)
    assert set(reply) >= {
        "answer", "anonymized", "entities", "domains", "experts", "rounds", "contradictions", "usage", "timings",
        "models", "warnings", "verdict", "unresolved", "thread",
    }  # fmt: skip
    assert reply["thread"] == "t" and "nine" in reply["answer"] and SECRET not in reply["anonymized"]
    assert reply["models"]["public"] == "stand-in reader"
    public = gama("ask", TASK, "--json", "--show", "public")
    assert letters.hits(public.out.encode()) == [] and "answer" not in json.loads(public.out)
    again = gama("ask", "--resume", "--thread", "t", "--json")
    assert json.loads(again.out) == reply


def test_ask_shows_everything_from_a_file_a_pipe_and_an_argument(gama, tmp_path):
    file = tmp_path / "letter.txt"
    file.write_text(TASK)
    outputs = [
        gama("ask", str(file)),
        gama("ask", TASK),
        gama("ask", stdin=TASK.encode()),
        gama("ask", "-", stdin=TASK.encode()),
    ]
    for done in outputs:
        assert done.code == 0 and done.err == ""
        for part in (f"[{SECRET} PER:tc]", "name is <name-1>", "restored at home", "gama ask letter.txt --public"):
            assert part in done.out
    done = gama("ask", TASK, "--show", "public")
    assert done.code == 0 and letters.hits(done.out.encode()) == []


def test_quiet_prints_the_answer_only(gama, loopback):
    loopback.reply = lambda request: (
        '{"contradiction": false, "reason": ""}' if "disprove" in str(request) else "<name-1>!"
    )
    server = ("--public", "openai:x", "--base-url", loopback.url, "--rounds", "0")
    assert gama("ask", TASK, "--quiet", *server).out == f"{SECRET}!\n"
    done = gama("ask", TASK, "--quiet", "--show", "public", *server)
    assert done.out.startswith("My name is <name-1>.")
    assert letters.hits(loopback.received) == []


def test_options_reach_the_run(gama):
    done = gama(
        "ask", TASK, "--json", "--k", "1", "--rounds", "0", "--style", "v1", "--deny", "shop", "--allow", SECRET
    )
    reply = json.loads(done.out)
    assert len(reply["domains"]) == 1 and reply["rounds"] == 0
    assert "<<" in reply["anonymized"] and "shop" not in reply["anonymized"] and SECRET in reply["anonymized"]


def test_a_bad_variable_is_named(gama, monkeypatch):
    monkeypatch.setenv("GAMA_MAX_COST", "0")
    one_line(gama("ask", TASK), 2, "variable GAMA_MAX_COST: Input should be greater than 0")
    one_line(gama("ask", TASK, "--max-cost", "-1"), 2, "option --max-cost: Input")


def test_a_model_named_in_the_environment(gama, monkeypatch):
    monkeypatch.setenv("GAMA_PUBLIC_MODEL", "foo:bar")
    one_line(gama("ask", TASK), 3, "Unknown provider 'foo'")


def test_forget(gama):
    gama("ask", TASK, "--json", "--thread", "t")
    assert gama("forget", "t").out == "forgotten: t\n"
    one_line(gama("forget", "t"), 2, "no thread 't'")
    one_line(gama("ask", "--resume", "--thread", "t"), 2, "nothing to resume")


def test_graph(gama):
    whole, public = gama("graph"), gama("graph", "public")
    assert whole.out.startswith("flowchart") and "airlock" in whole.out and "public_expert" in whole.out
    assert public.out.startswith("flowchart") and "airlock" not in public.out


@pytest.mark.parametrize("code", ["gama.serve", "gama.serve.cli"])
def test_commands_load_nothing_heavy(code):
    heavy = ("langgraph", "langchain", "langchain_core", "openai", "numpy", "onnxruntime", "faiss", "sklearn", "httpx")
    program = f"import sys, gama.serve.cli as c\nc.main(['version'])\nprint([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.slow
def test_the_program_itself(home, tmp_path):
    environment = os.environ | {"GAMA_HOME": str(home), "COLUMNS": "60", "NO_COLOR": "1"}
    run = [sys.executable, "-m", "gama.serve"]
    done = subprocess.run([*run, "ask", "-"], input=TASK.encode(), capture_output=True, env=environment, check=False)
    assert done.returncode == 0 and b"\x1b" not in done.stdout and SECRET.encode() in done.stdout
    done = subprocess.run([*run, "ask", "letter.doc"], capture_output=True, env=environment, check=False, cwd=tmp_path)
    assert done.returncode == 2 and done.stderr.startswith(b"error: There is no file")
    # The reader of a pipe may go away.
    pipe = subprocess.Popen([*run, "graph"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    pipe.stdout.close()
    assert b"Traceback" not in pipe.stderr.read()
    pipe.stderr.close()
    pipe.wait()
