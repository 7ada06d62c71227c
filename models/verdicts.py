"""Reading the assistant's verdict `{"contradiction": bool, "reason": str}` out of whatever a model wrote."""

import json
import re
from typing import Any, NamedTuple

LONGEST_REASON = 60
"""Words of a reason that are kept; the prompt asks for at most 50 (spec 01 §1.6)."""


class Verdict(NamedTuple):
    """Whether a contradiction was found, and why."""

    contradiction: bool
    reason: str


def read_verdict(text: str) -> Verdict | None:
    """Return the verdict in a reply, or None when there is none to be read (no verdict).

    Takes JSON with prose or fences around it, single quotes, Python literals and trailing commas;
    then a clear sentence in words.
    """
    text = re.sub(r"<think>.*?(?:</think>|$)", "", text, flags=re.DOTALL)
    for candidate in reversed(_objects(text)):
        if (found := _from_object(candidate)) is not None:
            return found
    return _from_words(text)


def _objects(text: str) -> list[str]:
    """Return the balanced `{…}` stretches of a text."""
    found, depth, start, quote = [], 0, 0, ""
    for at, char in enumerate(text):
        if quote:
            if char == quote and text[at - 1] != "\\":
                quote = ""
        elif char == '"' and depth:
            quote = char
        elif char == "{":
            start = at if depth == 0 else start
            depth += 1
        elif char == "}" and depth:
            depth -= 1
            if depth == 0:
                found.append(text[start : at + 1])
    return found


def _from_object(text: str) -> Verdict | None:
    value = _load(text)
    if not isinstance(value, dict):
        return None
    keys = {str(key).strip().casefold(): item for key, item in value.items()}
    found = keys.get("contradiction", keys.get("contradicted", keys.get("is_contradiction")))
    if isinstance(found, str):
        found = {"true": True, "yes": True, "false": False, "no": False}.get(found.strip().casefold())
    if not isinstance(found, bool):
        return None
    return _verdict(found, str(keys.get("reason", keys.get("explanation", "")) or ""))


def _load(text: str) -> Any:
    repaired = re.sub(r",\s*([}\]])", r"\1", text)
    loose = re.sub(
        r"(?<=[{,:\s])'((?:[^'\\]|\\.|'(?![,:}\s]))*)'(?=\s*[,:}])",
        lambda m: json.dumps(m[1].replace("\\'", "'")),
        repaired,
    )
    loose = re.sub(r"\bTrue\b", "true", re.sub(r"\bFalse\b", "false", re.sub(r"\bNone\b", "null", loose)))
    for attempt in (text, repaired, loose):
        try:
            return json.loads(attempt, strict=False)
        except ValueError:
            continue
    return None


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
