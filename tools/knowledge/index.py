"""The public-knowledge index: some two million names that the world knows, their kinds and their fame; common names.

The names themselves are not in it. Each is a number between 0 and 256 times their count, made by hashing; the sorted
numbers take ten bits a name (Elias-Fano: eight low bits as they are, the high ones in unary), kinds and fame two more.
A name that is on no list is taken for a listed one once in 256 look-ups, and then for one of the commonest kinds and no
fame, most likely. `training/knowledge.py` builds the file; NOTICE names the lists and their licences.

A name on a list may still be private where it stands: a namesake, somebody's home or employer. Of made-up names of
people, one in six is also the name of somebody with a page in an encyclopedia. The index only says that a name *can* be
meant as public knowledge; `privacy/identify.py` weighs that with what stands around it.
"""

import re
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from typing import NamedTuple
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from gama.guard.folding import fold
from gama.state.entities import EntityType
from gama.tools.tables import lines

KINDS = ("person", "place", "body", "work", "thing", "topic")
"""What a name may stand for. Bodies are companies, schools, clubs, channels; a topic has a page, of whatever kind."""
LOW = 8
"""Low bits of a number, which are stored as they are: one look-up in 2 ** LOW hits by chance."""
FILE = "names.npz"
FORENAMES = "forenames.npz"
"""Index of forenames, rare ones too: what at least two people of the lists are called."""

_FAMOUS = 2
"""From this rank on a name is famous: it has pages in several encyclopedias of small languages."""
_ARTICLE = re.compile(r"^the\s+(?=\S)", re.IGNORECASE)
_POSSESSIVE = re.compile(r"(?:['’]s|(?<=s)['’])$", re.IGNORECASE)
_QUALIFIER = re.compile(r"(?<=\S)\s*\([^()]*\)$")
# Accepts the legal form at the end of a company's name, which people leave out; refuses `Company`, a part of names.
_FORM = re.compile(
    r"(?<=\w)(?:,?\s+(?:Inc|Corp|Corporation|Co|Ltd|Limited|PLC|plc|LLC|L\.?P|N\.?V|S\.?A|AG|SE|GmbH|S\.?p\.?A|AB|ASA|"
    r"Oyj|A/S|KGaA|Holdings?|Bhd|Tbk|JSC)\.?)+$"
)
# Accepts the initials between the first and the last word of a name: `John F. Kennedy`.
_MIDDLE = re.compile(r"(?<=\w\s)(?:\w\.?\s+)+(?=\w{2})")
# A question after who somebody is, or was: it is asked of the famous.
_WHO = re.compile(
    r"\b(?:who|what|wer|qui|qui[ée]n|chi|kto|wie)\s+(?:is|was|were|are|ist|war|est|était|es|fue|è|era|jest|by[łl])\s+"
    r"(?:\w+\s+)?$",
    re.IGNORECASE,
)
_AROUND = 160
"""Characters before and behind a name that are looked at for words of the world."""


class Known(NamedTuple):
    """What the index knows of a name."""

    kinds: frozenset[str]
    """What it may stand for, of `KINDS`."""
    fame: int
    """0: it is listed, to 3: it is known in most languages."""

    @property
    def is_firm(self) -> bool:
        """Whether nobody, no place and no work is called so: only a body, or a matter of the world."""
        return self.kinds <= {"body", "topic"}


class Index:
    """Sorted hashes of names, each with a code for kinds and fame. Immutable, shared between threads."""

    def __init__(self, low: NDArray[np.uint8], high: NDArray[np.uint8], codes: NDArray[np.uint8]) -> None:
        """Unpack the index.

        Args:
            low: The low bits of the sorted numbers.
            high: Their high bits in unary, packed: for each, as many noughts as it is more than the last, and a one.
            codes: A bit for each of `KINDS`; fame in the bits above.
        """
        self._low, self._high, self._codes = low, high, codes
        self._before = np.concatenate([[0], np.cumsum(8 - np.bitwise_count(high), dtype=np.int32)], dtype=np.int32)
        """Noughts before each byte of the high bits."""

    def __len__(self) -> int:
        """Return the count of names."""
        return len(self._low)

    @classmethod
    def load(cls, name: str = FILE) -> "Index":
        """Read an index that the package ships."""
        with files("gama.tools.knowledge").joinpath("data", name).open("rb") as file:
            with np.load(file, allow_pickle=False) as stored:
                return cls(stored["low"], stored["high"], stored["codes"])

    def find(self, key: str) -> Known | None:
        """Return what is known of a name in the form of `key`, or None."""
        number = number_of(key, len(self))
        first, last = self._rank(number >> LOW), self._rank((number >> LOW) + 1)
        at = first + int(np.searchsorted(self._low[first:last], np.uint8(number & (1 << LOW) - 1)))
        if not key or at == last or self._low[at] != number & (1 << LOW) - 1:
            return None
        code = int(self._codes[at])
        return Known(frozenset(kind for bit, kind in enumerate(KINDS) if code >> bit & 1), code >> len(KINDS))

    def _rank(self, high: int) -> int:
        """Return how many numbers have fewer high bits than these: the ones before the nought of this rank."""
        if not high:
            return 0
        byte = int(self._before.searchsorted(np.int32(high))) - 1
        if byte >= len(self._high):
            return len(self)
        bit = _noughts()[int(self._high[byte])][high - int(self._before[byte]) - 1]
        return min(byte * 8 + bit + 1 - high, len(self))


@cache
def _noughts() -> list[list[int]]:
    """Return for each byte where its bits are nought, the highest first."""
    return [[bit for bit in range(8) if not byte >> (7 - bit) & 1] for byte in range(256)]


def number_of(key: str, count: int) -> int:
    """Return the number of a name in an index of so many: evenly spread below `count << LOW`, the same everywhere."""
    digest = blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return (int.from_bytes(digest, "big") * (count << LOW)) >> 64


def key_of(name: str) -> str:
    """Return the form in which a name is looked up: folded, without article, possessive, qualifier and legal form."""
    bare = _FORM.sub("", _QUALIFIER.sub("", _POSSESSIVE.sub("", _ARTICLE.sub("", name.strip()))))
    return fold(bare)


@cache
def _index() -> Index:
    return Index.load()


@cache
def _forenames() -> Index:
    return Index.load(FORENAMES)


def look_up(name: str) -> Known | None:
    """Return what the index knows of a name; case, accents, spacing and initials in its midst do not matter."""
    found = _index().find(key_of(name))
    if found is None and (bare := _MIDDLE.sub("", name)) != name:
        found = _index().find(key_of(bare))
    return found


def is_famous(name: str) -> bool:
    """Return whether a globally famous person bears exactly this name."""
    found = look_up(name)
    return found is not None and "person" in found.kinds and found.fame >= _FAMOUS


def is_known(name: str, kind: EntityType) -> bool:
    """Return whether a name of a type is public knowledge all over the world.

    Args:
        name: The name as it stands in a text.
        kind: PER, LOC or ORG; a body may stand for a place and the other way round. Any other type is never known.
    """
    if kind == "PER":
        return is_famous(name)
    found = look_up(name) if kind in ("LOC", "ORG") else None
    return found is not None and not found.kinds.isdisjoint(("place", "body"))


def is_ordinary(name: str) -> bool:
    """Return whether a full name is made of a forename and a surname that many people bear."""
    words = name.split()
    return len(words) >= 2 and is_forename(words[0]) and is_surname(words[-1])


def is_forename(word: str) -> bool:
    """Return whether a word is a forename that many people bear."""
    return fold(word) in _common_names()[0]


def forename_keys(word: str) -> tuple[str, str]:
    """Return the forms under which a forename is listed: as it is written, in small letters, and without accents."""
    return normalize("NFC", word.lower()), fold(word)


def may_be_forename(word: str) -> bool:
    """Return whether somebody on the lists of people has this forename: by chance one word in 256.

    Accents count where they are written, for they tell `Märk` (note) from Mark.
    """
    return _forenames().find(forename_keys(word)[0]) is not None


def is_surname(word: str) -> bool:
    """Return whether a word is a surname that many people bear."""
    return fold(word) in _common_names()[1]


def is_borne(word: str) -> bool:
    """Return whether somebody may be called so: a word of the lists of forenames and surnames."""
    return is_forename(word) or may_be_forename(word) or is_surname(word)


def is_matter(name: str, kind: EntityType = "PER", subtype: str = "") -> bool:
    """Return whether the world knows a name as something other than a person, and people are not called so.

    Args:
        name: The name as it stands in a text.
        kind: What a finder takes it for: a place or body must be known as such; one that has a forename, or that is
            taken for a person and has the forename at its beginning, must be famous.
        subtype: What kind of place: a country need not be listed.
    """
    known, first = look_up(name), name.split()[0]
    rare = may_be_forename(first) or is_forename(first)
    if kind in ("LOC", "ORG"):
        if known is None or subtype == "country":
            return subtype == "country" and name[0].isupper() and (known is not None or not (rare or is_surname(name)))
        return known.fame > rare and not known.kinds.isdisjoint(("place", "body", "topic"))
    if known is None or (first == name and (rare or is_surname(name))):
        return False
    # What all the world has a page on, and is one word, is no more somebody's for bearing a person's name, too: sushi.
    return known.fame > rare and ("person" not in known.kinds or (known.fame > _FAMOUS and first == name))


def is_worldly(text: str, start: int, end: int) -> bool:
    """Return whether what stands around a name speaks of somebody whom the world knows, not of an acquaintance."""
    if _WHO.search(text[max(0, start - 40) : start]):
        return True
    words = _worldly_words()
    return bool(words.search(text[max(0, start - _AROUND) : start]) or words.search(text[end : end + _AROUND]))


def is_asked_about(text: str, start: int, end: int) -> bool:
    """Return whether a name is somebody famous's whose life, work or fame is asked about right beside it.

    A birthday or a farewell in the text makes it an acquaintance's.
    """
    around, (before, who, behind, question, answer) = text[max(0, start - 60) : start], _asked()
    asked = (
        before.search(around)
        or (who.search(around) and behind.match(text, end))
        or (question.search(around) and answer.match(text, end))
    )
    return bool(asked) and is_famous(text[start:end]) and not _FEAST.search(text)


_FEAST = re.compile(
    r"\b(?:birthday|wedding|leaving|retire\w*|farewell|anniversary|geburtstag|hochzeit|abschied|anniversaire|mariage"
    r"|cumpleaños|boda|compleanno|matrimonio|verjaardag|bruiloft|aniversário|casamento)\b",
    re.IGNORECASE,
)


@cache
def _asked() -> tuple[re.Pattern[str], ...]:
    """Return the expressions of `asked.txt`: before a name, `who` and `is` around it, a question around it."""
    rows: dict[str, list[str]] = {}
    for line in lines("knowledge", "asked.txt"):
        kind, _, expression = line.partition(": ")
        rows.setdefault(kind, []).append(expression)
    words = {kind: "|".join(row) for kind, row in rows.items()}
    return (
        re.compile(rf"(?<!\w)(?:{words['before']})\s+$", re.IGNORECASE),
        re.compile(rf"(?<!\w)(?:{words['who']})\s+$", re.IGNORECASE),
        re.compile(rf"\s+(?:{words['is']})(?!\w)"),
        re.compile(rf"(?<!\w)(?:{words['question']})(?:\s+\w+)?\s+$", re.IGNORECASE),
        re.compile(rf"\s+(?:\w+\s+)?(?:{words['answer']})(?!\w)"),
    )


@cache
def _worldly_words() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(lines('knowledge', 'worldly.txt'))})", re.IGNORECASE)


@cache
def _common_names() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(line.split(";")) for line in lines("knowledge", "ordinary.txt"))
