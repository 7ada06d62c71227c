"""Names of people, companies and streets where a text sets them, and facts of lives."""

import re
from collections.abc import Iterator
from itertools import takewhile

from gama.state.entities import Span
from gama.tools.knowledge.index import is_forename, is_known, is_surname, look_up
from gama.tools.recognizers.base import PlainText, label_ends
from gama.tools.recognizers.declared import Declaration, declaration


def titled(body: PlainText, told: Declaration) -> Iterator[Span]:
    """Yield names behind an honorific: one part is a surname, more are a full name.

    Context decides on privacy: Dr. Freud is not private.
    """
    for regex, score in (("titled", 0.75), ("caps", 0.6)):
        for match in told.regex[regex].finditer(body):
            if found := _cut(match["v"]):
                start, subtype = match.start("v"), "full_name" if " " in found else "last_name"
                yield told.hit(start, start + len(found), subtype, score=score)


def signed(body: PlainText, told: Declaration) -> Iterator[Span]:
    """Yield those who write, and to whom, by place; never validated, because a shape is no proof of a name."""
    for match in told.regex["shop"].finditer(body):
        if (found := _cut(match["v"])) and look_up(found) is None:
            start = match.start("v")
            yield told.hit(start, start + len(found), "company", score=0.6, private=0.65)
    for match, score in (*_in_lines(body, told), *_in_speech(body, told)):
        if found := _cut(match["v"]):
            start, subtype = match.start("v"), "full_name" if " " in found else "first_name"
            yield told.hit(start, start + len(found), subtype, score=score, private=0.8)


def _in_lines(body: PlainText, told: Declaration) -> Iterator[tuple[re.Match[str], float]]:
    at, closed = 0, False
    for line in body.split("\n"):
        if match := told.regex["greeting"].match(body, at):
            yield match, 0.7
        elif match := told.regex["field"].match(body, at):
            yield match, 0.65
        elif closed and (match := told.regex["name_line"].match(body, at)):
            yield match, 0.75
        if line.strip():
            closed = bool(told.regex["closing"].search(line[-48:].lower()))
        at += len(line) + 1


def _in_speech(body: PlainText, told: Declaration) -> Iterator[tuple[re.Match[str], float]]:
    for end in label_ends(body, told.words["self"]):
        if match := told.regex["said"].match(body, end):
            yield match, 0.75
    for end in label_ends(body, told.words["named"]):
        if match := told.regex["said"].match(body, end):
            yield match, 0.6
    for name in ("closed", "kin", "speaker"):
        for match in told.regex[name].finditer(body):
            yield match, 0.65
    for since in told.regex["since"].finditer(body):
        match = told.regex["listed"].search(body, max(0, since.start() - 80), since.start())
        # A country may be a member, too.
        if match and not is_known(match["v"], "LOC"):
            yield match, 0.65
    for end in label_ends(body, told.words["i_am"]):
        match = told.regex["said"].match(body, end)
        if match and told.regex["stop"].match(body, match.end()):
            yield match, 0.55


def _cut(name: str) -> str:
    """Cut a shape off before the first word that is not a name: "Bell The" → "Bell"; possessives too."""
    not_names = declaration("person_title").words["not_names"]
    kept = " ".join(takewhile(lambda word: word.strip(".") not in not_names, name.split(" ")))
    for ending in ("'s", "'", "-"):
        kept = kept.removesuffix(ending)
    return kept if any(char.isupper() for char in kept) and len(kept) > 1 else ""


def in_scripts(body: PlainText, told: Declaration) -> Iterator[Span]:
    """Yield names in scripts and languages that the embedded tagger has not learnt, by rules and lists of their own."""
    if not body.is_foreign:
        return
    from gama.tools.languages.names import names

    for start, end, subtype, announced in names(body):
        yield told.hit(start, end, subtype, score=0.7 if announced else 0.6, private=0.8)


def by_library(body: PlainText, told: Declaration) -> Iterator[Span]:
    """Yield names in a language that a library knows which is made for it, where that is installed."""
    if not body.is_foreign:
        return
    from gama.tools.languages.libraries import reader

    for start, end, subtype in reader(told.name).names(body):
        yield told.hit(start, end, subtype, score=0.6, private=0.8)


def spaced(body: PlainText, told: Declaration) -> Iterator[Span]:
    """Yield names whose letters stand apart: two words in the case of names, or one that lists of names have."""
    for match in told.regex["run"].finditer(body):
        words = ["".join(word.split(" ")) for word in re.split(" {2,}", match[0])]
        named = all(word.istitle() for word in words) and len(words) > 1
        if named or any(is_forename(word.title()) or is_surname(word.title()) for word in words):
            yield told.hit(*match.span(), "full_name" if len(words) > 1 else "first_name", score=0.6, private=0.8)


_LONGEST = 120
"""Characters of the longest name."""


def by_form(body: PlainText, told: Declaration) -> Iterator[Span]:
    """Yield the names of companies with their legal form, without the words of the sentence before them."""
    for form in told.regex["form"].finditer(body):
        name = told.regex["name"].search(body, max(0, form.start() - _LONGEST), form.start() + 1)
        if name is None:
            continue
        start = name.start()
        for word in name[0].split()[:-1]:
            if word not in told.words["ahead"]:
                break
            start = body.index(word, start) + len(word) + 1
        said = body[start : form.start()].strip(" ,")
        if said not in told.words["ahead"] and any(map(str.isalpha, said)):
            yield told.hit(start, form.end(), "company", score=0.8)


_CLAUSE = 160
"""Characters before a fact that are looked at."""


def told_of(body: PlainText, told: Declaration) -> Iterator[Span]:
    """Yield facts in plain words where they are told of the writer, or of somebody of the writer's."""
    if body.missing.issuperset(told.words["hints"]):
        return
    for subtype in told.tree["subtypes"]:
        for match in told.regex[subtype].finditer(body.low):
            if _is_somebodys(body, match.start(), told):
                yield told.hit(*match.span(), subtype, score=0.6, private=0.8)


def _is_somebodys(body: PlainText, at: int, told: Declaration) -> bool:
    first = max(0, at - _CLAUSE)
    for end in told.regex["sentence"].finditer(body.low, first, at):
        first = end.end()
    clause = body.low[first:at]
    if told.regex["owner"].search(clause):
        return True
    return told.regex["other"].search(clause) is not None and told.regex["writer"].search(body.low) is not None


SURE = 0.7
"""Score from which on an address is more than a likeness."""
DOOR = 0.65
"""Probability that an address with a house number is private, where nobody judges its context."""


def addresses(body: PlainText, told: Declaration) -> Iterator[Span]:
    """Yield addresses from their number or their word for a street, outwards.

    A street with a house number is somebody's door; of a street alone the context decides.
    """
    numbered = (found for at in body.numbers if (found := _from_number(body, at, told)))
    for start, end, score in (*numbered, *_from_word(body, told)):
        private = DOOR if score >= SURE and any(map(str.isdigit, body[start:end])) else None
        yield told.hit(start, end, "street_address", score=score, private=private)


def _from_number(body: PlainText, at: int, told: Declaration) -> tuple[int, int, float] | None:
    before = body[max(0, at - 64) : at]
    if match := told.regex["english"].match(body, at):
        flat = told.regex["flat_before"].search(before[-20:])
        return at - len(flat[0] if flat else ""), match.end(), 0.8
    if match := told.regex["chat"].match(body, at):
        return at, match.end(), 0.5
    if at < 4 or body[at - 1] != " ":
        return None
    if body.low[max(0, at - 12) : at - 1].endswith(told.words["suffixes"]):
        match, street = told.regex["house"].match(body, at), told.regex["germanic_before"].search(before)
        if match and street and len(street[0]) > 5:
            return at - len(street[0]), match.end(), 0.8
    match = told.regex["preposition_house"].match(body, at)
    street = told.regex["preposition"].search(before) if match and body[at - 2].isalpha() else None
    return (at - len(street[0]), match.end(), 0.55) if match and street else None


def _from_word(body: PlainText, told: Declaration) -> Iterator[tuple[int, int, float]]:
    for word in told.words["leading"]:
        for end in label_ends(body, (word,)):
            match = told.regex["after_leading"].match(body, end)
            if match and (body[end] == " " or word.endswith(("/", "."))):
                start = end - len(word)
                before = told.regex["number_before"].search(body[max(0, start - 14) : start])
                house = before or any(char.isdigit() for char in match[0])
                yield start - len(before[0] if before else ""), match.end(), 0.7 if house else 0.5
    for match in told.regex["named"].finditer(body):
        floor = max(0, match.start() - 52)
        if name := told.regex["name_before"].search(body[floor : match.start()]):
            yield floor + name.start(), match.end(), 0.4


def addresses_in_scripts(body: PlainText, told: Declaration) -> Iterator[Span]:
    """Yield what stands behind the label of an address in another script, to the end of its line."""
    for end in label_ends(body, told.words["labels"]) if body.is_foreign else ():
        if match := told.regex["line"].match(body, end):
            start, stop = match.span("v")
            yield told.hit(start, start + len(body[start:stop].rstrip(" .,")), "street_address", score=0.7, private=0.8)
