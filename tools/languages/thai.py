"""Names in Thai, which puts no space between words: behind titles, and where a listed name stands."""

from collections.abc import Iterator
from functools import cache

import regex

from gama.tools.languages.spaced import Name
from gama.tools.languages.words import any_of, told
from gama.tools.tables import lines

_TOLD = told("th")
_CUES, _NEXT, _SURE = (any_of(_TOLD[key]) for key in ("cues", "next", "sure"))
_LONG = 11
"""Letters of a given name from which on it is cut before a word that may stand in a name."""
_WEAK, _NO_NAMES = frozenset(_TOLD["weak"]), _TOLD["no_names"]
_NO_SURNAMES = frozenset(_TOLD["next"]).union(_TOLD["sure"])
_TITLES = any_of(_TOLD["titles"]) + "|อ\\.(?=[ก-ฮเ-ไ]{4})"

_LETTER = "[ก-ฮะ-ูเ-๎]"


class Thai:
    """Thai."""

    def __init__(self) -> None:
        """Read the list."""
        self._listed = frozenset(line[1:] for line in lines("languages", "th.txt.gz")).union(_TOLD["given"])
        piece = rf"(?!{_NEXT}){_LETTER}{{2,24}}?(?=(?:{_SURE})|(?!{_LETTER}))"
        name = rf"(?P<v>(?P<g>{piece})(?: (?!{_NEXT})(?P<s>{_LETTER}{{3,24}}?(?=(?:{_SURE})|(?!{_LETTER}))))?)"
        self._titled = regex.compile(rf"(?P<t>{_TITLES}) ?{name}")
        self._cue = regex.compile(rf"(?:{_CUES})(?:-?(?:นามสกุล|สกุล))?[ \t]*[:：]?[ \t]*(?:(?:{_TITLES}) ?)?{name}")
        self._field = regex.compile(
            rf"(?m)(?:ชื่อ(?:[-–/ ]*(?:{any_of(_TOLD['of_name'])}|ผู้[ก-๎]+))*|(?:{any_of(_TOLD['field'])})[ก-๎]*)"
            rf"[ \t]*[:：][ \t]*(?:(?:{_TITLES}) ?)?(?P<v>{_LETTER}{{2,24}}(?: {_LETTER}{{2,24}})?)"
        )
        some = "|".join(
            sorted(
                (word for word in self._listed.difference(_TOLD["ordinary"]) if len(word) > 3), key=len, reverse=True
            )
        )
        self._some = regex.compile(
            rf"(?<!{_LETTER})(?P<v>(?:{some})(?: (?!{_NEXT})(?P<s>{_LETTER}{{3,24}}))?)"
            rf"|(?P<v>(?:{some}) (?!{_NEXT})(?P<s>{_LETTER}{{3,24}}?)(?=(?:{_NEXT})|(?!{_LETTER})))"
        )

        pet = any_of(_TOLD["pet"])
        before, behind = any_of(_TOLD["before_pet"]), any_of(_TOLD["behind_pet"])
        self._pet = regex.compile(
            rf"(?<={before}| )(?P<v>{pet})(?=(?:{behind})|(?!{_LETTER}))|(?<!{_LETTER})(?P<v>{pet})(?=(?:{behind}))"
        )
        # What begins and ends as given names do, with a surname behind it.
        begins, ends = any_of(_TOLD["begins"]), any_of(_TOLD["ends"])
        shape = rf"(?:{begins}){_LETTER}{{0,8}}?(?:{ends})|{any_of(self._listed)}"
        self._shaped = regex.compile(
            rf"(?P<v>(?:{shape}) (?!{_NEXT})(?P<s>(?:แซ่)?{_LETTER}{{3,20}}?(?=(?:{_SURE})|(?!{_LETTER}))))"
        )

    def names(self, text: str, start: int, end: int) -> Iterator[Name]:
        """Yield the names in a stretch of a text."""
        for match in self._field.finditer(text, start, end):
            yield Name(*match.span("v"), "full_name", True)
        for pattern in (self._titled, self._cue):
            for match in pattern.finditer(text, start, end):
                found = match.groupdict()
                if found.get("t") in _WEAK and not self._begins(text, match.start(), match["g"]):
                    continue
                if pattern is self._cue and not self._is_likely(match["g"], found["s"]):
                    continue
                yield self._name(match)
        for match in self._some.finditer(text, start, end):
            yield self._name(match)
        for match in self._pet.finditer(text, start, end):
            yield Name(*match.span("v"), "nickname", False)
        for match in self._shaped.finditer(text, start, end):
            if match["s"] not in _NO_SURNAMES:
                yield Name(*match.span("v"), "full_name", False)

    def _begins(self, text: str, at: int, name: str) -> bool:
        """Return whether a short title stands where a word may begin, before something that may be a name."""
        before = text[at - 1 : at]
        opens = (
            not before
            or not regex.match(_LETTER, before)
            or regex.search(rf"(?:{_NEXT}|ให้|กับ|ถึง|และ|เรียน|คือ)$", text[max(0, at - 8) : at])
        )
        return bool(opens) and len(name) > 1 and regex.match(_NEXT, name) is None

    def _is_likely(self, given: str, surname: str | None) -> bool:
        if given.startswith(_NO_NAMES):
            return False
        return given in self._listed or surname is not None or regex.match(_NEXT, given) is None

    @staticmethod
    def _name(match: "regex.Match[str]") -> Name:
        found = match.groupdict()
        surname, given = found.get("s"), found.get("g") or ""
        if len(given) >= _LONG and surname is None and (cut := regex.search(_NEXT, given, pos=3)):
            return Name(match.start("v"), match.start("v") + cut.start(), "first_name", True)
        return Name(*match.span("v"), "full_name" if surname else "first_name", True)


@cache
def thai() -> Thai:
    """Return the reader, made once."""
    return Thai()
