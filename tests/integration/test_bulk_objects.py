"""Lines and tables that lie in an object store, there and back: stores of fsspec that need no server."""

import json

import pytest

from tests.support import letters
from tests.support.commands import runner

fsspec = pytest.importorskip("fsspec")
pytestmark = pytest.mark.slow

SECRETS = letters.SECRETS
LINES = "".join(
    json.dumps({"id": n, "text": f"{SECRETS[0]} rang, write to {SECRETS[1]}"}) + "\n" for n in range(120)
).encode()


@pytest.fixture
def gama(capsys):
    return runner(capsys)


@pytest.fixture(params=["memory", "local"])
def base(request, tmp_path):
    """Return the URL of an empty folder."""
    if request.param == "local":
        yield f"local://{tmp_path}/store"
        return
    store = fsspec.filesystem("memory")
    yield "memory://store"
    store.rm("/store", recursive=True)


def put(url: str, data: bytes) -> None:
    store, path = fsspec.url_to_fs(url)
    store.makedirs(path.rpartition("/")[0], exist_ok=True)
    store.pipe_file(path, data)


def get(url):
    store, path = fsspec.url_to_fs(url)
    return store.cat_file(path)


def test_lines_go_from_store_to_store_and_come_back(gama, base, tmp_path):
    source, out, back, box = f"{base}/in.jsonl", f"{base}/out.jsonl", f"{base}/back.jsonl", tmp_path / "it.box"
    put(source, LINES + b"{broken\n")
    assert "--box" in gama("anonymize", source, "--out", out).err
    given = ("anonymize", source, "--out", out, "--box", box, "--columns", "text", "--workers", 1)
    done = gama(*given)
    assert done.code == 9 and "120 of 121 records written" in done.err and "'id'" in done.err, done.err
    hidden = get(out)
    assert letters.hits(hidden) == [] and len(hidden.splitlines()) == 120
    # Done already; then the source changes.
    assert gama(*given).code == 9 and get(out) == hidden
    put(source, LINES)
    assert "belongs to another run" in gama(*given).err
    assert "--box" in gama("restore", out, "--out", back).err
    done = gama("restore", out, "--box", box, "--out", back)
    assert done.code == 0 and get(back) == LINES, done.err


def test_tables_go_between_a_store_and_files(gama, base, tmp_path):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pa.table({"id": list(range(30)), "note": [f"No. {n}: {SECRETS[0]}, {SECRETS[1]}" for n in range(30)]})
    here, there = tmp_path / "s.parquet", f"{base}/s.parquet"
    parquet.write_table(table, here)
    put(there, here.read_bytes())
    given = ("--scope", "dataset", "--workers", 1)
    assert gama("anonymize", there, "--out", tmp_path / "o.parquet", *given).code == 0
    assert gama("anonymize", here, "--out", f"{base}/o.parquet", "--box", tmp_path / "b.box", *given).code == 0
    assert get(f"{base}/o.parquet") == (tmp_path / "o.parquet").read_bytes()
    assert gama("restore", f"{base}/o.parquet", "--box", tmp_path / "b.box", "--out", tmp_path / "b.parquet").code == 0
    assert parquet.read_table(tmp_path / "b.parquet").equals(table)
    put(f"{base}/s.csv", f"name,age\n{SECRETS[0]},41\n".encode())
    done = gama("anonymize", f"{base}/s.csv", "--out", tmp_path / "o.csv", "--workers", 1)
    assert done.code == 0 and (tmp_path / "o.csv").read_text() == "name,age\n<name-1>,<age-1>\n", done.err


def test_mistakes_are_told_before_anything_is_written(gama, base, tmp_path, monkeypatch):
    monkeypatch.setattr("gama.serve.bulk.objects.find_spec", lambda name: None if name == "gcsfs" else name)
    source, box = f"{base}/in.jsonl", ("--box", tmp_path / "it.box")
    put(source, LINES)
    put(f"{base}/letter.txt", letters.PLANTED.encode())
    (tmp_path / "letter.txt").write_text(letters.PLANTED, encoding="utf-8")
    for arguments, said in (
        ((source, "--out", source), "is the source"),
        ((source, "--out", f"{base}/letter.txt"), "Name another --out"),
        ((f"{base}/no.jsonl", "--out", tmp_path / "o.jsonl"), "There is no file"),
        ((f"{base}/letter.txt", "--out", tmp_path / "o.txt"), "jsonl, csv, tsv, parquet"),
        ((tmp_path / "letter.txt", "--out", f"{base}/o.txt"), "into a folder"),
        ((source, "--out", "sqlite:///x.db"), "option --out"),
        (("gs://bucket/in.jsonl", "--out", tmp_path / "o.jsonl"), 'pip install "gama-privacy[bulk]" gcsfs'),
    ):
        done = gama("anonymize", *arguments, *box)
        assert done.code == 2 and said in done.err, (arguments, done.err)
    assert get(source) == LINES and not (tmp_path / "it.gama").exists()


def test_what_cannot_be_written_whole_is_not_there(base, tmp_path):
    from gama.serve.bulk.objects import Remote
    from gama.state.errors import StoreError

    put(f"{base}/old.jsonl", b"old")
    for name in ("new.jsonl", "old.jsonl"):
        with pytest.raises(StoreError, match="ZeroDivisionError") as caught, Remote(f"{base}/{name}").writing() as file:
            file.write(SECRETS[0].encode())
            raise ZeroDivisionError(SECRETS[0])
        assert letters.hits(repr(caught.value).encode()) == []
    assert not Remote(f"{base}/new.jsonl").exists() and get(f"{base}/old.jsonl") == b"old"
