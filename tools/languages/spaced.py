"""Names in languages that put spaces between words: by what announces them, by lists, and by the shape of surnames.

What stands around names in a language is told in `data/<language>.yaml`:

    title, field, says      words before a name: `Mr `, `Name:`, `my name is `; am: `I am `, behind which it may be none
    honorific               titles behind which a name always stands, whether a list has it or not
    roles                   beginnings of words for what somebody is, in any case: a capital behind one is a name
    acts                    words beside which a listed name is one although it is a word as well: `said`, `come`
    after, strong           words behind one: `-san`; those that need no list to know it
    more, given             surnames and given names beside those of the list
    part, binds             words that only occur within one: `bin`; those that need another one behind them
    surname, sure, forename expressions: a surname behind a forename, a name wherever it stands, how a full name begins
    loose                   likewise: a surname that stands alone where others are named; towns: what only looks so
    small                   likewise: a pet name in small letters
    calls                   words behind which a given name counts in small letters; so it does before one of `after`
    behind, kunya           likewise: a surname behind an announced forename; `Abu Khalil`
    prefix, suffix          what is joined to a word without being a part of the name
    stop                    what is no name although a list has it; ordinary: what is one only where it is announced
    cased                   whether names begin with capitals
    asks                    what a sentence says that asks of somebody known to the world
    listed                  whether two listed words in a row are a name (true where it is not told)
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple
from unicodedata import normalize

import regex

from gama.tools.languages.words import any_of, ends_phrase, is_within, stands_out
from gama.tools.tables import lines, table

# A surname with initials behind or before it; refuses an abbreviation alone.
_INITIALS = regex.compile(
    r"(?<![\p{L}\p{M}])(?:(?P<v>\p{Lu}\p{Ll}{2,}(?:-\p{Lu}\p{Ll}+)?) \p{Lu}\.(?: ?\p{Lu}\.)?(?!\p{L})"
    r"|\p{Lu}\. ?(?:\p{Lu}\. ?)?(?P<v>\p{Lu}\p{Ll}{2,}(?:-\p{Lu}\p{Ll}+)?))"
)
_AND = frozenset({"और", "व", "तथा", "আর", "ও", "এবং", "و", "או"})
_MOST = 5
"""Words of a name."""
_SHAPES = ("surname", "behind", "sure", "forename", "kunya", "loose", "small")


class Name(NamedTuple):
    """A name that was found."""

    start: int
    end: int
    subtype: str
    announced: bool
    """Whether something said that a name comes; else it was known by itself."""


class Spaced:
    """One language."""

    def __init__(self, language: str) -> None:
        """Read its table and list."""
        told: dict[str, Any] = table("languages", language)
        # Some letters can be written in two ways: words are compared in one.
        told = {
            key: [normalize("NFC", word) for word in given] if isinstance(given, list) else given
            for key, given in told.items()
        }
        marked = [normalize("NFC", line) for line in lines("languages", f"{language}.txt.gz")]
        self.cased: bool = told.get("cased", False)
        self._free: bool = told.get("listed", True)
        self._common = frozenset(normalize("NFC", told.get("given", "")).split())
        self._given = self._common.union(word[1:] for word in marked if word[0] == "+")
        self._surnames = frozenset(told.get("more", ()))
        self._sure = self._given.union(word[1:] for word in marked if word[0] == "*")
        self._listed = self._sure.union(told.get("more", ()), (word for word in marked if word[0] not in "+*"))
        said = {word for key in ("title", "says", "am", "field") for name in told.get(key, ()) for word in name.split()}
        said.update(told.get("honorific", ()))
        self._stop = frozenset(told["stop"]).union(() if told.get("cased") else said) - set(told.get("part", ()))
        self._calls = frozenset(told.get("calls", ()))
        self._acts, self._towns = frozenset(told.get("acts", ())), frozenset(told.get("towns", ()))
        self._ordinary = frozenset(told["ordinary"])
        self._strong = frozenset(told.get("strong", ()))
        self._binds = frozenset(told.get("binds", ()))
        self._part, self._after = frozenset(told.get("part", ())), frozenset(told["after"])
        self._suffix = regex.compile(f"(?:{told['suffix']})$") if told.get("suffix") else None
        prefix = f"(?:{told['prefix']})" if told.get("prefix") else ""
        self._prefix = regex.compile(prefix) if prefix else None
        self._shapes = {key: regex.compile(told[key]) for key in _SHAPES if key in told}
        flags = regex.IGNORECASE if self.cased else regex.V0
        edge = r"(?<![\p{L}\p{M}\p{N}])" + (f"{prefix}?" if prefix else "")
        roles = f"|(?:{any_of(told.get('roles', ()))})\\p{{L}}{{0,5}}"
        before, behind = rf"{edge}(?:", r")(?![\p{L}\p{M}])[.:,،]?(?:[ \t]+[—–-])?[ \t]+"
        self._title = regex.compile(f"{before}{any_of(told['title'])}{roles}{behind}", flags)
        self._honorific = regex.compile(f"{before}{any_of(told.get('honorific', ()))}{behind}", flags)
        self._says, self._am = (
            regex.compile(rf"{edge}(?:{any_of(told.get(key, ()))})(?![\p{{L}}\p{{M}}])[ \t]*[:,]?[ \t]+", flags)
            for key in ("says", "am")
        )
        self._field = regex.compile(
            rf"(?:^|(?<=[\n|;,،؛(])|(?<=\n[ \t*•-]))[ \t]*(?:{any_of(told['field'])})[ \t]*[:：=][ \t]*(?=\S)", flags
        )
        self._signed = regex.compile(rf"(?:^|\n)[ \t]*(?:{any_of(told['field'])})[ \t]*,?[ \t]*\n[ \t]*(?=\S)", flags)
        self._word = regex.compile(
            r"\p{Lu}\.(?=[ \p{Lu}\n]|$)|\p{L}[\p{L}\p{M}\p{Cf}]*(?:['’׳״\"‌-][\p{L}\p{M}]+)*['׳]?"
        )

    def names(self, text: str, start: int, end: int) -> Iterator[Name]:
        """Yield the names in a stretch of a text, those that are announced first."""
        words = [match.span() for match in self._word.finditer(text, start, end)]
        found = list(self._found(text, words, start, end))
        yield from found
        yield from self._again(text, words, found)

    def _is_small(self, text: str, words: list[tuple[int, int]], number: int) -> bool:
        """Return whether a word in small letters is a pet name, or a given name by the word before or behind it."""
        word = normalize("NFC", text[slice(*words[number])])
        if "small" in self._shapes and self._shapes["small"].fullmatch(word.lower()):
            return True
        if not self._calls or not word[0].islower():
            return False
        name = ("İ" if word[0] == "i" and self._suffix else word[0].upper()) + word[1:]
        if not {name, self._stem(name)} & self._common:
            return False
        follows = text[slice(*words[number + 1])] if number + 1 < len(words) else ""
        return follows in self._after or (number > 0 and text[slice(*words[number - 1])].lower() in self._calls)

    def _again(self, text: str, words: list[tuple[int, int]], found: Sequence[Name]) -> Iterator[Name]:
        """Yield the words of names of more than one wherever they stand again, and surnames alone beside names."""
        known = {
            self._root(word)
            for name in found
            if name.subtype == "full_name"
            for word in normalize("NFC", text[name.start : name.end]).split()
            if len(word) > 2 and word not in self._stop | self._part | self._ordinary
        }
        told = any(name.announced or name.subtype == "full_name" for name in found)
        shape = self._shapes.get("loose") if told else None
        taken = {at for name in found for at in range(name.start, name.end)}
        for start, end in words if found else ():
            word = normalize("NFC", text[start:end])
            if start in taken or word in self._stop or (self.cased and not word[0].isupper()):
                continue
            if self._root(word) in known:
                yield Name(start, end, "last_name", False)
            elif self._prefix and word not in self._listed and word[1:] in known and self._prefix.match(word[0]):
                yield Name(start + 1, end, "last_name", False)
            elif shape and shape.fullmatch(word) and word not in self._towns and is_within(text, start):
                yield Name(start, end, "last_name", False)

    def _root(self, word: str) -> str:
        """Return a word without an ending of case, in which two forms of a name agree."""
        match = self._suffix.search(word) if self._suffix else None
        return word[: match.start()] if match and match.start() > 2 else word

    def _found(self, text: str, words: list[tuple[int, int]], start: int, end: int) -> Iterator[Name]:
        at = {begin: number for number, (begin, _) in enumerate(words)}
        taken: set[int] = set()
        for pattern in (self._field, self._signed, self._says, self._am, self._honorific, self._title):
            for cue in pattern.finditer(text, start, end):
                number = at.get(cue.end())
                if number is not None and number not in taken:
                    count = self._announced(
                        text,
                        words,
                        number,
                        whole=pattern in (self._field, self._signed),
                        surely=pattern in (self._says, self._honorific),
                        known=pattern is self._am,
                    )
                    if count:
                        taken.update(range(number, number + count))
                        yield self._name(text, words, number, count, announced=True)
        if "kunya" in self._shapes:
            for match in self._shapes["kunya"].finditer(text, start, end):
                number = at.get(match.start())
                if number is not None and not {number, number + 1} & taken and number + 1 < len(words):
                    if self._rank(text, *words[number + 1]) > 0:
                        taken.update((number, number + 1))
                        yield Name(*match.span(), "nickname", False)
        for number, (begin, stop) in enumerate(words if self.cased else ()):
            if number not in taken and self._is_small(text, words, number):
                taken.add(number)
                yield Name(begin, stop, "nickname", False)
        if self.cased:
            for match in _INITIALS.finditer(text, start, end):
                numbers = {number for number, (begin, _) in enumerate(words) if match.start() <= begin < match.end()}
                if not numbers & taken and match["v"] not in self._stop:
                    taken |= numbers
                    yield Name(*match.span(), "full_name", False)
            yield from self._with_patronymic(text, words, taken)
        yield from self._known(text, words, taken)

    def _with_patronymic(self, text: str, words: list[tuple[int, int]], taken: set[int]) -> Iterator[Name]:
        """Yield what stands around a name that is one wherever it stands: capitals before it, a surname behind it."""
        for number in range(len(words)):
            if number in taken or self._rank(text, *words[number]) < 3:
                continue
            first = last = number
            while first and number - first < 2 and first - 1 not in taken and self._adjoins(text, words, first):
                word = text[slice(*words[first - 1])]
                if not word[0].isupper() or word in self._stop:
                    break
                first -= 1
            if last + 1 < len(words) and last + 1 not in taken and self._adjoins(text, words, last + 1):
                follows = words[last + 1]
                if self._rank(text, *follows) > 0 or (text[follows[0]].isupper() and self._as_surname(text, *follows)):
                    last += 1
            taken.update(range(first, last + 1))
            yield self._name(text, words, first, last - first + 1, announced=False)

    def _announced(
        self, text: str, words: list[tuple[int, int]], first: int, *, whole: bool, surely: bool, known: bool
    ) -> int:
        """Return how many words of a name stand behind what announces one; none where the first is no name.

        `whole`: nothing else stands there; `surely`: one does; `known`: it is one only where a list has a word of it.
        """
        count = 0
        while first + count < len(words) and count < _MOST:
            start, end = words[first + count]
            if count and not self._adjoins(text, words, first + count):
                break
            word = text[start:end]
            # In a field and behind a capital every word but the first may be a name.
            if word in self._stop and word not in self._part and not (whole and count and self.cased):
                break
            if self.cased and not (word[0].isupper() or (count and word in self._part)):
                break
            if count and not whole and not self._goes_on(text, words, first + count, surely=surely and count == 1):
                break
            count += 1
        # A short word that only ever stands within a name is none by itself.
        if count == 1 and text[slice(*words[first])] in self._part and not whole:
            return 0
        if count and not whole and not surely and not self._is_likely(text, words, first, count, known=known):
            return 0
        return count

    def _is_likely(self, text: str, words: list[tuple[int, int]], first: int, count: int, *, known: bool) -> bool:
        """Return whether what a title or a verb announces is a name, and not the next word of the sentence."""
        return (
            self.cased
            or any(self._rank(text, *words[first + number]) > 0 for number in range(count))
            or (not known and ends_phrase(text, words[first + count - 1][1]) and count <= 3)
        )

    def _goes_on(self, text: str, words: list[tuple[int, int]], number: int, *, surely: bool) -> bool:
        start, end = words[number]
        # `My name is Zoya Faruqi`: what a little word of the language follows is still the name.
        if surely and number + 1 < len(words) and text[slice(*words[number + 1])] in self._stop:
            return True
        if text[slice(*words[number - 1])] in self._binds:
            return True
        if self.cased or text[start:end] in self._part or self._rank(text, start, end) > 0:
            return True
        if any(
            shape in self._shapes and self._shapes[shape].fullmatch(text[start:end]) for shape in ("surname", "behind")
        ):
            return True
        return ends_phrase(text, end) and text[start:end] not in self._after

    def _known(self, text: str, words: list[tuple[int, int]], taken: set[int]) -> Iterator[Name]:
        number = 0
        while number < len(words):
            if number in taken:
                number += 1
                continue
            ranks: list[int] = []
            while (
                number + len(ranks) < len(words)
                and number + len(ranks) not in taken
                and len(ranks) < _MOST
                and (not ranks or self._adjoins(text, words, number + len(ranks)))
            ):
                if ranks and self._is_joined(text, *words[number + len(ranks)]):
                    break
                rank = self._rank(text, *words[number + len(ranks)])
                if rank == 0 and ranks and text[slice(*words[number + len(ranks) - 1])] in self._binds:
                    rank = 1
                if rank == 0 and ranks and max(ranks) > 1:
                    rank = self._as_surname(text, *words[number + len(ranks)])
                if rank < 1:
                    break
                ranks.append(rank)
            count = len(ranks)
            if not count:
                if any(stands(text, words, number) for stands in (self._is_beside, self._is_paired, self._is_acting)):
                    yield self._name(text, words, number, 1, announced=False, least=2)
                elif self._is_turned(text, words, number):
                    yield self._name(text, words, number, 2, announced=False)
                    number += 1
                number += 1
                continue
            follows = number + count
            addressed = (
                follows < len(words)
                and self._adjoins(text, words, follows)
                and text[slice(*words[follows])] in self._after
            )
            if count == 1 and (
                self._is_coordinated(text, words, number, ranks[0])
                or self._is_acting(text, words, number)
                or self._is_paired(text, words, number)
            ):
                yield self._name(text, words, number, 1, announced=False)
            elif self._is_name(text, words[number], words[follows - 1], ranks, addressed=addressed):
                yield self._name(text, words, number, count, announced=addressed)
            number += count

    def _is_turned(self, text: str, words: list[tuple[int, int]], number: int) -> bool:
        """Return whether a surname stands before its forename."""
        if not (self.cased and self._suffix and number + 1 < len(words) and self._adjoins(text, words, number + 1)):
            return False
        turned = text[words[number][0]].isupper() and self._as_surname(text, *words[number]) > 0
        return turned and self._rank(text, *words[number + 1]) == 2

    def _is_name(
        self, text: str, first: tuple[int, int], final: tuple[int, int], ranks: Sequence[int], *, addressed: bool
    ) -> bool:
        if addressed or max(ranks) > 2:
            return True
        if len(ranks) > 1:
            surely = max(ranks) > 1 or (not self.cased and text[slice(*final)] in self._surnames)
            return self._free and surely and sum(ranks) > 1
        word = text[slice(*first)]
        if self.cased and not (self._free and (word in self._common or stands_out(text, *first))):
            return False
        return ranks[0] == 2 and word not in self._ordinary and self._stem(word) not in self._ordinary

    def _is_beside(self, text: str, words: list[tuple[int, int]], number: int) -> bool:
        """Return whether a word that no list has is a name by the next one (`… auntie`), or by a name `and` it."""
        if self.cased or self._rank(text, *words[number]) < 0 or len(text[slice(*words[number])]) < 3:
            return False
        follows = text[slice(*words[number + 1])] if number + 1 < len(words) else ""
        if follows in self._strong and self._adjoins(text, words, number + 1):
            return True
        joined = number > 1 and text[slice(*words[number - 1])] in _AND and self._adjoins(text, words, number)
        return joined and text[slice(*words[number - 2])] in self._common

    def _is_acting(self, text: str, words: list[tuple[int, int]], number: int) -> bool:
        """Return whether a given name that may be a word stands beside what people do."""
        word = normalize("NFC", text[slice(*words[number])])
        if (
            not self._acts
            or word in self._stop
            or not (word in self._given or self._bare(word, 2) or self._stem(word) in self._given)
        ):
            return False
        return any(
            normalize("NFC", text[slice(*words[other])]) in self._acts
            and self._adjoins(text, words, max(other, number))
            for other in (number - 1, number + 1)
            if 0 <= other < len(words)
        )

    def _is_coordinated(self, text: str, words: list[tuple[int, int]], number: int, rank: int) -> bool:
        """Return whether a name that is a word as well is joined to another name by an `and` or a comma."""
        word = text[slice(*words[number])]
        if self.cased or rank < 1 or not (word in self._given or self._bare(word)):
            return False
        beside = []
        if number:
            beside.append((words[number - 1], text[words[number - 1][1] : words[number][0]], words[number]))
        if number + 1 < len(words):
            beside.append((words[number + 1], text[words[number][1] : words[number + 1][0]], words[number + 1]))
        if 1 < number and text[slice(*words[number - 1])] in _AND:
            beside.append((words[number - 2], ",", words[number]))
        if number + 2 < len(words) and text[slice(*words[number + 1])] in _AND:
            beside.append((words[number + 2], ",", words[number + 2]))
        return any(
            self._rank(text, *other) > 1 and (gap.strip() in (",", "،") or self._is_joined(text, *later))
            for other, gap, later in beside
        )

    def _is_paired(self, text: str, words: list[tuple[int, int]], number: int) -> bool:
        """Return whether a given name is joined to another one by an `and` of one letter, both words as well."""
        return any(
            0 <= first < len(words) - 1
            and text[words[first + 1][0]] in "וو"
            and self._adjoins(text, words, first + 1)
            and text[slice(*words[first])] in self._given
            and bool(self._bare(text[slice(*words[first + 1])], 2))
            for first in (number - 1, number)
        )

    def _rank(self, text: str, start: int, end: int) -> int:
        """Return 3 for a name wherever it stands, 2 for a common one, 1 for what may be one, -1 for what is none."""
        word = normalize("NFC", text[start:end])
        if word in self._stop or (self.cased and not word[0].isupper()):
            return -1
        for shape in ("sure", "forename"):
            if shape in self._shapes and self._shapes[shape].fullmatch(word):
                return 3 if shape == "sure" else 2
        if word in self._part:
            return 1
        for form in (word, self._stem(word), self._bare(word)):
            if form and form not in self._stop and form in self._listed:
                return 2 if form in self._sure and form not in self._ordinary else 1
        return 1 if self.cased and len(word) == 2 and word[1] == "." else 0

    def _as_surname(self, text: str, start: int, end: int) -> int:
        shape = self._shapes.get("surname")
        return 1 if shape and text[start:end] not in self._stop and shape.fullmatch(text[start:end]) else 0

    def _stem(self, word: str) -> str:
        """Return a word without its ending, or as it reads with another one; nothing where it has none."""
        if self._suffix is None or not (match := self._suffix.search(word)) or match.start() < 2:
            return ""
        stem = word[: match.start()]
        return next((stem + end for end in ("", "а", "я", "о", "й", "ς", "α", "η") if stem + end in self._listed), "")

    def _bare(self, word: str, least: int = 3) -> str:
        """Return a word without the letters that are joined to its front; nothing where it has none."""
        match = self._prefix.match(word) if self._prefix and word not in self._listed else None
        cuts = (cut for cut in (1, 2) if match and cut <= match.end() and len(word) - cut >= least)
        bare = (word[cut:].removeprefix("-") for cut in cuts)
        return next((name for name in bare if name in self._given), "")

    def _is_joined(self, text: str, start: int, end: int) -> bool:
        """Return whether a word is a name with an `and` before it: then it is another one's."""
        word = text[start:end]
        return word[0] in "وו" and bool(self._bare(word))

    @staticmethod
    def _adjoins(text: str, words: list[tuple[int, int]], number: int) -> bool:
        return text[words[number - 1][1] : words[number][0]] in (" ", "-", "  ", "\u200c", "\u00a0", "")

    def _name(
        self, text: str, words: list[tuple[int, int]], first: int, count: int, *, announced: bool, least: int = 3
    ) -> Name:
        start, end = words[first][0], words[first + count - 1][1]
        if bare := self._bare(text[slice(*words[first])], least):
            start = words[first][1] - len(bare)
        return Name(start, end, "full_name" if count > 1 else "first_name", announced)


@cache
def spaced(language: str) -> Spaced:
    """Return a language, read once."""
    return Spaced(language)
