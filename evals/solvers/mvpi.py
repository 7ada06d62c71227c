"""MVPI before a baseline: our pipeline hides the text at home, and every request is searched for its values."""

import asyncio
from collections.abc import Mapping

from gama.evals.methods.pipeline import facts_of
from gama.evals.solvers.desk import Desk
from gama.evals.solvers.hiding import Covered
from gama.privacy.anonymizer import Anonymizer
from gama.state.options import Options


class MvpiHider:
    """Hides everything private, as `Anonymizer` does."""

    name = "MVPI"
    about = "our pipeline: two views, fusion, Map, a second look"

    def __init__(self, options: Options) -> None:
        """Take the options; everything private is hidden, whatever the task asks."""
        self._anonymizer = Anonymizer(options.model_copy(update={"privacy": "strict"}))

    def facts(self) -> Mapping[str, str]:
        """Return the hash of the tagger, and the options."""
        return facts_of(self._anonymizer.options)

    async def cover(self, text: str, desk: Desk) -> Covered:
        """Hide what is private.

        Raises:
            LeakError: something private would remain.
        """
        view = await asyncio.to_thread(self._anonymizer.anonymize, text)
        for warning in view.warnings:
            desk.note(warning)
        return Covered(view.text, lambda answer: self._anonymizer.restore(answer, view.box).text, view.box.guard())
