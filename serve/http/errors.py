"""How errors are told over HTTP: status, code, and the form that each protocol's clients understand.

No text of ours quotes a private value. What an upstream says is passed on as it said it: with the
placeholders that it got.
"""

from typing import Any, Literal, NamedTuple

from gama.state.errors import (
    GamaError,
    InputError,
    LeakError,
    LimitReached,
    ModelDenied,
    ModelError,
    ModelTimeout,
    ModelUnknown,
    OptionError,
    ReviewOutdated,
    SealError,
    StoreError,
)

Form = Literal["openai", "anthropic", "gama"]
"""Whose form an error takes."""


class Told(NamedTuple):
    """An error as it is told over HTTP."""

    status: int
    code: str
    message: str
    headers: dict[str, str] = {}


_KINDS: tuple[tuple[type[GamaError], int, str], ...] = (
    (ReviewOutdated, 409, "review_outdated"),
    (LeakError, 400, "leak_stopped"),
    (LimitReached, 413, "limit_reached"),
    (InputError, 400, "invalid_input"),
    (OptionError, 400, "invalid_option"),
    (SealError, 400, "not_readable_here"),
    (StoreError, 503, "store_unavailable"),
    (ModelDenied, 502, "upstream_denied"),
    (ModelUnknown, 502, "upstream_model_unknown"),
    (ModelTimeout, 504, "upstream_timeout"),
    (ModelError, 502, "upstream_failed"),
)


def told(error: Exception) -> Told:
    """Return how an error is told; what is none of ours is named by its class alone."""
    own = getattr(error, "status", None)
    if isinstance(error, GamaError) and isinstance(own, int):
        wait_s = getattr(error, "wait_s", None)
        headers = {} if wait_s is None else {"retry-after": str(max(1, round(wait_s)))}
        return Told(own, str(getattr(error, "code", "refused")), str(error), headers)
    for kind, status, code in _KINDS:
        if isinstance(error, kind):
            return Told(status, code, str(error))
    if isinstance(error, GamaError):
        return Told(500, "internal_error", str(error))
    if isinstance(error, RecursionError):
        return Told(400, "invalid_input", "The body is nested too deeply.")
    return Told(500, "internal_error", f"The server failed ({type(error).__name__}). Nothing more is told here.")


def form_of(path: str) -> Form:
    """Return the form that the clients of an address understand."""
    if path.startswith("/v1/messages"):
        return "anthropic"
    return "openai" if path.startswith("/v1/") else "gama"


_OPENAI_TYPES = {
    401: "authentication_error",
    403: "permission_error",
    404: "invalid_request_error",
    429: "rate_limit_error",
}
_ANTHROPIC_TYPES = {
    400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error",
    413: "request_too_large", 429: "rate_limit_error", 503: "overloaded_error", 504: "timeout_error",
}  # fmt: skip


def body_of(problem: Told, form: Form) -> dict[str, Any]:
    """Return the body of an error in a protocol's form."""
    status, code, message, _ = problem
    if form == "anthropic":
        kind = _ANTHROPIC_TYPES.get(status, "invalid_request_error" if status < 500 else "api_error")
        return {"type": "error", "error": {"type": kind, "message": message, "code": code}}
    if form == "openai":
        kind = _OPENAI_TYPES.get(status, "invalid_request_error" if status < 500 else "api_error")
        return {"error": {"message": message, "type": kind, "param": None, "code": code}}
    return {"detail": message, "code": code}
