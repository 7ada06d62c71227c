"""What formulas may reckon with: the values of a box."""

from gama.state.box import Bijection
from gama.tools.formulas.values import PrivateValue


def values_of(box: Bijection) -> dict[str, PrivateValue]:
    """Return the values of a box by their indexed tags, without literals, surrogates and classes.

    What formulas gave before (`<result-1>`) is read as whatever it is.
    """
    return {
        entry.tag or entry.placeholder: PrivateValue(entry.surface, entry.kind)
        for entry in box.private_entries()
        if entry.reversible and not entry.surrogate
    }
