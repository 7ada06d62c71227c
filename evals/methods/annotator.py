"""Another annotator's marks of the same texts as a method: how far careful people, or programs, come."""

from collections.abc import Mapping
from pathlib import Path

from gama.evals.datasets.corpus import Example, gold, load
from gama.evals.methods.base import WARM_UP, Hidden, mask
from gama.state.errors import InputError


class Annotator:
    """Hides what an annotator marked private, under the person that the mark names."""

    subjects = True

    def __init__(self, name: str, path: Path) -> None:
        """Read the marks.

        Args:
            name: As the tables show it.
            path: A file of annotated records, or a folder of them.

        Raises:
            InputError: A file is missing or damaged, or holds no record.
        """
        dataset = load(path)
        self.name, self.about = name, f"the marks of {dataset.name!r}"
        self._marked = {record.example.text: record.example for record in dataset.records}
        self._marked[WARM_UP] = Example(WARM_UP, ())
        self._facts = {"marks_sha256": dataset.sha256}

    def facts(self) -> Mapping[str, str]:
        """Return what its figures depend on."""
        return self._facts

    def hide(self, text: str) -> Hidden:
        """Hide what was marked private.

        Raises:
            InputError: The text is not among those marked.
        """
        if text not in self._marked:
            raise InputError(f"{self.name!r} has no marks of one of the texts: it must hold all that are measured")
        stretches = gold(self._marked[text])
        return Hidden(stretches, mask(text, stretches))
