"""How much of what is public stays, and of what is private leaves, where a text has both (`gama eval world`)."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from gama.evals.datasets.world import Letter, Mention, is_fresh, is_held_out
from gama.evals.methods.base import Method
from gama.evals.metrics.spans import Share, Stretch

ADDRESSES = frozenset({"street_address", "postcode", "coordinates"})
POINTING = "names, codes, addresses"
"""What points at one person by itself: the bar is set on it."""


class Outcome(NamedTuple):
    """What became of an annotated mention that is counted: of a public one that is needed, or of a private one."""

    letter: Letter
    mention: Mention
    whole: bool
    """Whether nothing of it is hidden, where it is public; whether anything of it is left, where it is private."""


class Counted(NamedTuple):
    """The figures of some texts."""

    kept: Share
    """Public mentions that a question needs, of which nothing is hidden."""
    kept_by_kind: dict[str, Share]
    kept_by_type: dict[str, Share]
    left: Share
    """Names, codes and addresses of private people of which a letter or digit is left."""
    left_by_type: dict[str, Share]


def run(letters: Iterable[Letter], method: Method, step: Callable[[str], None]) -> list[Outcome]:
    """Let a method hide the texts, and look at each mention that is counted."""
    found = []
    for letter in letters:
        hidden = _covered(letter.text, method.hide(letter.text).stretches)
        for mention in letter.mentions:
            signs = [hidden[at] for at in range(mention.start, mention.end) if letter.text[at].isalnum()]
            if mention.private or mention.needed:
                found.append(Outcome(letter, mention, not all(signs) if mention.private else not any(signs)))
        step(method.name)
    return found


def _covered(text: str, stretches: Sequence[Stretch]) -> bytearray:
    hidden = bytearray(len(text))
    for one in stretches:
        if one.private:
            hidden[one.start : one.end] = b"\x01" * (one.end - one.start)
    return hidden


def part_of(mention: Mention) -> str:
    """Return what a private mention is counted as: its type, but addresses apart from other places."""
    return "address" if mention.subtype in ADDRESSES else mention.type


def count(outcomes: Sequence[Outcome]) -> Counted:
    """Return the figures of mentions."""
    public = [one for one in outcomes if not one.mention.private]
    private = [one for one in outcomes if one.mention.private]
    pointing = [one for one in private if part_of(one.mention) in ("PER", "CODE", "address")]
    return Counted(
        _share(public),
        _shares((one.letter.kind, one) for one in public),
        _shares((one.mention.type, one) for one in public),
        _share(pointing),
        _shares((part_of(one.mention), one) for one in private),
    )


def _share(outcomes: Sequence[Outcome]) -> Share:
    return Share(sum(one.whole for one in outcomes), len(outcomes))


def _shares(pairs: Iterable[tuple[str, Outcome]]) -> dict[str, Share]:
    whole, part = Counter[str](), Counter[str]()
    for name, one in pairs:
        whole[name] += 1
        part[name] += one.whole
    return {name: Share(part[name], number) for name, number in whole.most_common()}


def parts(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    """Return the outcomes of all texts, of those that weights were learnt from, of those held out, of fresh ones."""
    return {
        "all": list(outcomes),
        "learnt from": [one for one in outcomes if not is_held_out(one.letter)],
        "held out": [one for one in outcomes if is_held_out(one.letter) and not is_fresh(one.letter)],
        "fresh": [one for one in outcomes if is_fresh(one.letter)],
    }


def as_json(counted: Counted) -> dict[str, Any]:
    """Return figures as plain objects: for each share its part, its whole and its value."""

    def told(share: Share) -> dict[str, float]:
        return {"part": share.part, "whole": share.whole, "share": round(share.value, 5)}

    return {
        "kept": told(counted.kept),
        "kept_by_kind": {name: told(one) for name, one in counted.kept_by_kind.items()},
        "kept_by_type": {name: told(one) for name, one in counted.kept_by_type.items()},
        "left": told(counted.left),
        "left_by_type": {name: told(one) for name, one in counted.left_by_type.items()},
    }
