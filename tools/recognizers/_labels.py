"""Values that only a word beside them makes recognizable: a passport number, a PIN, a ticket.

The words are searched first, by plain string search in the lowered text, and the value's expression is
tried only behind (or before) a found word. That is many times quicker than an expression that begins
with a hundred alternatives, and no input can make it slow.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gama.state.entities import Span
from gama.tools.recognizers._text import PlainText, plain, word_char
from gama.tools.recognizers.base import hit

# Between a label and its value. Accepts: "passport no. ", "Passport number is: ", "passport (", "passport = '",
# "passport's ", "Ausweis-Nr.: ", "n° ". Refuses: other words, a new sentence, more than one line break.
_NUMBER_WORD = (
    r"(?:numbers?|no|nos|nr|num|nummer|numéro|numero|número|n[º°.]|№|#|id|code|ref|reference|ends?|ending|with|in|"
    r"is|are|was|ist|lautet|est|es|è|é|wynosi|to|on|of|card|lub)"
)
_CONNECT = re.compile(
    rf"\.?[\"'\]]?(?:'s)?(?:[ \t_.-]{{0,3}}[(]?{_NUMBER_WORD}(?![a-zà-ÿ])\.?){{0,3}}"
    r"[ \t]{0,4}[)\]\"']{0,2}[ \t]{0,8}[:=#>,-]{0,3}(?:[ \t]{0,8}\r?\n)?[ \t]{0,8}"
    r"(?:(?:is|are|was|ist|lautet|est|es|è|é)[ \t]{1,3}:?)?[ \t]{0,3}[\"'(<\[«]{0,2}[ \t]?"
)

# Up to four words that may stand between label and value: "passport we hold, 533 901 284". Refuses: anything not
# before a digit.
_FILLER = re.compile(
    r"(?:[ \t]{0,3}[(,:]?[ \t]{1,3}[a-zà-ÿ']{1,9}){1,4}[ \t]{0,3}[,:(]?[ \t]{1,3}(?=[\"'#]?[a-z-]{0,7}[ -]?\d)"
)


# What a strict label asks for between itself and the value.
_STRICT = re.compile(r"[:=#>\n]| (?:is|was|ist|est|es|è|é) ")


@dataclass(frozen=True, slots=True)
class Label:
    """The words that announce a value, and the value's form."""

    words: tuple[str, ...]
    """In lower case; longer words first where one begins another."""
    value: re.Pattern[str]
    """Tried right behind the label; the group `v` is the value where there is one, else the whole match."""
    subtype: str
    score: float
    private: float | None = 1.0
    check: Callable[[str], bool] | None = None
    """A last condition on the value."""
    filler: bool = False
    """Whether up to four ordinary words may stand between the label and the value."""
    strict: bool = False
    """The value follows only behind `:`, `=`, `#`, a line break or "is", never behind a bare space."""
    glued: bool = False
    """The label may be the end of a longer word or identifier: `db_password`, `Handynummer`."""


class LabelRecognizer:
    """Finds values beside their labels."""

    def __init__(self, name: str, labels: tuple[Label, ...], *, priority: int = 0, needs_digit: bool = True) -> None:
        """Take the name and the labels; `needs_digit` says that no value is without a digit."""
        self.name = name
        self.priority = priority
        self.labels = labels
        self.needs_digit = needs_digit
        self.subtypes = tuple(sorted({label.subtype for label in labels}))

    def find(self, text: str) -> Iterator[Span]:
        """Yield the values that stand behind a label."""
        body = plain(text)
        if self.needs_digit and not body.has_digit:
            return
        for label in self.labels:
            for end in label_ends(body, label.words, glued=label.glued):
                found = _value_behind(body, end, label)
                if found:
                    yield hit(*found, label.subtype, self.name, score=label.score, private=label.private)


def label_ends(text: PlainText, words: tuple[str, ...], *, glued: bool = False) -> Iterator[int]:
    """Yield where each occurrence of the words ends; a word is never found inside a longer one."""
    low = text.low
    size = len(low)
    for word in words:
        at = low.find(word)
        while at >= 0:
            end = at + len(word)
            open_left = at == 0 or glued or low[at - 1] == "_" or not word_char(low[at - 1]) or not word_char(word[0])
            open_right = end == size or low[end] == "_" or not low[end].isalpha() or not word_char(word[-1])
            # Chinese and its neighbours write no spaces: a label in them borders on anything.
            if open_left and (open_right or low[end] > "\u2e80"):
                yield end
            at = low.find(word, end)


def _value_behind(text: PlainText, end: int, label: Label) -> tuple[int, int] | None:
    connected = _CONNECT.match(text.low, end)
    at = connected.end() if connected else end
    # Nothing between the two only where the label's script or sign needs nothing.
    adjoined = at == end and word_char(text[end - 1]) and text[end - 1] <= "\u2e80"
    bare = not _STRICT.search(text.low, end, at)
    value = None
    if not adjoined and not (label.strict and bare):
        value = label.value.match(text, at)
    if value is None and label.filler:
        filler = _FILLER.match(text.low, end)
        value = label.value.match(text, filler.end()) if filler else None
    if value is None:
        return None
    start, stop = value.span("v" if "v" in label.value.groupindex else 0)
    stop = start + len(text[start:stop].rstrip(" .,-/_:"))
    if start >= stop or (label.check is not None and not label.check(text[start:stop])):
        return None
    return start, stop
