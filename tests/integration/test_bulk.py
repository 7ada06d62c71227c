"""`gama anonymize SOURCE --out DEST` as a user runs it: whole datasets, there and back."""

import csv
import json
import os
import random
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support import letters
from tests.support.commands import runner

pytestmark = pytest.mark.slow

SECRETS = letters.SECRETS


@pytest.fixture
def gama(capsys):
    return runner(capsys)


def everything(folder: Path, *, without: tuple[str, ...] = ()) -> list[tuple[str, list[str]]]:
    """Return which files below a folder show a secret, in their names or in their bytes."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    kept = [path for path in files if not any(part in without for part in path.relative_to(folder).parts)]
    shown = [(path.name, letters.hits(path.read_bytes() + path.name.encode())) for path in kept]
    assert kept
    return [one for one in shown if one[1]]


def write_lines(path: Path, count: int) -> None:
    names = ["Emma Williams", "Daniel Okafor", "Priya Raman", "Jonas Lindqvist", SECRETS[0]]
    with path.open("w", encoding="utf-8") as file:
        for n in range(count):
            text = f"{names[n % 5]} called about the lease; write to {SECRETS[1]} or ring {SECRETS[3]}."
            file.write(json.dumps({"id": n, "text": text, "state": "open"}) + "\n")


def records(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_an_ordinary_word_that_is_private_once_others_are_hidden_is_numbered(gama, tmp_path):
    source, out, back = (tmp_path / name for name in ("in.jsonl", "out.jsonl", "back.jsonl"))
    texts = [
        "KST be there I suppose I should begin. Woman, fifty-three, lesbian, never",
        "is healthy. Looking for a woman who'd rather mend a chair than",
    ]
    source.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
    done = gama("anonymize", source, "--out", out, "--scope", "dataset", "--workers", 1)
    assert done.code == 0, done.err
    assert not any("oman" in one["text"] for one in records(out))
    assert gama("restore", out, "--out", back).code == 0 and back.read_bytes() == source.read_bytes()


def test_nobody_asks_about_a_record_though_its_text_does(gama, tmp_path):
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    asked = "My rent is £1,450 until 30 June; can I afford £1,700? I am Ana Ruiz."
    source.write_text(json.dumps({"text": asked}) + "\n", encoding="utf-8")
    assert gama("anonymize", source, "--out", out).code == 0
    assert "£" not in records(out)[0]["text"] and "June" not in records(out)[0]["text"]
    other = tmp_path / "other.jsonl"
    assert gama("anonymize", source, "--out", other, "--privacy", "open").code == 0
    assert "Ana Ruiz" not in records(other)[0]["text"]


@pytest.mark.parametrize("scope", ["record", "dataset"])
def test_a_folder_of_several_kinds_goes_and_comes_back(gama, tmp_path, scope):
    docx = pytest.importorskip("docx")
    source, out, back = tmp_path / "source", tmp_path / "out", tmp_path / "back"
    (source / "sub").mkdir(parents=True)
    (source / "letter.txt").write_text(letters.PLANTED, encoding="utf-8")
    (source / "sub" / "people.csv").write_text(f"Name,Mail\n{SECRETS[0]},{SECRETS[1]}\n", encoding="utf-8")
    (source / "sub" / "data.json").write_text(json.dumps({"name": SECRETS[0], "n": [1, 2]}, indent=3), encoding="utf-8")
    (source / "sub" / "thessaly-quornbeck.md").write_text(f"# {SECRETS[0]}\n\nIBAN {SECRETS[2]}\n", encoding="utf-8")
    (source / "empty.txt").write_text("", encoding="utf-8")
    (source / "photo.png").write_bytes(b"\x89PNG" + SECRETS[0].encode())
    (source / "link.txt").symlink_to(source / "letter.txt")
    document = docx.Document()
    document.add_paragraph(f"Dear Sir, I am {SECRETS[0]}. My IBAN is {SECRETS[2]}.")
    document.save(str(source / "letter.docx"))
    done = gama("anonymize", source, "--out", out, "--scope", scope, "--workers", 2)
    assert done.code == 9 and "6 of 8 records written" in done.err and letters.hits(done.err.encode()) == []
    assert everything(tmp_path, without=("source", "home")) == []
    written = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    number = sorted(path for path in source.rglob("*") if not path.is_dir()).index(
        source / "sub" / "thessaly-quornbeck.md"
    )
    assert written == {
        "letter.txt", "letter.docx", "empty.txt", "sub/people.csv", "sub/data.json", f"renamed/{number + 1:06d}.md",
    }  # fmt: skip
    rejects = records(tmp_path / "out.rejects.jsonl")
    assert [one.keys() for one in rejects] == [{"record", "reason"}] * 2
    if scope == "dataset":
        shown = [(out / "sub" / name).read_text() for name in ("people.csv", "data.json")]
        token = shown[0].splitlines()[1].split(",")[0]
        assert token.startswith("<name-") and token in shown[1] and token in (out / "letter.txt").read_text()
    done = gama("restore", out, "--out", back)
    assert done.code == 0, done.err
    for path in (one for one in source.rglob("*") if one.is_file() and one.suffix not in (".png",)):
        if not path.is_symlink():
            assert (back / path.relative_to(source)).read_bytes() == path.read_bytes(), path.name


@pytest.mark.parametrize("scope", ["record", "dataset"])
def test_many_lines_by_two_workers(gama, tmp_path, scope):
    source, out, back = tmp_path / "source.jsonl", tmp_path / "out.jsonl", tmp_path / "back.jsonl"
    write_lines(source, 600)
    lines = source.read_bytes().splitlines(keepends=True)
    lines[350:350] = [b"{broken " + SECRETS[0].encode() + b"\n"]
    source.write_bytes(b"".join(lines))
    done = gama("anonymize", source, "--out", out, "--scope", scope, "--columns", "text", "--workers", 2)
    assert done.code == 9 and "600 of 601 records written" in done.err and "'id', 'state'" in done.err
    assert letters.hits((done.out + done.err).encode()) == []
    assert everything(tmp_path, without=("source.jsonl", "home")) == []
    assert records(tmp_path / "out.jsonl.rejects.jsonl") == [{"record": 351, "reason": "The line is not valid JSON."}]
    if os.name == "posix":
        for name in ("out.jsonl", "out.jsonl.box", "out.jsonl.rejects.jsonl", "out.jsonl.gama/manifest.json"):
            assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600, name
    hidden = records(out)
    assert [one["id"] for one in hidden] == list(range(600)) and {one["state"] for one in hidden} == {"open"}
    heads = [one["text"].split(" called")[0] for one in hidden]
    assert len(set(heads)) == (5 if scope == "dataset" else 1)
    assert all(heads[n] == heads[n % 5] for n in range(600))
    # The same again is done already; it does nothing.
    before = out.stat().st_mtime_ns
    assert gama("anonymize", source, "--out", out, "--scope", scope, "--columns", "text").code == 9
    assert out.stat().st_mtime_ns == before
    assert gama("restore", out, "--out", back).code == 0
    assert back.read_bytes() == b"".join(lines[:350] + lines[351:])


def test_a_value_found_in_one_record_is_hidden_in_all_and_in_any_case(gama, tmp_path):
    source, out, back = tmp_path / "s.jsonl", tmp_path / "o.jsonl", tmp_path / "b.jsonl"
    texts = [f"Dear Sir, I am {SECRETS[0]} of Leeds.", "see quornbeck", f"RE: {SECRETS[0].upper()}", "<name-1> is free"]
    source.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
    assert gama("anonymize", source, "--out", out, "--scope", "dataset", "--workers", 1).code == 0
    assert letters.hits(b"\n".join(line for line in out.read_bytes().splitlines() if b"see" not in line)) == []
    # What the last text shows already is nobody's placeholder.
    assert records(out)[0]["text"].startswith("Dear Sir, I am <name-2> of ")
    assert gama("restore", out, "--out", back).code == 0
    assert back.read_bytes() == source.read_bytes()


def test_workers_and_their_number_change_nothing(gama, tmp_path):
    source = tmp_path / "s.jsonl"
    write_lines(source, 250)
    outs = []
    for workers in (1, 3):
        out = tmp_path / f"o{workers}.jsonl"
        assert gama("anonymize", source, "--out", out, "--scope", "dataset", "--workers", workers).code == 0
        outs.append(out.read_bytes())
    assert outs[0] == outs[1]


def test_a_later_dataset_goes_on_with_the_box_of_an_earlier_one(gama, tmp_path):
    first, second, box = tmp_path / "1.jsonl", tmp_path / "2.jsonl", tmp_path / "both.box"
    first.write_text(json.dumps({"text": "Dear Sir, I am Emma Williams."}) + "\n")
    second.write_text(json.dumps({"text": "Daniel Okafor met Emma Williams."}) + "\n")
    for path in (first, second):
        out = tmp_path / f"o{path.name}"
        given = ("anonymize", path, "--out", out, "--scope", "dataset", "--box", box, "--workers", 1)
        # The working folder lies beside the box.
        folder = tmp_path / "both.gama"
        done = gama(*given)
        assert done.code == 0, done.err
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()
    assert records(tmp_path / "o2.jsonl") == [{"text": "<name-2> met <name-1>."}]
    for path in (first, second):
        back = tmp_path / f"b{path.name}"
        assert gama("restore", tmp_path / f"o{path.name}", "--box", box, "--out", back).code == 0
        assert back.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_csv_table_keeps_its_bytes_and_its_other_columns(gama, tmp_path, ends):
    source, out, back = tmp_path / "s.csv", tmp_path / "o.csv", tmp_path / "b.csv"
    rows = [["name", "notes", "age"]]
    rows += [[SECRETS[0], f'She said "call\n{SECRETS[3]}"; then left', str(n)] for n in range(120)]
    with source.open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file, delimiter=";", lineterminator=ends).writerows(rows)
    with source.open("ab") as file:
        file.write(f"{SECRETS[0]};too few{ends}".encode())
    done = gama("anonymize", source, "--out", out, "--columns", "name,notes", "--workers", 2)
    assert done.code == 9 and "unread: 'age'" in done.err
    assert records(tmp_path / "o.csv.rejects.jsonl") == [
        {"record": 121, "reason": "The row has 2 cells; the table has 3 columns."}
    ]
    assert everything(tmp_path, without=("s.csv", "home")) == []
    with out.open(encoding="utf-8-sig", newline="") as file:
        hidden = list(csv.reader(file, delimiter=";"))
    assert hidden[0] == rows[0] and [row[2] for row in hidden[1:]] == [row[2] for row in rows[1:]]
    assert gama("restore", out, "--out", back).code == 0
    whole = source.read_bytes()
    assert back.read_bytes() == whole[: whole.rindex(SECRETS[0].encode())]


def test_parquet_goes_and_comes_back(gama, tmp_path):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    source, out, back = tmp_path / "s.parquet", tmp_path / "o.parquet", tmp_path / "b.parquet"
    table = pa.table(
        {
            "id": pa.array(range(250), pa.int64()),
            "name": pa.array([None if n % 7 == 0 else SECRETS[0] for n in range(250)]).dictionary_encode(),
            "notes": pa.array([f"No. {n}: write to {SECRETS[1]}" for n in range(250)], pa.large_string()),
        }
    ).replace_schema_metadata({"author": SECRETS[0]})
    parquet.write_table(table, source, row_group_size=130, compression="none")
    done = gama("anonymize", source, "--out", out, "--scope", "dataset", "--workers", 2)
    assert done.code == 0 and "unread: 'id'" in done.err
    assert everything(tmp_path, without=("s.parquet", "home")) == []
    hidden = parquet.read_table(out)
    assert hidden.schema.equals(table.schema) and hidden["id"].equals(table["id"])
    assert set(hidden["name"].to_pylist()) == {None, "<name-1>"}
    assert gama("restore", out, "--out", back).code == 0
    assert parquet.read_table(back).equals(table.replace_schema_metadata())


def test_a_table_of_a_database_goes_and_comes_back(gama, tmp_path):
    pytest.importorskip("sqlalchemy")
    import sqlite3

    database = tmp_path / "s.db"
    with sqlite3.connect(database) as connection:
        connection.execute("create table people (id integer primary key, name varchar(20), notes text, age int)")
        rows = [(3 * n, SECRETS[0] if n % 4 else None, f"write to {SECRETS[1]}", n % 90) for n in range(230)]
        connection.executemany("insert into people values (?, ?, ?, ?)", rows)
    connection.close()
    url, box = f"sqlite:///{database}", tmp_path / "people.box"
    out, back = f"sqlite:///{tmp_path / 'o.db'}", f"sqlite:///{tmp_path / 'b.db'}"
    wrong = gama("anonymize", url, "--table", "persons", "--out", out, "--box", box)
    assert wrong.code == 2 and "'people'" in wrong.err
    assert gama("anonymize", url, "--table", "people", "--out", url, "--box", box).code == 2
    done = gama("anonymize", url, "--table", "people", "--out", out, "--box", box, "--workers", 2)
    assert done.code == 0 and "unread: 'id', 'age'" in done.err
    assert everything(tmp_path, without=("s.db", "home")) == []
    done = gama("restore", out, "--table", "people", "--box", box, "--out", back, "--out-table", "again")
    assert done.code == 0, done.err
    with sqlite3.connect(tmp_path / "b.db") as connection:
        assert connection.execute("select * from again order by id").fetchall() == rows
    connection.close()
    # Into another table of the same database; one that is there stays as it is.
    box = tmp_path / "again.box"
    assert gama("anonymize", url, "--table", "people", "--out", url, "--out-table", "people", "--box", box).code == 2
    done = gama("anonymize", url, "--table", "people", "--out", url, "--out-table", "hidden", "--box", box)
    assert done.code == 0, done.err


def test_mistakes_are_told_before_anything_is_written(gama, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    source = folder / "s.csv"
    source.write_text(f"name,notes\n{SECRETS[0]},none\n", encoding="utf-8")
    there = tmp_path / "there.csv"
    there.write_text("mine", encoding="utf-8")
    for arguments, said in (
        (("--out", tmp_path / "o.csv", "--columns", "nmae"), "no column 'nmae'. Columns: 'name', 'notes'."),
        (("--out", source), "is the source"),
        (("--out", there), "Name another --out"),
        (("--out", tmp_path / "no" / "o.csv"), "There is no folder"),
        (("--out", tmp_path / "o.csv", "--engine", "spark"), "--engine"),
        (("--out", tmp_path / "o.csv", "--ray-address", "auto"), "--ray-address"),
        (("--ray-address", "auto"), "--out"),
        (("--out", tmp_path / "o.csv", "--scope", "world"), "--scope"),
        (("--out", tmp_path / "o.csv", "--scope", "dataset", "--strategy", "surrogate"), "--scope"),
        (("--out", tmp_path / "o.csv", "--table", "t"), "--table"),
        (("--columns", "name"), "--out"),
    ):
        done = gama("anonymize", source, *arguments)
        assert done.code == 2 and said in done.err, (arguments, done.err)
    inside = gama("anonymize", folder, "--out", folder / "out")
    assert inside.code == 2 and "lies in it" in inside.err
    assert there.read_text() == "mine" and sorted(path.name for path in folder.iterdir()) == ["s.csv"]
    # An outcome of another run: other columns, or a source that has changed.
    out = tmp_path / "o.csv"
    assert gama("anonymize", source, "--out", out, "--workers", 1).code == 0
    written = out.read_bytes()
    assert gama("anonymize", source, "--out", out, "--columns", "name").code == 2
    source.write_text(f"name,notes\n{SECRETS[0]},more\n", encoding="utf-8")
    assert "belongs to another run" in gama("anonymize", source, "--out", out).err
    assert out.read_bytes() == written
    with out.open("a") as file:
        file.write("<name-1>,added\n")
    assert "more or fewer records" in gama("restore", out, "--out", tmp_path / "b.csv").err
    assert not (tmp_path / "b.csv").exists()


# Killed, and run again


def start(*arguments: object) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "gama", *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


def workers_of(process: subprocess.Popen) -> list[int]:
    """Return the processes of a run that do units; another child of it keeps track of shared resources."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return [int(pid) for pid in children if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def wait_for(there, process: subprocess.Popen) -> None:
    deadline = time.monotonic() + 300
    while not there() and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("scope", ["record", "dataset"])
def test_killed_workers_and_runs_lose_nothing_and_do_nothing_twice(gama, tmp_path, scope):
    source, out, whole = tmp_path / "s.jsonl", tmp_path / "o.jsonl", tmp_path / "w.jsonl"
    write_lines(source, 500)
    given = ("anonymize", source, "--scope", scope, "--workers", 2)
    assert gama(*given, "--out", whole).code == 0
    folder, draw, kills = tmp_path / "o.jsonl.gama", random.Random(20), 0
    for more in (1, 4, 6):
        process = start(*given, "--out", out)
        there = {path.name for path in folder.glob("*")}
        wait_for(
            lambda there=there, more=more: len({path.name for path in folder.glob("*.*")} - there) >= more, process
        )
        if process.poll() is None and (workers := workers_of(process)):
            os.kill(draw.choice(workers), signal.SIGKILL)
            kills += 1
        seen = len(list(folder.glob("*.*")))
        wait_for(lambda seen=seen: len(list(folder.glob("*.*"))) > seen, process)
        process.kill()
        said = process.communicate()[0]
        assert letters.hits(said) == []
        assert everything(tmp_path, without=("s.jsonl", "home")) == []
    assert kills
    done = gama(*given, "--out", out)
    assert done.code == 0 and "500 of 500" in done.err
    assert out.read_bytes() == whole.read_bytes()
    back = tmp_path / "b.jsonl"
    assert gama("restore", out, "--out", back).code == 0
    assert back.read_bytes() == source.read_bytes()
    left = {path.name for path in folder.iterdir()}
    assert left == {"manifest.json", "run.lock", "workers.lock"}


DYING = """
import os, signal, sys
from gama.serve.cli import main

replace, left = os.replace, int(sys.argv[1])

def dying(*given):
    global left
    replace(*given)
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    os.replace = dying
    sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.parametrize("scope", ["record", "dataset"])
def test_a_run_killed_after_any_of_its_writes_goes_on(gama, tmp_path, scope):
    source, out, script = tmp_path / "s.jsonl", tmp_path / "o.jsonl", tmp_path / "dying.py"
    texts = [f"Dear Sir, I am {SECRETS[0]}.", f"RE: {SECRETS[0].upper()}", "nothing private here"]
    source.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts) + "broken\n", encoding="utf-8")
    script.write_text(DYING)
    given = ["anonymize", str(source), "--out", str(out), "--scope", scope, "--workers", "1"]
    deaths = 0
    for writes in range(1, 30):
        run = [sys.executable, str(script), str(writes), *given]
        code = subprocess.run(run, capture_output=True, timeout=300).returncode
        if code == 9:
            break
        assert code == -signal.SIGKILL
        assert everything(tmp_path, without=("s.jsonl", "home")) == []
        deaths += 1
    assert deaths >= 3
    assert gama("anonymize", source, "--out", out, "--scope", scope, "--workers", 1).code == 9
    assert len(records(out)) == 3 and letters.hits(out.read_bytes()) == []
    assert [one["record"] for one in records(tmp_path / "o.jsonl.rejects.jsonl")] == [4]
    assert gama("restore", out, "--out", tmp_path / "b.jsonl").code == 0
    assert (tmp_path / "b.jsonl").read_bytes() == source.read_bytes().removesuffix(b"broken\n")
