"""E-mail addresses."""

from collections.abc import Iterator

from gama.state.entities import Span
from gama.tools.recognizers.base import PlainText, hit, plain
from gama.tools.recognizers.declared import declaration

_DECLARED = declaration("email")
_HOST = _DECLARED.expression("host")
_NAME = _DECLARED.expression("name")
_LATIN_TAIL = _DECLARED.expression("latin_tail")
_VEILED = _DECLARED.expression("veiled")
_VEILS = _DECLARED.words["veils"]
_LINK_BEFORE = _DECLARED.expression("link_before")


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
