"""Setting up: the Makefile, and a wheel with everything in it."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
TARGETS = {"help", "run", "extras", "test", "check", "fmt", "studio", "clean", "fuzz"}
PLACES = ("HOME", "KEY", "KEY_SOURCE", "STORE", "THREAD_KEYS", "RETENTION")


@needs_make
def test_help_names_every_target():
    done = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert set(re.findall(r"^  make (\w+)", done.stdout, re.M)) == TARGETS
    assert set(re.search(r"\.PHONY: (.*)", MAKEFILE)[1].split()) == TARGETS


@needs_make
def test_a_fresh_copy_installs_once_and_a_ready_one_not_at_all(tmp_path):
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)

    def steps() -> str:
        command = ["make", "-n", "-j2", "--no-print-directory", "run", "test", "check"]
        # The tests may run under `make test`: its flags are not this make's.
        alone = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
        return subprocess.run(command, cwd=tmp_path, env=alone, capture_output=True, text=True, check=True).stdout

    fresh = steps()
    assert fresh.count("-m venv") == 1
    assert re.findall(r"--editable (\S+)", fresh) == [".", "'.[dev]'"]
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    for name in ("bin/python", "run.stamp", "dev.stamp"):
        (tmp_path / ".venv" / name).touch()
    ready = steps()
    assert "install" not in ready and "gama ask examples/letter.txt" in ready and "lint-imports" in ready
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
    if os.name == "posix":
        assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_the_environment_file_names_what_is_read():
    from gama.state.options import Options

    text = (ROOT / ".env.example").read_text(encoding="utf-8")
    assert not [line for line in text.splitlines() if line and not line.startswith("#")], "nothing is set by copying it"
    for name in re.findall(r"^#GAMA_(\w+)=", text, re.M):
        server = ("KEYS", "UPSTREAM", "UPSTREAM_KEY", "ANTHROPIC", "ANTHROPIC_KEY", "MCP_TOKEN")
        assert name in (*PLACES, "PUBLIC_MODELS", *server) or name.lower() in Options.model_fields


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_wheel_holds_every_module_and_data_file(tmp_path):
    pytest.importorskip("build")
    source, out, there = tmp_path / "source", tmp_path / "out", tmp_path / "there"
    left_out = shutil.ignore_patterns(".*", "*.egg-info", "__pycache__", "build", "dist", "tests", "*.stamp")
    shutil.copytree(ROOT, source, symlinks=True, ignore=left_out)
    command = [sys.executable, "-W", "ignore", "-m", "build", "--wheel", "--outdir", str(out)]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    subprocess.run([sys.executable, "-m", "venv", str(there)], check=True)
    python = there / ("Scripts" if os.name == "nt" else "bin") / "python"
    wheel = next(out.glob("gama_privacy-*.whl"))
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    script = "import gama, json, pathlib; print(json.dumps([gama.__file__, gama.__version__]))"
    shown = subprocess.run(
        [str(python), "-c", script], cwd=tmp_path, env=env, capture_output=True, text=True, check=True
    )
    file, version = json.loads(shown.stdout)
    home = Path(file).parent
    assert there in home.parents
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert version == config["project"]["version"]
    rooms = {name.removeprefix("gama."): name for name in config["tool"]["setuptools"]["package-dir"] if name != "gama"}
    listed = subprocess.run(["git", "ls-files", "-z", *rooms], cwd=ROOT, capture_output=True, check=False)
    names = listed.stdout.decode().split("\0") if listed.returncode == 0 else []
    names = [n for n in names if n] or [str(p.relative_to(ROOT)) for room in rooms for p in (ROOT / room).rglob("*.*")]
    wanted = {name for name in names if "__pycache__" not in name and (ROOT / name).is_file()}
    assert len(wanted) > 100
    missing = {name for name in wanted if not (home / name).is_file()}
    assert not missing
    assert (home / "py.typed").is_file()
    assert list((home.parent).glob("gama-*.dist-info/licenses/LICENSE"))
