"""Generated documents: forms, JSON, tables, logs and short prose about invented people.

They teach what a corpus of natural letters shows too rarely: the rare codes and sums, and the layouts in which
software writes them. Everything is drawn from `lexicon`, `formats` and `templates`.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from gama.evals.datasets.corpus import Example, Mark
from gama.training.composed import organisation, street_address
from gama.training.formats import email, formatted, handle, pattern
from gama.training.lexicon import LISTS, Lexicon
from gama.training.templates import LABELS, ORDINARY_FIELDS, ORDINARY_SENTENCES, PROFILE_SENTENCES, PUBLIC_SENTENCES

_SLOT = re.compile(r"\{([a-z_.:]+)\}")

_TIED = frozenset(("full_name", "first_name", "last_name", "initials", "email", "handle"))
# What must fit a person's other values, or names somebody.


@dataclass
class Person:
    """An invented person, whose values stay the same through a document."""

    rng: Random
    lexicon: Lexicon
    values: dict[str, str] = field(default_factory=dict)

    def value(self, subtype: str) -> str:
        """Return this person's value of a subtype, drawn at the first asking."""
        if subtype not in self.values:
            self.values[subtype] = self._draw(subtype)
        return self.values[subtype]

    def _draw(self, subtype: str) -> str:
        rng, lexicon = self.rng, self.lexicon
        if subtype == "full_name":
            first, last = self.value("first_name"), self.value("last_name")
            middle = rng.choice(
                ("", "", "", f" {rng.choice('ABCDEFGHJKLMNPRSTW')}.", " " + rng.choice(lexicon.forenames))
            )
            return f"{first}{middle} {last}"
        if subtype == "initials":
            return rng.choice(("{}.{}.", "{}{}", "{}. {}.")).format(
                self.value("first_name")[0], self.value("last_name")[0]
            )
        if subtype == "email":
            return email(rng, self.value("first_name"), self.value("last_name"))
        if subtype == "handle":
            return handle(rng, self.value("first_name"))
        if subtype == "street_address":
            return street_address(rng, rng.choice(LISTS["street"]))
        seen = lexicon.seen.get(subtype)
        if seen and subtype not in _TIED and rng.random() < 0.4:
            return rng.choice(seen)
        return organisation(subtype, rng, lexicon) or formatted(subtype, rng) or rng.choice(lexicon.values(subtype))


class Draft:
    """A text under construction together with its marks."""

    def __init__(self) -> None:
        """Start empty."""
        self._parts: list[str] = []
        self._marks: list[Mark] = []
        self._length = 0

    def write(self, text: str) -> None:
        """Append ordinary text."""
        self._parts.append(text)
        self._length += len(text)

    def mark(self, surface: str, subtypes: tuple[str, ...], private: bool | None = True) -> None:
        """Append a marked surface."""
        self._marks.append(Mark(self._length, self._length + len(surface), subtypes, private))
        self.write(surface)

    def example(self, source: str, annotated: frozenset[str] | None = None) -> Example:
        """Return what was written."""
        text, marks = "".join(self._parts), tuple(self._marks)
        return Example(text, marks, source=source) if annotated is None else Example(text, marks, annotated, source)


def _public(kind: str, rng: Random, lexicon: Lexicon) -> tuple[str, str]:
    if kind == "famous":
        name = rng.choice(lexicon.famous)
        return name, "full_name" if " " in name else "last_name"
    if kind == "city":
        # The most populous are not known here; capitals and well-known names are a small part of the list,
        # so public cities come with the famous lists of the corpus too.
        return rng.choice(lexicon.cities), "city"
    return rng.choice(lexicon.values(kind)), kind


def write_sentence(draft: Draft, template: str, people: tuple[Person, Person], rng: Random, lexicon: Lexicon) -> None:
    """Append one template, its slots filled."""
    last = 0
    for slot in _SLOT.finditer(template):
        draft.write(template[last : slot.start()])
        last = slot.end()
        name = slot[1]
        if name.startswith("public:"):
            surface, subtype = _public(name[7:], rng, lexicon)
            draft.mark(surface, (subtype,), False)
            continue
        person = people[name.startswith("b.")]
        subtype = name.removeprefix("b.")
        if subtype in LABELS or subtype == "initials":
            draft.mark(person.value(subtype), (subtype,))
        else:
            draft.write(_ordinary(subtype, rng))
    draft.write(template[last:])


def _ordinary(name: str, rng: Random) -> str:
    makers: dict[str, Callable[[], str]] = {
        "version": lambda: pattern(rng, "#.#.##", "v#.#", "20##b", "1#.#"),
        "code": lambda: pattern(rng, "E###", "0x%%%%%%%%", "ERR_####", "4##", "@@-###"),
        "product": lambda: rng.choice(("Lumen 300 lamp", "ThinkPad X1", "coffee grinder", "Model 8 piano", "AX-500")),
        "price": lambda: pattern(rng, "$##.99", "€#,##", "£##", "## euros"),
        "flight": lambda: pattern(rng, "@@###", "@@ ####"),
        "math": lambda: pattern(rng, "#y + ##", "##/#", "#² − #"),
        "section": lambda: pattern(rng, "#.#", "##", "9"),
        "isbn": lambda: pattern(rng, "978-#-###-#####-#", "978##########"),
    }
    return makers[name]()


def prose(rng: Random, lexicon: Lexicon) -> Example:
    """Return a few sentences about one or two people, with ordinary and general ones between."""
    people = (Person(rng, lexicon), Person(rng, lexicon))
    if rng.random() < 0.08:
        people[0].values["full_name"] = rng.choice(lexicon.famous)
    draft = Draft()
    share = rng.choice((0.0, 0.1, 0.1, 0.8))
    gap = rng.choice((" ", " ", "\n", "\n\n"))
    for at in range(rng.randint(2, 7)):
        draft.write(gap if at else "")
        pool = (
            PUBLIC_SENTENCES
            if rng.random() < share
            else ORDINARY_SENTENCES
            if rng.random() < 0.25
            else PROFILE_SENTENCES
        )
        write_sentence(draft, rng.choice(pool), people, rng, lexicon)
    return draft.example("generated")


def _fields(rng: Random, count: int) -> list[str]:
    kinds = [name for name in LABELS if rng.random() < 0.9]
    return rng.sample(kinds, min(count, len(kinds)))


def form(rng: Random, lexicon: Lexicon) -> Example:
    """Return a record as lines of label and value, as JSON, as a log line, or as one line with separators."""
    person = Person(rng, lexicon)
    names = _fields(rng, rng.randint(3, 14))
    items: list[tuple[str, str, str]] = [(rng.choice(LABELS[name]), person.value(name), name) for name in names]
    for label, values in rng.sample(ORDINARY_FIELDS, rng.randint(0, 4)):
        items.insert(rng.randint(0, len(items)), (label, rng.choice(values), ""))
    kind = rng.choice(("lines", "lines", "lines", "json", "log", "inline", "bullets"))
    draft = Draft()
    if kind == "json":
        draft.write(rng.choice(("{", "{\n  ", '[{"record": {')))
    elif kind == "log":
        draft.write(rng.choice(("level=info ", "[WARN] ", "audit: ", "")))
    elif rng.random() < 0.3:
        draft.write(
            rng.choice(
                ("CUSTOMER RECORD\n", "Registration form\n\n", "# Profile\n", "Please update:\n", "=== intake ===\n")
            )
        )
    between = {
        "lines": "\n",
        "json": rng.choice((", ", ",\n  ")),
        "log": " ",
        "inline": rng.choice(("; ", ", ", " | ")),
        "bullets": "\n",
    }[kind]
    colon = rng.choice((": ", ": ", ":", " - ", "\t", " = "))
    for at, (label, value, name) in enumerate(items):
        draft.write(between if at else "")
        if kind == "json":
            label = label.lower().replace(" ", "_").replace(".", "").replace("'", "")
            value = json.dumps(value, ensure_ascii=False)[1:-1]
            draft.write(f'"{label}": "')
        elif kind == "log":
            draft.write(label.lower().replace(" ", "_") + "=" + ("'" if " " in value else ""))
        else:
            draft.write(("- " if kind == "bullets" else "") + label + colon)
        if name:
            draft.mark(value, (name,))
        else:
            draft.write(value)
        draft.write('"' if kind == "json" else "'" if kind == "log" and " " in value else "")
    draft.write({"json": "}"}.get(kind, ""))
    return draft.example("generated")


def table(rng: Random, lexicon: Lexicon) -> Example:
    """Return a few rows of one table, with or without its header."""
    names = _fields(rng, rng.randint(3, 7))
    comma = rng.choice((",", ",", ";", "\t", " | "))
    draft = Draft()
    if rng.random() < 0.75:
        draft.write(comma.join(rng.choice(LABELS[name]) for name in names) + "\n")
    for _ in range(rng.randint(1, 4)):
        person = Person(rng, lexicon)
        for at, name in enumerate(names):
            draft.write(comma if at else "")
            value = person.value(name)
            if comma.strip() and comma.strip() in value:
                draft.write('"')
                draft.mark(value, (name,))
                draft.write('"')
            else:
                draft.mark(value, (name,))
        draft.write("\n")
    return draft.example("generated")


def generated(rng: Random, lexicon: Lexicon, count: int) -> Iterator[Example]:
    """Yield `count` generated documents: three of five prose, the rest forms and tables."""
    for _ in range(count):
        yield rng.choice((prose, prose, prose, form, form, table) if rng.random() < 0.9 else (prose,))(rng, lexicon)


_PRESIDIO: dict[str, str] = {
    "person": "full_name", "name": "full_name", "name_male": "full_name", "name_female": "full_name",
    "first_name_male": "first_name", "first_name_female": "first_name", "first_name_nonbinary": "first_name",
    "last_name_male": "last_name", "last_name_female": "last_name", "credit_card_number": "credit_card",
    "phone_number": "phone", "us_driver_license": "drivers_license", "organization": "company", "job": "occupation",
    "zipcode": "postcode", "address": "street_address", "date_time": "date", "day_of_week": "date", "year": "date",
    "state_abbr": "region", "street_name": "street_address", "secondary_address": "street_address",
    "building_number": "street_address", "nation_woman": "nationality", "nation_plural": "nationality",
}  # fmt: skip
_PRESIDIO_SLOT = re.compile(r"\{\{ *([a-z_]+) *\}\}")


def read_presidio(root: Path, rng: Random, lexicon: Lexicon) -> Iterator[Example]:
    """Yield presidio-research's sentence templates (MIT), filled with our own values.

    Templates that build an address from parts are left out: our spans join street and number.
    """
    parts = ("building_number", "street_name", "secondary_address", "nation_plural", "nation_woman", "state_abbr")
    text = (root / "presidio" / "templates.txt").read_text(encoding="utf-8", errors="replace")
    for line in text.splitlines():
        slots = _PRESIDIO_SLOT.findall(line)
        if not line.strip() or set(slots) & set(parts):
            continue
        person, draft, last = Person(rng, lexicon), Draft(), 0
        for slot in _PRESIDIO_SLOT.finditer(line):
            draft.write(line[last : slot.start()].replace("\\n", "\n"))
            last = slot.end()
            subtype = _PRESIDIO.get(slot[1], slot[1])
            if subtype in LABELS:
                draft.mark(
                    person.value(subtype), (subtype,), None if subtype in ("city", "country", "company") else True
                )
            else:
                draft.write({"prefix": "Mr.", "prefix_male": "Mr.", "prefix_female": "Mrs."}.get(subtype, subtype))
        draft.write(line[last:].replace("\\n", "\n"))
        yield draft.example("presidio")
