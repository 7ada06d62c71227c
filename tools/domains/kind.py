"""What sort of answer a task asks for: true or false, one of listed options, or an open one.

Deterministic rules on the task's text. A closed form is one that the task states; all else is open, and so is a task
with several questions: a single word would not answer it.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from gama.state.task import AnswerKind


class TaskKind(NamedTuple):
    """The sort of answer, and the options of a closed set."""

    kind: AnswerKind
    options: tuple[str, ...] = ()


# The task itself says that it wants one of two words. "Is it open?" and "Have you seen this?" do not: what answers them
# may be "only on Sundays".
_TRUE_FALSE = re.compile(
    r"\b(?:true or false|yes or no|yes/no|true/false|answer (?:only )?(?:with )?(?:true|yes)|wahr oder falsch|"
    r"richtig oder falsch|ja oder nein|vrai ou faux|oui ou non|verdadero o falso|sí o no|vero o falso|sì o no|"
    r"waar of onwaar|ja of nee|sant eller falskt|ja eller nej|"
    r"prawda (?:czy|lub) fałsz|tak (?:czy|lub) nie|verdadeiro ou falso|sim ou não)\b",
    re.IGNORECASE,
)
# It wants that word and nothing else: "answer only yes or no", "nur mit Ja oder Nein antworten", "in one word".
_ANSWER = r"(?:answer|reply|respond|antwort|répond|respuesta|contest|rispond|antwoord|svara|odpowiedz|respost)\w*"
_ONLY = (
    r"(?:only|just|nothing but|nur|lediglich|uniquement|seulement|sólo|solo|solamente|únicamente|soltanto|alleen|"
    r"slechts|endast|bara|tylko|wyłącznie|apenas|somente)"
)
_SHORT = re.compile(
    rf"\b(?:{_ANSWER}\b[^.?!\n]{{0,60}}\b{_ONLY}|{_ONLY}\b[^.?!\n]{{0,60}}\b{_ANSWER}|(?:one|(?:a|the) single) word|"
    r"einem wort|un seul mot|una (?:sola )?(?:palabra|parola)|één woord|ett ord|jednym słowem|uma (?:só )?palavra|"
    r"(?:no|without) (?:an? )?(?:explanation|reason)s?|"
    r"(?:answer|reply|respond) (?:with )?(?:true or false|yes or no|true|yes))\b",
    re.IGNORECASE,
)
# Which word is wanted for which case: however many questions the text has, one word is the answer.
_THE_WORD = re.compile(r"\bthe (?:(?:single|one) )?word [\"'“‘]?(?:true|false|yes|no)\b", re.IGNORECASE)
# One option of a list: "A) text", "(b) text", "1. text", "choice: text".
_OPTION = re.compile(
    r"^[ \t]*(?:\(?(?P<mark>[A-Ha-h]|\d{1,2})[).:]|choice\s*:)[ \t]+(?P<text>\S[^\n]{0,200})$", re.MULTILINE
)
_CHOOSE = re.compile(
    r"\b(?:choose|pick|select|one of|options?|choices?|(?:which|what) (?:of|one|is|are|answer|statement)|following|"
    r"correct)\b",
    re.IGNORECASE,
)
# The same behind a list, where a question about what it says ("What is the number of the house?") stands as often.
_CHOOSE_AFTER = re.compile(
    r"\b(?:choose|pick|select|(?:one|which) of (?:these|them|those|the (?:above|options|answers|statements))|options?|"
    r"choices?|which (?:one|answer|option|statement)|correct (?:one|answer|option|statement))\b",
    re.IGNORECASE,
)


def kind_of_task(text: str) -> TaskKind:
    """Return the sort of answer a task asks for.

    Args:
        text: the task, anonymized: options are taken from it as they stand.
    """
    lists = [options for marks in _lists(text) if (options := _options(text, marks))]
    if len(lists) == 1:
        return TaskKind("choice", lists[0])
    if _THE_WORD.search(text) or (_TRUE_FALSE.search(text) and text.count("?") <= 1):
        return TaskKind("boolean")
    return TaskKind("open")


def _lists(text: str) -> list[list[re.Match[str]]]:
    """Return the items of each list: a list ends where its numbers begin anew or another sort of mark stands."""
    lists: list[list[re.Match[str]]] = []
    for match in _OPTION.finditer(text):
        sort = _sort(match)
        if not lists or sort != _sort(lists[-1][-1]) or (match["mark"] or "").lower() in ("1", "a"):
            lists.append([])
        lists[-1].append(match)
    return lists


def _sort(match: re.Match[str]) -> str:
    mark = match["mark"]
    return "choice" if mark is None else "number" if mark.isdigit() else "letter"


def _options(text: str, marks: Sequence[re.Match[str]]) -> tuple[str, ...]:
    """Return the items of a list that one is to choose from; nothing where it is another, as stand in many a letter.

    What a list is for stands in the line before it, behind the last one, or it says so itself.
    """
    options = tuple(" ".join(match["text"].split()) for match in marks)
    if not 2 <= len(options) <= 20 or len(set(options)) < len(options):
        return ()
    before = text[: marks[0].start()].rstrip().rpartition("\n")[2]
    after = text[marks[-1].end() :].strip().partition("\n")[0]
    if _OPTION.search(text, marks[-1].end()):
        after = ""
    chosen = marks[0]["mark"] is None or _CHOOSE.search(before) or _CHOOSE_AFTER.search(after)
    return options if chosen else ()


def asks_short(text: str) -> bool:
    """Return whether a task asks for the closed answer alone, without a reason."""
    return _SHORT.search(text) is not None or _THE_WORD.search(text) is not None
