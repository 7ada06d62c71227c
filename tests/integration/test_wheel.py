"""The wheel: it holds every module and data file and no training data, and brings its types."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest

from tests.support.rooms import CONFIG, ROOMS, ROOT, kept, packages

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

MOST = 30_200_000
"""Bytes of a wheel, at most; the weights are the larger part, the index of public names has three millions, what the
evaluations carry and say a million."""
PROGRAM = """
from typing import reveal_type

from gama import Anonymizer

reveal_type(Anonymizer().anonymize("My name is Ada Obi.").text)
Anonymizer().anonymize(7)
"""


def run(*command: object, cwd: Path, ok: bool = True) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=env, capture_output=True, text=True, check=False
    )
    assert (done.returncode == 0) == ok, done.stdout[-3000:] + done.stderr[-3000:]
    return done


def build(source: Path, out: Path, ok: bool = True) -> subprocess.CompletedProcess[str]:
    pytest.importorskip("build")
    command = [sys.executable, "-W", "ignore", "-m", "build", "--wheel", "--outdir", out]
    return run(*command, cwd=source, ok=ok)


@pytest.fixture(scope="module")
def above(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the files in it that is called `gama`, as the README's clone is."""
    folder = tmp_path_factory.mktemp("above")
    left_out = shutil.ignore_patterns(".*", "*.egg-info", "__pycache__", "build", "dist", "tests", "*.stamp")
    shutil.copytree(ROOT, folder / "gama", symlinks=True, ignore=left_out)
    return folder


@pytest.fixture(scope="module")
def wheel(above: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("out")
    build(above / "gama", out)
    (made,) = out.glob("gama_privacy-*.whl")
    return made


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An interpreter with the wheel installed; its dependencies are those of the running one."""
    there = tmp_path_factory.mktemp("there")
    run(sys.executable, "-m", "venv", there, cwd=there)
    found = there / ("Scripts" if os.name == "nt" else "bin") / "python"
    quiet = ("--quiet", "--disable-pip-version-check", "--no-deps")
    run(found, "-m", "pip", "install", *quiet, wheel, cwd=there)
    (site,) = there.glob("[Ll]ib/**/site-packages")
    ours = [path for path in sys.path if path.endswith("site-packages")]
    (site / "dependencies.pth").write_text("\n".join(ours), encoding="utf-8")
    yield found


def test_it_holds_every_module_and_data_file_and_no_training_data(wheel):
    names = [PurePosixPath(name) for name in zipfile.ZipFile(wheel).namelist()]
    held = {name.relative_to("gama") for name in names if name.parts[0] == "gama"}
    face = {path.relative_to("src/gama") for path in kept("src/gama")}
    wanted = face | {
        path
        for path in kept(*ROOMS)
        if not str(path).startswith(("training/records/", "training/tasks/", "training/seal/simulated/"))
    }
    assert {PurePosixPath(path) for path in wanted} == held
    assert [path for path in kept("training") if path.parts[1] == "records"], "there are records to leave out"
    assert PurePosixPath("py.typed") in held
    inits = [".".join(name.parent.parts) for name in names if name.name == "__init__.py"]
    assert sorted(inits) == packages()
    assert any(name.match("gama_privacy-*.dist-info/licenses/LICENSE") for name in names)


def test_it_is_small_enough(wheel):
    assert wheel.stat().st_size < MOST


def test_a_folder_above_a_clone_imports_the_package_and_not_the_clone(above, python):
    """Where a clone is called `gama`, Python finds it from the folder above, as an empty namespace package."""
    code = "import gama, json; print(json.dumps([gama.__file__, gama.__version__]))"
    file, version = json.loads(run(python, "-c", code, cwd=above).stdout)
    assert python.parents[1] in Path(file).parents and version == CONFIG["project"]["version"]
    file, version = json.loads(run(sys.executable, "-c", code, cwd=above).stdout)
    assert above not in Path(file).parents and version == CONFIG["project"]["version"]
    assert run(python, "-m", "gama", "version", cwd=above).stdout.strip() == version


def test_a_type_checker_sees_the_types_of_the_installed_package(python, tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    command = ["-m", "pyright", "--outputjson", "--pythonpath", python, "program.py"]
    told = json.loads(run(sys.executable, *command, cwd=tmp_path, ok=False).stdout)["generalDiagnostics"]
    said = [(one["severity"], one["message"]) for one in told]
    assert ("information", 'Type of "Anonymizer().anonymize("My name is Ada Obi.").text" is "str"') in said
    (wrong,) = [message for severity, message in said if severity == "error"]
    assert '"Literal[7]" is not assignable to "str"' in wrong


@pytest.mark.skipif(shutil.which("git") is None or not (ROOT / ".git").exists(), reason="no clone")
def test_a_clone_without_symbolic_links_says_what_it_lacks(tmp_path):
    """Nothing can be built there: docs/contributing.md says so, and how to clone."""
    run("git", "clone", "--quiet", "--depth=1", "-c", "core.symlinks=false", ROOT.as_uri(), "gama", cwd=tmp_path)
    clone = tmp_path / "gama"
    assert (clone / "src/gama/state").read_text(encoding="utf-8") == "../../state"
    shutil.copy(ROOT / "setup.py", clone)
    done = build(clone, tmp_path, ok=False)
    assert "git clone -c core.symlinks=true" in done.stdout + done.stderr
    assert "core.symlinks=true" in (ROOT / "docs/contributing.md").read_text(encoding="utf-8")
