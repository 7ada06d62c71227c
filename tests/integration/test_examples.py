"""The examples run as they are: no key, no network, nothing private where it must not be."""

import os
import re
import runpy
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
EXPECTED = {
    "runnable": ["answer:", "three months", "what left: My name is <name-1>, IBAN <iban-1>."],
    "query": [
        "hidden: <name-1>, <age-1>, of <location-1>,",
        "£18,300 on her car. Her passport is <id_number-1>.",
        "Left in clear because the query needs it:",
        "Her passport is 533401372.",
        "left: Could <name-1> pay the loan off within a year?",
    ],
    "node": ["answer:", "three months"],
    "subgraph": ["answer:", "three months", "note: answered by"],
    "tool": ["tool:", "answer: The experts say: three months, dear Emma Williams."],
    "middleware": [
        "the model sees: My name is <name-1>. Which account do I have?",
        "the tool gets: Emma Williams",
        "the model sees: <name-1>: account <iban-1>",
        "answer: Dear Emma Williams, your account is GB29 NWBK 6016 1331 9268 19.",
    ],
    "streaming": ["anonymized: My name is <name-1>.", "three months", "stages: seal", "pieces: 'Dear ' 'Emma Williams"],
    "review": [
        "would leave: My name is <name-1> and I look after the old lighthouse.",
        "would leave: My name is <name-1> and I look after <id_number-1>.",
        "answer:",
        "May.",
    ],
    "bulk": ["hidden: <name-2> called; <name-1> is to call him on <phone-1>.", "all back: True", "by eye: False"],
}
OF_THEIR_OWN = {
    "mcp_client": [
        "tools: anonymize restore ask",
        "anonymized: My name is <name-1>, IBAN <iban-1>.",
        "restored: Dear Emma Williams, your IBAN is GB29 NWBK 6016 1331 9268 19.",
    ],
    "mcp_expert_tool": ["left: My name is <name-1>, account <", "leaves at 14:05", "calls of tools: 1"],
    "gateway_openai": [
        "the model saw: My name is <name-1>, IBAN <iban-1>.",
        "you read: Dear Emma Williams, your IBAN is GB29 NWBK 6016 1331 9268 19.",
        "streamed: Dear Emma Williams, your IBAN is GB29 NWBK 6016 1331 9268 19.",
    ],
    "http_api": [
        "hidden: Call <name-1> on <phone-1>.",
        "back: I called Emma Williams.",
        "would leave: My name is <name-1>.",
        "my <id_number-1> is",
        "three months",
        "forgotten: True",
    ],
    "remote_runnable": ["left: My name is <name-1>.", "three months", "came: anonymized"],
    "budget": ["answer: Three months, Emma Williams.", "'calls': 3", "stopped: The budget of the task"],
    "local_llm": [
        "left: We moved into <address-1>.",
        "the local model read the raw text: True",
        "the hosted model did: False",
        "refused: The private model 'openai:gpt-4o' is hosted",
    ],
}  # those that start other programs, or import what lies beside them
SHARED = {"loopback", "mcp_timetable"}
ENGINES = {"ray_data": "ray", "spark_udf": "pyspark"}
"""What runs them is larger than all else that the tests install: where it is not, their functions are tried alone."""


def expect(out: str, pieces: list[str]) -> None:
    """Check that the pieces stand in the output, in their order."""
    at = 0
    for piece in pieces:
        assert piece in out[at:], f"{piece!r} is missing in:\n{out}"
        at = out.index(piece, at)


def run(command: list[str], home: Path, *more: Path, **environment: str) -> str:
    path = os.pathsep.join([*sys.path, *map(str, more)])
    done = subprocess.run(
        command,
        env=os.environ | {"PYTHONPATH": path, "GAMA_HOME": str(home)} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", EXPECTED)
def test_an_example_runs(name, capsys):
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    expect(capsys.readouterr().out, EXPECTED[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_THEIR_OWN)
def test_an_example_runs_as_a_program(name, home):
    needed = {"mcp_client": "mcp", "mcp_expert_tool": "mcp", "remote_runnable": "langserve"}
    if name in needed:
        pytest.importorskip(needed[name])
    expect(run([sys.executable, str(EXAMPLES / f"{name}.py")], home), OF_THEIR_OWN[name])


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("sh") is None, reason="needs a shell")
def test_the_walk_through_the_command_line(home):
    out = run(["sh", str(EXAMPLES / "command_line.sh")], home, GAMA=f"{sys.executable} -m gama")
    expect(
        out,
        [
            "Dear Ms. <last_name-1>",
            "back, byte by byte",
            "The <id_number-1> goes to the board.",
            "== How it was solved",
            '"anonymized": "<name-1> wants a refund."',
            "forgotten: walk",
            "Installed",
        ],
    )
    assert "Sadowska" not in out.split("== Keep the box")[0]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("sh") is None, reason="needs a shell")
def test_the_way_of_a_researcher(home):
    out = run(["sh", str(EXAMPLES / "research.sh")], home, GAMA=f"{sys.executable} -m gama", LIMIT="2")
    expect(out, ["Usage: gama eval identify", "2 texts", "pipeline", "span-F1", "2 texts with queries", "micro-F1"])


@pytest.mark.slow
def test_the_plugins_of_a_package(home, tmp_path):
    """The package is built and installed as a user would, and found by its entry point."""
    package, installed = tmp_path / "package", tmp_path / "installed"
    shutil.copytree(EXAMPLES / "own_plugins", package)
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation"]
    run([*command, "--target", str(installed), str(package)], home)
    out = run([sys.executable, str(EXAMPLES / "own_plugins" / "ask.py")], home, installed)
    expect(out, ["hidden: My reader's card is <id_number-1>.", "expert: Librarianship", "answer:", "28 days"])


def test_the_functions_of_the_spark_example(home):
    pd = pytest.importorskip("pandas")
    found = runpy.run_path(str(EXAMPLES / "spark_udf.py"))
    texts = [text for _, text in found["TICKETS"]]
    batches = [pd.Series(texts[:2]), pd.Series(texts[2:])]
    hidden = list(found["hide"](iter(batches)))
    assert hidden[0]["text"][0] == "<name-1> asks for a refund to <iban-1>."
    assert not any("Emma" in box for one in hidden for box in one["box"])
    back = found["restore"]((one["text"], one["box"]) for one in hidden)
    assert [text for one in back for text in one] == texts


def test_the_classes_of_the_ray_example(home):
    pd = pytest.importorskip("pandas")
    found = runpy.run_path(str(EXAMPLES / "ray_data.py"))
    tickets = pd.DataFrame(found["TICKETS"])
    hidden = found["Hide"]()(tickets)
    assert hidden["text"][1] == "<name-1> called; <name-2> is to call him on <phone-1>."
    assert not any("Emma" in box for box in hidden["box"])
    assert found["Restore"]()(hidden).equals(tickets)


@pytest.mark.slow
@pytest.mark.parametrize("name", ENGINES)
def test_an_example_runs_on_its_engine(name, home):
    if find_spec(ENGINES[name]) is None:
        pytest.skip(f"{ENGINES[name]} is no part of what the tests install")
    out = run([sys.executable, str(EXAMPLES / f"{name}.py")], home)
    expect(
        out,
        [
            "hidden: <name-1> asks for a refund to <iban-1>.",
            "hidden: <name-1> called; <name-2> is to call him on <phone-1>.",
            "all back: True",
        ],
    )


def test_every_example_is_run_and_listed():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == {*EXPECTED, *OF_THEIR_OWN, *SHARED, *ENGINES}
    assert {path.name for path in EXAMPLES.glob("*.sh")} == {"command_line.sh", "research.sh"}
    listed = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    for path in [*EXAMPLES.glob("*.sh"), *EXAMPLES.glob("*.py"), *EXAMPLES.glob("*.txt")]:
        assert path.stem in SHARED or path.name in listed, f"examples/README.md does not tell of {path.name}"
    for name in re.findall(r"examples/([\w/]+\.(?:py|sh))", listed):
        assert (EXAMPLES / name).is_file(), name


def test_examples_are_short_and_say_what_they_are():
    for path in EXAMPLES.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert text.startswith('"""'), path.name
        assert len(text.splitlines()) <= 90, path.name
