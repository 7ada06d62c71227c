"""When a call is made again, and how long is waited before it."""

import random
from typing import NamedTuple

from gama.models.faults import PASSING, Fault


class Backoff(NamedTuple):
    """Exponential waiting with jitter; what a server asks for in Retry-After goes before it."""

    retries: int = 2
    """How often a call is made again."""
    first_s: float = 0.5
    """Longest wait before the first retry; it doubles with each."""
    longest_s: float = 8.0

    def wait(self, fault: Fault, done: int, left: float | None) -> float | None:
        """Return the seconds to wait before the next attempt; None when there is to be none.

        Args:
            fault: what went wrong.
            done: retries made so far.
            left: seconds the call has left; None when it has no end.
        """
        if fault.kind not in PASSING or done >= self.retries:
            return None
        if fault.retry_after is not None:
            wait = fault.retry_after
        else:
            # Between half of it and all of it: clients that failed together do not come back together.
            wait = min(self.longest_s, self.first_s * 2**done) * random.uniform(0.5, 1.0)
        return wait if left is None or wait < left else None
