"""`PrivateText`: private text in a type that cannot be printed, logged, pickled or turned into JSON by accident."""

from typing import Any, NoReturn, final


@final
class PrivateText:
    """Holds a private string; `open()` is the only way to it.

    `repr`, `str`, formatting, pickling, copying into JSON and iteration give nothing away, so a
    log line, a traceback with locals or a debugger's summary cannot show the text.
    """

    __slots__ = ("__text",)

    def __init__(self, text: str) -> None:
        """Take the text in."""
        self.__text = text

    def open(self) -> str:
        """Return the text itself: for use inside the private space."""
        return self.__text

    def __len__(self) -> int:
        """Return the number of characters."""
        return len(self.__text)

    def __repr__(self) -> str:
        """Show the length only."""
        return f"PrivateText({len(self.__text)} characters)"

    def __format__(self, spec: str) -> str:
        """Show the length only, whatever the format."""
        return repr(self)

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        """Refuse to be pickled."""
        raise TypeError("PrivateText cannot be pickled: seal it with a Vault instead")

    def __eq__(self, other: object) -> bool:
        """Compare by text."""
        return isinstance(other, PrivateText) and other.open() == self.__text

    def __hash__(self) -> int:
        """Hash by text."""
        return hash((PrivateText, self.__text))
