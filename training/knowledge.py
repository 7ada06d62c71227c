"""Build the public-knowledge index of `tools/knowledge/` from the gazetteers.

    python -m gama.training.knowledge --data DIR --out tools/knowledge/data

DIR holds `gazetteers/`. Written are lists of names, sorted, one a line, compressed: `people.txt.gz` (Pantheon,
presidents of the USA), `places.txt.gz` (countries, regions, cities, rivers), `bodies.txt.gz` (companies,
universities, agencies, parties, newspapers, charities). Names that are an ordinary English word are left out of
`bodies`: they would make public what is not.
"""

import argparse
import csv
import gzip
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gama.guard.search import COMMON_WORDS

CREDITS = {
    "people": "Pantheon 1.0 (Yu et al. 2016), CC BY 4.0",
    "places": "GeoNames cities and regions, CC BY 4.0; corpora (Darius Kazemi), CC0",
    "bodies": "world universities (Hipo), MIT; S&P 500, PDDL; corpora (Darius Kazemi), CC0",
}
"""What each list is made of: its first line."""

# The legal form or kind at the end of a company's name, which people leave out when they speak of it.
_FORM = re.compile(
    r"(?:,? (?:Inc|Corp|Corporation|Co|Company|Companies|Cos|Group|Holdings?|Ltd|Limited|PLC|plc|LLC|L\.P|N\.V|S\.A|AG|"
    r"The|International|Technologies|Systems|Stores)\.?|\s*\(.*\)|\s*&)+$"
)


def _json(path: Path, key: str) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))[key]


def _rows(path: Path, delimiter: str = ",") -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as lines:
        return list(csv.DictReader(lines, delimiter=delimiter))


def people(lists: Path) -> list[str]:
    """Return globally famous people."""
    return [row["name"] for row in _rows(lists / "pantheon" / "pantheon.tsv", "\t")]


def places(lists: Path) -> list[str]:
    """Return countries, regions, cities and rivers."""
    corpora = lists / "corpora"
    cities = _rows(lists / "world_cities" / "world-cities.csv")
    capitals = _json(corpora / "countries_with_capitals.json", "countries")
    return [
        *(row["name"] for row in cities),
        *(row["country"] for row in cities),
        *(item["name"] for item in json.loads((lists / "world_cities" / "admin1.json").read_text(encoding="utf-8"))),
        *(item[key] for item in capitals for key in ("name", "capital")),
        *(item["name"] for item in _json(corpora / "rivers.json", "rivers")),
    ]


def bodies(lists: Path) -> list[str]:
    """Return companies, with and without their legal form, and institutions."""
    corpora = lists / "corpora"
    firms = [
        *_json(corpora / "fortune500.json", "companies"),
        *(item["name"] for name in ("djia", "nasdaq") for item in _json(corpora / f"{name}.json", "corporations")),
        *(row["Security"] for row in _rows(lists / "sp500" / "constituents.csv")),
        *_json(corpora / "cars.json", "cars"),
    ]
    schools = json.loads((lists / "universities" / "world_universities_and_domains.json").read_text(encoding="utf-8"))
    return [
        *firms,
        *(_FORM.sub("", name) for name in firms),
        *(item["name"] for item in schools),
        *_json(corpora / "us_federal_agencies.json", "agencies"),
        *_json(corpora / "newspapers.json", "newspapers"),
        *_json(corpora / "charities.json", "charities"),
        *_json(corpora / "uk_political_parties.json", "parties"),
    ]


def clean(names: Iterable[Any], *, words: bool = True) -> list[str]:
    """Return the names in order, each once, without what is too short or, unless `words`, an ordinary word."""
    found = {" ".join(str(name).split()) for name in names}
    return sorted(name for name in found if len(name) > 1 and (words or name.lower() not in COMMON_WORDS))


def main(argv: list[str] | None = None) -> int:
    """Run the command of the module's docstring."""
    parser = argparse.ArgumentParser(description="Build the public-knowledge index.")
    parser.add_argument("--data", type=Path, required=True, help="folder that holds gazetteers/")
    parser.add_argument("--out", type=Path, required=True, help="folder to write the lists into")
    arguments = parser.parse_args(argv)
    lists = arguments.data / "gazetteers"
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name, read in (("people", people), ("places", places), ("bodies", bodies)):
        found = clean(read(lists), words=name != "bodies")
        text = "\n".join([f"# {CREDITS[name]}", *found]) + "\n"
        # A fixed time in the header: the same lists give the same file.
        (arguments.out / f"{name}.txt.gz").write_bytes(gzip.compress(text.encode("utf-8"), 9, mtime=0))
        print(f"{name}: {len(found):,} names")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
