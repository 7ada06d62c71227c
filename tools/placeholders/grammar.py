"""What counts as a placeholder in a text that a model may have changed.

One pattern for all kinds, independent of any box. It accepts the exact tokens of both styles and
what models make of them: other case, spaces inside, space or underscore or another dash for the
hyphen, doubled, lost or other brackets, HTML, URL and JSON escapes of the brackets, Markdown
escapes and emphasis inside. Words that stand alone (`name-1`) count only where a box knows them.
"""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import regex

from gama.state.box import PrivacyBox, Slot
from gama.state.entities import PLACEHOLDER_KINDS

LONGEST = 96
"""Longest stretch, in characters, that can be one placeholder: what a stream may hold back."""

# One bracket in clear or escaped for HTML (&lt; &#60; &#x3c;), URL (%3C), JSON (\u003c) or Markdown (\<).
_LEFT = r"(?:\\?<|\\?[\[{‹«＜〈⟨]|&(?:lt|\#0*60|\#x0*3c);|%3c|\\+u003c|\\x3c)"
_RIGHT = r"(?:\\?>|\\?[\]}›»＞〉⟩]|&(?:gt|\#0*62|\#x0*3e);|%3e|\\+u003e|\\x3e)"
# Between the words of a kind and before the number: hyphens, dashes, underscores, spaces, dots, also escaped.
_JOIN = r"(?:\\?[\-_ \u00a0\u2010-\u2015\u2212.:\#]|%20|&nbsp;){0,3}"
_EMPHASIS = r"[*_`~\s]{0,3}"


class Token(NamedTuple):
    """A stretch of a text that reads as a placeholder."""

    start: int
    end: int
    slot: Slot
    left: str
    """The brackets that open it, as they stand; empty when none does."""
    right: str
    """The brackets that close it."""
    core_start: int
    """Where the word begins, after the brackets."""
    core_end: int
    """Where the number and letter end, before the brackets."""

    @property
    def bracketed(self) -> bool:
        """Whether at least one bracket is left of it."""
        return bool(self.left or self.right)


@cache
def token_pattern() -> "regex.Pattern[str]":
    """Return the compiled pattern; groups `left`, `kind`, `number`, `letter`, `right`."""
    kinds = "|".join(_JOIN.join(kind.split("_")) for kind in sorted(PLACEHOLDER_KINDS, key=len, reverse=True))
    return regex.compile(
        rf"(?:(?P<left>{_LEFT}{{1,3}}){_EMPHASIS}|(?<![\p{{L}}\p{{N}}]))(?P<kind>{kinds}){_JOIN}(?P<number>[0-9]{{1,6}})(?P<letter>[a-z]{{0,2}})"
        rf"(?![\p{{L}}\p{{N}}])"
        rf"(?:{_EMPHASIS}(?P<right>{_RIGHT}{{1,3}}))?",
        regex.IGNORECASE | regex.VERSION1,
    )


def find_tokens(text: str) -> Iterator[Token]:
    """Yield everything in a text that reads as a placeholder, left to right, not overlapping."""
    for match in token_pattern().finditer(text):
        if (slot := read_slot(match)) is not None:
            yield Token(
                match.start(),
                match.end(),
                slot,
                match["left"] or "",
                match["right"] or "",
                match.start("kind"),
                match.end("letter"),
            )


def without_tokens(text: str) -> str:
    """Return a text with a space in the place of everything in brackets that reads as a placeholder."""
    out, at = [], 0
    for token in find_tokens(text):
        if token.bracketed:
            out += [text[at : token.start], " "]
            at = token.end
    return "".join([*out, text[at:]])


def read_slot(match: "regex.Match[str]") -> Slot | None:
    """Turn a match into kind, number and letter."""
    word = regex.sub(r"(?:%20|&nbsp;|[^a-z])+", "_", match["kind"].casefold())
    kind = word if word in PLACEHOLDER_KINDS else _BY_LETTERS.get(word.replace("_", ""))
    return None if kind is None else Slot(kind, int(match["number"]), match["letter"].casefold())


_BY_LETTERS = {kind.replace("_", ""): kind for kind in PLACEHOLDER_KINDS}


def levels(brackets: str) -> list[tuple[str, str]]:
    """Split a run of brackets into single ones, each with its family.

    Returns:
        Pairs of the bracket as it stands and `<`, `[`, `{` or another sign for its family.
    """
    found = regex.findall(rf"{_LEFT}|{_RIGHT}", brackets, regex.IGNORECASE | regex.VERSION1)
    return [(one, _FAMILY.get(one.removeprefix("\\"), "<")) for one in found]


_FAMILY = {"[": "[", "]": "[", "{": "{", "}": "{", "‹": "‹", "›": "‹", "«": "«", "»": "«"}


def joined(text: str, token: Token) -> bool:
    """Tell whether word and number are joined by a hyphen, underscore or dash, as `name-1`, not as `name 1`."""
    core = text[token.core_start : token.core_end]
    return bool(regex.search(r"[\-_\u2010-\u2015\u2212]\\?[0-9]+[a-z]{0,2}$", core, regex.IGNORECASE))


def resolve(text: str, token: Token, box: PrivacyBox) -> Slot | None:
    """Return the slot of the box that a token means, or None.

    A word without brackets counts only when hyphen or underscore joins it to its number. A final
    letter `s` that the box does not know is read as a plural.
    """
    if not token.bracketed and not joined(text, token):
        return None
    if box.at(token.slot):
        return token.slot
    plain = token.slot._replace(letter="")
    if token.slot.letter == "s" and not token.bracketed and box.at(plain):
        return plain
    return None
