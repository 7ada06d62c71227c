"""What sort of answer a task asks for: true or false, one of listed options, or an open one.

Deterministic rules on the task's text. A task with several questions, or with a request for a text,
is open: a single word would not answer it.
"""

import re
from typing import NamedTuple

from gama.state.task import AnswerKind


class TaskKind(NamedTuple):
    """The sort of answer, and the options of a closed set."""

    kind: AnswerKind
    options: tuple[str, ...] = ()


# A question that begins with a verb which only yes or no can answer ("Is …?", "Did …?").
_YES_NO = re.compile(
    r"(?:^|[.!?:\n]\s*)(?:and\s+|so\s+|but\s+)?(?:is|are|was|were|am|do|does|did|has|have|had|can|could|may|might|must|"
    r"shall|should|will|would)(?:n['’]t)?\s+[^.!?\n]{3,300}\?",
    re.IGNORECASE,
)
# The task itself says that it wants one of the two words.
_TRUE_FALSE = re.compile(r"\b(?:true or false|yes or no|answer (?:only )?(?:with )?(?:true|yes))\b", re.IGNORECASE)
# A wish in the form of a question: "Could you write …?" asks for a text, not for yes or no.
_WISH = re.compile(
    r"\b(?:can|could|would|will)\s+you\b"
    r"|\b(?:please|tell me|explain|write|draft|summari[sz]e|list|describe|advise|help)\b",
    re.IGNORECASE,
)
# An alternative ("Should I sue or wait?") is not answered by yes or no; "… or not?" is.
_ALTERNATIVE = re.compile(r"\bor\b(?!\s+not\b)", re.IGNORECASE)
# One option of a list: "A) text", "(b) text", "1. text", "choice: text".
_OPTION = re.compile(
    r"^[ \t]*(?:\(?(?P<mark>[A-Ha-h]|\d{1,2})[).:]|choice\s*:)[ \t]+(?P<text>\S[^\n]{0,200})$", re.MULTILINE
)
_CHOOSE = re.compile(r"\b(?:which|choose|pick|select|one of|option|options|choice|choices)\b", re.IGNORECASE)


def kind_of_task(text: str) -> TaskKind:
    """Return the sort of answer a task asks for.

    Args:
        text: the task, anonymized: options are taken from it as they stand.
    """
    options = tuple(" ".join(match["text"].split()) for match in _OPTION.finditer(text))
    if 2 <= len(options) <= 20 and len(set(options)) == len(options) and _CHOOSE.search(text):
        return TaskKind("choice", options)
    questions = re.findall(r"[^.!?\n]*\?", text)
    if _TRUE_FALSE.search(text):
        return TaskKind("boolean")
    if len(questions) == 1 and _YES_NO.search(text) and not (_WISH.search(text) or _ALTERNATIVE.search(questions[0])):
        return TaskKind("boolean")
    return TaskKind("open")
