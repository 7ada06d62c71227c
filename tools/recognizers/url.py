"""Web addresses: private where they name a user or carry data of one, undecided elsewhere."""

import re
from bisect import bisect_right
from collections.abc import Iterator

from gama.state.entities import Span
from gama.tools.recognizers._text import LEFT, plain
from gama.tools.recognizers.base import hit

# Accepts: http(s)://…, ftp://…, ssh://…, www.…, with ports, paths, queries, balanced round brackets.
# Refuses: trailing punctuation, closing quotes and brackets, mailto:.
_LINK = re.compile(
    r"(?:(?<![A-Za-z])(?:https?|ftps?|sftp|ssh|git|wss?|postgres(?:ql)?|mysql|mongodb(?:\+srv)?"
    r"|redis|amqps?|rtsp|smb|file)://"
    rf"|{LEFT}www\d?\.)[^\s<>\"'`{{}}|\\^\[\]\u3000-\u303f\uff00-\uffef]{{3,2000}}",
    re.IGNORECASE,
)

# Accepts: host.example/path, calendly.com/name, lorelei-makes.example: a host with a well-known or reserved ending
# and no
# scheme. Refuses: e-mail addresses, file names (setup.py, notes.md, main.rs), abbreviations, 3.com.
_HOST = re.compile(
    r"(?<![0-9A-Za-z_@./\\-])(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,5}"
    r"(?:com|org|net|edu|gov|io|co|me|app|dev|info|biz|eu|uk|de|fr|es|it|nl|be|ch|at|pl|pt|se|no"
    r"|fi|dk|ie|cz|hu|gr|us|ca|au|nz|"
    r"br|mx|ar|cl|in|jp|cn|kr|sg|za|ru|ua|tr|il|ae|ly|gg|tv|xyz|online|site|shop|blog|page|link"
    r"|cloud|example|test|local)"
    r"(?![0-9A-Za-z_@-])(?!\.[A-Za-z])(?::[0-9]{2,5})?(?:/[^\s<>\"'`{}|\\^\[\]]{0,2000})?"
)

_TRAILING = ".,;:!?*_~'\""

# Endings that are a word or a file's as well count as hosts only with a path behind or a `www.` before them.
_DOUBTFUL = frozenset(
    {"it", "me", "no", "at", "in", "is", "be", "us", "so", "to", "io", "page", "link", "test", "local"}
)

# Profile pages: a network's host, then a name that is no section of the site.
_PROFILE = re.compile(
    r"(?:^|//|\.)(?:linkedin\.com/in/|(?:facebook|fb|instagram|twitter|x|tiktok|threads|github"
    r"|gitlab|vk|soundcloud|medium|"
    r"pinterest|flickr|behance|dribbble|patreon|ko-fi|twitch|venmo|paypal|strava|snapchat|tumblr"
    r"|reddit)\.(?:com|net|me|tv)/"
    r"(?:u/|user/|users/|add/|@|in/|people/|athletes/|profile\.php\?id=)?|youtube\.com/(?:@|c/"
    r"|user/|channel/)|t\.me/|wa\.me/|"
    r"calendly\.com/|cash\.app/|paypal\.me/|about\.me/|linktr\.ee/|orcid\.org/|bsky\.app/profile/|keybase\.io/|"
    r"mastodon\.\w{2,20}/@|cal\.\w{2,20}/)(?!(?:home|about|help|login|explore|search|features|pricing|topics|trending|"
    r"r/|hashtag/|company/|privacy|terms|settings)\b)[\w.@%+-]{2,}"
)

# Something of a user inside: credentials, an address, a session, a token, a user path.
_PERSONAL = re.compile(
    r"://[^/\s@]{1,200}@|[?&;#](?:e-?mail|user(?:name|_?id)?|uid|login|name|first_?name|last_?name"
    r"|phone|tel|token|auth|"
    r"access_token|session(?:id)?|sid|key|api_?key|password|pwd|code|dob|ssn|customer|account"
    r"|patient|lat|lon|address)=|"
    r"/(?:~|users?/|u/|people/|profiles?/|members?/|patients?/|customers?/|accounts?/|invite/"
    r"|reset/|d/|share/|@)[^/\s?]{2,}|%40"
)


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


def url_recognizer() -> UrlRecognizer:
    """Return the recognizer of web addresses."""
    return UrlRecognizer()
