"""Names in Chinese: a surname and one or two characters that no word claims, titles, pet names, form fields."""

from collections.abc import Iterator
from functools import cache

import regex

from gama.tools.languages.spaced import Name
from gama.tools.languages.words import any_of, told
from gama.tools.tables import lines

_TOLD = told("zh")
_DOUBLE = frozenset(_TOLD["double"])
_NEVER, _WEAK, _PLACES, _PETTY, _COUNTS, _MEASURES = (
    frozenset("".join(_TOLD[key])) for key in ("never", "weak", "places", "petty", "counts", "measures")
)
_ANNOUNCED = frozenset(_TOLD["announced"])
_MAY = frozenset("有月安名")
"""What stands behind a name as often as in one."""
_ABROAD, _GOES_ON = ("".join(_TOLD[key]) for key in ("abroad", "goes_on"))


class _Words:
    """The words that are no names, in both kinds of characters."""

    def __init__(self, words: frozenset[str]) -> None:
        """Hold the words, nearly all of them in simplified characters."""
        self._words = words
        self._forms = str.maketrans({pair[0]: pair[1] for pair in _TOLD["forms"]})

    def __contains__(self, word: str) -> bool:
        """Return whether it is one."""
        return word in self._words or word.translate(self._forms) in self._words


class Chinese:
    """Chinese, in both kinds of characters."""

    def __init__(self) -> None:
        """Read the characters of given names and the words that are no names."""
        marked = lines("languages", "zh.txt.gz")
        self._given = frozenset(line[1:] for line in marked if line[0] == "+")
        self._words = _Words(frozenset(line for line in marked if line[0] not in "+=").union(_TOLD["words"]))
        self._alone = frozenset(line[1:] for line in marked if line[0] == "=").union(_TOLD["given"], _ANNOUNCED)
        single = "".join(_TOLD["single"])
        surname = f"(?:{any_of(_TOLD['double'])}|[{single}])"
        self._surname = regex.compile(surname)
        self._titled = regex.compile(
            rf"(?P<v>{surname}\p{{Script=Han}}{{0,2}}?)(?:{any_of(_TOLD['titles'])})(?!\p{{Script=Han}}?[作人])"
        )
        self._cue = regex.compile(
            rf"(?:{any_of(_TOLD['cues'])})(?:[（(][^）)\n]{{1,8}}[）)])?[ \t]*[:：是为叫,，]?[ \t]*"
        )
        self._pet = regex.compile(
            rf"(?P<v>大[刘李陈孙郭吴](?=[和跟与说在来到也还]|\P{{Script=Han}})|[小老阿][{single}{''.join(_TOLD['pet'])}]|阿[{''.join(_TOLD['after_a'])}])"
        )
        some = any_of(self._alone)
        self._called = regex.compile(
            rf"(?<!\p{{Script=Han}})(?P<v>{some})(?=[叔伯姨哥姐弟妹]?[：:，,！!？?]|$|[叔伯姨])|(?<!\p{{Script=Han}})(?P<v>{some})$"
        )
        self._single = regex.compile(rf"(?P<v>{any_of(self._alone - _ANNOUNCED)})")
        self._abroad = regex.compile(
            rf"(?P<v>[{_ABROAD}]{{1,7}}(?:[·•・‧][{_ABROAD}\p{{Lu}}陈李王张]{{1,8}}){{1,3}})"
            rf"|(?P<v>[{_ABROAD}]{{0,3}}(?:{any_of(_TOLD['peoples'])}))"
        )
        self._kin = regex.compile(
            rf"(?:{any_of(_TOLD['cues'])})(?:叫|是|名叫)?(?P<v>[{_ABROAD}]{{3,6}}|\p{{Script=Han}}{{2}})"
        )
        self._listed = regex.compile(
            r"(?:(?<!\p{Script=Han})\p{Script=Han}{2,4}|\p{Script=Han}{3})(?:、\p{Script=Han}{2,4})+"
        )
        self._field = regex.compile(
            rf"(?m)(?:{any_of(_TOLD['field'])})[^\n:：]{{0,6}}[:：][ \t]*(?P<v>[\p{{Script=Han}}·]{{2,8}})"
        )

    def names(self, text: str, start: int, end: int) -> Iterator[Name]:
        """Yield the names in a stretch of a text."""
        for match in self._field.finditer(text, start, end):
            if match["v"] not in self._words:
                yield Name(*match.span("v"), "full_name", True)
        for match in self._titled.finditer(text, start, end, overlapped=True):
            begin, stop = match.span("v")
            cut = self._length(text, begin, end) if stop - begin > 1 else 0
            if stop - begin == 1 and text[begin : match.end()] in self._words:
                continue
            if stop - begin == 1 or (cut and begin + cut == stop) or self._is_given(text[begin + 1 : stop]):
                if not self._within_word(text, begin, match.end()):
                    alone = stop - begin == 1
                    yield Name(begin, match.end() if alone else stop, "nickname" if alone else "full_name", True)
        for match in self._cue.finditer(text, start, end):
            begin = match.end()
            surname = self._surname.match(text, begin, end)
            if surname and (count := self._length(text, begin, end, announced=True)):
                yield Name(begin, begin + count, "full_name", True)
        for match in self._abroad.finditer(text, start, end):
            begin, stop = match.span("v")
            # What is no other word's beginning belongs to it.
            while "·" not in match[0] and stop < end and text[stop] in _ABROAD and self._word_at(text, stop, end) < 2:
                stop += 1
            yield Name(begin, stop, "full_name", True)
        for match in self._kin.finditer(text, start, end, overlapped=True):
            if self._is_alone(text, match["v"], match.end("v"), end):
                yield Name(*match.span("v"), "first_name", True)
        for match in self._called.finditer(text, start, end):
            yield Name(*match.span("v"), "first_name", True)
        for match in self._single.finditer(text, start, end):
            begin, stop = match.span("v")
            before = text[begin - 1 : begin]
            ends = (
                text[stop : stop + 1] in _GOES_ON or self._ends(text, stop, end) or self._word_at(text, stop, end) > 1
            )
            if (
                ends
                and not self._within_word(text, begin, stop)
                and (before in _WEAK or not self._surname.fullmatch(before))
            ):
                yield Name(begin, stop, "first_name", False)
        for match in self._listed.finditer(text, start, end):
            yield from self._of_list(text, *match.span(), end)
        for match in self._pet.finditer(text, start, end):
            begin, stop = match.span("v")
            known = text[begin:stop] in self._words and (text[begin + 1] in _WEAK or text[begin + 1] in _PETTY)
            if not known and not self._within_word(text, begin, stop):
                yield Name(begin, stop, "nickname", True)
        yield from self._loose(text, start, end)

    def _of_list(self, text: str, start: int, stop: int, end: int) -> Iterator[Name]:
        """Yield the names of a row of them: where one is sure, so is what else begins with a surname there."""
        items = [match.span() for match in regex.finditer(r"[^、]+", text, pos=start, endpos=stop)]
        if any(self._length(text, begin, last) == last - begin for begin, last in items):
            for begin, last in items:
                if 2 <= (count := self._length(text, begin, end, announced=True)) and begin + count <= last:
                    yield Name(begin, begin + count, "full_name", True)

    def _is_alone(self, text: str, name: str, at: int, end: int) -> bool:
        """Return whether what stands behind a word for somebody is a given name, or one from abroad."""
        if name in self._alone:
            return True
        if name in self._words or name[0] in _NEVER or not self._ends(text, at, end):
            return False
        if len(name) == 2:
            return self._is_given(name) and name[0] == name[1]
        return not any(name[cut : cut + 2] in self._words for cut in range(len(name) - 1))

    def may_be(self, name: str) -> bool:
        """Return whether a word that somebody else takes for a full name begins with a surname and is no other word."""
        surname = self._surname.match(name)
        return (
            surname is not None and len(name) > len(surname[0]) and name not in self._words and name[-1] not in _NEVER
        )

    def _loose(self, text: str, start: int, end: int) -> Iterator[Name]:
        """Yield a surname with a given name where the longest words around leave them over."""
        at = start
        while at < end:
            size = self._word_at(text, at, end)
            surname = self._surname.match(text, at, end)
            counted = at > start and text[at - 1] in _COUNTS and surname is not None and surname[0] in _MEASURES
            if surname and surname[0] not in _WEAK and not counted and (size <= 1 or surname[0] in _DOUBLE):
                count = self._length(text, at, end)
                if count:
                    yield Name(at, at + count, "full_name", False)
                    at += count
                    continue
            at += max(size, 1)

    def _word_at(self, text: str, at: int, end: int) -> int:
        return next((size for size in (4, 3, 2) if at + size <= end and text[at : at + size] in self._words), 1)

    def _within_word(self, text: str, start: int, end: int) -> bool:
        """Return whether a word that begins before a stretch reaches into it: "让周末" has no "周末"."""
        return any(
            text[begin : begin + size] in self._words
            for begin in range(max(0, start - 3), start)
            for size in (2, 3, 4)
            if start < begin + size < end
        )

    def _length(self, text: str, at: int, end: int, *, announced: bool = False) -> int:
        """Return how many characters a full name has that begins with the surname at a place; 0 where none does."""
        surname = self._surname.match(text, at, end)
        if not surname:
            return 0
        first = len(surname[0])
        if text[at + first : at + first + 1] in _PLACES or text[at + first + 1 : at + first + 2] in _PLACES:
            return 0
        run = regex.match(r"\p{Script=Han}*", text, pos=at + first, endpos=min(end, at + first + 4))
        left = run[0] if run else ""
        whole = text[at : at + first] + left
        # Behind what announces one, all that stands up to the next mark is a name.
        if announced and len(left) == 2 and left[0] not in _NEVER - _MAY and whole not in self._words:
            return len(whole)
        for count in (2, 1):
            given = left[:count]
            if len(given) < count or not self._is_given(given) or (given[0] == surname[0] and not announced):
                continue
            if count == 2 and not announced and text[at : at + first + 2] in self._words:
                continue
            # Two characters that are a word of their own are a given name only where one is announced.
            if count == 2 and given in self._words and not announced and not self._ends(text, at + first + 2, end):
                continue
            if (
                count == 2
                and self._word_at(text, at + first + 1, end) > 1
                and not self._ends(text, at + first + 2, end)
            ):
                continue
            ended = announced and self._ends(text, at + first + 1, end)
            if count == 1 and text[at : at + first + 1] in self._words and not ended:
                continue
            if count == 1 and not announced and not self._ends(text, at + first + 1, end) and first == 1:
                # One character more is as likely a verb: a word has to begin behind it.
                if self._word_at(text, at + first + 1, end) < 2 and left[1:2] not in _NEVER:
                    continue
            return first + count
        return 0

    def _is_given(self, given: str) -> bool:
        return bool(given) and all(char in self._given and char not in _NEVER for char in given)

    @staticmethod
    def _ends(text: str, at: int, end: int) -> bool:
        return at >= end or not text[at].isalpha() or text[at] in _NEVER


@cache
def chinese() -> Chinese:
    """Return the reader, made once."""
    return Chinese()
