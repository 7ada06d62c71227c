"""Remap over a stream: restores chunk by chunk and holds back only what may still become a placeholder."""

from collections.abc import Iterable, Iterator

import regex

from gama.state.box import Bijection
from gama.state.restoring import Mode, Restoring
from gama.tools.placeholders.context import TAIL
from gama.tools.placeholders.grammar import LONGEST
from gama.tools.placeholders.remapping import Remapper, passes
from gama.tools.placeholders.single import Watch

# Where a placeholder may begin: a bracket, the first sign of an escaped one, a word.
_START = regex.compile(r"[<\[{&%\\$‹«〈⟨《【「『〔＜［｛]|(?<![\p{L}\p{N}])\p{L}")
# The beginning of a placeholder as we write it, or of something as short: nothing of it can be given out.
_BEGUN = regex.compile(r"<[a-z_]{0,40}(?:-[0-9]{0,9})?")

_MOST = 256
"""Pieces that come as they are and are read together, at most."""


class StreamRestorer:
    """Restores a text that arrives in chunks.

    The joined output equals what `remap_text` makes of the joined input.
    """

    def __init__(self, box: Bijection, how: Restoring | Mode = "tolerant", watch: Watch | None = None) -> None:
        """Start a stream for a box; for `watch` see `Remapper`."""
        self._remapper = Remapper(box, how if isinstance(how, Restoring) else Restoring(mode=how), watch=watch)
        self._text = ""
        self._at = 0
        self._passed: list[str] = []
        """Pieces that came as they were and have not been read yet."""
        self._passing = False

    @property
    def held(self) -> str:
        """What has come and may still become a placeholder."""
        return self._text[self._at :]

    @property
    def unresolved(self) -> list[str]:
        """What read as a placeholder, or half of one, and was none of the box's."""
        return self._remapper.unresolved

    @property
    def unreckoned(self) -> list[str]:
        """Formulas that gave nothing, and why; none where they are not evaluated."""
        return []

    @property
    def withheld(self) -> list[str]:
        """Kinds of the values that were not put into addresses."""
        return self._remapper.withheld

    def feed(self, chunk: str) -> str:
        """Take a chunk in and return what can be given out now, restored."""
        if self._passing and passes(chunk, self._remapper.bare):
            self._passed.append(chunk)
            if len(self._passed) == _MOST:
                self._catch_up()
            return chunk
        if not chunk:
            return ""
        self._catch_up()
        self._passing = self._at == len(self._text) and self._remapper.pass_over(chunk, self._text)
        if self._passing:
            self._text = (self._text + chunk)[-TAIL:]
            self._at = len(self._text)
            return chunk
        self._text += chunk
        if _BEGUN.fullmatch(self._text, self._at):
            return ""
        self._at = self._remapper.bulk(self._text, self._at, len(self._text))
        if settled := self._remapper.settle(self._text, self._at):
            out, end = settled
            self._passing = end == len(self._text)
        else:
            end = self._remapper.uncut(self._text, self._at, self._decided())
            out = self._remapper.run(self._text, self._at, end)
        cut = max(0, end - TAIL)
        self._text, self._at = self._text[cut:], end - cut
        return out

    def close(self) -> str:
        """Return the rest, restored."""
        self._catch_up()
        out = self._remapper.run(self._text, self._at, len(self._text), final=True)
        self._at = len(self._text)
        return out

    def _catch_up(self) -> None:
        """Read the pieces that came as they were."""
        if self._passed:
            text = "".join(self._passed)
            self._remapper.passed(text)
            self._text, self._passed = (self._text + text)[-TAIL:], []
            self._at = len(self._text)

    def _decided(self) -> int:
        """Return up to where nothing can be part of a placeholder that is not whole yet."""
        text, at, chained = self._text, self._at, self._remapper.chained
        for token in self._remapper.tokens(text, at):
            if (start := self._growing(at, token.start, chained)) is not None:
                return start
            behind = len(text) - token.end
            if behind < self._remapper.lookahead(text, token) or (
                not token.right and self._remapper.may_grow(text, token.start, attached=token.attached)
            ):
                return token.start
            at, chained = token.end, not token.right
        start = self._growing(at, len(text), chained)
        return len(text) if start is None else start

    def _growing(self, at: int, end: int, chained: bool) -> int | None:
        """Return where, in a stretch, something begins that reaches the end of the text and may still grow."""
        if chained and at < end and self._text[at].isalpha() and self._remapper.may_grow(self._text, at, attached=True):
            return at
        for found in _START.finditer(self._text, max(at, len(self._text) - LONGEST), end):
            if self._remapper.may_grow(self._text, found.start()):
                return found.start()
        return None


def restore_stream(chunks: Iterable[str], box: Bijection, how: Restoring | Mode = "tolerant") -> Iterator[str]:
    """Yield the restored text of a stream of chunks."""
    restorer = StreamRestorer(box, how)
    for chunk in chunks:
        if text := restorer.feed(chunk):
            yield text
    if text := restorer.close():
        yield text
