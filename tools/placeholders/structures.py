"""Readers of structured text: JSON, XML and code, fed piece by piece. They know where in it the next value lands."""

import re
from functools import cache
from typing import NamedTuple, Protocol

from gama.tools.placeholders.escapes import Quoting, in_code, in_json, in_xml


class Structure(Protocol):
    """A text of some structure, read as far as it has come."""

    def advance(self, text: str) -> None:
        """Read on."""
        ...

    def token(self) -> None:
        """Read a placeholder."""
        ...

    def escape(self, value: str) -> str:
        """Write a value for this place."""
        ...

    @property
    def prose(self) -> bool:
        """Whether words mean what they mean in prose: not so in code, outside strings and comments."""
        ...

    @property
    def calm(self) -> bool:
        """Whether plain text and placeholders change nothing here, wherever the next one stands."""
        ...


class Text:
    """A text without structure."""

    prose = calm = True

    def advance(self, text: str) -> None:
        """Read on."""

    def token(self) -> None:
        """Read a placeholder."""

    def escape(self, value: str) -> str:
        """Write a value as it is."""
        return value


_DEEPEST = 3
"""JSON inside strings of JSON is followed so deep: arguments of a tool call inside a reply."""
_STRING_BODY = re.compile(r'[^"\\\x00-\x1f]+')
_SCALAR = re.compile(r"[-+0-9.eEtrufalsn]+")
_SPACE = re.compile(r"[ \t\r\n\ufeff]+")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?")
_SHORT = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class Json:
    """JSON as far as it has come. `alive` ends where the text can no longer be JSON.

    Args:
        sure: whether the text is known to be JSON; then values are escaped even where it is damaged, and a placeholder
            that stands for a whole value becomes a number or a string.
        depth: how many strings of JSON it stands in.
    """

    def __init__(self, *, sure: bool = False, depth: int = 0) -> None:
        """Begin before the first character."""
        self.alive = True
        self._sure = sure
        self._depth = depth
        self._stack: list[str] = []
        self._expects = "value"
        self._in_string = False
        self._escape = ""
        self._inner: Json | None = None
        self._fresh = False

    @property
    def prose(self) -> bool:
        """Whether words mean what they mean in prose: `name_1` as the name of a member is one."""
        if not self._in_string:
            return True
        return "key" not in self._expects and (self._inner is None or not self._inner.alive or self._inner.prose)

    @property
    def calm(self) -> bool:
        """Whether a string of the text's own goes on here."""
        whole = self.alive and self._in_string and not self._escape
        return whole and not self._inner and "key" not in self._expects

    def advance(self, text: str) -> None:
        """Read on."""
        at = 0
        while at < len(text) and self.alive:
            at = self._string(text, at) if self._in_string else self._between(text, at)

    def token(self) -> None:
        """Read a placeholder."""
        if self._in_string:
            self._said("x")
        elif self._takes_value():
            self._expects = "next"
        else:
            self.alive = False

    def escape(self, value: str) -> str:
        """Write a value for this place."""
        if self._in_string or (self._sure and not self.alive):
            return in_json(self._inner.escape(value) if self._inner and self._inner.alive else value)
        if self._takes_value():
            return value if _NUMBER.fullmatch(value) else f'"{in_json(value)}"'
        return value

    def _takes_value(self) -> bool:
        """Return whether a whole value may stand here; in a list only where the text is known to be JSON."""
        return self.alive and self._expects.startswith("value") and (self._sure or self._stack[-1:] == ["{"])

    def _string(self, text: str, at: int) -> int:
        if self._escape:
            return self._escaped(text, at)
        if body := _STRING_BODY.match(text, at):
            self._said(body[0])
            return body.end()
        if text[at] == "\\":
            self._escape = "\\"
        elif text[at] == '"':
            self._in_string = False
            self._inner = None
            self._expects = "colon" if self._expects in ("key", "key or end") else "next"
        elif self._sure:
            self._said(text[at])
        else:
            self.alive = self._in_string = False
        return at + 1

    def _escaped(self, text: str, at: int) -> int:
        self._escape += text[at]
        if self._escape[1] != "u":
            self._said(_SHORT.get(self._escape[1], self._escape[1]))
            self._escape = ""
        elif len(self._escape) == 6:
            self._said("x")
            self._escape = ""
        return at + 1

    def _said(self, text: str) -> None:
        """Follow what a string says: it may be JSON itself."""
        if self._fresh and self._depth < _DEEPEST and text[0] in "{[" and "key" not in self._expects:
            self._inner = Json(depth=self._depth + 1)
        self._fresh = False
        if self._inner:
            self._inner.advance(text)

    def _between(self, text: str, at: int) -> int:
        if space := _SPACE.match(text, at):
            self._expects = "next" if self._expects == "scalar" else self._expects
            return space.end()
        sign = text[at]
        if sign == '"' and self._expects in ("value", "value or end", "key", "key or end"):
            self._in_string = self._fresh = True
        elif sign in "{[" and self._expects in ("value", "value or end"):
            self._stack.append(sign)
            self._expects = "key or end" if sign == "{" else "value or end"
        elif sign in "}]" and self._stack and self._closes(sign):
            self._stack.pop()
            self._expects = "next"
        elif sign == "," and self._stack and self._expects == "next":
            self._expects = "key" if self._stack[-1] == "{" else "value"
        elif sign == ":" and self._expects == "colon":
            self._expects = "value"
        elif (scalar := _SCALAR.match(text, at)) and self._expects in ("value", "value or end", "scalar"):
            # Cut by a chunk, a number or a word goes on: `next` is read as its end.
            self._expects = "next" if scalar.end() < len(text) else "scalar"
            return scalar.end()
        elif self._expects == "scalar":
            self._expects = "next"
            return at
        else:
            self.alive = False
        return at + 1

    def _closes(self, sign: str) -> bool:
        if self._expects == "scalar":
            self._expects = "next"
        opening = "{" if sign == "}" else "["
        ends = ("next", "key or end" if sign == "}" else "value or end")
        return self._stack[-1] == opening and self._expects in ends


_MARKS = {"!--": "comment", "![CDATA[": "cdata"}
_ENDS = {"comment": "-->", "cdata": "]]>"}


class Xml:
    """XML or HTML as far as it has come."""

    prose = True
    calm = False

    def __init__(self) -> None:
        """Begin before the first character."""
        self._state = "text"
        self._mark = ""

    def advance(self, text: str) -> None:
        """Read on."""
        at = 0
        while at < len(text):
            at = self._step(text, at)

    def token(self) -> None:
        """Read a placeholder."""
        if self._state == "open":
            self._state = "text"
        self._mark = ""

    def escape(self, value: str) -> str:
        """Write a value for this place."""
        if self._state == "cdata":
            return value.replace("]]>", "]]]]><![CDATA[>")
        return in_xml(value, attribute=self._state not in ("text", "open", "comment"))

    def _step(self, text: str, at: int) -> int:
        sign = text[at]
        if self._state == "text":
            opening = text.find("<", at)
            self._state, self._mark = ("open", "") if opening >= 0 else ("text", "")
            return opening + 1 if opening >= 0 else len(text)
        if self._state == "open":
            # What follows the bracket decides whether it opens a tag at all.
            self._mark += sign
            if not any(mark.startswith(self._mark) for mark in _MARKS):
                self._state = "tag" if self._mark[0].isalpha() or self._mark[0] in "/!?" else "text"
                return at
            self._state = _MARKS.get(self._mark, "open")
            self._mark = "" if self._state != "open" else self._mark
        elif self._state == "tag":
            self._state = {">": "text", '"': "double", "'": "single"}.get(sign, "tag")
        elif self._state in _ENDS:
            end = _ENDS[self._state]
            self._mark = (self._mark + sign)[-len(end) :]
            if self._mark == end:
                self._state, self._mark = "text", ""
        elif sign == {"double": '"', "single": "'"}[self._state]:
            self._state = "tag"
        return at + 1


class _Grammar(NamedTuple):
    """Comments and strings of a family of languages."""

    comments: tuple[tuple[str, str], ...]
    strings: tuple[tuple[str, Quoting], ...]
    """Opening signs, the longest first, and how such a string escapes."""


_C: tuple[tuple[str, str], ...] = (("//", "\n"), ("/*", "*/"))
_HASH: tuple[tuple[str, str], ...] = (("#", "\n"),)
_FAMILIES: dict[str, _Grammar] = {
    "python py python3": _Grammar(
        _HASH, (('"""', "python"), ("'''", "python"), ('"', "backslash"), ("'", "backslash"))
    ),
    "javascript js jsx typescript ts tsx mjs": _Grammar(
        _C, (("`", "template"), ('"', "backslash"), ("'", "backslash"))
    ),
    "java c cpp c++ csharp cs kotlin swift scala dart rust rs php objc": _Grammar(
        _C, (('"', "backslash"), ("'", "backslash"))
    ),
    "go golang": _Grammar(_C, (("`", "raw"), ('"', "backslash"), ("'", "backslash"))),
    "sql postgres postgresql mysql sqlite": _Grammar(
        (("--", "\n"), ("/*", "*/")), (("'", "doubled"), ('"', "doubled"))
    ),
    "sh bash shell zsh": _Grammar(_HASH, (('"', "shell double"), ("'", "shell"))),
    "ruby rb perl r toml ini": _Grammar(_HASH, (('"', "backslash"), ("'", "backslash"))),
    "yaml yml": _Grammar(_HASH, (('"', "backslash"), ("'", "doubled"))),
}
_LANGUAGES = {name: grammar for names, grammar in _FAMILIES.items() for name in names.split()}


_WAITING = "\"'/*-\\"
"""Signs that may be the first of several that open or close something."""


class Code:
    """Source code as far as it has come."""

    calm = False

    def __init__(self, language: str) -> None:
        """Begin before the first character; `language` must be one of `languages()`."""
        self._grammar = _LANGUAGES[language]
        starts = [start for start, _ in (*self._grammar.comments, *self._grammar.strings)]
        self._starts = re.compile("|".join(map(re.escape, sorted(starts, key=len, reverse=True))))
        self._end = ""
        self._quoting: Quoting | None = None
        self._rest = ""
        self._prefix = ""

    @property
    def prose(self) -> bool:
        """Whether the next word stands in a string or a comment."""
        self._settle()
        return bool(self._end)

    @property
    def interpolates(self) -> bool:
        """Whether braces hold code here: a template, an f-string, a string of a shell."""
        self._settle()
        return self._quoting in ("template", "shell double") or (self._quoting is not None and "f" in self._prefix)

    def advance(self, text: str) -> None:
        """Read on."""
        text, self._rest = self._rest + text, ""
        at = 0
        while at < len(text):
            # A chunk may end inside a sign of three quotes or behind a backslash: that much waits.
            if len(text) - at < 3 and text[at] in _WAITING:
                self._rest = text[at:]
                return
            at = self._step(text, at)

    def token(self) -> None:
        """Read a placeholder."""
        self._settle()
        if not self._end:
            self._prefix = ""

    def escape(self, value: str) -> str:
        """Write a value for this place."""
        self._settle()
        if self._quoting is None:
            return value
        raw = "r" in self._prefix and self._quoting in ("python", "backslash")
        out = in_code(value, self._end, "raw" if raw else self._quoting)
        return out.replace("{", "{{").replace("}", "}}") if "f" in self._prefix else out

    def _settle(self) -> None:
        """Read what waited: a placeholder follows."""
        text, self._rest = self._rest, ""
        at = 0
        while at < len(text):
            at = self._step(text, at)

    def _step(self, text: str, at: int) -> int:
        return self._inside(text, at) if self._end else self._outside(text, at)

    def _outside(self, text: str, at: int) -> int:
        found = self._starts.search(text, at)
        if found is None:
            # The last signs may be the beginning of one that opens a comment or a string.
            last = len(text[at:].rstrip(_WAITING)) + at
            end = max(last, len(text) - 2) if max(last, len(text) - 2) > at else len(text)
            self._prefix = (self._prefix + text[at:end])[-2:]
            return end
        if found.start() > at and len(text) - found.start() < 3:
            self._prefix = (self._prefix + text[at : found.start()])[-2:]
            return found.start()
        before = (self._prefix + text[at : found.start()])[-2:]
        comments = dict(self._grammar.comments)
        if found[0] in comments:
            self._end, self._quoting = comments[found[0]], None
        else:
            self._end, self._quoting = found[0], dict(self._grammar.strings)[found[0]]
        letters = re.search(r"[rfbuRFBU]{1,2}$", before)
        self._prefix = letters[0].lower() if letters and "python" in _names(self._grammar) else ""
        return found.end()

    def _inside(self, text: str, at: int) -> int:
        if self._quoting in ("backslash", "python", "template", "shell double") and text[at] == "\\":
            return at + 2
        if text.startswith(self._end, at):
            at += len(self._end)
            self._end, self._quoting, self._prefix = "", None, ""
            return at
        if self._quoting in ("backslash",) and text[at] == "\n":
            # No string of this kind goes over a line's end: the quote was an apostrophe.
            self._end, self._quoting, self._prefix = "", None, ""
            return at + 1
        found = _stop(self._end[0]).search(text, at + 1)
        return found.start() if found else len(text)


@cache
def _stop(end: str) -> "re.Pattern[str]":
    return re.compile(f"[{re.escape(end)}\\\\\n]")


def _names(grammar: _Grammar) -> str:
    return next(names for names, one in _FAMILIES.items() if one is grammar)


def languages() -> frozenset[str]:
    """Return the names of fenced code that `Code` reads."""
    return frozenset(_LANGUAGES)
