"""`gama anonymize --engine ray` as a user runs it: on this machine, and on two nodes of a cluster; killed, and gone on."""

import base64
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support import letters
from tests.support.commands import runner
from tests.support.rooms import ROOT

pytestmark = [
    pytest.mark.slow,
    # 240 MB, and more than a minute: `pip install -e '.[bulk-ray]'` runs them. How units are dealt to actors is tried
    # everywhere, in tests/unit/serve/test_ray_crew.py.
    pytest.mark.skipif(find_spec("ray") is None, reason="ray is no part of what the tests install"),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc"),
]

SECRETS = letters.SECRETS
DENIED = "zorblax quenthik"


class Cluster(NamedTuple):
    """Two nodes on this machine."""

    address: str
    logs: Path
    token: str

    def workers(self) -> dict[int, int]:
        """Return the processes that do units, with the node that each is of."""
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                named = (folder / "cmdline").read_bytes().startswith(b"ray::CarriedWorker")
                if named and self.token.encode() in (folder / "environ").read_bytes():
                    found[int(folder.name)] = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                continue
        return found


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    token = secrets.token_hex(32)
    # Sockets have short names only.
    logs = Path(tempfile.mkdtemp(prefix="gr"))
    nodes = subprocess.Popen(
        [sys.executable, "-m", "tests.support.ray_nodes", str(logs)], cwd=ROOT, text=True, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=os.environ | asking_for(token),
    )  # fmt: skip
    assert nodes.stdin is not None and nodes.stdout is not None
    try:
        yield Cluster(nodes.stdout.readline().strip(), logs, token)
    finally:
        nodes.stdin.close()
        nodes.wait(60)
        nodes.stdout.close()
        shutil.rmtree(logs, ignore_errors=True)


def asking_for(token: str) -> dict[str, str]:
    return {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": token, "RAY_USAGE_STATS_ENABLED": "0"}


@pytest.fixture
def gama(capsys):
    return runner(capsys)


def start(*arguments: object, **environment: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "gama", *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=os.environ | environment,
    )  # fmt: skip


def finished(process: subprocess.Popen) -> tuple[int, str]:
    said = process.communicate(timeout=600)[0]
    return process.returncode, said


def shown(folder: Path, *more: str) -> list[tuple[str, list[str]]]:
    """Return which files below a folder show a secret."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    found = []
    for path in files:
        data = path.read_bytes()
        hits = [*letters.hits(data), *(one for one in more if one.encode() in data)]
        found += [(path.name, hits)] if hits else []
    return found


def write_lines(path: Path, count: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        for n in range(count):
            name = SECRETS[0] if n % 2 else f"{DENIED} and Emma Williams"
            file.write(json.dumps({"id": n, "text": f"{name}: ring {SECRETS[3]} or write to {SECRETS[1]}"}) + "\n")
        file.write("{broken " + SECRETS[0] + "\n")


def same(one: Path, other: Path) -> None:
    """Check that two runs have written the same outcome, rejects and boxes; sets in a box have no order."""

    def ordered(told: object) -> object:
        if isinstance(told, dict):
            return {name: ordered(value) for name, value in told.items()}
        return sorted(map(ordered, told), key=json.dumps) if isinstance(told, list) else told

    assert one.read_bytes() == other.read_bytes()
    assert Path(f"{one}.rejects.jsonl").read_bytes() == Path(f"{other}.rejects.jsonl").read_bytes()
    boxes = ([ordered(json.loads(line)) for line in Path(f"{path}.box").open()] for path in (one, other))
    assert next(boxes) == next(boxes)


def outcome(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_ray_of_its_own_gives_what_processes_give_and_shows_nothing(gama, tmp_path, monkeypatch):
    source, by_ray, by_local = (tmp_path / name for name in ("s.jsonl", "r.jsonl", "l.jsonl"))
    write_lines(source, 120)
    monkeypatch.setenv("GAMA_KEY", base64.b64encode(secrets.token_bytes(32)).decode())
    given = ("anonymize", source, "--columns", "text", "--deny", DENIED, "--clear-box", "--workers", 2)
    logs = Path(tempfile.mkdtemp(prefix="gr"))
    try:
        code, said = finished(start(*given, "--out", by_ray, "--engine", "ray", RAY_TMPDIR=str(logs)))
        assert code == 9 and "120 of 121 records written" in said, said
        assert letters.hits(said.encode()) == [] and shown(logs, DENIED, os.environ["GAMA_KEY"]) == []
    finally:
        shutil.rmtree(logs, ignore_errors=True)
    assert gama(*given, "--out", by_local).code == 9
    same(by_ray, by_local)


def test_killed_actors_and_runs_on_two_nodes_lose_nothing_and_do_nothing_twice(gama, cluster, tmp_path, home):
    source, out, whole = tmp_path / "s.jsonl", tmp_path / "o.jsonl", tmp_path / "w.jsonl"
    write_lines(source, 300)
    given = ("anonymize", source, "--columns", "text", "--deny", DENIED, "--scope", "dataset", "--clear-box")
    assert gama(*given, "--out", whole, "--workers", 2).code == 9
    folder, ray = tmp_path / "o.jsonl.gama", ("--engine", "ray", "--ray-address", cluster.address, "--home", home)
    environment = asking_for(cluster.token)

    def pieces() -> int:
        return len(list(folder.glob("*.found"))) + len(list(folder.glob("*.done")))

    def wait_for(more: int, process: subprocess.Popen) -> None:
        deadline, before = time.monotonic() + 300, pieces()
        while pieces() < before + more and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert process.poll() is None, process.communicate()[0]

    process = start(*given, "--out", out, *ray, **environment)
    wait_for(2, process)
    workers = cluster.workers()
    assert len(set(workers.values())) == 2, "there is a worker on each node"
    os.kill(min(workers), signal.SIGKILL)
    wait_for(1, process)
    process.kill()
    assert letters.hits(process.communicate()[0].encode()) == []
    code, said = finished(start(*given, "--out", out, *ray, **environment))
    assert code == 9 and "300 of 301 records written" in said, said
    same(out, whole)
    assert {path.name for path in folder.iterdir()} == {"manifest.json", "run.lock", "workers.lock"}
    assert shown(cluster.logs, DENIED) == []
    # What anybody who looks at the cluster sees of its jobs.
    look = f"import ray; ray.init({cluster.address!r}); print(ray._private.state.state.job_table())"
    jobs = subprocess.run(
        [sys.executable, "-c", look], env=os.environ | environment, capture_output=True, text=True, check=True
    ).stdout
    assert "'Entrypoint': 'gama'" in jobs and DENIED not in jobs


def test_a_folder_by_a_cluster_gives_what_processes_give(gama, cluster, tmp_path, home):
    source = tmp_path / "source"
    (source / "sub").mkdir(parents=True)
    (source / "letter.txt").write_text(letters.PLANTED, encoding="utf-8")
    (source / "sub" / "people.csv").write_text(f"Name,Mail\n{SECRETS[0]},{SECRETS[1]}\n", encoding="utf-8")
    (source / "sub" / "thessaly-quornbeck.md").write_text(f"# {SECRETS[0]}\n\nIBAN {SECRETS[2]}\n", encoding="utf-8")
    (source / "photo.png").write_bytes(b"\x89PNG" + SECRETS[0].encode())
    assert gama("anonymize", source, "--out", tmp_path / "local", "--workers", 1).code == 9
    given = ("anonymize", source, "--engine", "ray", "--ray-address", cluster.address)
    environment = asking_for(cluster.token)
    code, said = finished(start(*given, "--out", tmp_path / "ray", "--home", home, **environment))
    assert code == 9 and "3 of 4 records written" in said, said
    assert outcome(tmp_path / "ray") == outcome(tmp_path / "local") and len(outcome(tmp_path / "ray")) == 3
    assert gama("restore", tmp_path / "ray", "--out", tmp_path / "back").code == 0
    assert (tmp_path / "back" / "letter.txt").read_text(encoding="utf-8") == letters.PLANTED
    assert shown(cluster.logs, "quornbeck") == []
