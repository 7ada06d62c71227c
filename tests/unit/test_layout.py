"""The house: packages, links, guards, names, sizes, quick imports."""

import ast
import importlib
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import gama
from tests.support.rooms import CONFIG, ROOMS, ROOT
from tests.support.rooms import modules as files


def test_every_room_is_linked_and_excluded():
    """The links make the rooms one package; linters follow none of them, and no room is imported by its bare name."""
    links = {path.name: path for path in (ROOT / "src" / "gama").iterdir() if path.suffix == "" and path.name in ROOMS}
    assert sorted(links) == ROOMS
    for room, link in links.items():
        if link.is_symlink():
            assert link.readlink() == Path("../..") / room
        else:  # a checkout without symbolic links has the target as the text of a file
            assert link.read_text(encoding="utf-8") == f"../../{room}"
    assert set(CONFIG["tool"]["ruff"]["extend-exclude"]) == {f"src/gama/{room}" for room in ROOMS}
    assert set(CONFIG["tool"]["ruff"]["lint"]["flake8-tidy-imports"]["banned-api"]) == {*ROOMS, "typing.TypedDict"}


def test_no_package_is_listed_by_hand():
    found = CONFIG["tool"]["setuptools"]
    assert found["packages"] == {"find": {"where": ["src"], "namespaces": False}} and "package-dir" not in found


def test_the_editable_install_is_a_path_and_no_import_hook():
    """Editors and type checkers follow a path; they run no hook."""
    code = "import sys, gama; print(gama.__file__, *[str(one) for one in sys.meta_path if 'editable' in str(one)])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, cwd=ROOT.parent)
    if "site-packages" not in done.stdout.decode():  # else the wheel is installed
        assert done.stdout.decode().split() == [str(ROOT / "src" / "gama" / "__init__.py")]


def modules() -> list[str]:
    # From the files, not from the package: a checkout without symbolic links has no rooms below src/gama.
    paths = [path.with_suffix("").parts for path in files() if path.parts[0] != "src"]
    return sorted(".".join(("gama", *parts)).removesuffix(".__init__") for parts in paths)


def test_every_module_imports():
    # A process of its own: what is imported here must not be counted as imported by other tests.
    assert len(modules()) > 100 and "gama.state.box" in modules() and "gama.state" in modules()
    names = [name for name in modules() if not name.endswith("__main__") and not name.startswith("gama.training")]
    code = f"import importlib\nfor name in {names!r}: importlib.import_module(name)"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, check=False, cwd=ROOT.parent
    )
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_refuses_to_be_imported_by_its_bare_name(room):
    done = subprocess.run([sys.executable, "-c", f"import {room}"], capture_output=True, check=False, cwd=ROOT)
    assert f"import it as gama.{room}" in done.stderr.decode()


def test_public_names():
    assert sorted(gama.__all__) == gama.__all__
    for name in gama.__all__:
        assert getattr(gama, name).__name__ == name
        assert name in dir(gama)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = gama.nothing


LONG = {
    "models/embedded.py": "the tagger whole: words and windows, what it reads once and again, and how its scores become spans",
    "privacy/identify.py": "what each view takes from the finders, by the rules for titles, instructions and other scripts",
    "state/box.py": "the bijection with all that it remembers of a conversation",
    "state/options.py": "the one table of all options",
    "tools/formulas/operations.py": "what each operator makes of each pair of kinds",
    "tools/formulas/reckoning.py": "the one evaluator",
}
"""Files of more than 440 lines, and why they are."""


def test_no_file_is_too_long_and_none_is_called_utils():
    assert not [path for path in files() if path.stem in ("utils", "helpers")]
    long = {str(path) for path in files() if len((ROOT / path).read_text("utf-8").splitlines()) > 440}
    assert long <= LONG.keys()


HEAVY = [
    "onnxruntime",
    "faiss",
    "sklearn",
    "torch",
    "transformers",
    "phonenumbers",
    "stdnum",
    "openai",
    "pandas",
    "scipy",
    "psycopg",
    "keyring",
]


@pytest.mark.parametrize(
    "name", ["gama", "gama.serve.cli", "gama.graph.client", "gama.graph.public_graph", "gama.privacy.anonymizer"]
)
def test_heavy_libraries_load_when_used(name):
    code = f"import sys, {name}\nprint(*[m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout.decode().split() == []


def test_the_public_half_loads_nothing_private():
    code = """
import sys
from collections import Counter
from gama.graph.public_graph import public
from gama.state.task import DomainRule, PublicTask
rule = DomainRule(domain="Law", term="High", score=0.5, prompt="You know Law.")
out = public().invoke({"task": PublicTask(text="The shop opens at nine. When does the shop open?", rules=(rule,))})
assert "nine" in out["answer"], out
private = ("gama.state.box", "gama.vault.seal", "gama.vault.keys", "gama.vault.cipher", "gama.guard.search", "gama.state.private_text", "gama.state.private",
           "gama.models.private", "gama.models.embedded", "gama.nodes.private", "gama.nodes.airlock",
           "gama.tools.recognizers", "gama.tools.placeholders")
print(*[m for m in sys.modules if m.startswith(private)])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.decode().split() == []


def test_every_entry_point_resolves():
    for group in CONFIG["project"]["entry-points"].values():
        for target in group.values():
            module, _, name = target.partition(":")
            assert callable(getattr(importlib.import_module(module), name))


def test_scripts_of_the_tests_find_the_standard_library():
    """A script's own folder comes first: a file named as a standard module would be imported in its place."""
    folder = ROOT / "tests" / "support"
    scripts = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    assert scripts and not scripts & sys.stdlib_module_names


def test_no_module_gives_one_name_to_two_things():
    """Of two constants or functions of one name the first is lost, and nothing says so."""
    twice = {}
    for path in files():
        made = Counter[str]()
        for node in ast.parse((ROOT / path).read_text("utf-8")).body:
            if isinstance(node, ast.Assign):
                made.update(target.id for target in node.targets if isinstance(target, ast.Name))
            elif isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.decorator_list:
                made[node.name] += 1
        twice[str(path)] = [name for name, count in made.items() if count > 1]
    assert not {path: names for path, names in twice.items() if names}
