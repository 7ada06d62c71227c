"""What a person is shown before a text leaves, and what the answer means; the node is `review`."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from gama.privacy.box import PrivacyBox
from gama.privacy.select import selection_notes
from gama.state.decisions import Decision
from gama.state.entities import Entity, apart
from gama.state.options import Options
from gama.state.private import GamaState

if TYPE_CHECKING:
    from gama.privacy.refining.loop import Refinement

HOW = (
    "Answer true to send it, false to stop, or a correction: "
    '{"hide": ["a text that must not leave"], "show": ["<name-2>"]}. After a correction you are asked again, unless '
    '"send": true stands in it.'
)
HOW_CHANGES = (
    ' Each of `changes` is taken unless you leave it, by its number: {"leave": [2, 3]}; what is left is attacked and '
    "judged anew. Leave changes in an answer of their own: with other corrections the text is refined anew."
)
"""What the person is told; stands in every question."""


class Unclear(Exception):
    """An answer that cannot be used; says why, and quotes nothing."""


def review_question(
    state: GamaState, box: PrivacyBox, found: Sequence[Entity], options: Options, done: "Refinement | None" = None
) -> dict[str, Any]:
    """Return what the person is shown. It holds nothing private; the changes of a refinement show what stood there."""
    entities = Counter(
        (entry.placeholder, entry.subtype)
        for entry in box.private_entries()
        if entry.placeholder in state["anonymized"]
    )
    model = options.public_model
    made: dict[str, Any] = {}
    if done is not None:
        from gama.privacy.refining.engine import shown_changes

        made["changes"] = [{"number": at} | one._asdict() for at, one in enumerate(shown_changes(done, box), 1)]
    return {
        "title": "Look before it leaves",
        "anonymized": state["anonymized"],
        "hidden": [{"placeholder": placeholder, "kind": subtype} for placeholder, subtype in entities],
        "for_the_question": selection_notes(found),
        "experts": [rule.domain for rule in state["rules"]],
        "goes_to": model if isinstance(model, str) else type(model).__name__ if model else "the built-in reader",
        "how": HOW + (HOW_CHANGES if made.get("changes") else ""),
    } | made


class Answer(NamedTuple):
    """What a person has answered."""

    send: bool
    hide: Sequence[str] = ()
    show: Sequence[str] = ()
    leave: Sequence[int] = ()


def read_answer(answer: object, changed: int) -> Answer:
    """Read an answer: whether to send, what to hide, what to show, and which changes to leave.

    Args:
        answer: it.
        changed: how many changes there are.

    Raises:
        Unclear: it cannot be used.
    """
    if isinstance(answer, str) and answer.strip().lower() in ("send", "stop"):
        answer = answer.strip().lower() == "send"
    if isinstance(answer, bool):
        return Answer(answer)
    if not isinstance(answer, Mapping) or not answer or set(answer) - {"send", "hide", "show", "leave"}:
        raise Unclear("The answer is none of true, false and a correction with hide, show, leave or send.")
    send = answer.get("send", False)
    lists = [answer.get(name, []) for name in ("hide", "show")]
    listed = [[one] if isinstance(one, str) else one for one in lists]
    if not isinstance(send, bool) or not all(isinstance(one, list) for one in listed):
        raise Unclear("`send` is true or false; `hide` and `show` are lists of texts.")
    if not all(isinstance(item, str) and item.strip() for one in listed for item in one):
        raise Unclear("`hide` and `show` are lists of texts, none of them empty.")
    hide, show = ([item.strip() for item in one] for one in listed)
    left = answer.get("leave", [])
    if not isinstance(left, list) or not all(type(one) is int and 1 <= one <= changed for one in left):
        raise Unclear("`leave` is a list of numbers of the changes.")
    if left and (hide or show):
        raise Unclear("Leave changes in an answer of their own: what is hidden or shown has the text refined anew.")
    return Answer(send, hide, show, left)


def hiding(items: Sequence[str], text: str) -> list[Decision]:
    """Return decisions that hide texts wherever they stand, in any case."""
    found = [[m.span() for m in re.finditer(re.escape(item), text, re.IGNORECASE)] for item in items]
    if missing := sum(not places for places in found):
        raise Unclear(f"{missing} of the texts to hide do not stand in the task as they are written.")
    return _decisions((place for places in found for place in places), private=True)


def showing(items: Sequence[str], text: str, entities: Sequence[Entity], box: PrivacyBox) -> list[Decision]:
    """Return decisions that let values leave: those behind a placeholder and its other spellings, or texts."""
    places: list[tuple[int, int]] = []
    for item in items:
        surfaces = {surface.casefold() for surface in _surfaces(item, box)}
        here = [(one.start, one.end) for one in entities if one.private and one.text.casefold() in surfaces]
        if not here:
            raise Unclear("One of the things to show is neither a placeholder of the task nor a hidden text.")
        places += here
    return _decisions(places, private=False)


def _surfaces(item: str, box: PrivacyBox) -> list[str]:
    """Return the texts behind a placeholder and its other spellings (`<name-1>`, `<name-1b>`), or the text itself."""
    entry = next((one for one in box.entries if item in (one.placeholder, one.tag)), None)
    if entry is None:
        return [one.surface for one in box.entries if one.surface.casefold() == item.casefold()]
    slot = box.slot(entry)
    if slot is None:
        return [entry.surface]
    return [
        one.surface
        for one in box.entries
        if (other := box.slot(one)) is not None and (other.kind, other.number) == (slot.kind, slot.number)
    ]


def joined(old: Sequence[Decision], new: Sequence[Decision]) -> list[Decision]:
    """Return all decisions, without overlap: the last word counts, and hiding before showing within it."""
    return apart([*sorted(new, key=lambda decision: not decision.private), *old])


def _decisions(places: Iterable[tuple[int, int]], *, private: bool) -> list[Decision]:
    """Return decisions on places, without overlap: longer ones first."""
    longest = sorted(set(places), key=lambda place: place[0] - place[1])
    return apart(Decision(start=start, end=end, private=private) for start, end in longest)
