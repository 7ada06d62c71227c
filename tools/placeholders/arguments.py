"""Restores the arguments of tool calls: JSON text, or the lists and tables it was parsed to."""

from collections.abc import Callable
from typing import Any

from gama.state.box import Bijection
from gama.state.restoring import Restoring
from gama.tools.placeholders.remapping import Restored, remap_text


def restore_values(
    arguments: Any,
    box: Bijection,
    how: Restoring | None = None,
    restore: Callable[[str, Restoring], Restored] | None = None,
) -> Any:
    """Put the surfaces back into arguments; the given object stays as it is.

    Args:
        arguments: JSON text, into which values are put escaped, or a dict or list, in whose strings (keys too) they
            stand as they are. Other objects come back unchanged.
        box: the box of this conversation.
        how: how placeholders are turned back; its place does not matter.
        restore: restores a text in another way than placeholders alone.
    """
    how = how or Restoring()
    restore = restore or (lambda text, how: remap_text(text, box, how))
    if isinstance(arguments, str):
        return restore(arguments, how._replace(place="json")).text
    top: list[Any] = [arguments]
    plain = how._replace(place="plain", grammar=False)
    # A stack instead of recursion: what a model writes may be nested as deep as it likes.
    rest: list[Any] = [top]
    while rest:
        holder = rest.pop()
        for key in range(len(holder)) if isinstance(holder, list) else list(holder):
            value = holder[key]
            if isinstance(value, str):
                value = restore(value, plain).text
            elif isinstance(value, dict):
                value = {_key(name, box, plain): item for name, item in value.items()}
                rest.append(value)
            elif isinstance(value, list):
                value = list(value)
                rest.append(value)
            holder[key] = value
    return top[0]


def _key(name: Any, box: Bijection, how: Restoring) -> Any:
    return remap_text(name, box, how).text if isinstance(name, str) else name
