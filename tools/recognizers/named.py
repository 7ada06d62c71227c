"""Names of people, companies and streets where a text sets them, and facts of lives."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise, takewhile

from gama.state.entities import Span
from gama.tools.knowledge.index import is_famous, is_forename, is_known, is_surname, look_up, may_be_forename
from gama.tools.recognizers.base import PlainText, label_ends, labels
from gama.tools.recognizers.declared import Declaration, declaration, no_word, stands_alone


def titled(body: PlainText, told: Declaration) -> Iterator[Span]:
    """Yield names behind an honorific: one part is a surname, more are a full name.

    Context decides on privacy: Dr. Freud is not private.
    """
    for regex, score in (("titled", 0.75), ("caps", 0.6)):
        for match in told.regex[regex].finditer(body):
            surname = _ALSO.match(match["v"])
            if found := _cut(match["v"]) or (surname[0] if surname else ""):
                start, subtype = match.start("v"), "full_name" if " " in found else "last_name"
                yield told.hit(start, start + len(found), subtype, score=score)


# Accepts words that end a letter or begin a sentence elsewhere, and are surnames behind a title: `Dr. Love`.
_ALSO = re.compile(r"(?:Love|Best|Kind|May|Will|Friday|Monday|March|Judge|Lord|Speaker|Reader)(?!\w)")


def signed(body: PlainText, told: Declaration) -> Iterator[Span]:
    """Yield those who write, and to whom, by place; never validated, because a shape is no proof of a name."""
    for match in told.regex["shop"].finditer(body):
        if (found := _cut(match["v"])) and look_up(found) is None:
            start = match.start("v")
            yield told.hit(start, start + len(found), "company", score=0.6, private=0.65)
    for match, score in (*_in_lines(body, told), *_in_speech(body, told)):
        if len(match["v"].rstrip(".")) == 1:
            yield told.hit(*match.span("v"), "initials", score=score, private=0.8)
        elif found := _cut(match["v"]):
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
        elif closed and (match := told.regex["letter_line"].match(body, at)):
            yield match, 0.7
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
    chat = [match for match in told.regex["chat"].finditer(body) if match["v"].lower() not in told.words["nobody"]]
    if len(chat) > 1:
        yield from ((match, 0.7) for match in chat)
    for match in told.regex["stamped"].finditer(body):
        if may_be_forename(match["v"].split()[0]):
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


def placed(body: PlainText, told: Declaration) -> Iterator[Span]:
    """Yield forenames in small letters, in the names of files and as initials, where their place says what they are."""
    for start, end in sorted(set(_by_place(body, told))):
        known = look_up(body[start:end].upper()) if end - start < 6 and body[start:end].islower() else None
        # "ask hmrc": a body with a short name, which nobody is called.
        if known and known.fame > 1 and "body" in known.kinds and not is_forename(body[start:end].title()):
            continue
        yield told.hit(start, end, "first_name", score=0.6, private=0.8)
    for match in _initials(body, told):
        yield told.hit(*match.span(match.lastgroup or 0), "initials", score=0.6, private=0.8)
    for match in told.regex["pair"].finditer(body):
        if not (stands_alone(match) and (may_be_forename(match["v"]) or may_be_forename(match["w"]))):
            continue
        strong = told.regex["together"].match(body, match.end()) is not None
        # Of two that are known as a pair, none is somebody one knows: "tom and jerry".
        known = look_up(match[0])
        if known and known.fame > 1 and not told.regex["writer"].search(body.low):
            yield told.hit(*match.span(), "first_name", score=0.5, private=0.0)
        elif all(_is_somebody(match[name], told, strong=strong) for name in ("v", "w")):
            for name in ("v", "w"):
                yield told.hit(*match.span(name), "first_name", score=0.6, private=0.8)


def _initials(body: PlainText, told: Declaration) -> Iterator[re.Match[str]]:
    """Yield initials behind who bids, of who was there or is to do something, and those that lines begin with."""
    # In a text of capitals every short word looks so.
    ends = (end for end in label_ends(body, told.words["bids"]) if not body[end - 1].isupper())
    behind = (told.regex["letters"].match(body, end) for end in ends)
    lists = (line.span("list") for line in told.regex["attendance"].finditer(body))
    listed = (match for start, end in lists for match in told.regex["short"].finditer(body, start, end))
    for match in (*behind, *listed, *told.regex["responsible"].finditer(body), *told.regex["acting"].finditer(body)):
        if match and match[match.lastgroup or 0] not in told.words["offices"]:
            yield match
    # One line may begin with a word in capitals; several are a list of people, as are several who do something.
    nobodys = {*told.words["offices"], *told.words["units"]}
    lines = list(told.regex["initialled"].finditer(body))
    several = {match["v"] for match in lines}
    if len(several) > 1 and not several.issubset(nobodys):
        yield from lines
    # In an interview each speaks more than once; in a log each may write once.
    speeches = [match for match in told.regex["speech"].finditer(body) if match["when"] or no_word(match["v"])]
    times = Counter(match["v"] for match in speeches)
    speakers = {match["v"] for match in speeches if match["when"] or times[match["v"]] > 1}
    if len(speakers) > 1 and not speakers.issubset(nobodys):
        yield from (match for match in speeches if match["v"] in speakers)
    tells = [match for match in told.regex["tells"].finditer(body) if match["v"] not in nobodys]
    if len({match["v"] for match in tells}) > 1:
        yield from tells


def _by_place(body: PlainText, told: Declaration) -> Iterator[tuple[int, int]]:
    """Yield where forenames stand: behind who bids, before what somebody does or has, joined, in the name of a file."""
    for end in label_ends(body, told.words["bids"]):
        match = told.regex["behind"].match(body, end)
        # Uncle Sam is nobody's.
        if match and (known := look_up(f"{body[max(0, end - 12) : end].split()[-1]}{match[0]}")) and known.fame > 1:
            continue
        while match and _is_somebody(match["v"], told, strong=_goes_on(body, match.end(), told)):
            yield match.span("v")
            match = told.regex["joined"].match(body, match.end())
    for end in label_ends(body, told.words["self"]):
        match = told.regex["behind"].match(body, end)
        if match and told.regex["ends"].match(body, match.end()) and _is_somebody(match["v"], told, strong=False):
            yield match.span("v")
    for end in label_ends(body, told.words["bids_one"]):
        match = told.regex["behind"].match(body, end)
        if match and _goes_on(body, match.end(), told) and _is_unlisted(match["v"], told):
            yield match.span("v")
    for kind in ("does", "beside"):
        for end, word in labels(body, told.words[kind]):
            first = max(0, end - len(word) - 20)
            match = told.regex["before"].search(body[first : end - len(word)])
            if match and _is_somebody(match["v"], told, strong=kind == "does"):
                yield first + match.start("v"), first + match.end("v")
    kinds = ("owner", "turkish", "greeted", "respected") if "'" in body else ("greeted", "respected")
    for kind in kinds:
        # The ending of a case, and greetings, stand with places, too.
        strong, world = kind in ("owner", "greeted"), kind in ("owner", "respected")
        for match in told.regex[kind].finditer(body if kind == "owner" else body.low):
            if stands_alone(match) and _is_somebody(match["v"], told, strong=strong, world=world):
                yield match.span("v")
    for match in told.regex["noted"].finditer(body):
        if _is_somebody(match["v"], told, strong=True) or _is_unlisted(match["v"].lower(), told):
            yield match.span("v")
    yield from _in_lines_of_people(body, told)
    for match in told.regex["file"].finditer(body):
        yield from _in_file(body, match, told)


def _in_lines_of_people(body: PlainText, told: Declaration) -> Iterator[tuple[int, int]]:
    """Yield what lines begin with where most of them begin with a forename, and not all of those are places."""
    lines = list(told.regex["speaks"].finditer(body))
    named = [match for match in lines if _is_somebody(match["v"], told, strong=True)]
    people = {match["v"].lower() for match in named if _is_somebody(match["v"], told, strong=False)}
    nowhere = any(_is_somebody(one, told, strong=True, world=False) for one in people)
    if len(people) > 1 and 2 * len(named) > len(lines) and nowhere:
        yield from (match.span("v") for match in named)


def _in_file(body: PlainText, file: re.Match[str], told: Declaration) -> Iterator[tuple[int, int]]:
    """Yield the names in the name of a file; behind a word such as `cv`, rare ones and the surname too."""
    parts = list(told.regex["part"].finditer(body, *file.span("v")))
    known = {one.end() for one, other in pairwise(parts) if is_famous(f"{one[0]} {other[0]}")}
    owned = 0
    for part in parts:
        word, begins = part[0].lower(), told.regex["whose"].search(body[file.start("v") : part.start()]) is not None
        listed = (may_be_forename(word) or is_surname(word)) and word not in told.words["file_words"]
        whose = listed and (begins or owned == part.start() - 1)
        if whose or (part.end() not in known and _is_somebody(word, told, strong=False)):
            owned = part.end() if whose else 0
            yield part.span()


def _goes_on(body: PlainText, at: int, told: Declaration) -> bool:
    """Return whether behind a place it is said what somebody is told or asked."""
    return told.regex["goes_on"].match(body.low, at) is not None


def _is_unlisted(word: str, told: Declaration) -> bool:
    """Return whether a word may be a nickname: it has no meaning that everybody knows, and no plural's ending."""
    return len(word) > 2 and word not in told.words["nobodys"] and no_word(word) and not word.endswith("s")


def _is_somebody(word: str, told: Declaration, *, strong: bool, world: bool = True) -> bool:
    """Return whether a word is a forename; one that means something else, too, only where its place is strong.

    Args:
        word: The word.
        told: Lists of words that are no names, or are something else, too.
        strong: Whether only names stand there.
        world: Whether the name of a place that the world knows is taken, too.
    """
    low = word.lower()
    # Without its accents, or with an ending, a word is looked up more slowly.
    listed = may_be_forename(low) or (not low.isascii() and is_forename(low))
    if not listed or low in told.words["nobodys"]:
        return False
    if not world:
        known = look_up(low)
        return known is None or "place" not in known.kinds
    if low in told.words["words_too"] or len(low) < 3:
        return strong and is_forename(low)
    return is_forename(low) or no_word(low)


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
    for end, word in labels(body, told.words["leading"]):
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
