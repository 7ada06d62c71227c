"""Sentences that ask by their words, where no rule tells so: `menu + timing if we eat at 7.30`, `poem for Jo, 6 lines`.

A linear model reads the words of a sentence, how it begins, ends and goes on behind a comma or a dash, and where it
stands. `training/requests.py` trains it on annotated texts; the weights are in `models/weights/requests.txt.gz`. It has
the last word only: rules that find a request are right more often.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Protocol, TypeVar

from gama.models.shipped import request_weights


class Placed(Protocol):
    """A sentence of a text: where it stands, in which paragraph, and how far from what was pasted."""

    @property
    def start(self) -> int:
        """First character."""

    @property
    def end(self) -> int:
        """One past the last character."""

    @property
    def block(self) -> int:
        """Number of the paragraph."""

    @property
    def layer(self) -> int:
        """The higher, the nearer to whoever asks; what was pasted or said before has one of `PASTED` or below."""


Sentences = TypeVar("Sentences", bound=Placed)
PASTED = 1
"""As in `privacy/request.py`."""

LIKELY = 0.0
"""Least score, in logits, at which a sentence is taken to ask: `training/requests.py` moves the weights to it."""
MOST = 60
"""Sentences of a text that are read: so many from its beginning, and as many from its end."""
FEWEST, _WORDS = 4, 60
"""Words of a sentence below which its words do not tell enough; words that are read."""
# Accepts words, figures, and the marks that tell how a sentence is built.
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d+|[?!:;,.…()\[\]{}|=→>–—-]")
_STEM = 4
"""Letters of a word that its inflections share."""
_BREAKS = frozenset(",;:–—->→(.!?")
"""Behind which a clause begins."""


def features(said: str, *, first: bool, last: bool, above: bool) -> set[str]:
    """Return what is read of a sentence.

    Args:
        said: it.
        first: whether the text begins with it.
        last: whether the text ends with it.
        above: whether a paragraph of its own, or what a colon announces, stands below it.
    """
    words = ["0" if word.isdigit() else word for word in _WORD.findall(said.casefold())[:_WORDS]]
    plain = [word for word in words if word[0].isalpha()]
    found = {"bias", f"n {min(9, len(plain) // 3)}"}
    found.update(f"w {word}" for word in plain)
    found.update(f"p {word[:_STEM]}" for word in plain if len(word) > _STEM)
    found.update(f"b {one} {other}" for one, other in zip(words, words[1:], strict=False))
    found.update(f"{count} {' '.join(words[:count])}" for count in (1, 2, 3))
    found.update(f"z {' '.join(words[-count:])}" for count in (1, 2))
    for one, *rest in zip(words, words[1:], words[2:], strict=False):
        if one in _BREAKS:
            found.update((f"c {rest[0]}", f"c {' '.join(rest)}"))
    end, begin = said.rstrip()[-1:], said[:1]
    found.add(f"end {'word' if end.isalnum() else end}")
    found.add(f"begin {'small' if begin.islower() else 'capital' if begin.isupper() else 'other'}")
    places = {"first": first, "last": last, "alone": first and last, "above": above}
    found.update(place for place, holds in places.items() if holds)
    return found


def read(text: str, found: Sequence[Placed]) -> Iterator[set[str]]:
    """Yield the features of each sentence of a text, given in their order."""
    for at, one in enumerate(found):
        said = text[one.start : one.end]
        first, last = at == 0, at + 1 == len(found)
        above = said.rstrip().endswith(":") or (first and not last and found[1].block != one.block)
        yield features(said, first=first, last=last, above=above)


def outermost(found: Sequence[Sentences]) -> list[Sentences]:
    """Return the sentences that stand outside of what was pasted or said before: none where all of it was."""
    outer = max((one.layer for one in found), default=0)
    own = [one for one in found if one.layer == outer] if outer > PASTED else []
    return [*own[:MOST], *own[max(MOST, len(own) - MOST) :]]


def likely(text: str, found: Sequence[Sentences]) -> list[Sentences]:
    """Return the sentences that are likely to ask, of those that stand outside of what was pasted.

    Args:
        text: the raw text.
        found: its sentences, in their order.

    Raises:
        ModelUnreachable: the weights are missing or damaged.
    """
    own, weights = outermost(found), request_weights()
    rows = zip(own, read(text, own), strict=True)
    scored = [(one, sum(weights.get(feature, 0.0) for feature in row)) for one, row in rows]
    return [one for one, score in scored if score >= LIKELY and _may_ask(text[one.start : one.end])]


def _may_ask(said: str) -> bool:
    """Return whether a sentence has words enough, and is no heading in capitals."""
    capitals, letters = sum(map(str.isupper, said)), sum(map(str.isalpha, said))
    return len(said.split(None, FEWEST)) >= FEWEST and 2 * capitals <= letters
