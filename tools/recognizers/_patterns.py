"""A recognizer that is nothing but regular expressions."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gama.state.entities import Span
from gama.tools.recognizers._text import PlainText, plain
from gama.tools.recognizers.base import hit


@dataclass(frozen=True, slots=True)
class Pattern:
    """One regular expression and what its hits mean."""

    regex: re.Pattern[str]
    """Matched against the plain text; the group `v` is the value where there is one, else the whole match."""
    subtype: str
    score: float
    private: float | None = None
    check: Callable[[re.Match[str]], bool] | None = None
    """A last condition on the match, for what an expression cannot say."""
    validated: bool = False
    """True where `check` is a checksum or a library's grammar."""
    lower: bool = False
    """Match the text in lower case: quicker than a case-blind expression."""
    needs: tuple[str, ...] = ()
    """The expression runs only if one of these (lower case) occurs in the text."""
    number: bool = False
    """The expression begins with a number: it is tried where numbers begin, and nowhere else."""

    def matches(self, body: PlainText) -> Iterator[re.Match[str]]:
        """Yield the matches, free of overlaps."""
        where = body.low if self.lower else body
        if not self.number:
            yield from self.regex.finditer(where)
            return
        done = 0
        for at in body.numbers:
            if at >= done and (match := self.regex.match(where, at)):
                done = match.end()
                yield match


class PatternRecognizer:
    """Runs its patterns over the text."""

    def __init__(self, name: str, patterns: tuple[Pattern, ...], *, priority: int = 0) -> None:
        """Take the name and the patterns; the subtypes follow from them."""
        self.name = name
        self.priority = priority
        self.patterns = patterns
        self.subtypes = tuple(sorted({pattern.subtype for pattern in patterns}))

    def find(self, text: str) -> Iterator[Span]:
        """Yield every match that passes its check."""
        body = plain(text)
        for pattern in self.patterns:
            if pattern.needs and not any(word in body.low for word in pattern.needs):
                continue
            group = "v" if "v" in pattern.regex.groupindex else 0
            for match in pattern.matches(body):
                start, end = match.span(group)
                if start < end and (pattern.check is None or pattern.check(match)):
                    yield hit(
                        start,
                        end,
                        pattern.subtype,
                        self.name,
                        score=pattern.score,
                        private=pattern.private,
                        validated=pattern.validated,
                    )
