"""Every error GAMA raises on purpose, and what a bad option is answered with.

`exit_code` is what the command line then returns. No message quotes a private value. Messages say what was wrong and
what to do: the name of an option, what it accepts, and what was probably meant.

One warning stands beside them: `RawTextWarning`, when the options let the raw text leave.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from difflib import get_close_matches
from types import TracebackType

from pydantic import ValidationError


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


def nearest(given: str, known: Collection[str]) -> str | None:
    """Return the known name that was probably meant, or None.

    Args:
        given: what was written.
        known: the names there are.
    """
    if given in known:
        return given
    begun = sorted((name for name in known if len(given) > 2 and name.startswith(given)), key=len)
    return next(iter(begun or get_close_matches(given, list(known), 1, 0.7)), None)


def did_you_mean(given: object, known: Collection[str]) -> str:
    """Return `; did you mean 'x'?`, or nothing where no known name is near; what was given is not quoted."""
    meant = nearest(given, known) if isinstance(given, str) else None
    return f"; did you mean {meant!r}?" if meant else ""


def known_ones(given: object, known: Collection[str], shown: str = "") -> str:
    """Return `; did you mean 'x'? Known: …`, or `; known: …` where no known name is near.

    Args:
        given: what was written; it is not quoted.
        known: the names there are.
        shown: tells them in fewer words; by default all are named.
    """
    near = did_you_mean(given, known)
    return (f"{near} Known: " if near else "; known: ") + (shown or ", ".join(known))


def explain(error: ValidationError, names: Mapping[str, str]) -> str:
    """Return what is wrong with options, quoting no value.

    Args:
        error: what pydantic found.
        names: the option for each name that people give it: its own, and the one on the command line.
    """
    problems = []
    for item in error.errors(include_url=False, include_context=False):
        name = ".".join(str(part) for part in item["loc"] if not isinstance(part, int))
        told = item["msg"].removeprefix("Value error, ")
        if item["type"] == "extra_forbidden":
            meant = names.get(nearest(name, names) or "")
            problems.append(
                f"unknown option {name!r}; " + (f"did you mean {meant!r}?" if meant else "docs/options.md has the list")
            )
        elif not name:
            problems.append(told)
        else:
            known = re.findall(r"'([^']+)'", told) if item["type"] == "literal_error" else ()
            problems.append(f"option {name!r}: {told}{did_you_mean(item['input'], known)}")
    return "; ".join(problems)


def check(flag: str, given: str | Iterable[str], known: Collection[str]) -> None:
    """Refuse what is none of the known values of an option.

    Raises:
        OptionError: it is not known; names the known ones.
    """
    for one in (given,) if isinstance(given, str) else given:
        if one not in known:
            raise OptionError(f"option {flag}: {one!r} is none of {', '.join(known)}{did_you_mean(one, known)}")
