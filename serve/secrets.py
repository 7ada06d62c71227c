"""Secrets by file: `NAME_FILE` names a file that holds what `NAME` would, as containers and systemd hand them over."""

import os
from pathlib import Path

from gama.state.errors import OptionError

SECRETS = (
    "GAMA_KEY", "GAMA_UPSTREAM_KEY", "GAMA_ANTHROPIC_KEY", "GAMA_PUBLIC_API_KEY", "GAMA_PUBLIC_GRAPH_KEY",
    "GAMA_MCP_TOKEN", "GAMA_STORE", "GAMA_THREAD_KEYS", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "PGPASSWORD",
)  # fmt: skip
"""Variables that may lie in a file."""

_LONGEST = 65_536


def read_secrets() -> None:
    """Set each variable whose file is named, for this process and those it starts; the name of the file goes.

    Raises:
        OptionError: a file cannot be read or is empty, or the variable is set as well.
    """
    for name in SECRETS:
        path = os.environ.get(f"{name}_FILE")
        if not path:
            continue
        if os.environ.get(name):
            raise OptionError(f"{name} and {name}_FILE are both set: leave one out")
        try:
            content = Path(path).read_bytes()[: _LONGEST + 1]
            value = content.decode("utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or type(error).__name__
            value, content = "", b""
        else:
            reason = "it is empty" if not value else "it is too long"
        if not value or len(content) > _LONGEST or "\0" in value:
            raise OptionError(f"{name}_FILE names {path!r}, which cannot be used: {reason}")
        os.environ[name] = value
        del os.environ[f"{name}_FILE"]
