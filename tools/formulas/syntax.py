"""Finds formulas in texts, whole or in pieces, and parses them; every other `{{ … }}` is left as it is."""

import re
from collections.abc import Callable, Collection, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from gama.tools.formulas.values import Fault
from gama.tools.formulas.words import data

LENGTH = 4000
"""The most characters of a formula, its braces and texts included."""
DEPTH = 40
"""The deepest nesting of a formula's tree, and of formulas in texts."""
NODES = 1000
"""The most parts of a formula."""

_QUOTES = {'"': '"', "“": "”", "„": "“”", "«": "»", "'": "'"}
PLACEHOLDER = re.compile(r"<<?\s?([a-z][a-z_]{0,40}-\d{1,6}[a-z]{0,3})(?:\s[^<>{}\n]{0,200})?\s?>>?", re.IGNORECASE)


_KEYWORDS = re.compile(r"\b(?:let|if|then|else|elif|elseif|and|or|not|in|true|false|otherwise)\b", re.IGNORECASE)
_LET = re.compile(r"\blet\s+([A-Za-z_]\w{0,60})\s*=(?!=)", re.IGNORECASE)
# A number with a comma, and the sign of a currency beside it.
_MARKED = r"(?:[€£$¥₹]\s?)?(?<![\d,.])\d+(?:\.\d+)*(?:,\d+)+(?:\.\d+)?(?:\s?[€£$¥₹])?"


class Formula(NamedTuple):
    """A formula as it stands in a text."""

    start: int
    end: int
    source: str
    """With its braces."""


class Parsed(NamedTuple):
    """A formula as a tree."""

    tree: Any
    strings: tuple[str, ...]
    otherwise: Any
    """The tree of what stands there where the formula fails; None without one."""
    forms: tuple[str, ...]


def placeholder_key(text: str) -> str:
    """Return what a placeholder is known by, whatever brackets or facts it has: `name-1`."""
    match = PLACEHOLDER.fullmatch(text.replace("&lt;", "<").replace("&gt;", ">"))
    return match[1].lower() if match else text.lower()


def find_formulas(text: str, placeholders: Collection[str], *, quoted: str = "", inside: bool = False) -> list[Formula]:
    """Return the formulas of a text, outermost ones only.

    Args:
        text: an answer.
        placeholders: those of this task; only a formula that holds one of them, or calls our functions with
            literals (or with placeholders that no box has), is ours.
        quoted: the text that was sent: what stands in braces there too is the text's own.
        inside: whether it is a text of a formula: there all braces are ours.
    """
    found, at = [], 0
    known, names = {placeholder_key(one) for one in placeholders}, set[str]()
    while (at := text.find("{{", at)) >= 0:
        end = closing(text, at)
        if end is None or end < 0:
            at += 2
        elif inside or is_ours(text[at:end], text[max(0, at - 40) : at], text[end : end + 1], known, quoted, names):
            found.append(Formula(at, end, text[at:end]))
            names |= names_of(text[at:end])
            at = end
        else:
            at += 2
    return found


def closing(text: str, start: int) -> int | None:
    """Return where the formula that begins at `start` ends; None where the text ends before it, -1 if never."""
    stack, at = [""], start + 2
    while at < len(text):
        if at - start > LENGTH or len(stack) > DEPTH:
            return -1
        quote, sign = stack[-1], text[at]
        if quote and sign == "\\":
            at += 2
        elif text.startswith("{{", at):
            if not quote:
                return -1
            stack.append("")
            at += 2
        elif not quote and text.startswith("}}", at):
            stack.pop()
            at += 2
            if not stack:
                return at
        elif quote and sign in quote:
            stack.pop()
            at += 1
        elif not quote and sign in _QUOTES:
            stack.append(_QUOTES[sign])
            at += 1
        else:
            at += 1
    return -1 if at - start > LENGTH else None


def names_of(source: str) -> set[str]:
    """Return the names that a formula gives with `let`: the formulas behind it may use them."""
    return set(_LET.findall(source))


def is_ours(
    source: str, before: str, after: str, known: Collection[str], quoted: str = "", names: Collection[str] = ()
) -> bool:
    """Return whether `{{ … }}` is a formula of ours, not one of a template language or of code.

    Args:
        source: the braces and what they hold.
        before: what stands in front of them.
        after: the character behind them.
        known: the placeholders of the task, by their keys.
        quoted: the text that was sent.
        names: those that the formulas before it gave with `let`.
    """
    if source in quoted or re.search(r"\\[A-Za-z]+\s?(?:\[[^\]]*\]|\{[^{}]*\})?$", before):
        return False  # the text's own, or LaTeX: \frac{{a}}
    if before.endswith("{") or after == "}" or source[2:3] in "%#{!>&":
        return False  # Mustache, Handlebars, Jinja
    inside = source[2:-2].replace("&lt;", "<").replace("&gt;", ">")
    holds = any(placeholder_key(match[0]) in known for match in PLACEHOLDER.finditer(inside))
    if holds:
        # `{{<name-1>}}` without spaces is what hiding makes of `{{Anna}}`.
        return not (PLACEHOLDER.fullmatch(inside) and not before.endswith("$"))
    try:
        tree = parse(source).tree
    except Fault:
        return False
    from gama.tools.formulas.functions import ALIASES, FUNCTIONS

    calls = [str(node.children[0]) for node in tree.iter_subtrees() if node.data == "call"]
    free = {str(node.children[0]) for node in tree.iter_subtrees() if node.data == "name"}
    measures = any(True for _ in tree.find_data("measure"))  # 3 hours is nothing of other languages
    return (
        bool(calls or free or measures)
        and free <= set(names)
        and all(name.lower() in {*FUNCTIONS, *ALIASES} for name in calls)
    )


@lru_cache
def _grammar() -> Any:
    from lark import Lark

    return Lark(data("grammar.lark"), parser="lalr", maybe_placeholders=False)


@lru_cache(maxsize=512)
def parse(source: str) -> Parsed:
    """Parse a formula with its braces.

    Raises:
        Fault: it is no formula of the language, or larger than one may be.
    """
    from lark.exceptions import UnexpectedInput

    if len(source) > LENGTH:
        raise Fault("limit", f"the formula is longer than {LENGTH} characters")
    inside, strings = _take_strings(source[2:-2].replace("&lt;", "<").replace("&gt;", ">"))
    inside = _plain(inside)
    try:
        tree = _grammar().parse(inside)
    except UnexpectedInput as error:
        near = str(getattr(error, "token", "") or getattr(error, "char", ""))
        hint = "" if not near or near.startswith('"') else f" at {near[:60]!r}"
        if "let " in inside and ";" not in inside:
            hint += ": write let x = …; …"
        elif near == ".":
            hint += ": there are no attributes, only functions such as start(x)"
        raise Fault("syntax", f"the formula is not one of the language{hint}") from None
    body, *options = tree.children
    if body.data == "define" and body.children[1].data == "within":  # let x = … in …, as in other languages
        raise Fault("syntax", "the formula is not one of the language: write let x = …; …")
    otherwise = next((one.children[0] for one in options if one.data == "otherwise"), None)
    _check_size(body)
    _check_size(otherwise)
    return Parsed(body, strings, otherwise, tuple(str(one.children[0]) for one in options if one.data == "form"))


# Accepts what a formula ends with that says what stands in its place if it fails: the last one.
_INSTEAD = re.compile(r".*\|\s*otherwise\s*:(.*)\Z", re.IGNORECASE | re.DOTALL)


def instead_of(source: str) -> str | None:
    """Return what a formula has in its place if it fails, as a formula; None where it does not say.

    It may itself not be written as it should be: then nothing else of it is read.
    """
    match = _INSTEAD.match(source[2:-2])
    return f"{{{{{match[1]}}}}}" if match else None


def _check_size(tree: Any) -> None:
    rest, count = [(tree, 1)], 0
    while rest:
        node, depth = rest.pop()
        count += 1
        if depth > DEPTH or count > NODES:
            raise Fault(
                "limit", "the formula is nested too deep" if depth > DEPTH else "the formula has too many parts"
            )
        rest += [(child, depth + 1) for child in getattr(node, "children", ())]


# Accepts `60 in` where a value ends, not `2 in [1, 2]` or `2 in items`, which ask whether one is in a list.
_INCHES = re.compile(r"(\d)\s*in(?=\s*(?:$|[)\]},;|<>=≤≥≠!+*/−-]|(?:then|else|and|or)\b))")


def _plain(text: str) -> str:
    """Return a formula without its strings, with keywords in small letters and numbers without marks of thousands."""
    held: list[str] = []

    def hold(match: re.Match[str]) -> str:
        held.append(match[0])
        return f"\0{len(held) - 1}\0"

    text = PLACEHOLDER.sub(hold, text)
    text = _KEYWORDS.sub(lambda match: match[0].lower(), text)
    text = re.sub(r"\bel(?:se ?)?if\b", "else if", text)
    text = re.sub(r"(\d\s*h(?:ours?)?) and (?=\d+\s*min)", r"\1 ", text)
    text = _INCHES.sub(r"\1 inches", text)
    out, at, open_brackets = [], 0, [""]
    for match in re.finditer(r"[()\[\]]|" + _MARKED, text):
        sign = match[0]
        if sign in "([":
            open_brackets.append("," if sign == "[" or re.search(r"\w\s*$", text[: match.start()]) else "")
        elif sign in ")]":
            open_brackets = open_brackets[:-1] or [""]
        else:
            out += [text[at : match.start()], _unmarked(sign, among=bool(open_brackets[-1]))]
            at = match.end()
    text = "".join([*out, text[at:]])
    return re.sub("\0(\\d+)\0", lambda match: held[int(match[1])], text)


def _unmarked(number: str, *, among: bool) -> str:
    """Return a number with a comma as the grammar wants it, refusing what can be read in two ways.

    Args:
        number: digits with a comma, with the sign of a currency where one stands beside it.
        among: whether it stands in a list of arguments, where a comma stands between two of them.
    """
    bare = re.sub(r"[^\d.,]", "", number)
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", bare):
        sure = "." in bare or bare.count(",") > 1 or (bare != number and not among)
        if sure and not among:
            return number.replace(",", "")
        raise Fault("syntax", "write numbers without marks of thousands, and with a point before decimals")
    if not among and re.fullmatch(r"\d+,\d+", bare):
        return number.replace(",", ".")
    if among and bare.count(",") > 1 and not re.search(r",\d{3}(?!\d)", bare):  # [1,2,3], date(2025,5,12)
        return number
    raise Fault("syntax", "write decimals with a point, and a space behind the comma between two arguments")


def _take_strings(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a formula with its texts replaced by their numbers, and the texts."""
    out, strings, at = [], list[str](), 0
    while at < len(text):
        if text[at] not in _QUOTES:
            out.append(text[at])
            at += 1
            continue
        ends, depth, told = _QUOTES[text[at]], 0, list[str]()
        at += 1
        while at < len(text) and (depth or text[at] not in ends):
            if text[at] == "\\" and at + 1 < len(text) and not depth:
                at += 1
            elif text.startswith(("{{", "}}"), at):
                depth = max(0, depth + (1 if text[at] == "{" else -1))
                told.append(text[at])
                at += 1
            told.append(text[at])
            at += 1
        if at >= len(text):
            raise Fault("syntax", "a text of the formula has no closing quotation mark")
        out.append(f'"{len(strings)}"')
        strings.append("".join(told))
        at += 1
    return "".join(out), tuple(strings)


# What a JSON string has up to its end or that of the text, and one escape in it.
_STRING = re.compile(r'(?:[^"\\]|\\.)*', re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_SIGNS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_BEFORE = 200
"""Characters in front of a formula that are kept."""
BEHIND = 200
"""Characters behind a formula that are told."""
_LOOKS = 64
"""How often a formula that grows is looked at; then only when it is as long as one may be, or the text has ended."""


class FormulaStream:
    """Formulas in a text that comes in pieces: from `{{` on it is held back until the braces close.

    A formula in a string of JSON is read without the escapes of JSON: where the text is known to be JSON, and where the
    first quotation mark of the formula is escaped.
    """

    def __init__(
        self,
        placeholders: Collection[str],
        *,
        quoted: str = "",
        in_json: bool = False,
        unsure: Callable[[str], bool] = lambda behind: not behind,
        watch: Callable[[], None] | None = None,
    ) -> None:
        """Know what decides what a formula is.

        Args:
            placeholders: those of the task.
            quoted: the text that was sent.
            in_json: whether the text is JSON.
            unsure: says of what has come behind a formula whether more of it must be known before the formula is given
                out; one character must at least.
            watch: called for each `{{`; it may raise to stop the work.
        """
        self._known = {placeholder_key(one) for one in placeholders}
        self._names = set[str]()
        self._quoted, self._in_json, self._unsure, self._watch = quoted, in_json, unsure, watch
        self.held = ""
        """What has come and was not given out."""
        self.raw = self.behind = ""
        """The last formula that was given out, as it stood, and what had come behind it."""
        self._before = ""
        self._end: int | None = None
        """Where the formula that is held ends, as far as that is known; -1: nowhere."""
        self._met = False
        """Whether the formula that is held was looked at before."""
        self._looked = self._looks = 0

    def feed(self, chunk: str) -> Iterator[str | Formula]:
        """Yield texts and formulas as far as they are whole; how long a formula was as it stood is where it ends."""
        self.held += chunk
        yield from self._release(final=False)

    def close(self) -> Iterator[str | Formula]:
        """Yield what is left."""
        yield from self._release(final=True)

    def _release(self, final: bool) -> Iterator[str | Formula]:
        text, done, at = self.held, 0, 0
        while (at := text.find("{{", at)) >= 0:
            if self._end is None:
                if self._watch and not self._met:
                    self._watch()
                self._met = True
                self._end = self._closing(text, at, final)
            if (end := self._end) is None:
                break
            behind = text[at + end : at + end + BEHIND]
            if end > 0 and not final and self._unsure(behind):
                break
            self._end, self._met, self._looked, self._looks = None, False, 0, 0
            source = self._formula(text, done, at, at + end) if end > 0 else None
            if source is None:
                at += 2
                continue
            if done < at:
                yield self._passed(text[done:at])
            self.raw, self.behind = self._passed(text[at : at + end]), behind
            done = at = at + end
            self.held = text[done:]
            yield Formula(0, end, source)
        if at < 0:
            at = len(text) - (not final and text.endswith("{") and len(text) > done)
        self.held = text[at:]
        if done < at:
            yield self._passed(text[done:at])

    def _formula(self, text: str, done: int, start: int, end: int) -> str | None:
        """Return the formula that stands somewhere, without escapes; None if it is none of ours."""
        source, before = text[start:end], (self._before + text[max(done, start - _BEFORE) : start])[-_BEFORE:]
        if self._is_escaped(text, start):
            source, before = unescaped(source), unescaped(before)
        if not is_ours(source, before[-40:], text[end : end + 1], self._known, self._quoted, self._names):
            return None
        self._names |= names_of(source)
        return source

    def _is_escaped(self, text: str, at: int) -> bool:
        quote = text.find('"', at + 2, at + LENGTH)
        return self._in_json or (quote > 0 and text[quote - 1] == "\\" and text.find("}}", at, quote) < 0)

    def _closing(self, text: str, at: int, final: bool) -> int | None:
        """Return how long the formula is that begins somewhere; None where more must be known, -1 if it never ends."""
        part = text[at : at + LENGTH + 2]
        final = final or len(part) == LENGTH + 2
        if "}}" not in part[max(2, self._looked - 1) :] and final and not self._looked:
            return -1
        escaped = self._is_escaped(text, at)
        if escaped and '"' in part:
            inside = _STRING.match(part)
            assert inside is not None
            final = final or part[inside.end() : inside.end() + 1] == '"'
            part = inside[0]
        if not final and ("}}" not in part[max(2, self._looked - 1) :] or self._looks >= _LOOKS):
            return None
        self._looked, self._looks = len(part), self._looks + 1
        if escaped and "\\" in part:
            plain, places = _unescape(part)
            end = closing(plain, 0)
            end = places[end] if end is not None and end > 0 else end
        else:
            end = closing(part, 0)
        return -1 if end is None and final else end

    def _passed(self, text: str) -> str:
        self._before = (self._before + text)[-_BEFORE:]
        return text


def unescaped(text: str) -> str:
    """Return a stretch of a JSON string without its escapes."""
    return _unescape(text)[0].encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _unescape(text: str) -> tuple[str, list[int]]:
    """Return a stretch of a JSON string without its escapes, and where each of its characters begins, and its end."""
    out, places, at = list[str](), list[int](), 0
    for match in _ESCAPE.finditer(text):
        out += [*text[at : match.start()], chr(int(match[1], 16)) if match[1] else _SIGNS.get(match[2], match[2])]
        places += range(at, match.start() + 1)
        at = match.end()
    return "".join([*out, *text[at:]]), [*places, *range(at, len(text) + 1)]
