"""`Pipeline`: the one engine. Graph, Anonymizer, documents, gateway, middleware, MCP and evals are its callers.

identify ─► judge ─► fuse ─► link ─► select ─► replace ─► look again; and back: restore.
"""

import hashlib
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from gama.guard.search import Guard
from gama.privacy import agents
from gama.privacy.box import PrivacyBox
from gama.privacy.decide import apply_decisions, assign_subjects, decision_notes, policy_notes
from gama.privacy.finders import Finders
from gama.privacy.fuse import Fused, fuse, settling, to_entities
from gama.privacy.identify import embedded_view, first_view, without_instructions
from gama.privacy.link import link
from gama.privacy.question import check_question, check_scripts, without_halves
from gama.privacy.replace import LOOKS, Passage, Replaced, irreversible_notes, missed, settle, shown
from gama.privacy.select import select, selection_notes
from gama.state.box import Bijection
from gama.state.decisions import Decision, read_decisions
from gama.state.entities import Entity, Span
from gama.state.errors import LeakError
from gama.state.options import Options
from gama.tools.placeholders.remapping import Restored, name_hosts
from gama.tools.styles.writer import write_by_options


@dataclass(frozen=True)
class View:
    """An anonymized text, the box that reverses it, and every mention that was found."""

    text: str
    box: PrivacyBox = field(repr=False)
    entities: list[Entity] = field(repr=False)
    warnings: list[str] = field(default_factory=list)


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


LONG_RESULT = 4
"""Characters of a result that is hidden in later turns, too; shorter ones stand for too much else."""
RESULT = "result"


@dataclass(frozen=True)
class Pipeline:
    """Finds what is private in texts, replaces it by placeholders, and puts it back. Keeps nothing, sends nothing.

    Safe to share between threads. Boxes are the caller's: each step that takes one lets it grow.
    """

    options: Options = field(default_factory=Options)
    finders: Finders = field(default_factory=Finders)
    _remembered: dict[str, list[Span]] = field(default_factory=dict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def under(self, options: Options) -> "Pipeline":
        """Return the same engine under other options."""
        return self if options is self.options else replace(self, options=options)

    def new_box(self) -> PrivacyBox:
        """Return an empty box."""
        return PrivacyBox.of(self.options)

    # The steps, in their order

    def spans(self, text: str) -> list[Span]:
        """Run patterns, tagger and what else is named, once per text: both views look at the same spans.

        What is remembered has a digest of the text for its key and offsets for its value, no text.
        """
        options, finders = self.options, self.finders
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        key = ":".join(map(repr, (digest, *finding(options))))
        with self._lock:
            if (known := self._remembered.get(key)) is not None:
                return known
        sound = without_halves(text)
        chosen = (finders.patterns(options), finders.tagger(options), *finders.more(options))
        found = without_instructions(sound, [span for find in chosen for span in find(sound)])
        with self._lock:
            if len(self._remembered) >= 16:
                self._remembered.clear()
            self._remembered[key] = found
        return found

    def identify(self, text: str) -> list[Span]:
        """Return view 1 (PNER, Eq. 1): everything that could be private."""
        return first_view(self.spans(text), self.options)

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
            return embedded_view(self.spans(text), self.options)
        if self.options.pia_mode == "filter":
            return agents.filter_private(complete, text, self.identify(text))
        return agents.extract_private(complete, text, notes)

    def fuse(self, text: str, first: Sequence[Span], second: Sequence[Span], notes: list[str]) -> list[Entity]:
        """Return the mentions of both views (Eq. 3), the user's own lists applied last.

        Args:
            text: the raw text.
            first: view 1.
            second: view 2.
            notes: gets where the private LLM was overruled.
        """
        settled = settling(self.options, text, self.finders.llm(self.options), notes)
        return to_entities(text, fuse(first, second, text, settled), self.options)

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
        decided = apply_decisions(text, entities, decisions, self.options)
        return assign_subjects(text, link(text, decided, known), decisions)

    def select(self, text: str, query: str | int, entities: Sequence[Entity], notes: list[str]) -> list[Entity]:
        """Return the mentions with what a query needs marked as `needed` (PII-Bench, task T3).

        Args:
            text: the raw text.
            query: what will be asked about it, or where in the text itself the query begins.
            entities: the mentions.
            notes: gets what went otherwise than usual.
        """
        return select(text, query, entities, self.options, self.finders, notes)

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
            more = self.look_again(text, passage.mapped.text, box, passage.found) if again else []
            if not more:
                name_hosts(passage.mapped.text, box)
                return Replaced(passage.mapped.text, box, passage.found, late)
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

    def look_again(self, text: str | None, anonymized: str, box: PrivacyBox, known: Sequence[Entity]) -> list[Entity]:
        """Return what the detectors still find in an anonymized text; see `missed`."""
        seen = shown(anonymized, box)
        return missed(text, anonymized, seen, self.spans(seen.text), known, self.options)

    # Several steps at once

    def anonymize(
        self,
        text: str,
        box: PrivacyBox,
        *,
        query: str | int = "",
        decisions: Sequence[Decision | Mapping[str, Any]] = (),
        system: bool = False,
    ) -> View:
        """Go all steps with one text.

        Args:
            text: the raw text.
            box: the conversation's box, which grows.
            query: what will be asked about the text, or where in the text itself the query begins.
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
        if query:
            entities = self.select(text, query, entities, notes)
        result = self.replace(text, entities, box, system=system)
        notes += irreversible_notes(result.entities, box)
        notes += decision_notes(result.text, result.entities, decided, text)
        notes += policy_notes(result.entities, self.options)
        return View(result.text, box, result.entities, [*notes, *selection_notes(result.entities)])

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
        """Map texts with the box that they share, once all have been entered; see `gama.privacy.replace.settle`."""
        return settle(passages, box, self.options, fixed)

    # Back

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
        from gama.tools.formulas.boxes import values_of
        from gama.tools.formulas.evaluate import evaluate
        from gama.tools.formulas.language import context_of

        within, real = box.model_copy(deep=True), dict[str, str]()
        if box.shift is not None:
            from gama.tools.placeholders.shifted import formulas_moved_back

            real = formulas_moved_back(reply, box)
        for formula, moved in real.items():
            reply = reply.replace(formula, moved)

        def place(result: Any) -> str:
            if len(result.text) >= LONG_RESULT and any(map(str.isdigit, result.text)):
                box.add(result.text, RESULT)
            return within.add(result.text, RESULT)

        context = context_of(text, self.options.default_region)
        done = evaluate(reply, values_of(box), context, quoted=sent, keep_placeholders=True, place=place)
        told = done.text
        for formula, moved in real.items():
            # What is no formula after all is restored as the text that it is.
            told = told.replace(moved, formula)
        return Reckoned(told, within, tuple(f"{one.formula}: {one.reason}" for one in done.unresolved))

    def restore(self, reply: str, box: PrivacyBox) -> Restored:
        """Put the private values back into a reply (Eq. 6); says what stayed unresolved and unused."""
        return box.restore(reply, self.options.restoring)


def finding(options: Options) -> tuple[object, ...]:
    """Return the options that decide what is found in a text."""
    return (options.pner, options.weights, options.recognizers, options.disable, options.default_region)
