"""What formulas may reckon with: the values of a box."""

from collections.abc import Mapping

from gama.state.box import Bijection
from gama.tools.formulas.syntax import PLACEHOLDER, placeholder_key
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


def placeholders_in(text: str, values: Mapping[str, PrivateValue]) -> list[str]:
    """Return the placeholders of a text that stand for values, each once, in the order in which they stand there."""
    keys = {placeholder_key(one): one for one in values}
    named = (placeholder_key(match[0]) for match in PLACEHOLDER.finditer(text))
    return list(dict.fromkeys(keys[key] for key in named if key in keys))
