"""Writes a value so that it stands for itself where it lands: a JSON string, XML, CSV, a string in code, a URL."""

import json
from typing import Literal
from urllib.parse import quote

Quoting = Literal["backslash", "python", "doubled", "template", "shell", "shell double", "raw"]


def in_json(value: str) -> str:
    """Escape a value for the inside of a JSON string."""
    # Halves of characters, which no encoding takes, are written as escapes.
    odd = any(0xD800 <= ord(char) < 0xE000 for char in value)
    return json.dumps(value, ensure_ascii=odd)[1:-1]


def in_xml(value: str, *, attribute: bool) -> str:
    """Escape a value for the text of an element, or for an attribute in quotes of either kind."""
    out = value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return out.replace('"', "&quot;").replace("'", "&#39;") if attribute else out


def in_url(value: str, *, keep: str = "") -> str:
    """Escape a value for a part of a URL.

    Args:
        value: what is put in.
        keep: signs that may stay, as the `@` of an address behind `mailto:`.
    """
    return quote(value, safe=keep, errors="surrogatepass")


def in_csv(value: str) -> str:
    """Escape a value for the inside of a field in quotes."""
    return value.replace('"', '""')


def needs_quotes(value: str, delimiter: str) -> bool:
    """Return whether a field of CSV with this value must stand in quotes."""
    return any(sign in value for sign in (delimiter, '"', "\n", "\r"))


def in_code(value: str, quote_sign: str, quoting: Quoting) -> str:
    """Escape a value for the inside of a string literal.

    Args:
        value: what is put in.
        quote_sign: the sign or signs that close the literal.
        quoting: how its language escapes.
    """
    sign = quote_sign[0]
    if quoting == "raw":
        return value
    if quoting == "doubled":
        return value.replace(sign, sign * 2)
    if quoting == "shell":
        return value.replace("'", "'\\''")
    out = value.replace("\\", "\\\\").replace(sign, "\\" + sign)
    if quoting == "shell double":
        return out.replace("$", "\\$").replace("`", "\\`")
    if quoting == "template":
        return out.replace("${", "\\${")
    if len(quote_sign) == 1:
        out = out.replace("\n", "\\n").replace("\r", "\\r")
    return out
