"""New versions of a text: other names and codes, other case, typing errors, wrappers of mail and data formats.

Every change moves the marks along. The changes are those that real input shows and 750 records cannot show
often enough; their rates stand in `Rates`.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random

from gama.evals.datasets.corpus import Example, Mark, one_text
from gama.state.entities import TYPE_OF
from gama.training.composed import organisation, street_address
from gama.training.formats import email, formatted, handle, reshape
from gama.training.lexicon import LISTS, Lexicon

_NAME_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_PARTICLES = frozenset(
    "van der den de da do dos das di del della la le el al bin bint ibn von zu ter ten y e i of the mac st".split()
)
_KEEP_WORDS = frozenset(("jr", "sr", "ii", "iii", "iv", "viii", "o", "abu", "umm", "ben"))
_CODE = frozenset(
    "ssn drivers_license bank_account iban credit_card phone ip_address mac_address password password_hash api_key "
    "passport tax_id employee_id student_id patient_id case_number order_number vehicle_plate crypto_wallet device_id "
    "other_id".split()
)
_DRAWN = frozenset(
    "city country region company school occupation nationality ethnicity race religion political_affiliation "
    "education_level degree language blood_type medical_condition disability marital_status family "
    "sexual_orientation physical_feature ngo other_org healthcare facility nickname date date_of_birth time duration "
    "age height weight income expenses balance loan bonus credit_limit tax_payment amount postcode".split()
)


@dataclass(frozen=True)
class Rates:
    """How often each change is made."""

    surrogates: float = 0.75
    """Texts whose names and codes are drawn anew: most, so that no name is learnt by heart."""
    drawn: float = 0.35
    """Other spans of such a text that are drawn anew: fewer, since they must fit their sentence."""
    organisations: float = 0.55
    """Names of organisations and places of such a text that are drawn anew: they fit nearly anywhere."""
    famous: float = 0.08
    """Private full names that become a famous one: context, not fame, decides."""
    unknown: float = 0.4
    """Short texts whose public people become private ones that nobody knows: a question about a name does not make it
    public knowledge."""
    lower: float = 0.12
    """Texts in small letters, as chats are."""
    upper: float = 0.05
    """Texts in capitals, as forms are."""
    typos: float = 0.06
    """Texts with slips of the keyboard outside and inside names."""
    wrapped: float = 0.12
    """Texts inside a mail, a JSON string, a log line or a table cell."""
    spaced: float = 0.04
    """Texts with Windows line ends or runs of spaces."""
    inverted: float = 0.05
    """Texts whose full names stand as registers write them: `Doe, Jane` or `DOE, Jane`."""
    titled: float = 0.07
    """Texts in which titles and roles, never part of a span, stand before some names."""


def edit(example: Example, surfaces: dict[int, str]) -> Example:
    """Replace the surfaces of some marks (by their position in the list) and move all others along."""
    parts: list[str] = []
    marks: list[Mark] = []
    last = length = 0
    for at, mark in enumerate(example.marks):
        before = example.text[last : mark.start]
        surface = surfaces.get(at, example.text[mark.start : mark.end])
        start = length + len(before)
        length = start + len(surface)
        parts += (before, surface)
        marks.append(replace(mark, start=start, end=length))
        last = mark.end
    parts.append(example.text[last:])
    return replace(example, text="".join(parts), marks=tuple(marks))


def _cased(new: str, old: str) -> str:
    if old.islower():
        return new.lower()
    if old.isupper() and len(old) > 1:
        return new.upper()
    return new


def redraw(example: Example, lexicon: Lexicon, rates: Rates, rng: Random) -> Example:
    """Give a text's people other names (the same word always the same new one), other codes, other details."""
    words: dict[str, str] = {}
    surfaces: dict[int, str] = {}
    people: dict[str, str] = {}
    whole: dict[tuple[str, str], str] = {}

    def new_word(word: str, subtype: str, first: bool) -> str:
        key = word.lower()
        if key in _PARTICLES or key in _KEEP_WORDS or len(word) == 1:
            return word
        if key not in words:
            pool = (
                lexicon.forenames if subtype == "first_name" or (subtype == "full_name" and first) else lexicon.surnames
            )
            # A name of several words would change how many words the mention has.
            words[key] = rng.choice(pool).split(" ")[0]
        return _cased(words[key], word)

    for at, mark in enumerate(example.marks):
        old = example.text[mark.start : mark.end]
        subtype = mark.subtypes[0] if mark.subtypes else ""
        if not subtype or (len(mark.subtypes) > 1 and subtype not in ("full_name", "first_name")):
            continue
        if mark.private is False:
            if subtype == "full_name" and " " in old and rng.random() < 0.6:
                surfaces[at] = whole.setdefault((subtype, old.lower()), rng.choice(lexicon.famous))
                surfaces[at] = _cased(surfaces[at], old)
        elif subtype in ("full_name", "first_name", "last_name"):
            subject = mark.subject or "-"
            if subtype == "full_name" and (subject not in people) and rng.random() < rates.famous:
                people[subject] = rng.choice(lexicon.famous)
                for part, new in zip(_NAME_WORD.findall(old), people[subject].split(), strict=False):
                    words.setdefault(part.lower(), new)
            count = 0
            kind = subtype

            def swap(match: re.Match[str], kind: str = kind) -> str:
                nonlocal count
                count += 1
                return new_word(match[0], kind, count == 1)

            surfaces[at] = _NAME_WORD.sub(swap, old)
        elif subtype in ("email", "handle"):
            first, last = rng.choice(lexicon.forenames), rng.choice(lexicon.surnames)
            make = email(rng, first, last) if subtype == "email" else handle(rng, first)
            if subtype == "handle" and old[:1] == "@" and make[0] != "@":
                make = "@" + make.removeprefix("u/")
            surfaces[at] = whole.setdefault((subtype, old), make)
        elif subtype in _CODE:
            fresh = reshape(old, rng) if rng.random() < 0.6 else formatted(subtype, rng) or old
            surfaces[at] = whole.setdefault((subtype, old), fresh)
        elif rng.random() < (rates.organisations if TYPE_OF[subtype] in ("ORG", "LOC") else rates.drawn):
            surfaces[at] = whole.setdefault((subtype, old.lower()), _drawn(old, subtype, lexicon, rng))
    return edit(example, surfaces)


def _drawn(old: str, subtype: str, lexicon: Lexicon, rng: Random) -> str:
    if subtype == "street_address":
        return street_address(rng, rng.choice(LISTS["street"])) if rng.random() < 0.5 else reshape(old, rng)
    if subtype not in _DRAWN:
        return old
    # Random digits would make impossible dates and times, which no format allows.
    dated = subtype in ("date", "date_of_birth", "time")
    if not dated and any(char.isdigit() for char in old) and rng.random() < 0.5:
        return reshape(old, rng)
    seen = [value for value in lexicon.seen.get(subtype, ()) if value[:1].isdigit() == old[:1].isdigit()]
    if seen and rng.random() < 0.6:
        return _cased(rng.choice(seen), old)
    values = lexicon.values(subtype)
    fresh = organisation(subtype, rng, lexicon) or (rng.choice(values) if values else formatted(subtype, rng))
    return _cased(fresh or old, old)


SHORT = 300
"""Longest text, in characters, whose public people may become private: a longer one tells that they are public."""


def estrange(example: Example, lexicon: Lexicon, rng: Random) -> Example:
    """Put people whom nobody knows, and who are private, in the place of a text's public ones.

    Only where each of these stands with his full name: what is said of him by a part of it could not follow.
    """
    public = {at: mark for at, mark in enumerate(example.marks) if mark.private is False and _is_person(mark)}
    old = {at: example.text[mark.start : mark.end] for at, mark in public.items()}
    if any(public[at].subtypes != ("full_name",) or " " not in name for at, name in old.items()):
        return example
    words = sorted({name.casefold() for name in old.values()})
    drawn = {word: f"{rng.choice(lexicon.forenames)} {rng.choice(lexicon.surnames)}" for word in words}
    fresh = edit(example, {at: _cased(drawn[name.casefold()], name) for at, name in old.items()})
    marks = (replace(mark, private=True) if at in public else mark for at, mark in enumerate(fresh.marks))
    return replace(fresh, marks=tuple(marks))


def _is_person(mark: Mark) -> bool:
    return bool(mark.subtypes) and TYPE_OF[mark.subtypes[0]] == "PER"


_TITLES = (
    "Mr Mrs Ms Miss Mx Dr Dr. Mr. Mrs. Ms. Prof. Professor Sir Dame Lady Lord Rev. Father Sister Brother Rabbi "
    "Imam Sheikh Sgt Sgt. Lt. Capt. Captain Col Col. Major Cllr Hon. Judge Justice Nurse Coach Chef Señor Señora "
    "Sr. Sra. Don Doña Dona Herr Frau Mag. Ing. Dipl.-Ing. Monsieur Mme Madame Mlle Maître Me Signor Signora "
    "Dott. Avv. Pan Pani Mevrouw Meneer Fru Hr. Aunt Auntie Uncle Grandma Grandpa Nana Oma Opa Tía Tío Tante "
    "Onkel Cousin Ustaz Haji Hajah Datuk Smt. Shri Ustad Pastor Deacon PC DC Det. Officer Constable Inspector"
).split()


def invert(example: Example, rng: Random) -> Example:
    """Write the private full names of two or three words surname first, all in the same way."""
    capitals, bare = rng.random() < 0.4, rng.random() < 0.15
    surfaces: dict[int, str] = {}
    for at, mark in enumerate(example.marks):
        words = example.text[mark.start : mark.end].split()
        if mark.subtypes[:1] != ("full_name",) or len(mark.subtypes) > 1 or mark.private is False:
            continue
        if len(words) in (2, 3) and not any(word.endswith(",") or word.lower() in _PARTICLES for word in words):
            last = words[-1].upper() if capitals else words[-1]
            surfaces[at] = f"{last}{' ' if bare and capitals else ', '}{' '.join(words[:-1])}"
    return edit(example, surfaces)


def entitle(example: Example, rng: Random) -> Example:
    """Put a title, unmarked, before some of the names."""
    title = rng.choice(_TITLES)
    small = example.text.islower()
    chosen = {
        mark.start
        for mark in example.marks
        if mark.subtypes[:1] in (("full_name",), ("last_name",), ("first_name",))
        and example.text[max(0, mark.start - 2) : mark.start] not in (". ", ".\t")
        and rng.random() < 0.5
    }
    at = -1

    def put(char: str) -> str:
        nonlocal at
        at += 1
        return f"{title.lower() if small else title} {char}" if at in chosen else char

    # The title belongs to the text before the mark, so the mark's first character moves behind it.
    moved = by_character(example, put)
    extra = len(title) + 1
    marks = tuple(
        replace(mark, start=mark.start + extra) if old.start in chosen else mark
        for mark, old in zip(moved.marks, example.marks, strict=True)
    )
    return replace(moved, marks=marks)


def by_character(example: Example, change: Callable[[str], str]) -> Example:
    """Change every character on its own, to any number of characters, and move the marks along."""
    places = [0]
    parts: list[str] = []
    for char in example.text:
        parts.append(change(char))
        places.append(places[-1] + len(parts[-1]))
    marks = tuple(replace(mark, start=places[mark.start], end=places[mark.end]) for mark in example.marks)
    return replace(example, text="".join(parts), marks=marks)


def mistype(example: Example, rng: Random) -> Example:
    """Drop, double or change about one letter in forty, never the first or last of a span or any digit."""
    edges = {place for mark in example.marks for place in (mark.start, mark.end - 1)}
    near = "qwertyuiopasdfghjklzxcvbnm"
    at = -1

    def slip(char: str) -> str:
        nonlocal at
        at += 1
        if at in edges or not char.isalpha() or not char.isascii() or rng.random() > 0.025:
            return char
        return rng.choice(("", char * 2, near[(near.index(char.lower()) + 1) % len(near)]))

    return by_character(example, slip)


def surround(example: Example, before: str, after: str) -> Example:
    """Put ordinary text before and after."""
    shift = len(before)
    marks = tuple(replace(mark, start=mark.start + shift, end=mark.end + shift) for mark in example.marks)
    return replace(example, text=before + example.text + after, marks=marks)


def wrap(example: Example, rng: Random) -> Example:
    """Put a text into what software puts around it: a JSON string, a log line, a quoted cell, a mail, a prompt."""
    kind = rng.choice(("json", "log", "cell", "mail", "quote", "prompt", "html", "escaped"))
    if kind in ("json", "escaped"):
        inner = by_character(example, lambda char: {"\n": "\\n", '"': '\\"', "\t": "\\t", "\r": ""}.get(char, char))
        key = rng.choice(("text", "body", "message", "note", "content", "description"))
        head = rng.choice(("", f'"id": {rng.randint(1, 9999)}, ', '"type": "note", ', '"lang": "en", '))
        return surround(inner, f'{{{head}"{key}": "', '"}')
    if kind == "log":
        return surround(example, rng.choice(("INFO  [worker-3] ", "DEBUG app.mail: ", "msg=", "> ")), "")
    if kind == "cell":
        inner = by_character(example, lambda char: '""' if char == '"' else char)
        return surround(inner, f'{rng.randint(1, 900)},open,"', '",0\n')
    if kind == "mail":
        head = rng.choice(
            (
                "Subject: Re: your request\n\n",
                "Content-Type: text/plain\n\n",
                "-----Original Message-----\n",
                "FWD:\n\n",
            )
        )
        return surround(example, head, rng.choice(("", "\n--\nSent from my phone", "\n\nThis e-mail is confidential.")))
    if kind == "quote":
        inner = by_character(example, lambda char: "\n> " if char == "\n" else char)
        return surround(inner, "> ", "\n")
    if kind == "html":
        return surround(example, rng.choice(("<p>", "<div>", "<td>")), rng.choice(("</p>", "</div>", "</td>")))
    return surround(
        example,
        rng.choice(("Summarise this:\n\n", "Translate the following: ", "Please rewrite politely:\n", "Q: ")),
        "",
    )


_JOINTS = ("\n\n", "\n\n", "\n", "\n\n\n", "\n---\n", "\n\n***\n\n", " ")


def join(examples: Sequence[Example], share: float, rng: Random) -> list[Example]:
    """Put a share of the texts together into long ones, two to eight at a time, as people paste them.

    Texts are joined only with others of which as much is marked.
    """
    alone, kinds = list[Example](), dict[frozenset[str], list[Example]]()
    for example in rng.sample(examples, len(examples)):
        (kinds.setdefault(example.annotated, []) if rng.random() < share else alone).append(example)
    for items in kinds.values():
        while items:
            alone.append(one_text(items[: (count := rng.randint(2, 8))], rng.choice(_JOINTS)))
            del items[:count]
    return alone


def augment(example: Example, lexicon: Lexicon, rates: Rates, rng: Random) -> Example:
    """Return one new version of an example, by chance the same."""
    if len(example.text) <= SHORT and rng.random() < rates.unknown:
        example = estrange(example, lexicon, rng)
    if rng.random() < rates.surrogates:
        example = redraw(example, lexicon, rates, rng)
    if rng.random() < rates.inverted:
        example = invert(example, rng)
    if rng.random() < rates.titled:
        example = entitle(example, rng)
    dice = rng.random()
    if dice < rates.lower:
        example = by_character(example, lambda char: char.lower())
    elif dice < rates.lower + rates.upper:
        example = by_character(example, lambda char: char.upper())
    if rng.random() < rates.typos:
        example = mistype(example, rng)
    if rng.random() < rates.wrapped:
        example = wrap(example, rng)
    if rng.random() < rates.spaced:
        example = by_character(example, lambda char: "\r\n" if char == "\n" else char)
    return example
