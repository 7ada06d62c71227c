"""Reading what the agents of the routes reply: votes, lists of questions, leading options. Objects: `objects`.

Models wrap JSON in prose and fences, write Python literals, and number their lines; all of that is
read. What cannot be read is None, and the caller says what that means.
"""

import ast
import json
import re
from collections.abc import Sequence
from typing import Any

from gama.models.calls import without_thinking
from gama.state.task import AnswerKind


def read_vote(text: str) -> bool | None:
    """Read a yes or a no: the first of the two words; None when there is neither."""
    found = re.search(r"\b(yes|no)\b", without_thinking(text), re.IGNORECASE)
    return found[1].lower() == "yes" if found else None


# One line of a list: "1. What …?", "- What …?"; headings and prose around it have no such mark.
_ITEM = re.compile(r"^\s*(?:\d{1,2}[.):]|[-*•])\s+(?P<text>\S.*)$", re.MULTILINE)


def read_questions(text: str) -> list[str]:
    """Read a JSON list of texts, or a numbered or dashed list; empty when there is none."""
    for found in reversed(_lists(text)):
        if isinstance(found, list) and found and all(isinstance(item, str) for item in found):
            return _different(found)
    return _different([match["text"].strip("*_ ") for match in _ITEM.finditer(without_thinking(text))])


def leading_option(text: str, kind: AnswerKind, options: Sequence[str] = ()) -> str | None:
    """Return which of a closed set an answer gives: `True` or `False`, or one of the options; None when it is open.

    The answer's first line decides, as the prompts ask for; of options that fit, the longest.
    """
    lines = [line for line in without_thinking(text).splitlines() if line.strip()]
    first = lines[0] if lines else ""
    if kind == "boolean":
        word = re.search(r"[A-Za-z]+", first)
        truth = {"true": True, "yes": True, "false": False, "no": False}.get(word[0].lower() if word else "")
        return None if truth is None else str(truth)
    if kind == "choice":
        said = normal(first)
        fits = [option for option in options if said == normal(option)]
        fits = fits or [o for o in options if re.search(rf"(?<!\w){re.escape(normal(o))}(?!\w)", said)]
        return max(fits, key=len) if fits else None
    return None


def normal(text: str) -> str:
    """Return a text in the form in which answers are compared: case, marks and spaces levelled.

    A text of marks alone, such as the option "+", is what it is.
    """
    return " ".join(re.findall(r"[^\W_]+(?:[.,]\d+)*", text.casefold())) or text.strip()


def in_words(text: str, most: int) -> str:
    """Cut a text to so many words."""
    words = text.split()
    return " ".join(words[:most]) + (" …" if len(words) > most else "")


def _different(items: Sequence[str]) -> list[str]:
    kept: dict[str, str] = {}
    for item in items:
        if plain := " ".join(item.split()):
            kept.setdefault(normal(plain), plain)
    return list(kept.values())


def _lists(text: str) -> list[Any]:
    """Return the JSON lists, or a Python one, in the order they stand."""
    text = without_thinking(text)
    decoder = json.JSONDecoder(strict=False)
    found: list[Any] = []
    at = text.find("[")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            found.append(value)
        at = text.find("[", end)
    return found or _literals(text)


_LONGEST_LITERAL = 20_000
"""Characters of a Python literal that is tried where JSON fails."""


def _literals(text: str) -> list[Any]:
    start, end = text.find("["), text.rfind("]")
    if start < 0 or end < start or end - start > _LONGEST_LITERAL:
        return []
    loose = re.sub(r",\s*([}\]])", r"\1", text[start : end + 1])
    try:
        return [json.loads(loose, strict=False)]
    except (ValueError, RecursionError):
        pass
    try:
        # Escapes that Python does not know would be warned of, on the user's screen.
        return [ast.literal_eval(re.sub(r"\\(?![\\'\"nrtbfux0-7])", r"\\\\", loose))]
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return []
