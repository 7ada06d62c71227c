"""The assistant's verdict `{"contradiction": bool, "reason": str}`: its schema, and reading it."""

import re
from typing import Any, Final, NamedTuple

from gama.models.calls import without_thinking
from gama.models.objects import read_object

LONGEST_REASON = 60
"""Words of a reason that are kept; the prompt asks for at most 50 (spec 01 §1.6)."""

VERDICT_SCHEMA: Final[dict[str, Any]] = {
    "title": "verdict",
    "type": "object",
    "properties": {
        "contradiction": {"type": "boolean", "x-aliases": ["contradicted", "is_contradiction"]},
        "reason": {"type": "string", "default": "", "x-aliases": ["explanation"]},
    },
    "required": ["contradiction", "reason"],
    "additionalProperties": False,
}
"""What the assistant is asked for."""


class Verdict(NamedTuple):
    """Whether a contradiction was found, and why."""

    contradiction: bool
    reason: str


def read_verdict(text: str) -> Verdict | None:
    """Return the verdict in a reply, or None when there is none to be read (no verdict).

    Takes JSON as `read_object` does; then a clear sentence in words.
    """
    text = without_thinking(text)
    if (found := read_object(text, VERDICT_SCHEMA).data) is not None:
        return _verdict(found["contradiction"], found["reason"])
    return _from_words(text)


_NONE = re.compile(
    r"\b(?:no|not any|without)\s+(?:\w+\s+){0,2}contradictions?\b"
    r"|\bdoes\s+not\s+contradict\b|\b(?:is|are)\s+(?:\w+\s+)?consistent\b|\bcontradiction\W{1,4}(?:false|no|none)\b",
    re.IGNORECASE,
)
_SOME = re.compile(
    r"\bcontradiction\W{1,4}(?:true|yes)\b|\b(?:there\s+is|found|find)\s+a\s+contradiction\b|\bcontradicts\b|\bis\s+contradicted\b",
    re.IGNORECASE,
)


def _from_words(text: str) -> Verdict | None:
    none, some = _NONE.search(text), _SOME.search(text)
    if bool(none) == bool(some):
        return None
    return _verdict(some is not None, text.strip() if some else "")


def _verdict(found: bool, reason: str) -> Verdict:
    words = reason.split()
    return Verdict(found, " ".join(words[:LONGEST_REASON]) if found else "")
