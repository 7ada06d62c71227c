"""Review: a person looks at what would leave, and may correct it. Switched on by the option `review`.

The graph stops before the airlock and shows the anonymized text. What comes back is `send`, `stop`, or a correction:
texts to hide, and placeholders (or texts) to show. A correction becomes decisions on stretches of the task (see
`Decision`) and goes through the private steps again, so that whatever is shown next is what would leave. Answers are
sealed at the door of the graph, like questions.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from langgraph.config import get_config
from langgraph.runtime import Runtime
from langgraph.types import Command, interrupt

from gama.nodes.private.space import PrivateSpace
from gama.privacy.box import PrivacyBox
from gama.privacy.select import selection_notes
from gama.state.decisions import Decision, plain_decisions, read_decisions
from gama.state.entities import Entity, apart
from gama.state.errors import OptionError, ReviewStopped
from gama.state.options import Options
from gama.state.private import GamaState
from gama.state.private_text import Sealed

HOW = (
    "Answer true to send it, false to stop, or a correction: "
    '{"hide": ["a text that must not leave"], "show": ["<name-2>"]}. After a correction you are asked again, unless '
    '"send": true stands in it.'
)
"""What the person is told; stands in every question."""


class _Unclear(Exception):
    """An answer that cannot be used; says why, and quotes nothing."""


def review(
    state: GamaState, runtime: Runtime[Options], *, space: PrivateSpace
) -> Command[Literal["fuse_views", "airlock"]]:
    """Show a person what would leave and wait; without the option `review`, or after a last word, go on.

    Raises:
        OptionError: nothing keeps the graph's state, so that it could not wait.
        ReviewStopped: the person said no; nothing was sent.
    """
    options = space.settings(runtime)
    if not options.review or state.get("review_done") or not options.switches.ampp:
        return Command(goto="airlock")
    if not (get_config().get("configurable") or {}).get("__pregel_checkpointer"):
        raise OptionError("option 'review': the graph can only wait where its state is kept; give it a checkpointer")
    box = space.box(state, options)
    text = space.question(state).reveal()
    asked = question(state, box, space.entities(state), options)
    problem: dict[str, str] = {}
    while True:
        answer = interrupt(asked | problem)
        if isinstance(answer, Sealed):
            answer = json.loads(space.vault.open(state["thread"], answer))
        try:
            send, hide, show = _read(answer)
            new = [*_hidden(hide, text), *_shown(show, text, space.entities(state), box)]
            decisions = _joined(read_decisions(state.get("decisions"), text), new)
            break
        except _Unclear as unclear:
            problem = {"problem": str(unclear)}
    if not new:
        if not send:
            raise ReviewStopped("The review stopped the task. Nothing was sent.")
        return Command(goto="airlock")
    return Command(update={"decisions": plain_decisions(decisions), "review_done": send}, goto="fuse_views")


def question(state: GamaState, box: PrivacyBox, found: Sequence[Entity], options: Options) -> dict[str, Any]:
    """Return what the person is shown. It holds nothing that may not leave."""
    entities = Counter(
        (entry.placeholder, entry.subtype)
        for entry in box.private_entries()
        if entry.placeholder in state["anonymized"]
    )
    model = options.public_model
    return {
        "title": "Look before it leaves",
        "anonymized": state["anonymized"],
        "hidden": [{"placeholder": placeholder, "kind": subtype} for placeholder, subtype in entities],
        "for_the_question": selection_notes(found),
        "experts": [rule.domain for rule in state["rules"]],
        "goes_to": model if isinstance(model, str) else type(model).__name__ if model else "the built-in reader",
        "how": HOW,
    }


def _read(answer: object) -> tuple[bool, list[str], list[str]]:
    """Read an answer: whether to send, what to hide, what to show.

    Raises:
        _Unclear: it cannot be used.
    """
    if isinstance(answer, str) and answer.strip().lower() in ("send", "stop"):
        answer = answer.strip().lower() == "send"
    if isinstance(answer, bool):
        return answer, [], []
    if not isinstance(answer, Mapping) or not answer or set(answer) - {"send", "hide", "show"}:
        raise _Unclear("The answer is none of true, false and a correction with hide, show or send.")
    send = answer.get("send", False)
    lists = [answer.get(name, []) for name in ("hide", "show")]
    listed = [[one] if isinstance(one, str) else one for one in lists]
    if not isinstance(send, bool) or not all(isinstance(one, list) for one in listed):
        raise _Unclear("`send` is true or false; `hide` and `show` are lists of texts.")
    if not all(isinstance(item, str) and item.strip() for one in listed for item in one):
        raise _Unclear("`hide` and `show` are lists of texts, none of them empty.")
    hide, show = ([item.strip() for item in one] for one in listed)
    return send, hide, show


def _hidden(items: Sequence[str], text: str) -> list[Decision]:
    """Return decisions that hide texts wherever they stand, in any case."""
    found = [[m.span() for m in re.finditer(re.escape(item), text, re.IGNORECASE)] for item in items]
    if missing := sum(not places for places in found):
        raise _Unclear(f"{missing} of the texts to hide do not stand in the task as they are written.")
    return _decisions((place for places in found for place in places), private=True)


def _shown(items: Sequence[str], text: str, entities: Sequence[Entity], box: PrivacyBox) -> list[Decision]:
    """Return decisions that let values leave: those behind a placeholder and its other spellings, or texts."""
    places: list[tuple[int, int]] = []
    for item in items:
        surfaces = {surface.casefold() for surface in _surfaces(item, box)}
        here = [(one.start, one.end) for one in entities if one.private and one.text.casefold() in surfaces]
        if not here:
            raise _Unclear("One of the things to show is neither a placeholder of the task nor a hidden text.")
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


def _joined(old: Sequence[Decision], new: Sequence[Decision]) -> list[Decision]:
    """Return all decisions, without overlap: the last word counts, and hiding before showing within it."""
    return apart([*sorted(new, key=lambda decision: not decision.private), *old])


def _decisions(places: Iterable[tuple[int, int]], *, private: bool) -> list[Decision]:
    """Return decisions on places, without overlap: longer ones first."""
    longest = sorted(set(places), key=lambda place: place[0] - place[1])
    return apart(Decision(start=start, end=end, private=private) for start, end in longest)
