"""What went wrong in a call to a model, read out of whatever its library raised, and what the user is told.

No message quotes the provider's: theirs may echo what was sent.
"""

import re
import time
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from typing import Any, Literal, NamedTuple

from gama.state.errors import (
    GamaError,
    LeakError,
    ModelDenied,
    ModelError,
    ModelReplyError,
    ModelTimeout,
    ModelUnknown,
    ModelUnreachable,
)

Kind = Literal[
    "ours", "timeout", "absent", "dropped", "busy", "failed", "quota", "denied", "unknown", "too long", "filtered",
    "refused", "reply",
]  # fmt: skip

PASSING: frozenset[Kind] = frozenset({"busy", "failed", "absent", "dropped"})
"""What may be over when the call is made again."""

# How servers say that the request has more tokens than the model takes: OpenAI and vLLM ("maximum context length"),
# llama.cpp ("exceeds the available context size"), Anthropic ("prompt is too long"), Gemini ("token count … exceeds").
_TOO_LONG = re.compile(
    r"context[ _](?:length|window|size)|(?:prompt|input|request)\s+is\s+too\s+(?:long|large)|too\s+many\s+tokens"
    r"|token\s+count\b.{0,40}\bexceeds|reduce\s+the\s+length|string_above_max_length"
)
_QUOTA = re.compile(r"insufficient_quota|exceeded\s+your\s+current\s+quota|billing|credit\s+balance")
_FILTERED = re.compile(r"content[ _](?:filter|policy|management)|responsible\s*ai|safety\s+(?:system|filter|setting)")
_UNKNOWN = re.compile(
    r"model_not_found|model\s+\S+\s+(?:does\s+not\s+exist|not\s+found)|unknown\s+model|not\s+a\s+valid\s+model"
)

_TIMEOUTS = frozenset({"TimeoutException", "APITimeoutError", "TimeoutError"})
_DROPS = frozenset(
    {"APIConnectionError", "ConnectError", "ConnectionError", "TransportError", "RemoteProtocolError", "NetworkError"}
)


class Fault(NamedTuple):
    """What went wrong."""

    kind: Kind
    status: int | None = None
    """HTTP status, where a server gave one."""
    retry_after: float | None = None
    """Seconds that the server asks to wait."""
    text: str = ""
    """What the library and the server said, in lower case: for recognising, never for showing."""
    error: Exception | None = None

    def names(self, *words: str) -> bool:
        """Return whether the server's text has one of the words."""
        return any(word in self.text for word in words)


def fault_of(error: Exception, utc: float | None = None) -> Fault:
    """Read what went wrong out of an error and what caused it.

    Args:
        error: what the model's library raised.
        utc: the time now, in seconds since 1970, for a date in Retry-After.
    """
    chain = list(_chain(error))
    for item in chain:
        if isinstance(item, LeakError | ModelError):
            return Fault("ours", error=item)
    status = next((s for item in chain if isinstance(s := getattr(item, "status_code", None), int)), None)
    text = " ".join(_said(item) for item in chain).lower()
    if status is not None:
        return Fault(_kind(status, text), status, _retry_after(chain, time.time() if utc is None else utc), text, error)
    kinds = {base.__name__ for item in chain for base in type(item).__mro__}
    if kinds & _TIMEOUTS:
        return Fault("timeout", error=error)
    if kinds & _DROPS:
        return Fault("absent" if kinds & {"ConnectError", "ConnectionRefusedError"} else "dropped", error=error)
    if "ContentFilterFinishReasonError" in kinds:
        return Fault("filtered", error=error)
    # A server may say it in a reply of status 200; some libraries give the text of an error without its number.
    return Fault("too long" if _TOO_LONG.search(text) else "reply", text=text, error=error)


def error_of(fault: Fault, name: str) -> GamaError:
    """Return the error that says what went wrong, and what to do.

    Args:
        fault: what went wrong.
        name: what the model is called.
    """
    if isinstance(fault.error, GamaError):
        return type(fault.error)(*fault.error.args)
    if fault.kind in _TOLD:
        kind, told = _TOLD[fault.kind]
        wait = "" if fault.retry_after is None else f"; it asks to wait {fault.retry_after:.0f} s"
        return kind(told.format(name=repr(name), http=f"HTTP {fault.status}", wait=wait))
    if isinstance(fault.error, IndexError) or fault.names("choices"):
        return ModelReplyError(f"The server of {name!r} sent a reply without an answer (no choices). Try again later.")
    return ModelReplyError(f"The model {name!r} gave no usable answer ({type(fault.error).__name__}).")


_TOLD: dict[Kind, tuple[type[ModelError], str]] = {
    "denied": (ModelDenied, "The server refused the key for {name} ({http}). Check the key and its rights."),
    "unknown": (ModelUnknown, "The server knows no model {name} ({http}). Check the name and the base URL."),
    "quota": (ModelUnreachable, "The quota for {name} is used up ({http}). Check plan and billing with the provider, "
              "or name another model."),
    "busy": (ModelUnreachable, "The server of {name} takes no more requests now ({http}{wait}). Try again later, "
             "allow more time (timeout_s), or lower rate_limit_per_minute."),
    "failed": (ModelUnreachable, "The server of {name} failed ({http}). Try again later."),
    "too long": (ModelReplyError, "The request is too long for {name}. Shorten the task, or name a model with a longer "
                 "context."),
    "filtered": (ModelReplyError, "The provider's content filter stopped {name}. Put the task in other words, or name "
                 "another model."),
    "timeout": (ModelTimeout, "The model {name} gave no answer in time. Raise --timeout, or try again later."),
    "absent": (ModelUnreachable, "Nothing answers for {name}. Check the base URL and that the server runs."),
    "dropped": (ModelUnreachable, "The connection to {name} broke before the answer was whole. Try again later."),
    "refused": (ModelReplyError, "The server of {name} did not accept the request ({http}); it may be too long for the "
                "model."),
}  # fmt: skip
"""What is said of each kind of fault: the error, and its text."""


def mapped(error: Exception, name: str) -> GamaError:
    """Turn a provider's error into one of ours with a fixed text."""
    return error_of(fault_of(error), name)


def _kind(status: int, text: str) -> Kind:
    if status == 413 or (status in (400, 422, 500) and _TOO_LONG.search(text)):
        return "too long"
    if status in (401, 403):
        return "denied"
    if status == 404 or (status == 400 and _UNKNOWN.search(text)):
        return "unknown"
    if status in (402, 429) and (status == 402 or _QUOTA.search(text)):
        return "quota"
    if status == 429:
        return "busy"
    if status >= 500:
        return "failed"
    return "filtered" if status == 400 and _FILTERED.search(text) else "refused"


def _chain(error: BaseException | None) -> Iterator[Any]:
    """Yield an error and what caused it, each once."""
    seen: list[BaseException] = []
    while error is not None and error not in seen:
        seen.append(error)
        yield error
        error = error.__cause__ or error.__context__


def _said(error: Any) -> str:
    """Return what a server said, without what the library makes of it."""
    body = getattr(error, "body", None)
    if isinstance(body, dict):
        fields = body.get("error", body)
        if isinstance(fields, dict):
            return " ".join(str(fields.get(key) or "") for key in ("message", "code", "type", "param", "detail"))
        return str(fields)
    return str(error)


def _retry_after(chain: list[Any], utc: float) -> float | None:
    """Return the seconds that a server asks to wait: a number, or a date."""
    for item in chain:
        headers = getattr(getattr(item, "response", None), "headers", None)
        if headers is None:
            continue
        for name, per_second in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
            value = str(headers.get(name) or "").strip()
            if re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?", value):
                return float(value) / per_second
            try:
                return max(0.0, parsedate_to_datetime(value).timestamp() - utc)
            except (ValueError, OverflowError):
                continue
    return None
