"""Self-refinement within the engine: who plays the roles, what must stay, what may not come in, and what is told of it.

Under `refine="placeholders+refine"` the anonymized text is rewritten: its placeholders stay, and the detector finds
nothing new in what may leave. Under `refine="refine"` the raw text is, and what is still private in it is replaced
afterwards, as in any text.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import TypeAdapter

from gama.guard.search import Guard
from gama.privacy.finders import Complete
from gama.privacy.refining.agents import Agents
from gama.privacy.refining.attributes import attributes
from gama.privacy.refining.changes import Change, changes, referred, with_changes
from gama.privacy.refining.inferences import places
from gama.privacy.refining.loop import Refinement, Roles, Terms, Version, judged, refine, refused
from gama.privacy.refining.second import read_embedded, reads_more, tells_less
from gama.state.box import Bijection
from gama.state.entities import Entity
from gama.state.errors import LeakError, ModelError, OptionError
from gama.state.options import Options
from gama.tools.placeholders.grammar import Tokens

if TYPE_CHECKING:
    from gama.privacy.box import PrivacyBox
    from gama.privacy.pipeline import Pipeline, View


def refine_view(pipeline: "Pipeline", text: str, view: "View", query: str | int) -> "View":
    """Return a view whose text is rewritten until its context gives nothing away; see option `refine`.

    Args:
        pipeline: the engine.
        text: the raw text.
        view: the text, anonymized.
        query: what is asked about it, or where in the text that begins; 0 where it is looked for in the text.

    Raises:
        OptionError: attributes were added, and there is no private LLM to infer them.
        LeakError: something private would remain.
    """
    setting = set_up(pipeline, text, view.text, view.entities, view.box, query)
    return resume_view(pipeline, text, view, query, refine(setting.start, setting.roles, setting.terms))


def resume_view(pipeline: "Pipeline", text: str, view: "View", query: str | int, done: Refinement) -> "View":
    """Return a view whose text was refined before; see `refine_view`.

    Args:
        pipeline: the engine.
        text: the raw text.
        view: the text, anonymized.
        query: see `refine_view`.
        done: the refinement; it begins with the text of the view, or with the raw one.
    """
    sent = as_sent(pipeline, text, done, view.box, query)
    return replace(view, text=sent, warnings=[*view.warnings, *told(done)], refinement=done)


def choose_changes(pipeline: "Pipeline", text: str, view: "View", query: str | int, taken: Sequence[bool]) -> "View":
    """Return a refined view with those of its changes alone that a person takes, attacked and judged anew.

    Args:
        pipeline: the engine.
        text: the raw text.
        view: what `refine_view` returned for it.
        query: what that was given.
        taken: for each of `changes` whether it is made.

    Raises:
        LeakError: what is left of the changes may not leave: a part that must stay is lost, or something private is in.
        ModelError: it cannot be attacked or judged.
    """
    done = view.refinement
    if done is None or all(taken):
        return view
    setting = set_up(pipeline, text, done.before.text, view.entities, view.box, query)
    chosen, said = choose(setting, done, taken)
    before = view.warnings[: len(view.warnings) - len(told(done))]
    sent = as_sent(pipeline, text, chosen, view.box, query)
    return replace(view, text=sent, warnings=[*before, *said], refinement=chosen)


def choose(setting: "Setting", done: Refinement, taken: Sequence[bool]) -> tuple[Refinement, list[str]]:
    """Return a refinement with some of its changes alone, attacked and judged anew, and what is told of it.

    Args:
        setting: what it began with.
        done: it.
        taken: for each of `changes` whether it is made.

    Raises:
        LeakError: see `choose_changes`; so is ModelError.
    """
    chosen = replace(done, chosen=0)
    if any(taken):
        new = with_changes(done, taken)
        if why := refused(done.before.text, new, setting.terms):
            raise LeakError(f"Nothing was sent. With these changes alone {why} Take them all, or none.")
        version, why = judged(done.before.text, new, setting.roles)
        if version is None:
            raise ModelError(f"The text with these changes cannot be attacked: {why} Try again, or take them all.")
        chosen = replace(done, versions=(*done.versions, version), chosen=len(done.versions))
    said = [f"You took {sum(taken)} of {len(taken)} changes.", *told(chosen)]
    if chosen.after.privacy < chosen.before.privacy:
        said.append("With these changes alone the text is less private than without any, by the attacker's reading.")
    if setting.terms.second is not None and (why := setting.terms.second(chosen.before.text, chosen.text)):
        said.append(f"With these changes alone {why}")
    return chosen, said


class Setting(NamedTuple):
    """What a refinement begins with."""

    start: str
    """The text that is rewritten: the anonymized or the raw one."""
    roles: Roles
    terms: Terms


def set_up(
    pipeline: "Pipeline", text: str, anonymized: str, entities: Sequence[Entity], box: "PrivacyBox", query: str | int,
    roles: Roles | None = None,
) -> Setting:  # fmt: skip
    """Return what a refinement begins with; see `refine_view`.

    Args:
        pipeline: the engine.
        text: the raw text.
        anonymized: the text with its placeholders.
        entities: its mentions.
        box: its box.
        query: see `refine_view`.
        roles: who infers, rewrites and judges; those that the options name where None.
    """
    from gama.privacy.request import find_request

    options = pipeline.options
    roles = roles or roles_of(options, pipeline.finders.llm(options))
    if isinstance(query, int):
        spans: Sequence[tuple[int, int]] = [(query, len(text))] if query else find_request(text).spans
    else:
        spans = ()
    second = reads_more if isinstance(roles, Agents) else None
    if options.refine == "refine":
        return Setting(text, roles, replace(terms_of(options, what_stays(text, spans, entities, None)), second=second))
    check = stays_anonymous(anonymized, lambda new: bool(pipeline.look_again(None, new, box, entities)))
    # Of a raw text rules would leave out values that as placeholders can stay.
    finish = tells_less if second is not None else None
    terms = terms_of(options, what_stays(text, spans, entities, box), check)
    return Setting(anonymized, roles, replace(terms, second=second, finish=finish))


def as_sent(pipeline: "Pipeline", text: str, done: Refinement, box: "PrivacyBox", query: str | int) -> str:
    """Return the text that leaves: the refined one, and what is still private in it replaced.

    Args:
        pipeline: the engine.
        text: the raw text.
        done: the refinement.
        box: the box, which grows by what only the rewritten raw text names.
        query: see `refine_view`; a query that stands in the text was not touched.
    """
    options = pipeline.options
    if options.refine != "refine":
        return done.text
    if isinstance(query, int) and query:
        query = max(0, done.text.rfind(text[query:].strip()))
    plain = pipeline.under(options.model_copy(update={"refine": "off"}))
    return plain.anonymize(done.text, box, query=query or None).text


def shown_changes(done: Refinement, box: "PrivacyBox") -> list[Change]:
    """Return what was changed, as it may be shown where nothing private may be: values of the box as placeholders.

    Args:
        done: the refinement; under `refine="refine"` it is of the raw text.
        box: the box of the text.
    """
    known = {entry.surface.casefold(): entry.placeholder for entry in box.private_entries()}
    if not known:
        return changes(done)
    longest = sorted(known, key=len, reverse=True)
    found = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)", re.IGNORECASE)
    guard = Guard(box.values(), placeholders=list(box.placeholders()))

    def hidden(stretch: str) -> str:
        new = found.sub(lambda match: known.get(match[0].casefold(), WITHHELD), stretch)
        try:
            guard.check(new)
        except LeakError:
            return WITHHELD
        return new

    return [Change(*map(hidden, one)) for one in changes(done)]


WITHHELD = "…"
"""What stands for a stretch of which a part cannot be hidden by itself."""

_REFINEMENT = TypeAdapter(Refinement)


def written(refinement: Refinement) -> bytes:
    """Return a refinement as JSON, to be sealed: what was inferred is private."""
    return _REFINEMENT.dump_json(refinement)


def read(data: bytes) -> Refinement:
    """Read what `written` wrote."""
    return _REFINEMENT.validate_json(data)


def shown(refinement: Refinement, answer: str) -> dict[str, Any]:
    """Return a refinement as a reply shows it.

    Args:
        refinement: it.
        answer: the public model's, with placeholders.
    """

    def inferred(version: Version) -> list[dict[str, Any]]:
        return [
            {"attribute": one.attribute, "guesses": list(one.guesses), "certainty": one.certainty, "reason": one.reason}
            for one in version.inferences
        ]

    return {
        "before": inferred(refinement.before),
        "after": inferred(refinement.after),
        "rounds": refinement.rounds,
        "utility": refinement.after.utility.score,
        "changes": [change._asdict() for change in changes(refinement)],
        "referred": [change._asdict() for change in referred(answer, refinement)],
    }


def roles_of(options: Options, complete: Complete | None) -> Roles:
    """Return who infers, rewrites and judges.

    Args:
        options: `refine_attributes`.
        complete: the private LLM, in all three roles as in SEAL; None has the embedded attacker and rules play them.

    Raises:
        OptionError: attributes were added, and there is no private LLM to infer them.
    """
    asked = attributes(options.refine_attributes)
    if complete is not None:
        return Agents(asked, complete, complete, complete, read_embedded)
    if options.refine_attributes:
        raise OptionError("option 'refine_attributes': only a private LLM infers more attributes: name private_model")
    from gama.privacy.refining.attacker import embedded_attacker
    from gama.privacy.refining.embedded import EmbeddedRoles

    return EmbeddedRoles(asked, embedded_attacker())


class Revealed(NamedTuple):
    """What a text still gives away about its writer, as an attacker at home reads it."""

    attribute: str
    guesses: tuple[str, ...]
    """The likeliest first."""
    certainty: int
    """From 1 to 5; 0 where the attacker gave none."""
    reason: str
    sentences: tuple[str, ...]
    """The sentences responsible."""


def attack(pipeline: "Pipeline", text: str) -> list[Revealed]:
    """Return what a text that would leave still gives away; by the private LLM where one is named, else embedded.

    Args:
        pipeline: the engine.
        text: the anonymized text.

    Raises:
        ModelError: the private LLM's reply cannot be read, or there is none and the text is not English.
        OptionError: attributes were added, and there is no private LLM to infer them.
    """
    found = roles_of(pipeline.options, pipeline.finders.llm(pipeline.options)).infer(text)
    if found is None:
        raise ModelError(
            "what the attacker infers cannot be read: ask again, or name another private_model; without one, only "
            "English is read"
        )
    where = places(text, found)
    return [
        Revealed(
            one.attribute, one.guesses, one.certainty, one.reason, tuple(text[a:b] for a, b in where[one.attribute])
        )
        for one in found
    ]


def terms_of(options: Options, keep: Iterable[str], check: Callable[[str], str] | None = None) -> Terms:
    """Return the rules of a run."""
    stays = tuple(dict.fromkeys(one for one in keep if one.strip()))
    return Terms(options.refine_rounds, options.refine_rule, options.refine_floor, stays, check)


def placeholders_in(text: str) -> frozenset[str]:
    """Return everything in brackets that reads as a placeholder, as it is written."""
    return frozenset(text[token.start : token.end] for token in Tokens(text) if token.bracketed)


def stays_anonymous(text: str, more: Callable[[str], bool]) -> Callable[[str], str]:
    """Return what checks rewritings of an anonymized text.

    Args:
        text: the anonymized text.
        more: tells whether the detector finds something private in a text.
    """
    known = placeholders_in(text)

    def check(new: str) -> str:
        if not placeholders_in(new) <= known:
            return "a placeholder came in that the text did not have."
        return "something private was found in the new text." if more(new) else ""

    return check


def what_stays(
    text: str, spans: Sequence[tuple[int, int]], entities: Sequence[Entity], box: Bijection | None
) -> list[str]:
    """Return what a rewriting may not touch: the question, and values that stay in clear since it needs them.

    Args:
        text: the raw text.
        spans: which stretches of it say what is asked.
        entities: its mentions.
        box: the box, where the anonymized text is rewritten: the question is looked for as it stands there.
    """
    stays = [_as_sent(text, start, end, entities, box) for start, end in spans]
    return [*stays, *(entity.text for entity in entities if entity.private and entity.needed)]


def _as_sent(text: str, start: int, end: int, entities: Sequence[Entity], box: Bijection | None) -> str:
    out, at = [], start
    for entity in sorted(entities, key=lambda one: one.start):
        shown = box.placeholder(entity.text) if box is not None and entity.hidden else None
        if shown and at <= entity.start and entity.end <= end:
            out += [text[at : entity.start], shown]
            at = entity.end
    return "".join([*out, text[at:end]]).strip()


def told(refinement: Refinement) -> list[str]:
    """Return what a user is told of a refinement; names attributes, quotes no value."""
    before, after = refinement.before.inferences, refinement.after.inferences
    if refinement.ended == "unreadable":
        return [
            "The text was not refined: the attacker's reply could not be read, or no private model is named, without "
            "which only English is read."
        ]
    if not before:
        return ["Refined: nothing could be inferred from the text as it was."]
    left = ", ".join(one.attribute for one in after) or "nothing"
    said = (
        f"Refined in {refinement.rounds} round{'' if refinement.rounds == 1 else 's'}: of {len(before)} attribute"
        f"{'' if len(before) == 1 else 's'} that could be inferred, {left} can be still; the use of the text is judged "
        f"{refinement.after.utility.score:.0%}."
    )
    return [said, *refinement.notes]
