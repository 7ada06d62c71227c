"""A look at a task whose text is refined: its changes, taken or left, and the refinement, sealed for the next request.

A private LLM does not rewrite a text twice in the same way: what a person has looked at goes into the run as it is.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import TypeAdapter

from gama.privacy.anonymizer import Anonymizer
from gama.privacy.box import PrivacyBox
from gama.privacy.pipeline import View
from gama.privacy.question import with_query
from gama.serve.http.keys import Caller
from gama.serve.http.sealed import open_word, seal_word
from gama.state.decisions import Decision
from gama.state.errors import InputError
from gama.vault.seal import Vault

if TYPE_CHECKING:
    from gama.privacy.refining.loop import Refinement

_LABEL = "refinement of "


class Looked(NamedTuple):
    """What a look at a refined text gave, as the next request brings it back."""

    whole: "Refinement"
    """The refinement with all of its changes."""
    left: tuple[int, ...]
    """Numbers of the changes that are not made."""
    chosen: "Refinement"
    """The refinement without them."""


def _adapter() -> "TypeAdapter[tuple[Refinement, tuple[int, ...], Refinement]]":
    from gama.privacy.refining.loop import Refinement

    return TypeAdapter(tuple[Refinement, tuple[int, ...], Refinement])


def seal_look(vault: Vault, caller: Caller, look: Looked) -> str:
    """Return a look as a sealed word."""
    return seal_word(vault, _LABEL, caller, _adapter().dump_json((look.whole, look.left, look.chosen)))


def open_look(vault: Vault, caller: Caller, word: str) -> Looked:
    """Read a sealed look.

    Raises:
        InputError: it is none.
        SealError: it is another server's or another key's.
    """
    told = "The refinement cannot be read. Give the one that a look at the same task returned."
    return Looked(*open_word(vault, _LABEL, caller, word, _adapter().validate_json, told))


def look_at(
    anonymizer: Anonymizer, question: str, query: str, *, box: PrivacyBox | None, decisions: Sequence[Decision],
    before: Looked | None = None, leave: Sequence[int] = (),
) -> tuple[View, Looked | None]:  # fmt: skip
    """Return what would leave, and the look at its refinement; None where the text is not refined.

    Args:
        anonymizer: with the options of the request.
        question: the text.
        query: what is asked about it.
        box: of the conversation, which is continued.
        decisions: what a person has decided.
        before: an earlier look: where it begins with the same text, that is not refined again.
        leave: numbers of the changes that are not made; none of them counts where the text is another one by now.

    Raises:
        GamaError: see `Anonymizer.anonymize`, and `choose_changes`.
    """
    from gama.privacy.refining.changes import changes
    from gama.privacy.refining.engine import choose_changes, refine_view, resume_view, set_up

    pipeline = anonymizer.pipeline
    if pipeline.options.refine == "off":
        return anonymizer.anonymize_task(question, query, box=box, decisions=decisions), None
    plain = Anonymizer(pipeline=pipeline.under(pipeline.options.model_copy(update={"refine": "off"})))
    view = plain.anonymize_task(question, query, box=box, decisions=decisions)
    text, asked = with_query(question, query)
    start = set_up(pipeline, text, view.text, view.entities, view.box, asked).start
    if before is None or before.whole.before.text != start:
        view, leave = refine_view(pipeline, text, view, asked), ()
    else:
        kept = tuple(leave) == before.left
        view = resume_view(pipeline, text, view, asked, before.chosen if kept else before.whole)
    if view.refinement is None:
        return view, None
    whole = before.whole if before is not None and leave else view.refinement
    made = len(changes(whole))
    if any(not 1 <= one <= made for one in leave):
        raise InputError(f"`leave` has a number that none of the {made} changes has.")
    if leave and (before is None or tuple(leave) != before.left):
        view = choose_changes(pipeline, text, view, asked, [number not in leave for number in range(1, made + 1)])
    return view, Looked(whole, tuple(leave), view.refinement or whole)


def shown_look(look: Looked, box: PrivacyBox) -> list[dict[str, Any]]:
    """Return the changes of a look, each with whether it is made; no value of the box is in them."""
    from gama.privacy.refining.engine import shown_changes

    return [
        {"before": one.before, "after": one.after, "taken": number not in look.left}
        for number, one in enumerate(shown_changes(look.whole, box), 1)
    ]
