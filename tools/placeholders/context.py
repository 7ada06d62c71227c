"""Follows a restored answer and knows, for each placeholder, the context that its value gets into and how to write it.

Only where that is certain: an answer that has been JSON so far, an XML or HTML document, fenced code of a language
that is known, URLs, tables of values. The answer is followed piece by piece, so that a stream and a whole text give
the same.
"""

import re
import unicodedata
from functools import cache
from itertools import accumulate

from gama.state.box import BoxEntry
from gama.state.restoring import Place
from gama.tools.placeholders.boundaries import HIDDEN, OWN, Links
from gama.tools.placeholders.escapes import in_csv, in_url, needs_quotes
from gama.tools.placeholders.structures import Code, Json, Structure, Text, Xml, languages


class Output:
    """A restored text as it grows. In a table of values a field without quotes waits until it is whole."""

    def __init__(self, *, traced: bool = False) -> None:
        """Begin empty; `traced` says whether `places` are kept."""
        self._traced = traced
        self.places: list[tuple[int, int]] = []
        """Where values stand in all that was given out."""
        self._ready: list[str] = []
        self._length = 0
        self._field: list[tuple[str, bool]] = []
        self._return = ""
        """A carriage return that ended what came: it is the field's only if no new line follows."""
        self._quoted = False
        self._inside = False
        self._dirty = False

    def text(self, text: str, delimiter: str = "") -> None:
        """Add a stretch of the answer's own text.

        Args:
            text: the text.
            delimiter: what separates fields where it stands in a table of values.
        """
        if not delimiter:
            self._end_field()
            self._emit(text)
            return
        text, self._return = self._return + text, ""
        rest = "\r" if text.endswith("\r") else ""
        text = text.removesuffix("\r")
        at = 0
        for sign in _signs(delimiter).finditer(text):
            if sign[0] == '"':
                self._quoted = self._quoted or (not self._field and sign.start() == at)
                self._inside = self._quoted and not self._inside
            elif not self._inside:
                self._field.append((text[at : sign.start()], False))
                self._end_field()
                self._emit(sign[0])
                at = sign.end()
        if text[at:]:
            self._field.append((text[at:], False))
        self._let_go()
        self._return = rest

    def value(self, value: str, delimiter: str = "", *, verbatim: bool = False) -> None:
        """Add a restored value.

        Args:
            value: the value.
            delimiter: what separates fields where it stands in a table of values.
            verbatim: whether it is put in as it is even there.
        """
        if not delimiter:
            self._end_field()
            self._emit(value, value=True)
            return
        self._settle()
        if self._inside:
            self._field.append((value if verbatim else in_csv(value), True))
        else:
            self._dirty = self._dirty or (needs_quotes(value, delimiter) and not verbatim)
            self._field.append((value, True))
        self._let_go()

    @property
    def idle(self) -> bool:
        """Whether no field waits to be whole."""
        return not (self._field or self._return or self._quoted or self._inside or self._dirty)

    def pieces(self, pieces: list[str]) -> None:
        """Add texts and values by turns, outside of tables, where no field waits."""
        if self._traced:
            ends = list(accumulate(map(len, pieces), initial=self._length))
            self.places += zip(ends[1::2], ends[2::2], strict=True)
        text = "".join(pieces)
        self._ready.append(text)
        self._length += len(text)

    def take(self) -> str:
        """Return what is complete and has not been given out."""
        ready, self._ready = "".join(self._ready), []
        return ready

    def close(self) -> str:
        """Return the rest."""
        self._end_field()
        return self.take()

    def _let_go(self) -> None:
        """Give out what there is of a field in quotes: nothing behind can change it."""
        if self._quoted:
            for piece, is_value in self._field:
                self._emit(piece, value=is_value)
            self._field = []

    def _settle(self) -> None:
        """Take what waited into the field: no new line followed."""
        if self._return:
            self._field.append((self._return, False))
            self._return = ""

    def _end_field(self) -> None:
        self._settle()
        pieces, self._field = self._field, []
        if self._dirty and not self._quoted:
            self._emit('"')
            for piece, is_value in pieces:
                self._emit(in_csv(piece), value=is_value)
            self._emit('"')
        else:
            for piece, is_value in pieces:
                self._emit(piece, value=is_value)
        self._quoted = self._inside = self._dirty = False

    def _emit(self, text: str, *, value: bool = False) -> None:
        if value and self._traced:
            self.places.append((self._length, self._length + len(text)))
        if text:
            self._ready.append(text)
            self._length += len(text)


@cache
def _signs(delimiter: str) -> "re.Pattern[str]":
    return re.compile(rf'"|{re.escape(delimiter)}|\r?\n')


TAIL = 256
"""Characters before a placeholder that are looked at."""

_FENCE = re.compile(r"[ \t>]{0,12}(?P<sign>`{3,}|~{3,})[ \t]*(?P<language>[\w+#.-]{0,20})[^`]*")
_MARKUP = re.compile(r"\s*<(?:\?xml|!doctype|html|svg)\b", re.IGNORECASE)
# A URL that the text ends in; its host, and what has been opened behind it, decide how a value is written.
_URL = re.compile(r"(?P<scheme>https?://|ftp://|mailto:)(?P<rest>[^\s<>\"'()\[\]{}|\\^]*)$", re.IGNORECASE)
_DELIMITERS = {"csv": ",", "tsv": "\t"}
# The end of a sentence: no abbreviation of a few letters, no initial.
_SENTENCE = re.compile(r"[^\W\d_]{4,}[\"')\]”’]?[.!?][\"')\]”’]?[ \n]+$")


class ContextReader:
    """Follows an answer.

    Args:
        place: what the whole answer is.
        links: is told what is read, where it matters to whom addresses lead.
    """

    def __init__(self, place: Place = "auto", links: Links | None = None) -> None:
        """Begin before the first character."""
        self._links = links
        self.tail = ""
        """The last characters, a sign in the place of every placeholder."""
        self._place = place
        self._fence = ""
        self._line = ""
        self._decided = place != "auto"
        self._structure: Structure = _structure(place)
        self.delimiter = _DELIMITERS.get(place, "")
        """What separates fields where the place is a table of values, else empty."""

    @property
    def prose(self) -> bool:
        """Whether words mean what they mean in prose: not so in code, outside strings and comments."""
        return self._structure.prose

    @property
    def interpolates(self) -> bool:
        """Whether braces hold code here, as in a template string."""
        return isinstance(self._structure, Code) and self._structure.interpolates

    def advance(self, text: str, *, hidden: bool = False) -> list[tuple[str, str]]:
        """Read on.

        Args:
            text: the next of the answer.
            hidden: whether it is a placeholder whose value was withheld.

        Returns:
            The text in pieces, each with what separates its fields if it stands in a table of values, else "".
        """
        if not text:
            return []
        if self._links:
            self._links.advance(HIDDEN if hidden else text)
        read = self.tail + text
        self.tail = read[-TAIL:]
        if not self._decided:
            self._decide(read, text)
        if self._place == "auto" and (self._fence or not isinstance(self._structure, Xml)):
            return self._lines(text)
        self._structure.advance(text)
        return [(text, self.delimiter)]

    def token(self) -> None:
        """Read a placeholder."""
        self._decided = True
        if self._links:
            self._links.advance(OWN)
        self._structure.token()
        self._revise()
        self.tail = (self.tail + OWN)[-TAIL:]
        self._line = (self._line + OWN)[:TAIL]

    def calm(self) -> object:
        """Return what tells how values are written wherever plain text and placeholders follow; None if it depends."""
        if self.delimiter or not self._decided or self._place in ("url", "xml", "html"):
            return None
        if self._links and not self._links.calm:
            return None
        if "`" in self._line or "~" in self._line or (":" in self.tail and _URL.search(self.tail)):
            return None
        return self._structure if self._structure.calm else None

    def pass_over(self, text: str) -> None:
        """Read plain text, with a sign in the place of every placeholder, that `calm` lets pass."""
        if self._links:
            self._links.advance(text)
        self.tail = (self.tail + text)[-TAIL:]
        end = text.rfind("\n")
        self._line = (self._line + text if end < 0 else text[end + 1 :])[:TAIL]
        self._structure.token()

    def escape(self, value: str) -> str:
        """Write a value for this place."""
        if self._place == "plain":
            return value
        if self._place == "url":
            return in_url(value)
        return self._structure.escape(self._in_url(value))

    def begins_sentence(self) -> bool:
        """Return whether a sentence begins here."""
        return not self._fence and (not self.tail or self.tail.endswith("\n\n") or bool(_SENTENCE.search(self.tail)))

    def _in_url(self, value: str) -> str:
        found = _URL.search(self.tail) if ":" in self.tail else None
        if found is None:
            return value
        if found["scheme"].casefold() == "mailto:" and "?" not in found["rest"]:
            return in_url(value, keep="@,+")
        if not found["rest"]:
            # The whole of a URL behind its scheme: its own signs stay.
            return in_url(value.split("://", 1)[-1], keep="/:@.?=&%#,+;~!$*")
        return in_url(value)

    def _decide(self, read: str, text: str) -> None:
        """See whether the answer begins as JSON or as a document of markup; `text` is the last of what was read."""
        begun = read.lstrip("\ufeff \t\r\n")
        if not begun:
            return
        if begun[0] in "{[":
            self._structure, self._decided = Json(), True
        elif begun[0] != "<" or len(begun) >= len("<!doctype"):
            self._decided = True
            if _MARKUP.match(begun):
                self._structure = Xml()
                self._structure.advance(begun[: len(begun) - len(text)] if len(begun) > len(text) else "")

    def _revise(self) -> None:
        if (
            self._place == "auto"
            and isinstance(self._structure, Json)
            and not self._structure.alive
            and not self._fence
        ):
            self._structure = Text()

    def _lines(self, text: str) -> list[tuple[str, str]]:
        """Follow the lines of Markdown: fences open and close."""
        pieces: list[tuple[str, str]] = []
        for line in text.splitlines(keepends=True):
            pieces.append((line, self.delimiter))
            self._structure.advance(line)
            self._revise()
            self._line = (self._line + line)[:TAIL]
            if line.endswith("\n"):
                self._end_of_line(self._line.rstrip("\r\n"))
                self._line = ""
        return pieces if any(delimiter for _, delimiter in pieces) else [(text, "")]

    def _end_of_line(self, line: str) -> None:
        found = _FENCE.fullmatch(line)
        if found is None:
            return
        sign, language = found["sign"], found["language"].casefold()
        if not self._fence:
            self._fence = sign
            self._structure = _fenced(language)
            self.delimiter = _DELIMITERS.get(language, "")
        elif sign[0] == self._fence[0] and len(sign) >= len(self._fence) and not language:
            self._fence = self.delimiter = ""
            self._structure = Text()


def _structure(place: Place) -> Structure:
    if place == "json":
        return Json(sure=True)
    return Xml() if place in ("xml", "html") else Text()


def _fenced(language: str) -> Structure:
    if language in ("json", "jsonl", "geojson"):
        return Json(sure=True)
    if language in ("xml", "html", "svg", "xhtml"):
        return Xml()
    return Code(language) if language in languages() else Text()


_COMMON = frozenset(
    {
        "occupation", "education_level", "degree", "physical_feature", "medical_condition", "disability",
        "marital_status", "family", "gender",
    }
)  # fmt: skip
"""Subtypes whose values are common nouns, as a rule."""

_POSSESSIVES = ("'s", "’s")
_WORD = re.compile(r"[^\W\d_]{2,}(?![\w.])")


def without_possessive(value: str, text: str, end: int) -> str:
    """Take the possessive off a value that has one already where the answer adds another: `Emma's's`."""
    if value.endswith(_POSSESSIVES) and text.startswith(_POSSESSIVES, end):
        return value[:-2]
    return value


def begins_with_capital(value: str, subtype: str, text: str, end: int) -> str:
    """Give a common noun that begins a sentence its capital. The sentence must go on with a small letter."""
    goes_on = text[end : end + 1] == " " and text[end + 1 : end + 2].islower()
    if not (goes_on and subtype in _COMMON and _WORD.match(value)):
        return value
    upper = value[0].upper()
    return upper + value[1:] if len(upper) == 1 and unicodedata.category(value[0]) == "Ll" else value


def grammar_lookahead(entry: BoxEntry) -> int:
    """Return how many characters behind a placeholder decide on the grammar of its value."""
    if entry.verbatim:
        return 0
    common = entry.subtype in _COMMON and entry.surface[:1].islower()
    return 2 if common or entry.surface.endswith(_POSSESSIVES) else 0
