"""GAMA: answers tasks full of private data with a public LLM that never sees them.

The public names load on first use, so that `import gama` stays quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gama.graph.client import Gama
    from gama.graph.private_graph import build_graph
    from gama.middleware.privacy import PrivacyMiddleware
    from gama.privacy.anonymizer import Anonymizer
    from gama.privacy.box import PrivacyBox
    from gama.state.entities import Entity
    from gama.state.errors import LeakError
    from gama.state.options import Options

__version__ = "0.1.0"

_HOMES = {
    "Anonymizer": "gama.privacy.anonymizer",
    "Entity": "gama.state.entities",
    "Gama": "gama.graph.client",
    "LeakError": "gama.state.errors",
    "Options": "gama.state.options",
    "PrivacyBox": "gama.privacy.box",
    "PrivacyMiddleware": "gama.middleware.privacy",
    "build_graph": "gama.graph.private_graph",
}

__all__ = ["Anonymizer", "Entity", "Gama", "LeakError", "Options", "PrivacyBox", "PrivacyMiddleware", "build_graph"]


def __getattr__(name: str) -> object:
    """Load a public name from its home on first use."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'gama' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted([*globals(), *_HOMES])
