"""`Anonymizer`: the private half by itself: find, replace, restore. No graph, no model call, no disk."""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gama.nodes.private.space import PrivateSpace
from gama.privacy.agents import extract_private, filter_private
from gama.privacy.decide import decision_notes
from gama.privacy.finders import private_space
from gama.privacy.fuse import fuse, settling, to_entities
from gama.privacy.identify import embedded_pia, pner_view
from gama.privacy.link import link_decided
from gama.privacy.question import check_question, with_query
from gama.privacy.replace import anonymize_text, irreversible_notes
from gama.privacy.select import select, select_in_task, selection_notes
from gama.state.box import PrivacyBox
from gama.state.decisions import Decision, read_decisions
from gama.state.entities import Entity
from gama.state.options import Options
from gama.tools.placeholders.arguments import restore_values
from gama.tools.placeholders.remapping import Restored, remap_text
from gama.tools.placeholders.stream import StreamRestorer
from gama.vault.seal import Vault

if TYPE_CHECKING:
    from gama.privacy.documents import DocumentView, RestoredDocument, Unread


@dataclass(frozen=True)
class View:
    """An anonymized text, the box that reverses it, and every mention that was found."""

    text: str
    box: PrivacyBox = field(repr=False)
    entities: list[Entity] = field(repr=False)
    warnings: list[str] = field(default_factory=list)


class Anonymizer:
    """Finds what is private in a text, replaces it by placeholders, and puts it back.

    Args:
        options: see `Options`; by default the embedded models with no LLM.
    """

    def __init__(self, options: Options | None = None) -> None:
        """Make an anonymizer; models load on first use."""
        self.options = options or Options()
        self._space = private_space(self.options, Vault.ephemeral())

    @property
    def space(self) -> PrivateSpace:
        """The finders and models it works with."""
        return self._space

    def identify(self, text: str, warnings: list[str] | None = None) -> list[Entity]:
        """Return every mention found, private or not, with views, type and subject.

        Raises:
            InputError: the text is empty or no text.
            LimitReached: it is longer than `max_chars`.
        """
        check_question(text, self.options.max_chars)
        notes = warnings if warnings is not None else []
        space, options = self._space, self.options
        complete = space.llm(options)
        pner = pner_view(text, space, options)
        if complete is None:
            pia = embedded_pia(text, space, options)
        elif options.pia_mode == "filter":
            pia = filter_private(complete, text, pner)
        else:
            pia = extract_private(complete, text, notes)
        return to_entities(text, fuse(pner, pia, text, settling(options, text, space)), options)

    def anonymize(
        self,
        text: str,
        query: str | None = None,
        *,
        box: PrivacyBox | None = None,
        decisions: Sequence[Decision | Mapping[str, Any]] = (),
    ) -> View:
        """Replace what is private by placeholders.

        Args:
            text: the raw text.
            query: what will be asked about the text: what it needs stays in clear, only the rest is replaced
                (PII-Bench, task T3); see the options `select`, `select_votes` and `select_never`. The query itself is
                not in the view: anonymize it with the view's box before it leaves.
            box: the box of an earlier text of the same conversation, which is continued.
            decisions: what a person has decided about stretches of the text; they go before what was found.

        Raises:
            InputError: the decisions are not about this text.
            LeakError: something private would remain.
        """
        return self.extend(text, box.model_copy(deep=True) if box else self._new_box(), decisions, query=query)

    def extend(
        self,
        text: str,
        box: PrivacyBox,
        decisions: Sequence[Decision | Mapping[str, Any]] = (),
        *,
        query: str | None = None,
        query_at: int = 0,
    ) -> View:
        """Replace what is private in a text by placeholders of a box, which itself grows; see `anonymize`.

        Args:
            text: the raw text.
            box: the box.
            decisions: what a person has decided.
            query: what will be asked about the text.
            query_at: where the query begins in the text itself, if it stands behind it, as in a task of the graph.
        """
        notes: list[str] = []
        found = self.identify(text, notes)
        decided = read_decisions(decisions, text)
        entities = link_decided(text, found, box.entries, decided, self.options)
        if query_at:
            entities = select_in_task(text, query_at, entities, self.options, self._space, notes)
        elif query:
            entities = select(text, query, entities, self.options, self._space, notes)
        result = anonymize_text(text, entities, box, self._space, self.options)
        notes += [*irreversible_notes(result), *decision_notes(result.text, result.entities, decided, text)]
        return View(result.text, result.box, result.entities, [*notes, *selection_notes(result.entities)])

    def anonymize_task(
        self,
        question: str,
        query: str = "",
        *,
        box: PrivacyBox | None = None,
        decisions: Sequence[Decision | Mapping[str, Any]] = (),
    ) -> View:
        """Return what `Gama` would let leave for a question and a query about it, both in one text; see `anonymize`."""
        text, at = with_query(question, query)
        return self.extend(text, box.model_copy(deep=True) if box else self._new_box(), decisions, query_at=at)

    def anonymize_document(
        self,
        data: bytes,
        kind: str,
        query: str | None = None,
        *,
        box: PrivacyBox | None = None,
        unread: "Unread" = "refuse",
        encoding: str | None = None,
    ) -> "DocumentView":
        """Replace what is private in a document by placeholders and keep its format.

        Args:
            data: the bytes of the document.
            kind: docx, xlsx, csv, tsv, json, jsonl, eml, html, md, txt, or pdf, whose text becomes txt.
            query: what will be asked about the document; see `anonymize`.
            box: the box of an earlier text of the same conversation, which is continued.
            unread: what becomes of pictures and other pieces that cannot be looked into.
            encoding: of a text, where it is not UTF-8.

        Raises:
            InputError: it cannot be read as such a document, or has pieces that cannot be looked into.
            LimitReached: its texts together are longer than `max_chars`.
            LeakError: something private would remain.
        """
        from gama.privacy.documents import anonymize_document

        known = box.model_copy(deep=True) if box else self._new_box()
        return anonymize_document(
            data, kind, known, self.identify, self._space, self.options, query or "", unread=unread, encoding=encoding
        )

    def restore_document(
        self, data: bytes, kind: str, box: PrivacyBox, *, encoding: str | None = None
    ) -> "RestoredDocument":
        """Put the private values back into a document; parts unchanged since get their very bytes back."""
        from gama.privacy.documents import restore_document

        return restore_document(data, kind, box, self.options.restore, encoding=encoding)

    def restore(self, reply: str, box: PrivacyBox) -> Restored:
        """Put the private values back; says what stayed unresolved and unused."""
        return remap_text(reply, box, self.options.restoring)

    def restore_arguments(self, arguments: Any, box: PrivacyBox) -> Any:
        """Put the private values back into the arguments of a tool call: JSON text, or what it was parsed to."""
        return restore_values(arguments, box, self.options.restoring)

    def restore_stream(self, chunks: Iterable[str], box: PrivacyBox) -> Iterator[str]:
        """Restore a stream of chunks, holding back only what may still become a placeholder."""
        restorer = StreamRestorer(box, self.options.restoring)
        for chunk in chunks:
            if text := restorer.feed(chunk):
                yield text
        if text := restorer.close():
            yield text

    async def arestore_stream(self, chunks: AsyncIterator[str], box: PrivacyBox) -> AsyncIterator[str]:
        """Restore an async stream of chunks."""
        restorer = StreamRestorer(box, self.options.restoring)
        async for chunk in chunks:
            if text := restorer.feed(chunk):
                yield text
        if text := restorer.close():
            yield text

    def _new_box(self) -> PrivacyBox:
        return PrivacyBox(style=self.options.style, order=self.options.index_order, seed=self.options.seed)
