"""The commands `gama eval identify`, `kpp` and `lpp`."""

import json
import stat
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gama.serve.commands.eval import evaluations
from tests.support.commands import runner

PAGE = (Path(__file__).parents[3] / "docs" / "evaluation.md").read_text(encoding="utf-8")
SECRET = "Quorlin Vasterby"
RECORDS = [
    {"id": "a-1", "text": f"Dear Ms. ⟦{SECRET}|PER.full_name|A⟧, call ⟦+44 20 7946 0958|CODE.phone|A⟧ today."},
    {"id": "a-2", "text": "⟦Albert Einstein|PER.full_name|-|public⟧ never met ⟦Ana|PER.first_name|A⟧."},
    {"id": "b-1", "text": "The shop opens at nine and closes at noon."},
]
LETTER = f"Dear Ms. {SECRET},\nI am from Teterow. Who was Galileo?\nBest regards\nJon Baskir\n+44 20 7946 0958\n"
LETTERS = [
    {
        "id": 1, "question": LETTER, "passage": LETTER, "answer": True,
        "privacy_data": {"name": [SECRET, "Jon Baskir"], "location": ["Teterow"], "organization": [],
                         "email_id": ["+44 20 7946 0958", "+44 20 0000 0000"]},
    }
] * 2  # fmt: skip


@pytest.fixture
def gama(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "presidio_analyzer", None)
    return runner(capsys)


@pytest.fixture
def data(tmp_path):
    file = tmp_path / "mine.jsonl"
    file.write_text("\n".join(json.dumps(record) for record in RECORDS), encoding="utf-8")
    return file


@pytest.fixture
def letters(tmp_path):
    file = tmp_path / "letters.json"
    file.write_text(json.dumps(LETTERS), encoding="utf-8")
    return file


def test_methods_are_printed_side_by_side(gama, data):
    done = gama("eval", "identify", "--data", data, "--resamples", 40)
    assert done.code == 0, done.err
    for word in ("3 texts (mine.jsonl)", "pipeline", "tagger", "patterns", "no-pia", "no-fusion", "less pipeline"):
        assert word in done.out
    for head in (
        "span-F1",
        "typed-F1",
        "Strict-F1",
        "Ent-F1 global",
        "direct recall",
        "residual leak",
        "ms/1,000 chars",
    ):
        assert head in done.out
    assert "presidio is left out" in done.err and "gama-privacy[presidio]" in done.err
    assert SECRET not in done.out + done.err


def test_everything_is_written_as_json_and_again_the_same(gama, data, tmp_path):
    file, again = tmp_path / "one.json", tmp_path / "two.json"
    for target in (file, again):
        assert gama("eval", "identify", "--data", data, "--methods", "pipeline, patterns", "--per", "type", "--per",
                    "source", "--resamples", 30, "--seed", 4, "--json", target).code == 0  # fmt: skip
    one, two = (json.loads(target.read_text(encoding="utf-8")) for target in (file, again))
    assert one["command"] == "identify" and one["settings"]["seed"] == 4 and one["data"]["texts"] == 3
    assert len(one["data"]["sha256"]) == 64 and len(one["methods"]["pipeline"]["facts"]["model_sha256"]) == 64
    assert one["versions"]["onnxruntime"] and set(one["figures"]) == {"pipeline", "patterns"}
    assert set(one["per"]) == {"type", "source"} and set(one["per"]["source"]["pipeline"]) == {"a", "b"}
    low, value, high = (one["figures"]["pipeline"]["span_f1"][name] for name in ("low", "value", "high"))
    assert 0 <= low <= value <= high <= 1
    for report in (one, two):
        for figures in (*report["figures"].values(), *report["differences_to_first"].values()):
            figures.pop("ms_per_1000_chars")
    assert one["figures"] == two["figures"] and one["differences_to_first"] == two["differences_to_first"]
    assert SECRET not in file.read_text(encoding="utf-8")


def test_texts_are_joined_as_in_a_long_paste(gama, data, tmp_path):
    file = tmp_path / "joined.json"
    done = gama("eval", "identify", "--data", data, "--methods", "patterns", "--joined", 2, "--resamples", 10,
                "--json", file)  # fmt: skip
    assert done.code == 0 and "2 texts (mine.jsonl, joined by 2)" in done.out, done.err
    assert json.loads(file.read_text(encoding="utf-8"))["settings"]["joined"] == 2
    refused = gama("eval", "identify", "--data", data, "--joined", 2, "--errors", tmp_path / "errors.txt")
    assert refused.code and "--joined" in refused.err


def test_errors_go_to_a_private_file_only(gama, data, tmp_path):
    file = tmp_path / "errors.txt"
    done = gama("eval", "identify", "--data", data, "--methods", "patterns", "--errors", file, "--resamples", 0)
    assert done.code == 0 and "holds private text" in done.err and SECRET not in done.out + done.err
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "Ana" in file.read_text(encoding="utf-8")


def test_parts_are_printed(gama, data):
    done = gama("eval", "identify", "--data", data, "--methods", "tagger", "--per", "subtype", "--resamples", 0)
    assert "recall per subtype" in done.out and "residual leak per subtype" in done.out and "phone" in done.out
    assert "In brackets" not in done.out and "[" not in done.out.split("Spans")[1].split("Per person")[0]


def test_weights_of_ones_own_are_compared(gama, data):
    from gama.models.embedded import WEIGHTS

    done = gama("eval", "identify", "--data", data, "--methods", "pipeline", "--weights", f"mine={WEIGHTS}",
                "--limit", 2, "--resamples", 20)  # fmt: skip
    assert done.code == 0 and "mine" in done.out and "+0.000" in done.out and "2 texts" in done.out


def test_two_annotations_are_compared(gama, data):
    done = gama(
        "eval", "identify", "--data", data, "--methods", "patterns", "--marks", f"same={data}", "--resamples", 0
    )
    row = next(line for line in done.out.splitlines() if line.strip().startswith("same "))
    assert done.code == 0 and row.split()[1:] == ["1.000"] * 4


def test_the_shipped_texts_are_the_default(gama):
    done = gama("eval", "identify", "--methods", "patterns", "--limit", 3, "--resamples", 10)
    assert done.code == 0 and "3 texts (the shipped development set)" in done.out


def test_the_runner_of_typer_runs_it_too(data):
    arguments = ["identify", "--data", str(data), "--methods", "patterns", "--resamples", "5"]
    result = CliRunner().invoke(evaluations, arguments)
    assert result.exit_code == 0 and "patterns" in result.output


@pytest.mark.parametrize("kind", ["kpp", "lpp"])
def test_letters(gama, letters, tmp_path, kind):
    file = tmp_path / "out.json"
    done = gama("eval", kind, "--data", letters, "--methods", "pipeline,patterns", "--resamples", 20, "--json", file)
    assert done.code == 0, done.err
    for word in (f"2 {kind.upper()} letters (not the released file)", "residual leak", "characters left", "nothing",
                 "BLEU", "likeness to word vectors", "gold", "email_id", "not fit for ranking"):  # fmt: skip
        assert word in done.out
    assert "scores no masking at all above" in done.err and "2 listed value(s) left out" in done.err
    report = json.loads(file.read_text(encoding="utf-8"))
    assert report["figures"]["gold"]["f1"]["value"] == 1.0 and report["data"]["released"] is False
    assert set(report["published_metric"]) == {"pipeline", "patterns", "nothing", "gold"}
    assert SECRET not in done.out + done.err + file.read_text(encoding="utf-8")


def test_letters_with_their_types(gama, letters):
    done = gama("eval", "lpp", "--data", letters, "--methods", "patterns", "--strict-type", "--resamples", 0)
    assert done.code == 0 and "with their type" in done.out


@pytest.mark.parametrize(
    ("arguments", "code", "part"),
    [
        (["identify", "--data", "nowhere"], 2, "the file or folder"),
        (["identify", "--data", "broken.jsonl"], 2, "broken.jsonl, line 1: not a corpus record"),
        (["identify", "--data", "empty"], 2, "no .jsonl file in 'empty'"),
        (["identify", "--methods", "magic"], 2, "unknown method 'magic'; known methods: pipeline"),
        (["identify", "--methods", ","], 2, "name at least one"),
        (["identify", "--methods", "presidio"], 2, "pip install 'gama-privacy[presidio]'"),
        (["identify", "--per", "colour"], 2, "'colour' is none of type, subtype, source"),
        (["identify", "--weights", "x"], 2, "not NAME=FOLDER"),
        (["identify", "--methods", "tagger", "--weights", "x=empty"], 3, "cannot be loaded"),
        (["identify", "--marks", "x"], 2, "not NAME=PATH"),
        (
            ["identify", "--methods", "patterns", "--marks", "x=nowhere"],
            2,
            "the file or folder 'nowhere' does not exist",
        ),
        (["identify", "--methods", "patterns", "--marks", "x=empty"], 2, "no .jsonl file in 'empty'"),
        (["identify", "--json", "no/such/file.json"], 2, "option --json"),
        (["identify", "--errors", "empty"], 2, "option --errors"),
        (["identify", "--limit", "0"], 2, "--limit"),
        (["identify", "--resamples", "-1"], 2, "--resamples"),
        (["identify", "--pia", "guess"], 2, "option --pia"),
        (["identify", "--private", "openai:gpt-4o"], 2, "hosted"),
        (["kpp"], 2, "--data"),
        (["kpp", "--data", "nowhere.json", "--pad-mean"], 2, "--encoder"),
        (["kpp", "--data", "nowhere.json"], 2, "KPP file 'nowhere.json' cannot be used"),
        (["lpp", "--data", "broken.jsonl"], 2, "not JSON"),
        ([], 2, "gama eval --help"),
        (["nonsense"], 2, "No such command 'nonsense'"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(gama, tmp_path, monkeypatch, arguments, code, part):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.jsonl").write_text("{", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    done = gama("eval", *arguments)
    assert done.code == code, done
    assert done.err.startswith("error: ") and done.err.count("\n") == 1 and part in done.err and done.out == ""


def test_a_checkpoint_that_is_none_is_refused(gama, data, tmp_path):
    pytest.importorskip("transformers")
    (tmp_path / "empty").mkdir()
    done = gama("eval", "identify", "--data", data, "--methods", "patterns", "--hf", tmp_path / "empty")
    assert done.code == 3 and "cannot be used" in done.err and "Traceback" not in done.err


def test_missing_scipy_is_said_before_the_work(gama, data, monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    done = gama("eval", "identify", "--data", data)
    assert done.code == 2 and "gama-privacy[evals]" in done.err


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_is_shown_on_a_terminal_only(monkeypatch, terminal):
    import io

    from gama.guard.terminal import counting

    class Errors(io.StringIO):
        def isatty(self):
            return terminal

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Errors())
    with counting(2) as step:
        step("pipeline [1]")
        step("pipeline [1]")
    assert ("pipeline [1]" in sys.stderr.getvalue()) == terminal


def test_the_page_and_the_help_name_the_methods_there_are(gama):
    import re

    from gama.evals.methods.catalog import MAKERS

    table = PAGE.split("## Methods")[1].split("##")[0]
    assert re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE) == list(MAKERS)
    shown = " ".join(gama("eval", "identify", "--help").out.replace("│", " ").split())
    assert ", ".join(MAKERS) in shown


def test_the_example_of_the_page_runs():
    import re

    code = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1]
    exec(compile(code, "evaluation.md", "exec"), {})


def test_the_annotated_example_of_the_page_is_read():
    import re

    from gama.evals.datasets.corpus import read_record

    assert read_record(re.search(r"^\{.*⟦.*\}$", PAGE, re.MULTILINE)[0]).example.marks[1].private is False


def test_a_private_llm_is_measured_beside_the_pipeline_without_it(gama, data, loopback, tmp_path):
    def reply(request):
        # The agent of private context lists one value; the agent that settles keeps nothing else.
        asked = request["messages"][-1]["content"]
        return '[{"surface": "Albert Einstein", "type": "PER.full_name"}]' if "Einstein never" in asked else "[]"

    loopback.reply = reply
    file = tmp_path / "out.json"
    done = gama("eval", "identify", "--data", data, "--methods", "pipeline,embedded", "--private", "openai:local",
                "--private-base-url", loopback.url, "--resamples", 10, "--json", file)  # fmt: skip
    assert done.code == 0, done.err
    report = json.loads(file.read_text(encoding="utf-8"))
    assert loopback.requests and report["methods"]["pipeline"]["facts"]["private_model"] == "openai:local"
    assert "private_model" not in report["methods"]["embedded"]["facts"]
    kept = {name: figures["public_kept"]["value"] for name, figures in report["figures"].items()}
    assert kept == {"pipeline": 0.0, "embedded": 1.0}


def test_a_private_llm_that_does_not_answer_ends_the_run_with_its_code(gama, data, loopback):
    loopback.fault = 500
    done = gama("eval", "identify", "--data", data, "--methods", "pipeline", "--private", "openai:local",
                "--private-base-url", loopback.url)  # fmt: skip
    assert done.code == 3 and "Traceback" not in done.err and SECRET not in done.err
