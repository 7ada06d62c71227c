"""Where things begin and end: words; brackets, and what models and encoders make of them; addresses."""

import html
import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote

import regex


def boundary(text: str, at: int) -> bool:
    """Return whether a word may begin or end at an offset.

    Letters and digits of scripts that put spaces between words bind to each other; the underscore,
    and the signs of Chinese, Japanese, Thai and other scripts written without spaces, do not.
    """
    if at <= 0 or at >= len(text):
        return True
    return not (_binds(text[at - 1]) and (_binds(text[at]) or unicodedata.combining(text[at]) > 0))


def _binds(char: str) -> bool:
    if char.isascii():
        return char.isalnum()
    return char.isalnum() and not _spaceless(ord(char))


def _spaceless(code: int) -> bool:
    return (
        0x0E00 <= code <= 0x0EFF  # Thai, Lao
        or 0x1000 <= code <= 0x109F  # Myanmar
        or 0x1780 <= code <= 0x17FF  # Khmer
        or 0x2E80 <= code <= 0x9FFF  # CJK, kana
        or 0xF900 <= code <= 0xFAFF
        or 0x20000 <= code <= 0x3FFFF
    )


_FLAGS = regex.IGNORECASE | regex.VERSION1

# Opening and closing signs of one family, in clear. Doubled brackets count as one pair only within a family.
_FAMILIES = ("<>", "[]", "{}", "‹›", "«»", "〈〉", "⟨⟩", "《》", "【】", "「」", "『』", "〔〕")
_WIDE = str.maketrans("＜＞［］｛｝", "<>[]{}")

ANGLES = frozenset("<‹«〈⟨《")
"""Families that read as the angle brackets of the styles. A text has few of them for reasons of its own."""

OPENING = "".join(pair[0] for pair in _FAMILIES).replace("<", "").replace("[", "").replace("{", "") + "＜［｛"
"""Brackets that open, but for those of ASCII."""
_CLOSING = "".join(pair[1] for pair in _FAMILIES).replace(">", "").replace("]", "").replace("}", "") + "＞］｝"

# One bracket in clear, after a backslash, or escaped: HTML (&lt; &#60; &#x3c; and those once more escaped, &amp;lt;),
# URL (%3C, %253C), JSON (\u003c) and Python (\x3c). A dollar sign belongs to the brace of a template.
LEFT = (
    rf"(?:\\{{0,4}}<|\\{{0,4}}\[|\$?\\{{0,4}}\{{|[{OPENING}]"
    r"|&(?:amp;){0,2}(?:lt|laquo|lsaquo|lang|lsqb|lbrack|lcub|lbrace|\#0{0,5}(?:60|91|123)|\#x0{0,4}(?:3c|5b|7b));"
    r"|%(?:25){0,2}(?:3c|5b|7b)|\\{1,8}u00(?:3c|5b|7b)|\\{1,4}x(?:3c|5b|7b))"
)
RIGHT = (
    rf"(?:\\{{0,4}}>|\\{{0,4}}\]|\\{{0,4}}\}}|[{_CLOSING}]"
    r"|&(?:amp;){0,2}(?:gt|raquo|rsaquo|rang|rsqb|rbrack|rcub|rbrace|\#0{0,5}(?:62|93|125)|\#x0{0,4}(?:3e|5d|7d));"
    r"|%(?:25){0,2}(?:3e|5d|7d)|\\{1,8}u00(?:3e|5d|7d)|\\{1,4}x(?:3e|5d|7d))"
)

_ONE = regex.compile(rf"{LEFT}|{RIGHT}", _FLAGS)
_RIGHT = regex.compile(RIGHT, _FLAGS)
_LONGEST = 24
_NAMED = (
    ("[", ("lsqb", "rsqb", "brack", "91", "93", "5b", "5d")),
    ("{", ("lcub", "rcub", "brace", "123", "125", "7b", "7d")),
    ("«", ("laquo", "raquo")),
    ("‹", ("lsaquo", "rsaquo")),
    ("⟨", ("lang", "rang")),
)


class Bracket(NamedTuple):
    """One bracket as it stands, and the family it belongs to."""

    text: str
    family: str
    """The opening sign of the family."""


@lru_cache(maxsize=1024)
def split(brackets: str) -> tuple[Bracket, ...]:
    """Split a run of brackets into single ones."""
    return tuple(Bracket(one, family(one)) for one in _ONE.findall(brackets))


def may_close(text: str) -> bool:
    """Return whether a text is the beginning of a closing bracket, such as half an escape."""
    return len(text) < _LONGEST and bool(text) and bool(_RIGHT.fullmatch(text, partial=True))


def family(bracket: str) -> str:
    """Return the opening sign of the family that a bracket belongs to, escaped or not."""
    sign = bracket[-1].translate(_WIDE)
    for pair in _FAMILIES:
        if sign in pair:
            return pair[0]
    word = bracket.casefold().rstrip(";")
    return next((opening for opening, names in _NAMED if word.endswith(names)), "<")


# What follows a placeholder in the name of a host, or before the `@` of an address.
_AUTHORITY = r"[^/\\?#\s\"'`<>(){}\[\],;|]"
_LONGEST_REST, _LONGEST_TAG = 128, 56
_REST = re.compile(rf"{_AUTHORITY}{{0,{_LONGEST_REST}}}")
# Signs of which every address has one; also wide ones, and those that stand for several signs.
_HINT = re.compile(r"[/:\\%&?#\u2044\u2100-\u214f\u2215\u29f8\ufe00-\ufe6f\uff00-\uffef]")
# Schemes whose addresses are people's, and schemes whose addresses are programs or whole pages.
_PEOPLE = "mailto|tel|sms|smsto|callto|sip|sips|xmpp|skype|facetime|whatsapp"
_PROGRAMS = r"javascript|vbscript|livescript|intent|data(?=:[\w.+-]*/?[\w.+-]*(?:;[^,\s]{0,60})?,)"
_ADDRESS = re.compile(
    # `https://host`, `//host`, with any scheme; no path such as `a//b`
    rf"(?:(?<![a-z0-9])[a-z][a-z0-9+.\-]{{1,30}}:)?(?<![\w.\-/\\%)\]])[/\\]{{2,}}(?P<host>{_AUTHORITY}*)"
    # `https:host`, which browsers take
    rf"|(?<![a-z0-9])(?:https?|wss?|ftps?):[/\\]?(?P<near>{_AUTHORITY}+)"
    rf"|(?<![a-z0-9])(?P<people>{_PEOPLE}):(?P<whom>[^?#\s\"'`<>()]*)"
    rf"|(?<![a-z0-9])(?P<program>{_PROGRAMS}):"
    # `host.example/`, `host.example?`
    r"|(?<![\w./\\\-])(?P<bare>(?:[\w\ufffc\ufffd-]{1,63}\.)+[a-z][a-z0-9-]{1,23}|\d{1,3}(?:\.\d{1,3}){3})(?::\d{1,5})?(?=[/\\?#])"
)
# A placeholder that begins the name of a host: `<name-1>.host.example/`.
_LEADING = re.compile(
    r"(?:\.(?:[\w-]{1,63}\.)*|@(?:[\w-]{1,63}\.)+)[a-z][a-z0-9-]{1,23}(?::\d{1,5})?[/\\?#]", re.IGNORECASE
)
_HOST = re.compile(r"(?<![\w.-])(?:[\w-]{1,63}\.)+[a-z][a-z0-9-]{1,23}(?![\w-])", re.IGNORECASE)
_JSON_SIGN = re.compile(r"\\+(?:u([0-9a-f]{4})|/)", re.IGNORECASE)
_CLOSES = {"(": ")", '"': '"', "'": "'", "`": "`", "<": ">", "[": "]", "{": "}", "^": "\n"}
"""What ends an address by what stands before it; others end at a space or a bracket."""
_SPACE = re.compile(r"[ \n\t\r\f]")
_QUOTES, _NESTED = frozenset("\"'`"), frozenset("([{")
_NEW_LINE = re.compile(r"\\[nrt]")
_LINE_ENDS = dict.fromkeys(map(ord, "\t\r\n"))
_DRIVE = re.compile(r"(?<![a-z0-9])[a-z]:$")
_TAGS = re.compile(r"<{1,2}[a-z_ ]{2,40}[-_ ]?[0-9]{1,9}[a-z]{0,2}>{1,2}")
_TAG_BEGUN = re.compile(r"<{1,2}[a-z_]{0,40}-?")
_TAG = re.compile(r"<{1,2}[a-z_]{2,40}-[0-9]")
OWN = "\ufffc"
"""Stands for a value that was put in, also where it is the name of a host."""
ADDRESSES = frozenset({"url", "email", "phone", "ip_address"})
"""Types whose values may be what an address leads to: the user's own."""
HIDDEN = "\ufffd"
"""Stands for a value that was withheld."""
BEHIND = 200
"""Characters behind a placeholder that may belong to the name of a host."""
_LONG = "long"
"""Where an address leads that is too long to be looked at as a whole."""
_MOST = 1024
"""Characters without a space in which an address is looked for as a whole; a longer one leads nowhere that is known."""


class Address(NamedTuple):
    """An address that the end of a text stands in."""

    leads: str
    """To which host or whom, in small letters."""
    closer: str
    """What ends it, spaces or not; empty where a space ends it."""
    growing: bool
    """Whether the end stands in the name of the host itself."""


class Links:
    """Follows a text and says whether a value would be put into an address that leads where it must not.

    The text may come in any pieces.

    Args:
        hosts: where addresses may lead; None: anywhere, and what is asked about is collected in `met`.
        in_json: whether the text is JSON.
    """

    def __init__(self, hosts: frozenset[str] | None, *, in_json: bool = False) -> None:
        """Begin before the first character."""
        self._hosts = hosts
        self._in_json = in_json
        self.met: set[str] = set()
        """Where the addresses lead that values were put into."""
        self._run = "^"
        """What has come since the last space; a sign for the beginning of the text."""
        self._closer = ""
        """What ends a foreign address in quotes or brackets that goes on over spaces."""
        self._last = ""
        self._lost = False
        """Whether there is an address too long to be looked at as a whole."""

    @property
    def calm(self) -> bool:
        """Whether no address goes on here."""
        return not (self._closer or self._lost or _HINT.search(self._run))

    def advance(self, text: str) -> None:
        """Read on."""
        at = 0
        while at < len(text):
            if self._closer:
                at = self._enclosed(text, at)
                continue
            at = self._skip(text, at)
            space = _SPACE.search(text, at)
            self._grow(text[at : space.start() if space else len(text)])
            if space is None:
                return
            self._end_run(space[0])
            at = space.end()

    def foreign(self, rest: str, *, addressable: bool) -> bool:
        """Return whether a value would be put into an address that leads where it must not.

        Args:
            rest: what follows the placeholder, as far as it may belong to the name of a host; see `undecided`.
            addressable: whether the value may itself be what an address leads to.
        """
        if self._lost:
            self.met.add(_LONG)
            return self._hosts is not None and _LONG not in self._hosts
        if self._closer:
            return True
        behind = _REST.match(rest)
        end = behind[0].rstrip(".:!*_~") if behind else ""
        if behind and _TAG.match(rest, behind.end()):
            end = behind[0] + HIDDEN
        leads: set[str] = set()
        if _HINT.search(self._run):
            found = _addresses(self._run, self._in_json)
            leads = {one.leads for one in found if not one.growing} - {OWN}
            if self._hosts is not None and not leads <= self._hosts:
                return True
            whole = _addresses(f"{self._run}{OWN}{end}", self._in_json)
            growing = {one.leads for one in whole if one.growing}
            leads |= growing - {OWN} if addressable else growing
        if not leads and (led := _LEADING.match(rest)):
            leads.add(_name(OWN + led[0][:-1]))
        self.met |= leads
        return self._hosts is not None and not leads <= self._hosts

    def _skip(self, text: str, at: int) -> int:
        """Pass over whole words in which no address is."""
        if _HINT.search(self._run):
            return at
        hint = _HINT.search(text, at)
        end = hint.start() if hint else len(text)
        lines = max(text.rfind("\n", at, end), text.rfind("\r", at, end))
        space = max(lines, text.rfind(" ", at, end), text.rfind("\t", at, end), text.rfind("\f", at, end))
        if space < 0:
            return at
        self._run, self._lost = "", False
        return space + 1

    def _grow(self, text: str) -> None:
        while text:
            more = _MOST + 1 - len(self._run)
            self._run, text = self._run + text[:more], text[more:]
            if len(self._run) > _MOST:
                odd = bool(_HINT.search(self._run) and _addresses(self._run, self._in_json))
                self._lost, self._run = self._lost or odd, self._run[-_MOST // 2 :]

    def _end_run(self, space: str) -> None:
        """End an address at a space, unless it leads elsewhere and stands in quotes or brackets."""
        found = () if self.calm else _addresses(self._run, self._in_json)
        if self._hosts is None:
            self.met.update(one.leads for one in found)
        else:
            known = {*self._hosts, OWN}
            closers = [one.closer for one in found if one.closer not in ("", space) and one.leads not in known]
            self._closer = closers[-1] if closers else ""
        self._run, self._lost, self._last = "", False, ""

    def _enclosed(self, text: str, at: int) -> int:
        """Read on in an address that goes over spaces; return where it has ended, or the length of the text."""
        quotes = self._closer[-1] in _QUOTES
        ends = re.compile(re.escape(self._closer[-1]) if quotes else f"{re.escape(self._closer)}|\n")
        for found in ends.finditer(text, at):
            before = text[found.start() - 1] if found.start() else self._last
            if not quotes or (before == "\\") == (len(self._closer) > 1):
                self._closer = ""
                return found.end()
        self._last = text[-1]
        return len(text)


def undecided(text: str, at: int) -> bool:
    """Return whether more of a text must be known before it is clear what stands behind an offset.

    That is the rest of the name of a host, and the placeholder that may follow it.
    """
    behind = _REST.match(text, at)
    end = behind.end() if behind else at
    return end - at < _LONGEST_REST and (
        end == len(text)
        or (
            text[end] == "<"
            and len(text) - end < _LONGEST_TAG
            and _TAG.fullmatch(text, end) is None
            and bool(_TAG_BEGUN.fullmatch(text, end))
        )
    )


@lru_cache(maxsize=512)
def _addresses(run: str, in_json: bool) -> tuple[Address, ...]:
    """Return the addresses in a text without spaces that are still open at its end."""
    text = _plain(run)
    found = []
    for match in _ADDRESS.finditer(text):
        before = text[: match.start()]
        if _DRIVE.search(before[-3:]):
            continue
        opener = before[-1:] if before[-1:] in _CLOSES else ""
        if not _closed(text[match.end() :], before, opener, in_json):
            escape = "\\" if opener in _QUOTES and before[-2:-1] == "\\" else ""
            growing = match.end() == len(text) and not match["program"]
            closer = escape + _CLOSES[opener] if opener else ""
            found.append(Address(_leads(match), closer, growing))
    return tuple(found)


def _plain(run: str) -> str:
    """Return a text as a program reads the addresses in it, in small letters."""
    text = unquote(unquote(html.unescape(run)))
    text = _JSON_SIGN.sub(lambda sign: chr(int(sign[1], 16)) if sign[1] else "/", text)
    if not text.replace(OWN, "").isascii():
        text = unicodedata.normalize("NFKC", text)
        text = "".join(sign for sign in text if unicodedata.category(sign) != "Cf")
    # Programs drop ends of lines too.
    return text.translate(_LINE_ENDS).lower()


def leads_in(text: str) -> set[str]:
    """Return where the addresses of a text lead, whether they go on at its end or not."""
    return {
        _leads(match) for run in _SPACE.split(text) if _HINT.search(run) for match in _ADDRESS.finditer(_plain(run))
    }


def _closed(behind: str, before: str, opener: str, in_json: bool) -> bool:
    """Return whether what ends an address stands behind it."""
    if opener in _QUOTES:
        # Another quote than the one that ends it is followed by more of the address.
        escape = r"\\" if before[-2:-1] == "\\" else r"(?<!\\)"
        return bool(re.search(rf"{escape}{opener}(?![\w&=?/#%~-])", behind))
    if opener in _NESTED:
        depth = 0
        for sign in behind:
            depth += (sign == opener) - (sign == _CLOSES[opener])
            if depth < 0:
                return True
        return False
    if opener:
        return _CLOSES[opener] in behind
    return (
        "<" in _TAGS.sub("", behind)
        or (before.endswith("=") and ">" in behind)
        or (in_json and bool(_NEW_LINE.search(behind)))
    )


def _leads(match: "re.Match[str]") -> str:
    if match["program"]:
        return f"{match['program']}:"
    if match["people"]:
        whom, asks = match["whom"].rstrip(".,;:!*_~"), match.string.startswith("?", match.end())
        return OWN if whom == OWN and not asks else f"{match['people']}:{whom}"
    return _name(match["host"] or match["near"] or match["bare"] or "")


def _name(host: str) -> str:
    """Return a host without what stands before and behind its name."""
    name = re.sub(r":\d*$", "", host.lower().rpartition("@")[2]).rstrip(".:!*_~")
    return name.removeprefix("www.")


def hosts_in(text: str) -> set[str]:
    """Return the names of hosts in a text, in small letters, with or without an address around."""
    return {_name(found[0]) for found in _HOST.finditer(unicodedata.normalize("NFKC", text))}
