"""The house as it lies on the disk: its root, its rooms, its settings, and the files that git keeps."""

import subprocess
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
CONFIG: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
ROOMS = sorted(path.parent.name for path in ROOT.glob("*/__init__.py") if path.parent.name != "tests")
"""The folders at the root that are packages of `gama`."""


def modules() -> list[Path]:
    """Return every Python file of the package, relative to the root; also in a checkout without links."""
    found = [path for room in [*ROOMS, "src/gama"] for path in (ROOT / room).rglob("*.py")]
    return sorted({path.relative_to(ROOT) for path in found if path.resolve() == path.absolute()})


def packages() -> list[str]:
    """Return the dotted names of the packages that the folders make."""
    rooms = [path.parent for path in modules() if path.name == "__init__.py" and path.parts[0] != "src"]
    return sorted(["gama", *("gama." + ".".join(folder.parts) for folder in rooms)])


def kept(*folders: str) -> list[Path]:
    """Return the files below some folders that git keeps or would keep, relative to the root; all where git is not."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *folders]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    if done.returncode == 0:
        found = {Path(name) for name in done.stdout.decode().split("\0") if name}
    else:
        every = [path for folder in folders for path in (ROOT / folder).rglob("*")]
        found = {path.relative_to(ROOT) for path in every if "__pycache__" not in path.parts}
    return sorted(path for path in found if (ROOT / path).is_file())
