"""How much of what is public stays, and of what is private leaves, where a text has both (`gama eval world`)."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from gama.evals.datasets.world import Letter, Mention, is_fresh, is_held_out, is_tuned_on
from gama.evals.methods.base import Method
from gama.evals.metrics.spans import Share, Stretch
from gama.evals.misses import in_context

ADDRESSES = frozenset({"street_address", "postcode", "coordinates"})
POINTING = "names, codes, addresses"
"""What points at one person by itself: the bar is set on it."""


class Outcome(NamedTuple):
    """What became of an annotated mention that is counted: of a public one that is needed, or of a private one."""

    letter: Letter
    mention: Mention
    whole: bool
    """Whether nothing of it is hidden, where it is public; whether anything of it is left, where it is private."""
    taken: tuple[str, ...] = ()
    """What the method took the stretches of it for, by type and subtype."""

    @property
    def is_miss(self) -> bool:
        """Return whether the method went wrong here."""
        return self.whole is self.mention.private


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
        stretches = method.hide(letter.text).stretches
        hidden = _covered(letter.text, stretches)
        for mention in letter.mentions:
            signs = [hidden[at] for at in range(mention.start, mention.end) if letter.text[at].isalnum()]
            if mention.private or mention.needed:
                met = [one for one in stretches if one.start < mention.end and mention.start < one.end]
                taken = tuple(f"{one.type}.{one.subtype}" for one in met)
                found.append(Outcome(letter, mention, not all(signs) if mention.private else not any(signs), taken))
        step(method.name)
    return found


def _covered(text: str, stretches: Sequence[Stretch]) -> bytearray:
    hidden = bytearray(len(text))
    for one in stretches:
        if one.private:
            hidden[one.start : one.end] = b"\x01" * (one.end - one.start)
    return hidden


def misses(outcomes: Iterable[Outcome], *, held_out: bool = True) -> Iterator[str]:
    """Yield a line for each miss: the text, what the mention was taken for, what it is, and where it stands.

    Args:
        outcomes: Of mentions.
        held_out: Whether those of texts that nothing is to be tuned on are told, too.
    """
    for letter, mention, _, taken in (one for one in outcomes if one.is_miss):
        if held_out or not is_held_out(letter):
            seen = " and ".join(taken) or "nothing"
            became, kind = ("left", "private") if mention.private else ("hidden", "public")
            where = in_context(letter.text, mention.start, mention.end)
            is_what = f"{kind} {mention.type}.{mention.subtype}"
            yield f"{letter.id} ({letter.kind}): {became} as {seen}, {is_what}: {where}"


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
    """Return the outcomes of all texts, of those that weights were learnt from, tuned on, held out, of fresh ones."""
    return {
        "all": list(outcomes),
        "learnt from": [one for one in outcomes if not is_held_out(one.letter) and not is_tuned_on(one.letter)],
        "tuned on": [one for one in outcomes if is_tuned_on(one.letter)],
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
