"""How many files a question passes, and how many pairs of them call each other: what a reader has to hold at once."""

import subprocess
import sys

import pytest

from tests.support.rooms import ROOT
from tests.support.walk import Profile, Walk

FILES = 124
"""At most these are visited."""
PAIRS = 4
"""At most these call each other."""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The lines of a walk, in a process of its own: what is loaded here already would not be counted."""
    code = "import sys; from tests.support import walk;sys.stderr.reconfigure(encoding='utf-8'); walk.main()"
    home = tmp_path_factory.mktemp("home")
    command = [sys.executable, "-c", f"import os; os.environ['GAMA_HOME'] = {str(home)!r}; {code}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()[-3000:]
    return done.stderr.decode("utf-8").splitlines()


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_question_passes_few_files(told):
    (files,) = [int(line.split()[0]) for line in told if line.endswith(" files")]
    assert files <= FILES, "\n".join(told)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_few_files_call_each_other(told):
    (pairs,) = [int(line.split()[0]) for line in told if line.endswith(" mutual pairs")]
    assert pairs <= PAIRS, "\n".join(told)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_walk_is_the_whole_way(told):
    """It passes the airlock and both halves, else it has counted nothing."""
    names = [line.split()[-1] for line in told]
    assert {"nodes/airlock.py", "guard/search.py", "state/box.py"} <= set(names)
    assert any(name.startswith("nodes/public/") for name in names)
    assert any(name.startswith("nodes/private/") for name in names)
    assert not any(".venv" in name or name.startswith("tests/") for name in names)


def test_pairs_are_those_that_call_both_ways():
    walk = Walk({"a": 2, "b": 1, "c": 1}, frozenset({("a", "b"), ("b", "a"), ("b", "c"), ("c", "a")}))
    assert walk.mutual == [("a", "b")] and walk.lines()[-3:] == ["3 files", "a <-> b", "1 mutual pairs"]


def test_only_calls_within_the_package_are_noted():
    from gama.state.options import Options

    walk = Profile().walk(lambda: Options(k=2))
    assert all((ROOT / name).is_file() for name in walk.files) and sys.getprofile() is None
