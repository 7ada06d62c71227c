"""What the list of threads shows of each: its first words and the time of its last run."""

from typing import Any

from gama.graph.client import Gama
from gama.state.errors import GamaError
from gama.state.restoring import Restoring
from gama.tools.placeholders.remapping import remap_text

MOST = 300
"""Threads that are looked into for one list."""
MOST_CHARS = 70
"""Of a title."""


def conversations(gama: Gama, names: list[str]) -> list[dict[str, Any]]:
    """Return `thread`, `title` and `when` of threads by their names inside, the latest first.

    The title is private: it has the values of the text in it. It is empty where no run has come to its end.
    """
    found = [_look(gama, name) for name in names[:MOST]]
    return sorted(found, key=lambda one: one["when"] or "", reverse=True)


def _look(gama: Gama, name: str) -> dict[str, Any]:
    config: Any = {"configurable": {"thread_id": name}}
    when, title = None, ""
    try:
        when = gama.graph.get_state(config).created_at
        # Cut before it is restored: the whole text is of no use here. A placeholder is never that long.
        head = gama.reply(name)["anonymized"][: 4 * MOST_CHARS]
        title = " ".join(remap_text(head, gama.box(name), Restoring()).text.split())
    except GamaError:
        pass
    return {"thread": name, "title": _cut(title), "when": when}


def _cut(title: str) -> str:
    return title if len(title) <= MOST_CHARS else f"{title[: MOST_CHARS - 1]}…"
