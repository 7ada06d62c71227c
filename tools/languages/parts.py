"""Which script and language each part of a text is in. Pure, linear, and next to nothing for plain Latin text."""

import threading
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import regex

LEARNT = frozenset({"Latin", "Greek", "Cyrillic"})
"""Scripts that the embedded tagger reads."""

SCRIPTS = (
    "Latin", "Greek", "Cyrillic", "Arabic", "Hebrew", "Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Oriya",
    "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala", "Thai", "Lao", "Tibetan", "Myanmar", "Georgian", "Armenian",
    "Ethiopic", "Khmer", "Mongolian", "Hangul", "Hiragana", "Katakana", "Han", "Bopomofo", "Syriac", "Thaana",
    "Cherokee", "Yi",
)  # fmt: skip
"""Scripts that are told by name."""

OTHER = "another script"
"""What a script is called that has no name here."""


class Part(NamedTuple):
    """A stretch of a text in one script; what belongs to no script counts to the part before it."""

    start: int
    end: int
    script: str
    language: str
    """ISO 639-1; empty where the script alone does not tell it and the stretch says too little."""


# One run of letters of a script; the last alternative takes letters of those without a name here, but not what many
# scripts share (the mark that draws out a kana).
_RUN = regex.compile(
    "|".join(rf"(?P<{name}>(?:\p{{Script={name}}}\p{{M}}*+)++)" for name in SCRIPTS)
    + r"|(?P<Other>[\p{L}--[\p{Script=Common}\p{Script=Inherited}]]\p{M}*+)",
    regex.V1,
)
# Letters that of the languages in Latin script hardly any but one has.
_TURKISH = regex.compile(r"[ğşıİĞŞ]")
_VIETNAMESE = regex.compile(r"[ăđơưĂĐƠƯ\u1ea0-\u1ef9]")
_SOLE = {
    "Greek": "el", "Hebrew": "he", "Bengali": "bn", "Gurmukhi": "pa", "Gujarati": "gu", "Oriya": "or", "Tamil": "ta",
    "Telugu": "te", "Kannada": "kn", "Malayalam": "ml", "Sinhala": "si", "Thai": "th", "Lao": "lo", "Tibetan": "bo",
    "Myanmar": "my", "Georgian": "ka", "Armenian": "hy", "Ethiopic": "am", "Khmer": "km", "Hangul": "ko",
    "Hiragana": "ja", "Katakana": "ja", "Mongolian": "mn", "Bopomofo": "zh",
}  # fmt: skip
"""Scripts of which hardly more than one language is written."""
# Characters that Japanese writes otherwise, or has no use for: two of them in a stretch without Kana make it Chinese.
_CHINESE = regex.compile(
    "[们們这這为说时过对开关发经见长门问间东车马鸟鱼风飞华丽钟签语请让谢认识话该谁调谈订计记许设证评词译试诗详误读课吗嗎呢你她很]"
)
_OF_SCRIPT: Mapping[str, tuple[str, ...]] = {
    "Cyrillic": ("ru", "uk", "bg", "be", "sr", "mk", "kk", "ky", "mn"),
    "Arabic": ("ar", "fa", "ur", "ps", "ug"),
    "Devanagari": ("hi", "mr", "ne"),
}
# What settles it at once: letters that one of a script's languages has.
_LETTERS = {
    "uk": regex.compile("[іїєґІЇЄҐ]"), "ru": regex.compile("[ыэъёЫЭЪЁ]"),
    "fa": regex.compile("[پچژگک]"), "ur": regex.compile("[ٹڈڑںےھ]"), "ar": regex.compile("[ةىي]"),
}  # fmt: skip
_LONGEST = 2_000
"""Characters of one script that are looked at."""


def parts(text: str) -> list[Part]:
    """Return the parts of a text in order, each in one script; digits and signs before the first letter are in none.

    Han counts as Japanese where the text has Kana, but for lines whose characters are Chinese alone; kana and kanji are
    apart all the same.
    """
    runs: list[tuple[int, str]] = []
    for match in _RUN.finditer(text):
        script = match.lastgroup or "Other"
        if not runs or runs[-1][1] != script:
            runs.append((match.start(), script))
    if not runs:
        return []
    ends = [*(start for start, _ in runs[1:]), len(text)]
    spoken = _languages(text, runs, ends)
    found = []
    for (start, script), end in zip(runs, ends, strict=True):
        language = spoken.get(script, "")
        if script == "Han" and language == "ja" and len(_CHINESE.findall(text, start, end)) > 1:
            language = "zh"
        found.append(Part(start, end, OTHER if script == "Other" else script, language))
    return found


def _languages(text: str, runs: list[tuple[int, str]], ends: list[int]) -> dict[str, str]:
    """Return the language of each script: one text hardly ever has two in the same."""
    written: dict[str, list[str]] = {}
    for (start, script), end in zip(runs, ends, strict=True):
        written.setdefault(script, []).append(text[start:end])
    found = {}
    for script, stretches in written.items():
        if script == "Han":
            found[script] = "ja" if written.keys() & {"Hiragana", "Katakana"} else "zh"
        elif script in _SOLE:
            found[script] = _SOLE[script]
        elif script in _OF_SCRIPT:
            found[script] = _by_letters("".join(stretches)[:_LONGEST], script)
        elif script == "Latin":
            found[script] = _of_latin("".join(stretches)[:_LONGEST])
    return found


def _by_letters(text: str, script: str) -> str:
    marked = {
        language: len(_LETTERS[language].findall(text)) for language in _OF_SCRIPT[script] if language in _LETTERS
    }
    # Urdu has Persian's letters, and Persian Arabic's: the rarer ones decide.
    for language in ("ur", "fa", "uk", "ru"):
        if marked.get(language, 0) > 1 and (language != "ru" or not marked["uk"]):
            return language
    return classify(text, _OF_SCRIPT[script])


def _of_latin(text: str) -> str:
    for language, letters in (("vi", _VIETNAMESE), ("tr", _TURKISH)):
        # A name alone has such a letter in any language: three of them, and what the whole says, make it so.
        if len(letters.findall(text)) > 2 and classify(text, _LATIN) == language:
            return language
    return ""


_LATIN = (
    "cs",
    "da",
    "de",
    "en",
    "es",
    "fi",
    "fr",
    "hu",
    "id",
    "it",
    "nl",
    "no",
    "pl",
    "pt",
    "ro",
    "sv",
    "tr",
    "az",
    "vi",
)
_LOADING = threading.Lock()


def classify(text: str, languages: tuple[str, ...]) -> str:
    """Return which of some languages a text is likeliest in.

    Args:
        text: The text; its first characters are looked at.
        languages: ISO 639-1 codes to choose from.
    """
    with _LOADING:
        return str(_classifier(languages).classify(text[:_LONGEST])[0])


@lru_cache(maxsize=8)
def _classifier(languages: tuple[str, ...]) -> Any:
    # Ones of our own: the library's is shared by the whole process.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    classifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    classifier.set_languages([*languages])
    return classifier


# Two letters in a row: one alone may be a sign in a formula.
_WORD = regex.compile(r"\p{L}\p{M}*\p{L}")


def says(text: str, part: Part) -> bool:
    """Return whether a part has a word, not single letters alone, as formulas have them."""
    return _WORD.search(text, part.start, part.end) is not None


def unlearnt(text: str, learnt: Collection[str] = LEARNT) -> list[str]:
    """Return what a text is written in that a tagger has not learnt, such as `Arabic (Persian)`, by name.

    Args:
        text: the text.
        learnt: the scripts that it has learnt; by default those of the small tagger.
    """
    from babel import Locale

    found: set[str] = set()
    for part in parts(text):
        if part.script not in learnt and says(text, part):
            language = str(Locale("en").languages.get(part.language, part.script))
            found.add(part.script if language == part.script else f"{part.script} ({language})")
    return sorted(found)
