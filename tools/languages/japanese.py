"""Names in Japanese: listed surnames and given names, what stands behind a name, fields of forms, names in katakana."""

from collections.abc import Iterator
from functools import cache

import regex

from gama.tools.languages.spaced import Name
from gama.tools.languages.words import any_of, told
from gama.tools.tables import lines

_TOLD = told("ja")
_BEHIND, _BEFORE, _FIELD, _NO_DEAR = (any_of(_TOLD[key]) for key in ("behind", "before", "field", "no_dear"))
_GIVEN_ENDS, _SINGLE = (frozenset("".join(_TOLD[key])) for key in ("given_ends", "single"))
_NO_CALLED = frozenset(_TOLD["no_called"])
_WORDS, _NO_GIVEN, _KANA_WORDS = (frozenset(_TOLD[key]) for key in ("words", "no_given", "kana_words"))
_ABROAD = frozenset("".join(_TOLD["abroad"]))
_KANJI = regex.compile(r"[\p{Script=Han}々ヶ]{2,3}(?:[ 　][\p{Script=Han}々]{1,3})?")


class Japanese:
    """Japanese."""

    def __init__(self) -> None:
        """Read the lists."""
        marked = lines("languages", "ja.txt.gz")
        self._common = frozenset(line[1:] for line in marked if line[0] == "+")
        self._surnames = self._common.union(line[1:] for line in marked if line[0] == "-")
        self._given = frozenset(line[1:] for line in marked if line[0] == "=") - _NO_GIVEN
        self._weak = _WORDS.union(line[1:] for line in marked if line[0] == "~")
        word = r"[\p{Script=Han}々ヶヵ]"
        sign = r"[\p{Script=Han}々ヶ\p{Script=Hiragana}\p{Script=Katakana}ー・]"
        kana = r"\p{Script=Hiragana}"
        self._run = regex.compile(rf"{word}+")
        self._pair = regex.compile(
            rf"(?P<s>{word}{{1,4}})[ 　・](?P<g>{word}{{1,3}}|{kana}{{2,5}}|[\p{{Script=Katakana}}ー]{{2,6}})(?!{word})"
        )
        self._called = regex.compile(
            rf"(?P<v>{word}{{1,5}}(?:[ 　]?(?:{word}{{1,3}}|{kana}{{2,4}}))?|{kana}{{2,4}}"
            rf"|[\p{{Script=Katakana}}ー・]{{2,16}})[ 　]?(?:{_BEHIND})"
        )
        # One sign more of a title is none of the name: 鴨志田|巡査部長.
        self._shortly = regex.compile(rf"(?<!{word})(?P<v>{word}{{2,5}}?)(?:{_BEHIND})")
        self._dear = regex.compile(
            rf"(?:(?<!{kana})|(?<=[とはがのにも]))(?P<v>(?!{_NO_DEAR}|っ){kana}{{1,4}}?(?:ちゃん|(?:ちん|くん|たん|ぴょん|っち|りん)(?!(?![とがはをにもの])\p{{Hiragana}}))"
            rf"|[\p{{Script=Katakana}}ー]{{1,5}}(?:ちゃん|くん|っち|たん))"
            rf"|(?<!{word})(?P<v>[{''.join(_SINGLE)}])(?:ちゃん|くん|さん|君|のやつ)"
        )
        self._mixed = regex.compile(
            rf"(?P<s>{word}{{2,3}})(?P<g>[\p{{Script=Katakana}}ー]{{2,6}})(?=と申|です|さん|様|ちゃん|くん|氏|は|が)"
        )
        self._announced = regex.compile(
            rf"(?:{_BEFORE})(?P<v>{word}{{1,4}}[ 　]{word}{{1,3}}|{word}{{2,6}}"
            rf"|[\p{{Script=Katakana}}ー・＝=]{{2,20}}|{kana}{{2,5}})"
        )
        self._field = regex.compile(
            rf"(?m)(?:^|(?<=[\s（(、|]))(?:{_FIELD})(?:（[^）\n]{{1,8}}）)?[ 　\t]*[:：][ 　\t]*"
            rf"(?P<v>{sign}{{1,8}}(?:[ 　]{sign}{{1,8}})?)"
        )
        self._foreign = regex.compile(r"[\p{Script=Katakana}ー]{2,10}(?:[・＝][\p{Script=Katakana}ー]{2,10}){1,3}")
        self._line = regex.compile(rf"(?m)^[ 　\t]*(?P<v>{word}{{1,4}}[ 　]{word}{{1,3}}|{word}{{2,6}})[ 　\t]*$")
        self._kana = regex.compile(
            rf"(?<![\p{{Hiragana}}\p{{Han}}])(?P<v>{kana}{{3,4}}?)(?=にも|には|に言|が|は|って|も|と|を|へ|、)"
            rf"|(?<=[。！!、\n ])(?P<v>{kana}{{3,4}})(?=[ \t]*(?:\n|$))"
        )
        self._katakana = regex.compile(
            r"(?<![\p{Script=Katakana}\p{Script=Han}ー・])(?P<v>[ァ-ヴ]{2,5})(?=が|は|も|と|に|って|から|、|の(?:やつ|家|こと))"
        )
        # What a surname alone is followed by where it acts: が, は, を, に, の, と, も, へ, から.
        self._acts = regex.compile(
            r"[がはをにとものへ、。」）)!?！？]|から|まで|より|だ|です|でし|って|さ|ね|いわく|(?=\n|$)"
        )

    def names(self, text: str, start: int, end: int) -> Iterator[Name]:
        """Yield the names in a stretch of a text."""
        for match in self._field.finditer(text, start, end):
            yield Name(*match.span("v"), "full_name", True)
        for match in self._pair.finditer(text, start, end):
            parted = "・" not in match[0] or match["s"] in self._common - self._weak
            if parted and (match["s"] in self._surnames or match["s"] in _ABROAD or match["g"] in self._given):
                yield Name(*match.span(), "full_name", True)
        for match in self._foreign.finditer(text, start, end):
            yield Name(*match.span(), "full_name", False)
        for match in self._called.finditer(text, start, end):
            if begin := self._begin(match["v"]):
                yield Name(match.start("v") + begin - 1, match.end("v"), "last_name", True)
        for match in self._shortly.finditer(text, start, end):
            if match["v"] in self._surnames:
                yield Name(*match.span("v"), "last_name", True)
        for match in self._dear.finditer(text, start, end):
            yield Name(*match.span("v"), "nickname", True)
        for match in self._mixed.finditer(text, start, end):
            if match["s"] in self._surnames and match["s"] not in self._weak:
                yield Name(*match.span(), "full_name", True)
        for match in self._announced.finditer(text, start, end):
            if count := self._count(match["v"]):
                begin = match.start("v")
                yield Name(begin, begin + count, "full_name" if count > 2 else "last_name", True)
        for match in self._line.finditer(text, start, end):
            if self._split(match["v"]):
                yield Name(*match.span("v"), "full_name", True)
        for match in self._kana.finditer(text, start, end):
            if match["v"] in self._given and match["v"] not in _KANA_WORDS:
                yield Name(*match.span("v"), "first_name", False)
        for match in self._katakana.finditer(text, start, end):
            name = "".join(chr(ord(sign) - 0x60) for sign in match["v"])
            if name in self._given and name not in _KANA_WORDS:
                yield Name(*match.span("v"), "first_name", False)
        yield from self._loose(text, start, end)

    def _loose(self, text: str, start: int, end: int) -> Iterator[Name]:
        """Yield surnames with a given name right behind them, and surnames that act, anywhere."""
        for run in self._run.finditer(text, start, end):
            at = run.start()
            while at < run.end():
                size = self._full_at(text, at, run.end(), end)
                if size:
                    yield Name(at, at + size, "full_name", False)
                    at += size
                    continue
                break
            surname = run[0]
            if surname in self._surnames and surname not in self._weak and len(surname) > 1:
                if self._acts.match(text, run.end(), end) and not text[run.start() - 1 : run.start()].isdigit():
                    yield Name(*run.span(), "last_name", False)
            elif len(surname) > 1 and surname in self._given and surname not in self._weak:
                # What is joined to a verb may be any word: 結衣|聞いた, but not 送|る.
                if self._acts.match(text, run.end(), end) or (
                    surname[-1] in _GIVEN_ENDS and self._begins(text, run.start())
                ):
                    yield Name(*run.span(), "first_name", False)
            elif cut := self._before_verb(text, run[0], *run.span()):
                yield Name(run.start(), run.start() + cut, "first_name", False)

    def _before_verb(self, text: str, run: str, start: int, end: int) -> int:
        """Return how many signs a given name has that begins a phrase, with a verb of one sign right behind it."""
        cut = len(run) - 1
        if (
            cut not in (2, 3)
            or run[cut - 1] not in _GIVEN_ENDS
            or run[:cut] in self._weak
            or run[:cut] not in self._given
        ):
            return 0
        begins = self._begins(text, start) or text[start - 1] in "とがはも"
        return cut if begins and regex.match(r"\p{Hiragana}", text, pos=end) else 0

    @staticmethod
    def _begins(text: str, at: int) -> bool:
        return text[at - 1 : at] in ("、", "。", "！", "!", "？", "?", "\n", "「", " ", "　", "")

    def _full_at(self, text: str, at: int, stop: int, end: int) -> int:
        for first in (3, 2, 1):
            if at + first > stop or text[at : at + first] not in self._common:
                continue
            for count in (3, 2):
                given = text[at + first : at + first + count]
                if (
                    len(given) == count
                    and given in self._given
                    and (at + first + count >= stop or count == 3 or first > 1)
                ):
                    if all("\u3040" <= char <= "\u309f" for char in given) and first == 1:
                        continue
                    return first + count
        return 0

    def _split(self, name: str) -> bool:
        """Return whether a name falls into a listed surname and a listed given name."""
        bare = regex.sub(r"[ 　]", "", name)
        return any(
            bare[:cut] in self._surnames and (bare[cut:] in self._given or bare[cut:] in _SINGLE)
            for cut in range(1, len(bare))
        )

    def _begin(self, called: str) -> int:
        """Return where in what somebody is called their name begins, counted from 1; 0 where there is none."""
        # 仕様, 同様, 模様 are words.
        if called[-1] in "仕同模多異各":
            return 0
        if self._is_name(called):
            return 1
        for cut in range(1, len(called)):
            if self._is_name(called[cut:]):
                return cut + 1
        # What is called so is somebody, unless it is a word for one.
        return 1 if len(called) > 1 and _KANJI.fullmatch(called) and called not in _NO_CALLED | _WORDS else 0

    def _is_name(self, name: str) -> bool:
        bare = regex.sub(r"[ 　・]", "", name)
        if bare in self._surnames or bare in self._given or self._split(name):
            return True
        return len(bare) > 2 and regex.fullmatch(r"[\p{Script=Katakana}ー]+", bare) is not None

    def _count(self, announced: str) -> int:
        """Return how many characters of what was announced are a name."""
        for count in range(len(announced), 0, -1):
            part = announced[:count]
            if self._is_name(part) and (count > 1 or part not in _WORDS) and part[-1] not in " 　":
                return count
        return 0


@cache
def japanese() -> Japanese:
    """Return the reader, made once."""
    return Japanese()
