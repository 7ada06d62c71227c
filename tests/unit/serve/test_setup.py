"""Setting up: the Makefile, and what CI runs."""

import os
import re
import shutil
import subprocess

import pytest

from tests.support.rooms import ROOT

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
TARGETS = {"help", "run", "quick", "unit", "test", "soak", "check", "fuzz", "fmt", "studio", "clean"}
PLACES = ("HOME", "KEY", "KEY_SOURCE", "STORE", "THREAD_KEYS", "RETENTION")


@needs_make
def test_help_names_every_target():
    done = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert set(re.findall(r"^  make (\w+)", done.stdout, re.M)) == TARGETS
    assert set(re.search(r"\.PHONY: (.*)", MAKEFILE)[1].split()) == TARGETS


@needs_make
def test_a_fresh_copy_installs_once_and_a_ready_one_not_at_all(tmp_path):
    (tmp_path / "accurate").mkdir()
    for name in ("Makefile", "pyproject.toml", "constraints.txt", "accurate/pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)

    def steps() -> str:
        command = ["make", "-n", "-j2", "--no-print-directory", "run", "test", "check"]
        # The tests may run under `make test`: its flags are not this make's.
        alone = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
        return subprocess.run(command, cwd=tmp_path, env=alone, capture_output=True, text=True, check=True).stdout

    fresh = steps()
    assert fresh.count("-m venv") == 1
    assert re.findall(r"--editable (\S+)", fresh) == [".", "./accurate", "'.[dev]'", "'.[test]'"]
    assert ".ci/programs" in fresh and fresh.count("--quiet") == 3, "pip is quiet, and what it does is told"
    assert fresh.count("installing ") == fresh.count("  done in ") == 3
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    for name in ("bin/python", "run.stamp", "dev.stamp", "test.stamp"):
        (tmp_path / ".venv" / name).touch()
    ready = steps()
    assert "install" not in ready and ".ci/programs" not in ready
    assert "gama ask examples/letter.txt" in ready and "lint-imports" in ready
    os.utime(tmp_path / "pyproject.toml", (2**32, 2**32))
    assert "--editable" in steps(), "a changed pyproject installs anew"


@needs_make
def test_an_unfit_python_is_refused_with_the_cure(tmp_path):
    shutil.copy(ROOT / "Makefile", tmp_path)
    done = subprocess.run(
        ["make", ".venv/bin/python", "PYTHON=false"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0 and "make PYTHON=python3.11" in done.stderr


def test_ci_runs_check_and_test():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert script.startswith("#!/usr/bin/env bash\n") and "set -euo pipefail" in script
    assert script.index("make check") < script.index("make test")
    assert "GAMA_TESTS_COMPLETE=1 part test make test" in script, "a skipped group is a failure"
    assert 'git clone --quiet . "$above/gama"' in script, "from the folder above, as a newcomer"
    if os.name == "posix":
        assert all(os.access(ROOT / ".ci" / name, os.X_OK) for name in ("run", "programs"))


def test_the_environment_file_names_what_is_read():
    from gama.state.options import Options

    text = (ROOT / ".env.example").read_text(encoding="utf-8")
    assert not [line for line in text.splitlines() if line and not line.startswith("#")], "nothing is set by copying it"
    for name in re.findall(r"^#GAMA_(\w+)=", text, re.M):
        server = ("KEYS", "UPSTREAM", "UPSTREAM_KEY", "ANTHROPIC", "ANTHROPIC_KEY", "MCP_TOKEN")
        assert name in (*PLACES, "PUBLIC_MODELS", *server) or name.lower() in Options.model_fields
