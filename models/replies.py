"""What the agents are asked for and what they reply: votes, questions, answers and their majority, verdicts.

Models wrap what they are asked for in prose, and number their lines; all of that is read. What cannot be read is None,
and the caller says what that means.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from gama.models.calls import without_thinking
from gama.models.json_replies import read_lists, read_object
from gama.state.public import ExpertAnswer
from gama.state.task import TERMS, AnswerKind


def read_vote(text: str) -> bool | None:
    """Read a yes or a no: the first of the two words; None when there is neither."""
    found = re.search(r"\b(yes|no)\b", without_thinking(text), re.IGNORECASE)
    return found[1].lower() == "yes" if found else None


# One line of a list: "1. What …?", "- What …?"; headings and prose around it have no such mark.
_ITEM = re.compile(r"^\s*(?:\d{1,2}[.):]|[-*•])\s+(?P<text>\S.*)$", re.MULTILINE)


def read_questions(text: str) -> list[str]:
    """Read a JSON list of texts, or a numbered or dashed list; empty when there is none."""
    for found in reversed(read_lists(text)):
        if found and all(isinstance(item, str) for item in found):
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


def weighted_majority(
    answers: Sequence[ExpertAnswer], kind: AnswerKind = "open", options: Sequence[str] = ()
) -> ExpertAnswer:
    """Return the answer most weight stands behind: of equal answers, the strongest expert's; of equal sums, the first.

    Answers are compared in normal form; where a task has a closed set of answers, by which of them
    they give. A term weighs its place, 1 (Extremely Low) to 6 (Extremely High).

    Args:
        answers: at least one.
        kind: what sort of answer was asked for.
        options: the closed set of a choice.
    """
    weights: defaultdict[str, int] = defaultdict(int)
    groups: defaultdict[str, list[ExpertAnswer]] = defaultdict(list)
    for answer in answers:
        form = leading_option(answer.text, kind, options) or normal(answer.text)
        weights[form] += weight(answer)
        groups[form].append(answer)
    return max(groups[max(weights, key=lambda form: weights[form])], key=weight)


def weight(answer: ExpertAnswer) -> int:
    """Return what an expert's answer weighs by the term of its rule."""
    return TERMS.index(answer.term) + 1


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
