r"""The guard: searches whatever is about to leave for the values of the box, in any normal form.

Text and values are folded alike: compatibility forms, case, diacritics and look-alike letters are
levelled, and everything that is neither letter nor digit is dropped, so that `E\u200bmma-Williams`
meets `EMMA  WILLIAMS`, and `+44 (0)20` meets `+44020`. Escaped and encoded forms of a payload
(JSON, HTML, URL, base64, hexadecimal) are undone and searched too.

A value is *weak* when it is so short or so ordinary (`7`, `Ann`, `Will`) that folding it would
find it everywhere. Weak values are compared as they are written, and only in the task's own text.
"""

import base64
import binascii
import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import unquote_plus

from gama.state.common import COMMON_WORDS
from gama.state.entities import PLACEHOLDER_KINDS
from gama.state.errors import LeakError

_SHORTEST_STRONG = 4
_SHORTEST_NUMBER = 5
_SURE_LENGTH = 16
"""From this length on a value is found inside a longer run of letters as well."""

_ORDINARY = COMMON_WORDS | {word for kind in PLACEHOLDER_KINDS for word in (kind, *kind.split("_"))}


class Hit(NamedTuple):
    """A private value found in a text: where, and which; without the value."""

    start: int
    end: int
    value: int
    """Place of the value among those the guard was made with."""


class Guard:
    """Searches texts for a set of private values. Immutable, and safe to share between threads.

    Args:
        values: the private surfaces.
        fixed: our own prompt texts: a value that they contain by chance is not taken for a leak on the wire.
        placeholders: the tokens that stand for the values: what they are written with is no value (the 3 of
            `<name-3>`).
    """

    def __init__(self, values: Iterable[str], fixed: Sequence[str] = (), placeholders: Iterable[str] = ()) -> None:
        """Compile the values."""
        import ahocorasick

        self._placeholders = frozenset(placeholders)
        self._strong = ahocorasick.Automaton()
        weak: dict[str, int] = {}
        for index, value in enumerate(dict.fromkeys(values)):
            if is_weak(value):
                # One or two letters in other case are another word: "a" and "A", "us" and "US".
                forms = {value, value.upper(), value.capitalize()} if len(fold(value)) > 2 else {value}
                for form in forms:
                    weak.setdefault(form, index)
            else:
                for form in _forms(value):
                    if form and not self._strong.exists(form):
                        self._strong.add_word(form, (len(form), index))
        if len(self._strong):
            self._strong.make_automaton()
        self._weak = weak
        self._weak_pattern = _alternation(weak)
        self._fixed = frozenset(form for text in fixed for form in self._folded_hits(text))

    def find(self, text: str) -> list[Hit]:
        """Return where private values stand in a text as it is written, weak ones included."""
        text = self._blanked(text)
        hits = [hit for hit, _ in self._strong_hits(text)]
        if self._weak_pattern is not None:
            hits += [Hit(m.start(), m.end(), self._weak[m.group()]) for m in self._weak_pattern.finditer(text)]
        return sorted(set(hits))

    def check_text(self, text: str, what: str) -> None:
        """Refuse a text of the task that still contains a private value in any form.

        Args:
            text: the text that is about to cross.
            what: what it is, for the message.

        Raises:
            LeakError: it does.
        """
        if self.find(text) or any(self._folded_hits(form) for form in _decoded(text)):
            raise LeakError(_refusal(what))

    def check(
        self, payload: str | bytes, quoted: Sequence[str] = (), *, what: str = "A request to the public model"
    ) -> None:
        """Refuse a payload on the wire that contains a private value in any form.

        Args:
            payload: the serialised request.
            quoted: texts of public origin inside it: a value that they contain was said by the
                other side first, and repeating it tells nothing.
            what: what it is, for the message.

        Raises:
            LeakError: it does. The message does not quote it.
        """
        if not len(self._strong):
            return
        text = payload.decode("utf-8", "replace") if isinstance(payload, bytes) else payload
        found = self._folded_hits(text)
        for form in _decoded(text):
            found |= self._folded_hits(form)
        if found - self._fixed and found - self._fixed - {form for said in quoted for form in self._folded_hits(said)}:
            raise LeakError(_refusal(what))

    def __repr__(self) -> str:
        """Show how many values there are."""
        return f"Guard({len(self._strong)} strong and {len(self._weak)} weak forms)"

    def _blanked(self, text: str) -> str:
        """Put a sign of the same length, which joins nothing, in the place of every known placeholder."""
        if not self._placeholders:
            return text
        return _TOKEN.sub(lambda m: _BLANK * len(m[0]) if m[0] in self._placeholders else m[0], text)

    def _folded_hits(self, text: str) -> set[str]:
        """Return the folded forms of strong values that a text contains."""
        return {form for _, form in self._strong_hits(text)}

    def _strong_hits(self, text: str) -> Iterator[tuple[Hit, str]]:
        if not len(self._strong):
            return
        text = self._blanked(text)
        folded = text.translate(_FOLD)
        ends = list(self._strong.iter(folded))
        if not ends:
            return
        origin = _origins(text)
        for last, (length, index) in ends:
            start, end = origin[last + 1 - length], origin[last] + 1
            if length >= _SURE_LENGTH or (_starts_word(text, start) and _ends_word(text, end)):
                yield Hit(start, end, index), folded[last + 1 - length : last + 1]


def is_weak(value: str) -> bool:
    """Tell whether a value is too short or ordinary to be searched in folded form."""
    folded = fold(value)
    if folded.isdigit():
        return len(folded) < _SHORTEST_NUMBER
    return len(folded) < _SHORTEST_STRONG or folded in _ORDINARY


def fold(text: str) -> str:
    """Level case, width, diacritics and look-alikes, and drop all but letters and digits."""
    return text.translate(_FOLD)


def _forms(value: str) -> Iterator[str]:
    """Yield the folded value, and for two-part names the reversed order (`Williams, Emma`)."""
    yield fold(value)
    parts = value.split()
    if 2 <= len(parts) <= 4 and all(part[:1].isalpha() for part in parts):
        yield fold(parts[-1] + "".join(parts[:-1]))


_STROKES = {
    "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ħ": "h", "ŧ": "t", "ı": "i", "ŋ": "n",
}  # fmt: skip
"""Letters with a stroke or of two parts, which Unicode does not take apart: as one writes them without."""


class _Fold(dict[int, str]):
    """Table for `str.translate`, filled as characters come up."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        level = "".join(c for c in unicodedata.normalize("NFKD", char) if not unicodedata.combining(c)).casefold()
        level = "".join(_STROKES.get(c) or _lookalikes().get(c, c) for c in level)
        self[code] = folded = "".join(c for c in level if c.isalnum())
        return folded


_BLANK = "\ue000"
_FOLD = _Fold({ord(_BLANK): _BLANK})
# An exact placeholder of either style; whether it is one of the box is looked up.
_TOKEN = re.compile(r"<{1,2}[a-z_]{1,40}-\d{1,9}[a-z]{0,3}>{1,2}")


@cache
def _lookalikes() -> dict[str, str]:
    """Return letters of other scripts that look like one Latin letter or digit, with that letter."""
    from confusable_homoglyphs import confusables

    table: dict[str, str] = {}
    data: dict[str, list[dict[str, str]]] = confusables.confusables_data
    for plain in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ":
        for twin in data.get(plain, ()):
            char = twin["c"]
            if len(char) == 1 and not char.isascii() and char.isalpha():
                table.setdefault(char.casefold() if len(char.casefold()) == 1 else char, plain.casefold())
    return table


def _origins(text: str) -> list[int]:
    """Return, for each character of the folded text, the offset of the one it came from."""
    return [at for at, char in enumerate(text) for _ in _FOLD[ord(char)]]


def _starts_word(text: str, at: int) -> bool:
    return at == 0 or not (_FOLD[ord(text[at - 1])] and _alike(text[at - 1], text[at]))


def _ends_word(text: str, at: int) -> bool:
    return at >= len(text) or not (_FOLD[ord(text[at])] and _alike(text[at - 1], text[at]))


def _alike(left: str, right: str) -> bool:
    """Tell whether two characters run on as one word: both letters, or both digits; `aB` begins a new one."""
    return left.isdigit() == right.isdigit() and not (left.islower() and right.isupper())


def _alternation(weak: Iterable[str]) -> "re.Pattern[str] | None":
    words = sorted(weak, key=len, reverse=True)
    if not words:
        return None
    return re.compile(r"(?<![^\W_])(?:" + "|".join(map(re.escape, words)) + r")(?![^\W_])")


_ESCAPE = re.compile(r"\\+(?:u\{?([0-9a-fA-F]{4,6})\}?|x([0-9a-fA-F]{2})|([nrtbf]))")
# A tag of HTML or XML, closing or opening; no placeholder, which has a hyphen and a number.
_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9:]{0,20}(?:\s[^<>]{0,200})?/?>")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{8,}={0,2}")
_HEX = re.compile(r"(?:[0-9a-fA-F]{2}[ :]?){4,}")


def _decoded(text: str) -> Iterator[str]:
    """Yield what a text says with its escapes undone, one layer of each kind, and JSON's together with the others."""
    plain = text
    if "\\" in text:
        # Characters beyond the basic plane stand as two escapes: joined here.
        halves = _ESCAPE.sub(_unescape, text)
        plain = halves.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        yield plain
    steps: tuple[tuple[str, Callable[[str], str]], ...] = (("&", html.unescape), ("%", unquote_plus))
    for sign, undo in steps:
        if sign in plain and (undone := undo(plain)) != plain:
            yield undone
    if "</" in plain or "/>" in plain:
        yield _TAG.sub("", plain)
    encoded = [_from_base64(m.group()) for m in _BASE64.finditer(plain)]
    encoded += [_from_hex(m.group()) for m in _HEX.finditer(plain)]
    yield from (piece for piece in encoded if piece)


def _unescape(match: "re.Match[str]") -> str:
    code = match[1] or match[2]
    if not code:
        return " "
    return chr(value) if (value := int(code, 16)) < 0x110000 else " "


def _from_base64(token: str) -> str:
    body = token.rstrip("=").replace("-", "+").replace("_", "/")
    body = body[: len(body) - 1] if len(body) % 4 == 1 else body
    return _text_of(lambda: base64.b64decode(body + "=" * (-len(body) % 4)))


def _from_hex(token: str) -> str:
    return _text_of(lambda: bytes.fromhex(re.sub("[ :]", "", token)))


def _text_of(decode: Callable[[], Any]) -> str:
    try:
        raw: bytes = decode()
    except (binascii.Error, ValueError):
        return ""
    # Most tokens are words that only look encoded: what decodes to no text is passed over.
    return raw.decode("utf-8", "ignore") if sum(byte >= 32 and byte != 127 for byte in raw) > 0.8 * len(raw) else ""


def _refusal(what: str) -> str:
    return (
        f"{what} was stopped: it would have carried a private value that must not leave. Nothing was sent. "
        "Run `gama anonymize` on the text to see what is found, or add the value with `--deny`."
    )
