"""NER-PRE before a baseline: what a tagger and patterns find is replaced at home."""

import asyncio
from collections.abc import Mapping

from gama.evals.methods.ner_pre import NerPre
from gama.evals.solvers.desk import Desk
from gama.evals.solvers.hiding import Covered, put_back
from gama.state.options import Options


class NerPreHider:
    """Replaces what `NerPre` finds; what it misses leaves."""

    def __init__(self, options: Options, *, as_published: bool = False) -> None:
        """Load the finders; see `NerPre`."""
        self._method = NerPre(options, as_published=as_published)
        self.name = "NER-PRE (as published)" if as_published else "NER-PRE"
        self.about = self._method.about

    def facts(self) -> Mapping[str, str]:
        """Return what it depends on."""
        return self._method.facts()

    async def cover(self, text: str, desk: Desk) -> Covered:
        """Hide what is found; as published, what a placeholder stands for is a name's first word."""
        hidden, names = await asyncio.to_thread(self._method.cover, text)
        values = {placeholder: surface for surface, placeholder in names.items()}
        return Covered(hidden.masked, lambda answer: put_back(answer, values))
