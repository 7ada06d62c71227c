"""What an attacker says of a text, as data, and the reader of its reply.

The reply has a block for each attribute, in any order: Type, Inference, Guess (three, the likeliest first), Certainty
from 1 to 5 (§4.1 of the spec), and the words of the text that give it away.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gama.models.calls import without_controls, without_thinking
from gama.privacy.refining.attributes import Attribute

GUESSES = 3
QUOTES = 24
"""Telling words of one attribute that are kept."""
LONGEST_GUESS = 200
NOTHING = frozenset(
    {"", "-", "none", "unknown", "n/a", "na", "not inferable", "cannot be inferred", "no guess", "no clue"}
)
"""Guesses that say that there is none."""


class Inference(NamedTuple):
    """One attribute as an attacker reads it."""

    attribute: str
    guesses: tuple[str, ...]
    """The likeliest first, at most three."""
    certainty: int
    """From 1 to 5; 0 where the reply gave no number."""
    reason: str = ""
    evidence: tuple[str, ...] = ()
    """Words of the text that give it away, as the attacker quotes them."""

    @property
    def best(self) -> str:
        """The likeliest guess."""
        return self.guesses[0] if self.guesses else ""


_FIELD = re.compile(
    r"^[\s>*_#\-]*(?:\d+[.)]\s*)?(?P<field>type|attribute|inference|reasoning|guess(?:es)?|certainty|evidence)"
    r"[\s*_]*:[ \t*_]*(?P<said>.*)$",
    re.IGNORECASE,
)
_NAMES = {"attribute": "type", "reasoning": "inference", "guesses": "guess"}


def read_inferences(reply: str, attributes: Sequence[Attribute]) -> list[Inference] | None:
    """Read an attacker's reply.

    Blocks may stand in any order and be marked up; a block of an attribute that was not asked for is dropped, of two
    blocks of one attribute the first counts. A block without a guess is an attribute that cannot be inferred, and is
    left out; more than three guesses are cut; a certainty that is no number is 0, one beyond 1 to 5 is the nearest.

    Args:
        reply: what the model wrote.
        attributes: what was asked for.

    Returns:
        The inferences in the order of the attributes, or None where the reply has not one readable block.
    """
    asked = {one.name: one for one in attributes}
    found: dict[str, Inference] = {}
    seen = False
    for block in _blocks(without_controls(without_thinking(reply))):
        name = " ".join(re.sub(r"[*_`\"'\[\]]", " ", block.get("type", "")).casefold().split())
        if name not in asked:
            continue
        seen = True
        guesses = _guesses(block.get("guess", ""))
        if not guesses or name in found:
            continue
        number = re.search(r"\d+", block.get("certainty", ""))
        certainty = min(5, max(1, int(number[0][:4]))) if number else 0
        evidence = tuple(_quotes(block.get("evidence", "")))
        found[name] = Inference(name, guesses, certainty, block.get("inference", "").strip(), evidence)
    if not seen:
        return None
    return [found[one.name] for one in attributes if one.name in found]


def _blocks(text: str) -> Iterable[dict[str, str]]:
    """Yield what stands under each `Type:`; what stands before the first is none."""
    block: dict[str, str] = {}
    last = ""
    for line in text.splitlines():
        match = _FIELD.match(line)
        if match is None:
            if last:
                block[last] = f"{block[last]}\n{line}"
            continue
        name = match["field"].lower()
        last = _NAMES.get(name, name)
        if last == "type":
            if block:
                yield block
            block = {}
        # A field that a block has twice: the first counts, as of blocks.
        if last in block or (not block and last != "type"):
            last = ""
            continue
        block[last] = match["said"]
    if block:
        yield block


def _guesses(said: str) -> tuple[str, ...]:
    items = [re.sub(r"^\s*(?:\d+[.)]\s+|[-*•]\s+)", "", item).strip(" \t\"'*_`[]") for item in re.split(r"[;\n]", said)]
    kept = dict.fromkeys(item[:LONGEST_GUESS] for item in items if item.casefold().rstrip(".") not in NOTHING)
    return tuple(kept)[:GUESSES]


def quoted(said: str) -> list[str]:
    """Return what stands in double quotes."""
    return re.findall(r"[\"“„«]([^\"“”„«»]{1,300})[\"”»]", said)


def _quotes(said: str) -> list[str]:
    items = quoted(said) or re.split(r"[;\n]", said)
    return list(dict.fromkeys(item.strip() for item in items if item.strip()))[:QUOTES]


def places(text: str, inferences: Iterable[Inference]) -> dict[str, tuple[tuple[int, int], ...]]:
    """Return for each attribute which sentences of a text are responsible: those that have what is quoted.

    Quotes that do not stand in the text, whatever their case and white space, are the attacker's own words and tell no
    place.
    """
    sentences = sentence_spans(text)
    found: dict[str, tuple[tuple[int, int], ...]] = {}
    for one in inferences:
        hits: set[tuple[int, int]] = set()
        for quote in one.evidence:
            match = re.search(r"\s+".join(map(re.escape, quote.split())), text, re.IGNORECASE)
            if match is not None:
                hits |= {(start, end) for start, end in sentences if start < match.end() and match.start() < end}
        found[one.attribute] = tuple(sorted(hits))
    return found


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return where the sentences and lines of a text stand, without the white space between them."""
    return [match.span() for match in re.finditer(r"\S(?:[^\n.!?]|[.!?](?!\s|\Z))*[.!?]*", text)]
