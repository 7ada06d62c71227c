"""E-mail addresses."""

import re
from collections.abc import Iterator

from gama.state.entities import Span
from gama.tools.recognizers._text import LEFT, PlainText, plain
from gama.tools.recognizers.base import hit

# The host behind an @. Accepts: host.example, sub.host.co.uk, 例子.公司, xn--fsq.example. Refuses: hosts without a dot.
_HOST = re.compile(
    r"(?=[^\W_])(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,6}(?:xn--[a-zA-Z0-9-]{2,40}|[^\W\d_]{2,24})(?![\w-])"
)

# The name before an @, read from a stretch that ends there. Accepts: a, first.last+tag, l***7 (partly masked), letters
# of any script. Refuses: a dot at either end.
_NAME = re.compile(r"[^\W_](?:[\w.+*'%-]{0,62}[\w+*%-])?$")

_LATIN_TAIL = re.compile(r"[!-~]+$")

_VEIL_AT = r"(?:[\[({<] ?(?:at|@|ät|arroba|chez) ?[\])}>])"
_VEIL_DOT = r"(?: ?[\[({<] ?(?:dot|punkt|point|punto|ponto|\.) ?[\])}>] ?| dot |\.)"

# Accepts: name [at] host [dot] tld, name(at)host.tld, name at host dot tld. Refuses: "meet at noon", "is at home."
_VEILED = re.compile(
    rf"{LEFT}[a-z0-9][a-z0-9._+-]{{0,62}}(?: ?{_VEIL_AT} ?[a-z0-9-]{{1,63}}(?:{_VEIL_DOT}[a-z0-9-]{{2,63}}){{1,4}}"
    rf"| at [a-z0-9-]{{1,63}}(?: dot [a-z0-9-]{{2,63}}){{1,4}}){'(?![0-9A-Za-z_-])'}"
)
_VEILS = ("at]", "at)", "at}", "at>", "at ]", "at )", "@]", "@)", "ät]", "ät)", "arroba", "(chez)", " dot ")

_LINK_BEFORE = re.compile(r"://[^\s/@]{0,80}$")


class EmailRecognizer:
    """Finds addresses; the grammar of their hosts is checked by `idna` (RFC 5891)."""

    name = "email"
    subtypes = ("email",)
    priority = 5

    def find(self, text: str) -> Iterator[Span]:
        """Yield addresses, also those written with [at] and [dot], which are not validated."""
        body = plain(text)
        at = body.find("@")
        while at >= 0:
            found = self._around(body, at)
            if found:
                yield hit(*found, "email", self.name, score=1.0, private=1.0, validated=True)
            at = body.find("@", at + 1)
        if any(veil in body.low for veil in _VEILS):
            for match in _VEILED.finditer(body.low):
                yield hit(*match.span(), "email", self.name, score=0.9, private=1.0)

    @staticmethod
    def _around(body: PlainText, at: int) -> tuple[int, int] | None:
        host = _HOST.match(body, at + 1)
        if host is None:
            return None
        floor = max(0, at - 64)
        # The longest name wins: the search runs over a bounded stretch, from its left end.
        name = _NAME.search(body[floor:at])
        if name is None or ".." in name[0]:
            return None
        start = floor + name.start()
        # "邮箱是li@…": a script without spaces runs on into a Latin name; the name is its last stretch.
        tail = _LATIN_TAIL.search(name[0])
        if tail and tail.start() and name[0][tail.start() - 1] > "\u2e80":
            start += tail.start()
        if _LINK_BEFORE.search(body[max(0, start - 90) : start]):
            return None  # https://user:secret@host belongs to the link
        return (start, host.end()) if _grammatical(host[0]) else None


def _grammatical(host: str) -> bool:
    import idna

    try:
        idna.encode(host, uts46=True)
    except (idna.IDNAError, UnicodeError):
        return False
    return True


def email_recognizer() -> EmailRecognizer:
    """Return the recognizer of e-mail addresses."""
    return EmailRecognizer()
