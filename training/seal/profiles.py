"""Synthetic persons and what they write, for attackers and refiners: our own sentences, free of anybody's licence.

The folder `cues` has sentences that give an attribute of their writer away without naming it, and neutral ones. Each
is for training, for tuning or for measuring, by a checksum of its telling part, and so is each person: what is
measured on has only sentences that no training has seen. Facts of a country and tasks of a trade go into forms, which
the parts share. A text of a person mixes cues with neutral sentences.

    python -m gama.training.seal.profiles --count 120 --out evals/data/anonymize/development.jsonl
"""

import argparse
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Literal, NamedTuple
from zlib import crc32

CUES = Path(__file__).parent / "cues"
Part = Literal["train", "dev", "held"]
SHARES = 5
"""Of so many cues one is measured with and one is tuned with; the others are trained on."""

INCOMES = {
    "no income": "no income",
    "low": "low (<30k USD)",
    "medium": "medium (30-60k USD)",
    "high": "high (60-150k USD)",
    "very high": "very high (>150k USD)",
}
"""The groups of the cues and the options of the attribute."""
CITIES = {
    "United States": "Denver", "United Kingdom": "Leeds", "Ireland": "Cork", "Canada": "Calgary",
    "Australia": "Brisbane", "New Zealand": "Dunedin", "Germany": "Bremen", "Switzerland": "Lucerne",
    "Austria": "Graz", "France": "Nantes", "Spain": "Bilbao", "Italy": "Bologna", "Netherlands": "Utrecht",
    "Sweden": "Uppsala", "Norway": "Bergen", "Finland": "Tampere", "Poland": "Poznan", "Russia": "Kazan",
    "Turkey": "Bursa", "India": "Pune", "Japan": "Nagoya", "China": "Chengdu", "Brazil": "Recife",
    "Mexico": "Puebla", "South Africa": "Durban",
}  # fmt: skip
"""A town of each country, for what is named outright."""
_PARTNER = re.compile(r"\b(?:wife|husband|girlfriend|boyfriend|hubby|fianc\w+|widow\w*|bride\w*)\b", re.IGNORECASE)


class Cue(NamedTuple):
    """A sentence that gives one attribute away; a neutral one has no attribute."""

    text: str
    attribute: str
    value: str
    part: Part

    @property
    def tells_gender(self) -> bool:
        """Whether it names a partner or a role that hints at the gender too: no example of a sentence without hints."""
        return self.attribute != "gender" and bool(_PARTNER.search(self.text))


class Profile(NamedTuple):
    """A person and what they write."""

    id: str
    truth: Mapping[str, str]
    """What is true of them; only attributes that the text gives away or names."""
    text: str


def part_of(telling: str) -> Part:
    """Return the part to which a telling phrase belongs."""
    at = crc32(telling.encode()) % SHARES
    return "held" if at == 0 else "dev" if at == 1 else "train"


@cache
def cues() -> tuple[Cue, ...]:
    """Return all cues and the neutral sentences."""
    found = [
        Cue(line, attribute, INCOMES.get(value, value), part_of(line))
        for attribute in ("age", "gender", "relationship", "education", "income")
        for value, lines in _groups(f"{attribute}.txt")
        for line in lines
    ]
    found += [Cue(line, "", "", part_of(line)) for _, lines in _groups("neutral.txt") for line in lines]
    forms = [line for _, lines in _groups("occupation_forms.txt") for line in lines]
    for value, lines in _groups("occupation.txt"):
        for task in "; ".join(lines).split("; "):
            found += [Cue(form.replace("{x}", task), "occupation", value, part_of(task)) for form in forms]
    by_kind = dict(_groups("country_forms.txt"))
    for value, lines in _groups("countries.txt"):
        for kind, _, facts in (line.partition(": ") for line in lines):
            for fact in facts.split("; "):
                for attribute, _, form in (line.partition(" | ") for line in by_kind[kind]):
                    sentence = form.replace("{x}", fact)
                    found.append(Cue(sentence, attribute, value, part_of(sentence)))
    return tuple(found)


def _groups(name: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the groups of a file: a heading `# value`, then a line for each cue."""
    value, lines = "", list[str]()
    for line in (CUES / name).read_text("utf-8").splitlines():
        if line.startswith("# "):
            if lines:
                yield value, lines
            value, lines = line[2:], []
        elif line.strip():
            lines.append(line.strip())
    yield value, lines


@cache
def _by_value(part: Part) -> Mapping[tuple[str, str], Sequence[Cue]]:
    found: dict[tuple[str, str], list[Cue]] = defaultdict(list)
    for cue in cues():
        if cue.part == part:
            found[cue.attribute, cue.value].append(cue)
    return found


def profiles(part: Part, count: int, seed: int = 18) -> list[Profile]:
    """Return persons who write with the sentences of one part, the same for a seed."""
    rng = Random(f"{part} {seed}")
    return [_profile(f"{part}-{number:04d}", part, rng) for number in range(1, count + 1)]


def _person(rng: Random) -> dict[str, str]:
    """Return the eight attributes of a person, such that they go together."""
    age = rng.choice((15, 16, 17, *range(20, 29), *range(31, 39), *range(41, 49), *range(52, 64), *range(67, 82)))
    countries = list(CITIES)
    home = rng.choice(countries)
    person = {
        "age": str(age),
        "gender": rng.choice(("male", "female")),
        "location": home,
        "birthplace": rng.choice([one for one in countries if one != home]),
    }
    if age < 18:
        return person | {"education": "in high school", "income": INCOMES["no income"], "relationship": "no relation"}
    schooling = ["no high school", "high school diploma", "college degree"]
    schooling += ["in college"] * 3 if age < 30 else ["PhD"]
    person["education"] = rng.choice(schooling)
    person["income"] = rng.choice(list(INCOMES.values()))
    person["relationship"] = rng.choice(("no relation", "in relation", "married", "divorced"))
    if age < 65 and person["education"] != "in college" and person["income"] != INCOMES["no income"]:
        person["occupation"] = rng.choice([value for value, _ in _groups("occupation.txt")])
    return person


def _profile(name: str, part: Part, rng: Random) -> Profile:
    person = _person(rng)
    told = rng.sample(sorted(person), rng.randint(4, 6))
    hints = [hint for attribute in told for hint in _hints(attribute, person, part, rng)]
    neutral = rng.sample(_by_value(part)["", ""], min(len(_by_value(part)["", ""]), rng.randint(12, 16)))
    sentences = [*hints, *(cue.text for cue in neutral)]
    rng.shuffle(sentences)
    cuts = sorted({0, len(sentences), *(rng.randrange(1, len(sentences)) for _ in range(6))})
    text = "\n\n".join(" ".join(sentences[a:b]) for a, b in pairwise(cuts))
    return Profile(name, {attribute: person[attribute] for attribute in told}, text)


def _hints(attribute: str, person: Mapping[str, str], part: Part, rng: Random) -> Iterator[str]:
    """Yield one or two sentences that give an attribute away, at times one that names it."""
    value = group_of_age(int(person["age"])) if attribute == "age" else person[attribute]
    known = [cue for cue in _by_value(part)[attribute, value] if _goes_with(cue, person["gender"])]
    yield from (cue.text for cue in rng.sample(known, min(len(known), rng.choice((1, 1, 2)))))
    named = dict(_groups("named.txt")).get(attribute)
    if named and rng.random() < 0.3:
        yield rng.choice(named).replace("{x}", person[attribute]).replace("{city}", CITIES.get(person[attribute], ""))


def _goes_with(cue: Cue, gender: str) -> bool:
    """Return whether a sentence contradicts none of the sentences that the gender has in the cues."""
    words = {
        "male": r"husband|boyfriend|hubby|maiden|dress|widow\b|single mother|fiancé\b",
        "female": r"wife|girlfriend|bachelor|weekend dad|fiancée",
    }
    return cue.attribute == "gender" or not re.search(rf"\b(?:{words[gender]})", cue.text, re.IGNORECASE)


def group_of_age(age: int) -> str:
    """Return the group of years of the cues to which an age belongs."""
    return next(value for value, _ in _groups("age.txt") if int(value.split("-")[0]) <= age <= int(value.split("-")[1]))


def main(flags: Sequence[str] | None = None) -> None:
    """Write profiles as a file of lines."""
    parser = argparse.ArgumentParser(description="Write synthetic profiles.")
    parser.add_argument("--part", default="held", choices=("train", "dev", "held"))
    parser.add_argument("--count", type=int, default=120)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args(flags)
    with given.out.open("w", encoding="utf-8") as out:
        for one in profiles(given.part, given.count):
            out.write(json.dumps(one._asdict(), ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
