"""`PrivacyBox`: the bijection of one conversation with what it is for: to guard, to restore, to be kept."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

from pydantic import ValidationError

from gama.guard.search import Guard, is_tiny
from gama.state.box import Bijection
from gama.state.options import Options
from gama.state.restoring import Restoring
from gama.tools.placeholders.remapping import Restored, remap_text
from gama.tools.placeholders.stream import StreamRestorer
from gama.vault.box_store import read_box_file, unusable_box_file, write_box_file

if TYPE_CHECKING:
    from gama.privacy.reckoning import Reckoner


class PrivacyBox(Bijection):
    """The private values of one conversation and their placeholders (GAMA Eq. 4).

    Example:
        >>> box = PrivacyBox()
        >>> box.add("Emma Williams", "full_name")
        '<name-1>'
        >>> box.restore("Dear <name-1>,").text
        'Dear Emma Williams,'
    """

    @classmethod
    def of(cls, options: Options) -> Self:
        """Return an empty box whose placeholders are numbered and bracketed as the options say."""
        return cls(style=options.style, order=options.index_order, seed=options.seed)

    def guard(self, fixed: Sequence[str] = ()) -> Guard:
        """Return what searches texts for the values of the box.

        Args:
            fixed: our own prompt texts; see `Guard`.
        """
        guard: Guard | None
        guard, new = self.recall("guard")
        if guard is None or new:
            surfaces = [entry.surface for entry in new if entry.kind != "literal"]
            # What is told in its own place alone keeps its number, and is not searched for.
            fresh = ["" if is_tiny(surface) else surface for surface in surfaces]
            guard = self.remember("guard", (guard or Guard(())).with_more(fresh))
        return guard.excusing(fixed, self.placeholders(), self.kept)

    def restore(self, reply: str, how: Restoring | None = None, *, formulas: bool | None = None) -> Restored:
        """Put the private values back into a reply (Eq. 6).

        Args:
            reply: the reply.
            how: how placeholders are turned back.
            formulas: whether formulas are evaluated; by default where the box says that the model was told of them.
                What they gave is added to the box.

        Returns:
            The text, what stayed unresolved, and what was not used.
        """
        how = how or Restoring()
        if "{{" in reply and (reckoner := self.reckoner(formulas)) is not None:
            return reckoner.restore(reply, how)
        return remap_text(reply, self, how)

    def restorer(self, how: Restoring | None = None, *, formulas: bool | None = None) -> StreamRestorer:
        """Return what restores a reply that comes in pieces; see `restore`."""
        if (reckoner := self.reckoner(formulas)) is not None:
            return reckoner.restorer(how or Restoring())
        return StreamRestorer(self, how or Restoring())

    def reckoner(self, formulas: bool | None = None) -> "Reckoner | None":
        """Return what evaluates the formulas of a reply, where they are evaluated; see `restore`."""
        if not (self.formulas if formulas is None else formulas):
            return None
        from gama.privacy.reckoning import Reckoner

        return Reckoner(self)

    def save(self, path: Path | str, *, encrypt: bool = True, home: Path | None = None) -> None:
        """Write the box to a file that only its owner may read. Values without a way back are left out.

        Args:
            path: the file; it is replaced whole or not at all.
            encrypt: seal it with the master key of the home folder (the default), or write it in clear.
            home: the home folder; the default one when None.
        """
        lasting = self.model_copy(update={"entries": [entry for entry in self.entries if entry.reversible]})
        write_box_file(path, lasting.model_dump_json(), encrypt=encrypt, home=home)

    @classmethod
    def load(cls, path: Path | str, *, home: Path | None = None) -> Self:
        """Read a box back.

        Raises:
            InputError: the file is missing or no box.
            SealError: it was sealed with another key.
        """
        try:
            return cls.model_validate_json(read_box_file(path, home=home))
        except ValidationError:
            pass
        raise unusable_box_file(path)
