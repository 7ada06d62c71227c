"""Doubles for tests: a public client that replays what it was told, and a time that passes by waiting only."""

import threading
from collections.abc import Callable, Mapping, Sequence

from gama.guard.egress import check_egress, quoting
from gama.models.calls import PublicCall, PublicReply, Role
from gama.models.names import FREE
from gama.models.pacing import Clock

Step = str | Exception | Callable[[PublicCall], str]
"""A reply, an error to raise, or what makes a reply of the call."""


class ScriptedClient:
    """Replays scripted steps by role and records every call.

    Args:
        script: for each role the steps in order; an expert's steps may be keyed `expert:DOMAIN`.

    A call without a step left raises `AssertionError`; `done()` raises it for steps left unused.
    """

    note = ""
    name = "scripted"
    price = FREE

    def __init__(self, script: Mapping[str, Sequence[Step]]) -> None:
        """Take the script."""
        self._steps = {key: list(steps) for key, steps in script.items()}
        self._lock = threading.Lock()
        self.calls: list[PublicCall] = []

    def fingerprint(self, call: PublicCall) -> str:
        """Return what a model would be sent, and what picks the step."""
        return "\n".join((f"{call.role}:{call.domain}", *call.texts))

    def complete(self, call: PublicCall) -> PublicReply:
        """Replay the next step of the call's role."""
        with quoting(call.quoted):
            check_egress("\n".join(call.texts))
        with self._lock:
            self.calls.append(call)
            own = f"{call.role}:{call.domain}"
            steps = self._steps.get(own) or self._steps.get(call.role)
            assert steps, f"unexpected call: {own}"
            step = steps.pop(0)
        if isinstance(step, Exception):
            raise step
        text = step if isinstance(step, str) else step(call)
        return PublicReply(text, self.name, input_tokens=len(call.user.split()), output_tokens=len(text.split()))

    async def acomplete(self, call: PublicCall) -> PublicReply:
        """Replay the next step; see `complete`."""
        return self.complete(call)

    def count(self, role: Role) -> int:
        """Return how many calls of a role were made."""
        return sum(call.role == role for call in self.calls)

    def done(self) -> None:
        """Check that every step was used."""
        left = {key: len(steps) for key, steps in self._steps.items() if steps}
        assert not left, f"unused steps: {left}"


class ScriptedClock(Clock):
    """A time that passes by waiting only, and by `pass_`; records the waits."""

    def __init__(self, utc: float = 0.0) -> None:
        """Start at nought; `utc` is what a calendar then shows."""
        self._lock = threading.Lock()
        self._time = 0.0
        self._utc = utc
        self.waits: list[float] = []

    def now(self) -> float:
        """Return the seconds that have passed."""
        return self._time

    def utc(self) -> float:
        """Return the seconds since 1970."""
        return self._utc + self._time

    def sleep(self, seconds: float) -> None:
        """Let the time pass, and note the wait."""
        with self._lock:
            self.waits.append(seconds)
        self.pass_(seconds)

    async def asleep(self, seconds: float) -> None:
        """Let the time pass; see `sleep`."""
        self.sleep(seconds)

    def pass_(self, seconds: float) -> None:
        """Let time pass without a wait."""
        with self._lock:
            self._time += seconds
