"""Names, identifiers and settings: words without a sentence, read beside the texts of a request.

Protocols make identifiers of random letters, which a detector takes for codes and names: here only codes that a check
has validated count, and persons' names that are written as words.
"""

import re
from collections.abc import Iterator, Sequence

from gama.privacy.pipeline import Pipeline
from gama.serve.gateway.walk import Level, Word
from gama.state.entities import Entity

# Where the words of a name part: `mail_emma-williams`; in letters alone also `mailEmmaWilliams`.
_PARTS = re.compile(r"[_\-]+|(?<=[^\W\d_])\.(?=[^\W\d_])")
_HUMPS = re.compile(r"(?<![^\W\d_])[^\W\d_][a-z]{2,}(?:[A-Z][a-z]{2,})+(?![^\W_])")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
# Where an address or a regular expression parts.
_SEGMENTS = re.compile(r"[/#?&=^$|()\[\]{}]+")
# What an identifier begins with, as protocols make them: `fc_…`, `rs_…`.
_PREFIX = re.compile(r"^[a-z]{2,3}[_-]")
# Accepts the name of a person in words: letters, of which one is no hexadecimal digit. Refuses the pieces of random
# identifiers.
_PERSONS = re.compile(r"(?=.*[g-zG-Z])(?:[^\W\d_][^\W\d_A-Z]{2,}|[A-Z]{3,})(?: (?:[^\W\d_][^\W\d_A-Z]{2,}|[A-Z]{3,}))*")
_SURE_NAME = 0.8
"""Least score of a person's name in words without a sentence."""
_LONGEST_LIST = 4_000
"""Characters of words that are read together."""
_MODELS = frozenset("claude anthropic openai gpt gemini llama mistral sonnet opus haiku".split())
"""Names of models and their makers, which are persons' names elsewhere."""


def find_named(pipeline: Pipeline, text: str) -> list[Entity]:
    """Return what is private in words without a sentence: codes, and persons of whom the tagger is sure."""
    if not any(map(str.isalnum, text)):
        return []
    codes = pipeline.plain_finds(text)
    sure = [
        one
        for one in pipeline.find(text, [])
        if one.hidden
        and one.type == "PER"
        and one.score >= _SURE_NAME
        and _PERSONS.fullmatch(one.text)
        and not _MODELS & set(one.text.casefold().split())
    ]
    return [*codes, *(one for one in sure if not any(one.start < c.end and c.start < one.end for c in codes))]


def spaced(name: str) -> str:
    """Return the words of a name as a detector reads them."""
    if "@" in name:
        return name
    return _PARTS.sub(" ", _HUMPS.sub(lambda match: _HUMP.sub(" ", match[0]), _PREFIX.sub("", name, count=1)))


def readings(word: str) -> list[str]:
    """Return a word as a detector reads it: its segments, each by itself."""
    return [spaced(part) for part in _SEGMENTS.split(word) if any(map(str.isalnum, part))]


def listed(words: Sequence[Word]) -> Iterator[list[Word]]:
    """Yield words in lists that are read at once."""
    part: list[Word] = []
    size = 0
    for word in words:
        if part and size + len(word.text) > _LONGEST_LIST:
            yield part
            part, size = [], 0
        part.append(word)
        size += len(word.text)
    if part:
        yield part


def counts(entity: Entity, level: Level) -> bool:
    """Return whether a find counts in a word: a setting (a voice, a model) may be called as a person is."""
    return entity.type != "PER" or level == "name" or (level == "word" and len(entity.text.split()) > 1)
