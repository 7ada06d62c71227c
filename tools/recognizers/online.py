"""Addresses on the network: of mail, of people's accounts, of machines and of pages."""

import ipaddress
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from gama.state.entities import Span
from gama.tools.knowledge.index import is_forename, is_surname, look_up, may_be_forename
from gama.tools.recognizers.base import PlainText
from gama.tools.recognizers.declared import Declaration

_TRAILING = ".,;:!?*_~'\""


def emails(body: PlainText, told: Declaration) -> Iterator[Span]:
    """Yield addresses of mail, also those written with [at] and [dot], which are not validated."""
    at = body.find("@")
    while at >= 0:
        if found := _around(body, at, told):
            yield told.hit(*found, "email", score=1.0, private=1.0, validated=True)
        at = body.find("@", at + 1)
    if any(veil in body.low for veil in told.words["veils"]):
        for match in told.regex["veiled"].finditer(body.low):
            yield told.hit(*match.span(), "email", score=0.9, private=1.0)


def _around(body: PlainText, at: int, told: Declaration) -> tuple[int, int] | None:
    host = told.regex["host"].match(body, at + 1)
    if host is None:
        return None
    floor = max(0, at - 64)
    # The longest name wins: the search runs over a bounded stretch, from its left end.
    name = told.regex["name"].search(body[floor:at])
    if name is None or ".." in name[0]:
        return None
    start = floor + name.start()
    # "邮箱是li@…": a script without spaces runs on into a Latin name; the name is its last stretch.
    tail = told.regex["latin_tail"].search(name[0])
    if tail and tail.start() and name[0][tail.start() - 1] > "\u2e80":
        start += tail.start()
    if told.regex["link_before"].search(body[max(0, start - 90) : start]):
        return None  # https://user:secret@host belongs to the link
    return (start, host.end()) if _grammatical(host[0]) else None


def _grammatical(host: str) -> bool:
    """Return whether a host's name keeps to the rules of RFC 5891."""
    import idna

    try:
        idna.encode(host, uts46=True)
    except (idna.IDNAError, UnicodeError):
        return False
    return True


def handles(body: PlainText, told: Declaration) -> Iterator[Span]:
    """Yield names of accounts by their sign, in the logs and paths of machines, and as speakers of a chat."""
    if "@" in body:
        for match in told.regex["at"].finditer(body):
            if match["n"].lower() not in told.words["not_people"] and not _decorator(body, *match.span(), told):
                yield told.hit(*match.span(), "handle", score=0.85, private=0.9)
    if "u/" in body:
        for match in told.regex["reddit"].finditer(body):
            yield told.hit(*match.span(), "handle", score=0.85, private=0.9)
    if "#" in body:
        yield from _hashtags(body, told)
    for match in told.regex["account"].finditer(body):
        if match["v"].lower() not in told.words["no_accounts"]:
            yield told.hit(*match.span("v"), "handle", score=0.7, private=0.9)
    # One such line may be a key of a configuration file; two by the same name are a conversation.
    found = list(told.regex["speaker"].finditer(body))
    times = Counter(match["v"] for match in found)
    for match in found:
        if times[match["v"]] > 1:
            yield told.hit(*match.span("v"), "handle", score=0.6)


def _hashtags(body: PlainText, told: Declaration) -> Iterator[Span]:
    """Yield hashtags of several words: those that name somebody, and those that name nobody, as nobody's."""
    for match in told.regex["hashtag"].finditer(body):
        words = _IN_CAMEL.findall(match["v"])
        if len(words) < 2:
            continue
        framed = told.regex["framed"].search(f"{' '.join(words)} ".lower()) is not None
        titled = [word for title, word in pairwise(words) if title in ("Mr", "Mrs", "Ms", "Miss", "Dr")]
        named = [word for word in words if word in titled or _is_name(word, framed, told)]
        # Who is called so elsewhere in the text is somebody, whoever else is famous by that name.
        met = any(re.search(rf"(?<![\w#@]){re.escape(word)}(?!\w)", body) for word in named)
        private = 0.8 if met or (named and not _is_known(words, named)) else 0.0
        yield told.hit(*match.span("v"), "handle", score=0.6, private=private)


def _is_known(words: Sequence[str], named: Sequence[str]) -> bool:
    """Return whether the name in a hashtag is famous with the words beside it: `TaylorSwift`, `HarryPotter`."""
    runs = (words[first : first + size] for size in (2, 3) for first in range(len(words) - size + 1))
    found = [look_up(" ".join(run)) for run in runs if not set(run).isdisjoint(named)]
    return any(known is not None and known.fame > 1 and "person" in known.kinds for known in found)


# Accepts the words of `JusticeForTomHale`, a run of capitals and a year too.
_IN_CAMEL = re.compile(r"[A-ZÀ-Þ]?[a-zß-ÿ]+|[A-ZÀ-Þ]+(?![a-zß-ÿ])|\d+")


def _is_name(word: str, framed: bool, told: Declaration) -> bool:
    """Return whether a word of a hashtag names somebody; words that mean something else too only where names stand."""
    low = word.lower()
    if len(word) < 3 or low in told.words["no_hashtag_names"]:
        return False
    if is_forename(word) and (framed or low not in told.words["words_too"]):
        return True
    listed = is_surname(word) or may_be_forename(word) or is_surname(low.removesuffix("s"))
    from gama.models.shipped import word_vectors

    return listed and (framed or is_surname(word)) and low not in word_vectors()


def _decorator(body: str, start: int, end: int, told: Declaration) -> bool:
    """Return whether an @word opens a line of code: `@app.get("/")`, `@Override`, `@media (…)`."""
    # Only as far as an indentation reaches, so that a text of one endless line costs nothing.
    indent = body[max(0, start - 40) : start].rpartition("\n")
    if indent[2].strip() or (not indent[1] and start > 40):
        return False
    rest, _, following = body[end : end + 200].partition("\n")
    return rest.startswith("(") or (not rest.strip() and following.lstrip().startswith(told.words["code_words"]))


_RESOLVERS = frozenset(
    "8.8.8.8 8.8.4.4 1.1.1.1 1.0.0.1 9.9.9.9 149.112.112.112 208.67.222.222 208.67.220.220 2001:4860:4860::8888 "
    "2001:4860:4860::8844 2606:4700:4700::1111 2606:4700:4700::1001 2620:fe::fe".split()
)
"""Public resolvers of names, which everybody pings."""


def ip_addresses(body: PlainText, told: Declaration) -> Iterator[Span]:
    """Yield addresses of machines; loopback, unspecified, multicast and reserved ones, and resolvers are nobody's."""
    for regex in (told.regex["v4"], told.regex["v6"]) if body.has_digit else ():
        for match in regex.finditer(body):
            yield from _judged(match, body.low, told)


def _judged(match: re.Match[str], low: str, told: Declaration) -> Iterator[Span]:
    value, start, end = match[0], match.start(), match.end()
    if value.endswith(":") and not value.endswith("::"):
        value, end = value[:-1], end - 1
    try:
        ip = ipaddress.ip_interface(value).ip
    except ValueError:
        return
    before = low[max(0, start - 16) : start]
    octets: list[int] = []
    if ":" in value:
        if len(value) < 4 or not any(char.isdigit() for char in value) or value.count(":") < 2:
            return
    elif told.regex["not_address"].search(before):
        return
    else:
        octets = [int(part) for part in value.split("/")[0].split(".")]
    if ip.is_loopback or ip.is_unspecified or ip.is_multicast or (octets and ip.is_reserved) or str(ip) in _RESOLVERS:
        yield told.hit(start, end, "ip_address", score=0.9, private=0.0)
        return
    if octets and octets[0] == 0:
        return
    named = before.rstrip(" :=\"'").endswith(("ip", "host", "address", "server", "from"))
    if octets and max(octets) < 20 and octets[0] != 10 and not named:
        # 2.1.0.3 may as well be a version: reported, but not as proved.
        yield told.hit(start, end, "ip_address", score=0.4)
        return
    yield told.hit(start, end, "ip_address", score=1.0, private=1.0, validated=True)


def urls(body: PlainText, told: Declaration) -> Iterator[Span]:
    """Yield links with or without a scheme; `private` is 1.0 for profiles, user data and hosts of inner networks."""
    links: list[tuple[int, int]] = []
    hosts: list[tuple[int, int]] = []
    if "://" in body or "www" in body.low:
        links = [span for match in told.regex["link"].finditer(body) if (span := _trimmed(match))[1] - span[0] > 6]
    if "." in body:
        found = map(_trimmed, told.regex["host"].finditer(body))
        hosts = [span for span in found if _host_like(body[slice(*span)], told) and not _within(links, span[0])]
    for spans, score in ((links, 0.95), (hosts, 0.75)):
        for start, end in spans:
            value = body[start:end].lower()
            personal = (
                told.regex["profile"].search(value) or told.regex["personal"].search(value) or _is_inner(value, told)
            )
            yield told.hit(start, end, "url", score=score, private=1.0 if personal else None)


def _within(links: list[tuple[int, int]], at: int) -> bool:
    index = bisect_right(links, at, key=lambda link: link[0])
    return index > 0 and at < links[index - 1][1]


def _is_inner(value: str, told: Declaration) -> bool:
    """Return whether a link or host in small letters lies in a network of one's own."""
    host = value.partition("://")[2] if "://" in value else value
    host = host.partition("/")[0].rpartition("@")[2].partition(":")[0]
    return host.endswith(tuple(f".{end}" for end in told.words["inner"])) and host not in told.words["everybodys"]


def _host_like(value: str, told: Declaration) -> bool:
    host, _, path = value.partition("/")
    labels = host.split(":")[0].split(".")
    if labels[-1] != labels[-1].lower() and host != host.upper():
        return False  # "end.It begins": a missing space
    inner = labels[-1].lower() in told.words["inner"]
    if (inner or labels[-1].lower() in told.words["doubtful"]) and not path and len(labels) < 3:
        # `nas01.local`, but no `threading.local`.
        return inner and any(char.isdigit() or char == "-" for char in labels[0])
    return any(char.isalpha() for char in "".join(labels[:-1])) and len(labels[-2]) > 1


def _trimmed(match: re.Match[str]) -> tuple[int, int]:
    """Return where a link lies without the signs of the sentence behind it."""
    body, start, end = match.string, *match.span()
    while end > start and (body[end - 1] in _TRAILING or (body[end - 1] == ")" and "(" not in body[start:end])):
        end -= 1
    return start, end
