"""All kinds of change, in the order of the published table."""

from collections.abc import Sequence

from gama.evals.mangling import false_positives, forms, markup, settings, several, wording
from gama.evals.mangling.base import Kind
from gama.state.errors import OptionError

KINDS: tuple[Kind, ...] = (*forms.KINDS, *markup.KINDS, *wording.KINDS, *settings.KINDS, *several.KINDS)
"""Changes that must be undone."""

FALSE_POSITIVES: tuple[Kind, ...] = false_positives.KINDS
"""What must be left alone."""


def choose(names: Sequence[str] | None = None) -> list[Kind]:
    """Return kinds by their names or groups, all of them if none are given.

    Raises:
        OptionError: The kind or group does not exist.
    """
    every = (*KINDS, *FALSE_POSITIVES)
    if not names:
        return list(every)
    known = {kind.name for kind in every} | {kind.group for kind in every}
    if unknown := [name for name in names if name not in known]:
        groups = ", ".join(dict.fromkeys(kind.group for kind in every))
        raise OptionError(f"option --kinds: unknown kind or group {unknown[0]!r}; groups: {groups}")
    return [kind for kind in every if kind.name in names or kind.group in names]
