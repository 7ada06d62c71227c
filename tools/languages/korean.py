"""Names in Korean: a surname of one syllable or two and a given name, with what is joined to a name behind it."""

from collections import Counter
from collections.abc import Iterator
from functools import cache

import regex

from gama.tools.languages.spaced import Name
from gama.tools.languages.words import any_of, told
from gama.tools.tables import lines

_TOLD = told("ko")
_SINGLE, _RARE = ("".join(_TOLD[key]) for key in ("single", "rare"))
_DOUBLE, _ENDINGS, _TITLES, _CUES, _FIELD = (
    any_of(_TOLD[key]) for key in ("double", "endings", "titles", "cues", "field")
)
_JOINED = any_of(_TOLD["joined"])
_COMMON = _SINGLE[:32]
"""The surnames with most bearers: the table has them first."""
_NOUN_ENDS = frozenset("".join(_TOLD["noun_ends"]))
_SIGN = r"\p{Script=Hangul}"
_ORDINARY, _WORDS = frozenset(_TOLD["ordinary"]), frozenset(_TOLD["words"])


class Korean:
    """Korean."""

    def __init__(self) -> None:
        """Read the given names."""
        self._given = frozenset(lines("languages", "ko.txt.gz")).union(_TOLD["given"])
        self._common = frozenset(_TOLD["given"])
        counted = [Counter(name[at] for name in self._given if len(name) == 2) for at in (0, 1)]
        self._syllables = [frozenset(one for one, count in found.items() if count > 1) for found in counted]
        surname = f"(?:{_DOUBLE}|[{_SINGLE}])"
        self._surname = regex.compile(surname)
        self._word = regex.compile(r"\p{Script=Hangul}+")
        self._full = regex.compile(rf"(?P<s>{surname})(?P<g>{_SIGN}{{1,2}})(?:{_ENDINGS})?(?!{_SIGN})")
        self._titled = regex.compile(
            rf"(?<!{_SIGN})(?P<v>(?P<n>{_SIGN}{{1,5}}?) ?(?:{_TITLES})(?:{_ENDINGS}|에|한)?(?!{_SIGN}))"
        )
        self._cue = regex.compile(
            rf"(?<!{_SIGN})(?:{_CUES})(?:\([^)\n]{{1,8}}\))?[ \t]*[:：]?[ \t]+(?P<v>{_SIGN}{{2,8}})"
        )
        self._field = regex.compile(
            rf"(?m)(?:^|(?<=[\s(|,]))(?:{_FIELD})[ \t]*[:：][ \t]*"
            rf"(?P<v>{_SIGN}{{2,5}}(?: {_SIGN}{{2,3}})?)(?!{_SIGN})"
        )
        self._of_name = regex.compile(rf"(?P<g>{_SIGN}{{2}})(?P<e>{_JOINED})(?!{_SIGN})")
        # Two names side by side, each with the syllable that names with a consonant at the end take: 규현이랑 다솜이도.
        self._both = regex.compile(
            rf"(?<!{_SIGN})(?P<v>{_SIGN}{{2}})이(?:랑|하고) (?P<w>{_SIGN}{{2}})이(?:도|랑|가|는|한테|네)(?!{_SIGN})"
        )
        self._abroad = regex.compile(
            rf"(?<!{_SIGN})(?P<v>{_SIGN}{{2,6}} [{_COMMON}])"
            rf"(?= (?:{_TITLES})|(?:이고|입니다|이에요|이라고|님|씨)|이? *(?:\(|,|\n|$))"
        )
        self._is = regex.compile(
            r"(?P<v>\p{Script=Hangul}{3,7}?)(?:이라고|라고|입니다|이에요|예요|이고|이며|인데|이랑|이)(?!\p{Script=Hangul})"
        )

    def names(self, text: str, start: int, end: int) -> Iterator[Name]:
        """Yield the names in a stretch of a text."""
        for match in self._field.finditer(text, start, end):
            yield Name(*match.span("v"), "full_name", True)
        for match in self._titled.finditer(text, start, end):
            name = match["n"]
            if self._is_called(name):
                kind = "full_name" if len(name) > 2 else "last_name" if len(name) == 1 else "first_name"
                # A surname alone is told by its title: both are hidden.
                begin, stop = match.span("v") if len(name) == 1 else match.span("n")
                yield Name(begin, stop, kind, True)
        for match in self._cue.finditer(text, start, end):
            if count := self._count(match["v"], announced=True):
                yield Name(match.start("v"), match.start("v") + count, "full_name", True)
        for match in self._abroad.finditer(text, start, end):
            if len(match["v"]) > 4:
                yield Name(*match.span("v"), "full_name", True)
        for match in self._both.finditer(text, start, end):
            yield from (Name(*match.span(one), "first_name", False) for one in "vw" if match[one] not in _ORDINARY)
        for word in self._word.finditer(text, start, end):
            if count := self._count(word[0], announced=False):
                yield Name(word.start(), word.start() + count, "full_name", False)
            elif joined := self._of_name.fullmatch(word[0]):
                given, ending = joined["g"], joined["e"]
                if (
                    given in self._given
                    and given not in _ORDINARY
                    and (ending[0] in "이랑한야아하" or ending == "에게" or given in self._common)
                ):
                    yield Name(word.start(), word.start() + 2, "first_name", False)
            elif (
                len(word[0]) == 2
                and word[0] in self._given
                and word[0] not in _ORDINARY
                and self._stands_alone(text, *word.span())
            ):
                yield Name(*word.span(), "first_name", False)

    def _is_called(self, name: str) -> bool:
        if len(name) == 1:
            return name in _SINGLE and name not in _RARE
        if len(name) == 2:
            if name in self._given and name not in _ORDINARY:
                return True
            return name[0] in _SINGLE and name[0] not in _RARE and name not in _ORDINARY and name + "한" not in _WORDS
        return name not in _WORDS and self._count(name, announced=True) == len(name)

    def _count(self, word: str, *, announced: bool) -> int:
        """Return how many syllables of a word are a full name."""
        if word[:3] in _WORDS:
            return 0
        match = self._full.fullmatch(word)
        if match is None:
            return self._longer(word) if announced else 0
        surname, given = match["s"], match["g"]
        if len(given) == 2 and given not in self._given and self._ends(word, len(surname) + 1) and not announced:
            return 0
        if len(given) == 2 and (given in self._given or announced):
            return 0 if given in _ORDINARY and not announced else len(surname) + 2
        if (
            len(given) == 2
            and surname in _COMMON
            and surname not in _RARE
            and given[1] not in _NOUN_ENDS
            and given not in _ORDINARY
        ):
            return len(surname) + 2 if all(one in some for one, some in zip(given, self._syllables, strict=True)) else 0
        if len(given) == 1 and (announced or len(surname) == 2) and (surname not in _RARE):
            return len(surname) + 1
        return 0

    def _longer(self, word: str) -> int:
        """Return how many syllables a foreign name has that is announced and carries an ending."""
        match = self._is.fullmatch(word)
        return len(match["v"]) if match else 0

    @staticmethod
    def _ends(word: str, at: int) -> bool:
        return regex.fullmatch(_ENDINGS, word[at:]) is not None

    @staticmethod
    def _stands_alone(text: str, start: int, end: int) -> bool:
        """Return whether a word is called, listed, or signs: `지아, …`, a line with it alone, the end of the text."""
        begins = start == 0 or text[start - 1] == "\n"
        if not text[end : end + 3].strip() and (begins or text[start - 1] == " "):
            return True
        return text[end : end + 1] in (",", "(", "!", "~") or (begins and text[end : end + 1] == " ")


@cache
def korean() -> Korean:
    """Return the reader, made once."""
    return Korean()
