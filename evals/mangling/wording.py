"""Changes to the words of a placeholder: translations, numbers as words, slips, and the grammar around."""

from random import Random

from gama.evals.mangling.base import VALUE, Kind, Mangle, Mangled, Mark, numbered
from gama.tools.placeholders.words import languages, numbers_in, translations_of

NAMES = {
    "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "pt": "Portuguese", "nl": "Dutch",
    "pl": "Polish", "ru": "Russian", "zh": "Chinese", "ja": "Japanese",
}  # fmt: skip
"""Languages that models translate type words into."""

# How the words of other tools' placeholders would be translated: as the type here that means the same.
_SAME = {
    "person": "name", "redacted_person": "name", "email_address": "email", "redacted_email_address": "email",
    "redacted_location": "location", "org": "organization", "redacted_organization": "organization", "city": "location",
    "gpe": "location", "company": "organization",
}  # fmt: skip
_PERSON = {
    "de": "Person", "fr": "personne", "es": "persona", "it": "persona", "pt": "pessoa", "nl": "persoon",
    "pl": "osoba", "ru": "лицо", "zh": "人物", "ja": "人物",
}  # fmt: skip


def translated(language: str, *, number: bool = False) -> Mangle:
    """Put the type's word, and the number if asked, into another language."""

    def mangle(mark: Mark, rng: Random) -> str | None:
        word = _translation(mark.word.lower(), language)
        said = numbers_in(language).get(mark.number or 0) if number else str(mark.number)
        return f"{mark.left}{word}{mark.joint}{said}{mark.right}" if word and said else None

    return numbered(mangle)


def _translation(word: str, language: str) -> str | None:
    if word in ("person", "redacted_person"):
        return _PERSON[language]
    return translations_of(language).get(_SAME.get(word, word))


def number_in_words(mark: Mark, rng: Random) -> str | None:
    """The number as an English word."""
    said = numbers_in("en").get(mark.number or 0)
    return f"{mark.left}{mark.word}{mark.joint}{said}{mark.right}" if said else None


def all_in_words(mark: Mark, rng: Random) -> str | None:
    """The number as a word with a capital, and spaces: `<First Name One>`."""
    said = number_in_words(mark, rng)
    return said.replace("_", " ").replace(mark.joint, " ").title() if said else None


def foreign_number(mark: Mark, rng: Random) -> str | None:
    """Word and number in one of the languages."""
    return translated(rng.choice(languages()), number=True)(mark, rng)  # type: ignore[return-value]


def plural(mark: Mark, rng: Random) -> str:
    """The word in the plural: `<names-1>`."""
    word = mark.word
    more = "es" if word.lower().endswith("s") else "s"
    return str(mark._replace(word=word + (more.upper() if word.isupper() else more)))


def lost(mark: Mark, rng: Random) -> str | None:
    """A letter of the word is lost."""
    at = _place(mark, rng)
    return None if at is None else str(mark._replace(word=mark.word[:at] + mark.word[at + 1 :]))


def twice(mark: Mark, rng: Random) -> str | None:
    """A letter of the word is written twice."""
    at = _place(mark, rng)
    return None if at is None else str(mark._replace(word=mark.word[: at + 1] + mark.word[at:]))


def wrong(mark: Mark, rng: Random) -> str | None:
    """A letter of the word is another one."""
    at = _place(mark, rng)
    if at is None:
        return None
    other = rng.choice([sign for sign in "bjqvwxz" if sign != mark.word[at].lower()])
    other = other.upper() if mark.word[at].isupper() else other
    return str(mark._replace(word=mark.word[:at] + other + mark.word[at + 1 :]))


def swapped(mark: Mark, rng: Random) -> str | None:
    """Two neighbouring letters of the word are swapped."""
    at = _place(mark, rng)
    if at is None or mark.word[at] == mark.word[at + 1 : at + 2]:
        return None
    word = mark.word
    return str(mark._replace(word=word[:at] + word[at + 1 : at + 2] + word[at] + word[at + 2 :]))


def _place(mark: Mark, rng: Random) -> int | None:
    """Choose a letter that is neither the first nor the last, in a word of five letters or more."""
    letters = [at for at in range(1, len(mark.word) - 2) if mark.word[at : at + 2].isalpha()]
    return rng.choice(letters) if letters and len(mark.word) >= 5 else None


def follows(after: str) -> Mangle:
    """Let something follow directly: a possessive, a plural."""
    return lambda mark, rng: Mangled(f"{mark}{after}", (f"{VALUE}{after}",))


def within(after: str) -> Mangle:
    """Put what should follow inside the brackets: `<name-1's>`."""
    return numbered(lambda mark, rng: Mangled(f"{mark.left}{mark.core}{after}{mark.right}", (f"{VALUE}{after}",)))


def _kind(name: str, mangle: Mangle, group: str = "words") -> Kind:
    return Kind(name, group, mangle)


KINDS = (
    *(_kind(f"type word in {NAMES[language]}", translated(language)) for language in languages()),
    _kind("number as a word", numbered(number_in_words)),
    _kind("number as a word, capitals and spaces", numbered(all_in_words)),
    _kind("word and number in another language", numbered(foreign_number)),
    _kind("type word in the plural", numbered(plural)),
    _kind("a letter lost", numbered(lost)),
    _kind("a letter twice", numbered(twice)),
    _kind("a wrong letter", numbered(wrong)),
    _kind("two letters swapped", numbered(swapped)),
    _kind("possessive", follows("'s"), "grammar"),
    _kind("possessive with a curly apostrophe", follows("’s"), "grammar"),
    _kind("possessive inside the brackets", within("'s"), "grammar"),
    _kind("plural", follows("s"), "grammar"),
    _kind("compound", follows("-style"), "grammar"),
    _kind("clitic of another language", follows("-ssi"), "grammar"),
)
