"""Options are typed in the editor: mypy and pyright find the mistakes that are planted, and no other."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

FILE = Path(__file__).with_name("options.py")
ROOT = FILE.parents[2]
PLANTED = {number for number, line in enumerate(FILE.read_text("utf-8").splitlines(), 1) if line.endswith("# error")}
pytestmark = pytest.mark.slow


def checked(*command: str) -> str:
    """Run a type checker on the file, on the package as it stands in `src`."""
    done = subprocess.run(
        [sys.executable, "-m", *command, str(FILE)], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    return done.stdout + done.stderr


def test_mypy_finds_what_is_wrong(tmp_path):
    pytest.importorskip("mypy")
    told = checked("mypy", "--follow-imports=silent", f"--cache-dir={tmp_path}")
    found = re.findall(rf"{FILE.name}:(\d+): error", told)
    assert {int(number) for number in found} == PLANTED, told


def test_pyright_finds_what_is_wrong():
    pytest.importorskip("pyright")
    told = checked("pyright", "--outputjson", "--pythonpath", sys.executable)
    found = json.loads(told[told.index("{") :])["generalDiagnostics"]
    lines = {one["range"]["start"]["line"] + 1 for one in found if one["severity"] == "error"}
    assert lines == PLANTED, found
