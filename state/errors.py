"""Every error GAMA raises on purpose; `exit_code` is what the command line then returns.

No message quotes a private value. Messages say what was wrong and what to do.

One warning stands beside them: `RawTextWarning`, when the options let the raw text leave.
"""

from collections.abc import Callable
from types import TracebackType


class GamaError(Exception):
    """Base of GAMA's own errors."""

    exit_code = 1


class InputError(GamaError, ValueError):
    """The task cannot be used as it was given."""

    exit_code = 2


class OptionError(GamaError, ValueError):
    """An option is out of range or names something unknown."""

    exit_code = 2


class ModelError(GamaError):
    """A model could not be reached or used."""

    exit_code = 3


class ModelUnknown(ModelError):
    """No such model, or no such provider."""


class ModelUnreachable(ModelError):
    """Nothing answers at the model's address."""


class ModelDenied(ModelError):
    """The key is missing, or the server refused it."""


class ModelTimeout(ModelError):
    """The model gave no answer in time."""


class ModelReplyError(ModelError):
    """The model's reply was empty, a refusal, or unreadable."""


class ToolsRefused(ModelError):
    """The model or its server takes no tools in the provider's way; the expert is asked in another."""


class LeakError(GamaError):
    """Something private was about to leave. Nothing was sent. The text never quotes the value."""

    exit_code = 4


class ReviewOutdated(LeakError):
    """What would leave is not what a person has looked at. Nothing was sent."""


class ExpertsFailed(GamaError):
    """None of the experts answered."""

    exit_code = 5


class SealError(GamaError):
    """Sealed data cannot be opened: wrong key, another thread, damaged, or forgotten."""

    exit_code = 6


class ToolError(GamaError):
    """A tool of the public space cannot do what was asked. Its text goes to the expert, so it is one plain line."""


class ReviewStopped(GamaError):
    """Whoever looked at what would leave has stopped it. Nothing was sent."""


class LimitReached(GamaError):
    """A limit of size, calls, tokens or time was reached."""

    exit_code = 7


class StoreError(GamaError):
    """The place where checkpoints or keys lie cannot be used: no answer, no right, in use, full."""

    exit_code = 8


class FaultError(GamaError):
    """A step of the private side failed unexpectedly; the message quotes nothing of what it was about."""

    exit_code = 70


class RawTextWarning(UserWarning):
    """The raw text is about to leave for the public model, as the options say and consent to (`ampp`, `allow_raw`)."""


class Retold:
    """Raises, for an error in its `with` block, what a function makes of it: nothing of the error goes along.

    An exception keeps the one in whose handling it was raised; checkpoints keep both, and tracers show both.

    Args:
        told: gives the error to raise; None lets the one of the block pass as it is.
    """

    def __init__(self, told: Callable[[Exception], Exception | None]) -> None:
        """Take the function."""
        self._told = told

    def __enter__(self) -> None:
        """Enter the block."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Raise the other error, if there is one."""
        problem = self._told(error) if isinstance(error, Exception) else None
        del error, trace  # A traceback shows the names of its frames, too.
        if problem is not None:
            try:
                raise problem
            finally:
                problem.__context__ = None
