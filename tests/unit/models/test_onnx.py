"""onnxruntime reports nothing to its maker: no device id is kept, no host is asked for."""

import os
import subprocess
import sys

import pytest

READ = """
from gama.models.embedded import embedded_tagger
assert embedded_tagger().spans("My name is Emma Williams.")
"""
HARMLESS = {"ORT_DISABLE_TELEMETRY": "0"}


def made(home, code: str, environment: dict[str, str]) -> list[str]:
    """Run code with a home folder of its own; returns what onnxruntime has left there."""
    clean = {name: value for name, value in os.environ.items() if name not in ("XDG_CACHE_HOME", *HARMLESS)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=clean | {"HOME": str(home), "PYTHONPATH": os.pathsep.join(sys.path)} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [path.name for path in home.rglob("*") if "onnxruntime" in str(path)]


@pytest.mark.parametrize("environment", [{}, HARMLESS])
def test_nothing_is_kept_and_nothing_is_started(tmp_path, environment):
    assert made(tmp_path, READ, environment) == []


@pytest.mark.skipif(sys.platform != "linux", reason="where the library says that it reports")
def test_the_check_can_fail(tmp_path):
    """Without our switch the library does leave traces; an older one, or a build without reports, does not."""
    if not made(tmp_path, "import onnxruntime", {}):
        pytest.skip("this build of onnxruntime does not report")


def test_it_is_off_where_somebody_else_imported_it():
    code = (
        "import onnxruntime\ncalled = []\nonnxruntime.disable_telemetry_events = lambda: called.append(1)\n"
        "from gama.models.shipped import quiet_onnxruntime\nquiet_onnxruntime()\nassert called"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ | {"ORT_DISABLE_TELEMETRY": "1"})
