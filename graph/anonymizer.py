"""`Anonymizer`: the private half by itself: find, replace, restore. No graph, no model call, no disk."""

from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass, field

from gama.graph.finders import private_space
from gama.nodes.private.agents import extract_private, filter_private
from gama.nodes.private.anonymize import anonymize_text
from gama.nodes.private.fuse import fuse, settling, to_entities
from gama.nodes.private.identify import embedded_pia, pner_view
from gama.nodes.private.link import link
from gama.nodes.private.seal import check_question
from gama.nodes.private.space import PrivateSpace
from gama.state.box import PrivacyBox
from gama.state.entities import Entity
from gama.state.options import Options
from gama.state.seal import Vault
from gama.tools.placeholders.remapping import Restored, remap_text
from gama.tools.placeholders.stream import StreamRestorer


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

    def anonymize(self, text: str, query: str | None = None, *, box: PrivacyBox | None = None) -> View:
        """Replace what is private by placeholders.

        Args:
            text: the raw text.
            query: what will be asked about the text. Masking does not depend on it yet: all that is
                private is replaced, and the view's warnings say so.
            box: the box of an earlier text of the same conversation, which is continued.

        Raises:
            LeakError: something private would remain.
        """
        notes: list[str] = []
        if query is not None:
            notes.append("Masking does not depend on the query yet: everything private was replaced.")
        found = self.identify(text, notes)
        known = box.model_copy(deep=True) if box else self._new_box()
        entities = link(text, found, known.entries)
        result = anonymize_text(text, entities, known, self._space, self.options)
        return View(result.text, result.box, result.entities, notes)

    def restore(self, reply: str, box: PrivacyBox) -> Restored:
        """Put the private values back; says what stayed unresolved and unused."""
        return remap_text(reply, box, self.options.restore)

    def restore_stream(self, chunks: Iterable[str], box: PrivacyBox) -> Iterator[str]:
        """Restore a stream of chunks, holding back only what may still become a placeholder."""
        restorer = StreamRestorer(box, self.options.restore)
        for chunk in chunks:
            if text := restorer.feed(chunk):
                yield text
        if text := restorer.close():
            yield text

    async def arestore_stream(self, chunks: AsyncIterator[str], box: PrivacyBox) -> AsyncIterator[str]:
        """Restore an async stream of chunks."""
        restorer = StreamRestorer(box, self.options.restore)
        async for chunk in chunks:
            if text := restorer.feed(chunk):
                yield text
        if text := restorer.close():
            yield text

    def _new_box(self) -> PrivacyBox:
        return PrivacyBox(style=self.options.style, order=self.options.index_order, seed=self.options.seed)
