"""Earlier turns of a conversation: kept as they crossed, and shown to the public model with a new task.

Nothing of them is new to the public side. What has become private since they left is hidden in them all the same; a
turn in which the guard still finds something stays at home.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from gama.guard.search import Guard
from gama.nodes.private.space import PrivateSpace
from gama.privacy.box import PrivacyBox
from gama.state.errors import LeakError
from gama.state.options import Options
from gama.state.private import GamaState
from gama.state.task import Turn
from gama.tools.placeholders.mapping import map_text
from gama.tools.placeholders.remapping import remap_text

_LEVELS = {"strict": 0, "auto": 1, "balanced": 2, "open": 3}
"""Levels of privacy by how much they let leave."""
MOST_TURNS = 50
"""How many turns are kept."""
MOST_CHARS = 100_000
"""Characters of the turns that go along, and of those that are kept."""
SHORT = 300
"""Characters below which a turn alone does not tell what it is about."""


def with_turn(state: GamaState, answer: str, options: Options) -> dict[str, Any]:
    """Return the part of the state's update that keeps the turn that ends; one without AMPP is counted, not kept."""
    kept, levels = list(state.get("conversation", ())), list(state.get("levels", ()))
    if options.switches.ampp:
        kept.append(Turn(text=state["anonymized"], answer=answer))
        levels.append(_LEVELS[options.privacy])
        kept = _latest(kept, MOST_TURNS)
    return {"conversation": kept, "levels": levels[len(levels) - len(kept) :], "turns": state.get("turns", 0) + 1}


def hidden_turns(state: GamaState, box: PrivacyBox, options: Options) -> list[Turn]:
    """Return the turns that may go along with a task, with the values that the box has by now hidden in them."""
    if not options.switches.ampp:
        return []
    turns, levels = state.get("conversation", []), state.get("levels", [])
    # What left under a level that lets more leave does not leave again under a stricter one.
    now = _LEVELS[options.privacy]
    levels = [0] * (len(turns) - len(levels)) + levels
    kept = _latest([turn for turn, level in zip(turns, levels, strict=True) if level <= now], options.earlier)
    # What other case or another writing of a value is given stays in no box: nothing of it comes back.
    own = box.apart()
    hidden = [Turn(text=map_text(turn.text, own).text, answer=map_text(turn.answer, own).text) for turn in kept]
    return may_go(hidden, Guard([word for word in options.deny if word.strip()], placeholders=box.placeholders()))


def may_go(turns: Sequence[Turn], guard: Guard) -> list[Turn]:
    """Return the turns in which the guard finds nothing."""
    return [turn for turn in turns if _is_clean(turn, guard)]


def notes_of(state: GamaState, turns: Sequence[Turn], options: Options) -> list[str]:
    """Say where earlier turns stay at home that would go along."""
    wanted = min(state.get("turns", 0), options.earlier) if options.switches.ampp else 0
    if not (missing := wanted - len(turns)):
        return []
    return [
        f"{missing} earlier turn{' does' if missing == 1 else 's do'} not go along with this one: the conversation is "
        f"longer than {MOST_CHARS:,} characters, something in it is to be hidden by now, or it left under a level that "
        "hides less."
    ]


def text_for_domains(state: GamaState, options: Options) -> str:
    """Return the anonymized text by which experts are chosen: of a short turn also what it goes on from."""
    turns, text = state.get("conversation", []), state["anonymized"]
    goes_on = bool(turns) and options.earlier > 0 and len(text) < SHORT
    return f"{turns[-1].text}\n\n{text}" if goes_on else text


def raw_text(state: GamaState, space: PrivateSpace, box: PrivacyBox) -> str:
    """Return the raw texts of the user, of earlier turns too: by their words values are read, and results written."""
    earlier = [remap_text(turn.text, box, "strict", traced=False).text for turn in state.get("conversation", ())]
    # The newest one first: its language is that of the answer.
    return "\n\n".join((space.question(state).reveal(), *reversed(earlier)))


def _latest(turns: Sequence[Turn], most: int) -> list[Turn]:
    """Return the latest turns, at most so many and as far as there is room, in their order."""

    def fitting() -> Iterator[Turn]:
        room = MOST_CHARS
        for turn in reversed(turns[-most:] if most else ()):
            room -= len(turn.text) + len(turn.answer)
            if room < 0:
                return
            yield turn

    return list(fitting())[::-1]


def _is_clean(turn: Turn, guard: Guard) -> bool:
    try:
        guard.check_text(turn.text, "An earlier turn")
        guard.check_text(turn.answer, "An earlier answer")
    except LeakError:
        return False
    return True
