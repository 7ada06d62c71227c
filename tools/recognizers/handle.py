"""Handles of social networks and chats."""

import re
from collections import Counter
from collections.abc import Iterator

from gama.state.entities import Span
from gama.tools.recognizers.base import hit, plain
from gama.tools.recognizers.declared import declaration
from gama.tools.recognizers.rules import Label, RuleRecognizer

_DECLARED = declaration("handle")
_AT = _DECLARED.expression("at")
_REDDIT = _DECLARED.expression("reddit")
_SPEAKER = _DECLARED.expression("speaker")
_NOT_PEOPLE = frozenset(_DECLARED.words["not_people"])
_CODE_WORDS = _DECLARED.words["code_words"]


class HandleRecognizer:
    """Finds handles by their sign, by their label, and as speakers of a chat."""

    name = "handle"
    subtypes = ("handle",)
    priority = 0

    def find(self, text: str) -> Iterator[Span]:
        """Yield handles."""
        body = plain(text)
        if "@" in body:
            for match in _AT.finditer(body):
                if match["n"].lower() not in _NOT_PEOPLE and not _decorator(body, *match.span()):
                    yield hit(*match.span(), "handle", self.name, score=0.85, private=0.9)
        if "u/" in body:
            for match in _REDDIT.finditer(body):
                yield hit(*match.span(), "handle", self.name, score=0.85, private=0.9)
        yield from _LABELLED.find(body)
        yield from self._speakers(body)

    def _speakers(self, body: str) -> Iterator[Span]:
        # One such line may be a key of a configuration file; two by the same name are a conversation.
        found = list(_SPEAKER.finditer(body))
        times = Counter(match["v"] for match in found)
        for match in found:
            if times[match["v"]] > 1:
                yield hit(*match.span("v"), "handle", self.name, score=0.6)


def _is_name(value: str) -> bool:
    return value.strip("@$").lower() not in _NOT_PEOPLE and not re.fullmatch(
        r"[\d.,$-]+|e-mail|[a-z]{1,3}\.[a-z]{1,3}\.?|[a-z]{1,3}-\d+", value, re.IGNORECASE
    )


def _decorator(body: str, start: int, end: int) -> bool:
    """Return whether an @word opens a line of code: `@app.get("/")`, `@Override`, `@media (…)`."""
    # Only as far as an indentation reaches, so that a text of one endless line costs nothing.
    indent = body[max(0, start - 40) : start].rpartition("\n")
    if indent[2].strip() or (not indent[1] and start > 40):
        return False
    rest, _, following = body[end : end + 200].partition("\n")
    return rest.startswith("(") or (not rest.strip() and following.lstrip().startswith(_CODE_WORDS))


_LABELLED = RuleRecognizer(
    "handle",
    (
        Label(
            words=_DECLARED.words["words"], value=_DECLARED.expression("name"), subtype="handle", score=0.65,
            private=None, check=_is_name,
        ),
    ),
    needs_digit=False,
)  # fmt: skip
