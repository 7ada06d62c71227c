"""What is found in texts is noted once, and taken from there when they are replaced later, by another box."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gama.privacy.box import PrivacyBox
from gama.privacy.pipeline import Pipeline
from gama.privacy.replace import Passage
from gama.state.entities import Entity

Found = dict[str, list[Entity]]
"""Mentions by the digest of the text that they stand in."""


@dataclass(frozen=True)
class NotingPipeline(Pipeline):
    """The engine, which notes what it finds in each text at first, and on a second look."""

    first: Found = field(default_factory=dict, repr=False)
    late: Found = field(default_factory=dict, repr=False)

    def find(self, text: str, notes: list[str], *, system: bool = False) -> list[Entity]:
        """Return every mention in a text; see `Pipeline`."""
        found = super().find(text, notes, system=system)
        self.first[_digest(text)] = found
        return found

    def look_again(
        self,
        passage: Passage | None,
        anonymized: str,
        box: PrivacyBox,
        known: Sequence[Entity],
        wanted: Sequence[tuple[int, int]] | None = None,
    ) -> list[Entity]:
        """Return what the detectors still find in an anonymized text; see `Pipeline`."""
        more = super().look_again(passage, anonymized, box, known, wanted)
        if passage is not None:
            self.late.setdefault(_digest(passage.text), []).extend(more)
        return more


@dataclass(frozen=True)
class RereadingPipeline(Pipeline):
    """The engine for texts that were read before: no model is asked about them again."""

    first: Mapping[str, list[Entity]] = field(default_factory=dict, repr=False)
    late: Found = field(default_factory=dict, repr=False)
    """It empties: a second look finds them once."""

    def find(self, text: str, notes: list[str], *, system: bool = False) -> list[Entity]:
        """Return every mention in a text; see `Pipeline`."""
        known = self.first.get(_digest(text))
        return super().find(text, notes, system=system) if known is None else list(known)

    def look_again(
        self,
        passage: Passage | None,
        anonymized: str,
        box: PrivacyBox,
        known: Sequence[Entity],
        wanted: Sequence[tuple[int, int]] | None = None,
    ) -> list[Entity]:
        """Return what was found on the second look when the text was read."""
        if passage is None or _digest(passage.text) not in self.first:
            return super().look_again(passage, anonymized, box, known, wanted)
        return self.late.pop(_digest(passage.text), [])


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
