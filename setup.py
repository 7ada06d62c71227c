"""Refuses a checkout without symbolic links, whose wheel would hold no room; all else is in pyproject.toml."""

from pathlib import Path

from setuptools import setup

texts = [path for path in Path("src/gama").glob("[a-z]*") if path.is_file() and not path.suffix]
if texts:
    raise SystemExit(
        f"{texts[0].as_posix()} is a text where a link to a folder should be: this checkout has no symbolic links. "
        "Clone again with git clone -c core.symlinks=true (on Windows: in developer mode), or install the wheel."
    )
setup()
