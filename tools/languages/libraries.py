"""Names by libraries made for one language, where they are installed (extra `languages`).

They are jieba, SudachiPy, pymorphy3 and PyThaiNLP. Their dictionaries come inside the packages; nothing is fetched.
Each looks only at the parts in its language, and finds nothing where its library is missing. The recognizers
`chinese_names`, `japanese_names`, `russian_names` and `thai_names` rest on them.
"""

import tempfile
import threading
import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any

import regex

from gama.tools.languages.names import bounds, is_asked


class LibraryNames:
    """What the readers share: a library that is loaded once, at the first text in its language."""

    language = ""
    library = ""
    """Its import name."""

    def __init__(self) -> None:
        """Load nothing yet."""
        self._lock = threading.Lock()
        self._loaded: Any = None

    def names(self, text: str) -> list[tuple[int, int, str]]:
        """Return the names in the parts of a text that are in the language: where they stand, and their subtypes."""
        stretch = None if find_spec(self.library) is None else bounds(text).get(self.language)
        if stretch is None:
            return []
        # The libraries say nowhere that threads may share them.
        with self._lock:
            if self._loaded is None:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    self._loaded = self._load()
            found = list(self._names(str(text), *stretch))
        return [(start, end, "full_name" if self._is_full(text[start:end]) else "first_name") for start, end in found]

    def _load(self) -> Any:
        """Return the loaded library."""
        raise NotImplementedError

    def _names(self, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the names in a stretch of a text."""
        raise NotImplementedError

    def _is_full(self, name: str) -> bool:
        return " " in name


class ChineseNames(LibraryNames):
    """Chinese, by the part of speech that jieba gives: its hidden Markov model knows names that no list has."""

    language, library = "zh", "jieba"

    def _load(self) -> Any:
        import jieba
        import jieba.posseg

        from gama.tools.languages.chinese import chinese

        jieba.setLogLevel(60)
        tokenizer = jieba.Tokenizer()
        # It would leave its dictionary, made ready, in the shared folder for temporary files.
        with tempfile.TemporaryDirectory() as folder:
            tokenizer.tmp_dir = folder
            tokenizer.initialize()
        return jieba.posseg.POSTokenizer(tokenizer), chinese()

    def _names(self, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        tagger, reader = self._loaded
        at = start
        for word in tagger.cut(text[start:end]):
            stop = at + len(word.word)
            if word.flag.startswith("nr") and 2 <= stop - at <= 4 and reader.may_be(word.word):
                yield at, stop
            at = stop

    def _is_full(self, name: str) -> bool:
        return True


class RussianNames(LibraryNames):
    """Russian, by the morphology of pymorphy3: forenames, patronymics and surnames in every case."""

    language, library = "ru", "pymorphy3"
    # What stands before a forename in small letters: `это лена`, `привет, маша`.
    _CUE = regex.compile(r"(?i)(?:это|зовут|привет|от|с уважением|я|твоя|твой|ваша|ваш|целую)[,\s]+$")
    _WORD = regex.compile(r"\p{Cyrillic}+(?:-\p{Cyrillic}+)*")
    _LEAST = 0.3
    """Score of a reading as a name, of all readings of a word, from which on it counts."""

    def _load(self) -> Any:
        import pymorphy3

        return pymorphy3.MorphAnalyzer()

    def _names(self, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        run: list[tuple[int, int, str]] = []
        for match in self._WORD.finditer(text, start, end):
            kind = self._kind(text, *match.span())
            joined = run and text[run[-1][1] : match.start()] in (" ", "\u00a0")
            if run and not (kind and joined):
                yield from self._whole(text, run)
                run = []
            if kind:
                run.append((*match.span(), kind))
        yield from self._whole(text, run)

    def _whole(self, text: str, run: Sequence[tuple[int, int, str]]) -> Iterator[tuple[int, int]]:
        """Yield a row of names, unless a surname stands alone, or a question may be about somebody known."""
        kinds = {kind for _, _, kind in run}
        if kinds & {"Name", "Patr"} and ("Patr" in kinds or not is_asked(text, run[0][0], run[-1][1], "ru")):
            yield run[0][0], run[-1][1]

    def _kind(self, text: str, start: int, end: int) -> str:
        word = text[start:end]
        scores: dict[str, float] = {}
        for reading in self._loaded.parse(word):
            for kind in ("Name", "Patr", "Surn"):
                if kind in reading.tag and "Geox" not in reading.tag:
                    scores[kind] = scores.get(kind, 0.0) + reading.score
        if not scores:
            return ""
        kind = max(scores, key=lambda one: scores[one])
        likely = scores[kind] >= self._LEAST
        if word[0].isupper():
            return kind if likely else ""
        named = kind == "Name" and scores[kind] > 0.5 and self._CUE.search(text, max(0, start - 20), start)
        return kind if named else ""


class JapaneseNames(LibraryNames):
    """Japanese, by the parts of speech of SudachiPy with its small dictionary, which tells surnames and given names."""

    language, library = "ja", "sudachipy"

    def _load(self) -> Any:
        from sudachipy import Dictionary, SplitMode

        return Dictionary(dict="small").tokenizer(), SplitMode.A

    def _names(self, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        tokenizer, mode = self._loaded
        run: tuple[int, int] | None = None
        # It takes no more at once than 49,000 bytes.
        for line in regex.finditer(r"[^\n]{1,12000}", text, pos=start, endpos=end):
            for token in tokenizer.tokenize(line[0], mode):
                at, stop = line.start() + token.begin(), line.start() + token.end()
                if token.part_of_speech()[2] == "人名":
                    joined = run is not None and text[run[1] : at] in ("", " ", "　")
                    if run and not joined:
                        yield from self._whole(text, *run)
                    run = (run[0] if run and joined else at, stop)
            if run:
                yield from self._whole(text, *run)
            run = None

    def _whole(self, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield a row of names, unless it is one sign, or somebody known to the world is asked about."""
        if end - start > 1 and not is_asked(text, start, end, self.language):
            yield start, end

    def _is_full(self, name: str) -> bool:
        return len(name) > 3


class ThaiNames(LibraryNames):
    """Thai, by the words of PyThaiNLP: names of its lists that are hardly words, and what stands behind a title."""

    language, library = "th", "pythainlp"
    _TITLES = frozenset("คุณ นาย นาง นางสาว พี่ น้อง ลุง ป้า น้า ครู อาจารย์ หมอ เจ๊ เฮีย ดร. เด็กชาย เด็กหญิง นพ. พญ. ชื่อ นี่".split())

    _RARE = 12
    """How often at most a name stands in PyThaiNLP's textbooks that is hardly ever a word."""

    def _load(self) -> Any:
        from pythainlp.corpus import thai_family_names, thai_female_names, thai_male_names, thai_words, ttc
        from pythainlp.tokenize import word_tokenize

        often = {word for word, count in ttc.word_freqs() if count > self._RARE}
        given = frozenset(name for name in thai_male_names() | thai_female_names() if len(name) > 2) - often
        return word_tokenize, frozenset(thai_words()) - given, given, frozenset(thai_family_names())

    def _names(self, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        cut, words, given, family = self._loaded
        tokens = cut(text[start:end], keep_whitespace=True)
        if "".join(tokens) != text[start:end]:
            return
        places = [start]
        for token in tokens:
            places.append(places[-1] + len(token))
        number = 0
        while number < len(tokens):
            token, before = tokens[number], tokens[number - 1] if number else ""
            is_thai = bool(regex.fullmatch(r"[\p{Thai}]{2,}", token))
            titled = before in self._TITLES and token not in words
            if not is_thai or not (titled or token in given):
                number += 1
                continue
            last = number
            # Of a name that is in no list, the pieces are no words either.
            while last + 1 < len(tokens) and regex.fullmatch(r"\p{Thai}{2,}", tokens[last + 1]):
                if tokens[last + 1] in words or tokens[last + 1] in given:
                    break
                last += 1
            if last + 2 < len(tokens) and tokens[last + 1] == " ":
                surname = tokens[last + 2]
                if surname in family or (regex.fullmatch(r"\p{Thai}{4,}", surname) and surname not in words):
                    last += 2
            yield places[number], places[last + 1]
            number = last + 1


READERS: dict[str, type[LibraryNames]] = {
    "chinese_names": ChineseNames,
    "japanese_names": JapaneseNames,
    "russian_names": RussianNames,
    "thai_names": ThaiNames,
}
"""By the name of the recognizer that rests on one."""


@cache
def reader(name: str) -> LibraryNames:
    """Return the reader on which a recognizer rests, made once."""
    return READERS[name]()
