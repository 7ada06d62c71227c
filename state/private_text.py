"""The forms in which private text travels: `Sealed` in a state, `PrivateText` within a step.

A `PrivateText` cannot be printed, logged, pickled or turned into JSON by accident.

Inside the private space the task, what the private LLM is told and says, and the restored reply travel in it. The
places that open it are few and named: `tests/unit/state/test_private_text.py` lists them.
"""

from collections.abc import Callable
from typing import Any, NoReturn, final

from pydantic import BaseModel, ConfigDict, Field


class Sealed(BaseModel):
    """Ciphertext of a private value: nonce, then AES-256-GCM output."""

    model_config = ConfigDict(frozen=True, ser_json_bytes="base64", val_json_bytes="base64")

    ct: bytes = Field(repr=False)


class Unpicklable:
    """Base of what holds private values or keys, and gives them away to no pickle."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        """Refuse to be pickled."""
        raise TypeError(f"A {type(self).__name__} cannot be pickled: seal what must be kept with a Vault")


@final
class PrivateText(Unpicklable):
    """Holds a private string; `reveal()` is the only way to it.

    `repr`, `str`, formatting, pickling, copying into JSON and iteration give nothing away, so a
    log line, a traceback with locals, a tracer or a debugger's summary cannot show the text. What
    walks over attributes finds a function.
    """

    __slots__ = ("__read",)

    def __init__(self, text: str) -> None:
        """Take the text in."""
        self.__read: Callable[[], str] = lambda: text

    def reveal(self) -> str:
        """Return the text itself: for use inside the private space, in the places that the test names."""
        return self.__read()

    def __len__(self) -> int:
        """Return the number of characters."""
        return len(self.__read())

    def __repr__(self) -> str:
        """Show the length only."""
        return f"PrivateText({len(self)} characters)"

    def __format__(self, spec: str) -> str:
        """Show the length only, whatever the format."""
        return repr(self)

    def __eq__(self, other: object) -> bool:
        """Compare by text."""
        return isinstance(other, PrivateText) and other.__read() == self.__read()

    def __hash__(self) -> int:
        """Hash by text."""
        return hash((PrivateText, self.__read()))
