"""Names of persons where a text sets them: behind an honorific, in salutations, signatures and self-introductions."""

import re
from collections.abc import Iterator

from gama.state.entities import Span
from gama.tools.recognizers.base import PlainText, hit, plain
from gama.tools.recognizers.declared import declaration
from gama.tools.recognizers.rules import label_ends

_TITLES = declaration("person_title")
_TITLED = _TITLES.expression("titled")
_CAPS = _TITLES.expression("caps")
_NOT_NAMES = frozenset(_TITLES.words["not_names"])
_LETTERS = declaration("person_signature")
_GREETING = _LETTERS.expression("greeting")
_NAME_LINE = _LETTERS.expression("name_line")
_CLOSING = _LETTERS.expression("closing")
_FIELD = _LETTERS.expression("field")
_SELF = _LETTERS.words["self"]
_I_AM = _LETTERS.words["i_am"]
_SAID = _LETTERS.expression("said")
_STOP = _LETTERS.expression("stop")


class PersonTitleRecognizer:
    """Finds names by the honorific before them, which stays outside the span."""

    name = "person_title"
    subtypes = ("full_name", "last_name")
    priority = 0

    def find(self, text: str) -> Iterator[Span]:
        """Yield names: one part is a surname, more are a full name. Context decides: Dr. Freud is not private."""
        body = plain(text)
        for regex, score in ((_TITLED, 0.75), (_CAPS, 0.6)):
            for match in regex.finditer(body):
                found = _cut(match["v"])
                if found:
                    subtype = "full_name" if " " in found else "last_name"
                    yield hit(match.start("v"), match.start("v") + len(found), subtype, self.name, score=score)


class PersonSignatureRecognizer:
    """Finds the people who write, and to whom."""

    name = "person_signature"
    subtypes = ("first_name", "full_name")
    priority = 0

    def find(self, text: str) -> Iterator[Span]:
        """Yield names by place; never validated, because a shape is no proof of a name."""
        body = plain(text)
        for match, score in (*_in_lines(body), *_in_speech(body)):
            found = _cut(match["v"])
            if found:
                start = match.start("v")
                subtype = "full_name" if " " in found else "first_name"
                yield hit(start, start + len(found), subtype, self.name, score=score, private=0.8)


def _in_lines(body: PlainText) -> Iterator[tuple[re.Match[str], float]]:
    at, closed = 0, False
    for line in body.split("\n"):
        if match := _GREETING.match(body, at):
            yield match, 0.7
        elif match := _FIELD.match(body, at):
            yield match, 0.65
        elif closed and (match := _NAME_LINE.match(body, at)):
            yield match, 0.75
        if line.strip():
            closed = bool(_CLOSING.search(line[-48:].lower()))
        at += len(line) + 1


def _in_speech(body: PlainText) -> Iterator[tuple[re.Match[str], float]]:
    for end in label_ends(body, _SELF):
        if match := _SAID.match(body, end):
            yield match, 0.75
    for end in label_ends(body, _I_AM):
        match = _SAID.match(body, end)
        if match and _STOP.match(body, match.end()):
            yield match, 0.55


def _cut(name: str) -> str:
    """Cut a shape off before the first word that is not a name: "Bell The" → "Bell"; possessives too."""
    words: list[str] = []
    for word in name.split(" "):
        if word.strip(".") in _NOT_NAMES:
            break
        words.append(word)
    kept = " ".join(words)
    for ending in ("'s", "'", "-"):
        kept = kept.removesuffix(ending)
    return kept if any(char.isupper() for char in kept) and len(kept) > 1 else ""
