"""Web addresses: private where they name a user or carry data of one, undecided elsewhere."""

from bisect import bisect_right
from collections.abc import Iterator

from gama.state.entities import Span
from gama.tools.recognizers.base import hit, plain
from gama.tools.recognizers.declared import declaration

_DECLARED = declaration("url")
_LINK = _DECLARED.expression("link")
_HOST = _DECLARED.expression("host")
_DOUBTFUL = frozenset(_DECLARED.words["doubtful"])
_PROFILE = _DECLARED.expression("profile")
_PERSONAL = _DECLARED.expression("personal")


_TRAILING = ".,;:!?*_~'\""


class UrlRecognizer:
    """Finds links with or without a scheme."""

    name = "url"
    subtypes = ("url",)
    priority = 1

    def find(self, text: str) -> Iterator[Span]:
        """Yield links; `private` is 1.0 for profiles and links with user data in them, None for others."""
        body = plain(text)
        if "." not in body and "://" not in body:
            return
        links: list[tuple[int, int]] = []
        if "://" in body or "www" in body.low:
            for match in _LINK.finditer(body):
                start, end = match.start(), _end(body, *match.span())
                if end - start > 6:
                    links.append((start, end))
                    yield self._hit(body, start, end, 0.95)
        if "." in body:
            for match in _HOST.finditer(body):
                start, end = match.start(), _end(body, *match.span())
                if _host_like(body[start:end]) and not _within(links, start):
                    yield self._hit(body, start, end, 0.75)

    def _hit(self, body: str, start: int, end: int, score: float) -> Span:
        value = body[start:end].lower()
        private = 1.0 if _PROFILE.search(value) or _PERSONAL.search(value) else None
        return hit(start, end, "url", self.name, score=score, private=private)


def _within(links: list[tuple[int, int]], at: int) -> bool:
    index = bisect_right(links, at, key=lambda link: link[0])
    return index > 0 and at < links[index - 1][1]


def _host_like(value: str) -> bool:
    host, _, path = value.partition("/")
    labels = host.split(":")[0].split(".")
    if labels[-1] != labels[-1].lower() and host != host.upper():
        return False  # "end.It begins": a missing space
    if labels[-1].lower() in _DOUBTFUL and not path and len(labels) < 3:
        return False
    return any(char.isalpha() for char in "".join(labels[:-1])) and len(labels[-2]) > 1


def _end(body: str, start: int, end: int) -> int:
    while end > start and (body[end - 1] in _TRAILING or (body[end - 1] == ")" and "(" not in body[start:end])):
        end -= 1
    return end
