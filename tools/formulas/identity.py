"""What names and places are, and whether two texts name the same thing."""

import unicodedata
from functools import lru_cache

import regex

from gama.tools.formulas.values import Fault, Term, Text, Value, kind_of
from gama.tools.formulas.words import rows, words

_PARTICLES = "van von de der den del della di da dos das do du la le ten ter zu zum af al el bin ibn y e".split()
_FAMILY_FIRST = ("hu", "zh", "ja", "ko", "vi")
_SUFFIXES = "jr jr. sr. ii iii iv phd md esq".split()


def fold(text: str) -> str:
    """Return a text without case, accents and marks, for comparing."""
    text = unicodedata.normalize("NFKD", text.casefold())
    return " ".join(regex.sub(r"[^\p{L}\p{N}]+", " ", regex.sub(r"\p{M}", "", text)).split())


def same_text(one: Value, two: Value) -> bool:
    """Return whether two texts, or a text and a fact, mean the same.

    Raises:
        Fault: they cannot be compared, or one may be the short form of the other.
    """
    from gama.tools.formulas.facts import country_codes, term_of

    if isinstance(one, Term) or isinstance(two, Term):
        kind = one.kind if isinstance(one, Term) else two.kind if isinstance(two, Term) else ""
        return term_of(one, kind).code == term_of(two, kind).code
    if not isinstance(one, Text) or not isinstance(two, Text):
        raise Fault("type", f"cannot compare {kind_of(one)} and {kind_of(two)}")
    first, second = fold(one.text), fold(two.text)
    if first.replace(" ", "") == second.replace(" ", ""):
        return True
    if "text" not in (one.kind, two.kind):
        short, long = sorted((first.split(), second.split()), key=len)
        # "A. Smith" and "Anna Smith", "0531 77041" and "+49 531 77041" may be the same.
        parts = all(any(_may_be(part, other) for other in long) for part in short)
        if parts or first[-6:] == second[-6:] or "location" in (one.kind, two.kind):
            codes = [country_codes(value.text) for value in (one, two)]
            if all(codes) and not codes[0] & codes[1]:
                return False
            raise Fault("undefined", "may be two forms of one name: it cannot be told whether they are the same")
    return False


def _may_be(one: str, two: str) -> bool:
    return one == two or (1 in (len(one), len(two)) and one[0] == two[0])


class PersonName:
    """A person's name in its parts."""

    def __init__(self, text: str, language: str, surname: str | None = None) -> None:
        """Take a name apart.

        Args:
            text: the name, with whatever title it has.
            language: the language of the letter.
            surname: the family name, where the box has it apart.

        Raises:
            Fault: the text is no name of letters.
        """
        family, comma, given = text.partition(",")
        if comma and fold(given) not in _SUFFIXES:
            text = f"{given.strip()} {family.strip()}"
            surname = surname or family.strip()
        parts = text.replace(",", " ").split()
        self.gender = ""
        while parts and (title := parts[0].casefold().rstrip(".")):
            found = next((gender for gender, all_of in words()["honorifics"].items() if title in all_of.split()), None)
            if found is None or (len(parts) == 1):
                break
            self.gender = self.gender or found
            parts = parts[1:]
        while parts and parts[-1].casefold() in _SUFFIXES:
            parts = parts[:-1]
        if not parts or not all(part[0].isalpha() for part in parts):
            raise Fault("unreadable", "is not written as a name of a person")
        self.words = parts
        self.language = language
        self._surname = surname

    @property
    def surname(self) -> str:
        """The family name.

        Raises:
            Fault: it cannot be told which words are it.
        """
        if self._surname:
            return self._surname
        if len(self.words) == 1:
            if self.gender:
                return self.words[0]
            raise Fault("undefined", "is one word: it cannot be told whether it is a family name")
        if regex.search(r"[\p{Han}\p{Hangul}\p{Hiragana}\p{Katakana}]", self.words[0]) or self.language in (
            "hu",
            "zh",
            "ja",
            "ko",
            "vi",
        ):
            raise Fault("undefined", "is written in an order that cannot be told")
        at = next((n for n, word in enumerate(self.words[1:], start=1) if word.casefold() in _PARTICLES), None)
        if at is not None and at < len(self.words) - 1:
            return " ".join(self.words[at:])
        if len(self.words) > 2 and self.language in ("es", "pt"):
            raise Fault("undefined", "has several words: it cannot be told which are the family name")
        return self.words[-1]

    @property
    def first(self) -> str:
        """The first given name."""
        if len(self.words) == 1 and self.gender:
            raise Fault("undefined", "has no given name")
        if self.language in _FAMILY_FIRST:
            raise Fault("undefined", "is written in an order that cannot be told")
        return self.words[0]

    @property
    def initials(self) -> str:
        """The first letters, with dots."""
        return "".join("-".join(f"{part[0]}." for part in word.split("-") if part) for word in self.words)

    def find_gender(self) -> str:
        """Return `female` or `male`.

        Raises:
            Fault: neither title nor forename tells it.
        """
        if self.gender:
            return self.gender
        for part in dict.fromkeys((self.words[0], self.words[0].partition("-")[0])):
            for gender, names in _forenames().items():
                if part.casefold() in names:
                    return gender
        raise Fault("no_fact", "it is not known whether the name is a woman's or a man's")


@lru_cache
def _forenames() -> dict[str, frozenset[str]]:
    return {row[0]: frozenset(row[1].split()) for row in rows("forenames.tsv")}
