"""Reading a text without a model: sentences, the questions among them, and which sentence fits a question.

The base of the built-in reader. Similarity is the overlap of word stems weighted by how rare they
are in the text, with a little of the embedded word vectors' similarity.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

# Where a sentence ends: after a stop followed by a space and a capital, digit, bracket or quote, or at a line end.
_END = re.compile(r"(?<=[.!?…])(?P<closing>[\"'”’)]*)\s+(?=[\"'“‘(<\[]*[A-ZÀ-ÞА-Я0-9<])|\n+")
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|prof|st|no|nr|vs|e\.g|i\.e|etc|approx|tel|ext|dept|inc|ltd)|\b[A-Z])\.$", re.I
)
# A line broken in mid-sentence, as letters of fixed width have them: a long line without an end, then a small letter,
# a digit or a placeholder. In a chat, the next speaker's line is one of its own ("jonas: yes").
_WRAPPED = re.compile(r"(?<=[^\n]{45})(?<![.!?…:;])[ \t]*\r?\n(?=[a-zß-ÿа-я0-9<])(?!<?[\w-]{1,30}>?:\s)")
_WORD = re.compile(r"<[a-z_]+-\d+[a-z]*>|[^\W\d_]+(?:['’][^\W\d_]+)?|\d+(?:[.,]\d+)*", re.I)
# What asks for words in return; "please pay" or "please call" asks for a deed, which no reader can do.
_ASKING = re.compile(
    r"^(?:[-*•\d.)\s]*)(?:please\s+|kindly\s+|can you\s+|could you\s+|would you\s+|will you\s+)*(?:please\s+)?"
    r"(?:tell|explain|summari[sz]e|write|draft|advise|list|describe|compare|translate|answer|let me know|let us know|"
    r"suggest|calculate|review|rewrite|shorten|say|state|confirm|name)\b"
    r"|\bi(?:'d| would) like to know\b|\bi wonder\b|\bmy questions? (?:is|are)\b",
    re.IGNORECASE,
)
_COURTESY = re.compile(
    r"^\W*(?:dear|hi|hello|hey|good (?:morning|day|evening)|(?:kind|best|warm)\s+(?:regards|wishes)|regards|yours|"
    r"sincerely|many thanks|thanks|thank you|cheers|love|subject|re|from|to|date|cc)\b[^.?!]{0,60}[,:.!]?\W*$",
    re.IGNORECASE,
)
STOPWORDS = frozenset(
    "a about after all also am an and any are as at be because been before being but by can could did do does for "
    "from had has have he her here him his how i if in into is it its just like may me might more most my no not "
    "now of on or our out over she should so some such than that the their them then there these they this those "
    "to too under up us very was we were what when where which while who whom whose why will with would you your "
    "please tell know ".split()
)


@dataclass(frozen=True)
class Sentence:
    """One sentence of a text."""

    text: str
    place: int
    """Its number in the text."""
    asks: bool
    """Whether it is a question or a request."""

    @cached_property
    def stems(self) -> tuple[str, ...]:
        """Its content words, reduced to stems."""
        return tuple(stem(word) for word in words(self.text) if word not in STOPWORDS)

    @cached_property
    def vector(self) -> NDArray[np.float32]:
        """Its embedding by the shipped word vectors, shorter where they know few of its words.

        They are English: what they know of a sentence in another language is chance and says little.
        """
        return _embed(self.text)

    @cached_property
    def wanted(self) -> "re.Pattern[str] | None":
        """What a statement that answers it must show, such as an amount; None when it asks for no such thing."""
        return self._kind[0]

    @cached_property
    def _kind(self) -> "tuple[re.Pattern[str] | None, re.Pattern[str] | None]":
        return next(((shown, piece) for asked, shown, piece in _WANTED if asked.search(self.text)), (None, None))

    def piece(self, statement: str) -> str:
        """Return what a statement answers to it in a word, such as an amount; empty unless just one fits."""
        pattern = self._kind[1]
        found = {match.group() for match in pattern.finditer(statement)} if pattern else set()
        return found.pop() if len(found) == 1 else ""


class Reading:
    """A text taken apart.

    Args:
        text: the text, whose questions count.
        before: texts that stand before it, whose statements count.
    """

    def __init__(self, text: str, before: str = "") -> None:
        """Split and weigh the text."""
        first = len(sentences(before)) if before else 0
        whole = sentences(f"{before}\n\n{text}") if before else sentences(text)
        self.sentences = [s for s in whole if not _COURTESY.match(s.text)]
        self.questions = [s for s in self.sentences if s.asks and s.place >= first]
        self.statements = [s for s in self.sentences if not s.asks and len(s.stems) >= 2]
        self._counts = Counter(token for s in self.sentences for token in set(s.stems))
        self._weighed: dict[int, tuple[frozenset[str], float]] = {}
        mean = np.sum([s.vector for s in self.statements], axis=0) if self.statements else np.zeros(1)
        self._mean = mean / (float(np.linalg.norm(mean)) or 1.0)

    def weight(self, token: str) -> float:
        """Return how much a stem tells: rare ones more."""
        return math.log(1 + len(self.sentences) / self._counts[token]) if self._counts[token] else 1.0

    def fit(self, question: Sentence, statement: Sentence) -> float:
        """Return how well a statement fits a question, from 0 to about 1."""
        (asked, asked_weight), (said, said_weight) = self._stems(question), self._stems(statement)
        shared = sum(self.weight(token) for token in asked & said)
        scale = math.sqrt(asked_weight * max(1.0, said_weight))
        overlap = shared / scale if scale else 0.0
        of_a_kind = question.wanted is not None and question.wanted.search(statement.text) is not None
        near = 1 / (1 + abs(question.place - statement.place))
        alike = max(0.0, float(question.vector @ statement.vector))
        return 0.6 * overlap + 0.25 * alike + 0.2 * of_a_kind + 0.05 * near

    def salience(self, statement: Sentence) -> float:
        """Return how much a statement stands for the whole text: for tasks that ask nothing in words."""
        stems, weight = self._stems(statement)
        elsewhere = sum(self.weight(t) * (self._counts[t] - 1) for t in stems) / len(self.sentences)
        return 0.6 * elsewhere / math.sqrt(max(1.0, weight)) + 0.25 * max(0.0, float(statement.vector @ self._mean))

    def _stems(self, sentence: Sentence) -> tuple[frozenset[str], float]:
        """Return a sentence's different stems and what they weigh together; reckoned once, for long texts."""
        known = self._weighed.get(sentence.place)
        if known is None:
            stems = frozenset(sentence.stems)
            known = self._weighed[sentence.place] = (stems, sum(self.weight(t) for t in stems))
        return known


def sentences(text: str) -> list[Sentence]:
    """Split a text into sentences; abbreviations, initials and lines wrapped at a fixed width do not end one."""
    parts: list[str] = []
    for line in _WRAPPED.sub(" ", text).split("\n"):
        start = 0
        for match in _END.finditer(line):
            if _ABBREVIATION.search(line[start : match.start()]):
                continue
            parts.append(line[start : match.end("closing")])
            start = match.end()
        parts.append(line[start:])
    kept = [" ".join(part.split()) for part in parts]
    return [Sentence(part, n, asks(part)) for n, part in enumerate(p for p in kept if p)]


def asks(sentence: str) -> bool:
    """Return whether a sentence is a question or a request."""
    return sentence.rstrip("\"'”’) ").endswith("?") or bool(_ASKING.search(sentence))


def words(text: str) -> list[str]:
    """Return the words, numbers and placeholders of a text in lower case."""
    return [match.group().lower() for match in _WORD.finditer(text)]


def stem(word: str) -> str:
    """Cut common English endings; placeholders stay whole."""
    if word.startswith("<"):
        return word
    word = word.removesuffix("'s").removesuffix("’s")
    for ending in ("ations", "ation", "ingly", "ings", "ing", "edly", "ies", "ied", "ed", "es", "ly", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def similarity(one: str, other: str) -> float:
    """Return the similarity of two texts by the embedded word vectors, 0 at least."""
    return max(0.0, float(_embed(one) @ _embed(other)))


@lru_cache(maxsize=256)
def _embed(text: str) -> NDArray[np.float32]:
    from gama.models.shipped import word_vectors

    vectors = word_vectors()
    found = [word for word in words(text) if word[0].isalpha()]
    share = sum(word in STOPWORDS or word in vectors for word in found) / (len(found) or 1)
    # A rare word or two in an English sentence take nothing away.
    embedded: NDArray[np.float32] = vectors.embed(text) * np.float32(min(1.0, share / 0.75) ** 2)
    return embedded


_COUNT = r"\b(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
# What a question asks for, how it looks in a statement, and the piece of the statement that is the answer itself.
_WANTED = tuple(
    (re.compile(asked, re.IGNORECASE), re.compile(shown), re.compile(piece) if piece else None)
    for asked, shown, piece in (
        (r"\bwho(?:m|se)?\b", r"<(?:name|first_name|last_name|nickname)-",
         r"(?:\b(?:Mr|Mrs|Ms|Dr)\.? )?<(?:name|first_name|last_name|nickname)-\d+\w*>"),
        (r"\bhow long\b", r"<(?:date|time|duration)\w*-|\b\d{1,2}[:.]\d\d\b|\b(?:day|week|month|year)s?\b",
         rf"<duration-\d+\w*>|{_COUNT} (?:minute|hour|day|week|month|year)s?\b"),
        (r"\bwhen\b|\bwhat (?:date|day|time|year)\b|\bby what\b|\bdeadline\b",
         r"<(?:date|time|duration)\w*-|\b\d{1,2}[:.]\d\d\b|\b(?:day|week|month|year)s?\b",
         r"<(?:date|time)\w*-\d+\w*>|\b\d{1,2}[:.]\d\d\b"),
        (r"\bhow (?:much|many)\b|\bwhat (?:amount|sum|price)\b|\bcosts?\b", r"<amount-|[$€£]\s?\d|\b\d+\b",
         r"<amount-\d+\w*>|[$€£]\s?\d[\d.,]*(?<=\d)"),
        (r"\bwhere\b|\bwhich (?:town|city|place)\b", r"<(?:location|address|organization)-|\b(?:in|at)\s+[A-Z]",
         r"<(?:location|address)-\d+\w*>"),
        (r"\bwhy\b|\breason\b", r"\b(?:because|since|due to|therefore|as a result)\b", ""),
        (r"\b(?:phone|call|ring|e-?mail|reach|contact)\b", r"<(?:phone|email)-", r"<(?:phone|email)-\d+\w*>"),
    )
)  # fmt: skip


def best(scored: Sequence[tuple[float, Sentence]]) -> tuple[float, Sentence | None]:
    """Return the highest score; of equals, the earlier sentence."""
    top: tuple[float, Sentence | None] = (0.0, None)
    for score, sentence in scored:
        if score > top[0]:
            top = (score, sentence)
    return top


def numbers(text: str) -> set[str]:
    """Return the numbers in a text."""
    return set(re.findall(r"(?<![\w<-])\d+(?:[.,]\d+)*", text))


def without(statements: Sequence[Sentence], texts: Iterable[str]) -> list[Sentence]:
    """Return the statements whose text is not among the given ones."""
    taken = set(texts)
    return [s for s in statements if s.text not in taken]
