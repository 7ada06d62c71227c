"""`Limits`: counts the requests of each key, by the minute and at once."""

from abc import ABC, abstractmethod
from typing import NamedTuple


class Bound(NamedTuple):
    """What one key may do; None for as much as it likes."""

    per_minute: int | None = None
    at_once: int | None = None


class TooMuch(Exception):
    """A caller has reached a limit."""

    def __init__(self, message: str, wait_s: float) -> None:
        """Say which, and how long to wait."""
        super().__init__(message)
        self.wait_s = wait_s


class Limits(ABC):
    """Counts requests. Every method may be called from any thread."""

    waits: bool
    """Whether asking takes a disk or a network: call it on a thread."""

    @abstractmethod
    def enter(self, name: str, bound: Bound) -> None:
        """Count a request that begins.

        Args:
            name: of the key; empty where the server has none.
            bound: what it may do.

        Raises:
            TooMuch: it is one too many; it is not counted.
            StoreError: the place where all count cannot be used.
        """

    @abstractmethod
    def leave(self, name: str) -> None:
        """Count a request that ends, of those that were let in with a bound on how many run at once."""

    @abstractmethod
    def close(self) -> None:
        """Let go of files and connections."""


def check_running(running: int, bound: Bound) -> None:
    """Refuse a request beside too many that run.

    Raises:
        TooMuch: as many run as may.
    """
    if bound.at_once is not None and running >= bound.at_once:
        raise TooMuch(f"This key has {bound.at_once} request(s) running, which is its limit.", 1.0)


def spend(left: float, since_s: float, per_minute: int) -> float:
    """Return what is left of a minute's requests after one more; they come back evenly over the minute.

    Args:
        left: what was left at the last request.
        since_s: seconds since then.
        per_minute: requests that the key may make within a minute.

    Raises:
        TooMuch: none was left.
    """
    rate = per_minute / 60
    left = min(float(per_minute), left + max(0.0, since_s) * rate)
    if left < 1:
        raise TooMuch(f"This key may make {per_minute} requests a minute.", (1 - left) / rate)
    return left - 1
