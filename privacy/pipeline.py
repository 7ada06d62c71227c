"""`Pipeline`: the one engine. Graph, Anonymizer, documents, gateway, middleware, MCP and evals are its callers.

identify ─► judge ─► fuse ─► link ─► select ─► replace ─► look again; and back: restore.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from gama.guard.search import Guard
from gama.privacy import agents
from gama.privacy import identify as views
from gama.privacy.box import PrivacyBox
from gama.privacy.decide import apply_decisions, assign_subjects, decision_notes, policy_notes
from gama.privacy.finders import Finders, Look, Seen, look
from gama.privacy.fuse import Fused, fuse, settling, to_entities, with_floor
from gama.privacy.known import in_any_notation
from gama.privacy.link import link
from gama.privacy.question import by_columns, check_question, check_scripts, without_halves
from gama.privacy.replace import (
    CONFIRMED,
    LOOKS,
    SURE,
    Passage,
    Replaced,
    irreversible_notes,
    missed,
    settle,
    shown,
    unsettled,
)
from gama.privacy.select import Need, Query, as_told, needed_values, select, selection_notes
from gama.state.box import Bijection
from gama.state.decisions import Decision, read_decisions
from gama.state.entities import Entity, Span
from gama.state.errors import LeakError, OptionError
from gama.state.options import Options
from gama.tools.placeholders.remapping import Restored, name_hosts
from gama.tools.styles.writer import write_by_options

if TYPE_CHECKING:
    from gama.privacy.reckoning import Place, Trial
    from gama.privacy.refining.loop import Refinement


@dataclass(frozen=True)
class View:
    """An anonymized text, the box that reverses it, and every mention that was found."""

    text: str
    box: PrivacyBox = field(repr=False)
    entities: list[Entity] = field(repr=False)
    warnings: list[str] = field(default_factory=list)
    question_spans: tuple[tuple[int, int], ...] = ()
    """Which stretches of the raw text were taken for the question; none where a query was given apart."""
    refinement: "Refinement | None" = field(default=None, repr=False)
    """What became of the text under the option `refine`."""


class Read(NamedTuple):
    """The mentions of a text."""

    found: list[Entity]
    late: list[Entity]
    """Those that only a second look found."""


class Reckoned(NamedTuple):
    """A reply whose formulas were evaluated."""

    text: str
    box: PrivacyBox
    """The box by which it is restored: the conversation's, and what formulas gave."""
    unresolved: tuple[str, ...]
    """What could not be reckoned, and why; no value is in it."""
    places: "tuple[Place, ...]" = ()
    """Where each formula stood in `text`, and why it gave nothing."""


ASKING = frozenset({"balanced", "open"})
"""Levels of privacy under which a text's own question counts as its query."""


@dataclass(frozen=True)
class Pipeline:
    """Finds what is private in texts, replaces it by placeholders, and puts it back. Keeps nothing, sends nothing.

    Safe to share between threads. Boxes are the caller's: each step that takes one lets it grow.
    """

    options: Options = field(default_factory=Options)
    finders: Finders = field(default_factory=Finders)
    _seen: Seen = field(default_factory=Seen, repr=False)

    def under(self, options: Options) -> "Pipeline":
        """Return the same engine under other options."""
        return self if options is self.options else replace(self, options=options)

    def new_box(self) -> PrivacyBox:
        """Return an empty box."""
        return PrivacyBox.of(self.options)

    def spans(self, text: str) -> list[Span]:
        """Run patterns, tagger and what else is named, once per text: both views look at the same spans."""
        return self._look(text).spans

    def _look(self, text: str, wanted: Sequence[tuple[int, int]] | None = None) -> Look:
        return self._seen.look(text, self.options, self.finders, wanted)

    def found(self, text: str) -> list[Span]:
        """Return what the finders find in a raw text without halves of characters, before names are weighed."""
        return look(text, self.options, self.finders).spans

    def identify(self, text: str) -> list[Span]:
        """Return view 1 (PNER, Eq. 1): everything that could be private."""
        return views.first_view(self.spans(text), self.options)

    def judge(self, text: str, notes: list[str]) -> list[Span]:
        """Return view 2 (PIA, Eq. 2): what is private in its context, by the private LLM or the tagger's own judgement.

        Args:
            text: the raw text.
            notes: gets what went otherwise than usual, without private text.

        Raises:
            InputError: it is in a script that is refused.
        """
        check_scripts(text, self.options, notes)
        complete = self.finders.llm(self.options)
        if complete is None:
            return views.embedded_view(self.spans(text), self.options)
        if self.options.pia_mode == "filter":
            return agents.filter_private(complete, text, self.identify(text))
        return agents.extract_private(complete, text, notes)

    def fuse(self, text: str, first: Sequence[Span], second: Sequence[Span], notes: list[str]) -> list[Entity]:
        """Return the mentions of both views (Eq. 3), the user's own lists applied; columns of tables are decided whole.

        A private LLM only adds: what is hidden without it is hidden beside it (see `with_floor`).

        Args:
            text: the raw text.
            first: view 1.
            second: view 2.
            notes: gets where the private LLM was overruled.
        """
        complete = self.finders.llm(self.options)
        fused = fuse(first, second, text, settling(self.options, text, complete))
        if complete is not None:
            alone = first, views.embedded_view(self.spans(text), self.options)
            fused, note = with_floor(fused, alone, text, self.options)
            notes += [note] if note else []
        return by_columns(text, to_entities(text, fused, self.options), options=self.options)

    def find(self, text: str, notes: list[str], *, system: bool = False) -> list[Entity]:
        """Return every mention in a text, private or not: identify, judge, fuse.

        Args:
            text: the raw text.
            notes: gets what went otherwise than usual, without private text.
            system: whether it is a system prompt. Under `system="operator"` that is the operator's own text, and what
                is hidden by what it is, wherever it stands, is all that is found: see `plain_finds`.

        Raises:
            InputError: the text is empty or no text, or in a script that is refused.
            LimitReached: it is longer than `max_chars`.
        """
        check_question(text, self.options.max_chars)
        if self._operates(system):
            return self.plain_finds(text)
        return self.fuse(text, self.identify(text), self.judge(text, notes), notes)

    def plain_finds(self, text: str) -> list[Entity]:
        """Return what is private whatever is said of it: codes that rules find, and what `deny` names."""
        spans = [
            span
            for span in self.identify(text)
            if span.validated or (span.view == "regex" and span.type == "CODE" and span.subtype != "url")
        ]
        return to_entities(text, Fused(spans, frozenset(), []), self.options)

    def _operates(self, system: bool) -> bool:
        """Return whether a text is the operator's own."""
        return system and self.options.system == "operator"

    def link(
        self,
        text: str,
        entities: Sequence[Entity],
        known: Bijection | None = None,
        decisions: Sequence[Decision] = (),
    ) -> list[Entity]:
        """Return the mentions as a person decided on them, each private one with its subject.

        Args:
            text: the raw text.
            entities: its mentions.
            known: the conversation's box: persons met before keep their letter.
            decisions: a person's.
        """
        decided = in_any_notation(text, apply_decisions(text, entities, decisions, self.options), known, self.options)
        return assign_subjects(text, link(text, decided, known), decisions)

    def request(self, text: str, notes: list[str]) -> tuple[tuple[int, int], ...]:
        """Return which stretches of a text say what is asked, where the level lets what they need stay in clear.

        Under `privacy="strict"`, and under `auto` without a query apart, nothing does, and nothing is looked for.

        Args:
            text: the raw text.
            notes: gets a note when the private LLM gave no readable answer.
        """
        if self.options.privacy not in ASKING:
            return ()
        from gama.privacy.request import find_request

        complete = self.finders.llm(self.options)
        found = find_request(without_halves(text), complete)
        if complete is not None and found.by == "rules":
            notes.append(agents.UNQUOTED)
        return found.spans

    def select(self, text: str, query: Query, entities: Sequence[Entity], notes: list[str]) -> list[Entity]:
        """Return the mentions with what a query needs marked as `needed` (PII-Bench, task T3).

        Args:
            text: the raw text.
            query: what will be asked about it, or where in the text itself the query stands.
            entities: the mentions.
            notes: gets what went otherwise than usual.
        """
        marked = select(text, query, entities, self.options, self.finders, notes)
        return by_columns(text, marked, query, self.options)

    def need(self, parts: Sequence[tuple[str, Sequence[Entity]]], query: str, notes: list[str]) -> Need:
        """Return which values of texts that belong together a query needs; see `needed_values`."""
        return needed_values(parts, query, self.options, self.finders, notes)

    def replace(self, text: str, entities: Sequence[Entity], box: PrivacyBox, *, system: bool = False) -> Replaced:
        """Replace what is private by placeholders of a box (Eqs. 4, 5), and look again until nothing is left.

        The box notes which hosts the text names: addresses that lead there may get values when an answer is restored.

        Args:
            text: the raw text.
            entities: its mentions.
            box: the box, which grows.
            system: whether it is a system prompt; see `find`.

        Raises:
            LeakError: something private is still found after `LOOKS` looks, or on the second look under
                `recheck="stop"`.
        """
        passage = Passage(text, list(entities))
        write_by_options(box, text, self.options)
        passage.enter(box)
        late: list[Entity] = []
        for _ in range(LOOKS):
            settle([passage], box, self.options)
            again = not self._operates(system)
            wanted = unsettled(passage, self._look(text).doubts) if again else None
            more = self.look_again(passage, passage.mapped.text, box, passage.found, wanted) if again else []
            if not more:
                name_hosts(passage.mapped.text, box)
                note_braces(passage.mapped.text, box)
                return Replaced(passage.mapped.text, box, as_told(passage.mentions(box), box, self.options), late)
            if self.options.recheck == "stop":
                raise LeakError(
                    f"The second look found {len(more)} more private span(s) in the text about to leave, and "
                    "the option recheck is 'stop'. Nothing was sent. Use recheck='mask' to have them replaced."
                )
            passage.late, late = more, [*late, *more]
        raise LeakError(
            f"After {LOOKS} looks the text about to leave still had private spans in it. Nothing was sent. "
            "Name them with the option deny, or shorten the text."
        )

    def look_again(
        self,
        passage: Passage | None,
        anonymized: str,
        box: PrivacyBox,
        known: Sequence[Entity],
        wanted: Sequence[tuple[int, int]] | None = None,
    ) -> list[Entity]:
        """Return what the detectors still find in an anonymized text; see `missed`.

        Args:
            passage: the text on its way, or None.
            anonymized: the text that is about to leave.
            box: its box.
            known: the mentions of the first look.
            wanted: where in the anonymized text the tagger was in doubt; it reads nothing else. None has it read all.
        """
        seen = shown(anonymized, box)
        spans, sure = self._look(seen.text, wanted).spans, SURE if wanted is None else CONFIRMED
        return missed(passage, anonymized, seen, spans, known, self.options, sure)

    def left_in(self, anonymized: str, box: PrivacyBox, known: Sequence[Entity], text: str) -> list[Entity]:
        """Return what the detectors find in a text before it crosses.

        What the box makes of the original text is looked at as `replace` has done, so that both agree wherever they
        run; any other text is read whole.

        Args:
            anonymized: the text that is about to cross.
            box: its box.
            known: the mentions in the original text.
            text: the original text.
        """
        passage = Passage(text, list(known))
        passage.map(box, self.options)
        same = passage.mapped.text == anonymized
        wanted = unsettled(passage, self._look(text).doubts) if same else None
        return self.look_again(None, anonymized, box, known, wanted)

    def anonymize(
        self,
        text: str,
        box: PrivacyBox,
        *,
        query: str | int | None = "",
        decisions: Sequence[Decision | Mapping[str, Any]] = (),
        system: bool = False,
    ) -> View:
        """Go all steps with one text.

        Args:
            text: the raw text.
            box: the conversation's box, which grows.
            query: what will be asked about the text, or where in the text itself the query begins; None has it looked
                for in the text, see `request`.
            decisions: what a person has decided; goes before what was found.
            system: whether it is a system prompt; see `find`.

        Raises:
            InputError: the text is empty or no text, or the decisions are not about it.
            LimitReached: it is longer than `max_chars`.
            LeakError: something private would remain.
        """
        notes: list[str] = []
        found = self.find(text, notes, system=system)
        decided = read_decisions(decisions, text)
        entities = self.link(text, found, box, decided)
        spans = self.request(text, notes) if query is None else ()
        if asked := query or spans:
            entities = self.select(text, asked, entities, notes)
        result = self.replace(text, entities, box, system=system)
        notes += irreversible_notes(result.entities, box)
        notes += decision_notes(result.text, result.entities, decided, text)
        notes += policy_notes(result.entities, self.options)
        view = View(result.text, box, result.entities, [*notes, *selection_notes(result.entities)], spans)
        if self.options.refine == "off" or system:
            return view
        from gama.privacy.refining.engine import refine_view

        return refine_view(self, text, view, query or 0)

    def read(self, text: str, *, system: bool = False) -> Read:
        """Return what is found in a text at first, and on a second look; it depends on nothing but the text.

        A text that shares a box with others is read so, then linked and entered (`Passage`); `settle` does the rest.

        Args:
            text: the raw text.
            system: whether it is a system prompt; see `find`.
        """
        found = self.find(text, [], system=system)
        return Read(found, self.replace(text, link(text, found), self.new_box(), system=system).late)

    def settle(self, passages: Sequence[Passage], box: PrivacyBox, fixed: Sequence[str] = ()) -> Guard:
        """Map texts that share a box, once all have been entered; these are not refined. See `gama.privacy.replace`."""
        if self.options.refine != "off":
            raise OptionError("option 'refine': documents and chats of the gateway are not refined, only single texts")
        return settle(passages, box, self.options, fixed)

    def try_formulas(self, reply: str, box: PrivacyBox, text: str, sent: str) -> "Trial":
        """Try the formulas of a reply, as a compiler would: what fails, the model that wrote them may be told.

        They are tried with stand-ins of the kinds and units of the values, so that no value takes part.

        Args:
            reply: the public model's, with placeholders.
            box: the conversation's.
            text: see `reckon`.
            sent: likewise.
        """
        from gama.privacy.reckoning import Trial, try_formulas

        return try_formulas(reply, box, text, sent, self.options.default_region) if "{{" in reply else Trial()

    def tell(self, text: str, box: PrivacyBox) -> str:
        """Return the lines that tell the model of formulas over the placeholders of a box; see `Anonymizer`.

        From then on those in replies that are restored by the box are evaluated.

        Args:
            text: the anonymized text that is about to leave.
            box: its box.
        """
        from gama.privacy.reckoning import tell

        return tell(text, box, self.options.default_region)

    def reckon(self, reply: str, box: PrivacyBox, text: str, sent: str) -> Reckoned:
        """Evaluate the formulas of a reply; what they give stands behind new placeholders, to be restored by `box`.

        Args:
            reply: the public model's, with placeholders.
            box: the conversation's; what a formula gave is added where it says as much as another private value.
            text: the raw text that the reply answers: its language decides how values are read and written.
            sent: the anonymized text; what stands in double braces there is no formula.
        """
        if "{{" not in reply:
            return Reckoned(reply, box, ())
        from gama.privacy.reckoning import Reckoner
        from gama.tools.formulas.language import context_of

        context = context_of(text, self.options.default_region)
        reckoner = Reckoner(box, context, quoted=sent, reply=reply)
        done = reckoner.reckon(reply, self.options.restoring)
        return Reckoned(done.text, reckoner.box, tuple(done.unreckoned), tuple(done.places))

    def restore(self, reply: str, box: PrivacyBox, *, formulas: bool | None = None) -> Restored:
        """Put the private values back into a reply (Eq. 6); says what stayed unresolved and unused.

        Args:
            reply: the public model's, with placeholders.
            box: the conversation's; it grows by what formulas gave.
            formulas: whether formulas are evaluated; by default where the model was told of them.
        """
        return box.restore(reply, self.options.restoring, formulas=formulas)


def note_braces(text: str, box: Bijection) -> None:
    """Have a box remember what stands in double braces in a text that is about to leave: it is no formula."""
    if "{{" in text:
        from gama.privacy.reckoning import braces_in

        box.braces |= braces_in(text)
