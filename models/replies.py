"""What the agents are asked for and what they reply: votes, questions, answers and their majority, verdicts.

Models wrap what they are asked for in prose, and number their lines; all of that is read. What cannot be read is None,
and the caller says what that means.
"""

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
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


# The line that the prompts ask for at the end: "Answer: True", "**Final answer:** B) blue", "Antwort: Nein".
_TAGGED = re.compile(
    r"^[\s*_#>-]*(?:final |endgültige )?(?:answer|antwort|réponse|respuesta|risposta|antwoord|svar|odpowiedź|resposta)"
    r"[\s*_]*:[\s*_]*(?P<said>\S.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_TRUE = frozenset(
    "true yes wahr richtig ja vrai oui verdadero cierto sí si vero sì waar sant prawda tak verdadeiro sim".split()
)
_FALSE = frozenset("false no falsch nein faux non falso onwaar nee falskt nej fałsz nie não".split())


def given_option(text: str, kind: AnswerKind, options: Sequence[str] = ()) -> str | None:
    """Return which of a closed set an answer gives: `True` or `False`, or one of the options; None when it is open.

    The last line that begins with "Answer:" decides, as the prompts ask for, since a model reasons before it; without
    one the first line. Of options that fit, the longest; a letter or number alone is the option of that place.
    """
    if kind == "open":
        return None
    plain = without_thinking(text)
    first = next((line for line in plain.splitlines() if line.strip()), "")
    said = [match["said"].strip(" *_") for match in _TAGGED.finditer(plain)]
    read = _truth_in if kind == "boolean" else _option_in
    return next((found for line in (*reversed(said), first) if (found := read(line, options)) is not None), None)


def _truth_in(line: str, options: Sequence[str]) -> str | None:
    word = re.search(r"[^\W\d_]+", line)
    said = word[0].lower() if word else ""
    return "True" if said in _TRUE else "False" if said in _FALSE else None


def _option_in(line: str, options: Sequence[str]) -> str | None:
    said = normal(line)
    fits = [option for option in options if said == normal(option)]
    fits = fits or [o for o in options if re.search(rf"(?<!\w){re.escape(normal(o))}(?!\w)", said)]
    if not fits and (mark := re.fullmatch(r"(?:option |choice )?(?:([a-h])|(\d\d?))", said)):
        place = ord(mark[1]) - ord("a") if mark[1] else int(mark[2]) - 1
        fits = list(options[place : place + 1]) if place >= 0 else []
    return max(fits, key=len) if fits else None


def shown_answer(text: str, kind: AnswerKind, options: Sequence[str], short: bool) -> str:
    """Return what a reader sees of an answer: one of a closed set alone where the task asks for that and no reason."""
    return (given_option(text, kind, options) or text) if short else text


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
        form = given_option(answer.text, kind, options) or normal(answer.text)
        weights[form] += weight(answer)
        groups[form].append(answer)
    return max(groups[max(weights, key=lambda form: weights[form])], key=weight)


def weight(answer: ExpertAnswer) -> int:
    """Return what an expert's answer weighs by the term of its rule."""
    return TERMS.index(answer.term) + 1


LONGEST_REFUSAL = 1_200
"""Characters of a text that may be a refusal; a longer one has said something."""
FIRST_WORDS = 12
"""Words up to which a text without an end counts as broken off."""
PLACEHOLDER = r"<{1,2}[a-z_]+-\d+[a-z]*>{1,2}"
# What templates leave where an answer should stand: "[Your answer]", "<answer here>", "{text}", "TODO", "Lorem ipsum".
_BLANK = re.compile(
    r"[\[<{(]{1,2}[^\W\d][\w' ]{0,40}[\]>})]{1,2}|\b(?:TODO|TBD)\b|\blorem ipsum\b.*", re.IGNORECASE | re.DOTALL
)
# A comma, a colon, an article or a conjunction ends no text; in "der, die, das" the article is the answer.
_OPEN_END = re.compile(
    r"[,:(–—-]$|(?<![,;:])\s(?:the|an|and|or|because|der|die|das|ein|eine|und|oder|weil|le|les|des|une|et|ou|el|los|las|"
    r"una|il|gli|della|het|een|och|att|eller|oraz|lub|że|dos|das|uma)$"
)
# "# Answer", "Here is the letter:"; a heading in bold is no sign, since short answers come in bold.
_HEADING = re.compile(r"#{1,6}\s[^\d<]*|[^.!?]{1,200}:\**")
_DELIMITED = re.compile(r"^=== (?:END )?[A-Z][^=]* ===$", re.MULTILINE)
_CLAUSE_END = re.compile(r"[.!?…;:,]+(?=\s|$)|\n|\s[–—-]\s|[\"“”„()*_#>]+")
_WHOLE_ANSWER = re.compile(r"yes|no|true|false|ja|nein|oui|non|sí|no|sì|nee|nej|tak|nie|sim|não")
# A task that asks for a text which declines or regrets something: what answers it sounds like a refusal.
_ASKS_TO_DECLINE = re.compile(
    r"\b(?:write|draft|reply|tell|say|translat|schreib|antwort|sag|verfass|übersetz|écri|rédig|répond|tradui|escrib|"
    r"redact|respond|traduc|scriv|rispond|schrijf|antwoord|vertaal|skriv|svar|översätt|napisz|odpowiedz|przetłum|escrev|"
    r"redij)\w*\b[^.?!\n]{0,80}(?:declin|refus|turn\w* (?:\w+ ){0,3}down|\bcan(?:no|['’])?t\b|reject|apolog|sorry|"
    r"absag|ablehn|entschuldig|leid\b|kann nicht|déclin|excus|rechaz|rehus|disculp|rifiut|scus|weiger|afwij|"
    r"avböj|tacka nej|ursäkt|odm[oaó]w|przepr|przykro|recus|desculp)",
    re.IGNORECASE,
)


def flaw_of(
    text: str,
    task: str = "",
    kind: AnswerKind = "open",
    options: Sequence[str] = (),
    *,
    prompt: str = "",
    unfinished: bool = False,
) -> str:
    """Return why a text cannot stand as an answer, in a few words; empty where it can.

    An honest short answer ("No.", "42", a placeholder of the task) can; so can a text that declines one part of the
    task and answers the rest.

    Args:
        text: what a model wrote.
        task: what it was asked; what is repeated, left empty or declined on the task's own wish is no flaw.
        kind: what sort of answer was asked for.
        options: the closed set of a choice.
        prompt: the instructions it had.
        unfinished: whether the model stopped at its limit of tokens.
    """
    plain = without_thinking(text).strip()
    words = normal(_DELIMITED.sub("", plain)).split()
    if len(plain) < LONGEST_REFUSAL and len(words) <= FIRST_WORDS and given_option(plain, kind, options) is not None:
        return ""
    if _is_shell(plain):
        return "" if "json" in task.lower() else "it is JSON without a value"
    values = set(re.findall(PLACEHOLDER, plain)) & set(re.findall(PLACEHOLDER, task))
    if not values and not re.search(r"\w", _BLANK.sub("", re.sub(PLACEHOLDER, "", plain))):
        return "it has no words" if plain else "it was empty"
    repeated = _repeated(words)
    # "Write ten times: I will be good" is a wish; a word or two stand in the task by chance.
    if repeated and not (len(repeated.split()) >= 3 and repeated in normal(task)):
        return "it repeats one line"
    said = " ".join(words)
    if len(words) >= 5 and said == normal(task) or len(words) >= 8 and said in normal(prompt):
        return "it repeats what it was asked"
    if "\n" not in plain and _HEADING.fullmatch(plain):
        return "it is a heading without a text"
    ended = re.search(r"[.!?…)\]}>\"”’|*`]$", plain)
    if len(words) <= FIRST_WORDS and not ended and (unfinished or (len(words) >= 2 and _OPEN_END.search(plain))):
        return "it breaks off after its first words"
    declined = len(plain) <= LONGEST_REFUSAL and not _ASKS_TO_DECLINE.search(task) and declines(plain)
    return "it declines the task" if declined else ""


def declines(text: str) -> bool:
    """Return whether a short text declines its task and answers no part of it, in any language of the detector."""
    plain = text.lower().replace("’", "'")
    clauses = [" ".join(clause.split()) for clause in _CLAUSE_END.split(re.sub(PLACEHOLDER, _shielded, plain))]
    clauses = [clause for clause in clauses if clause]
    return any(_declines_in(clauses, signs) for signs in _signs_of_declining().values())


def _shielded(match: re.Match[str]) -> str:
    """Return a placeholder as one word with a digit: no mark of a clause cuts it, and its clause says something."""
    return "0" + re.sub(r"\W", "", match[0])


def _declines_in(clauses: Sequence[str], signs: Mapping[str, re.Pattern[str]]) -> bool:
    """Return whether clauses decline in one language, and say nothing else."""
    declined = regretted = False
    for clause in clauses:
        if signs["honest"].search(clause):
            return False
        if signs["flat"].search(clause) or (signs["cannot"].search(clause) and signs["help"].search(clause)):
            declined = True
        elif signs["sorry"].fullmatch(clause):
            regretted = regretted or not signs["thanks"].search(clause)
        elif re.search(r"\d", clause) or _WHOLE_ANSWER.fullmatch(clause):
            return False
        elif not signs["filler"].search(clause) and (len(clause.split()) >= 3 or signs["but"].match(f"{clause} ")):
            return False
    return declined or regretted


@cache
def _signs_of_declining() -> dict[str, dict[str, re.Pattern[str]]]:
    """Return by language what a clause is known by; see `data/declining.txt`."""
    signs: dict[str, dict[str, re.Pattern[str]]] = {}
    text = files("gama.models").joinpath("data", "declining.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if match := re.match(r"(\w\w) (\w+): (.+)", line):
            signs.setdefault(match[1], {})[match[2]] = re.compile(match[3])
    return signs


def _is_shell(text: str) -> bool:
    """Return whether a text is JSON without a value in it."""
    inner = re.sub(r"^```\w*\n?|\n?```$", "", text).strip()
    if inner[:1] not in ("{", "["):
        return False
    try:
        return _hollow(json.loads(inner))
    except (ValueError, RecursionError):
        return False


def _hollow(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_hollow, value.values()))
    if isinstance(value, list):
        return all(map(_hollow, value))
    return value is None or (isinstance(value, str) and not value.strip())


def _repeated(words: Sequence[str]) -> str:
    """Return the words that a text consists of, again and again, at least three times; empty where it does not."""
    # The failure function of Knuth, Morris and Pratt: its last value tells the shortest period.
    borders = [0] * len(words)
    for at in range(1, len(words)):
        border = borders[at - 1]
        while border and words[at] != words[border]:
            border = borders[border - 1]
        borders[at] = border + (words[at] == words[border])
    period = len(words) - borders[-1] if words else 0
    return " ".join(words[:period]) if words and len(words) >= max(3 * period, 6) else ""


LONGEST_REASON = 60
"""Words of a reason that are kept; the prompt asks for at most 50 (spec 01 §1.6)."""


def _flag(*aliases: str, **more: Any) -> dict[str, Any]:
    return {"type": "boolean", "x-aliases": [*aliases], **more}


def _text(*aliases: str) -> dict[str, Any]:
    return {"type": "string", "default": "", "x-aliases": [*aliases]}


def _schema(title: str, **properties: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an object, its keys in the order in which a model writes them, the verdict after reasons.

    A model held to the object alone has no other place to think before it judges.
    """
    return {
        "title": title,
        "type": "object",
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
    }


_REASON: Final = _text("explanation")
_CONTRADICTION: Final = _flag("contradicted", "is_contradiction")
_CHECKS: Final = {"type": "array", "items": {"type": "string"}, "default": []}

VERDICT_SCHEMA: Final = _schema("verdict", reason=_REASON, contradiction=_CONTRADICTION)
"""Whether there is a contradiction (`verify`, which writes its check before the object)."""

REFUTATION_SCHEMA: Final = _schema(
    "refutation", solution=_text(), checks=_CHECKS, reason=_REASON, contradiction=_CONTRADICTION
)
"""The same after a solution of one's own and a comparison condition by condition (`refute`)."""

EXAMINATION_SCHEMA: Final = _schema(
    "examination", **REFUTATION_SCHEMA["properties"], earlier_better=_flag("earlier_is_better", default=False)
)
"""The same, and whether the answer that was revised was the better one (`disprove`)."""

CHECK_SCHEMA: Final = _schema("check", reason=_REASON, correct=_flag("is_correct"), replacement=_text("right_answer"))
"""Whether the answer to a sub-question is correct, and what is right instead (`check`)."""

OPINION_SCHEMA: Final = _schema("opinion", objection=_text(), agree=_flag("agrees", "agreed"))
"""Whether the partner agrees with the expert's steps, and what it objects (`discuss`)."""

APPROVAL_SCHEMA: Final = _schema("approval", reason=_REASON, approved=_flag("approve"), answer=_text("new_answer"))
"""Whether the answer may go out, and the better one (`assure`)."""


class Verdict(NamedTuple):
    """Whether a contradiction was found, and why."""

    contradiction: bool
    reason: str
    earlier_better: bool = False
    """Whether the answer that was revised is the better one."""


_READ: Final = _schema(
    "verdict", reason=_REASON, contradiction=_CONTRADICTION, earlier_better=_flag("earlier_is_better", default=False)
)
"""What is read of a verdict, whatever stands beside it."""


def read_verdict(text: str) -> Verdict | None:
    """Return the verdict in a reply, or None when there is none to be read (no verdict), as in a refusal.

    Takes JSON as `read_object` does; then a clear sentence in words.
    """
    text = without_thinking(text)
    if (found := read_object(text, _READ).data) is not None:
        if found["contradiction"] and declines(found["reason"]):
            return None
        return _verdict(found["contradiction"], found["reason"], found["earlier_better"])
    return _from_words(text)


_NONE = re.compile(
    r"(?:\bnot|n['’]t|\bcannot|\bunable to|\bfailed to) (?:\w+ ){0,2}?(?:find|found|see|detect|spot) (?:\w+ ){0,3}?"
    r"contradictions?\b"
    r"|\b(?:no|not any|without)\s+(?:\w+\s+){0,2}contradictions?\b"
    r"|\bdoes\s+not\s+contradict\b|\b(?:is|are)\s+(?:\w+\s+)?consistent\b|\bcontradiction\W{1,4}(?:false|no|none)\b",
    re.IGNORECASE,
)
_SOME = re.compile(
    r"\bcontradiction\W{1,4}(?:true|yes)\b|\b(?:there\s+is|found|find)\s+a\s+contradiction\b|\bcontradicts\b|\bis\s+contradicted\b",
    re.IGNORECASE,
)


def _from_words(text: str) -> Verdict | None:
    none = _NONE.search(text)
    # What is denied is not found as well: "I did not find a contradiction".
    some = _SOME.search(_NONE.sub(" ", text))
    if bool(none) == bool(some):
        return None
    return _verdict(some is not None, text.strip() if some else "")


def _verdict(found: bool, reason: str, earlier_better: bool = False) -> Verdict:
    words = reason.split()
    return Verdict(found, " ".join(words[:LONGEST_REASON]) if found else "", earlier_better)
