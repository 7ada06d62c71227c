"""The browser's token on a server without keys: it owns the threads that it made.

A cookie holds it, which no script of a page can read. Inside, a thread's name begins with the token's hash, so that
neither the store nor a log can be used to make the cookie.
"""

import hashlib
import re
import secrets
from collections.abc import Mapping

from starlette.requests import cookie_parser
from starlette.responses import Response

NAME = "gama_owner"
"""The cookie."""
DAYS_S = 400 * 86_400
"""Seconds that it is kept: the longest that browsers allow. Each visit begins them anew."""

# Accepts what `secrets.token_urlsafe(32)` makes, and no word that somebody could guess.
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")
_ELSEWHERE = frozenset(("cross-site", "same-site"))
"""Where a browser says that a request comes from another site, or from another port of this machine."""


def token_of(headers: Mapping[str, str]) -> str:
    """Return the token that a request brings; empty where it has none, or a page of another origin sends it."""
    if headers.get("sec-fetch-site", "") in _ELSEWHERE:
        return ""
    token = cookie_parser(headers.get("cookie", "")).get(NAME, "")
    return token if _TOKEN.fullmatch(token) else ""


def owner_of(headers: Mapping[str, str]) -> str:
    """Return the name inside of the token that a request brings; empty where it has none."""
    token = token_of(headers)
    return f"browser-{hashlib.sha256(token.encode()).hexdigest()[:32]}" if token else ""


def give_token(headers: Mapping[str, str], answer: Response, *, secure: bool) -> None:
    """Have the browser keep its token, or a new one where it has none.

    Args:
        headers: of the request.
        answer: gets the cookie.
        secure: whether the connection is encrypted, so that the cookie travels encrypted only.
    """
    token = token_of(headers) or secrets.token_urlsafe(32)
    answer.set_cookie(NAME, token, max_age=DAYS_S, path="/", secure=secure, httponly=True, samesite="strict")
