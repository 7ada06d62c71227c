"""What the built-in expert tools say of themselves: `data/<name>.yaml` holds the description and the JSON schema."""

from collections.abc import Mapping
from importlib.resources import files
from typing import Any


def told(name: str) -> tuple[str, Mapping[str, Any]]:
    """Return the description of a tool and the schema of its arguments."""
    import yaml

    tree = yaml.safe_load((files("gama.tools.experts") / "data" / f"{name}.yaml").read_text(encoding="utf-8"))
    return tree["description"], tree["schema"]
