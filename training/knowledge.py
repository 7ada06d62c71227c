"""Build the public-knowledge index of `tools/knowledge/` from lists of names.

    gama train knowledge --data DIR --out tools/knowledge/data

DIR holds the lists as `NAME.tsv.gz`: tab-separated name, kind and a number that tells fame, or nothing. `LISTS` says
which are used and how, NOTICE where each has its home; what is missing is told and left out. Names of our own are in
`training/known.yaml`. The same lists give the same bytes.
"""

import argparse
import gzip
import io
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gama.guard.folding import fold
from gama.state.errors import InputError
from gama.tools.knowledge.index import FILE, FORENAMES, KINDS, LOW, forename_keys, key_of, number_of

OWN = Path(__file__).parent / "known.yaml"
"""Names of our own, by type."""
LANGUAGES = (1, 3, 10)
"""Numbers of small-language encyclopedias with a page of a name, at which it gets the next rank of fame."""
SHORTEST = 3
"""Letters and digits of the shortest name that is taken."""


class Source(NamedTuple):
    """How a list is read."""

    ranks: tuple[float, ...] = LANGUAGES
    """Numbers at which a name gets the next rank of fame."""
    least: float = 0
    """The number below which a name of it is left out."""


NAMED = ("people_artists", "people_sports", "people_wikidata", "people_wikipedia")
"""Lists of people whose names begin with the forename."""
BEARERS = (2, 10, 100)
"""Numbers of people with a forename at which it is taken, and gets the next rank."""
_NEVER = (float("inf"),)
LISTS: Mapping[str, Source] = {
    "airports": Source(_NEVER, least=1),
    "brands": Source(),
    "clubs_football": Source(),
    "companies_listed": Source((3, 4), least=1),
    "corpora_misc": Source(),
    "drugs": Source(),
    "fictional_comics": Source((100, 500)),
    "films_us": Source(),
    "names_wordnet": Source(),
    "people_artists": Source(least=1),
    "people_baseball": Source((2,), least=1),
    "people_film_cast": Source((10, 30)),
    "people_politicians_us": Source(),
    "people_sports": Source(),
    "people_wikidata": Source(),
    "people_wikipedia": Source(),
    "places_geonames": Source((20_000, 200_000, 1_000_000), least=1_000),
    "plant_genera": Source((100, 1000), least=2),
    "titles_popular_wikipedia": Source((1, 4, 11)),
    "titles_wikidata_en": Source(),
    "titles_wikidata_other": Source((3, 5, 12), least=3),
    "tv_channels": Source(least=1),
    "universities": Source(),
    "venues_musicbrainz": Source(),
}

_KIND = {
    "person": "person actor athlete artist politician deity 'fictional_character' musician author",
    "place": "place country region airport venue",
    "body": "body organization company university school brand newspaper 'sports_club' 'tv_channel' band",
    "work": "work film game book song album opera play poem painting 'tv_series' 'artifact/work'",
    "thing": "thing drug 'plant_genus' software animal plant food event law product award",
}
_KIND_OF = {word.strip("'").replace("_", " "): kind for kind, words in _KIND.items() for word in words.split()}
# What a qualifier at the end of a title says of its kind: `Alien (film)`, `Queen (band)`.
_QUALIFIED = re.compile(r"\(([^()]*)\)$")
_HINTS = (
    ("work", re.compile(r"film|song|album|novel|book|series|game|play|opera|magazine|comics|manga|musical|EP$|poem")),
    ("body", re.compile(r"band|company|group|organi[sz]ation|club|team|airline|party|newspaper")),
    (
        "person",
        re.compile(r"born|politician|footballer|singer|actor|writer|musician|player|king|saint|mythology|charac"),
    ),
    ("place", re.compile(r"city|town|river|island|state|district|country|lake|mountain|village")),
)


def kind_of(name: str, kind: str) -> str:
    """Return which of `KINDS` a listed name is."""
    if kind == "title" and (qualifier := _QUALIFIED.search(name)):
        return next((one for one, words in _HINTS if words.search(qualifier[1])), "topic")
    return _KIND_OF.get(kind, "topic")


class Entry(NamedTuple):
    """A name of a list."""

    key: str
    kind: str
    fame: int


def read(file: Path, source: Source) -> Iterator[Entry]:
    """Yield the names of a list that are taken.

    Raises:
        InputError: A line of it is not one of a list.
    """
    with gzip.open(file, "rt", encoding="utf-8") as rows:
        for number, row in enumerate(rows, 1):
            try:
                name, kind, told = row.rstrip("\n").split("\t")
                amount = float(told or 0)
            except ValueError:
                raise InputError(f"{file.name}, line {number}: expected name, kind and a number, by tabs") from None
            # Titles of places carry their state: `Trenton, Missouri`.
            key = key_of(name.partition(", ")[0] if kind == "title" else name)
            if amount >= source.least and len(key) >= SHORTEST:
                yield Entry(key, kind_of(name, kind), bisect_right(source.ranks, amount))


def forenames(files: Iterable[Path]) -> Iterator[Entry]:
    """Yield the first words of the names of people, with and without accents, each with the rank of its bearers."""
    names = {row.split("\t")[0] for file in files for row in gzip.open(file, "rt", encoding="utf-8")}
    first = (words[0] for words in map(str.split, names) if len(words) > 1 and words[0][0].isupper())
    written = Counter(word.lower() for word in first if word.isalpha() and len(word) > 2)
    bearers = Counter[str]()
    for word, number in written.items():
        bearers[fold(word)] += number
    taken = {(key, bearers[fold(word)]) for word in written for key in forename_keys(word)}
    for key, number in sorted(taken):
        if number >= BEARERS[0]:
            yield Entry(key, "person", bisect_right(BEARERS, number))


def own() -> Iterator[Entry]:
    """Yield the names of our own list: all of them are known in many languages."""
    import yaml

    for kind, names in yaml.safe_load(OWN.read_text(encoding="utf-8")).items():
        for name in re.split(r"[;\n]", names):
            if name.strip():
                yield Entry(key_of(name), {"PER": "person", "LOC": "place", "ORG": "body"}[kind], len(LANGUAGES))


def build(entries: Iterable[Entry]) -> dict[str, NDArray[np.uint8]]:
    """Return the arrays of an index: of a name in several lists all kinds, and the greatest fame."""
    kinds: dict[str, int] = {}
    fame: dict[str, int] = {}
    for key, kind, rank in entries:
        kinds[key] = kinds.get(key, 0) | 1 << KINDS.index(kind)
        fame[key] = max(fame.get(key, 0), rank)
    count = len(kinds)
    numbers = np.fromiter((number_of(key, count) for key in kinds), np.uint64, count)
    codes = np.fromiter((bits | fame[key] << len(KINDS) for key, bits in kinds.items()), np.uint8, count)
    # Of two names with one number the more famous stands; the count stays, for the numbers are made with it.
    order = np.lexsort((~codes, numbers))
    numbers, codes = numbers[order], codes[order]
    bits = np.zeros(int(numbers[-1] >> LOW) + count if count else 0, np.uint8)
    bits[(numbers >> np.uint64(LOW)).astype(np.int64) + np.arange(count)] = 1
    low = (numbers & np.uint64((1 << LOW) - 1)).astype(np.uint8)
    return {"low": low, "high": np.packbits(bits), "codes": codes}


def main(argv: list[str] | None = None) -> int:
    """Run the command of the module's docstring.

    Raises:
        InputError: There is no list in the folder, or one is damaged.
    """
    parser = argparse.ArgumentParser(description="Build the public-knowledge index.")
    parser.add_argument("--data", type=Path, required=True, help="folder with the lists as NAME.tsv.gz")
    parser.add_argument("--out", type=Path, required=True, help="folder to write the index into")
    arguments = parser.parse_args(argv)
    found = [name for name in LISTS if (arguments.data / f"{name}.tsv.gz").is_file()]
    if not found:
        raise InputError(f"there is no list in {arguments.data.name!r}: docs/detector.md names them and their homes")
    if missing := [name for name in LISTS if name not in found]:
        print(f"note: without {', '.join(missing)}")
    entries = (entry for name in found for entry in read(arguments.data / f"{name}.tsv.gz", LISTS[name]))
    arguments.out.mkdir(parents=True, exist_ok=True)
    people = [arguments.data / f"{name}.tsv.gz" for name in NAMED if name in found]
    for file, some in ((FILE, [*entries, *own()]), (FORENAMES, forenames(people))):
        arrays = build(some)
        packed = io.BytesIO()
        np.savez_compressed(packed, allow_pickle=False, **arrays)
        (arguments.out / file).write_bytes(packed.getvalue())
        print(f"{file}: {len(arrays['low']):,} names, {len(packed.getvalue()):,} bytes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
