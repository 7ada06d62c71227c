"""The built-in stand-in reader: answers where no public model is named, by quoting the task itself.

No LLM and no knowledge of the world. As expert it picks, for every question in the task, the
sentence that fits best, leaning to its domain, and takes out of it the piece that is asked for. As
fusing agent it weighs the experts' picks by their terms. As assistant it looks for a sentence that
fits clearly better, or for a quotation that the task does not contain. Its sub-questions are the
task's own questions. It says in every final answer what it is.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from gama.guard.egress import check_egress, quoting
from gama.models.calls import PublicCall, PublicReply, Role, admit
from gama.models.names import FREE
from gama.models.reading import Reading, Sentence, best, numbers, similarity, without, words
from gama.models.replies import given_option, in_words, weighted_majority
from gama.state.task import GENERAL, TERMS

NAME = "stand-in reader"
NOTE = (
    "No public model is configured: the built-in stand-in reader answered, which can only quote the task. "
    "Name a model to have it reasoned about: gama ask letter.txt --public openai:gpt-4o"
)
CLOSING = (
    "(An extract by GAMA's built-in stand-in reader, which can only quote. A real model would also judge, reckon and "
    "draw on what is known beyond the text.)"
)
NOT_STATED = "The text itself does not answer this."

THRESHOLD = 0.16
"""Below this fit a sentence does not count as an answer; found on letters of many kinds, a matter of taste."""
CLEARLY_BETTER = 1.2
"""A rival sentence contradicts a pick when it fits better by this factor."""
LEANING = 0.15
"""Weight of an expert's domain in its picks."""
MAX_QUESTIONS = 40
"""Questions of one task that are answered; the last answer says how many were left."""


class Item(NamedTuple):
    """A question with the quotations that answer it; none when nothing fits."""

    question: str
    quotes: tuple[str, ...]


class StandInReader:
    """A `PublicClient` without a model."""

    name = NAME
    note = NOTE
    price = FREE
    alike = True
    """Whether experts of different domains would say the same, so that one is asked."""

    def __init__(self, *, standalone: bool = False) -> None:
        """Make the reader."""
        self._standalone = standalone

    def fingerprint(self, call: PublicCall) -> str:
        """Return what the reply depends on: every field of the call."""
        return repr(call)

    def complete(self, call: PublicCall) -> PublicReply:
        """Answer a call; see `PublicClient.complete`. Nothing leaves the process, and it is checked all the same."""
        admit(self._standalone)
        with quoting(call.quoted):
            check_egress(f"{call.system}\n{call.user}")
        answer = _ROLES.get(call.role, _revise)
        text = answer(call, _focused(Reading(call.task, call.before), call.question))
        return PublicReply(text[: call.max_chars], NAME, cut=len(text) > call.max_chars)

    async def acomplete(self, call: PublicCall) -> PublicReply:
        """Answer a call; see `complete`."""
        return self.complete(call)


def _expert(call: PublicCall, reading: Reading) -> str:
    # It is asked alone, and nobody fuses its answer: it may be the last one.
    return _final(call, _pick(reading, "" if call.domain == GENERAL else call.domain), reading)


def _fuse(call: PublicCall, reading: Reading) -> str:
    """Choose among the experts' picks: each quotation weighs what its experts' terms weigh together (1 to 6)."""
    votes: dict[str, defaultdict[tuple[str, ...], int]] = {}
    for answer in call.answers:
        for item in _read(answer.text):
            votes.setdefault(item.question, defaultdict(int))[item.quotes] += TERMS.index(answer.term) + 1
    asked = [question.text for question in reading.questions]
    items = []
    for question in sorted(votes, key=lambda q: asked.index(q) if q in asked else len(asked)):
        tally = votes[question]
        # A pick beats "not stated" unless the experts without one weigh more; of equals, the first expert's.
        items.append(Item(question, max(tally, key=lambda quotes: tally[quotes])))
    if not items and call.answers:
        # Not this reader's answers: there is nothing to put together but the answers as they are.
        return _closed(weighted_majority(call.answers, call.kind, call.options).text, call)
    return _final(call, items or _pick(reading, ""), reading)


def _disprove(call: PublicCall, reading: Reading) -> str:
    reason = _contradiction(call, reading)
    return json.dumps({"contradiction": bool(reason), "reason": reason}, ensure_ascii=False)


def _revise(call: PublicCall, reading: Reading) -> str:
    """Answer again, without the quotations that were refuted, what a contradiction is about; the rest stays."""
    said = "\n".join(call.contradictions)
    draft = _read(call.draft)
    refuted = [quote for item in draft for quote in item.quotes if quote in said]
    kept = {item.question: item for item in draft if item.question not in said and not set(item.quotes) & set(refuted)}
    items = [kept.get(item.question, item) for item in _pick(reading, "", refuted)]
    return _final(call, items, reading)


def _final(call: PublicCall, items: Sequence[Item], reading: Reading) -> str:
    """Write an answer that may be the last one: with what was left out, and with who answered."""
    left = len(reading.questions) - MAX_QUESTIONS
    more = f"({left} more questions of the text were not looked at.)" if left > 0 else ""
    return _closed("\n\n".join(filter(None, (_write(call, items, reading), more))), call)


def _closed(text: str, call: PublicCall) -> str:
    # The answer to a sub-question is not the last one.
    return text if call.question or text.endswith(CLOSING) else f"{text}\n\n{CLOSING}"


def _pick(reading: Reading, domain: str, refuted: Sequence[str] = ()) -> list[Item]:
    """Pick the best sentence for every question; for a task that asks nothing, the sentences that stand for it."""
    pool = without(reading.statements, refuted)
    if not reading.questions:
        ranked = sorted(pool, key=reading.salience, reverse=True)[:3]
        return [Item("", tuple(s.text for s in sorted(ranked, key=lambda s: s.place)))]
    items = []
    drawn = {s.place: LEANING * similarity(domain, s.text) if domain else 0.0 for s in pool}
    for question in reading.questions[:MAX_QUESTIONS]:
        score, chosen = best([(reading.fit(question, s) + drawn[s.place], s) for s in pool])
        fits = chosen is not None and score - (LEANING if domain else 0.0) * 0.3 >= THRESHOLD
        items.append(Item(question.text, (chosen.text,) if chosen and fits else ()))
    return items


def _contradiction(call: PublicCall, reading: Reading) -> str:
    """Return what speaks against the draft, in at most fifty words; empty when nothing does."""
    whole = " ".join(f"{call.before} {call.task}".split())
    refuted = [c for c in call.contradictions]
    for item in _read(call.draft):
        for quote in item.quotes:
            if quote not in whole:
                return _short(f"The task does not contain the quotation “{quote}”.")
        question = next((q for q in reading.questions if q.text == item.question), None)
        if question is None:
            continue
        pool = [
            s for s in reading.statements if not any(s.text in reason for reason in refuted) or s.text in item.quotes
        ]
        score, rival = best([(reading.fit(question, s), s) for s in pool])
        # Whoever found nothing has weighed the sentences that fit barely: they are no news.
        own = max((reading.fit(question, s) for s in reading.statements if s.text in item.quotes), default=THRESHOLD)
        if rival and rival.text not in item.quotes and score > CLEARLY_BETTER * own:
            said = f"“{item.quotes[0]}”" if item.quotes else "that nothing is stated"
            return _short(f"“{item.question}” is answered better by “{rival.text}” than by {said}.")
    extra = numbers(call.draft) - numbers(call.task) - numbers(call.before)
    if extra and not _read(call.draft):
        return _short(f"The answer has numbers that the task does not: {', '.join(sorted(extra)[:5])}.")
    return ""


def _short(reason: str) -> str:
    return in_words(reason, 50)


_ITEM = re.compile(r"^On “(?P<question>.*)”:\n(?P<body>(?:  .*\n?)+)", re.MULTILINE)
_QUOTE = re.compile(r"^  (?:[^“\n]*[tT]he text says: )?“(.*)”$", re.MULTILINE)


def _write(call: PublicCall, items: Sequence[Item], reading: Reading) -> str:
    """Write the items as the answer that the kind of task asks for."""
    if call.kind == "boolean":
        evidence = next((item.quotes[0] for item in items if item.quotes), "")
        return f"{_truth(evidence)}\n\n{_body(items)}" if evidence else f"False\n\n{_body(items)}"
    if call.kind == "choice" and call.options:
        evidence = " ".join(quote for item in items for quote in item.quotes) or call.task
        said = set(words(evidence))

        def fit(option: str) -> tuple[float, float]:
            own = words(option)
            return sum(word in said for word in own) / (len(own) or 1), similarity(option, evidence)

        return f"{max(call.options, key=fit)}\n\n{_body(items)}"
    return _body(items)


def _body(items: Sequence[Item]) -> str:
    blocks = []
    for item in items:
        asked = Sentence(item.question, 0, True)
        said = "\n".join(f"  {_told(asked.piece(quote))} “{quote}”" for quote in item.quotes) or f"  {NOT_STATED}"
        blocks.append(f"On “{item.question}”:\n{said}" if item.question else "What the text says:\n" + said)
    return "\n\n".join(blocks)


def _told(piece: str) -> str:
    return f"{piece}. The text says:" if piece else "The text says:"


def _read(text: str) -> list[Item]:
    """Read items back out of an answer of this reader."""
    return [Item(m["question"], tuple(_QUOTE.findall(m["body"]))) for m in _ITEM.finditer(text)]


_NEGATION = re.compile(r"\b(?:not|no|never|none|cannot|without|neither|nor|refus\w+|den(?:y|ied|ies))\b|n['’]t\b", re.I)


def _truth(evidence: str) -> str:
    return "False" if _NEGATION.search(evidence) else "True"


SUMMARY = "What does the text say?"
"""The one sub-question of a task that asks nothing."""


def _focused(reading: Reading, question: str) -> Reading:
    """Return a reading that asks a sub-question only."""
    if question:
        own = [q for q in reading.questions if q.text == question]
        reading.questions = own or [Sentence(question, len(reading.sentences), True)]
        if question == SUMMARY:
            reading.questions = []
    return reading


# Words in which puzzles state their conditions.
_CONDITION = re.compile(
    r"\b(?:if|either|exactly|neither|next to|(?:left|right) of|(?:older|younger|taller|shorter|more|less|before|after) "
    r"than|only one|all|none|every)\b",
    re.IGNORECASE,
)


def _vote(call: PublicCall, reading: Reading) -> str:
    """Vote for the logic route when most statements are conditions."""
    conditions = sum(bool(_CONDITION.search(s.text)) for s in reading.statements)
    return "no" if conditions >= 2 and 2 * conditions >= len(reading.statements) else "yes"


def _split(call: PublicCall, reading: Reading) -> str:
    return json.dumps([q.text for q in reading.questions] or [SUMMARY], ensure_ascii=False)


def _check(call: PublicCall, reading: Reading) -> str:
    reason = _contradiction(call, reading)
    better = _write(call, _pick(reading, ""), reading) if reason else ""
    wrong = bool(better) and better != call.draft
    return json.dumps({"correct": not wrong, "replacement": better if wrong else ""}, ensure_ascii=False)


def _assemble(call: PublicCall, reading: Reading) -> str:
    answers = [answer for _, answer in call.parts if answer]
    items = [item for answer in answers for item in _read(answer)]
    return _final(call, items, reading) if items else _closed("\n\n".join(answers) or NOT_STATED, call)


def _assure(call: PublicCall, reading: Reading) -> str:
    return json.dumps({"approved": True})


def _discuss(call: PublicCall, reading: Reading) -> str:
    reason = _contradiction(call, reading)
    return json.dumps({"agree": not reason, "objection": reason}, ensure_ascii=False)


def _condense(call: PublicCall, reading: Reading) -> str:
    return in_words(call.note, 49)


def _rival(call: PublicCall, reading: Reading) -> str:
    """Answer with the sentences that fit best after those of the answer and of every rival tried."""
    taken = [quote for text in (call.draft, *call.tried) for item in _read(text) for quote in item.quotes]
    items = _pick(reading, "", taken)
    return _write(call, items, reading) if any(item.quotes for item in items) else "NONE"


def _refute(call: PublicCall, reading: Reading) -> str:
    """Contradict a rival that the sentence which fits best denies, or that another sentence answers clearly better."""
    if call.kind == "open" or given_option(call.rival, call.kind, call.options) is None:
        reason = _contradiction(replace(call, draft=call.rival), reading)
    else:
        items = _pick(reading, "")
        own = given_option(_write(call, items, reading), call.kind, call.options)
        evidence = next((item.quotes[0] for item in items if item.quotes), "")
        against = evidence and own != given_option(call.rival, call.kind, call.options)
        reason = _short(f"The text says: “{evidence}”") if against else ""
    return json.dumps({"contradiction": bool(reason), "reason": reason}, ensure_ascii=False)


_ROLES: dict[Role, Callable[[PublicCall, Reading], str]] = {
    "expert": _expert, "fuse": _fuse, "disprove": _disprove, "verify": _disprove, "rival": _rival, "refute": _refute,
    "vote": _vote, "split": _split, "check": _check, "assemble": _assemble, "assure": _assure, "discuss": _discuss,
    "condense": _condense,
}  # fmt: skip
"""How it answers in each role; in any other it answers the task anew, as an expert that revises does."""
