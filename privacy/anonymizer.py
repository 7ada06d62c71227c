"""`Anonymizer`: the engine by itself: find, replace, restore. No graph, no model call, no disk."""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gama.privacy.box import PrivacyBox
from gama.privacy.decide import reckoning
from gama.privacy.pipeline import Pipeline, View
from gama.privacy.question import with_query
from gama.state.decisions import Decision
from gama.state.entities import Entity
from gama.state.options import Options
from gama.state.restoring import Restoring
from gama.tools.placeholders.arguments import restore_values
from gama.tools.placeholders.remapping import Restored

if TYPE_CHECKING:
    from gama.privacy.documents import DocumentView, RestoredDocument, Unread
    from gama.privacy.frames import FrameView


class Anonymizer:
    """Finds what is private in a text, replaces it by placeholders, and puts it back.

    Args:
        options: see `Options`; by default the embedded models with no LLM.
        pipeline: an engine of your own, which brings its options.

    Example:
        >>> view = Anonymizer().anonymize("Dear Emma Williams, your card 4111 1111 1111 1111 was charged twice.")
        >>> view.text
        'Dear <name-1>, your card <credit_card-1> was charged twice.'
        >>> Anonymizer().restore("Tell <name-1> that her card is blocked.", view.box).text
        'Tell Emma Williams that her card is blocked.'
    """

    def __init__(self, options: Options | None = None, *, pipeline: Pipeline | None = None) -> None:
        """Make an anonymizer; models load on first use."""
        self.pipeline = pipeline or Pipeline(options or Options())
        """The engine behind it."""
        self.options = self.pipeline.options

    def reckoning(self, told: bool = True) -> "Anonymizer":
        """Return the same before a model that is told of formulas: the sums of a prompt are hidden, too.

        Texts that go on with a conversation whose model was told are read so by themselves.

        Args:
            told: whether it is told.
        """
        return Anonymizer(pipeline=self._before(told))

    def _before(self, told: bool) -> Pipeline:
        return self.pipeline.under(reckoning(self.options, told))

    def identify(self, text: str, warnings: list[str] | None = None) -> list[Entity]:
        """Return every mention found, private or not, with views, type and subject.

        Raises:
            InputError: the text is empty or no text.
            LimitReached: it is longer than `max_chars`.
        """
        return self.pipeline.find(text, warnings if warnings is not None else [])

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
                not in the view: anonymize it with the view's box before it leaves. Without one, what the text itself
                asks stands in for it under `privacy="balanced"` and `"open"`; the view's `question_spans` tell where.
            box: the box of an earlier text of the same conversation, which is continued.
            decisions: what a person has decided about stretches of the text; they go before what was found.

        Raises:
            InputError: the decisions are not about this text.
            LeakError: something private would remain.
        """
        return self.extend(text, self._continued(box), decisions, query=query or None)

    def extend(
        self,
        text: str,
        box: PrivacyBox,
        decisions: Sequence[Decision | Mapping[str, Any]] = (),
        *,
        query: str | int | None = "",
        system: bool = False,
    ) -> View:
        """Replace what is private in a text by placeholders of a box, which itself grows; see `anonymize`.

        Args:
            text: the raw text.
            box: the box.
            decisions: what a person has decided.
            query: what will be asked about the text, or where in the text itself the query begins; None has it looked
                for in the text, where the option `privacy` lets it count.
            system: whether it is a system prompt, which is the operator's own unless the option `system` says else.
        """
        engine = self._before(box.formulas)
        return engine.anonymize(text, box, query=query, decisions=decisions, system=system)

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
        return self.reckoning().extend(text, self._continued(box), decisions, query=at or None)

    def anonymize_document(
        self,
        data: bytes,
        kind: str,
        query: str | None = None,
        *,
        box: PrivacyBox | None = None,
        unread: "Unread" = "refuse",
        encoding: str | None = None,
        by_row: bool = False,
        progress: Callable[[float], None] | None = None,
    ) -> "DocumentView":
        """Replace what is private in a document by placeholders and keep its format.

        Args:
            data: the bytes of the document.
            kind: docx, xlsx, csv, tsv, json, jsonl, eml, html, md, txt, or pdf, whose text becomes txt.
            query: what will be asked about the document; see `anonymize`. What cells of a table ask, or values of
                JSON, stands in for none.
            box: the box of an earlier text of the same conversation, which is continued.
            unread: what becomes of pictures and other pieces that cannot be looked into.
            encoding: of a text, where it is not UTF-8.
            by_row: whether `max_chars` bounds each row of a table, as it bounds each of many texts, not the whole.
            progress: is told what share of the text has been read since it was last told.

        Raises:
            InputError: it cannot be read as such a document, or has pieces that cannot be looked into.
            LimitReached: its texts together, or those of a row, are longer than `max_chars`.
            LeakError: something private would remain.
        """
        from gama.privacy.documents import anonymize_document

        box = self._continued(box)
        return anonymize_document(
            self._before(box.formulas), data, kind, box, query or "", unread=unread, encoding=encoding,
            by_row=by_row, progress=progress,
        )  # fmt: skip

    def anonymize_frame(
        self, frame: Any, columns: Sequence[str] | None = None, *, box: PrivacyBox | None = None
    ) -> "FrameView":
        """Replace what is private in a data frame by placeholders: the same value gets the same one everywhere.

        Args:
            frame: a frame of pandas, polars or Arrow; it is not changed.
            columns: the columns that are read; all of text when None. The others are copied as they are.
            box: the box of an earlier frame or text, which is continued.

        Raises:
            InputError: it is no data frame, or narwhals is not installed.
            OptionError: a column is not there, or holds no text.
            LimitReached: the texts of a row are longer than `max_chars`.
            LeakError: something private would remain.
        """
        from gama.privacy.frames import anonymize_frame

        return anonymize_frame(self.pipeline, frame, self._continued(box), columns)

    def restore_frame(self, frame: Any, box: PrivacyBox, columns: Sequence[str] | None = None) -> Any:
        """Put the private values back into a data frame, of which rows may have been changed, moved or removed.

        Args:
            frame: the frame.
            box: the box of its view.
            columns: the columns in which placeholders are looked for; all of text when None.
        """
        from gama.privacy.frames import restore_frame

        return restore_frame(self.pipeline, frame, box, columns)

    def instructions(self, view: "View | DocumentView") -> str:
        """Return the lines that tell a model how to reckon with what is hidden; put them before what it is asked.

        Who takes them wants the formulas of the replies evaluated: the box of the view remembers it, and everything
        that is restored by this box, or one that continues it, is reckoned first; see docs/formulas.md. Make the view
        with `Anonymizer.reckoning` where sums of a prompt are to be reckoned with, too.

        Returns:
            The lines, or an empty text where nothing hidden can be reckoned with.
        """
        return self.pipeline.tell(view.text, view.box)

    def restore_document(
        self,
        data: bytes,
        kind: str,
        box: PrivacyBox,
        *,
        encoding: str | None = None,
        formulas: bool | None = None,
    ) -> "RestoredDocument":
        """Put the private values back into a document; parts unchanged since get their very bytes back."""
        from gama.privacy.documents import restore_document
        from gama.tools.documents.base import Room

        room, how = Room.of(self.options), self.options.restoring
        return restore_document(
            data, kind, box, how.mode, encoding=encoding, room=room, hosts=how.hosts, formulas=formulas
        )

    def restore(self, reply: str, box: PrivacyBox, *, formulas: bool | None = None) -> Restored:
        """Put the private values back; says what stayed unresolved and unused.

        Args:
            reply: the reply.
            box: the box of the conversation; it grows by what formulas gave, so that the next turn hides it.
            formulas: whether formulas are evaluated; by default where the model was told of them by `instructions`.
                Where it was not, `{{ … }}` is a template's and stays as it is.
        """
        return self.pipeline.restore(reply, box, formulas=formulas)

    def restore_arguments(self, arguments: Any, box: PrivacyBox, *, formulas: bool | None = None) -> Any:
        """Put the private values back into the arguments of a tool call: JSON text, or what it was parsed to."""

        def restore(text: str, how: Restoring) -> Restored:
            return box.restore(text, how, formulas=formulas)

        return restore_values(arguments, box, self.options.restoring, restore)

    def restore_stream(self, chunks: Iterable[str], box: PrivacyBox, *, formulas: bool | None = None) -> Iterator[str]:
        """Restore a stream of chunks, holding back only what may still become a placeholder or a formula."""
        restorer = box.restorer(self.options.restoring, formulas=formulas)
        for chunk in chunks:
            if text := restorer.feed(chunk):
                yield text
        if text := restorer.close():
            yield text

    async def arestore_stream(
        self, chunks: AsyncIterator[str], box: PrivacyBox, *, formulas: bool | None = None
    ) -> AsyncIterator[str]:
        """Restore an async stream of chunks."""
        restorer = box.restorer(self.options.restoring, formulas=formulas)
        async for chunk in chunks:
            if text := restorer.feed(chunk):
                yield text
        if text := restorer.close():
            yield text

    def _continued(self, box: PrivacyBox | None) -> PrivacyBox:
        return box.model_copy(deep=True) if box is not None else self.pipeline.new_box()
