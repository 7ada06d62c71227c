"""What the assistant is asked for: its verdicts' schemas, and reading `{"contradiction": bool, "reason": str}`."""

import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from gama.models.calls import without_thinking
from gama.models.objects import read_object

LONGEST_REASON = 60
"""Words of a reason that are kept; the prompt asks for at most 50 (spec 01 §1.6)."""


def _schema(
    title: str, flag: str, text: str, *, flags: Sequence[str] = (), texts: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the schema of a truth value with a text, which may be missing; both with the names taken for theirs."""
    return {
        "title": title,
        "type": "object",
        "properties": {
            flag: {"type": "boolean", "x-aliases": [*flags]},
            text: {"type": "string", "default": "", "x-aliases": [*texts]},
        },
        "required": [flag, text],
        "additionalProperties": False,
    }


VERDICT_SCHEMA: Final = _schema(
    "verdict", "contradiction", "reason", flags=["contradicted", "is_contradiction"], texts=["explanation"]
)
"""Whether there is a contradiction (`disprove`, `refute`, `verify`)."""

CHECK_SCHEMA: Final = _schema("check", "correct", "replacement", flags=["is_correct"], texts=["right_answer"])
"""Whether the answer to a sub-question is correct, and what is right instead (`check`)."""

OPINION_SCHEMA: Final = _schema("opinion", "agree", "objection", flags=["agrees", "agreed"])
"""Whether the partner agrees with the expert's steps, and what it objects (`discuss`)."""

APPROVAL_SCHEMA: Final = _schema("approval", "approved", "answer", flags=["approve"], texts=["new_answer"])
"""Whether the answer may go out, and the better one (`assure`)."""


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
